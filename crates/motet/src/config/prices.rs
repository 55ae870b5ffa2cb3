//! What models cost, as data: a list of ours with a date and a source for each entry, and the user's own before it.
//! What a call costs by such a price, the machine works out.

use std::path::Path as FilePath;

use motet_core::event::Price;
use motet_core::language;
use serde::Deserialize;

use super::kinds::money;
use super::providers::ModelName;
use crate::cli::Failure;

const OURS: &str = include_str!("../../prices.yaml");

/// The first entry that fits counts.
#[derive(Clone, Debug, Default)]
pub struct Prices(Vec<Priced>);

#[derive(Clone, Debug, PartialEq)]
pub struct Priced {
    /// `provider/model`, where `*` stands for any letters.
    pub model: String,
    pub price: Price,
    /// When it was true.
    pub date: String,
    pub source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    model: String,
    input_per_million: serde_json::Value,
    output_per_million: serde_json::Value,
    date: String,
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    prices: Vec<serde_json::Value>,
}

impl Prices {
    /// The user's file, if there is one, before ours.
    pub fn load(user: Option<&FilePath>) -> Result<Self, Failure> {
        let mut all = Vec::new();
        match user.map(|path| (path, std::fs::read_to_string(path))) {
            Some((path, Ok(text))) => all.extend(read(&path.display().to_string(), &text)?),
            Some((path, Err(error))) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Failure::invalid(format!("{} cannot be read: {error}", path.display()))
                    .help("it is the list of your own prices: make it a file that you may read, or move it away"));
            }
            Some((_, Err(_))) | None => {}
        }
        all.extend(read("prices.yaml", OURS)?);
        Ok(Self(all))
    }

    pub fn of(&self, model: &ModelName) -> Option<&Priced> {
        let name = model.to_string();
        self.0.iter().find(|priced| fits(&priced.model, &name))
    }
}

fn read(file: &str, text: &str) -> Result<Vec<Priced>, Failure> {
    let broken = |why: String| Failure::invalid(format!("{file}: {why}"));
    // A list in which everything is commented out is empty.
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(Vec::new());
    }
    let value = language::data(file, text).map_err(|problems| {
        let rendered: Vec<String> = problems.iter().map(|problem| problem.render(|_| Some(text))).collect();
        broken(format!("the list cannot be read\n{}", rendered.join("\n").trim_end()))
    })?;
    let list: List = serde_json::from_value(value).map_err(|error| broken(error.to_string()))?;
    let mut all = Vec::new();
    for (number, entry) in list.prices.into_iter().enumerate() {
        let named = entry["model"].as_str().map_or_else(|| format!("entry {}", number + 1), |model| format!("the price of {model}"));
        let entry: Entry = serde_json::from_value(entry).map_err(|error| broken(format!("{named}: {error}")))?;
        let amount = |value: &serde_json::Value| money(value).ok_or_else(|| broken(format!("{named} must be dollars, as in 2.50")));
        let price = Price {
            input_per_million: amount(&entry.input_per_million)?,
            output_per_million: amount(&entry.output_per_million)?,
            ..Price::default()
        };
        if !is_date(&entry.date) {
            return Err(broken(format!("{named} needs the day on which it was true as its `date`, as in \"2026-11-01\"")));
        }
        if entry.source.trim().is_empty() {
            return Err(broken(format!("{named} needs a `source`: where it can be looked up, such as the address of a page")));
        }
        all.push(Priced { model: entry.model, price, date: entry.date, source: entry.source });
    }
    Ok(all)
}

/// `2026-11-01`.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-').map(|part| (part.len(), part.parse::<u32>().ok()));
    let is_number = |part: Option<(usize, Option<u32>)>, length: usize, most: u32| {
        part.is_some_and(|(letters, number)| letters == length && number.is_some_and(|number| (1..=most).contains(&number)))
    };
    is_number(parts.next(), 4, 9999) && is_number(parts.next(), 2, 12) && is_number(parts.next(), 2, 31) && parts.next().is_none()
}

/// Whether a name is what a pattern says, in which `*` stands for any letters, also none.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => {
            let Some(rest) = name.strip_prefix(before) else { return false };
            let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.into_iter().any(|at| fits(after, &rest[at..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, name: &str, expected: bool) {
        assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
    }

    #[test]
    fn a_star_stands_for_any_letters() {
        check("a/b", "a/b", true);
        check("a/b", "a/bc", false);
        check("a/b*", "a/b", true);
        check("a/b-*", "a/b-2026", true);
        check("*/b", "a/b", true);
        check("a/*-mini", "a/x-mini-2", false);
        check("a/*x*", "a/yxz", true);
    }

    #[test]
    fn every_price_of_ours_has_a_date_and_a_source() {
        let prices = Prices::load(None).unwrap();
        assert!(!prices.0.is_empty());
        for priced in &prices.0 {
            assert!(priced.date.len() == 10 && priced.source.starts_with("https://"), "{priced:?}");
            assert!(priced.price.output_per_million >= priced.price.input_per_million, "{priced:?}");
        }
    }

    #[test]
    fn a_broken_list_is_told_with_its_file_and_entry() {
        let said = |text: &str| read("mine.yaml", text).unwrap_err().message;
        assert!(said("prices: [").contains("mine.yaml"));
        assert!(said("prices: [{ model: a/b }]").contains("mine.yaml: the price of a/b: missing field `input_per_million`"));
        let entry = "model: a/b, input_per_million: -1, output_per_million: 1, date: 2026-01-01, source: me";
        assert!(said(&format!("prices: [{{ {entry} }}]")).contains("must be dollars"));
        assert!(said("prizes: []").contains("prizes"));
    }

    #[test]
    fn a_price_without_a_date_or_a_source_is_refused() {
        let said = |date: &str, source: &str| {
            let entry = format!("model: a/b, input_per_million: 1, output_per_million: 1, date: \"{date}\", source: \"{source}\"");
            read("mine.yaml", &format!("prices: [{{ {entry} }}]")).map(|all| all.len()).map_err(|failure| failure.message)
        };
        assert_eq!(said("2026-11-01", "me"), Ok(1));
        for date in ["", "soon", "2026-13-01", "2026-11", "01.11.2026", "2026-11-01-1"] {
            assert!(said(date, "me").is_err_and(|told| told.starts_with("mine.yaml: the price of a/b needs the day")), "{date}");
        }
        assert!(said("2026-11-01", " ").is_err_and(|told| told.contains("the price of a/b needs a `source`")));
    }

    #[test]
    fn a_list_of_nothing_but_comments_is_empty_and_a_folder_is_no_list() {
        assert_eq!(read("mine.yaml", "# prices:\n\n  # - { model: a/b }\n").map(|all| all.len()).ok(), Some(0));
        assert!(read("mine.yaml", "prices: [").is_err_and(|failure| !failure.message.starts_with("error")));
        let ours = Prices::load(None).map(|prices| prices.0.len()).ok();
        assert_eq!(Prices::load(Some(FilePath::new("/nowhere/prices.yaml"))).map(|prices| prices.0.len()).ok(), ours);
        let told = Prices::load(Some(&std::env::temp_dir())).expect_err("it is a folder");
        assert!(told.message.contains("cannot be read: "), "{told:?}");
    }
}
