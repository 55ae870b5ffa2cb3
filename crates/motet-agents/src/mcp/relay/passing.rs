//! Passes messages on between an agent and a server that is a program, line by line.
//! What is no message goes nowhere, since the other side might read more out of it than we do; but nobody waits for an answer because of it.

use std::io::{self, Read, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Relay;
use super::ending::{self, LAST_ANSWERS, Why};
use super::reading::{Unread, as_it_came, no_message, unreadable};
use super::watch::Watch;
use crate::command::lines::{Lines, MESSAGE_BYTES};
use crate::mcp::mending::mended;

/// How long what a server said before its end may be on its way.
const LAST_WORDS: Duration = Duration::from_millis(500);

impl Relay {
    /// Starts the server and passes messages on until either side has no more, or this process is told to end. Gives the server's exit code
    /// if it ended by itself, and otherwise 0.
    pub fn to_program(self, words: &[String], from: impl Read + Send + 'static, to: impl Write + Send + 'static) -> io::Result<i32> {
        let Some((program, arguments)) = words.split_first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no server to start"));
        };
        let (tell, happened) = channel();
        ending::when_told({
            let tell = tell.clone();
            move || tell.send(Happened::Told).unwrap_or_default()
        });
        let mut server = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(mut input), Some(output)) = (server.stdin.take(), server.stdout.take()) else {
            return Err(io::Error::other("the server has no streams"));
        };
        let (to, watch) = (Arc::new(Mutex::new(to)), Arc::new(self.watch));
        let (answers, asked, ended) = (to.clone(), watch.clone(), tell.clone());
        // Whoever waits for the other side is ended with this process.
        std::thread::spawn(move || {
            each_line(from, |line| {
                let Judged { passed, refused } = judged(&line, &asked);
                let answered = refused.map_or(Ok(()), |refused| say(&answers, &refused.to_string()));
                let sent = passed.map_or(Ok(()), |passed| writeln!(input, "{passed}").and_then(|()| input.flush()));
                answered.and(sent)
            });
            ended.send(Happened::AgentEnded(input))
        });
        let heard_by = watch.clone();
        std::thread::spawn(move || {
            each_line(output, |line| {
                let said = heard(&line, &heard_by).map_or(Ok(()), |line| say(&to, &line));
                said.and(tell.send(Happened::Passed).map_err(io::Error::other))
            });
            tell.send(Happened::ServerEnded)
        });
        let (why, input) = wait(&happened, &watch);
        let ended = ending::end(server, input, why);
        if why != Why::ServerEnded {
            // What it said last may still be on its way; who else holds its output open is not waited for.
            let deadline = Instant::now() + LAST_WORDS;
            while !matches!(happened.recv_timeout(left_until(deadline)), Ok(Happened::ServerEnded) | Err(_)) {}
        }
        ended
    }
}

/// What the threads around a server tell of.
enum Happened {
    /// The agent says no more; what it would have said it into.
    AgentEnded(ChildStdin),
    ServerEnded,
    /// The server has said something.
    Passed,
    /// Somebody wants this process to end.
    Told,
}

/// Until it is over, and why: an agent that has left may still be told what it has asked, but does not keep a server from its end.
fn wait(happened: &Receiver<Happened>, watch: &Watch) -> (Why, Option<ChildStdin>) {
    let (mut input, mut deadline) = (None, None);
    loop {
        if input.is_some() && watch.is_idle() {
            return (Why::NobodyAsks, input);
        }
        let next = match deadline {
            None => happened.recv().map_err(|_| Why::ServerEnded),
            Some(deadline) => happened.recv_timeout(left_until(deadline)).map_err(|_| Why::NobodyAsks),
        };
        match next {
            Ok(Happened::Passed) => {}
            Ok(Happened::AgentEnded(ended)) => {
                input = Some(ended);
                deadline = Some(Instant::now() + LAST_ANSWERS);
            }
            Ok(Happened::ServerEnded) => return (Why::ServerEnded, input),
            Ok(Happened::Told) => return (Why::Told, input),
            Err(why) => return (why, input),
        }
    }
}

fn left_until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// Tells of every line until there are no more, or nobody takes them. One that is too long is cut, which leaves nothing that can be read.
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

/// What of a line reaches the server, and what is answered in its place.
#[derive(Debug, Default, PartialEq)]
struct Judged {
    passed: Option<String>,
    refused: Option<Value>,
}

/// Of several messages at once each is judged alone. What is passed on is written anew where the server might read something else in it.
fn judged(line: &str, watch: &Watch) -> Judged {
    let line = mended(line);
    let message = match serde_json::from_str(&line) {
        Ok(message) => message,
        Err(_) => return Judged { passed: None, refused: Some(unreadable(&line)) },
    };
    let messages = match message {
        Value::Object(_) => {
            let refused = watch.refusal(&message);
            return Judged { passed: refused.is_none().then(|| written(&line, &message)), refused };
        }
        Value::Array(messages) if !messages.is_empty() => messages,
        _ => return Judged { passed: None, refused: Some(no_message()) },
    };
    let mut judged = (Vec::new(), Vec::new());
    for message in messages {
        match if message.is_object() { watch.refusal(&message) } else { Some(no_message()) } {
            Some(refusal) => judged.1.push(refusal),
            None => judged.0.push(message),
        }
    }
    let (passed, refused) = judged;
    let whole = if refused.is_empty() { as_it_came(&line) } else { None };
    Judged {
        passed: (!passed.is_empty()).then(|| whole.map_or_else(|| Value::Array(passed).to_string(), String::from)),
        refused: (!refused.is_empty()).then_some(Value::Array(refused)),
    }
}

/// A message as it came, or anew.
fn written(line: &str, message: &Value) -> String {
    as_it_came(line).map_or_else(|| message.to_string(), String::from)
}

/// What of a line of the server reaches the agent.
fn heard(line: &str, watch: &Watch) -> Option<String> {
    let line = mended(line);
    let Ok(mut message) = serde_json::from_str(&line) else {
        return watch.hear_unread(&Unread::of(&line)).map(|answer| answer.to_string());
    };
    let is_changed = match &mut message {
        Value::Array(messages) => {
            let all = messages.len();
            messages.retain(Value::is_object);
            if messages.is_empty() {
                return None;
            }
            // Each of them is heard, whatever was found in the others.
            let changed = messages.iter_mut().map(|message| watch.hear(message)).filter(|is_changed| *is_changed).count();
            changed > 0 || messages.len() < all
        }
        Value::Object(_) => watch.hear(&mut message),
        _ => return None,
    };
    Some(if is_changed { message.to_string() } else { written(&line, &message) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        check("{\"id\":1,\"Method\":\"tools/call\",\"Params\":{\"name\":\"write\"}}", None, true);
        check("{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"read\",\"Name\":\"write\"}}", None, true);
        check("{\"id\":1,\"method\":\"tools/list\",\"param\u{17f}\":{}}", None, true);
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
        check(&format!("[[{}]]", call("write")), None, true);
        check("no json", None, true);
        check("7", None, true);
        check("[]", None, true);
        check(&format!("{} trailing", call("write")), None, true);
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
    fn what_both_read_alike_is_passed_on_as_it_came() {
        let large = "{\"id\":123456789012345678901234567890,\"method\":\"ping\", \"params\":{\"n\":98765432109876543210.5}}";
        check(large, Some(large), false);
        check(&format!("[{large}]"), Some(&format!("[{large}]")), false);
        let answer = "{\"id\":1,\"result\":{\"structuredContent\":{\"n\":123456789012345678901234567890}}}";
        check_answer(answer, Some(answer));
        let hidden = "{\"method\":\"ping\",\"params\":\r{\"method\":\"tools/call\",\"params\":{\"name\":\"write\"}}\r}";
        check(hidden, Some(&hidden.replace('\r', "")), false);
    }

    #[test]
    fn half_a_letter_keeps_no_message_back() {
        let call = |text: &str| {
            format!("{{\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"read\",\"arguments\":{{\"t\":\"{text}\"}}}}}}")
        };
        check(&call("cut \\ud83d"), Some(&call("cut \\ufffd")), false);
        check_answer("{\"id\":3,\"result\":\"abc\\ud83d\"}", Some("{\"id\":3,\"result\":\"abc\\ufffd\"}"));
    }

    /// What an agent is told that says this.
    fn check_unread(line: &str, id: Value) {
        let told = judged(line, &relay().0.watch).refused.expect("it is answered");
        assert_eq!((&told["id"], &told["error"]["code"]), (&id, &json!(-32700)), "{line}");
    }

    #[test]
    fn an_agent_is_told_what_of_its_own_cannot_be_read() {
        check_unread("{\"id\":4,\"method\":\"tools/call\",\"params\":{", json!(4));
        check_unread("no json", Value::Null);
        check_unread("{\"id\":4,\"result\":{\"content\":\"", Value::Null);
    }

    /// What an agent that waits for these calls of `read` is told when the server says this, and how many calls are answered in the notes.
    fn check_broken(open: &[usize], line: &str, id: Option<usize>) {
        let (relay, mut notes) = relay();
        for id in open {
            assert!(judged(&call(*id, "read"), &relay.watch).passed.is_some());
        }
        let told = heard(line, &relay.watch).map(|told| serde_json::from_str::<Value>(&told).expect("it can be read"));
        assert_eq!(told.as_ref().map(|told| told["id"].clone()), id.map(|id| json!(id)), "{line}");
        let passed = notes.take().passed;
        let answered: Vec<_> = passed.iter().filter_map(|passed| Some((passed.answer.as_ref()?.kept.as_str(), passed.is_error))).collect();
        let why = "the answer of `read` cannot be read, or is larger than 16 MiB; it was called";
        assert_eq!(answered, id.map(|_| (why, true)).into_iter().collect::<Vec<_>>(), "{line}");
        assert!(told.is_none_or(|told| told["error"]["message"] == why));
    }

    #[test]
    fn nobody_waits_for_an_answer_that_cannot_be_read() {
        check_broken(&[1, 2], "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{", Some(2));
        check_broken(&[1, 2], "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{", None);
        check_broken(&[1], "{\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{", Some(1));
        check_broken(&[1, 2], "{\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{", None);
        check_broken(&[1], "{\"method\":\"notifications/message\",\"params\":{", None);
        check_broken(&[1], "reading the file …", None);
        check_broken(&[1], &format!("{{\"id\":1,\"result\":{}{}}}", "[".repeat(200), "]".repeat(200)), Some(1));
    }

    #[test]
    fn an_answer_that_is_too_long_is_told_in_its_place() {
        let server = "read line; printf '{\"id\":1,\"result\":\"'; head -c 17000000 /dev/zero | tr '\\0' x; printf '\"}\\n'";
        let heard = Shared::default();
        let (relay, _notes) = relay();
        let said = io::Cursor::new(call(1, "read") + "\n");
        relay.to_program(&["sh", "-c", server].map(String::from), said, heard.clone()).expect("it can be started");
        let heard = String::from_utf8(heard.0.lock().expect("nobody panicked").clone()).expect("text");
        assert!(heard.len() < 1000 && heard.contains("larger than 16 MiB") && heard.contains("\"id\":1"), "{}", heard.len());
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

    #[test]
    fn an_agent_that_has_left_is_still_told_what_it_asked_and_its_server_ends() {
        let server = "read line; sleep 0.3; echo '{\"id\":1,\"result\":\"late\"}'; read more || echo '{\"id\":2,\"result\":\"closed\"}'; exec sleep 60";
        let heard = Shared::default();
        let (relay, _notes) = relay();
        let said = io::Cursor::new(call(1, "read") + "\n");
        let code = relay.to_program(&["sh", "-c", server].map(String::from), said, heard.clone()).expect("it can be started");
        let heard = String::from_utf8(heard.0.lock().expect("nobody panicked").clone()).expect("text");
        assert_eq!((code, heard.lines().count()), (0, 2), "{heard}");
        assert!(heard.starts_with("{\"id\":1,\"result\":\"late\"}\n"), "{heard}");
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
