//! Leaving a state: save, add, send, choose, count, go.

use serde_json::{Map, Value};

use crate::definition::{IfTaskFails, Metadata, OnFailure, Sends, Target, Transition, TroubleKind, Work};
use crate::event::Failure;
use crate::state::{Message, Note, Passage};
use crate::step::enter::invalid;
use crate::step::machine::{Entry, Machine};
use crate::step::scope::{RunScope, actor};

/// How a state is left.
enum Left<'r> {
    Done(&'r Value),
    Failed { result: &'r Value, task: &'r Value },
}

impl<'a> Machine<'a> {
    /// The state's work is over with this outcome and result.
    pub fn leave(&mut self, outcome: &str, result: Value) -> Option<Entry> {
        match self.choose(outcome, &result) {
            Ok((outcome, transition)) => Some(self.take(transition, Some(outcome), Left::Done(&result))),
            Err(failure) => self.broken(failure),
        }
    }

    fn choose(&mut self, outcome: &str, result: &Value) -> Result<(String, &'a Transition), Failure> {
        let state = self.here();
        self.keep_result(result);
        self.save(&state.save, &state.add, result, None)?;
        let scope = self.scope().result(result);
        let outcome = match &state.by {
            Some(by) => self.evaluate(by, &scope)?.as_str().unwrap_or("null").to_string(),
            None => outcome.to_string(),
        };
        for transition in state.next.of(&outcome) {
            let holds = match &transition.when {
                Some(when) => self.evaluate(when, &scope)? == Value::Bool(true),
                None => true,
            };
            if holds {
                return Ok((outcome, transition));
            }
        }
        Err(invalid(format!("state {} has no transition for `{outcome}`", state.name)))
    }

    fn keep_result(&mut self, result: &Value) {
        let state = &self.state.here.state;
        let results = self.state.results.entry(state.clone()).or_default();
        if !self.definition.keeps_all.contains(state) {
            results.clear();
        }
        results.push(result.clone());
    }

    /// Every line of `save` sees the old data; `add` sees the new.
    pub fn save(
        &mut self,
        save: &[(String, crate::expression::Formula)],
        add: &[(String, crate::expression::Formula)],
        result: &Value,
        task: Option<&Value>,
    ) -> Result<(), Failure> {
        let null = Value::Null;
        let mut values = Vec::with_capacity(save.len());
        for (name, formula) in save {
            values.push((name, self.evaluate_formula(formula, &self.scope().result(result).task(task.unwrap_or(&null)))?));
        }
        for (name, value) in values {
            self.state.data.insert(name.clone(), value);
        }
        for (name, formula) in add {
            let value = self.evaluate_formula(formula, &self.scope().result(result).task(task.unwrap_or(&null)))?;
            if value.is_null() {
                continue;
            }
            match self.state.data.entry(name.clone()).or_insert_with(|| Value::Array(Vec::new())) {
                Value::Array(list) => list.push(value),
                other => *other = Value::Array(vec![value]),
            }
        }
        Ok(())
    }

    /// Trouble of this kind, and nothing of the visit still runs.
    pub fn trouble(&mut self, kind: TroubleKind) -> Option<Entry> {
        let state = self.here();
        let Some(transition) = self.definition.trouble_of(state, kind) else {
            let message = self.state.error.as_ref().map_or_else(|| "the state failed".to_string(), |error| error.failure.message.clone());
            self.end_broken(invalid(format!("{} failed and the workflow does not say what then: {message}", state.name)));
            return None;
        };
        let because = match kind {
            TroubleKind::Error => self.state.error.as_ref().map_or_else(|| "error".to_string(), |error| error.failure.message.clone()),
            TroubleKind::Budget => "budget reached".to_string(),
            TroubleKind::Time => "time limit reached".to_string(),
        };
        if kind != TroubleKind::Error {
            self.state.fired.insert(kind);
            self.state.stopped = Some(kind);
        }
        self.state.because = Some(because);
        self.state.back = Some(state.name.clone());
        Some(self.take(transition, Some(kind.word().to_string()), Left::Failed { result: &Value::Null, task: &Value::Null }))
    }

    /// By the transition that `if_task_fails` names for a task that was given up.
    pub fn leave_by_failed_task(&mut self, plan_task: Option<&str>, critical: bool) -> Option<Entry> {
        let Some(transition) = self.if_task_fails().and_then(|policy| match if critical { &policy.critical } else { &policy.optional } {
            OnFailure::Go(transition) => Some(&**transition),
            _ => None,
        }) else {
            return self.trouble(TroubleKind::Error);
        };
        let message = self.state.error.as_ref().map(|error| error.failure.message.clone());
        self.state.because = message;
        self.state.back = Some(self.state.here.state.clone());
        let task = plan_task.map_or(Value::Null, |id| self.plan_task_value(id));
        let result = if matches!(self.here().work, Work::Plan(_)) { self.plan_result().1 } else { Value::Null };
        self.keep_result(&result);
        Some(self.take(transition, Some("task_failed".to_string()), Left::Failed { result: &result, task: &task }))
    }

    pub fn if_task_fails(&self) -> Option<&'a IfTaskFails> {
        match &self.here().work {
            Work::Plan(plan) => Some(&plan.if_task_fails),
            Work::Agent { if_task_fails, .. } => if_task_fails.as_ref(),
            _ => None,
        }
    }

    /// Counts, tells, resets, and names the state that comes next.
    fn take(&mut self, chosen: &'a Transition, outcome: Option<String>, left: Left<'_>) -> Entry {
        let null = Value::Null;
        let (result, task) = match left {
            Left::Done(result) => (result, &null),
            Left::Failed { result, task } => (result, task),
        };
        if matches!(left, Left::Failed { .. }) && matches!(self.here().work, Work::Agent { each: Some(_), .. }) {
            let items = std::mem::take(&mut self.state.here.items);
            self.state.unfinished.insert(self.state.here.state.clone(), items);
        }
        let transition = self.count(chosen);
        let returning = transition.to == Target::Back;
        let to = match &transition.to {
            Target::State(name) => name.clone(),
            Target::Back => self.state.back.clone().unwrap_or_else(|| unreachable!("{} goes back, but to nothing", transition.id)),
        };
        let text = |machine: &Self, text: &Option<_>| {
            let scope = machine.scope().result(result).task(task);
            text.as_ref().map(|text| machine.render(text, &scope))
        };
        let (because, warn, note) = (text(self, &transition.because), text(self, &transition.warn), text(self, &transition.note));
        if let Some(because) = because {
            self.state.because = Some(because);
        }
        // A message carries what the state did; a state that failed has nothing to say.
        if let (Left::Done(result), Some(sends)) = (&left, &self.here().sends) {
            self.send(sends, result, &to);
        }
        // A text that comes out empty says that there is nothing to warn of.
        if let Some(warn) = warn.filter(|warn| !warn.trim().is_empty()) {
            self.warn(warn.trim().to_string());
        }
        if let Some(text) = note {
            self.state.notes.push(Note { at: self.now, state: self.state.here.state.clone(), text });
        }
        self.state.partial |= transition.partial;
        if let Some(back) = &transition.back {
            self.state.back = Some(back.clone());
        }
        for counter in &transition.reset {
            let first = self.definition.counters.get(counter).map_or(0, |counter| counter.first);
            if let Some(counter) = self.state.counters.get_mut(counter) {
                counter.used = first;
            }
        }
        if returning {
            self.arm_limits();
        }
        let from = Some(self.state.here.state.clone());
        let because = self.state.because.clone();
        self.state.path.push(Passage {
            seq: self.state.seq + 1,
            at: self.now,
            from,
            to: to.clone(),
            outcome,
            via: transition.id.clone(),
            because,
        });
        Entry { to, returning }
    }

    /// The transition itself if its counter has room, else what `exceeded` names.
    fn count(&mut self, chosen: &'a Transition) -> &'a Transition {
        let mut transition = chosen;
        while let Some(name) = &transition.count {
            let Some(counter) = self.state.counters.get_mut(name) else { unreachable!("counter {name} is not declared") };
            match (&transition.exceeded, counter.max) {
                (Some(exceeded), Some(max)) if counter.used >= max => transition = exceeded,
                _ => {
                    counter.used += 1;
                    break;
                }
            }
        }
        transition
    }

    /// A return gives the run another chance: limits bind again, and time starts over where time had run out.
    fn arm_limits(&mut self) {
        if self.state.fired.remove(&TroubleKind::Time) {
            self.state.clock.used_ms = 0;
        }
        self.state.fired.clear();
        self.state.stopped = None;
    }

    fn send(&mut self, sends: &'a Sends, result: &Value, next: &crate::names::StateName) {
        let definition = self.definition;
        let scope = self.scope().result(result);
        let default_to =
            || definition.state(next.as_str()).map_or_else(|| "orchestrator".to_string(), |state| actor(definition, &state.work));
        let run = self.state.run.as_ref().map_or("", |run| run.id.as_str());
        let message = Message {
            id: format!("{run}-m{}", self.state.messages.len() + 1),
            at: self.now,
            from: actor(definition, &self.here().work),
            to: sends.to.as_deref().map_or_else(default_to, |to| if to == "person" { "user".to_string() } else { to.to_string() }),
            kind: sends.kind.clone(),
            priority: "normal".to_string(),
            subject: sends.subject.as_ref().map_or_else(|| self.here().name.to_string(), |subject| self.render(subject, &scope)),
            body: sends.body.as_ref().map_or_else(|| result.clone(), |body| Value::String(self.render(body, &scope))),
            metadata: sends.metadata.iter().map(|(name, value)| (name.clone(), self.metadata(value, &scope))).collect(),
        };
        self.state.messages.push(message);
    }

    fn metadata(&self, value: &Metadata, scope: &RunScope<'_>) -> Value {
        match value {
            Metadata::Text(text) => Value::String(self.render(text, scope)),
            Metadata::List(list) => list.iter().map(|item| self.metadata(item, scope)).collect(),
            Metadata::Map(map) => map.iter().map(|(name, value)| (name.clone(), self.metadata(value, scope))).collect::<Map<_, _>>().into(),
            Metadata::Plain(value) => value.clone(),
        }
    }
}
