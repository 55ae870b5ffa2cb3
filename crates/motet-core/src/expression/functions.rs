//! The functions and methods of expressions: their names, how many arguments they take, and what they give.
//! None can fail: an argument of the wrong kind gives null, or counts as empty.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::fuel::Fuel;
use super::operators::{Number, compare, number};
use super::{fitting, lists, markers, questions, texts};
use crate::diagnostic::edit_distance;

/// Declares an enum together with the names and argument counts of its members and what is told of them, so that they cannot
/// drift apart.
macro_rules! table {
    ($kind:ident { $($member:ident = $name:literal, $least:literal..=$most:literal, $written:literal: $about:literal;)* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $kind { $($member,)* }

        impl $kind {
            pub const NAMES: &'static [&'static str] = &[$($name,)*];
            /// How each is written, and what it gives.
            pub const REFERENCE: &'static [(&'static str, &'static str)] = &[$(($written, $about),)*];

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
    Has = "has", 1..=1, "has(value)": "Whether there is a value: it is not null.";
    Size = "size", 1..=1, "size(value)": "How many characters, members or fields; nothing has 0.";
    Text = "string", 1..=1, "string(value)": "The value as a text; nothing is the empty text.";
    Integer = "int", 1..=1, "int(value)": "A number without its fraction, also from a text.";
    Float = "double", 1..=1, "double(value)": "A number with a fraction, also from a text.";
    Boolean = "bool", 1..=1, "bool(value)": "True or false, also from a text.";
    Best = "best", 2..=2, "best(list, field)": "The member with the greatest number in a field, the first of equals.";
    First = "first", 1..=1, "first(list)": "The first member.";
    Latest = "latest", 1..=1, "latest(list)": "The last member.";
    Merge = "merge", 3..=3, "merge(list, changes, key)": "The list with the members of the second one that have the same key changed field by field, new ones at the end.";
    Either = "either", 2..=8, "either(value, …)": "The first that is not null.";
    Range = "range", 1..=1, "range(n)": "The numbers from 0 to n - 1.";
    Similar = "similar", 2..=2, "similar(text, text)": "How alike two texts are, from 0 to 1, by the letters that would have to change.";
    Tokens = "tokens", 1..=1, "tokens(value)": "About how many tokens it has.";
    Unanswered = "unanswered", 1..=1, "unanswered(questions)": "The questions without an answer, each with its default as what is assumed.";
    Min = "min", 1..=8, "min(list) or min(value, …)": "The least.";
    Max = "max", 1..=8, "max(list) or max(value, …)": "The greatest.";
    Sum = "sum", 1..=1, "sum(list)": "Of the numbers in a list.";
    Round = "round", 1..=2, "round(number, digits)": "Half away from zero; without digits a whole number.";
    Keys = "keys", 1..=1, "keys(map)": "The names of the fields.";
    Values = "values", 1..=1, "values(map)": "The values of the fields.";
    SortBy = "sort_by", 2..=2, "sort_by(list, field)": "In rising order of a field; equals keep their order.";
    Unique = "unique", 1..=1, "unique(list)": "Each value once, where it stands first.";
    Take = "take", 2..=2, "take(list, n)": "The first n members.";
    Fitting = "fitting", 2..=3, "fitting(list, n, fields)": "The first members that have no more than n tokens together, counted high; where fields are named, in these alone.";
    Sentences = "sentences", 1..=1, "sentences(text)": "Every sentence; a line is one too, whatever it ends with.";
    Words = "words", 1..=1, "words(text)": "Every word, without the marks around it.";
    Keywords = "keywords", 2..=2, "keywords(text, n)": "The n words that are used most, in small letters, without those that carry no meaning.";
    Themes = "themes", 2..=2, "themes(text, n)": "The n keywords that are used most, an adjective only together with what it describes.";
    Parts = "parts", 1..=1, "parts(text)": "What a text enumerates: the items of its list, else its sentences, else the questions in one sentence or what it parts with commas.";
    Questions = "questions", 1..=1, "questions(text)": "Each question of a text as { name, query }, with what it is about in the place of a word that points back; where it asks nothing, its parts.";
    Headline = "headline", 2..=2, "headline(text, n)": "What the text names first, as a title of at most n words.";
    TitleCase = "title_case", 1..=1, "title_case(text)": "With capital letters as in a title.";
    Shorten = "shorten", 2..=2, "shorten(text, n)": "At most n characters, cut between two words.";
    Uncited = "uncited", 1..=1, "uncited(text)": "Without the citation markers that it brings along, such as `[3]` or `[^a]`: what they refer to stayed where it was.";
    Counted = "counted", 2..=3, "counted(n, one, many)": "A number, or the size of a list, with what is counted: `1 task`, `2 tasks`; an `s` makes many where it is not said.";
    Covers = "covers", 2..=2, "covers(text, other)": "Which share of the keywords of the other text this one has, from 0 to 1; either may be a list of texts.";
    Extract = "extract", 3..=3, "extract(text, about, n)": "The n sentences that share most keywords with what it is about, in their order.";
});

table!(Method {
    Size = "size", 0..=0, "value.size()": "As `size(value)`.";
    Contains = "contains", 1..=1, "text.contains(part)": "Whether the part stands in the text.";
    StartsWith = "startsWith", 1..=1, "text.startsWith(part)": "Whether the text begins so.";
    EndsWith = "endsWith", 1..=1, "text.endsWith(part)": "Whether the text ends so.";
    Matches = "matches", 1..=1, "text.matches(pattern)": "Whether a regular expression is found in the text.";
    LowerAscii = "lowerAscii", 0..=0, "text.lowerAscii()": "In small letters.";
    UpperAscii = "upperAscii", 0..=0, "text.upperAscii()": "In capital letters.";
    Trim = "trim", 0..=0, "text.trim()": "Without the blanks around it.";
    Split = "split", 1..=1, "text.split(separator)": "The pieces between the separators.";
    Join = "join", 0..=1, "list.join(separator)": "The texts of a list as one.";
    Replace = "replace", 2..=2, "text.replace(old, new)": "With every occurrence replaced.";
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
        Function::Take => {
            let list = arguments.pop().unwrap_or_default();
            if fuel.burn_copy(&list) { texts::take(list.into_owned(), count(&last)) } else { Value::Null }
        }
        Function::Fitting => {
            let (most, fields) = match arguments.len() {
                2 => (arguments.pop().unwrap_or_default(), Some(last)),
                _ => (last, None),
            };
            fitting::fitting(arguments.pop().unwrap_or_default(), count(&most), fields, fuel)
        }
        Function::Sentences => texts::sentences(&texts::flat(&last, fuel), fuel),
        Function::Words => texts::words(&texts::flat(&last, fuel), fuel),
        Function::Parts => texts::parts(text(&last), fuel),
        Function::Questions => questions::questions(text(&last), fuel),
        Function::TitleCase => texts::title_case(text(&last), fuel),
        Function::Uncited => markers::uncited(text(&last), fuel),
        Function::Keywords | Function::Themes | Function::Headline | Function::Shorten | Function::Covers => {
            let first = arguments.pop().unwrap_or_default();
            let first = texts::flat(&first, fuel);
            match function {
                Function::Keywords => texts::keywords(&first, count(&last), fuel),
                Function::Themes => texts::themes(&first, count(&last), fuel),
                Function::Headline => texts::headline(&first, count(&last), fuel),
                Function::Shorten => texts::shorten(&first, count(&last), fuel),
                _ => texts::covers(&first, &texts::flat(&last, fuel), fuel),
            }
        }
        Function::Counted => {
            let (one, many) = match arguments.len() {
                2 => (arguments.pop().unwrap_or_default(), Some(last)),
                _ => (last, None),
            };
            texts::counted(&arguments.pop().unwrap_or_default(), text(&one), many.as_deref().map(text), fuel)
        }
        Function::Extract => {
            let about = arguments.pop().unwrap_or_default();
            let from = arguments.pop().unwrap_or_default();
            texts::extract(&texts::flat(&from, fuel), &texts::flat(&about, fuel), count(&last), fuel)
        }
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

fn count(value: &Value) -> Option<i64> {
    number(value).and_then(Number::as_integer)
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
