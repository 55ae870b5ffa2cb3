//! The people of a case: who answers which gate, when, and who stays silent.
//! A gate takes its next line whenever it is open and nobody is about to answer it.

use std::collections::BTreeMap;

use motet_core::case::{Case, GateLine};
use motet_core::definition::Edit;
use motet_core::event::{Answer, Person};
use motet_core::names::{GateId, RunId};
use motet_core::state::{GateKind, OpenGate};
use motet_core::units::Time;
use motet_core::{Definition, State};
use motet_host::engine::Command;
use serde_json::Value;

#[derive(Debug)]
pub struct People {
    /// Their lines, by gate.
    lines: BTreeMap<String, Vec<GateLine>>,
    /// How many lines of each gate have been said.
    said: BTreeMap<String, usize>,
    /// The line that each open gate has taken.
    taken: BTreeMap<(RunId, GateId), GateLine>,
}

/// A moment at which somebody will answer.
pub struct Intent {
    pub gate: GateId,
    pub at: Time,
}

impl People {
    pub fn new(case: &Case) -> Self {
        Self { lines: case.gates.clone(), said: BTreeMap::new(), taken: BTreeMap::new() }
    }

    /// Looks at the open gates of a run, and forgets those that have closed.
    pub fn look(&mut self, run: &RunId, state: &State, now: Time) -> Vec<Intent> {
        self.taken.retain(|(of, gate), _| of != run || state.gates.contains_key(gate));
        let mut intents = Vec::new();
        for gate in state.gates.values() {
            let key = (run.clone(), gate.id.clone());
            if self.taken.contains_key(&key) {
                continue;
            }
            let Some(line) = self.next_line(name_of(gate, state)) else { continue };
            if !line.silent {
                intents.push(Intent { gate: gate.id.clone(), at: now.max(gate.opened_at.plus(line.after_ms)) });
            }
            self.taken.insert(key, line);
        }
        intents
    }

    /// What the person at this gate says now, their edits first. Until they were heard it is nobody else's turn there.
    pub fn speak(&self, run: &RunId, definition: &Definition, state: &State, gate: &GateId) -> Vec<Command> {
        let Some(line) = self.taken.get(&(run.clone(), gate.clone())) else { return Vec::new() };
        let by = Person::named(&line.by);
        let mut commands: Vec<Command> = edit(by.clone(), definition, state, &line.edits).into_iter().collect();
        let answer = Answer { by, option: line.option.clone(), text: line.text.clone(), answers: line.answers.clone(), seen: None };
        commands.push(Command::Answer { gate: gate.clone(), answer });
        commands
    }

    /// Whether somebody at an open gate lets the deadline pass on purpose.
    pub fn anybody_silent(&self) -> bool {
        self.taken.values().any(|line| line.silent)
    }

    /// The line of this gate was spoken.
    pub fn was_heard(&mut self, run: &RunId, gate: &GateId) {
        self.taken.remove(&(run.clone(), gate.clone()));
    }

    /// Whether somebody has made up their mind at this gate and has not spoken yet.
    pub fn is_about_to_speak(&self, run: &RunId, gate: &GateId) -> bool {
        self.taken.get(&(run.clone(), gate.clone())).is_some_and(|line| !line.silent)
    }

    fn next_line(&mut self, name: &str) -> Option<GateLine> {
        let said = self.said.entry(name.to_owned()).or_default();
        let line = self.lines.get(name)?.get(*said)?;
        *said += 1;
        Some(line.clone())
    }
}

/// What a case calls a gate.
pub fn name_of<'s>(gate: &OpenGate, state: &'s State) -> &'s str {
    match gate.kind {
        GateKind::State => state.here.state.as_str(),
        GateKind::Question { .. } => "question",
        GateKind::Permission { .. } => "permission",
        GateKind::Interrupted { .. } => "interrupted",
    }
}

/// What somebody has changed in a file, as they would have told it.
pub fn edit(by: Person, definition: &Definition, state: &State, changes: &BTreeMap<String, Value>) -> Option<Command> {
    let field = changes.keys().next()?;
    Some(Command::EditData { by, file: edited_file(definition, state, field), changes: changes.clone() })
}

/// The file in which a person would have made this edit.
fn edited_file(definition: &Definition, state: &State, field: &str) -> String {
    let allows = |edit: &Edit| edit.target.strip_prefix("data.") == Some(field);
    let is_here = |edit: &Edit| allows(edit) && edit.at.contains(&state.here.state);
    let with = |is_meant: &dyn Fn(&Edit) -> bool| definition.files.iter().find(|rule| rule.edits.iter().any(is_meant));
    let rule = with(&is_here).or_else(|| with(&allows));
    let path = rule.map(|rule| definition.templates.render_text(&rule.path, &motet_core::RunScope::new(definition, state)));
    path.unwrap_or_else(|| format!("{field} (in no file)"))
}
