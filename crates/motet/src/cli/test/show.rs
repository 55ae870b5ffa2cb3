//! How the results of cases look: one line each, and under a failed one what differs.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Args, Result};
use crate::cli::paint::{Paint, Tone};
use crate::cli::{Context, output};
use crate::library::Loaded;
use crate::rehearsal::{Difference, DifferenceLine};

pub fn workflow(args: &Args, context: &Context, loaded: &Loaded, results: &[Result]) {
    let paint = context.paint;
    output::line(paint.text(Tone::Strong, &format!("{} {}", loaded.definition.name, loaded.definition.version)));
    if results.is_empty() {
        output::line(paint.text(Tone::Quiet, "  no cases"));
    }
    for result in results {
        show_result(args, paint, result);
    }
}

fn show_result(args: &Args, paint: Paint, result: &Result) {
    let mark = if result.passed() { paint.text(Tone::Good, "✓") } else { paint.text(Tone::Bad, "✗") };
    output::line(format!("  {mark} {} {}", result.name, paint.text(Tone::Quiet, &format!("({})", result.file))));
    for problem in &result.problems {
        output::line(indented(&paint.diagnostic(problem), "      "));
    }
    for difference in &result.differences {
        show_difference(difference, paint);
    }
    if let Some(played) = result.played.as_ref().filter(|_| args.verbose) {
        let path: Vec<&str> = played.path().iter().map(|passage| passage.to.as_str()).collect();
        output::line(paint.text(Tone::Quiet, &format!("      {}", path.join(" → "))));
        let calls: Vec<String> = played.calls.iter().map(|(voice, calls)| format!("{voice} {calls}")).collect();
        let duration = motet_core::units::show_duration(played.duration_ms);
        let line = format!("      {} events, {duration} of virtual time, calls: {}", played.events.len(), calls.join(", "));
        output::line(paint.text(Tone::Quiet, &line));
    }
}

fn show_difference(difference: &Difference, paint: Paint) {
    output::line(format!("      {}", paint.text(Tone::Strong, &difference.about)));
    for line in &difference.lines {
        let shown = match line {
            DifferenceLine::Expected(text) => paint.text(Tone::Good, &indented(text, "        - expected  ")),
            DifferenceLine::Actual(text) => paint.text(Tone::Bad, &indented(text, "        + actual    ")),
            DifferenceLine::Same(text) => indented(text, "                    "),
            DifferenceLine::Note(text) => indented(text, "        "),
        };
        output::line(shown);
    }
}

/// The first line after the margin, the others below it.
fn indented(text: &str, margin: &str) -> String {
    let below = format!("\n{}", " ".repeat(margin.chars().count()));
    format!("{margin}{}", text.trim_end().replace('\n', &below))
}

pub fn summary(passed: usize, failed: usize, took: Duration, paint: Paint) {
    let tone = if failed > 0 { Tone::Bad } else { Tone::Good };
    let line = paint.text(tone, &format!("{passed} passed, {failed} failed"));
    output::line(format!("{line} {}", paint.text(Tone::Quiet, &format!("in {} ms", took.as_millis()))));
}

pub fn as_json(loaded: &Loaded, result: &Result) -> Value {
    let path = result.played.iter().flat_map(|played| played.path()).map(|passage| passage.to.as_str());
    json!({
        "workflow": loaded.definition.name,
        "case": result.name,
        "file": result.file,
        "ok": result.passed(),
        "path": path.collect::<Vec<_>>(),
        "virtual_ms": result.played.as_ref().map(|played| played.duration_ms),
        "differences": result.differences,
        "problems": result.problems,
    })
}
