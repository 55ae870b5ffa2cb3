//! Sources by configuration, through the real binary and real sockets: what is searched without a flag, what a run keeps, what a
//! model's tools may do, and that no key gets anywhere.

use std::process::{Output, Stdio};

use motet_testkit::web::services::{Mood, services};
use motet_testkit::web::tools::search_server;
use motet_testkit::web::{Answer, Asked, Server};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::project::Project;

const QUESTION: &str = "When was the harbour bridge opened? How often do harbour ferries cross? When was the harbour tunnel opened?";
const KEY: &str = "brave-very-secret-0123456789";

/// A server with a runtime of its own, since the tests wait for processes.
pub struct Web {
    pub server: Server,
    _runtime: Runtime,
}

impl Web {
    pub fn start(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let server = runtime.block_on(Server::start(answer));
        Self { server, _runtime: runtime }
    }
}

pub fn page(title: &str, sentences: &str) -> Answer {
    let filler = "The harbour has been described by many visitors, who agree on its beauty, its weather, and the noise of its gulls. ";
    Answer::html(format!(
        "<!doctype html><html><head><title>{title}</title></head><body><article><h1>{title}</h1><p>{sentences}</p><p>{}</p></article></body></html>",
        filler.repeat(4)
    ))
}

/// SearXNG knows the bridge, a feed the ferries, and a tool the tunnel.
fn harbour(asked: &Asked) -> Answer {
    let at = |path: &str| format!("http://{}{path}", asked.header("host").unwrap_or_default());
    match asked.path.as_str() {
        "/searxng/search" => Answer::json(&json!({"query": "q", "number_of_results": 1, "unresponsive_engines": [], "results": [
            {"url": at("/bridge"), "title": "The harbour bridge", "content": "When it was opened.", "engine": "mojeek"}]})),
        "/feed.xml" => Answer::new(
            200,
            "application/rss+xml",
            format!(
                "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>News</title><link>{0}</link><description>d</description>\
                 <item><title>Harbour ferries cross more often</title><link>{0}</link><description>How often harbour ferries cross.</description></item>\
                 </channel></rss>",
                at("/ferries")
            ),
        ),
        "/mcp" => search_server(asked, |_| format!("Title: The harbour tunnel\nURL: {}\nDescription: When it was opened.", at("/tunnel"))),
        "/bridge" => page("The harbour bridge", "The harbour bridge was opened in 1932 after eight years of work."),
        "/ferries" => page("Harbour ferries", "Harbour ferries cross the bay every ten minutes, and every hour at night."),
        "/tunnel" => page("The harbour tunnel", "The harbour tunnel was opened in 1992 and is 2,280 metres long."),
        _ => Answer::status(404),
    }
}

fn settings(web: &Web) -> String {
    let host = web.server.host();
    format!(
        "[sources]\nfeeds = ['http://{host}/feed.xml']\nprivate = ['{host}']\ninterval = '1ms'\ntools = {{ 'web.find' = 'question' }}\n\
         [sources.searxng]\nbase_url = 'http://{host}/searxng'\n[tools.web]\nurl = 'http://{host}/mcp'\n"
    )
}

fn project(settings: &str) -> Project {
    let project = Project::new();
    project.write("motet.toml", settings);
    project
}

fn report(project: &Project) -> String {
    project.read(format!(".motet/runs/{}/report.md", project.last()))
}

#[track_caller]
fn cites_everything(project: &Project, web: &Web) {
    let text = report(project);
    for part in ["opened in 1932", "every ten minutes", "opened in 1992", "/bridge", "/ferries", "/tunnel", web.server.host()] {
        assert!(text.contains(part), "{part:?} is missing: {text}");
    }
}

#[test]
fn what_is_configured_is_searched_without_a_flag_and_cited() {
    let web = Web::start(harbour);
    let project = project(&settings(&web));
    project.offline(&["run", "deep-research", QUESTION, "--unattended"]).exits(0);
    cites_everything(&project, &web);
    let path = format!(".motet/runs/{}/report.md", project.last());
    project.motet(&["verify", &path]).exits(0).says(&["the report holds", "outside the archive        0"]);
    assert_eq!(web.server.asked_for("/bridge"), 1, "no page is fetched twice");
    // What it read can be given to others.
    project.motet(&["export", "last", "--warc", "read.warc"]).exits(0).says(&["3 documents", "read.warc"]);
    let warc = project.read("read.warc");
    assert_eq!(warc.matches("WARC-Type: response").count(), 3, "{warc}");
    for page in ["/bridge", "/ferries", "/tunnel"] {
        assert!(warc.contains(&format!("WARC-Target-URI: {}", web.server.url(page))), "{page}");
    }
    assert_eq!(bodies(warc.as_bytes()).iter().filter(|body| String::from_utf8_lossy(body).contains("opened in 1932")).count(), 1);
}

/// The blocks of a file of WARC records, by the lengths that it gives itself.
fn bodies(warc: &[u8]) -> Vec<Vec<u8>> {
    let (mut blocks, mut rest) = (Vec::new(), warc);
    while !rest.is_empty() {
        assert!(rest.starts_with(b"WARC/1.1\r\n"));
        let end = rest.windows(4).position(|window| window == b"\r\n\r\n").expect("a head ends") + 4;
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        let length =
            head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).expect("a length").parse::<usize>().expect("a number");
        blocks.push(rest[end..end + length].to_vec());
        assert_eq!(&rest[end + length..end + length + 4], b"\r\n\r\n");
        rest = &rest[end + length + 4..];
    }
    blocks
}

#[test]
fn an_archive_that_was_changed_or_is_empty_is_not_exported() {
    let project = Project::new();
    project.remove("motet.toml");
    project.write("docs/bridge.md", "The harbour bridge was opened in 1932 after eight years of work.");
    project.offline(&["run", "deep-research", "When was the harbour bridge opened?", "--docs", "docs", "--unattended"]).exits(0);
    let run = project.last();
    let done = project.motet(&["export", &run, "--warc", "-"]).exits(0);
    assert_eq!(bodies(done.out.as_bytes()).len(), 2, "{}", done.out);
    let assets = project.root.join(format!(".motet/runs/{run}/assets/data"));
    let raw = std::fs::read_dir(assets).unwrap().flatten().map(|entry| entry.path());
    let raw =
        raw.into_iter().find(|path| path.to_string_lossy().ends_with(".md") && !path.to_string_lossy().contains("extracted")).unwrap();
    std::fs::write(raw, "It was opened in 1942.").unwrap();
    project.motet(&["export", &run, "--warc", "read.warc"]).exits(1).says(&["not as it was written", "was changed"]);
    assert!(!project.root.join("read.warc").exists());
    project.offline(&["run", "slogan", "tea"]).exits(0);
    project.motet(&["export", "last", "--warc", "read.warc"]).exits(2).says(&["has read nothing"]);
}

#[test]
fn whoever_stops_reading_an_export_is_not_bothered() {
    let project = Project::new();
    project.remove("motet.toml");
    project.write("docs/bridge.md", &"The harbour bridge was opened in 1932 after eight years of work.\n\n".repeat(4000));
    project.offline(&["run", "deep-research", "When was the harbour bridge opened?", "--docs", "docs", "--unattended"]).exits(0);
    let mut command = project.command(&["export", "last", "--warc", "-"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
    // It is more than a pipe holds, so it cannot be through before the reader goes.
    drop(child.stdout.take());
    let done = child.wait_with_output().expect("it ends");
    assert_eq!((done.status.code(), String::from_utf8_lossy(&done.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn a_run_keeps_the_sources_that_it_started_with() {
    let web = Web::start(harbour);
    let project = project(&settings(&web));
    project.offline(&["run", "deep-research", QUESTION]).exits(4).says(&["Research plan"]);
    project.remove("motet.toml");
    let kept = project.offline(&["export", "last"]).exits(0).out;
    assert!(kept.contains("\"searxng\"") && kept.contains("\"web.find\": \"question\""), "{kept}");
    project.offline(&["approve", "last"]).exits(0);
    cites_everything(&project, &web);
}

#[test]
fn nothing_leaves_the_machine_if_the_run_says_so() {
    let web = Web::start(harbour);
    let project = project(&format!("{}[agents.'*']\noffline = true\n", settings(&web)));
    project.write("docs/bridge.md", "The harbour bridge was opened in 1932 after eight years of work.");
    project
        .offline(&["run", "deep-research", "When was the harbour bridge opened?", "--docs", "docs", "--no-web", "--unattended"])
        .exits(0);
    assert!(web.server.asked().is_empty(), "{:?}", web.server.asked());
    assert!(report(&project).contains("opened in 1932"));
}

#[test]
fn a_denied_domain_is_never_read_and_one_that_is_no_domain_is_refused() {
    let web = Web::start(harbour);
    let project = project(&settings(&web).replace("[sources]\n", "[sources]\nallow = ['example.org']\n"));
    project.offline(&["run", "deep-research", QUESTION, "--unattended"]).exits(1).says(&["nothing found"]);
    assert_eq!(web.server.asked_for("/bridge"), 0);
    project.write("motet.toml", &settings(&web).replace("[sources]\n", "[sources]\ndeny = ['127.0.0.1']\n"));
    project.offline(&["run", "deep-research", QUESTION, "--unattended"]).exits(1).says(&["nothing found"]);
    assert_eq!(web.server.asked_for("/bridge"), 0);
    project.write("motet.toml", "[sources]\ndeny = ['The_Sun']\n");
    project.offline(&["run", "slogan", "tea"]).exits(2).says(&["motet.toml:2", "\"The_Sun\" is not a domain"]);
}

#[test]
fn a_run_that_wants_evidence_and_has_no_source_is_told_so() {
    let project = Project::new();
    project.remove("motet.toml");
    let ways = ["has nothing to search", "--docs DIR", "--web", "[sources]"];
    project.offline(&["run", "deep-research", QUESTION, "--unattended"]).exits(1).says(&ways);
    let lines = project.offline(&["run", "deep-research", QUESTION, "--unattended", "--json"]).exits(1).json();
    assert!(lines[1]["type"] == "notice" && lines[1]["text"].as_str().unwrap().starts_with("no source:"), "{}", lines[1]);
    // A model would be paid for what is thrown away afterwards.
    let before = project.list().len();
    project.motet(&["run", "deep-research", QUESTION, "--model", "tiny"]).exits(2).says(&ways);
    assert_eq!(project.list().len(), before);
}

#[test]
fn mistakes_in_the_sources_are_told_with_their_place() {
    let check = |text: &str, parts: &[&str]| {
        let project = project(text);
        project.offline(&["run", "slogan", "tea"]).exits(2).says(parts);
    };
    check("[sources]\nservices = ['brav']\n", &["motet.toml:2", "`brav`", "did you mean `brave`?"]);
    check("[sources]\nservices = ['searxng']\n", &["motet.toml:2", "[sources.searxng]"]);
    check("[sources]\nfeeds = ['feed.xml']\n", &["motet.toml:2", "not an http or https address"]);
    check("[sources]\nfeeds = ['https://me:secret@example.org/feed']\n", &["motet.toml:2", "https://example.org/feed"]);
    check("[sources]\nprivate = ['10.0.0.0/8']\n", &["motet.toml:2", "\"10.0.0.0/8\" is not a place", "host:port"]);
    check("[sources]\nprivate = ['*', 'http://foo:81/']\n", &["motet.toml:2", "did you mean \"foo:81\"?"]);
    check("[sources]\ntools = { 'web.find' = 'q' }\n", &["motet.toml:2", "no server `web`", "[tools.web]"]);
    check("[sources]\ntools = { find = 'q' }\n", &["motet.toml:2", "write `server.tool`"]);
    check("[sources.brave]\nkey_env = 'sk-abc'\n", &["motet.toml:2", "not the key itself"]);
    check("[sources.brav]\nkey_env = 'X'\n", &["motet.toml:1", "did you mean `brave`?"]);
    check("[tools.evidence]\ncommand = ['x']\n", &["motet.toml:2", "choose another"]);
    check("[agents.writer]\nmodel = 'm'\ntools = ['evidence.burn']\n", &["motet.toml:3", "evidence.search"]);
    let project = project("[sources]\ndocuments = ['nowhere']\nservices = ['brave']\n");
    project.offline(&["run", "deep-research", QUESTION]).exits(2).says(&["motet.toml:2", "nowhere", "there is no such folder"]);
    project.write("motet.toml", "[sources]\nservices = ['brave']\n");
    project.offline(&["run", "deep-research", QUESTION]).exits(2).says(&["brave needs a key", "BRAVE_API_KEY is not set", "--no-web"]);
}

/// Repeats the key that it was sent wherever it can.
fn careless(asked: &Asked) -> Answer {
    let key = asked.header("x-subscription-token").unwrap_or("none").to_string();
    let at = |path: &str| format!("http://{}{path}", asked.header("host").unwrap_or_default());
    match asked.path.as_str() {
        "/brave/web/search" if asked.query.contains("ferries") => {
            Answer::json(&json!({"error": {"detail": format!("{key} is out of credit")}}))
        }
        "/brave/web/search" => Answer::json(&json!({"type": "search", "web": {"results": [
            {"title": format!("The harbour bridge {key}"), "url": at("/bridge"), "description": format!("opened for {key}")},
            {"title": "Tracked", "url": at(&format!("/bridge?for={key}")), "description": "opened"}]}})),
        "/bridge" => page("The harbour bridge", "The harbour bridge was opened in 1932 after eight years of work."),
        _ => Answer::status(404),
    }
}

#[test]
fn no_key_of_a_source_reaches_the_database_a_file_or_the_terminal() {
    let web = Web::start(careless);
    let host = web.server.host();
    let settings = format!(
        "[sources]\nprivate = ['{host}']\ninterval = '1ms'\n[sources.brave]\nkey_env = 'MY_BRAVE'\nbase_url = 'http://{host}/brave'\n"
    );
    let project = project(&settings);
    let run =
        |arguments: &[&str]| -> Output { project.command(arguments).env_remove("OLLAMA_BASE_URL").env("MY_BRAVE", KEY).output().unwrap() };
    let mut all = Vec::new();
    // Two of the three questions have no answer, and the run says that it completed in part.
    for (arguments, code) in [
        (&["run", "deep-research", QUESTION, "--unattended"][..], 3),
        (&["log", "--events"], 0),
        (&["status", "--json"], 0),
        (&["export", "last"], 0),
        (&["doctor"], 0),
        (&["config", "show"], 0),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        all.push((format!("{arguments:?}"), [output.stdout, output.stderr].concat()));
    }
    assert!(report(&project).contains("opened in 1932"));
    assert!(web.server.asked().iter().any(|asked| asked.header("x-subscription-token") == Some(KEY)), "the key was used");
    assert!(all[0].1.windows(10).any(|window| window == b"[redacted]"), "the service has told the key");
    all.extend(project.files(".motet"));
    assert!(all.iter().any(|(name, _)| name.ends_with("motet.db")));
    for (name, content) in all {
        assert!(!content.windows(KEY.len()).any(|window| window == KEY.as_bytes()), "{name} holds the key");
    }
}

#[test]
fn the_doctor_tries_every_source() {
    let service = services(Mood::Well);
    let web = Web::start(move |asked| match asked.path.as_str() {
        "/mcp" => harbour(asked),
        "/spent" => search_server(asked, |_| r#"{"error": "quota exceeded: invalid API key"}"#.into()),
        _ => service(asked),
    });
    let host = web.server.host();
    let text = format!(
        "[sources]\ndocuments = ['nowhere']\nfeeds = ['http://{host}/feed.xml', 'http://{host}/gone.xml']\nprivate = ['{host}']\ninterval = '1ms'\n\
         services = ['tavily']\ntools = {{ 'web.find' = 'question', 'web.seek' = 'question', 'spent.find' = 'question' }}\n[sources.searxng]\nbase_url = 'http://{host}/searxng'\n\
         [sources.wikipedia]\nbase_url = 'http://{host}/wiki'\n[tools.web]\nurl = 'http://{host}/mcp'\n[tools.spent]\nurl = 'http://{host}/spent'\n"
    );
    let project = project(&text);
    let said = project.offline(&["doctor"]).exits(0).out;
    let line = |of: &str| said.lines().find(|line| line.contains(of)).unwrap_or_else(|| panic!("{of} is missing: {said}")).to_string();
    for (of, part) in [
        ("documents", "nowhere"),
        ("source searxng", "answers in"),
        ("source wikipedia", "answers in"),
        ("source tavily", "TAVILY_API_KEY is not set"),
        ("/feed.xml", "answers in"),
        ("/gone.xml", "not configured"),
        ("source web.find", "answers in"),
        ("source web.seek", "find wants a question"),
        ("source spent.find", "not configured: it says: quota exceeded: invalid API key"),
    ] {
        assert!(line(of).contains(part), "{}", line(of));
    }
}

#[test]
fn where_to_look_is_told_to_the_service_and_is_no_part_of_the_question() {
    let web = Web::start(|asked| {
        let at = |path: &str| format!("http://{}{path}", asked.header("host").unwrap_or_default());
        match asked.path.as_str() {
            "/tavily/search" => Answer::json(&json!({"query": "q", "results": [
                {"url": at("/bridge"), "title": "The harbour bridge", "content": "When it was opened."},
                {"url": "https://spam.example/bridge", "title": "Spam", "content": "When it was opened."}]})),
            _ => harbour(asked),
        }
    });
    let host = web.server.host();
    let project = project(&format!(
        "[sources]\nprivate = ['{host}']\ninterval = '1ms'\n[sources.tavily]\nkey_env = 'MY_TAVILY'\nbase_url = 'http://{host}/tavily'\n"
    ));
    let question = "When was the harbour bridge opened site:127.0.0.1 -site:spam.example";
    let done =
        project.command(&["run", "deep-research", question, "--unattended"]).env_remove("OLLAMA_BASE_URL").env("MY_TAVILY", KEY).output();
    let done = done.expect("the binary runs");
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stdout));
    let asked: Vec<Value> = web.server.asked().iter().filter(|asked| asked.path == "/tavily/search").map(Asked::json).collect();
    assert!(!asked.is_empty());
    for sent in &asked {
        assert_eq!((&sent["include_domains"], &sent["exclude_domains"]), (&json!(["127.0.0.1"]), &json!(["spam.example"])), "{sent}");
        assert!(sent["query"].as_str().is_some_and(|query| query.contains("harbour bridge") && !query.contains("site:")), "{sent}");
    }
    let text = report(&project);
    assert!(text.contains("opened in 1932") && !text.contains("“site") && !text.contains("Not reached"), "{text}");
}

#[test]
fn init_takes_the_search_services_whose_keys_are_there() {
    let project = Project::new();
    let output = project.command(&["init", "--force", "--yes", "--agent", "offline"]).env("BRAVE_API_KEY", KEY).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(0) && said.contains("brave is searched"), "{said}");
    let written = project.read("motet.toml");
    assert!(written.contains("services = [\"brave\"]") && !written.contains(KEY), "{written}");
    project.motet(&["config", "show", "sources"]).exits(0).says(&[
        "sources.services",
        "[\"brave\"]",
        "sources.brave.key_env",
        "BRAVE_API_KEY",
    ]);
    let project = Project::new();
    let output = project.command(&["init", "--force", "--agent", "offline"]).env("BRAVE_API_KEY", KEY).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(project.read("motet.toml").contains("# services = "), "what costs money is not switched on unasked");
    let project = Project::new();
    project.motet(&["init", "--force", "--yes", "--agent", "offline"]).exits(0);
    assert!(project.read("motet.toml").contains("# services = [\"wikipedia\""));
    project.motet(&["config", "keys"]).exits(0).says(&["`sources.searxng.base_url`", "`sources.deny`"]);
}

#[test]
fn the_tools_of_motet_are_listed_beside_those_of_servers() {
    let project = Project::new();
    project.motet(&["tools"]).exits(0).says(&["evidence.search", "evidence.fetch", "evidence.read", "no server of tools is configured"]);
    let listed: Vec<Value> = project.motet(&["tools", "evidence", "--json"]).exits(0).json();
    assert_eq!((listed.len(), &listed[0]["tool"], &listed[0]["server"]), (3, &json!("evidence.search"), &json!("evidence")));
}

#[test]
fn the_second_run_reads_no_unchanged_document_and_two_at_once_do_no_harm() {
    let project = Project::new();
    project.remove("motet.toml");
    for number in 0..40 {
        project.write(&format!("docs/{number}.md"), &format!("Ferry number {number} crosses the harbour {number} times a day."));
    }
    project.write("docs/bridge.md", "The harbour bridge was opened in 1932 after eight years of work.");
    let arguments = ["run", "deep-research", "When was the harbour bridge opened?", "--docs", "docs", "--unattended"];
    // Nobody has made the index yet: two processes come to it at once.
    std::thread::scope(|scope| {
        for one in [scope.spawn(|| project.offline(&arguments)), scope.spawn(|| project.offline(&arguments))] {
            one.join().expect("it ends").exits(0);
        }
    });
    let index = || {
        let mut all = project.files(".motet/index");
        all.retain(|(name, _)| name.contains("/passages/") && !name.ends_with(".lock"));
        all.sort();
        all
    };
    let before = index();
    assert!(before.iter().any(|(name, _)| name.ends_with(".store")), "there is an index");
    project.offline(&arguments).exits(0);
    assert_eq!(index(), before, "nothing was written to it");
    assert!(report(&project).contains("opened in 1932"));
    assert!(!project.root.join(format!(".motet/runs/{}/index", project.last())).exists());
}
