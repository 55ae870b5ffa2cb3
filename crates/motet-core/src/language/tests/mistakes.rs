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
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0102]: unknown key `sumary` in a workflow
     --> workflow.yaml:3:1
      |
    3 | sumary: An example.
      | ^^^^^^
      = help: did you mean `summary`?
    "#);
}

#[test]
fn a_misspelt_key_deep_inside_is_found() {
    let changes = [("    save: { draft: result.text }", "    savee: { draft: result.text }")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0102]: unknown key `savee` in a state
      --> workflow.yaml:24:5
       |
    24 |     savee: { draft: result.text }
       |     ^^^^^
       = help: did you mean `save`?
    "#);
}

#[test]
fn missing_keys_are_named_with_what_they_are_for() {
    let changes = [("start: writing\n", "")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0103]: a workflow needs the key `start`
     --> workflow.yaml:1:1
      |
    1 | workflow: example
      | ^
      = help: `start`: The first state.
    "#);
}

#[test]
fn an_unknown_state_gets_a_suggestion() {
    let changes = [("    next: judging\n", "    next: judgin\n")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0104]: unknown state `judgin`
      --> workflow.yaml:25:11
       |
    25 |     next: judgin
       |           ^^^^^^ no state has this name
       = help: did you mean `judging`?
    "#);
}

#[test]
fn an_unknown_agent_gets_a_suggestion() {
    let changes = [("    agent: judge\n", "    agent: juge\n")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0105]: unknown agent `juge`
      --> workflow.yaml:27:12
       |
    27 |     agent: juge
       |            ^^^^ no agent has this name
       = help: did you mean `judge`?
    "#);
}

#[test]
fn an_unknown_counter_gets_a_suggestion() {
    let changes = [("reset: [rounds]", "reset: [round]")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0106]: unknown counter `round`
      --> workflow.yaml:38:51
       |
    38 |       change: { count: asks, to: writing, reset: [round] }
       |                                                   ^^^^^ no counter has this name
       = help: did you mean `rounds`?
    "#);
}

#[test]
fn a_broken_expression_shows_its_place() {
    let changes = [("old: data.draft }", "old: data.draft + }")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0501]: expected a value, found the end
      --> workflow.yaml:23:50
       |
    23 |     with: { topic: input.topic, old: data.draft + }
       |                                                  ^
    "#);
}

#[test]
fn a_broken_text_shows_its_place() {
    let changes = [("\"Ship {{ data.draft }}?\"", "\"Ship {{ data.draft }?\"")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0511]: unexpected `}`, expected end of variable block
      --> workflow.yaml:34:38
       |
    34 |     gate: { ask: "Ship {{ data.draft }?", options: [approve, change], text_for: [change], otherwise: input.unattended }
       |                                      ^
    "#);
}

#[test]
fn a_wrong_type_says_what_was_expected() {
    let changes =
        [("cost: 5,", "cost: [5],"), ("all: { timeout: 30s }", "all: { timeout: 30 }"), ("text_for: [change]", "text_for: change")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0109]: expected a number or an expression, found a list
      --> workflow.yaml:10:17
       |
    10 | limits: { cost: [5], time: 30m, keep: { writing: 20% } }
       |                 ^

    error[M0109]: expected a duration such as `500ms`, `30s`, `10m`, `2h` or `1h30m`, found `30`
      --> workflow.yaml:13:19
       |
    13 |   all: { timeout: 30 }
       |                   ^^

    error[M0109]: expected a list of options, found `change`
      --> workflow.yaml:34:82
       |
    34 |     gate: { ask: "Ship {{ data.draft }}?", options: [approve, change], text_for: change, otherwise: input.unattended }
       |                                                                                  ^^^^^^
       = help: write `[change]`
    "#);
}

#[test]
fn an_outcome_without_a_route_is_an_error() {
    let changes = [("      approve: done\n", "")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0111]: `asking` can end as `approve`, and `next` has no line for that
      --> workflow.yaml:37:7
       |
    37 |       change: { count: asks, to: writing, reset: [rounds] }
       |       ^^^^^^
       = help: add `approve: …`
    "#);
}

#[test]
fn a_route_for_an_unknown_outcome_is_an_error() {
    let changes = [("      approved: asking\n", "      aproved: asking\n")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0112]: `judging` never ends as `aproved`
      --> workflow.yaml:31:7
       |
    31 |       aproved: asking
       |       ^^^^^^^
       = help: did you mean `approved`?
    "#);
}

#[test]
fn a_missing_prompt_is_an_error() {
    let changes = [("judge: { prompt: prompts/judge.md", "judge: { prompt: prompts/jugde.md")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0113]: the prompt `prompts/jugde.md` is not in the folder
      --> workflow.yaml:16:20
       |
    16 |   judge: { prompt: prompts/jugde.md, returns: verdict, words: { approved: [YES], rejected: [NO] } }
       |                    ^^^^^^^^^^^^^^^^
       = help: did you mean `prompts/judge.md`?
    "#);
}

#[test]
fn a_missing_template_is_an_error() {
    let changes = [("from: files/draft.md", "from: files/drafts.md")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0113]: the template `files/drafts.md` is not in the folder
      --> workflow.yaml:45:21
       |
    45 |   draft.md: { from: files/drafts.md, since: judging, edits: { data.draft: [asking] } }
       |                     ^^^^^^^^^^^^^^^
       = help: did you mean `files/draft.md`?
    "#);
}

#[test]
fn a_broken_schema_is_an_error() {
    let changes = [("topic: { type: string }", "topic: { type: strng }"), ("maximum: 9, default: 3", "maximum: 9, default: 12")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0114]: `topic`: unknown type `strng`, did you mean `string`?
     --> workflow.yaml:5:18
      |
    5 |   topic: { type: strng }
      |                  ^^^^^

    error[M0114]: the default of `rounds`: 12 is greater than the maximum of 9
     --> workflow.yaml:6:3
      |
    6 |   rounds: { type: integer, minimum: 1, maximum: 9, default: 12 }
      |   ^^^^^^
    "#);
}

#[test]
fn a_misspelt_word_of_a_schema_is_an_error() {
    let changes = [("minimum: 1, maximum: 9", "minimun: 1, maximum: 9")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0114]: `rounds`: unknown keyword `minimun`, did you mean `minimum`?
     --> workflow.yaml:6:28
      |
    6 |   rounds: { type: integer, minimun: 1, maximum: 9, default: 3 }
      |                            ^^^^^^^
    "#);
}

#[test]
fn a_rule_that_is_no_sentence_shows_the_four_that_are() {
    let changes = [("judged: every path to done passes judging, asking.approve", "judged: all paths to done go through judging")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0115]: this rule cannot be understood
      --> workflow.yaml:42:11
       |
    42 |   judged: all paths to done go through judging
       |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
       = help: a rule is one of
               `every path to A passes B, C`
               `no path from A to B avoids C, D`
               `after A only B, C`
               `A is entered at most N times [per B, C]`
    "#);
}

#[test]
fn names_in_rules_are_checked() {
    let changes = [
        ("passes judging, asking.approve", "passes juding, asking.approved"),
        ("input.rounds times per asking", "input.round times per asking"),
    ];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0104]: unknown state `juding`
      --> workflow.yaml:42:37
       |
    42 |   judged: every path to done passes juding, asking.approved
       |                                     ^^^^^^ no state has this name
       = help: did you mean `judging`?

    error[M0112]: `asking` never ends as `approved`
      --> workflow.yaml:42:45
       |
    42 |   judged: every path to done passes juding, asking.approved
       |                                             ^^^^^^^^^^^^^^^
       = help: did you mean `approve`?

    error[M0117]: `input.round`: the input has no field `round`
      --> workflow.yaml:43:37
       |
    43 |   limit: writing is entered at most input.round times per asking
       |                                     ^^^^^^^^^^^
       = help: did you mean `rounds`?
    "#);
}

#[test]
fn a_list_of_transitions_ends_without_a_guard() {
    let changes = [("    next: judging\n", "    next:\n      - { to: judging }\n      - { when: data.draft == null, to: broken }\n")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0116]: this transition always holds, so those after it are never taken
      --> workflow.yaml:26:9
       |
    26 |       - { to: judging }
       |         ^
       = help: give it a `when`, or move it to the end

    error[M0116]: the last transition of a list must have no `when`
      --> workflow.yaml:27:9
       |
    27 |       - { when: data.draft == null, to: broken }
       |         ^ if this does not hold, nothing says how to go on
       = help: add a last line that holds whatever happens, such as `- some_state`
    "#);
}

#[test]
fn a_guard_on_a_lone_transition_is_an_error() {
    let changes = [("    next: judging\n", "    next: { when: data.draft == null, to: judging }\n")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0116]: a transition that stands alone must have no `when`
      --> workflow.yaml:25:19
       |
    25 |     next: { when: data.draft == null, to: judging }
       |                   ^^^^^^^^^^^^^^^^^^ if this does not hold, nothing says how to go on
       = help: write a list of transitions whose last has no `when`
    "#);
}

#[test]
fn an_unknown_variable_gets_a_suggestion() {
    let changes = [("topic: input.topic, old: data.draft", "topic: inputs.topic, old: data.draf")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0117]: there is nothing called `inputs`
      --> workflow.yaml:23:20
       |
    23 |     with: { topic: inputs.topic, old: data.draf }
       |                    ^^^^^^^^^^^^
       = help: did you mean `input`?

    error[M0117]: `data.draf`: `data` does not declare `draf`
      --> workflow.yaml:23:39
       |
    23 |     with: { topic: inputs.topic, old: data.draf }
       |                                       ^^^^^^^^^
       = help: did you mean `draft`?
    "#);
}

#[test]
fn a_text_where_an_expression_is_meant_is_explained() {
    let changes = [("    save: { draft: result.text }", "    save: { draft: finished }")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0117]: there is nothing called `finished`
      --> workflow.yaml:24:20
       |
    24 |     save: { draft: finished }
       |                    ^^^^^^^^
       = help: there are `input`, `data`, `result`, `item`, `task`, `last`, `all`, `counters`, `budget`, `run`, `messages` and `plans`
       = help: a text inside an expression stands in quotation marks of its own: '"finished"'
    "#);
}

#[test]
fn unknown_fields_in_texts_and_templates_are_found() {
    let changes = [
        ("\"Ship {{ data.draft }}?\"", "\"Ship {{ data.darft }} of {{ last.writng.text }}?\""),
        ("{{ counters.rounds.used }}", "{{ counters.rounds.sued }}"),
    ];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0117]: a counter has no `sued`
      --> workflow.yaml:32:98
       |
    32 |       rejected: { count: rounds, to: writing, exceeded: { to: asking, because: "no room after {{ counters.rounds.sued }}" } }
       |                                                                                                  ^^^^^^^^^^^^^^^^^^^^
       = help: did you mean `used`?

    error[M0117]: `data.darft`: `data` does not declare `darft`
      --> workflow.yaml:34:27
       |
    34 |     gate: { ask: "Ship {{ data.darft }} of {{ last.writng.text }}?", options: [approve, change], text_for: [change], otherwise: input.unattended }
       |                           ^^^^^^^^^^
       = help: did you mean `draft`?

    error[M0117]: `last.writng.text`: there is no state `writng`
      --> workflow.yaml:34:47
       |
    34 |     gate: { ask: "Ship {{ data.darft }} of {{ last.writng.text }}?", options: [approve, change], text_for: [change], otherwise: input.unattended }
       |                                               ^^^^^^^^^^^^^^^^
       = help: did you mean `writing`?
    "#);
}

#[test]
fn save_sets_only_what_data_declares() {
    let changes = [("    save: { draft: result.text }", "    save: { darft: result.text }")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0117]: `save` sets `darft`, which `data` does not declare
      --> workflow.yaml:24:13
       |
    24 |     save: { darft: result.text }
       |             ^^^^^
       = help: did you mean `draft`?
    "#);
}

#[test]
fn an_unlimited_counter_stands_only_at_a_gate() {
    let changes = [(
        "rejected: { count: rounds, to: writing, exceeded: { to: asking, because: \"no room after {{ counters.rounds.used }}\" } }",
        "rejected: { count: asks, to: writing }",
    )];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0119]: an unlimited counter may stand only on the outcome of a gate
      --> workflow.yaml:32:26
       |
    32 |       rejected: { count: asks, to: writing }
       |                          ^^^^ no person decides here, so this could go on for ever
       = help: give the counter a `max`, or count at a gate
    "#);
}

#[test]
fn a_counted_transition_says_what_happens_when_it_is_used_up() {
    let changes = [(", exceeded: { to: asking, because: \"no room after {{ counters.rounds.used }}\" }", "")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0120]: nothing says what holds when the counter is used up
      --> workflow.yaml:32:26
       |
    32 |       rejected: { count: rounds, to: writing }
       |                          ^^^^^^
       = help: add `exceeded: some_state`
    "#);
}

#[test]
fn a_gate_has_options_or_questions() {
    let changes =
        [("options: [approve, change], text_for: [change]", "options: [approve, change], questions: data.drafts, text_for: [chance]")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0121]: a gate has `options` or `questions`, not both
      --> workflow.yaml:34:83
       |
    34 |     gate: { ask: "Ship {{ data.draft }}?", options: [approve, change], questions: data.drafts, text_for: [chance], otherwise: input.unattended }
       |                                                                                   ^^^^^^^^^^^

    error[M0121]: `chance` is not among the options
      --> workflow.yaml:34:107
       |
    34 |     gate: { ask: "Ship {{ data.draft }}?", options: [approve, change], questions: data.drafts, text_for: [chance], otherwise: input.unattended }
       |                                                                                                           ^^^^^^
       = help: did you mean `change`?

    error[M0111]: `asking` can end as `answered`, and `next` has no line for that
      --> workflow.yaml:37:7
       |
    37 |       approve: done
       |       ^^^^^^^
       = help: add `answered: …`

    error[M0112]: `asking` never ends as `approve`
      --> workflow.yaml:37:7
       |
    37 |       approve: done
       |       ^^^^^^^
       = help: there is only `answered`

    error[M0112]: `asking` never ends as `change`
      --> workflow.yaml:38:7
       |
    38 |       change: { count: asks, to: writing, reset: [rounds] }
       |       ^^^^^^
       = help: there is only `answered`

    error[M0112]: `asking` never ends as `approve`
      --> workflow.yaml:42:46
       |
    42 |   judged: every path to done passes judging, asking.approve
       |                                              ^^^^^^^^^^^^^^
       = help: there is only `answered`
    "#);
}

#[test]
fn otherwise_is_something_the_gate_takes() {
    let changes = [("otherwise: input.unattended", "otherwise: aprove")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0121]: `otherwise` is `aprove`, which this gate does not take
      --> workflow.yaml:34:103
       |
    34 |     gate: { ask: "Ship {{ data.draft }}?", options: [approve, change], text_for: [change], otherwise: aprove }
       |                                                                                                       ^^^^^^
       = help: did you mean `approve`?
    "#);
}

#[test]
fn an_input_for_otherwise_has_only_values_the_gate_takes() {
    let changes = [("otherwise: input.unattended", "otherwise: input.mood")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0121]: `input.mood` may be `calm`, which this gate does not take
      --> workflow.yaml:34:103
       |
    34 |     gate: { ask: "Ship {{ data.draft }}?", options: [approve, change], text_for: [change], otherwise: input.mood }
       |                                                                                                       ^^^^^^^^^^
       = help: there are `approve` and `change`

    error[M0121]: `input.mood` may be `wild`, which this gate does not take
      --> workflow.yaml:34:103
       |
    34 |     gate: { ask: "Ship {{ data.draft }}?", options: [approve, change], text_for: [change], otherwise: input.mood }
       |                                                                                                       ^^^^^^^^^^
       = help: there are `approve` and `change`
    "#);
}

#[test]
fn a_deadline_needs_otherwise() {
    let changes = [("otherwise: input.unattended", "deadline: 1h")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0121]: a deadline needs `otherwise`: what holds when nobody has answered
      --> workflow.yaml:34:102
       |
    34 |     gate: { ask: "Ship {{ data.draft }}?", options: [approve, change], text_for: [change], deadline: 1h }
       |                                                                                                      ^^
       = help: add `otherwise: …` with an option, `defaults`, `wait`, `fail`, or an input
    "#);
}

#[test]
fn by_needs_an_enumeration() {
    let changes =
        [("    save: { draft: result.text }\n    next: judging", "    by: result.text\n    next: { dry: judging, warm: judging }")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0122]: what `writer` returns has no enumeration `text`
      --> workflow.yaml:24:9
       |
    24 |     by: result.text
       |         ^^^^^^^^^^^
       = help: `by` takes a field with an `enum`: of the agent's `returns`, or of an input
    "#);
}

#[test]
fn by_takes_the_values_of_a_result() {
    let changes = [("    save: { draft: result.text }\n    next: judging", "    by: result.tone\n    next: { dry: judging }")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0111]: `writing` can end as `warm`, and `next` has no line for that
      --> workflow.yaml:25:13
       |
    25 |     next: { dry: judging }
       |             ^^^
       = help: add `warm: …`
    "#);
}

#[test]
fn fallbacks_do_not_go_round() {
    let changes = [(
        "spare: { prompt: prompts/writer.md, returns: { text: string } }",
        "spare: { prompt: prompts/writer.md, returns: { text: string }, fallback: [writer] }",
    )];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0123]: the fallbacks of `writer` lead back to itself
      --> workflow.yaml:14:3
       |
    14 |   writer: { prompt: prompts/writer.md, returns: { text: string, tone: { enum: [dry, warm] } }, fallback: [spare] }
       |   ^^^^^^

    error[M0123]: the fallbacks of `spare` lead back to itself
      --> workflow.yaml:15:3
       |
    15 |   spare: { prompt: prompts/writer.md, returns: { text: string }, fallback: [writer] }
       |   ^^^^^
    "#);
}

#[test]
fn a_fallback_brings_no_other_outcomes() {
    let changes = [("fallback: [spare]", "fallback: [judge, spare]")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0128]: the prompt reads `draft`, which the state `writing` does not give
     --> prompts/judge.md:2:4
      |
    2 | {{ draft }}
      |    ^^^^^ `with` of `writing` has no `draft`
      = help: there are `answers`, `correction`, `old` and `topic`
      = help: add `draft: …` to `with` of the state in line 21

    error[M0123]: `writer` falls back to `judge`, which can end as `approved`
      --> workflow.yaml:14:3
       |
    14 |   writer: { prompt: prompts/writer.md, returns: { text: string, tone: { enum: [dry, warm] } }, fallback: [judge, spare] }
       |   ^^^^^^ an outcome this agent does not have
    "#);
}

#[test]
fn a_tool_that_is_not_motets_is_refused_with_those_that_are() {
    let changes = [("fallback: [spare] }", "fallback: [spare], tools: [evidence.serch, evidence.*] }")];
    let told = check(&changes);
    assert!(told.contains("error[M0124]: Motet has no tool `evidence.serch`"), "{told}");
    assert!(told.contains("there are evidence.search, evidence.fetch, evidence.read"), "{told}");
    assert_eq!(told.matches("error[").count(), 1, "{told}");
}

#[test]
fn what_is_gathered_is_of_a_known_kind_and_held_to_in_one_way() {
    let gather = |fields: &str| check(&[("fallback: [spare] }", &format!("fallback: [spare], gather: {{ search: topic, {fields} }} }}"))]);
    assert_eq!(gather("in: [documents, news], checks: facts"), "");
    let told = gather("in: [newspapers]");
    assert!(told.contains("there is no kind of source `newspapers`"), "{told}");
    assert!(told.contains("there are documents, web, academic, news"), "{told}");
    let told = gather("grounds: facts, checks: facts");
    assert!(told.contains("`grounds` throws away what `checks` would only mark: one of them must go"), "{told}");
}

#[test]
fn an_unknown_builtin_gets_a_suggestion() {
    let changes = [("    agent: judge\n    with", "    call: report.lst\n    with")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0124]: unknown built-in `report.lst`
      --> workflow.yaml:27:11
       |
    27 |     call: report.lst
       |           ^^^^^^^^^^
       = help: did you mean `report.list`?

    error[M0111]: `judging` can end as `done`, and `next` has no line for that
      --> workflow.yaml:31:7
       |
    31 |       approved: asking
       |       ^^^^^^^^
       = help: add `done: …`

    error[M0112]: `judging` never ends as `approved`
      --> workflow.yaml:31:7
       |
    31 |       approved: asking
       |       ^^^^^^^^
       = help: there is only `done`

    error[M0112]: `judging` never ends as `rejected`
      --> workflow.yaml:32:7
       |
    32 |       rejected: { count: rounds, to: writing, exceeded: { to: asking, because: "no room after {{ counters.rounds.used }}" } }
       |       ^^^^^^^^
       = help: there is only `done`
    "#);
}

#[test]
fn an_unknown_base_gets_a_suggestion() {
    let changes = [("start: writing\n", "start: writing\nextends: slogann\n")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0125]: there is no workflow `slogann`
      --> workflow.yaml:20:10
       |
    20 | extends: slogann
       |          ^^^^^^^
       = help: `motet workflows` lists all there are
    "#);
}

#[test]
fn names_that_cannot_be_used_are_refused() {
    let changes = [(
        "  broken: { final: failed }",
        "  broken: { final: failed }\n  in-between: { next: done }\n  back: { next: done }\n  yes: { next: done }",
    )];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0126]: `in-between` cannot be the name of a state
      --> workflow.yaml:41:3
       |
    41 |   in-between: { next: done }
       |   ^^^^^^^^^^
       = help: a name has letters, digits and `_`, begins with a letter, and has at most 64 characters

    error[M0126]: `back` already means something, so no state can be called that
      --> workflow.yaml:42:3
       |
    42 |   back: { next: done }
       |   ^^^^

    error[M0126]: `yes` already means something, so no state can be called that
      --> workflow.yaml:43:3
       |
    43 |   yes: { next: done }
       |   ^^^
    "#);
}

#[test]
fn a_state_does_one_thing() {
    let changes = [("    agent: judge\n", "    agent: judge\n    call: report.list\n")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0127]: a state does one thing, and this one has `agent` and `call`
      --> workflow.yaml:28:5
       |
    28 |     call: report.list
       |     ^^^^
       = help: make two states of it
    "#);
}

#[test]
fn keys_without_meaning_are_refused() {
    let changes = [
        ("  done: { final: completed", "  done: { next: broken, final: completed"),
        ("    agent: judge\n", "    agent: judge\n    at_most: 5\n"),
    ];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0127]: `at_most` has no meaning here: it belongs to `each`
      --> workflow.yaml:28:5
       |
    28 |     at_most: 5
       |     ^^^^^^^

    error[M0127]: `next` has no meaning here: the run ends in this state
      --> workflow.yaml:40:11
       |
    40 |   done: { next: broken, final: completed, output: { draft: data.draft } }
       |           ^^^^
    "#);
}

#[test]
fn a_prompt_reads_only_what_every_state_gives() {
    let changes = [("with: { draft: data.draft }", "with: { draff: data.draft }")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0128]: the prompt reads `draft`, which the state `judging` does not give
     --> prompts/judge.md:2:4
      |
    2 | {{ draft }}
      |    ^^^^^ `with` of `judging` has no `draft`
      = help: did you mean `draff`?
      = help: add `draft: …` to `with` of the state in line 26
    "#);
}

#[test]
fn what_is_needed_before_the_run_may_use_input_only() {
    let changes = [("rounds: { max: input.rounds }", "rounds: { max: data.rounds }"), ("cost: 5,", "cost: budget.left,")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0129]: `budget.left` cannot be used here
      --> workflow.yaml:10:17
       |
    10 | limits: { cost: budget.left, time: 30m, keep: { writing: 20% } }
       |                 ^^^^^^^^^^^ this must be known before the run begins, so only `input` can be used

    error[M0129]: `data.rounds` cannot be used here
      --> workflow.yaml:11:28
       |
    11 | counters: { rounds: { max: data.rounds }, asks: { max: unlimited } }
       |                            ^^^^^^^^^^^ this must be known before the run begins, so only `input` can be used
    "#);
}

#[test]
fn shares_held_back_are_at_most_the_whole() {
    let changes = [("writing: 20%", "writing: 70%, judging: 40%")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0130]: the shares held back are more than the whole budget
      --> workflow.yaml:10:31
       |
    10 | limits: { cost: 5, time: 30m, keep: { writing: 70%, judging: 40% } }
       |                               ^^^^
    "#);
}

#[test]
fn keep_needs_a_cost() {
    let changes = [("cost: 5, ", "")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0130]: `keep` holds back a share of `cost`, and there is no `cost`
      --> workflow.yaml:10:22
       |
    10 | limits: { time: 30m, keep: { writing: 20% } }
       |                      ^^^^
       = help: add `cost: 5`, or an input, to `limits`
    "#);
}

#[test]
fn files_stay_in_the_folder_of_the_run() {
    let changes = [("  draft.md: {", "  ../draft.md: {")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0131]: `../draft.md` is not a path inside the folder of the run
      --> workflow.yaml:45:3
       |
    45 |   ../draft.md: { from: files/draft.md, since: judging, edits: { data.draft: [asking] } }
       |   ^^^^^^^^^^^
       = help: write it relative, with `/`, and without `..`
    "#);
}

#[test]
fn edits_name_data_and_gates() {
    let changes = [("edits: { data.draft: [asking] }", "edits: { data.daft: [judging], item: [asking] }")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0117]: `data` does not declare `daft`
      --> workflow.yaml:45:62
       |
    45 |   draft.md: { from: files/draft.md, since: judging, edits: { data.daft: [judging], item: [asking] } }
       |                                                              ^^^^^^^^^
       = help: did you mean `draft`?

    error[M0121]: `judging` is neither a gate nor a plan, so nothing is edited there
      --> workflow.yaml:45:74
       |
    45 |   draft.md: { from: files/draft.md, since: judging, edits: { data.daft: [judging], item: [asking] } }
       |                                                                          ^^^^^^^
       = help: there is only `asking`

    error[M0127]: `item` can be edited only in a file with `each`
      --> workflow.yaml:45:84
       |
    45 |   draft.md: { from: files/draft.md, since: judging, edits: { data.daft: [judging], item: [asking] } }
       |                                                                                    ^^^^
    "#);
}

#[test]
fn the_lines_of_an_edit_are_checked() {
    let edits = "edits: { data.draft: { at: [asking], lines: ['- {title, colour}', '{story, block}'], like: writer.nothing } }";
    let told = check(&[("edits: { data.draft: [asking] }", edits)]);
    for part in [
        "error[M0133]: `colour` is no kind of field; there are number, boolean, list",
        "nothing says where the block `{story, block}` begins",
        "the first line of an item must have its `{id}`",
        "`writer` returns no list called `nothing`",
    ] {
        assert!(told.contains(part), "{part} is missing:\n{told}");
    }
    let two = check(&[("edits: { data.draft: [asking] }", "edits: { data.draft: [asking], data.note: [asking] }")]);
    assert!(two.contains("only one thing can be edited in a file that holds a value as it is"), "{two}");
}

#[test]
fn an_agent_that_nobody_uses_is_a_warning() {
    let changes = [("fallback: [spare] }", "fallback: [] }")];
    insta::assert_snapshot!(check(&changes), @r#"
    warning[M0132]: no state uses the agent `spare`
      --> workflow.yaml:15:3
       |
    15 |   spare: { prompt: prompts/writer.md, returns: { text: string } }
       |   ^^^^^
    "#);
}

#[test]
fn a_run_must_be_able_to_end() {
    let changes = [(
        "  done: { final: completed, output: { draft: data.draft } }\n  broken: { final: failed }",
        "  done: { next: broken }\n  broken: { next: done }",
    )];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0108]: no state ends the run
      --> workflow.yaml:20:1
       |
    20 | states:
       | ^^^^^^
       = help: add a state such as `completed: { final: completed }`
    "#);
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
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0107]: `wrter` is not among the plan's `agents`
      --> workflow.yaml:22:37
       |
    22 |     plan: { tasks: [{ id: a, agent: wrter, depends_on: [b] }, { id: b, depends_on: [a, c] }, { id: a }, { title: x }], agents: [writer, spare], at_most: 3 }
       |                                     ^^^^^
       = help: did you mean `writer`?

    error[M0107]: `b` depends on `c`, and no task has this id
      --> workflow.yaml:22:88
       |
    22 |     plan: { tasks: [{ id: a, agent: wrter, depends_on: [b] }, { id: b, depends_on: [a, c] }, { id: a }, { title: x }], agents: [writer, spare], at_most: 3 }
       |                                                                                        ^
       = help: did you mean `a`?

    error[M0107]: the task `a` waits for itself, through its dependencies
      --> workflow.yaml:22:100
       |
    22 |     plan: { tasks: [{ id: a, agent: wrter, depends_on: [b] }, { id: b, depends_on: [a, c] }, { id: a }, { title: x }], agents: [writer, spare], at_most: 3 }
       |                                                                                                    ^

    error[M0110]: two tasks have the id `a`
      --> workflow.yaml:22:100
       |
    22 |     plan: { tasks: [{ id: a, agent: wrter, depends_on: [b] }, { id: b, depends_on: [a, c] }, { id: a }, { title: x }], agents: [writer, spare], at_most: 3 }
       |                                                                                                    ^
       = help: the first one is in line 22

    error[M0103]: a task of a plan needs the key `id`
      --> workflow.yaml:22:105
       |
    22 |     plan: { tasks: [{ id: a, agent: wrter, depends_on: [b] }, { id: b, depends_on: [a, c] }, { id: a }, { title: x }], agents: [writer, spare], at_most: 3 }
       |                                                                                                         ^
    "#);
}

#[test]
fn each_needs_at_most() {
    let changes = [("    agent: writer\n", "    agent: writer\n    each: data.drafts\n")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0103]: `each` needs `at_most`, so that the cost of a run is known
      --> workflow.yaml:23:5
       |
    23 |     each: data.drafts
       |     ^^^^
       = help: add `at_most: 10`
    "#);
}

#[test]
fn groups_and_keep_name_states() {
    let changes = [("WORK: [writing, judging]", "WORK: [writing, juging]"), ("keep: { writing: 20% }", "keep: { writting: 20% }")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0104]: unknown state `writting`
      --> workflow.yaml:10:39
       |
    10 | limits: { cost: 5, time: 30m, keep: { writting: 20% } }
       |                                       ^^^^^^^^ no state has this name
       = help: did you mean `writing`?

    error[M0104]: unknown state `juging`
      --> workflow.yaml:18:27
       |
    18 | groups: { WORK: [writing, juging] }
       |                           ^^^^^^ no state has this name
       = help: did you mean `judging`?
    "#);
}

#[test]
fn an_agent_does_one_thing() {
    let changes = [
        ("judge: { prompt: prompts/judge.md", "judge: { prompt: prompts/judge.md, builtin: report.list"),
        ("spare: { prompt: prompts/writer.md, returns", "spare: { returns"),
    ];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0103]: nothing says what the agent `spare` does
      --> workflow.yaml:15:3
       |
    15 |   spare: { returns: { text: string } }
       |   ^^^^^
       = help: give it a `prompt` (a path), a `builtin` or a `workflow`

    error[M0127]: an agent has a `prompt` or a `builtin`, not both
      --> workflow.yaml:16:38
       |
    16 |   judge: { prompt: prompts/judge.md, builtin: report.list, returns: verdict, words: { approved: [YES], rejected: [NO] } }
       |                                      ^^^^^^^
    "#);
}

#[test]
fn a_pattern_must_be_a_regular_expression() {
    let changes = [("rejected: [NO]", "rejected: [\"/(NO/i\"]")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0109]: this pattern is not a regular expression: error: unclosed group
      --> workflow.yaml:16:93
       |
    16 |   judge: { prompt: prompts/judge.md, returns: verdict, words: { approved: [YES], rejected: ["/(NO/i"] } }
       |                                                                                             ^^^^^^^^
    "#);
}

#[test]
fn words_out_of_a_few_get_a_suggestion() {
    let changes =
        [("all: { timeout: 30s }", "all: { timeout: 30s, class: idempotant }"), ("broken: { final: failed }", "broken: { final: fail }")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0109]: expected `pure`, `idempotent`, `reconcilable` or `unsafe`, found `idempotant`
      --> workflow.yaml:13:31
       |
    13 |   all: { timeout: 30s, class: idempotant }
       |                               ^^^^^^^^^^
       = help: did you mean `idempotent`?

    error[M0109]: expected `completed`, `failed` or `aborted`, found `fail`
      --> workflow.yaml:40:20
       |
    40 |   broken: { final: fail }
       |                    ^^^^
       = help: there are `completed`, `failed` and `aborted`
    "#);
}

#[test]
fn what_an_unclear_verdict_becomes_is_an_outcome() {
    let changes = [("rejected: [NO] } }", "rejected: [NO] }, if_unclear: { then: reject } }")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0112]: a verdict never ends as `reject`
      --> workflow.yaml:16:120
       |
    16 |   judge: { prompt: prompts/judge.md, returns: verdict, words: { approved: [YES], rejected: [NO] }, if_unclear: { then: reject } }
       |                                                                                                                        ^^^^^^
       = help: did you mean `rejected`?

    error[M0111]: `judging` can end as `reject`, and `next` has no line for that
      --> workflow.yaml:31:7
       |
    31 |       approved: asking
       |       ^^^^^^^^
       = help: add `reject: …`
    "#);
}

#[test]
fn only_an_unclear_verdict_becomes_an_outcome() {
    let changes = [("returns: { text: string }", "returns: { text: string }, if_unclear: { then: rejected }")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0127]: `then` has no meaning without `returns: verdict`
      --> workflow.yaml:15:86
       |
    15 |   spare: { prompt: prompts/writer.md, returns: { text: string }, if_unclear: { then: rejected } }
       |                                                                                      ^^^^^^^^
    "#);
}

#[test]
fn the_name_of_a_workflow_is_plain() {
    let changes = [("workflow: example", "workflow: ../example\naliases: [my example]")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0126]: `../example` cannot be the name of a workflow
     --> workflow.yaml:1:11
      |
    1 | workflow: ../example
      |           ^^^^^^^^^^
      = help: a name has letters, digits, `-` and `_`, and at most 64 characters

    error[M0126]: `my example` cannot be the name of a workflow
     --> workflow.yaml:2:11
      |
    2 | aliases: [my example]
      |           ^^^^^^^^^^
      = help: a name has letters, digits, `-` and `_`, and at most 64 characters
    "#);
}

#[test]
fn a_child_workflow_must_exist() {
    let changes = [("spare: { prompt: prompts/writer.md", "spare: { workflow: ../secret")];
    insta::assert_snapshot!(check(&changes), @r#"
    error[M0125]: there is no workflow `../secret`
      --> workflow.yaml:15:22
       |
    15 |   spare: { workflow: ../secret, returns: { text: string } }
       |                      ^^^^^^^^^
       = help: `motet workflows` lists all there are
    "#);
}

#[test]
fn includes_must_exist() {
    let mut folder = example(WHOLE);
    folder.insert("prompts/judge.md".into(), "{% include 'prompts/writr.md' %}{{ draft }}".into());
    insta::assert_snapshot!(said(folder), @r#"
    error[M0513]: there is no file `prompts/writr.md` to include
     --> prompts/judge.md:1:13
      |
    1 | {% include 'prompts/writr.md' %}{{ draft }}
      |             ^^^^^^^^^^^^^^^^
      = help: did you mean `prompts/writer.md`?
    "#);
}

#[test]
fn a_template_that_reads_what_is_not_there_is_shown_in_its_own_file() {
    let mut folder = example(WHOLE);
    folder.insert("files/draft.md".into(), "# data.drat is not read\n{{ data.drat }} {{ event.kind }}\n".into());
    insta::assert_snapshot!(said(folder), @r#"
    error[M0117]: `data.drat`: `data` does not declare `drat`
     --> files/draft.md:2:4
      |
    2 | {{ data.drat }} {{ event.kind }}
      |    ^^^^^^^^^
      = help: did you mean `draft`?

    error[M0117]: there is nothing called `event`
     --> files/draft.md:2:20
      |
    2 | {{ data.drat }} {{ event.kind }}
      |                    ^^^^^^^^^^
      = help: there are `input`, `data`, `result`, `item`, `task`, `last`, `all`, `counters`, `budget`, `run`, `messages` and `plans`
    "#);
}

#[test]
fn a_broken_schema_file_is_shown_in_its_own_file() {
    let workflow = WHOLE.replace("returns: { text: string } }", "returns: schemas/text.json }");
    let mut folder = example(&workflow);
    folder.insert("schemas/text.json".into(), "{\n  \"type\": \"object\",\n}\n".into());
    insta::assert_snapshot!(said(folder.clone()), @r#"
    error[M0114]: `schemas/text.json` is not JSON: trailing comma at line 3 column 1
     --> schemas/text.json:3:1
      |
    3 | }
      | ^
    "#);
    folder.insert("schemas/text.json".into(), "{ \"type\": \"objekt\" }".into());
    insta::assert_snapshot!(said(folder), @r#"
    error[M0114]: `schemas/text.json`: not a usable JSON Schema at `/type`: "objekt" is not valid under any of the schemas listed in the 'anyOf' keyword
      --> workflow.yaml:15:48
       |
    15 |   spare: { prompt: prompts/writer.md, returns: schemas/text.json }
       |                                                ^^^^^^^^^^^^^^^^^
    "#);
}
