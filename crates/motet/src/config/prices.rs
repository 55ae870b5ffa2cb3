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
        if let Some(path) = user.filter(|path| path.is_file()) {
            let text =
                std::fs::read_to_string(path).map_err(|error| Failure::invalid(format!("{} cannot be read: {error}", path.display())))?;
            all.extend(read(&path.display().to_string(), &text)?);
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
    let value = language::data(file, text).map_err(|problems| {
        let rendered: Vec<String> = problems.iter().map(|problem| problem.render(|_| Some(text))).collect();
        Failure::invalid(rendered.join("\n").trim_end().to_string())
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
        all.push(Priced { model: entry.model, price, date: entry.date, source: entry.source });
    }
    Ok(all)
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
}
