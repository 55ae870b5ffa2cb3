//! Two statements of one attribute of one subject that give different values for it.
//! Where both could be read so, this reading decides, and what only shares words with it does not.

use super::conflict::{
    Difference, Differs, Scope, are_apart, are_numbered_apart, by_authority, has_name, is_one_event, is_same_time, scope,
};
use super::stated::{Given, Stated};
use crate::text::words;

/// The first difference that a reading by attributes finds.
pub fn differing(one: &[Stated], other: &[Stated]) -> Option<Difference> {
    let mut pairs = one.iter().flat_map(|mine| other.iter().map(move |theirs| (mine, theirs)));
    pairs.find_map(|(mine, theirs)| difference(mine, theirs))
}

/// Whether both values were read as those of attributes, so that it is known whether they can be compared.
pub fn has_read(one: &[Stated], other: &[Stated], values: &(String, String)) -> bool {
    let is_read = |stated: &[Stated], value: &str| {
        // Of a range or an intention, neither end is what is so.
        stated.iter().any(|stated| match &stated.given {
            _ if stated.is_vague => true,
            Given::Value(read) => read.written == value,
            Given::Names(names) => names.iter().any(|(_, written)| written == value),
        })
    };
    is_read(one, &values.0) && is_read(other, &values.1)
}

fn difference(one: &Stated, other: &Stated) -> Option<Difference> {
    let is_one_thing = one.attribute.name == other.attribute.name && is_same_subject(one, other);
    if !is_one_thing || are_numbered_apart(&one.said, &other.said) || one.is_vague || other.is_vague {
        return None;
    }
    match (&one.given, &other.given) {
        (Given::Value(mine), Given::Value(theirs)) => {
            if mine.is_date() != theirs.is_date() || !mine.is_measured_alike(theirs) || mine.agrees(theirs) {
                return None;
            }
            let written = (mine.written.clone(), theirs.written.clone());
            let is_part = is_of_a_part(one, other) || is_of_a_part(other, one);
            let (one, other) = (&one.said, &other.said);
            Some(match () {
                () if mine.is_date() && are_apart(&one.places, &other.places) && !is_one_event(one, other) => {
                    (Differs::Date, written, Scope::DifferentPlace)
                }
                () if mine.is_date() => (Differs::Date, written, by_authority(one, other)),
                () if mine.is_of_another_currency(theirs) => (Differs::Number, written, Scope::DifferentUnit),
                () if is_part => (Differs::Number, written, Scope::DifferentPlace),
                () => (Differs::Number, written, scope(one, other)),
            })
        }
        (Given::Names(mine), Given::Names(theirs)) => {
            let is_other_time = one.attribute.changes && (one.is_past != other.is_past || !is_same_time(&one.said, &other.said));
            if is_other_time || mine.iter().any(|name| has_name(theirs, name)) {
                return None;
            }
            let written = (mine.first()?.1.clone(), theirs.first()?.1.clone());
            Some((Differs::Name, written, by_authority(&one.said, &other.said)))
        }
        _ => None,
    }
}

/// `Acme employs 310 people in Poland` is a part of all that it employs.
fn is_of_a_part(one: &Stated, whole: &Stated) -> bool {
    let is_subject = |name: &str| name.split_whitespace().any(|word| one.subject.names.contains(&words::stem(word)));
    whole.said.places.is_empty() && one.said.places.iter().any(|(name, _)| !is_subject(name))
}

/// Where neither says whose revenue it is, both must at least say of which year it is.
fn is_same_subject(one: &Stated, other: &Stated) -> bool {
    let is_dated = !one.said.dates.is_empty() && !other.said.dates.is_empty();
    match (one.subject.is_empty(), other.subject.is_empty()) {
        (false, false) => one.subject.is_same(&other.subject),
        _ => is_dated && matches!((&one.given, &other.given), (Given::Value(mine), Given::Value(_)) if !mine.is_date()),
    }
}
