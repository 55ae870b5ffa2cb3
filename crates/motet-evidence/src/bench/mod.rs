//! How well the ladder tells supported claims from others, measured on labelled claims that the caller brings.
//! It ships no data and sets no thresholds: it counts, and says how long it took.

mod family;
mod fields;
mod label;
mod lines;
mod opinions;
mod record;
mod table;

#[cfg(test)]
mod tests;

use std::io::BufRead;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::claim::{Claim, Label, Opinion, Page, Question, Verdict, cite, is_unsure};
use crate::text::{Kind, Token, fold, numbers, tokens};
pub use family::Family;
pub use label::Truth;
pub use lines::{Unreadable, lines};
pub use opinions::Opinions;
pub use record::{Asked, Problem, Record};

/// What a set of labelled claims says about the ladder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    pub claims: usize,
    pub supported: usize,
    /// Claims with at least one number or name reported as missing.
    pub flagged: usize,
    /// Claims with a quotation that the source does not have. They count as not supported, and as flagged only for their numbers and names.
    pub misquoted: usize,
    /// Of the flagged claims, the share that is not supported. None: nothing was flagged.
    pub flag_precision: Option<f64>,
    /// Of the claims that are not supported, the share that was flagged.
    pub flag_recall: Option<f64>,
    /// The same by number and name, where the records say which of them are unsupported.
    pub token_precision: Option<f64>,
    pub token_recall: Option<f64>,
    /// How well the score ranks supported claims above the others; 0.5 is chance.
    pub auroc: Option<f64>,
    /// How well the score ranks claims with any support above those with none.
    pub auroc_any: Option<f64>,
    /// Share of claims whose label was right, partly counting as not supported.
    pub accuracy: Option<f64>,
    pub milliseconds_per_claim: f64,
    pub milliseconds_worst: f64,
    /// The same with the opinions of a model, if one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opinions: Option<Opinions>,
    /// Each kind of claim by itself, where the records say which kind they are.
    pub families: Vec<Family>,
    /// How many lines could not be read as labelled claims. What is measured without many of them is another set.
    pub unread: usize,
    /// The first of them, with the reason.
    pub problems: Vec<String>,
}

impl Measured {
    /// Whether so few lines were left out that the numbers still speak for the whole file.
    pub fn is_whole(&self) -> bool {
        self.unread * 20 <= self.claims
    }
}

/// So many unreadable lines are shown; a file in another shape has as many as it has lines.
const MOST_PROBLEMS: usize = 5;

/// Reads labelled claims, one JSON object per line or all in one list, and checks each of them. Lines that are none are counted and told; if no line is one, the
/// first problem is the answer.
pub fn measure(reader: impl BufRead) -> Result<Measured, Problem> {
    count(reader, None).map(|count| count.measured())
}

/// The same, and once more with what a model thinks of the claims that the words alone decide. `ask` has an opinion on each question, or none.
pub fn measure_with(reader: impl BufRead, ask: impl FnOnce(Vec<Question>) -> Vec<Option<Opinion>>) -> Result<Measured, Problem> {
    let mut questions = Vec::new();
    let count = count(reader, Some(&mut questions))?;
    let (places, questions): (Vec<usize>, Vec<Question>) = questions.into_iter().unzip();
    let opinions = opinions::measured(&count, places.into_iter().zip(ask(questions)).collect());
    Ok(Measured { opinions: Some(opinions), ..count.measured() })
}

/// With what a model would be asked, by the place of the claim, if somebody wants to know.
fn count(reader: impl BufRead, mut questions: Option<&mut Vec<(usize, Question)>>) -> Result<Count, Problem> {
    let mut count = Count::default();
    let mut last: Option<(String, Page)> = None;
    for record in record::records(reader) {
        let record = match record {
            Ok(record) => record,
            Err(problem) => {
                count.problems.push(problem);
                continue;
            }
        };
        let begun = Instant::now();
        // Claims about the same page usually follow each other, and a page is read once.
        let page = match last.take() {
            Some((text, page)) if text == record.source => page,
            _ => Page::of(&record.source),
        };
        let claim = Claim { text: &record.claim, context: &record.context };
        let verdict = cite(&claim, &page);
        let took = begun.elapsed();
        if let Some(questions) = questions.as_deref_mut().filter(|_| is_unsure(&claim, &verdict, &[&page])) {
            questions.push((count.scores.len(), Question::of(&claim, &[("", &page)])));
        }
        count.add(&record, &verdict, took);
        last = Some((record.source, page));
    }
    match count.problems.first() {
        Some(problem) if count.scores.is_empty() => Err(problem.clone()),
        _ => Ok(count),
    }
}

#[derive(Default)]
struct Count {
    scores: Vec<(f64, Truth)>,
    labels: Vec<Label>,
    flagged: usize,
    misquoted: usize,
    rightly_flagged: usize,
    tokens: Option<Tokens>,
    families: Vec<family::Verdicts>,
    problems: Vec<Problem>,
    time: Duration,
    worst: Duration,
}

#[derive(Default)]
struct Tokens {
    flagged: usize,
    right: usize,
    wanted: usize,
    found: usize,
}

impl Count {
    fn add(&mut self, record: &Record, verdict: &Verdict, took: Duration) {
        let is_supported = record.truth == Truth::Supported;
        self.scores.push((verdict.score, record.truth));
        self.labels.push(verdict.label);
        family::add(&mut self.families, record, verdict);
        if !verdict.missing.is_empty() {
            self.flagged += 1;
            self.rightly_flagged += usize::from(!is_supported);
        }
        self.misquoted += usize::from(verdict.label == Label::Misquoted);
        self.time += took;
        self.worst = self.worst.max(took);
        if let Some(unsupported) = &record.unsupported {
            let wanted: Vec<String> = unsupported.iter().flat_map(|text| words(text)).collect();
            let flagged: Vec<Vec<String>> = verdict.missing.iter().map(|missing| words(&missing.text)).collect();
            let tokens = self.tokens.get_or_insert_default();
            tokens.flagged += flagged.len();
            tokens.right += flagged.iter().filter(|item| item.iter().any(|word| wanted.contains(word))).count();
            tokens.wanted += wanted.len();
            tokens.found += wanted.iter().filter(|word| flagged.iter().any(|item| item.contains(word))).count();
        }
    }

    fn measured(&self) -> Measured {
        let supported = self.scores.iter().filter(|(_, truth)| *truth == Truth::Supported).count();
        let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
        Measured {
            claims: self.scores.len(),
            supported,
            flagged: self.flagged,
            misquoted: self.misquoted,
            flag_precision: share(self.rightly_flagged, self.flagged),
            flag_recall: share(self.rightly_flagged, self.scores.len() - supported),
            token_precision: self.tokens.as_ref().and_then(|tokens| share(tokens.right, tokens.flagged)),
            token_recall: self.tokens.as_ref().and_then(|tokens| share(tokens.found, tokens.wanted)),
            auroc: auroc(&self.scores, |truth| truth == Truth::Supported),
            auroc_any: auroc(&self.scores, |truth| truth != Truth::Unsupported),
            accuracy: accuracy(&self.labels, &self.scores),
            milliseconds_per_claim: milliseconds(self.time) / self.scores.len().max(1) as f64,
            milliseconds_worst: milliseconds(self.worst),
            opinions: None,
            families: family::measured(&self.families, &self.scores),
            unread: self.problems.len(),
            problems: self.problems.iter().take(MOST_PROBLEMS).map(Problem::to_string).collect(),
        }
    }
}

/// The share of labels that are right.
fn accuracy(labels: &[Label], scores: &[(f64, Truth)]) -> Option<f64> {
    let is_right = |(label, (_, truth)): &(&Label, &(f64, Truth))| (**label == Label::Supported) == (*truth == Truth::Supported);
    (!labels.is_empty()).then(|| labels.iter().zip(scores).filter(is_right).count() as f64 / labels.len() as f64)
}

/// The numbers and names of a text, as they are compared: sets that list every unsupported word list ordinary ones too.
fn words(text: &str) -> Vec<String> {
    let tokens = tokens(text).into_iter();
    let named =
        tokens.filter(|token| token.kind == Kind::Number || token.of(text).starts_with(char::is_uppercase) || is_spelled(text, token));
    named.map(|token| fold(token.of(text))).collect()
}

fn is_spelled(text: &str, token: &Token) -> bool {
    let word = token.of(text);
    numbers(word, &crate::text::tokens(word)).iter().any(|number| !number.ambiguous)
}

/// The chance that a positive scores above a negative; ties count half.
fn auroc(scores: &[(f64, Truth)], is_positive: impl Fn(Truth) -> bool) -> Option<f64> {
    let mut sorted: Vec<(f64, bool)> = scores.iter().map(|(score, truth)| (*score, is_positive(*truth))).collect();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let positives = sorted.iter().filter(|(_, positive)| *positive).count();
    let negatives = sorted.len() - positives;
    if positives == 0 || negatives == 0 {
        return None;
    }
    let (mut ranks, mut before) = (0.0, 0.0);
    for group in sorted.chunk_by(|one, other| one.0 == other.0) {
        let rank = before + (group.len() as f64 + 1.0) / 2.0;
        ranks += rank * group.iter().filter(|(_, positive)| *positive).count() as f64;
        before += group.len() as f64;
    }
    let (positives, negatives) = (positives as f64, negatives as f64);
    Some((ranks - positives * (positives + 1.0) / 2.0) / (positives * negatives))
}
