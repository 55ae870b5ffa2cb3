//! The work of a visit: starting what may start, and noticing when all of it is over.
//! Limits bind here, at the moment something new would start.

use serde_json::Value;

use crate::definition::{TroubleKind, Work};
use crate::effect::{CallWork, Effect};
use crate::event::{Failure, FailureKind};
use crate::names::TaskId;
use crate::state::{GateKind, Leaving, PlanTaskStatus, Status, TaskStatus};
use crate::step::machine::{Entry, Machine, current_agent, retry_timer, timeout_timer};
use crate::units::Usd;

impl Machine<'_> {
    /// Starts what may start; leaves the state if its work is over.
    pub fn pump(&mut self) -> Option<Entry> {
        if self.state.status == Status::Ended || matches!(self.here().work, Work::Gate(_) | Work::Final { .. } | Work::Decide) {
            return None;
        }
        if !self.is_paused() && self.state.here.leaving.is_none() {
            if let Err(failure) = self.take_on_plan_tasks() {
                self.fail_visit(failure);
            } else {
                self.queue_held();
            }
        }
        if self.state.here.leaving.is_some() {
            self.drop_pending();
        }
        if self.state.tasks.values().any(|task| task.status.is_active()) {
            return None;
        }
        match self.state.here.leaving.clone() {
            Some(Leaving::Trouble { kind }) => self.trouble(kind),
            Some(Leaving::TaskFailed { plan_task, critical, .. }) => self.leave_by_failed_task(plan_task.as_deref(), critical),
            None if self.is_paused() && self.has_work_left() => None,
            None => self.conclude(),
        }
    }

    fn has_work_left(&self) -> bool {
        self.state.tasks.values().any(|task| task.status == TaskStatus::Held) || self.plan_has_more()
    }

    fn queue_held(&mut self) {
        for id in self.in_order(|status| status == TaskStatus::Held) {
            if self.is_out_of_time() && !self.state.fired.contains(&TroubleKind::Time) && !self.is_free(&id) {
                return self.hit(TroubleKind::Time, "the time limit is reached".into());
            }
            if let Err(shortage) = self.reserve(&id) {
                let may_free_money = self.state.tasks.values().any(|task| task.status.is_active() && task.reserved > Usd::ZERO);
                if !may_free_money {
                    self.hit(TroubleKind::Budget, self.told(shortage));
                }
                return;
            }
            let task = self.task(&id);
            task.move_to(TaskStatus::Queued);
            task.attempt += 1;
            task.tries += 1;
            self.start(&id);
        }
    }

    /// A `call` neither costs nor takes time worth limiting, so that a run can always wrap up.
    pub fn is_free(&self, id: &TaskId) -> bool {
        let task = &self.state.tasks[id];
        matches!(task.work, CallWork::Builtin { .. }) && current_agent(self.definition, task).is_none()
    }

    pub fn in_order(&self, wanted: impl Fn(TaskStatus) -> bool) -> Vec<TaskId> {
        let mut found: Vec<_> = self.state.tasks.values().filter(|task| wanted(task.status)).collect();
        found.sort_by_key(|task| task.order);
        found.into_iter().map(|task| task.id.clone()).collect()
    }

    /// A limit of the run is reached: nothing new starts. What the workflow does not answer, a person must.
    pub fn hit(&mut self, kind: TroubleKind, reason: String) {
        if self.state.fired.contains(&kind) {
            return self.fail_visit(Failure {
                kind: FailureKind::Budget,
                message: "there is no money left, and the workflow has stopped for that before".into(),
            });
        }
        if self.definition.trouble_of(self.here(), kind).is_some() {
            self.state.here.leaving = Some(Leaving::Trouble { kind });
            self.drop_pending();
            return;
        }
        self.park(reason, Some(kind));
    }

    /// Nothing new starts until someone says so; what runs goes on.
    pub fn park(&mut self, reason: String, limit: Option<TroubleKind>) {
        self.stop_clock();
        self.state.status = Status::Paused { reason, limit };
        for id in self.in_order(|status| status == TaskStatus::Queued) {
            self.unqueue(&id, TaskStatus::Held);
        }
    }

    fn unqueue(&mut self, id: &TaskId, to: TaskStatus) {
        self.release(id);
        let task = self.task(id);
        task.move_to(to);
        task.tries -= 1;
        let attempt = task.attempt;
        self.effects.push(Effect::StopTask { task: id.clone(), attempt });
    }

    /// The state's work as a whole has failed.
    pub fn fail_visit(&mut self, failure: Failure) {
        let record = self.error_of_visit(failure);
        self.record_error(record);
        self.leave_in_trouble();
    }

    /// What was decided first stays decided: a limit is not forgotten because something failed while the rest finished.
    pub fn leave_in_trouble(&mut self) {
        self.state.here.leaving.get_or_insert(Leaving::Trouble { kind: TroubleKind::Error });
        self.drop_pending();
    }

    /// Gives up what has not started; what runs, or may have run, is waited for.
    pub fn drop_pending(&mut self) {
        for id in self.in_order(|status| matches!(status, TaskStatus::Held | TaskStatus::Queued | TaskStatus::Waiting | TaskStatus::Asking))
        {
            self.clear_timer(&retry_timer(&id));
            self.close_gates_of(&id);
            match self.state.tasks[&id].status {
                TaskStatus::Queued => self.unqueue(&id, TaskStatus::Cancelled),
                _ => self.task(&id).move_to(TaskStatus::Cancelled),
            }
            self.reopen_in_plan(&id);
        }
    }

    /// A plan task that was given up is open again, not failed.
    fn reopen_in_plan(&mut self, id: &TaskId) {
        let Some(plan_task) = self.state.tasks[id].plan_task.clone() else { return };
        if let Some(record) = self.state.plans.get_mut(&self.state.here.state)
            && record.tasks.get(&plan_task).is_some_and(|task| task.status == PlanTaskStatus::Running)
        {
            record.tasks.remove(&plan_task);
        }
    }

    /// The run ends now: calls under way are stopped, and what those cost that nothing was heard of is not known.
    pub fn stop_everything(&mut self) {
        for id in self.in_order(|status| !status.is_terminal()) {
            let task = &self.state.tasks[&id];
            let (status, attempt) = (task.status, task.attempt);
            match status {
                TaskStatus::Running | TaskStatus::Reconciling | TaskStatus::Uncertain => {
                    self.settle_heard(&id);
                    self.book_as_uncertain(&id);
                }
                _ => self.release(&id),
            }
            if matches!(status, TaskStatus::Queued | TaskStatus::Running | TaskStatus::Reconciling) {
                self.effects.push(Effect::StopTask { task: id.clone(), attempt });
            }
            self.task(&id).move_to(TaskStatus::Cancelled);
        }
        for gate in self.state.gates.keys().cloned().collect::<Vec<_>>() {
            self.close_gate(&gate);
        }
        for timer in self.state.timers.keys().cloned().collect::<Vec<_>>() {
            self.clear_timer(&timer);
        }
    }

    pub fn close_gates_of(&mut self, task: &TaskId) {
        let of_task = |kind: &GateKind| match kind {
            GateKind::Question { task: asked } | GateKind::Permission { task: asked } | GateKind::Interrupted { task: asked } => {
                asked == task
            }
            GateKind::State => false,
        };
        let gates: Vec<_> = self.state.gates.values().filter(|gate| of_task(&gate.kind)).map(|gate| gate.id.clone()).collect();
        for gate in gates {
            self.close_gate(&gate);
        }
    }

    /// All work of the visit is over and nothing went wrong with the visit as a whole.
    fn conclude(&mut self) -> Option<Entry> {
        let state = self.here();
        match &state.work {
            Work::Agent { each: Some(_), .. } => {
                let results = std::mem::take(&mut self.state.here.items).into_values().collect();
                self.leave("done", Value::Array(results))
            }
            Work::Plan(_) => {
                let (outcome, result) = self.plan_result();
                self.leave(outcome, result)
            }
            Work::Command(_) => {
                let result = self.only_result();
                let outcome = if result["passed"] == Value::Bool(true) { "passed" } else { "failed" };
                self.leave(outcome, result)
            }
            Work::Agent { each: None, .. } => {
                let result = self.only_result();
                let outcome = result["outcome"]
                    .as_str()
                    .filter(|outcome| state.outcomes.iter().any(|known| known == outcome))
                    .unwrap_or("done")
                    .to_string();
                self.leave(&outcome, result)
            }
            Work::Call(_) => {
                let result = self.only_result();
                self.leave("done", result)
            }
            Work::Decide | Work::Gate(_) | Work::Final { .. } => unreachable!("{} has no tasks", state.name),
        }
    }

    fn only_result(&mut self) -> Value {
        self.state.here.items.remove(&0).unwrap_or(Value::Null)
    }

    /// The attempt is over one way or another: it can no longer time out.
    pub fn end_attempt(&mut self, id: &TaskId) {
        self.clear_timer(&timeout_timer(id));
    }
}
