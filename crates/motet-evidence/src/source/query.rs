//! A question to a source, and how it is cut to what each service takes.
//! `site:` in the text means the same everywhere, whether or not the service knows it.

use serde::{Deserialize, Serialize};

use crate::fetch::Domains;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Query {
    pub text: String,
    /// At most so many hits from each source.
    pub limit: usize,
    pub include: Domains,
    pub exclude: Domains,
    /// `2024-05-17`; hits that are known to be older are left out.
    pub since: Option<String>,
    pub until: Option<String>,
    /// Two letters, as in `en`.
    pub language: Option<String>,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            text: String::new(),
            limit: 10,
            include: Domains::default(),
            exclude: Domains::default(),
            since: None,
            until: None,
            language: None,
        }
    }
}

impl Query {
    /// The question as a person types it: `site:example.org` and `-site:example.org` become what they mean.
    pub fn new(text: &str) -> Self {
        let (mut words, mut include, mut exclude) = (Vec::new(), Vec::new(), Vec::new());
        for word in text.split_whitespace() {
            let site = |prefix: &str| word.strip_prefix(prefix).filter(|site| Domains::read([site]).is_ok());
            match (site("site:"), site("-site:")) {
                (Some(site), _) => include.push(site),
                (_, Some(site)) => exclude.push(site),
                _ => words.push(word),
            }
        }
        let domains = |sites: Vec<&str>| Domains::read(sites).unwrap_or_default();
        Self { text: words.join(" "), include: domains(include), exclude: domains(exclude), ..Self::default() }
    }

    pub fn limited_to(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// The text, no longer than the service takes, cut between words.
    pub(super) fn cut(&self, most_letters: usize, most_words: usize) -> String {
        let (mut out, mut letters) = (String::new(), 0);
        for word in self.text.split_whitespace().take(most_words) {
            let with_space = word.chars().count() + usize::from(!out.is_empty());
            if letters + with_space > most_letters {
                break;
            }
            out.push_str(if out.is_empty() { "" } else { " " });
            out.push_str(word);
            letters += with_space;
        }
        // One word that is too long by itself is better cut than dropped.
        if out.is_empty() { self.text.trim().chars().take(most_letters).collect() } else { out }
    }

    /// For services that know `site:`.
    pub(super) fn with_operators(&self, most_letters: usize, most_words: usize) -> String {
        let sites: Vec<String> = self.include.iter().map(|site| format!("site:{site}")).collect();
        let mut operators = match sites.len() {
            0 => String::new(),
            1 => format!(" {}", sites[0]),
            _ => format!(" ({})", sites.join(" OR ")),
        };
        operators.extend(self.exclude.iter().map(|site| format!(" -site:{site}")));
        // Hits are compared with the lists afterwards, so operators that do not fit may be left out.
        if operators.chars().count() * 2 > most_letters {
            operators.clear();
        }
        let room = most_letters - operators.chars().count();
        format!("{}{operators}", self.cut(room, most_words.saturating_sub(operators.split_whitespace().count())))
    }

    /// The words that mean something, for services that take every word as a condition.
    pub(super) fn terms(&self, most: usize) -> Vec<String> {
        const COMMON: &[&str] = &[
            "a", "an", "the", "of", "in", "on", "for", "and", "or", "to", "is", "are", "was", "were", "be", "by", "with", "as", "at",
            "from", "what", "which", "who", "how", "why", "when", "where", "does", "do", "did", "that", "this", "it", "its", "can",
            "about", "into", "between", "has", "have", "had", "their", "there",
        ];
        let words = self.text.split(|letter: char| !(letter.is_alphanumeric() || letter == '-')).map(|word| word.trim_matches('-'));
        let meant = words.filter(|word| !word.is_empty() && !COMMON.contains(&word.to_lowercase().as_str()));
        meant.take(most).map(str::to_string).collect()
    }
}
