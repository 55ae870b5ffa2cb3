//! `motet check`: loads a workflow, proves what holds of every run, and shows what does not.
//! The proof itself is the machine's; here it is only shown.

use motet_core::check::{Property, Report};
use serde_json::{Value, json};

use super::input::InputArgs;
use super::paint::{Paint, Tone};
use super::selection::{Selection, problem_lines, rendered};
use super::{Context, Exit, output};
use crate::library::{Loaded, Problem};
use crate::progress::{width, words};

/// Where the second column of what is said of the bounds begins.
const MARGIN_OF_BOUNDS: usize = 21;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    input: InputArgs,
    /// Show the table of bounds also when several workflows are checked
    #[arg(long)]
    bounds: bool,
}

pub fn run(args: &Args, context: &Context) -> Exit {
    let loaded = args.selection.load(&context.library());
    let is_only = loaded.len() == 1;
    let mut exit = Exit::Ok;
    for (name, loaded) in loaded {
        let one = match loaded {
            Ok(loaded) => check_one(args, context, &loaded, is_only || args.bounds),
            Err(problem) => unusable(&name, &problem, context),
        };
        exit = exit.max(one);
    }
    exit
}

fn check_one(args: &Args, context: &Context, loaded: &Loaded, with_bounds: bool) -> Exit {
    let definition = &loaded.definition;
    let input = match args.input.read(&context.directory, definition) {
        Ok(input) => input,
        Err(failure) => return failure.print(),
    };
    let report = context.library().check(definition, input.as_ref());
    if context.json {
        output::json(&as_json(loaded, &report));
    } else {
        show(loaded, &report, context, with_bounds);
    }
    if report.has_errors() { Exit::Failed } else { Exit::Ok }
}

fn unusable(name: &str, problem: &Problem, context: &Context) -> Exit {
    let Problem::Invalid { diagnostics, .. } = problem else { return output::fail(&problem.to_string()) };
    // Its problems are what was asked for.
    match context.json {
        true => output::json(&json!({ "workflow": name, "ok": false, "diagnostics": diagnostics })),
        false => problem_lines(problem, context, context.paint).into_iter().flatten().for_each(output::line),
    }
    Exit::Failed
}

fn as_json(loaded: &Loaded, report: &Report) -> Value {
    let mut value = serde_json::to_value(report).unwrap_or_default();
    value["ok"] = json!(!report.has_errors());
    value["origin"] = json!(loaded.origin.to_string());
    value["digest"] = json!(loaded.definition.digest);
    let warnings = serde_json::to_value(&loaded.warnings).unwrap_or_default();
    if let (Some(all), Value::Array(warnings)) = (value["diagnostics"].as_array_mut(), warnings) {
        all.extend(warnings);
    }
    value
}

fn show(loaded: &Loaded, report: &Report, context: &Context, with_bounds: bool) {
    let (paint, folder) = (context.paint, &loaded.definition.folder);
    let place = loaded.origin.place(&loaded.definition.name, &context.directory);
    for diagnostic in loaded.warnings.iter().chain(&report.diagnostics) {
        output::line(format!("{}\n", paint.diagnostic(&rendered(diagnostic, &place, folder))));
    }
    output::line(paint.text(Tone::Strong, &headline(report)));
    for property in &report.properties {
        show_property(property, paint);
    }
    if !report.waits.is_empty() {
        let waits = format!("  an unattended run may wait for a person in {}", report.waits.join(", "));
        output::line(words::folded(&waits, 4, width()));
    }
    if with_bounds {
        for bounds in &report.bounds {
            output::line("");
            bounds.limits().iter().for_each(|line| output::line(words::folded(line, MARGIN_OF_BOUNDS, width())));
            bounds.table().iter().for_each(output::line);
        }
    }
}

fn headline(report: &Report) -> String {
    let (all, holding) = (report.properties.len(), report.properties.iter().filter(|property| property.holds).count());
    let properties = match all {
        0 => "no properties declared".to_owned(),
        1 if holding == 1 => "1 property holds".to_owned(),
        _ if holding == all => format!("{all} properties hold"),
        _ => format!("{holding} of {all} properties hold"),
    };
    let (states, transitions) = (report.states, report.transitions.len());
    format!("{} {}: {states} states, {transitions} transitions, {properties}", report.workflow, report.version)
}

fn show_property(property: &Property, paint: Paint) {
    let mark = if property.holds { paint.text(Tone::Good, "✓") } else { paint.text(Tone::Bad, "✗") };
    let counted = property.entries.as_ref().map(|entries| match entries.most {
        Some(most) => format!(" (at most {most} of {}, {})", entries.allowed, entries.inputs),
        None => format!(" (no limit, where {} are allowed, {})", entries.allowed, entries.inputs),
    });
    let line = format!("  {mark} {}: {}{}", property.name, property.text, paint.text(Tone::Quiet, &counted.unwrap_or_default()));
    output::line(words::folded(&line, 4, width()));
    if !property.holds && !property.path.is_empty() {
        let steps: Vec<String> = property.path.iter().map(ToString::to_string).collect();
        output::line(format!("      {}", steps.join("\n      ")));
    }
}
