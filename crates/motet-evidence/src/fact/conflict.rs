//! Facts that cannot both be right: the same subject and attribute with another number, date or name, or one saying what the other denies.
//! First it asks whether they speak of the same year, place, unit and population; if not, they differ and do not contradict.

use serde::{Deserialize, Serialize};

use super::clauses::named;
use super::places::rivals;
use super::said::{Named, Said};
use super::stated::Stated;
use super::value::Value;
use super::vocabulary::{dimensions, happens_once, is_placing};
use super::{Fact, attributed};
use crate::claim::{Claim, Page, check, denied_stems};
use crate::text::words;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Differs {
    Number,
    Date,
    Name,
    /// One says what the other denies, or compares the other way round.
    Claim,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Nothing explains the difference.
    Contradiction,
    /// Each passes on what somebody else says: they disagree, and not these sources.
    DifferentAuthority,
    DifferentYear,
    /// One of them names no year, so both may be right.
    UnclearYear,
    DifferentPlace,
    DifferentUnit,
    DifferentPopulation,
}

impl Scope {
    /// Whether somebody must be wrong.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Contradiction | Self::DifferentAuthority)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The ids of the two facts.
    pub facts: (String, String),
    pub differs: Differs,
    /// As they are written; empty where one statement denies the other.
    pub values: (String, String),
    pub scope: Scope,
}

/// Shared words, as a share of the shorter statement and of both, from which two statements may be about the same thing.
const OF_SHORTER: f64 = 0.5;
const OF_BOTH: f64 = 0.2;

/// The share of a statement that another must say before the two can deny each other, and where a word has its opposite in the other.
const SAYS_THE_SAME: f64 = 0.8;
const SAYS_MOST: f64 = 0.6;

/// All pairs that differ, in the order of the facts. `title` is that of the document a fact was read in, or empty: it says what the document
/// calls `the bridge`.
pub fn conflicts<'a>(facts: &[Fact], title: impl Fn(&Fact) -> &'a str) -> Vec<Conflict> {
    let named: Vec<String> = facts.iter().map(|fact| named(&fact.statement, title(fact))).collect();
    let said: Vec<Read> = facts.iter().zip(&named).map(|(fact, statement)| Read::of(statement, title(fact))).collect();
    let mut found = Vec::new();
    for one in 0..facts.len() {
        for other in one + 1..facts.len() {
            if let Some((differs, values, scope)) = compare(&said[one], &said[other]) {
                found.push(Conflict { facts: (facts[one].id.clone(), facts[other].id.clone()), differs, values, scope });
            }
        }
    }
    found
}

struct Read<'a> {
    statement: &'a str,
    said: Vec<Said>,
    stated: Vec<Stated>,
    page: Page,
}

impl<'a> Read<'a> {
    fn of(statement: &'a str, title: &str) -> Self {
        Self { statement, said: Said::all_of(statement), stated: Stated::all_of(statement, title), page: Page::of(statement) }
    }
}

pub type Difference = (Differs, (String, String), Scope);

fn compare(one: &Read, other: &Read) -> Option<Difference> {
    let pairs = one.said.iter().flat_map(|mine| other.said.iter().map(move |theirs| (mine, theirs)));
    let is_unread = |(_, values, _): &Difference| !attributed::has_read(&one.stated, &other.stated, values);
    attributed::differing(&one.stated, &other.stated)
        .or_else(|| pairs.into_iter().find_map(|(mine, theirs)| differing(mine, theirs).filter(is_unread)))
        .or_else(|| opposing(one, other))
}

fn differing(one: &Said, other: &Said) -> Option<Difference> {
    if !has_same_subject(one, other) || !has_same_verb(one, other) || !is_about_the_same(one, other) {
        return None;
    }
    if has_same_dimension(one, other)
        && let Some((mine, theirs)) = unlike(&one.quantities, &other.quantities)
    {
        let values = (mine.written.clone(), theirs.written.clone());
        let scope = if mine.is_of_another_currency(theirs) { Scope::DifferentUnit } else { scope(one, other) };
        return Some((Differs::Number, values, scope));
    }
    // Where both give a quantity too, the dates say when it was so; and a date says when something was done, not when it was so.
    let is_when = one.verb.is_some() && (one.quantities.is_empty() || other.quantities.is_empty());
    if let Some((mine, theirs)) = unlike(&one.dates, &other.dates).filter(|_| is_when) {
        let is_elsewhere = are_apart(&one.places, &other.places) && !is_one_event(one, other);
        let scope = if is_elsewhere { Scope::DifferentPlace } else { by_authority(one, other) };
        return Some((Differs::Date, (mine.written.clone(), theirs.written.clone()), scope));
    }
    let values = differing_names(one, other)?;
    let scope = if is_same_time(one, other) { by_authority(one, other) } else { Scope::DifferentYear };
    Some((Differs::Name, values, scope))
}

/// One of them says nearly all that the other says, and says the opposite.
fn opposing(one: &Read, other: &Read) -> Option<Difference> {
    let (mine, theirs) = (one.said.first()?, other.said.first()?);
    let shared = mine.all.intersection(&theirs.all).count() as f64;
    let shorter = mine.all.len().min(theirs.all.len()) as f64;
    if shared < 2.0 || shared < SAYS_MOST * shorter || describe_others(mine, theirs) {
        return None;
    }
    let is_same_subject = has_same_subject(mine, theirs);
    // `did not handle any passengers` denies nothing of `handled 5 million tonnes of cargo`.
    let says =
        |read: &Read, stem: &String| read.page.find(stem).is_some() || words::synonyms(stem).any(|same| read.page.find(same).is_some());
    let denies_what_is_said = |one: &Read, other: &Read| denied_stems(one.statement).iter().all(|stem| says(other, stem));
    let is_same_object = denies_what_is_said(one, other) && denies_what_is_said(other, one);
    let is_one_within_the_other = mine.all.is_subset(&theirs.all) || theirs.all.is_subset(&mine.all);
    let denies = |claim: &Read, by: &Read| {
        let verdict = check(&Claim::new(claim.statement), &by.page);
        let measures = &verdict.measures;
        let says = |share: f64| measures.sentence >= share && verdict.missing.is_empty();
        // The sides of a comparison are exchanged, so it has another subject; an opposite word is itself not shared.
        is_one_within_the_other && measures.exchanged > 0.0 && says(SAYS_THE_SAME)
            || is_same_subject
                && (measures.negation > 0.0 && is_same_object && says(SAYS_THE_SAME) || measures.opposite > 0.0 && says(SAYS_MOST))
    };
    (denies(one, other) || denies(other, one)).then(|| (Differs::Claim, (String::new(), String::new()), scope(mine, theirs)))
}

/// The noun of each subject is spoken of by the other, and neither names or describes something else.
fn has_same_subject(one: &Said, other: &Said) -> bool {
    let (Some(mine), Some(theirs)) = (&one.head, &other.head) else { return false };
    let shares_name = one.subjects.iter().any(|name| has_name(&other.subjects, name));
    let is_only_name = |said: &Said| said.words.iter().all(|word| said.head.as_ref() != Some(word)) && !said.subjects.is_empty();
    let speaks_of = |said: &Said, head: &String| said.all.contains(head) || words::synonyms(head).any(|word| said.all.contains(word));
    // `Havsund has` may be said of `the Havsund wind farm`.
    let meets = |said: &Said, head: &String| speaks_of(said, head) || shares_name && is_only_name(said);
    let names_another = !one.subjects.is_empty() && !other.subjects.is_empty() && !shares_name;
    meets(other, mine) && meets(one, theirs) && !names_another && !are_numbered_apart(one, other) && !describe_others(one, other)
}

/// Both speak of things of one kind that bear other numbers: version 2 and version 3.
pub fn are_numbered_apart(one: &Said, other: &Said) -> bool {
    one.labels.iter().any(|(thing, number)| {
        let mut numbers = other.labels.iter().filter(|(kind, _)| kind == thing).peekable();
        numbers.peek().is_some() && numbers.all(|(_, theirs)| theirs != number)
    })
}

/// Each subject has a word that the other statement does not have: drip coffee and green tea.
fn describe_others(one: &Said, other: &Said) -> bool {
    let has_own = |said: &Said, other: &Said| said.modifiers.iter().any(|word| !other.all.contains(word));
    has_own(one, other) && has_own(other, one)
}

fn has_same_verb(one: &Said, other: &Said) -> bool {
    match (&one.verb, &other.verb) {
        (None, None) => true,
        (Some(mine), Some(theirs)) => mine == theirs || words::synonyms(mine).any(|word| word == theirs),
        // `The price was 5 euros` and `it costs 6 euros`.
        (Some(verb), None) | (None, Some(verb)) => [one, other].iter().all(|said| said.all.contains(&super::vocabulary::attribute(verb))),
    }
}

fn is_about_the_same(one: &Said, other: &Said) -> bool {
    let means = |word: &String| other.words.contains(word) || words::synonyms(word).any(|same| other.words.contains(same));
    let shared = one.words.iter().filter(|word| means(word)).count() as f64;
    let all = one.words.union(&other.words).count() as f64;
    let shorter = one.words.len().min(other.words.len()) as f64;
    let has_name = one.subjects.iter().any(|name| has_name(&other.subjects, name));
    let enough = if has_name || one.populations != other.populations { 1.0 } else { 2.0 };
    shared >= enough && shared >= OF_SHORTER * shorter && shared >= OF_BOTH * all
}

/// How long a thing is says nothing of how high it is.
fn has_same_dimension(one: &Said, other: &Said) -> bool {
    let of = |said: &Said| dimensions().into_iter().filter(|word| said.words.contains(word)).collect::<Vec<_>>();
    let (mine, theirs) = (of(one), of(other));
    mine.is_empty() || theirs.is_empty() || mine.iter().any(|word| theirs.contains(word))
}

pub fn has_name(names: &[Named], (name, _): &Named) -> bool {
    let contains = |long: &str, short: &str| format!(" {long} ").contains(&format!(" {short} "));
    names.iter().any(|(other, _)| contains(other, name) || contains(name, other))
}

/// Both have a value of the same measure, and none of one agrees with any of the other.
fn unlike<'a>(one: &'a [Value], other: &'a [Value]) -> Option<(&'a Value, &'a Value)> {
    let alone = |value: &Value, others: &[Value]| !others.iter().any(|found| value.is_comparable(found) && value.agrees(found));
    let mine = one.iter().filter(|value| alone(value, other));
    let mut pairs = mine.flat_map(|mine| other.iter().filter(|value| alone(value, one)).map(move |theirs| (mine, theirs)));
    pairs.find(|(mine, theirs)| mine.is_comparable(theirs))
}

pub fn scope(one: &Said, other: &Said) -> Scope {
    match () {
        () if !is_same_time(one, other) => Scope::DifferentYear,
        () if one.dates.is_empty() != other.dates.is_empty() => Scope::UnclearYear,
        () if are_apart(&one.places, &other.places) => Scope::DifferentPlace,
        () if one.populations != other.populations => Scope::DifferentPopulation,
        () => by_authority(one, other),
    }
}

pub fn by_authority(one: &Said, other: &Said) -> Scope {
    match (&one.authority, &other.authority) {
        (Some(mine), Some(theirs)) if mine != theirs => Scope::DifferentAuthority,
        _ => Scope::Contradiction,
    }
}

pub fn is_same_time(one: &Said, other: &Said) -> bool {
    one.dates.is_empty() || other.dates.is_empty() || unlike(&one.dates, &other.dates).is_none()
}

pub fn are_apart(one: &[Named], other: &[Named]) -> bool {
    !one.is_empty() && !other.is_empty() && !one.iter().any(|name| has_name(other, name))
}

/// Nobody is born twice: another place makes another claim of it, and not another event. But any two schools may be founded, and one
/// company may found them both.
pub fn is_one_event(one: &Said, other: &Said) -> bool {
    let happens_once = |said: &Said| said.verb.as_deref().is_some_and(|verb| happens_once(verb, said.is_passive)) && said.is_particular;
    happens_once(one) && happens_once(other)
}

/// Each has one name that the other has not, in the same place of the sentence. As they are written.
fn differing_names(one: &Said, other: &Said) -> Option<(String, String)> {
    let written = |name: &Named| name.1.clone();
    let Some(verb) = one.verb.as_ref() else { return differing_bearers(one, other) };
    let places = rivals(&one.places, &other.places).filter(|_| are_apart(&one.places, &other.places));
    if let Some((mine, theirs)) = places.filter(|_| is_placing(verb) || is_one_event(one, other)) {
        return Some((written(mine), written(theirs)));
    }
    let of = |said: &Said| said.objects.iter().map(|(_, name)| name.clone()).chain(said.subjects.iter().cloned()).collect::<Vec<Named>>();
    let (mine, theirs) = (of(one), of(other));
    let alone: Vec<&(String, Named)> = one.objects.iter().filter(|(_, name)| !has_name(&theirs, name)).collect();
    let strange: Vec<&(String, Named)> = other.objects.iter().filter(|(_, name)| !has_name(&mine, name)).collect();
    match (alone.as_slice(), strange.as_slice()) {
        ([mine], [theirs]) if mine.0 == theirs.0 => Some((written(&mine.1), written(&theirs.1))),
        _ => None,
    }
}

/// `The capital of Zubrowka is Lutz`: there is one of them, so another name for it is another claim.
fn differing_bearers(one: &Said, other: &Said) -> Option<(String, String)> {
    let ([(mine_after, mine)], [(theirs_after, theirs)]) = (one.objects.as_slice(), other.objects.as_slice()) else { return None };
    let is_one = one.is_definite && other.is_definite && one.head == other.head && one.modifiers == other.modifiers;
    // In `was Jan de Vries` the name may be seen only from its last word on.
    let is_within = |after: &str| ["de", "da", "di", "van", "von", "der", "den", "al"].contains(&after);
    let is_named = |after: &str| ["is", "was"].contains(&after) || is_within(after);
    let is_same_time = mine_after == theirs_after || is_within(mine_after) || is_within(theirs_after);
    let is_same_thing = one.subjects.iter().all(|name| has_name(&other.subjects, name)) && one.subjects.len() == other.subjects.len();
    let is_name = is_same_time && is_named(mine_after) && is_named(theirs_after);
    let differs = is_one && is_same_thing && is_name && !has_name(std::slice::from_ref(mine), theirs);
    differs.then(|| (mine.1.clone(), theirs.1.clone()))
}
