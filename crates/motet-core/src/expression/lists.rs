//! What the functions on lists and maps give. Null counts as an empty list everywhere.
//! They know nothing of runs: `best` and `unanswered` look only at the fields of what they are given.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::fuel::Fuel;
use super::operators::{Number, calculate, compare, number};
use super::syntax::Operator;

type Argument<'v> = Cow<'v, Value>;

/// The element at a position; null beyond the end, and of anything but a list.
pub(super) fn at<'v>(list: Argument<'v>, position: usize) -> Argument<'v> {
    match list {
        Cow::Borrowed(list) => list.get(position).map_or_else(Cow::default, Cow::Borrowed),
        Cow::Owned(Value::Array(mut items)) if position < items.len() => Cow::Owned(items.swap_remove(position)),
        Cow::Owned(_) => Cow::default(),
    }
}

/// The member with the greatest number in a field, the first of equals. A verdict without a score counts as one if it
/// approves and as zero if not; any other member without the number comes last.
pub(super) fn best<'v>(list: Argument<'v>, field: &str) -> Argument<'v> {
    let score = |member: &Value| {
        let counted = || member.get("outcome").map(|outcome| f64::from(u8::from(outcome == "approved")));
        member.get(field).and_then(number).map(Number::float).or_else(counted).unwrap_or(f64::NEG_INFINITY)
    };
    let Some(items) = list.as_array() else { return Cow::default() };
    let mut found: Option<(usize, f64)> = None;
    for (position, member) in items.iter().enumerate() {
        let score = score(member);
        if found.is_none_or(|(_, best)| score > best) {
            found = Some((position, score));
        }
    }
    found.map_or_else(Cow::default, |(position, _)| at(list, position))
}

/// The least or the greatest of a list, by numbers, texts or booleans.
pub(super) fn extreme<'v>(list: Argument<'v>, wanted: Ordering) -> Argument<'v> {
    let Some(items) = list.as_array() else {
        // One argument that is no list is the only candidate.
        return list;
    };
    let present = items.iter().enumerate().filter(|(_, item)| !item.is_null());
    let found = present.reduce(|best, next| if compare(next.1, best.1) == Some(wanted) { next } else { best });
    let Some(position) = found.map(|(position, _)| position) else { return Cow::default() };
    at(list, position)
}

/// Members of the second list change those of the first that have the same key, field by field and in place;
/// new ones are appended.
pub(super) fn merge(first: Argument<'_>, second: Argument<'_>, key: &str, fuel: Fuel<'_>) -> Value {
    if !(fuel.burn_copy(&first) && fuel.burn_copy(&second)) {
        return Value::Null;
    }
    let (Some(mut members), Some(changes)) = (items(first), items(second)) else { return Value::Null };
    let identity = |member: &Value| member.get(key).filter(|identity| !identity.is_null()).map(canonical);
    let mut positions: BTreeMap<String, usize> = BTreeMap::new();
    for (position, member) in members.iter().enumerate() {
        if let Some(identity) = identity(member) {
            positions.entry(identity).or_insert(position);
        }
    }
    for change in changes {
        let identity = identity(&change);
        let known = identity.as_ref().and_then(|identity| positions.get(identity)).copied();
        match (known.map(|position| &mut members[position]), change) {
            (Some(Value::Object(member)), Value::Object(change)) => member.extend(change),
            (_, change) => {
                positions.extend(identity.map(|identity| (identity, members.len())));
                members.push(change);
            }
        }
    }
    Value::Array(members)
}

/// The questions that have no answer yet, with what is assumed instead.
pub(super) fn unanswered(questions: &Value, fuel: Fuel<'_>) -> Value {
    let open = questions.as_array().into_iter().flatten().filter(|question| question.get("answer").is_none_or(Value::is_null));
    let assume = |question: &Value| {
        let question_copied = fuel.burn_copy(question);
        let field = |name| if question_copied { question.get(name).cloned().unwrap_or_default() } else { Value::Null };
        json!({ "id": field("id"), "question": field("question"), "assumed": field("default") })
    };
    open.map(assume).collect()
}

/// Of the numbers in a list; what is not a number is passed over.
pub(super) fn sum(list: &Value, fuel: Fuel<'_>) -> Value {
    let items = list.as_array().map_or(&[][..], Vec::as_slice);
    match fuel.burn(items.len() as u64) {
        true => items.iter().filter_map(number).fold(Value::from(0), |total, next| calculate(Operator::Add, number(&total), Some(next))),
        false => Value::Null,
    }
}

pub(super) fn keys(map: &Value, fuel: Fuel<'_>) -> Value {
    let fields = map.as_object().into_iter().flat_map(Map::keys);
    fields.take_while(|name| fuel.burn_text(name.len())).cloned().collect()
}

pub(super) fn values(map: Argument<'_>, fuel: Fuel<'_>) -> Value {
    match fuel.burn_copy(&map) {
        true => match map.into_owned() {
            Value::Object(fields) => fields.into_iter().map(|(_, field)| field).collect(),
            _ => Value::Array(Vec::new()),
        },
        false => Value::Null,
    }
}

/// In rising order of a field, members that cannot be compared last; equals keep their order.
pub(super) fn sort_by(list: Argument<'_>, field: &str, fuel: Fuel<'_>) -> Value {
    if !fuel.burn_copy(&list) {
        return Value::Null;
    }
    let Some(mut members) = items(list) else { return Value::Null };
    let rank = |value: Option<&Value>| match value {
        Some(Value::Number(_)) => 0,
        Some(Value::String(_)) => 1,
        Some(Value::Bool(_)) => 2,
        _ => 3,
    };
    members.sort_by(|left, right| {
        let (left, right) = (left.get(field), right.get(field));
        let within = || left.zip(right).and_then(|(left, right)| compare(left, right)).unwrap_or(Ordering::Equal);
        rank(left).cmp(&rank(right)).then_with(within)
    });
    Value::Array(members)
}

/// Each value once, where it stands first.
pub(super) fn unique(list: Argument<'_>, fuel: Fuel<'_>) -> Value {
    if !fuel.burn_copy(&list) {
        return Value::Null;
    }
    let Some(mut members) = items(list) else { return Value::Null };
    let mut seen = BTreeSet::new();
    members.retain(|member| seen.insert(canonical(member)));
    Value::Array(members)
}

pub(super) fn split(text: &str, separator: &str, fuel: Fuel<'_>) -> Value {
    if separator.is_empty() {
        return text.chars().take_while(|_| fuel.burn(1)).map(|character| Value::from(character.to_string())).collect();
    }
    text.split(separator).take_while(|_| fuel.burn(1)).map(Value::from).collect()
}

/// The texts of a list, one after another; numbers and booleans are written out, the rest is passed over.
pub(super) fn join(list: &Value, separator: &str, fuel: Fuel<'_>) -> Value {
    let mut joined = String::new();
    for (position, part) in list.as_array().into_iter().flatten().filter_map(super::operators::key).enumerate() {
        if !fuel.burn_text(separator.len() + part.len()) {
            return Value::Null;
        }
        if position > 0 {
            joined.push_str(separator);
        }
        joined.push_str(&part);
    }
    joined.into()
}

/// The members of a list; none of null; None of anything else.
fn items(list: Argument<'_>) -> Option<Vec<Value>> {
    match list {
        Cow::Borrowed(Value::Array(items)) => Some(items.clone()),
        Cow::Owned(Value::Array(items)) => Some(items),
        list if list.is_null() => Some(Vec::new()),
        _ => None,
    }
}

/// A text that is the same for equal values: 1 is 1.0, and the order of an object's fields says nothing.
pub(crate) fn canonical(value: &Value) -> String {
    fn write(value: &Value, out: &mut String) {
        match value {
            Value::Number(written) => match number(value).and_then(Number::as_integer) {
                Some(integer) => out.push_str(&integer.to_string()),
                None => out.push_str(&written.to_string()),
            },
            Value::Array(items) => {
                out.push('[');
                items.iter().for_each(|item| {
                    write(item, out);
                    out.push(',');
                });
                out.push(']');
            }
            Value::Object(fields) => {
                out.push('{');
                let sorted: BTreeMap<&String, &Value> = fields.iter().collect();
                sorted.into_iter().for_each(|(name, field)| {
                    out.push_str(&Value::from(name.as_str()).to_string());
                    out.push(':');
                    write(field, out);
                    out.push(',');
                });
                out.push('}');
            }
            Value::Null | Value::Bool(_) | Value::String(_) => out.push_str(&value.to_string()),
        }
    }
    let mut out = String::new();
    write(value, &mut out);
    out
}
