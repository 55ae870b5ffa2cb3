//! A host in fifty lines: virtual time, answers from a closure, and the laws checked after every event.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::definition::{Definition, Folder};
use crate::effect::{Call, Effect};
use crate::event::{Answer, EVENT_VERSION, Event, Fact, Failure, FailureKind, Person, Question, RunStarted, Usage};
use crate::language::{Library, load};
use crate::names::{GateId, TaskId};
use crate::rejected::Rejected;
use crate::state::{State, Status, TaskStatus};
use crate::step::{outstanding, step};
use crate::units::{Time, Usd};

pub struct Play {
    pub definition: Definition,
    pub state: State,
    pub events: Vec<Event>,
    pub now: Time,
    /// Calls performed, in order.
    pub calls: Vec<Call>,
    /// Started, and not yet answered.
    pub running: Vec<Call>,
    pub most_at_once: usize,
}

pub enum Reply {
    Returns(Value, Usage),
    Fails(FailureKind, String),
    Asks(Question),
    Hangs,
}

pub fn returns(value: Value) -> Reply {
    Reply::Returns(value, Usage::default())
}

pub fn fails(kind: FailureKind, message: &str) -> Reply {
    Reply::Fails(kind, message.to_string())
}

struct Nothing;

impl Library for Nothing {
    fn workflow(&self, _name: &str) -> Option<Folder> {
        None
    }
    fn has_builtin(&self, _name: &str) -> bool {
        true
    }
    fn builtins(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Play {
    /// A machine from the text of its `workflow.yaml`; prompts named in it are empty files.
    pub fn new(yaml: &str) -> Self {
        let yaml = format!("workflow: test\nversion: 1.0.0\nsummary: A test.\n{yaml}");
        let mut folder: Folder = BTreeMap::new();
        for path in yaml
            .split(|c: char| c.is_whitespace() || ",{}".contains(c))
            .filter(|word| word.starts_with("prompts/") || word.starts_with("files/"))
        {
            folder.insert(path.to_string(), String::new());
        }
        folder.insert("workflow.yaml".to_string(), yaml);
        let text = folder["workflow.yaml"].clone();
        let definition = match load(folder, &Nothing) {
            Ok((definition, _)) => definition,
            Err(problems) => panic!("{}", problems.iter().map(|problem| problem.render(|_| Some(&text))).collect::<String>()),
        };
        Self {
            definition,
            state: State::default(),
            events: Vec::new(),
            now: Time(0),
            calls: Vec::new(),
            running: Vec::new(),
            most_at_once: 0,
        }
    }

    pub fn start(self, input: Value) -> Self {
        self.start_with(input, |_| {})
    }

    pub fn start_with(mut self, input: Value, change: impl Fn(&mut RunStarted)) -> Self {
        self.try_start(input, change).expect("the run starts");
        self
    }

    pub fn try_start(&mut self, mut input: Value, change: impl Fn(&mut RunStarted)) -> Result<(), Rejected> {
        self.definition.input.fill_defaults(&mut input);
        let mut started = RunStarted {
            version: EVENT_VERSION,
            run: "run".into(),
            workflow: self.definition.name.clone(),
            workflow_version: self.definition.version.clone(),
            digest: self.definition.digest.clone(),
            input,
            by: Person::named("ada"),
            unattended: false,
            cost: None,
            time_ms: None,
            prices: BTreeMap::new(),
            children: BTreeMap::new(),
            people: BTreeMap::new(),
            bindings: Value::Null,
            parent: None,
            number: None,
            seed: None,
        };
        change(&mut started);
        self.say(Fact::RunStarted(Box::new(started))).map(|_| ())
    }

    /// Applies one fact and checks every law that can be checked here.
    pub fn say(&mut self, fact: Fact) -> Result<Vec<Effect>, Rejected> {
        let event = Event { seq: self.state.seq + 1, at: self.now, fact };
        let before = self.state.clone();
        let effects = match step(&self.definition, &mut self.state, &event) {
            Ok(effects) => effects,
            Err(rejected) => {
                assert_eq!(self.state, before, "a rejected event changed the state");
                return Err(rejected);
            }
        };
        self.now = self.state.now;
        self.events.push(event.clone());
        let mut again = self.state.clone();
        assert!(step(&self.definition, &mut again, &event).is_err(), "a duplicate was accepted");
        assert_eq!(again, self.state, "a duplicate changed the state");
        let text = serde_json::to_string(&self.state).expect("a state can be written");
        assert_eq!(serde_json::from_str::<State>(&text).expect("a state can be read"), self.state, "a snapshot lost something");
        let line = serde_json::to_string(&event).expect("an event can be written");
        assert_eq!(serde_json::from_str::<Event>(&line).expect("an event can be read"), event, "an event lost something");
        for effect in &effects {
            match effect {
                Effect::Perform(call) => {
                    self.calls.push((**call).clone());
                    self.running.push((**call).clone());
                    self.most_at_once = self.most_at_once.max(self.running.len());
                }
                Effect::StopTask { task, attempt } => self.running.retain(|call| call.task != *task || call.attempt != *attempt),
                _ => {}
            }
        }
        Ok(effects)
    }

    /// Replaying every prefix gives what was seen live.
    pub fn check_replay(&self) {
        let mut state = State::default();
        for event in &self.events {
            step(&self.definition, &mut state, event).expect("what was accepted is accepted again");
        }
        assert_eq!(state, self.state, "replay and live differ");
    }

    /// Takes up everything that is queued.
    pub fn start_queued(&mut self) {
        for effect in outstanding(&self.definition, &self.state) {
            if let Effect::StartTask(call) = effect {
                self.say(Fact::TaskStarted { task: call.task, attempt: call.attempt }).expect("a queued task starts");
            }
        }
    }

    /// Goes on until only people, or nothing at all, can go on.
    pub fn run(&mut self, mut reply: impl FnMut(&Call) -> Reply) -> &mut Self {
        for _ in 0..10_000 {
            self.start_queued();
            if let Some(position) = self.running.iter().position(|call| !self.is_hanging(call)) {
                let call = self.running.remove(position);
                match reply(&call) {
                    Reply::Hangs => {
                        self.running.push(call.clone());
                        self.hang(&call);
                    }
                    other => self.answer(&call, other),
                }
                continue;
            }
            if !self.running.is_empty() || self.state.tasks.values().any(|task| task.status == TaskStatus::Waiting) {
                self.next_timer();
                continue;
            }
            break;
        }
        self.check_replay();
        self
    }

    fn is_hanging(&self, call: &Call) -> bool {
        call.reserved == Usd(u64::MAX)
    }

    fn hang(&mut self, call: &Call) {
        if let Some(running) = self.running.iter_mut().find(|running| running.task == call.task) {
            running.reserved = Usd(u64::MAX);
        }
    }

    pub fn answer(&mut self, call: &Call, reply: Reply) {
        let (task, attempt) = (call.task.clone(), call.attempt);
        let usage = Usage::default();
        let fact = match reply {
            Reply::Returns(result, usage) => Fact::TaskSucceeded { task, attempt, result, usage, exchanges: Vec::new() },
            Reply::Fails(kind, message) => {
                Fact::TaskFailed { task, attempt, error: Failure { kind, message }, usage, exchanges: Vec::new() }
            }
            Reply::Asks(question) => Fact::TaskAsked { task, attempt, question, usage, exchanges: Vec::new() },
            Reply::Hangs => return,
        };
        self.say(fact).expect("an answer is taken");
    }

    /// Time passes to the next timer.
    pub fn next_timer(&mut self) {
        let (timer, at) =
            self.state.timers.iter().min_by_key(|(_, at)| **at).map(|(timer, at)| (timer.clone(), *at)).expect("something is due");
        self.now = at;
        self.say(Fact::TimerFired { timer }).expect("a set timer fires");
    }

    pub fn choose(&mut self, option: &str) -> Result<(), Rejected> {
        self.choose_as("ada", option, None)
    }

    pub fn choose_as(&mut self, name: &str, option: &str, text: Option<&str>) -> Result<(), Rejected> {
        let gate = self.gate();
        let answer = Answer {
            by: Person::named(name),
            option: Some(option.to_string()),
            text: text.map(String::from),
            answers: BTreeMap::new(),
            seen: None,
        };
        self.say(Fact::GateAnswered { gate, answer }).map(|_| ())
    }

    pub fn gate(&self) -> GateId {
        self.state.gates.keys().next().cloned().expect("a gate is open")
    }

    pub fn path(&self) -> String {
        self.state.path.iter().map(|passage| passage.to.as_str()).collect::<Vec<_>>().join(" ")
    }

    pub fn outcome(&self) -> &'static str {
        self.state.ended.as_ref().map_or("open", |ended| ended.outcome.word())
    }

    pub fn output(&self) -> Value {
        self.state.ended.as_ref().map_or(Value::Null, |ended| ended.output.clone())
    }

    pub fn is_paused(&self) -> bool {
        matches!(self.state.status, Status::Paused { .. })
    }

    pub fn task(&self, id: &str) -> &crate::state::Task {
        &self.state.tasks[&TaskId::new(id)]
    }

    pub fn warnings(&self) -> Vec<&str> {
        self.state.warnings.iter().map(|warning| warning.text.as_str()).collect()
    }
}

pub fn cost(value: Value, dollars: f64) -> Reply {
    Reply::Returns(value, Usage { cost: Usd::from_dollars(dollars).expect("a price"), ..Usage::default() })
}

pub fn nothing() -> Value {
    json!({})
}
