//! A project in a temporary directory, and the binary run in it.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A workflow with everything the tests need: questions, parallel work by a program, and an approval.
const SHIP: &str = r#"
workflow: ship
version: 1.0.0
summary: Builds some parts, asks, ships.
input:
  goal: { type: string, minLength: 1, description: what is shipped }
  parts: { type: integer, minimum: 1, maximum: 20, default: 2 }
  tags: { type: "[string]", default: [] }
  fast: { type: boolean, default: false }
  patience: { type: duration, default: 5m, maximum: 1h }
data: { plan: null }
limits: { time: 10m, cost: 1 }
agents:
  builder: { prompt: prompts/builder.md, returns: { built: string }, timeout: 60s, cost: 0.01, retry: { attempts: 1 } }
trouble: { error: failed }
start: asking
states:
  asking:
    gate:
      ask: "Before {{ input.goal }} is built:"
      questions: '[{"id": "tone", "question": "Which tone?", "options": ["formal", "playful"], "default": "formal"}]'
      otherwise: defaults
    next: { answered: building }
  building:
    agent: builder
    each: range(input.parts)
    at_most: input.parts
    with: { part: item, goal: input.goal }
    save: { plan: result }
    next: approving
  approving:
    gate:
      ask: "Ship {{ input.goal }}?"
      show: plan.md
      options: [approve, change, halve, abort]
      text_for: [change]
      otherwise: approve
    next: { approve: shipped, change: stopped, halve: { to: shipped, partial: true }, abort: stopped }
  shipped: { final: completed, output: { goal: input.goal, parts: data.plan } }
  stopped: { final: aborted }
  failed: { final: failed, output: { error: run.error.message } }
files:
  plan.md: { from: files/plan.md.j2 }
"#;

/// Appends the task to a file when it is done, so that everything done can be counted; may be told to wait or to fail.
const BUILDER: &str = r#"#!/bin/sh
cat > /dev/null
echo "$MOTET_TASK $MOTET_ATTEMPT" >> begun.txt
while [ -e wait.txt ]; do sleep 0.02; done
if [ -e fail.txt ]; then echo "no wood left" >&2; exit 3; fi
echo "$MOTET_TASK" >> done.txt
echo "{\"result\": {\"built\": \"$MOTET_TASK\"}, \"usage\": {\"cost\": 0.002}}"
"#;

pub struct Project {
    pub root: PathBuf,
}

static COUNT: AtomicU32 = AtomicU32::new(0);

impl Project {
    /// With the workflow `ship` and a program that plays its builder.
    pub fn new() -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("motet-runs-{}-{number}", std::process::id()));
        let project = Self { root };
        project.write("workflows/ship/workflow.yaml", SHIP);
        project.write("workflows/ship/prompts/builder.md", "Build part {{ part }} of {{ goal }}.");
        project.write(
            "workflows/ship/files/plan.md.j2",
            "# {{ input.goal }}\n{% for part in data.plan or [] %}- {{ part.built }}\n{% endfor %}",
        );
        project.write("builder.sh", BUILDER);
        let program = project.root.join("builder.sh");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("a program can be made");
        project.write("motet.toml", "[agents.builder]\ncommand = ['./builder.sh']\n");
        project
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a file has a directory")).expect("a directory can be made");
        std::fs::write(path, text).expect("a file can be written");
    }

    pub fn read(&self, path: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap_or_default()
    }

    /// Everything that is kept below a folder: where, and what.
    pub fn files(&self, folder: &str) -> Vec<(String, Vec<u8>)> {
        let (mut folders, mut all) = (vec![self.root.join(folder)], Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
                let path = entry.path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => all.push((path.display().to_string(), std::fs::read(&path).unwrap_or_default())),
                }
            }
        }
        all
    }

    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.root.join(path)).expect("the file is there");
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_motet"));
        command.args(arguments).current_dir(&self.root).env_clear().env("PATH", std::env::var_os("PATH").expect("a path to programs"));
        command.env("USER", "ada").env("OLLAMA_BASE_URL", "http://127.0.0.1:9").stdin(Stdio::null());
        command
    }

    pub fn motet(&self, arguments: &[&str]) -> Done {
        Done::new(arguments, self.command(arguments).output().expect("the binary runs"))
    }

    /// The same where nothing in the environment asks for a model.
    pub fn offline(&self, arguments: &[&str]) -> Done {
        Done::new(arguments, self.command(arguments).env_remove("OLLAMA_BASE_URL").output().expect("the binary runs"))
    }

    /// A program of the project, in the language of the shell.
    pub fn program(&self, path: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        self.write(path, text);
        std::fs::set_permissions(self.root.join(path), std::fs::Permissions::from_mode(0o755)).expect("a program can be made");
    }

    /// Makes the project a repository in which everything is committed.
    pub fn commit(&self) {
        self.git(&["init", "--quiet", "--initial-branch=main"]);
        self.git(&["add", "--all"]);
        self.git(&["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "-m", "begin"]);
    }

    pub fn git(&self, words: &[&str]) -> String {
        let output = Command::new("git").args(words).current_dir(&self.root).output().expect("git runs");
        assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_string()
    }

    /// A run in another process, and its id as soon as it has one.
    pub fn start(&self, arguments: &[&str]) -> Running {
        let child = self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
        Running(Some(child))
    }

    /// The id of the newest run.
    pub fn last(&self) -> String {
        self.list().first().map(|run| run["run"].as_str().expect("an id").to_string()).expect("there is a run")
    }

    pub fn list(&self) -> Vec<Value> {
        self.motet(&["list", "--json"]).json()
    }

    pub fn status(&self, run: &str) -> Value {
        self.motet(&["status", run, "--json"]).json().remove(0)
    }

    /// Waits until something holds; a test that waits longer has failed.
    pub fn until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < Duration::from_secs(60), "{what} did not happen");
            std::thread::sleep(Duration::from_millis(4));
        }
    }

    /// Waits until builders have begun on this many tasks.
    pub fn until_begun(&self, count: usize) {
        self.until("building", || self.read("begun.txt").lines().count() >= count);
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        // Builders that still wait end with the file they wait for.
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// What a command came to.
pub struct Done {
    shown: String,
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Done {
    pub fn new(arguments: &[&str], output: Output) -> Self {
        let (out, err) = (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned());
        let code = output.status.code();
        Self { shown: format!("motet {} ended with {code:?}\n{out}{err}", arguments.join(" ")), code, out, err }
    }

    /// All of it, for a message.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Asserts the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.shown);
        self
    }

    /// Asserts that all of this was said, on either stream.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.out.contains(part) || self.err.contains(part), "{part:?} is missing: {}", self.shown);
        }
        self
    }

    #[track_caller]
    pub fn json(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}\n{}", self.shown))).collect()
    }
}

/// A process that is killed if a test forgets it.
pub struct Running(Option<Child>);

impl Running {
    pub fn pid(&self) -> u32 {
        self.0.as_ref().expect("it runs").id()
    }

    pub fn send(&self, signal: Signal) {
        kill_process(Pid::from_raw(self.pid().cast_signed()).expect("a number"), signal).expect("it can be signalled");
    }

    /// Waits for the first line that it prints, so that what it waits for can happen afterwards. The line is read, and told here.
    pub fn first_line(&mut self) -> String {
        let printed = self.0.as_mut().and_then(|child| child.stdout.as_mut()).expect("what it prints");
        let (mut line, mut byte) = (Vec::new(), [0]);
        while printed.read(&mut byte).expect("it prints") == 1 && byte != *b"\n" {
            line.push(byte[0]);
        }
        String::from_utf8(line).expect("what it prints is text")
    }

    pub fn wait(mut self) -> Done {
        Done::new(&["(in the background)"], self.0.take().expect("it runs").wait_with_output().expect("it ends"))
    }

    pub fn kill(mut self) {
        let mut child = self.0.take().expect("it runs");
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
