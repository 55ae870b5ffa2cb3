//! The ladder on claims about texts of our own: one half was looked at when weights were set, the other was only measured.
//! The floors are the bars that were set for the ladder, where it reaches them (precision 0.92 by number and name, AUROC 0.82), else what was
//! measured, a little rounded down, so that a change for the worse is seen.

use motet_evidence::bench::{Measured, measure};

const TUNED_ON: &str = include_str!("data/tune.jsonl");
const HELD_BACK: &str = include_str!("data/report.jsonl");
/// Larger and harder: most claims are false by one word or by a number that the page has elsewhere, most true ones are free paraphrases.
const HARD_TUNED_ON: &str = include_str!("data/hard-tune.jsonl");
const HARD_HELD_BACK: &str = include_str!("data/hard-report.jsonl");

struct Floors {
    auroc: f64,
    /// Of claims that are flagged.
    flagged: f64,
    /// Of numbers and names that are flagged.
    precision: f64,
    recall: f64,
}

fn check(data: &str, claims: usize, floors: &Floors) {
    let measured: Measured = measure(data.as_bytes()).expect("every line is a labelled claim");
    assert_eq!(measured.claims, claims);
    let at_least = |name: &str, found: Option<f64>, floor: f64| {
        assert!(found.is_some_and(|found| found >= floor), "{name} below {floor}:\n{measured}")
    };
    at_least("AUROC", measured.auroc, floors.auroc);
    at_least("precision of flags", measured.flag_precision, floors.flagged);
    at_least("precision by number and name", measured.token_precision, floors.precision);
    at_least("recall by number and name", measured.token_recall, floors.recall);
}

#[test]
fn claims_that_were_looked_at_are_told_apart() {
    check(TUNED_ON, 112, &Floors { auroc: 0.94, flagged: 0.97, precision: 0.94, recall: 0.94 });
    check(HARD_TUNED_ON, 317, &Floors { auroc: 0.92, flagged: 0.95, precision: 0.94, recall: 0.91 });
}

#[test]
fn claims_that_were_held_back_are_told_apart() {
    check(HELD_BACK, 112, &Floors { auroc: 0.86, flagged: 0.92, precision: 0.92, recall: 0.92 });
    check(HARD_HELD_BACK, 321, &Floors { auroc: 0.81, flagged: 0.94, precision: 0.92, recall: 0.92 });
}

/// Every claim of one source against the text of another: nothing may be supported there.
#[test]
fn claims_are_not_supported_by_a_page_about_something_else() {
    let pages: Vec<serde_json::Value> = TUNED_ON.lines().map(|line| serde_json::from_str(line).expect("a line of data")).collect();
    for (place, page) in pages.iter().enumerate() {
        let other = motet_evidence::claim::Page::of(pages[(place + 1) % pages.len()]["source"].as_str().expect("a source"));
        for claim in page["claims"].as_array().expect("claims") {
            let text = claim["claim"].as_str().expect("a claim");
            let verdict = motet_evidence::claim::check(&motet_evidence::claim::Claim::new(text), &other);
            assert!(verdict.score < 0.3, "{text}: {}", verdict.score);
        }
    }
}

/// Whatever a page says, it bears out word for word, however many other numbers and negations it has.
#[test]
fn every_sentence_of_a_page_is_supported_by_it() {
    for line in TUNED_ON.lines().chain(HARD_TUNED_ON.lines()) {
        let record: serde_json::Value = serde_json::from_str(line).expect("a line of data");
        let source = record["source"].as_str().expect("a source");
        let page = motet_evidence::claim::Page::of(source);
        let sentences = motet_evidence::text::sentences(source).into_iter().map(|span| span.of(source));
        for sentence in sentences.filter(|sentence| sentence.split_whitespace().count() >= 5) {
            let verdict = motet_evidence::claim::check(&motet_evidence::claim::Claim::new(sentence), &page);
            assert!(verdict.missing.is_empty() && verdict.score >= 0.5, "{sentence}: {verdict:?}");
        }
    }
}
