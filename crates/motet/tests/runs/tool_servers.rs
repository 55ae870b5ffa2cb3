//! Servers of tools in the settings: one that cannot be used harms nobody who does not use it, and the doctor says what is wrong with it.

use motet_testkit::web::Server;
use motet_testkit::web::tools::search_server;

use super::project::Project;
use super::sources::Web;

/// Healthy servers beside one whose variable is not set; `coder` is a role that the workflow does not have.
fn project(web: &Web, agents: &str) -> Project {
    let project = Project::new();
    let address = address(&web.server);
    project.write(
        "motet.toml",
        &format!(
            "[tools.a]\nurl = '{address}'\n[tools.b]\ncommand = ['b']\nsecret_env = {{ TOKEN = 'NOT_SET_TOKEN' }}\n\
             [tools.c]\nurl = '{address}'\nallow = ['fnd']\n{agents}"
        ),
    );
    project
}

fn address(server: &Server) -> String {
    server.url("/mcp")
}

fn web() -> Web {
    Web::start(|asked| search_server(asked, |_| "nothing".into()))
}

#[test]
fn one_server_without_its_variable_does_not_silence_the_others() {
    let web = web();
    let project = project(&web, "");
    let unset = "the tool server `b`: the variable NOT_SET_TOKEN is not set";
    project.motet(&["tools"]).exits(1).says(&["a.find", unset]);
    project.motet(&["tools", "a"]).exits(0).says(&["a.find"]);
    let listed = project.motet(&["tools", "--json"]).exits(1).json();
    assert!(listed.iter().any(|line| line["tool"] == "a.find") && listed.iter().any(|line| line["server"] == "b"), "{listed:?}");
    let findings = project.motet(&["doctor", "--json"]).exits(1).json();
    let of = |what: &str| findings.iter().find(|finding| finding["what"] == what).cloned().unwrap_or_default();
    assert_eq!((of("tools of a")["result"].as_str(), of("tools of b")["result"].as_str()), (Some("ok"), Some("error")), "{findings:#?}");
    assert!(of("tools of b")["text"].as_str().is_some_and(|text| text.contains(unset)), "{findings:#?}");
}

#[test]
fn a_run_needs_only_the_servers_of_its_own_roles() {
    let web = web();
    let other = "[agents.coder]\nmodel = 'tiny'\ntools = ['b.echo']\n[agents.builder]\ncommand = ['./builder.sh']\n";
    project(&web, other).motet(&["run", "ship", "tea", "--unattended"]).exits(0);
    let own = "[agents.builder]\nacp = ['sh']\ntools = ['b.echo']\n";
    let refused = project(&web, own).motet(&["run", "ship", "tea", "--unattended"]).exits(2);
    refused.says(&["nobody can play `builder`", "the tool server `b`", "NOT_SET_TOKEN"]);
}

#[test]
fn the_doctor_calls_nothing_good_that_cannot_hold() {
    let web = web();
    let agents = "[agents.writer]\nmodel = 'tiny'\ntools = ['a.nothing', 'a.find']\n\
                  [agents.coder]\npreset = 'claude'\nprogram = './version.sh'\npermissions = 'ask'\n[agents.planner]\nmodel = 'tiny'\ntools = ['b.*']\n";
    let project = project(&web, agents);
    project.program("version.sh", "#!/bin/sh\necho claude 9.9\n");
    let findings = project.motet(&["doctor", "--json"]).exits(1).json();
    let found = |what: &str, text: &str| {
        let of =
            findings.iter().find(|finding| finding["what"] == what && finding["text"].as_str().is_some_and(|told| told.contains(text)));
        of.unwrap_or_else(|| panic!("{what}: {text} is missing: {findings:#?}"))["result"].clone()
    };
    assert_eq!(found("tools of a", "[agents.writer] has the tool `a.nothing`, which the server does not; it has find"), "error");
    assert_eq!(found("tools of c", "`allow` of [tools.c] has `fnd`, which the server does not; did you mean `find`?"), "error");
    assert_eq!(found("tools of c", "1 tool, 0 allowed"), "warning");
    assert_eq!(found("role coder", "claude cannot play it"), "error");
    assert_eq!(found("role planner", "NOT_SET_TOKEN"), "error");
    assert_eq!(found("claude", "claude 9.9, says so in "), "ok");
}
