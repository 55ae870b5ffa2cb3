//! A server that speaks the real wire formats of Ollama, OpenAI, Anthropic and Gemini, and breaks in every way that real ones do.
//! It has no model: what it says is written into each test, and what it was asked can be read afterwards.

mod anthropic;
mod gemini;
mod http;
mod ollama;
mod openai;
mod script;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

pub use http::Asked;
pub use script::{Ended, Fault, Line, Said, Use};

use http::Connection;

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

struct Shared {
    /// Said one after the other; then the last one again and again.
    lines: VecDeque<Line>,
    asked: Vec<Asked>,
    keeps: bool,
    models: Vec<String>,
    context_length: Option<u64>,
    /// Headers of every answer of a model.
    headers: Vec<(String, String)>,
    chunk: usize,
    rate: Option<Rate>,
    answered: u64,
    refused: u64,
    under_way: usize,
    most_under_way: usize,
}

/// So many calls in so much time, counted from the first of them.
struct Rate {
    calls: u32,
    window: Duration,
    retry_after: Option<String>,
    began: Option<Instant>,
    taken: u32,
}

impl FakeProvider {
    /// A server that says these lines, one for each call; the last one is repeated.
    pub fn start(lines: impl IntoIterator<Item = Line>) -> Self {
        let shared = Arc::new(Mutex::new(Shared {
            lines: lines.into_iter().collect(),
            asked: Vec::new(),
            keeps: true,
            models: vec!["gemma2:2b".into(), "llama3.2:latest".into()],
            context_length: Some(8192),
            headers: Vec::new(),
            chunk: 7,
            rate: None,
            answered: 0,
            refused: 0,
            under_way: 0,
            most_under_way: 0,
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

    /// What Ollama tells of every model's context; None: nothing.
    pub fn with_context_length(self, tokens: Option<u64>) -> Self {
        self.lock().context_length = tokens;
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

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn accept(listener: &TcpListener, shared: &Arc<Mutex<Shared>>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, shared.clone()));
    }
}

async fn serve(stream: TcpStream, shared: Arc<Mutex<Shared>>) {
    let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = stream.set_nodelay(true);
    let mut connection = Connection::new(stream);
    while let Some(asked) = connection.asked().await {
        let (models, context_length) = {
            let mut shared = lock();
            if shared.keeps {
                shared.asked.push(asked.clone());
            }
            (shared.models.clone(), shared.context_length)
        };
        let small = match asked.path.as_str() {
            "/api/version" => Some(json!({"version": "0.12.6"})),
            "/api/tags" => Some(ollama::models(&models)),
            "/api/show" => Some(ollama::shown(context_length)),
            "/v1/models" if asked.headers.contains_key("anthropic-version") => Some(anthropic::models(&models)),
            "/v1/models" => Some(openai::models(&models)),
            "/v1beta/models" => Some(gemini::models(&models)),
            _ => None,
        };
        if let Some(small) = small {
            connection.answer(200, &[], &small.to_string()).await;
            continue;
        }
        let Some(format) = format_of(&asked.path) else {
            connection.answer(404, &[], &json!("404 page not found").to_string()).await;
            continue;
        };
        lock().begin();
        let goes_on = chat(&mut connection, format, &asked, &shared).await;
        lock().under_way -= 1;
        if !goes_on {
            return;
        }
    }
}

/// Performs one line. False: the connection is closed after it.
async fn chat(connection: &mut Connection, format: Format, asked: &Asked, shared: &Mutex<Shared>) -> bool {
    let (line, headers, chunk) = {
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        (shared.next(), shared.headers.clone(), shared.chunk)
    };
    let beginning = format.frames(&Said::in_pieces(["Tea", " for", " all"]));
    let content_type = if format == Format::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    let mut send = async |frames: &[String], pause: Duration| {
        connection.begin(content_type, &headers).await;
        for frame in frames {
            connection.send(frame, chunk, pause).await;
        }
    };
    let begun = &beginning[..beginning.len() / 2];
    match line {
        Line::Says(said) => {
            send(&format.frames(&said), said.pause).await;
            connection.end().await;
        }
        Line::Raw(body) => {
            send(&[body], Duration::ZERO).await;
            connection.end().await;
        }
        Line::Garbles => {
            send(&[begun, &[format.garbled()]].concat(), Duration::ZERO).await;
            connection.end().await;
        }
        Line::GivesUp => {
            send(&[begun, &[format.gives_up()]].concat(), Duration::ZERO).await;
            connection.end().await;
        }
        Line::EndsEarly => {
            send(begun, Duration::ZERO).await;
            connection.end().await;
        }
        Line::Cuts => {
            send(begun, Duration::ZERO).await;
            return false;
        }
        Line::Stalls => {
            send(begun, Duration::ZERO).await;
            std::future::pending::<()>().await;
        }
        Line::Silent => std::future::pending().await,
        // Gemini withholds a prompt with a successful answer that says so.
        Line::Fails(Fault::Filtered) if format == Format::Gemini => {
            send(&[format!("data: {}\r\n\r\n", gemini::fault(&Fault::Filtered, ""))], Duration::ZERO).await;
            connection.end().await;
        }
        Line::Fails(fault) => {
            let mut all = headers;
            all.extend(fault.retry_after().map(|wait| ("retry-after".to_string(), wait.to_string())));
            connection.answer(fault.status(), &all, &format.fault(&fault, model_of(asked)).to_string()).await;
        }
        Line::Answers(status, more, body) => connection.answer(status, &[headers, more].concat(), &body).await,
    }
    true
}

impl Shared {
    fn begin(&mut self) {
        self.under_way += 1;
        self.most_under_way = self.most_under_way.max(self.under_way);
    }

    fn next(&mut self) -> Line {
        if let Some(rate) = &mut self.rate {
            if rate.began.is_none_or(|began| began.elapsed() >= rate.window) {
                (rate.began, rate.taken) = (Some(Instant::now()), 0);
            }
            rate.taken += 1;
            if rate.taken > rate.calls {
                self.refused += 1;
                return Line::Fails(Fault::TooMany(rate.retry_after.clone()));
            }
        }
        self.answered += 1;
        let last = self.lines.len() <= 1;
        let line = if last { self.lines.front().cloned() } else { self.lines.pop_front() };
        line.unwrap_or_else(|| Line::says("I have nothing to say."))
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

    fn fault(self, fault: &Fault, model: &str) -> Value {
        match self {
            Format::Ollama => ollama::fault(fault, model),
            Format::OpenAi => openai::fault(fault, model),
            Format::Anthropic => anthropic::fault(fault, model),
            Format::Gemini => gemini::fault(fault, model),
        }
    }
}

fn format_of(path: &str) -> Option<Format> {
    match path {
        "/api/chat" => Some(Format::Ollama),
        "/v1/chat/completions" => Some(Format::OpenAi),
        "/v1/messages" => Some(Format::Anthropic),
        path if path.starts_with("/v1beta/models/") && path.ends_with(":streamGenerateContent") => Some(Format::Gemini),
        _ => None,
    }
}

fn is_chat(path: &str) -> bool {
    format_of(path).is_some()
}

fn model_of(asked: &Asked) -> &str {
    let in_path = asked.path.strip_prefix("/v1beta/models/").and_then(|rest| rest.split_once(':')).map(|(model, _)| model);
    asked.body.get("model").and_then(Value::as_str).or(in_path).unwrap_or_default()
}
