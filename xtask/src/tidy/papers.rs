//! What the documents owe the code: links that lead somewhere, a reason for every dependency, a line for every error code.

use std::collections::BTreeSet;

use super::Finding;
use super::source::lines;
use super::walls::dependencies;
use crate::tree::Tree;

pub fn links(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.under("", ".md") {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut fenced = false;
        for (number, line) in text.lines().enumerate() {
            fenced ^= line.trim_start().starts_with("```");
            if fenced {
                continue;
            }
            for target in targets(line) {
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                let full = if file.is_empty() { path.to_string() } else { joined(folder, file) };
                if !tree.has(&full) {
                    findings.push(Finding::new(path, number + 1, format!("`{target}` leads nowhere")));
                } else if !anchor.is_empty() && full.ends_with(".md") && !has_heading(tree.text(&full).unwrap_or_default(), anchor) {
                    findings.push(Finding::new(path, number + 1, format!("`{target}`: {full} has no such heading")));
                }
            }
        }
    }
    findings
}

/// The relative targets of the links in a line, those inside `code` left out.
fn targets(line: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    for (at, _) in line.match_indices("](") {
        let in_code = line[..at].matches('`').count() % 2 == 1;
        let target = line[at + 2..].split([')', ' ']).next().unwrap_or_default();
        let absolute = target.contains("://") || target.starts_with("mailto:");
        if !in_code && !absolute && !target.is_empty() {
            targets.push(target);
        }
    }
    targets
}

fn joined(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// As the usual renderers name headings: lower case, words joined by `-`, everything else gone.
fn has_heading(text: &str, anchor: &str) -> bool {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| line.trim_start_matches('#').trim()).any(|heading| {
        let lower = heading.to_lowercase();
        let kept = lower.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).eq(anchor.chars())
    })
}

pub fn dependency_reasons(tree: &Tree) -> Vec<Finding> {
    let manifest = tree.text("Cargo.toml").unwrap_or_default();
    let reasons = tree.text("docs/adr/0009-dependencies.md").unwrap_or_default();
    let outside =
        dependencies(manifest).into_iter().filter(|used| !manifest.lines().nth(used.line - 1).unwrap_or_default().contains("path ="));
    let silent = outside.filter(|used| !reasons.contains(&format!("\n| `{}` |", used.name)));
    silent
        .map(|used| Finding::new("Cargo.toml", used.line, format!("no row of docs/adr/0009-dependencies.md says why `{}`", used.name)))
        .collect()
}

pub fn error_pages(tree: &Tree) -> Vec<Finding> {
    let pages: String = tree.under("docs/errors/", ".md").map(|(_, text)| text).collect();
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for (path, text) in tree.under("crates/", ".rs") {
        for (number, line) in lines(path, text).iter().enumerate().filter(|(_, line)| !line.is_test) {
            let codes = line.texts.iter().filter(|text| is_code(text));
            for code in codes.filter(|code| !pages.contains(code.as_str())) {
                if seen.insert(code.clone()) {
                    findings.push(Finding::new(path, number + 1, format!("`{code}` is not explained in docs/errors")));
                }
            }
        }
    }
    findings
}

/// `M` and four digits.
fn is_code(text: &str) -> bool {
    text.strip_prefix('M').is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_digit()))
}
