//! Which transitions of a workflow its cases take.

use std::collections::BTreeSet;

use motet_core::Definition;
use motet_core::check::transition_ids;
use serde_json::{Value, json};

use crate::cli::output;
use crate::cli::paint::{Paint, Tone};
use crate::rehearsal::Rehearsal;

pub struct Coverage {
    all: usize,
    uncovered: Vec<String>,
}

impl Coverage {
    pub fn of<'r>(definition: &Definition, played: impl Iterator<Item = &'r Rehearsal>) -> Self {
        let taken: BTreeSet<&str> = played.flat_map(|played| played.path()).map(|passage| passage.via.as_str()).collect();
        let all: BTreeSet<String> = transition_ids(definition).into_iter().collect();
        let count = all.len();
        Self { all: count, uncovered: all.into_iter().filter(|id| !taken.contains(id.as_str())).collect() }
    }

    pub fn percent(&self) -> f64 {
        if self.all == 0 { 100.0 } else { (self.all - self.uncovered.len()) as f64 * 100.0 / self.all as f64 }
    }

    pub fn show(&self, least: Option<u8>, paint: Paint) {
        let covered = self.all - self.uncovered.len();
        let tone = if self.uncovered.is_empty() { Tone::Good } else { Tone::Warning };
        let wanted = least.map(|least| format!(", and {least} % are wanted")).unwrap_or_default();
        // Rounded down, so that 100 % means all.
        let line = format!("  coverage: {covered} of {} transitions ({:.0} %){wanted}", self.all, self.percent().floor());
        output::line(paint.text(tone, &line));
        for id in &self.uncovered {
            output::line(format!("    no case takes {id}"));
        }
    }

    pub fn as_json(&self, workflow: &str) -> Value {
        json!({
            "workflow": workflow,
            "coverage": { "transitions": self.all, "covered": self.all - self.uncovered.len(), "uncovered": self.uncovered },
        })
    }
}
