//! A run in the middle of a step: its definition, its state, and the effects so far.
//! Handlers check first and change afterwards, so that a rejected event leaves no trace.

use serde_json::Value;

use crate::definition::{Agent, Class, Definition, ModelSettings, StateDefinition, Work};
use crate::effect::{Call, CallWork, Effect};
use crate::event::Failure;
use crate::expression::Scope;
use crate::names::{AgentName, StateName, TaskId, TimerId};
use crate::rejected::Rejected;
use crate::state::{ErrorRecord, Note, State, Status, Task, TaskStatus};
use crate::step::enter::work_of;
use crate::step::scope::RunScope;
use crate::template::Text;
use crate::units::Time;

pub(super) struct Machine<'a> {
    pub definition: &'a Definition,
    pub state: &'a mut State,
    pub effects: Vec<Effect>,
    pub now: Time,
}

/// A state about to be entered.
pub(super) struct Entry {
    pub to: StateName,
    /// Through `to: back`.
    pub returning: bool,
}

impl<'a> Machine<'a> {
    pub fn new(definition: &'a Definition, state: &'a mut State, at: Time) -> Self {
        // The journal's clock never runs backwards, whatever the host's does.
        let now = at.max(state.now);
        Self { definition, state, effects: Vec::new(), now }
    }

    pub fn into_effects(mut self) -> Vec<Effect> {
        self.attend_clock();
        self.state.now = self.now;
        self.effects
    }

    pub fn here(&self) -> &'a StateDefinition {
        let definition = self.definition;
        match definition.state(self.state.here.state.as_str()) {
            Some(state) => state,
            None => unreachable!("the run is in state {}, which its workflow does not have", self.state.here.state),
        }
    }

    pub fn scope(&self) -> RunScope<'_> {
        RunScope::new(self.definition, self.state).at(self.now)
    }

    pub fn render(&self, text: &Text, scope: &RunScope<'_>) -> String {
        self.definition.templates.render_text(text, scope)
    }

    pub fn is_paused(&self) -> bool {
        matches!(self.state.status, Status::Paused { .. })
    }

    /// The open task of this name, if this is its current attempt.
    pub fn attempt_of(&self, task: &TaskId, attempt: u32) -> Result<&Task, Rejected> {
        let found = self.state.tasks.get(task).filter(|found| found.attempt == attempt && !found.status.is_terminal());
        found.ok_or_else(|| Rejected::Unknown(format!("attempt {attempt} of task {task}")))
    }

    pub fn task(&mut self, id: &TaskId) -> &mut Task {
        match self.state.tasks.get_mut(id) {
            Some(task) => task,
            None => unreachable!("task {id} was looked up after it was gone"),
        }
    }

    pub fn set_timer(&mut self, timer: TimerId, at: Time) {
        self.state.timers.insert(timer.clone(), at);
        self.effects.push(Effect::SetTimer { timer, at });
    }

    pub fn clear_timer(&mut self, timer: &TimerId) {
        if self.state.timers.remove(timer).is_some() {
            self.effects.push(Effect::ClearTimer { timer: timer.clone() });
        }
    }

    pub fn warn(&mut self, text: String) {
        let note = Note { at: self.now, state: self.state.here.state.clone(), text };
        self.state.warnings.push(note);
    }

    /// Of the work of a state as a whole.
    pub fn error_of_visit(&self, failure: Failure) -> ErrorRecord {
        let state = self.state.here.state.clone();
        ErrorRecord { at: self.now, state, agent: None, task: None, failure, attempts: 0, trace: self.trace(None) }
    }

    /// The last states, and what the attempts at the task came to.
    pub fn trace(&self, task: Option<&Task>) -> Vec<String> {
        const STATES: usize = 20;
        let path = &self.state.path;
        let states = path[path.len().saturating_sub(STATES)..].iter().map(|passage| format!("entered {}", passage.to));
        let attempts = task.into_iter().flat_map(|task| {
            task.errors.iter().enumerate().map(|(position, error)| format!("failure {} of {}: {}", position + 1, task.id, error.message))
        });
        states.chain(attempts).collect()
    }

    pub fn record_error(&mut self, record: ErrorRecord) {
        self.state.error = Some(record.clone());
        self.state.errors.push(record);
    }

    pub fn start(&mut self, id: &TaskId) {
        let task = &self.state.tasks[id];
        self.effects.push(Effect::StartTask(Box::new(call(self.definition, self.state, task))));
    }
}

pub(super) fn timeout_timer(task: &TaskId) -> TimerId {
    TimerId::timeout(task)
}

pub(super) fn retry_timer(task: &TaskId) -> TimerId {
    TimerId::new(format!("retry:{task}"))
}

/// The agent and, one after the other, everyone who stands in for it.
pub(super) fn chain<'a>(definition: &'a Definition, agent: &AgentName) -> Vec<&'a Agent> {
    let mut chain: Vec<&Agent> = Vec::new();
    let mut pending = vec![agent];
    while let Some(name) = pending.pop() {
        let Some(agent) = definition.agents.get(name) else { continue };
        if chain.iter().all(|member| member.name != agent.name) {
            chain.push(agent);
            pending.extend(agent.fallback.iter().rev());
        }
    }
    chain
}

/// Who is trying now. None for commands and calls, which Motet performs itself.
pub(super) fn current_agent<'a>(definition: &'a Definition, task: &Task) -> Option<&'a Agent> {
    match task.work {
        CallWork::Command { .. } => None,
        CallWork::Builtin { .. } | CallWork::Prompt | CallWork::Workflow { .. } | CallWork::AnswerQuestion => {
            if task.link == 0 {
                // The task of a call has its state's name, which may be the name of an agent, too.
                let is_call = |agent: &&Agent| matches!(task.work, CallWork::Builtin { .. }) && work_of(agent) != task.work;
                return definition.agents.get(&task.agent).filter(|agent| !is_call(agent));
            }
            chain(definition, &task.agent).get(task.link as usize).copied()
        }
    }
}

impl Definition {
    /// Who is trying a task now. None for commands and calls, which Motet performs itself.
    pub fn agent_of(&self, task: &Task) -> Option<&Agent> {
        current_agent(self, task)
    }
}

pub(super) fn call(definition: &Definition, state: &State, task: &Task) -> Call {
    let agent = current_agent(definition, task);
    let run = state.run.as_ref().map(|run| run.id.clone()).unwrap_or_else(|| "".into());
    let asked = if task.asked_again > 0 { format!("#{}", task.asked_again) } else { String::new() };
    let answered = if task.answers.is_empty() { String::new() } else { format!("?{}", task.answers.len()) };
    let link = if task.link > 0 { format!("@{}", task.link) } else { String::new() };
    Call {
        key: format!("{run}/{}{link}{asked}{answered}", task.id),
        run,
        task: task.id.clone(),
        attempt: task.attempt,
        agent: agent.map_or_else(|| task.agent.clone(), |agent| agent.name.clone()),
        role: agent.map_or_else(|| task.agent.to_string(), |agent| agent.role.clone()),
        work: task.work.clone(),
        input: task.input.clone(),
        correction: task.correction.clone(),
        answers: task.answers.clone(),
        timeout_ms: timeout_of(definition, state, task),
        class: class_of(definition, task),
        works_in: working_tree(definition, task, agent),
        model: agent.map_or_else(ModelSettings::default, |agent| model_settings(definition, state, agent)),
        reserved: task.reserved,
        unattended: state.run.as_ref().is_some_and(|run| run.unattended),
    }
}

/// The settings of an agent's model in this run.
pub(super) fn model_settings(definition: &Definition, state: &State, agent: &Agent) -> ModelSettings {
    let run = RunScope::new(definition, state);
    let computed = agent.longest_answer.as_ref().and_then(|longest| longest.evaluate(&Scope::new(&run)).as_f64());
    let max_tokens = computed.filter(|tokens| *tokens >= 1.0).map(|tokens| tokens as u64);
    ModelSettings { max_tokens: max_tokens.or(agent.model.max_tokens), ..agent.model.clone() }
}

/// Which working tree a task has to itself, if its agent needs one. Tasks of the same name that come later go on in it: a plan's task,
/// whichever state works on it, and else whoever plays the same role.
fn working_tree(definition: &Definition, task: &Task, agent: Option<&Agent>) -> Option<String> {
    agent.filter(|agent| agent.works_in.is_some() && task.work == CallWork::Prompt)?;
    // Whoever stands in goes on where the first has worked.
    let role = definition.agents.get(&task.agent).map_or_else(|| task.agent.to_string(), |first| first.role.clone());
    Some(match (&task.plan_task, &task.item) {
        (Some(id), _) => id.clone(),
        (None, Some((number, _))) => format!("{role}-{number}"),
        (None, None) => role,
    })
}

/// Tests and builds may run again; so may anything pure.
pub(super) fn class_of(definition: &Definition, task: &Task) -> Class {
    current_agent(definition, task).map_or(Class::Pure, |agent| agent.class)
}

pub(super) fn timeout_of(definition: &Definition, state: &State, task: &Task) -> u64 {
    const BUILTIN_MS: u64 = 60_000;
    match (&task.work, definition.state(state.here.state.as_str()).map(|state| &state.work)) {
        (CallWork::Command { .. }, Some(Work::Command(command))) => command.timeout_ms,
        _ => current_agent(definition, task).map_or(BUILTIN_MS, |agent| agent.timeout_ms),
    }
}

impl Task {
    pub(super) fn new(id: TaskId, order: u32, agent: AgentName, work: CallWork, input: Value, at: Time) -> Self {
        Self {
            id,
            order,
            agent,
            work,
            status: TaskStatus::Held,
            input,
            attempt: 0,
            tries: 0,
            link: 0,
            asked_again: 0,
            correction: None,
            answers: Vec::new(),
            asking: None,
            reserved: Default::default(),
            heard: None,
            errors: Vec::new(),
            item: None,
            plan_task: None,
            alternative: false,
            answering: None,
            created_at: at,
            started_at: None,
            usage: Default::default(),
        }
    }

    /// What a person wrote as the agent was the result of one attempt, and is not offered to the next.
    pub(super) fn forget_played(&mut self) {
        self.answers.retain(|answered| !answered.question.is_task);
    }
}
