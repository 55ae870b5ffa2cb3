//! What the quotations of one gathering say of each other: which confirm one another, which cannot both be right, how far each may be trusted.
//! Only quotations are compared: what a page says elsewhere nobody was shown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Quote, Source};
use crate::claim::{Claim, Page, agrees};
use crate::fact::{Confidence, Fact, Standing, Witness, clusters, conflicts, rate, without_code_numbers};
use crate::text::Span;

/// As much of a source as shows whether it is a copy of another.
const COMPARED_BYTES: usize = 60_000;

/// What another source says that cannot be right as well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disputed {
    pub url: String,
    pub text: String,
}

/// Fills in what can be known only when all quotations are there.
pub fn compare(quotes: &mut [Quote], sources: &[Source], texts: &BTreeMap<String, String>) {
    let voices = voices(sources, texts);
    let voice_of = |url: &str| voices.iter().position(|voice| voice.iter().any(|member| member == url));
    let pages: Vec<Page> = quotes.iter().map(|quote| Page::of(&quote.text)).collect();
    let disputes = disputes(quotes, sources);
    for this in 0..quotes.len() {
        let claim = Claim::new(&quotes[this].text);
        let own = voice_of(&quotes[this].url);
        let others = (0..quotes.len()).filter(|other| voice_of(&quotes[*other].url) != own);
        let mut confirmed_by: Vec<String> = Vec::new();
        for other in others.filter(|other| agrees(&claim, &pages[*other])) {
            let url = &quotes[other].url;
            if !confirmed_by.contains(url) {
                confirmed_by.push(url.clone());
            }
        }
        let saying = std::iter::once(&quotes[this].url).chain(&confirmed_by);
        let witnesses: Vec<Witness> =
            saying.map(|url| Witness { source: url.clone(), standing: standing(url, sources), support: 1.0 }).collect();
        quotes[this].confidence = rate(&witnesses, &voices).0;
        quotes[this].confirmed_by = confirmed_by;
        quotes[this].disputed_by = disputes[this].clone();
    }
}

fn voices(sources: &[Source], texts: &BTreeMap<String, String>) -> Vec<Vec<String>> {
    let compared = sources.iter().map(|source| {
        let text = texts.get(&source.url).map_or("", String::as_str);
        let end = (COMPARED_BYTES..text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
        (source.url.as_str(), source.url.as_str(), &text[..end])
    });
    clusters(&compared.collect::<Vec<_>>())
}

/// A source that gives two numbers speaks of two things, so only what different sources say can disagree.
fn disputes(quotes: &[Quote], sources: &[Source]) -> Vec<Vec<Disputed>> {
    let mut found = vec![Vec::new(); quotes.len()];
    let facts: Vec<Fact> = quotes.iter().enumerate().map(|(number, quote)| fact(number, quote)).collect();
    let title = |fact: &Fact| {
        let source = sources.iter().find(|source| fact.sources.contains(&source.url));
        source.map_or("", |source| source.title.as_str())
    };
    for conflict in conflicts(&facts, title).into_iter().filter(|conflict| conflict.scope.is_open()) {
        let place = |id: &String| facts.iter().position(|fact| fact.id == *id);
        let (Some(one), Some(other)) = (place(&conflict.facts.0), place(&conflict.facts.1)) else { continue };
        if quotes[one].url != quotes[other].url {
            let side = |number: usize| Disputed { url: quotes[number].url.clone(), text: quotes[number].text.clone() };
            found[one].push(side(other));
            found[other].push(side(one));
        }
    }
    found
}

fn fact(number: usize, quote: &Quote) -> Fact {
    Fact {
        id: number.to_string(),
        statement: without_code_numbers(&quote.text),
        sources: vec![quote.url.clone()],
        quote: quote.exact.clone(),
        span: Span::default(),
        confidence: Confidence::Low,
        extracted: String::new(),
        raw_file: quote.raw_file.clone(),
    }
}

/// The user's own documents and papers are reputable; of another page nothing is known.
fn standing(url: &str, sources: &[Source]) -> Standing {
    let source = sources.iter().find(|source| source.url == url);
    let is_own = !url.starts_with("http://") && !url.starts_with("https://");
    match source {
        Some(source) if source.official => Standing::Official,
        _ if is_own || source.is_some_and(|source| source.kind == "Paper") => Standing::Reputable,
        _ => Standing::Unknown,
    }
}
