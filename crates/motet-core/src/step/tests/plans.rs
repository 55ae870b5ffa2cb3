//! Plans: order, parallelism, exclusion, and tasks that fail.

use serde_json::{Value, json};

use super::{Play, fails, returns};
use crate::event::FailureKind;

fn machine(plan: &str, tasks: Value) -> Play {
    Play::new(
        &format!(
            r#"
input: {{ tasks: {{ type: array }} }}
data: {{ tasks: input.tasks, seen: [] }}
counters: {{ rounds: {{ max: 4 }}, again: {{ max: 1 }} }}
agents:
  worker: {{ prompt: prompts/w.md }}
  other: {{ prompt: prompts/o.md }}
trouble: {{ error: lost }}
start: working
states:
  working:
    plan: {{ tasks: data.tasks, agents: [worker, other], at_most: 20, {plan} }}
    with: {{ task: task }}
    next: {{ done: done, incomplete: halfway }}
  halfway:
    next:
      - {{ when: last.working.open > 0, count: rounds, to: working, exceeded: lost }}
      - {{ count: again, to: back, exceeded: done }}
  done: {{ final: completed, output: {{ result: last.working, seen: data.seen }} }}
  lost: {{ final: failed, output: {{ error: run.error.message, because: run.because }} }}
"#
        )
        .replace("- { count: again, to: back, exceeded: done }", "- done"),
    )
    .start(json!({ "tasks": tasks }))
}

/// Which tasks ran, in the order they were started, with those that ran at once in one group.
fn waves(play: &mut Play, mut reply: impl FnMut(&str) -> super::play::Reply) -> String {
    let mut waves = Vec::new();
    loop {
        play.start_queued();
        if play.running.is_empty() {
            break;
        }
        let wave = std::mem::take(&mut play.running);
        waves.push(wave.iter().map(|call| call.task.as_str().split('/').next_back().unwrap().to_string()).collect::<Vec<_>>().join(","));
        for call in wave {
            let id = call.task.as_str().split('/').next_back().unwrap().to_string();
            let answer = reply(&id);
            play.answer(&call, answer);
        }
    }
    play.check_replay();
    waves.join(" | ")
}

fn task(id: &str, depends_on: &[&str]) -> Value {
    json!({ "id": id, "depends_on": depends_on })
}

#[test]
fn independent_tasks_run_together_and_dependent_ones_wait_for_all() {
    let mut play = machine("", json!([task("3", &[]), task("4", &[]), task("5", &["3", "4"])]));
    assert_eq!(waves(&mut play, |_| returns(json!({}))), "3,4 | 5");
    assert_eq!(play.output()["result"]["done"], 3);
}

#[test]
fn a_chain_runs_one_after_another() {
    let mut play = machine("", json!([task("7", &[]), task("8", &["7"]), task("9", &["8"])]));
    assert_eq!(waves(&mut play, |_| returns(json!({}))), "7 | 8 | 9");
}

#[test]
fn no_more_run_at_once_than_allowed() {
    let mut play = machine("max_parallel: 2", json!([task("a", &[]), task("b", &[]), task("c", &[])]));
    assert_eq!(waves(&mut play, |_| returns(json!({}))), "a,b | c");
}

#[test]
fn tasks_that_share_a_file_run_one_after_another() {
    let tasks = json!([{ "id": "a", "files": ["x", "y"] }, { "id": "b", "files": ["y"] }, { "id": "c", "files": ["z"] }]);
    let mut play = machine("exclusive: task.files", tasks);
    assert_eq!(waves(&mut play, |_| returns(json!({}))), "a,c | b");
}

#[test]
fn at_most_bounds_one_visit_and_the_rest_stays_open() {
    let tasks: Vec<Value> = (0..25).map(|n| task(&format!("t{n:02}"), &[])).collect();
    let mut play = machine("max_parallel: 25", json!(tasks));
    let waves = waves(&mut play, |_| returns(json!({})));
    assert_eq!(waves.split(" | ").map(|wave| wave.split(',').count()).collect::<Vec<_>>(), [20, 5]);
    assert_eq!(play.path(), "working halfway working done");
}

#[test]
fn one_wave_runs_only_what_is_ready_on_entry() {
    let mut play = machine("one_wave: true", json!([task("a", &[]), task("b", &["a"])]));
    assert_eq!(waves(&mut play, |_| returns(json!({}))), "a");
    assert_eq!(play.path(), "working done");
}

#[test]
fn tasks_run_as_listed_or_by_depth_and_number() {
    let tasks =
        || json!([task("E10", &[]), task("R4", &["E3"]), task("E3", &[]), task("E1", &[]), task("E5", &["E1"]), task("E1-instead", &[])]);
    let order = |plan: &str| waves(&mut machine(plan, tasks()), |_| returns(json!({})));
    assert_eq!(order("max_parallel: 1"), "E10 | E3 | R4 | E1 | E5 | E1-instead");
    assert_eq!(order("max_parallel: 1, by_depth: true"), "E1 | E1-instead | E3 | E10 | R4 | E5");
}

#[test]
fn tasks_may_be_added_while_the_plan_runs() {
    let mut play = machine("after_each: { save: { tasks: data.tasks + result.new }, add: { seen: task.id } }", json!([task("a", &[])]));
    let waves = waves(&mut play, |id| returns(json!({ "new": if id == "a" { json!([task("b", &["a"])]) } else { json!([]) } })));
    assert_eq!(waves, "a | b");
    assert_eq!(play.output()["seen"], json!(["a", "b"]));
}

#[test]
fn what_a_finished_task_warns_of_is_told_unless_it_comes_out_empty() {
    let warn = "{% if result.lost %}{{ task.id }} lost {{ result.lost }} after {{ data.seen | join(', ') }}{% endif %}";
    let mut play =
        machine(&format!("after_each: {{ add: {{ seen: task.id }}, warn: \"{warn}\" }}"), json!([task("a", &[]), task("b", &["a"])]));
    waves(&mut play, |id| returns(json!({ "lost": if id == "b" { json!("a page") } else { json!(null) } })));
    let warnings: Vec<&str> = play.state.warnings.iter().map(|warning| warning.text.as_str()).collect();
    assert_eq!(warnings, ["b lost a page after a, b"]);
}

#[test]
fn a_plan_that_cannot_be_run_is_refused_by_name() {
    let error = |tasks: Value| {
        let mut play = machine("", tasks);
        play.run(|_| returns(json!({})));
        play.output()["error"].as_str().unwrap_or("nothing").to_string()
    };
    assert!(error(json!([task("a", &["b"]), task("b", &["a"])])).contains("a → b → a"));
    assert!(error(json!([task("a", &["x"])])).contains("depends on x"));
    assert!(error(json!([task("a", &[]), task("a", &[])])).contains("two tasks have the id a"));
    assert!(error(json!([{ "id": "a", "agent": "nobody" }])).contains("nobody"));
    assert!(error(json!([{ "title": "x" }])).contains("no id"));
}

#[test]
fn a_blocked_task_keeps_its_dependents_from_running() {
    let mut play = machine(
        "if_task_fails: { critical: block, optional: skip, warn: '{{ task.id }}: {{ task.error.message }}' }",
        json!([task("a", &[]), task("b", &["a"]), task("c", &[])]),
    );
    let waves = waves(&mut play, |id| if id == "a" { fails(FailureKind::Refused, "no") } else { returns(json!({})) });
    assert_eq!(waves, "a,c");
    assert_eq!(play.warnings(), ["a: no"]);
    let statuses: Vec<_> = play.output()["result"]["tasks"].as_array().unwrap().iter().map(|task| task["status"].clone()).collect();
    assert_eq!(statuses, ["failed", "blocked", "done"]);
}

#[test]
fn a_skipped_task_lets_its_dependents_run() {
    let tasks = json!([{ "id": "a", "criticality": "optional" }, task("b", &["a"])]);
    let mut play = machine("if_task_fails: { optional: skip }", tasks);
    assert_eq!(waves(&mut play, |id| if id == "a" { fails(FailureKind::Refused, "no") } else { returns(json!({})) }), "a | b");
    assert_eq!(play.path(), "working done");
}

#[test]
fn a_critical_task_that_fails_takes_its_transition_once_the_others_are_done() {
    let mut play = machine(
        "max_parallel: 2, if_task_fails: { critical: { to: lost, because: '{{ task.id }} failed' } }",
        json!([task("a", &[]), task("b", &[]), task("c", &[])]),
    );
    let waves = waves(&mut play, |id| if id == "a" { fails(FailureKind::Refused, "no") } else { returns(json!({})) });
    assert_eq!(waves, "a,b", "nothing new starts");
    assert_eq!(play.output()["because"], "a failed");
}

#[test]
fn a_failed_task_gets_one_alternative_and_one_compensation() {
    let policy = "if_task_fails: { alternative: { avoid: task.errors }, compensate: { title: '\"instead of \" + task.id' }, critical: lost, optional: skip }";
    let mut play = machine(policy, json!([{ "id": "a", "criticality": "optional" }, task("b", &["a"])]));
    let mut seen = Vec::new();
    play.run(|call| {
        seen.push((call.task.to_string(), call.input["avoid"].clone()));
        if call.task.as_str().ends_with("/b") { returns(json!({})) } else { fails(FailureKind::Refused, "no") }
    });
    let expected = [
        ("working.1/a", json!(null)),
        ("working.1/a", json!(["no"])),
        ("working.1/a-instead", json!(null)),
        ("working.1/a-instead", json!(["no"])),
        ("working.1/b", json!(null)),
    ];
    assert_eq!(seen, expected.map(|(task, avoid)| (task.to_string(), avoid)));
}

#[test]
fn a_replacement_that_the_state_is_not_about_compensates_for_nothing() {
    let policy = r#"only: 'task.kind == "real"', if_task_fails: { compensate: { kind: '"other"' }, critical: block }"#;
    let mut play = machine(policy, json!([{ "id": "a", "kind": "real" }]));
    assert_eq!(waves(&mut play, |_| fails(FailureKind::Refused, "no")), "a");
    assert_eq!(play.path(), "working halfway done", "the plan is not complete");
    assert_eq!(play.output()["result"]["tasks"][0]["status"], "failed");
    assert!(play.warnings()[0].contains("nothing compensates for a"), "{:?}", play.warnings());
}

#[test]
fn a_wide_and_deep_plan_is_summed_up_at_once() {
    let layers: Vec<[String; 3]> = (0..40).map(|layer| ["a", "b", "c"].map(|name| format!("{name}{layer}"))).collect();
    let mut tasks: Vec<Value> = Vec::new();
    for (layer, names) in layers.iter().enumerate() {
        let above: Vec<&str> = if layer == 0 { Vec::new() } else { layers[layer - 1].iter().map(String::as_str).collect() };
        tasks.extend(names.iter().map(|name| task(name, &above)));
    }
    let mut play = machine("if_task_fails: { critical: block, optional: block }", json!(tasks));
    assert_eq!(crate::step::plan_summary(&play.definition, &play.state, "working")["open"], 120);
    waves(&mut play, |_| fails(FailureKind::Refused, "no"));
    assert_eq!(play.output()["result"]["blocked"], 117);
}

#[test]
fn a_task_that_changed_after_its_compensation_can_be_compensated_again() {
    let mut play = Play::new(
        r#"
data: { tasks: '[{"id": "a", "try": 1}]' }
counters: { rounds: { max: 1 } }
agents: { worker: { prompt: prompts/w.md } }
trouble: { error: lost }
start: working
states:
  working:
    plan: { tasks: data.tasks, agents: [worker], at_most: 20, if_task_fails: { compensate: { how: '"simply"' }, critical: block } }
    with: { task: task }
    next: { done: changing, incomplete: lost }
  changing:
    save: { tasks: '[{"id": "a", "try": 2}]' }
    next: { count: rounds, to: working, exceeded: done }
  done: { final: completed, output: last.working }
  lost: { final: failed, output: run.error.message }
"#,
    )
    .start(json!({}));
    let reply = |id: &str| if id == "a" { fails(FailureKind::Refused, "no") } else { returns(json!({})) };
    assert_eq!(waves(&mut play, reply), "a | a-instead | a | a-instead");
    assert_eq!(play.outcome(), "completed", "{}", play.output());
}

#[test]
fn a_plan_that_is_run_again_does_not_remember_what_was_added_to_the_last_one() {
    let mut play = Play::new(
        r#"
data: { tasks: '[{"id": "a"}, {"id": "b", "depends_on": ["a"]}]' }
counters: { rounds: { max: 1 } }
agents: { worker: { prompt: prompts/w.md } }
trouble: { error: lost }
start: working
states:
  working:
    plan: { tasks: data.tasks, again: true, agents: [worker], at_most: 20, if_task_fails: { compensate: { how: '"simply"' }, critical: block } }
    with: { task: task }
    next: { done: changing, incomplete: lost }
  changing:
    save: { tasks: '[{"id": "c"}]' }
    next: { count: rounds, to: working, exceeded: done }
  done: { final: completed, output: last.working }
  lost: { final: failed, output: run.error.message }
"#,
    )
    .start(json!({}));
    let reply = |id: &str| if id == "b" { fails(FailureKind::Refused, "no") } else { returns(json!({})) };
    assert_eq!(waves(&mut play, reply), "a | b | b-instead | c");
    assert_eq!(play.outcome(), "completed", "{}", play.output());
}

#[test]
fn an_unsafe_task_has_no_alternative() {
    let mut play = Play::new(
        r#"
agents: { worker: { prompt: prompts/w.md, class: unsafe } }
trouble: { error: lost }
start: working
states:
  working:
    plan: { tasks: [{ id: a }], agents: [worker], at_most: 20, if_task_fails: { alternative: { how: '"simply"' }, critical: block } }
    with: { task: task }
    next: { done: done, incomplete: lost }
  done: { final: completed, output: last.working }
  lost: { final: failed, output: null }
"#,
    )
    .start(json!({}));
    assert_eq!(waves(&mut play, |_| fails(FailureKind::Unavailable, "who knows")), "a", "it is never started twice");
    assert_eq!(play.outcome(), "failed");
}

#[test]
fn no_task_of_a_plan_has_the_name_of_an_answer_to_another() {
    let play = machine("", json!([task("a", &[]), task("a?1other", &[])]));
    assert_eq!(play.outcome(), "failed");
    assert!(play.output()["error"].as_str().unwrap().contains("question mark"), "{}", play.output());
}

#[test]
fn a_task_without_a_policy_is_the_states_trouble_and_is_recorded_once() {
    let mut play = machine("", json!([task("a", &[])]));
    play.run(|_| fails(FailureKind::Refused, "no"));
    assert_eq!(play.outcome(), "failed");
    let error = play.state.error.as_ref().expect("an error");
    assert_eq!(error.task.as_ref().map(|task| task.as_str()), Some("working.1/a"));
    assert_eq!(play.state.errors.len(), 1);
}
