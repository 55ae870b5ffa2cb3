//! A tool server in a process of its own that works, crashes, hangs and floods.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use motet_agents::mcp::{McpServer, Reached, Servers};
use motet_agents::model::{ModelAgent, ModelSettings, Provider, ProviderKind};
use motet_agents::{Agent, Context, Exchange, Secret, Stop, StopReason, ToolAnswer, Toolbox};
use motet_core::event::FailureKind;
use motet_testkit::providers::{FakeProvider, Format, Line, Said};
use motet_testkit::web::tools::search_server;
use motet_testkit::web::{Answer, Sent, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{Directory, ends, prompted, stand_ins};

fn server(name: &str) -> McpServer {
    McpServer::stdio(name, stand_ins::tool_server())
}

fn servers(server: McpServer) -> Servers {
    Servers::new(vec![server]).expect("it is well declared")
}

async fn call(servers: &Servers, name: &str, arguments: Value) -> ToolAnswer {
    let toolbox = servers.toolbox(&["tools.*".into()]).expect("there is such a server");
    toolbox.call(name, arguments, &Context::new().0).await
}

/// What a call comes to that must fail.
async fn told(servers: &Servers, name: &str) -> String {
    let answer = call(servers, name, json!({})).await;
    assert!(answer.is_error, "{answer:?}");
    answer.text
}

#[tokio::test]
async fn tools_are_listed_and_called() {
    let servers = servers(server("tools"));
    let listed = servers.list(&Context::new().0).await;
    let tools = listed[0].tools.as_ref().expect("it can be asked");
    assert_eq!(
        (listed[0].server.as_str(), tools[0].name.as_str(), tools[0].description.as_str()),
        ("tools", "tools.echo", "It does echo.")
    );
    assert_eq!(tools[0].parameters, json!({"type": "object"}));
    let answer = call(&servers, "tools.echo", json!({"text": "hello"})).await;
    assert_eq!(answer, ToolAnswer { text: "hello".into(), is_error: false });
}

/// Whoever shows a part of it to a model also says how much there was.
#[tokio::test]
async fn an_answer_comes_whole_however_long_it_is() {
    let text = "é".repeat(300_000);
    assert_eq!(call(&servers(server("tools")), "tools.echo", json!({ "text": text })).await, ToolAnswer { text, is_error: false });
}

#[tokio::test]
async fn one_server_serves_everybody_and_ends_with_the_last() {
    let marker = format!("88{}.25", std::process::id());
    let mut declared = server("tools");
    declared.timeout = Duration::from_millis(500);
    declared.reached = Reached::Stdio {
        command: stand_ins::tool_server(),
        env: BTreeMap::from([("STAND_IN_CHILD".into(), marker.clone())]),
        secret_env: BTreeMap::new(),
        directory: None,
    };
    let servers = servers(declared);
    let first = call(&servers, "tools.count", json!({})).await;
    let second = call(&servers.clone(), "tools.count", json!({})).await;
    assert_eq!((first.text.as_str(), second.text.as_str()), ("1", "2"));
    told(&servers, "tools.hang").await;
    drop(servers);
    assert!(ends(&marker).await, "a child of the server is still running");
}

#[tokio::test]
async fn a_call_is_put_on_record_once_by_the_model_that_makes_it() {
    let (servers, context) = (servers(server("tools")), Context::new().0);
    let uses = Line::Says(Said::new("").using("tools_echo", json!({"text": "a"})));
    let fake = FakeProvider::start([uses, Line::says("done")]);
    let provider = Provider::at(ProviderKind::Ollama, &fake.base_url(Format::Ollama)).expect("an address");
    let toolbox = servers.toolbox(&["tools.echo".into()]).expect("there is such a server");
    let agent = ModelAgent::new(provider, ModelSettings::new("gemma2:2b")).expect("it can be asked").with_tools(Arc::new(toolbox));
    agent.perform(prompted("Echo."), &context).await;
    let tools: Vec<Exchange> = context.recorded().into_iter().filter(|exchange| matches!(exchange, Exchange::Tool { .. })).collect();
    assert_eq!(
        tools,
        [Exchange::Tool {
            name: "tools.echo".into(),
            arguments: json!({"text": "a"}),
            answer: "a".into(),
            is_error: false,
            is_relayed: false
        }]
    );
}

#[tokio::test]
async fn nobody_calls_what_was_not_given() {
    let mut declared = server("tools");
    declared.allow = vec!["echo".into(), "count".into()];
    let servers = servers(declared);
    let context = Context::new().0;
    let names = |toolbox: &[&str]| toolbox.iter().map(ToString::to_string).collect::<Vec<_>>();
    let toolbox = servers.toolbox(&names(&["tools.echo"])).expect("it is allowed");
    let given = toolbox.tools(&context).await.expect("they are listed");
    assert_eq!(given.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["tools.echo"]);
    for name in ["tools.count", "tools.crash", "other.echo", "echo"] {
        let answer = toolbox.call(name, json!({}), &context).await;
        assert_eq!((answer.is_error, answer.text), (true, format!("you were given no tool `{name}`")));
    }
    let every = servers.toolbox(&names(&["tools.*"])).expect("it is allowed").tools(&context).await.expect("they are listed");
    assert_eq!(every.len(), 2, "{every:?}");
    for (name, why) in [
        ("tools.crash", "does not allow this tool"),
        ("other.echo", "no tool server `other` is declared (declared: tools)"),
        ("echo", "`echo` is no name of a tool"),
    ] {
        let Err(failure) = servers.toolbox(&names(&[name])) else { panic!("{name} should be refused") };
        assert!(failure.message.contains(why), "{}", failure.message);
    }
    let unknown = Servers::new(vec![server("tools")]).expect("it is well declared").toolbox(&names(&["tools.nothing"])).expect("who knows");
    let failure = unknown.tools(&context).await.expect_err("it has no such tool");
    assert!(
        failure.kind == FailureKind::Configuration && failure.message.contains("has no tool `nothing` (it has: tools.echo"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn a_crash_is_an_error_of_the_tool_and_the_server_comes_back() {
    let servers = servers(server("tools"));
    assert_eq!(call(&servers, "tools.count", json!({})).await.text, "1");
    let crashed = told(&servers, "tools.crash").await;
    assert!(crashed.contains("broke down during the call: it ended with exit code 3: out of cheese"), "{crashed}");
    assert_eq!(call(&servers, "tools.count", json!({})).await.text, "1", "it is a new one");
    let killed = told(&servers, "tools.die").await;
    assert!(killed.contains("it was killed (signal 9)"), "{killed}");
    assert_eq!(call(&servers, "tools.count", json!({})).await.text, "1");
}

#[tokio::test]
async fn a_server_that_always_crashes_is_left_alone_in_the_end() {
    let servers = servers(server("tools"));
    for _ in 0..5 {
        told(&servers, "tools.crash").await;
    }
    let left = told(&servers, "tools.echo").await;
    assert!(left.contains("had to be started 5 times within 60 s"), "{left}");
}

#[tokio::test]
async fn a_server_that_hangs_is_replaced() {
    let mut declared = server("tools");
    declared.timeout = Duration::from_secs(5);
    let servers = servers(declared);
    assert_eq!(call(&servers, "tools.count", json!({})).await.text, "1");
    let late = told(&servers, "tools.hang").await;
    assert!(late.contains("did not answer within 5 s"), "{late}");
    assert_eq!(call(&servers, "tools.count", json!({})).await.text, "1", "it is a new one");
}

#[tokio::test]
async fn a_flood_does_not_drown_us() {
    let servers = servers(server("tools"));
    assert_eq!(call(&servers, "tools.flood", json!({})).await.text, "after the flood");
    assert!(crate::containment::most_memory() < 400 << 20);
}

#[tokio::test]
async fn a_task_that_is_stopped_waits_for_no_tool() {
    let servers = servers(server("tools"));
    let toolbox = servers.toolbox(&["tools.*".into()]).expect("there is such a server");
    let (context, stop): (Context, Stop) = Context::new();
    stop.stop(StopReason::Cancelled);
    let answer = toolbox.call("tools.hang", json!({}), &context).await;
    assert_eq!((answer.is_error, answer.text.as_str()), (true, "the task was stopped"));
}

#[tokio::test]
async fn secrets_show_nowhere() {
    let directory = Directory::new("mcp-secrets");
    let mut declared = server("tools");
    let secret_env = BTreeMap::from([("STAND_IN_KEY".into(), Secret::new("sk-12345678"))]);
    declared.reached = Reached::Stdio { command: stand_ins::tool_server(), env: BTreeMap::new(), secret_env, directory: None };
    let servers = servers(declared).logging_in(&directory.0);
    assert_eq!(call(&servers, "tools.secret", json!({})).await.text, "[redacted]");
    call(&servers, "tools.mutter", json!({})).await;
    drop(servers);
    let log = directory.0.join("mcp-tools.stderr.log");
    while !std::fs::read_to_string(&log).is_ok_and(|text| text.contains("muttering")) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let text = std::fs::read_to_string(&log).expect("it is there");
    assert!(text.contains("muttering with [redacted]"), "{text}");
}

#[tokio::test]
async fn a_plain_variable_is_no_secret() {
    let mut declared = server("tools");
    let env = BTreeMap::from([("STAND_IN_KEY".into(), "/srv/documents".into())]);
    declared.reached = Reached::Stdio { command: stand_ins::tool_server(), env, secret_env: BTreeMap::new(), directory: None };
    assert_eq!(call(&servers(declared), "tools.secret", json!({})).await.text, "/srv/documents");
}

#[tokio::test]
async fn a_server_that_cannot_start_says_why() {
    for (command, kind, told) in [
        (vec!["motet-no-such-program".to_string()], FailureKind::NotFound, "there is no program"),
        (["sh", "-c", "echo broken >&2; exit 4"].map(String::from).to_vec(), FailureKind::Unavailable, "it ended with exit code 4: broken"),
    ] {
        let servers = servers(McpServer::stdio("tools", command));
        let failure = servers.list(&Context::new().0).await.remove(0).tools.expect_err("it cannot start");
        assert!(failure.kind == kind && failure.message.contains(told), "{failure:?}");
    }
    let mut silent = McpServer::stdio("tools", ["sleep", "60"].map(String::from).to_vec());
    silent.timeout = Duration::from_millis(300);
    let failure = servers(silent).list(&Context::new().0).await.remove(0).tools.expect_err("it says nothing");
    assert!(failure.message.contains("did not answer within 0.3 s"), "{failure:?}");
    let nobody = McpServer::http("tools", "http://127.0.0.1:9/mcp");
    let failure = servers(nobody).list(&Context::new().0).await.remove(0).tools.expect_err("nobody is there");
    let expected =
        "the tool server `tools` cannot be used: nothing listens at http://127.0.0.1:9/mcp — start it, or correct `url` of [tools.tools]";
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Unavailable, expected));
    let twice = Servers::new(vec![server("tools"), server("tools")]).err().expect("one name, one server");
    assert_eq!(twice.message, "two tool servers are called `tools`");
}

#[tokio::test]
async fn a_key_in_a_header_is_sent_and_never_told() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let address = format!("http://{}/mcp", listener.local_addr().expect("it is bound"));
    let heard = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("somebody comes");
        let mut buffer = vec![0; 64 * 1024];
        let count = stream.read(&mut buffer).await.expect("it can be read");
        let body = "sk-12345678 is not welcome";
        let answer = format!("HTTP/1.1 403 Forbidden\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
        stream.write_all(answer.as_bytes()).await.expect("it can be answered");
        String::from_utf8_lossy(&buffer[..count]).into_owned()
    });
    let headers = BTreeMap::from([("Authorization".to_string(), Secret::new("Bearer sk-12345678"))]);
    let mut declared = McpServer::http("tools", address.clone());
    declared.reached = Reached::Http { url: address, headers };
    let failure = servers(declared).list(&Context::new().0).await.remove(0).tools.expect_err("it is not let in");
    assert!(failure.message.contains("403") && !failure.message.contains("sk-12345678"), "{failure:?}");
    assert!(heard.await.expect("it was heard").contains("authorization: Bearer sk-12345678"));
}

#[tokio::test]
async fn many_calls_at_once_share_one_start() {
    let servers = Arc::new(servers(server("tools")));
    let calls: Vec<_> = (0..20)
        .map(|number| {
            let servers = servers.clone();
            tokio::spawn(async move { call(&servers, "tools.echo", json!({"text": number.to_string()})).await.text })
        })
        .collect();
    for (number, answer) in calls.into_iter().enumerate() {
        assert_eq!(answer.await.expect("it did not panic"), number.to_string());
    }
}

/// Begins as a server of tools does, and answers every call of a tool as it is told.
async fn failing(answer: impl Fn() -> Answer + Send + Sync + 'static) -> Server {
    Server::start(move |asked| match asked.json()["method"].as_str() {
        Some("tools/call") => answer(),
        _ => search_server(asked, |_| String::new()),
    })
    .await
}

#[tokio::test]
async fn what_http_says_of_a_server_is_told_in_words() {
    for (status, told) in [
        (500, "failed (500) — look into its log, and try again"),
        (429, "has too many requests (429)"),
        (401, "does not let us in (401): status 401 — check the variables of `headers_env` of [tools.tools]"),
        (302, "has moved (302): status 302 — write the new address as `url` of [tools.tools]"),
    ] {
        let server = failing(move || Answer::status(status)).await;
        let servers = servers(McpServer::http("tools", server.url("/mcp")));
        let said = self::told(&servers, "tools.find").await;
        assert!(said.starts_with("the tool server `tools` could not do it: http://127.0.0.1") && said.contains(told), "{status}: {said}");
        assert!(!said.contains("::") && !said.contains("connection was closed"), "{said}");
    }
    for (answer, told) in [
        (Answer::status(404), "has no server of tools there (404): status 404 — correct `url` of [tools.tools]"),
        (Answer::html("<h1>hello</h1>"), "is a server, but none of tools (it answers with text/html"),
        (Answer::new(200, "application/json", "[]"), "that is not the Model Context Protocol"),
    ] {
        let server = Server::start(move |_| answer.clone()).await;
        let failure = servers(McpServer::http("tools", server.url("/mcp"))).list(&Context::new().0).await.remove(0);
        let said = failure.tools.expect_err("it is no server of tools").message;
        assert!(said.contains(told) && !said.contains("rmcp"), "{said}");
    }
}

/// A server that begins as one of tools, and answers one question with three gigabytes: what is told of it, and that not all of it was taken.
async fn check_endless(method: &'static str, kind: &'static str, piece: &'static str, told: &str) {
    let server = Server::start(move |asked| {
        if asked.json()["method"] != method {
            return search_server(asked, |_| String::new());
        }
        let body = Sent::Repeated { piece: piece.repeat(4096).into_bytes(), total: 3 << 30 };
        Answer { body, ..Answer::new(200, kind, "") }
    })
    .await;
    let mut declared = McpServer::http("tools", server.url("/mcp"));
    declared.timeout = Duration::from_secs(20);
    let servers = servers(declared);
    let said = match method {
        "tools/list" => servers.list(&Context::new().0).await.remove(0).tools.expect_err("it has no end").message,
        _ => self::told(&servers, "tools.find").await,
    };
    assert!(said.contains(told), "{said}");
    assert!(server.sent_bytes() < 512 << 20, "{} bytes were taken", server.sent_bytes());
}

#[tokio::test]
async fn an_answer_over_http_that_does_not_come_to_an_end_is_not_kept() {
    check_endless("tools/list", "application/json", "[[[[1,2,3]]]], ", "gives an answer that does not come to an end").await;
    check_endless("tools/call", "application/json", "[[[[1,2,3]]]], ", "gives an answer that does not come to an end").await;
}

#[tokio::test]
async fn a_list_of_tools_that_does_not_come_to_an_end_is_given_up() {
    let server = Server::start(|asked| {
        let message = asked.json();
        if message["method"] != "tools/list" {
            return search_server(asked, |_| String::new());
        }
        let tool = json!({"name": "find", "description": "x".repeat(4 << 20), "inputSchema": {"type": "object"}});
        Answer::json(&json!({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": [tool], "nextCursor": "more"}}))
    })
    .await;
    let failure = servers(McpServer::http("tools", server.url("/mcp"))).list(&Context::new().0).await.remove(0);
    let said = failure.tools.expect_err("it has no end").message;
    assert!(said.contains("its list of tools does not come to an end"), "{said}");
    assert!(server.asked().len() < 12, "{}", server.asked().len());
}

#[test]
fn a_tool_server_of_this_machine_needs_neither_a_proxy_nor_certificates() {
    // Both are read from the environment of the process, so this one starts another.
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "mcp::what_http_says_of_a_server_is_told_in_words"])
        .envs(["HTTP_PROXY", "http_proxy", "ALL_PROXY"].map(|name| (name, "http://127.0.0.1:9")))
        .envs(["SSL_CERT_FILE", "SSL_CERT_DIR"].map(|name| (name, "/nonexistent")))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
}

#[tokio::test]
async fn a_server_that_cannot_be_used_keeps_nobody_from_the_others() {
    let unset = motet_core::event::Failure { kind: FailureKind::Configuration, message: "the tool server `b`: no token".into() };
    let declared = BTreeMap::from([("b".to_string(), Err(unset.clone())), ("tools".to_string(), Ok(server("tools")))]);
    let servers = Servers::each(declared);
    let listed = servers.list(&Context::new().0).await;
    assert_eq!(listed[0].tools, Err(unset.clone()));
    assert!(listed[1].tools.is_ok(), "{listed:?}");
    assert_eq!(call(&servers, "tools.echo", json!({"text": "hello"})).await.text, "hello");
    assert_eq!(servers.toolbox(&["b.echo".into()]).err(), Some(unset));
}
