//! One test per kind of mistake: a part of a good workflow is exchanged, and all that is said about it is compared.

use super::{WHOLE, example, said};

/// Exchanges parts of the example and gives everything that is said about the result.
fn check(changes: &[(&str, &str)]) -> String {
    let mut workflow = WHOLE.to_owned();
    for (part, instead) in changes {
        assert!(workflow.contains(part), "the example has no part `{part}`");
        workflow = workflow.replacen(part, instead, 1);
    }
    said(example(&workflow))
}

#[test]
fn the_example_itself_has_no_problems() {
    assert_eq!(check(&[]), "");
}

#[test]
fn a_misspelt_key_is_named_with_what_was_meant() {
    let changes = [("summary: An example.", "sumary: An example.")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_misspelt_key_deep_inside_is_found() {
    let changes = [("    save: { draft: result.text }", "    savee: { draft: result.text }")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn missing_keys_are_named_with_what_they_are_for() {
    let changes = [("start: writing\n", "")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn an_unknown_state_gets_a_suggestion() {
    let changes = [("    next: judging\n", "    next: judgin\n")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn an_unknown_agent_gets_a_suggestion() {
    let changes = [("    agent: judge\n", "    agent: juge\n")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn an_unknown_counter_gets_a_suggestion() {
    let changes = [("reset: [rounds]", "reset: [round]")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_broken_expression_shows_its_place() {
    let changes = [("old: data.draft }", "old: data.draft + }")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_broken_text_shows_its_place() {
    let changes = [("\"Ship {{ data.draft }}?\"", "\"Ship {{ data.draft }?\"")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_wrong_type_says_what_was_expected() {
    let changes =
        [("cost: 5,", "cost: [5],"), ("all: { timeout: 30s }", "all: { timeout: 30 }"), ("text_for: [change]", "text_for: change")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn an_outcome_without_a_route_is_an_error() {
    let changes = [("      approve: done\n", "")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_route_for_an_unknown_outcome_is_an_error() {
    let changes = [("      approved: asking\n", "      aproved: asking\n")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_missing_prompt_is_an_error() {
    let changes = [("judge: { prompt: prompts/judge.md", "judge: { prompt: prompts/jugde.md")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_missing_template_is_an_error() {
    let changes = [("from: files/draft.md", "from: files/drafts.md")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_broken_schema_is_an_error() {
    let changes = [("topic: { type: string }", "topic: { type: strng }"), ("maximum: 9, default: 3", "maximum: 9, default: 12")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_misspelt_word_of_a_schema_is_an_error() {
    let changes = [("minimum: 1, maximum: 9", "minimun: 1, maximum: 9")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_rule_that_is_no_sentence_shows_the_four_that_are() {
    let changes = [("judged: every path to done passes judging, asking.approve", "judged: all paths to done go through judging")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn names_in_rules_are_checked() {
    let changes = [
        ("passes judging, asking.approve", "passes juding, asking.approved"),
        ("input.rounds times per asking", "input.round times per asking"),
    ];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_list_of_transitions_ends_without_a_guard() {
    let changes = [("    next: judging\n", "    next:\n      - { to: judging }\n      - { when: data.draft == null, to: broken }\n")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_guard_on_a_lone_transition_is_an_error() {
    let changes = [("    next: judging\n", "    next: { when: data.draft == null, to: judging }\n")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn an_unknown_variable_gets_a_suggestion() {
    let changes = [("topic: input.topic, old: data.draft", "topic: inputs.topic, old: data.draf")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_text_where_an_expression_is_meant_is_explained() {
    let changes = [("    save: { draft: result.text }", "    save: { draft: finished }")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn unknown_fields_in_texts_and_templates_are_found() {
    let changes = [
        ("\"Ship {{ data.draft }}?\"", "\"Ship {{ data.darft }} of {{ last.writng.text }}?\""),
        ("{{ counters.rounds.used }}", "{{ counters.rounds.sued }}"),
    ];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn save_sets_only_what_data_declares() {
    let changes = [("    save: { draft: result.text }", "    save: { darft: result.text }")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn an_unlimited_counter_stands_only_at_a_gate() {
    let changes = [(
        "rejected: { count: rounds, to: writing, exceeded: { to: asking, because: \"no room after {{ counters.rounds.used }}\" } }",
        "rejected: { count: asks, to: writing }",
    )];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_counted_transition_says_what_happens_when_it_is_used_up() {
    let changes = [(", exceeded: { to: asking, because: \"no room after {{ counters.rounds.used }}\" }", "")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_gate_has_options_or_questions() {
    let changes =
        [("options: [approve, change], text_for: [change]", "options: [approve, change], questions: data.drafts, text_for: [chance]")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn otherwise_is_something_the_gate_takes() {
    let changes = [("otherwise: input.unattended", "otherwise: aprove")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn an_input_for_otherwise_has_only_values_the_gate_takes() {
    let changes = [("otherwise: input.unattended", "otherwise: input.mood")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_deadline_needs_otherwise() {
    let changes = [("otherwise: input.unattended", "deadline: 1h")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn by_needs_an_enumeration() {
    let changes =
        [("    save: { draft: result.text }\n    next: judging", "    by: result.text\n    next: { dry: judging, warm: judging }")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn by_takes_the_values_of_a_result() {
    let changes = [("    save: { draft: result.text }\n    next: judging", "    by: result.tone\n    next: { dry: judging }")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn fallbacks_do_not_go_round() {
    let changes = [(
        "spare: { prompt: prompts/writer.md, returns: { text: string } }",
        "spare: { prompt: prompts/writer.md, returns: { text: string }, fallback: [writer] }",
    )];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_fallback_brings_no_other_outcomes() {
    let changes = [("fallback: [spare]", "fallback: [judge, spare]")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn an_unknown_builtin_gets_a_suggestion() {
    let changes = [("    agent: judge\n    with", "    call: report.lst\n    with")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn an_unknown_base_gets_a_suggestion() {
    let changes = [("start: writing\n", "start: writing\nextends: slogann\n")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn names_that_cannot_be_used_are_refused() {
    let changes = [(
        "  broken: { final: failed }",
        "  broken: { final: failed }\n  in-between: { next: done }\n  back: { next: done }\n  yes: { next: done }",
    )];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_state_does_one_thing() {
    let changes = [("    agent: judge\n", "    agent: judge\n    call: report.list\n")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn keys_without_meaning_are_refused() {
    let changes = [
        ("  done: { final: completed", "  done: { next: broken, final: completed"),
        ("    agent: judge\n", "    agent: judge\n    at_most: 5\n"),
    ];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_prompt_reads_only_what_every_state_gives() {
    let changes = [("with: { draft: data.draft }", "with: { draff: data.draft }")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn what_is_needed_before_the_run_may_use_input_only() {
    let changes = [("rounds: { max: input.rounds }", "rounds: { max: data.rounds }"), ("cost: 5,", "cost: budget.left,")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn shares_held_back_are_at_most_the_whole() {
    let changes = [("writing: 20%", "writing: 70%, judging: 40%")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn keep_needs_a_cost() {
    let changes = [("cost: 5, ", "")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn files_stay_in_the_folder_of_the_run() {
    let changes = [("  draft.md: {", "  ../draft.md: {")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn edits_name_data_and_gates() {
    let changes = [("edits: { data.draft: [asking] }", "edits: { data.daft: [judging], item: [asking] }")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn an_agent_that_nobody_uses_is_a_warning() {
    let changes = [("fallback: [spare] }", "fallback: [] }")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_run_must_be_able_to_end() {
    let changes = [(
        "  done: { final: completed, output: { draft: data.draft } }\n  broken: { final: failed }",
        "  done: { next: broken }\n  broken: { next: done }",
    )];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn tasks_written_out_are_checked() {
    let changes = [
        (
            "    agent: writer\n    with",
            "    plan: { tasks: [{ id: a, agent: wrter, depends_on: [b] }, { id: b, depends_on: [a, c] }, { id: a }, { title: x }], agents: [writer, spare], at_most: 3 }\n    with",
        ),
        ("    save: { draft: result.text }\n", ""),
    ];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn each_needs_at_most() {
    let changes = [("    agent: writer\n", "    agent: writer\n    each: data.drafts\n")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn groups_and_keep_name_states() {
    let changes = [("WORK: [writing, judging]", "WORK: [writing, juging]"), ("keep: { writing: 20% }", "keep: { writting: 20% }")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn an_agent_does_one_thing() {
    let changes = [
        ("judge: { prompt: prompts/judge.md", "judge: { prompt: prompts/judge.md, builtin: report.list"),
        ("spare: { prompt: prompts/writer.md, returns", "spare: { returns"),
    ];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn a_pattern_must_be_a_regular_expression() {
    let changes = [("rejected: [NO]", "rejected: [\"/(NO/i\"]")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn words_out_of_a_few_get_a_suggestion() {
    let changes =
        [("all: { timeout: 30s }", "all: { timeout: 30s, class: idempotant }"), ("broken: { final: failed }", "broken: { final: fail }")];
    insta::assert_snapshot!(check(&changes), @"");
}

#[test]
fn what_an_unclear_verdict_becomes_is_an_outcome() {
    let changes = [("rejected: [NO] } }", "rejected: [NO] }, if_unclear: { then: reject } }")];
    insta::assert_snapshot!(check(&changes), @"");
}
