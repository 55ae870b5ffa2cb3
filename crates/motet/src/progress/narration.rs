//! Events in words: what happened, and what followed from it. The log and the lines of a piped run both come from here.
//! It works from an event and the state after it, so that nothing it says can differ from what the machine did.

use std::collections::BTreeMap;

use motet_core::event::{Event, Fact, Person, Usage};
use motet_core::names::{GateId, TaskId};
use motet_core::state::{State, TaskStatus};
use motet_core::units::{Time, show_duration};

use super::words;
use crate::stand_in::StandIn;

const PREVIEW: usize = 100;

/// One event, told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub seq: u64,
    pub at: Time,
    pub what: String,
    /// What a person changed, line by line.
    pub changed: Vec<String>,
    /// The states that the run entered, in order; all but the last were left at once.
    pub entered: Vec<String>,
    pub followed: Vec<Followed>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// The run went on to this state.
    Passage(String),
    Gate(String),
    /// What holds at a gate where nobody answers.
    Policy(String),
    Warning(String),
    Note(String),
    Error(String),
    Message(String),
    Ended(String),
}

impl Followed {
    pub fn text(&self) -> &str {
        match self {
            Followed::Passage(text)
            | Followed::Gate(text)
            | Followed::Policy(text)
            | Followed::Warning(text)
            | Followed::Note(text)
            | Followed::Error(text)
            | Followed::Message(text)
            | Followed::Ended(text) => text,
        }
    }
}

/// Remembers how far the story has been told.
#[derive(Default)]
pub struct Narrator {
    passages: usize,
    warnings: usize,
    notes: usize,
    errors: usize,
    messages: usize,
    gates: Vec<GateId>,
    /// Who works on what, since a task may be gone by the time its end is told.
    agents: BTreeMap<TaskId, (String, Option<Time>)>,
}

impl Narrator {
    /// Goes on from a run as it stands.
    pub fn from(state: &State) -> Self {
        let agents = state.tasks.values().map(|task| (task.id.clone(), (task.agent.to_string(), task.started_at))).collect();
        Self {
            passages: state.path.len(),
            warnings: state.warnings.len(),
            notes: state.notes.len(),
            errors: state.errors.len(),
            messages: state.messages.len(),
            gates: state.gates.keys().cloned().collect(),
            agents,
        }
    }

    /// Tells an event; `state` is the one after it.
    pub fn tell(&mut self, event: &Event, state: &State) -> Told {
        let what = self.what(event, state);
        let stand_in = StandIn::of(&event.fact);
        let entered = state.path.iter().skip(self.passages).map(|passage| passage.to.to_string()).collect();
        let mut followed = self.followed(state);
        if let Some(stand_in) = stand_in {
            let answers = if matches!(event.fact, Fact::TaskFailed { .. }) { "was asked" } else { "answers" };
            followed.insert(0, Followed::Note(stand_in.told(answers)));
        }
        followed.splice(0..0, refused(event, state).map(Followed::Warning));
        for task in state.tasks.values() {
            self.agents.insert(task.id.clone(), (task.agent.to_string(), task.started_at));
        }
        Told { seq: event.seq, at: event.at, what, changed: changed(event), entered, followed }
    }

    fn what(&self, event: &Event, state: &State) -> String {
        let who = |task: &TaskId| self.who(task, state);
        match &event.fact {
            Fact::RunStarted(started) => {
                let alone = if started.unattended { ", unattended" } else { "" };
                let (name, version, digest) = (&started.workflow, &started.workflow_version, started.digest.short());
                format!("{} started {name} {version} ({digest}){alone}", started.by.name)
            }
            Fact::TaskStarted { task, attempt } if *attempt > 1 => format!("{} takes up {task}, attempt {attempt}", who(task)),
            Fact::TaskStarted { task, .. } => format!("{} takes up {task}", who(task)),
            Fact::TaskSucceeded { task, result, usage, exchanges, .. } => {
                let player = StandIn::among(exchanges).map_or(String::new(), |stand_in| format!(" ({})", stand_in.agent));
                format!("{}{player} answers {task}: {}{}", who(task), words::preview(result, PREVIEW), self.took(task, event.at, usage))
            }
            Fact::TaskFailed { task, error, usage, .. } => {
                let kind = words::kind(error.kind);
                format!(
                    "{} fails at {task} ({kind}): {}{}",
                    who(task),
                    words::one_line(&error.message, 300),
                    self.took(task, event.at, usage)
                )
            }
            Fact::TaskAsked { task, question, .. } if question.is_task => format!("{task} is given to a person, who plays {}", who(task)),
            Fact::TaskAsked { task, question, .. } if question.is_permission => {
                format!("{} asks for permission in {task}: {}", who(task), whole(&question.question))
            }
            Fact::TaskAsked { task, question, .. } => format!("{} asks about {task}: {}", who(task), whole(&question.question)),
            Fact::TaskInterrupted { task, attempt, .. } => format!("{} was interrupted at {task}, attempt {attempt}", who(task)),
            Fact::Recovered {} => "another process takes the run over".into(),
            Fact::TaskFoundUndone { task, .. } => format!("{task} was left with nothing of it done, and may begin again"),
            Fact::TimerFired { timer } => match timer.as_str().split_once(':') {
                Some(("timeout", task)) => format!("the time for {task} is over"),
                Some(("retry", task)) => format!("{task} may be tried again"),
                Some(("deadline", gate)) => format!("nobody has answered gate {gate} in time"),
                _ => "the time of the run is used up".into(),
            },
            Fact::GateAnswered { gate, answer } => {
                let said = answer.option.clone().unwrap_or_default();
                let text = answer.text.as_ref().map(|text| format!("“{}”", words::one_line(text, PREVIEW)));
                let answers: Vec<String> =
                    answer.answers.iter().map(|(id, text)| format!("{id} = {}", words::one_line(text, 60))).collect();
                let parts = [said, text.unwrap_or_default(), answers.join(", ")];
                let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
                let said = if parts.is_empty() { "the defaults".to_string() } else { parts.join(" ") };
                format!("{} answers gate {gate}: {said}", answer.by.name)
            }
            Fact::DataEdited { by, file, changes, .. } => {
                let names: Vec<&str> = changes.keys().map(String::as_str).collect();
                format!("{} edited {} in {file}", by.name, names.join(", "))
            }
            Fact::Paused { by, reason } if reason.is_empty() => format!("{} paused the run", by.name),
            Fact::Paused { by, reason } => format!("{} paused the run: {}", by.name, whole(reason)),
            Fact::Resumed { by } => format!("{} resumed the run", by.name),
            Fact::Cancelled { by, reason, .. } if reason.is_empty() => format!("{} cancelled the run", by.name),
            Fact::Cancelled { by, reason, .. } => format!("{} cancelled the run: {}", by.name, whole(reason)),
            Fact::LimitsRaised { by, cost, time_ms } => {
                let cost = cost.map(|cost| format!("a budget of {cost}"));
                let time = time_ms.map(|time| format!("{} of time", show_duration(time)));
                let given: Vec<String> = cost.into_iter().chain(time).collect();
                format!("{} gave the run {}", by.name, given.join(" and "))
            }
            Fact::Forked { from, at_seq, set, .. } => {
                let set: Vec<String> = set.iter().map(|(name, value)| format!("{name} = {}", words::preview(value, 60))).collect();
                let with = if set.is_empty() { String::new() } else { format!(" with {}", set.join(", ")) };
                format!("forked from {from} at event {at_seq}{with}")
            }
        }
    }

    /// Who works on a task; commands and built-ins have no agent and are called by their work.
    fn who(&self, task: &TaskId, state: &State) -> String {
        let now = state.tasks.get(task).map(|task| task.agent.to_string());
        now.or_else(|| self.agents.get(task).map(|(agent, _)| agent.clone())).unwrap_or_else(|| task.to_string())
    }

    fn took(&self, task: &TaskId, at: Time, usage: &Usage) -> String {
        let started = self.agents.get(task).and_then(|(_, started)| *started);
        let mut parts: Vec<String> = started.map(|started| show_duration(at.since(started))).into_iter().collect();
        let tokens = usage.tokens_in + usage.tokens_out;
        if tokens > 0 {
            parts.push(format!("{tokens} tokens"));
        }
        if usage.cost.0 > 0 {
            parts.push(usage.cost.to_string());
        }
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
    }

    fn followed(&mut self, state: &State) -> Vec<Followed> {
        let mut followed = Vec::new();
        for message in new(&state.messages, &mut self.messages) {
            let subject = if message.subject.is_empty() { &message.kind } else { &message.subject };
            followed.push(Followed::Message(format!("{} → {}: {subject}", message.from, message.to)));
        }
        for error in new(&state.errors, &mut self.errors) {
            let who = error.agent.as_ref().map_or(String::new(), |agent| format!("{agent} gave up: "));
            followed.push(Followed::Error(format!("{who}{}", words::one_line(&error.failure.message, 300))));
        }
        followed.extend(new(&state.warnings, &mut self.warnings).iter().map(|note| Followed::Warning(note.text.clone())));
        followed.extend(new(&state.notes, &mut self.notes).iter().map(|note| Followed::Note(note.text.clone())));
        let first = self.passages;
        for (position, passage) in new(&state.path, &mut self.passages).iter().enumerate() {
            followed.extend(by_policy(state, first + position).map(Followed::Policy));
            let outcome = passage.outcome.as_ref().filter(|outcome| *outcome != "done").map(|outcome| format!(" ({outcome})"));
            let because = passage.because.as_ref().map(|because| format!(" because {}", whole(because)));
            let (outcome, because) = (outcome.unwrap_or_default(), because.unwrap_or_default());
            followed.push(Followed::Passage(format!("{}{outcome}{because}", passage.to)));
        }
        let opened: Vec<_> = state.gates.values().filter(|gate| !self.gates.contains(&gate.id)).collect();
        followed.extend(opened.iter().map(|gate| Followed::Gate(format!("gate {}: {}", gate.id, words::one_line(&gate.ask, 300)))));
        self.gates = state.gates.keys().cloned().collect();
        if let Some(ended) = &state.ended {
            followed.push(Followed::Ended(format!("the run {}", words::outcome(ended.outcome))));
        }
        followed
    }
}

/// On one line and all of it: what follows on the next would pass for something that we say.
fn whole(text: &str) -> String {
    words::one_line(text, usize::MAX)
}

/// Why an answer that came was not taken, where the task goes on all the same.
fn refused(event: &Event, state: &State) -> Option<String> {
    let Fact::TaskSucceeded { task, .. } = &event.fact else { return None };
    let task = state.tasks.get(task).filter(|task| matches!(task.status, TaskStatus::Held | TaskStatus::Queued | TaskStatus::Waiting))?;
    let why = task.correction.as_ref()?;
    Some(format!("the answer is not taken, and asked for again: {}", words::one_line(why, 300)))
}

/// What was taken at the gate that this passage leaves, if nobody has answered it.
fn by_policy(state: &State, position: usize) -> Option<String> {
    let from = state.path.get(position)?.from.as_ref()?;
    let result = state.results.get(from)?.last()?;
    if result["by"] != Person::policy().name.as_str() {
        return None;
    }
    let taken = match (result["option"].as_str(), result["answers"].as_array()) {
        (Some(option), _) => format!("“{option}”"),
        (None, Some(answers)) if !answers.is_empty() => "its defaults".to_string(),
        // There was nothing to ask.
        _ => return None,
    };
    let visit = state.path.iter().take(position).filter(|passage| passage.to == *from).count();
    let attends = if state.run.as_ref().is_some_and(|run| run.unattended) { "attends" } else { "answered" };
    Some(format!("nobody {attends}: gate {from}.{visit} takes {taken}"))
}

fn changed(event: &Event) -> Vec<String> {
    match &event.fact {
        Fact::DataEdited { diff, .. } => diff.lines().map(String::from).collect(),
        _ => Vec::new(),
    }
}

/// What came since the last time.
fn new<'a, T>(all: &'a [T], known: &mut usize) -> &'a [T] {
    let fresh = all.get(*known..).unwrap_or_default();
    *known = all.len();
    fresh
}
