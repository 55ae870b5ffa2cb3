//! Plans of workers in steps: made by rule, tightened to fit money and time, and revised after a poor result.
//! What comes out is what the machine runs; whether it is wise, the score of its result says.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::brief::Brief;
use super::catalogue::{Catalogue, Worker, field, field_or_default, or_default};

pub(super) mod optimise;

/// Workers that run together or one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Step {
    #[serde(default)]
    pub name: String,
    pub phase: String,
    pub workers: Vec<String>,
    pub mode: Mode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Mode {
    Parallel,
    Sequential,
}

/// What a poor result asks of the next plan.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Revision {
    #[serde(deserialize_with = "or_default")]
    add_workers: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    remove_workers: Vec<String>,
}

impl Step {
    /// The workers of one phase, those first that others need.
    pub fn of(phase: &str, workers: &[&Worker]) -> Self {
        let ordered = in_order_of_need(workers);
        let mode = mode_of(&ordered);
        Self { name: titled(phase), phase: phase.to_string(), workers: ordered.iter().map(|worker| worker.id.clone()).collect(), mode }
    }
}

/// At once if there are several and none reads another's result.
fn mode_of(workers: &[&Worker]) -> Mode {
    let is_needed = |needed: &String| workers.iter().any(|worker| worker.id == *needed);
    let is_bound = workers.iter().any(|worker| worker.needs.iter().any(is_needed));
    if workers.len() > 1 && !is_bound { Mode::Parallel } else { Mode::Sequential }
}

fn in_order_of_need<'a>(workers: &[&'a Worker]) -> Vec<&'a Worker> {
    let mut waiting: Vec<&Worker> = workers.to_vec();
    let mut ordered: Vec<&Worker> = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let is_free = |worker: &&Worker| !worker.needs.iter().any(|needed| waiting.iter().any(|other| other.id == *needed));
        // Workers that need each other have no order, so the first goes first.
        let next = waiting.iter().position(is_free).unwrap_or(0);
        ordered.push(waiting.remove(next));
    }
    ordered
}

fn titled(phase: &str) -> String {
    let mut letters = phase.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// `{brief, workers, analysis, revision, previous}` → `{complexity, steps, rationale}`. Without a revision the plan has the workers
/// that the analysis recommends; with one it has those of the previous plan, more those to add and less those to remove.
pub(super) fn by_rule(input: &Value) -> Result<Value, String> {
    let brief = Brief::of(input)?;
    let catalogue = Catalogue::of(input)?;
    let revision: Option<Revision> = field_or_default(input, "revision")?;
    let wanted: Vec<String> = match &revision {
        None => field(input.get("analysis").unwrap_or(&Value::Null), "recommended_workers")?,
        Some(revision) => {
            let previous: Vec<Step> = field(input.get("previous").unwrap_or(&Value::Null), "steps")?;
            let kept = previous.into_iter().flat_map(|step| step.workers);
            kept.chain(revision.add_workers.iter().cloned()).filter(|id| !revision.remove_workers.contains(id)).collect()
        }
    };
    let mut seen = BTreeSet::new();
    let mut workers: Vec<&Worker> = wanted.iter().filter_map(|id| catalogue.worker(id)).filter(|worker| seen.insert(&worker.id)).collect();
    workers.extend(catalogue.by_rank().into_iter().filter(|worker| worker.always && !wanted.contains(&worker.id)));
    workers.sort_by_key(|worker| worker.rank);
    let steps = catalogue.phases().iter().filter_map(|phase| {
        let members: Vec<&Worker> = workers.iter().filter(|worker| worker.phase == *phase).copied().collect();
        (!members.is_empty()).then(|| Step::of(phase, &members))
    });
    let rationale = match &revision {
        None => "chosen by rule from the complexity and the wishes of the brief",
        Some(_) => "the plan before, changed as its revision asks",
    };
    Ok(json!({ "complexity": brief.complexity(), "steps": steps.collect::<Vec<_>>(), "rationale": rationale }))
}

/// `{quality, plan, workers}` → `{revision_reason, feedback, add_workers, remove_workers, instructions}`: for each issue of the score
/// the workers that are good for it and not in the plan; a worker that is there already is told what was wrong.
pub(super) fn revise(input: &Value) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Issue {
        message: String,
        #[serde(default)]
        wants: Vec<String>,
    }
    let catalogue = Catalogue::of(input)?;
    let issues: Vec<Issue> = field(input.get("quality").unwrap_or(&Value::Null), "issues")?;
    let steps: Vec<Step> = field(input.get("plan").unwrap_or(&Value::Null), "steps")?;
    let present: BTreeSet<&str> = steps.iter().flat_map(|step| &step.workers).map(String::as_str).collect();
    let (mut add, mut instructions) = (Vec::new(), Vec::new());
    for worker in catalogue.by_rank() {
        let reasons: Vec<&str> = issues
            .iter()
            .filter(|issue| issue.wants.iter().any(|want| worker.suits.contains(want)))
            .map(|issue| issue.message.as_str())
            .collect();
        if reasons.is_empty() {
            continue;
        }
        if !present.contains(worker.id.as_str()) {
            add.push(&worker.id);
        }
        instructions.push(json!({ "worker": worker.id, "text": reasons.join(". ") }));
    }
    let feedback = issues.iter().map(|issue| issue.message.as_str()).collect::<Vec<_>>().join(". ");
    Ok(json!({
        "revision_reason": "quality_low",
        "feedback": feedback,
        "add_workers": add,
        "remove_workers": [],
        "instructions": instructions,
    }))
}
