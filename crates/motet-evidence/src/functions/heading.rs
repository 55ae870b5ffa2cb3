//! Titles and headings as they may be printed: without addresses, and with no number or name that only the writer knows.
//! They carry no citation, so they are held against everything that was asked or found, and replaced as a whole if they say more.

use std::collections::BTreeSet;

use serde_json::Value;

use super::given::{Fact, Source, members, text, texts};
use super::plain::{plain, without_addresses};
use crate::report::with_plain_numbers;
use crate::text::{Kind, Number, fold, numbers, tokens, words};

/// What a section is called whose own heading may not be printed and whose facts belong to no dimension.
pub const FINDINGS: &str = "Findings";

pub const REPORT: &str = "Report";

/// Words that stand above sections of any report and name nothing.
const USUAL: [&str; 21] = [
    "nearest",
    "findings",
    "overview",
    "background",
    "introduction",
    "conclusion",
    "conclusions",
    "summary",
    "outlook",
    "results",
    "discussion",
    "limitations",
    "methods",
    "context",
    "history",
    "further",
    "sources",
    "references",
    "caveats",
    "contents",
    "answer",
];

/// Everything that was asked or found: the topic, the dimensions of the plan, the facts and the titles of their sources.
pub struct Ground {
    topic: String,
    stems: BTreeSet<String>,
    numbers: Vec<Number>,
}

impl Ground {
    pub fn of(topic: &str, dimensions: &Value, facts: &[Fact], sources: &[Source]) -> Self {
        let mut said = vec![topic];
        for dimension in members(dimensions) {
            said.extend(dimension.as_str());
            said.push(text(dimension, "name"));
            said.extend(texts(&dimension["questions"]));
        }
        said.extend(facts.iter().flat_map(|fact| [fact.statement, fact.quote, text(fact.value, "dimension")]));
        said.extend(sources.iter().map(|source| source.title));
        let said = said.join("\n\n");
        let said = with_plain_numbers(&said, |_| false);
        let tokens = tokens(&said);
        let words = tokens.iter().filter(|token| token.kind == Kind::Word).map(|token| words::stem(&fold(token.of(&said))));
        Self { topic: one_line(topic), stems: words.collect(), numbers: numbers(&said, &tokens) }
    }

    /// The title, or the topic if the title says more than is known.
    pub fn title(&self, words: &str) -> String {
        [one_line(words), self.topic.clone()].into_iter().find(|words| self.knows(words)).unwrap_or_else(|| REPORT.to_string())
    }

    /// The heading of a section, or the dimension that most of its facts belong to.
    pub fn heading(&self, words: &str, dimension: &str) -> String {
        [one_line(words), one_line(dimension)].into_iter().find(|words| self.knows(words)).unwrap_or_else(|| FINDINGS.to_string())
    }

    /// In a heading any word may have a capital, so every one that has is a name unless it is a common word.
    fn knows(&self, heading: &str) -> bool {
        let heading = with_plain_numbers(heading, |_| false);
        let tokens = tokens(&heading);
        let capital = |word: &&str| word.starts_with(char::is_uppercase) && word.chars().count() > 1;
        let mut names = tokens.iter().filter(|token| token.kind == Kind::Word).map(|token| token.of(&heading)).filter(capital).map(fold);
        let is_known = |word: String| words::is_common(&word) || USUAL.contains(&word.as_str()) || self.stems.contains(&words::stem(&word));
        let is_borne_out = |number: &Number| self.numbers.iter().any(|said| said.bears_out(number));
        heading.chars().any(char::is_alphanumeric)
            && names.all(is_known)
            && numbers(&heading, &tokens).iter().filter(|number| !number.ambiguous).all(is_borne_out)
    }
}

fn one_line(words: &str) -> String {
    without_addresses(&plain(words), "")
}
