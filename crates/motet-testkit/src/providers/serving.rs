//! What the server does with a connection: small answers at once, calls to a model by the script.
//! What may be scripted, and what can be read afterwards, is told in the module itself.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use super::http::{Asked, Connection};
use super::script::{Fault, Line, Said};
use super::{Format, anthropic, gemini, ollama, openai};

/// One call to a model, as the server saw it.
#[derive(Clone, Debug)]
pub struct Timing {
    /// What was said last, where the format is OpenAI's or Ollama's.
    pub prompt: String,
    pub asked: Instant,
    /// When the last byte of the answer was on its way.
    pub answered: Instant,
}

pub struct Shared {
    /// Said one after the other; then the last one again and again.
    pub lines: VecDeque<Line>,
    pub asked: Vec<Asked>,
    pub keeps: bool,
    pub timings: Option<Vec<Timing>>,
    pub models: Vec<String>,
    /// With which all about the models is told.
    pub list_status: u16,
    pub context_length: Option<u64>,
    /// Of Ollama.
    pub version: String,
    /// Headers of every answer of a model.
    pub headers: Vec<(String, String)>,
    pub chunk: usize,
    pub rate: Option<Rate>,
    pub answered: u64,
    pub refused: u64,
    pub under_way: usize,
    pub most_under_way: usize,
    /// How often somebody connected.
    pub connections: u64,
}

/// So many calls in so much time, counted from the first of them.
pub struct Rate {
    pub calls: u32,
    pub window: Duration,
    pub retry_after: Option<String>,
    pub began: Option<Instant>,
    pub taken: u32,
}

pub async fn accept(listener: &TcpListener, shared: &Arc<Mutex<Shared>>) {
    while let Ok((stream, _)) = listener.accept().await {
        shared.lock().unwrap_or_else(PoisonError::into_inner).connections += 1;
        tokio::spawn(serve(stream, shared.clone()));
    }
}

async fn serve(stream: TcpStream, shared: Arc<Mutex<Shared>>) {
    let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = stream.set_nodelay(true);
    let mut connection = Connection::new(stream);
    while let Some(asked) = connection.asked().await {
        let at = Instant::now();
        let (models, list_status, context_length, version) = {
            let mut shared = lock();
            if shared.keeps {
                shared.asked.push(asked.clone());
            }
            (shared.models.clone(), shared.list_status, shared.context_length, shared.version.clone())
        };
        let small = match asked.path.as_str() {
            "/api/version" => Some(json!({"version": version})),
            "/api/tags" => Some(ollama::models(&models)),
            "/api/show" => Some(ollama::shown(context_length)),
            "/v1/models" if asked.headers.contains_key("anthropic-version") => Some(anthropic::models(&models)),
            "/v1/models" => Some(openai::models(&models)),
            "/v1beta/models" => Some(gemini::models(&models)),
            _ => None,
        };
        if let Some(small) = small {
            connection.answer(list_status, &[], &small.to_string()).await;
            continue;
        }
        let Some(format) = format_of(&asked.path) else {
            connection.answer(404, &[], &json!("404 page not found").to_string()).await;
            continue;
        };
        lock().begin();
        let goes_on = chat(&mut connection, format, &asked, &shared).await;
        lock().end(at, &asked);
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
        Line::GivesUpBeside => {
            send(&[begun, &[format.gives_up_beside()]].concat(), Duration::ZERO).await;
            connection.end().await;
        }
        Line::HidesFault(fault) => connection.answer(200, &headers, &format.fault(&fault, model_of(asked)).to_string()).await,
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

    fn end(&mut self, asked_at: Instant, asked: &Asked) {
        self.under_way -= 1;
        if let Some(timings) = &mut self.timings {
            let last = asked.body.get("messages").and_then(|messages| messages.as_array()?.last()?.get("content")?.as_str());
            timings.push(Timing { prompt: last.unwrap_or_default().into(), asked: asked_at, answered: Instant::now() });
        }
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

fn format_of(path: &str) -> Option<Format> {
    match path {
        "/api/chat" => Some(Format::Ollama),
        "/v1/chat/completions" => Some(Format::OpenAi),
        "/v1/messages" => Some(Format::Anthropic),
        path if path.starts_with("/v1beta/models/") && path.ends_with(":streamGenerateContent") => Some(Format::Gemini),
        _ => None,
    }
}

pub fn is_chat(path: &str) -> bool {
    format_of(path).is_some()
}

fn model_of(asked: &Asked) -> &str {
    let in_path = asked.path.strip_prefix("/v1beta/models/").and_then(|rest| rest.split_once(':')).map(|(model, _)| model);
    asked.body.get("model").and_then(Value::as_str).or(in_path).unwrap_or_default()
}
