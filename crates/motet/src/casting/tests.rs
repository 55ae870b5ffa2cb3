//! Who plays which role, from flags, files and the environment.

use std::sync::Arc;

use std::path::Path;

use serde_json::json;

use super::*;
use crate::config::{Overrides, Surroundings};
use crate::library::Library;
use crate::scratch::Scratch;

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

fn config(text: &str, overrides: Overrides) -> Config {
    let scratch = Scratch::new();
    scratch.write("motet.toml", text);
    let around = Surroundings { directory: scratch.path().into(), variables: BTreeMap::new() };
    Config::load(&around, &overrides).unwrap()
}

fn priced(text: &str) -> BTreeMap<String, Price> {
    let casting = Casting::configured(&slogan(), &config(text, Overrides::default()));
    prices(&slogan(), &casting, None)
}

#[test]
fn a_role_is_played_by_whom_the_configuration_names_and_else_by_a_model() {
    let overrides = Overrides { model: Some("gemma2:2b".into()), ..Overrides::default() };
    let casting = Casting::configured(&slogan(), &config("[agents.writer]\ncommand = ['w']", overrides));
    assert_eq!(casting.agents["writer"], Backend::Command { command: vec!["w".into()], verify: None });
    let Backend::Model(binding) = &casting.agents["reviewer"] else { panic!("{casting:?}") };
    assert_eq!((binding.model.as_str(), binding.provider.name.as_str()), ("gemma2:2b", "ollama"));
}

#[test]
fn every_part_is_read_back_as_it_was_kept() {
    let text = "
[providers.local]
kind = 'openai-compatible'
base_url = 'http://localhost:8080/v1'
key_env = 'LOCAL_KEY'
free = true
timeout = '2m'
[tools.fs]
command = ['fs']
secret_env = { TOKEN = 'FS_TOKEN' }
[agents.writer]
model = 'local/m'
fallback = ['anthropic/claude-haiku-4-5', 'tiny']
tools = ['fs.*']
timeout = '1m'
temperature = 0.5
seed = 3
[agents.coder]
acp = ['agent', '--acp']
permissions = 'ask'
[agents.editor]
person = true
";
    let casting = Casting::configured(&slogan(), &config(text, Overrides::default()));
    let kept = serde_json::to_value(&casting).unwrap();
    assert_eq!(kept["agents"]["writer"]["model"], json!("m"));
    assert_eq!(kept["roles"]["writer"]["key"], json!({ "env": "LOCAL_KEY" }));
    let read = Casting::read(&kept).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), kept);
    assert_eq!(read.roles["writer"].fallback[0].backend.title(), "anthropic/claude-haiku-4-5");
    assert_eq!(read.tools["fs"].secret_env["TOKEN"], "FS_TOKEN");
}

#[test]
fn a_chain_costs_the_sum_of_its_links_and_what_is_free_costs_nothing() {
    let one = priced("[agents.writer]\nmodel = 'anthropic/claude-haiku-4-5'")["writer"];
    assert_eq!((one.input_per_million.dollars(), one.output_per_million.dollars()), (1.0, 5.0));
    let chain = "[agents.writer]\nmodel = 'anthropic/claude-haiku-4-5'\nfallback = ['openai/gpt-4.1', 'tiny']";
    assert_eq!(priced(chain)["writer"].output_per_million.dollars(), 13.0);
    assert_eq!(priced("[agents.writer]\nmodel = 'tiny'")["writer"], Price::default());
    let own = "[agents.writer]\nmodel = 'openai/gpt-4.1'\nprice = { call = 0.5 }";
    assert_eq!(priced(own)["writer"], Price { call: motet_core::units::Usd(500_000), ..Price::default() });
}

#[test]
fn a_model_without_a_price_is_named() {
    let text = "[agents.writer]\nmodel = 'openai/unheard-of'\n[agents.reviewer]\ncommand = ['r']";
    let casting = Casting::configured(&slogan(), &config(text, Overrides::default()));
    let found = unpriced(&slogan(), &casting);
    assert_eq!(found, [Unpriced { role: "writer".into(), backend: "openai/unheard-of".into(), is_model: true }]);
    let ceiling = prices(&slogan(), &casting, Some(motet_core::units::Usd(7)));
    assert_eq!(ceiling["writer"].call, motet_core::units::Usd(7));
}

#[test]
fn two_workflows_that_call_an_agent_alike_each_have_their_own_player_and_price() {
    let workflow = |name: &str, role: &str| {
        let text = format!(
            "workflow: {name}\nversion: 1.0.0\nsummary: One call.\nagents: {{ worker: {{ prompt: p.md, role: {role} }} }}\n\
             trouble: {{ error: lost }}\nstart: working\nstates:\n  working: {{ agent: worker, next: done }}\n  \
             done: {{ final: completed }}\n  lost: {{ final: failed }}\n"
        );
        let folder = Folder::from([("workflow.yaml".into(), text), ("p.md".into(), "Work.".into())]);
        let library = Library::around(Path::new("/nonexistent"), None);
        Arc::new(motet_core::language::load(folder, &library).expect("a definition").0)
    };
    let family = [workflow("above", "boss"), workflow("below", "hand")];
    let text = "[agents.boss]\ncommand = ['b']\nprice = { call = 1 }\n[agents.hand]\ncommand = ['h']\nprice = { call = 2 }";
    let casting = Casting::configured(&family[0], &config(text, Overrides::default()));
    let terms = terms(&family, &casting, |definition| prices(definition, &casting, None));
    for (name, command, dollars) in [("above", "b", 1.0), ("below", "h", 2.0)] {
        assert_eq!(terms[name].prices["worker"].call.dollars(), dollars);
        assert_eq!(terms[name].bindings["agents"]["worker"]["command"], json!([command]));
    }
    assert!(super::terms(&family[..1], &casting, |_| BTreeMap::new()).is_empty(), "a run that starts none needs none");
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

#[test]
fn a_run_keeps_where_it_may_look_and_no_key() {
    let text = "[sources]\nfeeds = ['http://f/']\ntools = { 'web.find' = 'q' }\n[sources.brave]\nkey_env = 'MY_BRAVE'\n[tools.web]\nurl = 'http://t'\n[tools.other]\nurl = 'http://o'";
    let config = config(text, Overrides::default());
    let evidence = Evidence { web: true, sources: config.sources.clone(), ..Evidence::default() };
    let casting = Casting::configured(&slogan(), &config).looking(evidence, &config);
    assert_eq!(casting.tools.keys().collect::<Vec<_>>(), ["web"], "the server of the search tool, and no other");
    let kept = serde_json::to_value(&casting).unwrap();
    assert_eq!(kept["evidence"]["sources"]["services"]["brave"]["key"], json!({ "env": "MY_BRAVE" }));
    assert_eq!(Casting::read(&kept).unwrap(), casting);
    // What an earlier version kept still means the same.
    let earlier = Casting::read(&json!({ "agents": {}, "evidence": { "documents": ["/docs"], "web": true } })).unwrap();
    assert!(earlier.evidence.web && earlier.evidence.documents.len() == 1 && earlier.evidence.reaches_out());
}

#[test]
fn more_is_reserved_for_a_model_that_may_use_tools() {
    let definition = Library::around(Path::new("/nonexistent"), None).load("deep-research").unwrap().definition;
    let model = "[agents.'*']\nmodel = 'anthropic/claude-haiku-4-5'\n[agents.planner]\ntools = ['evidence.*']";
    let config = config(model, Overrides::default());
    let turns = |evidence: Evidence| {
        let prices = prices(&definition, &Casting::configured(&definition, &config).looking(evidence, &config), None);
        ["searcher", "planner", "reflector"].map(|agent| prices[agent].turns)
    };
    assert_eq!(turns(Evidence { web: true, ..Evidence::default() }), [Some(6), Some(15), Some(3)]);
    assert_eq!(turns(Evidence::default()), [Some(3), Some(15), Some(3)], "without a source a workflow's tools are not given");
}

#[test]
fn what_a_verdict_adds_to_a_call_is_kept_in_its_price() {
    let definition = Library::around(Path::new("/nonexistent"), None).load("architecture").unwrap().definition;
    let model = config("[agents.'*']\nmodel = 'anthropic/claude-haiku-4-5'", Overrides::default());
    let prices = prices(&definition, &Casting::configured(&definition, &model), None);
    let judges = |agent: &str| matches!(definition.agents[agent].returns, motet_core::definition::Returns::Verdict);
    for (agent, price) in &prices {
        assert_eq!(price.verdict_tokens.is_some_and(|tokens| tokens > 10), judges(agent), "{agent}");
    }
    assert!(prices.keys().any(|agent| judges(agent)), "somebody judges");
}

#[test]
fn a_coding_agent_is_known_by_the_name_that_records_have() {
    let called = |text: &str, names: &[&str], others: &[&str]| {
        let casting = Casting::configured(&slogan(), &config(&format!("[agents.writer]\n{text}"), Overrides::default()));
        let writer = &casting.agents["writer"];
        assert!(names.iter().all(|name| writer.is_called(name)), "{writer:?}");
        assert!(!others.iter().any(|name| writer.is_called(name)), "{writer:?}");
    };
    called("preset = 'codex'\nwith_model = 'big'", &["codex", "codex with big"], &["code", "codex with"]);
    let long = "x".repeat(90);
    let cut = format!("npx {}…", &long[..75]);
    called(&format!("acp = ['npx', '{long}']\nwith_model = 'big'"), &[&cut, &format!("npx {long} with big")], &["npx", "npx xxx…"]);
    called("model = 'ollama/gpt'", &["ollama/gpt"], &["ollama/g", "ollama", "gpt"]);
}
