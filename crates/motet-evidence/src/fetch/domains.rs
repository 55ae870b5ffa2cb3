//! Lists of domains that people allow or deny, compared label by label and without regard to case.
//! An entry that is no domain is refused when the list is read: an entry that can never match protects nobody.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A list such as `example.org, .edu`: each entry means itself and everything under it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Domains {
    entries: Vec<String>,
}

/// An entry that names no domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoDomain {
    pub entry: String,
}

impl fmt::Display for NoDomain {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "\"{}\" is not a domain: write it like example.org, or .edu for everything under a top-level domain", self.entry)
    }
}

impl std::error::Error for NoDomain {}

impl Domains {
    pub fn read(entries: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, NoDomain> {
        let entries: Result<Vec<_>, _> = entries.into_iter().map(|entry| domain(entry.as_ref())).collect();
        Ok(Self { entries: entries? })
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(String::as_str)
    }

    /// Whether the host is one of these domains or lies under one.
    pub fn contain(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.entries.iter().any(|entry| host == *entry || host.strip_suffix(entry.as_str()).is_some_and(|rest| rest.ends_with('.')))
    }
}

impl TryFrom<Vec<String>> for Domains {
    type Error = NoDomain;

    fn try_from(entries: Vec<String>) -> Result<Self, NoDomain> {
        Self::read(entries)
    }
}

impl From<Domains> for Vec<String> {
    fn from(domains: Domains) -> Self {
        domains.entries
    }
}

/// Which hosts may be read: none that is denied, and only those that are allowed where anything is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DomainPolicy {
    pub allow: Domains,
    pub deny: Domains,
}

impl DomainPolicy {
    /// Why a host may not be read, or nothing.
    pub fn refusal(&self, host: &str) -> Option<String> {
        if self.deny.contain(host) {
            return Some(format!("{host} is on the list of denied domains"));
        }
        let outside = !self.allow.is_empty() && !self.allow.contain(host);
        outside.then(|| format!("{host} is not on the list of allowed domains"))
    }
}

/// The bare domain of an entry: a URL, `www.`, `*.` and case are forgiven.
fn domain(entry: &str) -> Result<String, NoDomain> {
    let wrong = || NoDomain { entry: entry.to_string() };
    let lower = entry.trim().to_ascii_lowercase();
    let host = lower.split_once("://").map_or(lower.as_str(), |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(host, _)| host);
    let under_top_level = host.starts_with('.') || host.starts_with("*.");
    let bare = host.trim_start_matches("*.").trim_matches('.');
    let bare = bare.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(bare);
    // Names of other scripts are written as the resolver writes them.
    let ascii =
        reqwest::Url::parse(&format!("http://{bare}/")).ok().and_then(|url| url.host_str().map(str::to_string)).ok_or_else(wrong)?;
    let is_label = |label: &str| !label.is_empty() && label.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    match ascii.split('.').all(is_label) && (ascii.contains('.') || under_top_level) {
        true => Ok(ascii),
        false => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entries: &[&str], host: &str, contained: bool) {
        let domains = Domains::read(entries).expect("the entries are domains");
        assert_eq!(domains.contain(host), contained, "{host} in {entries:?}");
    }

    #[test]
    fn an_entry_means_its_domain_and_what_is_under_it_in_any_case() {
        check(&["Healthline.com"], "www.healthline.com", true);
        check(&["https://www.RT.com/news"], "rt.com", true);
        check(&["https://www.RT.com/news"], "News.RT.Com.", true);
        check(&["*.example.org:8080"], "example.org", true);
        check(&[".edu"], "cs.mit.edu", true);
        check(&["b\u{fc}cher.example"], "www.xn--bcher-kva.example", true);
    }

    #[test]
    fn an_entry_is_never_a_piece_of_another_name() {
        check(&["rt.com"], "smart.com", false);
        check(&["rt.com"], "rt.com.example.org", false);
        check(&["the-sun.com"], "not-the-sun.com", false);
        check(&["news.example.org"], "example.org", false);
        check(&[".edu"], "education.org", false);
        check(&[], "example.org", false);
    }

    #[test]
    fn titles_and_words_are_refused_instead_of_never_matching() {
        for entry in ["The_Sun", "Healthline", "Daily Mail", "", "..", "a b.com", "*"] {
            assert_eq!(Domains::read([entry]), Err(NoDomain { entry: entry.to_string() }));
        }
    }

    #[test]
    fn what_is_denied_is_denied_even_if_it_is_allowed() {
        let policy = DomainPolicy {
            allow: Domains::read([".org", "example.com"]).expect("domains"),
            deny: Domains::read(["bad.org"]).expect("domains"),
        };
        assert_eq!(policy.refusal("www.good.org"), None);
        assert_eq!(policy.refusal("www.bad.org").as_deref(), Some("www.bad.org is on the list of denied domains"));
        assert_eq!(policy.refusal("other.com").as_deref(), Some("other.com is not on the list of allowed domains"));
        assert_eq!(DomainPolicy::default().refusal("anything.at.all"), None);
    }
}
