//! The walls between the crates: who may depend on whom, and what the pure machine must not touch.

use super::Finding;
use super::source::lines;
use crate::tree::Tree;

/// What each crate may use of this workspace, and what its tests may use besides.
const TABLE: &[(&str, &[&str], &[&str])] = &[
    ("motet-core", &[], &[]),
    ("motet-host", &["motet-core"], &["motet-testkit"]),
    ("motet-agents", &["motet-core"], &["motet-testkit"]),
    ("motet-evidence", &[], &["motet-testkit"]),
    ("motet-testkit", &["motet-core", "motet-host"], &[]),
    ("motet", &["motet-core", "motet-host", "motet-agents", "motet-evidence"], &["motet-testkit"]),
    ("xtask", &[], &[]),
];

/// The whole of what the machine is built on. Adding to it is a decision, so it needs a line here.
const CORE_MAY_USE: &[&str] = &["jsonschema", "minijinja", "regex", "saphyr-parser", "serde", "serde_json", "sha2"];

pub fn dependency_table(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.under("", "Cargo.toml").filter(|(path, _)| *path != "Cargo.toml") {
        let name = path.trim_end_matches("/Cargo.toml").rsplit('/').next().unwrap_or_default();
        let Some((_, may_use, tests_may_use)) = TABLE.iter().find(|(of, _, _)| *of == name) else {
            findings.push(Finding::new(path, 1, format!("`{name}` is not in the table of crates (xtask/src/tidy/walls.rs)")));
            continue;
        };
        for Dependency { name: used, line, is_for_tests, is_of_workspace } in dependencies(text) {
            let ours = TABLE.iter().any(|(of, _, _)| *of == used);
            let allowed = !ours || may_use.contains(&used) || (is_for_tests && tests_may_use.contains(&used));
            let pure = name != "motet-core" || is_for_tests || CORE_MAY_USE.contains(&used);
            if !allowed || !pure {
                findings.push(Finding::new(path, line, format!("{name} may not depend on {used}")));
            } else if !is_of_workspace {
                findings.push(Finding::new(path, line, format!("{used}: its version belongs in the workspace's table")));
            }
        }
    }
    findings.extend(unused(tree));
    findings
}

/// A version in the workspace's table that no crate asks for is a dependency that nobody decided on.
fn unused(tree: &Tree) -> Vec<Finding> {
    let crates = tree.under("", "Cargo.toml").filter(|(path, _)| *path != "Cargo.toml");
    let used: Vec<&str> = crates.flat_map(|(_, text)| dependencies(text)).map(|dependency| dependency.name).collect();
    let listed = dependencies(tree.text("Cargo.toml").unwrap_or_default());
    let idle = listed.into_iter().filter(|dependency| !used.contains(&dependency.name));
    idle.map(|dependency| Finding::new("Cargo.toml", dependency.line, format!("no crate uses {}", dependency.name))).collect()
}

pub struct Dependency<'a> {
    pub name: &'a str,
    pub line: usize,
    is_for_tests: bool,
    is_of_workspace: bool,
}

/// The dependencies that a manifest names, in any of its tables.
pub fn dependencies(manifest: &str) -> Vec<Dependency<'_>> {
    let mut found = Vec::new();
    let mut section = "";
    for (number, line) in manifest.lines().enumerate() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']');
            // `[dependencies.name]` is a dependency by itself; this repository writes one line each.
            if let Some((_, name)) = section.split_once("dependencies.") {
                found.push(Dependency { name, line: number + 1, is_for_tests: section.starts_with("dev-"), is_of_workspace: false });
            }
            continue;
        }
        if !section.ends_with("dependencies") || line.is_empty() || line.starts_with('#') {
            continue;
        }
        let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
        let is_for_tests = section.contains("dev-dependencies");
        found.push(Dependency { name, line: number + 1, is_for_tests, is_of_workspace: line.contains("workspace = true") });
    }
    found
}

/// Time, files, the environment and chance reach the machine as events, or not at all.
pub fn pure_core(tree: &Tree) -> Vec<Finding> {
    const IMPURE: &[&str] = &[
        "std::time",
        "std::fs",
        "std::env",
        "std::net",
        "std::thread",
        "std::process",
        "HashMap",
        "HashSet",
        "println!",
        "print!",
        "eprintln!",
        "eprint!",
        "async fn",
    ];
    let mut findings = Vec::new();
    for (path, text) in tree.under("crates/motet-core/src/", ".rs") {
        for (number, line) in lines(path, text).iter().enumerate().filter(|(_, line)| !line.is_test) {
            if let Some(found) = IMPURE.iter().find(|word| line.code.contains(**word)) {
                findings.push(Finding::new(path, number + 1, format!("`{found}` in the pure machine; let a host bring it in as an event")));
            }
        }
    }
    findings
}
