//! Passes messages on between an agent and a server that is a program, line by line.
//! What is no message goes nowhere: the other side might read more out of it than we do.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::Relay;
use super::watch::Watch;
use crate::command::lines::{Lines, MESSAGE_BYTES};

impl Relay {
    /// Starts the server and passes messages on until either side has no more. Gives the server's exit code.
    pub fn to_program(self, words: &[String], from: impl Read + Send + 'static, to: impl Write + Send + 'static) -> io::Result<i32> {
        let Some((program, arguments)) = words.split_first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no server to start"));
        };
        let mut server = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(mut input), Some(output)) = (server.stdin.take(), server.stdout.take()) else {
            return Err(io::Error::other("the server has no streams"));
        };
        let (to, watch) = (Arc::new(Mutex::new(to)), Arc::new(self.watch));
        let (answers, asked) = (to.clone(), watch.clone());
        // Its end is the end of the agent, or of the server: whoever waits for the other side is ended with this process.
        std::thread::spawn(move || {
            each_line(from, |line| {
                let Judged { passed, refused } = judged(&line, &asked);
                let answered = refused.map_or(Ok(()), |refused| say(&answers, &refused.to_string()));
                let sent = passed.map_or(Ok(()), |passed| writeln!(input, "{passed}").and_then(|()| input.flush()));
                answered.and(sent)
            })
        });
        each_line(output, |line| heard(&line, &watch).map_or(Ok(()), |line| say(&to, &line)));
        end(server)
    }
}

/// Tells of every line until there are no more, or nobody takes them. One that is too long is cut, which makes it no message.
pub(super) fn each_line(mut from: impl Read, mut take: impl FnMut(String) -> io::Result<()>) {
    let (mut lines, mut buffer, mut taken) = (Lines::new(MESSAGE_BYTES), vec![0; 64 * 1024], Ok(()));
    while taken.is_ok() {
        let count = match from.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => 0,
        };
        let mut one = |line: String| {
            if taken.is_ok() {
                taken = take(line);
            }
        };
        if count == 0 {
            return lines.end(&mut one);
        }
        lines.push(&buffer[..count], one);
    }
}

pub(super) fn say(to: &Mutex<impl Write>, line: &str) -> io::Result<()> {
    let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
    writeln!(to, "{line}").and_then(|()| to.flush())
}

/// A server that has closed its output is given a moment by nobody: it has nothing more to say.
fn end(mut server: Child) -> io::Result<i32> {
    if server.try_wait()?.is_none() {
        let _ = server.kill();
    }
    Ok(server.wait()?.code().unwrap_or(1))
}

/// What of a line reaches the server, and what is answered in its place.
#[derive(Debug, Default, PartialEq)]
struct Judged {
    passed: Option<String>,
    refused: Option<Value>,
}

/// Of several messages at once each is judged alone. What is passed on is written anew, so that both sides read the same.
fn judged(line: &str, watch: &Watch) -> Judged {
    let messages = match serde_json::from_str(line) {
        Ok(message @ Value::Object(_)) => {
            let refused = watch.refusal(&message);
            return Judged { passed: refused.is_none().then(|| message.to_string()), refused };
        }
        Ok(Value::Array(messages)) => messages,
        Ok(_) | Err(_) => return Judged::default(),
    };
    let mut judged = (Vec::new(), Vec::new());
    for message in messages.into_iter().filter(Value::is_object) {
        match watch.refusal(&message) {
            Some(refusal) => judged.1.push(refusal),
            None => judged.0.push(message),
        }
    }
    let (passed, refused) = judged;
    Judged {
        passed: (!passed.is_empty()).then(|| Value::Array(passed).to_string()),
        refused: (!refused.is_empty()).then_some(Value::Array(refused)),
    }
}

/// What of a line of the server reaches the agent.
fn heard(line: &str, watch: &Watch) -> Option<String> {
    let mut message: Value = serde_json::from_str(line).ok()?;
    match &mut message {
        Value::Array(messages) => {
            messages.retain(Value::is_object);
            messages.iter_mut().for_each(|message| watch.hear(message));
            if messages.is_empty() {
                return None;
            }
        }
        Value::Object(_) => watch.hear(&mut message),
        _ => return None,
    }
    Some(message.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::{Given, WayBack};
    use super::*;
    use crate::redaction::Redactor;

    /// A relay that gives `read`, and where it writes.
    fn relay() -> (Relay, WayBack) {
        relay_of(Given::Only(vec!["read".into()]))
    }

    fn relay_of(given: Given) -> (Relay, WayBack) {
        let way_back = WayBack::from_servers(["files"]).expect("a file can be made");
        let notes = way_back.notes().next().expect("there is one").to_path_buf();
        (Relay::new(given, &notes, &Redactor::default()).expect("the file is there"), way_back)
    }

    /// What the agent says, what of it reaches the server, and whether it is answered here.
    fn check(line: &str, passed: Option<&str>, refused: bool) {
        let judged = judged(line, &relay().0.watch);
        assert_eq!((judged.passed.as_deref(), judged.refused.is_some()), (passed, refused), "{line}");
    }

    fn check_answer(line: &str, passed: Option<&str>) {
        assert_eq!(heard(line, &relay().0.watch).as_deref(), passed, "{line}");
    }

    fn call(id: usize, name: &str) -> String {
        format!("{{\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\"}}}}")
    }

    #[test]
    fn only_what_was_given_is_called() {
        check(&call(1, "read"), Some(&call(1, "read")), false);
        check(&call(1, "write"), None, true);
        check("{\"id\":1,\"method\":\"tools/call\",\"params\":{}}", None, true);
        check("{\"id\":1,\"method\":\"tools/list\"}", Some("{\"id\":1,\"method\":\"tools/list\"}"), false);
    }

    #[test]
    fn nothing_that_is_named_is_nothing_that_is_given() {
        let (nothing, _notes) = relay_of(Given::Only(Vec::new()));
        assert!(judged(&call(1, "read"), &nothing.watch).passed.is_none());
        let (everything, _notes) = relay_of(Given::Everything);
        assert_eq!(judged(&call(1, "write"), &everything.watch).passed, Some(call(1, "write")));
        let all = "{\"id\":2,\"result\":{\"tools\":[{\"name\":\"read\"},{\"name\":\"write\"}]}}";
        assert_eq!(heard(all, &everything.watch).as_deref(), Some(all));
    }

    #[test]
    fn nothing_gets_past_in_a_batch_or_in_what_cannot_be_read() {
        let call = |name: &str| call(1, name);
        check(&format!("[{}]", call("write")), None, true);
        check(&format!("[{},{}]", call("read"), call("write")), Some(&format!("[{}]", call("read"))), true);
        check(&format!("[[{}]]", call("write")), None, false);
        check("no json", None, false);
        check(&format!("{} trailing", call("write")), None, false);
        let twice = "{\"method\":\"tools/call\",\"params\":{\"name\":\"write\"},\"params\":{\"name\":\"read\"}}";
        check(twice, Some("{\"method\":\"tools/call\",\"params\":{\"name\":\"read\"}}"), false);
    }

    #[test]
    fn only_what_was_given_is_listed() {
        let all = "{\"id\":2,\"result\":{\"tools\":[{\"name\":\"read\"},{\"name\":\"write\"}]}}";
        let given = "{\"id\":2,\"result\":{\"tools\":[{\"name\":\"read\"}]}}";
        check_answer(all, Some(given));
        check_answer(&format!("[{all}]"), Some(&format!("[{given}]")));
        check_answer(&format!("noise {all}"), None);
        check_answer("{\"id\":3,\"result\":\"called\"}", Some("{\"id\":3,\"result\":\"called\"}"));
    }

    #[test]
    fn a_call_that_cannot_be_put_on_record_is_not_made() {
        let way_back = WayBack::from_servers(["files"]).expect("a file can be made");
        let notes = way_back.notes().next().expect("there is one").to_path_buf();
        drop(way_back);
        let opened = Relay::new(Given::Everything, &notes, &Redactor::default());
        assert!(opened.is_err(), "the attempt is over, and nobody reads");
    }

    #[test]
    fn a_server_behind_a_relay_answers_what_it_may() {
        let server = "printf '\\377 noise\\n'; while read line; do case \"$line\" in *list*) echo '{\"id\":1,\"result\":{\"tools\":[{\"name\":\"read\"},{\"name\":\"write\"}]}}';; *) echo '{\"id\":2,\"result\":\"called\"}'; exit 3;; esac; done";
        let words = ["sh", "-c", server].map(String::from);
        let asked = format!("{{\"id\":1,\"method\":\"tools/list\"}}\n{}\n{}\n", call(9, "write"), call(2, "read"));
        let heard = Shared::default();
        let (relay, _notes) = relay();
        let code = relay.to_program(&words, io::Cursor::new(asked), heard.clone()).expect("it can be started");
        let heard = String::from_utf8(heard.0.lock().expect("nobody panicked").clone()).expect("text");
        let mut lines: Vec<&str> = heard.lines().collect();
        lines.sort_unstable();
        assert_eq!(code, 3);
        assert_eq!(lines.len(), 3, "{heard}");
        assert!(lines.iter().any(|line| line.contains("you were given no tool `write`") && line.contains("\"id\":9")), "{heard}");
        assert!(heard.contains("called") && !heard.contains("{\"name\":\"write\"}"), "{heard}");
    }

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}
