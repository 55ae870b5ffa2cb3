//! Servers on the loopback that answer as search services and web sites do, well and badly, over real sockets.
//! They keep to no rule of HTTP that a hostile server would not keep to, and stop when they are dropped.

pub mod hostile;
pub mod paper;
pub mod services;
pub mod tools;

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    /// Without the query.
    pub path: String,
    /// As written, percent signs and all.
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A parameter of the query, decoded.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let value = self.query.split('&').filter_map(|pair| pair.split_once('=')).find(|(known, _)| *known == name)?.1;
        Some(decoded(value))
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

fn decoded(value: &str) -> String {
    let bytes = value.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match (bytes[at], code) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
                continue;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// What a server sends.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Sent,
}

#[derive(Clone, Debug)]
pub enum Sent {
    Whole(Vec<u8>),
    /// These bytes again and again until so many are sent, or nobody takes them any more.
    Repeated {
        piece: Vec<u8>,
        total: u64,
    },
    /// Promises more than it sends, and hangs up.
    BrokenOff(Vec<u8>),
    /// Nothing at all, and the line stays open.
    Silence,
}

impl Answer {
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: vec![("content-type".to_string(), content_type.to_string())], body: Sent::Whole(body.into()) }
    }

    pub fn html(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/html; charset=utf-8", body)
    }

    pub fn json(value: &serde_json::Value) -> Self {
        Self::new(200, "application/json", value.to_string())
    }

    pub fn status(status: u16) -> Self {
        Self::new(status, "text/plain", format!("status {status}"))
    }

    pub fn redirect(to: &str) -> Self {
        Self::status(302).with("location", to)
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_string(), value.to_string()));
        self
    }

    /// Packed, and said to be.
    pub fn gzipped(mut self) -> Self {
        if let Sent::Whole(body) = &self.body {
            self.body = Sent::Whole(gzip(body));
        }
        self.with("content-encoding", "gzip")
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// A server that runs until it is dropped.
pub struct Server {
    host: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    sent: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl Server {
    pub async fn start(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let host = listener.local_addr().expect("it is bound").to_string();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let sent: Arc<AtomicU64> = Arc::default();
        let (record, count, answer) = (asked.clone(), sent.clone(), Arc::new(answer));
        let task = tokio::spawn(async move {
            let mut open = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (record, count, answer) = (record.clone(), count.clone(), answer.clone());
                open.spawn(async move {
                    // A client that hangs up has its reasons.
                    let _ = serve(stream, &record, &count, &*answer).await;
                });
            }
        });
        Self { host, asked, sent, task }
    }

    /// `127.0.0.1:1234`.
    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    /// Every request so far, in order.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many bytes of bodies were taken off it.
    pub fn sent_bytes(&self) -> u64 {
        self.sent.load(Ordering::SeqCst)
    }

    pub fn asked_for(&self, path: &str) -> usize {
        self.asked().iter().filter(|asked| asked.path == path).count()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    mut stream: TcpStream,
    record: &Mutex<Vec<Asked>>,
    count: &AtomicU64,
    answer: &(dyn Fn(&Asked) -> Answer + Send + Sync),
) -> std::io::Result<()> {
    let Some(asked) = request(&mut stream).await? else { return Ok(()) };
    record.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
    let answer = answer(&asked);
    let mut head = format!("HTTP/1.1 {} Said\r\nconnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    match answer.body {
        Sent::Whole(body) => {
            head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&body).await?;
            count.fetch_add(body.len() as u64, Ordering::SeqCst);
        }
        Sent::Repeated { piece, total } => {
            head.push_str("\r\n");
            stream.write_all(head.as_bytes()).await?;
            let mut sent = 0;
            while sent < total {
                stream.write_all(&piece).await?;
                sent += piece.len() as u64;
                count.fetch_add(piece.len() as u64, Ordering::SeqCst);
            }
        }
        Sent::BrokenOff(body) => {
            head.push_str(&format!("content-length: {}\r\n\r\n", body.len() + 1000));
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&body).await?;
        }
        Sent::Silence => std::future::pending().await,
    }
    stream.shutdown().await
}

async fn request(stream: &mut TcpStream) -> std::io::Result<Option<Asked>> {
    let mut bytes = Vec::new();
    let head = loop {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).await?;
        if count == 0 {
            return Ok(None);
        }
        bytes.extend_from_slice(&piece[..count]);
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ').map(str::to_string);
    let (method, target) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
    let headers: Vec<(String, String)> =
        lines.filter_map(|line| line.split_once(':')).map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_string())).collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = bytes[head + 4..].to_vec();
    while body.len() < length {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).await?;
        if count == 0 {
            break;
        }
        body.extend_from_slice(&piece[..count]);
    }
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    Ok(Some(Asked { method, path: path.to_string(), query: query.to_string(), headers, body }))
}
