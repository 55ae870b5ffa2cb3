//! What follows from a turn in other runs: a child ends and its parent goes on, a parent ends and its children do.
//! What the store does not let happen now is kept and happens with a later turn; a restart finds it again by itself.

use std::collections::VecDeque;

use motet_core::Call;
use motet_core::event::Fact;
use motet_core::names::RunId;

use super::Engine;
use super::children::Delivery;
use super::messages::Action;
use crate::journal;
use crate::store::Store;

/// How long what could not happen waits before it is tried again.
pub(super) const WAIT_MS: u64 = 1000;

#[derive(Clone)]
pub(super) enum FollowUp {
    Apply(RunId, Fact),
    StartChild(Box<Call>),
    /// A child's end goes to its parent.
    Deliver(Delivery),
    /// A run of this engine comes into memory.
    Bring(RunId),
    /// The child runs of a parent are found again.
    Attach(RunId),
    /// A child goes on only for its parent's sake.
    EndOrphan(RunId),
}

#[derive(Default)]
pub(super) struct FollowUps {
    now: VecDeque<FollowUp>,
    later: Vec<FollowUp>,
}

impl FollowUps {
    pub fn push(&mut self, follow_up: FollowUp) {
        self.now.push_back(follow_up);
    }

    pub fn apply(&mut self, run: &RunId, fact: Fact) {
        self.push(FollowUp::Apply(run.clone(), fact));
    }

    pub fn has_later(&self) -> bool {
        !self.later.is_empty()
    }

    /// With a new turn, what was put off is tried again.
    pub fn retry(&mut self) {
        self.now.extend(self.later.drain(..));
    }
}

impl<S: Store> Engine<S> {
    /// Lets everything happen that follows from what has happened.
    pub(super) fn follow(&mut self) {
        while let Some(follow_up) = self.follow_ups.now.pop_front() {
            match self.try_follow(follow_up.clone()) {
                Ok(()) => {}
                Err(error) if error.may_pass() => self.follow_ups.later.push(follow_up),
                Err(error) => {
                    if let Some(run) = follow_up.run() {
                        self.outbox.push(Action::Unreadable { run, error });
                    }
                }
            }
        }
    }

    fn try_follow(&mut self, follow_up: FollowUp) -> Result<(), journal::Error> {
        match follow_up {
            FollowUp::Apply(run, fact) => {
                // A run that has ended or gone needs nothing more.
                if !self.runs.contains_key(&run) && !self.parked.contains_key(&run) {
                    return Ok(());
                }
                self.bring(&run)?;
                if matches!(fact, Fact::Paused { .. } | Fact::Resumed { .. }) {
                    for child in self.children_of(&run) {
                        self.follow_ups.apply(&child, fact.clone());
                    }
                }
                if self.apply(&run, fact).is_err() {
                    self.stats.dropped += 1;
                }
            }
            FollowUp::StartChild(call) => self.start_child(&call)?,
            FollowUp::Deliver(delivery) => self.deliver(delivery)?,
            FollowUp::Bring(run) => self.bring(&run)?,
            FollowUp::EndOrphan(run) => self.end_orphan(&run)?,
            FollowUp::Attach(parent) => self.attach_children(&parent)?,
        }
        Ok(())
    }
}

impl FollowUp {
    fn run(&self) -> Option<RunId> {
        match self {
            FollowUp::Apply(run, _) | FollowUp::Bring(run) | FollowUp::Attach(run) | FollowUp::EndOrphan(run) => Some(run.clone()),
            FollowUp::Deliver(delivery) => Some(delivery.parent.run.clone()),
            FollowUp::StartChild(_) => None,
        }
    }
}
