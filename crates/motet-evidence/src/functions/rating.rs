//! How far each fact may be trusted, by its own words, by the standing of its sources, and by other facts that say the same.
//! What an agent claimed decides only whether a source counts as reputable: no claim makes one source into two.

use std::collections::{BTreeMap, BTreeSet};

use super::given::{Fact, Registry, Source};
use super::shelf::Shelf;
use crate::claim::{Claim, Label, Page, Verdict, agrees, check, quote};
use crate::fact::{Confidence, Standing, Witness, clusters, rate};
use crate::score::content_words;
use crate::text::Span;

pub struct Rating {
    pub confidence: Confidence,
    /// From 0 to 1.
    pub probability: f64,
    /// Addresses of further sources, in which other facts say the same.
    pub confirmed_by: BTreeSet<String>,
}

/// How much of the archived text around a quotation is read with it, before and after.
const AROUND_BYTES: usize = 1_000;

/// As much of a source as shows whether it is a copy of another.
const COMPARED_BYTES: usize = 60_000;

/// From this share of its words on, another fact may be saying the same.
const WORTH_COMPARING: f64 = 0.5;

/// A witness above this says so; see `fact::rate`.
const SAYS_SO: f64 = 0.5;

/// One rating for each fact, in their order, and the groups of sources that count as one voice.
pub fn ratings(facts: &[&Fact], sources: &[Source], registry: &Registry, shelf: &Shelf) -> (Vec<Rating>, Vec<Vec<String>>) {
    let texts: Vec<String> = sources.iter().map(|source| own_words(source, facts, registry, shelf)).collect();
    let voices = clusters(&sources.iter().zip(&texts).map(|(source, text)| (source.url, source.url, text.as_str())).collect::<Vec<_>>());
    let read: Vec<Read> = facts.iter().map(|fact| Read::of(fact)).collect();
    let mut pages = Pages { shelf, known: BTreeMap::new() };
    let all = read.iter().map(|this| {
        let mut witnesses: Vec<Witness> = registry
            .behind(&this.fact.own)
            .into_iter()
            .enumerate()
            .map(|(place, source)| witness(this, source, place == 0, &mut pages))
            .collect();
        let mut confirmed_by = BTreeSet::new();
        for (other, verdict) in confirming(this, &read) {
            for source in registry.behind(&other.own).into_iter().filter(|source| !this.names(source)) {
                witnesses.push(Witness { source: source.url.to_string(), standing: standing(other, source), support: verdict.score });
                confirmed_by.insert(source.url.to_string());
            }
        }
        let (confidence, probability) = rate(&witnesses, &voices);
        Rating { confidence, probability: (probability * 1000.0).round() / 1000.0, confirmed_by }
    });
    (all.collect(), voices)
}

/// The archived text around a quotation, and where it begins; none if the quotation is not there.
pub fn around(quotation: &str, text: &str) -> Option<(Span, Span)> {
    let found = quote::find(quotation, text)?.span;
    let start = (0..=found.start.saturating_sub(AROUND_BYTES)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let end = (found.end.saturating_add(AROUND_BYTES)..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    // A word that is cut in two is another word.
    let begin = if start == 0 { 0 } else { text[start..found.start].find(char::is_whitespace).map_or(found.start, |gap| start + gap) };
    let finish =
        if end == text.len() { end } else { text[found.end..end].rfind(char::is_whitespace).map_or(found.end, |gap| found.end + gap) };
    Some((Span::new(begin, finish), found))
}

struct Read<'a> {
    fact: &'a Fact<'a>,
    page: Page,
    /// What it says, and what it quotes.
    said: BTreeSet<String>,
    quoted: BTreeSet<String>,
}

impl<'a> Read<'a> {
    fn of(fact: &'a Fact<'a>) -> Self {
        Self { fact, page: Page::of(fact.words()), said: content_words(fact.statement), quoted: content_words(fact.words()) }
    }

    fn names(&self, source: &Source) -> bool {
        self.fact.own.iter().any(|name| *name == source.url || *name == source.id)
    }
}

/// Whole pages, each read once, and only if they are needed.
struct Pages<'a> {
    shelf: &'a Shelf,
    known: BTreeMap<String, Page>,
}

fn witness(this: &Read, source: &Source, is_first: bool, pages: &mut Pages) -> Witness {
    let claim = Claim::new(this.fact.statement);
    let support = match pages.shelf.text(source) {
        Some(text) if pages.shelf.is_archive() => {
            match Some(this.fact.quote).filter(|quote| !quote.is_empty()).and_then(|quote| around(quote, text)) {
                Some((window, _)) => support(&check(&claim, &Page::of(window.of(text)))),
                None => {
                    let page = pages.known.entry(source.url.to_string()).or_insert_with(|| Page::of(text));
                    let support = support(&check(&claim, page));
                    // Where its own words do not stand, a source must say all of it.
                    if this.fact.quote.is_empty() || agrees(&claim, page) { support } else { support.min(SAYS_SO / 2.0) }
                }
            }
        }
        // Without an archive a quotation is held against its statement; for what is not quoted there is only the agent's word.
        _ if is_first && !this.fact.quote.is_empty() => support(&check(&claim, &this.page)),
        _ => 1.0,
    };
    Witness { source: source.url.to_string(), standing: standing(this.fact, source), support }
}

/// A page that has all numbers and names of a statement and most of its words says so, even if it says it in other words.
fn support(verdict: &Verdict) -> f64 {
    let stands = verdict.missing.is_empty() && !verdict.is_opposed() && matches!(verdict.label, Label::Supported | Label::Partly);
    if stands { verdict.score.max(SAYS_SO) } else { verdict.score.min(SAYS_SO / 2.0) }
}

/// The user's own documents and papers are reputable; of a page we know only what the agent that read it thought of it.
fn standing(fact: &Fact, source: &Source) -> Standing {
    let is_own = !source.url.starts_with("http://") && !source.url.starts_with("https://");
    match () {
        () if source.official => Standing::Official,
        () if is_own || source.kind == "Paper" || fact.claimed > Confidence::Low => Standing::Reputable,
        () => Standing::Unknown,
    }
}

/// Other facts whose own words say all of this statement: what only speaks of the same things may say the opposite of them.
fn confirming<'a>(this: &Read<'a>, all: &'a [Read<'a>]) -> Vec<(&'a Fact<'a>, Verdict)> {
    let claim = Claim::new(this.fact.statement);
    let similar = all.iter().filter(|other| {
        let shared = this.said.intersection(&other.quoted).count() as f64;
        other.fact.id != this.fact.id && shared >= WORTH_COMPARING * this.said.len() as f64 && shared > 0.0
    });
    similar.filter(|other| agrees(&claim, &other.page)).map(|other| (other.fact, check(&claim, &other.page))).collect()
}

/// What a source is compared with others by. Without an archive that is what was quoted from it and from no other.
fn own_words(source: &Source, facts: &[&Fact], registry: &Registry, shelf: &Shelf) -> String {
    if !shelf.is_archive() {
        let is_first = |fact: &&&Fact| registry.behind(&fact.own).first().is_some_and(|first| first.url == source.url);
        return facts.iter().filter(is_first).map(|fact| format!("{}\n\n", fact.words())).collect();
    }
    let text = shelf.text(source).unwrap_or_default();
    let end = (COMPARED_BYTES..text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
    text[..end].to_string()
}
