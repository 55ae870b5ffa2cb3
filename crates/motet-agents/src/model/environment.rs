//! How Ollama is reached and asked by default, from the environment, with every value checked.
//! It reads no environment itself: the caller passes a lookup, so that a test needs none.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use reqwest::Url;

use super::provider::{MISREAD, ModelSettings, Provider, ProviderKind, parse_address, without_secrets};
use crate::address::PartedAddress;

pub const BASE_URL: &str = "OLLAMA_BASE_URL";
pub const MODEL_NAME: &str = "OLLAMA_MODEL_NAME";
pub const TEMPERATURE: &str = "OLLAMA_TEMPERATURE";
pub const MAX_TOKENS: &str = "OLLAMA_MAX_TOKENS";
pub const REQUEST_TIMEOUT: &str = "OLLAMA_REQUEST_TIMEOUT";

/// What each of them must be, in words that follow "must be".
pub const OLLAMA_VARIABLES: [(&str, &str); 5] = [
    (BASE_URL, "an http or https address such as http://localhost:11434"),
    (MODEL_NAME, "the name of a model such as mistral:latest, without spaces"),
    (TEMPERATURE, "a number from 0 to 2"),
    (MAX_TOKENS, "a whole number from 1 to 4096"),
    (REQUEST_TIMEOUT, "a whole number of seconds from 1 to 300"),
];

const DEFAULT_REQUEST_TIMEOUT_S: u64 = 30;

/// How Ollama is asked. What the environment says wins over what a workflow says of its agents.
#[derive(Clone, Debug, PartialEq)]
pub struct OllamaSettings {
    pub base_url: Url,
    pub model: String,
    /// None: the environment says nothing.
    pub temperature: Option<f64>,
    pub max_tokens: Option<u64>,
    /// The longest silence of the server: until it begins to answer, and between two pieces of the answer.
    /// How long the whole answer may take is the call's own timeout.
    pub request_timeout_s: u64,
}

/// A setting that cannot be used, and what would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub variable: &'static str,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.variable, self.message)
    }
}

impl OllamaSettings {
    /// Reads the variables that are set and takes the defaults for the others; all problems at once.
    pub fn from_environment(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let value = |variable: &str| lookup(variable).map(|text| text.trim().to_string()).filter(|text| !text.is_empty());
        let mut refuse = |variable: &'static str, wanted: &str, text: &str| {
            problems.push(Problem { variable, message: format!("must be {wanted}, not `{text}`") });
        };

        let base_url = value(BASE_URL).unwrap_or_else(|| "http://localhost:11434".into());
        let url = parse_address(&base_url);
        if url.is_none() {
            let parted = PartedAddress::of(&base_url);
            let wanted = match () {
                () if parted.is_misread => format!("an address that can be read, where {MISREAD}"),
                () if parted.rest.contains('?') => "an http or https address without a query: take away the `?` and what follows".into(),
                () => wanted(BASE_URL).to_string(),
            };
            refuse(BASE_URL, &wanted, &without_secrets(&base_url));
        }
        let model = value(MODEL_NAME).unwrap_or_else(|| "mistral:latest".into());
        if model.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
            refuse(MODEL_NAME, wanted(MODEL_NAME), &model);
        }
        let temperature = number(value(TEMPERATURE), 0.0..=2.0).unwrap_or_else(|text| problem(&mut refuse, TEMPERATURE, &text));
        let max_tokens = number(value(MAX_TOKENS), 1..=4096).unwrap_or_else(|text| problem(&mut refuse, MAX_TOKENS, &text));
        let request_timeout_s = number(value(REQUEST_TIMEOUT), 1..=300)
            .unwrap_or_else(|text| problem(&mut refuse, REQUEST_TIMEOUT, &text))
            .unwrap_or(DEFAULT_REQUEST_TIMEOUT_S);

        match url {
            Some(base_url) if problems.is_empty() => Ok(Self { base_url, model, temperature, max_tokens, request_timeout_s }),
            _ => Err(problems),
        }
    }

    /// The provider and the model that these variables describe.
    pub fn into_provider(self) -> (Provider, ModelSettings) {
        let provider = Provider {
            kind: ProviderKind::Ollama,
            name: ProviderKind::Ollama.title().into(),
            base_url: self.base_url,
            key: None,
            key_from: ProviderKind::Ollama.usual_key().into(),
            address_from: BASE_URL.into(),
            request_timeout: Duration::from_secs(self.request_timeout_s),
            concurrency: None,
            requests_per_minute: None,
        };
        let settings = ModelSettings { temperature: self.temperature, max_tokens: self.max_tokens, ..ModelSettings::new(self.model) };
        (provider, settings)
    }
}

fn problem<T>(refuse: &mut impl FnMut(&'static str, &str, &str), variable: &'static str, text: &str) -> Option<T> {
    refuse(variable, wanted(variable), text);
    None
}

fn wanted(variable: &str) -> &'static str {
    OLLAMA_VARIABLES.iter().find(|(name, _)| *name == variable).map_or("", |(_, wanted)| *wanted)
}

/// None: not set. The text itself, if it is no such number.
fn number<T: FromStr + PartialOrd>(text: Option<String>, range: RangeInclusive<T>) -> Result<Option<T>, String> {
    let Some(text) = text else { return Ok(None) };
    text.parse().ok().filter(|number| range.contains(number)).map(Some).ok_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], expected: Result<OllamaSettings, &[&str]>) {
        let lookup = |name: &str| variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| value.to_string());
        let found =
            OllamaSettings::from_environment(lookup).map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(found, expected.map_err(|problems| problems.iter().map(ToString::to_string).collect()));
    }

    fn defaults() -> OllamaSettings {
        OllamaSettings {
            base_url: Url::parse("http://localhost:11434").unwrap(),
            model: "mistral:latest".into(),
            temperature: None,
            max_tokens: None,
            request_timeout_s: 30,
        }
    }

    #[test]
    fn an_empty_environment_gives_the_defaults() {
        check(&[], Ok(defaults()));
        check(&[(MODEL_NAME, " "), (TEMPERATURE, "")], Ok(defaults()));
    }

    #[test]
    fn every_variable_is_read() {
        let variables = [
            (BASE_URL, "https://models.example/ollama/"),
            (MODEL_NAME, "gemma2:2b"),
            (TEMPERATURE, "2"),
            (MAX_TOKENS, "4096"),
            (REQUEST_TIMEOUT, "300"),
        ];
        let base_url = Url::parse("https://models.example/ollama/").unwrap();
        let model = "gemma2:2b".to_string();
        check(&variables, Ok(OllamaSettings { base_url, model, temperature: Some(2.0), max_tokens: Some(4096), request_timeout_s: 300 }));
    }

    #[test]
    fn all_problems_are_told_at_once_and_name_their_variable() {
        let variables =
            [(BASE_URL, "localhost:11434"), (MODEL_NAME, "a b"), (TEMPERATURE, "2.1"), (MAX_TOKENS, "0"), (REQUEST_TIMEOUT, "1m")];
        check(
            &variables,
            Err(&[
                "OLLAMA_BASE_URL must be an http or https address such as http://localhost:11434, not `localhost:11434`",
                "OLLAMA_MODEL_NAME must be the name of a model such as mistral:latest, without spaces, not `a b`",
                "OLLAMA_TEMPERATURE must be a number from 0 to 2, not `2.1`",
                "OLLAMA_MAX_TOKENS must be a whole number from 1 to 4096, not `0`",
                "OLLAMA_REQUEST_TIMEOUT must be a whole number of seconds from 1 to 300, not `1m`",
            ]),
        );
    }

    #[test]
    fn not_a_number_is_no_temperature() {
        check(&[(TEMPERATURE, "NaN")], Err(&["OLLAMA_TEMPERATURE must be a number from 0 to 2, not `NaN`"]));
    }

    #[test]
    fn the_variables_describe_a_provider_and_its_model() {
        let settings = OllamaSettings { temperature: Some(1.5), max_tokens: Some(50), ..defaults() };
        let (provider, model) = settings.into_provider();
        assert_eq!((provider.server().as_str(), provider.request_timeout), ("http://localhost:11434", Duration::from_secs(30)));
        assert_eq!((model.model.as_str(), model.temperature, model.max_tokens), ("mistral:latest", Some(1.5), Some(50)));
    }

    #[test]
    fn a_password_in_the_address_is_never_shown() {
        let told = "OLLAMA_BASE_URL must be an http or https address such as http://localhost:11434, not `ftp://host/`";
        check(&[(BASE_URL, "ftp://me:secret@host/")], Err(&[told]));
    }
}
