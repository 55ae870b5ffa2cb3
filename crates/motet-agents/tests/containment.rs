//! Programs at their worst, in every part that a program can play: they hang, fork, flood, babble and die, and nobody is harmed.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use motet_agents::acp::{AcpAgent, AcpSettings};
use motet_agents::command::CommandAgent;
use motet_agents::command::presets::{self, PresetSettings};
use motet_agents::{Agent, Context, Performer};
use motet_core::event::FailureKind;

use crate::{Directory, ends, failure, prompted, stand_ins};

/// The most memory that this process has used so far.
pub fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("there is a /proc");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("the peak is told");
    let kilobytes = line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).expect("it is a number");
    kilobytes * 1024
}

/// A shell script in each part: a plain command, a preset, and an agent over the protocol.
fn parts(script: &str, directory: &Directory) -> Vec<(&'static str, Arc<dyn Agent>)> {
    let words: Vec<String> = ["sh", "-c", script].map(String::from).to_vec();
    // A preset puts its own words after the program, which a script is free to overlook.
    let file = directory.0.join("program");
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("it can be written");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("it can be made executable");
    let settings = PresetSettings { program: Some(file.to_string_lossy().into_owned()), ..PresetSettings::default() };
    let preset = presets::agent("claude", settings).expect("it is a preset");
    vec![
        ("command", Arc::new(CommandAgent::new(words.clone()))),
        ("preset", Arc::new(preset)),
        ("acp", Arc::new(AcpAgent::new(AcpSettings::new("script", words)))),
    ]
}

/// What each part comes to when the script plays it, with everything the script started gone.
async fn check(name: &str, script: &str, timeout_ms: u64, kinds: [FailureKind; 3], told: &str) {
    let directory = Directory::new(&format!("contained-{name}"));
    for ((part, agent), expected) in parts(script, &directory).into_iter().zip(kinds) {
        let performer = Performer::new().bind_rest(agent);
        let mut request = prompted("Go.");
        request.call.timeout_ms = timeout_ms;
        let context = Context::new().0.in_run_directory(&directory.0).working_in(&directory.0);
        let (kind, message) = failure(performer.perform(request, &context).await);
        assert_eq!(kind, expected, "{name} as {part}: {message}");
        assert!(message.contains(told), "{name} as {part}: {message}");
    }
    assert!(most_memory() < 400 << 20, "{name} used {} bytes", most_memory());
}

#[tokio::test]
async fn a_program_that_hangs_is_ended_with_all_it_started() {
    let marker = format!("87{}.25", std::process::id());
    let script = format!("trap '' TERM; (sleep {marker} &) ; sleep {marker} & while :; do sleep 0.1; done");
    check("hang", &script, 1500, [FailureKind::Timeout; 3], "did not answer within").await;
    assert!(ends(&marker).await, "something is still running");
}

/// Something in the background that holds no stream, so that nothing but the group tells of it.
fn leaving(marker: &str, ignoring: &str) -> String {
    format!("({ignoring}sleep {marker}; sleep {marker}) >/dev/null 2>&1 </dev/null &")
}

#[tokio::test]
async fn what_a_program_leaves_behind_ends_with_it_even_if_all_went_well() {
    let marker = format!("84{}.25", std::process::id());
    let directory = Directory::new("contained-left");
    let result = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"c"}'"#;
    for (part, agent) in parts(&format!("{} {result}", leaving(&marker, "")), &directory).into_iter().take(2) {
        crate::returned(agent.perform(prompted("Go."), &Context::new().0).await);
        assert!(!crate::lives(&marker), "{part} left something running");
    }
    let (_, acp) = parts(&format!("{} exit 3", leaving(&marker, "")), &directory).remove(2);
    let (_, message) = failure(acp.perform(prompted("Go."), &Context::new().0).await);
    assert!(message.contains("exit code 3") && !crate::lives(&marker), "the agent over the protocol left something running: {message}");
}

#[tokio::test]
async fn what_a_command_of_a_workflow_leaves_behind_ends_with_it_even_if_it_is_deaf() {
    let marker = format!("81{}.25", std::process::id());
    let words: Vec<String> = ["sh", "-c", &format!("{} true", leaving(&marker, "trap '' TERM; "))].map(String::from).to_vec();
    let evidence = crate::returned(motet_agents::command::run(&words, None, &prompted("Go.").call, &Context::new().0).await);
    assert!(evidence["passed"] == true && !crate::lives(&marker), "something is still running: {evidence}");
}

#[tokio::test]
async fn a_daemon_that_leaves_the_group_lives_on() {
    let marker = format!("83{}.25", std::process::id());
    let words: Vec<String> =
        ["sh", "-c", &format!("setsid sleep {marker} >/dev/null 2>&1 </dev/null & sleep 0.3")].map(String::from).to_vec();
    crate::returned(motet_agents::command::run(&words, None, &prompted("Go.").call, &Context::new().0).await);
    assert!(crate::lives(&marker), "it had left the group on purpose");
    for process in std::fs::read_dir("/proc").expect("there is a /proc").flatten() {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains(&marker) {
            let _ = std::process::Command::new("kill").arg(process.file_name()).status();
        }
    }
    assert!(ends(&marker).await);
}

#[tokio::test]
async fn a_program_that_floods_is_read_in_bounded_memory() {
    let script = "head -c 1073741824 /dev/zero; exit 5";
    check("flood", script, 600_000, [FailureKind::Reported, FailureKind::Reported, FailureKind::Crashed], "ended with exit code 5").await;
}

#[tokio::test]
async fn a_program_that_floods_standard_error_is_read_in_bounded_memory() {
    let script = "head -c 1073741824 /dev/zero >&2; echo >&2; echo 'at last' >&2; exit 5";
    check("errors", script, 600_000, [FailureKind::Reported, FailureKind::Reported, FailureKind::Crashed], "at last").await;
}

#[tokio::test]
async fn a_program_that_writes_no_text_is_quoted_readably() {
    let script = r"printf '\377\376 {\n' ; printf 'bad \377 end\n' >&2; exit 6";
    check("bytes", script, 60_000, [FailureKind::Reported, FailureKind::Reported, FailureKind::Crashed], "bad \u{fffd} end").await;
}

#[tokio::test]
async fn a_program_that_was_killed_is_a_crash() {
    check("137", "exit 137", 60_000, [FailureKind::Crashed; 3], "exit code 137: it was killed").await;
    check("signal", "kill -KILL $$", 60_000, [FailureKind::Crashed; 3], "was killed (signal 9)").await;
}

#[tokio::test]
async fn a_program_that_never_reads_its_input_holds_nobody_up() {
    let script = "exec 0<&-; sleep 0.2; echo 'deaf' >&2; exit 7";
    let directory = Directory::new("contained-deaf");
    for (part, agent) in parts(script, &directory) {
        let outcome = agent.perform(prompted(&"x".repeat(1_000_000)), &Context::new().0).await;
        let (_, message) = failure(outcome);
        assert!(message.contains("ended with exit code 7: deaf"), "{part}: {message}");
    }
}

#[tokio::test]
async fn a_program_that_closes_its_output_and_stays_is_ended() {
    let marker = format!("86{}.25", std::process::id());
    let script = format!("exec 1>&-; exec sleep {marker}");
    let agent = AcpAgent::new(AcpSettings::new("script", ["sh", "-c", &script].map(String::from).to_vec()));
    let (kind, message) = failure(agent.perform(prompted("Go."), &Context::new().0).await);
    assert_eq!(kind, FailureKind::Crashed, "{message}");
    assert!(ends(&marker).await, "it is still running");
}

#[tokio::test]
async fn an_agent_that_floods_in_the_middle_of_a_turn_may_still_answer() {
    let directory = Directory::new("contained-turn");
    let settings = AcpSettings::new("stand-in", stand_ins::coding_agent_in(&directory.0));
    let mut request = prompted("flood");
    request.call.timeout_ms = 600_000;
    let performer = Performer::new().bind_rest(Arc::new(AcpAgent::new(settings)));
    let outcome = tokio::time::timeout(Duration::from_secs(600), performer.perform(request, &Context::new().0)).await.expect("it ends");
    assert_eq!(crate::returned(outcome), serde_json::json!("after the flood"));
    assert!(most_memory() < 400 << 20);
}

#[tokio::test]
async fn what_a_killed_process_left_at_work_is_ended_before_the_task_begins_again() {
    let directory = Directory::new("contained-leftover");
    let context = Context::new().0.in_run_directory(&directory.0).working_in(&directory.0);
    let request = prompted("Go.");
    for (number, (driver, attempt, is_ended)) in
        [("1", 2, true), ("1", 1, false), (&*std::process::id().to_string(), 2, false)].into_iter().enumerate()
    {
        let marker = format!("85{number}{}.25", std::process::id());
        let mut orphan = std::process::Command::new("sleep");
        orphan.arg(&marker).env("MOTET_RUN", "tea-1").env("MOTET_TASK", "writing.1/api").env("MOTET_RUN_DIR", &directory.0);
        let mut orphan = orphan.env("MOTET_DRIVER", driver).spawn().expect("it can be started");
        for (part, agent) in parts("exit 5", &directory) {
            let mut request = request.clone();
            request.call.attempt = attempt;
            failure(agent.perform(request, &context).await);
            let has_ended = orphan.try_wait().expect("it is our child").is_some();
            assert!(!has_ended || is_ended, "driver {driver}, attempt {attempt}, {part}");
        }
        if is_ended {
            assert!(ends(&marker).await, "it is still at work");
        }
        let _ = orphan.kill();
        orphan.wait().expect("it is our child");
    }
}

#[tokio::test]
async fn a_program_that_is_asked_for_its_version_leaves_nothing_behind() {
    let directory = Directory::new("version");
    let marker = format!("88{}.25", std::process::id());
    let ask = async |script: &str| {
        let program = directory.0.join("program");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("it can be written");
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("it can be made executable");
        motet_agents::command::version(&program, &directory.0, Duration::from_secs(1)).await
    };
    assert_eq!(ask("echo; echo claude 9.9; echo more").await.as_deref(), Ok("claude 9.9"));
    assert_eq!(ask("cat; exit 0").await.as_deref(), Ok(""), "it has nothing to read");
    let told = ask("echo 'no such flag' >&2; exit 2").await.expect_err("it failed");
    assert!(told.contains("ended with exit code 2: no such flag"), "{told}");
    let told = ask(&format!("trap '' TERM; sleep {marker} & (sleep {marker}) & sleep {marker}")).await.expect_err("it hangs");
    assert!(told.contains("does not come to an end"), "{told}");
    assert!(ends(&marker).await, "its children are still running");
    assert!(ask("yes").await.is_err(), "it never ends");
}
