//! Reads mappings, words and numbers out of a tree, and collects every problem instead of stopping at the first.
//! It knows the grammar's keys but not what they mean.

use super::codes;
use super::grammar::Mapping;
use super::yaml::{Key, Kind, Node};
use crate::diagnostic::{Diagnostic, Span, nearest};
use crate::units::parse_duration;

/// The problems found so far, and the ways to read one value. `None` always means: there is a problem, and it has been noted.
#[derive(Default)]
pub struct Reader {
    pub problems: Vec<Diagnostic>,
}

/// A mapping whose keys have been checked.
pub struct Fields<'n> {
    kind: &'static Mapping,
    entries: &'n [(Key, Node)],
    pub span: Span,
}

impl<'n> Fields<'n> {
    /// The value of a key; a key without a value is as good as absent.
    pub fn get(&self, name: &str) -> Option<&'n Node> {
        debug_assert!(self.kind.key(name).is_some(), "the grammar of `{}` has no key `{name}`", self.kind.name);
        self.entries.iter().find(|(key, _)| key.text == name).map(|(_, value)| value).filter(|value| !value.is_null())
    }

    /// Where the key itself stands.
    pub fn key_span(&self, name: &str) -> Span {
        self.entries.iter().find(|(key, _)| key.text == name).map_or_else(|| self.span.clone(), |(key, _)| key.span.clone())
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

impl Reader {
    pub fn error(&mut self, code: &'static str, span: &Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Diagnostic::error(code, message).at(span))
    }

    pub fn warning(&mut self, code: &'static str, span: &Span, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Diagnostic::warning(code, message).at(span))
    }

    fn push(&mut self, problem: Diagnostic) -> &mut Diagnostic {
        self.problems.push(problem);
        let last = self.problems.len() - 1;
        &mut self.problems[last]
    }

    /// The value of a fallible reading, its problem noted.
    pub fn keep<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|problem| self.problems.push(problem)).ok()
    }

    /// Checks a mapping against its kind. `owner` is where a missing key is reported.
    pub fn fields<'n>(&mut self, node: &'n Node, kind: &'static Mapping, owner: &Span) -> Option<Fields<'n>> {
        let entries = self.map(node, kind.name)?;
        let mut misspelt = Vec::new();
        for (key, _) in entries.iter().filter(|(key, _)| kind.key(&key.text).is_none()) {
            let name = &key.text;
            misspelt.extend(nearest(name, kind.names()));
            let problem = self.error(codes::UNKNOWN_KEY, &key.span, format!("unknown key `{name}` in {}", article(kind.name)));
            suggest(problem, name, kind.names());
        }
        let fields = Fields { kind, entries, span: owner.clone() };
        for key in kind.keys.iter().filter(|key| key.required && !fields.has(key.name) && !misspelt.contains(&key.name)) {
            let about = key.about;
            let problem = self.error(codes::MISSING_KEY, owner, format!("{} needs the key `{}`", article(kind.name), key.name));
            problem.help.push(format!("`{}`: {}", key.name, about));
        }
        Some(fields)
    }

    pub fn map<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [(Key, Node)]> {
        match &node.kind {
            Kind::Map(entries) => Some(entries),
            _ => self.wrong(node, &format!("a mapping (`{what}`)")),
        }
    }

    /// The entries of a mapping whose keys the author chose; null values stay.
    pub fn entries<'n>(&mut self, node: Option<&'n Node>, what: &str) -> &'n [(Key, Node)] {
        node.and_then(|node| self.map(node, what)).unwrap_or_default()
    }

    pub fn list<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        match &node.kind {
            Kind::List(items) => Some(items),
            _ => {
                let written = node.scalar().map(str::to_owned);
                let problem = self.error(codes::WRONG_TYPE, &node.span, format!("expected a list of {what}, found {}", node.describe()));
                problem.help.extend(written.map(|text| format!("write `[{text}]`")));
                None
            }
        }
    }

    /// Any scalar, as written.
    pub fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        match &node.kind {
            Kind::Scalar { text, .. } if !node.is_null() => Some(text),
            _ => self.wrong(node, what),
        }
    }

    pub fn texts<'n>(&mut self, node: Option<&'n Node>, what: &str) -> Vec<(&'n str, &'n Span)> {
        let items = node.and_then(|node| self.list(node, &format!("{what}s"))).unwrap_or_default();
        items.iter().filter_map(|item| self.text(item, what).map(|text| (text, &item.span))).collect()
    }

    pub fn integer(&mut self, node: &Node, least: u64, most: u64) -> Option<u64> {
        let number = node.literal().and_then(|value| value.as_u64()).filter(|number| (least..=most).contains(number));
        let wanted =
            if most == u64::MAX { format!("a whole number of at least {least}") } else { format!("a whole number from {least} to {most}") };
        number.or_else(|| self.wrong(node, &wanted))
    }

    pub fn count(&mut self, node: &Node, least: u32) -> Option<u32> {
        self.integer(node, u64::from(least), u64::from(u32::MAX)).and_then(|number| u32::try_from(number).ok())
    }

    pub fn number(&mut self, node: &Node, least: f64, most: f64) -> Option<f64> {
        let number = node.literal().and_then(|value| value.as_f64()).filter(|number| (least..=most).contains(number));
        let wanted = if most == f64::MAX { format!("a number of at least {least}") } else { format!("a number from {least} to {most}") };
        number.or_else(|| self.wrong(node, &wanted))
    }

    pub fn boolean(&mut self, node: &Node) -> Option<bool> {
        node.literal().and_then(|value| value.as_bool()).or_else(|| self.wrong(node, "`true` or `false`"))
    }

    /// In milliseconds.
    pub fn duration(&mut self, node: &Node) -> Option<u64> {
        node.scalar().and_then(parse_duration).or_else(|| self.wrong(node, "a duration such as `500ms`, `30s`, `10m`, `2h` or `1h30m`"))
    }

    /// A share of one.
    pub fn percent(&mut self, node: &Node) -> Option<f64> {
        let number = node.scalar().and_then(|text| text.strip_suffix('%')).and_then(|digits| digits.parse::<f64>().ok());
        number
            .filter(|number| (0.0..=100.0).contains(number))
            .map(|number| number / 100.0)
            .or_else(|| self.wrong(node, "a share such as `20%`"))
    }

    /// One of a few words; the answer is its position.
    pub fn word(&mut self, node: &Node, words: &[&str]) -> Option<usize> {
        let position = node.scalar().and_then(|text| words.iter().position(|word| *word == text));
        if position.is_none() {
            self.wrong::<()>(node, &alternatives(words));
            if let (Some(problem), Some(text)) = (self.problems.last_mut(), node.scalar()) {
                suggest(problem, text, words.iter().copied());
            }
        }
        position
    }

    pub fn wrong<T>(&mut self, node: &Node, wanted: &str) -> Option<T> {
        self.error(codes::WRONG_TYPE, &node.span, format!("expected {wanted}, found {}", node.describe()));
        None
    }
}

/// Among more names than this nobody looks for the one that was meant.
const MOST_CANDIDATES: usize = 1000;

/// Adds the candidate that was probably meant, or all of them where they are few.
pub fn suggest<'a>(problem: &mut Diagnostic, written: &str, candidates: impl IntoIterator<Item = &'a str>) {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    if candidates.len() > MOST_CANDIDATES {
        return;
    }
    match nearest(written, candidates.iter().copied()) {
        Some(candidate) => problem.help.push(format!("did you mean `{candidate}`?")),
        None if candidates.len() == 1 => problem.help.push(format!("there is only `{}`", candidates[0])),
        None if (2..=20).contains(&candidates.len()) => problem.help.push(format!("there are {}", quoted(&candidates, "and"))),
        None => {}
    }
}

pub fn alternatives(words: &[&str]) -> String {
    quoted(words, "or")
}

/// `a`, `b` and `c`.
pub fn quoted(words: &[&str], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => format!("`{one}`"),
        [most @ .., one] => format!("{} {last} `{one}`", most.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")),
    }
}

fn article(kind: &str) -> String {
    match kind {
        "limits" | "retry" | "questions" | "trouble" | "if_unclear" | "if_task_fails" | "after_each" | "sends" | "expect" => {
            format!("`{kind}`")
        }
        "plan_task" => "a task of a plan".into(),
        "agent" => "an agent".into(),
        other => format!("a {}", other.replace('_', " ")),
    }
}
