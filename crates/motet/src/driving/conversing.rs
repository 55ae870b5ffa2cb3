//! The talk with whoever sits at this terminal: at gates, and as someone who plays an agent.
//! One talk at a time; the run goes on meanwhile.

use std::io::Write as _;

use motet_core::event::Answer;
use motet_core::names::{GateId, RunId};
use motet_core::state::OpenGate;
use motet_host::Request;
use motet_host::engine::{Command, Refusal};

use super::Signal;
use super::attending::Attending;
use crate::asking::{self, Dialogue, Next};
use crate::cli::output;
use crate::performing::PersonAsked;
use crate::progress::asked;

/// Whom the keyboard belongs to.
pub enum Talk {
    Gate(Box<Dialogue>),
    Person(PersonAsked, Vec<String>),
}

impl Attending<'_> {
    /// Begins, goes on with or ends the talk with whoever sits here. True if a gate was answered.
    pub(super) fn converse(&mut self) -> bool {
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

    pub(super) fn on_line(&mut self, line: Option<String>) {
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
