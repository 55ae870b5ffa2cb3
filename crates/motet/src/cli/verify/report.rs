//! `motet verify report.md`: whether a report holds against the folder of its sources, and its scorecard. Nothing is fetched.
//! The report may come from anywhere; it is read and never changed.

use std::fs;
use std::path::Path;

use motet_evidence::archive::ASSETS;
use motet_evidence::report::{Checked, Standing, Verification, parse, verify};
use motet_evidence::score::{Intent, score};
use serde_json::json;

use crate::cli::evidence::documents::{self, Folder};
use crate::cli::{Context, Exit, Failure, Tone, output};

pub fn run(path: &str, sources: Option<&Path>, all: bool, context: &Context) -> Result<Exit, Failure> {
    let path = context.directory.join(path);
    let markdown = fs::read_to_string(&path).map_err(|error| Failure::invalid(format!("{} cannot be read: {error}", path.display())))?;
    let beside = path.parent().unwrap_or(&context.directory).join(ASSETS);
    let folder = match sources {
        Some(sources) => documents::read(&context.directory.join(sources))?,
        None if beside.is_dir() => documents::read(&beside)?,
        None => Folder::default(),
    };
    let report = parse(&markdown);
    let verification = verify(&report, &folder.archive);
    let card = score(&report, &verification, &folder.archive, Intent { questions: &report.questions, words: None });
    // What was changed after the report was written bears nothing out, whatever it says now.
    let holds = verification.gate.open && folder.faults.is_empty();
    if context.json {
        output::json(&json!({
            "report": path, "ok": holds, "hardly_said": hardly_said(&verification), "sources": folder.archive.len(), "not_read": folder.not_read, "faults": folder.faults,
            "gate": verification.gate, "integrity": verification.integrity, "scorecard": card, "sentences": verification.sentences,
        }));
    } else {
        show(&verification, all, context);
        output::line(format!("\n{card}\n"));
        show_gate(&verification, &folder, sources.is_none() && !beside.is_dir(), context);
    }
    Ok(if holds { Exit::Ok } else { Exit::Failed })
}

fn show(verification: &Verification, all: bool, context: &Context) {
    for checked in verification.sentences.iter().filter(|checked| all || is_worth_showing(checked)) {
        let (tone, word) = match checked.standing {
            Standing::Supported => (Tone::Good, "supported"),
            Standing::Plausible => (Tone::Good, "plausible"),
            Standing::Marked => (Tone::Quiet, "marked"),
            Standing::Uncited => (Tone::Warning, "uncited"),
            Standing::Unsupported => (Tone::Warning, "unsupported"),
            Standing::Unfounded => (Tone::Bad, "unfounded"),
            Standing::Unsound => (Tone::Bad, "unsound"),
        };
        output::line(format!("{} {}", context.paint.text(tone, &format!("{word:<11}")), checked.sentence.text));
        if let Some(why) = reason(checked) {
            output::line(context.paint.text(Tone::Quiet, &format!("            {why}")));
        }
    }
}

/// Sentences without a number may go without a citation; what is wrong is always shown.
fn is_worth_showing(checked: &Checked) -> bool {
    match checked.standing {
        _ if checked.is_hardly_said() => true,
        Standing::Unsound | Standing::Unsupported | Standing::Unfounded => true,
        Standing::Uncited => checked.sentence.bears_number,
        Standing::Supported | Standing::Plausible | Standing::Marked => false,
    }
}

fn reason(checked: &Checked) -> Option<String> {
    let verdict = checked.verdict.as_ref()?;
    let missing: Vec<&str> = verdict.missing.iter().map(|missing| missing.text.as_str()).collect();
    let place = checked.source.as_deref().unwrap_or("its sources");
    match checked.standing {
        Standing::Unfounded => Some("its reference leads to no archived source".into()),
        Standing::Unsound if !missing.is_empty() => Some(format!("not in {place}: {}", missing.join(", "))),
        Standing::Unsound if verdict.label == motet_evidence::claim::Label::Misquoted => Some(format!("the quotation is not in {place}")),
        Standing::Unsound if verdict.is_denied() => Some(format!("{place} says the opposite")),
        Standing::Unsound => Some(format!("{place} does not bear it out")),
        Standing::Unsupported => Some(format!("{place} does not say so in these words (score {:.2})", verdict.score)),
        Standing::Plausible if checked.is_hardly_said() => {
            Some(format!("{place} has half of its words at most (score {:.2})", verdict.score))
        }
        Standing::Supported | Standing::Plausible => Some(format!("{place} (score {:.2})", verdict.score)),
        Standing::Marked | Standing::Uncited => None,
    }
}

/// Their words may only be others than those of their sources, so they close no gate.
fn hardly_said(verification: &Verification) -> usize {
    verification.sentences.iter().filter(|checked| checked.is_hardly_said() || checked.standing == Standing::Unsupported).count()
}

fn show_gate(verification: &Verification, folder: &Folder, no_folder: bool, context: &Context) {
    let gate = &verification.gate;
    for (path, why) in &folder.not_read {
        output::line(context.paint.text(Tone::Warning, &format!("not read: {path}: {why}")));
    }
    for fault in &folder.faults {
        output::line(format!("{} the archive is not as it was written: {} {}", context.paint.text(Tone::Bad, "✗"), fault.path, fault.what));
    }
    if gate.open && folder.faults.is_empty() {
        let numbers = format!("{} of {} sentences with a number are sound", gate.number_sentences_sound, gate.number_sentences);
        let line = match hardly_said(verification) {
            0 => format!("{} the report holds: {numbers}", context.paint.text(Tone::Good, "✓")),
            count => {
                let are = if count == 1 { "cited sentence is" } else { "cited sentences are" };
                let line =
                    format!("! the report holds for its numbers: {numbers}; {count} {are} not borne out, compare before you rely on it");
                context.paint.text(Tone::Warning, &line)
            }
        };
        output::line(line);
    }
    for reason in &gate.reasons {
        output::line(format!("{} {reason}", context.paint.text(Tone::Bad, "✗")));
    }
    if !verification.integrity.outside_archive.is_empty() && !folder.archive.is_empty() {
        output::line("a saved page stands for an address that it gives itself: `url: https://…` in its first lines, or a canonical link");
    }
    if no_folder {
        output::line("there is no folder `assets` beside the report; `--sources DIR` names the folder of its sources");
    }
}
