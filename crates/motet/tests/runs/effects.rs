//! Effects that must not happen twice, under a program that is killed again and again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use super::project::Project;

const TASKS: usize = 200;
const KILLS: usize = 12;
const AT_ONCE: usize = 8;

fn project(class: &str, worker: &str) -> Project {
    let project = Project::new();
    let workflow = format!(
        "
workflow: refunds
version: 1.0.0
summary: Two hundred effects on the world outside.
agents: {{ clerk: {{ prompt: prompts/clerk.md, returns: {{ task: string }}, class: {class} }} }}
trouble: {{ error: failed }}
start: refunding
states:
  refunding: {{ agent: clerk, each: range({TASKS}), at_most: {TASKS}, with: {{ number: item }}, next: done }}
  done: {{ final: completed, output: {{ refunds: 'size(last.refunding)' }} }}
  failed: {{ final: failed, output: run.error }}
"
    );
    project.write("workflows/refunds/workflow.yaml", &workflow);
    project.write("workflows/refunds/prompts/clerk.md", "Refund {{ number }}.");
    project.write("worker.sh", worker);
    project.write("motet.toml", &format!("parallel = {AT_ONCE}\n[agents.clerk]\ncommand = ['bash', 'worker.sh']\n"));
    project
}

/// Starts the run, kills it in the middle of its work as often as wanted, and lets it go on until it ends or waits for somebody.
fn kill_again_and_again(project: &Project) {
    let mut moment = 11_u64;
    let mut arguments = vec!["run", "refunds"];
    for _ in 0..KILLS {
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let running = project.start(&arguments);
        std::thread::sleep(Duration::from_millis(150 + (moment >> 33) % 350));
        running.kill();
        if !project.list().is_empty() {
            arguments = vec!["resume", "last"];
        }
    }
    project.motet(&arguments);
}

#[test]
fn an_unsafe_effect_that_hangs_is_asked_of_people_and_not_given_to_who_stands_in() {
    let project = project("unsafe, timeout: 1s", "cat > /dev/null; echo first >> effects.txt; exec sleep 60");
    let file = "workflows/refunds/workflow.yaml";
    project.write(file, &project.read(file).replace(&format!("range({TASKS})"), "range(1)"));
    project.write("other.sh", "cat > /dev/null; echo second >> effects.txt; echo '{\"task\": \"done\"}'");
    project.write("motet.toml", "[agents.clerk]\ncommand = ['bash', 'worker.sh']\nfallback = ['command:bash other.sh']\n");
    project.motet(&["run", "refunds"]).says(&["must not run twice"]);
    assert_eq!(project.status("last")["gates"].as_array().map(Vec::len), Some(1));
    assert_eq!(project.read("effects.txt"), "first\n");
}

#[test]
fn an_unsafe_effect_never_happens_twice_and_people_say_what_became_of_the_uncertain_ones() {
    let worker = r#"cat > /dev/null; echo "$MOTET_TASK" >> effects.txt; sleep 0.1; echo "{\"task\": \"$MOTET_TASK\"}""#;
    let project = project("unsafe", worker);
    kill_again_and_again(&project);
    let mut asked = 0;
    loop {
        let status = project.status("last");
        let gates = status["gates"].as_array().cloned().unwrap_or_default();
        if gates.is_empty() {
            break;
        }
        let effects = project.read("effects.txt");
        for gate in gates {
            let id = gate["gate"].as_str().expect("a gate has an id");
            let ask = gate["ask"].as_str().expect("a gate asks");
            let task = id.split('?').next().expect("the task of the gate");
            for fact in [task, "clerk", "attempt 1", "must not run twice", "started at"] {
                assert!(ask.contains(fact), "{fact} is missing: {ask}");
            }
            asked += 1;
            // The person looks where the effect would be seen.
            let result = json!({ "task": task }).to_string();
            let answer: &[&str] = match effects.lines().any(|line| line == task) {
                true => &["approve", "last", "done", "--text", &result, "--gate", id, "--only"],
                false => &["approve", "last", "run_again", "--gate", id, "--only"],
            };
            project.motet(answer).exits(0);
        }
        project.motet(&["resume", "last"]);
    }
    assert!(asked > 0, "no kill met a call at work");
    assert_eq!(project.status("last")["output"], json!({ "refunds": TASKS }));
    let effects = project.read("effects.txt");
    let distinct: BTreeSet<&str> = effects.lines().collect();
    assert_eq!((effects.lines().count(), distinct.len()), (TASKS, TASKS), "every effect happened once");
    project.motet(&["verify", "last"]).exits(0);
}

#[test]
fn an_idempotent_effect_is_sent_again_with_its_key_and_happens_once() {
    let server = Server::start();
    let worker = format!(
        r#"cat > /dev/null; exec 3<>/dev/tcp/127.0.0.1/{}; echo "$MOTET_KEY $MOTET_TASK" >&3; read -r reply <&3; sleep 0.1; echo "{{\"task\": \"$reply\"}}""#,
        server.port
    );
    let project = project("idempotent", &worker);
    kill_again_and_again(&project);
    assert_eq!(project.status("last")["output"], json!({ "refunds": TASKS }));
    let (effects, received) = server.seen();
    assert_eq!(effects.len(), TASKS, "one key for every task");
    assert_eq!(effects.values().collect::<BTreeSet<_>>().len(), TASKS, "one task for every key");
    assert!(received > TASKS, "no kill met a call at work: nothing was sent again");
}

/// Does what it is told once per key, like any service that honours keys.
struct Server {
    port: u16,
    seen: Arc<Mutex<(BTreeMap<String, String>, usize)>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let seen = Arc::new(Mutex::new((BTreeMap::new(), 0)));
        let shared = seen.clone();
        // It ends with the test's process.
        std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| drop(serve(stream, &shared))));
        Self { port, seen }
    }

    fn seen(&self) -> (BTreeMap<String, String>, usize) {
        self.seen.lock().expect("the server lives").clone()
    }
}

fn serve(mut stream: TcpStream, seen: &Mutex<(BTreeMap<String, String>, usize)>) -> std::io::Result<()> {
    let mut line = String::new();
    BufReader::new(stream.try_clone()?).read_line(&mut line)?;
    // A sender that was killed before its line was whole has sent nothing.
    let Some((key, task)) = line.strip_suffix('\n').and_then(|line| line.split_once(' ')) else { return Ok(()) };
    let mut seen = seen.lock().expect("the server lives");
    seen.1 += 1;
    let done = seen.0.entry(key.to_string()).or_insert_with(|| task.to_string()).clone();
    drop(seen);
    writeln!(stream, "{done}")
}
