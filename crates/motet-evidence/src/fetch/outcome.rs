//! What became of a request, as types: nobody has to guess from an empty page that a site said no.
//! It decides nothing about retries.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A response, whole and unpacked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// What was asked for.
    pub asked: String,
    /// Where it was found, after redirects.
    pub url: String,
    pub status: u16,
    /// As the server sent them, names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// Without its transport encoding.
    #[serde(skip)]
    pub body: Vec<u8>,
}

impl Page {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn content_type(&self) -> Option<&str> {
        self.header("content-type")
    }
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Fetched(Page),
    /// The copy at hand is still what the server has.
    NotModified(Page),
    Blocked {
        by: Blocker,
        reason: String,
    },
    NotFound {
        status: u16,
    },
    RateLimited {
        retry_after: Option<Duration>,
    },
    TooLarge {
        limit_bytes: u64,
    },
    Failed {
        reason: String,
        /// Whether asking again later may help.
        transient: bool,
    },
}

/// Who said no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blocker {
    Robots,
    PrivateAddress,
    /// The lists of domains, or a URL that is none of ours to ask.
    Policy,
    /// The server wants to know who asks.
    Login,
    /// The server refuses: a paywall, a filter, a law.
    Server,
    /// The server wants proof of a person: a captcha, a script to run.
    Challenge,
}

impl Outcome {
    pub fn failed(reason: impl Into<String>, transient: bool) -> Self {
        Self::Failed { reason: reason.into(), transient }
    }

    /// The page, if there is one, new or known.
    pub fn page(self) -> Option<Page> {
        match self {
            Self::Fetched(page) | Self::NotModified(page) => Some(page),
            _ => None,
        }
    }
}

/// One sentence for a log or an agent, without the URL.
impl fmt::Display for Outcome {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fetched(page) => write!(to, "fetched, {} bytes", page.body.len()),
            Self::NotModified(page) => write!(to, "not modified, {} bytes", page.body.len()),
            Self::Blocked { reason, .. } => write!(to, "blocked: {reason}"),
            Self::NotFound { status } => write!(to, "not found (HTTP {status})"),
            Self::RateLimited { retry_after: Some(wait) } => write!(to, "rate limited: ask again in {} s", wait.as_secs_f64().ceil()),
            Self::RateLimited { retry_after: None } => write!(to, "rate limited: ask again later"),
            Self::TooLarge { limit_bytes } => write!(to, "too large: more than {limit_bytes} bytes"),
            Self::Failed { reason, .. } => write!(to, "failed: {reason}"),
        }
    }
}
