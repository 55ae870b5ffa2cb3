//! Keys that nobody in the run uses: whichever command drives it, and whatever its programs print, none of them is kept or shown.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::process::Command;

use motet_testkit::providers::{FakeProvider, Format, Line};

use super::project::{Done, Project};

/// Of a provider that is built in and plays no role.
const KNOWN: &str = "sk-known-to-everybody-0123456789";
/// Of a provider that only the project's settings name.
const OWN: &str = "sk-of-the-project-0123456789";

/// Prints the keys on both of its streams, and as a part of its answer.
const LEAKY: &str = r#"#!/bin/sh
cat > /dev/null
echo "it is $OPENAI_API_KEY or $OWN_KEY" >&2
echo "$MOTET_TASK $MOTET_ATTEMPT" >> begun.txt
while [ -e wait.txt ]; do sleep 0.02; done
echo "{\"built\": \"with $OPENAI_API_KEY and $OWN_KEY\"}"
"#;

/// The same over the Agent Client Protocol.
const CODING: &str = r#"#!/bin/sh
id() { printf '%s' "$1" | sed 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/'; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
echo "it is $OPENAI_API_KEY or $OWN_KEY" >&2
echo "beside the protocol: $OPENAI_API_KEY $OWN_KEY"
while read -r line; do
  case "$line" in
    *'"method":"initialize"'*) answer "$(id "$line")" '{"protocolVersion":1,"agentCapabilities":{}}' ;;
    *'"method":"session/new"'*) answer "$(id "$line")" '{"sessionId":"s-1"}' ;;
    *'"method":"session/prompt"'*)
      printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"{\\"built\\": \\"with %s and %s\\"}"}}}}\n' "$OPENAI_API_KEY" "$OWN_KEY"
      answer "$(id "$line")" '{"stopReason":"end_turn"}' ;;
  esac
done
"#;

const SETTINGS: &str =
    "[providers.own]\nkind = 'openai-compatible'\nbase_url = 'http://127.0.0.1:9/v1'\nkey_env = 'OWN_KEY'\n[agents.builder]\n";

/// A project whose builder leaks, and all that its commands have said.
struct Leaking {
    project: Project,
    said: Vec<String>,
}

impl Leaking {
    fn new(player: &str) -> Self {
        let project = Project::new();
        project.program("leaky.sh", LEAKY);
        project.program("coding.sh", CODING);
        project.write("motet.toml", &format!("{SETTINGS}{player}\n[budget]\nper_call = 0.01\n"));
        Self { project, said: Vec::new() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.command(arguments);
        command.env("OPENAI_API_KEY", KNOWN).env("OWN_KEY", OWN);
        command
    }

    #[track_caller]
    fn motet(&mut self, arguments: &[&str], code: i32) {
        let output = self.command(arguments).output().expect("the binary runs");
        let done = Done::new(arguments, output).exits(code);
        // What was asked may have a key in it.
        self.said.push(done.out + &done.err);
    }

    /// After everything that reads was asked as well.
    #[track_caller]
    fn check(mut self) {
        for reading in [
            &["status"][..],
            &["status", "--json"],
            &["log", "last"],
            &["log", "last", "--events"],
            &["messages", "last"],
            &["inbox"],
            &["list"],
            &["cost"],
            &["doctor"],
            &["config", "show"],
            &["export", "last"],
        ] {
            let output = self.command(reading).output().expect("the binary runs");
            self.said.push(Done::new(reading, output).shown().to_string());
        }
        let mut all: Vec<(String, Vec<u8>)> = self.said.into_iter().map(|said| (said.clone(), said.into_bytes())).collect();
        all.extend(self.project.files(".motet"));
        // Rules may have made a title of it.
        let holds = |content: &[u8], text: &str| content.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()));
        assert!(
            all.iter().any(|(_, content)| holds(content, "with [redacted] and [redacted]")),
            "nothing has leaked, so nothing is tested"
        );
        for (name, content) in &all {
            for key in [KNOWN, OWN] {
                assert!(!holds(content, key), "{key} is in {name}");
            }
        }
    }
}

const PLAYERS: [&str; 2] = ["command = ['./leaky.sh']", "acp = ['./coding.sh']"];

#[test]
fn a_run_and_its_fork_keep_no_key() {
    for player in PLAYERS {
        let mut leaking = Leaking::new(player);
        leaking.motet(&["run", "ship", "tea", "--yes"], 0);
        leaking.motet(&["fork", "last", "--at", "1", "--yes"], 0);
        leaking.check();
    }
}

#[test]
fn a_run_that_an_answer_drives_keeps_no_key() {
    for player in PLAYERS {
        let mut leaking = Leaking::new(player);
        leaking.motet(&["run", "ship", "tea"], 4);
        leaking.motet(&["answer", "last", "tone=formal"], 4);
        leaking.motet(&["approve", "last"], 0);
        leaking.check();
    }
}

#[test]
fn a_run_that_is_resumed_keeps_no_key() {
    for player in PLAYERS {
        let mut leaking = Leaking::new(player);
        leaking.motet(&["run", "ship", "tea"], 4);
        leaking.motet(&["answer", "last", "tone=formal", "--only"], 0);
        leaking.motet(&["resume", "last", "--yes"], 0);
        leaking.check();
    }
}

#[test]
fn a_run_in_the_background_keeps_no_key() {
    for start in [&["run", "ship", "tea", "--yes", "--detach"][..], &["fork", "last", "--at", "1", "--yes", "--detach"]] {
        let mut leaking = Leaking::new(PLAYERS[0]);
        if start[0] == "fork" {
            leaking.motet(&["run", "ship", "tea"], 4);
        }
        leaking.motet(start, 0);
        let run = leaking.project.last();
        leaking.project.until("the end of the run", || leaking.project.status(&run)["status"] == "completed");
        leaking.check();
    }
    let mut leaking = Leaking::new(PLAYERS[0]);
    leaking.motet(&["run", "ship", "tea"], 4);
    leaking.motet(&["answer", "last", "tone=formal", "--detach"], 0);
    let run = leaking.project.last();
    leaking.project.until("the second gate", || leaking.project.motet(&["inbox"]).out.contains("Ship tea?"));
    leaking.motet(&["approve", &run], 0);
    leaking.project.until("the end of the run", || leaking.project.status(&run)["status"] == "completed");
    leaking.check();
}

/// The settings that count are those of the project, wherever somebody stands.
#[test]
fn a_run_that_is_resumed_from_elsewhere_keeps_no_key() {
    let mut leaking = Leaking::new(PLAYERS[0]);
    leaking.motet(&["run", "ship", "tea"], 4);
    leaking.motet(&["answer", "last", "tone=formal", "--only"], 0);
    let home = leaking.project.root.join(".motet").display().to_string();
    let mut elsewhere = leaking.command(&["--home", &home, "resume", "last", "--yes"]);
    let output = elsewhere.current_dir(std::env::temp_dir()).output().expect("the binary runs");
    let done = Done::new(&["resume"], output).exits(0);
    leaking.said.push(done.shown().to_string());
    leaking.check();
}

/// What is told to whoever gives a key away.
const LEFT_OUT: &str = "holds was in what you gave; it was left out";

#[test]
fn what_a_person_gives_is_kept_without_keys() {
    let mut leaking = Leaking::new(PLAYERS[0]);
    let workflow = leaking.project.read("workflows/ship/workflow.yaml").replace(r#""options": ["formal", "playful"], "#, "");
    leaking.project.write("workflows/ship/workflow.yaml", &workflow);
    let told = |leaking: &Leaking, whose: &str| {
        let said = leaking.said.last().cloned().unwrap_or_default();
        assert!(said.contains(&format!("a key that {whose} {LEFT_OUT}")), "{said}");
    };
    leaking.motet(&["run", "ship", &format!("tea with {KNOWN}"), "-i", &format!("tags=a,{OWN}"), "--as", KNOWN], 4);
    told(&leaking, "OPENAI_API_KEY");
    leaking.motet(&["pause", "last", "--reason", &format!("{OWN} is used up")], 0);
    told(&leaking, "OWN_KEY");
    leaking.motet(&["resume", "last"], 4);
    leaking.motet(&["answer", "last", &format!("tone={KNOWN}")], 4);
    told(&leaking, "OPENAI_API_KEY");
    leaking.motet(&["fork", "last", "--at", "1", "--set", &format!("plan=[\"{KNOWN}\"]")], 4);
    told(&leaking, "OPENAI_API_KEY");
    leaking.project.write("form.json", &format!("{{\"tone\": \"{OWN}\"}}"));
    leaking.motet(&["edit", "last", "--from", "form.json"], 0);
    told(&leaking, "OWN_KEY");
    leaking.motet(&["resume", "last"], 4);
    leaking.motet(&["approve", "last", "change", "--text", &format!("say {} instead", OWN.to_uppercase())], 1);
    told(&leaking, "OWN_KEY");
    leaking.check();
}

/// A goal that rules make a slogan of, with capital letters.
#[test]
fn what_rules_make_of_a_key_is_not_shown() {
    let mut leaking = Leaking::new(PLAYERS[0]);
    leaking.motet(&["run", "ship", "tea", "--yes"], 0);
    let goal = format!("tea with {KNOWN}");
    leaking.motet(&["run", "slogan", &goal, "--agent", "*=offline", "--unattended"], 0);
    leaking.check();
}

#[test]
fn a_key_in_an_edit_is_neither_journaled_nor_left_in_the_file() {
    let (project, run, list) = super::edits::waiting();
    let motet = |arguments: &[&str]| {
        let output = project.command(arguments).env("OPENAI_API_KEY", KNOWN).output().expect("the binary runs");
        Done::new(arguments, output).says(&[LEFT_OUT])
    };
    let text = project.read(&list).replace("Build it", &format!("Build it with {KNOWN}"));
    project.write(&list.display().to_string(), &text);
    motet(&["approve", &run]).exits(4).says(&["+ - b: Build it with [redacted]"]);
    // What cannot be taken stays where it was written, without the key.
    project.program("spoil.sh", "#!/bin/sh\necho \"no answer, $OPENAI_API_KEY\" > \"$1\"\n");
    let mut spoiled = project.command(&["edit", &run]);
    let output = spoiled.env("OPENAI_API_KEY", KNOWN).env("EDITOR", project.root.join("spoil.sh")).env_remove("VISUAL").output();
    Done::new(&["edit"], output.expect("the binary runs")).exits(2).says(&[LEFT_OUT]);
    project.write("ideas.json", &format!("{{\"ideas\": [\"{KNOWN}\"]}}"));
    motet(&["edit", &run, "--from", "ideas.json"]).exits(0);
    assert!(project.read(&list).contains("Build it with [redacted]"), "{}", project.read(&list));
    for (name, content) in project.files(".motet") {
        assert!(!content.windows(KNOWN.len()).any(|window| window == KNOWN.as_bytes()), "it is in {name}");
    }
}

#[test]
fn a_key_in_a_document_is_neither_archived_nor_indexed_nor_reported() {
    let project = Project::new();
    project.remove("motet.toml");
    let said = format!("Tides are the rise and fall of the sea, caused by the gravity of the Moon, as {KNOWN} says.");
    project.write("docs/tides.md", &format!("# Tides and {KNOWN}\n\n{said} The highest tides of Fundy reach 16 metres.\n"));
    let arguments = ["run", "deep-research", "What causes the tides of the sea?", "--docs", "docs", "--unattended", "--agent", "*=offline"];
    let output = project.command(&arguments).env("OPENAI_API_KEY", KNOWN).output().expect("the binary runs");
    let done = Done::new(&arguments, output).exits(0);
    let mut kept = project.files(".motet");
    let is_in = |content: &[u8], text: &str| content.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()));
    let archived = |name: &str, text: &str| kept.iter().any(|(path, content)| path.contains(name) && is_in(content, text));
    assert!(archived("assets/data", "the gravity of the Moon, as [redacted] says"), "what was read is in the archive");
    assert!(archived("assets/data", "a key stood in it: what is kept, and hashed, has [redacted] in its place"), "its record says so");
    kept.push(("what was said".into(), done.shown().as_bytes().to_vec()));
    for (name, content) in kept {
        assert!(!is_in(&content, KNOWN), "it is in {name}");
    }
    project.motet(&["verify", "last"]).exits(0);
}

/// Tells the first line of what it is asked, and answers nothing of use.
fn listener() -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let address = format!("http://{}", listener.local_addr().expect("it is bound"));
    let (asked, received) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut line = String::new();
            let mut reader = BufReader::new(stream);
            let _ = reader.read_line(&mut line);
            let _ = reader.get_mut().write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            if asked.send(line).is_err() {
                return;
            }
        }
    });
    (address, received)
}

#[test]
fn a_key_in_the_address_of_a_tool_server_is_sent_and_shown_nowhere() {
    let mut leaking = Leaking::new(PLAYERS[0]);
    let (address, asked) = listener();
    let settings = leaking.project.read("motet.toml").replace(PLAYERS[0], "model = 'openai/gpt-4.1'\ntools = ['search.*']");
    let server = FakeProvider::start([Line::Silent]);
    let settings = format!("{settings}[providers.openai]\nbase_url = '{}'\n", server.base_url(Format::OpenAi));
    let with_tools = format!("{settings}[tools.search]\nurl = '{address}/mcp?apiKey={{OWN_KEY}}'\ntimeout = '5s'\n");
    leaking.project.write("motet.toml", &with_tools);
    leaking.motet(&["tools", "search"], 1);
    let line = asked.recv().expect("the server was asked");
    assert!(line.contains(&format!("/mcp?apiKey={OWN}")), "{line}");
    leaking.motet(&["run", "ship", "tea"], 4);
    leaking.motet(&["config", "show", "tools.search.url"], 0);
    assert!(leaking.said.last().is_some_and(|said| said.contains("apiKey={OWN_KEY}")), "{:?}", leaking.said.last());
    let unset = leaking.project.command(&["tools", "search"]).output().expect("the binary runs");
    Done::new(&["tools"], unset).exits(1).says(&["the tool server `search`", "the variable OWN_KEY is not set", "address"]);
    // The run that leaks beside it shows that the check can fail.
    leaking.project.write("motet.toml", &with_tools.replace("model = 'openai/gpt-4.1'\ntools = ['search.*']", PLAYERS[0]));
    leaking.motet(&["run", "ship", "tea", "--yes"], 0);
    leaking.check();
}

/// Played by a model whose key is there when the run starts, and not later.
fn without_key() -> (Project, String) {
    let project = Project::new();
    let server = FakeProvider::start([Line::Silent]);
    let there = server.base_url(Format::OpenAi);
    project.write("motet.toml", &format!("[providers.openai]\nbase_url = '{there}'\n[agents.builder]\nmodel = 'openai/gpt-4.1'\n"));
    let output = project.command(&["run", "ship", "tea"]).env("OPENAI_API_KEY", KNOWN).output().expect("the binary runs");
    Done::new(&["run"], output).exits(4);
    let run = project.last();
    (project, run)
}

#[test]
fn a_run_whose_key_is_missing_is_left_as_it_is() {
    let (project, run) = without_key();
    let told = ["nobody can play `builder`: openai needs a key: the variable OPENAI_API_KEY is not set", "keeps the players"];
    project.motet(&["run", "ship", "tea"]).exits(2).says(&told[..1]);
    project.motet(&["answer", &run, "tone=formal"]).exits(2).says(&told).says(&["--only"]);
    project.motet(&["answer", &run, "tone=formal", "--detach"]).exits(2).says(&told);
    assert_eq!(project.status(&run)["status"], "waiting_user");
    project.motet(&["answer", &run, "tone=formal", "--only"]).exits(0);
    let before = project.motet(&["log", &run]).out;
    for arguments in [&["resume", &run][..], &["resume"], &["resume", &run, "--detach"], &["fork", &run, "--at", "1"]] {
        project.motet(arguments).exits(2).says(&told);
        assert_eq!(project.motet(&["log", &run]).out, before, "{arguments:?} has changed the run");
    }
    project.motet(&["resume", &run]).says(&[&format!("motet resume {run}"), "left as it is"]);
    assert_eq!(project.list().len(), 1, "nothing was forked");
    project.motet(&["cancel", &run]).exits(0);
}

#[test]
fn a_run_whose_service_has_no_key_any_more_is_left_as_it_is() {
    let project = Project::new();
    let settings = project.read("motet.toml") + "[sources]\nservices = ['tavily']\n";
    project.write("motet.toml", &settings);
    let output = project.command(&["run", "ship", "tea"]).env("TAVILY_API_KEY", KNOWN).output().expect("the binary runs");
    Done::new(&["run"], output).exits(4);
    project.motet(&["resume", "last"]).exits(2).says(&["tavily needs a key", "left as it is"]);
    project.motet(&["status"]).exits(0).says(&["Before tea is built"]);
}

#[test]
fn a_role_that_nobody_has_is_refused_on_the_command_line() {
    let project = Project::new();
    project
        .motet(&["run", "ship", "tea", "--agent", "bilder=person"])
        .exits(2)
        .says(&["ship has no role `bilder`", "did you mean `builder`?"]);
    project.motet(&["run", "ship", "tea", "--price", "buildr=3,5"]).exits(2).says(&["--price buildr=3,5", "did you mean `builder`?"]);
    project.motet(&["run", "ship", "tea", "--agent", "zebra=person"]).exits(2).says(&["it has builder"]);
    project.motet(&["run", "ship", "tea", "--agent", "*=person", "--agent", "builder=person", "--yes"]).exits(4);
    assert_eq!(project.list().len(), 1, "a refused run has started");
    // A run's players play in the runs that it starts.
    project.write("workflows/fleet/workflow.yaml", super::children::FLEET);
    project.motet(&["run", "fleet", "tea", "--agent", "builder=person"]).exits(4);
    project.motet(&["run", "fleet", "tea", "--agent", "bilder=person"]).exits(2).says(&["fleet has no role `bilder`", "`builder`"]);
}

#[test]
fn settings_of_a_role_that_no_workflow_has_are_told() {
    let project = Project::new();
    let settings = project.read("motet.toml") + "[agents.bilder]\nperson = true\n[budget]\nper_workflow = { sihp = 1 }\n";
    project.write("motet.toml", &settings);
    for arguments in [&["doctor"][..], &["config", "show"], &["config", "show", "--json"]] {
        project.motet(arguments).exits(0).says(&["motet.toml:4: no workflow here has the role `bilder`", "did you mean `builder`?"]);
        project.motet(arguments).says(&["there is no workflow `sihp` here", "did you mean `ship`?"]);
    }
    project.motet(&["run", "ship", "tea", "--yes"]).exits(0);
    project.write("motet.toml", "[agents.builder]\ncommand = ['./builder.sh']\n[agents.writer]\nperson = true\n");
    assert!(!project.motet(&["config", "show"]).err.contains("no workflow"), "`writer` is a role of workflows that are built in");
}
