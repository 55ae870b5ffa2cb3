//! How a report is written: length, sentences, words, headings. English measures; other languages get numbers that compare among themselves.
//! It does not say what is good: published research reports stand at grade 16 to 19.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{rounded, share};
use crate::report::Report;
use crate::text::{Kind, fold, tokens};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Writing {
    pub words: usize,
    /// Flesch–Kincaid: the school grade in which one would read it easily.
    pub grade: Option<f64>,
    pub sentence_length: Option<f64>,
    /// Standard deviation of the length of sentences: low is monotonous.
    pub sentence_length_deviation: Option<f64>,
    /// Share of different words in a moving window of fifty.
    pub variety: Option<f64>,
    /// Shares of sentences.
    pub passive: Option<f64>,
    pub hedged: Option<f64>,
    pub cliches: usize,
    pub heading_depth: u8,
    /// Whether the table of contents names exactly the headings. None: there is none.
    pub contents_match: Option<bool>,
    /// Words written as a share of words asked for.
    pub length_to_target: Option<f64>,
}

const WINDOW: usize = 50;

const HEDGES: [&str; 14] = [
    "may",
    "might",
    "could",
    "perhaps",
    "possibly",
    "probably",
    "likely",
    "seems",
    "appears",
    "suggests",
    "arguably",
    "presumably",
    "somewhat",
    "apparently",
];

const CLICHES: [&str; 16] = [
    "in today's world",
    "fast-paced world",
    "at the end of the day",
    "game changer",
    "game-changer",
    "delve into",
    "rich tapestry",
    "it is important to note",
    "plays a crucial role",
    "ever-evolving",
    "cutting-edge",
    "paradigm shift",
    "in conclusion",
    "needless to say",
    "a testament to",
    "when it comes to",
];

pub fn measure(report: &Report, target: Option<usize>) -> Writing {
    let sentences: Vec<Vec<String>> =
        report.sentences.iter().map(|sentence| words(&sentence.text)).filter(|words| !words.is_empty()).collect();
    let all: Vec<&String> = sentences.iter().flatten().collect();
    let count = sentences.len();
    let average = (count > 0).then(|| all.len() as f64 / count as f64);
    let deviation = average.map(|average| {
        let squares: f64 = sentences.iter().map(|words| (words.len() as f64 - average).powi(2)).sum();
        (squares / count as f64).sqrt()
    });
    let syllables: usize = all.iter().map(|word| syllables(word)).sum();
    let grade = average.map(|average| 0.39 * average + 11.8 * syllables as f64 / all.len() as f64 - 15.59);
    let text: String = report.sentences.iter().map(|sentence| sentence.text.to_lowercase().replace('\u{2019}', "'") + "\n").collect();
    Writing {
        words: all.len(),
        grade: grade.map(rounded),
        sentence_length: average.map(rounded),
        sentence_length_deviation: deviation.map(rounded),
        variety: variety(&all).map(rounded),
        passive: share(sentences.iter().filter(|words| is_passive(words)).count(), count),
        hedged: share(sentences.iter().filter(|words| is_hedged(words)).count(), count),
        cliches: CLICHES.iter().map(|cliche| text.matches(cliche).count()).sum(),
        heading_depth: report.headings.iter().map(|heading| heading.level).max().unwrap_or(0),
        contents_match: (!report.contents.is_empty()).then(|| contents_match(report)),
        length_to_target: target.and_then(|target| (target > 0).then(|| rounded(all.len() as f64 / target as f64))),
    }
}

fn words(text: &str) -> Vec<String> {
    tokens(text).into_iter().filter(|token| token.kind != Kind::Mark).map(|token| fold(token.of(text))).collect()
}

fn variety(words: &[&String]) -> Option<f64> {
    let window = WINDOW.min(words.len());
    if window == 0 {
        return None;
    }
    let shares: Vec<f64> = words.windows(window).map(|part| part.iter().collect::<BTreeSet<_>>().len() as f64 / window as f64).collect();
    Some(shares.iter().sum::<f64>() / shares.len() as f64)
}

/// `May` beside a number is a month.
fn is_hedged(words: &[String]) -> bool {
    let is_number = |place: Option<usize>| {
        place.and_then(|place| words.get(place)).is_some_and(|word| word.starts_with(|first: char| first.is_ascii_digit()))
    };
    let is_month = |place: usize| words[place] == "may" && (is_number(place.checked_sub(1)) || is_number(Some(place + 1)));
    words.iter().enumerate().any(|(place, word)| HEDGES.contains(&word.as_str()) && !is_month(place))
}

/// A form of `be` with a participle within the next two words.
fn is_passive(words: &[String]) -> bool {
    const BE: [&str; 7] = ["is", "are", "was", "were", "been", "being", "be"];
    const IRREGULAR: [&str; 18] = [
        "made", "built", "held", "found", "known", "seen", "given", "taken", "written", "shown", "said", "sold", "paid", "led", "brought",
        "won", "set", "drawn",
    ];
    let is_participle = |word: &String| word.len() > 4 && word.ends_with("ed") || IRREGULAR.contains(&word.as_str());
    words.iter().enumerate().any(|(place, word)| BE.contains(&word.as_str()) && words[place + 1..].iter().take(2).any(is_participle))
}

/// Groups of vowels, without a silent final e.
fn syllables(word: &str) -> usize {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.len().max(1);
    }
    let is_vowel = |letter: char| "aeiouy".contains(letter);
    let mut count = 0;
    let mut before = false;
    for letter in word.chars() {
        count += usize::from(is_vowel(letter) && !before);
        before = is_vowel(letter);
    }
    let silent = word.ends_with('e') && !word.ends_with("le") && count > 1;
    (count - usize::from(silent)).max(1)
}

/// The table may leave out the title, itself and the references.
fn contents_match(report: &Report) -> bool {
    let plain = |text: &str| fold_words(text.trim_start_matches(|character: char| character.is_ascii_digit() || ". )".contains(character)));
    let listed: Vec<String> = report.contents.iter().map(|entry| plain(entry)).collect();
    let headings: Vec<String> = report.headings.iter().map(|heading| plain(&heading.text)).collect();
    let title = report.title.as_deref().map(plain);
    let optional =
        |heading: &String| Some(heading) == title.as_ref() || heading.ends_with("contents") || crate::report::is_reference_heading(heading);
    let deepest =
        report.headings.iter().filter(|heading| listed.contains(&plain(&heading.text))).map(|heading| heading.level).max().unwrap_or(0);
    let wanted = report.headings.iter().filter(|heading| heading.level <= deepest).map(|heading| plain(&heading.text));
    listed.iter().all(|entry| headings.contains(entry)) && wanted.into_iter().all(|heading| optional(&heading) || listed.contains(&heading))
}

fn fold_words(text: &str) -> String {
    words(text).join(" ")
}
