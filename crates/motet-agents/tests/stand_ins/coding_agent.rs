//! An agent over the Agent Client Protocol that does what the first words of its prompt say, and remembers its conversations.
//! `STAND_IN_STORE` is where it remembers them; the file `resumes` there says how it can be asked to take one up again.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, ContentBlock, ContentChunk, Cost, CreateTerminalRequest, Implementation, InitializeRequest,
    InitializeResponse, LoadSessionRequest, LoadSessionResponse, McpCapabilities, NewSessionRequest, NewSessionResponse, PermissionOption,
    PermissionOptionKind, PromptRequest, PromptResponse, ReadTextFileRequest, ReleaseTerminalRequest, RequestPermissionOutcome,
    RequestPermissionRequest, ResumeSessionRequest, ResumeSessionResponse, SessionCapabilities, SessionConfigOption,
    SessionConfigSelectOption, SessionId, SessionMode, SessionModeState, SessionNotification, SessionResumeCapabilities, SessionUpdate,
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest, SetSessionModeResponse, StopReason,
    TerminalOutputRequest, TextContent, ToolCall, ToolCallUpdate, ToolCallUpdateFields, Usage, UsageUpdate, WaitForTerminalExitRequest,
    WriteTextFileRequest,
};
use agent_client_protocol::{Agent, Client, Error, Stdio, on_receive_notification, on_receive_request};
use serde_json::json;
use tokio::sync::Notify;

use super::given_servers::{call_of, described, given, keep, record_of, used};

#[test]
#[ignore = "the part of a coding agent, which other tests start"]
fn plays_its_part() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be made");
    let _ = runtime.block_on(serve());
    std::process::exit(0);
}

async fn serve() -> Result<(), Error> {
    let resumes = std::fs::read_to_string(store().join("resumes")).unwrap_or_default();
    let over_http = McpCapabilities::new().http(!resumes.is_empty());
    let mut can = AgentCapabilities::new().load_session(resumes == "load").mcp_capabilities(over_http);
    if resumes == "resume" {
        can = can.session_capabilities(SessionCapabilities::new().resume(SessionResumeCapabilities::new()));
    }
    let stop = Arc::new(Notify::new());
    let stopped = stop.clone();
    Agent
        .v1()
        .on_receive_request(
            async move |hello: InitializeRequest, responder, _connection| {
                responder.respond(
                    InitializeResponse::new(hello.protocol_version)
                        .agent_capabilities(can.clone())
                        .agent_info(Implementation::new("stand-in", "7")),
                )
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |new: NewSessionRequest, responder, _connection| {
                keep(&new.mcp_servers);
                let sessions = std::fs::read_dir(store()).into_iter().flatten().flatten();
                let number = sessions.filter(|entry| entry.file_name().to_string_lossy().starts_with("session-")).count() + 1;
                let id = format!("session-{number}");
                let _ = std::fs::write(store().join(&id), "");
                responder.respond(NewSessionResponse::new(id).modes(modes()).config_options(options()))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |resume: ResumeSessionRequest, responder, _connection| {
                keep(&resume.mcp_servers);
                responder.respond_with_result(
                    known(&resume.session_id).map(|_| ResumeSessionResponse::new().modes(modes()).config_options(options())),
                )
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |load: LoadSessionRequest, responder, connection: ConnectionTo<Client>| {
                keep(&load.mcp_servers);
                let past = known(&load.session_id);
                if past.is_ok() {
                    say(&connection, &load.session_id, "what was said long ago")?;
                }
                responder.respond_with_result(past.map(|_| LoadSessionResponse::new().modes(modes()).config_options(options())))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |set: SetSessionModeRequest, responder, _connection| {
                let _ = std::fs::write(store().join("mode"), &*set.mode_id.0);
                responder.respond(SetSessionModeResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |set: SetSessionConfigOptionRequest, responder, _connection| {
                let _ = std::fs::write(store().join(&*set.config_id.0), json!(set.value)["value"].as_str().unwrap_or_default());
                responder.respond(SetSessionConfigOptionResponse::new(options()))
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |_cancel: CancelNotification, _connection| {
                stop.notify_one();
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |prompt: PromptRequest, responder, connection: ConnectionTo<Client>| {
                let (stopped, client) = (stopped.clone(), connection.clone());
                connection.spawn(async move { responder.respond_with_result(turn(&client, prompt, &stopped).await) })
            },
            on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}

fn modes() -> SessionModeState {
    SessionModeState::new("code", vec![SessionMode::new("code", "Code"), SessionMode::new("plan", "Plan")])
}

fn options() -> Vec<SessionConfigOption> {
    let models = vec![SessionConfigSelectOption::new("small", "Small"), SessionConfigSelectOption::new("big", "Big")];
    vec![SessionConfigOption::select("model", "Model", "small", models)]
}

/// What the session was set to; the next one begins anew.
fn chosen() -> String {
    let taken = ["mode", "model"].map(|name| {
        let set = std::fs::read_to_string(store().join(name)).unwrap_or_default();
        let _ = std::fs::remove_file(store().join(name));
        set
    });
    taken.join(" ")
}

async fn turn(client: &ConnectionTo<Client>, prompt: PromptRequest, stopped: &Notify) -> Result<PromptResponse, Error> {
    let id = prompt.session_id;
    let said: String = prompt
        .prompt
        .iter()
        .filter_map(|block| if let ContentBlock::Text(text) = block { Some(text.text.as_str()) } else { None })
        .collect();
    let past = std::fs::read_to_string(store().join(&*id.0)).unwrap_or_default();
    let _ = std::fs::write(store().join(&*id.0), format!("{past}{}\n", said.replace('\n', " ")));
    // A conversation that goes on is about what it began with.
    let flat = said.replace('\n', " ");
    let task = past.lines().next().unwrap_or(&flat).split("  ").next().unwrap_or_default().trim().to_string();
    let (verb, rest) = task.split_once(' ').unwrap_or((&task, ""));
    let ended = |reason| Ok(PromptResponse::new(reason));
    match verb {
        "json" => say(client, &id, "Here it is:\n```json\n{\"score\": 7}\n```")?,
        "turns" => say(client, &id, &format!("turn {}", past.lines().count() + 1))?,
        "chosen" => say(client, &id, &chosen())?,
        "servers" => say(client, &id, &given().iter().map(described).collect::<Vec<_>>().join(", "))?,
        "use" => say(client, &id, &used(rest).unwrap_or_else(|| "it did not answer".into()))?,
        // `files.echo {…}; files.count`: one call after the other, without a word of them.
        "call" => {
            let answers: Vec<String> = rest.split("; ").map(|said| call_of(said, true).unwrap_or_else(|| "nothing".into())).collect();
            say(client, &id, &answers.join(", "))?;
        }
        // The same with a word: the first by its arguments, the others only by a title.
        "tell" => {
            for (number, said) in rest.split("; ").enumerate() {
                let arguments = said.split_once(' ').and_then(|(_, arguments)| serde_json::from_str::<serde_json::Value>(arguments).ok());
                let told = ToolCall::new(format!("c{number}"), "uses a tool");
                let told = if number == 0 { told.raw_input(arguments) } else { told };
                update(client, &id, SessionUpdate::ToolCall(told))?;
                call_of(said, true);
            }
            update(client, &id, SessionUpdate::ToolCall(ToolCall::new("own", "Reads").raw_input(json!({"path": "a.txt"}))))?;
            say(client, &id, "told")?;
        }
        // A tool that does not answer, and an agent that waits until it is stopped, or does not even stop.
        "call-and-hang" | "call-and-die" => {
            call_of("files.echo {\"text\":\"before\"}", true);
            call_of("files.hang", false);
            // The relay has begun when it has written down the call.
            let notes = given().iter().find_map(record_of).unwrap_or_default();
            while !std::fs::read_to_string(&notes).unwrap_or_default().contains("\"hang\"") {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
            let _ = std::fs::write(store().join("hangs"), "");
            if verb == "call-and-die" {
                std::process::exit(3);
            }
            stopped.notified().await;
            return ended(StopReason::Cancelled);
        }
        // It finds the file that a relay writes into, and writes there itself.
        "forge" => {
            let notes = given().iter().find_map(record_of).unwrap_or_default();
            call_of("files.echo {\"text\":\"real\"}", true);
            let mut file = std::fs::OpenOptions::new().append(true).open(&notes).map_err(Error::into_internal_error)?;
            let _ =
                file.write_all(b"no json\n{\"note\":\"answered\",\"call\":\"x\",\"answer\":{\"kept\":\"\"},\"is_error\":false}\n\xff\n");
            let _ = file.write_all(&vec![b'x'; 20 << 20]);
            say(client, &id, &notes)?;
        }
        "ramble" => {
            say(client, &id, "First I look.")?;
            update(client, &id, SessionUpdate::ToolCall(ToolCall::new("t1", "looks around")))?;
            let cost = Cost::new(0.25 * (past.lines().count() + 1) as f64, "USD");
            update(client, &id, SessionUpdate::UsageUpdate(UsageUpdate::new(10, 100).cost(cost)))?;
            say(client, &id, "It is ")?;
            say(client, &id, "done.")?;
            return Ok(PromptResponse::new(StopReason::EndTurn).usage(Usage::new(30, 20, 10)));
        }
        // `110000:0.50 220000:0.40`: what it says that it took, in one turn after the other.
        "count" => {
            let told: Vec<&str> = rest.split(' ').nth(past.lines().count()).unwrap_or_default().split(':').collect();
            let number = |place: usize| told.get(place).and_then(|number| number.parse::<f64>().ok()).unwrap_or_default();
            update(client, &id, SessionUpdate::UsageUpdate(UsageUpdate::new(10, 100).cost(Cost::new(number(1), "USD"))))?;
            say(client, &id, "counted")?;
            let reason = if told.contains(&"refusal") { StopReason::Refusal } else { StopReason::EndTurn };
            return Ok(PromptResponse::new(reason).usage(Usage::new(0, number(0) as u64, 0)));
        }
        "write" => {
            if !allowed(client, &id, rest).await? {
                say(client, &id, "was not allowed")?;
                return ended(StopReason::EndTurn);
            }
            let written = client.send_request(WriteTextFileRequest::new(id.clone(), rest, "written\n")).block_task().await;
            say(client, &id, &written.map_or_else(|error| format!("refused: {}", error.message), |_| format!("wrote {rest}")))?;
        }
        // Without a word before, as some agents do.
        "just-write" => {
            let mut said = Vec::new();
            for path in rest.split(' ') {
                let written = client.send_request(WriteTextFileRequest::new(id.clone(), path, "written\n")).block_task().await;
                said.push(written.map_or_else(|error| format!("refused: {}", error.message), |_| format!("wrote {path}")));
            }
            say(client, &id, &said.join(", "))?;
        }
        // It asks for the first and writes all.
        "ask-then-write" => {
            let paths: Vec<&str> = rest.split(' ').collect();
            if !allowed(client, &id, paths[0]).await? {
                say(client, &id, "was not allowed")?;
                return ended(StopReason::EndTurn);
            }
            for path in &paths {
                client.send_request(WriteTextFileRequest::new(id.clone(), *path, "written\n")).block_task().await?;
            }
            say(client, &id, &format!("wrote {rest}"))?;
        }
        "read" => {
            let read = client.send_request(ReadTextFileRequest::new(id.clone(), rest).line(2).limit(1)).block_task().await;
            say(client, &id, &read.map_or_else(|error| format!("refused: {}", error.message), |read| read.content))?;
        }
        "run" => {
            let text = run(client, &id, rest).await.unwrap_or_else(|error| format!("refused: {}", error.message));
            say(client, &id, &text)?;
        }
        "run-in" => {
            let (directory, line) = rest.split_once(' ').unwrap_or((rest, "true"));
            let started = CreateTerminalRequest::new(id.clone(), line).cwd(PathBuf::from(directory));
            let started = client.send_request(started).block_task().await;
            say(client, &id, &started.map_or_else(|error| format!("refused: {}", error.message), |_| "started".into()))?;
        }
        "say-much" => {
            let (times, bytes) = rest.split_once(' ').unwrap_or((rest, "1"));
            for _ in 0..times.parse().unwrap_or(1) {
                say(client, &id, &"x".repeat(bytes.parse().unwrap_or(1)))?;
            }
        }
        // It writes its requests itself, and takes no answer.
        "greedy" => {
            let mut out = std::io::stdout().lock();
            for number in 0..1000 {
                let params = json!({"sessionId": id, "path": rest});
                let asked = json!({"jsonrpc": "2.0", "id": format!("g{number}"), "method": "fs/read_text_file", "params": params});
                let _ = writeln!(out, "{asked}").and_then(|()| out.flush());
            }
            loop {
                std::thread::park();
            }
        }
        "eager" => {
            let (path, times) = rest.split_once(' ').unwrap_or((rest, "1"));
            let asked: Vec<_> = (0..times.parse().unwrap_or(1))
                .map(|_| client.send_request(ReadTextFileRequest::new(id.clone(), path)).block_task())
                .collect();
            let mut answers = 0;
            for answer in asked {
                answers += usize::from(answer.await.is_ok());
            }
            say(client, &id, &format!("{answers} answers"))?;
        }
        "both" => {
            run(client, &id, "true").await?;
            client.send_request(WriteTextFileRequest::new(id.clone(), rest, "written\n")).block_task().await?;
            say(client, &id, "did both")?;
        }
        "leave" => {
            let started = CreateTerminalRequest::new(id.clone(), "sleep").args(vec![rest.to_string()]);
            client.send_request(started).block_task().await?;
            say(client, &id, "left it running")?;
        }
        "hang" => {
            stopped.notified().await;
            let _ = std::fs::write(store().join("cancelled"), "");
            return ended(StopReason::Cancelled);
        }
        "break-off" => {
            say(client, &id, "First I look at the tests and then")?;
            stopped.notified().await;
        }
        "deaf" => {
            let _ = std::process::Command::new("sleep").arg(rest).spawn();
            std::future::pending::<()>().await;
        }
        "ask-and-hang" => {
            let outcome = ask(client, &id, rest).await?;
            let _ = std::fs::write(store().join("outcome"), format!("{outcome:?}"));
            return ended(StopReason::Cancelled);
        }
        "stop" => {
            return ended(match rest {
                "max_tokens" => StopReason::MaxTokens,
                "max_turn_requests" => StopReason::MaxTurnRequests,
                _ => StopReason::Refusal,
            });
        }
        "fail" => return Err(Error::new(-32603, rest)),
        "login" => return Err(Error::auth_required()),
        "crash" => {
            let _ = writeln!(std::io::stderr(), "no more disk");
            std::process::exit(rest.parse().unwrap_or(3));
        }
        "die" => {
            let _ = std::process::Command::new("kill").args(["-KILL", &std::process::id().to_string()]).status();
        }
        "flood" => {
            tokio::task::spawn_blocking(super::tool_server::flood).await.map_err(Error::into_internal_error)?;
            say(client, &id, "after the flood")?;
        }
        other => say(client, &id, &format!("I do not know how to {other}"))?,
    }
    ended(StopReason::EndTurn)
}

async fn run(client: &ConnectionTo<Client>, id: &SessionId, line: &str) -> Result<String, Error> {
    let terminal = client.send_request(CreateTerminalRequest::new(id.clone(), line)).block_task().await?.terminal_id;
    let exit = client.send_request(WaitForTerminalExitRequest::new(id.clone(), terminal.clone())).block_task().await?;
    let output = client.send_request(TerminalOutputRequest::new(id.clone(), terminal.clone())).block_task().await?;
    client.send_request(ReleaseTerminalRequest::new(id.clone(), terminal)).block_task().await?;
    Ok(format!("exit {:?}: {}", exit.exit_status.exit_code, output.output.trim()))
}

async fn allowed(client: &ConnectionTo<Client>, id: &SessionId, path: &str) -> Result<bool, Error> {
    let outcome = ask(client, id, path).await?;
    Ok(matches!(outcome, RequestPermissionOutcome::Selected(selected) if selected.option_id.0.starts_with("allow")))
}

async fn ask(client: &ConnectionTo<Client>, id: &SessionId, path: &str) -> Result<RequestPermissionOutcome, Error> {
    update(client, id, SessionUpdate::ToolCall(ToolCall::new("w1", format!("Write {path}"))))?;
    let fields = ToolCallUpdateFields::new().raw_input(json!({"path": path}));
    let options = vec![
        PermissionOption::new("allow-once", "Allow", PermissionOptionKind::AllowOnce),
        PermissionOption::new("allow-always", "Always allow", PermissionOptionKind::AllowAlways),
        PermissionOption::new("reject", "Reject", PermissionOptionKind::RejectOnce),
    ];
    let request = RequestPermissionRequest::new(id.clone(), ToolCallUpdate::new("w1", fields), options);
    Ok(client.send_request(request).block_task().await?.outcome)
}

fn say(client: &ConnectionTo<Client>, id: &SessionId, text: &str) -> Result<(), Error> {
    update(client, id, SessionUpdate::AgentMessageChunk(ContentChunk::new(ContentBlock::Text(TextContent::new(text)))))
}

fn update(client: &ConnectionTo<Client>, id: &SessionId, update: SessionUpdate) -> Result<(), Error> {
    client.send_notification(SessionNotification::new(id.clone(), update))
}

/// What was said in a conversation that exists.
fn known(id: &SessionId) -> Result<String, Error> {
    std::fs::read_to_string(store().join(&*id.0)).map_err(|_| Error::new(-32002, "session not found"))
}

pub fn store() -> PathBuf {
    PathBuf::from(std::env::var("STAND_IN_STORE").unwrap_or_else(|_| ".".into()))
}
