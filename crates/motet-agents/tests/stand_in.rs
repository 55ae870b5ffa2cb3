//! A server that speaks Ollama's wire format over a real socket, and breaks in the ways a real one does.
//! It knows no model: what it says is written into each test.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What `/api/chat` does. Everything else answers as a server with three models would.
#[derive(Clone)]
pub enum Chat {
    /// Streams these lines, in chunks that do not respect their ends.
    Says(Vec<Value>),
    /// Streams these bytes as they are.
    Raw(&'static str),
    Status(u16, &'static str, Value),
    /// Takes the request and never answers.
    Silent,
    /// Begins to answer and then says nothing more.
    Stalls,
    /// Begins to answer and closes the connection.
    Breaks,
}

pub struct StandIn {
    pub address: String,
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl StandIn {
    pub async fn start(chat: Chat) -> Self {
        Self::start_with(chat, Some(8192)).await
    }

    /// None: a server that is not Ollama at all, or does not tell a model's context.
    pub async fn start_with(chat: Chat, context_length: Option<u64>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let address = format!("http://{}", listener.local_addr().expect("it is bound"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let record = asked.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, chat.clone(), context_length, record.clone()));
            }
        });
        Self { address, asked }
    }

    /// The bodies that were sent to this path.
    pub fn asked(&self, path: &str) -> Vec<Value> {
        self.asked.lock().expect("no test panicked").iter().filter(|(asked, _)| asked == path).map(|(_, body)| body.clone()).collect()
    }
}

/// The lines of an answer in these pieces, and the line that ends it.
pub fn pieces(pieces: &[&str], done_reason: &str, prompt_tokens: u64, answer_tokens: u64) -> Vec<Value> {
    let line = |content: &str| json!({"model": "m", "created_at": "2026-11-15T20:00:00Z", "message": {"role": "assistant", "content": content}, "done": false});
    let mut lines: Vec<Value> = pieces.iter().map(|piece| line(piece)).collect();
    lines.push(json!({
        "model": "m",
        "created_at": "2026-11-15T20:00:01Z",
        "message": {"role": "assistant", "content": ""},
        "done": true,
        "done_reason": done_reason,
        "total_duration": 1_000_000,
        "load_duration": 1000,
        "prompt_eval_count": prompt_tokens,
        "prompt_eval_duration": 1000,
        "eval_count": answer_tokens,
        "eval_duration": 1000,
    }));
    lines
}

async fn serve(mut stream: TcpStream, chat: Chat, context_length: Option<u64>, record: Arc<Mutex<Vec<(String, Value)>>>) {
    let Some((path, body)) = read_request(&mut stream).await else { return };
    record.lock().expect("no test panicked").push((path.clone(), body));
    match path.as_str() {
        "/api/version" => answer(&mut stream, 200, "", &json!({"version": "0.12.6"})).await,
        "/api/tags" => {
            let models = json!({"models": [{"name": "gemma2:2b", "size": 1}, {"name": "llama3.2:latest", "size": 2}]});
            answer(&mut stream, 200, "", &models).await;
        }
        "/api/show" => match context_length {
            Some(length) => {
                answer(&mut stream, 200, "", &json!({"model_info": {"general.architecture": "gemma2", "gemma2.context_length": length}}))
                    .await
            }
            None => answer(&mut stream, 404, "", &json!({"error": "not here"})).await,
        },
        "/api/chat" => speak(&mut stream, chat).await,
        _ => answer(&mut stream, 404, "", &json!("404 page not found")).await,
    }
}

async fn speak(stream: &mut TcpStream, chat: Chat) {
    match chat {
        Chat::Says(lines) => {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            stream_chunks(stream, text.as_bytes()).await;
            let _ = stream.write_all(b"0\r\n\r\n").await;
        }
        Chat::Raw(text) => {
            stream_chunks(stream, text.as_bytes()).await;
            let _ = stream.write_all(b"0\r\n\r\n").await;
        }
        Chat::Status(status, header, body) => answer(stream, status, header, &body).await,
        Chat::Silent => std::future::pending().await,
        Chat::Stalls => {
            stream_chunks(stream, format!("{}\n", pieces(&["Tea"], "stop", 1, 1)[0]).as_bytes()).await;
            std::future::pending::<()>().await;
        }
        Chat::Breaks => stream_chunks(stream, format!("{}\n", pieces(&["Tea"], "stop", 1, 1)[0]).as_bytes()).await,
    }
}

/// Seven bytes at a time, so that lines and letters are cut.
async fn stream_chunks(stream: &mut TcpStream, bytes: &[u8]) {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";
    let _ = stream.write_all(head.as_bytes()).await;
    for chunk in bytes.chunks(7) {
        let _ = stream.write_all(format!("{:x}\r\n", chunk.len()).as_bytes()).await;
        let _ = stream.write_all(chunk).await;
        let _ = stream.write_all(b"\r\n").await;
    }
}

async fn answer(stream: &mut TcpStream, status: u16, header: &str, body: &Value) {
    let body = body.to_string();
    let head = format!("HTTP/1.1 {status} Status\r\n{header}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(body.as_bytes()).await;
}

async fn read_request(stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut received = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&received[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok()).unwrap_or(0);
            if received.len() >= end + 4 + length {
                let path = head.split_whitespace().nth(1)?.to_string();
                return Some((path, serde_json::from_slice(&received[end + 4..]).unwrap_or(Value::Null)));
            }
        }
        match stream.read(&mut buffer).await {
            // The first byte of an encrypted connection, which is not spoken here.
            Ok(1..) if received.is_empty() && buffer[0] == 0x16 => return None,
            Ok(count @ 1..) => received.extend(&buffer[..count]),
            _ => return None,
        }
    }
}
