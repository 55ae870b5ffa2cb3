//! Which numbers and names of a claim its source does not have, in any spelling that people would accept.
//! It errs on the side of silence: a name that may be there in another form is not reported, it only lowers the score.

use serde::{Deserialize, Serialize};

use super::binding::Bound;
use super::matching::Matching;
use super::page::Page;
use super::statement::{Part, Statement};
use super::{bounds, derived, excerpt, rivals, subjects, variants};
use crate::text::{Kind, Measure, Name, Number, Span, Token, fold, words};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingKind {
    Number,
    Name,
}

/// A part of the claim that neither the source nor the context has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    pub kind: MissingKind,
    pub text: String,
    /// Where it stands in the claim.
    pub span: Span,
    /// Where the source has it, if it has it and says it of something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Span>,
}

/// What the gate found.
#[derive(Debug, Default)]
pub struct Gate {
    pub missing: Vec<Missing>,
    /// Parts that are there in a form that matching by word does not see.
    pub excused: Vec<usize>,
    /// Numbers that are on the page, but only far from anything else that the claim says.
    pub far: usize,
}

pub fn gate(matching: &Matching) -> Gate {
    let (statement, page) = (matching.statement, matching.page);
    let mut gate = Gate::default();
    let is_excerpt = excerpt::is_excerpt(statement, page) && !subjects::opens_with_another(matching);
    for (place, name) in statement.names.iter().enumerate() {
        if place == 0 && is_excerpt && is_subject(statement, name) {
            let parts = name.words.iter().filter_map(|token| statement.slot_of(*token));
            gate.excused.extend(parts.filter(|part| matching.anywhere(*part) == 0.0));
        } else if !name.by_place || subjects::has_another(matching, name) {
            check_name(matching, name, &mut gate);
        }
    }
    let days = rivals::other_days(statement, page).into_iter();
    gate.missing.extend(days.map(|token| missing(statement, MissingKind::Name, statement.tokens[token].span)));
    for (part, number) in statement.numbers() {
        if statement.slots[part].given {
            continue;
        }
        if matching.anywhere(part) == 0.0 {
            if is_excused(matching, number) || bounds::hold(matching, &gate.excused, number) {
                gate.excused.push(part);
            } else {
                gate.missing.push(missing(statement, MissingKind::Number, wrong_part(statement, page, number)));
            }
        } else if !is_near(matching, part) {
            gate.far += 1;
            // Small counts stand on every long page for some reason or other.
            if is_small(number) && page.sentences.len() > 20 {
                gate.missing.push(missing(statement, MissingKind::Number, number.span));
            }
        }
    }
    gate.missing.sort_by_key(|missing| missing.span);
    gate
}

/// What a claim is about stands among its first words, or after the comma of an opening phrase: `In 2019, Lindau …`.
fn is_subject(statement: &Statement, name: &Name) -> bool {
    const LATEST: usize = 3;
    let first = name.words[0];
    first < LATEST || statement.tokens[first - 1].is_mark(statement.text, ",")
}

fn missing(statement: &Statement, kind: MissingKind, span: Span) -> Missing {
    Missing { kind, text: span.of(statement.text).to_string(), span, elsewhere: None }
}

/// A number that is on the page counts as missing where another one plainly has its place.
const PLAINLY: f64 = 0.6;
const FITS_BETTER: f64 = 0.45;
/// On a page of many sentences most small numbers stand somewhere, beside nothing of the claim.
const LONG: usize = 20;
const BY_CHANCE: f64 = 0.05;

/// Numbers that the source says of something else.
pub fn displaced(statement: &Statement, page: &Page, bindings: &[Bound]) -> Vec<Missing> {
    let is_long = page.sentences.len() > LONG;
    let is_digits = |bound: &Bound| matches!(&statement.slots[bound.part].part, Part::Number(number) if !number.spelled);
    let by_chance = |bound: &Bound| is_long && bound.own < BY_CHANCE && is_digits(bound);
    let plainly = bindings.iter().filter(|bound| bound.rival >= PLAINLY && bound.rival - bound.own >= FITS_BETTER || by_chance(bound));
    let missing = |bound: &Bound| Missing {
        elsewhere: Some(bound.place),
        ..missing(statement, MissingKind::Number, statement.slots[bound.part].span)
    };
    plainly.map(missing).collect()
}

/// Of a date whose month the page has, only the day is missing.
fn wrong_part(statement: &Statement, page: &Page, number: &Number) -> Span {
    let Measure::Day { month } = number.measure else { return number.span };
    let same_month = |found: &Number| match found.measure {
        Measure::Day { month: other } => other == month,
        Measure::Month => found.value == f64::from(month),
        _ => false,
    };
    // In `03-12` the last that has the value of the day is the day.
    let is_day = |token: &&Token| token.of(statement.text).parse() == Ok(number.value);
    let day = statement.tokens[number.tokens.0..number.tokens.1].iter().filter(|token| token.kind == Kind::Number).rfind(is_day);
    match day {
        Some(day) if page.numbers.iter().any(|(found, _)| same_month(found)) => day.span,
        _ => number.span,
    }
}

fn is_small(number: &Number) -> bool {
    number.value <= 31.0 && number.measure == Measure::Count && number.unit.is_none() && !number.spelled
}

/// Two things are rarely counted by their source, it just names them; a converted quantity is not in the source at all.
fn is_excused(matching: &Matching, number: &Number) -> bool {
    let statement = matching.statement;
    let counted_by_naming = number.is_small_word();
    let converted = || {
        let others = statement.numbers().filter(|(place, other)| other.span != number.span && matching.anywhere(*place) > 0.0);
        others
            .into_iter()
            .any(|(_, other)| number.unit.is_some() && other.unit.is_some() && (number.bears_out(other) || other.bears_out(number)))
    };
    counted_by_naming || converted() || derived::follows(matching, number)
}

/// Whether a sentence that has the number, or one beside it, has anything else of the claim.
fn is_near(matching: &Matching, part: usize) -> bool {
    let statement = matching.statement;
    let others: Vec<usize> = (0..statement.slots.len()).filter(|other| *other != part && statement.slots[*other].weight >= 0.5).collect();
    if others.len() < 3 {
        return true;
    }
    let last = matching.sentences().saturating_sub(1);
    (0..matching.sentences()).filter(|sentence| matching.strength(part, *sentence) > 0.0).any(|sentence| {
        let around = sentence.saturating_sub(2)..=(sentence + 2).min(last);
        others.iter().any(|other| around.clone().any(|near| matching.strength(*other, near) >= 0.7))
    })
}

fn check_name(matching: &Matching, name: &Name, gate: &mut Gate) {
    let (statement, page) = (matching.statement, matching.page);
    let mut words: Vec<NameWord> = name.words.iter().filter_map(|token| name_word(matching, *token)).collect();
    let rivalled = rivals::displaced(statement, page, name);
    words.iter_mut().for_each(|word| word.rivalled = rivalled.contains(&word.token) && !statement.slots[word.part].given);
    let absent: Vec<&NameWord> = words.iter().filter(|word| !word.found || word.rivalled).collect();
    if absent.is_empty() {
        return;
    }
    if variants::whole_name_is_known(&words.iter().map(|word| word.folded).collect::<Vec<_>>(), page) {
        gate.excused.extend(absent.iter().map(|word| word.part));
        return;
    }
    // Words such as `World` and `Bank` identify nothing alone; together they do. A common word is a name if it has its capital inside the claim.
    let is_weak = |word: &NameWord| words::is_generic_in_names(word.folded) || words::is_common(word.folded) && word.token == 0;
    let whole = words.len() >= 2 && absent.len() == words.len() && words.iter().all(is_weak);
    for word in &absent {
        if word.rivalled {
            gate.missing.push(missing(statement, MissingKind::Name, word.span));
        } else if variants::is_known(word.raw, word.folded, page)
            || (2..=3).any(|length| variants::has_initials(&phrase(statement, word.token, length), page))
            || is_given_name(statement, &words, word, page)
            || is_container(matching, name)
        {
            gate.excused.push(word.part);
        } else if whole || !is_weak(word) {
            gate.missing.push(missing(statement, MissingKind::Name, word.span));
        }
    }
}

/// So many words from a place on.
fn phrase<'a>(statement: &Statement<'a>, from: usize, length: usize) -> Vec<&'a str> {
    statement.tokens.iter().skip(from).take(length).map(|token| token.of(statement.text)).collect()
}

struct NameWord<'a> {
    part: usize,
    token: usize,
    raw: &'a str,
    folded: &'a str,
    span: Span,
    found: bool,
    /// The page has another word in its place.
    rivalled: bool,
}

fn name_word<'a>(matching: &Matching<'a>, token: usize) -> Option<NameWord<'a>> {
    let statement = matching.statement;
    let part = statement.slot_of(token)?;
    let slot = &statement.slots[part];
    let Part::Word { folded, .. } = &slot.part else { return None };
    let found = slot.given || matching.anywhere(part) >= 0.7;
    Some(NameWord { part, token, raw: slot.span.of(statement.text), folded, span: slot.span, found, rivalled: false })
}

/// `John` in `John Smith` is not asked for if the page says `Smith`, and never another given name before it.
fn is_given_name(statement: &Statement, words: &[NameWord], word: &NameWord, page: &Page) -> bool {
    let Some(last) = words.last().filter(|last| last.found && last.part != word.part) else { return false };
    // `Count Bertrand of Sault`: what stands before `of` is no given name of what stands after it.
    let has_of = statement.tokens[word.token..last.token].iter().any(|token| token.of(statement.text) == "of");
    if words.len() > 3 || words::is_generic_in_names(last.folded) || has_of {
        return false;
    }
    let before = variants::capitals_before(last.folded, page);
    let initial = word.folded.chars().next();
    before.iter().all(|other| other.chars().count() == 1 && other.chars().next() == initial)
}

/// `Illinois` in `in Springfield, Illinois` says where Springfield is, which a page about Springfield need not; but not `Springfield, Missouri`.
fn is_container(matching: &Matching, name: &Name) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    let (Some(first), Some(last)) = (name.words.first(), name.words.last()) else { return false };
    let raw = |at: usize| statement.tokens.get(at).map_or("", |token| token.of(statement.text));
    if *first < 2 || raw(first - 1) != "," {
        return false;
    }
    let Some(inner) = statement.names.iter().find(|inner| inner.words.last() == Some(&(first - 2))) else { return false };
    let begins = inner.words[0];
    let introduced = begins > 0 && ["in", "at", "near", "from", "of", "to"].contains(&raw(begins - 1).to_lowercase().as_str());
    let goes_on = raw(last + 1) == "and" || raw(last + 1) == "," && raw(last + 2).starts_with(char::is_uppercase);
    let known = inner.words.iter().filter_map(|token| statement.slot_of(*token)).all(|part| matching.anywhere(part) >= 0.7);
    introduced && !goes_on && known && !variants::is_located(&fold(raw(first - 2)), page)
}
