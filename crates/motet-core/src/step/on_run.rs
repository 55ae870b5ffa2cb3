//! What happens to a run as a whole: it starts, is paused, resumed, cancelled, given more, forked, or has its data edited.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::definition::{Definition, FileRule, TroubleKind, Work};
use crate::edits;
use crate::event::{EVENT_VERSION, LastWords, Person, RunStarted};
use crate::expression::{Expression, Scope, Variables};
use crate::names::{RunId, TaskId};
use crate::rejected::Rejected;
use crate::state::{CounterState, Inherited, Outcome, Passage, RunInfo, Status, Task, TaskStatus};
use crate::step::machine::{Entry, Machine};
use crate::units::{Usd, parse_duration};

impl Definition {
    /// What the workflow itself says a run with this input may cost.
    pub fn declared_cost(&self, input: &Value) -> Option<Usd> {
        let value = self.limits.cost.as_ref()?.evaluate(&Scope::new(&InputScope(input)));
        Usd::from_dollars(value.as_f64()?)
    }
}

impl Machine<'_> {
    pub fn on_run_started(&mut self, started: &RunStarted) -> Result<(), Rejected> {
        self.admit_start(started)?;
        let counters = self.count_limits(&started.input)?;
        let limits = &self.definition.limits;
        let scope = InputScope(&started.input);
        let cost = self.definition.declared_cost(&started.input);
        let time = limits.time.as_ref().and_then(|formula| milliseconds(&formula.evaluate(&Scope::new(&scope))));
        let data: Map<String, Value> =
            self.definition.data.iter().map(|(name, first)| (name.clone(), first.evaluate(&Scope::new(&scope)))).collect();

        let state = &mut *self.state;
        state.run = Some(RunInfo {
            id: started.run.clone(),
            workflow: started.workflow.clone(),
            version: started.workflow_version.clone(),
            digest: started.digest.clone(),
            by: started.by.clone(),
            unattended: started.unattended,
            started_at: self.now,
            prices: started.prices.clone(),
            children: started.children.clone(),
            people: started.people.clone(),
            bindings: started.bindings.clone(),
            parent: started.parent.clone(),
            number: started.number,
            seed: started.seed,
            forked_from: None,
        });
        state.status = Status::Running;
        state.input = started.input.clone();
        state.data = data;
        state.counters = counters;
        state.money.cap = started.cost.or(cost);
        state.clock.limit_ms = started.time_ms.or(time);
        let to = self.definition.start.clone();
        state.path.push(Passage {
            seq: state.seq + 1,
            at: self.now,
            from: None,
            to: to.clone(),
            outcome: None,
            via: "start".into(),
            because: None,
        });
        self.go(Some(Entry { to, returning: false }));
        Ok(())
    }

    fn admit_start(&self, started: &RunStarted) -> Result<(), Rejected> {
        if started.version != EVENT_VERSION {
            return Err(Rejected::Incompatible(format!(
                "the run was written in version {} of the journal; this is version {EVENT_VERSION}",
                started.version
            )));
        }
        if started.digest != self.definition.digest {
            let (pinned, given) = (started.digest.short(), self.definition.digest.short());
            return Err(Rejected::Incompatible(format!("the run is pinned to {} {pinned}, not to {given}", started.workflow)));
        }
        let mut problems = self.definition.input.problems(&started.input);
        problems.extend(self.gates_without_enough_people(started));
        if problems.is_empty() { Ok(()) } else { Err(Rejected::InvalidInput(problems)) }
    }

    /// A gate that more people must pass than may would never open.
    fn gates_without_enough_people(&self, started: &RunStarted) -> Vec<String> {
        let gates = self.definition.states.iter().filter_map(|state| match &state.work {
            Work::Gate(gate) if !gate.who.is_empty() && !started.people.is_empty() => Some((&state.name, gate)),
            _ => None,
        });
        let short = gates.filter_map(|(name, gate)| {
            let people: BTreeSet<&String> = gate.who.iter().filter_map(|role| started.people.get(role)).flatten().collect();
            let is_left_out = |person: &String| {
                gate.except.iter().any(|except| except == person || (except == "requester" && *person == started.by.name))
            };
            let able = people.into_iter().filter(|person| !is_left_out(person)).count();
            let (wanted, who) = (gate.quorum.max(1) as usize, gate.who.join(", "));
            (able < wanted).then(|| format!("gate `{name}` wants {wanted} of {who}, and only {able} may answer it"))
        });
        short.collect()
    }

    fn count_limits(&self, input: &Value) -> Result<BTreeMap<crate::names::CounterName, CounterState>, Rejected> {
        let limit = |expression: &Expression| {
            let value = expression.evaluate(&Scope::new(&InputScope(input)));
            value
                .as_u64()
                .and_then(|max| u32::try_from(max).ok())
                .ok_or_else(|| Rejected::InvalidInput(vec![format!("`{}` is not a count", expression.source)]))
        };
        let counters = self.definition.counters.iter().map(|(name, counter)| {
            let max = counter.max.as_ref().map(limit).transpose()?;
            Ok((name.clone(), CounterState { used: counter.first, max }))
        });
        counters.collect()
    }

    /// The time in which nobody drove the run is not time it has worked. What people were given until when stays as it is.
    pub fn on_recovered(&mut self) {
        self.skip_idle_time();
    }

    pub fn on_paused(&mut self, _by: &Person, reason: &str) -> Result<(), Rejected> {
        if self.is_paused() {
            return Err(Rejected::Paused(true));
        }
        self.park(reason.to_string(), None);
        Ok(())
    }

    pub fn on_resumed(&mut self, _by: &Person) -> Result<(), Rejected> {
        if !self.is_paused() {
            return Err(Rejected::Paused(false));
        }
        self.state.status = Status::Running;
        let next = self.pump();
        self.go(next);
        Ok(())
    }

    pub fn on_cancelled(&mut self, by: &Person, reason: &str, last_words: &[LastWords]) -> Result<(), Rejected> {
        for LastWords { task, attempt, usage, exchanges: _ } in last_words {
            if self.state.tasks.get(task).is_some_and(|found| found.status == TaskStatus::Running && found.attempt == *attempt) {
                self.settle(task, usage);
            }
        }
        self.state.because = Some(if reason.is_empty() { format!("cancelled by {}", by.name) } else { reason.to_string() });
        if let Status::Paused { limit: Some(limit), .. } = self.state.status {
            self.state.stopped = Some(limit);
        }
        self.end(Outcome::Cancelled, Value::Null);
        Ok(())
    }

    /// A cap may be lowered too, but never below what is spent and reserved.
    pub fn on_limits_raised(&mut self, _by: &Person, cost: Option<Usd>, time_ms: Option<u64>) -> Result<(), Rejected> {
        let money = &self.state.money;
        let bound = money.spent + money.reserved + money.uncertain;
        if let Some(cost) = cost.filter(|cost| *cost < bound) {
            return Err(Rejected::Illegal {
                what: format!("a budget of {cost}"),
                is: format!("less than the {bound} already spent or reserved"),
            });
        }
        // A limit that somebody has moved binds again where it is now.
        if cost.is_some() {
            self.state.money.cap = cost;
            self.state.fired.remove(&TroubleKind::Budget);
        }
        if time_ms.is_some() {
            self.stop_clock();
            self.state.clock.limit_ms = time_ms;
            self.state.fired.remove(&TroubleKind::Time);
        }
        let next = self.pump();
        self.go(next);
        Ok(())
    }

    pub fn on_data_edited(&mut self, by: &Person, file: &str, changes: &BTreeMap<String, Value>) -> Result<(), Rejected> {
        let here = self.state.here.state.clone();
        let refused = |problems: Vec<String>| Rejected::Edit { at: here.to_string(), problems };
        for name in changes.keys() {
            if !self.state.data.contains_key(name) {
                return Err(refused(vec![format!("there is no data called {name}")]));
            }
            let is_target = |rule: &FileRule| {
                let mut edits = rule.edits.iter().filter(|edit| edit.at.contains(&here));
                edits.any(|edit| edit.data(rule) == Some(name))
            };
            if !self.definition.files.iter().any(is_target) {
                return Err(refused(vec![format!("{name} cannot be edited here")]));
            }
        }
        let flaws = edits::judge(self.definition, self.state, changes);
        if !flaws.is_empty() {
            return Err(refused(flaws.into_iter().map(|flaw| flaw.text).collect()));
        }
        for (name, value) in changes {
            self.state.data.insert(name.clone(), value.clone());
        }
        self.renew_state_gate();
        let names: Vec<_> = changes.keys().map(String::as_str).collect();
        let text = format!("{} edited {} in {file}", by.name, names.join(", "));
        self.state.notes.push(crate::state::Note { at: self.now, state: here, text });
        // A plan may have more to begin now.
        if matches!(self.here().work, Work::Plan(_)) {
            self.go_on();
        }
        Ok(())
    }

    pub fn on_forked(&mut self, from: &RunId, at_seq: u64, run: &RunId, set: &BTreeMap<String, Value>) -> Result<(), Rejected> {
        if let Some(unknown) = set.keys().find(|name| !self.state.data.contains_key(*name)) {
            return Err(Rejected::Unknown(format!("data called {unknown}")));
        }
        self.skip_idle_time();
        self.put_off_deadlines();
        if let Some(info) = &mut self.state.run {
            info.id = run.clone();
            info.forked_from = Some((from.clone(), at_seq));
        }
        // What is at work there is the other run's, which pays for it; here it is interrupted, and costs nothing before it begins again.
        let at_work = |task: &&Task| matches!(task.status, TaskStatus::Running | TaskStatus::Reconciling);
        let running: Vec<TaskId> = self.state.tasks.values().filter(at_work).map(|task| task.id.clone()).collect();
        running.iter().for_each(|task| self.release(task));
        let money = &mut self.state.money;
        money.inherited = Inherited { spent: money.spent + money.overrun, uncertain: money.uncertain, overrun: money.overrun };
        for (name, value) in set {
            self.state.data.insert(name.clone(), value.clone());
        }
        self.renew_state_gate();
        Ok(())
    }
}

/// Before there is a run, only its input can be seen.
struct InputScope<'a>(&'a Value);

impl Variables for InputScope<'_> {
    fn variable(&self, name: &str) -> Option<std::borrow::Cow<'_, Value>> {
        (name == "input").then_some(std::borrow::Cow::Borrowed(self.0))
    }
}

/// A number of seconds, or a written duration.
pub(crate) fn milliseconds(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => parse_duration(text),
        other => other.as_f64().filter(|seconds| *seconds >= 0.0).map(|seconds| (seconds * 1000.0) as u64),
    }
}
