//! Two hundred tasks at once under a cap that pays for fifty-seven of them.

use motet_core::units::Usd;
use serde_json::json;

use super::project::Project;

const WORKFLOW: &str = "
workflow: many
version: 1.0.0
summary: Two hundred tasks that each cost ten cents at most.
limits: { cost: 5.75 }
agents: { worker: { prompt: prompts/worker.md, returns: { task: string }, cost: 0.1 } }
trouble: { error: failed }
start: working
states:
  working: { agent: worker, each: range(200), at_most: 200, with: { number: item }, next: done }
  done: { final: completed, output: { tasks: 'size(last.working)' } }
  failed: { final: failed, output: run.error }
";

/// Takes all that was reserved for it.
const WORKER: &str =
    r#"cat > /dev/null; echo "$MOTET_TASK" >> begun.txt; echo "{\"result\": {\"task\": \"$MOTET_TASK\"}, \"usage\": {\"cost\": 0.1}}""#;

#[test]
fn exactly_as_many_tasks_run_as_the_cap_pays_for_and_the_rest_when_there_is_more() {
    let project = Project::new();
    project.write("workflows/many/workflow.yaml", WORKFLOW);
    project.write("workflows/many/prompts/worker.md", "Work on {{ number }}.");
    project.write("motet.toml", &format!("parallel = 200\n[agents.worker]\ncommand = ['sh', '-c', '''{WORKER}''']\n"));
    project.motet(&["run", "many"]).exits(5).says(&["out of budget", "motet resume"]);
    assert_eq!(project.read("begun.txt").lines().count(), 57);
    assert_eq!(project.status("last")["status"], "out_of_budget");
    check_every_event(&project, 5.75);
    project.motet(&["resume", "last", "--budget", "20"]).exits(0).says(&["completed"]);
    assert_eq!(project.read("begun.txt").lines().count(), 200, "nothing was paid for twice");
    assert_eq!(project.status("last")["output"], json!({ "tasks": 200 }));
    check_every_event(&project, 20.0);
}

/// The journal, told again: at no event was more spent, reserved or in doubt than the cap.
fn check_every_event(project: &Project, cap: f64) {
    let cap = Usd::from_dollars(cap).expect("an amount");
    let exported = project.motet(&["export", "last"]).exits(0);
    let whole: serde_json::Value = serde_json::from_str(&exported.out).expect("JSON");
    let events: Vec<motet_core::Event> = serde_json::from_value(whole["journal"].clone()).expect("events");
    let folder = [("workflow.yaml", WORKFLOW), ("prompts/worker.md", "Work on {{ number }}.")];
    let folder = folder.map(|(path, text)| (path.to_string(), text.to_string())).into();
    let (definition, _) = motet_core::language::load(folder, &Alone).expect("it loads");
    let mut state = motet_core::State::default();
    for event in &events {
        motet_core::step(&definition, &mut state, event).expect("it replays");
        let booked = Usd(state.money.spent.0 + state.money.reserved.0 + state.money.uncertain.0);
        assert!(booked <= cap, "event {}: {booked:?} is more than {cap:?}", event.seq);
    }
}

/// The workflow names no other and calls no function of Motet.
struct Alone;

impl motet_core::language::Library for Alone {
    fn workflow(&self, _name: &str) -> Option<motet_core::Folder> {
        None
    }

    fn has_builtin(&self, _name: &str) -> bool {
        false
    }

    fn builtins(&self) -> Vec<String> {
        Vec::new()
    }
}
