//! The wire: one JSON message per line, read in bounded memory from a program that may print anything.
//! What is no message is told as progress and never reaches the protocol.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use agent_client_protocol::Lines as Transport;
use futures_util::{Sink, Stream, sink, stream};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};

use super::traffic::Traffic;
use crate::command::lines::{Lines, MESSAGE_BYTES};
use crate::context::{Context, Progress};
use crate::redaction::Redactor;

/// How many stray lines are told of; a program that prints more of them is not worth listening to.
const NOISE: usize = 100;
const NOISE_CHARACTERS: usize = 500;

pub(super) fn transport(
    stdin: ChildStdin,
    stdout: ChildStdout,
    traffic: Arc<Traffic>,
    redaction: &Redactor,
    context: &Context,
) -> Transport<impl Sink<String, Error = io::Error> + use<>, impl Stream<Item = io::Result<String>> + use<>> {
    Transport::new(outgoing(stdin, traffic.clone()), incoming(stdout, traffic, redaction.clone(), context.clone()))
}

fn outgoing(stdin: ChildStdin, traffic: Arc<Traffic>) -> impl Sink<String, Error = io::Error> {
    sink::unfold((stdin, traffic), |(mut stdin, traffic), mut line: String| async move {
        line.push('\n');
        stdin.write_all(line.as_bytes()).await?;
        stdin.flush().await?;
        traffic.sent(&line);
        Ok((stdin, traffic))
    })
}

struct Reading {
    stdout: ChildStdout,
    buffer: Vec<u8>,
    lines: Lines,
    ready: VecDeque<String>,
    noise: usize,
    traffic: Arc<Traffic>,
    redaction: Redactor,
    context: Context,
}

fn incoming(stdout: ChildStdout, traffic: Arc<Traffic>, redaction: Redactor, context: Context) -> impl Stream<Item = io::Result<String>> {
    let (buffer, lines) = (vec![0; 64 * 1024], Lines::new(MESSAGE_BYTES));
    let reading = Reading { stdout, buffer, lines, ready: VecDeque::new(), noise: 0, traffic, redaction, context };
    stream::unfold(reading, |mut reading| async move {
        let message = reading.next().await?;
        reading.traffic.admit(&message).await;
        // One message at a time: whoever acts on them has a turn before the next, so that they do not pile up.
        tokio::task::yield_now().await;
        Some((Ok(message), reading))
    })
}

impl Reading {
    /// The next message; None at the end, and a stream that cannot be read is over.
    async fn next(&mut self) -> Option<String> {
        loop {
            while let Some(line) = self.ready.pop_front() {
                if serde_json::from_str::<serde_json::Value>(&line).is_ok_and(|value| value.is_object()) {
                    return Some(line);
                }
                // Of a message that was cut nobody knows what it said; an answer may have lost a part with it.
                if line.len() >= MESSAGE_BYTES && line.trim_start().starts_with('{') {
                    self.traffic.lose();
                }
                self.noise += 1;
                if self.noise <= NOISE {
                    // Half a secret would be known to nobody any more.
                    let clean = self.redaction.text(&line);
                    self.context.tell(Progress::Log(clean.chars().take(NOISE_CHARACTERS).collect()));
                }
            }
            let count = self.stdout.read(&mut self.buffer).await.ok().filter(|count| *count > 0)?;
            let ready = &mut self.ready;
            self.lines.push(&self.buffer[..count], |line| ready.push_back(line));
        }
    }
}
