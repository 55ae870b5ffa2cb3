//! A whole run against a server that speaks Ollama's wire format: the writer and the reviewer are played by a model.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::project::Project;

/// Says the next of these whenever it is asked, whoever asks.
fn model(lines: &[&str]) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let address = format!("http://{}", listener.local_addr().expect("it is bound"));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (record, lines): (_, Vec<String>) = (asked.clone(), lines.iter().map(ToString::to_string).collect());
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| serve(stream, &lines, &record)));
    (address, asked)
}

fn serve(stream: TcpStream, lines: &[String], asked: &Mutex<Vec<Value>>) {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).is_err() || line.trim().is_empty() {
            break;
        }
        head.push(line.to_ascii_lowercase());
    }
    let length = head.iter().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    let path = head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
    let answer = match path {
        "/api/version" => json!({ "version": "0.12.6" }).to_string(),
        "/api/tags" => json!({ "models": [tag("mistral:latest"), tag("gemma2:2b")] }).to_string(),
        "/api/show" => json!({ "model_info": { "general.architecture": "m", "m.context_length": 8192 } }).to_string(),
        _ => {
            let mut asked = asked.lock().expect("no panic");
            let said = lines.get(asked.len()).cloned().unwrap_or_default();
            asked.push(serde_json::from_slice(&body).unwrap_or_default());
            let piece = json!({ "message": { "role": "assistant", "content": said }, "done": false });
            let last =
                json!({ "message": { "content": "" }, "done": true, "done_reason": "stop", "prompt_eval_count": 20, "eval_count": 5 });
            format!("{piece}\n{last}\n")
        }
    };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", answer.len());
    let _ = reader.get_mut().write_all(format!("{head}{answer}").as_bytes());
}

/// As Ollama tells of a model.
fn tag(name: &str) -> Value {
    json!({ "name": name, "model": name, "modified_at": "2026-01-01T00:00:00Z", "size": 1, "digest": "0", "details": {} })
}

#[test]
fn a_slogan_is_written_and_reviewed_by_a_model() {
    let project = Project::new();
    let (address, asked) = model(&[r#"{"slogan": "Sip"}"#, "Too short.", r#"{"slogan": "Sip the Sea"}"#, "SHIP IT!"]);
    let output = project.command(&["run", "slogan", "tea", "--model", "gemma2:2b"]).env("OLLAMA_BASE_URL", &address).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let run = project.last();
    let session: Value = serde_json::from_str(&project.read(format!(".motet/runs/{run}/session.json"))).unwrap();
    assert_eq!(session["final_slogan"], "Sip the Sea");
    assert_eq!(session["model_name"], "gemma2:2b");
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 4);
    assert!(asked[2]["messages"].to_string().contains("Too short."), "{}", asked[2]);
    assert_eq!(project.status(&run)["usage"]["tokens_out"], 20);
}

#[test]
fn a_model_that_the_server_lacks_is_told_before_a_run_starts() {
    let project = Project::new();
    let (address, _) = model(&[]);
    let output = project.command(&["run", "slogan", "tea", "--model", "nothing"]).env("OLLAMA_BASE_URL", &address).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("nothing") && told.contains("gemma2:2b"), "{told}");
    assert!(project.list().is_empty());
}

#[test]
fn a_token_in_the_address_is_kept_and_shown_nowhere() {
    let project = Project::new();
    // `Basic` of the token, and of `Bearer ` before it, as a server repeats them that says what it was sent.
    let forms = ["tok-SECRET-012345", "dG9rLVNFQ1JFVC0wMTIzNDU6", "QmVhcmVyIHRvay1TRUNSRVQtMDEyMzQ1"];
    let told = format!(r#"{{"slogan": "{}"}}"#, forms.join(" "));
    let (address, asked) = model(&[&told, "SHIP IT!"]);
    let address = address.replace("http://", "http://tok-SECRET-012345@");
    let mut said = Vec::new();
    for arguments in [&["run", "slogan", "tea", "--model", "gemma2:2b"][..], &["log", "last", "--exchanges"], &["status", "last", "--json"]]
    {
        let output = project.command(arguments).env("OLLAMA_BASE_URL", &address).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        said.push(("the terminal".to_string(), [output.stdout, output.stderr].concat()));
    }
    assert!(!asked.lock().unwrap().is_empty());
    said.extend(project.files(".motet"));
    let pieces = ["tok-SECRET", "dG9rLVNFQ1JF", "1TRUNSRVQtMDEy"];
    for (place, content) in &said {
        for piece in pieces {
            assert!(!content.windows(piece.len()).any(|window| window == piece.as_bytes()), "{piece} is in {place}");
        }
    }
    assert!(said.iter().any(|(_, content)| String::from_utf8_lossy(content).contains("[redacted]")), "nothing was repeated");
}
