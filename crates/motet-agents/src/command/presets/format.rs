//! What is heard from a coding program, whatever format it speaks: the lines go in as they come, and what matters is kept.
//! Each format has its own reading of a line; of what is said, none of them keeps more than the last message.

use motet_core::event::Usage;
use motet_core::units::Usd;
use serde::{Deserialize, Serialize};

use super::plain::{self, Draft};
use super::stream;
use super::uses::Uses;
use crate::command::lines::MESSAGE_BYTES as LINE_BYTES;
use crate::context::Progress;

/// How a program prints what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON lines with `system`, `assistant`, `user` and a last `result`.
    StreamJson,
    /// JSON lines with `thread.started`, `item.*` and `turn.*`.
    CodexEvents,
    /// JSON lines with `init`, `message`, `tool_use` and a last `result`.
    GeminiEvents,
    /// JSON lines with `text`, `tool_use` and `step_finish`, each with its session.
    OpencodeEvents,
    /// Text for people, with a line that says what it cost.
    Aider,
}

/// What a program has said so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Heard {
    pub id: Option<String>,
    /// The last message; the answer, once the program has ended.
    pub message: String,
    /// What it says went wrong, in its own words.
    pub error: Option<String>,
    pub usage: Usage,
    /// Whether the line came that ends everything.
    pub is_over: bool,
    /// The message is written piece by piece, and a tool call ends it.
    pub is_message_open: bool,
    /// How long the last message was, also where not all of it is kept.
    pub message_bytes: usize,
    /// A line was longer than is read, and what it said is lost.
    pub has_lost: bool,
    /// What was counted in the conversation before this run of the program, and whether it counts on from there.
    pub counted: Counted,
    /// Which tools it says it has used.
    pub uses: Uses,
    /// Of a text for people: what may become the next message.
    pub draft: Draft,
}

/// What a program that counts for the whole conversation has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counted {
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// It has begun again at nothing: it counts every turn for itself.
    #[serde(default)]
    pub each_turn: bool,
    /// The same of what it has cost: agents count the one for a turn and the other for the whole conversation.
    #[serde(default)]
    pub cost: Usd,
    #[serde(default)]
    pub costs_each_turn: bool,
}

impl Counted {
    /// What is new in a count, and how it stands then. A count that is lower than the one before does not go on from it.
    pub fn on(self, tokens_in: u64, tokens_out: u64) -> (u64, u64, Counted) {
        let each_turn = self.each_turn || tokens_in < self.tokens_in || tokens_out < self.tokens_out;
        let before = if each_turn { (0, 0) } else { (self.tokens_in, self.tokens_out) };
        (tokens_in - before.0, tokens_out - before.1, Counted { tokens_in, tokens_out, each_turn, ..self })
    }

    /// What is new in a cost, likewise.
    pub fn on_cost(self, cost: Usd) -> (Usd, Counted) {
        let costs_each_turn = self.costs_each_turn || cost < self.cost;
        let before = if costs_each_turn { Usd::ZERO } else { self.cost };
        (cost.saturating_sub(before), Counted { cost, costs_each_turn, ..self })
    }
}

/// A message longer than this is no answer.
pub(super) const MESSAGE_BYTES: usize = 16 * 1024 * 1024;

impl Format {
    /// Reads one line. Gives back what somebody watching may like to see of it.
    pub fn hear(self, line: &str, heard: &mut Heard) -> Option<Progress> {
        if self == Format::Aider {
            return plain::hear(line, heard);
        }
        // Of a line that was cut nobody knows what it said; it may have been the answer.
        heard.has_lost |= line.len() >= LINE_BYTES && line.contains('{');
        // Some programs print a warning or a colour code between their lines.
        let Some(event) = line.find('{').and_then(|start| serde_json::from_str(&line[start..]).ok()) else {
            return Some(Progress::Log(line.chars().take(500).collect()));
        };
        heard.uses.hear(self, &event);
        match self {
            Format::StreamJson => stream::claude(&event, heard),
            Format::CodexEvents => stream::codex(&event, heard),
            Format::GeminiEvents => stream::gemini(&event, heard),
            Format::OpencodeEvents => stream::opencode(&event, heard),
            Format::Aider => None,
        }
    }

    /// Whether the program says so when it is done. One that does not is done when it ends.
    pub fn announces_its_end(self) -> bool {
        self != Format::Aider
    }

    /// Whether what it prints is a text, in which empty lines mean something.
    pub fn is_text(self) -> bool {
        self == Format::Aider
    }
}

impl Heard {
    /// A whole message; the one before it was not the last.
    pub fn say(&mut self, message: &str) {
        self.clear();
        self.append(message);
        self.is_message_open = false;
    }

    /// The next piece of a message.
    pub fn go_on_saying(&mut self, piece: &str) {
        if !self.is_message_open {
            self.clear();
            self.is_message_open = true;
        }
        self.append(piece);
    }

    /// A tool was called, so that what comes next is another message.
    pub fn call_tool(&mut self) {
        self.usage.tool_calls += 1;
        self.is_message_open = false;
    }

    fn clear(&mut self) {
        self.message.clear();
        self.message_bytes = 0;
    }

    fn append(&mut self, piece: &str) {
        self.message_bytes += piece.len();
        if self.message_bytes <= MESSAGE_BYTES {
            self.message.push_str(piece);
        }
    }
}
