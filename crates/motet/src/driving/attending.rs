//! What this process does about everything it is told: it shows, asks whoever sits here, and knows when there is nothing left to do.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use motet_agents::worktree;
use motet_core::event::Fact;
use motet_core::names::{GateId, RunId, TaskId};
use motet_core::state::{OpenGate, Outcome, Status};
use motet_core::view::{self, RunStatus};
use motet_host::engine::{Definitions, is_at_work};
use motet_host::{Handle, Store as _, wall_clock};

use super::children::{self, Children};
use super::consent::Consent;
use super::{Manner, Signal, write_files_again};
use crate::asking::Dialogue;
use crate::cli::cost::untold;
use crate::cli::{Context, Exit, Failure, MOTET, output};
use crate::home::Mirror;
use crate::performing::ProgressText;
use crate::progress::holdups::{Holdups, Notes};
use crate::progress::{Display, asked, words};

/// Often enough for a clock with seconds.
const TICK: Duration = Duration::from_secs(1);
/// Often enough for letters that stream.
const FRAME: Duration = Duration::from_millis(100);
const FOREVER: Duration = Duration::from_secs(3600);

pub struct Attending<'a> {
    pub(super) context: &'a Context,
    pub(super) mirror: Mirror,
    pub(super) display: Display,
    pub(super) handle: Handle,
    pub(super) manner: Manner,
    pub(super) signals: Sender<Signal>,
    pub(super) children: Children,
    pub(super) dialogue: Option<Box<Dialogue>>,
    pub(super) keyboard: bool,
    /// A case is played, and it has more to say: it is not the turn of whoever sits here.
    plays: bool,
    /// A case is played.
    beside_a_play: bool,
    /// How many of the first requests have not been answered.
    awaited: usize,
    /// Something has changed since it was drawn.
    dirty: bool,
    holdups: Holdups,
    notes: Notes,
    pub(super) ending: Option<Result<Exit, Failure>>,
    /// Gates that `--yes` could not answer, or whose answer was refused.
    pub(super) left_open: Vec<(RunId, GateId)>,
    /// What `--yes` has said so far.
    pub(super) consent: Consent,
    /// What has been told of files that could not be written.
    unwritten: BTreeSet<String>,
}

impl<'a> Attending<'a> {
    pub fn new(context: &'a Context, mirror: Mirror, display: Display, handle: Handle, manner: Manner, signals: Sender<Signal>) -> Self {
        let notes = Notes::beside(&context.home.run_directory(&mirror.run));
        Self {
            context,
            mirror,
            display,
            handle,
            manner,
            signals,
            children: Children::default(),
            dialogue: None,
            keyboard: false,
            plays: false,
            beside_a_play: false,
            awaited: 0,
            dirty: true,
            holdups: Holdups::default(),
            notes,
            ending: None,
            left_open: Vec::new(),
            consent: Consent::default(),
            unwritten: BTreeSet::new(),
        }
    }

    /// Nothing is asked or decided before so many requests have been answered: until then the run is not as it seems.
    pub fn awaiting(mut self, requests: usize) -> Self {
        self.awaited = requests;
        self
    }

    /// Nobody here is asked for what the case says itself.
    pub fn beside_a_play(mut self, plays: bool) -> Self {
        (self.plays, self.beside_a_play) = (plays, plays);
        self
    }

    /// How long nothing may happen before something should be drawn.
    pub fn patience(&self) -> Duration {
        match (&self.display, &self.dialogue) {
            (Display::Live(_), None) if self.dirty => FRAME,
            (Display::Live(_), None) => TICK,
            _ => FOREVER,
        }
    }

    pub fn on(&mut self, signal: Signal) {
        self.dirty = true;
        match signal {
            Signal::Events(events) => {
                self.plays = self.beside_a_play;
                self.on_events(&events);
            }
            Signal::NothingToPlay => self.plays = false,
            Signal::Crash => {
                self.display.say("the case lets the process die here");
                self.ending = Some(Ok(Exit::Interrupted));
            }
            Signal::Child { run, child } => {
                self.plays = self.beside_a_play;
                self.children.heard(run, child);
            }
            Signal::Progress { run, task, text } => self.on_progress(&run, &task, text),
            Signal::Accepted => self.awaited = self.awaited.saturating_sub(1),
            Signal::Refused(refusal) => self.ending = Some(Err((*refusal).into())),
            Signal::Unreadable { run, why } if run == self.mirror.run => self.ending = Some(Err(Failure::failed(why))),
            Signal::Unreadable { run, why } => self.display.say(&format!("run {run} cannot be read: {why}")),
            Signal::Say(text) => self.display.say(&text),
            Signal::Unwritten(problem) => self.on_unwritten(problem),
            Signal::Fenced => self.ending = Some(Err(motet_host::store::Error::Fenced.into())),
            Signal::Line(line) => self.on_line(line),
            Signal::Interrupted => self.ending = Some(Ok(Exit::Interrupted)),
            Signal::Over(Some(error)) => self.ending = self.ending.take().or_else(|| Some(Err(error.into()))),
            Signal::Over(None) => self.ending = self.ending.take().or(Some(Ok(Exit::Interrupted))),
        }
    }

    pub fn say(&mut self, text: &str) {
        self.display.say(text);
    }

    /// A provider that takes no calls is told even where nothing else of a task's progress is, and to whoever asks how the run stands.
    fn on_progress(&mut self, run: &RunId, task: &TaskId, text: ProgressText) {
        self.notes.hear(run, task, &text, wall_clock()());
        if let Some(line) = self.holdups.news(&text).filter(|_| !matches!(self.display, Display::Live(_))) {
            self.display.say(line);
        }
        if *run == self.mirror.run {
            self.display.progress(task, text);
        }
    }

    /// Draws, and says whether it is over.
    pub fn decide(&mut self) -> Option<Result<Exit, Failure>> {
        if let Some(ending) = self.ending.take() {
            return Some(ending);
        }
        if self.mirror.state.ended.is_some() {
            return Some(Ok(Exit::of(&self.mirror.state)));
        }
        if self.awaited > 0 {
            return None;
        }
        if self.plays {
            let drawn = self.display.draw(&self.mirror);
            self.dirty = self.dirty && !drawn;
            return None;
        }
        if self.converse() {
            // What the answer led to is on its way.
            return None;
        }
        if self.dialogue.is_none() {
            let drawn = self.display.draw(&self.mirror);
            self.dirty = self.dirty && !drawn;
            if !self.manner.hold && self.only_waits() {
                let paused = matches!(self.mirror.state.status, Status::Paused { .. });
                return Some(Ok(if paused { Exit::of(&self.mirror.state) } else { Exit::Waiting }));
            }
        }
        None
    }

    /// What is shown at the very end, once nothing is driven any more.
    pub fn leave(mut self, received: &Receiver<Signal>, exit: Result<Exit, Failure>) -> Result<Exit, Failure> {
        // What the driver's last turn brought belongs to the story.
        while let Ok(signal) = received.try_recv() {
            match signal {
                Signal::Events(events) => self.on_events(&events),
                Signal::Unwritten(problem) => self.on_unwritten(problem),
                _ => {}
            }
        }
        if self.dialogue.is_some() {
            output::line("");
            self.display.go_on();
        }
        let exit = exit?;
        let exit = if self.mirror.state.ended.is_some() { Exit::of(&self.mirror.state) } else { exit };
        self.tidy_worktrees();
        let untold = untold::of_named(self.context, &self.mirror.run);
        self.display.end(&self.mirror, &self.context.home, exit, untold);
        if exit == Exit::Waiting && !self.context.json {
            self.tell_of_children();
        }
        match self.still_unwritten() {
            Some(problem) => Err(problem.help(format!("make room for it, then `{MOTET} resume {}` writes the files", self.mirror.run))),
            None => Ok(exit),
        }
    }

    /// What people can do for the runs below, since ours waits for those.
    fn tell_of_children(&self) {
        for (run, gate) in self.children.gates() {
            let open = self.children.gates().filter(|(other, _)| *other == run).count();
            asked(gate, run, open, &self.context.home).iter().for_each(|line| output::line(format!("  {line}")));
        }
        if !matches!(self.mirror.state.status, Status::Paused { .. }) {
            self.children.paused().flatten().for_each(|line| output::line(format!("  {line}")));
        }
    }

    /// Every turn tries again, and what hinders it is told once.
    fn on_unwritten(&mut self, problem: String) {
        if self.unwritten.insert(problem.clone()) {
            self.display.say(&problem);
        }
    }

    /// A run that is over is written once more from its journal, with every line that was lost. What fails then is not there, so whoever
    /// started the run does not have what it says they have.
    fn still_unwritten(&self) -> Option<Failure> {
        if self.unwritten.is_empty() || self.mirror.state.ended.is_none() {
            return None;
        }
        let write = || -> Result<(), Failure> {
            let Some(store) = self.context.home.open()? else { return Ok(()) };
            let Some(record) = store.run(&self.mirror.run)? else { return Ok(()) };
            write_files_again(self.context, &store, &record, &Definitions::new(self.context.library()))
        };
        write().err()
    }

    /// Trees whose work has arrived are of no more use. Work that has not is somebody's, who must know where it is.
    fn tidy_worktrees(&mut self) {
        let ended = self.mirror.state.ended.as_ref().map(|_| &self.mirror.run);
        let runs: Vec<RunId> = ended.into_iter().chain(self.children.ended()).cloned().collect();
        let has_failed = self.mirror.state.ended.as_ref().is_some_and(|ended| ended.outcome != Outcome::Completed);
        for run in runs.iter().filter(|run| has_failed && self.context.home.run_directory(run).join(worktree::DIRECTORY).is_dir()) {
            let commits = worktree::arrived(&self.context.home.project, run.as_str());
            if commits > 0 {
                let commits = words::count(commits, "commit");
                self.display.say(&format!("the project has {commits} of this run: `git log --grep 'of run {run}'` shows what to keep"));
            }
        }
        let kept: Vec<_> = runs.iter().flat_map(|run| worktree::tidy(&self.context.home.run_directory(run))).collect();
        for kept in kept {
            let branch = kept.branch.map_or_else(|| "on no branch".to_string(), |branch| format!("branch {branch}"));
            self.display.say(&format!("work that is not in the project is kept in {} ({branch})", kept.path.display()));
        }
    }

    fn on_events(&mut self, events: &[motet_core::Event]) {
        for event in events {
            if event.seq <= self.mirror.state.seq {
                continue;
            }
            if !self.mirror.apply(event) {
                self.reload();
                return;
            }
            if let Fact::TaskSucceeded { task, .. } = &event.fact {
                self.notes.got_through(&self.mirror.run, task);
            }
            self.display.advanced(&self.mirror, event);
        }
    }

    /// Something was missed. The journal has everything.
    fn reload(&mut self) {
        let definitions = Definitions::new(self.context.library());
        let loaded = self.context.home.open().and_then(|store| match store {
            Some(store) => match store.run(&self.mirror.run)? {
                Some(record) => Ok(Some(Mirror::load(&store, &record, &definitions)?)),
                None => Ok(None),
            },
            None => Ok(None),
        });
        match loaded {
            Ok(Some(mirror)) => self.mirror = mirror,
            Ok(None) => self.ending = Some(Err(Failure::failed(format!("run {} is gone from the database", self.mirror.run)))),
            Err(failure) => self.ending = Some(Err(failure)),
        }
    }

    /// Only people can bring the run on, or the runs that it waits for.
    fn only_waits(&self) -> bool {
        let state = &self.mirror.state;
        let below = children::below(&self.mirror.run, state);
        let rests = !is_at_work(state) && self.children.all_wait(&below);
        match view::status(state) {
            RunStatus::WaitingUser => true,
            RunStatus::Paused | RunStatus::OutOfBudget => rests,
            RunStatus::Running => rests && !below.is_empty(),
            _ => false,
        }
    }

    /// Of our run and of those that perform its tasks.
    pub(super) fn open_gates(&self) -> Vec<(RunId, OpenGate)> {
        let ours = self.mirror.state.gates.values().map(|gate| (self.mirror.run.clone(), gate.clone()));
        let theirs = self.children.gates().map(|(run, gate)| (run.clone(), gate.clone()));
        ours.chain(theirs).collect()
    }
}
