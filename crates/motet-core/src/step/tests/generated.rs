//! Laws on generated machines: whatever a workflow looks like and whatever happens to its run.

use proptest::prelude::*;
use serde_json::json;

use super::play::{Play, Reply, cost, fails};
use crate::check::check;
use crate::event::{Failure, FailureKind, Person, Question, Usage};
use crate::state::{Status, TaskStatus};
use crate::units::Usd;
use crate::{Fact, outstanding};

/// What one state of a generated machine does.
#[derive(Clone, Debug)]
enum Does {
    Decide,
    Agent { class: usize, fallback: bool },
    Each(u8),
    Plan { tasks: u8, one_wave: bool, policy: usize },
    Gate { deadline: bool },
    Command,
}

#[derive(Clone, Debug)]
struct Machine {
    states: Vec<(Does, Vec<usize>)>,
    cap: Option<u8>,
    trouble: usize,
}

fn machine() -> impl Strategy<Value = Machine> {
    let does = prop_oneof![
        Just(Does::Decide),
        (0..4usize, any::<bool>()).prop_map(|(class, fallback)| Does::Agent { class, fallback }),
        (0..4u8).prop_map(Does::Each),
        (1..5u8, any::<bool>(), 0..4usize).prop_map(|(tasks, one_wave, policy)| Does::Plan { tasks, one_wave, policy }),
        any::<bool>().prop_map(|deadline| Does::Gate { deadline }),
        Just(Does::Command),
    ];
    let state = (does, prop::collection::vec(0..9usize, 2));
    (prop::collection::vec(state, 3..8), prop::option::of(4..40u8), 0..3usize).prop_map(|(states, cap, trouble)| Machine {
        states,
        cap,
        trouble,
    })
}

impl Machine {
    /// Every transition is counted, so that every loop is bounded; what is exceeded ends the run.
    fn yaml(&self) -> String {
        let mut yaml =
            String::from("agents:\n  worker: { prompt: prompts/w.md, cost: 1, timeout: 5s, retry: { attempts: 2, wait: [1s] } }\n");
        for (class, name) in ["pure", "idempotent", "reconcilable", "unsafe"].iter().enumerate() {
            let common = "prompt: prompts/w.md, cost: 1, timeout: 5s, retry: { attempts: 2, wait: [1s] }";
            yaml += &format!("  w{class}: {{ {common}, class: {name} }}\n  f{class}: {{ {common}, class: {name}, fallback: [worker] }}\n");
        }
        yaml += "questions: { at_most: 1, deadline: 1m, otherwise: default }\nlimits: { time: 10m";
        yaml += &self.cap.map_or(String::new(), |cap| format!(", cost: {cap}"));
        yaml += " }\n";
        yaml += [
            "trouble: { error: lost }\n",
            "trouble: { error: lost, budget: lost, time: lost }\n",
            "trouble: { error: again, budget: again, time: lost }\n",
        ][self.trouble];
        yaml += "counters: { returns: { max: 2 }";
        for number in 0..self.states.len() {
            yaml += &format!(", c{number}: {{ max: 2 }}");
        }
        yaml += " }\nstart: s0\nstates:\n";
        for (number, (does, next)) in self.states.iter().enumerate() {
            let target = |choice: usize| if choice == 8 { "done".to_string() } else { format!("s{}", choice % self.states.len()) };
            let to = |choice: usize| format!("{{ count: c{number}, to: {}, exceeded: done }}", target(choice));
            let (first, second) = (to(next[0]), to(next[1]));
            let (work, next) = match does {
                Does::Decide => (String::new(), format!("[{{ when: counters.c{number}.used == 1, to: done }}, {first}]")),
                Does::Agent { class, fallback } => (format!("agent: {}{class}, ", if *fallback { "f" } else { "w" }), first),
                Does::Each(items) => (format!("agent: worker, each: range({items}), at_most: 3, "), first),
                Does::Plan { tasks, one_wave, policy } => {
                    (plan(*tasks, *one_wave, *policy), format!("{{ done: {first}, incomplete: {second} }}"))
                }
                Does::Gate { deadline } => {
                    let deadline = if *deadline { "deadline: 10s, " } else { "" };
                    (
                        format!("gate: {{ ask: Go?, options: [go, stop], {deadline}otherwise: stop }}, "),
                        format!("{{ go: {first}, stop: {second} }}"),
                    )
                }
                Does::Command => {
                    ("command: { run: [make, test], timeout: 3s }, ".to_string(), format!("{{ passed: {first}, failed: {second} }}"))
                }
            };
            yaml += &format!("  s{number}: {{ {work}next: {next} }}\n");
        }
        yaml += "  again: { next: { count: returns, to: back, exceeded: lost } }\n";
        yaml += "  done: { final: completed, output: null }\n  lost: { final: failed, output: run.error }\n";
        if self.trouble != 2 { yaml.replace("  again: { next: { count: returns, to: back, exceeded: lost } }\n", "") } else { yaml }
    }
}

fn plan(tasks: u8, one_wave: bool, policy: usize) -> String {
    let listed: Vec<String> = (0..tasks)
        .map(|task| {
            let depends_on = if task % 2 == 1 { format!("[t{}]", task - 1) } else { "[]".to_string() };
            format!("{{ id: t{task}, depends_on: {depends_on}, criticality: {} }}", if task == 2 { "optional" } else { "critical" })
        })
        .collect();
    let policy = [
        "critical: block, optional: skip",
        "critical: { to: done }, optional: block",
        "alternative: { again: true }, compensate: { title: '\"x\"' }, critical: block, optional: skip",
        "optional: skip",
    ][policy];
    format!(
        "plan: {{ tasks: [{}], agents: [worker], at_most: 3, max_parallel: 2, one_wave: {one_wave}, if_task_fails: {{ {policy} }} }}, ",
        listed.join(", ")
    )
}

/// Turns a number into something that happens.
fn happen(play: &mut Play, choice: u8) {
    let ada = Person::named("ada");
    let queued = outstanding(&play.definition, &play.state).into_iter().find_map(|effect| match effect {
        crate::Effect::StartTask(call) => Some(call),
        _ => None,
    });
    let queued_none = queued.is_none();
    let reconciling =
        play.state.tasks.values().find(|task| task.status == TaskStatus::Reconciling).map(|task| (task.id.clone(), task.attempt));
    if let Some((task, attempt)) = reconciling {
        let fact = match choice % 3 {
            0 => Fact::TaskFoundUndone { task, attempt },
            1 => Fact::TaskSucceeded { task, attempt, result: json!({}), usage: Default::default(), exchanges: Vec::new() },
            _ => Fact::TaskFailed {
                task,
                attempt,
                error: crate::event::Failure { kind: FailureKind::Interrupted, message: "?".into() },
                usage: Default::default(),
                exchanges: Vec::new(),
            },
        };
        play.say(fact).unwrap();
        return;
    }
    match (choice % 16, queued, play.running.is_empty(), play.state.gates.is_empty()) {
        (0..=7, Some(call), ..) => {
            play.say(Fact::TaskStarted { task: call.task, attempt: call.attempt }).unwrap();
        }
        (0..=11, _, false, _) => {
            let call = play.running.remove(choice as usize / 16 % play.running.len());
            let task = call.task.clone();
            match choice / 16 % 9 {
                0..=3 | 8 => play.answer(&call, cost(json!({ "passed": choice.is_multiple_of(2) }), 0.5)),
                4 => play.answer(&call, fails(FailureKind::Unavailable, "down")),
                5 => play.answer(&call, fails(FailureKind::Refused, "no")),
                6 if !matches!(call.work, crate::CallWork::Command { .. }) => {
                    play.answer(
                        &call,
                        Reply::Asks(Question {
                            question: "Why?".into(),
                            options: vec![],
                            default: Some("so".into()),
                            ..Question::default()
                        }),
                    );
                }
                7 if choice.is_multiple_of(2) => {
                    let error = Failure { kind: FailureKind::Interrupted, message: "stopped".into() };
                    let usage = Usage { cost: Usd(250_000), ..Usage::default() };
                    play.say(Fact::TaskFailed { task, attempt: call.attempt, error, usage, exchanges: Vec::new() }).unwrap();
                }
                _ => {
                    play.say(Fact::TaskInterrupted { task, attempt: call.attempt, exchanges: Vec::new() }).unwrap();
                }
            }
        }
        (12, ..) if choice > 200 && !matches!(play.state.status, Status::Paused { .. }) => {
            play.say(Fact::Paused { by: ada, reason: "tea".into() }).unwrap();
        }
        (0..=13, _, _, false) => {
            let gate = play.gate();
            let open = &play.state.gates[&gate];
            let option = open.options.get(choice as usize % open.options.len().max(1)).cloned();
            let answer = crate::event::Answer { by: ada, option, text: Some("because".into()), answers: Default::default(), seen: None };
            play.say(Fact::GateAnswered { gate, answer }).unwrap();
        }
        _ if matches!(play.state.status, Status::Paused { .. }) => {
            let cap = play.state.money.cap.map(|cap| cap + crate::units::Usd(5_000_000));
            let time_ms = play.state.clock.limit_ms.map(|limit| limit + 600_000);
            play.say(Fact::LimitsRaised { by: ada.clone(), cost: cap, time_ms }).unwrap();
            play.say(Fact::Resumed { by: ada }).unwrap();
        }
        _ if !play.state.timers.is_empty() && (choice % 16 == 15 || (play.running.is_empty() && queued_none)) => play.next_timer(),
        _ => play.start_queued(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// The harness checks after every event that duplicates are refused, that snapshots lose nothing and that money and work are sound.
    #[test]
    fn every_run_of_every_machine_ends_within_its_bound_and_replays_to_itself(machine in machine(), choices in prop::collection::vec(any::<u8>(), 400)) {
        let yaml = machine.yaml();
        let mut play = Play::new(&yaml);
        let report = check(&play.definition, Some(&json!({})));
        let endless = report.diagnostics.iter().any(|problem| problem.is_error() && problem.code == crate::check::codes::ENDLESS_LOOP);
        prop_assert!(!endless, "{yaml}");
        play = play.start(json!({}));
        let mut started_unsafe = std::collections::BTreeMap::new();
        let mut choices = choices.iter().copied().chain(std::iter::repeat_with(|| 14).take(4000)).peekable();
        let mut steps = 0;
        while play.state.ended.is_none() && steps < 6000 {
            let choice = choices.next().unwrap_or(0);
            // Later on everything goes well, so that every run comes to its end.
            happen(&mut play, if steps > 400 { [0, 8, 13, 14, 15][steps % 5] } else { choice });
            steps += 1;
        }
        prop_assert!(play.state.ended.is_some(), "the run never ended:\n{yaml}\n{:#?}", play.state);
        play.check_replay();
        for call in &play.calls {
            if call.class == crate::definition::Class::Unsafe {
                *started_unsafe.entry(call.key.clone()).or_insert(0) += 1;
            }
        }
        let allowed: usize = play.events.iter().filter(|event| matches!(&event.fact, Fact::GateAnswered { answer, .. } if answer.option.as_deref() == Some("run_again"))).count();
        let repeated: usize = started_unsafe.values().map(|count: &usize| count - 1).sum();
        prop_assert!(repeated <= allowed, "an unsafe task ran again without a person's word");
        for bounds in report.bounds.first().into_iter().flat_map(|bounds| &bounds.states) {
            let visits = play.state.visits.get(bounds.state.as_str()).copied().unwrap_or(0);
            if let Some(most) = bounds.visits {
                prop_assert!(u64::from(visits) <= most, "{} was visited {visits} times, at most {most} were proven:\n{yaml}", bounds.state);
            }
        }
    }
}
