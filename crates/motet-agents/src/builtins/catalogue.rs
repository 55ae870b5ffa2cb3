//! Workers that a plan can be made of, as the workflow lists them, and what a brief asks of them.
//! Which workers there are is the workflow's data; nothing here knows one by name.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// One worker of the catalogue.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Worker {
    pub id: String,
    #[serde(default)]
    pub title: String,
    /// Workers of one phase stand together in a plan; phases follow each other in the order in which the catalogue has them.
    pub phase: String,
    /// Whether a run can go on without it.
    #[serde(default)]
    pub criticality: Criticality,
    #[serde(default)]
    pub priority: Priority,
    /// What one call is expected to cost, in dollars, and to take, in seconds.
    #[serde(default)]
    pub cost: f64,
    #[serde(default)]
    pub time: f64,
    /// The lower, the sooner it is chosen, and the later it is given up.
    #[serde(default)]
    pub rank: u32,
    /// No plan is complete without it.
    #[serde(default)]
    pub always: bool,
    /// What it is good for: words like `source:academic` or `tone:academic`.
    #[serde(default)]
    pub suits: Vec<String>,
    /// Workers whose results it reads, if they are in the same step.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Which part of a document it writes.
    #[serde(default)]
    pub part: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Criticality {
    #[default]
    Critical,
    Optional,
}

/// How much it matters that it is there at all; from medium on it is a luxury.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Priority {
    Critical,
    High,
    #[default]
    Medium,
    Low,
}

pub(super) struct Catalogue {
    workers: Vec<Worker>,
    phases: Vec<String>,
}

impl Catalogue {
    /// From the field `workers` of the input.
    pub fn of(input: &Value) -> Result<Self, String> {
        let workers: Vec<Worker> = field(input, "workers")?;
        let mut phases: Vec<String> = Vec::new();
        let mut known = BTreeSet::new();
        for worker in &workers {
            if !known.insert(worker.id.as_str()) {
                return Err(format!("`workers` has {} twice", worker.id));
            }
            if !phases.contains(&worker.phase) {
                phases.push(worker.phase.clone());
            }
        }
        Ok(Self { workers, phases })
    }

    pub fn worker(&self, id: &str) -> Option<&Worker> {
        self.workers.iter().find(|worker| worker.id == id)
    }

    /// The sooner one is to be chosen, the earlier it comes.
    pub fn by_rank(&self) -> Vec<&Worker> {
        let mut workers: Vec<&Worker> = self.workers.iter().collect();
        workers.sort_by_key(|worker| worker.rank);
        workers
    }

    pub fn phases(&self) -> &[String] {
        &self.phases
    }

    /// Where a phase stands among the others; an unknown one comes last.
    pub fn place(&self, phase: &str) -> usize {
        self.phases.iter().position(|known| known == phase).unwrap_or(self.phases.len())
    }

    /// What a plan of these workers would cost, and how long it would take with each phase at once.
    pub fn estimate<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> (f64, f64) {
        let mut cost = 0.0;
        let mut longest: BTreeMap<&str, f64> = BTreeMap::new();
        for worker in ids.into_iter().filter_map(|id| self.worker(id)) {
            cost += worker.cost;
            let time = longest.entry(&worker.phase).or_default();
            *time = time.max(worker.time);
        }
        (cost, longest.values().sum())
    }
}

/// A field of the input in its own type; the error names the field.
pub(super) fn field<T: for<'de> Deserialize<'de>>(input: &Value, name: &str) -> Result<T, String> {
    match input.get(name) {
        None | Some(Value::Null) => Err(format!("`{name}` is missing")),
        Some(value) => T::deserialize(value).map_err(|problem| format!("`{name}`: {problem}")),
    }
}

/// The same, but what is missing or null is empty.
pub(super) fn field_or_default<T: Default + for<'de> Deserialize<'de>>(input: &Value, name: &str) -> Result<T, String> {
    match input.get(name) {
        None | Some(Value::Null) => Ok(T::default()),
        Some(_) => field(input, name),
    }
}

/// Null is as good as absent.
pub(super) fn or_default<'de, T: Default + Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
