//! A statement as plain clauses, each with a subject of its own: cells of a row, sentences, and what a second verb says of the same subject.
//! A nameless subject is named by the title of its document, where that ends in the same noun.

use super::said::cells;
use super::vocabulary::{currency, is_verb};
use crate::text::{Kind, fold, names, sentences, tokens};

pub fn clauses(statement: &str, title: &str) -> Vec<String> {
    if let Some(cells) = cells(statement) {
        return cells.iter().map(|(subject, name, value)| of_cell(subject, name, value)).collect();
    }
    let mut found: Vec<String> = Vec::new();
    let mut subject = thing(title).unwrap_or_default();
    for span in sentences(statement) {
        let sentence = without_pronoun(&named(span.of(statement), title), &subject);
        let parts = predicates(&sentence);
        if let Some(first) = subject_of(&parts[0]) {
            subject = first;
        }
        found.extend(parts);
    }
    found
}

/// The name that a title ends in: `the Gannet Tunnel` of `History of the Gannet Tunnel - Almanac`.
fn thing(title: &str) -> Option<String> {
    let title = [" - ", " – ", " — ", " | ", ": "].iter().fold(title, |title, mark| title.split(mark).next().unwrap_or(title)).trim();
    let tokens = tokens(title);
    let last = names(title, &tokens, &[], &Default::default()).pop()?;
    let ends_it = last.span.end == title.len();
    let name = last.span.of(title);
    let name = name.rsplit_once(" of the ").map_or(name, |(_, name)| name);
    ends_it.then(|| format!("The {}", name.trim_start_matches("The ").trim_start_matches("the ")))
}

/// `The bridge cost` as `The Sarrow Bridge cost` in a document of that title, for each `the bridge` of a sentence.
pub fn named(sentence: &str, title: &str) -> String {
    let Some(thing) = thing(title).filter(|thing| thing.split_whitespace().count() > 2) else { return sentence.to_string() };
    let noun = thing.split_whitespace().last().map(fold).unwrap_or_default();
    let mut kept: Vec<String> = Vec::new();
    for word in sentence.split_whitespace() {
        let bare = word.trim_end_matches([',', '.', ';']);
        let is_meant = fold(bare) == noun && bare.starts_with(char::is_lowercase);
        match kept.last_mut().filter(|before| is_meant && before.eq_ignore_ascii_case("the")) {
            Some(article) => *article = format!("{}{}{}", &article[..1], &thing[1..], &word[bare.len()..]),
            None => kept.push(word.to_string()),
        }
    }
    kept.join(" ")
}

fn without_pronoun(sentence: &str, subject: &str) -> String {
    if subject.is_empty() {
        return sentence.to_string();
    }
    let object = subject.strip_prefix("The ").map_or_else(|| subject.to_string(), |rest| format!("the {rest}"));
    match sentence.split_once(' ') {
        Some(("It", rest)) => format!("{subject} {rest}"),
        Some(("Its", rest)) => format!("{subject}'s {rest}"),
        _ if sentence.ends_with(" it.") => format!("{} {object}.", &sentence[..sentence.len() - " it.".len()]),
        _ => sentence.to_string(),
    }
}

/// Where the first word that looks like a verb begins.
fn verb(text: &str) -> Option<usize> {
    let mut at = 0;
    text.split_inclusive(' ').find_map(|piece| {
        let start = at;
        at += piece.len();
        let word = fold(piece.trim().trim_end_matches([',', '.']));
        let is_past = word.len() > 4 && word.ends_with("ed") && piece.starts_with(char::is_lowercase);
        (start > 0 && piece.starts_with(char::is_lowercase) && (is_verb(&word) || is_past)).then_some(start)
    })
}

fn subject_of(clause: &str) -> Option<String> {
    let subject = clause[..verb(clause)?].trim().trim_end_matches(',');
    let is_plain = subject.split_whitespace().count() <= 6 && !subject.contains(',') && subject.starts_with(char::is_uppercase);
    (is_plain && !subject.is_empty()).then(|| subject.to_string())
}

/// `It was opened in 2003 and is 824 metres long` says two things of one subject.
fn predicates(sentence: &str) -> Vec<String> {
    const SECOND: [&str; 9] = ["is", "was", "has", "had", "employs", "cost", "costs", "weighs", "rises"];
    let Some(subject) = subject_of(sentence) else { return vec![sentence.to_string()] };
    let mut parts: Vec<String> = Vec::new();
    let mut rest = sentence;
    let end = |text: &str| {
        let places = SECOND.iter().filter_map(|verb| text.find(&format!(" and {verb} ")));
        places.min()
    };
    while let Some(at) = end(rest) {
        parts.push(rest[..at].trim_end_matches(',').to_string());
        rest = &rest[at + " and ".len()..];
    }
    parts.push(rest.to_string());
    parts.iter().enumerate().map(|(place, part)| if place == 0 { part.clone() } else { format!("{subject} {part}") }).collect()
}

/// A row that begins with a year says what was so in that year; others speak of what their first cell names.
fn of_cell(subject: &str, name: &str, value: &str) -> String {
    let (name, value) = with_unit(name, value);
    let year = subject.split_whitespace().last().filter(|word| word.len() == 4 && word.chars().all(|digit| digit.is_ascii_digit()));
    match year.filter(|_| subject.split_whitespace().count() <= 2) {
        Some(year) => format!("The {} in {year} was {value}.", name.to_lowercase()),
        None if fold(&name).ends_with("ed") => format!("The {subject} was {} in {value}.", name.to_lowercase()),
        None => format!("The {subject} has a {} of {value}.", name.to_lowercase()),
    }
}

/// `Revenue (EUR m)` over `455` is a revenue of EUR 455 million.
fn with_unit(name: &str, value: &str) -> (String, String) {
    let Some((bare, unit)) = name.trim().strip_suffix(')').and_then(|name| name.split_once(" (")) else {
        return (name.to_string(), value.to_string());
    };
    let is_bare = tokens(value).iter().all(|token| token.kind != Kind::Word);
    let scale = |word: &str| match fold(word).as_str() {
        "m" | "mn" | "million" | "millions" => Some("million"),
        "bn" | "billion" | "billions" => Some("billion"),
        _ => None,
    };
    let signed = unit.replace('€', "€ ").replace('$', "$ ").replace('£', "£ ");
    let words: Vec<&str> = signed.split_whitespace().collect();
    let money = words.iter().find(|word| currency(word).is_some());
    let told = match (money, words.iter().find_map(|word| scale(word))) {
        _ if !is_bare => value.to_string(),
        (Some(money), scale) => format!("{} {value} {}", money.to_uppercase(), scale.unwrap_or_default()).trim().to_string(),
        (None, _) => format!("{value} {unit}"),
    };
    (bare.to_string(), told)
}
