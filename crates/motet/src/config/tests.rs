//! What the layers say together, and every mistake with its place.

mod fitting;

use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::scratch::Scratch;

/// Files by name (`motet.toml`, or `user.toml` for the user's), variables, and flags.
struct Said<'a> {
    project: &'a str,
    user: &'a str,
    variables: &'a [(&'a str, &'a str)],
    overrides: Overrides,
}

const NOTHING: Said<'static> = Said {
    project: "",
    user: "",
    variables: &[],
    overrides: Overrides { model: None, agents: Vec::new(), prices: Vec::new(), max_call_cost: None },
};

fn load(said: &Said<'_>) -> Result<Config, Failure> {
    let scratch = Scratch::new();
    if !said.project.is_empty() {
        scratch.write("project/motet.toml", said.project);
    }
    if !said.user.is_empty() {
        scratch.write("config/motet/config.toml", said.user);
    }
    std::fs::create_dir_all(scratch.path().join("project/deep")).unwrap();
    let mut variables: BTreeMap<String, String> =
        said.variables.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    variables.insert("XDG_CONFIG_HOME".into(), scratch.path().join("config").display().to_string());
    let around = Surroundings { directory: scratch.path().join("project/deep"), variables };
    Config::load(&around, &said.overrides)
}

/// The value of a setting, with the end of where it comes from.
#[track_caller]
fn check(said: &Said<'_>, path: &[&str], expected: &str, origin: &str) {
    let config = load(said).unwrap_or_else(|failure| panic!("{}", failure.message));
    let setting = config.settings.setting(path).unwrap_or_else(|| panic!("nothing says {path:?}"));
    assert_eq!(setting.value.to_string(), expected);
    assert!(setting.origin.to_string().ends_with(origin), "{} is not {origin}", setting.origin);
}

#[track_caller]
fn refuses(project: &str, parts: &[&str]) {
    let message = match load(&Said { project, ..NOTHING }) {
        Ok(_) => panic!("accepted: {project}"),
        Err(failure) => failure.message,
    };
    for part in parts {
        assert!(message.contains(part), "{part:?} is missing: {message}");
    }
}

fn model(provider: &str, model: &str) -> Option<Who> {
    Some(Who::Model(ModelName { provider: provider.into(), model: model.into() }))
}

#[test]
fn what_is_said_nearer_counts_value_by_value() {
    let user = "parallel = 3\n[agents.writer]\nmodel = 'openai/gpt-4.1'\ntemperature = 0.2";
    let project = "# ours\n[agents.writer]\ntemperature = 0.9";
    let path = ["agents", "writer", "temperature"];
    check(&Said { user, ..NOTHING }, &path, "0.2", "motet/config.toml:4");
    check(&Said { user, project, ..NOTHING }, &path, "0.9", "project/motet.toml:3");
    check(&Said { user, project, ..NOTHING }, &["agents", "writer", "model"], "\"openai/gpt-4.1\"", "config.toml:3");
    let variables = &[("MOTET_AGENTS__WRITER__TEMPERATURE", "1.5"), ("MOTET_PARALLEL", "7")];
    check(&Said { user, project, variables, ..NOTHING }, &path, "1.5", "$MOTET_AGENTS__WRITER__TEMPERATURE");
    check(&Said { user, project, variables, ..NOTHING }, &["parallel"], "7", "$MOTET_PARALLEL");
    check(&NOTHING, &["providers", "openai", "key_env"], "\"OPENAI_API_KEY\"", "built in");
    let overrides = Overrides { model: Some("ollama/tiny".into()), ..Overrides::default() };
    check(&Said { user, overrides, ..NOTHING }, &["agents", "writer", "model"], "\"ollama/tiny\"", "--model");
}

#[test]
fn another_player_takes_the_place_of_the_first_with_all_that_was_said_of_that_one() {
    let user = "[agents.writer]\nmodel = 'openai/gpt-4.1'\nfallback = ['tiny']\nprice = { call = 1 }\nmax_tokens = 9";
    let config = load(&Said { user, project: "[agents.writer]\ncommand = ['w']", ..NOTHING }).unwrap();
    let player = config.player("writer").unwrap();
    assert_eq!(player.who, Some(Who::Command { command: vec!["w".into()], verify: None }));
    assert_eq!((player.fallback.len(), player.price, player.max_tokens), (0, None, Some(9)));
}

#[test]
fn a_coding_agent_is_told_its_model_and_another_player_is_not() {
    let user = "[agents.coder]\npreset = 'claude'\nwith_model = 'opus'\narguments = ['--add-dir', '..']\nprogram = './claude'";
    let coder = load(&Said { user, ..NOTHING }).unwrap().player("coder").unwrap().clone();
    assert_eq!(coder.coding.model.as_deref(), Some("opus"));
    assert_eq!((coder.coding.arguments.len(), coder.coding.program.as_deref()), (2, Some("./claude")));
    for project in ["[agents.coder]\nmodel = 'tiny'", "[agents.coder]\npreset = 'codex'", "[agents.coder]\nacp = ['a']"] {
        let coder = load(&Said { user, project, ..NOTHING }).unwrap().player("coder").unwrap().clone();
        assert_eq!(coder.coding, Coding::default(), "{project}: what was said of the first is not meant for the second");
    }
    let project = "[agents.coder]\nacp = ['a']\nwith_model = 'big'\nsession_mode = 'plan'\nsession_options = { effort = 'high' }";
    let coder = load(&Said { project, ..NOTHING }).unwrap().player("coder").unwrap().coding.clone();
    assert_eq!((coder.mode.as_deref(), coder.options["effort"].as_str()), (Some("plan"), "high"));
}

#[test]
fn anybody_may_stand_in() {
    let fallback = "['codex', 'preset:aider', 'command:./w -x', 'acp:my agent', 'tiny', 'person', 'offline']";
    let project = format!("[agents.coder]\npreset = 'claude'\nfallback = {fallback}");
    let coder = load(&Said { project: &project, ..NOTHING }).unwrap().player("coder").unwrap().clone();
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    let expected = [
        Who::Preset("codex".into()),
        Who::Preset("aider".into()),
        Who::Command { command: words(&["./w", "-x"]), verify: None },
        Who::Acp(words(&["my", "agent"])),
        Who::Model(ModelName { provider: "ollama".into(), model: "tiny".into() }),
        Who::Person,
        Who::Offline,
    ];
    assert_eq!(coder.fallback, expected);
    refuses("[agents.c]\nmodel = 'tiny'\nfallback = ['command:']", &["motet.toml:3", "names no program"]);
    refuses("[agents.c]\nmodel = 'tiny'\nfallback = ['preset:cloude']", &["did you mean `claude`?"]);
    refuses("[agents.c]\nperson = true\nfallback = ['tiny']", &["motet.toml:3", "nobody stand in"]);
}

#[test]
fn what_is_said_of_somebody_who_does_not_play_is_refused() {
    refuses("[agents.c]\npreset = 'claude'\nmodel = 'opus'", &["names several players", "`with_model`"]);
    refuses("[agents.c]\nmodel = 'tiny'\nwith_model = 'opus'", &["motet.toml:3", "`with_model`, which only a coding agent"]);
    refuses("[agents.c]\nacp = ['a']\narguments = ['x']", &["motet.toml:3", "only a `preset` has"]);
    refuses("[agents.c]\npreset = 'claude'\nsession_mode = 'plan'", &["motet.toml:3", "only `acp` knows"]);
    refuses("[agents.c]\nmodel = 'tiny'\npermissions = 'allow'", &["motet.toml:3", "only `acp` and `preset`"]);
    load(&Said { project: "[agents.c]\nmodel = 'tiny'\nfallback = ['claude']\npermissions = 'reject'", ..NOTHING }).unwrap();
}

#[test]
fn a_role_has_what_everybody_has_unless_it_says_otherwise() {
    let project = "[agents.'*']\nmodel = 'tiny'\ntemperature = 0.3\n[agents.writer]\nmax_tokens = 5\n[agents.editor]\nperson = true";
    let config = load(&Said { project, ..NOTHING }).unwrap();
    let writer = config.player("writer").unwrap();
    assert_eq!((&writer.who, writer.temperature, writer.max_tokens), (&model("ollama", "tiny"), Some(0.3), Some(5)));
    assert_eq!(config.player("editor").unwrap().who, Some(Who::Person));
    assert_eq!(config.player("anyone").unwrap().who, model("ollama", "tiny"));
}

#[test]
fn the_variables_of_ollama_mean_that_ollama_plays() {
    assert!(load(&NOTHING).unwrap().player("writer").is_none());
    let variables = &[("OLLAMA_BASE_URL", "http://host:1"), ("OLLAMA_REQUEST_TIMEOUT", "9")];
    let config = load(&Said { variables, ..NOTHING }).unwrap();
    assert_eq!(config.player("writer").unwrap().who, model("ollama", "mistral:latest"));
    assert_eq!(config.providers["ollama"].url.as_deref(), Some("http://host:1"));
    assert_eq!(config.providers["ollama"].silence_ms, Some(9000));
    let variables = &[("OLLAMA_MODEL_NAME", "gemma2:2b")];
    let config = load(&Said { variables, project: "[agents.writer]\nmodel = 'tiny'", ..NOTHING }).unwrap();
    assert_eq!(config.player("writer").unwrap().who, model("ollama", "tiny"));
    assert_eq!(config.player("reviewer").unwrap().who, model("ollama", "gemma2:2b"));
}

#[test]
fn flags_name_players_of_every_kind() {
    let who = |flag: &str| {
        let overrides = Overrides { agents: vec![format!("writer={flag}")], ..Overrides::default() };
        load(&Said { project: "[agents.writer]\nmodel = 'tiny'", overrides, ..NOTHING })
            .map(|config| config.player("writer").unwrap().who.clone())
    };
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(who("openai/gpt-4.1").unwrap(), model("openai", "gpt-4.1"));
    assert_eq!(who("offline").unwrap(), Some(Who::Offline));
    assert_eq!(who("person").unwrap(), Some(Who::Person));
    assert_eq!(who("claude").unwrap(), Some(Who::Preset("claude".into())));
    assert_eq!(who("acp:my agent").unwrap(), Some(Who::Acp(words(&["my", "agent"]))));
    assert_eq!(who("command:./w -x").unwrap(), Some(Who::Command { command: words(&["./w", "-x"]), verify: None }));
    assert!(who("openay/x").unwrap_err().message.contains("did you mean `openai/x`?"));
    assert!(who("command:").unwrap_err().message.contains("--agent"));
}

#[test]
fn a_model_for_all_leaves_programs_and_named_roles_alone() {
    let project = "[agents.coder]\ncommand = ['c']\n[agents.writer]\nmodel = 'tiny'\n[agents.critic]\nmodel = 'tiny'";
    let overrides = Overrides { model: Some("big".into()), agents: vec!["critic=person".into()], ..Overrides::default() };
    let config = load(&Said { project, overrides, ..NOTHING }).unwrap();
    assert_eq!(config.player("writer").unwrap().who, model("ollama", "big"));
    assert_eq!(config.player("anyone").unwrap().who, model("ollama", "big"));
    assert_eq!(config.player("critic").unwrap().who, Some(Who::Person));
    assert!(matches!(config.player("coder").unwrap().who, Some(Who::Command { .. })));
}

#[test]
fn room_money_and_people_are_read() {
    let project =
        "parallel = 8\n[agents.writer]\nparallel = 2\n[people]\napprover = ['ada']\n[budget]\nper_day = 2.5\nper_workflow = { slogan = 1 }";
    let config = load(&Said { project, ..NOTHING }).unwrap();
    assert_eq!((config.places().total, config.places().per_role.get("writer")), (8, Some(&2)));
    assert_eq!(config.people["approver"], ["ada"]);
    assert_eq!((config.budget.per_day, config.budget.per_workflow["slogan"]), (Some(Usd(2_500_000)), Usd(1_000_000)));
    assert_eq!(load(&NOTHING).unwrap().places().total, Places::default().total);
}

#[test]
fn room_for_everybody_is_room_for_each_who_has_none_of_their_own() {
    let project = "[agents.'*']\nmodel = 'tiny'\nparallel = 3\n[agents.writer]\nparallel = 2\n[agents.critic]\nmodel = 'big'";
    let places = load(&Said { project, ..NOTHING }).unwrap().places();
    assert_eq!((places.per_role.get("writer"), places.per_role.get("critic"), places.per_other_role), (Some(&2), Some(&3), Some(3)));
    assert_eq!(places.per_role.get("*"), None);
}

#[test]
fn mistakes_are_told_with_their_place_and_what_was_probably_meant() {
    refuses("[agents.writer]\ncomand = ['w']", &["motet.toml:2", "no setting `agents.writer.comand`", "did you mean `command`?"]);
    refuses("[agent.writer]", &["motet.toml:1", "did you mean `agents`?"]);
    refuses("[agents.writer]\ncommand = []", &["motet.toml:2", "a program with its arguments"]);
    refuses("[agents.writer]\nmodel = 'm'\nperson = true", &["motet.toml:3", "names several players"]);
    refuses("[agents.writer]\nverify = ['v']\nperson = true", &["motet.toml:2", "`verify` without `command`"]);
    refuses("[agents.writer]\nmodel = 'm'\nprice = { call = -1.0 }", &["motet.toml:3", "a table of dollars"]);
    refuses("[agents.writer]\nmodel = 'm'\ntemperature = 3", &["motet.toml:3", "from 0 to 2"]);
    refuses("[agents.writer]\nmodel = 'openay/x'", &["motet.toml:2", "no provider `openay`", "did you mean `openai/x`?"]);
    refuses("[agents.writer]\nmodel = 'hf.co/a/b'", &["written `ollama/hf.co/a/b`"]);
    refuses("[agents.writer]\npreset = 'cloude'", &["motet.toml:2", "did you mean `claude`?"]);
    refuses("[agents.writer]\nmodel = 'm'\ntools = ['fs.read']", &["motet.toml:3", "no server `fs`", "[tools.fs]"]);
    refuses("[providers.local]\nkind = 'openai-compatible'", &["motet.toml:2", "no `base_url`"]);
    refuses("[providers.local]\nkind = 'open'", &["motet.toml:2", "one of ollama, openai"]);
    refuses("[providers.local]\nbase_url = 'http://x'", &["motet.toml:2", "no `kind`"]);
    refuses("[people]\napprover = 'ada'", &["motet.toml:2", "a list of texts"]);
    refuses("parallel = 0", &["motet.toml:1", "a whole number from 1"]);
    refuses("parallel =", &["motet.toml:1", "this is not TOML"]);
    refuses("[agents]\nwriter = 3", &["motet.toml:2", "must be a table"]);
    refuses("[agents.w]\nx = 1\n[tools.t]\n", &["motet.toml:2"]);
    refuses(
        "[agents.w]\nacp = ['x']\ntools = ['evidence.search']",
        &["motet.toml:3", "evidence.search", "only a `model` has Motet's own tools"],
    );
}

#[test]
fn one_mistake_is_told_once_and_not_again_by_what_rests_on_it() {
    let one_line = |project: &str, part: &str| {
        let message = load(&Said { project, ..NOTHING }).expect_err("refused").message;
        assert!(message.contains(part) && message.lines().count() == 1, "{message}");
    };
    let agents = "[agents.'*']\nmodel = 'mine/any'\n";
    one_line(&format!("[providers.mine]\nkind = 'openai-compatible'\nbase_url = ''\n{agents}"), "must be an http or https address");
    one_line(&format!("[providers.mine]\nkind = 'openai-compatible'\n{agents}"), "has no `base_url`");
}

#[test]
fn a_key_is_never_accepted_where_its_name_belongs() {
    refuses("[providers.openai]\nkey_env = 'sk-abc123'", &["motet.toml:2", "not the key itself"]);
    refuses("[tools.t]\ncommand = ['t']\nenv = { API_KEY = 'x' }", &["motet.toml:3", "looks secret", "secret_env"]);
    refuses("[tools.t]\nurl = 'http://t'\nheaders_env = { Authorization = 'Bearer x' }", &["motet.toml:3", "not the secrets themselves"]);
    refuses("[providers.p]\nkind = 'ollama'\nbase_url = 'http://me:secret@host'", &["has a password", "(http://host)"]);
}

#[test]
fn a_key_among_the_words_of_a_program_is_refused_and_not_repeated() {
    let agent = ["motet.toml:2", "what looks like a key", "set a variable to it"];
    for (text, parts) in [
        ("[agents.w]\ncommand = ['./w.sh', '--api-key=sk-very-secret-1']", &agent[..]),
        ("[agents.w]\nacp = ['w', '--token', 'sk-very-secret-1']", &agent),
        ("[agents.w]\nverify = ['w', '--token', 'sk-very-secret-1']\ncommand = ['w']", &agent),
        ("[agents.w]\narguments = ['--token', 'sk-very-secret-1']\npreset = 'claude'", &agent),
        ("[agents.w]\nfallback = ['command:w --token sk-very-secret-1']\ncommand = ['w']", &agent),
        ("[tools.t]\ncommand = ['t', '--token', 'sk-very-secret-1']", &["motet.toml:2", "what looks like a key", "secret_env"]),
        ("[agents.w]\nmodel = 'sk-proj-verysecretkey1234567890'", &["motet.toml:2", "name the model"]),
    ] {
        refuses(text, parts);
        let message = load(&Said { project: text, ..NOTHING }).expect_err("refused").message;
        assert!(!["very-secret", "verysecret"].iter().any(|key| message.contains(key)), "{message}");
    }
}

#[test]
fn a_key_in_the_query_of_an_address_is_refused_and_not_repeated() {
    let refused = |text: &str| match load(&Said { project: text, ..NOTHING }) {
        Ok(_) => panic!("accepted: {text}"),
        Err(failure) => failure.message,
    };
    for name in ["key", "apikey", "apiKey", "api_key", "token", "access_token", "X-Api-Key", "secret"] {
        let message = refused(&format!("[sources]\nfeeds = ['https://a.example/feed?topic=x&{name}=verysecret#top']"));
        for part in ["motet.toml:2", "a key in https://a.example/feed ", name, "without a key"] {
            assert!(message.contains(part), "{part:?} is missing: {message}");
        }
        assert!(!message.contains("verysecret"), "{message}");
        let message = refused(&format!("[sources.searxng]\nbase_url = 'https://a.example/?{name}=verysecret'"));
        assert!(message.contains("use `key_env` or `key_file`") && !message.contains("verysecret"), "{message}");
    }
    let open = "[sources]\nfeeds = ['https://a.example/feed?topic=key&monkey=1', 'https://a.example/?token=']";
    assert_eq!(load(&Said { project: open, ..NOTHING }).map(|config| config.sources.feeds.len()).ok(), Some(2));
}

#[test]
fn a_key_file_must_be_closed_to_others() {
    let scratch = Scratch::new();
    scratch.write("key", "sk-12345\n");
    let path = scratch.path().join("key");
    let place = KeyPlace::File(path.clone());
    let mode = |mode: u32| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o644);
    assert!(place.read(|_| None).unwrap_err().contains("chmod 600"));
    mode(0o600);
    assert_eq!(place.read(|_| None).unwrap().reveal(), "sk-12345");
    let variable = KeyPlace::Env("SOME_KEY".into());
    assert!(variable.read(|_| None).unwrap_err().contains("SOME_KEY is not set"));
}

#[test]
fn variables_are_told_apart_from_mistakes() {
    let refused = |name: &str, value: &str| {
        let message = load(&Said { variables: &[(name, value)], ..NOTHING }).map(drop).unwrap_err().message;
        assert!(message.contains(&format!("${name}")), "{message}");
        message
    };
    assert!(refused("MOTET_AGENTS__WRITER__MODL", "x").contains("did you mean `model`?"));
    assert!(refused("MOTET_MODELS", "x").contains("`MOTET_MODEL`"));
    assert!(refused("MOTET_MODLE", "x").contains("`MOTET_MODEL`"));
    assert!(refused("MOTET_BUGDET", "1").contains("`MOTET_BUDGET`"));
    assert!(refused("MOTET_HOEM", "x").contains("`MOTET_HOME`"));
    assert!(refused("MOTET_AGENTS_WRITER_MODEL", "x").contains("as in `MOTET_AGENTS__WRITER__MODEL`"));
    assert!(refused("MOTET_BUDGET_PER_RUN", "1").contains("as in `MOTET_BUDGET__PER_RUN`"));
    assert!(refused("MOTET_SOURCES_PER_HOST", "3").contains("as in `MOTET_SOURCES__PER_HOST`"));
    assert!(refused("MOTET_PROVIDERS_MY_OWN_BASE_URL", "x").contains("as in `MOTET_PROVIDERS__MY_OWN__BASE_URL`"));
    // What programs of a run find, and what has nothing to do with settings.
    for name in [
        "MOTET_TASK",
        "MOTET_KEY",
        "MOTET_RUN_DIR",
        "MOTET_HOME",
        "MOTET_LIVE_BASE_URL",
        "MOTET_SOMETHING_ELSE",
        "MOTET_AGENT_ID",
        "MOTET_TOOLS_DIR",
        "MOTET_RUN_ID",
        "MOTET_RUNS",
        "MOTET_TASKS",
        "MOTET_SOURCES_OF_MINE",
    ] {
        assert!(load(&Said { variables: &[(name, "x")], ..NOTHING }).is_ok(), "{name}");
    }
    assert!(refused("MOTET_BUDGET", "much").contains("dollars"));
    assert!(refused("OLLAMA_TEMPERATURE", "hot").contains("from 0 to 2"));
    assert!(load(&Said { variables: &[("MOTET_HOME", "/x"), ("MOTET_RUN", "r"), ("MOTET_MODEL", " ")], ..NOTHING }).is_ok());
    let variables = &[("MOTET_AGENTS__ALL__COMMAND", "./w -x"), ("MOTET_AGENTS__HEAD_WRITER__PERSON", "true")];
    let config = load(&Said { variables, project: "[agents.head-writer]\nmodel = 'm'", ..NOTHING }).unwrap();
    assert_eq!(config.player("head-writer").unwrap().who, Some(Who::Person));
    assert!(matches!(&config.player("any").unwrap().who, Some(Who::Command { command, .. }) if command.len() == 2));
}

#[test]
fn sources_are_what_is_listed_and_what_has_settings_of_its_own() {
    let project = "[sources]\nservices = ['arxiv']\ndocuments = ['docs', '/all/papers']\ninterval = '2s'\n[sources.searxng]\n\
                   base_url = 'http://s'\n[sources.brave]\nkey_file = 'key'\n[sources.tools]\n'web.find' = 'q'\n[tools.web]\nurl = 'http://t'";
    let sources = load(&Said { project, ..NOTHING }).unwrap().sources;
    assert_eq!(sources.services.keys().collect::<Vec<_>>(), ["arxiv", "brave", "searxng"]);
    assert!(matches!(&sources.services["brave"].key, Some(KeyPlace::File(path)) if path.ends_with("project/key")), "{sources:?}");
    assert!(sources.documents[0].0.ends_with("project/docs") && sources.documents[1].0.ends_with("all/papers"), "{sources:?}");
    assert_eq!((sources.interval_ms, sources.tools["web.find"].as_str()), (Some(2000), "q"));
    assert_eq!(load(&NOTHING).unwrap().sources, Sources::default());
    let variables = &[("MOTET_SOURCES__SEARXNG__BASE_URL", "http://other"), ("MOTET_SOURCES__FEEDS", "http://a/ http://b/")];
    let sources = load(&Said { project, variables, ..NOTHING }).unwrap().sources;
    assert_eq!((sources.services["searxng"].url.as_deref(), sources.feeds.len()), (Some("http://other"), 2));
    // What is nearer replaces the place of a key, and does not add a second one.
    let sources =
        load(&Said { user: "[sources.brave]\nkey_file = '/k'", project: "[sources.brave]\nkey_env = 'K'", ..NOTHING }).unwrap().sources;
    assert_eq!(sources.services["brave"].key, Some(KeyPlace::Env("K".into())));
}

#[test]
fn every_service_can_be_set_up_and_is_named_where_services_are_listed() {
    let has = |name: &str, key: &str| super::keys::KEYS.iter().any(|known| known.path == ["sources", name, key]);
    let listed = super::keys::KEYS.iter().find(|key| key.path == ["sources", "services"]).expect("the list of services").about;
    for service in &motet_evidence::library::SERVICES {
        assert!(has(service.name, "base_url") && listed.contains(service.name), "{}", service.name);
        let takes_key = service.key_variable.is_some();
        assert_eq!((has(service.name, "key_env"), has(service.name, "key_file")), (takes_key, takes_key), "{}", service.name);
    }
}

#[test]
fn a_service_that_also_answers_without_a_key_needs_none() {
    let sources = load(&Said { project: "[sources]\nservices = ['semantic_scholar', 'tavily']", ..NOTHING }).unwrap().sources;
    // Nobody sets these where tests run.
    assert_eq!(sources.services["semantic_scholar"].key("semantic_scholar"), Ok(None));
    assert!(sources.services["tavily"].key("tavily").unwrap_err().contains("TAVILY_API_KEY is not set"));
}

#[test]
fn a_model_in_a_variable_counts_over_what_files_say_of_roles() {
    let project = "[agents.writer]\nmodel = 'openai/gpt-4.1'\nprice = { call = 1 }\n[agents.judge]\noffline = true\n[agents.coder]\npreset = 'claude'";
    let variables = &[("MOTET_MODEL", "ollama/tiny"), ("MOTET_AGENTS__EDITOR__MODEL", "ollama/large")];
    for role in ["writer", "judge", "anyone"] {
        let config = load(&Said { project, variables, ..NOTHING }).unwrap();
        assert_eq!(config.player(role).unwrap().who, model("ollama", "tiny"), "{role}");
        assert_eq!(config.player(role).unwrap().price, None, "{role}");
    }
    let said = Said { project, variables, ..NOTHING };
    check(&said, &["agents", "writer", "model"], "\"ollama/tiny\"", "$MOTET_MODEL");
    check(&said, &["agents", "editor", "model"], "\"ollama/large\"", "$MOTET_AGENTS__EDITOR__MODEL");
    assert_eq!(load(&said).unwrap().player("coder").unwrap().who, Some(Who::Preset("claude".into())));
    let overrides = Overrides { model: Some("ollama/flag".into()), ..Overrides::default() };
    check(&Said { project, variables, overrides, ..NOTHING }, &["agents", "editor", "model"], "\"ollama/flag\"", "--model");
    let variables = &[("MOTET_MODEL", "ollama/tiny"), ("MOTET_AGENTS__WRITER__PERSON", "true")];
    assert_eq!(load(&Said { project, variables, ..NOTHING }).unwrap().player("writer").unwrap().who, Some(Who::Person));
}

#[test]
fn an_address_with_a_key_is_refused_without_the_key_and_with_the_way_out() {
    for (project, parts) in [
        ("[tools.t]\nurl = 'https://me:verysecret@t.example/mcp'", &["motet.toml:2", "(https://t.example)", "headers_env"][..]),
        ("[tools.t]\nurl = 'https://t.example/?tavilyApiKey=verysecret'", &["`tavilyApiKey=…`", "{VARIABLE}"]),
        ("[tools.t]\nurl = 'https://t.example/s/verysecret0123456789/mcp'", &["in its path", "{VARIABLE}"]),
        ("[tools.t]\nurl = 'https://t.example/?k={verysecret}'", &["between `{` and `}`"]),
        (
            "[providers.p]\nkind = 'openai-compatible'\nbase_url = 'https://p.example/v1?api_key=verysecret'",
            &["motet.toml:3", "`api_key=…`", "key_env"],
        ),
        ("[sources]\nfeeds = ['verysecret']", &["not an http or https address"]),
        // What ends a host for every client may stand in a password all the same.
        ("[tools.t]\nurl = 'http://me:12345#verysecret@t.example/mcp'", &["motet.toml:2", "(http://t.example; if", "%40", "headers_env"]),
        (
            "[providers.p]\nkind = 'openai-compatible'\nbase_url = 'http://me:verysecret#1x@p.example/v1'",
            &["motet.toml:3", "(http://p.example; if", "key_env"],
        ),
        ("[sources]\nfeeds = ['https://me:1?verysecret@f.example/feed']", &["motet.toml:2", "password in https://f.example/feed; if"]),
        ("[sources]\nproxy = 'http://me:1/verysecret@proxy:3128'", &["motet.toml:2", "password (http://proxy:3128; if"]),
    ] {
        refuses(project, parts);
        let message = load(&Said { project, ..NOTHING }).map(drop).unwrap_err().message;
        assert!(!message.contains("verysecret"), "{message}");
    }
    let variables = &[("OLLAMA_BASE_URL", "http://me:verysecret#1x@o.example:11434")];
    let message = load(&Said { variables, ..NOTHING }).map(drop).unwrap_err().message;
    assert!(message.contains("http://o.example:11434") && message.contains("%23") && !message.contains("verysecret"), "{message}");
    let project = "[tools.t]\nurl = 'https://t.example/{PLACE}?mode=fast&apiKey={T_KEY}'";
    let server = load(&Said { project, ..NOTHING }).unwrap().tools["t"].clone();
    assert_eq!(server.variables().collect::<Vec<_>>(), ["PLACE", "T_KEY"]);
    assert_eq!(server.address(|name| Some(name.to_lowercase())).unwrap(), "https://t.example/place?mode=fast&apiKey=t_key");
}

/// What holds of a key, and where it was said.
#[track_caller]
fn holds(project: &str, key: &str, expected: &[(&str, Usual, &str, bool)]) {
    let config = load(&Said { project, ..NOTHING }).unwrap_or_else(|failure| panic!("{}", failure.message));
    let path: Vec<String> = key.split('.').map(String::from).collect();
    let roles = ["writer".to_string(), "reviewer".to_string()].into();
    let found = config.holding(&path, &roles).unwrap_or_else(|| panic!("nothing is told of {key}"));
    let found: Vec<_> = found.iter().map(|row| (row.key.as_str(), row.value.clone(), row.origin.to_string(), row.is_inherited)).collect();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((key, value, origin, is_inherited), wanted) in found.into_iter().zip(expected) {
        assert_eq!((key, &value, is_inherited), (wanted.0, &wanted.1, wanted.3));
        assert!(origin.ends_with(wanted.2), "{origin} is not {}", wanted.2);
    }
}

#[test]
fn what_holds_is_told_whether_it_was_said_inherited_or_is_built_in() {
    use serde_json::json;
    let value = |value: serde_json::Value| Usual::Value(value);
    holds("", "parallel", &[("parallel", value(json!(64)), "built in", false)]);
    holds("parallel = 3", "parallel", &[("parallel", value(json!(3)), "motet.toml:1", false)]);
    holds("", "agents.writer.timeout", &[("agents.writer.timeout", Usual::Words("as the workflow says"), "built in", false)]);
    holds("", "agents.writer", &[("agents.writer.offline", value(json!(true)), "built in", false)]);
    holds("", "providers.openai.base_url", &[("providers.openai.base_url", value(json!("https://api.openai.com/v1")), "built in", false)]);
    holds("", "budget.per_day", &[("budget.per_day", Usual::Words("no limit"), "built in", false)]);
    holds("", "sources.interval", &[("sources.interval", value(json!("250ms")), "built in", false)]);
    let project = "[agents.'*']\nmodel = 'tiny'\ntimeout = '9s'\n[agents.writer]\ntemperature = 0.5\n[agents.editor]\nperson = true";
    holds(project, "agents.writer.timeout", &[("agents.writer.timeout", value(json!("9s")), "motet.toml:3", true)]);
    holds(project, "agents.reviewer.model", &[("agents.reviewer.model", value(json!("tiny")), "motet.toml:2", true)]);
    holds(project, "agents.*.model", &[("agents.*.model", value(json!("tiny")), "motet.toml:2", false)]);
    holds(project, "agents.editor.model", &[("agents.editor.model", Usual::Words("not set"), "built in", false)]);
    holds(
        project,
        "agents.writer",
        &[
            ("agents.writer.model", value(json!("tiny")), "motet.toml:2", true),
            ("agents.writer.temperature", value(json!(0.5)), "motet.toml:5", false),
            ("agents.writer.timeout", value(json!("9s")), "motet.toml:3", true),
        ],
    );
    let config = load(&Said { project, ..NOTHING }).unwrap();
    for unknown in ["agents.wrter", "agents.wrter.model", "providers.opnai", "nothing", "agents.writer.modl"] {
        let path: Vec<String> = unknown.split('.').map(String::from).collect();
        assert_eq!(config.holding(&path, &["writer".to_string()].into()), None, "{unknown}");
    }
}
