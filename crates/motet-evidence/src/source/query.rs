//! A question to a source, and how it is cut to what each service takes.
//! `site:` in the text means the same everywhere, whether or not the service knows it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::extract::date;
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
    /// The question as a person types it: `site:example.org` and `-site:example.org` become what they mean, and `OR` between two of them
    /// means nothing more. A question that names only sites is asked by their names.
    pub fn new(text: &str) -> Self {
        let (mut words, mut include, mut exclude) = (Vec::new(), Vec::new(), Vec::new());
        let said: Vec<&str> = text.split_whitespace().collect();
        for (place, word) in said.iter().enumerate() {
            let next = said.get(place + 1).copied().unwrap_or_default();
            match (site(word, "site:"), site(word, "-site:")) {
                // A question that is put together of several may name a site more than once.
                (Some(site), _) if include.contains(&site) => {}
                (Some(site), _) => include.push(site),
                (_, Some(site)) if exclude.contains(&site) => {}
                (_, Some(site)) => exclude.push(site),
                _ if ["OR", "|"].contains(word) && place > 0 && names_site(said[place - 1]) && names_site(next) => {}
                _ => words.push(*word),
            }
        }
        let text = if words.is_empty() { include.join(" ") } else { words.join(" ") };
        let domains = |sites: Vec<&str>| Domains::read(sites).unwrap_or_default();
        Self { text, include: domains(include), exclude: domains(exclude), ..Self::default() }
    }

    pub fn limited_to(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// The first day that is asked for, whole: `2024` begins on 1 January. What is no date asks for nothing.
    pub(super) fn first_day(&self) -> Option<String> {
        let since = date(self.since.as_deref()?)?;
        Some(since.clone() + &"0000-01-01"[since.len()..])
    }

    /// The last day that is asked for, whole: `2024` ends on 31 December, and a month on its own last day.
    pub(super) fn last_day(&self) -> Option<String> {
        let until = date(self.until.as_deref()?)?;
        let mut parts = until.split('-').map(|part| part.parse::<u32>().unwrap_or_default());
        match (parts.next(), parts.next(), parts.next()) {
            (Some(_), None, _) => Some(format!("{until}-12-31")),
            (Some(year), Some(month), None) => Some(format!("{until}-{:02}", days_of(year, month))),
            _ => Some(until),
        }
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

    /// The words that mean something, each once.
    pub(super) fn terms(&self, most: usize) -> Vec<String> {
        let words = self.text.split(|letter: char| !(letter.is_alphanumeric() || letter == '-')).map(|word| word.trim_matches('-'));
        let mut seen = BTreeSet::new();
        let meant = words.filter(|word| !word.is_empty() && !COMMON.contains(&word.to_lowercase().as_str()));
        meant.filter(|word| seen.insert(word.to_lowercase())).take(most).map(str::to_string).collect()
    }

    /// The few words to ask for where every word is a condition that a page must meet: names first, then the longest, in the order of
    /// the question. Amounts and years stand in too few titles to be conditions.
    pub(super) fn conditions(&self, most: usize) -> Vec<String> {
        let terms = self.terms(usize::MAX);
        let is_name = |place: usize, term: &str| place > 0 && term.starts_with(char::is_uppercase);
        let mut chosen: Vec<(usize, &String)> =
            terms.iter().enumerate().filter(|(_, term)| !term.starts_with(|letter: char| letter.is_ascii_digit())).collect();
        if chosen.is_empty() {
            return terms.into_iter().take(most).collect();
        }
        chosen.sort_by_key(|(place, term)| (!is_name(*place, term), usize::MAX - term.chars().count()));
        chosen.truncate(most);
        chosen.sort_by_key(|(place, _)| *place);
        chosen.into_iter().map(|(_, term)| term.clone()).collect()
    }
}

/// The domain behind an operator, which may stand in brackets.
fn site<'a>(word: &'a str, operator: &str) -> Option<&'a str> {
    let word = word.trim_matches(['(', ')', ',']);
    let begins = word.get(..operator.len())?;
    Some(&word[operator.len()..]).filter(|site| begins.eq_ignore_ascii_case(operator) && Domains::read([site]).is_ok())
}

fn names_site(word: &str) -> bool {
    site(word, "site:").is_some() || site(word, "-site:").is_some()
}

fn days_of(year: u32, month: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Words that a question has because it is one. They say nothing about its subject.
pub(crate) const COMMON: &[&str] = &[
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "before", "between", "but", "by", "can",
    "could", "did", "do", "does", "during", "for", "from", "had", "has", "have", "how", "if", "in", "into", "is", "it", "its", "may",
    "more", "most", "no", "not", "of", "on", "or", "other", "our", "over", "should", "so", "some", "such", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "through", "to", "under", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "why", "will", "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, most: usize, expected: &[&str]) {
        assert_eq!(Query { text: question.into(), ..Query::default() }.conditions(most), expected);
    }

    #[test]
    fn a_year_and_a_month_end_on_their_last_day() {
        for (until, expected) in [
            ("2024", Some("2024-12-31")),
            ("2024-06", Some("2024-06-30")),
            ("2024-02", Some("2024-02-29")),
            ("2023-02", Some("2023-02-28")),
            ("1900-02", Some("1900-02-28")),
            ("2000-02", Some("2000-02-29")),
            ("2024-12", Some("2024-12-31")),
            ("2024-06-05", Some("2024-06-05")),
            ("soon", None),
        ] {
            let query = Query { until: Some(until.into()), ..Query::default() };
            assert_eq!(query.last_day().as_deref(), expected, "{until}");
        }
    }

    #[test]
    fn sites_are_taken_out_of_a_question_however_they_are_joined() {
        for (question, text, include, exclude) in [
            ("bridge opening site:www.usgs.gov -site:spam.example", "bridge opening", vec!["usgs.gov"], vec!["spam.example"]),
            ("bridge (Site:a.example OR site:b.example)", "bridge", vec!["a.example", "b.example"], vec![]),
            ("bridge OR tunnel site:a.example", "bridge OR tunnel", vec!["a.example"], vec![]),
            ("site:a.example", "a.example", vec!["a.example"], vec![]),
            ("bridge site:a.example opened site:a.example", "bridge opened", vec!["a.example"], vec![]),
            ("what is a site: a place", "what is a site: a place", vec![], vec![]),
        ] {
            let query = Query::new(question);
            assert_eq!(query.text, text, "{question}");
            let sites = |domains: &Domains| domains.iter().map(|site| site.to_string()).collect::<Vec<_>>();
            assert_eq!((sites(&query.include), sites(&query.exclude)), (strings(&include), strings(&exclude)), "{question}");
        }
    }

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| word.to_string()).collect()
    }

    #[test]
    fn conditions_are_the_few_words_that_tell_most_each_once() {
        let question = "Which share, 60 percent or 70 percent, of Norwegian households had heat pumps in 2022?";
        check(question, 4, &["share", "percent", "Norwegian", "households"]);
        check(question, 2, &["Norwegian", "households"]);
        check("heat pumps and heat pumps", 5, &["heat", "pumps"]);
        check("1984", 5, &["1984"]);
    }
}
