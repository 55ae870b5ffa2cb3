//! Servers of models as a run meets them: gone before it goes on, silent about their models, without a mode for schemas.

use std::net::TcpStream;
use std::time::Duration;

use motet_testkit::providers::{FakeProvider, Format, Line};

use super::project::{Done, Project};

const KINDS: [(&str, Format); 5] = [
    ("ollama", Format::Ollama),
    ("openai", Format::OpenAi),
    ("openai-compatible", Format::OpenAi),
    ("anthropic", Format::Anthropic),
    ("gemini", Format::Gemini),
];

/// Settings with one provider of this kind, whose model plays everybody.
fn played_by(kind: &str, base_url: &str, further: &str) -> String {
    format!(
        "[providers.own]\nkind = '{kind}'\nbase_url = '{base_url}'\nkey_env = 'OWN_KEY'\nfree = true\n{further}\n\
         [agents.'*']\nmodel = 'own/gemma2:2b'\n"
    )
}

fn motet(project: &Project, arguments: &[&str]) -> Done {
    let output = project.command(arguments).env("OWN_KEY", "sk-own-0123456789").output().expect("the binary runs");
    Done::new(arguments, output)
}

/// A server that nobody can connect to any more.
fn gone(server: FakeProvider) {
    let address = server.base_url(Format::Ollama).replace("http://", "");
    drop(server);
    while TcpStream::connect(&address).is_ok() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_run_whose_server_is_down_is_left_as_it_is_whatever_its_kind() {
    for (kind, format) in KINDS {
        let project = Project::new();
        let server = FakeProvider::start([Line::says("Built.")]);
        project.write("motet.toml", &played_by(kind, &server.base_url(format), ""));
        motet(&project, &["run", "ship", "tea"]).exits(4);
        let run = project.last();
        gone(server);
        motet(&project, &["answer", &run, "tone=formal"]).exits(2).says(&["own is not running at", "keeps the players"]);
        assert_eq!(project.status(&run)["status"], "waiting_user", "{kind}");
        motet(&project, &["answer", &run, "tone=formal", "--only"]).exits(0);
        let before = project.motet(&["log", &run]).out;
        motet(&project, &["resume", &run]).exits(2).says(&["own is not running at", "left as it is"]);
        assert_eq!(project.motet(&["log", &run]).out, before, "{kind}: the run has changed");
        motet(&project, &["run", "ship", "tea"]).exits(2).says(&["own is not running at"]);
        assert_eq!(project.list().len(), 1, "{kind}: nothing was begun");
    }
}

#[test]
fn a_server_that_does_not_list_its_models_is_asked_all_the_same() {
    for status in [401, 404, 405, 500] {
        let project = Project::new();
        let server = FakeProvider::start([Line::says("Built.")]).listing_with(status);
        project.write("motet.toml", &played_by("openai-compatible", &server.base_url(Format::OpenAi), ""));
        motet(&project, &["run", "ship", "tea", "--yes"]).exits(0);
        assert_eq!(server.chats().len(), 2, "{status}");
    }
}

#[test]
fn a_server_without_a_mode_for_schemas_is_told_shapes_in_words() {
    for (further, held) in [("", true), ("structured = true", true), ("structured = false", false)] {
        let project = Project::new();
        let ship = project.read("workflows/ship/workflow.yaml").replace("{ built: string }", "{ built: string, well: boolean }");
        project.write("workflows/ship/workflow.yaml", &ship);
        let server = FakeProvider::start([Line::says(r#"{"built": "a keel", "well": true}"#)]);
        project.write("motet.toml", &played_by("openai-compatible", &server.base_url(Format::OpenAi), further));
        motet(&project, &["run", "ship", "tea", "--yes"]).exits(0);
        for asked in server.chats() {
            assert_eq!(asked.body.get("response_format").is_some(), held, "{further}");
            assert_eq!(asked.body.to_string().contains("It must match this JSON Schema"), !held, "{further}");
        }
        let shown = motet(&project, &["config", "show", "providers.own.structured", "--json"]).exits(0).json().remove(0);
        let origin = if further.is_empty() { "built in" } else { "motet.toml:6" };
        assert!(shown["value"] == held && shown["origin"].as_str().is_some_and(|told| told.contains(origin)), "{further}: {shown}");
    }
}

#[test]
fn a_model_that_its_server_lists_with_its_day_is_no_missing_model() {
    let project = Project::new();
    let server = FakeProvider::start([Line::Silent]).with_models(&["claude-sonnet-4-5-20250929"]);
    let settings = played_by("anthropic", &server.base_url(Format::Anthropic), "").replace("gemma2:2b", "claude-sonnet-4-5");
    project.write("motet.toml", &settings);
    let said = motet(&project, &["doctor"]).out;
    assert!(said.contains("own/claude-sonnet-4-5") && said.contains("lists 1 model") && !said.contains("has no model"), "{said}");
}
