//! How Ollama is reached and asked by default, from the environment, with every value checked.
//! It reads no environment itself: the caller passes a lookup, so that a test needs none.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use reqwest::Url;

pub const BASE_URL: &str = "OLLAMA_BASE_URL";
pub const MODEL_NAME: &str = "OLLAMA_MODEL_NAME";
pub const TEMPERATURE: &str = "OLLAMA_TEMPERATURE";
pub const MAX_TOKENS: &str = "OLLAMA_MAX_TOKENS";
pub const REQUEST_TIMEOUT: &str = "OLLAMA_REQUEST_TIMEOUT";

/// What holds where neither the environment nor the workflow says anything.
pub const DEFAULT_TEMPERATURE: f64 = 0.7;
pub const DEFAULT_MAX_TOKENS: u64 = 100;
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
        out.write_str(&self.message)
    }
}

impl OllamaSettings {
    /// Reads the variables that are set and takes the defaults for the others; all problems at once.
    pub fn from_environment(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let value = |variable: &str| lookup(variable).map(|text| text.trim().to_string()).filter(|text| !text.is_empty());
        let mut checked = |variable: &'static str, wanted: &str, text: &str| {
            problems.push(Problem { variable, message: format!("{variable} is `{text}`, but must be {wanted}") });
        };

        let base_url = value(BASE_URL).unwrap_or_else(|| "http://localhost:11434".into());
        let url = url(&base_url);
        if url.is_none() {
            checked(BASE_URL, "an http or https address such as http://localhost:11434", &without_secrets(&base_url));
        }
        let model = value(MODEL_NAME).unwrap_or_else(|| "mistral:latest".into());
        if model.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
            checked(MODEL_NAME, "the name of a model such as mistral:latest, without spaces", &model);
        }
        let temperature =
            number(value(TEMPERATURE), 0.0..=2.0).unwrap_or_else(|text| problem(&mut checked, TEMPERATURE, "a number from 0 to 2", &text));
        let max_tokens = number(value(MAX_TOKENS), 1..=4096)
            .unwrap_or_else(|text| problem(&mut checked, MAX_TOKENS, "a whole number from 1 to 4096", &text));
        let request_timeout_s = number(value(REQUEST_TIMEOUT), 1..=300)
            .unwrap_or_else(|text| problem(&mut checked, REQUEST_TIMEOUT, "a whole number of seconds from 1 to 300", &text))
            .unwrap_or(DEFAULT_REQUEST_TIMEOUT_S);

        match url {
            Some(base_url) if problems.is_empty() => Ok(Self { base_url, model, temperature, max_tokens, request_timeout_s }),
            _ => Err(problems),
        }
    }

    /// The address of one part of the API.
    pub(super) fn address(&self, path: &str) -> String {
        format!("{}/{path}", self.base_url.as_str().trim_end_matches('/'))
    }

    /// The server as messages call it: without a name or password that the address may carry.
    pub(super) fn server(&self) -> String {
        without_secrets(self.base_url.as_str()).trim_end_matches('/').to_string()
    }

    /// Whether the server is this machine, so that no proxy may stand in between.
    pub(super) fn is_local(&self) -> bool {
        matches!(self.base_url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
    }
}

fn problem<T>(checked: &mut impl FnMut(&'static str, &str, &str), variable: &'static str, wanted: &str, text: &str) -> Option<T> {
    checked(variable, wanted, text);
    None
}

/// None: not set. The text itself, if it is no such number.
fn number<T: FromStr + PartialOrd>(text: Option<String>, range: RangeInclusive<T>) -> Result<Option<T>, String> {
    let Some(text) = text else { return Ok(None) };
    text.parse().ok().filter(|number| range.contains(number)).map(Some).ok_or(text)
}

fn url(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host() && url.query().is_none())
}

fn without_secrets(address: &str) -> String {
    match Url::parse(address) {
        Ok(mut url) if url.has_host() => {
            // Both can only fail for addresses without a host.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.to_string()
        }
        _ => address.rsplit_once('@').map_or(address, |(_, rest)| rest).to_string(),
    }
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
                "OLLAMA_BASE_URL is `localhost:11434`, but must be an http or https address such as http://localhost:11434",
                "OLLAMA_MODEL_NAME is `a b`, but must be the name of a model such as mistral:latest, without spaces",
                "OLLAMA_TEMPERATURE is `2.1`, but must be a number from 0 to 2",
                "OLLAMA_MAX_TOKENS is `0`, but must be a whole number from 1 to 4096",
                "OLLAMA_REQUEST_TIMEOUT is `1m`, but must be a whole number of seconds from 1 to 300",
            ]),
        );
    }

    #[test]
    fn not_a_number_is_no_temperature() {
        check(&[(TEMPERATURE, "NaN")], Err(&["OLLAMA_TEMPERATURE is `NaN`, but must be a number from 0 to 2"]));
    }

    #[test]
    fn a_password_in_the_address_is_never_shown() {
        let wanted = "but must be an http or https address such as http://localhost:11434";
        check(&[(BASE_URL, "ftp://me:secret@host/")], Err(&[&format!("OLLAMA_BASE_URL is `ftp://host/`, {wanted}")]));
        let settings = OllamaSettings { base_url: Url::parse("http://me:secret@host:1/").unwrap(), ..defaults() };
        assert_eq!(settings.server(), "http://host:1");
        assert_eq!(settings.address("api/chat"), "http://me:secret@host:1/api/chat");
    }
}
