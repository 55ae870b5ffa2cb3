//! The presets, played by small programs that print what the real ones print.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use motet_agents::command::presets::{self, PresetAgent, PresetSettings};
use motet_agents::{Agent, Context, Exchange, Outcome, Permissions, Request};
use motet_core::definition::Class;
use motet_core::effect::Answered;
use motet_core::event::{FailureKind, Question, Usage};
use motet_core::units::Usd;
use serde_json::{Value, json};

use crate::{Directory, failure, lives, prompted, returned};

const CLAUDE: &str = r#"
echo '{"type":"system","subtype":"init","cwd":"/w","session_id":"c-1","tools":["Bash"],"model":"claude-x"}'
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"Let me look."},{"type":"tool_use","name":"Bash","input":{}}]},"session_id":"c-1"}'
echo '{"type":"user","message":{"content":[{"type":"tool_result","content":"ok"}]},"session_id":"c-1"}'
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]},"session_id":"c-1"}'
echo '{"type":"result","subtype":"success","is_error":false,"duration_ms":5,"num_turns":2,"result":"Done.","session_id":"c-1","total_cost_usd":0.0123,"usage":{"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"output_tokens":40}}'
"#;
const CODEX: &str = r#"
echo '{"type":"thread.started","thread_id":"t-1"}'
echo '{"type":"turn.started"}'
echo '{"type":"item.started","item":{"id":"i0","type":"command_execution","command":"bash -lc ls","status":"in_progress"}}'
echo '{"type":"item.completed","item":{"id":"i0","type":"command_execution","command":"bash -lc ls","exit_code":0,"status":"completed"}}'
echo '{"type":"item.completed","item":{"id":"i1","type":"reasoning","text":"hm"}}'
echo '{"type":"item.completed","item":{"id":"i2","type":"agent_message","text":"Done."}}'
echo '{"type":"turn.completed","usage":{"input_tokens":900,"cached_input_tokens":800,"output_tokens":50}}'
"#;
const GEMINI: &str = r#"
echo 'YOLO mode is enabled.'
echo '{"type":"init","timestamp":"t","session_id":"g-1","model":"gemini-x"}'
echo '{"type":"message","role":"user","content":"Build."}'
echo '{"type":"message","role":"assistant","content":"Looking","delta":true}'
echo '{"type":"tool_use","tool_name":"read_file","tool_id":"1","parameters":{}}'
echo '{"type":"tool_result","tool_id":"1","status":"success","output":"x"}'
echo '{"type":"message","role":"assistant","content":"Do","delta":true}'
echo '{"type":"message","role":"assistant","content":"ne.","delta":true}'
echo '{"type":"result","status":"success","stats":{"total_tokens":70,"input_tokens":60,"output_tokens":10,"duration_ms":9,"tool_calls":1}}'
"#;
const OPENCODE: &str = r#"
echo '{"type":"step_start","timestamp":1,"sessionID":"ses_1","part":{"type":"step-start"}}'
echo '{"type":"tool_use","timestamp":2,"sessionID":"ses_1","part":{"type":"tool","tool":"bash","state":{"status":"completed"}}}'
echo '{"type":"step_finish","timestamp":3,"sessionID":"ses_1","part":{"type":"step-finish","reason":"tool-calls","cost":0.002,"tokens":{"input":100,"output":10,"reasoning":5,"cache":{"read":1000,"write":0}}}}'
echo '{"type":"text","timestamp":4,"sessionID":"ses_1","part":{"type":"text","text":"Done."}}'
echo '{"type":"step_finish","timestamp":5,"sessionID":"ses_1","part":{"type":"step-finish","reason":"stop","cost":0.001,"tokens":{"input":50,"output":5,"reasoning":0,"cache":{"read":0,"write":0}}}}'
"#;
const AIDER: &str = r#"
echo 'Aider v0.86.1'
echo 'Main model: gpt-x with diff edit format'
echo 'Git repo: .git with 3 files'
echo 'Added src/main.rs to the chat.'
echo
echo 'Done.'
echo
echo 'Tokens: 2.5k sent, 120 received. Cost: $0.0025 message, $0.0031 session.'
echo
echo 'Applied edit to src/main.rs'
echo 'Commit 1a2b3c4 feat: add it'
echo 'You can use /undo to undo and discard each aider commit.'
"#;
/// Each line of it begins like something that the program says of itself, or is empty.
const LONG_ANSWER: &str =
    "Warning: this deletes data.\n\nAdded a flag:\n\n    Model: big\n\nCommit it yourself, or:\n\nError: none.\nApplied edit to nothing.";

/// A program in place of the real one. It writes down its words, its input and its environment, and then does as told.
struct Played {
    directory: Directory,
    name: &'static str,
}

impl Played {
    fn new(name: &'static str, test: &str, script: &str) -> Self {
        let directory = Directory::new(&format!("preset-{name}-{test}"));
        std::fs::create_dir(directory.0.join("work")).expect("it can be made");
        let played = Self { directory, name };
        played.becomes(script);
        played
    }

    fn becomes(&self, script: &str) {
        let here = self.directory.0.display();
        let noted = format!("#!/bin/sh\nprintf '%s\\n' \"$*\" >> {here}/words\ncat > {here}/input\nenv > {here}/environment\n{script}\n");
        let program = self.directory.0.join("program");
        std::fs::write(&program, noted).expect("it can be written");
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("it can be made executable");
    }

    fn agent(&self) -> PresetAgent {
        let program = Some(self.directory.0.join("program").to_string_lossy().into_owned());
        presets::agent(self.name, PresetSettings { program, ..PresetSettings::default() }).expect("it is a preset")
    }

    fn context(&self) -> Context {
        Context::new().0.in_run_directory(&self.directory.0).working_in(self.directory.0.join("work"))
    }

    async fn perform(&self, request: Request) -> Outcome {
        self.agent().perform(request, &self.context()).await
    }

    fn noted(&self, what: &str) -> String {
        std::fs::read_to_string(self.directory.0.join(what)).unwrap_or_default().trim_end().to_string()
    }

    fn kept(&self) -> Option<Value> {
        let file = self.directory.0.join("conversations/writing.1_api.writer.json");
        serde_json::from_slice(&std::fs::read(file).ok()?).ok()
    }
}

/// What each program prints is understood, and its conversation is taken up again by the words `resumed`.
async fn check(name: &'static str, script: &str, usage: Usage, id: &str, begun: &str, resumed: &str) {
    let played = Played::new(name, "whole", script);
    let context = played.context();
    let outcome = played.agent().perform(prompted("Build."), &context).await;
    assert_eq!(outcome, Outcome::Returned { result: json!("Done."), usage }, "{name}");
    let id = id.replace("HERE", &played.directory.0.to_string_lossy());
    assert_eq!(played.noted("input"), "Build.", "{name}");
    assert_eq!(played.kept().expect("it is kept")["id"], json!(id), "{name}");
    let recorded = context.recorded();
    let Some((Exchange::Conversation { id: of, answer, .. }, tools)) = recorded.split_last() else { panic!("{recorded:?}") };
    assert_eq!((of, answer.trim()), (&id, "Done."));
    let is_tool = |exchange: &Exchange| matches!(exchange, Exchange::Tool { .. });
    // Of what aider has done it says only what is in its text.
    assert!(tools.iter().all(is_tool) && tools.len() == usize::from(name != "aider"), "{recorded:?}");

    let mut request = prompted("Build.");
    let question = Question { question: "Which port?".into(), options: Vec::new(), default: None, ..Question::default() };
    request.call.answers.push(Answered { question, answer: "80".into(), by: "ann".into(), asked_in: 2 });
    assert_eq!(returned(played.perform(request).await), json!("Done."), "{name}");
    assert!(played.noted("input").contains("ann answers: 80"), "{name}: {}", played.noted("input"));
    assert_eq!(played.noted("words"), format!("{begun}\n{resumed}").replace("ID", &id), "{name}");
}

#[tokio::test]
async fn claude_is_understood() {
    let usage = Usage { tokens_in: 3210, tokens_out: 40, tool_calls: 1, cost: Usd(12_300), ..Usage::default() };
    let words = "-p --output-format stream-json --verbose";
    let end = "--permission-mode bypassPermissions";
    check("claude", CLAUDE, usage, "c-1", &format!("{words} {end}"), &format!("{words} --resume ID {end}")).await;
}

#[tokio::test]
async fn codex_is_understood() {
    let usage = Usage { tokens_in: 900, tokens_out: 50, tool_calls: 1, cost: Usd::ZERO, ..Usage::default() };
    let words = "exec --json --skip-git-repo-check --sandbox workspace-write";
    check("codex", CODEX, usage, "t-1", &format!("{words} -"), &format!("{words} resume ID -")).await;
}

#[tokio::test]
async fn gemini_is_understood() {
    let usage = Usage { tokens_in: 60, tokens_out: 10, tool_calls: 1, cost: Usd::ZERO, ..Usage::default() };
    let (words, end) = ("--output-format stream-json", "--approval-mode yolo");
    check("gemini", GEMINI, usage, "g-1", &format!("{words} {end}"), &format!("{words} --resume ID {end}")).await;
}

#[tokio::test]
async fn opencode_is_understood() {
    let usage = Usage { tokens_in: 1150, tokens_out: 20, tool_calls: 1, cost: Usd(3000), ..Usage::default() };
    let words = "run --format json";
    check("opencode", OPENCODE, usage, "ses_1", words, &format!("{words} --session ID")).await;
}

#[tokio::test]
async fn aider_is_understood() {
    let usage = Usage { tokens_in: 2500, tokens_out: 120, tool_calls: 1, cost: Usd(2500), ..Usage::default() };
    let words =
        "--message-file /dev/stdin --no-pretty --no-stream --no-check-update --no-show-release-notes --no-gui --chat-history-file ID";
    let id = "HERE/conversations/writing.1_api.writer.history.md";
    check("aider", AIDER, usage, id, &format!("{words} --yes-always"), &format!("{words} --restore-chat-history --yes-always")).await;
}

#[tokio::test]
async fn permissions_models_and_further_words_are_passed_on() {
    for name in presets::names() {
        let played = Played::new(name, "words", "exit 1");
        let settings = PresetSettings {
            program: Some(played.directory.0.join("program").to_string_lossy().into_owned()),
            model: Some("big".into()),
            permissions: Permissions::Reject,
            arguments: vec!["--more".into()],
        };
        failure(presets::agent(name, settings).expect("it is a preset").perform(prompted("x"), &played.context()).await);
        let words = played.noted("words");
        assert!(words.contains("--model big") && words.contains("--more"), "{words}");
        let rejects = format!("{words}\n{}", played.noted("environment"));
        let signs = ["--disallowedTools", "read-only", "--approval-mode default", r#""edit":"deny""#, "--chat-mode ask"];
        assert!(signs.iter().any(|sign| rejects.contains(sign)), "{name}: {words}");
    }
}

#[tokio::test]
async fn what_goes_wrong_is_told_apart() {
    let result = |why: &str| {
        format!(
            r#"echo '{{"type":"result","subtype":"success","is_error":true,"result":"{why}","session_id":"c-1","total_cost_usd":0.5}}'; exit 1"#
        )
    };
    for (test, name, script, kind, told) in [
        ("limit", "claude", result("API Error: 429 rate_limit_error"), FailureKind::RateLimited, "API Error: 429 rate_limit_error"),
        ("login", "claude", result("Invalid API key · Please run /login"), FailureKind::Configuration, "set ANTHROPIC_API_KEY"),
        (
            "turns",
            "claude",
            r#"echo '{"type":"result","subtype":"error_max_turns","is_error":false,"session_id":"c-1"}'"#.into(),
            FailureKind::Reported,
            "error max turns",
        ),
        ("plain", "claude", "echo 'Invalid API key · Please run /login'; exit 1".into(), FailureKind::Configuration, "Invalid API key"),
        ("words", "claude", "echo 'A new version is needed'".into(), FailureKind::Crashed, "A new version is needed"),
        ("middle", "claude", r#"echo '{"type":"system","session_id":"c-1"}'"#.into(), FailureKind::Crashed, "ended in the middle"),
        (
            "turn",
            "codex",
            r#"echo '{"type":"turn.failed","error":{"message":"stream disconnected"}}'; exit 1"#.into(),
            FailureKind::Unavailable,
            "stream disconnected",
        ),
        ("auth", "codex", "echo 'unexpected status 401 Unauthorized' >&2; exit 1".into(), FailureKind::Configuration, "codex login"),
        (
            "quota",
            "gemini",
            r#"echo '{"type":"result","status":"error","error":{"type":"x","message":"Quota exceeded"}}'; exit 1"#.into(),
            FailureKind::RateLimited,
            "Quota exceeded",
        ),
        (
            "named",
            "opencode",
            r#"echo '{"type":"error","sessionID":"s","error":{"name":"ProviderAuthError","data":{"message":"not authenticated"}}}'"#.into(),
            FailureKind::Configuration,
            "opencode auth login",
        ),
        ("litellm", "aider", "echo 'litellm.RateLimitError: rate limit'".into(), FailureKind::RateLimited, "litellm.RateLimitError"),
        ("memory", "claude", "exit 137".into(), FailureKind::Crashed, "exit code 137: it was killed"),
        ("signal", "codex", "kill -SEGV $$".into(), FailureKind::Crashed, "was ended by signal 11"),
        ("silent", "opencode", "true".into(), FailureKind::Crashed, "ended in the middle"),
        ("denied", "claude", "echo './build.sh: Permission denied' >&2; exit 1".into(), FailureKind::Reported, "Permission denied"),
        (
            "broken-off",
            "opencode",
            r#"echo '{"type":"text","sessionID":"s","part":{"text":"I will look."}}'
               echo '{"type":"tool_use","sessionID":"s","part":{"tool":"bash"}}'
               echo '{"type":"step_finish","sessionID":"s","part":{"reason":"tool-calls","cost":0}}'"#
                .into(),
            FailureKind::Crashed,
            "ended in the middle",
        ),
        (
            "next-step",
            "opencode",
            r#"echo '{"type":"step_finish","sessionID":"s","part":{"reason":"stop"}}'
               echo '{"type":"step_start","sessionID":"s","part":{}}'
               echo '{"type":"text","sessionID":"s","part":{"text":"I will look."}}'"#
                .into(),
            FailureKind::Crashed,
            "ended in the middle",
        ),
        (
            "cut",
            "opencode",
            r#"echo '{"type":"text","sessionID":"s","part":{"text":"It is"}}'
               echo '{"type":"step_finish","sessionID":"s","part":{"reason":"length"}}'"#
                .into(),
            FailureKind::Reported,
            "reached its limit of tokens",
        ),
    ] {
        let (found, message) = failure(Played::new(name, test, &script).perform(prompted("x")).await);
        assert_eq!(found, kind, "{test}: {message}");
        assert!(message.contains(told), "{test}: {message}");
    }
    let missing = presets::agent("claude", PresetSettings { program: Some("motet-no-such-program".into()), ..Default::default() });
    let (kind, message) = failure(missing.expect("it is a preset").perform(prompted("x"), &Context::new().0).await);
    assert_eq!((kind, message.contains("there is no program `motet-no-such-program`")), (FailureKind::NotFound, true));
}

#[tokio::test]
async fn an_answer_of_aider_is_whole_and_nothing_else() {
    let script = |answer: &str| AIDER.replace("echo 'Done.'", &format!("cat <<'END'\n{answer}\nEND"));
    let played = Played::new("aider", "long", &script(LONG_ANSWER));
    assert_eq!(returned(played.perform(prompted("Build.")).await), json!(LONG_ANSWER));
    // It is asked again by the program itself, and the last message counts, not what the program says after it.
    let twice = format!("{}\n{}\necho 'Some new hint.'", script("First I looked."), script(LONG_ANSWER));
    assert_eq!(returned(Played::new("aider", "twice", &twice).perform(prompted("Build.")).await), json!(LONG_ANSWER));
    let strange = format!("echo 'A notice that nobody knows.'\n{}", script("Done."));
    assert_eq!(returned(Played::new("aider", "notice", &strange).perform(prompted("Build.")).await), json!("Done."));
    let uncounted = script(LONG_ANSWER).lines().filter(|line| !line.contains("Tokens:")).collect::<Vec<_>>().join("\n");
    let answer = returned(Played::new("aider", "uncounted", &uncounted).perform(prompted("Build.")).await);
    assert!(answer.as_str().is_some_and(|answer| answer.starts_with(LONG_ANSWER)), "{answer}");
}

#[tokio::test]
async fn what_codex_counts_for_the_whole_thread_is_booked_once() {
    let script = |id: &str, tokens_in: u64, tokens_out: u64| {
        CODEX
            .replace("t-1", id)
            .replace("900", &tokens_in.to_string())
            .replace("\"output_tokens\":50", &format!("\"output_tokens\":{tokens_out}"))
    };
    let played = Played::new("codex", "counts", CODEX);
    let counts = async |id: &str, counted: (u64, u64), expected: (u64, u64), why: &str| {
        played.becomes(&script(id, counted.0, counted.1));
        let usage = played.perform(prompted("Build.")).await.usage();
        assert_eq!((usage.tokens_in, usage.tokens_out), expected, "{why}");
    };
    counts("t-1", (900, 50), (900, 50), "a new thread").await;
    counts("t-1", (2500, 80), (1600, 30), "it counts on").await;
    counts("t-1", (2500, 80), (0, 0), "nothing is new").await;
    counts("t-2", (3000, 90), (3000, 90), "another thread begins at nothing").await;
    counts("t-2", (700, 40), (700, 40), "a count that is lower is of the turn alone").await;
    counts("t-2", (800, 45), (800, 45), "and so are those that follow").await;
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_refused_and_not_cut() {
    // In pieces, and in one line.
    let piece = r#"{"type":"message","role":"assistant","content":"'"$x"'"}"#;
    let gemini = format!(
        "x=$(head -c 1000000 /dev/zero | tr '\\0' x)\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do echo '{piece}'; done\n\
         echo '{{\"type\":\"result\",\"status\":\"success\",\"stats\":{{}}}}'"
    );
    let claude = "printf '{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"'; head -c 17000000 /dev/zero | tr '\\0' x; echo '\"}'"
        .to_string();
    for (name, script, told) in
        [("gemini", gemini, "answered with 17000000 bytes"), ("claude", claude, "a line of more than 16777216 bytes")]
    {
        let (kind, message) = failure(Played::new(name, "too-long", &script).perform(prompted("x")).await);
        assert_eq!(kind, FailureKind::InvalidOutput, "{message}");
        assert!(message.contains(told) && message.contains("at most 16777216"), "{message}");
    }
}

#[tokio::test]
async fn a_failure_costs_what_it_says() {
    let script = r#"echo '{"type":"result","subtype":"success","is_error":true,"result":"no","session_id":"c-1","total_cost_usd":0.5}'"#;
    assert_eq!(Played::new("claude", "cost", script).perform(prompted("x")).await.usage().cost, Usd(500_000));
}

#[tokio::test]
async fn a_conversation_that_the_program_has_lost_begins_anew() {
    let played = Played::new("claude", "lost", CLAUDE);
    returned(played.perform(prompted("Build.")).await);
    played.becomes(&format!("case \"$*\" in *--resume*) echo 'No conversation found with session ID: c-1' >&2; exit 1;; esac\n{CLAUDE}"));
    assert_eq!(returned(played.perform(prompted("Build.")).await), json!("Done."));
    assert_eq!(played.noted("words").lines().count(), 3);
    assert_eq!(played.noted("input"), "Build.", "the second try knows nothing of the first");
}

#[tokio::test]
async fn a_conversation_that_the_program_has_lost_begins_anew_also_if_it_says_so_in_its_last_line() {
    let played = Played::new("claude", "lost-line", CLAUDE);
    returned(played.perform(prompted("Build.")).await);
    let lost = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"c-1","total_cost_usd":0,"errors":["No conversation found with session ID: c-1"]}"#;
    played.becomes(&format!("case \"$*\" in *--resume*) echo '{lost}'; exit 1;; esac\n{CLAUDE}"));
    assert_eq!(returned(played.perform(prompted("Build.")).await), json!("Done."));
}

#[tokio::test]
async fn a_turn_that_worked_is_not_thrown_away_because_of_the_words_it_ends_with() {
    let played = Played::new("claude", "worked", CLAUDE);
    returned(played.perform(prompted("Build.")).await);
    played.becomes(
        r#"echo '{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{}}]},"session_id":"c-1"}'
           echo '{"type":"result","subtype":"success","is_error":true,"result":"the HTTP body was \"Invalid session\"","session_id":"c-1","total_cost_usd":2.5}'"#,
    );
    let outcome = played.perform(prompted("Build.")).await;
    assert_eq!((outcome.usage().cost, outcome.usage().tool_calls), (Usd(2_500_000), 1));
    assert!(failure(outcome).1.contains("Invalid session"));
    assert_eq!(played.noted("words").lines().count(), 2, "it was begun again");
    assert_eq!(played.kept().expect("it is kept")["id"], json!("c-1"));
}

#[tokio::test]
async fn what_must_not_be_done_twice_is_not_begun_anew_in_another_conversation() {
    let played = Played::new("claude", "lost-unsafe", CLAUDE);
    let mut request = prompted("Build.");
    request.call.class = Class::Unsafe;
    returned(played.perform(request.clone()).await);
    played.becomes("echo 'No conversation found with session ID: c-1' >&2; exit 1");
    assert!(failure(played.perform(request).await).1.contains("No conversation found"));
    assert_eq!(played.noted("words").lines().count(), 2, "it was begun again");
    assert_eq!(played.kept(), None, "whoever lets it run again begins it anew");
}

#[tokio::test]
async fn the_id_is_on_disk_as_soon_as_it_was_said() {
    let marker = format!("89{}.25", std::process::id());
    let played = Played::new("codex", "early", &format!("echo '{{\"type\":\"thread.started\",\"thread_id\":\"t-9\"}}'; sleep {marker}"));
    let (agent, context) = (played.agent(), played.context());
    let mut attempt = Box::pin(agent.perform(prompted("Build."), &context));
    while !lives(&marker) || played.kept().is_none() {
        assert!(tokio::time::timeout(Duration::from_millis(50), &mut attempt).await.is_err(), "it should not have ended");
    }
    drop(attempt);
    assert_eq!(played.kept().expect("it is kept")["id"], json!("t-9"));
    played.becomes(CODEX);
    returned(played.perform(prompted("Build.")).await);
    assert!(played.noted("words").ends_with("resume t-9 -"), "{}", played.noted("words"));
}

#[test]
fn a_preset_that_cannot_work_is_refused() {
    let told = |name: &str, permissions| match presets::agent(name, PresetSettings { permissions, ..PresetSettings::default() }) {
        Ok(_) => panic!("{name} should be refused"),
        Err(failure) => failure.message,
    };
    assert_eq!(told("vim", Permissions::Allow), "there is no preset `vim` (there are: claude, codex, gemini, opencode, aider)");
    assert!(told("codex", Permissions::Ask).contains("cannot ask for permission"));
}
