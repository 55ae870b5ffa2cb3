//! Runs whose process died, or that were cancelled or parked with calls in flight, play again to the same end, with the same money.

use motet_core::case;
use motet_core::event::Event;

use super::super::*;
use crate::library::Library;
use crate::rehearsal::{Rehearsal, compare, play};
use crate::scratch::Scratch;

const WRITERS: &str = "
workflow: writers
version: 1.0.0
summary: Three at once.
limits: { time: 1h }
counters: { rounds: { first: 1, max: 2 } }
agents: { writer: { prompt: prompts/writer.md, timeout: 5m, CLASS } }
trouble: { error: failed }
start: writing
states:
  writing: { agent: writer, each: range(3), at_most: 3, with: { number: item }, next: deciding }
  deciding: { next: { count: rounds, to: writing, exceeded: done } }
  done: { final: completed, output: { texts: 'last.writing.map(text, text.value)' } }
  failed: { final: failed, output: run.error }
";

/// How long nobody drove the run after a crash: longer than any answer may take.
const GAP_MS: u64 = 3_600_000;

struct Stage {
    _scratch: Scratch,
    library: Library,
    definition: std::sync::Arc<motet_core::Definition>,
}

impl Stage {
    fn new(class: &str) -> Self {
        let scratch = Scratch::new();
        scratch.write("workflows/writers/workflow.yaml", WRITERS.replace("CLASS", class));
        scratch.write("workflows/writers/prompts/writer.md", "Write {{ number }}.");
        let library = Library::around(scratch.path(), None);
        let definition = library.load("writers").unwrap_or_else(|problem| panic!("{problem}")).definition.clone();
        Self { _scratch: scratch, library, definition }
    }

    fn play(&self, text: &str) -> Rehearsal {
        let case = case::parse("case.yaml", text).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
        let played = play(&self.definition, &case, "case.yaml", &self.library);
        let differences = compare(&case.expect, &played);
        assert!(differences.is_empty(), "{differences:#?}\n{text}");
        played
    }

    /// Recorded, these events lead to the same end. Gives the cassette.
    #[track_caller]
    fn check(&self, events: Vec<Event>) -> String {
        let mut state = State::default();
        for event in &events {
            step(&self.definition, &mut state, event).unwrap_or_else(|rejected| panic!("{rejected}: {event:?}"));
        }
        let past = Past { run: "writers-case".into(), definition: self.definition.clone(), events };
        let cassette = of("recorded", &[past]).unwrap_or_else(|rejected| panic!("{rejected}"));
        let again = self.play(&cassette);
        let told = |state: &State| {
            let tasks: Vec<_> = state.tasks.values().map(|task| (task.id.clone(), task.status)).collect();
            (state.money.spent, state.money.uncertain, state.counters.clone(), tasks)
        };
        assert_eq!(told(&again.state), told(&state), "{cassette}");
        cassette
    }
}

/// The same, with a long time between every crash and its recovery.
fn with_gaps(mut events: Vec<Event>) -> Vec<Event> {
    let mut gap = 0;
    let mut crashed = None;
    for event in &mut events {
        if matches!(event.fact, Fact::Recovered {} | Fact::TaskInterrupted { .. }) && crashed != Some(event.at) {
            crashed = Some(event.at);
            gap += GAP_MS;
        }
        event.at = event.at.plus(gap);
    }
    events
}

fn case(lines: &str, rest: &str) -> String {
    format!("case: first\nprices: {{ writer: {{ call: 1 }} }}\nagents:\n  writer: {lines}\n{rest}")
}

const QUICK: &str = "{ returns: a line, delay_ms: 5000, cost: 1 }";

#[test]
fn what_a_crash_interrupted_and_no_money_was_left_for_hangs_until_the_crash() {
    let stage = Stage::new("cost: 1");
    let first = stage.play(&case(QUICK, "budget: 3.5\nevents: [{ after: 2s, crash: true }]\nexpect: { status: paused }\n"));
    let cassette = stage.check(with_gaps(first.events.clone()));
    assert_eq!(cassette.matches("hangs: until_crash").count(), 3, "{cassette}");
    // Cancelled, it ends in the same way.
    let cancelled = "budget: 3.5\nevents: [{ after: 2s, crash: true }, { after: 9s, cancel: true }]\nexpect: { status: cancelled }\n";
    stage.check(with_gaps(stage.play(&case(QUICK, cancelled)).events));
    // And so does one that is given more.
    let given = "budget: 3.5\nevents: [{ after: 2s, crash: true }, { after: 9s, resume: { budget: 20 } }]\nexpect: { status: completed }\n";
    stage.check(with_gaps(stage.play(&case(QUICK, given)).events));
}

#[test]
fn what_a_crash_interrupted_and_began_again_is_interrupted_again() {
    let stage = Stage::new("cost: 1");
    let twice = "events: [{ after: 2s, crash: true }, { after: 8s, crash: true }]\nexpect: { status: completed }\n";
    let cassette = stage.check(with_gaps(stage.play(&case(QUICK, twice)).events));
    assert_eq!((cassette.matches("hangs: until_crash").count(), cassette.matches("crash: true").count()), (6, 2), "{cassette}");
}

#[test]
fn a_crash_while_a_run_is_paused_with_calls_in_flight_comes_before_it_goes_on() {
    let stage = Stage::new("cost: 1");
    let paused =
        "events: [{ after: 1s, pause: true }, { after: 2s, crash: true }, { after: 60s, resume: true }]\nexpect: { status: completed }\n";
    stage.check(with_gaps(stage.play(&case(QUICK, paused)).events));
    let parked = "events: [{ after: 1s, pause: true }, { after: 2s, crash: true }]\nexpect: { status: paused }\n";
    stage.check(with_gaps(stage.play(&case(QUICK, parked)).events));
}

#[test]
fn what_became_of_an_interrupted_call_is_said_as_it_was_found() {
    let stage = Stage::new("class: reconcilable");
    let crash = "events: [{ after: 2s, crash: true }]\nexpect: { status: completed }\n";
    let first = stage.play(&case(QUICK, crash)).events;
    stage.check(with_gaps(first.clone()));
    // Here the backend knew: the first attempt had succeeded.
    let mut found = first;
    found.retain(|event| match &event.fact {
        Fact::TaskFoundUndone { .. } => false,
        Fact::TaskStarted { attempt, .. } => *attempt == 1,
        _ => true,
    });
    for (seq, event) in (found[0].seq..).zip(&mut found) {
        event.seq = seq;
        if let Fact::TaskSucceeded { attempt, .. } = &mut event.fact {
            *attempt = 1;
        }
    }
    let cassette = stage.check(with_gaps(found));
    assert!(!cassette.contains("hangs: true"), "{cassette}");
}

#[test]
fn what_nobody_knows_of_an_interrupted_call_is_asked_again() {
    let stage = Stage::new("class: unsafe");
    let crash = "events: [{ after: 2s, crash: true }]\nexpect: { status: waiting }\n";
    stage.check(with_gaps(stage.play(&case(QUICK, crash)).events));
}

/// A machine with few places begins one call after the other, and a case all of them at once.
#[test]
fn a_call_that_waited_for_a_place_when_its_run_was_cancelled_has_a_line() {
    let stage = Stage::new("cost: 1");
    let cancelled = "events: [{ after: 2s, cancel: true }]\nexpect: { status: cancelled }\n";
    let mut events = stage.play(&case(QUICK, cancelled)).events;
    let last_begun = events.iter().rposition(|event| matches!(event.fact, Fact::TaskStarted { .. })).expect("a call");
    events.remove(last_begun);
    for (seq, event) in (events[0].seq..).zip(&mut events) {
        event.seq = seq;
    }
    let past = Past { run: "writers-case".into(), definition: stage.definition.clone(), events };
    let cassette = of("recorded", &[past]).unwrap_or_else(|rejected| panic!("{rejected}"));
    assert_eq!(cassette.matches("hangs: true").count(), 3, "{cassette}");
    stage.play(&cassette);
}
