//! Rehearsals: cases that hold, and cases that must fail.

mod built_in;

use motet_core::case;

use super::*;
use crate::scratch::Scratch;

/// A writer, a person, and a limit.
const DRAFTS: &str = "
workflow: drafts
version: 1.0.0
summary: Drafts.
input: { topic: { type: string, minLength: 1, default: tea } }
data: { draft: null, log: [] }
limits: { time: 10m }
counters: { drafts: { first: 1, max: 2 } }
agents:
  writer: { prompt: prompts/writer.md, returns: { text: string }, cost: 1, timeout: 30s, retry: { attempts: 2, wait: [5s] } }
trouble: { error: { to: failed, because: gave up }, time: { to: failed, because: too late } }
start: drafting
states:
  drafting:
    agent: writer
    with: { topic: input.topic }
    save: { draft: result.text }
    add: { log: result.text }
    sends: { type: draft, subject: 'A draft', body: '{{ data.draft }}' }
    next: { to: approving, note: 'Draft {{ data.draft }}', warn: 'Look closely' }
  approving:
    gate:
      ask: Good?
      options: [approve, change]
      text_for: [change]
      deadline: 1h
      otherwise: change
    next:
      approve: done
      change: { count: drafts, to: drafting, exceeded: { to: failed, because: too many } }
  done: { final: completed, output: { text: data.draft, drafts: data.log } }
  failed: { final: failed }
require: { seen: 'every path to done passes approving.approve' }
files:
  draft.md: { from: files/draft.md, since: approving, edits: { data.draft: [approving] } }
  log.txt: { from: files/log.txt, append: true }
";

/// A plan whose tasks are independent, and one child run for each of two items.
const TEAM: &str = "
workflow: team
version: 1.0.0
summary: Team.
data: { texts: [] }
agents:
  coder: { prompt: prompts/writer.md, timeout: 1m }
  child: { workflow: small }
trouble: { error: failed }
start: building
states:
  building:
    plan:
      tasks: [{ id: a, agent: coder }, { id: b, agent: coder }, { id: c, agent: coder, depends_on: [a] }]
      agents: [coder]
      at_most: 3
    with: { topic: task.id }
    next: { done: asking, incomplete: failed }
  asking:
    agent: child
    each: range(2)
    at_most: 2
    save: { texts: 'result.map(r, r.text)' }
    next: done
  done: { final: completed, output: { texts: data.texts } }
  failed: { final: failed }
";

const SMALL: &str = "
workflow: small
version: 1.0.0
summary: Small.
data: { text: null }
agents: { writer: { prompt: prompts/writer.md, timeout: 1m } }
trouble: { error: failed }
start: writing
states:
  writing: { agent: writer, with: { topic: '\"x\"' }, save: { text: result }, next: done }
  done: { final: completed, output: { text: data.text } }
  failed: { final: failed }
";

const ONCE: &str = "
workflow: once
version: 1.0.0
summary: Once.
agents: { payer: { prompt: prompts/writer.md, class: unsafe, timeout: 5m } }
trouble: { error: failed }
start: paying
states:
  paying: { agent: payer, with: { topic: '\"x\"' }, next: done }
  done: { final: completed }
  failed: { final: failed }
";

fn library() -> (Scratch, Library) {
    let scratch = Scratch::new();
    for (name, text) in [("drafts", DRAFTS), ("team", TEAM), ("small", SMALL), ("once", ONCE)] {
        scratch.write(&format!("workflows/{name}/workflow.yaml"), text);
        scratch.write(&format!("workflows/{name}/prompts/writer.md"), "Write about {{ topic }}.");
        scratch.write(&format!("workflows/{name}/files/draft.md"), "# {{ data.draft }}\nby the writer\n");
        scratch.write(&format!("workflows/{name}/files/log.txt"), "{{ event.seq }} {{ event.kind }}");
    }
    let library = Library::around(scratch.path(), None);
    (scratch, library)
}

fn played(workflow: &str, text: &str) -> (Rehearsal, Vec<Difference>) {
    let (_scratch, library) = library();
    let loaded = match library.load(workflow) {
        Ok(loaded) => loaded,
        Err(problem) => panic!("{problem:#?}"),
    };
    let case = case::parse("case.yaml", text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    assert_eq!(unknown_names(&loaded.definition, &case, &library), Vec::<String>::new());
    let played = play(&loaded.definition, &case, "case.yaml", &library);
    let differences = compare(&case.expect, &played);
    (played, differences)
}

/// The case goes as it says, or differs in exactly these respects.
#[track_caller]
fn check(workflow: &str, text: &str, expected: &[&str]) {
    let (played, differences) = played(workflow, text);
    let about: Vec<&str> = differences.iter().map(|difference| difference.about.as_str()).collect();
    assert_eq!(about, expected, "{differences:#?}\nrefused: {:?}\nstuck: {:?}", played.refused, played.stuck);
}

#[test]
fn agents_and_people_say_their_lines_in_virtual_time() {
    check(
        "drafts",
        "
case: all that can be expected
agents: { writer: [{ returns: one, delay_ms: 2000, tokens_in: 5, tokens: 7, cost: 0.5 }, { returns: two, delay_ms: 1000 }] }
gates: { approving: [{ option: change, text: longer, after: 10m, by: ada }, approve] }
expect:
  status: completed
  path: [drafting, approving, drafting, approving, done]
  counters: { drafts: 2 }
  output: { text: two, drafts: [one, two] }
  data: { draft: two }
  warnings: [Look, closely]
  notes: [Draft one, Draft two]
  messages: [{ type: draft, body: one }, { from: writer, body: two }]
  files: { draft.md: ['# two', by the writer], log.txt: [1 run_started, gate_answered], nothing.md: null }
  spent: 0.5
  tokens: 12
  duration: 603s
  calls: { writer: 2 }
",
        &[],
    );
}

#[test]
fn every_expectation_can_fail() {
    let case = |expect: &str| format!("case: c\nagents: {{ writer: one }}\ngates: {{ approving: approve }}\nexpect: {{ {expect} }}\n");
    let check_one = |expect: &str, about: &[&str]| check("drafts", &case(expect), about);
    check_one("status: completed", &[]);
    check_one("status: failed", &["status"]);
    check_one("because: no such reason", &["because"]);
    check_one("path: [drafting, done]", &["path"]);
    check_one("counters: { drafts: 3 }", &["counter drafts"]);
    check_one("output: { text: two, more: 1 }", &["output.text", "output.more"]);
    check_one("output: { drafts: [one, two] }", &["output.drafts"]);
    check_one("data: { draft: two }", &["data.draft"]);
    check_one("warnings: [nothing]", &["warnings"]);
    check_one("warnings: [closely, Look]", &["warnings"]);
    check_one("notes: [nothing]", &["notes"]);
    check_one("errors: [nothing]", &["errors"]);
    check_one("messages: [{ body: two }]", &["messages"]);
    check_one("files: { draft.md: '# two' }", &["file draft.md"]);
    check_one("files: { draft.md: { equals: '# one' } }", &["file draft.md"]);
    check_one("files: { draft.md: { json: 1 } }", &["file draft.md"]);
    check_one("files: { draft.md: null, other.md: text }", &["file draft.md", "file other.md"]);
    check_one("spent: 1", &["spent"]);
    check_one("tokens: 1", &["tokens"]);
    check_one("duration: 1s", &["duration"]);
    check_one("calls: { writer: 2 }", &["calls of writer"]);
    check_one("together: [[a, b]]", &["together"]);
    check_one("refused: [nothing]", &["refused"]);
}

#[test]
fn a_silent_person_lets_the_deadline_pass() {
    check(
        "drafts",
        "
case: c
agents: { writer: one }
gates: { approving: [silent, silent] }
expect: { status: failed, because: too many, duration: 2h }
",
        &[],
    );
}

#[test]
fn a_case_that_ends_waiting_first_lets_pass_what_it_wants_to_pass() {
    check(
        "drafts",
        "
case: c
agents: { writer: one }
gates: { approving: [silent] }
expect: { status: waiting, path: [drafting, approving, drafting, approving] }
",
        &[],
    );
}

#[test]
fn a_person_says_what_became_of_a_call_that_must_not_run_twice() {
    check(
        "once",
        "
case: c
agents: { payer: { returns: paid, delay_ms: 10000 } }
gates: { interrupted: [{ option: done, text: it was paid, after: 1m }] }
events: [{ in: paying, after: 1s, crash: true }]
expect: { status: completed, calls: { payer: 1 }, duration: 61s }
",
        &[],
    );
}

#[test]
fn an_answer_that_the_gate_refuses_is_followed_by_the_next_line() {
    let case = |expect: &str| {
        format!(
            "case: c\nagents: {{ writer: one }}\ngates: {{ approving: [{{ option: maybe }}, change, approve] }}\nexpect: {{ {expect} }}\n"
        )
    };
    check("drafts", &case("status: completed, refused: [gate approving.1, gate approving.1]"), &[]);
    let unexpected = "refused, and the case does not expect it";
    check("drafts", &case("status: completed"), &[unexpected, unexpected]);
}

#[test]
fn a_person_may_edit_before_answering() {
    check(
        "drafts",
        "
case: c
agents: { writer: one }
gates: { approving: [{ option: approve, edits: { draft: mine } }] }
expect: { status: completed, output: { text: mine }, notes: [Draft one, edited draft in draft.md] }
",
        &[],
    );
}

#[test]
fn wrong_input_is_a_refusal() {
    let case = "case: c\ninput: { topic: '' }\nexpect: { refused: [the input does not fit] }\n";
    check("drafts", case, &[]);
    check(
        "drafts",
        &case.replace("refused: [the input does not fit]", "status: completed"),
        &["status", "refused, and the case does not expect it"],
    );
}

#[test]
fn a_crash_loses_the_call_and_nothing_else() {
    check(
        "drafts",
        "
case: c
agents: { writer: [{ returns: one, delay_ms: 10000 }, two] }
gates: { approving: [{ option: change, text: more }, approve] }
events: [{ in: drafting, after: 4s, crash: true }, { in: approving, crash: true }]
expect: { status: completed, output: { drafts: [one, two] }, calls: { writer: 3 }, duration: 14s }
",
        &[],
    );
}

#[test]
fn the_second_crash_in_a_state_is_for_its_second_visit() {
    check(
        "drafts",
        "
case: c
agents: { writer: [one, two] }
gates: { approving: [{ option: change, text: more }, approve] }
events: [{ in: drafting, crash: true }, { in: drafting, crash: true }]
expect: { status: completed, output: { drafts: [one, two] }, calls: { writer: 4 } }
",
        &[],
    );
}

#[test]
fn people_outside_pause_resume_and_cancel() {
    let case = |events: &str, expect: &str| {
        format!("case: c\nagents: {{ writer: [{{ returns: one, delay_ms: 5000 }}] }}\nevents: [{events}]\nexpect: {{ {expect} }}\n")
    };
    check("drafts", &case("{ after: 1s, cancel: true }", "status: cancelled, duration: 1s"), &[]);
    check("drafts", &case("{ after: 1s, pause: true }", "status: paused, path: [drafting, approving]"), &[]);
    check("drafts", &case("{ after: 1s, pause: true }, { after: 2m, resume: true }", "status: waiting, path: [drafting, approving]"), &[]);
    check("drafts", &case("{ after: 1s, resume: true }", "status: waiting, refused: [not paused]"), &[]);
}

#[test]
fn a_run_out_of_money_goes_on_with_more() {
    let case = |events: &str, expect: &str| {
        format!(
            "case: c\nbudget: 0.5\nagents: {{ writer: [{{ returns: one, cost: 0.75 }}] }}\nevents: [{events}]\nexpect: {{ {expect} }}\n"
        )
    };
    check("drafts", &case("", "status: paused, calls: { writer: 0 }"), &[]);
    check("drafts", &case("{ in: drafting, after: 1m, resume: { budget: 5 } }", "status: waiting, spent: 0.75, calls: { writer: 1 }"), &[]);
}

#[test]
fn a_run_that_cannot_go_on_says_what_it_waits_for() {
    let case = "case: c\nagents: { writer: one }\nevents: [{ in: approving, pause: true }]\nexpect: { because: too many }\n";
    let (played, _) = played("drafts", case);
    assert!(played.stuck.as_deref().is_some_and(|stuck| stuck.contains("add an event with `resume`")), "{:?}", played.stuck);
    check("drafts", case, &["the run never ends", "because"]);
}

#[test]
fn a_hanging_agent_is_ended_by_its_timeout() {
    check(
        "drafts",
        "
case: c
agents: { writer: { hangs: true } }
expect: { status: failed, because: gave up, duration: 65s, calls: { writer: 2 } }
",
        &[],
    );
}

#[test]
fn child_runs_are_played_by_the_same_script() {
    check(
        "team",
        "
case: c
agents: { coder: { returns: ok, delay_ms: 1000 }, writer: [first, second] }
expect:
  status: completed
  together: [[a, b]]
  calls: { coder: 3, writer: 2 }
  output: { texts: [first, second] }
  duration: 2s
",
        &[],
    );
    check(
        "team",
        "
case: a crash of parent and children
agents: { coder: ok, writer: [{ returns: first, delay_ms: 9 }, { returns: second, delay_ms: 9 }] }
events: [{ in: writing, after: 5ms, crash: true }]
expect: { status: completed, output: { texts: [first, second] }, calls: { writer: 4 }, together: [[b, c]] }
",
        &["together"],
    );
}

#[test]
fn names_that_do_not_exist_are_found_before_anything_is_played() {
    let (_scratch, library) = library();
    let definition = library.load("team").unwrap().definition;
    let text = "
case: c
agents: { codr: ok, writer: ok }
gates: { asking: yes }
events: [{ in: biulding, crash: true }]
expect: { counters: { turns: 1 }, calls: { coder: 1 } }
";
    let case = case::parse("case.yaml", text).unwrap();
    let expected = [
        "there is no agent, command or call `codr`; did you mean `coder`?",
        "there is no gate `asking`",
        "there is no state `biulding`; did you mean `building`?",
        "there is no counter `turns`",
    ];
    assert_eq!(unknown_names(&definition, &case, &library), expected);
}
