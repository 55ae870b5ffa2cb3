//! The functions and methods of expressions: their names, how many arguments they take, and what they give.
//! None can fail: an argument of the wrong kind gives null, or counts as empty.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::fuel::Fuel;
use super::lists;
use super::operators::{Number, compare, number};
use crate::diagnostic::edit_distance;

/// Declares an enum together with the names and argument counts of its members, so that they cannot drift apart.
macro_rules! table {
    ($kind:ident { $($member:ident = $name:literal, $least:literal..=$most:literal;)* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $kind { $($member,)* }

        impl $kind {
            pub const NAMES: &'static [&'static str] = &[$($name,)*];

            pub fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$member),)* _ => None }
            }

            pub fn arguments(self) -> RangeInclusive<usize> {
                match self { $(Self::$member => $least..=$most,)* }
            }
        }
    };
}

table!(Function {
    Has = "has", 1..=1;
    Size = "size", 1..=1;
    Text = "string", 1..=1;
    Integer = "int", 1..=1;
    Float = "double", 1..=1;
    Boolean = "bool", 1..=1;
    Best = "best", 2..=2;
    First = "first", 1..=1;
    Latest = "latest", 1..=1;
    Merge = "merge", 3..=3;
    Either = "either", 2..=8;
    Range = "range", 1..=1;
    Similar = "similar", 2..=2;
    Tokens = "tokens", 1..=1;
    Unanswered = "unanswered", 1..=1;
    Min = "min", 1..=8;
    Max = "max", 1..=8;
    Sum = "sum", 1..=1;
    Round = "round", 1..=2;
    Keys = "keys", 1..=1;
    Values = "values", 1..=1;
    SortBy = "sort_by", 2..=2;
    Unique = "unique", 1..=1;
});

table!(Method {
    Size = "size", 0..=0;
    Contains = "contains", 1..=1;
    StartsWith = "startsWith", 1..=1;
    EndsWith = "endsWith", 1..=1;
    Matches = "matches", 1..=1;
    LowerAscii = "lowerAscii", 0..=0;
    UpperAscii = "upperAscii", 0..=0;
    Trim = "trim", 0..=0;
    Split = "split", 1..=1;
    Join = "join", 0..=1;
    Replace = "replace", 2..=2;
});

/// The most that `range` gives.
const LONGEST_RANGE: i64 = 10_000;
/// What `similar` looks at.
const SIMILAR_CHARACTERS: usize = 2_000;
/// What compiling a pattern that is not written out costs, since it cannot be done beforehand.
const PATTERN_COST: u64 = 5_000;

pub(super) type Argument<'v> = Cow<'v, Value>;

pub(super) fn call<'v>(function: Function, mut arguments: Vec<Argument<'v>>, fuel: Fuel<'_>) -> Argument<'v> {
    // The order of taking is from the end.
    let last = arguments.pop().unwrap_or_default();
    let value = match function {
        Function::Has => Value::Bool(!last.is_null()),
        Function::Size => size(&last, fuel),
        Function::Text => return to_text(last, fuel),
        Function::Integer => to_integer(&last),
        Function::Float => to_number(&last).map_or(Value::Null, |number| number.float().into()),
        Function::Boolean => to_boolean(&last),
        Function::First => return lists::at(last, 0),
        Function::Latest => {
            let position = last.as_array().map_or(0, |list| list.len().saturating_sub(1));
            return lists::at(last, position);
        }
        Function::Best => return arguments.pop().map_or_else(Cow::default, |list| lists::best(list, text(&last))),
        Function::Either => {
            arguments.push(last);
            return arguments.into_iter().find(|argument| !argument.is_null()).unwrap_or_default();
        }
        Function::Min | Function::Max if arguments.is_empty() => {
            let wanted = if function == Function::Min { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater };
            return lists::extreme(last, wanted);
        }
        Function::Min | Function::Max => {
            let wanted = if function == Function::Min { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater };
            arguments.push(last);
            let present = arguments.into_iter().filter(|argument| !argument.is_null());
            return present.reduce(|best, next| if compare(&next, &best) == Some(wanted) { next } else { best }).unwrap_or_default();
        }
        Function::Merge => {
            let second = arguments.pop().unwrap_or_default();
            lists::merge(arguments.pop().unwrap_or_default(), second, text(&last), fuel)
        }
        Function::Range => range(&last, fuel),
        Function::Similar => similar(text(&arguments.pop().unwrap_or_default()), text(&last), fuel),
        Function::Tokens => tokens(&last, fuel),
        Function::Unanswered => lists::unanswered(&last, fuel),
        Function::Sum => lists::sum(&last, fuel),
        Function::Round => match arguments.pop() {
            Some(value) => round(&value, last.as_i64()),
            None => round(&last, Some(0)),
        },
        Function::Keys => lists::keys(&last, fuel),
        Function::Values => lists::values(last, fuel),
        Function::SortBy => lists::sort_by(arguments.pop().unwrap_or_default(), text(&last), fuel),
        Function::Unique => lists::unique(last, fuel),
    };
    Cow::Owned(value)
}

pub(super) fn call_method<'v>(method: Method, target: Argument<'v>, arguments: &[Argument<'_>], fuel: Fuel<'_>) -> Argument<'v> {
    let argument = arguments.first().and_then(|argument| argument.as_str());
    if method == Method::Size {
        return Cow::Owned(size(&target, fuel));
    }
    if method == Method::Join {
        return Cow::Owned(lists::join(&target, argument.unwrap_or(""), fuel));
    }
    // A question asked of nothing is answered with no; anything else made of nothing is nothing.
    let is_question = matches!(method, Method::Contains | Method::StartsWith | Method::EndsWith | Method::Matches);
    let nothing = if is_question { Value::Bool(false) } else { Value::Null };
    let Some(text) = target.as_str() else { return Cow::Owned(nothing) };
    if !fuel.burn_text(text.len()) {
        return Cow::default();
    }
    let value = match (method, argument) {
        (Method::Contains, Some(part)) => text.contains(part).into(),
        (Method::StartsWith, Some(part)) => text.starts_with(part).into(),
        (Method::EndsWith, Some(part)) => text.ends_with(part).into(),
        (Method::Matches, Some(source)) if fuel.burn(PATTERN_COST) => pattern(source).is_ok_and(|pattern| pattern.is_match(text)).into(),
        (Method::LowerAscii, _) => text.to_ascii_lowercase().into(),
        (Method::UpperAscii, _) => text.to_ascii_uppercase().into(),
        (Method::Trim, _) => text.trim().into(),
        (Method::Split, Some(separator)) => lists::split(text, separator, fuel),
        (Method::Replace, Some(old)) => match arguments.get(1).and_then(|argument| argument.as_str()) {
            Some(new) => replace(text, old, new, fuel),
            None => Value::Null,
        },
        _ => nothing,
    };
    Cow::Owned(value)
}

/// A regular expression of limited size, so that a workflow's text cannot make a huge machine of it.
pub(super) fn pattern(source: &str) -> Result<Regex, String> {
    let compiled = RegexBuilder::new(source).size_limit(256 * 1024).dfa_size_limit(256 * 1024).nest_limit(50).build();
    compiled.map_err(|error| error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn size(value: &Value, fuel: Fuel<'_>) -> Value {
    match value {
        Value::Null => 0.into(),
        Value::String(text) if fuel.burn_text(text.len()) => text.chars().count().into(),
        Value::Array(items) => items.len().into(),
        Value::Object(fields) => fields.len().into(),
        _ => Value::Null,
    }
}

fn to_text<'v>(value: Argument<'v>, fuel: Fuel<'_>) -> Argument<'v> {
    match &*value {
        Value::String(_) => value,
        Value::Null => Cow::Owned(Value::String(String::new())),
        Value::Number(written) => Cow::Owned(written.to_string().into()),
        Value::Bool(flag) => Cow::Owned(flag.to_string().into()),
        Value::Array(_) | Value::Object(_) if fuel.burn_copy(&value) => Cow::Owned(value.to_string().into()),
        Value::Array(_) | Value::Object(_) => Cow::default(),
    }
}

fn to_number(value: &Value) -> Option<Number> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            text.parse().map(Number::Integer).ok().or_else(|| text.parse().ok().filter(|float: &f64| float.is_finite()).map(Number::Float))
        }
        _ => number(value),
    }
}

/// Towards zero, as CEL does.
fn to_integer(value: &Value) -> Value {
    match to_number(value) {
        Some(Number::Integer(integer)) => integer.into(),
        Some(Number::Float(float)) => whole(float.trunc()),
        None => Value::Null,
    }
}

fn to_boolean(value: &Value) -> Value {
    match value {
        Value::Bool(flag) => (*flag).into(),
        Value::String(text) if text.eq_ignore_ascii_case("true") => true.into(),
        Value::String(text) if text.eq_ignore_ascii_case("false") => false.into(),
        _ => Value::Null,
    }
}

/// A float without a fraction as an integer; null beyond 64 bits.
fn whole(float: f64) -> Value {
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float);
    if fits { Value::from(float as i64) } else { Value::Null }
}

fn range(value: &Value, fuel: Fuel<'_>) -> Value {
    match number(value).and_then(Number::as_integer) {
        Some(length) if length <= LONGEST_RANGE && fuel.burn(length.max(0).unsigned_abs()) => (0..length).collect(),
        _ => Value::Null,
    }
}

/// One minus the share of characters that would have to change.
fn similar(left: &str, right: &str, fuel: Fuel<'_>) -> Value {
    let folded = |text: &str| text.trim().to_lowercase().chars().take(SIMILAR_CHARACTERS).collect::<String>();
    if !fuel.burn_text(left.len() + right.len()) {
        return Value::Null;
    }
    let (left, right) = (folded(left), folded(right));
    let (length, other) = (left.chars().count(), right.chars().count());
    let longest = length.max(other);
    if longest == 0 {
        return 1.0.into();
    }
    if !fuel.burn_text(length * other) {
        return Value::Null;
    }
    (1.0 - edit_distance(&left, &right) as f64 / longest as f64).into()
}

/// About four characters make a token.
fn tokens(value: &Value, fuel: Fuel<'_>) -> Value {
    if value.is_null() {
        return 0.into();
    }
    if !fuel.burn_copy(value) {
        return Value::Null;
    }
    let characters = value.as_str().map_or_else(|| value.to_string().chars().count(), |text| text.chars().count());
    characters.div_ceil(4).into()
}

/// Half away from zero. Without digits after the point it is a whole number.
fn round(value: &Value, digits: Option<i64>) -> Value {
    match (number(value), digits) {
        (Some(Number::Integer(integer)), Some(0..)) => integer.into(),
        (Some(Number::Float(float)), Some(0)) => whole(float.round()),
        (Some(Number::Float(float)), Some(digits @ 1..=15)) => {
            let scale = 10f64.powi(digits as i32);
            let scaled = (float * scale).round() / scale;
            Value::from(if scaled.is_finite() { scaled } else { float })
        }
        (Some(Number::Float(float)), Some(16..)) => float.into(),
        _ => Value::Null,
    }
}

fn replace(text: &str, old: &str, new: &str, fuel: Fuel<'_>) -> Value {
    let growth = text.matches(old).count().saturating_mul(new.len());
    match fuel.burn_text(text.len().saturating_add(growth)) {
        true => text.replace(old, new).into(),
        false => Value::Null,
    }
}
