//! The engine: owns the runs of this process, applies what comes in by `step`, commits, and only then says what to do.
//! It performs nothing, reads no clock and starts no thread: everything comes in through `turn` and goes out as actions.

mod applying;
mod children;
mod committing;
mod definitions;
mod delays;
mod farewell;
mod following;
mod forking;
mod giving_up;
mod messages;
mod places;
mod recovery;
mod run;
mod timers;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

pub use children::{child_id, is_at_work, running_children};
pub use definitions::{Definitions, Workflows};
pub use delays::Overdue;
pub use messages::{Action, Advanced, Command, Input, Outcome, Refusal, Token};
pub use places::Places;

use motet_core::event::LastWords;
use motet_core::names::{RunId, TaskId};
use motet_core::units::Time;
use motet_core::{Definition, State};
use serde_json::Value;

use crate::journal;
use crate::store::Store;
use committing::Stalled;
use following::{FollowUps, WAIT_MS};
use places::Queue;
use recovery::Parked;
use run::Run;
use timers::Timers;

pub struct Settings {
    pub places: Places,
    /// How many runs stay in memory though they only wait.
    pub most_resting: usize,
    /// Whether the lines of files that only grow are worked out.
    pub files: bool,
    /// Whether runs are given a seed, so that those who wait do not all wait equally long.
    pub chance: bool,
    /// What an attempt had put on record whose process ended without a word.
    pub recall: Recall,
}

pub type Recall = Arc<dyn Fn(&RunId, &TaskId, u32) -> Vec<Value> + Send + Sync>;

impl Default for Settings {
    fn default() -> Self {
        Self { places: Places::default(), most_resting: 1000, files: true, chance: true, recall: Arc::new(|_, _, _| Vec::new()) }
    }
}

pub struct Engine<S> {
    store: S,
    definitions: Definitions,
    settings: Settings,
    /// Never goes back, whatever the clock does.
    now: Time,
    runs: BTreeMap<RunId, Run>,
    /// Runs of this engine that are not in memory.
    parked: BTreeMap<RunId, Parked>,
    /// Claimed runs that are still to come into memory.
    recovering: VecDeque<RunId>,
    /// Runs that may leave memory, those that have rested longest first.
    resting: BTreeMap<u64, RunId>,
    next_rest: u64,
    /// Ended in the last turn, and kept for whoever looks.
    ended: Vec<RunId>,
    queue: Queue,
    timers: Timers,
    /// Changed in this turn.
    touched: BTreeSet<RunId>,
    /// Runs that are about to be cancelled, in which nothing more is taken up.
    held_back: BTreeSet<RunId>,
    /// Runs of which something was not taken up for that.
    put_back: BTreeSet<RunId>,
    /// Of attempts that were stopped for a command of this turn, by run.
    last_words: BTreeMap<RunId, Vec<LastWords>>,
    follow_ups: FollowUps,
    /// To be done once this turn is durable.
    outbox: Vec<Action>,
    replies: Vec<Replied>,
    /// Durable: to be done now.
    released: Vec<Action>,
    /// Runs that cannot go on here, and why; they are given up with this turn.
    broken: BTreeMap<RunId, journal::Error>,
    stalled: Option<Stalled>,
    /// What came in while nothing could be written.
    backlog: Vec<Input>,
    closing: bool,
    fenced: bool,
    stats: Stats,
}

struct Replied {
    token: Token,
    result: Result<Vec<RunId>, Refusal>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub commits: u64,
    pub events: u64,
    /// Completions that came twice, or too late.
    pub dropped: u64,
}

impl<S: Store> Engine<S> {
    /// `store` must have been opened as a driver.
    pub fn new(store: S, definitions: Definitions, settings: Settings) -> Self {
        Self {
            store,
            definitions,
            queue: Queue::new(settings.places.clone()),
            settings,
            now: Time(0),
            runs: BTreeMap::new(),
            parked: BTreeMap::new(),
            recovering: VecDeque::new(),
            resting: BTreeMap::new(),
            next_rest: 0,
            ended: Vec::new(),
            timers: Timers::default(),
            touched: BTreeSet::new(),
            held_back: BTreeSet::new(),
            put_back: BTreeSet::new(),
            last_words: BTreeMap::new(),
            follow_ups: FollowUps::default(),
            outbox: Vec::new(),
            released: Vec::new(),
            replies: Vec::new(),
            broken: BTreeMap::new(),
            stalled: None,
            backlog: Vec::new(),
            closing: false,
            fenced: false,
            stats: Stats::default(),
        }
    }

    /// Takes in everything that waits, commits all that follows from it at once, and says what is to be done now.
    pub fn turn(&mut self, now: Time, inputs: Vec<Input>) -> Vec<Action> {
        self.now = self.now.max(now);
        if self.fenced {
            return refuse_all(inputs);
        }
        let was_stalled = self.stalled.is_some();
        if was_stalled && !self.try_again() {
            self.keep(inputs);
            return std::mem::take(&mut self.released);
        }
        // Whoever is told of what has just become durable looks at the runs after this turn, so those that ended are there until the next.
        if !was_stalled {
            self.evict();
        }
        self.follow_ups.retry();
        self.follow();
        self.recover_some();
        let backlog = std::mem::take(&mut self.backlog);
        for input in backlog.into_iter().chain(inputs) {
            self.take_in(input);
            self.follow();
        }
        self.interrupt_unclaimed();
        self.fire_timers();
        self.dispatch();
        self.give_up_broken();
        self.commit();
        std::mem::take(&mut self.released)
    }

    /// When `turn` must be called though nothing comes in.
    pub fn next_timer(&self) -> Option<Time> {
        match &self.stalled {
            Some(stalled) => Some(stalled.until),
            None => {
                let later = self.follow_ups.has_later().then(|| self.now.plus(WAIT_MS));
                let recovering = (!self.recovering.is_empty()).then_some(self.now);
                self.timers.next().into_iter().chain(later).chain(recovering).min()
            }
        }
    }

    /// A run in memory, as it is after the last turn.
    pub fn look(&self, run: &RunId) -> Option<(&Arc<Definition>, &State)> {
        self.runs.get(run).map(|run| (&run.definition, &run.state))
    }

    /// A run of this engine, brought back into memory if it has left it.
    pub fn fetch(&mut self, run: &RunId) -> Option<(&Arc<Definition>, &State)> {
        self.bring(run).ok()?;
        self.look(run)
    }

    pub fn holds(&self, run: &RunId) -> bool {
        self.runs.get(run).is_some_and(|run| !run.has_ended()) || self.parked.contains_key(run)
    }

    /// Every run of this engine that has not ended.
    pub fn open_runs(&self) -> Vec<RunId> {
        let resident = self.runs.iter().filter(|(_, run)| !run.has_ended()).map(|(id, _)| id);
        resident.chain(self.parked.keys()).cloned().collect()
    }

    /// Whether everything waits because nothing can be written.
    pub fn is_stalled(&self) -> bool {
        self.stalled.is_some()
    }

    pub fn stats(&self) -> Stats {
        self.stats
    }

    pub fn store(&self) -> &S {
        &self.store
    }

    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// No task is taken up any more; what runs may still finish.
    pub fn close(&mut self) {
        self.closing = true;
    }

    /// Gives up the lease, so that another process can go on at once.
    pub fn release(&mut self) -> Result<(), crate::store::Error> {
        self.store.release()
    }

    fn reply(&mut self, token: Token, result: Result<Vec<RunId>, Refusal>) {
        self.replies.push(Replied { token, result });
    }
}

fn refuse_all(inputs: Vec<Input>) -> Vec<Action> {
    inputs.iter().filter_map(Input::token).map(|token| Action::Reply { token, result: Err(Refusal::Fenced) }).collect()
}
