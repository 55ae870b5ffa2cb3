//! Text from outside that is cut where a secret stands in it: half a secret would be recognised by nobody, and shown to everybody.

use std::sync::Arc;

use motet_agents::acp::{AcpAgent, AcpSettings};
use motet_agents::command::CommandAgent;
use motet_agents::model::{ModelAgent, ModelSettings, Provider, ProviderKind};
use motet_agents::{Agent, BoxFuture, Context, Outcome, Performer, Redactor, Request, Secret, Tool, ToolAnswer, Toolbox};
use motet_core::effect::CallWork;
use motet_core::event::Failure;
use motet_testkit::providers::{FakeProvider, Format, Line, Said};
use serde_json::{Value, json};

use crate::{listening, prompted, request};

const SECRET: &str = "sk-live-0123456789-abcdefghij";

/// A line of so many letters with the secret at one end of them.
fn before(letters: usize) -> String {
    format!("{}{SECRET}", "x".repeat(letters))
}

/// Neither the secret nor as much of it as would help anybody.
#[track_caller]
fn check(told: &str) {
    for from in 0..SECRET.len() - 8 {
        let part = &SECRET[from..from + 8];
        assert!(!told.contains(part), "{part} is told: {}", &told[told.len().saturating_sub(400)..]);
    }
}

/// What an attempt comes to and all that it tells and keeps.
async fn told(agent: Arc<dyn Agent>, request: Request) -> (Outcome, String) {
    let (context, _stop, heard) = listening();
    let performer = Performer::new().bind_rest(agent).redacting(Redactor::new([Secret::new(SECRET)]));
    let outcome = performer.perform(request, &context).await;
    let heard = heard.lock().expect("no test panicked");
    let all = format!("{outcome:?}\n{:?}\n{:?}", *heard, context.recorded());
    (outcome, all)
}

fn program(script: String) -> Vec<String> {
    vec!["sh".into(), "-c".into(), script]
}

#[tokio::test]
async fn the_last_words_of_a_program() {
    let directory = crate::Directory::new("cuts-words");
    std::fs::write(directory.0.join("words.txt"), format!("{SECRET}{}", "x".repeat(1985))).expect("it can be written");
    let script = format!("cat >/dev/null; cat {}/words.txt >&2; exit 3", directory.0.display());
    let (_, all) = told(Arc::new(CommandAgent::new(program(script))), prompted("Write.")).await;
    assert!(all.contains("ended with exit code 3") && all.contains("xxxx"), "{all}");
    check(&all);
}

#[tokio::test]
async fn the_summary_and_the_lines_of_a_program() {
    for (script, kept) in [
        (format!("printf '%s%s\\n' {} \"$(cat secret.txt)\"", "x".repeat(290)), "\"summary\""),
        (format!("printf '%s%s\\n' {} \"$(cat secret.txt)\" >&2", "x".repeat(4090)), "xxxx"),
    ] {
        let directory = crate::Directory::new("cuts");
        std::fs::write(directory.0.join("secret.txt"), SECRET).expect("it can be written");
        let (context, _stop, heard) = listening();
        let context = context.working_in(&directory.0);
        let performer = Performer::new().redacting(Redactor::new([Secret::new(SECRET)]));
        let work = CallWork::Command { words: program(script), within: None };
        let outcome = performer.perform(request(work, json!({})), &context).await;
        let all = format!("{:?}{:?}", crate::returned(outcome), heard.lock().expect("no test panicked"));
        assert!(all.contains(&kept.replace('"', "")), "{all}");
        check(&all);
    }
}

#[tokio::test]
async fn what_a_coding_agent_prints_beside_the_protocol() {
    let directory = crate::Directory::new("cuts-acp");
    std::fs::write(directory.0.join("line.txt"), format!("{}\n", before(490))).expect("it can be written");
    let settings = AcpSettings::new("stray", program(format!("cat {}/line.txt; exit 1", directory.0.display())));
    let (_, all) = told(Arc::new(AcpAgent::new(settings)), prompted("Write.")).await;
    assert!(all.contains("xxxx"), "the stray line was not told: {all}");
    check(&all);
}

fn model(server: &FakeProvider, key: &str) -> ModelAgent {
    let provider = Provider::at(ProviderKind::OpenAi, &server.base_url(Format::OpenAi)).expect("the address is fine");
    ModelAgent::new(provider.with_key(Secret::new(key), "OPENAI_API_KEY"), ModelSettings::new("m")).expect("the settings are fine")
}

#[tokio::test]
async fn what_a_provider_says_of_the_key_it_was_sent() {
    let body = json!({ "error": { "message": before(290), "type": "invalid_request_error" } });
    let server = FakeProvider::start([Line::Answers(401, vec![], body.to_string())]);
    let (_, all) = told(Arc::new(model(&server, SECRET)), prompted("Write.")).await;
    assert!(all.contains("xxxx"), "{all}");
    check(&all);
}

#[tokio::test]
async fn what_a_provider_says_of_another_key_that_the_process_knows() {
    motet_agents::hide([Secret::new(SECRET)]);
    let server = FakeProvider::start([Line::Answers(400, vec![], before(290))]);
    let (_, all) = told(Arc::new(model(&server, "sk-another-key")), prompted("Write.")).await;
    assert!(all.contains("xxxx"), "{all}");
    check(&all);
}

#[tokio::test]
async fn an_answer_that_is_quoted_back_to_its_model() {
    let answers = std::iter::repeat_n(Line::says(before(190)), 3);
    let server = FakeProvider::start(answers);
    let schema = json!({ "type": "object", "properties": { "score": { "type": "number" } }, "required": ["score"] });
    let (_, all) = told(Arc::new(model(&server, "sk-another-key")), Request { schema: Some(schema), ..prompted("Judge.") }).await;
    assert!(all.contains("is not JSON"), "{all}");
    check(&all);
    let chats = server.chats();
    let correction = chats[1].body.pointer("/messages").and_then(Value::as_array).and_then(|all| all.last()).map(Value::to_string);
    let correction = correction.expect("it was asked again");
    assert!(correction.contains("could not be used") && correction.contains("xxxx"), "{correction}");
    check(&correction);
}

/// One tool that gives away a secret in the middle of much else.
struct Careless;

impl Toolbox for Careless {
    fn tools<'a>(&'a self, _: &'a Context) -> BoxFuture<'a, Result<Vec<Tool>, Failure>> {
        let parameters = json!({ "type": "object", "properties": {} });
        Box::pin(async move { Ok(vec![Tool { name: "careless.tell".into(), description: "Tells.".into(), parameters }]) })
    }

    fn call<'a>(&'a self, _: &'a str, _: Value, _: &'a Context) -> BoxFuture<'a, ToolAnswer> {
        // Wherever the answer is cut, a secret is near.
        Box::pin(async move { ToolAnswer { text: SECRET.repeat(40_000), is_error: false } })
    }
}

#[tokio::test]
async fn what_a_tool_gives_away_is_told_to_no_model() {
    let uses = Line::Says(Said::new("").using("careless_tell", json!({})));
    let server = FakeProvider::start([uses, Line::says("Done.")]).with_context_length(Some(131_072));
    let (_, all) = told(Arc::new(model(&server, "sk-another-key").with_tools(Arc::new(Careless))), prompted("Ask.")).await;
    assert!(all.contains("[redacted]"), "{}", &all[..400]);
    check(&all);
    check(&server.chats()[1].body.to_string());
}
