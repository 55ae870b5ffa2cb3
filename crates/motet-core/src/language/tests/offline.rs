//! Rules that stand in for a model: what they answer, whom they play, and what is said of a rule that cannot be right.

use serde_json::json;

use super::sketches::call;
use super::{Shelf, WHOLE, example, folder, loaded, rendered, said};
use crate::definition::{COMPOSED, Definition, Folder};
use crate::effect::{Call, CallWork};
use crate::language::load;
use crate::names::AgentName;

/// The example with these rules.
fn ruled(rules: &str) -> Folder {
    let mut folder = example(WHOLE);
    folder.insert("offline.yaml".into(), rules.into());
    folder
}

/// Everything that is said about the example with these rules.
fn check(rules: &str) -> String {
    said(ruled(rules))
}

fn answer(definition: &Definition, agent: &str, input: serde_json::Value) -> Option<serde_json::Value> {
    definition.offline(&Call { agent: agent.into(), ..call(input) })
}

const GOOD: &str = "\
writer:
  text: 'old == null ? headline(topic, 3) : old + \"!\"'
  tone: '\"dry\"'
judge: { outcome: 'size(words(draft)) > 1 ? \"approved\" : \"rejected\"', findings: 'words(draft).map(w, { \"word\": w })' }
";

#[test]
fn a_rule_answers_from_what_the_prompt_sees() {
    let definition = loaded(ruled(GOOD), &Shelf::default());
    let write = |input| answer(&definition, "writer", input);
    assert_eq!(write(json!({ "topic": "the deep sea", "old": null })), Some(json!({ "text": "Deep Sea", "tone": "dry" })));
    assert_eq!(write(json!({ "topic": "sea", "old": "x" })), Some(json!({ "text": "x!", "tone": "dry" })));
    let judged = answer(&definition, "judge", json!({ "draft": "two words" }));
    assert_eq!(judged, Some(json!({ "outcome": "approved", "findings": [{ "word": "two" }, { "word": "words" }] })));
}

#[test]
fn only_a_prompt_is_answered_and_only_by_an_agent_with_a_rule() {
    let definition = loaded(ruled("judge: { outcome: '\"approved\"' }"), &Shelf::default());
    assert_eq!(answer(&definition, "writer", json!({ "topic": "sea", "old": null })), None);
    let question = Call { agent: "judge".into(), work: CallWork::AnswerQuestion, ..call(json!({})) };
    assert_eq!(definition.offline(&question), None);
    assert!(definition.plays_offline(&AgentName::new("judge")));
    assert!(!definition.plays_offline(&AgentName::new("writer")));
}

#[test]
fn where_any_text_will_do_it_is_composed_and_says_so() {
    let free = WHOLE
        .replace("returns: { text: string, tone: { enum: [dry, warm] } }, fallback: [spare]", "")
        .replace("save: { draft: result.text }", "");
    let free = free.replace("  spare: { prompt: prompts/writer.md, returns: { text: string } }\n", "");
    let definition = loaded(example(&free), &Shelf::default());
    let text = answer(&definition, "writer", json!({ "topic": "sea", "old": null, "list": ["a", { "b": 1 }] })).unwrap();
    assert_eq!(text, json!(format!("{COMPOSED}\n\nlist:\n- a\n- {{\"b\":1}}\n\ntopic:\nsea")));
}

#[test]
fn an_agent_with_the_same_prompt_and_shape_is_played_by_the_same_rule() {
    let other_shape = loaded(ruled(GOOD), &Shelf::default());
    assert!(!other_shape.plays_offline(&AgentName::new("spare")), "it returns something else");
    let same = WHOLE.replace(
        "spare: { prompt: prompts/writer.md, returns: { text: string } }",
        "spare: { prompt: prompts/writer.md, returns: { text: string, tone: { enum: [dry, warm] } } }",
    );
    let mut same = example(&same);
    same.insert("offline.yaml".into(), GOOD.into());
    let definition = loaded(same, &Shelf::default());
    assert_eq!(answer(&definition, "spare", json!({ "topic": "sea", "old": "x" })), Some(json!({ "text": "x!", "tone": "dry" })));
}

#[test]
fn a_changed_rule_is_a_changed_workflow() {
    let digest = |rules: &str| loaded(ruled(rules), &Shelf::default()).digest;
    assert_ne!(digest(GOOD), digest(&GOOD.replace("dry", "warm")));
    assert_ne!(digest(GOOD), loaded(example(WHOLE), &Shelf::default()).digest);
}

#[test]
fn an_extending_workflow_inherits_the_rules_that_still_fit_and_may_replace_them() {
    let shelf = Shelf { workflows: vec![("example".into(), ruled(GOOD))] };
    let child = |changes: &str, rules: Option<&str>| {
        let text = format!("workflow: child\nversion: 1.0.0\nsummary: A child.\nextends: example\n{changes}");
        let mut child = folder(&[("workflow.yaml", &text)]);
        child.extend(rules.map(|rules| ("offline.yaml".to_string(), rules.to_string())));
        child
    };
    let judge =
        |folder: Folder| answer(&loaded(folder, &shelf), "judge", json!({ "draft": "one" })).map(|answer| answer["outcome"].clone());
    assert_eq!(judge(child("", None)), Some(json!("rejected")));
    assert_eq!(judge(child("", Some("judge: { outcome: '\"approved\"' }"))), Some(json!("approved")));
    let plays = |folder: Folder, agent: &str| loaded(folder, &shelf).plays_offline(&AgentName::new(agent));
    let changed = "agents: { judge: { words: { approved: [YES], rejected: [NO], torn: [MAYBE] } } }\nstates: { judging: { next: { torn: asking } } }\n";
    assert!(plays(child(changed, None), "judge"), "a further outcome leaves the rule right");
    let other = "agents: { writer: { returns: { text: string, tone: { enum: [loud] } } }, spare: { returns: { text: string, tone: { enum: [loud] } } } }\n";
    assert!(!plays(child(other, None), "writer"), "what does not fit any more is not inherited");
    // A pinned folder needs no library, and has the same rules.
    let pinned = loaded(child("", None), &shelf).folder;
    let (again, _) = load(pinned.clone(), &Shelf::default()).unwrap_or_else(|problems| panic!("{}", rendered(&pinned, &problems)));
    assert!(again.plays_offline(&AgentName::new("writer")));
}

#[test]
fn a_rule_for_nobody_is_named_with_who_was_meant() {
    insta::assert_snapshot!(check("writr: { text: topic, tone: '\"dry\"' }"), @r#"
    error[M0105]: unknown agent `writr`
     --> offline.yaml:1:1
      |
    1 | writr: { text: topic, tone: '"dry"' }
      | ^^^^^ no agent has this name
      = help: did you mean `writer`?
    "#);
}

#[test]
fn what_a_rule_leaves_out_is_said() {
    insta::assert_snapshot!(check("writer: { text: topic }\njudge: { score: 1 }"), @r#"
    error[M0134]: the rule of `writer` gives no `tone`
     --> offline.yaml:1:1
      |
    1 | writer: { text: topic }
      | ^^^^^^ what `writer` returns has `tone` here

    error[M0134]: the rule of `judge` gives no `outcome`
     --> offline.yaml:2:1
      |
    2 | judge: { score: 1 }
      | ^^^^^
      = help: it is one of approved, rejected
    "#);
}

#[test]
fn what_a_rule_gives_in_the_wrong_shape_is_said() {
    insta::assert_snapshot!(check("writer: { text: [topic], tone: '\"wet\"' }\njudge: { outcome: '\"perhaps\"' }"), @r#"
    error[M0134]: `text` of `writer` is of type string, and the rule gives a list
     --> offline.yaml:1:17
      |
    1 | writer: { text: [topic], tone: '"wet"' }
      |                 ^

    error[M0134]: `tone` of `writer` is one of `dry`, `warm`, and the rule gives `wet`
     --> offline.yaml:1:32
      |
    1 | writer: { text: [topic], tone: '"wet"' }
      |                                ^^^^^^^

    error[M0134]: `perhaps` is not an outcome; it must be one of approved, rejected
     --> offline.yaml:2:19
      |
    2 | judge: { outcome: '"perhaps"' }
      |                   ^^^^^^^^^^^
    "#);
}

#[test]
fn a_rule_sees_only_what_the_prompt_sees() {
    insta::assert_snapshot!(check("writer: { text: input.topic + topc, tone: '\"dry\"' }"), @r#"
    error[M0128]: the rule of `writer` reads `input`, which the state `writing` does not give
     --> offline.yaml:1:17
      |
    1 | writer: { text: input.topic + topc, tone: '"dry"' }
      |                 ^^^^^^^^^^^ `with` of `writing` has no `input`
      = help: there are `answers`, `correction`, `old` and `topic`

    error[M0128]: the rule of `writer` reads `topc`, which the state `writing` does not give
     --> offline.yaml:1:31
      |
    1 | writer: { text: input.topic + topc, tone: '"dry"' }
      |                               ^^^^ `with` of `writing` has no `topc`
      = help: did you mean `topic`?
    "#);
}

#[test]
fn broken_expressions_and_broken_yaml_are_shown_in_their_place() {
    insta::assert_snapshot!(check("writer: { text: 'topic +', tone: 'shout(topic)' }"), @r#"
    error[M0501]: expected a value, found the end
     --> offline.yaml:1:25
      |
    1 | writer: { text: 'topic +', tone: 'shout(topic)' }
      |                         ^

    error[M0502]: unknown function `shout`
     --> offline.yaml:1:35
      |
    1 | writer: { text: 'topic +', tone: 'shout(topic)' }
      |                                   ^^^^^
      = help: known functions: has, size, string, int, double, bool, best, first, latest, merge, either, range, similar, tokens, unanswered, min, max, sum, round, keys, values, sort_by, unique, take, fitting, sentences, words, keywords, themes, parts, questions, headline, title_case, shorten, uncited, counted, covers, extract
    "#);
    insta::assert_snapshot!(check("writer: { text: topic"), @r#"
    error[M0101]: this is not YAML: while parsing a flow mapping, did not find expected ',' or '}'
     --> offline.yaml:2:1
      = help: a text with `: `, ` #` or a comma inside `{ }` must stand in quotation marks, or on a line of its own
    "#);
    insta::assert_snapshot!(check("- writer"), @r#"
    error[M0109]: expected a mapping (`offline.yaml`), found a list
     --> offline.yaml:1:1
      |
    1 | - writer
      | ^
    "#);
}

#[test]
fn who_needs_no_model_needs_no_rule() {
    let tool = WHOLE.replace(
        "spare: { prompt: prompts/writer.md, returns: { text: string } }",
        "spare: { builtin: text.count, returns: { text: string, tone: string } }",
    );
    let mut tool = example(&tool);
    tool.insert("offline.yaml".into(), "spare: { text: topic }".into());
    insta::assert_snapshot!(said(tool), @r#"
    error[M0134]: `spare` needs no rule: it works without a model already
     --> offline.yaml:1:1
      |
    1 | spare: { text: topic }
      | ^^^^^
      = help: only agents with a `prompt` are played by rules
    "#);
}
