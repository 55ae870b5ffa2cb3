//! From the text of a workflow to its picture.

use std::fmt::Write as _;

use motet_core::language::{Library, load};
use motet_core::{Definition, Folder};

use super::*;

struct Nothing;

impl Library for Nothing {
    fn workflow(&self, _name: &str) -> Option<Folder> {
        None
    }

    fn has_builtin(&self, _name: &str) -> bool {
        true
    }

    fn builtins(&self) -> Vec<String> {
        Vec::new()
    }
}

fn definition(states: &str) -> Definition {
    let text = format!(
        "workflow: small\nversion: 1.0.0\nsummary: A small machine.\nlimits: {{ time: 1h }}\n\
         counters: {{ rounds: {{ max: 3 }}, asked: {{ max: unlimited }} }}\n\
         data: {{ ready: false, size: 0 }}\n\
         agents: {{ writer: {{ prompt: prompts/writer.md }} }}\n{states}"
    );
    let folder = Folder::from([("workflow.yaml".into(), text), ("prompts/writer.md".into(), "Write.".into())]);
    match load(folder, &Nothing) {
        Ok((definition, _)) => definition,
        Err(problems) => panic!("{problems:#?}"),
    }
}

/// The picture of a workflow in rows: states with their kind and detail, then edges.
fn check(states: &str, options: Options, expected: &str) {
    let picture = Picture::of(&definition(states), options);
    let mut rows = String::new();
    for node in &picture.nodes {
        let _ = writeln!(rows, "{} {} ({})", node.kind.word(), node.id, node.detail);
    }
    for edge in &picture.edges {
        let back = if edge.back_edge { " ↺" } else { "" };
        let _ = writeln!(rows, "{} → {} [{}] {}{back}", edge.from, edge.to, edge.label, edge.kind.word());
    }
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
    assert_eq!(rows.lines().collect::<Vec<_>>(), expected);
    check_layout(&picture);
}

const LOOP: &str = r#"
trouble: { error: parked, time: parked }
start: writing
states:
  writing:
    agent: writer
    next: deciding
  deciding:
    next:
      - { when: data.ready, to: done, because: it is ready }
      - { when: data.size > 3 && data.ready == false, to: done }
      - { count: rounds, to: writing, exceeded: { to: parked, back: writing } }
  parked:
    gate: { ask: What now?, options: [again, stop], who: [editor], otherwise: stop }
    next:
      again: { count: asked, to: back }
      stop: done
  done: { final: completed }
"#;

#[test]
fn transitions_become_edges_with_the_words_that_matter() {
    check(
        LOOP,
        Options::default(),
        "
        agent writing (writer)
        decide deciding ()
        gate parked (asks editor)
        final done (ends completed)
        note any state ()
        writing → deciding [] normal
        deciding → done [it is ready] normal
        deciding → done [size > 3 && ready == false] normal
        deciding → writing [otherwise, count rounds] normal ↺
        deciding → parked [rounds exceeded] exceeded
        parked → writing [again, count asked] back ↺
        parked → done [stop] normal
        any state → parked [error, time] trouble
        ",
    );
}

#[test]
fn trouble_is_drawn_from_every_state_that_can_have_it_when_asked_for() {
    check(
        LOOP,
        Options { trouble: true },
        "
        agent writing (writer)
        decide deciding ()
        gate parked (asks editor)
        final done (ends completed)
        writing → deciding [] normal
        deciding → done [it is ready] normal
        deciding → done [size > 3 && ready == false] normal
        deciding → writing [otherwise, count rounds] normal ↺
        deciding → parked [rounds exceeded] exceeded
        parked → writing [again, count asked] back ↺
        parked → done [stop] normal
        writing → parked [error, time] trouble
        parked → parked [time] trouble ↺
        ",
    );
}

#[test]
fn a_way_back_to_many_states_is_one_note() {
    let states = r#"
trouble: { error: parked, time: parked }
start: one
states:
  one: { agent: writer, next: two }
  two: { agent: writer, next: three }
  three: { agent: writer, next: done }
  parked:
    gate: { ask: What now?, options: [again, stop], otherwise: stop }
    next:
      again: { count: asked, to: back }
      stop: done
  done: { final: completed }
"#;
    check(
        states,
        Options::default(),
        "
        agent one (writer)
        agent two (writer)
        agent three (writer)
        gate parked (asks anyone)
        final done (ends completed)
        note back from parked ()
        note any state ()
        one → two [] normal
        two → three [] normal
        three → done [] normal
        parked → back from parked [again, count asked] back
        parked → done [stop] normal
        any state → parked [error, time] trouble
        ",
    );
    let picture = Picture::of(&definition(states), Options::default());
    assert_eq!(picture.node("back from parked").unwrap().hint, "returns to one, two, three");
}

#[test]
fn the_whole_condition_is_kept_as_a_hint() {
    let picture = Picture::of(&definition(LOOP), Options::default());
    let hints: Vec<&str> = picture.edges.iter().filter(|edge| edge.from == "deciding").map(|edge| edge.hint.as_str()).collect();
    assert_eq!(hints[0], "when data.ready\nbecause it is ready");
    assert_eq!(hints[3], "back means writing");
}
