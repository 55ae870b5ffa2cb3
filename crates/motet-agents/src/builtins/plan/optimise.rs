//! Makes a proposed plan fit: whole, as parallel as its workers allow, and within money and time where optional workers can be spared.
//! It never removes a critical worker or the last one of a step: a plan that still does not fit says so.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Mode, Step};
use crate::builtins::catalogue::{Catalogue, Criticality, Worker, field, field_or_default};
use crate::builtins::rounded;

/// What a planner expects of a worker, instead of what the catalogue does.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Estimate {
    cost: Option<f64>,
    time: Option<f64>,
}

/// Sums of prices are not exact.
const A_HAIR: f64 = 1e-9;

struct Planning<'a> {
    catalogue: &'a Catalogue,
    estimates: BTreeMap<String, Estimate>,
    notes: Vec<String>,
}

/// `{plan: {complexity, steps, estimates}, workers, number, budget, time, instructions}` → `{plan, before, time_saved, cost_saved}`.
/// The plan has an id, its steps with estimates, and its tasks with dependencies. Times are seconds, costs dollars; without a
/// `budget` or a `time` there is no limit.
pub(in crate::builtins) fn optimise(input: &Value) -> Result<Value, String> {
    let proposed: &Value = input.get("plan").filter(|plan| plan.is_object()).ok_or("`plan` is missing")?;
    let catalogue = Catalogue::of(input)?;
    let number: u64 = field(input, "number")?;
    let (budget, time): (Option<f64>, Option<f64>) = (field_or_default(input, "budget")?, field_or_default(input, "time")?);
    let mut planning = Planning { catalogue: &catalogue, estimates: field_or_default(proposed, "estimates")?, notes: Vec::new() };
    let steps = planning.known(field(proposed, "steps")?);
    let before = (steps.len(), planning.time(&steps), planning.cost(&steps));
    let steps = planning.completed(steps);
    let steps = planning.merged(steps);
    let mut steps = planning.at_once(steps);
    planning.fit(&mut steps, budget, "the budget", Planning::cost);
    planning.fit(&mut steps, time, "the time", Planning::time);
    let (after_time, after_cost) = (planning.time(&steps), planning.cost(&steps));
    let (too_dear, too_long) = (budget.filter(|budget| after_cost > budget + A_HAIR), time.filter(|time| after_time > time + A_HAIR));
    if let Some(budget) = too_dear {
        planning.notes.push(format!("it may cost ${after_cost:.2}, and ${budget:.2} are left: cheaper models would help"));
    }
    if let Some(time) = too_long {
        planning.notes.push(format!("it may take {after_time:.0} s, and {time:.0} s are left"));
    }
    let instructions: BTreeMap<String, String> = instructions(input)?;
    let plan_id = format!("plan_{number:03}");
    let described: Vec<Value> = steps.iter().enumerate().map(|(place, step)| planning.described(&plan_id, place, step)).collect();
    Ok(json!({
        "plan": {
            "plan_id": plan_id,
            "complexity": proposed.get("complexity"),
            "rationale": proposed.get("rationale"),
            "steps": described,
            "total_steps": steps.len(),
            "parallel_steps": steps.iter().filter(|step| step.mode == Mode::Parallel).count(),
            "estimated_time": after_time,
            "estimated_cost": rounded(after_cost, 2),
            "fits": too_dear.is_none() && too_long.is_none(),
            "optimization_notes": planning.notes,
            "tasks": planning.tasks(&plan_id, &steps, &instructions),
        },
        "before": { "steps": before.0, "estimated_time": before.1, "estimated_cost": rounded(before.2, 2) },
        "time_saved": before.1 - after_time,
        "cost_saved": rounded(before.2 - after_cost, 2),
    }))
}

/// What a revision tells single workers.
fn instructions(input: &Value) -> Result<BTreeMap<String, String>, String> {
    #[derive(Deserialize)]
    struct Instruction {
        worker: String,
        text: String,
    }
    let given: Vec<Instruction> = field_or_default(input, "instructions")?;
    Ok(given.into_iter().map(|instruction| (instruction.worker, instruction.text)).collect())
}

impl<'a> Planning<'a> {
    fn worker(&self, id: &str) -> Option<&'a Worker> {
        self.catalogue.worker(id)
    }

    fn members(&self, step: &Step) -> Vec<&'a Worker> {
        step.workers.iter().filter_map(|id| self.worker(id)).collect()
    }

    fn worker_cost(&self, id: &str) -> f64 {
        let expected = self.estimates.get(id).and_then(|estimate| estimate.cost);
        expected.or(self.worker(id).map(|worker| worker.cost)).unwrap_or(0.0)
    }

    fn worker_time(&self, id: &str) -> f64 {
        let expected = self.estimates.get(id).and_then(|estimate| estimate.time);
        expected.or(self.worker(id).map(|worker| worker.time)).unwrap_or(0.0)
    }

    fn step_time(&self, step: &Step) -> f64 {
        let times = step.workers.iter().map(|id| self.worker_time(id));
        match step.mode {
            Mode::Parallel => times.fold(0.0, f64::max),
            Mode::Sequential => times.sum(),
        }
    }

    fn time(&self, steps: &[Step]) -> f64 {
        steps.iter().map(|step| self.step_time(step)).sum()
    }

    fn cost(&self, steps: &[Step]) -> f64 {
        steps.iter().flat_map(|step| &step.workers).map(|id| self.worker_cost(id)).sum()
    }

    /// Each known worker once; steps without any are no steps.
    fn known(&mut self, mut steps: Vec<Step>) -> Vec<Step> {
        let mut seen = BTreeSet::new();
        for step in &mut steps {
            step.workers.retain(|id| {
                let known = self.catalogue.worker(id).is_some();
                if !known {
                    self.notes.push(format!("{id} was left out: there is no such worker"));
                }
                known && seen.insert(id.clone())
            });
        }
        steps.retain(|step| !step.workers.is_empty());
        steps
    }

    /// Workers that no plan can do without are added to the step of their phase, or to a new one.
    fn completed(&mut self, mut steps: Vec<Step>) -> Vec<Step> {
        let missing = self.catalogue.by_rank().into_iter().filter(|worker| worker.always);
        for worker in missing {
            if steps.iter().any(|step| step.workers.contains(&worker.id)) {
                continue;
            }
            self.notes.push(format!("{} was added: no plan is complete without it", worker.id));
            match steps.iter_mut().find(|step| step.phase == worker.phase) {
                Some(step) => step.workers.push(worker.id.clone()),
                None => {
                    let place = self.catalogue.place(&worker.phase);
                    let before = steps.iter().position(|step| self.catalogue.place(&step.phase) > place).unwrap_or(steps.len());
                    steps.insert(before, Step::of(&worker.phase, &[worker]));
                }
            }
        }
        steps
    }

    /// Neighbours of the same phase become one step.
    fn merged(&mut self, steps: Vec<Step>) -> Vec<Step> {
        let mut merged: Vec<Step> = Vec::with_capacity(steps.len());
        for step in steps {
            match merged.last_mut().filter(|last| last.phase == step.phase) {
                Some(last) => {
                    self.notes.push(format!("two steps of {} were merged", step.phase));
                    last.workers.extend(step.workers);
                }
                None => merged.push(step),
            }
        }
        merged
    }

    /// Whatever can run at once does.
    fn at_once(&mut self, steps: Vec<Step>) -> Vec<Step> {
        let tighten = |step: Step| {
            let mut tight = Step::of(&step.phase, &self.members(&step));
            if !step.name.is_empty() {
                tight.name = step.name;
            }
            if tight.mode == Mode::Parallel && step.mode == Mode::Sequential {
                self.notes.push(format!("the workers of {} run at once", tight.phase));
            }
            tight
        };
        steps.into_iter().map(tighten).collect()
    }

    /// Spares optional workers, those of the last rank first, until it fits or none can be spared.
    fn fit(&mut self, steps: &mut Vec<Step>, limit: Option<f64>, of: &str, measure: fn(&Self, &[Step]) -> f64) {
        let Some(limit) = limit else { return };
        loop {
            let now = measure(self, steps);
            if now <= limit + A_HAIR {
                return;
            }
            let Some(id) = self.last_spared(steps, |without| measure(self, without) < now) else { return };
            *steps = without(steps, &id);
            self.notes.push(format!("{id} was spared for {of}"));
        }
    }

    fn last_spared(&self, steps: &[Step], helps: impl Fn(&[Step]) -> bool) -> Option<String> {
        let several = steps.iter().filter(|step| step.workers.len() > 1).flat_map(|step| self.members(step));
        let optional = several.filter(|worker| worker.criticality == Criticality::Optional && !worker.always);
        let helping = optional.filter(|worker| helps(&without(steps, &worker.id)));
        helping.max_by_key(|worker| worker.rank).map(|worker| worker.id.clone())
    }

    fn described(&self, plan_id: &str, place: usize, step: &Step) -> Value {
        json!({
            "step_id": format!("{plan_id}.step_{}", place + 1),
            "name": step.name,
            "phase": step.phase,
            "workers": step.workers,
            "mode": step.mode,
            "depends_on": if place > 0 { vec![format!("{plan_id}.step_{place}")] } else { Vec::new() },
            "estimated_time": self.step_time(step),
            "estimated_cost": rounded(step.workers.iter().map(|id| self.worker_cost(id)).sum(), 2),
        })
    }

    /// One task per worker. A step waits for all of the step before; in a sequence each waits for the one before it.
    fn tasks(&self, plan_id: &str, steps: &[Step], instructions: &BTreeMap<String, String>) -> Vec<Value> {
        let task_id = |worker: &str| format!("{plan_id}.{worker}");
        let mut tasks = Vec::new();
        let mut before: Vec<String> = Vec::new();
        for (place, step) in steps.iter().enumerate() {
            let mut waits_for = before.clone();
            for worker in self.members(step) {
                let id = task_id(&worker.id);
                tasks.push(json!({
                    "id": id,
                    "agent": worker.id,
                    "title": if worker.title.is_empty() { &worker.id } else { &worker.title },
                    "phase": worker.phase,
                    "part": worker.part,
                    "step": place + 1,
                    "criticality": worker.criticality,
                    "priority": worker.priority,
                    "depends_on": waits_for,
                    "instructions": instructions.get(&worker.id),
                }));
                if step.mode == Mode::Sequential {
                    waits_for = vec![id];
                }
            }
            before = step.workers.iter().map(|worker| task_id(worker)).collect();
        }
        tasks
    }
}

fn without(steps: &[Step], id: &str) -> Vec<Step> {
    let mut steps = steps.to_vec();
    for step in &mut steps {
        step.workers.retain(|worker| worker != id);
        if step.workers.len() == 1 {
            step.mode = Mode::Sequential;
        }
    }
    steps
}
