//! The loop around the engine: one thread that waits for messages and moments, turns, and carries out what the engine says.
//! It never polls, and it performs nothing itself: calls go to whatever `Perform` the program gives it.

mod clock;
mod farewell;
mod handle;
mod notice;
mod performing;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use motet_core::Fact;
use motet_core::event::Usage;
use motet_core::units::Time;

pub use clock::{Clock, wall_clock};
pub use handle::{Handle, Request};
pub use notice::{Notice, Watcher};
pub use performing::{Done, HeldUp, Perform};

use crate::engine::{Action, Advanced, Command, Engine, Input, Outcome, Token};
use crate::files::Files;
use crate::store::{self, Store};
use farewell::{Attempt, Awaited, Farewells};
use handle::{Answer, Message};

/// The most messages that go into one turn, so that a flood does not keep finished work from being written.
const MOST_PER_TURN: usize = 4096;
/// How soon an attempt that is held up is looked at again.
const NEXT_LOOK_MS: u64 = 1000;

pub struct Driver<S> {
    engine: Engine<S>,
    perform: Box<dyn Perform>,
    clock: Box<dyn Clock>,
    files: Option<Files>,
    messages: Receiver<Message>,
    sender: Sender<Message>,
    answers: BTreeMap<Token, Answer>,
    watchers: Vec<Watcher>,
    farewells: Farewells,
    next_token: u64,
}

impl<S: Store + 'static> Driver<S> {
    /// `home`: where the files of runs are written; None: nowhere.
    pub fn new(engine: Engine<S>, perform: impl Perform + 'static, clock: impl Clock + 'static, home: Option<PathBuf>) -> Self {
        let (sender, messages) = channel();
        Self {
            engine,
            perform: Box::new(perform),
            clock: Box::new(clock),
            files: home.as_deref().map(Files::under),
            messages,
            sender,
            answers: BTreeMap::new(),
            watchers: Vec::new(),
            farewells: Farewells::default(),
            next_token: 0,
        }
    }

    /// The way to talk to the driver, from any thread.
    pub fn handle(&self) -> Handle {
        Handle::new(self.sender.clone())
    }

    /// Runs on a thread of its own until it is shut down or fenced.
    pub fn spawn(self) -> std::io::Result<JoinHandle<Result<(), store::Error>>> {
        std::thread::Builder::new().name("motet-driver".into()).spawn(move || self.run())
    }

    /// Runs until it is shut down or fenced. The lease is given up at the end, so that another process can go on at once.
    pub fn run(mut self) -> Result<(), store::Error> {
        loop {
            let batch = self.wait();
            let mut inputs = Vec::with_capacity(batch.len());
            for message in batch {
                self.take(message, &mut inputs);
            }
            let now = self.clock.now();
            let shut_down = self.farewells.have_ended(now);
            inputs.extend(self.farewells.ready(now));
            self.engine.hold_back(self.farewells.runs());
            for (run, task, attempt) in self.engine.out_of_time(now) {
                self.perform.wait_no_longer(&run, &task, attempt);
            }
            self.put_off_timeouts(now);
            let actions = self.engine.turn(now, inputs);
            let fenced = self.carry_out(actions);
            if fenced {
                return Err(store::Error::Fenced);
            }
            if shut_down {
                return self.engine.release();
            }
        }
    }

    /// Nothing more is taken up. What has finished is kept; what still runs is stopped and heard, and the next process sees to it.
    fn close(&mut self, inputs: &mut Vec<Input>) {
        self.engine.close();
        let at_work = self.engine.at_work().cloned();
        // What was not even begun need not be taken for half done by the next process.
        let (withdrawn, begun) = at_work.partition(|(run, task, attempt)| self.perform.withdraw(run, task, *attempt));
        self.farewells.close(self.stopped(begun));
        inputs.extend(Vec::into_iter(withdrawn).map(undone));
    }

    /// Stops these attempts. Awaited are those that will say what they came to.
    fn stopped(&self, attempts: Vec<Attempt>) -> Awaited {
        let now = self.clock.now();
        let mut awaited = Awaited { attempts: BTreeSet::new(), until: now };
        for (run, task, attempt) in attempts {
            let patience_ms = self.perform.hear(&run, &task, attempt);
            if patience_ms > 0 {
                awaited.until = awaited.until.max(now.plus(patience_ms));
                awaited.attempts.insert((run, task, attempt));
            }
        }
        awaited
    }

    /// An attempt that somebody else held up has so much more time. One that is held up still is looked at again a little later. Whoever
    /// performs it is heard first: the timer fires only if nothing was said in the time that last words take.
    fn put_off_timeouts(&mut self, now: Time) {
        for overdue in self.engine.overdue(now) {
            let held_up = match overdue.may_be_held_up {
                true => self.perform.held_up(&overdue.run, &overdue.task, overdue.attempt),
                false => HeldUp::default(),
            };
            let last_words_ms = self.perform.last_words_ms(&overdue.run, &overdue.task, overdue.attempt);
            let due = overdue.due.plus(held_up.so_far_ms).plus(last_words_ms);
            let until = if held_up.grows { due.max(now.plus(NEXT_LOOK_MS)) } else { due };
            if until > now {
                self.engine.put_off(&overdue, until);
            }
        }
    }

    /// Everything that waits now; at least one message, unless a moment came first.
    fn wait(&mut self) -> Vec<Message> {
        let mut batch: Vec<Message> = self.messages.try_recv().ok().into_iter().collect();
        if batch.is_empty() {
            let next = self.engine.next_timer().into_iter().chain(self.farewells.next()).min();
            match self.clock.patience(next) {
                None => batch.extend(self.messages.recv().ok()),
                Some(wait) => match self.messages.recv_timeout(wait) {
                    Ok(message) => batch.push(message),
                    Err(_) => self.clock.nothing_came(next),
                },
            }
        }
        while batch.len() < MOST_PER_TURN {
            match self.messages.try_recv() {
                Ok(message) => batch.push(message),
                Err(_) => break,
            }
        }
        batch
    }

    fn take(&mut self, message: Message, inputs: &mut Vec<Input>) {
        match message {
            Message::Request(request, answer) => {
                self.next_token += 1;
                let token = Token(self.next_token);
                self.answers.insert(token, answer);
                inputs.extend(self.at_once(request.into_input(token)));
            }
            Message::Completed(completed) => inputs.extend(self.farewells.take(*completed)),
            Message::Look(run, look) => look(self.engine.fetch(&run)),
            Message::Watch(watcher) => self.watchers.push(watcher),
            Message::ShutDown => self.close(inputs),
        }
    }

    /// The input, unless somebody must be heard before it.
    fn at_once(&mut self, input: Input) -> Option<Input> {
        // While nothing can be written the command is refused, and nobody shall be stopped for it.
        let Input::Command { run, command: Command::Cancel { .. }, .. } = &input else { return Some(input) };
        if self.engine.is_stalled() {
            return Some(input);
        }
        let awaited = self.stopped(self.engine.at_work_for(run));
        if awaited.attempts.is_empty() {
            return Some(input);
        }
        self.farewells.cancel(run.clone(), input, awaited);
        None
    }

    /// True if another process has taken over.
    fn carry_out(&mut self, actions: Vec<Action>) -> bool {
        let (mut fenced, closing) = (false, self.farewells.is_closing());
        for action in actions {
            match action {
                // What was taken up in the very last turns is interrupted before it began.
                Action::Perform { .. } | Action::Reconcile { .. } if closing => {}
                Action::Perform { call, definition } => {
                    let done = Done::new(self.sender.clone(), &call);
                    self.perform.perform(*call, &definition, done);
                }
                Action::Reconcile { call, definition } => {
                    let done = Done::of_reconciling(self.sender.clone(), &call);
                    self.perform.reconcile(*call, &definition, done);
                }
                Action::Stop { run, task, attempt } => self.perform.stop(&run, &task, attempt),
                Action::Reply { token, result } => {
                    if let Some(answer) = self.answers.remove(&token) {
                        answer(result);
                    }
                }
                Action::Advanced(advanced) => self.advanced(&advanced),
                Action::Idle { run } => self.tell(&Notice::Idle { run: &run }),
                Action::Ended { run, ended } => {
                    self.tell(&Notice::Ended { run: &run, ended: &ended });
                    if let Some(files) = &mut self.files {
                        files.forget(&run);
                    }
                }
                Action::Unreadable { run, error } => self.tell(&Notice::Unreadable { run: &run, error: &error }),
                Action::Stalled { error, until } => self.tell(&Notice::Stalled { error: &error, until }),
                Action::Unstalled => self.tell(&Notice::Unstalled),
                Action::Fenced => {
                    fenced = true;
                    self.tell(&Notice::Fenced);
                }
            }
        }
        fenced
    }

    /// Files first: whoever is told, and whoever performs what follows, may read them.
    fn advanced(&mut self, advanced: &Advanced) {
        let run = &advanced.run;
        let Some((definition, state)) = self.engine.look(run) else { return };
        if let Some(files) = &mut self.files {
            let mut problems = match advanced.rebuilt {
                true => files.rebuild(run, &advanced.appended),
                false => files.append(run, &advanced.appended),
            };
            for event in &advanced.events {
                if let Fact::DataEdited { file, .. } = &event.fact {
                    files.took(run, file);
                }
            }
            problems.extend(files.write(run, &motet_core::files::project(definition, state)));
            for problem in &problems {
                self.watchers.retain_mut(|watcher| watcher(&Notice::FileProblem { run, problem }));
            }
        }
        let notice = Notice::Advanced { run, definition, state, events: &advanced.events };
        self.watchers.retain_mut(|watcher| watcher(&notice));
    }

    fn tell(&mut self, notice: &Notice<'_>) {
        self.watchers.retain_mut(|watcher| watcher(notice));
    }
}

fn undone((run, task, attempt): Attempt) -> Input {
    Input::Completed { run, task, attempt, outcome: Outcome::Undone, usage: Usage::default(), exchanges: Vec::new() }
}
