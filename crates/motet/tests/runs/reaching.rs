//! What a run could not reach is told wherever people look, and nothing is asked for twice, not even by the process that goes on after a kill.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use motet_testkit::web::{Answer, Asked, Sent};
use serde_json::{Value, json};

use super::project::Project;
use super::sources::{Web, page};

const QUESTION: &str = "When was the harbour bridge opened? How often do harbour ferries cross? When was the harbour tunnel opened?";
const ARGUMENTS: [&str; 4] = ["run", "deep-research", QUESTION, "--unattended"];
const PAGES: [&str; 3] = ["/bridge", "/ferries", "/tunnel"];

/// A search service and its pages, of which one is refused and one shows nothing without scripts. While it is told to hold, one page
/// never comes.
fn harbour(asked: &Asked, holds: &AtomicBool) -> Answer {
    let at = |path: &str| format!("http://{}{path}", asked.header("host").unwrap_or_default());
    let hit = |path: &str, title: &str| json!({"url": at(path), "title": title, "content": title, "engine": "mojeek"});
    match asked.path.as_str() {
        "/searxng/search" => Answer::json(&json!({"query": "q", "number_of_results": 5, "unresponsive_engines": [], "results": [
            hit("/bridge", "The harbour bridge"), hit("/closed", "The harbour, members only"), hit("/scripts", "The harbour, live"),
            hit("/ferries", "Harbour ferries"), hit("/tunnel", "The harbour tunnel")]})),
        "/bridge" => page("The harbour bridge", "The harbour bridge was opened in 1932 after eight years of work."),
        "/ferries" => page("Harbour ferries", "Harbour ferries cross the bay every ten minutes, and every hour at night."),
        "/tunnel" if holds.load(Ordering::SeqCst) => Answer { body: Sent::Silence, ..Answer::status(200) },
        "/tunnel" => page("The harbour tunnel", "The harbour tunnel was opened in 1992 and is 2,280 metres long."),
        "/closed" => Answer::status(403),
        "/scripts" => Answer::html("<!doctype html><html><body><div id='root'></div><script src='/app.js'></script></body></html>"),
        _ => Answer::status(404),
    }
}

fn project(host: &str) -> Project {
    let project = Project::new();
    project.write(
        "motet.toml",
        &format!("[sources]\nprivate = ['{host}']\ninterval = '1ms'\n[sources.searxng]\nbase_url = 'http://{host}/searxng'\n"),
    );
    project
}

fn web() -> (Web, Arc<AtomicBool>) {
    let holds = Arc::new(AtomicBool::new(false));
    let told = holds.clone();
    (Web::start(move |asked| harbour(asked, &told)), holds)
}

/// What the last run wrote into a file of its own.
fn file(project: &Project, name: &str) -> String {
    project.read(format!(".motet/runs/{}/{name}", project.last()))
}

/// A word or more that must stand in the output, the journal, the log, the state and the report of the last run.
#[track_caller]
fn is_told(project: &Project, said: &str, in_the_log: &str, in_the_report: &str) {
    project.motet(&["log", "last", "--events"]).exits(0).says(&["not_reached", said]);
    for (name, part) in
        [("task.md", said), ("logs/orchestrator.log", in_the_log), ("report.md", in_the_report), ("report.html", "Not reached: ")]
    {
        let text = file(project, name);
        assert!(text.contains(part), "{part:?} is not in {name}: {text}");
    }
    project.motet(&["verify", &format!(".motet/runs/{}/report.md", project.last())]).exits(0).says(&["the report holds"]);
}

#[test]
fn a_search_service_that_is_down_is_told_although_the_documents_answer() {
    let project = project("127.0.0.1:9");
    project.write("docs/bridge.md", "The harbour bridge was opened in 1932 after eight years of work.");
    let done = project.offline(&["run", "deep-research", "When was the harbour bridge opened?", "--docs", "docs", "--unattended"]).exits(0);
    let done = done.says(&["not reached: searxng — failed: no connection"]);
    assert!(!done.out.contains("E2: not reached"), "it is told of the first task only: {}", done.out);
    is_told(
        &project,
        "searxng — failed: no connection",
        "\"error_type\": \"failed\", \"message\": \"not reached: searxng",
        "Not reached: searxng (failed).",
    );
}

#[test]
fn a_page_that_is_refused_or_empty_is_told_and_asked_for_once() {
    let (web, _) = web();
    let project = project(web.server.host());
    let done = project.offline(&ARGUMENTS).exits(0);
    done.says(&["/closed — blocked: the server refuses (HTTP 403)", "/scripts — the page has no text of its own"]);
    let caveat = format!("Not reached: {0}/closed (blocked), {0}/scripts (no text).", web.server.host());
    is_told(&project, "/closed — blocked: the server refuses (HTTP 403)", "\"error_type\": \"blocked\"", &caveat);
    for path in ["/closed", "/scripts", "/bridge", "/ferries", "/tunnel"] {
        assert_eq!(web.server.asked_for(path), 1, "{path}");
    }
}

#[test]
fn a_later_run_asks_whether_a_page_has_changed_and_archives_it_all_the_same() {
    let web = Web::start(|asked| match (asked.path.as_str(), asked.header("if-none-match")) {
        ("/bridge", Some("\"v1\"")) => Answer::status(304),
        ("/bridge", _) => harbour(asked, &AtomicBool::new(false)).with("etag", "\"v1\""),
        _ => harbour(asked, &AtomicBool::new(false)),
    });
    let conditions = || -> Vec<bool> {
        let asked = web.server.asked().into_iter().filter(|asked| asked.path == "/bridge");
        asked.map(|asked| asked.header("if-none-match").is_some()).collect()
    };
    let project = project(web.server.host());
    project.offline(&ARGUMENTS).exits(0);
    let first = report(&project, &project.last());
    project.offline(&ARGUMENTS).exits(0);
    let second = project.last();
    assert_eq!(conditions(), [false, true]);
    assert_eq!(archived(&project, &second), PAGES);
    assert_eq!(report(&project, &second), first);
    project.motet(&["verify", &format!(".motet/runs/{second}/report.md")]).exits(0);
    assert!(project.root.join(".motet/cache/pages/.gitignore").is_file());
    let settings = project.read("motet.toml");
    project.write("motet.toml", &settings.replace("[sources]\n", "[sources]\ncache = false\n"));
    project.offline(&ARGUMENTS).exits(0);
    assert_eq!(conditions(), [false, true, false]);
    project.motet(&["gc", "--older-than", "0s"]).exits(0).says(&["removed 1 copy of pages"]);
}

/// The report without the time of its making.
fn report(project: &Project, run: &str) -> String {
    let text = project.read(format!(".motet/runs/{run}/report.md"));
    text.lines().filter(|line| !line.starts_with("generated:")).collect::<Vec<_>>().join("\n")
}

/// The paths of the pages that the run has archived.
fn archived(project: &Project, run: &str) -> Vec<&'static str> {
    let folder = project.root.join(format!(".motet/runs/{run}/assets/web"));
    let sidecars: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|ending| ending == "json"))
        .map(|entry| std::fs::read_to_string(entry.path()).unwrap_or_default())
        .collect();
    PAGES.into_iter().filter(|path| sidecars.iter().any(|sidecar| sidecar.contains(&format!("{path}\"")))).collect()
}

#[test]
fn a_run_killed_while_it_researches_asks_for_nothing_again_that_was_archived_or_refused() {
    let (web, holds) = web();
    let project = project(web.server.host());
    project.offline(&ARGUMENTS).exits(0);
    let wanted = report(&project, &project.last());
    assert!(wanted.contains("opened in 1992"), "{wanted}");
    holds.store(true, Ordering::SeqCst);
    let mut command = project.command(&ARGUMENTS);
    let mut child = command.env_remove("OLLAMA_BASE_URL").stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs");
    // One page never comes: then the run is in the middle of its research.
    project.until("the request for the page that does not come", || web.server.asked_for("/tunnel") == 2);
    let killed = project.last();
    let unread = || std::fs::read_to_string(project.root.join(format!(".motet/runs/{killed}/assets/unread.json"))).unwrap_or_default();
    project.until("what comes of all others", || {
        archived(&project, &killed) == ["/bridge", "/ferries"] && unread().contains("/closed") && unread().contains("/scripts")
    });
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    assert_eq!(project.status(&killed)["group"], "RESEARCHING");
    let count = |path: &str| web.server.asked_for(path);
    let asked: Vec<(&str, usize)> = ["/bridge", "/ferries", "/closed", "/scripts"].map(|path| (path, count(path))).to_vec();
    holds.store(false, Ordering::SeqCst);
    project.offline(&["resume", &killed]).exits(0);
    assert_eq!(report(&project, &killed), wanted);
    for (path, times) in asked {
        assert_eq!((times, count(path)), (2, 2), "{path}: once by the first run, once by the killed one, never by the resumed one");
    }
    // Nobody can know what became of a request that was on its way: it is made once more.
    assert_eq!(count("/tunnel"), 3);
}

/// Writes one sentence of the report, as soon as nothing holds it.
const WRITER: &str = r#"#!/bin/sh
cat > /dev/null
while [ -e hold ]; do sleep 0.05; done
echo '{"title": "The harbour", "confidence": "Medium", "summary": [], "sections": [{"heading": "Bridge", "paragraphs": [[
  {"text": "The harbour bridge was opened in 1932 after eight years of work.", "facts": ["Fact-001"]}]]}]}'
"#;

#[test]
fn a_run_killed_while_it_writes_comes_to_the_same_report_and_asks_for_nothing() {
    let (web, _) = web();
    let project = project(web.server.host());
    let settings = project.read("motet.toml");
    project.write("motet.toml", &format!("[agents.synthesizer]\ncommand = ['./writer.sh']\n{settings}"));
    project.program("writer.sh", WRITER);
    project.offline(&ARGUMENTS).exits(0);
    let wanted = report(&project, &project.last());
    project.write("hold", "");
    let killed = kill_at(&project, "synthesizing");
    assert_eq!(project.status(&killed)["state"], "synthesizing");
    project.remove("hold");
    assert_eq!(archived(&project, &killed), PAGES);
    let before = web.server.asked().len();
    project.offline(&["resume", &killed]).exits(0);
    assert_eq!(report(&project, &killed), wanted);
    assert_eq!(web.server.asked().len(), before, "{:?}", web.server.asked().last());
}

/// Starts a run and kills its process as soon as it says that the state was entered.
fn kill_at(project: &Project, state: &str) -> String {
    let mut command = project.command(&[&ARGUMENTS[..], &["--json"]].concat());
    let mut child = command.env_remove("OLLAMA_BASE_URL").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary runs");
    let mut run = String::new();
    for line in BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok) {
        let line: Value = serde_json::from_str(&line).expect("JSON lines");
        run = line["run"].as_str().map_or(run, String::from);
        if line["entered"].as_array().is_some_and(|entered| entered.iter().any(|name| name == state)) {
            break;
        }
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    run
}

#[test]
fn a_page_that_never_comes_holds_up_nobody_for_longer_than_half_of_a_tasks_time() {
    let (web, holds) = web();
    holds.store(true, Ordering::SeqCst);
    let project = project(web.server.host());
    let workflow = "workflow: look\nversion: 1.0.0\nsummary: Looks at pages.\ninput: { pages: { type: \"[string]\" } }\ndata: { said: [] }\n\
        agents:\n  looker:\n    prompt: prompts/looker.md\n    gather: { read: '[page]', checks: findings }\n    returns: { findings: \"[string]\" }\n    \
        timeout: 16s\n    retry: { attempts: 1 }\ntrouble: { error: failed }\nstart: looking\nstates:\n  looking:\n    agent: looker\n    \
        each: input.pages\n    at_most: 9\n    with: { page: item }\n    save: { said: result }\n    next: done\n  \
        done: { final: completed, output: { said: data.said } }\n  failed: { final: failed, output: { error: run.error.message } }\n";
    project.write("workflows/look/workflow.yaml", workflow);
    // Here only time holds them up, and not that a host is asked for few pages at once.
    project.write("motet.toml", &project.read("motet.toml").replace("[sources]\n", "[sources]\nper_host = 8\n"));
    project.write("workflows/look/prompts/looker.md", "What does {{ page }} say?\n");
    project.write(
        "workflows/look/offline.yaml",
        "looker: { findings: 'gathered.quotes.map(q, q.text) + gathered.troubles.map(t, t.says)' }\n",
    );
    // Two that never come would take two tasks' time if they came one after another.
    let pages = json!([web.server.url("/tunnel?1"), web.server.url("/tunnel?2"), web.server.url("/bridge")]);
    project.offline(&["run", "look", "--unattended", "-i", &format!("pages={pages}")]).exits(0);
    let said = project.status("last")["output"]["said"].to_string();
    assert!(said.contains("The harbour bridge was opened in 1932") && said.contains("it did not come in time"), "{said}");
}

#[test]
fn a_document_that_was_put_right_is_not_told_of_any_more() {
    let project = Project::new();
    project.remove("motet.toml");
    project.write("docs/scan.pdf", "%PDF-1.4");
    let question = "When was the harbour bridge opened?";
    project.offline(&["run", "deep-research", question, "--docs", "docs"]).exits(4);
    let run = project.last();
    project.offline(&["approve", &run, "approve"]).exits(4).says(&["scan.pdf — "]);
    project.remove("docs/scan.pdf");
    project.write("docs/bridge.md", "The harbour bridge was opened in 1932 after eight years of work.\n");
    project.offline(&["approve", &run, "resume"]).exits(4);
    project.offline(&["approve", &run, "approve"]).exits(0);
    let text = file(&project, "report.md");
    assert!(text.contains("opened in 1932") && !text.contains("Not reached"), "{text}");
}

#[test]
fn a_document_that_cannot_be_read_is_named_in_the_report() {
    let project = Project::new();
    project.remove("motet.toml");
    project.write("docs/scan.pdf", "%PDF-1.4");
    project.write("docs/bridge.md", "The harbour bridge was opened in 1932 after eight years of work.\n");
    project.offline(&["run", "deep-research", "When was the harbour bridge opened?", "--docs", "docs", "--unattended"]).exits(0);
    let text = file(&project, "report.md");
    assert!(text.contains("Not reached: scan.pdf (no text)."), "{text}");
}
