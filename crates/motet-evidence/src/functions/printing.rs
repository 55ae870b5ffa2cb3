//! Prints a report: sentences with the citations of the facts they name, where sources disagree, what limits it, and its sources.
//! Nothing can be cited here that no fact names, and nothing is judged: what is doubtful was found by somebody else.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::disputes::in_words;
use super::given::{Fact, Registry, Source, members, text, texts};
use super::plain::{ended, escaped, plain, with_remark};
use crate::report::is_reference_heading;
use crate::text::sentences;

/// What is printed.
pub struct Edition<'a> {
    pub report: &'a Value,
    pub facts: &'a [Fact<'a>],
    pub sources: &'a [Source<'a>],
    pub conflicts: &'a [Value],
    /// Sentences that say what the report does not answer, and why.
    pub caveats: Vec<String>,
}

/// A sentence of the printed report, with the heading above it.
pub type Place = (String, String);

/// In Markdown. Sentences that are among the doubtful ones say themselves that they are unverified.
pub fn print(edition: &Edition, doubtful: &BTreeSet<Place>) -> String {
    let registry = Registry::of(edition.sources);
    let facts = edition.facts.iter().map(|fact| (fact.id, fact)).collect();
    let mut printer = Printer { facts, registry, doubtful, section: String::new(), used: BTreeSet::new(), out: String::new() };
    let report = edition.report;
    printer.heading("#", text(report, "title"));
    printer.paragraph(&report["summary"]);
    for section in members(&report["sections"]) {
        printer.heading("##", text(section, "heading"));
        for paragraph in members(&section["paragraphs"]) {
            printer.paragraph(paragraph);
        }
    }
    printer.disputes(edition.conflicts);
    printer.caveats(&edition.caveats);
    printer.sources(edition.sources);
    printer.out
}

struct Printer<'a> {
    facts: BTreeMap<&'a str, &'a Fact<'a>>,
    registry: Registry<'a>,
    doubtful: &'a BTreeSet<Place>,
    /// The heading above what is printed now.
    section: String,
    /// Ids of the sources that were cited.
    used: BTreeSet<String>,
    out: String,
}

impl Printer<'_> {
    fn block(&mut self, block: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(block);
        self.out.push('\n');
    }

    /// A section that is named like the list of sources would be read as one, and a heading without words as none.
    fn heading(&mut self, level: &str, words: &str) {
        let words = plain(words);
        let is_taken = is_reference_heading(&words) || ["contents", "table of contents"].contains(&words.to_lowercase().as_str());
        let words = if is_taken { format!("On: {words}") } else { words };
        if words.chars().any(char::is_alphanumeric) {
            self.block(&format!("{level} {}", escaped(&words)));
            self.section = words;
        }
    }

    fn paragraph(&mut self, paragraph: &Value) {
        let all: Vec<String> =
            members(paragraph).iter().map(|sentence| self.prose(text(sentence, "text"), &texts(&sentence["facts"]), "")).collect();
        let all: Vec<String> = all.into_iter().filter(|printed| !printed.is_empty()).collect();
        if !all.is_empty() {
            self.block(&all.join(" "));
        }
    }

    fn disputes(&mut self, conflicts: &[Value]) {
        let is_told = |conflict: &Value| texts(&conflict["facts"]).iter().any(|id| self.facts.contains_key(id));
        let told: Vec<&Value> = conflicts.iter().filter(|conflict| is_told(conflict)).collect();
        if !told.is_empty() {
            self.heading("##", "Where sources disagree");
            let printed: Vec<String> = told.into_iter().map(|conflict| self.dispute(conflict)).collect();
            self.block(&printed.join("\n"));
        }
    }

    /// One item for what is in dispute, and below it one for each side that was not left out.
    fn dispute(&mut self, conflict: &Value) -> String {
        let sides: Vec<&str> = texts(&conflict["facts"]).into_iter().filter(|id| self.facts.contains_key(id)).collect();
        let remark = [in_words(text(conflict, "scope")), text(conflict, "severity")];
        let remark = remark.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ");
        let mut lines = vec![format!("- {}", self.prose(text(conflict, "summary"), &sides, &remark))];
        for id in &sides {
            let statement = self.facts[id].statement;
            let side = format!("  - {}", self.prose(statement, &[id], ""));
            if !lines.contains(&side) {
                lines.push(side);
            }
        }
        lines.join("\n")
    }

    fn caveats(&mut self, caveats: &[String]) {
        let told: Vec<&String> = caveats.iter().filter(|caveat| !sentences(&plain(caveat)).is_empty()).collect();
        if !told.is_empty() {
            self.heading("##", "Caveats");
            let items: Vec<String> = told.into_iter().map(|caveat| self.prose(caveat, &[], "")).collect();
            self.block(&items.iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n"));
        }
    }

    fn sources(&mut self, sources: &[Source]) {
        let cited = sources.iter().filter(|source| self.used.contains(source.id)).map(entry).collect::<Vec<_>>();
        self.block("## Sources");
        if !cited.is_empty() {
            self.block(&cited.join("\n"));
        }
    }

    /// A text may hold several sentences; each gets the citations. The remark comes after the last one, between brackets: so it is
    /// read as a part of the citation, and not of what is claimed.
    fn prose(&mut self, text: &str, facts: &[&str], remark: &str) -> String {
        let citations = self.citations(facts);
        let words = plain(text);
        let spans = sentences(&words);
        let last = spans.len().saturating_sub(1);
        let printed = spans.iter().enumerate().map(|(place, span)| {
            let whole = ended(span.of(&words));
            let marked = if self.is_doubtful(&whole) { with_remark(&whole, "unverified") } else { whole };
            let remark = if remark.is_empty() || place < last { String::new() } else { format!(" ({remark})") };
            format!("{}{remark}{citations}", escaped(&marked))
        });
        printed.collect::<Vec<_>>().join(" ")
    }

    /// Whoever read the report may have taken two sentences for one; then the first of them carries the mark.
    fn is_doubtful(&self, sentence: &str) -> bool {
        self.doubtful.iter().any(|(section, text)| *section == self.section && text.starts_with(sentence))
    }

    fn citations(&mut self, facts: &[&str]) -> String {
        let named = facts.iter().filter_map(|id| self.facts.get(id)).flat_map(|fact| self.registry.behind(&fact.sources));
        let ids: BTreeSet<&str> = named.map(|source| source.id).filter(|id| !id.is_empty()).collect();
        self.used.extend(ids.iter().map(|id| id.to_string()));
        ids.iter().map(|id| format!(" [{id}]")).collect()
    }
}

fn entry(source: &Source) -> String {
    // The first address of an entry is the one it is known by, so a title may have none.
    let title = plain(source.title).replace("://", " ");
    let title = escaped(title.trim_end_matches('.'));
    let archived = if source.local_path.is_empty() { String::new() } else { format!(", archived as {}", escaped(source.local_path)) };
    let accessed = if source.accessed.is_empty() { String::new() } else { format!(", accessed {}", source.accessed) };
    format!("- [{}] {title}. {} ({}{accessed}{archived})", source.id, escaped(source.url), source.kind)
}
