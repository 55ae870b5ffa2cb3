//! The bridge between the host, which has no async runtime, and the agents, which need one.
//! It decides nothing: what a call is and what becomes of its outcome, the machine says.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use motet_agents::person::Ask;
use motet_agents::scripted::ScriptedAgent;
use motet_agents::{BoxFuture, Context, Outcome as Came, Performer, Progress, Request, Stop, StopReason};
use motet_core::definition::Returns;
use motet_core::event::{Event, Failure, FailureKind, Usage};
use motet_core::names::{RunId, TaskId};
use motet_core::units::Time;
use motet_core::{Call, CallWork, Definition, Effect, Fact};
use motet_host::engine::Outcome;
use motet_host::{Done, Perform};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::casting::Casting;
use crate::cli;
use crate::driving::Signal;
use crate::home::Home;

type Attempt = (RunId, TaskId, u32);

/// Performs the calls of one process. Runs that a run starts are played by the same players.
#[derive(Clone)]
pub struct Performing {
    runtime: Handle,
    performer: Performer,
    /// Plays everybody, if a case does.
    script: Option<Arc<ScriptedAgent>>,
    stops: Arc<Mutex<BTreeMap<Attempt, Stop>>>,
    signals: Sender<Signal>,
    home: Home,
}

impl Performing {
    pub fn new(runtime: Handle, casting: &Casting, signals: Sender<Signal>, home: Home) -> Result<Self, cli::Failure> {
        let (performer, script) = casting.performer(&PersonPort { signals: signals.clone() })?;
        Ok(Self { runtime, performer, script, stops: Arc::default(), signals, home })
    }

    /// Tells the script, if there is one, what happened to a run: after a restart from the journal, then live.
    pub fn follow(&self, run: &RunId, event: &Event, effects: &[Effect]) {
        if let Some(script) = &self.script {
            script.follow(run, event, effects);
        }
    }

    fn context(&self, call: &Call) -> (Context, Stop) {
        let (signals, task) = (self.signals.clone(), call.task.clone());
        let run = call.run.clone();
        let (context, stop) = Context::new();
        let directory: PathBuf = self.home.run_directory(&call.run);
        let context = context.in_run_directory(directory).working_in(self.home.project.clone()).telling(move |progress| {
            let _ = signals.send(Signal::Progress { run: run.clone(), task: task.clone(), text: progress_text(progress) });
        });
        (context, stop)
    }
}

impl Perform for Performing {
    fn perform(&self, call: Call, definition: &Arc<Definition>, done: Done) {
        // Lines of a case are given out in the order of the journal, which is the order in which calls come here.
        let started = Fact::TaskStarted { task: call.task.clone(), attempt: call.attempt };
        self.follow(&call.run, &Event { seq: 0, at: Time(0), fact: started }, &[Effect::Perform(Box::new(call.clone()))]);
        let attempt = attempt(&call);
        let (context, stop) = self.context(&call);
        let request = match request(call, definition) {
            Ok(request) => request,
            Err(why) => return done.finish(failed(FailureKind::InvalidWorkflow, why), Usage::default(), Vec::new()),
        };
        self.stops.lock().unwrap_or_else(PoisonError::into_inner).insert(attempt.clone(), stop);
        let (stops, performer) = (self.stops.clone(), self.performer.clone());
        self.runtime.spawn(async move {
            let came = performer.perform(request, &context).await;
            stops.lock().unwrap_or_else(PoisonError::into_inner).remove(&attempt);
            let (outcome, usage) = outcome(came);
            done.finish(outcome, usage, recorded(&context));
        });
    }

    fn reconcile(&self, call: Call, definition: &Arc<Definition>, done: Done) {
        let (context, _stop) = self.context(&call);
        let performer = self.performer.clone();
        let request = request(call.clone(), definition).unwrap_or_else(|_| Request::new(call.clone()));
        self.runtime.spawn(async move {
            let found = performer.reconcile(request, &context).await;
            match found.settle(&call) {
                None => done.finish(Outcome::Undone, Usage::default(), recorded(&context)),
                Some(came) => {
                    let (outcome, usage) = outcome(came);
                    done.finish(outcome, usage, recorded(&context));
                }
            }
        });
    }

    fn stop(&self, run: &RunId, task: &TaskId, attempt: u32) {
        let stop = self.stops.lock().unwrap_or_else(PoisonError::into_inner).remove(&(run.clone(), task.clone(), attempt));
        if let Some(stop) = stop {
            stop.stop(StopReason::Cancelled);
        }
    }
}

fn attempt(call: &Call) -> Attempt {
    (call.run.clone(), call.task.clone(), call.attempt)
}

/// Adds what only the workflow knows: the prompt, the shape of the answer, and what its rules would say.
fn request(call: Call, definition: &Definition) -> Result<Request, String> {
    let mut request = Request::new(call);
    if request.call.work == CallWork::Prompt {
        request.prompt = Some(definition.prompt(&request.call)?);
        let agent = definition.agents.get(&request.call.agent);
        request.schema = agent.and_then(|agent| match &agent.returns {
            Returns::Schema(schema) => Some(schema.json.clone()),
            // A verdict may come as free text, which the machine reads by the agent's own words.
            Returns::Verdict | Returns::Anything => None,
        });
        request.offline = definition.offline(&request.call);
    }
    Ok(request)
}

fn outcome(came: Came) -> (Outcome, Usage) {
    let usage = came.usage();
    let outcome = match came {
        Came::Returned { result, .. } => Outcome::Succeeded(result),
        Came::Failed { failure, .. } => Outcome::Failed(failure),
        Came::Asked { question, .. } => Outcome::Asked(question),
    };
    (outcome, usage)
}

/// What the journal keeps of an attempt besides what it came to.
fn recorded(context: &Context) -> Vec<Value> {
    context.recorded().iter().filter_map(|exchange| serde_json::to_value(exchange).ok()).collect()
}

fn failed(kind: FailureKind, message: String) -> Outcome {
    Outcome::Failed(Failure { kind, message })
}

fn progress_text(progress: Progress) -> ProgressText {
    match progress {
        Progress::Text(piece) => ProgressText::Piece(piece),
        Progress::Log(line) | Progress::Waiting(line) => ProgressText::Line(line),
    }
}

/// What a watcher may like to see of a task at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgressText {
    /// The next piece of an answer as it is written.
    Piece(String),
    Line(String),
}

/// How a person who plays an agent is reached: through whoever sits at this process's terminal.
#[derive(Clone)]
pub struct PersonPort {
    signals: Sender<Signal>,
}

/// What such a person is asked.
pub struct PersonAsked {
    pub title: String,
    pub body: String,
    pub schema: Option<Value>,
    pub answer: oneshot::Sender<Option<Value>>,
}

impl Ask for PersonPort {
    fn ask<'a>(&'a self, title: &'a str, body: &'a str, schema: Option<&'a Value>) -> BoxFuture<'a, Option<Value>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let asked = PersonAsked { title: title.into(), body: body.into(), schema: schema.cloned(), answer };
            // Whoever would have asked the person is gone with the receiver; then nobody answers.
            self.signals.send(Signal::Person(Box::new(asked))).ok()?;
            answered.await.ok().flatten()
        })
    }
}
