//! What a check found, as data for machines and as one plain table for people.
//! Colour and layout for a terminal are the program's business.

use serde::Serialize;

use super::graph::Step;
use crate::diagnostic::Diagnostic;
use crate::names::AgentName;
use crate::units::{Usd, show_duration};
use crate::view::shown;

/// Larger numbers than this say nothing more.
const MOST_SHOWN: u64 = 1_000_000_000_000_000;

#[derive(Debug, Serialize)]
pub struct Report {
    pub workflow: String,
    pub version: String,
    /// Every problem, each property that fails among them, with the path that breaks it.
    pub diagnostics: Vec<Diagnostic>,
    pub states: usize,
    /// The ids of all transitions that a run can take.
    pub transitions: Vec<String>,
    pub properties: Vec<Property>,
    /// One for each set of inputs; the first is the one people think of.
    pub bounds: Vec<Bounds>,
    /// The gates at which an unattended run may wait for a person.
    pub waits: Vec<String>,
}

/// One line of `require`.
#[derive(Debug, Serialize)]
pub struct Property {
    pub name: String,
    pub text: String,
    pub holds: bool,
    /// The shortest path that breaks it.
    pub path: Vec<Step>,
    /// For `entered at most`: what was computed.
    pub entries: Option<Entries>,
}

#[derive(Debug, Serialize)]
pub struct Entries {
    /// None: there is no most.
    pub most: Option<u64>,
    pub allowed: u64,
    pub inputs: &'static str,
}

/// The most a run can take with one set of inputs.
#[derive(Debug, Serialize)]
pub struct Bounds {
    pub inputs: &'static str,
    /// The declared limits, which no run exceeds by more than what was running when they were reached.
    #[serde(serialize_with = "shown::maybe_dollars")]
    pub cost_limit: Option<Usd>,
    pub time_limit_ms: Option<u64>,
    /// The declared time, the longest task that may be running then, and the way from there to the end.
    pub time_with_limit_ms: Option<u64>,
    pub states: Vec<StateBounds>,
    /// By the shape of the machine alone.
    pub total: Total,
    /// Whether all of this holds between two answers of a person that an unlimited counter counts.
    pub between_answers: bool,
    pub dominated_by: Option<Dominant>,
    /// Agents whose calls have no known price, so that only `cost_limit` bounds the cost.
    pub unpriced: Vec<AgentName>,
}

/// The most of one state. The last four are of one visit.
#[derive(Debug, Serialize)]
pub struct StateBounds {
    pub state: String,
    pub entries: Option<u64>,
    /// Entries and returns.
    pub visits: Option<u64>,
    pub calls: u64,
    /// None: not known.
    #[serde(serialize_with = "shown::maybe_dollars")]
    pub cost: Option<Usd>,
    pub time_ms: u64,
    /// For people; None: no deadline.
    pub waiting_ms: Option<u64>,
}

/// None: there is no most, or it is not known.
#[derive(Debug, Serialize)]
pub struct Total {
    pub visits: Option<u64>,
    pub calls: Option<u64>,
    #[serde(serialize_with = "shown::maybe_dollars")]
    pub cost: Option<Usd>,
    pub time_ms: Option<u64>,
    pub waiting_ms: Option<u64>,
}

/// The counter without which a run could make the fewest calls.
#[derive(Debug, Serialize)]
pub struct Dominant {
    pub counter: String,
    pub room: u64,
    pub calls_without: u64,
}

impl Report {
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Everything that was proven and counted, as aligned plain text.
    pub fn summary(&self) -> String {
        let proven = self.properties.iter().filter(|property| property.holds).count();
        let mut lines = vec![format!(
            "{} {}: {} states, {} transitions, {proven} of {} properties hold",
            self.workflow,
            self.version,
            self.states,
            self.transitions.len(),
            self.properties.len()
        )];
        lines.extend(self.properties.iter().map(|property| {
            let mark = if property.holds { "holds" } else { "FAILS" };
            let entries = property.entries.as_ref().map(|entries| format!(" (at most {} of {})", count(entries.most), entries.allowed));
            format!("  {mark}  {}{}", property.name, entries.unwrap_or_default())
        }));
        if !self.waits.is_empty() {
            lines.push(format!("an unattended run may wait for a person in {}", self.waits.join(", ")));
        }
        for bounds in &self.bounds {
            lines.push(String::new());
            lines.extend(bounds.summary());
        }
        lines.iter().map(|line| line.trim_end()).collect::<Vec<&str>>().join("\n") + "\n"
    }
}

impl Bounds {
    /// The declared limits, the most by shape alone, and a table of the states, as lines of aligned plain text.
    pub fn summary(&self) -> Vec<String> {
        [self.limits(), self.table()].concat()
    }

    /// The declared limits and the most by shape alone, a line for each.
    pub fn limits(&self) -> Vec<String> {
        let mut lines = vec![format!("{}:", self.inputs)];
        let time = self.time_with_limit_ms.map(|time| format!(" (the last task and the way to the end included: {})", show_duration(time)));
        lines.push(format!(
            "  declared limits    cost {}, time {}{}",
            dollars(self.cost_limit),
            duration(self.time_limit_ms),
            time.unwrap_or_default()
        ));
        let total = &self.total;
        let cost = match self.unpriced.len() {
            0 => dollars(total.cost),
            1 => "not known (1 unpriced agent)".into(),
            unpriced => format!("not known ({unpriced} unpriced agents)"),
        };
        let waiting =
            if total.waiting_ms == Some(0) { String::new() } else { format!(", waiting for people {}", duration(total.waiting_ms)) };
        let scope = if self.between_answers { " between two answers of a person" } else { "" };
        lines.push(format!(
            "  by shape alone     {} visits, {} calls, cost {cost}, time {}{waiting}{scope}",
            count(total.visits),
            count(total.calls),
            duration(total.time_ms)
        ));
        if let Some(dominant) = &self.dominated_by {
            let without = count(Some(dominant.calls_without));
            lines.push(format!("  dominated by       {} (room for {}); without it {without} calls", dominant.counter, dominant.room));
        }
        lines
    }

    /// The most of every state, a line for each.
    pub fn table(&self) -> Vec<String> {
        let header = ["state", "entries", "visits", "calls per visit", "cost per visit", "time per visit"].map(String::from);
        let rows = self.states.iter().map(|state| {
            let cost = if state.calls == 0 { "–".into() } else { state.cost.map_or("?".into(), |cost| cost.to_string()) };
            let time = if state.time_ms == 0 { "–".into() } else { duration(Some(state.time_ms)) };
            [state.state.clone(), count(state.entries), count(state.visits), count(Some(state.calls)), cost, time]
        });
        table(std::iter::once(header).chain(rows).collect())
    }
}

/// The first column is aligned to the left, the others to the right.
fn table<const N: usize>(rows: Vec<[String; N]>) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("  {cell:<width$}"),
            _ => format!("  {cell:>width$}"),
        });
        cells.collect::<String>()
    };
    rows.iter().map(line).collect()
}

fn count(number: Option<u64>) -> String {
    match number {
        None => "unbounded".into(),
        Some(number) if number > MOST_SHOWN => "more than 10^15".into(),
        Some(number) => number.to_string(),
    }
}

fn dollars(amount: Option<Usd>) -> String {
    amount.map_or("unlimited".into(), |amount| amount.to_string())
}

fn duration(milliseconds: Option<u64>) -> String {
    match milliseconds {
        None => "unlimited".into(),
        Some(milliseconds) if milliseconds > MOST_SHOWN => "more than 30,000 years".into(),
        Some(milliseconds) => show_duration(milliseconds),
    }
}
