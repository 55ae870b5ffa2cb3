//! The real program, killed in every state of every built-in workflow while it plays the workflow's own cases.
//! What it then comes to must be what an undisturbed run comes to: the outcome, the path, and every file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use motet_core::names::RunId;
use motet_host::{Sqlite, Store as _};
use serde_json::Value;

use super::moments::{without_moments, zeroed};
use super::project::Project;

/// Long enough for a kill to come while the run is still in the state that it was just seen to enter.
const BEATS: [&str; 3] = ["30ms", "100ms", "400ms"];

/// Its sources are listed in the order in which searches that run side by side answer, and one that was killed answers later.
const ORDER_MATTERS: [&str; 1] = ["two-iterations"];

/// Cases that are about what a kill changes: money that may have been spent, time that is used, what happens at a moment.
fn depends_on_kills(text: &str) -> bool {
    text.lines().any(|line| ["budget:", "max_time:", "events:"].iter().any(|key| line.starts_with(key)))
}

#[test]
fn a_run_killed_in_every_state_of_every_workflow_ends_like_one_that_was_not() {
    let mut workflows: Vec<String> = std::fs::read_dir(folder("")).expect("the built-in workflows").map(name_of).collect();
    workflows.sort();
    let workers: Vec<_> = workflows.into_iter().map(|workflow| std::thread::spawn(move || check(&workflow))).collect();
    let reports: Vec<String> = workers.into_iter().map(|worker| worker.join().expect("a workflow that survives")).collect();
    println!("{}", reports.join("\n"));
}

fn name_of(entry: std::io::Result<std::fs::DirEntry>) -> String {
    entry.expect("a folder").file_name().into_string().expect("a name")
}

/// Kills a workflow in every state, and says how often.
fn check(workflow: &str) -> String {
    let project = Project::new();
    let states = states(&project, workflow);
    let mut missing = states.clone();
    let mut kills = 0;
    let mut cases = expected_paths(workflow);
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
            Ending::of(&project, &run).must_be(&undisturbed, &format!("{workflow}, case {case}, run {run}"));
            project.motet(&["verify", &run]).exits(0);
        }
        if !missing.is_empty() {
            cases = rehearsed_paths(&project, workflow);
        }
    }
    assert!(missing.is_empty(), "{workflow} was never killed in {missing:?}");
    format!("{workflow}: killed in all {} states, {kills} times", states.len())
}

/// Every state: `check` proves of each that a run can come there.
fn states(project: &Project, workflow: &str) -> BTreeSet<String> {
    let report = project.motet(&["check", workflow, "--json"]).exits(0).json().remove(0);
    let states = report["bounds"][0]["states"].as_array().expect("the states").clone();
    states.iter().map(|state| state["state"].as_str().expect("a name").to_string()).collect()
}

/// The paths that cases which a kill does not change expect, by file name.
fn expected_paths(workflow: &str) -> BTreeMap<String, Vec<String>> {
    let mut paths = BTreeMap::new();
    for entry in std::fs::read_dir(folder(workflow).join("cases")).expect("cases").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("a case");
        let name = entry.file_name().to_string_lossy().trim_end_matches(".yaml").to_string();
        let case = motet_core::case::parse(&name, &text).expect("a case that can be read");
        if let Some(path) = case.expect.path.filter(|_| !depends_on_kills(&text) && !ORDER_MATTERS.contains(&&*name)) {
            paths.insert(name, path);
        }
    }
    paths
}

/// The same for all such cases, which takes longer: those that do not say what they expect are rehearsed.
fn rehearsed_paths(project: &Project, workflow: &str) -> BTreeMap<String, Vec<String>> {
    let mut paths = BTreeMap::new();
    for result in project.motet(&["test", workflow, "--json"]).exits(0).json() {
        let Some(file) = result["file"].as_str() else { continue };
        let text = std::fs::read_to_string(folder(workflow).join(file)).expect("the case");
        let path = result["path"].as_array().expect("a path").iter().filter_map(|state| Some(state.as_str()?.to_string()));
        let name = file.trim_start_matches("cases/").trim_end_matches(".yaml");
        if !depends_on_kills(&text) && !ORDER_MATTERS.contains(&name) {
            paths.insert(name.to_string(), path.collect());
        }
    }
    paths
}

fn folder(workflow: &str) -> PathBuf {
    motet_testkit::repository().join("workflows").join(workflow)
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
        let mut killed = self.follow(first);
        while killed {
            let run = self.run.clone();
            killed = self.follow(&["resume", &run, "--json"]);
        }
    }

    /// True if the process was killed.
    fn follow(&mut self, arguments: &[&str]) -> bool {
        let mut child = self.project.command(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary runs");
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
                self.count(&entered);
                return true;
            }
        }
        child.wait().expect("it ends");
        false
    }

    /// What was entered counts if the run is still where it stood; all but the last state were left with the event that entered them.
    fn count(&mut self, entered: &[&str]) {
        let store = Sqlite::open(&self.project.root.join(".motet")).expect("the database");
        let record = store.run(&RunId::new(&*self.run)).expect("the database can be read").expect("the run");
        if entered.last() == Some(&record.state.as_str()) {
            self.missing.retain(|state| !entered.contains(&state.as_str()));
        }
    }
}

/// What must be the same: all but the run's name, its times, and what the interruptions themselves left behind.
struct Ending {
    /// Status, reason and path.
    end: (Value, Value, Vec<String>),
    /// The files, and the output as one more.
    files: BTreeMap<String, String>,
}

impl Ending {
    fn of(project: &Project, run: &str) -> Self {
        let status = project.status(run);
        let entered = project.motet(&["log", run, "--json"]).json();
        let path = entered.iter().flat_map(|line| line["entered"].as_array().cloned().unwrap_or_default());
        let mut files = BTreeMap::new();
        read(&project.root.join(".motet/runs").join(run), "", run, &mut files);
        files.insert("(output)".into(), normal(&status["output"].to_string(), run));
        let path = path.filter_map(|state| Some(state.as_str()?.to_string())).collect();
        Self { end: (status["status"].clone(), status["because"].clone(), path), files }
    }

    fn must_be(&self, other: &Self, of: &str) {
        assert_eq!(self.end, other.end, "{of}");
        assert_eq!(self.files.keys().collect::<Vec<_>>(), other.files.keys().collect::<Vec<_>>(), "{of}");
        for (name, text) in &self.files {
            for (line, wanted) in text.lines().zip(other.files[name].lines()) {
                assert_eq!(line, wanted, "{of}: {name}");
            }
            assert_eq!(text.lines().count(), other.files[name].lines().count(), "{of}: {name}");
        }
    }
}

fn read(directory: &Path, below: &str, run: &str, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        // What the program itself remembers of the files it wrote is not one of them.
        if name.starts_with('.') {
            continue;
        }
        if entry.path().is_dir() {
            read(&entry.path(), &format!("{name}/"), run, files);
        } else {
            let text = std::fs::read_to_string(entry.path()).expect("a text");
            files.insert(name, normal(&text, run));
        }
    }
}

/// Moments become zeroes and the run's name `RUN`. That something was begun once more is true of a run that was killed, so it is left out.
fn normal(text: &str, run: &str) -> String {
    let begun_again = |line: &&str| line.contains("\"Task dispatch\"") && !line.contains("\"attempt\": 1}");
    let lines: Vec<&str> = text.lines().filter(|line| !begun_again(line)).collect();
    let normal = without_moments(&lines.join("\n").replace(run, "RUN"));
    zeroed(&normal, &["\"attempts\": 0", "\"attempts\":0", "Attempts: 0"])
}
