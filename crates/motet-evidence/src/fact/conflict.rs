//! Facts that cannot both be right: the same subject and attribute with another number, date or name.
//! First it asks whether they speak of the same year, place, unit and population; if not, they differ and do not contradict.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Fact;
use crate::text::{Kind, Measure, Number, fold, names, numbers, sentences, tokens, words};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Differs {
    Number,
    Date,
    Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Nothing explains the difference.
    Contradiction,
    DifferentYear,
    /// One of them names no year, so both may be right.
    UnclearYear,
    DifferentPlace,
    DifferentUnit,
    DifferentPopulation,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// The ids of the two facts.
    pub facts: (String, String),
    pub differs: Differs,
    pub values: (String, String),
    pub scope: Scope,
}

/// Shared words, as a share of all words of both, from which two statements are about the same thing.
const SAME: f64 = 0.5;

/// Or this share of the shorter one, if the longer one does not say too much else.
const SAME_OF_SHORTER: f64 = 0.75;
const LEAST_SAME: f64 = 0.4;

/// Groups of people that numbers are given for.
const POPULATIONS: [&str; 22] = [
    "men",
    "women",
    "man",
    "woman",
    "children",
    "adults",
    "adult",
    "child",
    "students",
    "boys",
    "girls",
    "urban",
    "rural",
    "male",
    "female",
    "elderly",
    "young",
    "households",
    "workers",
    "patients",
    "residents",
    "visitors",
];

/// All pairs that differ, in the order of the facts.
pub fn conflicts(facts: &[Fact]) -> Vec<Conflict> {
    let said: Vec<Said> = facts.iter().map(|fact| Said::of(&fact.statement)).collect();
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

/// A statement as it is compared with others.
struct Said {
    words: BTreeSet<String>,
    names: BTreeSet<String>,
    /// Names after `in`, `at`, `near`.
    places: BTreeSet<String>,
    populations: BTreeSet<String>,
    quantities: Vec<(Number, String)>,
    dates: Vec<(Number, String)>,
}

impl Said {
    fn of(statement: &str) -> Self {
        let statement = without_code_numbers(statement);
        let statement = statement.as_str();
        let tokens = tokens(statement);
        let starts: Vec<usize> = sentences(statement).iter().map(|span| span.start).collect();
        let names = names(statement, &tokens, &starts, &BTreeSet::new());
        let in_names: BTreeSet<usize> = names.iter().flat_map(|name| name.words.iter().copied()).collect();
        let word = |at: usize| fold(tokens[at].of(statement));
        let is_place = |first: usize| first > 0 && ["in", "at", "near", "across", "within"].contains(&word(first - 1).as_str());
        let all_numbers = numbers(statement, &tokens).into_iter().filter(|number| !number.ambiguous);
        let (dates, quantities) =
            all_numbers.map(|number| (number, number.span.of(statement).to_string())).partition(|(number, _)| is_date(number));
        let plain = (0..tokens.len()).filter(|at| tokens[*at].kind == Kind::Word && !in_names.contains(at)).map(word);
        let plain: Vec<String> = plain.filter(|word| !words::is_stop(word)).collect();
        Self {
            populations: plain.iter().filter(|word| POPULATIONS.contains(&word.as_str())).cloned().collect(),
            words: plain.iter().map(|word| words::stem(word)).collect(),
            places: names.iter().filter(|name| is_place(name.words[0])).map(|name| fold_name(name.span.of(statement))).collect(),
            names: names.iter().filter(|name| !is_place(name.words[0])).map(|name| fold_name(name.span.of(statement))).collect(),
            quantities,
            dates,
        }
    }
}

/// A number in code, or one that an option such as `--budget 3` is given, is an example and no quantity of anything.
pub(crate) fn without_code_numbers(statement: &str) -> String {
    let has_digit = |word: &str| word.contains(|letter: char| letter.is_ascii_digit());
    let is_option = |word: &str| word.trim_start_matches(['`', '(', '"', '“', '[']).starts_with("--");
    let is_paired = statement.matches('`').count().is_multiple_of(2);
    let (mut in_code, mut after_option) = (false, false);
    let mut kept: Vec<String> = Vec::new();
    for word in statement.split_whitespace() {
        let is_code = is_paired && (in_code || word.contains('`'));
        in_code ^= word.matches('`').count() % 2 == 1;
        let is_example = has_digit(word) && (is_code || after_option || is_option(word));
        // The marks stay, so that what is code stays so.
        kept.push(if is_example { word.chars().filter(|mark| *mark == '`').collect() } else { word.to_string() });
        after_option = is_option(word) && !word.contains('=');
    }
    kept.join(" ")
}

fn fold_name(name: &str) -> String {
    name.split_whitespace().map(fold).collect::<Vec<_>>().join(" ")
}

fn is_date(number: &Number) -> bool {
    matches!(number.measure, Measure::Year | Measure::Day { .. } | Measure::Month | Measure::Decade | Measure::Century)
}

fn compare(one: &Said, other: &Said) -> Option<(Differs, (String, String), Scope)> {
    if !about_the_same(one, other) {
        return None;
    }
    if let Some(values) = unlike(&one.quantities, &other.quantities) {
        return Some((Differs::Number, values, scope(one, other)));
    }
    // Where both give a quantity too, the dates say when it was so.
    let is_dated = !one.quantities.is_empty() && !other.quantities.is_empty();
    if let Some(values) = unlike(&one.dates, &other.dates).filter(|_| !is_dated) {
        let scope = if one.places != other.places && !one.places.is_empty() && !other.places.is_empty() {
            Scope::DifferentPlace
        } else {
            Scope::Contradiction
        };
        return Some((Differs::Date, values, scope));
    }
    differing_names(one, other)
        .map(|values| (Differs::Name, values, if same_time(one, other) { Scope::Contradiction } else { Scope::DifferentYear }))
}

/// Most plain words are shared, or nearly all of the shorter statement, and the subject is: a name in common, or no names on either side.
fn about_the_same(one: &Said, other: &Said) -> bool {
    let shared = one.words.intersection(&other.words).count() as f64;
    let all = one.words.union(&other.words).count() as f64;
    let without_populations = all - one.populations.symmetric_difference(&other.populations).count() as f64;
    let of_all = shared / without_populations.max(1.0);
    let of_shorter = shared / one.words.len().min(other.words.len()).max(1) as f64;
    let nameless = one.names.is_empty() && other.names.is_empty();
    let same_subject = nameless || one.names.iter().any(|name| has_name(other, name));
    // `In case 1` and `in case 2` have one word in common and nothing to do with each other.
    let says_enough = shared >= 2.0 || shared > 0.0 && (!nameless || one.populations != other.populations);
    let says_the_same = of_all >= SAME || shared >= 3.0 && of_shorter >= SAME_OF_SHORTER && of_all >= LEAST_SAME;
    says_enough && says_the_same && same_subject
}

fn has_name(said: &Said, name: &str) -> bool {
    said.names.iter().any(|other| other == name || other.ends_with(&format!(" {name}")) || name.ends_with(&format!(" {other}")))
}

/// Both have a value of the same measure, and none of one agrees with any of the other.
fn unlike(one: &[(Number, String)], other: &[(Number, String)]) -> Option<(String, String)> {
    let agrees = |one: &Number, other: &Number| one.bears_out(other) || other.bears_out(one);
    let comparable = |one: &Number, other: &Number| std::mem::discriminant(&one.measure) == std::mem::discriminant(&other.measure);
    let alone: Vec<&(Number, String)> = one.iter().filter(|(number, _)| !other.iter().any(|(found, _)| agrees(number, found))).collect();
    let strange: Vec<&(Number, String)> = other.iter().filter(|(number, _)| !one.iter().any(|(found, _)| agrees(number, found))).collect();
    let pairs = alone.iter().flat_map(|mine| strange.iter().map(move |theirs| (mine, theirs)));
    let mut differing = pairs.filter(|(mine, theirs)| comparable(&mine.0, &theirs.0));
    differing.next().map(|(mine, theirs)| (mine.1.clone(), theirs.1.clone()))
}

fn scope(one: &Said, other: &Said) -> Scope {
    let unit = |said: &Said| said.quantities.iter().find_map(|(number, _)| number.unit.map(|unit| unit.dimension));
    match () {
        () if !same_time(one, other) => Scope::DifferentYear,
        () if one.dates.is_empty() != other.dates.is_empty() => Scope::UnclearYear,
        () if !one.places.is_empty() && !other.places.is_empty() && one.places.is_disjoint(&other.places) => Scope::DifferentPlace,
        () if unit(one).is_some() && unit(other).is_some() && unit(one) != unit(other) => Scope::DifferentUnit,
        () if one.populations != other.populations => Scope::DifferentPopulation,
        () => Scope::Contradiction,
    }
}

fn same_time(one: &Said, other: &Said) -> bool {
    one.dates.is_empty() || other.dates.is_empty() || unlike(&one.dates, &other.dates).is_none()
}

/// They share a name and all words that matter, and each has one name that the other has not.
fn differing_names(one: &Said, other: &Said) -> Option<(String, String)> {
    let alone: Vec<&String> = one.names.iter().filter(|name| !has_name(other, name)).collect();
    let strange: Vec<&String> = other.names.iter().filter(|name| !has_name(one, name)).collect();
    match (alone.as_slice(), strange.as_slice()) {
        ([mine], [theirs]) if one.words == other.words => Some(((*mine).clone(), (*theirs).clone())),
        _ => None,
    }
}
