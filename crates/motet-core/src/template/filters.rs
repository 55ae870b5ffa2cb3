//! The filters that templates have beyond Jinja's own: JSON, money, time, and lists for people.
//! A value of the wrong kind is shown as it is, because a file half readable is better than none.

use minijinja::value::{Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior, Value};

use crate::units::{Time, Usd, show_duration};

/// Every filter there is: Jinja's own and ours.
pub(super) const NAMES: &[&str] = &[
    "abs",
    "attr",
    "batch",
    "bool",
    "bullet",
    "capitalize",
    "chain",
    "count",
    "d",
    "default",
    "dictsort",
    "duration",
    "e",
    "escape",
    "first",
    "float",
    "format",
    "groupby",
    "indent",
    "int",
    "items",
    "join",
    "json",
    "last",
    "length",
    "lines",
    "list",
    "literal",
    "lower",
    "map",
    "max",
    "min",
    "money",
    "percent",
    "pprint",
    "pretty",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "safe",
    "select",
    "selectattr",
    "slice",
    "sort",
    "split",
    "string",
    "sum",
    "time",
    "title",
    "tojson",
    "trim",
    "unique",
    "upper",
    "zip",
];

pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("json", |state: &State, value: Value| written(state, &value, false));
    environment.add_filter("pretty", |state: &State, value: Value| written(state, &value, true));
    environment.add_filter("money", |value: Value| match f64::try_from(value.clone()).ok().and_then(Usd::from_dollars) {
        Some(amount) => Value::from(amount.to_string()),
        None => value,
    });
    environment.add_filter("duration", |value: Value| match milliseconds(&value).and_then(|number| u64::try_from(number).ok()) {
        Some(milliseconds) => Value::from(show_duration(milliseconds)),
        None => value,
    });
    environment.add_filter("time", |value: Value| match milliseconds(&value) {
        Some(milliseconds) => Value::from(Time(milliseconds).to_string()),
        None => value,
    });
    environment.add_filter("percent", |value: Value| match f64::try_from(value.clone()) {
        Ok(share) if value.is_number() => Value::from(format!("{}%", (share * 1000.0).round() / 10.0)),
        _ => value,
    });
    environment.add_filter("bullet", bullet);
    environment.add_filter("literal", literal);
    for name in ["length", "count"] {
        environment.add_filter(name, length);
    }
    for name in ["default", "d"] {
        environment.add_filter(name, default);
    }
}

fn written(state: &State, value: &Value, indented: bool) -> Result<String, Error> {
    refuse_undefined(state, value)?;
    let written = if indented { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
    written.map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

/// Whole milliseconds, or none of a kind that has no time in it.
fn milliseconds(value: &Value) -> Option<i64> {
    let number = f64::try_from(value.clone()).ok().filter(|_| value.is_number())?;
    (number.abs() < 1e15).then_some(number as i64)
}

/// A Markdown list; an item of several lines stays inside its bullet.
fn bullet(state: &State, list: Value) -> Result<String, Error> {
    refuse_undefined(state, &list)?;
    if list.is_undefined() || list.is_none() {
        return Ok(String::new());
    }
    let mut bullets = Vec::new();
    for item in list.try_iter()? {
        let text = match item.kind() {
            ValueKind::Map | ValueKind::Seq => written(state, &item, false)?,
            ValueKind::None => continue,
            _ => item.to_string(),
        };
        bullets.push(format!("- {}", text.trim_end().replace('\n', "\n  ")));
    }
    Ok(bullets.join("\n"))
}

/// Somebody else's words in one line of Markdown, which shows them as they are: nothing in them is a link, a tag, a cell or a heading.
fn literal(state: &State, value: Value) -> Result<String, Error> {
    refuse_undefined(state, &value)?;
    if value.is_undefined() || value.is_none() {
        return Ok(String::new());
    }
    let line = value.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    let characters: Vec<char> = line.chars().collect();
    let mut written = String::with_capacity(line.len() + 8);
    for (place, character) in characters.iter().enumerate() {
        let around = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(|other| other.is_alphanumeric());
        let is_markup = match character {
            '\\' | '`' | '*' | '<' | '>' | '~' | '[' | ']' | '|' => true,
            // Inside a word an underscore means nothing.
            '_' => !(around(place.checked_sub(1)) && around(Some(place + 1))),
            '&' => is_entity(&characters[place + 1..]),
            '#' | '-' | '+' => place == 0,
            _ => false,
        };
        if is_markup {
            written.push('\\');
        }
        written.push(*character);
    }
    Ok(written)
}

/// `amp;`, `#8212;`
fn is_entity(after: &[char]) -> bool {
    let name = after.iter().take_while(|character| character.is_ascii_alphanumeric() || **character == '#').count();
    name > 0 && after.get(name) == Some(&';')
}

/// As Jinja's, but what is null has no length.
fn length(state: &State, value: Value) -> Result<usize, Error> {
    refuse_undefined(state, &value)?;
    match value.len() {
        Some(length) => Ok(length),
        None if value.is_none() || value.is_undefined() => Ok(0),
        None => Err(Error::new(ErrorKind::InvalidOperation, format!("a {} has no length", value.kind()))),
    }
}

/// As Jinja's, but null is as good as missing.
fn default(value: Value, rest: Rest<Value>) -> Value {
    let also_false = rest.get(1).is_some_and(Value::is_true);
    match value.is_undefined() || value.is_none() || (also_false && !value.is_true()) {
        true => rest.first().cloned().unwrap_or_else(|| Value::from("")),
        false => value,
    }
}

fn refuse_undefined(state: &State, value: &Value) -> Result<(), Error> {
    match value.is_undefined() && state.undefined_behavior() == UndefinedBehavior::Strict {
        true => Err(Error::from(ErrorKind::UndefinedError)),
        false => Ok(()),
    }
}
