//! What a relay writes down, one line of JSON for each thing that happens: whoever ends a relay in the middle loses nothing before it.
//! A line may have been written by anybody who finds the file: nothing in it is more than a claim.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::room::KEPT_CHARACTERS;

/// A file that is longer than this gets no more notes.
pub(super) const FILE_BYTES: u64 = 8 * 1024 * 1024;
/// A tool with a longer name is hard to believe in.
const NAME_CHARACTERS: usize = 256;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub(super) enum Note {
    /// A call goes to the server.
    Called {
        /// Which of all calls in the file.
        call: String,
        asked: Asked,
    },
    /// A call does not go to the server.
    Refused { asked: Asked, why: String },
    /// The server has answered a call.
    Answered { call: String, answer: Part<String>, is_error: bool },
    /// There is more, and no room for it.
    Full {},
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Asked {
    /// Since 1970, so that the notes of several relays can be put in order.
    pub at_ms: u64,
    pub tool: String,
    pub arguments: Part<Value>,
}

/// A text or a value, or the beginning of how it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part<T> {
    pub kept: T,
    /// How many characters came after it.
    #[serde(default, skip_serializing_if = "is_whole")]
    pub more: usize,
}

impl Asked {
    pub fn new(at_ms: u64, tool: &str, arguments: Value) -> Self {
        Self { at_ms, tool: tool.chars().take(NAME_CHARACTERS).collect(), arguments: Part::of_value(arguments) }
    }
}

impl Part<String> {
    pub fn of_text(text: String) -> Self {
        match text.char_indices().nth(KEPT_CHARACTERS) {
            None => Self { kept: text, more: 0 },
            Some((end, _)) => Self { kept: text[..end].to_string(), more: text[end..].chars().count() },
        }
    }
}

impl Part<Value> {
    pub fn of_value(value: Value) -> Self {
        let Part { kept, more } = Part::of_text(value.to_string());
        if more == 0 { Self { kept: value, more } } else { Self { kept: json!(kept), more } }
    }
}

fn is_whole(more: &usize) -> bool {
    *more == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: String, kept: usize, more: usize) {
        let part = Part::of_text(text);
        assert_eq!((part.kept.chars().count(), part.more), (kept, more));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        check("short".into(), 5, 0);
        check("é".repeat(KEPT_CHARACTERS), KEPT_CHARACTERS, 0);
        check("é".repeat(KEPT_CHARACTERS + 3), KEPT_CHARACTERS, 3);
        let long = json!({ "text": "x".repeat(KEPT_CHARACTERS) });
        let part = Part::of_value(long.clone());
        assert_eq!(part.more, long.to_string().len() - KEPT_CHARACTERS);
        assert!(part.kept.as_str().is_some_and(|kept| kept.starts_with("{\"text\":\"xx")));
    }

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let asked = Asked::new(7, "echo", json!({ "text": "a" }));
        for note in [
            Note::Called { call: "1".into(), asked: asked.clone() },
            Note::Refused { asked, why: "no".into() },
            Note::Answered { call: "1".into(), answer: Part { kept: "a".into(), more: 2 }, is_error: true },
            Note::Full {},
        ] {
            let line = serde_json::to_string(&note).expect("it can be written");
            assert_eq!(serde_json::from_str::<Note>(&line).expect("it can be read"), note, "{line}");
        }
    }
}
