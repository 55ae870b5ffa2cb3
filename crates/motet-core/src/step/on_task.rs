//! What becomes of a task: started, done, failed, interrupted.
//! Retries, fallbacks and what follows a final failure are decided here.

use serde_json::{Value, json};

use crate::definition::{Agent, Class, OnFailure, Work};
use crate::effect::{CallWork, Effect};
use crate::event::{Failure, FailureKind, Usage};
use crate::names::{AgentName, Digest, TaskId};
use crate::rejected::Rejected;
use crate::state::{ErrorRecord, Leaving, Task, TaskStatus};
use crate::step::accept::accept;
use crate::step::enter::work_of;
use crate::step::machine::{Machine, call, chain, class_of, current_agent, retry_timer, timeout_of, timeout_timer};
use crate::units::show_duration;

impl Machine<'_> {
    pub fn on_task_started(&mut self, task: &TaskId, attempt: u32) -> Result<(), Rejected> {
        self.expect(task, attempt, &[TaskStatus::Queued])?;
        let timeout = timeout_of(self.definition, self.state, &self.state.tasks[task]);
        let now = self.now;
        let started = self.task(task);
        started.move_to(TaskStatus::Running);
        started.started_at = Some(now);
        started.heard = None;
        // A child run has limits of its own, and may wait for people for as long as they take.
        if !matches!(self.state.tasks[task].work, CallWork::Workflow { .. }) {
            self.set_timer(timeout_timer(task), now.plus(timeout));
        }
        let call = call(self.definition, self.state, &self.state.tasks[task]);
        self.effects.push(Effect::Perform(Box::new(call)));
        Ok(())
    }

    pub fn on_task_succeeded(&mut self, task: &TaskId, attempt: u32, result: &Value, usage: &Usage) -> Result<(), Rejected> {
        self.expect(task, attempt, &[TaskStatus::Running, TaskStatus::Reconciling])?;
        self.end_attempt(task);
        self.settle(task, usage);
        self.answered(task, result);
        self.go_on();
        Ok(())
    }

    pub fn on_task_failed(&mut self, task: &TaskId, attempt: u32, failure: &Failure, usage: &Usage) -> Result<(), Rejected> {
        let status = self.expect(task, attempt, &[TaskStatus::Running, TaskStatus::Reconciling])?.status;
        match (failure.kind, status) {
            (FailureKind::Interrupted, TaskStatus::Reconciling) => {
                self.settle_heard(task);
                self.doubt(task, &failure.message);
            }
            (FailureKind::Interrupted, _) => self.interrupt(task, Some(usage), &failure.message),
            _ => {
                self.end_attempt(task);
                self.settle(task, usage);
                self.attempt_failed(task, failure.clone());
            }
        }
        self.go_on();
        Ok(())
    }

    pub fn on_task_interrupted(&mut self, task: &TaskId, attempt: u32) -> Result<(), Rejected> {
        self.expect(task, attempt, &[TaskStatus::Running])?;
        self.skip_idle_time();
        self.interrupt(task, None, "the process ended while it ran");
        self.go_on();
        Ok(())
    }

    /// It was begun, and not ended. `heard`: what it said that it had taken, if it could still say so.
    fn interrupt(&mut self, task: &TaskId, heard: Option<&Usage>, why: &str) {
        self.end_attempt(task);
        match class_of(self.definition, &self.state.tasks[task]) {
            Class::Pure | Class::Idempotent => {
                match heard {
                    Some(usage) => self.settle(task, usage),
                    None => self.book_as_uncertain(task),
                }
                self.again(task);
            }
            Class::Reconcilable => {
                // Whoever knows what became of it knows what all of it took.
                let interrupted = self.task(task);
                interrupted.heard = heard.copied();
                interrupted.move_to(TaskStatus::Reconciling);
                let call = call(self.definition, self.state, &self.state.tasks[task]);
                self.effects.push(Effect::Reconcile(Box::new(call)));
            }
            Class::Unsafe => {
                if let Some(usage) = heard {
                    self.settle(task, usage);
                }
                self.doubt(task, why);
            }
        }
    }

    /// Nobody knows what became of the attempt, so what it said itself is all that is known of its cost.
    pub fn settle_heard(&mut self, task: &TaskId) {
        if let Some(usage) = self.task(task).heard.take() {
            self.settle(task, &usage);
        }
    }

    /// Nothing was done: because a restart came first, or because it waited for somebody who took no calls.
    pub fn on_task_found_undone(&mut self, task: &TaskId, attempt: u32) -> Result<(), Rejected> {
        self.expect(task, attempt, &[TaskStatus::Running, TaskStatus::Reconciling])?;
        self.end_attempt(task);
        self.settle_heard(task);
        self.release(task);
        self.again(task);
        self.go_on();
        Ok(())
    }

    /// The attempt ran longer than it may.
    pub fn on_task_timed_out(&mut self, task: &TaskId) {
        let found = &self.state.tasks[task];
        let (attempt, limit) = (found.attempt, timeout_of(self.definition, self.state, found));
        let (is_command, class) = (matches!(found.work, CallWork::Command { .. }), class_of(self.definition, found));
        self.effects.push(Effect::StopTask { task: task.clone(), attempt });
        let message = format!("no answer within {}", show_duration(limit));
        if is_command {
            self.settle(task, &Usage::default());
            let result = json!({ "passed": false, "timed_out": true, "exit_code": null, "stdout": "", "stderr": "", "summary": message, "duration_ms": limit });
            self.answered(task, &result);
        } else if class == Class::Unsafe {
            self.doubt(task, &message);
        } else {
            self.book_as_uncertain(task);
            self.attempt_failed(task, Failure { kind: FailureKind::Timeout, message });
        }
    }

    fn expect(&self, task: &TaskId, attempt: u32, in_status: &[TaskStatus]) -> Result<&Task, Rejected> {
        let found = self.attempt_of(task, attempt)?;
        if in_status.contains(&found.status) {
            Ok(found)
        } else {
            Err(Rejected::Illegal { what: format!("task {task}"), is: found.status.word().to_string() })
        }
    }

    pub fn go_on(&mut self) {
        let next = self.pump();
        self.go(next);
    }

    /// Something came back: take it, ask again, or count it as a failure.
    pub fn answered(&mut self, id: &TaskId, result: &Value) {
        let task = &self.state.tasks[id];
        let agent = current_agent(self.definition, task);
        match accept(self.definition, task, result) {
            Ok(value) => match self.reported_failure(id, &value) {
                Some(failure) => self.attempt_failed(id, failure),
                None => self.done(id, value),
            },
            Err(reason) => {
                let ask_again = agent.map_or(0, |agent| agent.if_unclear.ask_again);
                let fallback = agent.and_then(|agent| agent.if_unclear.then.clone());
                match fallback {
                    _ if task.asked_again < ask_again && class_of(self.definition, task) != Class::Unsafe => {
                        let task = self.task(id);
                        task.asked_again += 1;
                        task.correction = Some(reason);
                        task.forget_played();
                        self.again(id);
                    }
                    Some(outcome) => {
                        let raw = result.as_str().map_or_else(|| result.to_string(), String::from);
                        let verdict =
                            json!({ "outcome": outcome, "score": null, "feedback": raw, "findings": [], "evidence": [], "raw": raw });
                        self.done(id, with_score(verdict));
                    }
                    None => self.attempt_failed(id, Failure { kind: FailureKind::InvalidOutput, message: reason }),
                }
            }
        }
    }

    fn reported_failure(&self, id: &TaskId, value: &Value) -> Option<Failure> {
        let fails_when = current_agent(self.definition, &self.state.tasks[id])?.fails_when.as_ref()?;
        match self.evaluate(fails_when, &self.scope().result(value)) {
            Ok(Value::Bool(true)) => {
                let said = ["blocking_error", "error", "reason", "message"].iter().find_map(|field| value[*field].as_str());
                let message = said.map_or_else(|| format!("the result says so: {}", fails_when.source), String::from);
                Some(Failure { kind: FailureKind::Reported, message })
            }
            Ok(_) => None,
            Err(failure) => Some(failure),
        }
    }

    /// The same task once more, which does not count as another try.
    pub fn again(&mut self, id: &TaskId) {
        let task = self.task(id);
        task.tries = task.tries.saturating_sub(1);
        task.move_to(TaskStatus::Held);
    }

    pub fn attempt_failed(&mut self, id: &TaskId, failure: Failure) {
        let now = self.now;
        let task = &self.state.tasks[id];
        let may_repeat = class_of(self.definition, task) != Class::Unsafe;
        let has_agent = current_agent(self.definition, task).is_some();
        let chain = if has_agent { chain(self.definition, &task.agent) } else { Vec::new() };
        let current = chain.get(task.link as usize);
        let attempts = current.map_or(1, |agent| agent.retry.attempts);
        let wait = current
            .and_then(|agent| agent.retry.wait_ms.get(task.tries.saturating_sub(1) as usize).or(agent.retry.wait_ms.last()))
            .map_or(0, |wait| self.jittered(*wait, id, task.attempt));
        let again = may_repeat && failure.kind.is_transient() && task.tries < attempts && self.state.here.leaving.is_none();
        let stand_in = chain.get(task.link as usize + 1).filter(|_| may_repeat && self.state.here.leaving.is_none());
        let is_about_the_answer = matches!(failure.kind, FailureKind::InvalidOutput | FailureKind::Reported);
        let correction = is_about_the_answer.then(|| failure.message.clone());
        let task = self.task(id);
        task.errors.push(failure.clone());
        task.forget_played();
        task.asked_again = 0;
        task.correction = correction;
        if again && wait > 0 {
            task.move_to(TaskStatus::Waiting);
            self.set_timer(retry_timer(id), now.plus(wait));
        } else if again {
            task.move_to(TaskStatus::Held);
        } else if let Some(stand_in) = stand_in {
            task.link += 1;
            task.tries = 0;
            task.correction = None;
            if task.work != CallWork::AnswerQuestion {
                task.work = work_of(stand_in);
            }
            task.move_to(TaskStatus::Held);
            let (from, to) = (current.map_or("", |agent| agent.name.as_str()), stand_in.name.as_str());
            self.warn(format!("{from} failed ({}); {to} stands in for it", failure.message));
        } else {
            task.move_to(TaskStatus::Failed);
            let failure = told_with_its_cause(task, current, failure);
            self.gave_up(id, failure);
        }
    }

    /// A wait that is up to a tenth shorter or longer, so that those who failed together do not come back together. It depends on nothing but
    /// the run's seed, the task and the attempt, so a replay waits just as long.
    fn jittered(&self, wait_ms: u64, task: &TaskId, attempt: u32) -> u64 {
        const STEPS: u128 = 2000;
        let Some(seed) = self.state.run.as_ref().and_then(|run| run.seed) else { return wait_ms };
        let digest = Digest::of(format!("{seed} {task} {attempt}").as_bytes());
        let draw = digest.as_str().bytes().take(16).fold(0_u128, |sum, byte| sum * 31 + u128::from(byte)) % (STEPS + 1);
        let shortest = u128::from(wait_ms) * 9 / 10;
        u64::try_from(shortest + u128::from(wait_ms) * draw / (STEPS * 5)).unwrap_or(wait_ms)
    }

    /// No attempt is left, or none is allowed.
    pub fn gave_up(&mut self, id: &TaskId, failure: Failure) {
        let task = &self.state.tasks[id];
        if let Some(asking) = task.answering.clone() {
            return self.ask_next(&asking);
        }
        let record = self.error_record(task, failure);
        let each = task.item.is_some();
        if task.plan_task.is_some() {
            return self.plan_task_failed(id, record);
        }
        let policy = self.if_task_fails();
        match policy.map(|policy| &policy.critical) {
            Some(OnFailure::Skip | OnFailure::Block) if each => {
                let text = format!("{}: {}", record.task.as_ref().map_or("", |task| task.as_str()), record.failure.message);
                self.state.errors.push(record);
                self.warn(text);
            }
            Some(OnFailure::Go(_)) if each => self.leave_because_of(id, record, true),
            _ => {
                self.record_error(record);
                self.leave_in_trouble();
            }
        }
    }

    pub fn leave_because_of(&mut self, id: &TaskId, record: ErrorRecord, critical: bool) {
        self.record_error(record);
        let plan_task = self.state.tasks[id].plan_task.clone();
        if self.state.here.leaving.is_none() {
            self.state.here.leaving = Some(Leaving::TaskFailed { task: id.clone(), plan_task, critical });
        }
        self.drop_pending();
    }

    fn error_record(&self, task: &Task, failure: Failure) -> ErrorRecord {
        let agent = current_agent(self.definition, task).map_or_else(|| task.agent.clone(), |agent| agent.name.clone());
        ErrorRecord {
            at: self.now,
            state: self.state.here.state.clone(),
            agent: Some(AgentName::new(agent.as_str())),
            task: Some(task.id.clone()),
            failure,
            attempts: task.attempt,
            trace: self.trace(Some(task)),
        }
    }

    pub fn done(&mut self, id: &TaskId, value: Value) {
        let task = self.task(id);
        task.move_to(TaskStatus::Done);
        task.input = Value::Null;
        if let Some(asking) = task.answering.clone() {
            let answer = value.as_str().map_or_else(|| value.to_string(), String::from);
            let by = task.agent.to_string();
            return self.answer_question(&asking, answer, by);
        }
        let (item, plan_task) = (task.item.take(), task.plan_task.clone());
        match (&self.here().work, item, plan_task) {
            (Work::Plan(_), _, Some(plan_task)) => self.plan_task_done(&plan_task, id, value),
            (_, Some((number, item)), _) => {
                let mut member = match value {
                    Value::Object(fields) => fields,
                    other => [("value".to_string(), other)].into_iter().collect(),
                };
                member.insert("item".to_string(), item);
                self.state.here.items.insert(number, Value::Object(member));
            }
            (_, None, _) => {
                self.state.here.items.insert(0, value);
            }
        }
    }
}

/// A stand-in that nobody could play says nothing of why it was needed.
fn told_with_its_cause(task: &Task, stand_in: Option<&&Agent>, failure: Failure) -> Failure {
    let before = task.errors.iter().rev().nth(1).filter(|_| task.link > 0 && failure.kind == FailureKind::Configuration);
    match before.zip(stand_in) {
        Some((cause, stand_in)) => {
            let message = format!("{}; {} could not stand in: {}", cause.message, stand_in.name, failure.message);
            Failure { kind: cause.kind, message }
        }
        None => failure,
    }
}

/// A verdict without a score counts one if approved, else zero.
pub(super) fn with_score(mut verdict: Value) -> Value {
    if verdict["score"].is_null() {
        let score = if verdict["outcome"] == "approved" { 1 } else { 0 };
        verdict["score"] = json!(score);
    }
    verdict
}
