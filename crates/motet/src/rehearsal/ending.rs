//! The end of a rehearsal: what the run still waits for, the journal read back, and the files it makes.

use std::collections::BTreeMap;

use motet_core::State;
use motet_core::files::Projected;
use motet_core::state::{Status, TaskStatus};
use motet_host::{Store as _, journal};

use super::Rehearsal;
use super::stage::{START, Stage};
use crate::playing::name_of;

impl Stage<'_> {
    /// What keeps the run from going on, and what the case could say to it.
    pub(super) fn waits_for(&self) -> String {
        let Some(state) = self.state() else { return "the run was never started".into() };
        if let Status::Paused { reason, .. } = &state.status {
            return format!("it is paused ({reason}): add an event with `resume`, or expect `status: paused`");
        }
        let gates = state.gates.values().map(|gate| {
            let name = name_of(gate, state);
            format!("gate `{}` waits for an answer: add a line under `gates: {name}`, or expect `status: waiting`", gate.id)
        });
        let open = state.tasks.values().filter(|task| matches!(task.status, TaskStatus::Running | TaskStatus::Queued | TaskStatus::Held));
        let tasks = open.map(|task| format!("task `{}` of `{}` is {}", task.id, task.agent, word(task.status)));
        let waits: Vec<String> = gates.chain(tasks).collect();
        let state = &state.here.state;
        if waits.is_empty() { format!("it stands in `{state}` with nothing to do") } else { waits.join("; ") }
    }

    /// Reads the journal back: the same events must lead to the same state, and they make the files.
    pub(super) fn finish(mut self) -> Rehearsal {
        let Some(state) = self.state().cloned() else { return self.done };
        match self.read_back(&state) {
            Ok(()) => {}
            Err(why) => self.done.broken.push(why),
        }
        let ended = state.ended.as_ref().map_or(self.now, |ended| ended.at);
        self.done.duration_ms = ended.since(START);
        self.done.files.extend(motet_core::files::project(&self.definition, &state).into_iter().map(|file| (file.path, file.content)));
        let unmade =
            self.done.files.iter().filter_map(|(path, content)| content.as_ref().err().map(|why| format!("{path} cannot be made: {why}")));
        self.done.broken.extend(unmade.collect::<Vec<_>>());
        self.done.state = state;
        self.done
    }

    fn read_back(&mut self, live: &State) -> Result<(), String> {
        let record = self.store.run(&self.run).map_err(|error| error.to_string())?.ok_or("the run is not in the store")?;
        let (events, files) = (&mut self.done.events, &mut self.done.files);
        let replayed = journal::replay(&self.store, &record, self.engine.definitions(), u64::MAX, |definition, state, event| {
            events.push(event.clone());
            for line in motet_core::files::appended(definition, state, event) {
                append(files, line);
            }
        });
        let replayed = replayed.map_err(|error| format!("the journal cannot be replayed: {error}"))?;
        match replayed.state == *live {
            true => Ok(()),
            false => Err("the journal, replayed, leads to another state than the run itself".into()),
        }
    }
}

fn word(status: TaskStatus) -> String {
    serde_json::to_value(status).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Adds what one event gives to a file, every addition ending as lines do.
fn append(files: &mut BTreeMap<String, Result<String, String>>, line: Projected) {
    let file = files.entry(line.path).or_insert_with(|| Ok(String::new()));
    match (file, line.content) {
        (Ok(text), Ok(added)) => {
            text.push_str(&added);
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
        (file, Err(why)) => *file = Err(why),
        (Err(_), Ok(_)) => {}
    }
}
