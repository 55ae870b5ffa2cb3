//! `evidence.audit`: whether every fact can be traced, how far it may be trusted, where facts disagree, and which of them fit into a context.
//! It takes nothing out: what is untraced is told with the reason, and what to do with it is the workflow's choice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use super::disputes::disputes;
use super::given::{Fact, Registry, Source, list, members, text, texts, word_of};
use super::packing::{Item, pack, tokens};
use super::rating::{Rating, around, ratings};
use super::shelf::Shelf;
use crate::fact::Confidence;

/// What the words around a fact or a source take in a prompt, at most.
const FRAME_TOKENS: usize = 16;
/// Of so many parts of the limit, one is for facts whatever else there is.
const LEAST: usize = 10;

/// The share of the context that is kept for instructions and the answer, unless the workflow says otherwise.
const KEPT: f64 = 0.5;

/// `{ facts, sources, dropped, conflicts, limit, keep, taken, beside }` → `{ untraced, overrated, facts, conflicts, voices, shown, shown_sources,
/// left_out, tokens, … }`.
///
/// `facts` come back with the confidence that the rule gives them (`claimed` is what the agent said) and with every source that
/// confirms them; `dropped` are ids that no longer count. `conflicts` are found by rules; those given are known from elsewhere, and
/// their facts are shown as well. `shown` are the facts that fit into `limit` tokens, of which the share `keep` stays free, and as much as
/// is `taken` by an answer and instructions together with what is shown `beside` the facts; a tenth of it is theirs in any case.
pub fn audit(input: &Value, run_directory: Option<&Path>) -> Result<Value, String> {
    let (facts, sources) = (Fact::all(input)?, Source::all(input)?);
    let known_conflicts = list(input, "conflicts")?;
    let dropped = texts(&input["dropped"]);
    let registry = Registry::of(&sources);
    let shelf = Shelf::of(&facts, &sources, run_directory)?;
    let live: Vec<&Fact> = facts.iter().filter(|fact| !dropped.contains(&fact.id)).collect();
    let reasons: Vec<(&Fact, Option<String>)> = live.iter().map(|fact| (*fact, untraced(fact, &registry, &shelf))).collect();
    let traced: Vec<&Fact> = reasons.iter().filter(|(_, why)| why.is_none()).map(|(fact, _)| *fact).collect();
    let (ratings, voices) = ratings(&traced, &sources, &registry, &shelf);
    let rated: BTreeMap<&str, &Rating> = traced.iter().map(|fact| fact.id).zip(&ratings).collect();
    let confidence: BTreeMap<&str, Confidence> = rated.iter().map(|(id, rating)| (*id, rating.confidence)).collect();
    let conflicts = disputes(&traced, &registry, &confidence);
    let overrated = traced.iter().filter(|fact| fact.claimed > confidence[fact.id]).map(|fact| {
        let why = format!("{} was claimed; its sources give {}", word_of(fact.claimed), word_of(confidence[fact.id]));
        finding(fact, &why)
    });
    let audited: Vec<Value> =
        facts.iter().map(|fact| rated.get(fact.id).map_or_else(|| fact.value.clone(), |rating| rated_fact(fact, rating))).collect();
    let shown = shown(input, &traced, &rated, &sources, known_conflicts.iter().chain(&conflicts))?;
    let is_shown = |fact: &Value| shown.ids.contains(&text(fact, "id"));
    Ok(json!({
        "untraced": reasons.iter().filter_map(|(fact, why)| Some(finding(fact, why.as_deref()?))).collect::<Vec<_>>(),
        "overrated": overrated.collect::<Vec<_>>(),
        "shown": audited.iter().filter(|fact| is_shown(fact)).collect::<Vec<_>>(),
        "shown_sources": shown_sources(input, &audited, &shown.ids),
        "left_out": traced.iter().map(|fact| fact.id).filter(|id| !shown.ids.contains(id)).collect::<Vec<_>>(),
        "tokens": shown.tokens,
        "facts": audited,
        "conflicts": conflicts,
        "voices": voices.len(),
        "checked_against": shelf.word(),
    }))
}

/// The sources of the facts that are shown, as they were given.
fn shown_sources<'a>(input: &'a Value, audited: &[Value], ids: &[&str]) -> Vec<&'a Value> {
    let shown = audited.iter().filter(|fact| ids.contains(&text(fact, "id")));
    let named: BTreeSet<&str> = shown.flat_map(|fact| texts(&fact["sources"])).collect();
    let sources = members(&input["sources"]).iter();
    sources.filter(|source| named.contains(text(source, "url")) || named.contains(text(source, "id"))).collect()
}

fn finding(fact: &Fact, why: &str) -> Value {
    json!({ "id": fact.id, "statement": fact.statement, "why": why })
}

fn untraced(fact: &Fact, registry: &Registry, shelf: &Shelf) -> Option<String> {
    if fact.sources.is_empty() {
        return Some("it names no source".to_string());
    }
    if let Some(unknown) = fact.sources.iter().find(|name| registry.find(name).is_none()) {
        return Some(format!("{unknown} is not registered"));
    }
    if fact.raw_file.is_empty() {
        return Some("it names no archived file".to_string());
    }
    if shelf.lacks(fact.raw_file) {
        return Some(format!("{} is not in the archive", fact.raw_file));
    }
    let stands = || {
        registry.behind(&fact.sources).into_iter().filter_map(|source| shelf.text(source)).any(|text| around(fact.quote, text).is_some())
    };
    (shelf.is_archive() && !fact.quote.is_empty() && !stands())
        .then(|| "its quotation is not in the archived text of its sources".to_string())
}

fn rated_fact(fact: &Fact, rating: &Rating) -> Value {
    let mut value = fact.value.clone();
    value["confidence"] = json!(word_of(rating.confidence));
    value["claimed"] = json!(word_of(fact.claimed));
    value["probability"] = json!(rating.probability);
    value["confirmed_by"] = json!(rating.confirmed_by);
    let confirming = rating.confirmed_by.iter().map(String::as_str);
    value["sources"] = json!(fact.own.iter().copied().chain(confirming).collect::<Vec<_>>());
    value
}

struct Shown<'a> {
    ids: Vec<&'a str>,
    tokens: usize,
}

/// What fits into the context, counted as an agent is shown it: statement, quotation, and each source once.
fn shown<'a, 'c>(
    input: &Value,
    facts: &[&Fact<'a>],
    rated: &BTreeMap<&str, &Rating>,
    sources: &[Source],
    conflicts: impl Iterator<Item = &'c Value>,
) -> Result<Shown<'a>, String> {
    let room = room(input)?;
    let disputed: Vec<&str> = conflicts.flat_map(|conflict| texts(&conflict["facts"])).collect();
    let costs: Vec<usize> = sources.iter().map(|source| tokens(source.url) + tokens(source.title) + FRAME_TOKENS).collect();
    let items: Vec<Item> = facts
        .iter()
        .map(|fact| {
            let rating = rated[fact.id];
            let named = |source: &Source| {
                fact.own.iter().any(|name| *name == source.url || *name == source.id) || rating.confirmed_by.contains(source.url)
            };
            let told = [fact.id, fact.statement, fact.quote, text(fact.value, "dimension")];
            let addresses = sources.iter().filter(|source| named(source)).map(|source| tokens(source.url)).sum::<usize>();
            let question = Some(text(fact.value, "dimension")).filter(|name| !name.is_empty()).unwrap_or(text(fact.value, "task"));
            Item {
                cost: told.iter().map(|words| tokens(words)).sum::<usize>() + addresses + FRAME_TOKENS,
                sources: (0..sources.len()).filter(|place| named(&sources[*place])).collect(),
                disputed: disputed.contains(&fact.id),
                question: question.to_string(),
                task: text(fact.value, "task").to_string(),
                confidence: rating.confidence,
                voices: fact.own.len() + rating.confirmed_by.len(),
            }
        })
        .collect();
    let (chosen, tokens) = pack(&items, &costs, room);
    Ok(Shown { ids: chosen.into_iter().map(|(place, _)| facts[place].id).collect(), tokens })
}

/// The tokens that facts may take; without a limit as many as they need. What was researched and paid for is never shown to nobody, so a
/// small part is theirs even where nothing is left.
fn room(input: &Value) -> Result<usize, String> {
    let keep = match &input["keep"] {
        Value::Null => KEPT,
        given => {
            given.as_f64().filter(|share| (0.0..1.0).contains(share)).ok_or("`keep` must be a share from 0 up to, and not including, 1")?
        }
    };
    let number = |name: &str| match &input[name] {
        Value::Null => Ok(None),
        given => given.as_u64().map(|number| Some(number as usize)).ok_or(format!("`{name}` must be a number of tokens")),
    };
    let taken = number("taken")?.unwrap_or(0).saturating_add(counted(&input["beside"]));
    let Some(limit) = number("limit")? else { return Ok(usize::MAX) };
    let share = (limit as f64 * (1.0 - keep)) as usize;
    Ok(share.min(limit.saturating_sub(taken)).max(limit / LEAST))
}

/// The tokens of all texts in a value, with the names of its fields.
fn counted(value: &Value) -> usize {
    match value {
        Value::Null => 0,
        Value::String(text) => tokens(text),
        Value::Array(members) => members.iter().map(|member| counted(member) + 1).sum(),
        Value::Object(fields) => fields.iter().map(|(name, field)| tokens(name) + counted(field) + 2).sum(),
        other => tokens(&other.to_string()),
    }
}
