//! Measures what stands between two answers of a model: the time until the next request is on the wire, and the memory that stays.
//! Calls are those of runs: they go through the driver with its database and the performer, with redaction and with what is put on
//! record. The model is a server of the testkit in this process, so that only our own part is measured; `cargo xtask bench` runs it.

#![expect(clippy::print_stdout, reason = "a program that measures says what it measured")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use motet_agents::model::{ModelAgent, ModelSettings, Provider, ProviderKind};
use motet_agents::{Context, Outcome as Came, Performer, Redactor, Request, Secret};
use motet_core::names::{RunId, TaskId};
use motet_core::{Call, Definition};
use motet_host::driver::{Driver, Handle, Request as Order, wall_clock};
use motet_host::engine::{Definitions, Engine, Outcome, Settings};
use motet_host::{Done, Notice, Perform, Places, Sqlite};
use motet_testkit::providers::{FakeProvider, Format, Line, Said};
use motet_testkit::workflows::Shelf;
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

const RUNS: usize = 100;
const CALLS_OF_A_RUN: u32 = 10;
/// Ten thousand streamed calls in all.
const WAVES: usize = 10;
const CALLS_OF_A_WAVE: u32 = 1000;
const AT_ONCE: usize = 50;
/// Looked for in everything that is said.
const KEY: &str = "sk-0123456789abcdef";

fn main() {
    let as_json = std::env::args().any(|argument| argument == "--json");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let mut of = Map::new();
    let mut measured = |name: &str, value: f64| {
        if !as_json {
            println!("{name:22} {value:>12.1}");
        }
        of.insert(name.to_string(), json!((value * 10.0).round() / 10.0));
    };
    // Models answer when they are done, each in its own time; a hundred answers at one instant are the worst case, which two cores share.
    let gaps = gaps_ms(&runtime, |call| 100 + (call as u64 * 137) % 400);
    let at_one_instant = gaps_ms(&runtime, |_| 100);
    let (median, late) = (gaps[gaps.len() / 2], gaps[gaps.len() * 95 / 100]);
    measured("next_request_ms", median);
    measured("next_request_p95_ms", late);
    measured("next_request_burst_ms", at_one_instant[at_one_instant.len() / 2]);
    let (after_few, after_all) = resident_mb_over_calls(&runtime);
    measured("rss_1k_calls_mb", after_few);
    measured("rss_10k_calls_mb", after_all);

    let mut missed = Vec::new();
    if median > 5.0 {
        missed.push("next_request_ms must be ≤ 5 in the median");
    }
    if late > 5.0 {
        missed.push("next_request_p95_ms must be ≤ 5 for nineteen of twenty");
    }
    if after_all > after_few * 1.1 + 2.0 {
        missed.push("rss_10k_calls_mb must be within 10 % of rss_1k_calls_mb");
    }
    if as_json {
        of.insert("missed".into(), json!(missed));
        println!("{}", Value::Object(of));
    } else {
        missed.iter().for_each(|missed| println!("missed: {missed}"));
    }
    std::process::exit(i32::from(!missed.is_empty()));
}

/// From the end of an answer to the next request of the same run at the server, over many runs at once, sorted.
/// `pause_ms` is how long the model takes for each call.
fn gaps_ms(runtime: &Runtime, pause_ms: impl Fn(usize) -> u64) -> Vec<f64> {
    let calls = RUNS * CALLS_OF_A_RUN as usize;
    let lines = (0..calls).map(|call| Line::Says(Said::new("ok").slowly(Duration::from_millis(pause_ms(call)))));
    let server = FakeProvider::start(lines).timed();
    let driven = Driven::start(runtime, &server);
    driven.play("chain", RUNS, CALLS_OF_A_RUN);
    driven.end();

    let mut by_run: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for timing in server.timings() {
        by_run.entry(timing.prompt.clone()).or_default().push(timing);
    }
    let between = by_run.values().flat_map(|timings| timings.windows(2));
    let mut gaps: Vec<f64> = between.map(|pair| (pair[1].asked - pair[0].answered).as_secs_f64() * 1000.0).collect();
    assert_eq!(gaps.len(), RUNS * (CALLS_OF_A_RUN as usize - 1), "every run asked as often as it should");
    gaps.sort_by(f64::total_cmp);
    gaps
}

/// What this process holds after the first thousand calls, and after all of them: runs that end make room for others.
fn resident_mb_over_calls(runtime: &Runtime) -> (f64, f64) {
    let server = FakeProvider::start([Line::Says(Said::in_pieces(["word "; 10]))]).forgetful();
    let driven = Driven::start(runtime, &server);
    let mut early = 0.0;
    for wave in 0..WAVES {
        driven.play(&format!("wave-{wave}"), AT_ONCE, CALLS_OF_A_WAVE / AT_ONCE as u32);
        if wave == 0 {
            early = resident_mb();
        }
    }
    let late = resident_mb();
    driven.end();
    assert_eq!(server.counts().0, u64::from(CALLS_OF_A_WAVE) * WAVES as u64, "every call was made");
    (early, late)
}

/// A driver with its database, whose calls all go to one server.
struct Driven {
    handle: Handle,
    thread: JoinHandle<Result<(), motet_host::store::Error>>,
    ended: Receiver<()>,
    shelf: Shelf,
    home: PathBuf,
}

impl Driven {
    fn start(runtime: &Runtime, server: &FakeProvider) -> Self {
        let home = std::env::temp_dir().join(format!("motet-measure-models-{}", std::process::id()));
        std::fs::create_dir_all(&home).expect("a directory to measure in");
        let store = Sqlite::open_driver(&home, wall_clock()()).expect("a store");
        let settings = Settings { places: Places { total: RUNS, ..Places::default() }, ..Settings::default() };
        let perform = Asking { performer: performer(server), runtime: runtime.handle().clone() };
        let shelf = Shelf::new();
        let driver = Driver::new(Engine::new(store, Definitions::new(shelf.clone()), settings), perform, wall_clock(), None::<PathBuf>);
        let handle = driver.handle();
        let thread = driver.spawn().expect("a thread");
        let (one_ended, ended) = channel();
        handle.watch(move |notice| match notice {
            Notice::Ended { .. } => one_ended.send(()).is_ok(),
            _ => true,
        });
        Self { handle, thread, ended, shelf, home }
    }

    /// So many runs at once, each of so many calls, until all have ended.
    fn play(&self, name: &str, runs: usize, calls: u32) {
        for number in 0..runs {
            let started = self.shelf.started("chain", &format!("{name}-{number:05}"), json!({ "n": calls }));
            let order = Order::Start { started: Box::new(started), definition: self.shelf.definition("chain") };
            self.handle.ask_then(order, |result| drop(result.expect("the run starts")));
        }
        (0..runs).for_each(|_| self.ended.recv().expect("the driver lives"));
    }

    fn end(self) {
        self.handle.shut_down();
        self.thread.join().expect("the driver ends").expect("the driver ends well");
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

fn resident_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or("VmRSS: 0 kB");
    line.split_whitespace().nth(1).and_then(|number| number.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
}

fn performer(server: &FakeProvider) -> Performer {
    let provider = Provider::at(ProviderKind::OpenAiCompatible, &server.base_url(Format::OpenAi)).expect("an address");
    let provider = Provider { concurrency: Some(RUNS), ..provider.with_key(Secret::new(KEY), "KEY") };
    let agent = ModelAgent::new(provider, ModelSettings::new("m")).expect("an agent");
    Performer::new().bind_rest(Arc::new(agent)).redacting(Redactor::new([Secret::new(KEY)]))
}

/// What a call comes to, and what the journal would keep of it.
async fn performed(performer: &Performer, request: Request) -> (Came, Vec<Value>) {
    let (context, _stop) = Context::new();
    let came = performer.perform(request, &context).await;
    let recorded = context.recorded();
    (came, recorded.iter().map(|exchange| serde_json::to_value(exchange).expect("an exchange is JSON")).collect())
}

fn request(call: Call, prompt: String) -> Request {
    let mut request = Request::new(call);
    request.prompt = Some(prompt);
    request
}

/// Performs every call with the same model, and tells it which run asks.
struct Asking {
    performer: Performer,
    runtime: tokio::runtime::Handle,
}

impl Perform for Asking {
    fn perform(&self, call: Call, _definition: &Arc<Definition>, done: Done) {
        let performer = self.performer.clone();
        let prompt = call.run.to_string();
        self.runtime.spawn(async move {
            match performed(&performer, request(call, prompt)).await {
                (Came::Returned { result, usage }, exchanges) => done.finish(Outcome::Succeeded(result), usage, exchanges),
                (other, _) => panic!("the model answers: {other:?}"),
            }
        });
    }
    fn reconcile(&self, _call: Call, _definition: &Arc<Definition>, done: Done) {
        done.finish(Outcome::Undone, Default::default(), Vec::new());
    }
    fn stop(&self, _run: &RunId, _task: &TaskId, _attempt: u32) {}
}
