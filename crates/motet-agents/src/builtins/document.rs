//! The finished document: the best draft with its corrections, its sources, and how it came about.
//! It adds nothing that is not in the results.

use serde::Deserialize;
use serde_json::{Value, json};

use super::brief::Brief;
use super::catalogue::{field, field_or_default};
use super::draft::{Finding, draft, findings, sources};
use super::words::{outline, sentences_of, words_of};

const WORDS_PER_MINUTE: usize = 240;
const SUMMARY_CHARACTERS: usize = 500;

/// How an iteration was scored.
#[derive(Clone, Debug, Deserialize)]
struct Scored {
    iteration: u64,
    score: f64,
    #[serde(default)]
    quality: Value,
}

/// `{brief, results, sources, iterations: [{iteration, score, quality}], passed}` → `{document, quality, sources, iteration,
/// improvement, improvement_points, system_notes}`. It takes the best scored iteration in which something was written.
pub(super) fn assemble(input: &Value) -> Result<Value, String> {
    let brief = Brief::of(input)?;
    let findings = findings(input)?;
    let scored: Vec<Scored> = field(input, "iterations")?;
    let passed: bool = field_or_default(input, "passed")?;
    let written = scored.iter().filter_map(|scored| Some((scored, draft(&findings, scored.iteration, &brief)?)));
    // The first of equals: what was there earlier cost less.
    let best = written.reduce(|best, next| if next.0.score > best.0.score { next } else { best });
    let Some((best, mut draft)) = best else { return Err("no iteration has written anything".to_string()) };
    let corrected = correct(&mut draft.content, &findings, best.iteration);
    let words = words_of(&draft.content).count();
    let sources = sources(input, best.iteration)?;
    let summary: String =
        sentences_of(body(&draft.content)).take(2).collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    let headings = outline(&json!({ "text": draft.content }))?;
    let (improvement, points) = improvement(&scored, best);
    Ok(json!({
        "document": {
            "title": draft.title,
            "content": draft.content,
            "summary": summary.chars().take(SUMMARY_CHARACTERS).collect::<String>(),
            "sections": headings["headings"],
            "word_count": words,
            "reading_time": words.div_ceil(WORDS_PER_MINUTE),
            "keywords": checked(&findings, best.iteration, "keywords").cloned().unwrap_or_else(|| json!(brief.keywords)),
            "meta_description": checked(&findings, best.iteration, "meta_description"),
            "bibliography": checked(&findings, best.iteration, "bibliography"),
            "corrections": corrected,
        },
        "quality": best.quality,
        "sources": sources.iter().enumerate().map(|(place, source)| json!({
            "id": format!("source_{}", place + 1),
            "title": source.title,
            "url": source.url,
            "author": source.author,
            "publication_date": source.publication_date,
            "type": source.kind,
            "relevance": source.relevance,
            "excerpt": source.excerpt,
        })).collect::<Vec<_>>(),
        "iteration": best.iteration,
        "improvement": improvement,
        "improvement_points": points,
        "system_notes": notes(&scored, best, passed),
    }))
}

/// What a checker of the iteration gave beside its scores.
fn checked<'a>(findings: &'a [Finding], iteration: u64, name: &str) -> Option<&'a Value> {
    let checks = findings.iter().filter(|finding| finding.iteration == iteration && finding.phase == "quality");
    checks.filter_map(|finding| finding.value.get(name)).find(|value| !value.is_null())
}

/// Applies what checkers want changed, where the words to change stand exactly once. Gives the number of changes.
fn correct(content: &mut String, findings: &[Finding], iteration: u64) -> usize {
    let checks = findings.iter().filter(|finding| finding.iteration == iteration && finding.phase == "quality");
    let wanted = checks.filter_map(|finding| finding.value["corrections"].as_array()).flatten();
    let mut corrected = 0;
    for correction in wanted {
        let (Some(before), Some(after)) = (correction["before"].as_str(), correction["after"].as_str()) else { continue };
        if !before.trim().is_empty() && content.matches(before).count() == 1 {
            *content = content.replacen(before, after, 1);
            corrected += 1;
        }
    }
    corrected
}

/// The text after any headings it begins with.
fn body(content: &str) -> &str {
    let mut rest = content.trim_start();
    while rest.starts_with('#') {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    rest
}

/// From the first iteration to the one that is used, in percentage points; null if there was only one.
fn improvement(scored: &[Scored], best: &Scored) -> (Value, Value) {
    let Some(first) = scored.first().filter(|_| scored.len() > 1) else { return (Value::Null, Value::Null) };
    let points = ((best.score - first.score) * 100.0).round() as i64;
    (format!("{points:+}% quality ({:.2} → {:.2})", first.score, best.score).into(), points.into())
}

fn notes(scored: &[Scored], best: &Scored, passed: bool) -> Vec<String> {
    let count = scored.len();
    let iterations = if count == 1 { "1 iteration".to_string() } else { format!("{count} iterations") };
    let mut notes = vec![match passed {
        true if count == 1 => "Met the quality threshold at the first try.".to_string(),
        true => format!("Generated after {iterations} to meet quality threshold."),
        false => format!("Generated after {iterations} without meeting quality threshold."),
    }];
    if scored.last().is_some_and(|last| last.iteration != best.iteration) {
        notes.push(format!("The article of iteration {} is used, since it scored best.", best.iteration));
    }
    notes
}
