//! What a setting may be, and how it is read from TOML and from the text of a variable or a flag.
//! Whether values fit together is checked where they are used.

use motet_core::units::{Usd, parse_duration};
use serde_json::{Map, Value};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Text,
    Flag,
    /// From one.
    Count,
    /// From zero.
    Whole,
    /// From zero.
    Number {
        most: f64,
    },
    Duration,
    Money,
    Url,
    /// The name of an environment variable.
    Variable,
    OneOf(&'static [&'static str]),
    /// A program with its arguments.
    Words,
    Texts,
    TextTable,
    VariableTable,
    MoneyTable,
    Price,
}

impl Kind {
    /// What must stand there, in words that follow "must be".
    pub fn wanted(self) -> String {
        match self {
            Kind::Text => "a text".into(),
            Kind::Flag => "true or false".into(),
            Kind::Count => "a whole number from 1".into(),
            Kind::Whole => "a whole number from 0".into(),
            Kind::Number { most } => format!("a number from 0 to {most}"),
            Kind::Duration => "a duration such as \"30s\" or \"5m\"".into(),
            Kind::Money => "an amount of dollars such as 2.50".into(),
            Kind::Url => "an http or https address".into(),
            Kind::Variable => "the name of a variable such as OPENAI_API_KEY, not the key itself".into(),
            Kind::OneOf(words) => format!("one of {}", words.join(", ")),
            Kind::Words => "a program with its arguments, as in [\"prog\", \"arg\"]".into(),
            Kind::Texts => "a list of texts, as in [\"a\", \"b\"]".into(),
            Kind::TextTable => "a table of texts, as in { NAME = \"value\" }".into(),
            Kind::VariableTable => "a table of names of variables, as in { NAME = \"VARIABLE\" }, not the secrets themselves".into(),
            Kind::MoneyTable => "a table of dollars, as in { slogan = 0.50 }".into(),
            Kind::Price => "a table of dollars, as in { input_per_million = 3, output_per_million = 15 } or { call = 0.01 }".into(),
        }
    }

    /// Whether a value is of this kind.
    pub fn allows(self, value: &Value) -> bool {
        match self {
            Kind::Text => text(value).is_some(),
            Kind::Flag => value.is_boolean(),
            Kind::Count => value.as_u64().is_some_and(|number| number > 0),
            Kind::Whole => value.as_u64().is_some(),
            Kind::Number { most } => value.as_f64().is_some_and(|number| (0.0..=most).contains(&number)),
            Kind::Duration => text(value).and_then(parse_duration).is_some_and(|milliseconds| milliseconds > 0),
            Kind::Money => money(value).is_some(),
            Kind::Url => text(value).is_some_and(is_url),
            Kind::Variable => text(value).is_some_and(is_variable),
            Kind::OneOf(words) => text(value).is_some_and(|text| words.contains(&text)),
            Kind::Words => value.as_array().is_some_and(|words| !words.is_empty() && words.iter().all(Value::is_string)),
            Kind::Texts => value.as_array().is_some_and(|texts| texts.iter().all(|one| text(one).is_some())),
            Kind::TextTable => table(value, Value::is_string),
            Kind::VariableTable => table(value, |value| text(value).is_some_and(is_variable)),
            Kind::MoneyTable => table(value, |value| money(value).is_some()),
            Kind::Price => {
                const PARTS: [&str; 3] = ["call", "input_per_million", "output_per_million"];
                let known = value.as_object().is_some_and(|parts| parts.keys().all(|part| PARTS.contains(&part.as_str())));
                known && table(value, |value| money(value).is_some())
            }
        }
    }

    /// A value that was written as a text on the command line or in a variable: lists and tables as in TOML,
    /// and a list also as words between blanks.
    pub fn parse(self, written: &str) -> Option<Value> {
        let written = written.trim();
        let value = match self {
            Kind::Text | Kind::Duration | Kind::Url | Kind::Variable | Kind::OneOf(_) => Value::String(written.into()),
            Kind::Flag => match written {
                "true" | "1" | "yes" => Value::Bool(true),
                "false" | "0" | "no" => Value::Bool(false),
                _ => return None,
            },
            Kind::Money => Value::from(written.trim_start_matches('$').parse::<f64>().ok()?),
            Kind::Count | Kind::Whole | Kind::Number { .. } => serde_json::from_str(written).ok()?,
            Kind::Words | Kind::Texts if !written.starts_with('[') => written.split_whitespace().map(String::from).collect(),
            Kind::Words | Kind::Texts | Kind::TextTable | Kind::VariableTable | Kind::MoneyTable | Kind::Price => in_toml(written)?,
        };
        self.allows(&value).then_some(value)
    }
}

fn in_toml(written: &str) -> Option<Value> {
    let mut document: Map<String, Value> = toml::from_str(&format!("value = {written}")).ok()?;
    document.remove("value")
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.trim().is_empty())
}

fn table(value: &Value, allows: impl Fn(&Value) -> bool) -> bool {
    value.as_object().is_some_and(|table| table.values().all(allows))
}

pub fn money(value: &Value) -> Option<Usd> {
    Usd::from_dollars(value.as_f64()?)
}

pub(super) fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && !text.contains(char::is_whitespace))
}

/// Keys have small letters or dashes in them; the names of variables that hold keys do not.
pub(super) fn is_variable(text: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    text.chars().all(allowed) && !text.starts_with(|letter: char| letter.is_ascii_digit()) && text.len() <= 64
}
