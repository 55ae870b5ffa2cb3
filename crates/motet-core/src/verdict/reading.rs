//! Finds the phrases of a workflow in free text, and says whether they are meant.
//! A phrase is meant only where it is the whole sentence, or stands after a label such as `Verdict:`.

use std::collections::BTreeSet;

use regex::Regex;

use super::Reading;
use super::sentences::{split, words};

#[derive(Clone, Copy)]
pub(super) enum Wanted<'w> {
    Text(&'w str),
    Pattern(&'w Regex),
}

pub(super) struct Read {
    pub reading: Reading,
    /// The text without the sentences that state the verdict.
    pub rest: String,
}

/// What turns a phrase into its opposite, or makes it depend on something.
const DENIALS: [&str; 38] = [
    "not",
    "no",
    "never",
    "cannot",
    "dont",
    "cant",
    "wont",
    "wouldnt",
    "shouldnt",
    "couldnt",
    "isnt",
    "until",
    "till",
    "unless",
    "if",
    "once",
    "after",
    "before",
    "then",
    "when",
    "whenever",
    "without",
    "would",
    "could",
    "should",
    "might",
    "may",
    "almost",
    "nearly",
    "hardly",
    "yet",
    "provided",
    "providing",
    "assuming",
    "except",
    "instead",
    "neither",
    "nor",
];

/// A label has one of these words in it.
const LABELS: [&str; 16] = [
    "verdict",
    "status",
    "outcome",
    "result",
    "decision",
    "conclusion",
    "recommendation",
    "gate",
    "review",
    "assessment",
    "answer",
    "final",
    "judgement",
    "judgment",
    "overall",
    "rating",
];

/// The longest label, in words.
const LONGEST_LABEL: usize = 6;

pub(super) fn read(text: &str, phrases: &[(&str, Wanted<'_>)]) -> Read {
    let mut meant: BTreeSet<&str> = BTreeSet::new();
    let mut mentioned: Vec<(&str, &str)> = Vec::new();
    let mut denied: BTreeSet<&str> = BTreeSet::new();
    let mut rest = String::new();
    let mut copied = 0;
    for sentence in split(text, |sentence| words(sentence).iter().any(|word| denies(word))) {
        let found: Vec<(&str, &str, Use)> = phrases
            .iter()
            .filter_map(|(outcome, wanted)| match wanted {
                Wanted::Text(phrase) => used(&text[sentence.clone()], phrase).map(|found| (*outcome, *phrase, found)),
                Wanted::Pattern(_) => None,
            })
            .collect();
        let states = found.iter().any(|(_, _, found)| *found == Use::Meant);
        for (outcome, phrase, found) in found {
            match found {
                Use::Meant => drop(meant.insert(outcome)),
                // Where one phrase is the whole sentence, a shorter one inside it is not meant.
                _ if states => {}
                Use::Mentioned => mentioned.push((outcome, phrase)),
                Use::Denied => drop(denied.insert(outcome)),
            }
        }
        if states {
            rest.push_str(&text[copied..sentence.start]);
            copied = sentence.end;
        }
    }
    rest.push_str(&text[copied..]);
    meant.extend(phrases.iter().filter_map(|(outcome, wanted)| match wanted {
        Wanted::Pattern(pattern) if pattern.is_match(text) => Some(*outcome),
        _ => None,
    }));
    Read { reading: decide(&meant, &mentioned, &denied), rest: rest.trim().to_owned() }
}

fn decide(meant: &BTreeSet<&str>, mentioned: &[(&str, &str)], denied: &BTreeSet<&str>) -> Reading {
    let mut outcomes = meant.iter();
    match (outcomes.next(), outcomes.next(), mentioned.first()) {
        (Some(one), Some(other), _) => Reading::Unclear(format!("the answer states both `{one}` and `{other}`")),
        (Some(one), None, _) if denied.contains(one) => Reading::Unclear(format!("the answer both states and denies `{one}`")),
        (Some(one), None, _) => Reading::Clear((*one).to_owned()),
        (None, _, Some((outcome, phrase))) => {
            Reading::Unclear(format!("the answer says “{phrase}” only inside a longer sentence, so `{outcome}` is not sure"))
        }
        (None, _, None) => Reading::Silent,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Meant,
    Mentioned,
    Denied,
}

/// How a sentence uses a phrase, if it does.
fn used(sentence: &str, phrase: &str) -> Option<Use> {
    let (said, wanted) = (words(sentence), words(phrase));
    if wanted.is_empty() {
        // A phrase without a letter, such as a tick, is looked for as it is.
        let phrase = phrase.trim();
        return (!phrase.is_empty() && sentence.contains(phrase)).then_some(if said.is_empty() { Use::Meant } else { Use::Mentioned });
    }
    let position = said.windows(wanted.len()).position(|window| window == wanted)?;
    let is_question = sentence.trim_end().ends_with('?');
    let (before, after) = (&said[..position], &said[position + wanted.len()..]);
    if before.iter().chain(after).any(|word| denies(word)) {
        return Some(Use::Denied);
    }
    let is_whole = before.is_empty() && after.is_empty();
    let is_labelled = after.is_empty() && follows_label(sentence, before, &wanted);
    Some(if (is_whole || is_labelled) && !is_question { Use::Meant } else { Use::Mentioned })
}

/// `PHASE GATE STATUS: PASS`: a short label, a colon or a dash, and nothing but the phrase.
fn follows_label(sentence: &str, label: &[String], wanted: &[String]) -> bool {
    let is_label = (1..=LONGEST_LABEL).contains(&label.len()) && label.iter().any(|word| LABELS.contains(&word.as_str()));
    is_label && sentence.match_indices([':', '—', '–', '=']).any(|(position, mark)| words(&sentence[position + mark.len()..]) == wanted)
}

fn denies(word: &str) -> bool {
    word.ends_with("n't") || DENIALS.contains(&word)
}
