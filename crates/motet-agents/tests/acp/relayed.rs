//! What an agent does with the tools of a server goes through a relay, which is another process, and comes back into the record.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use motet_agents::mcp::{HandedServer, McpServer, Reached, Servers};
use motet_agents::{Agent, Context, Exchange, Outcome, Performer, Progress, Redactor, Secret, StopReason, Toolbox as _};
use motet_core::event::FailureKind;
use motet_testkit::web::Server;
use motet_testkit::web::tools::search_server;
use serde_json::{Value, json};

use super::{Place, whole};
use crate::{Directory, failure, listening, prompted, returned, stand_ins};

/// A client of tools that is not ours reads what a relay says as it reads a server.
async fn check_client(server: McpServer, tool: &str, arguments: Value, expected: &str) {
    let directory = Directory::new(&format!("relayed-client-{}", server.name));
    let notes = directory.0.join("notes");
    std::fs::write(&notes, "").expect("a file can be made");
    let name = server.name.clone();
    let relayed = only(server, &[tool]).remove(0).noting_in(&notes);
    let reached = Reached::Stdio { command: relayed.command, env: relayed.env, secret_env: relayed.secret_env, directory: None };
    let servers = Servers::new(vec![McpServer { reached, ..McpServer::stdio(&name, Vec::new()) }]).expect("it is declared well");
    let toolbox = servers.toolbox(&[format!("{name}.*")]).expect("there is such a server");
    let context = Context::new().0;
    let tools: Vec<String> = toolbox.tools(&context).await.expect("they are listed").into_iter().map(|tool| tool.name).collect();
    assert_eq!(tools, [format!("{name}.{tool}")]);
    let answer = toolbox.call(&tools[0], arguments, &context).await;
    assert_eq!((answer.text.as_str(), answer.is_error), (expected, false));
    assert_eq!(std::fs::read_to_string(&notes).expect("it is there").lines().count(), 2);
}

#[tokio::test]
async fn a_relay_is_a_server_to_any_client() {
    check_client(files(), "echo", json!({ "text": "a" }), "a").await;
    let server = Server::start(|asked| search_server(asked, |question| format!("found {question}"))).await;
    check_client(McpServer::http("web", server.url("/mcp")), "find", json!({ "question": "tea" }), "found tea").await;
}

/// What relays have seen: the tool, its arguments, its answer, and whether that is an error.
type Seen = (String, Value, String, bool);

fn seen(context: &Context) -> Vec<Seen> {
    let seen = |exchange| match exchange {
        Exchange::Tool { name, arguments, answer, is_error, is_relayed: true } => Some((name, arguments, answer, is_error)),
        _ => None,
    };
    context.recorded().into_iter().filter_map(seen).collect()
}

fn files() -> McpServer {
    McpServer::stdio("files", stand_ins::tool_server())
}

fn place(name: &str, servers: Vec<HandedServer>) -> Place {
    Place { servers, ..Place::new(&format!("relayed-{name}")) }
}

fn only(server: McpServer, tools: &[&str]) -> Vec<HandedServer> {
    let names: Vec<String> = tools.iter().map(|tool| format!("{}.{tool}", server.name)).collect();
    let servers = Servers::new(vec![server]).expect("it is declared well");
    servers.handed_over(&names, &stand_ins::relay()).expect("it can be handed over")
}

/// What is on record of an agent that does this, and how many tool calls are counted.
async fn check(place: &Place, prompt: &str, expected: &[(&str, Value, &str, bool)], counted: u64) {
    let context = place.context();
    let outcome = place.agent().perform(prompted(prompt), &context).await;
    let expected: Vec<Seen> =
        expected.iter().map(|(name, given, answer, error)| (name.to_string(), given.clone(), answer.to_string(), *error)).collect();
    assert_eq!(seen(&context), expected, "{prompt}: {outcome:?}");
    assert_eq!(outcome.usage().tool_calls, counted, "{prompt}");
}

#[tokio::test]
async fn every_call_is_on_record_with_its_arguments_and_its_answer() {
    let two = vec![files(), McpServer::stdio("others", stand_ins::tool_server())];
    let calls = r#"call files.echo {"text":"a"}; others.echo {"text":"b"}; files.nothing; files.count"#;
    let expected = [
        ("files.echo", json!({ "text": "a" }), "a", false),
        ("others.echo", json!({ "text": "b" }), "b", false),
        ("files.nothing", json!({}), "no tool nothing", true),
        ("files.count", json!({}), "1", false),
    ];
    check(&place("each", whole(two)), calls, &expected, 4).await;
}

#[tokio::test]
async fn what_was_refused_is_on_record_too() {
    let calls = r#"call files.echo {"text":"a"}; files.count {"x":1}"#;
    let expected =
        [("files.echo", json!({ "text": "a" }), "a", false), ("files.count", json!({ "x": 1 }), "you were given no tool `count`", true)];
    check(&place("refused", only(files(), &["echo"])), calls, &expected, 2).await;
}

#[tokio::test]
async fn a_call_that_the_agent_tells_of_is_not_counted_again() {
    let expected = [("files.echo", json!({ "text": "a" }), "a", false), ("files.echo", json!({ "text": "b" }), "b", false)];
    // Two of the server, and one that the agent did by itself.
    check(&place("told", whole(vec![files()])), r#"tell files.echo {"text":"a"}; files.echo {"text":"b"}"#, &expected, 3).await;
}

#[tokio::test]
async fn a_tool_of_a_server_over_http_is_relayed_as_well() {
    let server = Server::start(|asked| search_server(asked, |question| format!("found {question}"))).await;
    let key = "Bearer sk-http-12345678";
    let headers = BTreeMap::from([("Authorization".to_string(), Secret::new(key))]);
    let web = McpServer { reached: Reached::Http { url: server.url("/mcp"), headers }, ..McpServer::http("web", "") };
    let calls = r#"call web.find {"question":"tea, not sk-http-12345678"}; web.find; web.other"#;
    let expected = [
        ("web.find", json!({ "question": "tea, not [redacted]" }), "found tea, not [redacted]", false),
        ("web.find", json!({}), "find wants a question", true),
        ("web.other", json!({}), "you were given no tool `other`", true),
    ];
    let mut place = place("http", only(web, &["find"]));
    // Whether the agent itself could speak http does not matter.
    place.resumes = "";
    check(&place, calls, &expected, 3).await;
    assert!(server.asked().iter().any(|asked| asked.header("authorization") == Some(key)), "the key was not sent");
}

#[tokio::test]
async fn no_secret_comes_back() {
    let secret = "sk-of-the-server-0123";
    let secret_env = BTreeMap::from([("STAND_IN_KEY".to_string(), Secret::new(secret))]);
    let reached = Reached::Stdio { command: stand_ins::tool_server(), env: BTreeMap::new(), secret_env, directory: None };
    let place = place("secret", whole(vec![McpServer { reached, ..files() }]));
    let own = "very-secret-0123456789";
    let context = place.context().redacting(Redactor::new([Secret::new(own)]));
    let prompt = format!("call files.secret {{\"key\":\"{own} {secret}\"}}");
    assert_eq!(returned(place.agent().perform(prompted(&prompt), &context).await), json!("[redacted]"));
    assert_eq!(seen(&context), [("files.secret".to_string(), json!({ "key": "[redacted] [redacted]" }), "[redacted]".to_string(), false)]);
}

#[tokio::test]
async fn of_much_the_beginning_comes_back_and_what_is_left_out_is_said() {
    let place = place("much", whole(vec![files()]));
    let context = place.context();
    place.agent().perform(prompted(&format!("call files.echo {{\"text\":\"{}\"}}", "x".repeat(20_000))), &context).await;
    let seen = seen(&context);
    let [(_, arguments, answer, false)] = &seen[..] else { panic!("{seen:?}") };
    let left_out = |text: &str, most: usize| text.contains("more characters, which are not kept") && text.len() < most;
    assert!(arguments.as_str().is_some_and(|text| text.starts_with("{\"text\":\"xx") && left_out(text, 17_000)), "{arguments}");
    assert!(answer.ends_with("\n… and 3616 more characters, which are not kept") && left_out(answer, 17_000), "{}", answer.len());
}

#[tokio::test]
async fn half_a_secret_that_only_we_know_does_not_come_back_from_a_cut() {
    let own = "very-secret-0123456789";
    let place = place("half", whole(vec![files()]));
    let context = place.context().redacting(Redactor::new([Secret::new(own)]));
    // The relay keeps 16384 characters, and so the first ten of the secret.
    let text = "x".repeat(16 * 1024 - 10) + own;
    place.agent().perform(prompted(&format!("call files.echo {{\"text\":\"{text}\"}}")), &context).await;
    let seen = seen(&context);
    let [(_, _, answer, false)] = &seen[..] else { panic!("{seen:?}") };
    assert!(answer.ends_with("xxx\n… and 22 more characters, which are not kept"), "{}", &answer[answer.len() - 100..]);
}

fn hanging() -> [Seen; 2] {
    let none = "no answer came before the end of the attempt".to_string();
    [("files.echo".into(), json!({ "text": "before" }), "before".into(), false), ("files.hang".into(), json!({}), none, true)]
}

#[tokio::test]
async fn what_was_called_before_the_attempt_was_stopped_is_on_record() {
    for reason in [StopReason::Cancelled, StopReason::TimedOut] {
        let place = place(&format!("{reason:?}"), whole(vec![files()]));
        let (context, stop) = Context::new();
        let context = context.in_run_directory(place.path("run")).working_in(place.path("work"));
        let performer = Performer::new().bind_rest(Arc::new(place.agent()));
        let (outcome, ()) = tokio::join!(performer.perform(prompted("call-and-hang"), &context), async {
            while !place.path("store/hangs").exists() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            stop.stop(reason);
        });
        let kind = if reason == StopReason::Cancelled { FailureKind::Cancelled } else { FailureKind::Timeout };
        assert_eq!((outcome.usage().tool_calls, failure(outcome).0), (2, kind));
        assert_eq!(seen(&context), hanging(), "{reason:?}");
    }
}

#[tokio::test]
async fn what_was_called_before_the_agent_broke_down_is_on_record() {
    let place = place("die", whole(vec![files()]));
    let context = place.context();
    let outcome = place.agent().perform(prompted("call-and-die"), &context).await;
    assert_eq!((outcome.usage().tool_calls, failure(outcome).0), (2, FailureKind::Crashed));
    assert_eq!(seen(&context), hanging());
}

#[tokio::test]
async fn what_was_called_is_on_record_though_nobody_waits_for_the_attempt() {
    let place = place("drop", whole(vec![files()]));
    let (agent, context) = (place.agent(), place.context());
    let mut attempt = Box::pin(agent.perform(prompted("call-and-hang"), &context));
    while !place.path("store/hangs").exists() {
        assert!(tokio::time::timeout(Duration::from_millis(50), &mut attempt).await.is_err(), "it should not have ended");
    }
    drop(attempt);
    assert_eq!(seen(&context), hanging());
}

#[tokio::test]
async fn whoever_writes_into_the_file_does_no_harm() {
    let place = place("forge", whole(vec![files()]));
    let (context, _stop, heard) = listening();
    let context = context.in_run_directory(place.path("run")).working_in(place.path("work"));
    let outcome: Outcome = place.agent().perform(prompted("forge"), &context).await;
    let notes = returned(outcome);
    assert!(notes.as_str().is_some_and(|notes| !Path::new(notes).exists() && !notes.contains("work")), "{notes}");
    let more = "real\n… there were more calls of tools than are kept".to_string();
    assert_eq!(seen(&context), [("files.echo".to_string(), json!({ "text": "real" }), more, false)]);
    let told = Progress::Log("4 lines of what relays wrote down of tool calls cannot be read, and are left out".into());
    assert!(heard.lock().expect("no test panicked").contains(&told));
}
