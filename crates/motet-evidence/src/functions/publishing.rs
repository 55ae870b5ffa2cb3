//! `report.publish`: the report as it is printed, whether it may be published, and its scorecard.
//! What is verified is the printed text itself, read back, so that anybody can repeat it with `motet verify`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::given::{Fact, Source, confidence, list, members, text, texts, word_of};
use super::layout::{Doubts, Edition, lay_out};
use super::plain::{marked, settled};
use super::printing::markdown;
use super::shelf::Shelf;
use super::unreached;
use super::verification::stored;
use crate::fact::Confidence;
use crate::report::{Checked, Citation, NOT_ANSWERED, Standing, parse_answer, verify, without_openings};
use crate::score::{Intent, score};

/// `{ report, facts, sources, topic, core_question, conflicts, caveats, gaps, questions, left_out, not_reached, partial }` → `{ outcome: open | closed, reasons, markdown,
/// title, questions, layout, scorecard, table, verdicts, confidence, marked, … }`. A sentence with a number that is not borne out is printed as unverified, and so is any that its sources contradict or say hardly anything of; a source that does not bear out its sentence is not cited for it.
/// `left_out` are ids of facts that the writer could not be shown; `not_reached` are the sources and pages that brought nothing, as `{ source, outcome, address }`.
pub fn publish(input: &Value, run_directory: Option<&Path>) -> Result<Value, String> {
    let (facts, sources) = (Fact::all(input)?, Source::all(input)?);
    if !input["report"].is_object() {
        return Err("`report` must be an object".into());
    }
    let shelf = Shelf::of(&facts, &sources, run_directory)?;
    let archive = shelf.documents(&sources);
    let edition = Edition {
        report: &input["report"],
        topic: text(input, "topic"),
        dimensions: &input["questions"],
        facts: &facts,
        sources: &sources,
        conflicts: list(input, "conflicts")?,
        caveats: caveats(input)?,
    };
    let draft = markdown(&lay_out(&edition, &Doubts::default()));
    let questions = questions(&input["questions"]);
    let asked: Vec<String> =
        questions.iter().cloned().chain(["topic", "core_question"].map(|name| text(input, name).to_string())).collect();
    let read = |markdown: &str| parse_answer(markdown, &asked);
    let layout = lay_out(&edition, &doubts(verify(&read(&draft), &archive).sentences));
    let markdown = markdown(&layout);
    let report = read(&markdown);
    let verification = verify(&report, &archive);
    let card = score(&report, &verification, &archive, Intent { questions: &questions, words: None });
    Ok(json!({
        "outcome": if verification.gate.open { "open" } else { "closed" },
        "reasons": verification.gate.reasons,
        "markdown": markdown,
        "title": layout.title(),
        "questions": questions,
        "layout": layout,
        "confidence": word_of(sureness(input, &facts)),
        "marked": card.grounding.marked_unverified,
        "scorecard": card,
        "table": card.to_string(),
        "verdicts": verification.sentences.iter().map(told).collect::<Vec<_>>(),
        "checked_against": shelf.word(),
    }))
}

/// The writer's word for it, but no more than the best of the facts that it names, and less than that of a whole report if it is partial.
fn sureness(input: &Value, facts: &[Fact]) -> Confidence {
    let report = &input["report"];
    let paragraphs = members(&report["sections"]).iter().flat_map(|section| members(&section["paragraphs"]));
    let named: BTreeSet<&str> =
        [&report["summary"]].into_iter().chain(paragraphs).flat_map(members).flat_map(|sentence| texts(&sentence["facts"])).collect();
    let rated = facts.iter().filter(|fact| named.contains(fact.id)).filter_map(|fact| confidence(text(fact.value, "confidence")));
    let most = if input["partial"] == true { Confidence::Medium } else { Confidence::High };
    let best = rated.max().unwrap_or(Confidence::Low);
    confidence(text(report, "confidence")).unwrap_or(Confidence::Low).min(best).min(most)
}

fn doubts(sentences: Vec<Checked>) -> Doubts {
    let mut doubts = Doubts::default();
    for checked in sentences {
        let is_doubtful = is_doubtful(&checked);
        let place = (checked.sentence.section, checked.sentence.text);
        let unsound: BTreeSet<String> = checked.unsound.into_iter().map(|(Citation::Marker(id) | Citation::Link(id))| id).collect();
        if !unsound.is_empty() {
            doubts.unsound.entry(place.clone()).or_default().extend(unsound);
        }
        if is_doubtful {
            doubts.unverified.insert(place);
        }
    }
    doubts
}

fn is_doubtful(checked: &Checked) -> bool {
    let is_shaky = matches!(checked.standing, Standing::Unsupported | Standing::Unfounded | Standing::Uncited);
    checked.standing == Standing::Unsound || checked.is_hardly_said() || checked.sentence.bears_number && is_shaky
}

fn told(checked: &Checked) -> Value {
    json!({
        "sentence": checked.sentence.text,
        "section": checked.sentence.section,
        "standing": checked.standing,
        "source": checked.source,
        "verdict": checked.verdict.as_ref().map(|verdict| stored(verdict, 0)),
    })
}

/// What a reader must know, each thing once.
fn caveats(input: &Value) -> Result<Vec<String>, String> {
    let mut all: Vec<String> = Vec::new();
    if !list(input, "left_out")?.is_empty() {
        all.push("Not every fact fitted into what the writer can be shown at once; task.md names those that were left out".to_string());
    }
    all.extend(unreached::caveat(list(input, "not_reached")?));
    // An agent's words are not told as what is known to be open: behind those first words a claim would pass for none.
    let told = texts(&input["caveats"]).into_iter().chain(texts(&input["report"]["limitations"]));
    all.extend(told.map(without_our_words));
    all.extend(list(input, "gaps")?.iter().filter_map(not_answered));
    let mut told = BTreeSet::new();
    all.retain(|caveat| !caveat.trim().is_empty() && told.insert(caveat.clone()));
    Ok(all)
}

/// A caveat as its writer put it, unless some of it would be read as what only the printer says.
fn without_our_words(caveat: &str) -> String {
    settled(caveat).map(|bare| without_openings(&bare).unwrap_or_else(|| marked(caveat))).unwrap_or_default()
}

fn not_answered(gap: &Value) -> Option<String> {
    let question = text(gap, "question").trim_end_matches(['?', '.', ' ', '\n']);
    (!question.is_empty()).then(|| format!("{NOT_ANSWERED}{question}?"))
}

/// Texts, or objects with `questions`; one without any is a question by its name. A `theme` is what a planner looks for besides, and
/// nobody asked for it.
fn questions(given: &Value) -> Vec<String> {
    let of = |one: &Value| match one {
        Value::String(question) => vec![question.clone()],
        dimension => {
            let asked = texts(&dimension["questions"]);
            let asked = if asked.is_empty() { vec![text(dimension, "name")] } else { asked };
            asked.into_iter().filter(|question| !question.is_empty()).map(str::to_string).collect()
        }
    };
    members(given).iter().filter(|one| one["theme"] != true).flat_map(of).collect()
}
