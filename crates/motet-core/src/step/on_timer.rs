//! Time has passed: a wait is over, an attempt took too long, a deadline came, or the run's own limit did.

use crate::definition::TroubleKind;
use crate::names::{GateId, TaskId, TimerId};
use crate::rejected::Rejected;
use crate::state::TaskStatus;
use crate::step::machine::Machine;

impl Machine<'_> {
    pub fn on_timer_fired(&mut self, timer: &TimerId) -> Result<(), Rejected> {
        if !self.state.timers.contains_key(timer) {
            return Err(Rejected::Unknown(format!("timer {timer}")));
        }
        // A host may be a little early by its own clock; what was set is what holds.
        self.now = self.now.max(self.state.timers[timer]);
        self.state.timers.remove(timer);
        match timer.as_str().split_once(':') {
            Some(("retry", task)) => self.task(&TaskId::new(task)).move_to(TaskStatus::Held),
            Some(("timeout", task)) => self.on_task_timed_out(&TaskId::new(task)),
            Some(("deadline", gate)) => return self.on_deadline(&GateId::new(gate)),
            _ => self.on_time_limit(),
        }
        self.go_on();
        Ok(())
    }

    /// Binds at once if something was about to start; else when something would.
    fn on_time_limit(&mut self) {
        let pending = |status| matches!(status, TaskStatus::Held | TaskStatus::Queued | TaskStatus::Waiting | TaskStatus::Asking);
        let would_start = self.state.tasks.values().any(|task| pending(task.status) && !self.is_free(&task.id));
        if would_start && self.state.here.leaving.is_none() && !self.state.fired.contains(&TroubleKind::Time) {
            self.hit(TroubleKind::Time, "the time limit is reached".into());
        }
    }
}
