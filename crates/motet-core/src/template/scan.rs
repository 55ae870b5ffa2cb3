//! What the source of a template says about includes and filters, so that mistakes are found before anything is rendered.
//! It is not a parser: minijinja has already accepted the source.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

#[derive(Debug)]
pub(super) struct Include {
    /// Empty if it is not written out in quotes.
    pub path: String,
    pub place: Range<usize>,
}

pub(super) struct Filter {
    pub name: String,
    pub place: Range<usize>,
}

/// A regular expression that is part of the program: a wrong one is a bug, found by the first test that uses it.
macro_rules! fixed {
    ($name:ident, $source:literal) => {
        #[allow(clippy::unwrap_used, reason = "the pattern is a constant")]
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($source).unwrap());
    };
}

fixed!(SILENT, r"(?s)\{#.*?#\}|\{%[-+]?\s*raw\s*[-+]?%\}.*?\{%[-+]?\s*endraw\s*[-+]?%\}");
fixed!(TAG, r"(?s)\{%.*?%\}|\{\{.*?\}\}");
fixed!(QUOTED, r#"(?s)"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"#);
fixed!(INCLUDE, r#"(?s)^\{%[-+]?\s*(?:include|import|extends|from)\s+(?:"([^"]*)"|'([^']*)')?"#);
fixed!(PATH, r"\.?\s*\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*");
fixed!(LOCAL, r"\b(?:for|set|macro\s+\w+|call|as|import)\b[\s(]*([\w\s,=]+?)\s*(?:\bin\b|=|\)|[-+]?%\})|([A-Za-z_]\w*)\s*=[^=]");
fixed!(FILTER, r"(?:\||\{%[-+]?\s*filter)\s*([A-Za-z_]\w*)");

pub(super) fn includes(source: &str) -> Vec<Include> {
    let spoken = blank(source, &SILENT);
    let mut includes = Vec::new();
    for tag in TAG.find_iter(&spoken) {
        if let Some(found) = INCLUDE.captures(tag.as_str()) {
            let path = found.get(1).or(found.get(2));
            let place = path.map_or(tag.range(), |path| tag.start() + path.start()..tag.start() + path.end());
            includes.push(Include { path: path.map_or_else(String::new, |path| path.as_str().to_owned()), place });
        }
    }
    includes
}

pub(super) fn filters(source: &str) -> Vec<Filter> {
    let spoken = blank(source, &SILENT);
    let mut filters = Vec::new();
    for tag in TAG.find_iter(&spoken) {
        let bare = blank(tag.as_str(), &QUOTED);
        for name in FILTER.captures_iter(&bare).filter_map(|found| found.get(1)) {
            filters.push(Filter { name: name.as_str().to_owned(), place: tag.start() + name.start()..tag.start() + name.end() });
        }
    }
    filters
}

/// Every name with its fields that stands in a tag: all the variables the template can read, and words that are none.
pub(super) fn words(source: &str) -> BTreeSet<Vec<String>> {
    let mut words = BTreeSet::new();
    each_path(source, |path, _| {
        words.insert(path);
    });
    words
}

/// The variables that are read through `[ ]` and are not bound in the template: minijinja overlooks those it slices.
pub(super) fn subscripted(source: &str) -> BTreeSet<Vec<String>> {
    let bare: String = TAG.find_iter(&blank(source, &SILENT)).map(|tag| blank(tag.as_str(), &QUOTED)).collect();
    let bound = LOCAL.captures_iter(&bare).filter_map(|found| found.get(1).or(found.get(2)));
    let bound: BTreeSet<&str> = bound.flat_map(|names| names.as_str().split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    let mut subscripted = BTreeSet::new();
    each_path(source, |path, rest| {
        if rest.starts_with('[') && path[0] != "loop" && !bound.contains(path[0].as_str()) {
            subscripted.insert(path);
        }
    });
    subscripted
}

/// Calls back with each dotted path in a tag and with what follows it there.
fn each_path(source: &str, mut found: impl FnMut(Vec<String>, &str)) {
    for tag in TAG.find_iter(&blank(source, &SILENT)) {
        let bare = blank(tag.as_str(), &QUOTED);
        for path in PATH.find_iter(&bare).filter(|path| !path.as_str().starts_with('.')) {
            found(path.as_str().trim().split('.').map(str::to_owned).collect(), &bare[path.end()..]);
        }
    }
}

/// The source with spaces in place of what matches, so that places stay where they are.
fn blank(source: &str, what: &Regex) -> String {
    what.replace_all(source, |found: &regex::Captures<'_>| " ".repeat(found[0].len())).into_owned()
}
