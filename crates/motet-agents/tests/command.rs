//! Real programs that behave, misbehave and refuse to end.
//! Bounds on time are generous: they tell a hang from an end, nothing finer.

use std::time::{Duration, Instant};

use motet_agents::command::CommandAgent;
use motet_agents::{Agent, Context, Found, Outcome, Performer, Progress, Request, StopReason};
use motet_core::effect::CallWork;
use motet_core::event::{FailureKind, Usage};
use motet_core::units::Usd;
use serde_json::{Value, json};

use crate::{Directory, ends, failure, listening, lives, prompted, request, returned};

fn words(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(String::from).to_vec()
}

fn command(script: &str) -> Request {
    request(CallWork::Command { words: words(script), within: None }, json!({}))
}

async fn run(request: Request, context: &Context) -> Outcome {
    Performer::new().perform(request, context).await
}

async fn ran(script: &str) -> Value {
    returned(run(command(script), &Context::new().0).await)
}

async fn played(script: &str) -> Outcome {
    CommandAgent::new(words(script)).perform(prompted("Write."), &Context::new().0).await
}

#[tokio::test]
async fn a_program_that_passes_is_evidence() {
    let mut result = ran("echo one; echo '2 passed'; echo; echo noise >&2").await;
    assert!(result["duration_ms"].is_u64());
    result["duration_ms"] = json!(0);
    let expected = json!({
        "command": "sh -c 'echo one; echo '\\''2 passed'\\''; echo; echo noise >&2'",
        "exit_code": 0,
        "passed": true,
        "timed_out": false,
        "stdout": "one\n2 passed\n\n",
        "stderr": "noise\n",
        "summary": "2 passed",
        "duration_ms": 0,
    });
    assert_eq!(result, expected);
}

#[tokio::test]
async fn a_program_that_fails_is_evidence_too() {
    let result = ran("echo broken >&2; exit 3").await;
    assert_eq!((&result["passed"], &result["exit_code"], &result["summary"]), (&json!(false), &json!(3), &json!("broken")));
    let killed = ran("kill -KILL $$").await;
    assert_eq!((&killed["passed"], &killed["exit_code"]), (&json!(false), &Value::Null));
}

#[tokio::test]
async fn a_program_that_cannot_start_is_a_failure() {
    let work = |words: &[&str], within: Option<&str>| CallWork::Command {
        words: words.iter().map(ToString::to_string).collect(),
        within: within.map(String::from),
    };
    for (work, kind, told) in [
        (work(&["motet-no-such-program"], None), FailureKind::NotFound, "there is no program `motet-no-such-program`"),
        (work(&["/etc/passwd"], None), FailureKind::Configuration, "`/etc/passwd` may not be run"),
        (work(&[], None), FailureKind::Configuration, "the command is empty"),
        (work(&["true"], Some("/no/such/directory")), FailureKind::Configuration, "does not exist: /no/such/directory"),
    ] {
        let (found, message) = failure(run(request(work, json!({})), &Context::new().0).await);
        assert_eq!(found, kind);
        assert!(message.contains(told), "{message}");
    }
}

#[tokio::test]
async fn a_program_knows_its_task_and_place() {
    let directory = Directory::new("place");
    std::fs::create_dir(directory.0.join("sub")).unwrap();
    let context = Context::new().0.in_run_directory(&directory.0).working_in(&directory.0);
    let script = r#"pwd; echo "$MOTET_RUN $MOTET_TASK $MOTET_ATTEMPT $MOTET_KEY"; echo "$MOTET_RUN_DIR""#;
    let asked = request(CallWork::Command { words: words(script), within: Some("sub".into()) }, json!({}));
    let result = returned(run(asked, &context).await);
    let here = directory.0.display();
    assert_eq!(result["stdout"], json!(format!("{here}/sub\ntea-1 writing.1/api 2 tea-1:writing.1/api:2\n{here}\n")));
}

#[tokio::test]
async fn a_flood_is_cut_in_the_result_and_whole_in_the_log() {
    let directory = Directory::new("flood");
    let context = Context::new().0.in_run_directory(&directory.0);
    let result = returned(run(command("head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end"), &context).await);
    let stdout = result["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("[… 934469 bytes before this are not shown]\nx"), "{}", &stdout[..80]);
    assert_eq!(result["summary"], json!("end"));
    assert_eq!(std::fs::metadata(directory.0.join("logs/writing.1_api.2.stdout.log")).unwrap().len(), 1_000_005);
    assert!(!directory.0.join("logs/writing.1_api.2.stderr.log").exists());
}

#[tokio::test]
async fn a_gigabyte_is_contained() {
    let directory = Directory::new("gigabyte");
    let context = Context::new().0.in_run_directory(&directory.0);
    let result = returned(run(command("head -c 1073741824 /dev/zero; echo end"), &context).await);
    assert_eq!(result["passed"], json!(true));
    assert!(result["stdout"].as_str().unwrap().len() < 70_000);
    let logged = std::fs::metadata(directory.0.join("logs/writing.1_api.2.stdout.log")).unwrap().len();
    assert!((8 << 20..9 << 20).contains(&logged), "{logged}");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced() {
    assert_eq!(ran(r"printf 'a\377b'").await["stdout"], json!("a\u{fffd}b"));
}

#[tokio::test]
async fn a_program_that_runs_too_long_is_ended_with_all_it_started() {
    let marker = format!("98{}.25", std::process::id());
    let mut request = command(&format!("echo begun; sleep {marker} & sleep {marker}"));
    request.call.timeout_ms = 1500;
    let started = Instant::now();
    let result = returned(run(request, &Context::new().0).await);
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!((&result["passed"], &result["timed_out"], &result["stdout"]), (&json!(false), &json!(true), &json!("begun\n")));
    assert_eq!(result["summary"], "it did not end within 1.5s; the last it said: begun");
    assert!(ends(&marker).await, "something of the group is still running");
}

#[tokio::test]
async fn a_program_deaf_to_the_polite_signal_is_killed() {
    let marker = format!("97{}.25", std::process::id());
    let mut request = command(&format!("trap '' TERM; sleep {marker} & while :; do sleep 0.1; done"));
    request.call.timeout_ms = 1000;
    let result = returned(run(request, &Context::new().0).await);
    assert_eq!((&result["timed_out"], &result["exit_code"]), (&json!(true), &Value::Null));
    assert!(ends(&marker).await, "something of the group is still running");
}

#[tokio::test]
async fn a_cancelled_program_is_ended() {
    let marker = format!("96{}.25", std::process::id());
    let (context, stop) = Context::new();
    let (outcome, ()) = tokio::join!(run(command(&format!("sleep {marker}")), &context), async {
        while !lives(&marker) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.stop(StopReason::Cancelled);
    });
    assert_eq!(failure(outcome).0, FailureKind::Cancelled);
    assert!(ends(&marker).await);
}

#[tokio::test]
async fn a_dropped_attempt_leaves_nothing_running() {
    let marker = format!("95{}.25", std::process::id());
    let context = Context::new().0;
    let attempt = run(command(&format!("sleep {marker} & sleep {marker}")), &context);
    assert!(tokio::time::timeout(Duration::from_millis(300), attempt).await.is_err());
    assert!(ends(&marker).await);
}

#[tokio::test]
async fn a_child_that_keeps_the_pipe_open_holds_nobody_up() {
    let marker = format!("94{}.25", std::process::id());
    let started = Instant::now();
    let result = ran(&format!("sleep {marker} & echo done")).await;
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!((&result["passed"], &result["stdout"]), (&json!(true), &json!("done\n")));
    assert!(ends(&marker).await);
}

#[tokio::test]
async fn an_agent_reads_its_task_and_answers_in_json() {
    let task = returned(played("cat").await);
    assert_eq!((&task["kind"], &task["prompt"], &task["input"]), (&json!("prompt"), &json!("Write."), &json!({"product": "tea"})));
    assert_eq!((&task["task"], &task["attempt"], &task["role"]), (&json!("writing.1/api"), &json!(2), &json!("writer")));
}

#[tokio::test]
async fn an_agent_may_answer_in_text() {
    assert_eq!(returned(played("echo 'Tea time.'").await), json!("Tea time."));
}

#[tokio::test]
async fn an_agent_that_never_reads_its_task_may_still_answer() {
    let mut request = prompted(&"x".repeat(1_000_000));
    request.call.timeout_ms = 20_000;
    let outcome = CommandAgent::new(words("echo fine")).perform(request, &Context::new().0).await;
    assert_eq!(returned(outcome), json!("fine"));
}

#[tokio::test]
async fn an_agent_may_ask_fail_and_say_what_it_cost() {
    assert!(
        matches!(played(r#"echo '{"question": "For whom?"}'"#).await, Outcome::Asked { question, .. } if question.question == "For whom?")
    );
    assert_eq!(failure(played(r#"echo '{"error": "no idea"}'"#).await), (FailureKind::Reported, "no idea".into()));
    let outcome = played(r#"echo '{"result": 7, "usage": {"tokens_in": 3, "cost": 0.01}}'"#).await;
    assert_eq!(outcome, Outcome::Returned { result: json!(7), usage: Usage { tokens_in: 3, cost: Usd(10_000), ..Usage::default() } });
}

#[tokio::test]
async fn an_agent_that_ends_badly_is_quoted() {
    let (kind, message) = failure(played("echo ignored; echo first >&2; echo last >&2; exit 4").await);
    assert_eq!(kind, FailureKind::Reported);
    assert!(message.ends_with("ended with exit code 4: first\nlast"), "{message}");
    let reported = failure(played(r#"echo '{"error": {"kind": "rate_limited", "message": "later"}}'; exit 1"#).await);
    assert_eq!(reported, (FailureKind::RateLimited, "later".into()));
}

#[tokio::test]
async fn what_an_agent_says_on_the_side_is_progress() {
    let (context, _stop, heard) = listening();
    let agent = CommandAgent::new(words("echo one >&2; printf two >&2; echo answer"));
    assert_eq!(returned(agent.perform(prompted("x"), &context).await), json!("answer"));
    assert_eq!(*heard.lock().unwrap(), [Progress::Log("one".into()), Progress::Log("two".into())]);
}

#[tokio::test]
async fn an_endless_answer_is_refused_rather_than_cut() {
    let (kind, message) = failure(played("head -c 20000000 /dev/zero").await);
    assert_eq!(kind, FailureKind::InvalidOutput);
    assert!(message.contains("printed 20000000 bytes"), "{message}");
}

#[tokio::test]
async fn a_timed_out_agent_is_a_timeout() {
    let performer = Performer::new().bind_rest(std::sync::Arc::new(CommandAgent::new(words("echo '{}'; sleep 60"))));
    let mut request = prompted("x");
    request.call.timeout_ms = 200;
    assert_eq!(failure(performer.perform(request, &Context::new().0).await).0, FailureKind::Timeout);
}

#[tokio::test]
async fn a_verifying_program_tells_what_became_of_an_attempt() {
    for (script, expected) in [
        (r#"echo '{"undone": true}'"#, Found::Undone),
        (r#"echo '{"commit": "abc"}'"#, Found::Finished(Outcome::returned(json!({"commit": "abc"})))),
        ("exit 1", Found::Unknown),
        ("true", Found::Unknown),
    ] {
        let agent = CommandAgent::new(words("false")).verified_by(words(script));
        assert_eq!(agent.reconcile(prompted("x"), &Context::new().0).await, expected, "{script}");
    }
    assert_eq!(CommandAgent::new(words("true")).reconcile(prompted("x"), &Context::new().0).await, Found::Unknown);
}
