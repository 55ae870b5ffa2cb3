//! Settings from the outside: shown with where they come from, written by `init`, looked at by `doctor`; and keys that stay secret.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use super::project::Project;

const KEY: &str = "sk-very-secret-0123456789";

#[test]
fn what_holds_is_shown_with_where_it_was_said() {
    let project = Project::new();
    project.motet(&["config", "show", "agents.builder"]).exits(0).says(&["agents.builder.command", "./builder.sh", "motet.toml:2"]);
    project.motet(&["config", "show"]).exits(0).says(&["providers.openai.key_env", "OPENAI_API_KEY", "built in", "$OLLAMA_BASE_URL"]);
    let shown = project.command(&["config", "show", "parallel", "--json"]).env("MOTET_PARALLEL", "3").output().unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown, json!({ "key": "parallel", "value": 3, "origin": "$MOTET_PARALLEL" }));
    project.motet(&["config", "show", "agents.bilder"]).exits(2).says(&["nothing says `agents.bilder`", "did you mean `agents.builder`?"]);
    project.motet(&["config", "show", "agents.builder.timeout"]).exits(0).says(&["as the workflow says", "built in"]);
    project.motet(&["config", "show", "parallel"]).exits(0).says(&["64", "built in"]);
    let told = project.motet(&["config", "show", "sources.cache", "--json"]).json().remove(0);
    assert_eq!(told["value"], true, "pages are kept unless somebody says otherwise: {told}");
    project.motet(&["config", "show", "agents.reviewer"]).exits(0).says(&["ollama/mistral", "$OLLAMA_BASE_URL", "said of everybody"]);
    let told = project.motet(&["config", "show", "agents.reviewer.model", "--json"]).json().remove(0);
    let expected =
        json!({ "key": "agents.reviewer.model", "value": "ollama/mistral:latest", "origin": "$OLLAMA_BASE_URL", "said_of": "*" });
    assert_eq!(told, expected);
    let told = project.motet(&["config", "show", "budget.per_day", "--json"]).json().remove(0);
    assert_eq!(told, json!({ "key": "budget.per_day", "value": null, "means": "no limit", "origin": "built in" }));
    project.motet(&["config", "show", "agnets"]).exits(2).says(&["there is no setting `agnets`"]);
    project.motet(&["config", "keys"]).exits(0).says(&["`agents.NAME.model`", "`budget.per_day`"]);
    project.write("motet.toml", "[agents.builder]\ncomand = ['x']\n");
    project.motet(&["run", "ship", "x"]).exits(2).says(&["motet.toml:2", "did you mean `command`?"]);
    project.motet(&["doctor"]).exits(1).says(&["did you mean `command`?"]);
}

#[test]
fn init_writes_what_it_finds_and_no_key() {
    let project = Project::new();
    let init = |arguments: &[&str]| {
        let mut command = project.command(&[&["init"], arguments].concat());
        command.env("OPENAI_API_KEY", KEY).env("PATH", project.root.join("empty")).env("HOME", project.root.join("home"));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.code(), said)
    };
    let (code, said) = init(&["--yes"]);
    assert!(code == Some(2) && said.contains("exists already") && said.contains("--force"), "{said}");
    let (code, said) = init(&["--force"]);
    assert!(code == Some(2) && said.contains("nobody can be asked here"), "{said}");
    let (code, said) = init(&["--force", "--yes", "--budget", "0.5"]);
    assert!(code == Some(0) && said.contains("openai/gpt-4.1"), "{said}");
    let written = project.read("motet.toml");
    assert!(written.contains("model = \"openai/gpt-4.1\"") && written.contains("per_run = 0.5"), "{written}");
    assert!(!written.contains("sk-"), "{written}");
    let (code, said) = init(&["--user", "--agent", "claude"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(project.read("home/.config/motet/config.toml").contains("preset = \"claude\""));
    // The project counts over the user.
    let shown = project.command(&["config", "show", "agents.*"]).env("HOME", project.root.join("home")).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("openai/gpt-4.1") && !shown.contains("claude"), "{shown}");
}

#[test]
fn doctor_tells_what_works_and_what_to_do() {
    let project = Project::new();
    let server = server(Manner::Answers);
    let settings = format!(
        "[providers.local]\nkind = 'openai-compatible'\nbase_url = '{server}/v1'\nkey_file = 'key'\nfree = true\n\
         [agents.writer]\nmodel = 'local/m'\nfallback = ['ollama/tiny']\n[agents.coder]\npreset = 'codex'\n\
         [tools.gone]\ncommand = ['./no-such-server']\n"
    );
    project.write("motet.toml", &settings);
    project.write("key", KEY);
    let output = project.command(&["doctor"]).env("PATH", project.root.join("empty")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in ["chmod 600", "Ollama is not running", "`codex` is not found on PATH", "tools of gone"] {
        assert!(said.contains(part), "{part:?} is missing: {said}");
    }
    assert!(!said.contains(KEY), "{said}");
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(project.root.join("key"), std::fs::Permissions::from_mode(0o600)).unwrap();
    project.motet(&["doctor"]).says(&["local/m", "lists 1 model in", "was not asked to answer: m", "plays writer", "for you alone"]);
    project.motet(&["tools"]).exits(1).says(&["gone"]);
    project.motet(&["tools", "gonne"]).exits(2).says(&["did you mean `gone`?"]);
}

#[test]
fn doctor_tries_every_program_that_plays_a_role() {
    let project = Project::new();
    project.program(
        "speaks.sh",
        "#!/bin/sh\nread -r line\nid=$(printf '%s' \"$line\" | sed 's/.*\"id\":\\(\"[^\"]*\"\\|[0-9]*\\).*/\\1/')\n\
         printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"protocolVersion\":1,\"agentInfo\":{\"name\":\"coder\",\"version\":\"3\"}}}\\n' \"$id\"\nread -r line\n",
    );
    project.program("version.sh", "#!/bin/sh\necho claude 9.9\n");
    project.write(
        "motet.toml",
        "[agents.a]\nacp = ['./speaks.sh']\n[agents.b]\nacp = ['sh', '/nope/agent.sh']\n[agents.c]\ncommand = ['sh', '/nope/agent.sh']\n\
         [agents.d]\ncommand = ['./builder.sh']\nfallback = ['command:./nobody']\n[agents.e]\npreset = 'claude'\nprogram = './version.sh'\n",
    );
    let findings = project.motet(&["doctor", "--json"]).json();
    let found = |what: &str, text: &str| {
        let mut of = findings.iter().filter(|finding| finding["what"] == what);
        let of = of.find(|finding| finding["text"].as_str().is_some_and(|told| told.contains(text)));
        of.unwrap_or_else(|| panic!("{what}: {text} is missing: {findings:#?}"))["result"].clone()
    };
    assert_eq!(found("./speaks.sh", "coder 3 answers in"), "ok");
    assert_eq!(found("sh /nope/agent.sh", "ended with exit code"), "warning", "the agent over the protocol");
    assert_eq!(found("sh /nope/agent.sh", "there is no file `/nope/agent.sh`"), "warning", "the program that reads its task");
    assert_eq!(found("./builder.sh", "builder.sh"), "ok");
    assert_eq!(found("./nobody", "there is no program `./nobody`"), "warning");
    assert_eq!(found("claude", "claude 9.9"), "ok");
    assert_eq!(found("claude", "without asking, since no `permissions` say otherwise"), "ok");
}

#[test]
fn another_model_answers_when_the_first_cannot() {
    let project = Project::new();
    let (refusing, answering) = (server(Manner::Refuses), server(Manner::Answers));
    let settings = format!(
        "[providers.first]\nkind = 'openai-compatible'\nbase_url = '{refusing}/v1'\nfree = true\n\
         [providers.second]\nkind = 'openai-compatible'\nbase_url = '{answering}/v1'\nfree = true\n\
         [agents.'*']\nmodel = 'first/m'\nfallback = ['second/m']\n"
    );
    project.write("motet.toml", &settings);
    project.motet(&["run", "slogan", "tea"]).exits(0);
    let told = project.motet(&["cost", "last", "--json"]).json().remove(0);
    assert!(told["by_model"]["second/m"]["tokens_out"].as_u64() > Some(0), "{told}");
}

#[test]
fn no_key_reaches_the_database_a_file_or_the_terminal() {
    for (manner, code) in [(Manner::Answers, 0), (Manner::Refuses, 1)] {
        let project = Project::new();
        let settings = format!(
            "[providers.local]\nkind = 'openai-compatible'\nbase_url = '{}/v1'\nkey_env = 'LOCAL_KEY'\nfree = true\n\
             [agents.'*']\nmodel = 'local/m'\n[agents.builder]\ncommand = ['sh', '-c', 'cat >/dev/null; echo $LOCAL_KEY >&2; echo no-$LOCAL_KEY; exit 1']\n",
            server(manner)
        );
        project.write("motet.toml", &settings);
        let run = |arguments: &[&str]| project.command(arguments).env("LOCAL_KEY", KEY).output().unwrap();
        let output = run(&["run", "slogan", "tea"]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        // A client that knows its own key says `…` for it.
        assert!(said.contains("[redacted]") || said.contains("Bearer …"), "the server has not told the key: {said}");
        let mut all = vec![("the terminal".to_string(), said.into_bytes())];
        for arguments in
            [&["run", "ship", "tea", "--yes"][..], &["log", "--events"], &["status", "--json"], &["doctor"], &["config", "show"]]
        {
            let output = run(arguments);
            all.push((format!("{arguments:?}"), [output.stdout, output.stderr].concat()));
        }
        all.extend(project.files(".motet"));
        assert!(all.iter().any(|(name, _)| name.ends_with("motet.db")) && all.iter().any(|(name, _)| name.contains("/logs/")));
        for (name, content) in all {
            let found = content.windows(KEY.len()).any(|window| window == KEY.as_bytes());
            assert!(!found, "{name} holds the key");
        }
    }
}

#[derive(Clone, Copy)]
enum Manner {
    /// With an answer that tells the key it was sent.
    Answers,
    /// With an error that does.
    Refuses,
}

/// Speaks the wire format of chat completions, and is careless with keys.
fn server(manner: Manner) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let address = format!("http://{}", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| serve(stream, manner)));
    address
}

fn serve(stream: TcpStream, manner: Manner) {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).is_err() || line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_string());
    }
    let header = |name: &str| {
        head.iter().find_map(|line| {
            line.split_once(": ").filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_string())
        })
    };
    let mut body = vec![0; header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0)];
    let _ = reader.read_exact(&mut body);
    let key = header("authorization").unwrap_or_default();
    let is_list = head.first().is_some_and(|line| line.contains("/models"));
    let wants_slogan = String::from_utf8_lossy(&body).contains("json_schema") || String::from_utf8_lossy(&body).contains("\\\"slogan\\\"");
    let (status, kind, answer) = match manner {
        _ if is_list => ("200 OK", "application/json", json!({ "object": "list", "data": [{ "id": "m", "object": "model" }] }).to_string()),
        Manner::Refuses => (
            "401 Unauthorized",
            "application/json",
            json!({ "error": { "message": format!("wrong key: {key}"), "type": "invalid_request_error" } }).to_string(),
        ),
        Manner::Answers if wants_slogan => {
            ("200 OK", "text/event-stream", stream_of(&json!({ "slogan": format!("Sip {key}") }).to_string()))
        }
        Manner::Answers => ("200 OK", "text/event-stream", stream_of(&format!("SHIP IT! {key}"))),
    };
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", answer.len());
    let _ = reader.get_mut().write_all(format!("{head}{answer}").as_bytes());
}

/// In pieces of three letters, so that a key comes in many.
fn stream_of(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let chunk = |delta: Value, finish: Value| json!({ "id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    let pieces =
        letters.chunks(3).map(|piece| chunk(json!({ "role": "assistant", "content": piece.iter().collect::<String>() }), Value::Null));
    let usage = json!({ "id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [], "usage": { "prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25 } });
    let all = pieces.chain([chunk(json!({}), json!("stop")), usage]);
    all.map(|event| format!("data: {event}\n\n")).collect::<String>() + "data: [DONE]\n\n"
}

/// `motet init` with these lines on its standard input, where no program and no key is found.
fn init(project: &Project, arguments: &[&str], lines: &str) -> (Option<i32>, String) {
    use std::io::Write as _;
    let mut command = project.command(&[&["init"], arguments].concat());
    command.env("PATH", project.root.join("empty")).env("HOME", project.root.join("home")).stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    // It may end without reading.
    let _ = child.stdin.take().expect("a pipe").write_all(lines.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn init_asks_until_the_answers_will_do() {
    let project = Project::new();
    project.remove("motet.toml");
    let (code, said) = init(&project, &[], "opnai/gpt-4.1\nopenai/gpt-4.1\nlots\n$2.50\n");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("did you mean `openai/gpt-4.1`?") && said.contains("`lots` is not an amount"), "{said}");
    let written = project.read("motet.toml");
    assert!(written.contains("model = \"openai/gpt-4.1\"") && written.contains("per_run = 2.5"), "{written}");
}

#[test]
fn init_writes_no_key_that_is_given_for_a_name() {
    let project = Project::new();
    let before = project.read("motet.toml");
    for agent in
        ["sk-proj-abcdefghijklmnop1234567890", "ollama/sk-proj-abcdefghijklmnop1234567890", "command:w sk-proj-abcdefghijklmnop1234567890"]
    {
        let (code, said) = init(&project, &["--force", "--agent", agent], "");
        assert!(code == Some(2) && said.contains("looks like a key") && !said.contains("abcdefgh"), "{said}");
        assert_eq!(project.read("motet.toml"), before);
    }
}

#[test]
fn init_takes_a_number_of_the_list() {
    let project = Project::new();
    project.remove("motet.toml");
    let (code, said) = init(&project, &[], "7\n1\n");
    assert!(code == Some(0) && said.contains("1. offline") && said.contains("goes from 1 to 1"), "{said}");
    assert!(project.read("motet.toml").contains("offline = true"));
}

#[test]
fn init_writes_where_ollama_was_found() {
    let project = Project::new();
    let written = |url: &str, agent: &str| {
        let mut command = project.command(&["init", "--force", "--agent", agent]);
        let output = command.env("OLLAMA_BASE_URL", url).env("HOME", project.root.join("home")).output().expect("the binary runs");
        assert!(output.status.success(), "{output:?}");
        project.read("motet.toml")
    };
    assert!(written("http://127.0.0.1:9", "ollama/m").contains("[providers.ollama]\nbase_url = \"http://127.0.0.1:9\""));
    assert!(!written("http://127.0.0.1:9", "offline").contains("[providers.ollama]"));
    assert!(!written("http://me:sesame@127.0.0.1:9", "ollama/m").contains("sesame"));
}

#[test]
fn doctor_fails_where_the_only_player_of_a_role_has_no_key() {
    let project = Project::new();
    let settings = "[providers.mine]\nkind = 'openai-compatible'\nbase_url = 'http://127.0.0.1:9/v1'\nkey_env = 'NO_SUCH_KEY'\n[agents.builder]\nmodel = 'mine/m'\n";
    project.write("motet.toml", settings);
    project.motet(&["doctor"]).exits(1).says(&["NO_SUCH_KEY is not set", "plays builder"]);
    project.write("motet.toml", &format!("{settings}fallback = ['command:./builder.sh']\n"));
    project.motet(&["doctor"]).exits(0).says(&["NO_SUCH_KEY is not set"]);
}

#[test]
fn a_directory_that_is_named_as_a_key_file_is_not_to_be_closed() {
    let project = Project::new();
    let settings = "[providers.mine]\nkind = 'openai-compatible'\nbase_url = 'http://127.0.0.1:9/v1'\nkey_file = 'workflows'\n";
    project.write("motet.toml", settings);
    let done = project.motet(&["doctor"]).says(&["workflows is no file"]);
    assert!(!done.out.contains("chmod"), "{}", done.out);
}

#[test]
fn an_editor_that_does_not_start_has_written_nothing() {
    let project = Project::new();
    project.motet(&["run", "ship", "tea"]).exits(4);
    let edit = |editor: &str| {
        let output = project.command(&["edit", "last"]).env("EDITOR", editor).env_remove("VISUAL").output().expect("the binary runs");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = edit("nosuchprog");
    assert!(said.contains("nosuchprog") && !said.contains("what you wrote"), "{said}");
    project.program("scribble.sh", "#!/bin/sh\necho '{\"nobody\": \"asked\"}' > \"$1\"\n");
    let said = edit("./scribble.sh");
    assert!(said.contains("what you wrote is in"), "{said}");
}

#[test]
fn init_takes_an_empty_answer_for_what_it_proposes() {
    let project = Project::new();
    project.remove("motet.toml");
    let (code, said) = init(&project, &[], "\n");
    assert!(code == Some(0) && said.contains("[offline] >"), "{said}");
    assert!(project.read("motet.toml").contains("offline = true"));
}

#[test]
fn init_replaces_nothing_without_consent() {
    let project = Project::new();
    let before = project.read("motet.toml");
    for lines in ["no\n", "\n", "", "perhaps\n"] {
        let (code, said) = init(&project, &[], lines);
        assert!(code == Some(2) && said.contains("nothing was changed") && said.contains("--force"), "{lines:?}: {said}");
        assert_eq!(project.read("motet.toml"), before, "{lines:?}");
    }
    let (code, said) = init(&project, &[], "yes\noffline\n");
    assert_eq!(code, Some(0), "{said}");
    assert!(project.read("motet.toml").contains("offline = true"));
}

#[test]
fn init_writes_nothing_where_its_questions_end_unanswered() {
    let project = Project::new();
    project.remove("motet.toml");
    for (arguments, lines) in [(&[][..], ""), (&[][..], "openai/gpt-4.1\n"), (&[][..], "opnai/x\n"), (&["--json"][..], "offline\n")] {
        let (code, said) = init(&project, arguments, lines);
        assert!(code == Some(2) && said.contains("nobody can be asked here"), "{lines:?}: {said}");
        assert!(!project.root.join("motet.toml").exists(), "{lines:?}");
    }
    let (code, said) = init(&project, &["--agent", "opnai/gpt-4.1"], "");
    assert!(code == Some(2) && said.contains("did you mean") && !project.root.join("motet.toml").exists(), "{said}");
    let (code, said) = init(&project, &["--json", "--yes"], "");
    assert_eq!(code, Some(0), "{said}");
    let told: serde_json::Value = serde_json::from_str(said.trim()).expect("one object");
    assert_eq!(told["agent"], "offline");
}

#[test]
fn init_reads_who_plays_as_a_run_does() {
    for (agent, written) in [
        ("person", "person = true"),
        ("acp:foo --bar", "acp = [\"foo\",\"--bar\"]"),
        ("command:foo", "command = [\"foo\"]"),
        ("preset:codex", "preset = \"codex\""),
        ("ollama/claud", "model = \"ollama/claud\""),
    ] {
        let project = Project::new();
        let (code, said) = init(&project, &["--force", "--agent", agent], "");
        assert!(code == Some(0) && said.contains(&format!("{agent} plays the agents")), "{said}");
        assert!(project.read("motet.toml").contains(written), "{}", project.read("motet.toml"));
        project.motet(&["config", "show"]).exits(0);
    }
}

#[test]
fn init_asks_back_where_a_coding_agent_is_nearly_named() {
    let project = Project::new();
    project.remove("motet.toml");
    let (code, said) = init(&project, &[], "claud\nclaude\n\n");
    assert!(code == Some(0) && said.contains("did you mean the coding agent `claude`?"), "{said}");
    assert!(project.read("motet.toml").contains("preset = \"claude\""));
}

#[test]
fn init_replaces_nothing_by_what_cannot_be_read() {
    for agent in ["acp:", "preset:cloude", "nowhere/m", "local/m"] {
        let project = Project::new();
        project.write("motet.toml", "[agents.broken\n");
        let (code, said) = init(&project, &["--force", "--agent", agent], "");
        assert!(code == Some(2) && said.contains("nothing was written"), "{agent}: {said}");
        assert_eq!(project.read("motet.toml"), "[agents.broken\n", "{agent}");
    }
    let project = Project::new();
    project.write("motet.toml", "[agents.broken\n");
    let (code, said) = init(&project, &["--force", "--agent", "offline"], "");
    assert!(code == Some(0), "{said}");
    assert!(project.read("motet.toml").contains("offline = true"));
}
