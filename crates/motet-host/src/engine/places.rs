//! Who may be at work at once, and who waits: a queue per role, fair between runs.
//! Child runs take no place: their own tasks do.

use std::collections::{BTreeMap, VecDeque};

use motet_core::names::{RunId, TaskId};
use motet_core::{Call, CallWork};

/// How many calls may be performed at once.
#[derive(Clone, Debug)]
pub struct Places {
    pub total: usize,
    pub per_role: BTreeMap<String, usize>,
    /// For each role that somebody plays and that is not named above.
    pub per_other_role: Option<usize>,
}

impl Default for Places {
    fn default() -> Self {
        Self { total: 64, per_role: BTreeMap::new(), per_other_role: None }
    }
}

/// Calls at work and calls waiting.
#[derive(Default)]
pub struct Queue {
    places: Places,
    lanes: BTreeMap<(String, IsPlayed), Lane>,
    /// With the attempt that waits.
    waiting: BTreeMap<(RunId, TaskId), u32>,
    working: BTreeMap<(RunId, TaskId, u32), String>,
    working_by_role: BTreeMap<String, usize>,
    next_ticket: u64,
}

/// Whether somebody plays a role, or only commands and functions go by its name.
type IsPlayed = bool;

/// The waiting calls of one role; runs take turns.
#[derive(Default)]
struct Lane {
    turns: VecDeque<RunId>,
    calls: BTreeMap<RunId, VecDeque<(u64, TaskId, u32)>>,
}

impl Queue {
    pub fn new(places: Places) -> Self {
        Self { places, ..Self::default() }
    }

    /// Lets a task wait for a place; twice is once.
    pub fn wait(&mut self, call: &Call) {
        match self.waiting.get(&(call.run.clone(), call.task.clone())) {
            Some(attempt) if *attempt == call.attempt => return,
            Some(_) => self.forget_waiting(&call.run, &call.task),
            None => {}
        }
        self.waiting.insert((call.run.clone(), call.task.clone()), call.attempt);
        let is_played = matches!(call.work, CallWork::Prompt | CallWork::AnswerQuestion);
        let lane = self.lanes.entry((call.role.clone(), is_played)).or_default();
        let calls = lane.calls.entry(call.run.clone()).or_default();
        if calls.is_empty() {
            lane.turns.push_back(call.run.clone());
        }
        calls.push_back((self.next_ticket, call.task.clone(), call.attempt));
        self.next_ticket += 1;
    }

    /// The next task that a place is free for. It waits no more; it takes the place when it is at work.
    pub fn next(&mut self) -> Option<(RunId, TaskId, u32)> {
        if self.working.len() >= self.places.total {
            return None;
        }
        let open = self.lanes.iter().filter(|((role, is_played), _)| self.has_place(role, *is_played));
        let (_, name) = open.filter_map(|(name, lane)| Some((lane.first_ticket()?, name.clone()))).min()?;
        let lane = self.lanes.get_mut(&name)?;
        let run = lane.turns.pop_front()?;
        let calls = lane.calls.get_mut(&run)?;
        let (_, task, attempt) = calls.pop_front()?;
        if calls.is_empty() {
            lane.calls.remove(&run);
        } else {
            lane.turns.push_back(run.clone());
        }
        if lane.turns.is_empty() {
            self.lanes.remove(&name);
        }
        self.waiting.remove(&(run.clone(), task.clone()));
        Some((run, task, attempt))
    }

    pub fn begin(&mut self, call: &Call) {
        let before = self.working.insert((call.run.clone(), call.task.clone(), call.attempt), call.role.clone());
        if before.is_none() {
            *self.working_by_role.entry(call.role.clone()).or_default() += 1;
        }
    }

    /// Frees the place of an attempt; false if it had none.
    pub fn end(&mut self, run: &RunId, task: &TaskId, attempt: u32) -> bool {
        let Some(role) = self.working.remove(&(run.clone(), task.clone(), attempt)) else { return false };
        if let Some(count) = self.working_by_role.get_mut(&role) {
            *count = count.saturating_sub(1);
        }
        true
    }

    pub fn at_work(&self) -> impl Iterator<Item = &(RunId, TaskId, u32)> {
        self.working.keys()
    }

    pub fn is_at_work(&self, run: &RunId, task: &TaskId, attempt: u32) -> bool {
        self.working.contains_key(&(run.clone(), task.clone(), attempt))
    }

    /// Whether any task of this run waits or is at work.
    pub fn holds(&self, run: &RunId) -> bool {
        let first = (run.clone(), TaskId::new(""));
        let waits = self.waiting.range(first.clone()..).next().is_some_and(|((waiting, _), _)| waiting == run);
        waits || self.working.range((first.0, first.1, 0)..).next().is_some_and(|((working, ..), _)| working == run)
    }

    /// Takes a task out of the queue, wherever it stands.
    pub fn forget_waiting(&mut self, run: &RunId, task: &TaskId) {
        if self.waiting.remove(&(run.clone(), task.clone())).is_none() {
            return;
        }
        for lane in self.lanes.values_mut() {
            if let Some(calls) = lane.calls.get_mut(run) {
                calls.retain(|(_, waiting, _)| waiting != task);
                if calls.is_empty() {
                    lane.calls.remove(run);
                    lane.turns.retain(|waiting| waiting != run);
                }
            }
        }
        self.lanes.retain(|_, lane| !lane.turns.is_empty());
    }

    /// Takes everything of a run out, and says which attempts were at work.
    pub fn forget_run(&mut self, run: &RunId) -> Vec<(TaskId, u32)> {
        let waiting: Vec<TaskId> = self.waiting.keys().filter(|(of, _)| of == run).map(|(_, task)| task.clone()).collect();
        waiting.iter().for_each(|task| self.forget_waiting(run, task));
        let working: Vec<(TaskId, u32)> =
            self.working.keys().filter(|(of, ..)| of == run).map(|(_, task, attempt)| (task.clone(), *attempt)).collect();
        for (task, attempt) in &working {
            self.end(run, task, *attempt);
        }
        working
    }

    fn has_place(&self, role: &str, is_played: IsPlayed) -> bool {
        let taken = self.working_by_role.get(role).copied().unwrap_or(0);
        let most = self.places.per_role.get(role).copied().or(self.places.per_other_role.filter(|_| is_played));
        most.is_none_or(|most| taken < most)
    }
}

impl Lane {
    fn first_ticket(&self) -> Option<u64> {
        let run = self.turns.front()?;
        self.calls.get(run)?.front().map(|(ticket, ..)| *ticket)
    }
}

#[cfg(test)]
mod tests;
