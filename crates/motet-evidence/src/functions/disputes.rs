//! Where facts of different sources cannot both be right, and where they only seem so: other years, places, units or people.
//! It names the sides and takes none.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::given::{Fact, Registry};
use super::plain::{plain, shortened};
use crate::claim::{Claim, Page, check};
use crate::fact::{self, Confidence, Differs, Scope, conflicts, without_code_numbers};
use crate::text::{Span, sentences};

/// As much of a statement as names its subject.
const SUBJECT_CHARACTERS: usize = 180;

struct Dispute {
    facts: Vec<String>,
    differs: Differs,
    scope: Scope,
    /// As they are written, each once.
    values: Vec<String>,
}

/// All of them, for a side that is left out would be told as if nobody disputed it: contradictions first, the gravest of them before the
/// others, then what its scope explains.
pub fn disputes(facts: &[&Fact], registry: &Registry, confidence: &BTreeMap<&str, Confidence>) -> Vec<Value> {
    let statements: BTreeMap<&str, &str> = facts.iter().map(|fact| (fact.id, fact.statement)).collect();
    let sources: BTreeMap<&str, BTreeSet<&str>> =
        facts.iter().map(|fact| (fact.id, registry.behind(&fact.sources).iter().map(|source| source.url).collect())).collect();
    // What several tasks found in the same place is one side.
    let mut seen = BTreeSet::new();
    let distinct = facts.iter().filter(|fact| seen.insert((fact.statement, &sources[fact.id])));
    let compared: Vec<fact::Fact> = distinct.map(|fact| compared(fact)).collect();
    let mut found: Vec<Dispute> = Vec::new();
    let title = |fact: &fact::Fact| fact.sources.first().and_then(|name| registry.find(name)).map_or("", |source| source.title);
    let all = conflicts(&compared, title);
    let contradict: BTreeSet<(String, String)> =
        all.iter().filter(|conflict| conflict.scope.is_open()).map(|conflict| conflict.facts.clone()).collect();
    let contradict = |one: &str, other: &str| {
        let pair = |one: &str, other: &str| contradict.contains(&(one.to_string(), other.to_string()));
        pair(one, other) || pair(other, one)
    };
    for conflict in all {
        let (one, other) = (conflict.facts.0.as_str(), conflict.facts.1.as_str());
        // A source that gives two numbers speaks of two things.
        if !sources[one].is_disjoint(&sources[other]) {
            continue;
        }
        let same = |dispute: &&mut Dispute| {
            dispute.scope == conflict.scope
                && dispute.differs == conflict.differs
                && dispute.facts.iter().any(|id| id == one || id == other)
                // Of what is explained, no two may contradict each other.
                && (conflict.scope.is_open() || !dispute.facts.iter().any(|id| contradict(id, one) || contradict(id, other)))
        };
        let values: Vec<String> = [conflict.values.0, conflict.values.1].into_iter().filter(|value| !value.is_empty()).collect();
        match found.iter_mut().find(same) {
            // What comes later stands behind what was there, so that its first two facts stay the first two.
            Some(dispute) => {
                [one, other].into_iter().for_each(|id| add_new(&mut dispute.facts, id));
                values.iter().for_each(|value| add_new(&mut dispute.values, value));
            }
            None => found.push(Dispute {
                facts: vec![one.to_string(), other.to_string()],
                differs: conflict.differs,
                scope: conflict.scope,
                values,
            }),
        }
    }
    let (mut open, explained): (Vec<Dispute>, Vec<Dispute>) = found.into_iter().partition(|dispute| dispute.scope.is_open());
    let explained = without_doubles(&open, explained);
    open.sort_by_key(|dispute| severity(dispute, confidence) != "high");
    let all = open.into_iter().chain(explained);
    all.map(|dispute| told(&dispute, &subject(&dispute, &statements), severity(&dispute, confidence))).collect()
}

/// Without a year one cannot tell, and where both facts are told of already, there is nothing more to tell.
fn without_doubles(open: &[Dispute], explained: Vec<Dispute>) -> Vec<Dispute> {
    let (unclear, mut clear): (Vec<Dispute>, Vec<Dispute>) = explained.into_iter().partition(|dispute| dispute.scope == Scope::UnclearYear);
    let told: BTreeSet<String> = open.iter().chain(&clear).flat_map(|dispute| dispute.facts.iter().cloned()).collect();
    clear.extend(unclear.into_iter().filter(|dispute| !dispute.facts.iter().all(|id| told.contains(id))));
    clear
}

/// One sentence that says what is in dispute, of whichever of the first two sides says it in one: others around it are in no dispute, and each
/// would be told as if both sides said it. Where no sentence alone says it, the first side is told as it is.
fn subject(dispute: &Dispute, statements: &BTreeMap<&str, &str>) -> String {
    let [one, other] = [0, 1].map(|side: usize| statements[dispute.facts[side].as_str()]);
    let is_one = |statement: &&str| sentences(statement).len() <= 1;
    let told = [one, other].into_iter().find(is_one).unwrap_or_else(|| disputed(dispute, one, other).unwrap_or(one));
    shortened(told, SUBJECT_CHARACTERS)
}

/// The only sentence of one side that has its value, or that the other side opposes.
fn disputed<'a>(dispute: &Dispute, one: &'a str, other: &str) -> Option<&'a str> {
    let page = Page::of(other);
    let is_disputed = |part: &&str| match dispute.differs {
        Differs::Claim => check(&Claim { text: part, context: one }, &page).is_opposed(),
        // The first value is the one of the first side.
        Differs::Number | Differs::Date | Differs::Name => dispute.values.first().is_some_and(|value| has_whole(part, value)),
    };
    let mut found = sentences(one).into_iter().map(|span| span.of(one)).filter(is_disputed);
    found.next().filter(|_| found.next().is_none())
}

/// Whether a text has a value that is no part of a longer word or number: there is no 9 in `1990`, `9.5` and `1,009`.
fn has_whole(text: &str, value: &str) -> bool {
    let goes_on = |first: Option<char>, second: Option<char>| match first {
        Some('.' | ',') => second.is_some_and(|letter| letter.is_ascii_digit()),
        first => first.is_some_and(char::is_alphanumeric),
    };
    text.match_indices(value).any(|(at, _)| {
        let (mut before, mut after) = (text[..at].chars().rev(), text[at + value.len()..].chars());
        !goes_on(before.next(), before.next()) && !goes_on(after.next(), after.next())
    })
}

fn told(dispute: &Dispute, subject: &str, severity: &str) -> Value {
    let scope = json!(dispute.scope);
    let is_open = dispute.scope.is_open();
    let join = if is_open { "or" } else { "and" };
    let summary = match dispute.differs {
        Differs::Claim => format!("Said and denied: {subject}"),
        Differs::Number | Differs::Date | Differs::Name => format!("{}: {subject}", enumerated(&dispute.values, join)),
    };
    json!({
        "summary": summary,
        "facts": dispute.facts,
        "severity": severity,
        "approach": is_open.then_some("find a further source that says which of them holds, or why they differ"),
        "by": "rules",
        "differs": dispute.differs,
        "scope": scope,
        "values": dispute.values,
    })
}

/// `4 t or 5 t`, `4 t, 5 t or 6 t`.
fn enumerated(values: &[String], join: &str) -> String {
    match values.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} {join} {last}", before.join(", ")),
        _ => values.concat(),
    }
}

/// It matters most if neither side can be set aside as weak.
fn severity(dispute: &Dispute, confidence: &BTreeMap<&str, Confidence>) -> &'static str {
    let is_weak = |id: &String| confidence.get(id.as_str()).is_none_or(|confidence| *confidence == Confidence::Low);
    match dispute.scope {
        Scope::Contradiction if dispute.facts[..2].iter().any(is_weak) => "medium",
        Scope::Contradiction => "high",
        Scope::UnclearYear | Scope::DifferentAuthority => "medium",
        Scope::DifferentYear | Scope::DifferentPlace | Scope::DifferentUnit | Scope::DifferentPopulation => "low",
    }
}

fn add_new(facts: &mut Vec<String>, id: &str) {
    if !facts.iter().any(|known| known == id) {
        facts.push(id.to_string());
    }
}

fn compared(given: &Fact) -> fact::Fact {
    fact::Fact {
        id: given.id.to_string(),
        statement: plain(&without_code_numbers(given.statement)),
        sources: given.sources.iter().map(|source| source.to_string()).collect(),
        quote: given.quote.to_string(),
        span: Span::default(),
        confidence: given.claimed,
        extracted: String::new(),
        raw_file: given.raw_file.to_string(),
    }
}
