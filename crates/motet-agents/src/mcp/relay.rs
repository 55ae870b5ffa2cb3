//! Stands between a coding agent and a tool server that it was not given whole: other tools are neither listed nor called.
//! It reads only what it must; everything else passes as it came.

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
            let passed = match refusal(&line, &allowed) {
                Some(refusal) => say(&answers, &refusal.to_string()),
                None => writeln!(input, "{line}").and_then(|()| input.flush()),
            };
            if passed.is_err() {
                break;
            }
        }
    });
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        if say(&to, &narrowed(line, allow)).is_err() {
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

/// What is answered to a call of a tool that was not given.
fn refusal(line: &str, allow: &[String]) -> Option<Value> {
    let message: Value = serde_json::from_str(line).ok()?;
    let name = message["params"]["name"].as_str().filter(|_| message["method"] == "tools/call")?;
    if allow.iter().any(|allowed| allowed == name) {
        return None;
    }
    let error = json!({ "code": -32602, "message": format!("you were given no tool `{name}`") });
    Some(json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }))
}

/// A list of tools without those that were not given.
fn narrowed(line: String, allow: &[String]) -> String {
    let Ok(mut message) = serde_json::from_str::<Value>(&line) else { return line };
    let Some(tools) = message.pointer_mut("/result/tools").and_then(Value::as_array_mut) else { return line };
    tools.retain(|tool| tool["name"].as_str().is_some_and(|name| allow.iter().any(|allowed| allowed == name)));
    message.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, refused: bool, passed: &str) {
        let allow = ["read".to_string()];
        assert_eq!(refusal(line, &allow).is_some(), refused, "{line}");
        assert_eq!(narrowed(line.to_string(), &allow), passed, "{line}");
    }

    #[test]
    fn only_what_was_given_is_called_and_listed() {
        let call = |name: &str| format!("{{\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\"}}}}");
        check(&call("read"), false, &call("read"));
        check(&call("write"), true, &call("write"));
        check("{\"id\":1,\"method\":\"tools/call\",\"params\":{}}", false, "{\"id\":1,\"method\":\"tools/call\",\"params\":{}}");
        check("no json", false, "no json");
        let listed = "{\"id\":2,\"result\":{\"tools\":[{\"name\":\"read\"},{\"name\":\"write\"}]}}";
        check(listed, false, "{\"id\":2,\"result\":{\"tools\":[{\"name\":\"read\"}]}}");
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
