//! How much an agent may have asked for without taking the answers: beyond that it is not read from until it takes some.
//! A request waits here in the agent's own pipe; none is refused, and none is forgotten.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use tokio::sync::Notify;

/// So many requests are in service at once.
const IN_SERVICE: usize = 16;
/// Of those, so many whose answer may be as large as a file.
const LARGE: usize = 2;
/// So many may wait for the end of a command: they take no room, but not for ever and without number.
const WAITING: usize = 256;
/// The most that the requests in service hold together. One is served whatever its size.
const HELD_BYTES: usize = 32 * 1024 * 1024;

#[derive(Default)]
pub(super) struct Traffic {
    asked: Mutex<Asked>,
    answered: Notify,
}

#[derive(Default)]
struct Asked {
    /// By id, since answers come in any order; an agent may use one twice.
    open: BTreeMap<String, Vec<(Kind, usize)>>,
    /// A message was longer than is read, and is lost.
    has_lost: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Usual,
    Large,
    Waiting,
}

/// What a message is, without what is in it.
#[derive(Deserialize)]
struct Head {
    id: Option<Value>,
    method: Option<Value>,
}

#[derive(Deserialize)]
struct Reply {
    id: Option<Value>,
    method: Option<IgnoredAny>,
}

impl Traffic {
    /// Lets a message of the agent in, once there is room for it. What asks for nothing always has room.
    pub async fn admit(&self, line: &str) {
        let Ok(Head { id: Some(id), method: Some(Value::String(method)) }) = serde_json::from_str(line) else { return };
        let kind = match method.as_str() {
            "fs/read_text_file" | "terminal/output" => Kind::Large,
            "terminal/wait_for_exit" => Kind::Waiting,
            _ => Kind::Usual,
        };
        loop {
            let answered = self.answered.notified();
            {
                let mut asked = self.asked();
                if asked.has_room(kind, line.len()) {
                    return asked.open.entry(id.to_string()).or_default().push((kind, line.len()));
                }
            }
            answered.await;
        }
    }

    /// A message of ours has left. If it answers a request, there is room for another.
    pub fn sent(&self, line: &str) {
        let Ok(Reply { id: Some(id), method: None }) = serde_json::from_str(line) else { return };
        let id = id.to_string();
        let mut asked = self.asked();
        if let Some(open) = asked.open.get_mut(&id) {
            open.pop();
            if open.is_empty() {
                asked.open.remove(&id);
            }
            self.answered.notify_one();
        }
    }

    /// A message of the agent was too long to be read.
    pub fn lose(&self) {
        self.asked().has_lost = true;
    }

    pub fn has_lost(&self) -> bool {
        self.asked().has_lost
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asked {
    fn has_room(&self, kind: Kind, bytes: usize) -> bool {
        let open = || self.open.values().flatten();
        let count = |wanted: Kind| open().filter(|(kind, _)| *kind == wanted).count();
        let has_place = match kind {
            Kind::Waiting => count(Kind::Waiting) < WAITING,
            Kind::Large if count(Kind::Large) >= LARGE => false,
            Kind::Large | Kind::Usual => count(Kind::Large) + count(Kind::Usual) < IN_SERVICE,
        };
        let held: usize = open().map(|(_, bytes)| bytes).sum();
        has_place && (held == 0 || held + bytes <= HELD_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn request(id: usize, method: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{}}}}"#)
    }

    fn is_let_in(traffic: &Traffic, line: &str) -> bool {
        pin!(traffic.admit(line)).poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(())
    }

    /// So many requests of this method are let in before one is answered, and one more after.
    fn check(method: &str, expected: usize) {
        let traffic = Traffic::default();
        let let_in = (0..10_000).take_while(|id| is_let_in(&traffic, &request(*id, method))).count();
        assert_eq!(let_in, expected, "{method}");
        traffic.sent(r#"{"jsonrpc":"2.0","id":99999,"result":{}}"#);
        traffic.sent(r#"{"jsonrpc":"2.0","id":0,"method":"session/prompt"}"#);
        assert!(!is_let_in(&traffic, &request(5, method)), "nobody was answered");
        traffic.sent(r#"{"jsonrpc":"2.0","id":0,"result":{"content":"x"}}"#);
        assert!(is_let_in(&traffic, &request(5, method)), "{method}");
        assert!(!is_let_in(&traffic, &request(5, method)), "{method}");
    }

    #[test]
    fn requests_wait_until_others_are_answered() {
        check("fs/read_text_file", LARGE);
        check("fs/write_text_file", IN_SERVICE);
        check("terminal/wait_for_exit", WAITING);
    }

    #[test]
    fn whoever_waits_for_a_command_holds_nobody_up() {
        let traffic = Traffic::default();
        (0..WAITING).for_each(|id| assert!(is_let_in(&traffic, &request(id, "terminal/wait_for_exit"))));
        assert!(is_let_in(&traffic, &request(1000, "terminal/kill")));
        assert!(is_let_in(&traffic, r#"{"jsonrpc":"2.0","method":"session/update","params":{}}"#));
        assert!(is_let_in(&traffic, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
    }

    #[test]
    fn requests_that_are_large_themselves_wait_for_each_other() {
        let long = |id: usize| format!(r#"{{"id":{id},"method":"fs/write_text_file","params":"{}"}}"#, "x".repeat(HELD_BYTES / 2));
        let traffic = Traffic::default();
        assert!(is_let_in(&traffic, &long(1)));
        assert!(!is_let_in(&traffic, &long(2)));
        assert!(is_let_in(&traffic, &request(3, "fs/write_text_file")));
        traffic.sent(r#"{"id":1,"result":{}}"#);
        assert!(is_let_in(&traffic, &long(2)));
    }

    #[tokio::test]
    async fn who_waits_goes_on_when_an_answer_has_left() {
        let traffic = std::sync::Arc::new(Traffic::default());
        (0..LARGE).for_each(|id| assert!(is_let_in(&traffic, &request(id, "terminal/output"))));
        let waiting = traffic.clone();
        let let_in = tokio::spawn(async move { waiting.admit(&request(7, "terminal/output")).await });
        tokio::task::yield_now().await;
        traffic.sent(r#"{"id":1,"error":{"code":-1,"message":"no"}}"#);
        let_in.await.unwrap();
    }
}
