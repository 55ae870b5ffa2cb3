//! The talk with whoever sits at this terminal, at one gate after the other.
//! The run goes on meanwhile, and what is asked may be answered or changed elsewhere.

use motet_core::event::Answer;
use motet_core::names::{Digest, GateId, RunId};
use motet_core::state::{GateKind, OpenGate, Status};
use motet_host::Request;
use motet_host::engine::{Command, Definitions, Refusal};

use super::Signal;
use super::attending::Attending;
use super::consent::Said;
use crate::asking::{Dialogue, Next};
use crate::cli::{Failure, output};
use crate::editing;
use crate::given;
use crate::home::Mirror;
use crate::progress::asked;

impl Attending<'_> {
    /// Begins, goes on with or ends the talk with whoever sits here. True if a gate was answered.
    pub(super) fn converse(&mut self) -> bool {
        let gates = self.open_gates();
        if let Some(dialogue) = &self.dialogue
            && !gates.iter().any(|(run, gate)| *run == dialogue.run && gate.id == dialogue.gate.id && gate.payload == dialogue.gate.payload)
        {
            output::line("\n  (answered or changed elsewhere)");
            self.dialogue = None;
            self.display.go_on();
        }
        if self.dialogue.is_some() {
            return false;
        }
        let mut open: Vec<_> = gates.into_iter().filter(|(run, gate)| !self.left_open.contains(&(run.clone(), gate.id.clone()))).collect();
        if self.manner.yes && self.say_yes(&mut open) {
            return true;
        }
        if let Some((run, gate)) = open.into_iter().next().filter(|_| self.manner.attended) {
            self.begin_gate(run, gate);
        }
        false
    }

    /// Leaves the gates that a mere yes is no answer to. Whoever has paused a run wants it to stand: nobody is asked for it here.
    fn say_yes(&mut self, open: &mut Vec<(RunId, OpenGate)>) -> bool {
        let mut sent = false;
        let mut gates = std::mem::take(open);
        gates.retain(|(run, _)| !self.is_paused(run));
        for (run, gate) in gates {
            let definition = match self.mirror_of(&run) {
                Ok(Some(child)) => child.definition,
                Ok(None) => self.mirror.definition.clone(),
                Err(failure) => {
                    self.ending = Some(Err(failure));
                    return sent;
                }
            };
            match self.consent.to(&run, &gate, &definition, &self.manner.by) {
                Said::Yes(answer) => {
                    sent |= self.send(run.clone(), gate.id.clone(), answer);
                    self.left_open.push((run, gate.id));
                }
                Said::Enough(answer) => {
                    let option = answer.option.clone().unwrap_or_default();
                    self.display.say(&format!("--yes has answered this before, so now holds what holds when nobody is there: {option}"));
                    sent |= self.send(run.clone(), gate.id.clone(), answer);
                    self.left_open.push((run, gate.id));
                }
                Said::Nothing if self.manner.attended => open.push((run, gate)),
                Said::Nothing => {
                    self.display.say(&format!("--yes cannot answer gate {}: only a person can tell", gate.id));
                    self.left_open.push((run, gate.id));
                }
            }
        }
        sent
    }

    fn is_paused(&self, run: &RunId) -> bool {
        let is_ours = *run == self.mirror.run;
        if is_ours { matches!(self.mirror.state.status, Status::Paused { .. }) } else { self.children.is_paused(run) }
    }

    /// The run of a gate, if it is not the one that is shown here.
    fn mirror_of(&self, run: &RunId) -> Result<Option<Mirror>, Failure> {
        if *run == self.mirror.run {
            return Ok(None);
        }
        let (store, record) = self.context.home.open_for(run.as_str())?;
        Ok(Some(Mirror::load(&store, &record, &Definitions::new(self.context.library()))?))
    }

    fn begin_gate(&mut self, run: RunId, gate: OpenGate) {
        self.display.hold(&self.mirror);
        output::line("");
        // The dialogue asks each question itself, and takes the answer right here.
        let silent = OpenGate { questions: Vec::new(), ..gate.clone() };
        let how = crate::progress::how_to_answer(&silent, &run, 1);
        for line in asked(&silent, &run, 1, &self.context.home).iter().filter(|line| !how.contains(line)) {
            output::line(format!("  {line}"));
        }
        let dialogue = Dialogue::new(run, gate, self.manner.by.clone());
        prompt(&dialogue.prompt());
        self.dialogue = Some(Box::new(dialogue));
        self.open_keyboard();
    }

    pub(super) fn on_line(&mut self, line: Option<String>) {
        let Some(mut dialogue) = self.dialogue.take() else { return };
        let Some(line) = line else {
            // The keyboard is closed: from here on gates wait for someone elsewhere.
            self.manner.attended = false;
            if let Some(answer) = dialogue.end() {
                output::line("");
                self.send(dialogue.run.clone(), dialogue.gate.id.clone(), answer);
            }
            return self.display.go_on();
        };
        match dialogue.line(&line) {
            Next::Again(why) => {
                output::line(format!("  {why}"));
                prompt(&dialogue.prompt());
                self.dialogue = Some(dialogue);
            }
            Next::More => {
                prompt(&dialogue.prompt());
                self.dialogue = Some(dialogue);
            }
            Next::Answer(answer) => {
                self.send(dialogue.run.clone(), dialogue.gate.id.clone(), *answer);
                self.display.go_on();
            }
        }
    }

    /// The answer is durable before the next question is asked, or it comes back refused.
    fn send(&mut self, run: RunId, gate: GateId, mut answer: Answer) -> bool {
        match self.take_edits(&run, &gate) {
            Ok(None) => {}
            Ok(Some(seen)) => answer.seen = Some(seen),
            Err(failure) => {
                self.display.say(&format!("  {}", failure.message));
                failure.help.iter().for_each(|help| self.display.say(&format!("  {help}")));
                return false;
            }
        }
        let command = given::command(Command::Answer { gate: gate.clone(), answer });
        match self.handle.ask(Request::Command { run: run.clone(), command }) {
            Ok(_) => {
                self.left_open.push((run, gate));
                return true;
            }
            Err(Refusal::Rejected { rejected, .. }) => self.display.say(&format!("  {rejected}")),
            Err(refusal) => self.ending = Some(Err(refusal.into())),
        }
        false
    }

    /// What was edited in the files of a gate comes before its answer. Gives what the person has then seen, if anything was.
    fn take_edits(&mut self, run: &RunId, gate: &GateId) -> Result<Option<Digest>, Failure> {
        let child = self.mirror_of(run)?;
        let mirror = child.as_ref().unwrap_or(&self.mirror);
        if !mirror.state.gates.get(gate).is_some_and(|gate| gate.kind == GateKind::State) {
            return Ok(None);
        }
        let pending = editing::pending(&self.context.home, mirror, &self.manner.by, None)?;
        if let Some(edit) = &pending.edit {
            self.handle.ask(Request::Command { run: run.clone(), command: edit.command() })?;
        }
        pending.lines().iter().for_each(|line| self.display.say(&format!("  {line}")));
        Ok(pending.edit.and_then(|edit| edit.seen(gate)))
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

fn prompt(text: &str) {
    output::part(&format!("  {text}"));
}
