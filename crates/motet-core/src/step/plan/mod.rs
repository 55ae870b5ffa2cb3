//! Plans: a DAG of tasks held in data, run under dependencies, exclusive resources and a bound on how many at once.
//! Which tasks are ready is always computed, never believed from an agent.

mod order;
mod tasks;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::definition::{Class, OnFailure, Plan, StateDefinition, Work};
use crate::event::Failure;
use crate::names::TaskId;
use crate::state::{ErrorRecord, PlanRecord, PlanTask, PlanTaskStatus};
use crate::step::enter::invalid;
use crate::step::machine::{Machine, class_of};
use order::by_depth;
use tasks::{agent_of, all_tasks, blocked, chosen_tasks, dependencies, digest, id_of, is_chosen, is_met, merged, record_of, validate};
pub(crate) use tasks::{flaws, summary};

impl<'a> Machine<'a> {
    /// On entry: forget what this visit runs anew, and refuse a plan that cannot be run.
    pub fn open_plan(&mut self, state: &'a StateDefinition, plan: &'a Plan, returning: bool) -> Result<(), Failure> {
        let mut record = if plan.again && !returning { PlanRecord::default() } else { self.record().clone() };
        let tasks = all_tasks(self.definition, self.state, plan, &record);
        record.tasks.retain(|id, known| {
            let task = tasks.iter().find(|task| task["id"] == id.as_str());
            let unchanged = task.is_some_and(|task| digest(task) == known.digest);
            let failed = matches!(known.status, PlanTaskStatus::Failed | PlanTaskStatus::Skipped) && known.compensated_by.is_none();
            unchanged && known.status != PlanTaskStatus::Running && !(returning && failed)
        });
        // What was added in place of a task goes when that one is open again, or not in the plan any more.
        let added = std::mem::take(&mut record.added).into_iter();
        let (kept, gone): (Vec<Value>, Vec<Value>) = added.partition(|added| {
            let original = added["compensates"].as_str().and_then(|original| record.tasks.get(original));
            original.is_some_and(|original| original.compensated_by.as_deref() == Some(id_of(added)))
        });
        gone.iter().for_each(|added| drop(record.tasks.remove(id_of(added))));
        record.added = kept;
        let tasks = all_tasks(self.definition, self.state, plan, &record);
        validate(plan, &tasks).map_err(|problem| invalid(format!("the plan of {} cannot be run: {problem}", state.name)))?;
        self.state.plans.insert(state.name.clone(), record);
        if plan.one_wave {
            let wave = self.ready(&self.chosen(plan));
            let at_most = self.number(&plan.at_most, &self.scope())? as usize;
            self.state.here.taken = wave.into_iter().take(at_most).map(|task| id_of(&task).to_string()).collect();
        }
        Ok(())
    }

    /// The tasks this visit is about, `only` applied, in the order in which they are to run.
    fn chosen(&self, plan: &Plan) -> Vec<Value> {
        let chosen = chosen_tasks(self.definition, self.state, plan, self.record());
        if plan.by_depth { by_depth(chosen) } else { chosen }
    }

    /// Open tasks whose dependencies are met, in the order that was given.
    fn ready(&self, chosen: &[Value]) -> Vec<Value> {
        let record = self.record();
        let is_ready =
            |task: &&Value| !record.tasks.contains_key(id_of(task)) && dependencies(task).all(|dependency| is_met(record, dependency));
        chosen.iter().filter(is_ready).cloned().collect()
    }

    fn record(&self) -> &PlanRecord {
        record_of(self.state, self.state.here.state.as_str())
    }

    fn plan(&self) -> Option<&'a Plan> {
        match &self.here().work {
            Work::Plan(plan) => Some(plan),
            _ => None,
        }
    }

    /// Makes tasks of what is ready, as far as bounds and shared resources allow.
    pub fn take_on_plan_tasks(&mut self) -> Result<(), Failure> {
        let Some(plan) = self.plan() else { return Ok(()) };
        let scope = self.scope();
        let at_most = self.number(&plan.at_most, &scope)? as usize;
        let at_once =
            plan.max_parallel.as_ref().map(|most| self.number(most, &scope)).transpose()?.map_or(usize::MAX, |most| (most as usize).max(1));
        let open = self.state.tasks.values().filter(|task| !task.status.is_terminal());
        let busy: Vec<&str> = open.filter_map(|task| task.plan_task.as_deref()).collect();
        if busy.len() >= at_once {
            return Ok(());
        }
        let mut room = at_once - busy.len();
        let tasks = all_tasks(self.definition, self.state, plan, self.record());
        validate(plan, &tasks).map_err(|problem| invalid(format!("the plan cannot go on: {problem}")))?;
        let busy: BTreeSet<&str> = busy.into_iter().collect();
        let mut in_use = BTreeSet::new();
        for task in tasks.iter().filter(|task| busy.contains(id_of(task))) {
            in_use.extend(self.resources(plan, task)?);
        }
        for task in self.ready(&self.chosen(plan)) {
            let taken = &self.state.here.taken;
            let may_take = if plan.one_wave { taken.contains(id_of(&task)) } else { taken.len() < at_most };
            if room == 0 || !may_take {
                continue;
            }
            let wanted = self.resources(plan, &task)?;
            if in_use.is_disjoint(&wanted) {
                self.take_on(plan, &task)?;
                in_use.extend(wanted);
                room -= 1;
            }
        }
        Ok(())
    }

    /// What no other task may use while this one runs.
    fn resources(&self, plan: &Plan, task: &Value) -> Result<BTreeSet<String>, Failure> {
        let Some(exclusive) = &plan.exclusive else { return Ok(BTreeSet::new()) };
        Ok(match self.evaluate(exclusive, &self.scope().task(task))? {
            Value::Array(list) => list.iter().map(Value::to_string).collect(),
            Value::Null => BTreeSet::new(),
            one => [one.to_string()].into(),
        })
    }

    fn take_on(&mut self, plan: &Plan, task: &Value) -> Result<(), Failure> {
        let id = id_of(task).to_string();
        let agent = agent_of(plan, task);
        let input = self.evaluate_with(self.here(), &self.scope().task(task))?;
        let record = PlanTask {
            status: PlanTaskStatus::Running,
            digest: digest(task),
            result: Value::Null,
            error: None,
            attempts: 0,
            compensated_by: None,
        };
        self.state.plans.entry(self.state.here.state.clone()).or_default().tasks.insert(id.clone(), record);
        self.state.here.taken.insert(id.clone());
        let created = self.create(Some(&id), agent.clone(), self.work_of(&agent), input);
        self.task(&created).plan_task = Some(id);
        Ok(())
    }

    /// Whether a paused visit would take on more.
    pub fn plan_has_more(&self) -> bool {
        let Some(plan) = self.plan() else { return false };
        let taken = &self.state.here.taken;
        self.ready(&self.chosen(plan)).iter().any(|task| !plan.one_wave || taken.contains(id_of(task)))
    }

    /// The task as expressions see it: its own fields, and what the machine knows of it.
    pub fn plan_task_value(&self, id: &str) -> Value {
        let Some(plan) = self.plan() else { return Value::Null };
        let tasks = all_tasks(self.definition, self.state, plan, self.record());
        let task = tasks.iter().find(|task| id_of(task) == id).cloned().unwrap_or_else(|| json!({ "id": id }));
        let running = self.state.tasks.values().find(|task| task.plan_task.as_deref() == Some(id));
        let mut merged = merged(self.record(), &task, &blocked(self.record(), &tasks));
        if let Some(running) = running {
            merged["errors"] = running.errors.iter().map(|error| Value::String(error.message.clone())).collect();
            merged["attempts"] = json!(running.attempt);
            merged["error"] = running.errors.last().map_or(Value::Null, |error| json!({ "kind": error.kind, "message": error.message }));
        }
        merged
    }

    pub fn plan_task_done(&mut self, plan_task: &str, id: &TaskId, value: Value) {
        let attempts = self.state.tasks[id].attempt;
        if let Some(record) = self.known(plan_task) {
            record.status = PlanTaskStatus::Done;
            record.attempts = attempts;
            record.result = value.clone();
        }
        let Some(plan) = self.plan() else { return };
        let task = self.plan_task_value(plan_task);
        if let Err(failure) = self.save(&plan.after_each_save, &plan.after_each_add, &value, Some(&task)) {
            self.fail_visit(failure);
            return;
        }
        let warning = plan.after_each_warn.as_ref().map(|warn| self.render(warn, &self.scope().result(&value).task(&task)));
        if let Some(warning) = warning.filter(|warning| !warning.trim().is_empty()) {
            self.warn(warning.trim().to_string());
        }
    }

    fn known(&mut self, plan_task: &str) -> Option<&mut PlanTask> {
        self.state.plans.get_mut(&self.state.here.state)?.tasks.get_mut(plan_task)
    }

    /// An alternative, a compensation, then what the task's criticality says.
    pub fn plan_task_failed(&mut self, id: &TaskId, error: ErrorRecord) {
        let Some(plan) = self.plan() else { return };
        let policy = &plan.if_task_fails;
        let plan_task = self.state.tasks[id].plan_task.clone().unwrap_or_default();
        let task = self.plan_task_value(&plan_task);
        let going_on = self.state.here.leaving.is_none();
        let may_repeat = class_of(self.definition, &self.state.tasks[id]) != Class::Unsafe && !self.state.tasks[id].alternative;
        if let Some(alternative) = policy.alternative.as_ref().filter(|_| going_on && may_repeat) {
            self.state.errors.push(error);
            return self.try_alternative(id, alternative, &task);
        }
        let attempts = self.state.tasks[id].attempt;
        if let Some(record) = self.known(&plan_task) {
            record.status = PlanTaskStatus::Failed;
            record.attempts = attempts;
            record.error = Some(error.failure.clone());
        }
        let task = self.plan_task_value(&plan_task);
        let warning = policy.warn.as_ref().map(|warn| self.render(warn, &self.scope().task(&task)));
        if let Some(warning) = warning {
            self.warn(warning);
        }
        let is_compensation = task["compensates"].is_string();
        if let Some(compensate) = policy.compensate.as_ref().filter(|_| going_on && !is_compensation) {
            match self.compensation(&plan_task, compensate, &task) {
                Err(failure) => {
                    self.state.errors.push(error);
                    return self.fail_visit(failure);
                }
                Ok(instead) if is_chosen(self.definition, self.state, plan, &instead) => {
                    self.state.errors.push(error);
                    return self.add_in_place_of(&plan_task, instead);
                }
                // What the state is not about would never run, and so would compensate for nothing.
                Ok(instead) => {
                    self.warn(format!("{} is not what this state is about, so nothing compensates for {plan_task}", id_of(&instead)))
                }
            }
        }
        let critical = task["criticality"] != "optional";
        match if critical { &policy.critical } else { &policy.optional } {
            OnFailure::Skip => {
                self.state.errors.push(error);
                if let Some(record) = self.known(&plan_task) {
                    record.status = PlanTaskStatus::Skipped;
                }
            }
            OnFailure::Block => self.state.errors.push(error),
            OnFailure::Go(_) => self.leave_because_of(id, error, critical),
            OnFailure::Trouble => {
                self.record_error(error);
                self.leave_in_trouble();
            }
        }
    }

    fn try_alternative(&mut self, id: &TaskId, alternative: &[(String, crate::expression::Formula)], task: &Value) {
        let mut added = Map::new();
        for (name, formula) in alternative {
            match self.evaluate_formula(formula, &self.scope().task(task)) {
                Ok(value) => added.insert(name.clone(), value),
                Err(failure) => return self.fail_visit(failure),
            };
        }
        let previous = self.task(id);
        let (agent, plan_task, order, attempt) = (previous.agent.clone(), previous.plan_task.clone(), previous.order, previous.attempt);
        let (mut input, errors) = (previous.input.take(), std::mem::take(&mut previous.errors));
        if let Value::Object(fields) = &mut input {
            fields.extend(added);
        }
        let work = self.work_of(&agent);
        let mut again = crate::state::Task::new(id.clone(), order, agent, work, input, self.now);
        again.attempt = attempt;
        again.plan_task = plan_task;
        again.errors = errors;
        again.alternative = true;
        self.state.tasks.insert(id.clone(), again);
    }

    /// The task that would be added in place of a failed one.
    fn compensation(&self, plan_task: &str, compensate: &[(String, crate::expression::Formula)], task: &Value) -> Result<Value, Failure> {
        let mut new = Map::new();
        for (name, formula) in compensate {
            new.insert(name.clone(), self.evaluate_formula(formula, &self.scope().task(task))?);
        }
        new.insert("id".to_string(), Value::String(format!("{plan_task}-instead")));
        new.insert("compensates".to_string(), Value::String(plan_task.to_string()));
        for (name, value) in task.as_object().into_iter().flatten() {
            let is_own = ["status", "result", "error", "errors", "attempts"].contains(&name.as_str());
            if !is_own && !new.contains_key(name) {
                new.insert(name.clone(), value.clone());
            }
        }
        Ok(Value::Object(new))
    }

    fn add_in_place_of(&mut self, plan_task: &str, instead: Value) {
        let id = id_of(&instead).to_string();
        let record = self.state.plans.entry(self.state.here.state.clone()).or_default();
        record.added.push(instead);
        if let Some(known) = record.tasks.get_mut(plan_task) {
            known.compensated_by = Some(id);
        }
    }

    pub fn plan_result(&self) -> (&'static str, Value) {
        let Some(plan) = self.plan() else { return ("done", Value::Null) };
        let result = summary(self.definition, self.state, self.state.here.state.as_str());
        let settled = |task: &Value| task["status"] == "done" || task["status"] == "skipped" || task["status"] == "compensated";
        let taken = &self.state.here.taken;
        let about = |task: &&Value| !plan.one_wave || taken.contains(id_of(task));
        let complete = result["tasks"].as_array().is_none_or(|tasks| tasks.iter().filter(about).all(settled));
        (if complete { "done" } else { "incomplete" }, result)
    }
}
