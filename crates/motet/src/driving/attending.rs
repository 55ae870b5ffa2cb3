//! What this process does about everything it is told: it shows, asks whoever sits here, and knows when there is nothing left to do.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write as _;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use motet_core::event::Answer;
use motet_core::names::{GateId, RunId};
use motet_core::state::{OpenGate, Status, TaskStatus};
use motet_core::view::{self, RunStatus};
use motet_host::engine::{Command, Definitions, Refusal};
use motet_host::{Handle, Request, Store as _};

use super::{Manner, Signal, is_child};
use crate::asking::{self, Dialogue, Next};
use crate::cli::{Context, Exit, Failure, output};
use crate::home::Mirror;
use crate::performing::PersonAsked;
use crate::progress::{Display, asked};

/// Often enough for a clock with seconds.
const TICK: Duration = Duration::from_secs(1);
/// Often enough for letters that stream.
const FRAME: Duration = Duration::from_millis(100);
const FOREVER: Duration = Duration::from_secs(3600);

pub struct Attending<'a> {
    context: &'a Context,
    mirror: Mirror,
    display: Display,
    handle: Handle,
    manner: Manner,
    signals: Sender<Signal>,
    children: BTreeMap<RunId, (RunStatus, Vec<OpenGate>)>,
    dialogue: Option<Talk>,
    /// People who play agents and wait for their turn at the keyboard.
    people: VecDeque<PersonAsked>,
    keyboard: bool,
    /// How many of the first requests have not been answered.
    awaited: usize,
    /// Something has changed since it was drawn.
    dirty: bool,
    ending: Option<Result<Exit, Failure>>,
    /// Gates that `--yes` could not answer, or whose answer was refused.
    left_open: Vec<GateId>,
}

/// Whom the keyboard belongs to.
enum Talk {
    Gate(Box<Dialogue>),
    Person(PersonAsked, Vec<String>),
}

impl<'a> Attending<'a> {
    pub fn new(context: &'a Context, mirror: Mirror, display: Display, handle: Handle, manner: Manner, signals: Sender<Signal>) -> Self {
        Self {
            context,
            mirror,
            display,
            handle,
            manner,
            signals,
            children: BTreeMap::new(),
            dialogue: None,
            people: VecDeque::new(),
            keyboard: false,
            awaited: 0,
            dirty: true,
            ending: None,
            left_open: Vec::new(),
        }
    }

    /// Nothing is asked or decided before so many requests have been answered: until then the run is not as it seems.
    pub fn awaiting(mut self, requests: usize) -> Self {
        self.awaited = requests;
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
            Signal::Events(events) => self.on_events(&events),
            Signal::Child { run, status, gates } => drop(self.children.insert(run, (status, gates))),
            Signal::Progress { run, task, text } if run == self.mirror.run => self.display.progress(&task, text),
            Signal::Progress { .. } | Signal::Idle => {}
            Signal::Accepted => self.awaited = self.awaited.saturating_sub(1),
            Signal::Refused(refusal) => self.on_refusal(*refusal),
            Signal::Unreadable { run, why } if run == self.mirror.run => self.ending = Some(Err(Failure::failed(why))),
            Signal::Unreadable { run, why } => self.display.say(&format!("run {run} cannot be read: {why}")),
            Signal::Say(text) => self.display.say(&text),
            Signal::Fenced => self.ending = Some(Err(motet_host::store::Error::Fenced.into())),
            Signal::Person(asked) => self.people.push_back(*asked),
            Signal::Line(line) => self.on_line(line),
            Signal::Interrupted => self.ending = Some(Ok(Exit::Interrupted)),
            Signal::Over(Some(error)) => self.ending = self.ending.take().or_else(|| Some(Err(error.into()))),
            Signal::Over(None) => self.ending = self.ending.take().or(Some(Ok(Exit::Interrupted))),
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
            if let Signal::Events(events) = signal {
                self.on_events(&events);
            }
        }
        if self.dialogue.is_some() {
            output::line("");
            self.display.go_on();
        }
        let exit = exit?;
        let exit = if self.mirror.state.ended.is_some() { Exit::of(&self.mirror.state) } else { exit };
        self.display.end(&self.mirror, &self.context.home, exit);
        for (run, gate) in self.open_gates().into_iter().filter(|(run, _)| *run != self.mirror.run) {
            if exit == Exit::Waiting && !self.context.json {
                asked(&gate, &run, &self.context.home).iter().for_each(|line| output::line(format!("  {line}")));
            }
        }
        Ok(exit)
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

    fn on_refusal(&mut self, refusal: Refusal) {
        match &self.dialogue {
            // The person can try again.
            Some(Talk::Gate(dialogue)) => {
                let why = match &refusal {
                    Refusal::Rejected { rejected, .. } => rejected.to_string(),
                    other => other.to_string(),
                };
                output::line(format!("  {why}"));
                self.left_open.push(dialogue.gate.id.clone());
                self.dialogue = None;
                self.display.go_on();
            }
            _ => self.ending = Some(Err(refusal.into())),
        }
    }

    /// Only people can bring the run on.
    fn only_waits(&self) -> bool {
        match view::status(&self.mirror.state) {
            RunStatus::WaitingUser => true,
            // What runs may finish before the pause is complete.
            RunStatus::Paused | RunStatus::OutOfBudget => !self.is_at_work(),
            RunStatus::Running => self.waits_for_children(),
            _ => false,
        }
    }

    fn is_at_work(&self) -> bool {
        let tasks = self.mirror.state.tasks.values();
        tasks.filter(|task| !is_child(&task.work)).any(|task| matches!(task.status, TaskStatus::Running | TaskStatus::Reconciling))
    }

    /// Every task at work is a run that itself waits for a person.
    fn waits_for_children(&self) -> bool {
        let mut active =
            self.mirror.state.tasks.values().filter(|task| {
                matches!(task.status, TaskStatus::Queued | TaskStatus::Running | TaskStatus::Waiting | TaskStatus::Reconciling)
            });
        let waiting = self.children.values().filter(|(status, _)| matches!(status, RunStatus::WaitingUser | RunStatus::Paused)).count();
        let open = self.children.values().filter(|(status, _)| status.is_open()).count();
        open > 0 && waiting == open && active.all(|task| is_child(&task.work) && task.status == TaskStatus::Running)
    }

    /// Of our run and of those that perform its tasks.
    fn open_gates(&self) -> Vec<(RunId, OpenGate)> {
        let ours = self.mirror.state.gates.values().map(|gate| (self.mirror.run.clone(), gate.clone()));
        let theirs = self.children.iter().flat_map(|(run, (_, gates))| gates.iter().map(|gate| (run.clone(), gate.clone())));
        ours.chain(theirs).collect()
    }

    /// Begins, goes on with or ends the talk with whoever sits here. True if a gate was answered.
    fn converse(&mut self) -> bool {
        let gates = self.open_gates();
        if let Some(Talk::Gate(dialogue)) = &self.dialogue
            && !gates.iter().any(|(run, gate)| *run == dialogue.run && gate.id == dialogue.gate.id && gate.payload == dialogue.gate.payload)
        {
            output::line("\n  (answered or changed elsewhere)");
            self.dialogue = None;
            self.display.go_on();
        }
        if self.dialogue.is_some() {
            return false;
        }
        let open: Vec<_> = gates.into_iter().filter(|(_, gate)| !self.left_open.contains(&gate.id)).collect();
        if self.manner.yes {
            return self.say_yes(open);
        }
        if let Some(asked) = self.people.pop_front() {
            self.begin_person(asked);
        } else if let Some((run, gate)) = open.into_iter().next().filter(|_| self.manner.attended) {
            self.begin_gate(run, gate);
        }
        false
    }

    fn say_yes(&mut self, open: Vec<(RunId, OpenGate)>) -> bool {
        let mut sent = false;
        for (run, gate) in open {
            match asking::yes(&gate, &self.manner.by) {
                Some(answer) => sent |= self.send(run, gate.id.clone(), answer),
                None => self.display.say(&format!("--yes cannot answer gate {}: only a person can tell", gate.id)),
            }
            self.left_open.push(gate.id);
        }
        sent
    }

    fn begin_gate(&mut self, run: RunId, gate: OpenGate) {
        self.display.hold(&self.mirror);
        output::line("");
        // The dialogue asks each question itself, and takes the answer right here.
        let silent = OpenGate { questions: Vec::new(), ..gate.clone() };
        let how = crate::progress::how_to_answer(&silent, &run);
        for line in asked(&silent, &run, &self.context.home).iter().filter(|line| !how.contains(line)) {
            output::line(format!("  {line}"));
        }
        let dialogue = Dialogue::new(run, gate, self.manner.by.clone());
        prompt(&dialogue.prompt());
        self.dialogue = Some(Talk::Gate(Box::new(dialogue)));
        self.open_keyboard();
    }

    fn begin_person(&mut self, asked: PersonAsked) {
        if !self.manner.attended {
            // Nobody sits here; the machine hears that nobody answered.
            let _ = asked.answer.send(None);
            return;
        }
        self.display.hold(&self.mirror);
        output::line(format!("\n  {}\n\n{}\n", asked.title, asked.body));
        output::line("  Answer below; an empty line ends it, and with nothing written you decline.");
        prompt("> ");
        self.dialogue = Some(Talk::Person(asked, Vec::new()));
        self.open_keyboard();
    }

    fn on_line(&mut self, line: Option<String>) {
        let Some(talk) = self.dialogue.take() else { return };
        match (talk, line) {
            (Talk::Gate(_), None) => {
                // The keyboard is closed: from here on the gate waits for someone elsewhere.
                self.manner.attended = false;
                self.display.go_on();
            }
            (Talk::Gate(mut dialogue), Some(line)) => match dialogue.line(&line) {
                Next::Again(why) => {
                    output::line(format!("  {why}"));
                    prompt(&dialogue.prompt());
                    self.dialogue = Some(Talk::Gate(dialogue));
                }
                Next::More => {
                    prompt(&dialogue.prompt());
                    self.dialogue = Some(Talk::Gate(dialogue));
                }
                Next::Answer(answer) => {
                    self.send(dialogue.run.clone(), dialogue.gate.id.clone(), *answer);
                    self.display.go_on();
                }
            },
            (Talk::Person(asked, mut lines), line) => match line.filter(|line| !line.trim().is_empty()) {
                Some(line) => {
                    lines.push(line);
                    prompt("> ");
                    self.dialogue = Some(Talk::Person(asked, lines));
                }
                None => {
                    let _ = asked.answer.send(spoken(&lines, asked.schema.is_some()));
                    self.display.go_on();
                }
            },
        }
    }

    /// The answer is durable before the next question is asked, or it comes back refused.
    fn send(&mut self, run: RunId, gate: GateId, answer: Answer) -> bool {
        let command = Command::Answer { gate: gate.clone(), answer };
        match self.handle.ask(Request::Command { run, command }) {
            Ok(_) => {
                self.left_open.push(gate);
                return true;
            }
            Err(Refusal::Rejected { rejected, .. }) => self.display.say(&format!("  {rejected}")),
            Err(refusal) => self.ending = Some(Err(refusal.into())),
        }
        false
    }

    /// Lines come in on a thread of their own, since reading one cannot be given up.
    fn open_keyboard(&mut self) {
        if std::mem::replace(&mut self.keyboard, true) {
            return;
        }
        let signals = self.signals.clone();
        let read = move || {
            for line in std::io::stdin().lines() {
                if signals.send(Signal::Line(line.ok())).is_err() {
                    return;
                }
            }
            let _ = signals.send(Signal::Line(None));
        };
        if std::thread::Builder::new().name("motet-keyboard".into()).spawn(read).is_err() {
            self.manner.attended = false;
        }
    }
}

/// A value where one is wanted and was written, otherwise the text.
fn spoken(lines: &[String], wants_value: bool) -> Option<serde_json::Value> {
    let text = lines.join("\n");
    match () {
        () if text.trim().is_empty() => None,
        () if wants_value => Some(serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text))),
        () => Some(serde_json::Value::String(text)),
    }
}

fn prompt(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = write!(out, "  {text}").and_then(|()| out.flush());
}
