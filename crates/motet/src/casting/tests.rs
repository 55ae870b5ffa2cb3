//! Who plays which role, from flags, files and the environment.

use std::path::Path;

use serde_json::json;

use super::*;
use crate::library::Library;

fn slogan() -> Arc<Definition> {
    Library::around(Path::new("/nonexistent"), None).load("slogan").unwrap().definition
}

#[test]
fn what_the_journal_keeps_is_read_back() {
    let case = PinnedCase { file: "cases/x.yaml".into(), text: "case: x\nexpect: {}\n".into() };
    let casting = Casting::scripted(&slogan(), case, Default::default());
    let bindings = serde_json::to_value(&casting).unwrap();
    assert_eq!(bindings["agents"]["writer"], json!({ "backend": "scripted" }));
    assert_eq!(Casting::read(&bindings).unwrap(), casting);
    assert!(Casting::read(&json!({ "agents": { "writer": { "backend": "oracle" } } })).is_err());
}

#[test]
fn a_role_is_played_by_whom_the_configuration_names_and_else_by_a_model() {
    let config = Config {
        agents: BTreeMap::from([("writer".to_string(), Player { command: Some(vec!["w".into()]), ..Player::default() })]),
        ..Config::default()
    };
    let casting = Casting::configured(&slogan(), &config, Some("gemma2:2b")).unwrap();
    assert_eq!(casting.agents["writer"], Backend::Command { command: vec!["w".into()], verify: None });
    let Backend::Ollama { model, .. } = &casting.agents["reviewer"] else { panic!("{casting:?}") };
    assert_eq!(model, "gemma2:2b");
    assert_eq!(casting.first_model().unwrap().0, "gemma2:2b");
}

#[test]
fn no_password_of_an_address_is_kept() {
    let lookup = |variable: &str| (variable == OLLAMA_BASE_URL).then(|| "http://me:secret@host:1/x/".to_string());
    let settings = OllamaSettings::from_environment(lookup).unwrap();
    assert_eq!(address(&settings), "http://host:1/x");
}

#[test]
fn a_bundled_case_is_found_by_its_file_name() {
    let definition = slogan();
    for name in ["max-turns", "max-turns.yaml"] {
        assert_eq!(PinnedCase::bundled(&definition.folder, name).unwrap().short_name(), "max-turns");
    }
    assert!(PinnedCase::bundled(&definition.folder, "max").is_none());
}

#[test]
fn the_demo_is_a_case_that_completes_undisturbed() {
    let folder = Folder::from([
        ("cases/a.yaml".to_string(), "case: a\nexpect: { status: failed }\n".to_string()),
        ("cases/b.yaml".to_string(), "case: b\nevents: [{ after: 1s, crash: true }]\nexpect: { status: completed }\n".to_string()),
        ("cases/c.yaml".to_string(), "case: c\nexpect: { status: completed }\n".to_string()),
    ]);
    assert_eq!(PinnedCase::demo(&folder).unwrap().short_name(), "c");
    let only_a: Folder = folder.into_iter().take(1).collect();
    assert_eq!(PinnedCase::demo(&only_a).unwrap().short_name(), "a");
    assert!(PinnedCase::demo(&Folder::new()).is_none());
}
