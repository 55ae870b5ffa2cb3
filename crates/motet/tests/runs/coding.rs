//! Coding agents under the real binary: what a kill in the middle of their work leaves, and how the run goes on.

use super::project::Project;

/// It says its conversation's id at once, works until it is let go, and then answers.
const CLAUDE: &str = r#"#!/bin/sh
cat >> said.txt
echo "$*" >> words.txt
echo '{"type":"system","subtype":"init","session_id":"c-7"}'
echo "$MOTET_TASK" >> begun.txt
while [ -e wait.txt ]; do sleep 0.02; done
echo "$MOTET_ATTEMPT" >> done.txt
echo '{"type":"result","subtype":"success","is_error":false,"result":"{\"built\": \"a keel\"}","session_id":"c-7","total_cost_usd":0.002}'
"#;

#[test]
fn a_killed_run_goes_on_with_the_same_conversation_and_without_its_orphans() {
    let project = Project::new();
    project.program("bin/claude", CLAUDE);
    project.write("motet.toml", "[agents.builder]\npreset = 'claude'\n");
    project.write("wait.txt", "");
    let path = format!("{}:{}", project.root.join("bin").display(), std::env::var("PATH").expect("a path to programs"));
    let motet = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command.env("PATH", &path);
        command
    };
    let mut running = motet(&["run", "ship", "a boat", "--yes", "-i", "parts=1"]).spawn().expect("the binary runs");
    project.until_begun(1);
    let run = project.last();
    let conversations = project.root.join(format!(".motet/runs/{run}/conversations"));
    project.until("the conversation being kept", || std::fs::read_dir(&conversations).is_ok_and(|kept| kept.flatten().any(is_whole)));
    running.kill().expect("it runs");
    running.wait().expect("it is ours");

    let resumed = motet(&["resume", "--yes"]).spawn().expect("the binary runs");
    project.until_begun(2);
    project.remove("wait.txt");
    let done = resumed.wait_with_output().expect("it ends");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let words = project.read("words.txt");
    assert!(words.lines().nth(1).is_some_and(|second| second.contains("--resume c-7")), "{words}");
    assert!(project.read("said.txt").contains("You were interrupted."));
    assert_eq!(project.read("done.txt").lines().collect::<Vec<_>>(), ["2"], "the first attempt was ended, not left at work");
    project.motet(&["verify", &run]).exits(0);
}

#[test]
fn a_coding_agent_works_with_the_model_that_the_settings_name_and_another_stands_in() {
    let project = Project::new();
    project.program("bin/claude", CLAUDE);
    project.write(
        "motet.toml",
        "[agents.builder]\npreset = 'claude'\nprogram = './bin/claude'\nwith_model = 'opus'\narguments = ['--bare']\n",
    );
    project.motet(&["run", "ship", "a boat", "--yes", "-i", "parts=1"]).exits(0);
    assert!(project.read("words.txt").contains("--model opus --permission-mode bypassPermissions --bare"), "{}", project.read("words.txt"));
    let run = project.last();
    project.motet(&["status", &run, "--json"]).exits(0).says(&["\"with_model\":\"opus\""]);

    project.program("bin/claude", "#!/bin/sh\necho 'API Error: 529 overloaded' >&2; exit 1\n");
    let chain = "[agents.builder]\npreset = 'claude'\nprogram = './bin/claude'\nfallback = ['command:./builder.sh']\n";
    project.write("motet.toml", chain);
    project.motet(&["run", "ship", "a boat", "--yes", "-i", "parts=1"]).exits(0);
    assert!(project.read("done.txt").contains("building.1/1"), "the other program has not stood in: {}", project.read("done.txt"));
}

/// What is being written has another name until it is whole.
fn is_whole(entry: std::fs::DirEntry) -> bool {
    entry.path().extension().is_some_and(|ending| ending == "json")
}
