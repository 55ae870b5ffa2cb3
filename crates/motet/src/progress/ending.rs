//! What a person reads when a run is left: how it ended or why it waits, what came of it, and the next step.

use std::path::PathBuf;

use motet_core::names::RunId;
use motet_core::state::{GateKind, OpenGate, Status};
use motet_core::units::show_duration;
use motet_core::view::{self, RunStatus};
use motet_evidence::archive::ASSETS;

use super::words;
use crate::cli::{Exit, MOTET, Paint, Tone, shell_quoted};
use crate::home::{Home, Mirror};

/// A longer output is for `motet status`.
const MOST_LINES: usize = 20;
const MOST_FILES: usize = 8;

pub fn ending(mirror: &Mirror, home: &Home, exit: Exit, untold: u64, paint: Paint) -> Vec<String> {
    let state = &mirror.state;
    let mut lines = vec![String::new(), headline(mirror, exit, untold, paint)];
    for warning in &state.warnings {
        lines.push(format!("  {}: {}", paint.text(Tone::Warning, "warning"), warning.text));
    }
    match (&state.ended, exit) {
        (Some(ended), _) => {
            if let Some(error) = &state.error {
                lines.push(format!("  {}: {}", paint.text(Tone::Bad, "error"), error.failure.message.replace('\n', "\n    ")));
            }
            lines.extend(output(&ended.output));
            lines.extend(files(mirror, home));
            lines.push(format!("  see     {MOTET} log {0}, {MOTET} status {0}", mirror.run));
        }
        (None, Exit::Interrupted) => lines.push(format!("  go on   {MOTET} resume {}", mirror.run)),
        (None, Exit::OutOfBudget) => {
            let is_money = view::status(state) == RunStatus::OutOfBudget;
            let option = if is_money { "--budget USD" } else { "--max-time DURATION" };
            lines.push(format!("  go on   {MOTET} resume {} {option}", mirror.run));
        }
        (None, _) if matches!(state.status, Status::Paused { .. }) => lines.push(format!("  go on   {MOTET} resume {}", mirror.run)),
        (None, _) => {
            for gate in state.gates.values() {
                lines.extend(asked(gate, &mirror.run, state.gates.len(), home).into_iter().map(|line| format!("  {line}")));
            }
        }
    }
    lines
}

/// `slogan-k3f9a completed: approved (3.2s, 310 tokens, $0.02)`.
fn headline(mirror: &Mirror, exit: Exit, untold: u64, paint: Paint) -> String {
    let state = &mirror.state;
    let status = view::status(state);
    let tone = match status {
        RunStatus::Completed => Tone::Good,
        RunStatus::Failed | RunStatus::Aborted | RunStatus::Cancelled => Tone::Bad,
        _ => Tone::Warning,
    };
    let word = match status {
        RunStatus::Running if exit == Exit::Waiting => "waits for a child run",
        RunStatus::Running => "was interrupted",
        RunStatus::WaitingUser => "waits for a person",
        RunStatus::Paused => "is paused",
        RunStatus::OutOfBudget => "is out of budget",
        _ => state.ended.as_ref().map_or("", |ended| words::outcome(ended.outcome)),
    };
    let because = match &state.status {
        Status::Paused { reason, .. } => Some(reason.as_str()).filter(|reason| !reason.is_empty()),
        _ if state.ended.is_some() => state.because.as_deref(),
        _ => None,
    };
    let because = because.map(|because| format!(": {}", words::one_line(because, usize::MAX))).unwrap_or_default();
    let mut spent = vec![show_duration(state.run.as_ref().map_or(0, |run| state.now.since(run.started_at)))];
    let tokens = state.usage.tokens_in + state.usage.tokens_out;
    if tokens > 0 {
        spent.push(words::count(tokens, "token"));
    }
    let money = words::cost(state.money.spent + state.money.overrun, state.money.uncertain, untold);
    if !money.is_empty() {
        // Without an amount it must be said what it is that was not told.
        spent.push(if money == words::NOT_TOLD { format!("cost {money}") } else { money });
    }
    format!("{} {}{because} ({})", paint.text(Tone::Strong, mirror.run.as_str()), paint.text(tone, word), spent.join(", "))
}

fn output(value: &serde_json::Value) -> Vec<String> {
    let mut lines: Vec<String> = words::outline(value).into_iter().map(|line| format!("    {line}")).collect();
    if lines.is_empty() || value.is_null() {
        return Vec::new();
    }
    if lines.len() > MOST_LINES {
        let left = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("    … and {left} more lines; `{MOTET} status` has them all"));
    }
    lines
}

/// What the run has made. What it has read beside that is only counted.
fn files(mirror: &Mirror, home: &Home) -> Vec<String> {
    let assets = home.run_directory(&mirror.run).join(ASSETS);
    let (read, files): (Vec<PathBuf>, Vec<PathBuf>) = home.files(&mirror.run).into_iter().partition(|path| path.starts_with(&assets));
    let here = std::env::current_dir().unwrap_or_default();
    let shown = |path: &PathBuf| path.strip_prefix(&here).unwrap_or(path).display().to_string();
    let mut lines: Vec<String> = files.iter().take(MOST_FILES).map(|path| format!("  file    {}", shown(path))).collect();
    if files.len() > MOST_FILES {
        lines.push(format!("          … and {} more", files.len() - MOST_FILES));
    }
    if !read.is_empty() {
        lines.push(format!("  read    {} in {}", words::count(read.len() as u64, "archived file"), shown(&assets)));
    }
    lines
}

/// What a gate asks, and the commands that answer it; `open` is how many gates of the run there are to choose from.
pub fn asked(gate: &OpenGate, run: &RunId, open: usize, home: &Home) -> Vec<String> {
    let mut lines: Vec<String> = gate.ask.lines().map(String::from).collect();
    if let Some(show) = &gate.show {
        lines.push(format!("look at {}", home.run_directory(run).join(show).display()));
    }
    if !gate.who.is_empty() {
        let quorum = if gate.quorum > 1 { format!(", {} of them ({} so far)", gate.quorum, gate.answers.len()) } else { String::new() };
        lines.push(format!("for {}{quorum}", gate.who.join(" or ")));
    }
    if let Some(deadline) = gate.deadline {
        let otherwise = gate.otherwise.as_ref().map(|otherwise| format!(", then {otherwise}")).unwrap_or_default();
        lines.push(format!("until {deadline}{otherwise}"));
    }
    if gate.kind == GateKind::State || gate.questions.len() > 1 {
        for question in &gate.questions {
            let options = if question.options.is_empty() { String::new() } else { format!(" ({})", question.options.join(", ")) };
            let default = question.default.as_ref().map(|default| format!(" [{default}]")).unwrap_or_default();
            lines.push(format!("  {}: {}{options}{default}", question.id, question.question));
        }
    }
    lines.extend(how_to_answer(gate, run, open));
    lines
}

/// The commands, one per option, and the one that opens an editor. Where several gates are open, each names its own.
pub fn how_to_answer(gate: &OpenGate, run: &RunId, open: usize) -> Vec<String> {
    let which = if open > 1 { format!(" --gate {}", shell_quoted(gate.id.as_str())) } else { String::new() };
    let mut lines = commands(gate, run, &which);
    if matches!(gate.kind, GateKind::State | GateKind::Question { .. }) {
        lines.push(format!("edit    {MOTET} edit {run}{which}"));
    }
    lines
}

fn commands(gate: &OpenGate, run: &RunId, which: &str) -> Vec<String> {
    if gate.options.is_empty() {
        let fields: Vec<String> = gate.questions.iter().map(|question| format!("{}=…", question.id)).collect();
        return match gate.kind {
            GateKind::State if !fields.is_empty() => vec![format!("answer  {MOTET} answer {run} {}{which}", fields.join(" "))],
            _ => vec![format!("answer  {MOTET} answer {run} \"…\"{which}")],
        };
    }
    let text = |option: &String| if gate.text_for.contains(option) { " --text \"…\"" } else { "" };
    gate.options.iter().map(|option| format!("answer  {MOTET} approve {run} {option}{}{which}", text(option))).collect()
}
