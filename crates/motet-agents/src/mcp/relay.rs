//! Stands between a coding agent and a tool server that it was not given whole: other tools are neither listed nor called.
//! It changes nothing else: every other message says to the other side what it said here.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

/// Starts the server and passes messages on until either side has no more. Gives the server's exit code.
pub fn relay(words: &[String], allow: &[String], from: impl BufRead + Send + 'static, to: impl Write + Send + 'static) -> io::Result<i32> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no server to start"));
    };
    let mut server = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (Some(mut input), Some(output)) = (server.stdin.take(), server.stdout.take()) else {
        return Err(io::Error::other("the server has no streams"));
    };
    let to = Arc::new(Mutex::new(to));
    let (answers, allowed) = (to.clone(), allow.to_vec());
    // Its end is the end of the agent, or of the server: whoever waits for the other side is ended with this process.
    std::thread::spawn(move || {
        for line in from.lines().map_while(Result::ok) {
            let Judged { passed, refused } = judged(&line, &allowed);
            let answered = refused.map_or(Ok(()), |refused| say(&answers, &refused.to_string()));
            let sent = passed.map_or(Ok(()), |passed| writeln!(input, "{passed}").and_then(|()| input.flush()));
            if answered.and(sent).is_err() {
                break;
            }
        }
    });
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        if let Some(line) = narrowed(&line, allow)
            && say(&to, &line).is_err()
        {
            break;
        }
    }
    end(server)
}

fn say(to: &Mutex<impl Write>, line: &str) -> io::Result<()> {
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

/// What is no message is not passed on: the server might read more out of it than we do. Of several messages at once each is judged alone.
/// What is passed on is written anew, so that both sides read the same.
fn judged(line: &str, allow: &[String]) -> Judged {
    let messages = match serde_json::from_str(line) {
        Ok(message @ Value::Object(_)) => {
            let refused = refusal(&message, allow);
            return Judged { passed: refused.is_none().then(|| message.to_string()), refused };
        }
        Ok(Value::Array(messages)) => messages,
        Ok(_) | Err(_) => return Judged::default(),
    };
    let mut judged = (Vec::new(), Vec::new());
    for message in messages.into_iter().filter(Value::is_object) {
        match refusal(&message, allow) {
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

/// What is answered to a call of a tool that was not given.
fn refusal(message: &Value, allow: &[String]) -> Option<Value> {
    if message["method"] != "tools/call" {
        return None;
    }
    let name = message["params"]["name"].as_str();
    if name.is_some_and(|name| allow.iter().any(|allowed| allowed == name)) {
        return None;
    }
    let told = name.map_or_else(|| "you called a tool without naming it".into(), |name| format!("you were given no tool `{name}`"));
    Some(json!({ "jsonrpc": "2.0", "id": message["id"], "error": { "code": -32602, "message": told } }))
}

/// What the server says, in which lists of tools are without those that were not given. What is no message is not passed on.
fn narrowed(line: &str, allow: &[String]) -> Option<String> {
    let mut message: Value = serde_json::from_str(line).ok()?;
    match &mut message {
        Value::Array(messages) => {
            messages.retain(Value::is_object);
            messages.iter_mut().for_each(|message| narrow(message, allow));
            if messages.is_empty() {
                return None;
            }
        }
        Value::Object(_) => narrow(&mut message, allow),
        _ => return None,
    }
    Some(message.to_string())
}

fn narrow(message: &mut Value, allow: &[String]) {
    if let Some(tools) = message.pointer_mut("/result/tools").and_then(Value::as_array_mut) {
        tools.retain(|tool| tool["name"].as_str().is_some_and(|name| allow.iter().any(|allowed| allowed == name)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the agent says, what of it reaches the server, and whether it is answered here.
    fn check(line: &str, passed: Option<&str>, refused: bool) {
        let judged = judged(line, &["read".to_string()]);
        assert_eq!((judged.passed.as_deref(), judged.refused.is_some()), (passed, refused), "{line}");
    }

    fn check_answer(line: &str, passed: Option<&str>) {
        assert_eq!(narrowed(line, &["read".to_string()]).as_deref(), passed, "{line}");
    }

    #[test]
    fn only_what_was_given_is_called() {
        let call = |name: &str| format!("{{\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\"}}}}");
        check(&call("read"), Some(&call("read")), false);
        check(&call("write"), None, true);
        check("{\"id\":1,\"method\":\"tools/call\",\"params\":{}}", None, true);
        check("{\"id\":1,\"method\":\"tools/list\"}", Some("{\"id\":1,\"method\":\"tools/list\"}"), false);
    }

    #[test]
    fn nothing_gets_past_in_a_batch_or_in_what_cannot_be_read() {
        let call = |name: &str| format!("{{\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\"}}}}");
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
    fn a_server_behind_a_relay_answers_what_it_may() {
        let server = "while read line; do case \"$line\" in *list*) echo '{\"id\":1,\"result\":{\"tools\":[{\"name\":\"read\"},{\"name\":\"write\"}]}}';; *) echo '{\"id\":2,\"result\":\"called\"}'; exit 3;; esac; done";
        let words = ["sh", "-c", server].map(String::from);
        let asked = "{\"id\":1,\"method\":\"tools/list\"}\n{\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"write\"}}\n{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"read\"}}\n";
        let heard = Shared::default();
        let code = relay(&words, &["read".to_string()], io::Cursor::new(asked), heard.clone()).expect("it can be started");
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
