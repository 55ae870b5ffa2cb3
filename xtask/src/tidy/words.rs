//! Words that must not stand somewhere: unfinished work, unwraps, names of workflows, machines, histories, requirements.

use super::Finding;
use super::source::{Line, lines};
use crate::requirements::{FILE, TABLE};
use crate::tree::Tree;

pub fn unfinished(tree: &Tree) -> Vec<Finding> {
    const IN_COMMENTS: &[&str] = &["TODO", "FIXME", "XXX"];
    const IN_CODE: &[&str] = &["todo!", "unimplemented!", "dbg!"];
    each_line(tree, "", |_, line| {
        let comment = IN_COMMENTS.iter().find(|word| line.comment.contains(**word));
        let found = comment.or_else(|| IN_CODE.iter().find(|word| line.code.contains(**word)))?;
        Some(format!("`{found}`: finish it, or leave it out"))
    })
}

pub fn unwrap(tree: &Tree) -> Vec<Finding> {
    // Tools for developers may stop at once.
    const ALLOWED: &[&str] = &["xtask/", "crates/motet-testkit/"];
    let mut findings = Vec::new();
    for (path, text) in tree.under("", ".rs").filter(|(path, _)| !ALLOWED.iter().any(|folder| path.starts_with(folder))) {
        let mut excused = false;
        for (number, line) in lines(path, text).iter().enumerate().filter(|(_, line)| !line.is_test) {
            if let Some(found) = panics(&line.code).filter(|_| !excused) {
                let why = format!("`{found}`: input must not be able to stop the process; say what is wrong instead");
                findings.push(Finding::new(path, number + 1, why));
            }
            // Clippy asks for the same, so an exception is written down once, with its reason, on the line before.
            excused = line.code.contains("clippy::unwrap_used, reason =") || line.code.contains("clippy::expect_used, reason =");
        }
    }
    findings
}

/// A parser's own `expect("token")?` is not meant: it answers with an error.
fn panics(code: &str) -> Option<&'static str> {
    let expects = code.match_indices(".expect(\"\")").any(|(at, found)| !code[at + found.len()..].starts_with('?'));
    match () {
        () if code.contains(".unwrap()") => Some(".unwrap()"),
        () if expects || code.contains(".expect(&format!") => Some(".expect(…)"),
        () => None,
    }
}

pub fn workflow_name(tree: &Tree) -> Vec<Finding> {
    let names = tree.workflows();
    each_line(tree, "crates/", |_, line| {
        if line.is_test {
            return None;
        }
        let named = |text: &String| names.iter().find(|name| text == *name || text.contains(&format!("workflows/{name}")));
        let name = line.texts.iter().find_map(named)?;
        Some(format!("`{name}` is the name of a workflow; no code may know one"))
    })
}

/// Where the code was written is nobody's business, and other machines have other paths.
pub fn machine_path(tree: &Tree) -> Vec<Finding> {
    let paths = ["/work/", "/root/"];
    let crates_io = "registry+https://github.com/rust-lang/crates.io-index";
    each_text_line(tree, |path, line| {
        if path == "Cargo.lock" {
            let source = line.strip_prefix("source = ")?.trim_matches('"');
            return (source != crates_io).then(|| format!("`{source}` is not crates.io"));
        }
        let registry = ["replace-with =", "[registries", "index-url", "extra-index"];
        let settings = path.ends_with(".toml") || path.ends_with(".cfg") || path.ends_with(".npmrc") || path.ends_with("/run");
        if let Some(found) = registry.iter().find(|found| settings && line.contains(**found)) {
            return Some(format!("`{found}`: which registry is used is the machine's business"));
        }
        let found = paths.iter().find(|found| !path.starts_with("xtask/src/tidy/") && names_machine(line, found))?;
        Some(format!("`{found}` is a path of one machine"))
    })
}

/// `/work/` at the beginning of a path, not inside one such as `host/work/here`.
fn names_machine(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| !line[..at].ends_with(|before: char| before.is_alphanumeric() || "._-}>*/".contains(before)))
}

/// A reader wants to know how things are, not how they came about.
pub fn history(tree: &Tree) -> Vec<Finding> {
    let phrases = ["this session", "previous session", "last session", "next session", "as an ai ", "as instructed"];
    each_text_line(tree, |path, line| {
        let lower = line.to_lowercase();
        let found = phrases.iter().find(|phrase| !path.starts_with("xtask/src/tidy/") && lower.contains(**phrase))?;
        Some(format!("`{found}`: say how it is, not how it came about"))
    })
}

pub fn requirement_id(tree: &Tree) -> Vec<Finding> {
    each_text_line(tree, |path, line| {
        let in_case = path.starts_with("workflows/") && path.contains("/cases/");
        if in_case || [FILE, TABLE].contains(&path) {
            return None;
        }
        let found = requirement(line)?;
        Some(format!("`{found}`: requirements are named in cases and in their table, nowhere else"))
    })
}

/// `S`, a digit, `-`, digits.
fn requirement(line: &str) -> Option<&str> {
    let starts = line.char_indices().filter(|(at, letter)| *letter == 'S' && !line[..*at].ends_with(char::is_alphanumeric));
    starts.map(|(at, _)| &line[at..]).find_map(|rest| {
        let bytes = rest.as_bytes();
        let shape = bytes.len() >= 4 && bytes[1].is_ascii_digit() && bytes[2] == b'-' && bytes[3].is_ascii_digit();
        let length = 3 + bytes.iter().skip(3).take_while(|byte| byte.is_ascii_digit()).count();
        shape.then(|| &rest[..length])
    })
}

fn each_line(tree: &Tree, folder: &str, find: impl Fn(&str, &Line) -> Option<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.under(folder, ".rs") {
        let numbered = lines(path, text).into_iter().enumerate();
        findings.extend(numbered.filter_map(|(number, line)| Some(Finding::new(path, number + 1, find(path, &line)?))));
    }
    findings
}

fn each_text_line(tree: &Tree, find: impl Fn(&str, &str) -> Option<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.files() {
        findings.extend(text.lines().enumerate().filter_map(|(number, line)| Some(Finding::new(path, number + 1, find(path, line)?))));
    }
    findings
}
