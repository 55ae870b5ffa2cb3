//! A real agent over the Agent Client Protocol, in a process of its own: asked, watched, allowed, cancelled, resumed.

mod counts;
mod leave;
mod record;
mod relayed;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use motet_agents::acp::{self, AcpAgent, AcpSettings};
use motet_agents::mcp::{HandedServer, McpServer, Servers};
use motet_agents::{Absence, Agent, Context, Exchange, Outcome, Performer, Permissions, Progress, Request, StopReason};
use motet_core::effect::Answered;
use motet_core::event::{FailureKind, Question, Usage};
use motet_core::units::Usd;
use serde_json::{Value, json};

use crate::containment::most_memory;
use crate::{Directory, ends, failure, lives, prompted, returned, stand_ins};

/// A place to work in, a run to keep conversations in, and what the agent remembers.
struct Place {
    directory: Directory,
    /// What else the agent is started with.
    further: Option<&'static str>,
    /// Where the run's files are.
    run: &'static str,
    resumes: &'static str,
    permissions: Permissions,
    absence: Absence,
    servers: Vec<HandedServer>,
    /// The mode and the model.
    chosen: (Option<&'static str>, Option<&'static str>),
}

impl Place {
    fn new(name: &str) -> Self {
        let directory = Directory::new(&format!("acp-{name}"));
        for inner in ["work", "run", "store"] {
            std::fs::create_dir(directory.0.join(inner)).expect("it can be made");
        }
        Self {
            directory,
            further: None,
            run: "run",
            resumes: "resume",
            permissions: Permissions::Allow,
            absence: Absence::Reject,
            servers: Vec::new(),
            chosen: (None, None),
        }
    }

    fn path(&self, inner: &str) -> PathBuf {
        self.directory.0.join(inner)
    }

    fn agent(&self) -> AcpAgent {
        let store = self.path("store");
        std::fs::write(store.join("resumes"), self.resumes).expect("it can be written");
        let mut settings = AcpSettings::new("stand-in", stand_ins::coding_agent_in(&store));
        settings.command.extend(self.further.map(String::from));
        (settings.permissions, settings.absence) = (self.permissions, self.absence);
        settings.servers = self.servers.clone();
        (settings.mode, settings.model) = (self.chosen.0.map(String::from), self.chosen.1.map(String::from));
        AcpAgent::new(settings)
    }

    fn context(&self) -> Context {
        let run = self.path(self.run);
        let home = run.parent().and_then(Path::parent).filter(|home| home.ends_with(".motet"));
        let context = match home {
            Some(home) => Context::new().0.keeping_runs_in(home),
            None => Context::new().0,
        };
        context.in_run_directory(run).working_in(self.path("work"))
    }

    async fn perform(&self, request: Request) -> Outcome {
        self.agent().perform(request, &self.context()).await
    }

    /// What was said to the agent in its conversations, in order.
    fn heard(&self, session: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("store").join(session)).unwrap_or_default();
        text.lines().map(String::from).collect()
    }
}

/// What the agent answers to a prompt where everything it asks for is allowed.
async fn check(name: &str, prompt: &str, expected: &str) {
    let place = Place::new(name);
    std::fs::write(place.path("work/file.txt"), "one\ntwo\nthree\n").expect("it can be written");
    std::fs::write(place.path("secret.txt"), "s\ns\n").expect("it can be written");
    std::os::unix::fs::symlink("../secret.txt", place.path("work/leak.txt")).expect("it can be linked");
    let answer = returned(place.perform(prompted(prompt)).await);
    assert!(answer.as_str().is_some_and(|answer| answer.starts_with(expected)), "{prompt}: {answer}");
}

/// All tools of these servers.
fn whole(servers: Vec<McpServer>) -> Vec<HandedServer> {
    let names: Vec<String> = servers.iter().map(|server| format!("{}.*", server.name)).collect();
    let servers = Servers::new(servers).expect("they are declared well");
    servers.handed_over(&names, &stand_ins::relay()).expect("they can be handed over")
}

fn asked(outcome: Outcome) -> Question {
    match outcome {
        Outcome::Asked { question, .. } => question,
        other => panic!("it should have asked: {other:?}"),
    }
}

fn answering(mut request: Request, question: &Question, answer: &str) -> Request {
    let asked_in = request.call.attempt;
    request.call.answers.push(Answered { question: question.clone(), answer: answer.into(), by: "ann".into(), asked_in });
    // As the machine does: what is answered is known to the attempt that follows.
    again(request)
}

/// The next attempt at the same task.
fn again(mut request: Request) -> Request {
    request.call.attempt += 1;
    request
}

#[tokio::test]
async fn the_last_message_is_the_answer_and_what_it_cost_is_booked() {
    let place = Place::new("ramble");
    let (context, heard) = (place.context(), Arc::new(std::sync::Mutex::new(Vec::new())));
    let ear = heard.clone();
    let context = context.telling(move |progress| ear.lock().expect("no test panicked").push(progress));
    let outcome = place.agent().perform(prompted("ramble"), &context).await;
    let usage = Usage { tokens_in: 20, tokens_out: 10, tool_calls: 1, cost: Usd(250_000), ..Usage::default() };
    assert_eq!(outcome, Outcome::Returned { result: json!("It is done."), usage });
    let heard = heard.lock().expect("no test panicked").clone();
    assert!(heard.contains(&Progress::Text("First I look.".into())) && heard.contains(&Progress::Log("looks around".into())), "{heard:?}");
    let recorded = context.recorded();
    let expected = Exchange::Conversation {
        agent: "stand-in".into(),
        id: "session-1".into(),
        sent: "ramble".into(),
        answer: "It is done.".into(),
        usage,
    };
    assert_eq!(recorded, [expected]);
    // The agent counts the cost of the whole conversation; only what is new is booked.
    assert_eq!(place.perform(prompted("ramble")).await.usage().cost, Usd(250_000));
}

#[tokio::test]
async fn an_answer_in_json_is_read_by_the_schema() {
    let mut request = prompted("json");
    request.schema = Some(json!({"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}));
    let place = Place::new("json");
    assert_eq!(returned(place.perform(request.clone()).await), json!({"score": 7}));
    assert!(place.heard("session-1")[0].contains("\"score\""), "the agent was told how the answer must look");
    request.prompt = Some("words".into());
    let (kind, message) = failure(Place::new("words").perform(request).await);
    assert_eq!(kind, FailureKind::InvalidOutput, "{message}");
}

#[tokio::test]
async fn files_and_commands_stay_in_the_tasks_directory() {
    check("write", "write made/new.txt", "wrote made/new.txt").await;
    check("write-out", "write ../new.txt", "refused: ../new.txt is outside").await;
    check("write-root", "write /etc/motet-test", "refused: /etc/motet-test is outside").await;
    check("write-link", "write leak.txt", "refused: leak.txt is outside").await;
    check("read", "read file.txt", "two").await;
    check("read-out", "read ../secret.txt", "refused: ../secret.txt is outside").await;
    check("read-link", "read leak.txt", "refused: leak.txt is outside").await;
    check("read-none", "read nothing.txt", "refused: nothing.txt cannot be read").await;
    check("run", "run ls; exit 3", "exit Some(3): file.txt\nleak.txt").await;
}

#[tokio::test]
async fn commands_that_are_left_running_end_with_the_attempt() {
    let marker = format!("93{}.25", std::process::id());
    let place = Place::new("leave");
    assert_eq!(returned(place.perform(prompted(&format!("leave {marker}"))).await), json!("left it running"));
    assert!(ends(&marker).await, "the command is still running");
}

#[tokio::test]
async fn what_a_command_left_in_the_background_ends_with_it() {
    let marker = format!("90{}.25", std::process::id());
    let place = Place::new("background");
    let line = format!("run sleep {marker} >/dev/null 2>&1 & echo started");
    assert_eq!(returned(place.perform(prompted(&line)).await), json!("exit Some(0): started"));
    assert!(!lives(&marker), "it is still running");
}

#[tokio::test]
async fn a_policy_that_rejects_changes_nothing() {
    let mut place = Place::new("reject");
    place.permissions = Permissions::Reject;
    assert_eq!(returned(place.perform(prompted("write new.txt")).await), json!("was not allowed"));
    let mut place = Place::new("reject-run");
    place.permissions = Permissions::Reject;
    let answer = returned(place.perform(prompted("run touch made")).await);
    assert_eq!(answer, json!("refused: nothing may be changed: the configuration rejects it"));
    assert!(!place.path("work/made").exists());
}

#[tokio::test]
async fn what_a_person_must_decide_becomes_a_question_and_the_conversation_goes_on_with_the_answer() {
    for (name, answer, expected, is_written) in [
        ("yes", "allow_once", "wrote new.txt", true),
        ("no", "deny", "was not allowed", false),
        ("words", "deny: not yet", "was not allowed", false),
    ] {
        let mut place = Place::new(&format!("ask-{name}"));
        place.permissions = Permissions::Ask;
        let question = asked(place.perform(prompted("write new.txt")).await);
        assert_eq!(question.question, "Write new.txt\n{\n  \"path\": \"new.txt\"\n}");
        assert_eq!((question.options.join(" ").as_str(), question.is_permission), ("allow_once allow_always deny", true));
        assert!(!place.path("work/new.txt").exists(), "it was written before anybody allowed it");

        let resumed = place.perform(answering(prompted("write new.txt"), &question, answer)).await;
        assert_eq!(returned(resumed), json!(expected));
        assert_eq!(place.path("work/new.txt").exists(), is_written);
        let heard = place.heard("session-1");
        assert_eq!(heard.len(), 2, "{heard:?}");
        assert!(heard[1].contains(&format!("ann answers: {answer}")), "{heard:?}");
    }
}

#[tokio::test]
async fn a_permission_that_held_once_is_asked_for_again() {
    let mut place = Place::new("once");
    place.permissions = Permissions::Ask;
    let question = asked(place.perform(prompted("write new.txt")).await);
    let request = answering(prompted("write new.txt"), &question, "allow_once");
    assert_eq!(returned(place.perform(request.clone()).await), json!("wrote new.txt"));
    assert_eq!(asked(place.perform(again(request)).await), question);
}

#[tokio::test]
async fn an_attempt_that_was_interrupted_takes_its_conversation_up_again() {
    for resumes in ["resume", "load"] {
        let mut place = Place::new(&format!("again-{resumes}"));
        place.resumes = resumes;
        assert_eq!(returned(place.perform(prompted("turns")).await), json!("turn 1"));
        assert_eq!(returned(place.perform(prompted("turns")).await), json!("turn 2"));
        assert!(place.heard("session-1")[1].starts_with("You were interrupted."), "{resumes}");
    }
}

#[tokio::test]
async fn a_conversation_that_cannot_be_taken_up_again_begins_anew() {
    let mut place = Place::new("anew");
    place.resumes = "";
    assert_eq!(returned(place.perform(prompted("turns")).await), json!("turn 1"));
    assert_eq!(returned(place.perform(prompted("turns")).await), json!("turn 1"));
    place.resumes = "resume";
    assert_eq!(returned(place.perform(prompted("turns")).await), json!("turn 2"), "the second conversation is known");
    std::fs::remove_file(place.path("store/session-2")).expect("it was kept");
    assert_eq!(returned(place.perform(prompted("turns")).await), json!("turn 1"), "the agent has forgotten it");
}

#[tokio::test]
async fn a_conversation_is_not_offered_to_another_agent_that_the_same_program_starts() {
    let mut place = Place::new("other");
    assert_eq!(returned(place.perform(prompted("turns")).await), json!("turn 1"));
    place.further = Some("--test-threads=1");
    assert_eq!(returned(place.perform(prompted("turns")).await), json!("turn 1"), "it is another agent");
    assert_eq!(returned(place.perform(prompted("turns")).await), json!("turn 2"));
}

#[tokio::test]
async fn the_id_is_on_disk_while_the_agent_works() {
    let marker = format!("92{}.25", std::process::id());
    let place = Place::new("kill");
    let (agent, context) = (place.agent(), place.context());
    let kept = place.path("run/conversations/writing.1_api.writer.json");
    let mut attempt = Box::pin(agent.perform(prompted(&format!("deaf {marker}")), &context));
    while !lives(&marker) {
        assert!(tokio::time::timeout(Duration::from_millis(50), &mut attempt).await.is_err(), "it should not have ended");
    }
    // As after kill -9: nobody says goodbye.
    drop(attempt);
    let kept: Value = serde_json::from_slice(&std::fs::read(&kept).expect("the file is there")).expect("it is whole");
    assert_eq!(kept["id"], json!("session-1"));
    assert!(ends(&marker).await, "the agent's children are still running");
}

#[tokio::test]
async fn a_cancelled_turn_ends_politely() {
    let place = Place::new("cancel");
    let (context, stop) = Context::new();
    let context = context.in_run_directory(place.path("run")).working_in(place.path("work"));
    let agent = place.agent();
    let (outcome, ()) = tokio::join!(agent.perform(prompted("hang"), &context), async {
        while place.heard("session-1").is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.stop(StopReason::Cancelled);
    });
    assert_eq!(failure(outcome).0, FailureKind::Cancelled);
    assert!(place.path("store/cancelled").exists(), "the agent was not told");
}

#[tokio::test]
async fn requests_for_permission_are_answered_when_the_turn_is_cancelled() {
    let mut place = Place::new("pending");
    place.permissions = Permissions::Ask;
    asked(place.perform(prompted("ask-and-hang new.txt")).await);
    let outcome = std::fs::read_to_string(place.path("store/outcome")).expect("the agent was answered");
    assert_eq!(outcome, "Cancelled");
}

#[tokio::test]
async fn an_agent_that_does_not_stop_is_ended_with_its_children() {
    let marker = format!("91{}.25", std::process::id());
    let place = Place::new("deaf");
    let performer = Performer::new().bind_rest(Arc::new(place.agent()));
    let mut request = prompted(&format!("deaf {marker}"));
    request.call.timeout_ms = 3000;
    let (kind, message) = failure(performer.perform(request, &place.context()).await);
    assert_eq!((kind, message.as_str()), (FailureKind::Timeout, "`writer` did not answer within 3 s"));
    assert!(ends(&marker).await, "its children are still running");
}

#[tokio::test]
async fn a_turn_that_was_stopped_is_no_answer_though_the_agent_ends_it_as_one() {
    let place = Place::new("break-off");
    let performer = Performer::new().bind_rest(Arc::new(place.agent()));
    let mut request = prompted("break-off");
    request.call.timeout_ms = 3000;
    let (kind, message) = failure(performer.perform(request, &place.context()).await);
    assert_eq!((kind, message.as_str()), (FailureKind::Timeout, "`writer` did not answer within 3 s"));
}

#[tokio::test]
async fn a_turn_that_ends_early_says_why() {
    for (prompt, kind, told) in [
        ("stop max_tokens", FailureKind::InvalidOutput, "reached its limit of tokens"),
        ("stop max_turn_requests", FailureKind::Reported, "reached its limit of requests"),
        ("stop refusal", FailureKind::Refused, "refused to go on"),
        ("fail 429 too many requests", FailureKind::RateLimited, "`stand-in` failed: 429 too many requests"),
        ("fail out of ideas", FailureKind::Reported, "`stand-in` failed: out of ideas"),
        ("login", FailureKind::Configuration, "wants you to log in first"),
        ("crash 3", FailureKind::Crashed, "`stand-in` ended with exit code 3: no more disk"),
        ("crash 137", FailureKind::Crashed, "`stand-in` ended with exit code 137: it was killed"),
        ("die", FailureKind::Crashed, "`stand-in` was killed (signal 9)"),
    ] {
        let place = Place::new(&prompt.replace(' ', "-"));
        let (found, message) = failure(place.perform(prompted(prompt)).await);
        assert_eq!(found, kind, "{prompt}: {message}");
        assert!(message.contains(told), "{prompt}: {message}");
    }
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_refused_and_not_cut() {
    for (prompt, told) in
        [("say-much 17 1000000", "answered with 17000000 bytes"), ("say-much 2 17000000", "a message of more than 16777216 bytes")]
    {
        let (kind, message) = failure(Place::new(&prompt.replace(' ', "-")).perform(prompted(prompt)).await);
        assert_eq!(kind, FailureKind::InvalidOutput, "{message}");
        assert!(message.contains(told), "{message}");
    }
}

#[tokio::test]
async fn an_agent_that_asks_and_does_not_listen_does_not_fill_the_memory() {
    let place = Place::new("greedy");
    std::fs::write(place.path("work/large.txt"), vec![b'x'; 4 << 20]).expect("it can be written");
    let performer = Performer::new().bind_rest(Arc::new(place.agent()));
    let mut request = prompted("greedy large.txt");
    request.call.timeout_ms = 4000;
    assert_eq!(failure(performer.perform(request, &place.context()).await).0, FailureKind::Timeout);
    assert!(most_memory() < 400 << 20, "{} MiB", most_memory() >> 20);
}

#[tokio::test]
async fn an_agent_that_asks_for_much_at_once_is_given_all_of_it() {
    let place = Place::new("eager");
    std::fs::write(place.path("work/large.txt"), "x".repeat(1 << 20)).expect("it can be written");
    assert_eq!(returned(place.perform(prompted("eager large.txt 100")).await), json!("100 answers"));
}

#[tokio::test]
async fn a_refusal_ends_the_conversation() {
    let place = Place::new("refusal");
    failure(place.perform(prompted("stop refusal")).await);
    assert!(!Path::exists(&place.path("run/conversations/writing.1_api.writer.json")));
}

#[tokio::test]
async fn a_session_is_given_the_tool_servers_of_its_role_whenever_it_is_opened() {
    for resumes in ["resume", "load"] {
        let mut place = Place::new(&format!("servers-{resumes}"));
        place.resumes = resumes;
        place.servers = whole(vec![McpServer::stdio("files", stand_ins::tool_server()), McpServer::http("web", "http://127.0.0.1:9/mcp")]);
        assert_eq!(returned(place.perform(prompted("servers")).await), json!("files (stdio), web (stdio)"));
        assert_eq!(returned(place.perform(prompted("servers")).await), json!("files (stdio), web (stdio)"), "also when it goes on");
        assert_eq!(place.heard("session-1").len(), 2);
    }
}

#[tokio::test]
async fn an_agent_uses_a_server_that_it_was_given() {
    let mut place = Place::new("use");
    place.servers = whole(vec![McpServer::stdio("files", stand_ins::tool_server())]);
    assert_eq!(returned(place.perform(prompted("use echo")).await), json!("hello"));
}

#[tokio::test]
async fn the_mode_and_the_model_of_a_session_are_chosen_before_anything_is_asked_of_it() {
    for resumes in ["resume", "load"] {
        let mut place = Place::new(&format!("chosen-{resumes}"));
        place.resumes = resumes;
        place.chosen = (Some("plan"), Some("big"));
        // The agent tells what its session has been set to, whenever it was opened.
        for _ in 0..2 {
            assert_eq!(returned(place.perform(prompted("chosen")).await), json!("plan big"));
        }
    }
    let mut place = Place::new("chosen-none");
    place.chosen = (None, Some("huge"));
    let (kind, message) = failure(place.perform(prompted("chosen")).await);
    assert_eq!((kind, message.as_str()), (FailureKind::Configuration, "`stand-in`: its model cannot be `huge`; there are small, big"));
    assert!(place.heard("session-1").is_empty(), "nothing was asked of it");
}

#[tokio::test]
async fn a_program_that_speaks_the_protocol_greets_back_and_another_is_told_apart() {
    let directory = Directory::new("acp-probe");
    let greet = async |words: &[&str]| {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        acp::probe(&words, &directory.0, Duration::from_secs(3)).await.map_err(|failure| failure.message)
    };
    let speaks = stand_ins::coding_agent();
    let greeting = acp::probe(&speaks, &directory.0, Duration::from_secs(60)).await.expect("it answers");
    assert_eq!(greeting.name.as_deref(), Some("stand-in 7"));
    let marker = format!("82{}.25", std::process::id());
    for (words, told) in [
        (&["sh", "-c", "echo 'no such file' >&2; exit 2"][..], "ended with exit code 2: no such file"),
        (&["sh", "-c", "exit 0"], "does not speak the Agent Client Protocol"),
        (&["sleep", &marker], "within 3 s"),
        (&["motet-no-such-program"], "there is no program"),
    ] {
        let message = greet(words).await.expect_err("it does not answer");
        assert!(message.contains(told), "{message}");
    }
    assert!(!lives(&marker), "it is still running");
}

#[test]
fn only_what_a_role_was_given_is_handed_over() {
    let whole = McpServer::stdio("whole", vec!["serve".into()]);
    let part = McpServer { allow: vec!["read".into(), "list".into()], ..McpServer::stdio("part", vec!["serve".into(), "--all".into()]) };
    let servers = Servers::new(vec![whole.clone(), part, McpServer::http("web", "http://x/mcp")]).expect("they are declared well");
    let handed = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        servers.handed_over(&names, &["relay".to_string()])
    };
    let words = |handed: &HandedServer| handed.noting_in(Path::new("/n")).command.join(" ");
    let all = |names: &[&str]| handed(names).expect("they can be handed over").iter().map(words).collect::<Vec<_>>();
    let relay = |server: &str, rest: &str| format!("relay --server={server} --record=/n {rest}");
    assert_eq!(all(&["whole.*"]), [relay("whole", "--all -- serve")]);
    assert_eq!(all(&["whole.read"]), [relay("whole", "--allow=read -- serve")]);
    let declared = relay("part", "--allow=read --allow=list -- serve --all");
    assert_eq!(all(&["part.*"]), [declared], "a declaration counts for everybody");
    assert_eq!(all(&["part.read"]), [relay("part", "--allow=read -- serve --all")]);
    assert!(handed(&["part.write"]).unwrap_err().message.contains("does not allow this tool"));
    assert_eq!(all(&["web.*"]), [relay("web", "--all --http=MOTET_RELAY_ADDRESS")]);
    assert_eq!(all(&["web.read"]), [relay("web", "--allow=read --http=MOTET_RELAY_ADDRESS")]);
}
