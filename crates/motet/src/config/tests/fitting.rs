//! What holds of a role of what is said of everybody, or was said of an earlier player.

use super::*;

const EVERYBODY_HAS_TOOLS: &str = "[tools.files]\ncommand = ['f']\n[agents.'*']\nmodel = 'm'\ntools = ['files.*', 'evidence.search']\n";

/// The tools of a role with this in the project's file below what everybody has, and with these flags.
#[track_caller]
fn check(role: &str, said: &str, flags: &[&str], expected: &[&str]) {
    let project = format!("{EVERYBODY_HAS_TOOLS}{said}");
    let overrides = Overrides { agents: flags.iter().map(ToString::to_string).collect(), ..Overrides::default() };
    let config = load(&Said { project: &project, overrides, ..NOTHING }).unwrap_or_else(|failure| panic!("{said}: {}", failure.message));
    assert_eq!(config.player(role).unwrap().tools, expected, "{said}");
    let path: Vec<String> = ["agents", role, "tools"].map(String::from).to_vec();
    let holds = config.holding(&path, &[role.to_string()].into()).unwrap().remove(0);
    let shown = expected.is_empty() || holds.value == Usual::Value(serde_json::json!(expected));
    assert!(shown, "`config show` tells another story: {holds:?}");
}

#[test]
fn what_everybody_has_is_left_out_where_it_does_not_fit_the_player() {
    check("reviewer", "[agents.reviewer]\nperson = true", &[], &[]);
    check("coder", "[agents.coder]\npreset = 'claude'", &[], &[]);
    check("coder", "[agents.coder]\npreset = 'claude'\ntools = []", &[], &[]);
    check("worker", "", &["worker=person"], &[]);
    check("worker", "[agents.worker]\nmodel = 'n'\ntools = ['files.read']", &["worker=person"], &[]);
}

#[test]
fn what_fits_stays() {
    check("writer", "[agents.writer]\nmodel = 'other'", &[], &["files.*", "evidence.search"]);
    check("writer", "[agents.writer]\nacp = ['a']", &[], &["files.*"]);
    check("writer", "[agents.writer]\npreset = 'claude'\nfallback = ['m']", &[], &["files.*", "evidence.search"]);
    check("writer", "[agents.writer]\nmodel = 'n'\ntools = ['files.read']", &["writer=openai/gpt-4.1"], &["files.read"]);
}

#[test]
fn how_everybodys_coding_agent_begins_is_not_said_of_another() {
    let project =
        "[agents.'*']\nacp = ['a']\nsession_mode = 'plan'\nsession_options = { effort = 'high' }\n[agents.coder]\npreset = 'claude'";
    let config = load(&Said { project, ..NOTHING }).unwrap_or_else(|failure| panic!("{}", failure.message));
    assert_eq!(config.player("coder").unwrap().coding, Coding::default());
    assert_eq!(config.player("writer").unwrap().coding.mode.as_deref(), Some("plan"));
}

/// What a role may do with this in the project's file and with these flags; None: whatever is usual.
#[track_caller]
fn check_permissions(role: &str, project: &str, flags: &[&str], expected: Option<&str>) {
    let overrides = Overrides { agents: flags.iter().map(ToString::to_string).collect(), ..Overrides::default() };
    let config = load(&Said { project, overrides, ..NOTHING }).unwrap_or_else(|failure| panic!("{project}: {}", failure.message));
    assert_eq!(config.player(role).unwrap().permissions.as_deref(), expected, "{project}");
    let path: Vec<String> = ["agents", role, "permissions"].map(String::from).to_vec();
    let holds = config.holding(&path, &[role.to_string()].into()).unwrap().remove(0);
    let shown = expected.is_none_or(|expected| holds.value == Usual::Value(serde_json::json!(expected)));
    assert!(shown, "`config show` tells another story: {holds:?}");
}

#[test]
fn what_a_role_may_do_holds_for_whoever_plays_it() {
    let reject = Some("reject");
    check_permissions("builder", "[agents.'*']\npermissions = 'reject'\n[agents.builder]\npreset = 'claude'", &[], reject);
    let everybody = "[agents.'*']\npreset = 'codex'\npermissions = 'reject'\n";
    check_permissions("builder", &format!("{everybody}[agents.builder]\npreset = 'claude'"), &[], reject);
    check_permissions("builder", &format!("{everybody}[agents.builder]\nacp = ['a']"), &[], reject);
    check_permissions("builder", "[agents.builder]\npreset = 'codex'\npermissions = 'reject'", &["builder=claude"], reject);
    check_permissions("builder", "[agents.builder]\nacp = ['a']\npermissions = 'reject'", &["builder=claude"], reject);
    check_permissions("builder", &format!("{everybody}[agents.builder]\nmodel = 'm'\nfallback = ['claude']"), &[], reject);
    check_permissions("builder", &format!("{everybody}[agents.builder]\npreset = 'claude'\npermissions = 'allow'"), &[], Some("allow"));
}

#[test]
fn what_nobody_can_be_told_is_left_out_unless_it_is_said_of_the_player() {
    let everybody = "[agents.'*']\npreset = 'codex'\npermissions = 'reject'\n";
    check_permissions("writer", &format!("{everybody}[agents.writer]\nmodel = 'm'"), &[], None);
    check_permissions("writer", &format!("{everybody}[agents.writer]\nperson = true"), &[], None);
    check_permissions("writer", "[agents.writer]\npreset = 'codex'\npermissions = 'reject'", &["writer=ollama/m"], None);
    refuses("[agents.writer]\nmodel = 'm'\npermissions = 'reject'", &["motet.toml:3", "only `acp` and `preset`"]);
}

#[test]
fn what_is_said_of_the_role_itself_is_refused() {
    refuses(
        &format!("{EVERYBODY_HAS_TOOLS}[agents.reviewer]\nperson = true\ntools = ['files.*']"),
        &["motet.toml:8", "only a `model` or `acp`"],
    );
    refuses("[agents.coder]\npreset = 'claude'\nsession_mode = 'plan'", &["motet.toml:3", "only `acp` knows"]);
}
