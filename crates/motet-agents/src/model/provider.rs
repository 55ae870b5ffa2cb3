//! Who serves a model and how it is reached and asked: settings, as the configuration gives them.
//! It opens no connection and reads no environment.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use motet_core::event::{Failure, FailureKind};
use reqwest::Url;
use serde::{Deserialize, Serialize};

use crate::address::{PartedAddress, secrets_in_address};
use crate::redaction::Redactor;
use crate::secret::Secret;

/// How long a server may be silent, where nothing says otherwise.
pub const DEFAULT_REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// How many calls may be under way at once, where nothing says otherwise and nothing was learned.
pub const DEFAULT_CONCURRENCY: usize = 64;
/// How often a model may use tools before it must answer.
pub const DEFAULT_MAX_TURNS: u32 = 12;

/// The language that a server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderKind {
    #[default]
    Ollama,
    #[serde(rename = "openai")]
    OpenAi,
    /// Anything that speaks OpenAI's chat completions: llama.cpp, vLLM, LM Studio, OpenRouter and many more.
    #[serde(rename = "openai-compatible")]
    OpenAiCompatible,
    Anthropic,
    Gemini,
}

/// One server of models. Calls to the same server with the same key share one governor, whoever makes them.
#[derive(Clone, PartialEq)]
pub struct Provider {
    pub kind: ProviderKind,
    /// What people call it, in messages and in the journal.
    pub name: String,
    pub base_url: Url,
    pub key: Option<Secret>,
    /// Where the key is set, such as `OPENAI_API_KEY`, for messages about it.
    pub key_from: String,
    /// Where the address is set, such as `OLLAMA_BASE_URL`, for messages about it.
    pub address_from: String,
    /// The longest silence of the server: until it begins to answer, and between two pieces of an answer.
    /// How long the whole answer may take is the call's own timeout.
    pub request_timeout: Duration,
    /// How many calls may be under way at once; None: as many as the server takes, which is learned.
    pub concurrency: Option<usize>,
    /// How many calls may begin in a minute; None: as many as the server takes.
    pub requests_per_minute: Option<u32>,
}

/// Whether the provider's own JSON-schema mode is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StructuredOutput {
    /// Where the provider has one and the schema can be said in it; the shape is told in words otherwise.
    #[default]
    Auto,
    /// The shape is always told in words.
    Off,
}

/// How a model is asked. What is set here wins over what a workflow says of its agents.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSettings {
    pub model: String,
    pub temperature: Option<f64>,
    pub max_tokens: Option<u64>,
    pub seed: Option<u64>,
    /// How long a context to ask for, of a server that lets us choose; None: what the conversation needs.
    pub context_tokens: Option<u64>,
    pub structured: StructuredOutput,
    /// How often the model may use tools before it must answer.
    pub max_turns: u32,
}

impl ModelSettings {
    /// This model, with nothing else said.
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            temperature: None,
            max_tokens: None,
            seed: None,
            context_tokens: None,
            structured: StructuredOutput::Auto,
            max_turns: DEFAULT_MAX_TURNS,
        }
    }
}

impl Provider {
    /// The provider at its usual address. One that has no usual address fails: `openai-compatible` needs `at`.
    pub fn new(kind: ProviderKind) -> Result<Self, Failure> {
        match kind.usual_address() {
            Some(address) => Self::at(kind, address),
            None => Err(wrong(format!("a provider of kind `{kind}` needs a `base_url`, such as http://localhost:8080/v1"))),
        }
    }

    /// The provider at this address, which may carry a name and a password.
    pub fn at(kind: ProviderKind, address: &str) -> Result<Self, Failure> {
        let base_url = parse_address(address).ok_or_else(|| {
            let shown = without_secrets(address);
            let parted = PartedAddress::of(address);
            wrong(match () {
                () if parted.is_misread => format!("the address of a model server, which leads to `{shown}`, cannot be read: {MISREAD}"),
                () if parted.rest.contains('?') => {
                    format!("the address of a model server has no query: take away what follows `{shown}`, and name its key apart")
                }
                () => format!("`{shown}` is no address of a model server: it must be http or https, such as http://localhost:11434"),
            })
        })?;
        Ok(Self {
            kind,
            name: kind.title().into(),
            base_url,
            key: None,
            key_from: kind.usual_key().into(),
            address_from: if kind == ProviderKind::Ollama { "OLLAMA_BASE_URL".into() } else { "its `base_url`".into() },
            request_timeout: DEFAULT_REQUEST_TIMEOUT,
            concurrency: None,
            requests_per_minute: None,
        })
    }

    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// `from` says where it is set, for messages.
    pub fn with_key(mut self, key: Secret, from: impl Into<String>) -> Self {
        self.key = Some(key);
        self.key_from = from.into();
        self
    }

    /// The server as messages call it: without a name or password that the address may carry.
    pub fn server(&self) -> String {
        without_secrets(self.base_url.as_str()).trim_end_matches('/').to_string()
    }

    /// The address without its last slash, and with all that it carries.
    pub(crate) fn address(&self) -> &str {
        self.base_url.as_str().trim_end_matches('/')
    }

    /// The same text without the key and without what stands before the host of the address, wherever and however they stand in it.
    pub(crate) fn redact(&self, text: &str) -> String {
        let key = self.key.as_ref().map(Secret::reveal);
        let secrets = key.into_iter().chain(self.base_url.password()).filter(|secret| !secret.is_empty());
        let clean = secrets.fold(text.to_string(), |text, secret| text.replace(secret, "…"));
        Redactor::new(secrets_in_address(self.base_url.as_str()).into_iter().chain(self.key.clone())).string(clean)
    }
}

/// Without the password that the address may carry.
impl fmt::Debug for Provider {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Provider")
            .field("kind", &self.kind)
            .field("name", &self.name)
            .field("server", &self.server())
            .finish_non_exhaustive()
    }
}

impl ProviderKind {
    pub const ALL: [ProviderKind; 5] = [Self::Ollama, Self::OpenAi, Self::OpenAiCompatible, Self::Anthropic, Self::Gemini];

    /// All of them, as the configuration writes them.
    pub const WORDS: &[&str] =
        &[Self::Ollama.word(), Self::OpenAi.word(), Self::OpenAiCompatible.word(), Self::Anthropic.word(), Self::Gemini.word()];

    /// As the configuration writes it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
            Self::OpenAiCompatible => "openai-compatible",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// As messages call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Ollama => "Ollama",
            Self::OpenAi => "OpenAI",
            Self::OpenAiCompatible => "the model server",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
        }
    }

    pub fn usual_address(self) -> Option<&'static str> {
        match self {
            Self::Ollama => Some("http://localhost:11434"),
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::OpenAiCompatible => None,
            Self::Anthropic => Some("https://api.anthropic.com"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com"),
        }
    }

    /// The variable in which people keep the key of such a provider.
    pub fn usual_key(self) -> &'static str {
        match self {
            Self::Ollama => "OLLAMA_API_KEY",
            Self::OpenAi | Self::OpenAiCompatible => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Gemini => "GEMINI_API_KEY",
        }
    }

    /// Whether nobody is let in without a key.
    pub fn needs_key(self) -> bool {
        matches!(self, Self::OpenAi | Self::Anthropic | Self::Gemini)
    }
}

impl fmt::Display for ProviderKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

impl FromStr for ProviderKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.word() == text);
        found.ok_or_else(|| format!("`{text}` is no kind of provider: use one of {}", Self::ALL.map(Self::word).join(", ")))
    }
}

/// What to do about an address that no client would read as it is meant.
pub(super) const MISREAD: &str =
    "a `/`, `?` or `#` of a password is written `%2F`, `%3F` or `%23`, and an `@` that belongs to no password `%40`";

/// An address that a model server can have.
pub(crate) fn parse_address(text: &str) -> Option<Url> {
    let is_address = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host() && url.query().is_none();
    Url::parse(text).ok().filter(|url| is_address(url) && !PartedAddress::of(text).is_misread)
}

/// Where it leads, without a name, a password, or a query that may hold a key.
pub(crate) fn without_secrets(address: &str) -> String {
    let clean = PartedAddress::of(address).without_query();
    Url::parse(&clean).ok().filter(Url::has_host).map_or(clean, |url| url.to_string())
}

fn wrong(message: String) -> Failure {
    Failure { kind: FailureKind::Configuration, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_by_its_word_and_others_are_told_what_there_is() {
        for kind in ProviderKind::ALL {
            assert_eq!(kind.word().parse(), Ok(kind));
        }
        let told = "`oracle` is no kind of provider: use one of ollama, openai, openai-compatible, anthropic, gemini";
        assert_eq!("oracle".parse::<ProviderKind>(), Err(told.to_string()));
    }

    #[test]
    fn a_provider_without_a_usual_address_needs_one() {
        assert!(Provider::new(ProviderKind::Gemini).is_ok());
        let message = Provider::new(ProviderKind::OpenAiCompatible).unwrap_err().message;
        assert!(message.contains("needs a `base_url`"), "{message}");
    }

    #[test]
    fn a_query_is_refused_for_what_it_is_and_not_repeated() {
        let message = Provider::at(ProviderKind::OpenAiCompatible, "http://me:pass@host/v1?api_key=sk-1").expect_err("it has one").message;
        assert!(message.contains("has no query") && message.contains("`http://host/v1`"), "{message}");
        assert!(!message.contains("sk-1") && !message.contains("pass"), "{message}");
    }

    #[test]
    fn a_password_with_a_sign_that_ends_a_host_is_refused_and_not_shown() {
        for address in
            ["http://me:Sup3rSecret#1x@host:11434", "http://me:12345?Sup3rSecret@host:11434/v1", "http://me:1/Sup3rSecret@host:11434"]
        {
            let message = Provider::at(ProviderKind::Ollama, address).expect_err("it would lead elsewhere").message;
            assert!(message.contains("leads to `http://host:11434/") && message.contains("`%23`"), "{message}");
            assert!(!message.contains("Secret") && !message.contains("12345"), "{message}");
        }
    }

    #[test]
    fn no_secret_is_shown() {
        let message = Provider::at(ProviderKind::Ollama, "ftp://me:secret@host/").unwrap_err().message;
        assert!(message.starts_with("`ftp://host/` is no address"), "{message}");
        let provider = Provider::at(ProviderKind::Ollama, "http://me:secret@host:1/").unwrap().with_key(Secret::new("sk-1"), "KEY");
        assert_eq!(provider.server(), "http://host:1");
        assert_eq!(provider.address(), "http://me:secret@host:1");
        assert_eq!(provider.redact("Wrong key sk-1, wrong password secret"), "Wrong key …, wrong password …");
        let shown = format!("{provider:?}");
        assert!(!shown.contains("sk-1") && !shown.contains("secret"), "{shown}");
    }
}
