//! Whole runs against a real model server, wherever one is given; `cargo xtask live` sets one up from PyPI.
//! What a model writes is not judged here, only what the machine makes of it: its end, its counts, its money, its journal.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Write as _, copy};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use motet_agents::Secret;
use motet_agents::model::{ModelAgent, ModelSettings, Provider, ProviderKind};
use serde_json::Value;

use super::project::{Done, Project};

const BASE_URL: &str = "MOTET_LIVE_BASE_URL";
const MODEL: &str = "MOTET_LIVE_MODEL";
const KEY: &str = "MOTET_LIVE_API_KEY";

/// How many drafts are written side by side, so that there is a best one.
const CANDIDATES: usize = 3;

/// A reviewer who is never content, so that every draft that may be written is written.
const NEVER_CONTENT: &str = "\
You score slogans. Is it about the product, easy to remember, and true? Nothing is approved in this round.
Answer with one JSON object: {\"outcome\": \"needs_revision\", \"score\": a number from 0 to 1, \"feedback\": \"…\"}.
---user---
Product: {{ product }}

Slogan: {{ slogan }}
{% if correction %}

Your last answer could not be read: {{ correction }}
{% endif %}
";
/// How often it is tried until a model scores some earlier draft above its last one.
const TRIES: usize = 10;

/// A project whose agents are played by the live model, reached through a door that can be closed.
struct Live {
    project: Project,
    door: Option<Door>,
    model: String,
    key: Option<String>,
}

impl Live {
    /// None, with the reason printed, if no server is given.
    fn find() -> Option<Self> {
        let given = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let Some(base_url) = given(BASE_URL) else {
            // Past the harness, which would keep it to itself.
            let _ = writeln!(std::io::stdout(), "skipped: {BASE_URL} names no model server; `cargo xtask live` brings one");
            return None;
        };
        let key = given(KEY);
        let model = given(MODEL).unwrap_or_else(|| first_model(&base_url, key.as_deref()));
        let door = Door::before(&base_url);
        let base_url = door.as_ref().map_or(base_url.clone(), |door| door.instead_of(&base_url));
        let project = Project::new();
        let key_env = if key.is_some() { format!("key_env = '{KEY}'\n") } else { String::new() };
        // A price of our own, so that there is money to count; patience, and other lengths of answers than the workflow would allow, so
        // that the smallest model can do it: an answer that is cut off is none.
        project.write(
            "motet.toml",
            &format!(
                "[providers.live]\nkind = 'openai-compatible'\nbase_url = '{base_url}'\n{key_env}timeout = '10m'\n\n\
                 [agents.'*']\nmodel = 'live/{model}'\nprice = {{ input_per_million = 1, output_per_million = 2 }}\n\n\
                 [agents.writer]\nmax_tokens = 300\n\n[agents.researcher]\nmax_tokens = 1000\n\n[agents.deputy_researcher]\nmax_tokens = 1000\n\n\
                 [agents.orchestrator]\nmax_tokens = 1000\n"
            ),
        );
        Some(Self { project, door, model, key })
    }

    fn motet(&self, arguments: &[&str]) -> Done {
        let mut command = self.project.command(arguments);
        command.env_remove("OLLAMA_BASE_URL");
        if let Some(key) = &self.key {
            command.env(KEY, key);
        }
        Done::new(arguments, command.output().expect("the binary runs"))
    }

    /// Closes the way to the server, so that whatever works from here on works without it.
    fn goes_away(&mut self) {
        self.door = None;
    }

    /// Runs it, and holds the run to what every run must keep, whatever the model wrote.
    fn check(&mut self, arguments: &[&str], cap: f64, ends: &[i32]) -> Value {
        let began = Instant::now();
        let done = self.motet(arguments);
        let seconds = began.elapsed().as_secs_f64();
        assert!(done.code.is_some_and(|code| ends.contains(&code)), "{}", done.shown());
        let run = self.project.last();
        let status = self.project.status(&run);

        let cost = self.motet(&["cost", &run, "--json"]).exits(0).json().remove(0);
        let model = &cost["by_model"][format!("live/{}", self.model)];
        let number = |name: &str| model[name].as_u64().unwrap_or_default();
        assert!(number("calls") > 0 && number("tokens_in") > 0 && number("tokens_out") > 0, "nothing was counted: {cost}");
        let (spent, uncertain) = (cost["spent"].as_f64().unwrap_or(f64::MAX), cost["uncertain"].as_f64().unwrap_or(f64::MAX));
        assert!(spent > 0.0 && spent + uncertain <= cap && cost["reserved"] == 0.0 && cost["overrun"] == 0.0, "{cost}");

        self.goes_away();
        self.motet(&["replay", &run]).exits(0).says(&["the same state"]);
        self.motet(&["verify", &run]).exits(0);
        let _ = writeln!(
            std::io::stdout(),
            "live: {} with {} ended {} in {seconds:.0} s: {} calls, {} tokens in, {} out, ${spent:.6} of ${cap}",
            arguments[1],
            self.model,
            status["status"],
            number("calls"),
            number("tokens_in"),
            number("tokens_out"),
        );
        status
    }
}

#[test]
fn a_slogan_of_a_real_model_is_the_best_of_its_drafts_and_stays_within_its_budget() {
    let Some(mut live) = Live::find() else { return };
    let candidates = format!("candidates={CANDIDATES}");
    let arguments = ["run", "slogan", "eco-friendly water bottles", "-i", &candidates, "--budget", "0.05", "--unattended"];
    let status = live.check(&arguments, 0.05, &[0]);
    let output = &status["output"];
    let turns = output["turns"].as_array().expect("turns");
    let score = |turn: &Value| turn["score"].as_f64().expect("every draft has a score");
    let best = turns.iter().map(score).fold(f64::MIN, f64::max);
    // An approved draft wins; otherwise the best, the latest among equals. The last is only that if nothing was better.
    let wanted = match output["completion_reason"].as_str() {
        Some("approved") => turns.last(),
        _ => turns.iter().rfind(|turn| score(turn) == best),
    };
    assert_eq!(output["final_slogan"], wanted.expect("there is a draft")["slogan"], "{output:#}");
    // The scores are those of the journal: in every turn, the best of its drafts went on.
    let reviews = reviews(&live, status["run"].as_str().expect("an id"));
    for (number, turn) in turns.iter().enumerate() {
        let of_turn = format!("reviewing.{}/", number + 1);
        let given: Vec<f64> = reviews.iter().filter(|(task, _)| task.starts_with(&of_turn)).map(|(_, score)| *score).collect();
        if given.len() == CANDIDATES {
            assert_eq!(given.iter().copied().fold(f64::MIN, f64::max), score(turn), "turn {}: {reviews:?}", number + 1);
        }
    }
}

#[test]
fn of_several_turns_of_a_real_model_the_best_draft_counts_and_not_the_last() {
    for _ in 0..TRIES {
        let Some(mut live) = Live::find() else { return };
        let built_in = motet_testkit::repository().join("workflows/slogan");
        for file in ["workflow.yaml", "prompts/writer.md", "files/session.json.j2", "files/metrics.json.j2"] {
            let text = fs::read_to_string(built_in.join(file)).expect(file);
            live.project.write(&format!("workflows/slogan/{file}"), &text);
        }
        live.project.write("workflows/slogan/prompts/reviewer.md", NEVER_CONTENT);
        // A model that talks without end fails the run; that is another try.
        let arguments = ["run", "slogan", "eco-friendly water bottles", "-i", "max_turns=4", "--budget", "0.05"];
        let status = live.check(&arguments, 0.05, &[0, 1]);
        let output = &status["output"];
        if output["completion_reason"] != "max_turns" {
            continue;
        }
        let turns = output["turns"].as_array().expect("turns");
        assert_eq!(turns.len(), 4, "{output:#}");
        let score = |turn: &Value| turn["score"].as_f64().expect("every draft has a score");
        let best = turns.iter().map(score).fold(f64::MIN, f64::max);
        let wanted = turns.iter().rfind(|turn| score(turn) == best).expect("there is a draft");
        assert_eq!(output["final_slogan"], wanted["slogan"], "{output:#}");
        if turns.last().is_some_and(|last| score(last) < best) {
            let scores: Vec<f64> = turns.iter().map(score).collect();
            let _ = writeln!(std::io::stdout(), "live: scores {scores:?}; the draft that counts has {best}, the last one less");
            return;
        }
    }
    panic!("{TRIES} times the model gave no earlier draft more than its last one, so nothing was seen");
}

#[test]
fn research_with_a_real_model_ends_with_what_there_is_and_stays_within_its_budget() {
    let Some(mut live) = Live::find() else { return };
    let question = "Why is green tea steeped in water that does not boil?";
    let arguments = ["run", "research", question, "-i", "max_revisions=1", "-i", "max_time=2h", "-i", "max_cost=2", "--unattended"];
    let status = live.check(&arguments, 2.0, &[0, 3]);
    let output = &status["output"];
    assert!(output["summary"].as_str().is_some_and(|summary| !summary.trim().is_empty()), "{output:#}");
    assert_eq!(output["success"], Value::Bool(status["status"] == "completed"), "a run that fell short says so: {output:#}");
    let summary = live.project.read(format!(".motet/runs/{}/summary.md", status["run"].as_str().expect("an id")));
    assert!(!summary.trim().is_empty(), "the run leaves a file for people");
}

/// The reviews that stated a score, by task, as the journal has them: the last of each task counts.
fn reviews(live: &Live, run: &str) -> BTreeMap<String, f64> {
    let mut reviews = BTreeMap::new();
    for event in live.motet(&["log", run, "--events"]).exits(0).json() {
        let done = &event["fact"]["task_succeeded"];
        if let (Some(task), Some(score)) = (done["task"].as_str(), done["result"]["score"].as_f64()) {
            // On another scale it is no score; the review counts as a revision that gives none.
            reviews.insert(task.to_string(), if (0.0..=1.0).contains(&score) { score } else { 0.0 });
        }
    }
    reviews
}

fn first_model(base_url: &str, key: Option<&str>) -> String {
    let mut provider = Provider::at(ProviderKind::OpenAiCompatible, base_url).expect("an address of a server");
    if let Some(key) = key {
        provider = provider.with_key(Secret::new(key), KEY);
    }
    let agent = ModelAgent::new(provider, ModelSettings::new("any")).expect("an agent");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let probe = runtime.block_on(agent.probe()).unwrap_or_else(|failure| panic!("{}", failure.message));
    probe.models.first().cloned().unwrap_or_else(|| panic!("the server has no model; name one in {MODEL}"))
}

/// A way to a server that is gone when this is dropped.
struct Door {
    address: String,
    is_closed: Arc<AtomicBool>,
}

impl Door {
    /// None before a server that can only be reached by its own name, because it is encrypted.
    fn before(base_url: &str) -> Option<Self> {
        let behind = base_url.strip_prefix("http://")?.split('/').next()?.to_string();
        let behind = if behind.contains(':') { behind } else { format!("{behind}:80") };
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = listener.local_addr().expect("it is bound").to_string();
        let is_closed = Arc::new(AtomicBool::new(false));
        let closed = is_closed.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if closed.load(Ordering::SeqCst) {
                    return;
                }
                if let Ok(server) = TcpStream::connect(&behind) {
                    join(&stream, &server);
                    join(&server, &stream);
                }
            }
        });
        Some(Self { address, is_closed })
    }

    fn instead_of(&self, base_url: &str) -> String {
        let path = base_url.trim_start_matches("http://").find('/').map_or("", |at| &base_url["http://".len() + at..]);
        format!("http://{}{path}", self.address)
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::SeqCst);
        // Wakes the thread, which then lets go of the port.
        let _ = TcpStream::connect(&self.address);
    }
}

/// Carries what one side says to the other, until it has nothing more to say.
fn join(from: &TcpStream, to: &TcpStream) {
    let (mut from, mut to) = (from.try_clone().expect("a socket"), to.try_clone().expect("a socket"));
    std::thread::spawn(move || {
        let _ = copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
}
