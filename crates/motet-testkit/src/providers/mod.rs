//! A server that speaks the real wire formats of Ollama, OpenAI, Anthropic and Gemini, and breaks in every way that real ones do.
//! It has no model: what it says is written into each test, and what it was asked can be read afterwards.

mod anthropic;
mod gemini;
mod http;
mod ollama;
mod openai;
mod script;
mod serving;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub use http::Asked;
pub use script::{Ended, Fault, Line, Manner, Said, Use};
pub use serving::Timing;

use serving::{Rate, Shared, accept, is_chat};

/// One server for all formats: which one is spoken follows from the path. It ends when it is dropped.
pub struct FakeProvider {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    _stop: oneshot::Sender<()>,
}

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Ollama,
    OpenAi,
    Anthropic,
    Gemini,
}

impl FakeProvider {
    /// A server that says these lines, one for each call; the last one is repeated.
    pub fn start(lines: impl IntoIterator<Item = Line>) -> Self {
        let shared = Arc::new(Mutex::new(Shared {
            lines: lines.into_iter().collect(),
            asked: Vec::new(),
            keeps: true,
            timings: None,
            models: vec!["gemma2:2b".into(), "llama3.2:latest".into()],
            context_length: Some(8192),
            version: "0.12.6".into(),
            list_status: 200,
            headers: Vec::new(),
            chunk: 7,
            rate: None,
            answered: 0,
            refused: 0,
            under_way: 0,
            most_under_way: 0,
            connections: 0,
        }));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        listener.set_nonblocking(true).expect("a socket can be told so");
        let (stop, stopped) = oneshot::channel();
        let server = shared.clone();
        // A thread of its own, so that a test with any runtime, or none, can use it.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).expect("it is a listener");
                tokio::select! {
                    () = accept(&listener, &server) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { address, shared, _stop: stop }
    }

    /// Where a provider of this format is found: what the configuration calls its base URL.
    pub fn base_url(&self, format: Format) -> String {
        match format {
            Format::OpenAi => format!("http://{}/v1", self.address),
            Format::Ollama | Format::Anthropic | Format::Gemini => format!("http://{}", self.address),
        }
    }

    /// Takes so many calls in so much time and refuses all others, with this `Retry-After` if any.
    pub fn allowing(self, calls: u32, window: Duration, retry_after: Option<&str>) -> Self {
        self.lock().rate = Some(Rate { calls, window, retry_after: retry_after.map(String::from), began: None, taken: 0 });
        self
    }

    pub fn with_models(self, models: &[&str]) -> Self {
        self.lock().models = models.iter().map(ToString::to_string).collect();
        self
    }

    /// Answers every question about its models with this status.
    pub fn listing_with(self, status: u16) -> Self {
        self.lock().list_status = status;
        self
    }

    /// What Ollama tells of every model's context; None: nothing.
    pub fn with_context_length(self, tokens: Option<u64>) -> Self {
        self.lock().context_length = tokens;
        self
    }

    /// What Ollama says that it is.
    pub fn with_version(self, version: &str) -> Self {
        self.lock().version = version.into();
        self
    }

    /// A header of every answer of a model.
    pub fn with_header(self, name: &str, value: &str) -> Self {
        self.lock().headers.push((name.into(), value.into()));
        self
    }

    /// For benchmarks: whole frames, and no memory of what was asked.
    pub fn forgetful(self) -> Self {
        let mut shared = self.lock();
        (shared.keeps, shared.chunk) = (false, usize::MAX);
        drop(shared);
        self
    }

    /// For benchmarks: forgetful, but with a clock in hand.
    pub fn timed(self) -> Self {
        let timed = self.forgetful();
        timed.lock().timings = Some(Vec::new());
        timed
    }

    /// The calls that were answered, in the order of their answers.
    pub fn timings(&self) -> Vec<Timing> {
        self.lock().timings.clone().unwrap_or_default()
    }

    /// Every request so far, in the order in which it came.
    pub fn asked(&self) -> Vec<Asked> {
        self.lock().asked.clone()
    }

    /// The requests to a model, without those about models.
    pub fn chats(&self) -> Vec<Asked> {
        let mut asked = self.asked();
        asked.retain(|asked| is_chat(&asked.path));
        asked
    }

    /// How many calls to a model were answered, and how many refused because of the rate.
    pub fn counts(&self) -> (u64, u64) {
        let shared = self.lock();
        (shared.answered, shared.refused)
    }

    /// The most calls to a model that were under way at the same time.
    pub fn most_under_way(&self) -> usize {
        self.lock().most_under_way
    }

    /// How many connections were opened, by whomever.
    pub fn connections(&self) -> u64 {
        self.lock().connections
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Format {
    pub const ALL: [Format; 4] = [Format::Ollama, Format::OpenAi, Format::Anthropic, Format::Gemini];

    fn frames(self, said: &Said) -> Vec<String> {
        match self {
            Format::Ollama => ollama::frames(said),
            Format::OpenAi => openai::frames(said),
            Format::Anthropic => anthropic::frames(said),
            Format::Gemini => gemini::frames(said),
        }
    }

    fn garbled(self) -> String {
        match self {
            Format::Ollama => ollama::garbled(),
            Format::OpenAi => openai::garbled(),
            Format::Anthropic => anthropic::garbled(),
            Format::Gemini => gemini::garbled(),
        }
    }

    fn gives_up(self) -> String {
        match self {
            Format::Ollama => ollama::gives_up(),
            Format::OpenAi => openai::gives_up(),
            Format::Anthropic => anthropic::gives_up(),
            Format::Gemini => gemini::gives_up(),
        }
    }

    fn gives_up_beside(self) -> String {
        match self {
            Format::Ollama => ollama::gives_up_beside(),
            Format::OpenAi => openai::gives_up_beside(),
            Format::Anthropic => anthropic::gives_up_beside(),
            Format::Gemini => gemini::gives_up_beside(),
        }
    }

    fn fault(self, fault: &Fault, model: &str) -> Value {
        match self {
            Format::Ollama => ollama::fault(fault, model),
            Format::OpenAi => openai::fault(fault, model),
            Format::Anthropic => anthropic::fault(fault, model),
            Format::Gemini => gemini::fault(fault, model),
        }
    }
}
