//! A report as it will be printed: sentences with what they cite, where sources disagree, what limits it, and its sources.
//! Nothing can be cited here that no fact names, and nothing is judged: what is doubtful was found by somebody else.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize as _, Serialize};
use serde_json::Value;

use super::given::{Fact, Registry, Source, members, text, texts};
use super::heading::{FINDINGS, Ground, REPORT};
use super::plain::{balanced, ended, marked, plain, settled, with_remark, without_addresses};
use crate::fact::Scope;
use crate::report::{About, CAVEATS, is_reference_heading, remark};
use crate::text::sentences;

/// What is laid out.
pub struct Edition<'a> {
    pub report: &'a Value,
    /// What the user asked.
    pub topic: &'a str,
    /// The dimensions of the plan.
    pub dimensions: &'a Value,
    pub facts: &'a [Fact<'a>],
    pub sources: &'a [Source<'a>],
    pub conflicts: &'a [Value],
    /// Sentences that say what the report does not answer, and why.
    pub caveats: Vec<String>,
}

/// In the place of an address that nobody has to have read: what is not cited must not look like a source.
const LEFT_OUT: &str = "(address left out)";

/// A sentence of the printed report, with the heading above it.
pub type Place = (String, String);

/// What a first reading of the printed report found.
#[derive(Default)]
pub struct Doubts {
    /// Sentences that must say themselves that they are unverified.
    pub unverified: BTreeSet<Place>,
    /// Sources that do not bear out a sentence which others bear, by their ids: they are not cited there.
    pub unsound: BTreeMap<Place, BTreeSet<String>>,
}

#[derive(Default, Serialize)]
pub struct Layout {
    pub blocks: Vec<Block>,
    /// Those that are cited.
    pub sources: Vec<Entry>,
}

impl Layout {
    pub fn title(&self) -> &str {
        let title = self.blocks.iter().find_map(|block| if let Block::Title { words } = block { Some(words.as_str()) } else { None });
        title.unwrap_or_default()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Block {
    Title {
        words: String,
    },
    Heading {
        words: String,
    },
    Paragraph {
        sentences: Vec<Sentence>,
    },
    /// Items, each with items of its own below it.
    List {
        items: Vec<Item>,
    },
}

#[derive(Serialize)]
pub struct Item {
    pub sentences: Vec<Sentence>,
    pub below: Vec<Vec<Sentence>>,
}

/// Plain words without markup, but for the backticks around code.
#[derive(PartialEq, Serialize)]
pub struct Sentence {
    pub words: String,
    /// Stands behind it between brackets, as a part of the citation and not of what is claimed.
    pub remark: String,
    pub cites: Vec<Citation>,
}

#[derive(Clone, PartialEq, Serialize)]
pub struct Citation {
    /// Of the source.
    pub id: String,
    pub title: String,
    /// What the facts that the sentence names quote from it.
    pub quotes: Vec<String>,
}

/// A source in the list at the end.
#[derive(Serialize)]
pub struct Entry {
    pub id: String,
    pub title: String,
    pub url: String,
    /// What stands behind it between brackets: whose it is and of when, its kind, whether it is official, when it was read.
    pub about: String,
    pub local_path: String,
}

pub fn lay_out(edition: &Edition, doubts: &Doubts) -> Layout {
    let registry = Registry::of(edition.sources);
    let facts = edition.facts.iter().map(|fact| (fact.id, fact)).collect();
    let mut setter = Setter { facts, registry, doubts, section: String::new(), cited: BTreeSet::new(), blocks: Vec::new() };
    let report = edition.report;
    let ground = Ground::of(edition.topic, edition.dimensions, edition.facts, edition.sources);
    if let Some(words) = setter.heading(&ground.title(text(report, "title")), REPORT) {
        setter.blocks.push(Block::Title { words });
    }
    setter.paragraph(&report["summary"]);
    for section in members(&report["sections"]) {
        setter.section(&ground.heading(text(section, "heading"), setter.dimension(section)));
        members(&section["paragraphs"]).iter().for_each(|paragraph| setter.paragraph(paragraph));
    }
    setter.disputes(edition.conflicts);
    setter.caveats(&edition.caveats);
    let sources = edition.sources.iter().filter(|source| setter.cited.contains(source.id)).map(entry).collect();
    Layout { blocks: setter.blocks, sources }
}

/// Above what the printer says itself, or above nothing that claims anything.
const OWN_HEADINGS: [&str; 3] = ["contents", "table of contents", CAVEATS];

const DISAGREE: &str = "Where sources disagree";
const DIFFER: &str = "Where sources differ and both may be right";

struct Setter<'a> {
    facts: BTreeMap<&'a str, &'a Fact<'a>>,
    registry: Registry<'a>,
    doubts: &'a Doubts,
    /// The heading above what is set now.
    section: String,
    /// Ids of the sources.
    cited: BTreeSet<String>,
    blocks: Vec<Block>,
}

impl Setter<'_> {
    /// A section that is named like the list of sources, or like our caveats, would be read as one, and a heading without words as none. A heading with a
    /// number that no sentence bears out gives way to the other words.
    fn heading(&mut self, words: &str, otherwise: &str) -> Option<String> {
        let words = settled(words).unwrap_or_default();
        let is_taken = is_reference_heading(&words) || OWN_HEADINGS.iter().any(|own| own.eq_ignore_ascii_case(&words));
        let words = if is_taken { format!("On: {words}") } else { words };
        let words = with_capital(words);
        let says_something = words.chars().any(char::is_alphanumeric);
        says_something.then(|| {
            self.section.clone_from(&words);
            let is_doubtful = self.doubts.unverified.contains(&(self.section.clone(), self.section.clone()));
            if is_doubtful { otherwise.to_string() } else { words }
        })
    }

    /// The dimension that most facts of a section belong to.
    fn dimension(&self, section: &Value) -> &str {
        let sentences = members(&section["paragraphs"]).iter().flat_map(members);
        let named = sentences.flat_map(|sentence| texts(&sentence["facts"])).filter_map(|id| self.facts.get(id));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        named
            .map(|fact| text(fact.value, "dimension"))
            .filter(|name| !name.is_empty())
            .for_each(|name| *counts.entry(name).or_default() += 1);
        counts.into_iter().max_by_key(|(_, count)| *count).map_or("", |(name, _)| name)
    }

    fn section(&mut self, words: &str) {
        if let Some(words) = self.heading(words, FINDINGS) {
            self.blocks.push(Block::Heading { words });
        }
    }

    fn paragraph(&mut self, paragraph: &Value) {
        let all = members(paragraph).iter().flat_map(|sentence| self.prose(text(sentence, "text"), &texts(&sentence["facts"]), ""));
        let sentences: Vec<Sentence> = all.collect();
        if !sentences.is_empty() {
            self.blocks.push(Block::Paragraph { sentences });
        }
    }

    /// What a year, a place or a unit explains is no disagreement, and is told apart from what nothing explains.
    fn disputes(&mut self, conflicts: &[Value]) {
        let is_told = |conflict: &&Value| texts(&conflict["facts"]).iter().any(|id| self.facts.contains_key(id));
        let is_open = |conflict: &&Value| Scope::deserialize(&conflict["scope"]).map_or(true, Scope::is_open);
        let (open, explained): (Vec<&Value>, Vec<&Value>) = conflicts.iter().filter(is_told).partition(is_open);
        for (heading, told) in [(DISAGREE, open), (DIFFER, explained)].into_iter().filter(|(_, told)| !told.is_empty()) {
            self.section(heading);
            let items = told.into_iter().map(|conflict| self.dispute(conflict)).collect();
            self.blocks.push(Block::List { items });
        }
    }

    /// One item for what is in dispute, and below it one for each side that was not left out.
    fn dispute(&mut self, conflict: &Value) -> Item {
        let sides: Vec<&str> = texts(&conflict["facts"]).into_iter().filter(|id| self.facts.contains_key(id)).collect();
        let remark = remark(text(conflict, "scope"), text(conflict, "severity"));
        let mut item = Item {
            sentences: self.prose(&without_addresses(&marked(text(conflict, "summary")), LEFT_OUT), &sides, &remark),
            below: Vec::new(),
        };
        for id in &sides {
            let statement = self.facts[id].statement;
            let side = self.prose(statement, &[id], "");
            if !item.below.contains(&side) {
                item.below.push(side);
            }
        }
        item
    }

    fn caveats(&mut self, caveats: &[String]) {
        let told: Vec<&String> = caveats.iter().filter(|caveat| !sentences(&plain(caveat)).is_empty()).collect();
        if !told.is_empty() {
            self.section = CAVEATS.to_string();
            self.blocks.push(Block::Heading { words: CAVEATS.to_string() });
            let items = told
                .into_iter()
                .map(|caveat| Item { sentences: self.prose(&without_addresses(&marked(caveat), LEFT_OUT), &[], ""), below: Vec::new() })
                .collect();
            self.blocks.push(Block::List { items });
        }
    }

    /// A text may hold several sentences; each gets the citations, and the last one the remark.
    fn prose(&mut self, text: &str, facts: &[&str], remark: &str) -> Vec<Sentence> {
        let all = self.citations(facts);
        let words = marked(text);
        let spans = sentences(&words);
        let last = spans.len().saturating_sub(1);
        let set = spans.iter().enumerate().map(|(place, span)| {
            let whole = ended(&balanced(span.of(&words)));
            let cites: Vec<Citation> = all.iter().filter(|citation| !self.is_unsound(&whole, &citation.id)).cloned().collect();
            Sentence {
                words: if self.is_doubtful(&whole) { with_remark(&whole, "unverified") } else { whole },
                remark: if place == last { remark.to_string() } else { String::new() },
                cites,
            }
        });
        let set: Vec<Sentence> = set.collect();
        self.cited.extend(set.iter().flat_map(|sentence| &sentence.cites).map(|citation| citation.id.clone()));
        set
    }

    /// Whoever read the report may have taken two sentences for one, or one for two; then the first of them carries the mark.
    fn is_doubtful(&self, sentence: &str) -> bool {
        let read = sentence.replace('`', "");
        self.doubts
            .unverified
            .iter()
            .any(|(section, text)| *section == self.section && (text.starts_with(&read) || read.contains(text.as_str())))
    }

    fn is_unsound(&self, sentence: &str, source: &str) -> bool {
        let read = sentence.replace('`', "");
        let here = |(section, text): &Place| *section == self.section && text.starts_with(&read);
        self.doubts.unsound.iter().any(|(place, sources)| here(place) && sources.contains(source))
    }

    /// In the order of their ids.
    fn citations(&self, facts: &[&str]) -> Vec<Citation> {
        let mut cites: BTreeMap<&str, Citation> = BTreeMap::new();
        for fact in facts.iter().filter_map(|id| self.facts.get(id)) {
            for source in self.registry.behind(&fact.sources).into_iter().filter(|source| !source.id.is_empty()) {
                let new = || Citation { id: source.id.to_string(), title: title(source), quotes: Vec::new() };
                let citation = cites.entry(source.id).or_insert_with(new);
                // Only where it was read do its words stand.
                let quote = fact.quote.split_whitespace().collect::<Vec<_>>().join(" ");
                let was_read_there = fact.own.iter().any(|name| [source.url, source.id].contains(name));
                if was_read_there && !quote.is_empty() && !citation.quotes.contains(&quote) {
                    citation.quotes.push(quote);
                }
            }
        }
        cites.into_values().collect()
    }
}

fn entry(source: &Source) -> Entry {
    let about = About {
        by: by(source),
        published: unlinked(source.published),
        doi: unlinked(source.doi),
        kind: source.kind.to_string(),
        official: source.official,
        accessed: source.accessed.to_string(),
    };
    Entry {
        id: source.id.to_string(),
        title: title(source),
        url: source.url.to_string(),
        about: about.written(),
        local_path: source.local_path.to_string(),
    }
}

/// Who wrote it, as far as anybody says.
fn by(source: &Source) -> String {
    let authors: Vec<String> = source.authors.iter().map(|author| unlinked(author)).filter(|author| !author.is_empty()).collect();
    match authors.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [first, ..] => format!("{first} et al."),
    }
}

fn title(source: &Source) -> String {
    unlinked(source.title).trim_end_matches('.').to_string()
}

/// The first address of an entry is the one it is known by, so nothing else in it may have one.
fn unlinked(words: &str) -> String {
    plain(words).replace("://", " ")
}

/// A heading begins with a capital, unless its first word is written in a way of its own, such as iPhone.
fn with_capital(words: String) -> String {
    let is_plain =
        words.split_whitespace().next().is_some_and(|word| word.chars().all(|letter| letter.is_lowercase() || !letter.is_alphabetic()));
    let mut letters = words.chars();
    match letters.next().filter(|_| is_plain) {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    }
}
