//! Whole workflows: the drafts of all seven load, extend each other, are pinned, and fit the published schema.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::json;

use super::{Shelf, WHOLE, example, folder, loaded};
use crate::definition::{Class, Does, Folder, Metadata, ModelSettings, Next, Phrase, Responder, Target, Work};
use crate::effect::{Answered, Call, CallWork};
use crate::event::Question;
use crate::language::{json_schema, load};
use crate::units::Usd;

const NAMES: [&str; 7] = ["architecture", "article", "deep-research", "development", "feature", "research", "slogan"];

/// The drafts, if this checkout has them beside it.
fn sketch_directory() -> Option<PathBuf> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/sketch/workflows"));
    let named = std::env::var("MOTET_SKETCH").ok().map(|path| PathBuf::from(path).join("workflows"));
    let found = [Some(beside), named].into_iter().flatten().find(|path| path.is_dir());
    if found.is_none() {
        println!("skipped: no drafts beside the repository; set MOTET_SKETCH to their folder");
    }
    found
}

fn enumeration(field: &str, values: &[&str]) -> String {
    json!({ "type": "object", "properties": { field: { "type": "string", "enum": values } } }).to_string()
}

/// A draft with the files it names: empty prompts and templates, and schemas with no more than its control flow needs.
fn sketch(name: &str) -> Option<Folder> {
    let text = std::fs::read_to_string(sketch_directory()?.join(name).join("workflow.yaml")).unwrap();
    let mut folder = Folder::new();
    for path in text.split(|c: char| c.is_whitespace() || ",{}[]".contains(c)) {
        if path.starts_with("prompts/") || path.starts_with("files/") {
            folder.insert(path.to_owned(), String::new());
        }
        if path.starts_with("schemas/") {
            let schema = match path {
                "schemas/analysis.json" => enumeration("verdict", &["REQUIREMENTS_CLEAR", "QUESTIONS_NEEDED", "DISCOVERY_NEEDED"]),
                "schemas/reflection.json" => enumeration("decision", &["SYNTHESIZE", "SYNTHESIZE_WITH_CAVEATS", "CONTINUE", "ERROR"]),
                _ => json!({ "type": "object" }).to_string(),
            };
            folder.insert(path.to_owned(), schema);
        }
    }
    // The drafts name everything that may be edited in a file; that two lists in one file need a form to be told apart came later.
    let text = text.replace("data.phases: [approving, escalated], data.tasks:", "data.tasks:");
    folder.insert("workflow.yaml".into(), text);
    Some(folder)
}

#[test]
fn all_seven_drafts_load_without_a_word() {
    for name in NAMES {
        let Some(folder) = sketch(name) else { return };
        let definition = loaded(folder, &Shelf::default());
        assert_eq!(definition.name, name);
        assert!(definition.state(definition.start.as_str()).is_some());
    }
}

#[test]
fn the_drafts_promise_what_the_prototype_proved() {
    let (mut states, mut rules) = (0, 0);
    for name in NAMES {
        let Some(folder) = sketch(name) else { return };
        let definition = loaded(folder, &Shelf::default());
        states += definition.states.len();
        rules += definition.require.len();
    }
    assert_eq!((states, rules), (111, 45));
}

#[test]
fn a_workflow_that_extends_another_is_that_one_with_changes() {
    let (Some(base), Some(mut classic)) = (sketch("slogan"), sketch("slogan-classic")) else { return };
    let mut base_with_extras = base.clone();
    base_with_extras.insert("cases/one.yaml".into(), "case: of the base".into());
    let shelf = Shelf { workflows: vec![("slogan".into(), base_with_extras)] };
    let definition = loaded(classic.clone(), &shelf);
    assert_eq!(definition.name, "slogan-classic");
    assert_eq!(definition.states.len(), 6);
    let writer = &definition.agents["writer"];
    assert!(matches!(&writer.does, Does::Prompt(path) if path == "prompts/classic/writer.md"));
    assert_eq!((writer.timeout_ms, writer.retry.attempts, writer.model.max_tokens), (30_000, 3, Some(100)));
    let reviewer = &definition.agents["reviewer"];
    assert!(matches!(&reviewer.words.0[0].1[..], [Phrase::Pattern(pattern)] if pattern.is_match("Well, ship it!")));
    assert_eq!(reviewer.if_unclear.ask_again, 0);
    assert!(definition.folder.contains_key("files/session.json.j2"), "the base supplies what is missing");
    assert!(!definition.folder.contains_key("cases/one.yaml"), "cases are not inherited");

    let again = loaded(definition.folder.clone(), &Shelf::default());
    assert_eq!(again.digest, definition.digest, "a pinned folder needs no library");

    let mut changed_base = base;
    changed_base.insert("files/session.json.j2".into(), "{}".into());
    let changed = loaded(classic.clone(), &Shelf { workflows: vec![("slogan".into(), changed_base)] });
    assert_ne!(changed.digest, definition.digest, "a changed base is a changed workflow");

    let removing = classic["workflow.yaml"].replace("agents:", "require: { turn limit: null }\nagents:");
    classic.insert("workflow.yaml".into(), removing);
    assert_eq!(loaded(classic, &shelf).require.len(), 1);
}

#[test]
fn a_workflow_that_extends_itself_is_an_error() {
    let own = folder(&[("workflow.yaml", "workflow: a\nextends: a\n")]);
    let shelf = Shelf { workflows: vec![("a".into(), own.clone())] };
    let problems = load(own, &shelf).unwrap_err();
    assert!(problems[0].message.contains("extend each other"), "{problems:?}");
}

#[test]
fn the_digest_is_of_what_changes_behaviour() {
    let digest = |changes: &[(&str, &str)]| {
        let mut folder = example(WHOLE);
        folder.extend(super::folder(changes));
        loaded(folder, &Shelf::default()).digest
    };
    let plain = digest(&[]);
    assert_eq!(plain, digest(&[("README.md", "Read me."), ("cases/a.yaml", "case: a")]));
    assert_ne!(plain, digest(&[("prompts/judge.md", "Judge {{ draft }} well.")]));
    assert_ne!(digest(&[("prompts/x", "y")]), digest(&[("prompts/xy", "")]), "a path and a text are not mistaken for each other");
}

#[test]
fn transitions_have_ids_that_say_where_they_stand() {
    let definition = loaded(example(WHOLE), &Shelf::default());
    let mut ids = Vec::new();
    for state in &definition.states {
        for (_, transition) in state.next.all() {
            ids.push(transition.id.clone());
            ids.extend(transition.exceeded.iter().map(|exceeded| exceeded.id.clone()));
        }
    }
    ids.extend(definition.trouble.error.iter().map(|transition| transition.id.clone()));
    let expected = [
        "writing.1",
        "judging.approved",
        "judging.rejected",
        "judging.rejected.exceeded",
        "asking.approve",
        "asking.change",
        "trouble.error",
    ];
    assert_eq!(ids, expected);
}

#[test]
fn positions_in_lists_and_tasks_that_fail_are_part_of_an_id() {
    let Some(folder) = sketch("deep-research") else { return };
    let definition = loaded(folder, &Shelf::default());
    let ids = |state: &str| definition.state(state).unwrap().next.all().map(|(_, transition)| transition.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids("auditing"), ["auditing.1", "auditing.2"]);
    let Work::Plan(plan) = &definition.state("dispatching").unwrap().work else { panic!("dispatching runs a plan") };
    assert!(matches!(&plan.if_task_fails.critical, crate::definition::OnFailure::Go(to) if to.id == "dispatching.critical"));
    let planning = definition.state("planning").unwrap();
    assert_eq!(planning.trouble.budget.as_ref().unwrap().id, "planning.trouble.budget");
    let verifying = definition.state("verifying").unwrap();
    assert_eq!(verifying.outcomes, ["sound", "unsound"]);
}

#[test]
fn outcomes_follow_from_the_text() {
    let definition = loaded(example(WHOLE), &Shelf::default());
    let outcomes: BTreeMap<&str, String> = definition.states.iter().map(|state| (state.name.as_str(), state.outcomes.join(" "))).collect();
    let expected = [("asking", "approve change"), ("broken", ""), ("done", ""), ("judging", "approved rejected"), ("writing", "done")];
    assert_eq!(outcomes.into_iter().collect::<Vec<_>>(), expected.map(|(state, words)| (state, words.to_owned())));
    let asking = definition.state("asking").unwrap();
    assert!(matches!(&asking.next, Next::Outcomes(routes) if routes.len() == 2));
    assert_eq!(asking.next.of("change")[0].to, Target::State("writing".into()));
}

#[test]
fn what_holds_for_all_agents_fills_up_what_one_does_not_say() {
    let all =
        "all: { timeout: 30s, retry: { attempts: 4, wait: [1s, 5s] }, if_unclear: { ask_again: 2, then: rejected }, class: idempotent }";
    let workflow = WHOLE
        .replace("all: { timeout: 30s }", all)
        .replace("fallback: [spare] }", "fallback: [spare], retry: { attempts: 2 }, timeout: 1m }");
    let agents = loaded(example(&workflow), &Shelf::default()).agents;
    let (writer, judge) = (&agents["writer"], &agents["judge"]);
    assert_eq!((writer.timeout_ms, writer.retry.attempts, &writer.retry.wait_ms[..]), (60_000, 2, &[1000, 5000][..]));
    assert_eq!((judge.timeout_ms, judge.retry.attempts, judge.class), (30_000, 4, Class::Idempotent));
    assert_eq!((judge.if_unclear.ask_again, judge.if_unclear.then.as_deref()), (2, Some("rejected")));
    assert_eq!(judge.outcomes(), ["approved", "rejected"]);
}

#[test]
fn what_is_not_said_has_a_default() {
    let workflow = WHOLE.replace("  all: { timeout: 30s }\n", "");
    let definition = loaded(example(&workflow), &Shelf::default());
    let writer = &definition.agents["writer"];
    assert_eq!((writer.timeout_ms, writer.retry.attempts, &writer.retry.wait_ms[..]), (600_000, 1, &[2000][..]));
    assert_eq!((writer.role.as_str(), writer.class, writer.if_unclear.ask_again), ("writer", Class::Pure, 1));
    assert!(writer.if_unclear.then.is_none() && writer.cost.is_none());
    assert_eq!((&definition.questions.answered_by[..], definition.questions.at_most), (&[Responder::Person][..], 0));
    assert_eq!(definition.counters["rounds"].first, 0);
    let Work::Gate(gate) = &definition.state("asking").unwrap().work else { panic!("asking is a gate") };
    assert_eq!((gate.quorum, gate.deadline_ms, gate.who.len()), (1, None, 0));
}

#[test]
fn keys_beyond_the_drafts_are_read() {
    let workflow = WHOLE
        .replace("fallback: [spare] }", "fallback: [spare], cost: 0.25, seed: 7, tools: [evidence.search] }")
        .replace("text_for: [change],", "text_for: [change], who: [lead], except: [requester], quorum: 2, deadline: 1h,")
        .replace(
            "    next: judging\n",
            "    sends: { type: task, to: judge, metadata: { n: 1, about: \"{{ input.topic }}\" } }\n    next: judging\n",
        );
    let definition = loaded(example(&workflow), &Shelf::default());
    let writer = &definition.agents["writer"];
    assert_eq!(
        (writer.cost, writer.model.seed, &writer.model.tools[..]),
        (Some(Usd(250_000)), Some(7), &["evidence.search".to_owned()][..])
    );
    let Work::Gate(gate) = &definition.state("asking").unwrap().work else { panic!("asking is a gate") };
    assert_eq!((gate.quorum, gate.deadline_ms, gate.except.join(" ")), (2, Some(3_600_000), "requester".into()));
    let sends = definition.state("writing").unwrap().sends.as_ref().unwrap();
    assert_eq!((sends.kind.as_str(), sends.to.as_deref()), ("task", Some("judge")));
    assert!(matches!(&sends.metadata[..], [(_, Metadata::Plain(one)), (_, Metadata::Text(_))] if *one == json!(1)));
}

#[test]
fn earlier_results_are_kept_only_where_they_are_read() {
    let reading = WHOLE.replace("output: { draft: data.draft }", "output: { draft: all.judging }");
    let kept = loaded(example(&reading), &Shelf::default()).keeps_all;
    assert_eq!(kept.iter().map(|state| state.as_str()).collect::<Vec<_>>(), ["judging"]);
    assert!(loaded(example(WHOLE), &Shelf::default()).keeps_all.is_empty());
}

/// A call of the writer.
pub(super) fn call(input: serde_json::Value) -> Call {
    Call {
        run: "r".into(),
        task: "writing.1".into(),
        attempt: 1,
        key: String::new(),
        agent: "writer".into(),
        role: "writer".into(),
        work: CallWork::Prompt,
        input,
        correction: None,
        answers: Vec::new(),
        timeout_ms: 0,
        class: Class::Pure,
        works_in: None,
        model: ModelSettings::default(),
        reserved: Usd::ZERO,
        unattended: false,
    }
}

#[test]
fn a_prompt_sees_what_it_is_given_and_nothing_else() {
    let definition = loaded(example(WHOLE), &Shelf::default());
    assert_eq!(definition.prompt(&call(json!({ "topic": "sea", "old": null }))), Ok("Write about sea.\n".into()));
    assert!(definition.prompt(&call(json!({ "topic": "sea", "old": "x" }))).unwrap().contains("Before: x"));
    let missing = definition.prompt(&call(json!({ "topic": "sea" }))).unwrap_err();
    assert!(missing.contains("prompts/writer.md, line 2"), "{missing}");
}

#[test]
fn a_prompt_sees_corrections_answers_and_the_second_way() {
    let plan = "    plan: { tasks: data.drafts, agents: [writer, spare], at_most: 3, if_task_fails: { alternative: { tried: task.id } } }\n    with";
    let workflow = WHOLE.replace("    agent: writer\n    with", plan).replace("    save: { draft: result.text }\n", "");
    let mut folder = example(&workflow);
    let prompt = "{{ topic }}{{ old }}|{{ tried }}|{{ correction }}|{% for one in answers %}{{ one.question.question }}={{ one.answer }}{% endfor %}";
    folder.insert("prompts/writer.md".into(), prompt.into());
    let definition = loaded(folder, &Shelf::default());
    let question = Question { question: "Tone?".into(), options: vec![], default: None, ..Question::default() };
    let answers = vec![Answered { question, answer: "dry".into(), by: "ada".into(), asked_in: 1 }];
    let mut call = Call { correction: Some("too long".into()), answers, ..call(json!({ "topic": "sea", "old": null })) };
    assert_eq!(definition.prompt(&call), Ok("sea||too long|Tone?=dry".into()));
    call.input["tried"] = "t1".into();
    assert_eq!(definition.prompt(&call), Ok("sea|t1|too long|Tone?=dry".into()));
}

fn fits_schema(schema: &serde_json::Value, text: &str) -> Result<(), String> {
    let tree = crate::language::yaml::parse("workflow.yaml", text).unwrap();
    let validator = jsonschema::validator_for(schema).unwrap();
    validator.validate(&tree.to_json()).map_err(|error| format!("{}: {error}", error.instance_path()))
}

#[test]
fn the_published_schema_takes_every_draft() {
    let schema = json_schema();
    fits_schema(&schema, WHOLE).unwrap();
    let Some(directory) = sketch_directory() else { return };
    for name in NAMES.into_iter().chain(["slogan-classic"]) {
        let text = std::fs::read_to_string(directory.join(name).join("workflow.yaml")).unwrap();
        fits_schema(&schema, &text).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

#[test]
fn the_published_schema_refuses_slips() {
    let check = |part: &str, instead: &str| {
        assert!(WHOLE.contains(part), "{part}");
        let slip = WHOLE.replacen(part, instead, 1);
        assert!(fits_schema(&json_schema(), &slip).is_err(), "{instead}");
    };
    check("summary:", "sumary:");
    check("    agent: judge", "    agnet: judge");
    check("text_for:", "text_four:");
    check("timeout: 30s", "timeout: soon");
    check("final: failed", "final: fail");
    check("start: writing\n", "");
    check("max: unlimited", "maximum: unlimited");
}

#[test]
fn every_key_of_the_published_schema_is_explained() {
    let schema = json_schema();
    let definitions = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    for definition in definitions {
        for (key, property) in definition["properties"].as_object().unwrap() {
            assert!(property["description"].as_str().is_some_and(|about| about.ends_with('.')), "{key}");
        }
    }
}
