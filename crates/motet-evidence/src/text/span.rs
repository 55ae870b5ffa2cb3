//! Where something stands in a text, in bytes, so that a verdict can be shown in the text it was reached on.
//! It does not hold the text: whoever keeps a span keeps the text too.

use serde::{Deserialize, Serialize};

/// From `start` up to, and not including, `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The part of the text; nothing if the span belongs to another text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The same place in a text that has `offset` bytes before this one.
    pub fn moved(self, offset: usize) -> Self {
        Self { start: self.start + offset, end: self.end + offset }
    }
}
