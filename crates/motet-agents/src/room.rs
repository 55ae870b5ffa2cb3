//! How much of what was done in one attempt goes on record: of each text a part, of all texts together so much, and only so many deeds.
//! It hides nothing: secrets are taken out of a text before it comes here, since nobody would know half of one again.

use serde_json::{Value, json};

/// How much is kept of a text, and of all texts of one attempt together.
pub(crate) const KEPT_CHARACTERS: usize = 16 * 1024;
const KEPT_IN_ALL: usize = 1024 * 1024;
/// Whoever does more than this in one attempt does it without end.
const MOST_DEEDS: usize = 10_000;

/// The room that is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    deeds: usize,
    characters: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { deeds: MOST_DEEDS, characters: KEPT_IN_ALL }
    }
}

impl Room {
    /// Whether there is room for one more deed, and what is to be said with it if it is the last.
    pub fn admit(&mut self) -> Option<&'static str> {
        self.deeds = self.deeds.checked_sub(1)?;
        Some(if self.deeds == 0 { "\n… no more of this attempt is on record: it did too much" } else { "" })
    }

    /// As much of the beginning of a text as there is room for.
    pub fn beginning(&mut self, text: &str) -> String {
        self.beginning_of(text, 0)
    }

    /// The same of a text of which so many characters more were left out before.
    pub fn beginning_of(&mut self, text: &str, more: usize) -> String {
        let all = text.chars().count();
        let kept = self.take(all);
        let hidden = (all - kept).saturating_add(more);
        let kept: String = text.chars().take(kept).collect();
        if hidden == 0 { kept } else { format!("{kept}\n… and {hidden} more characters, which are not kept") }
    }

    /// As much of its end, which is where programs say what matters.
    pub fn end(&mut self, text: &str) -> String {
        let all = text.chars().count();
        let hidden = all - self.take(all);
        let kept: String = text.chars().skip(hidden).collect();
        if hidden == 0 { kept } else { format!("… {hidden} characters before this are not kept\n{kept}") }
    }

    /// A value as it is, or the beginning of how it is written.
    pub fn value(&mut self, value: &Value) -> Value {
        let written = value.to_string();
        let all = written.chars().count();
        match all <= KEPT_CHARACTERS.min(self.characters) {
            true => {
                self.take(all);
                value.clone()
            }
            false => json!(self.beginning(&written)),
        }
    }

    fn take(&mut self, wanted: usize) -> usize {
        let given = wanted.min(KEPT_CHARACTERS).min(self.characters);
        self.characters -= given;
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept of a text in a room that holds four characters more.
    fn check(text: &str, beginning: &str, end: &str) {
        let room = Room { characters: 4, ..Room::default() };
        assert_eq!((room.clone().beginning(text), room.clone().end(text)), (beginning.into(), end.into()));
    }

    #[test]
    fn what_there_is_no_room_for_is_counted() {
        check("four", "four", "four");
        check("fünfe", "fünf\n… and 1 more characters, which are not kept", "… 1 characters before this are not kept\nünfe");
        let mut room = Room::default();
        let long = "x".repeat(KEPT_CHARACTERS + 5);
        assert!(room.beginning(&long).ends_with("… and 5 more characters, which are not kept"));
        assert_eq!(room.characters, KEPT_IN_ALL - KEPT_CHARACTERS);
    }

    #[test]
    fn a_value_is_kept_as_it_is_or_as_it_is_written() {
        let mut room = Room { characters: 10, ..Room::default() };
        assert_eq!(room.value(&json!({ "a": 1 })), json!({ "a": 1 }));
        assert_eq!(room.value(&json!({ "b": 2 })), json!("{\"b\n… and 4 more characters, which are not kept"));
    }

    #[test]
    fn the_last_deed_says_that_it_is_the_last() {
        let mut room = Room { deeds: 2, ..Room::default() };
        assert_eq!(room.admit(), Some(""));
        assert!(room.admit().is_some_and(|said| said.contains("no more")));
        assert_eq!(room.admit(), None);
    }
}
