//! Reads a line between an agent and a server as messages, and finds out what can be told of one that cannot be read.
//! It judges nothing, and answers nobody.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Value, json};

/// So many of the names in a message are looked at before it is given up.
const NAMES: usize = 64;

/// What can be told of a line that is no message, or not a whole one.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Unread {
    /// By what the message is known, if it says so before it breaks off.
    pub id: Option<Value>,
    pub asks: bool,
    pub answers: bool,
    /// Whether it speaks the protocol at all. Many servers print other things between their messages.
    is_message: bool,
}

impl Unread {
    /// As far as it goes; of several messages at once, the first.
    pub fn of(line: &str) -> Self {
        let mut unread = Self::default();
        let mut rest = line.trim_start_matches(['\u{feff}', ' ', '\t', '[']);
        let mut before = '{';
        for _ in 0..NAMES {
            let Some(after) = rest.trim_start().strip_prefix(before) else { break };
            let Some((name, after)) = first::<String>(after) else { break };
            let Some(after) = after.trim_start().strip_prefix(':') else { break };
            unread.hear(&name, after);
            let Some((IgnoredAny, after)) = first(after) else { break };
            (rest, before) = (after, ',');
        }
        unread
    }

    fn hear(&mut self, name: &str, after: &str) {
        match name {
            "id" => self.id = first(after).map(|(id, _)| id).filter(|id: &Value| id.is_string() || id.is_number()),
            "method" | "params" => self.asks = true,
            "result" | "error" => self.answers = true,
            "jsonrpc" => {}
            _ => return,
        }
        self.is_message = true;
    }

    /// Whether it may well be somebody's answer.
    pub fn may_answer(&self) -> bool {
        self.is_message && !self.asks
    }
}

/// The first value of a text, and what stands behind it.
fn first<T: DeserializeOwned>(text: &str) -> Option<(T, &str)> {
    let mut values = Deserializer::from_str(text).into_iter::<T>();
    let value = values.next()?.ok()?;
    Some((value, &text[values.byte_offset()..]))
}

/// What an agent is told that has said something which is no message.
pub(super) fn unreadable(line: &str) -> Value {
    let Unread { id, answers, .. } = Unread::of(line);
    // An answer bears the id of somebody else's question, which may well be the id of a question of the agent's own.
    let id = id.filter(|_| !answers);
    let why = "this message cannot be read, or is larger than 16 MiB; it was passed on to nobody";
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32700, "message": why } })
}

/// The same of what can be read, and is no message all the same.
pub(super) fn no_message() -> Value {
    let why = "a message is a JSON object; this was passed on to nobody";
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32600, "message": why } })
}

/// The text of a line where everybody reads the same in it as we do: numbers that do not fit into ours are then passed on as they are. Who reads
/// the first of two equal names, or takes a carriage return for the end of a line, would read something else.
pub(super) fn as_it_came(line: &str) -> Option<&str> {
    (!line.contains('\r') && serde_json::from_str::<SaidOnce>(line).is_ok()).then_some(line)
}

/// Any value in which no object has two fields of the same name.
struct SaidOnce;

impl<'de> Deserialize<'de> for SaidOnce {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(SaidOnce)
    }
}

impl<'de> Visitor<'de> for SaidOnce {
    type Value = Self;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value whose names differ")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Self, A::Error> {
        while values.next_element::<SaidOnce>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self, A::Error> {
        let mut names = BTreeSet::new();
        while let Some((name, SaidOnce)) = fields.next_entry::<String, SaidOnce>()? {
            if !names.insert(name) {
                return Err(A::Error::custom("a name is said twice"));
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The id that is read, and whether this may be an answer.
    fn check(line: &str, id: Value, may_answer: bool) {
        let unread = Unread::of(line);
        assert_eq!((unread.id.clone().unwrap_or_default(), unread.may_answer()), (id, may_answer), "{line}");
    }

    #[test]
    fn the_id_of_a_message_that_breaks_off_is_found() {
        check("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"te", json!(7), true);
        check(" [{ \"id\" : \"a b\" , \"result\": nonsense", json!("a b"), true);
        check("{\"result\":{\"content\":[]},\"id\":3,\"x\":", json!(3), true);
        check("{\"jsonrpc\":\"2.0\",\"result\":{\"id\":5,\"content\":[", Value::Null, true);
        check("{\"id\":7,\"method\":\"sampling/createMessage\",\"params\":{", json!(7), false);
        check(&format!("{{\"result\":{}{},\"id\":4}}", "[".repeat(200), "]".repeat(200)), json!(4), true);
    }

    #[test]
    fn what_a_server_prints_on_the_side_answers_nothing() {
        for noise in ["listening on 3000", "{ level: 'info' }", "{\"level\":\"info\",\"message\":\"a", "[info] id 7", "{", "", "{\"id\""] {
            check(noise, Value::Null, false);
        }
    }

    #[test]
    fn only_what_everybody_reads_alike_is_passed_on_as_it_came() {
        let same = |line: &str| assert_eq!(as_it_came(line), Some(line));
        let not = |line: &str| assert_eq!(as_it_came(line), None, "{line:?}");
        same("{\"a\":123456789012345678901234567890,\"b\":[{\"a\":1.0,\"c\":null},{\"a\":true,\"c\":-3}]}");
        not("{\"a\":1,\"a\":2}");
        not("[{\"b\":{\"a\":1,\"\\u0061\":2}}]");
        not("{\"a\":\r{\"b\":1}\r}");
    }
}
