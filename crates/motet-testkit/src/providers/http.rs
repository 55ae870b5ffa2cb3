//! Just enough HTTP over a socket to answer well, and to break in ways that a well-made server would not.
//! It knows no provider.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A request, as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    /// Without the query.
    pub path: String,
    pub query: String,
    /// By lower-case name.
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

/// One connection, kept for as many requests as the other side likes.
pub struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    pub fn new(stream: TcpStream) -> Self {
        Self { stream, received: Vec::new() }
    }

    /// The next request; None once the other side has gone, or speaks something else.
    pub async fn asked(&mut self) -> Option<Asked> {
        let mut buffer = [0; 16 * 1024];
        loop {
            if let Some(end) = self.received.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&self.received[..end]).into_owned();
                let headers = headers(&head);
                let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
                if self.received.len() >= end + 4 + length {
                    let body = serde_json::from_slice(&self.received[end + 4..end + 4 + length]).unwrap_or(Value::Null);
                    self.received.drain(..end + 4 + length);
                    let mut words = head.split_whitespace();
                    let (method, address) = (words.next()?.to_string(), words.next()?);
                    let (path, query) = address.split_once('?').unwrap_or((address, ""));
                    return Some(Asked { method, path: path.into(), query: query.into(), headers, body });
                }
            }
            match self.stream.read(&mut buffer).await {
                // The first byte of an encrypted connection, which is not spoken here.
                Ok(1..) if self.received.is_empty() && buffer[0] == 0x16 => return None,
                Ok(count @ 1..) => self.received.extend(&buffer[..count]),
                _ => return None,
            }
        }
    }

    pub async fn answer(&mut self, status: u16, headers: &[(String, String)], body: &str) {
        let mut head = format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| name == "content-type") {
            head.push_str("content-type: application/json\r\n");
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        self.write(format!("{head}\r\n{body}").as_bytes()).await;
    }

    /// Begins a stream of this type.
    pub async fn begin(&mut self, content_type: &str, headers: &[(String, String)]) {
        let mut head = format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        self.write(format!("{head}\r\n").as_bytes()).await;
    }

    /// Sends a part of the stream, in chunks of so many bytes, which respect neither lines nor letters.
    pub async fn send(&mut self, part: &str, chunk: usize, pause: Duration) {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        let mut bytes = Vec::new();
        for piece in part.as_bytes().chunks(chunk.max(1)) {
            bytes.extend(format!("{:x}\r\n", piece.len()).bytes());
            bytes.extend(piece);
            bytes.extend(b"\r\n");
        }
        self.write(&bytes).await;
    }

    /// Ends the stream as it should be ended.
    pub async fn end(&mut self) {
        self.write(b"0\r\n\r\n").await;
    }

    /// Whoever has gone need not be told.
    async fn write(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
    }
}

fn headers(head: &str) -> BTreeMap<String, String> {
    let lines = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    lines.map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_string())).collect()
}
