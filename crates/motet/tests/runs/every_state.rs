//! The real program, killed in every state of every built-in workflow while it plays the workflow's own cases.
//! What it then comes to must be what an undisturbed run comes to: the outcome, the path, and every file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use super::project::Project;

/// Long enough for a kill to come while the run is still in the state that it was just seen to enter.
const BEATS: [&str; 3] = ["30ms", "100ms", "400ms"];

/// Cases that are about what a kill changes: money that may be spent, attempts that are counted, processes that die.
fn depends_on_kills(text: &str) -> bool {
    ["crash:", "budget:", "max_time:", "hangs:"].iter().any(|word| text.contains(word))
}

#[test]
fn a_run_killed_in_every_state_of_every_workflow_ends_like_one_that_was_not() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workflows");
    let mut workflows: Vec<String> = std::fs::read_dir(folder).expect("the built-in workflows").map(name_of).collect();
    workflows.sort();
    let workers: Vec<_> = workflows.into_iter().map(|workflow| std::thread::spawn(move || check(&workflow))).collect();
    let reports: Vec<String> = workers.into_iter().map(|worker| worker.join().expect("a workflow that survives")).collect();
    println!("{}", reports.join("\n"));
}

fn name_of(entry: std::io::Result<std::fs::DirEntry>) -> String {
    entry.expect("a folder").file_name().into_string().expect("a name")
}

/// Kills a workflow in every state that some case enters, and says how often.
fn check(workflow: &str) -> String {
    let project = Project::new();
    let cases = cases(&project, workflow);
    let reachable: BTreeSet<String> = cases.values().flatten().cloned().collect();
    let mut missing = reachable.clone();
    let mut kills = 0;
    for beat in BEATS {
        let mut untried = cases.clone();
        while let Some(case) = best(&untried, &missing) {
            untried.remove(&case);
            let undisturbed = project.motet(&["run", workflow, "--case", &case, "--pace", "0", "--json"]).json();
            let undisturbed = Ending::of(&project, undisturbed[0]["run"].as_str().expect("an id"));
            let mut killing = Killing { project: &project, missing: &mut missing, run: String::new(), kills: 0 };
            killing.go(&["run", workflow, "--case", &case, "--pace", "0", "--beat", beat, "--json"]);
            kills += killing.kills;
            let run = killing.run;
            assert_eq!(Ending::of(&project, &run), undisturbed, "{workflow}, case {case}, run {run}");
            project.motet(&["verify", &run]).exits(0);
        }
    }
    assert!(missing.is_empty(), "{workflow} was never killed in {missing:?}");
    format!("{workflow}: killed in all {} states, {kills} times", reachable.len())
}

/// The path of every case that a kill does not change, by file name.
fn cases(project: &Project, workflow: &str) -> BTreeMap<String, Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workflows").join(workflow);
    let mut cases = BTreeMap::new();
    for result in project.motet(&["test", workflow, "--json"]).exits(0).json() {
        let Some(file) = result["file"].as_str() else { continue };
        let text = std::fs::read_to_string(folder.join(file)).expect("the case");
        let path = result["path"].as_array().expect("a path").iter().filter_map(|state| Some(state.as_str()?.to_string()));
        if !depends_on_kills(&text) {
            let name = file.trim_start_matches("cases/").trim_end_matches(".yaml");
            cases.insert(name.to_string(), path.collect());
        }
    }
    cases
}

/// The case that enters most of the states that are missing; of equal ones the shortest.
fn best(cases: &BTreeMap<String, Vec<String>>, missing: &BTreeSet<String>) -> Option<String> {
    let entered = |path: &[String]| path.iter().collect::<BTreeSet<_>>().into_iter().filter(|state| missing.contains(*state)).count();
    let useful = cases.iter().filter(|(_, path)| entered(path) > 0);
    useful.max_by_key(|(_, path)| (entered(path), usize::MAX - path.len())).map(|(name, _)| name.clone())
}

/// One run, from process to process.
struct Killing<'a> {
    project: &'a Project,
    /// States that no run was killed in yet.
    missing: &'a mut BTreeSet<String>,
    run: String,
    kills: usize,
}

impl Killing<'_> {
    /// Drives the run until it ends or waits as it would have anyway, and kills every process that enters a missing state.
    fn go(&mut self, first: &[&str]) {
        let mut arguments: Vec<String> = first.iter().map(ToString::to_string).collect();
        loop {
            let killed = self.follow(&arguments);
            let status = self.project.status(&self.run);
            let gates = status["gates"].as_array().cloned().unwrap_or_default();
            // What may have been done already, only a person can tell; the scripted agent has done nothing.
            let doubted = gates.iter().any(|gate| gate["options"].as_array().is_some_and(|options| options.contains(&"run_again".into())));
            arguments = match () {
                () if status["status"] != "running" && status["status"] != "waiting_user" => return,
                () if doubted => vec!["approve".into(), self.run.clone(), "run_again".into(), "--json".into()],
                () if killed => vec!["resume".into(), self.run.clone(), "--json".into()],
                () => return,
            };
        }
    }

    /// True if the process was killed.
    fn follow(&mut self, arguments: &[String]) -> bool {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut child = self.project.command(&arguments).stdout(Stdio::piped()).spawn().expect("the binary runs");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        for line in lines.map_while(Result::ok) {
            let line: Value = serde_json::from_str(&line).expect("a line of JSON");
            if let Some(run) = line["run"].as_str() {
                self.run = run.to_string();
            }
            let entered: Vec<&str> = line["entered"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            if entered.iter().any(|state| self.missing.contains(*state)) {
                child.kill().expect("it can be killed");
                child.wait().expect("it ends");
                self.kills += 1;
                self.count(&line["event"]["seq"], &entered);
                return true;
            }
        }
        child.wait().expect("it ends");
        false
    }

    /// A state counts if the run is still in it, or if it was left with the very event that entered it and nothing came after that.
    fn count(&mut self, seq: &Value, entered: &[&str]) {
        let journal = self.project.motet(&["log", &self.run, "--json"]).json();
        let moved = journal.iter().skip_while(|line| line["seq"] != *seq).skip(1).any(|line| line["entered"] != serde_json::json!([]));
        if !moved {
            entered.iter().for_each(|state| drop(self.missing.remove(*state)));
        }
    }
}

/// What must be the same: all but the run's name, its times, and what the interruptions themselves left behind.
#[derive(Debug, PartialEq)]
struct Ending {
    status: Value,
    because: Value,
    output: String,
    path: Vec<String>,
    files: BTreeMap<String, String>,
}

impl Ending {
    fn of(project: &Project, run: &str) -> Self {
        let status = project.status(run);
        let entered = project.motet(&["log", run, "--json"]).json();
        let path = entered.iter().flat_map(|line| line["entered"].as_array().cloned().unwrap_or_default());
        let mut files = BTreeMap::new();
        read(&project.root.join(".motet/runs").join(run), "", run, &mut files);
        Self {
            status: status["status"].clone(),
            because: status["because"].clone(),
            output: normal(&status["output"].to_string(), run),
            path: path.filter_map(|state| Some(state.as_str()?.to_string())).collect(),
            files,
        }
    }
}

fn read(directory: &Path, below: &str, run: &str, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            read(&entry.path(), &format!("{name}/"), run, files);
        } else {
            let text = std::fs::read_to_string(entry.path()).expect("a text");
            files.insert(name, normal(&text, run));
        }
    }
}

/// Moments become `TIME` and the run's name `RUN`.
fn normal(text: &str, run: &str) -> String {
    text.replace(run, "RUN")
}
