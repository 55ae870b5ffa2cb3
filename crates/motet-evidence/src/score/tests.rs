//! The scorecard of small reports whose numbers can be counted by hand.

use super::{Intent, Scorecard, score};
use crate::report::{Archive, Document, parse, verify};

const REPORT: &str = "# The bridge\n\n## Contents\n\n- History\n- Use\n\n## History\n\nThe bridge was opened in 1932 [1]. It was perhaps the largest of its time. \
    The bridge was opened to traffic in 1932 by the premier of the state. \
    The bridge was opened to traffic in 1932 by the premier of the state [1].\n\n\
    ## Use\n\nSome 160,000 vehicles cross it each day [2].\n\n## References\n\n1. https://a.example/bridge\n2. https://b.example/traffic\n";

fn card(markdown: &str, intent: Intent) -> Scorecard {
    let document = |name: &str, text: &str| Document { names: vec![name.into()], text: text.into() };
    let archive = Archive::of([
        document("https://a.example/bridge", "The bridge was opened to traffic in 1932 by the premier of the state."),
        document("https://b.example/traffic", "Around 160,000 vehicles cross the bridge each day."),
    ]);
    let report = parse(markdown);
    score(&report, &verify(&report, &archive), &archive, intent)
}

#[test]
fn every_number_can_be_counted_by_hand() {
    let questions = ["How many vehicles cross the bridge each day?".to_string(), "Who paid for the tunnel?".to_string()];
    let card = card(REPORT, Intent { questions: &questions, words: Some(100) });
    assert_eq!((card.grounding.sentences, card.grounding.cited), (5, Some(0.6)));
    assert_eq!(card.grounding.cited_with_number, Some(0.75));
    assert_eq!(card.grounding.cited_with_superlative, Some(0.0));
    assert_eq!((card.breadth.sources, card.breadth.domains, card.breadth.independent), (2, 2, 2));
    assert_eq!(card.breadth.effective_sources, Some(1.8));
    assert_eq!(card.breadth.top_domain_share, Some(0.6667));
    assert_eq!(card.breadth.questions_answered, Some(0.5));
    assert_eq!(card.writing.contents_match, Some(true));
    assert_eq!(card.writing.hedged, Some(0.2));
    assert_eq!(card.writing.length_to_target, Some(card.writing.words as f64 / 100.0));
    assert_eq!(card.novelty.repeated, Some(0.2));
    assert_eq!(card.novelty.longest_copied_run, 14);
}

#[test]
fn a_question_is_answered_by_sentences_and_not_by_asking_it_again() {
    let answered = |heading: &str, question: &str, caveat: &str| {
        let markdown = format!(
            "# The bridge\n\n## {heading}\n\nThe bridge was opened in 1932 [1].\n\n## Caveats\n\n- {caveat}\n\n## References\n\n1. https://a.example/bridge\n"
        );
        card(&markdown, Intent { questions: &[question.to_string()], words: None }).breadth.questions_answered
    };
    assert_eq!(answered("History", "When was the bridge opened?", "Written by rules."), Some(1.0));
    assert_eq!(answered("Who paid for the bridge?", "Who paid for the bridge?", "Written by rules."), Some(0.0));
    assert_eq!(answered("History", "Did the bridge of Sydney open in 1932?", "Written by rules."), Some(0.0));
    assert_eq!(answered("History", "When was the bridge opened?", "Not answered: When was the bridge opened?"), Some(0.0));
}

#[test]
fn a_table_of_contents_that_lies_is_noticed() {
    let lying = REPORT.replace("- Use\n", "- Future\n");
    assert_eq!(card(&lying, Intent::default()).writing.contents_match, Some(false));
}

#[test]
fn the_same_report_gives_the_same_json_and_the_table_shows_all_of_it() {
    let (one, other) = (card(REPORT, Intent::default()), card(REPORT, Intent::default()));
    assert_eq!(serde_json::to_string(&one).ok(), serde_json::to_string(&other).ok());
    let table = one.to_string();
    for row in ["Grounding", "Breadth", "Writing", "Novelty", "cited, with a number"] {
        assert!(table.contains(row), "{table}");
    }
}

#[test]
fn nothing_written_is_measured_as_nothing() {
    let card = card("", Intent::default());
    assert_eq!((card.grounding.cited, card.writing.grade, card.breadth.effective_sources), (None, None, None));
    assert!(!card.grounding.passes_gate);
}

#[test]
fn the_kinds_standing_and_age_of_sources_are_read_from_their_list() {
    let named =
        ["https://www.nasa.gov/x", "https://arxiv.org/abs/1", "file:///home/c.md", "https://d.example/y", "https://www.gov.uk/a.pdf"];
    let archive = Archive::of(named.map(|name| Document { names: vec![name.into()], text: format!("What {name} says.") }));
    let report = parse(
        "One [S01]. Two [S02]. Three [S03]. Four [S04]. Five [x](https://www.gov.uk/a.pdf).\n\n## Sources\n\n\
         - [S01] A. https://www.nasa.gov/x (Ada Ox, 2020-06-01; HTML, official, accessed 2026-06-01, archived as assets/web/a.html)\n\
         - [S02] B. https://arxiv.org/abs/1 (2024-06, doi:10.1/x; Paper, accessed 2026-06-15)\n\
         - [S03] C. file:///home/c.md (Report, accessed 2026-06-01)\n\
         - [S04] D. https://d.example/y\n",
    );
    let card = score(&report, &verify(&report, &archive), &archive, Intent::default());
    let mix = card.breadth.mix.clone();
    let types: Vec<(&str, usize)> = mix.types.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
    assert_eq!(types, [("HTML", 2), ("PDF", 1), ("Paper", 1), ("Report", 1)]);
    assert_eq!((mix.official, mix.papers, mix.dated), (Some(0.4), Some(0.2), Some(0.4)));
    assert_eq!(mix.credibility, Some(0.76));
    assert_eq!((mix.oldest.as_deref(), mix.newest.as_deref(), mix.median_age_years), (Some("2020-06-01"), Some("2024-06"), Some(4.0)));
    let table = card.to_string();
    assert!(table.contains("2 HTML, 1 PDF, 1 Paper, 1 Report") && table.contains("2020-06-01 to 2024-06"), "{table}");
}

#[test]
fn an_invented_address_is_no_source_and_two_names_of_a_document_are_one() {
    let invented = "It won a prize in 1933 ([x](https://prize.gov/1)). It won another in 1934 ([y](https://other.gov/2)).";
    let breadth = card(&format!("The bridge was opened in 1932 ([a](https://a.example/bridge)). {invented}"), Intent::default()).breadth;
    assert_eq!((breadth.sources, breadth.domains, breadth.effective_sources), (1, 1, Some(1.0)), "{breadth:?}");
    assert_eq!((breadth.mix.types.len(), breadth.mix.official), (1, Some(0.0)), "{breadth:?}");
    let twice = "The bridge was opened in 1932 ([a](https://a.example/bridge)). The premier of the state opened it ([a](https://a.example/bridge/)).";
    let breadth = card(twice, Intent::default()).breadth;
    assert_eq!((breadth.sources, breadth.domains), (1, 1), "{breadth:?}");
    assert_eq!(breadth.mix.types.values().sum::<usize>(), 1, "{breadth:?}");
}

#[test]
fn a_month_is_no_hedge() {
    let hedged = |text: &str| card(text, Intent::default()).writing.hedged;
    for month in ["It was opened on 14 May 2003.", "It was opened in May 2003.", "It was opened on May 14."] {
        assert_eq!(hedged(month), Some(0.0), "{month}");
    }
    assert_eq!(hedged("It may have been opened in 2003."), Some(1.0));
}

#[test]
fn files_count_as_the_documents_that_their_entries_lead_to() {
    let text =
        |words: &str| format!("{words} It stands in the north of the town, where the river is widest, and was paid for by its citizens.");
    let document = |name: &str, words: &str| Document { names: vec![name.into()], text: text(words) };
    let archive = Archive::of([
        document("assets/data/one.md", "The bridge is 503 metres long."),
        document("assets/data/two.md", "Eight lanes cross a valley here, and nobody has ever counted how many birds live under them."),
        Document {
            names: vec!["assets/data/other.md".into()],
            text: "The bridge is 503 metres long and eight lanes cross it, as nobody said before.".into(),
        },
    ]);
    let report = parse(
        "The bridge is 503 metres long [S01]. Eight lanes cross a valley here [S02].\n\n## Sources\n\n\
         - [S01] One. file:///home/one.md (Document, archived as assets/data/one.md)\n- [S02] Two. file:///home/two.md (Document, archived as assets/data/two.md)\n",
    );
    let card = score(&report, &verify(&report, &archive), &archive, Intent::default());
    assert_eq!((card.breadth.sources, card.breadth.domains, card.breadth.independent), (2, 2, 2), "{card:?}");
    assert_eq!(report.references["S01"].address.as_deref(), Some("file:///home/one.md"));
}

#[test]
fn files_whose_names_end_alike_have_no_owner_in_common() {
    let document = |name: &str, text: &str| Document { names: vec![name.into()], text: text.into() };
    let archive = Archive::of([
        document("alpha.notes.txt", "The Lindau Bridge was opened in 1932."),
        document("beta.notes.txt", "The Aare Tunnel was opened in 1950."),
    ]);
    let report =
        parse("The Lindau Bridge was opened in 1932 ([a](alpha.notes.txt)).\n\nThe Aare Tunnel was opened in 1950 ([b](beta.notes.txt)).");
    let breadth = score(&report, &verify(&report, &archive), &archive, Intent::default()).breadth;
    assert_eq!((breadth.sources, breadth.domains, breadth.independent), (2, 2, 2), "{breadth:?}");
}
