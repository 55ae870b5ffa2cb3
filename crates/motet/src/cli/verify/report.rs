//! `motet verify report.md`: whether a report holds against the folder of its sources, and its scorecard. Nothing is fetched.
//! The report may come from anywhere; it is read and never changed. What a model thinks of it is shown as its opinion.

use std::fs;

use motet_evidence::archive::ASSETS;
use motet_evidence::claim::Opinion;
use motet_evidence::report::{Checked, Standing, Verification, parse, unsure, verify};
use motet_evidence::score::{Intent, score};
use serde_json::json;

use super::Args;
use super::second::Second;
use crate::cli::evidence::documents::{self, Folder};
use crate::cli::{Context, Exit, Failure, Tone, output};
use crate::judging::Judge;

pub fn run(path: &str, args: &Args, context: &Context) -> Result<Exit, Failure> {
    let path = context.directory.join(path);
    let markdown = fs::read_to_string(&path).map_err(|error| Failure::invalid(format!("{} cannot be read: {error}", path.display())))?;
    let beside = path.parent().unwrap_or(&context.directory).join(ASSETS);
    let folder = match &args.sources {
        Some(sources) => documents::read(&context.directory.join(sources))?,
        None if beside.is_dir() => documents::read(&beside)?,
        None => Folder::default(),
    };
    let judge = args.model.as_deref().map(|model| Judge::of(model, context)).transpose()?;
    let report = parse(&markdown);
    let verification = verify(&report, &folder.archive);
    let card = score(&report, &verification, &folder.archive, Intent { questions: &report.questions, words: None });
    let asked = judge.as_ref().map(|_| unsure(&report, &folder.archive, &verification)).unwrap_or_default();
    let second = judge.map(|judge| Second::of(&judge, asked));
    // What was changed after the report was written bears nothing out, whatever it says now.
    let holds = verification.gate.open && folder.faults.is_empty() && second.as_ref().is_none_or(Second::is_content);
    let found = Found { verification, folder, second };
    if context.json {
        let Found { verification, folder, second } = &found;
        output::json(&json!({
            "report": path, "ok": holds, "hardly_said": found.hardly_said(), "sources": folder.archive.len(), "not_read": folder.not_read, "faults": folder.faults,
            "gate": verification.gate, "integrity": verification.integrity, "scorecard": card, "sentences": verification.sentences,
            "opinions": second.as_ref().map(|second| second.listed(verification)), "unheard": second.as_ref().map(|second| &second.unheard),
        }));
    } else {
        found.show(args.all, context);
        output::line(format!("\n{card}\n"));
        found.show_gate(args.sources.is_none() && !beside.is_dir(), context);
    }
    Ok(if holds { Exit::Ok } else { Exit::Failed })
}

/// What is known of a report.
struct Found {
    verification: Verification,
    folder: Folder,
    second: Option<Second>,
}

impl Found {
    fn opinion(&self, place: usize) -> Option<&Opinion> {
        self.second.as_ref()?.opinions.get(&place)
    }

    fn show(&self, all: bool, context: &Context) {
        for (place, checked) in self.verification.sentences.iter().enumerate() {
            let opinion = self.opinion(place);
            if !all && !is_worth_showing(checked) && !opinion.is_some_and(Opinion::objects) {
                continue;
            }
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
            for why in reason(checked).into_iter().chain(opinion.map(Opinion::to_string)) {
                output::line(context.paint.text(Tone::Quiet, &format!("            {why}")));
            }
        }
    }

    /// Cited sentences of which their sources say hardly anything. Their words may only be others, so they close no gate.
    fn hardly_said(&self) -> usize {
        let is_hardly_said = |checked: &&Checked| checked.is_hardly_said() || checked.standing == Standing::Unsupported;
        self.verification.sentences.iter().filter(is_hardly_said).count()
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

impl Found {
    /// Whether it holds, and why not.
    fn show_gate(&self, no_folder: bool, context: &Context) {
        let Self { verification, folder, second } = self;
        let gate = &verification.gate;
        for (path, why) in &folder.not_read {
            output::line(context.paint.text(Tone::Warning, &format!("not read: {path}: {why}")));
        }
        for fault in &folder.faults {
            output::line(format!(
                "{} the archive is not as it was written: {} {}",
                context.paint.text(Tone::Bad, "✗"),
                fault.path,
                fault.what
            ));
        }
        if gate.open && folder.faults.is_empty() && second.as_ref().is_none_or(Second::is_content) {
            let numbers = format!("{} of {} sentences with a number are sound", gate.number_sentences_sound, gate.number_sentences);
            let line = match self.hardly_said() {
                0 => format!("{} the report holds: {numbers}", context.paint.text(Tone::Good, "✓")),
                count => {
                    let are = if count == 1 { "cited sentence is" } else { "cited sentences are" };
                    let line = format!(
                        "! the report holds for its numbers: {numbers}; {count} {are} not borne out, compare before you rely on it"
                    );
                    context.paint.text(Tone::Warning, &line)
                }
            };
            output::line(line);
        }
        if let Some(second) = second {
            second.show(context);
        }
        for reason in &gate.reasons {
            output::line(format!("{} {reason}", context.paint.text(Tone::Bad, "✗")));
        }
        if !verification.integrity.outside_archive.is_empty() && !folder.archive.is_empty() {
            output::line(
                "a saved page stands for an address that it gives itself: `url: https://…` in its first lines, or a canonical link",
            );
        }
        if no_folder {
            output::line("there is no folder `assets` beside the report; `--sources DIR` names the folder of its sources");
        }
    }
}
