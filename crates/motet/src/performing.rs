//! The bridge between the host, which has no async runtime, and the agents, which need one.
//! It decides nothing: what a call is and what becomes of its outcome, the machine says.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use motet_agents::{
    BoxFuture, Context, Delay, LAST_WORDS, Outcome as Came, Performer, Progress, Redactor, Request, Spool, Stop, StopReason,
};
use motet_core::definition::Returns;
use motet_core::event::{FailureKind, Usage};
use motet_core::names::{RunId, TaskId};
use motet_core::{Call, CallWork, Definition, Event, Fact, State, verdict};
use motet_host::engine::{Outcome, Recall};
use motet_host::{Done, HeldUp, Perform};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::casting::{Casting, Workshop};
use crate::driving::Signal;
use crate::home::Home;
use crate::researching::{Found, Researching};

type Attempt = (RunId, TaskId, u32);

/// Performs the calls of one process. Runs that a run starts are played by the same players.
#[derive(Clone)]
pub struct Performing {
    runtime: Handle,
    performer: Performer,
    under_way: Arc<Mutex<BTreeMap<Attempt, UnderWay>>>,
    /// Calls that rules answer, one after another in the order of the journal, so that the same run comes out the same way twice. Their
    /// sources are searched side by side: only what is made of them needs an order.
    in_order: UnboundedSender<BoxFuture<'static, ()>>,
    signals: Sender<Signal>,
    home: Home,
    researching: Researching,
    redactor: Redactor,
}

/// An attempt that is being performed, as far as it can be reached from outside.
struct UnderWay {
    stop: Stop,
    delay: Delay,
}

impl Performing {
    /// What the players' keys are is hidden from here on, in what they say and in what is printed.
    pub fn new(runtime: Handle, casting: &Casting, signals: Sender<Signal>, home: Home) -> Self {
        let redactor = motet_agents::hide(casting.secrets());
        let workshop = Workshop::new(&casting.tools);
        let performer = casting.performer(&workshop, redactor.clone());
        let (in_order, mut waiting) = unbounded_channel::<BoxFuture<'static, ()>>();
        runtime.spawn(async move {
            while let Some(call) = waiting.recv().await {
                call.await;
            }
        });
        let researching = Researching::new(casting, &workshop, home.clone(), redactor.clone());
        Self { runtime, performer, under_way: Arc::default(), in_order, signals, home, researching, redactor }
    }

    fn context(&self, call: &Call) -> (Context, Stop) {
        let (signals, task) = (self.signals.clone(), call.task.clone());
        let run = call.run.clone();
        let (context, stop) = Context::new();
        let context = context.redacting(self.redactor.clone());
        let directory: PathBuf = self.home.run_directory(&call.run);
        let spool = Spool::new(self.home.spool(&call.run, &call.task, call.attempt));
        let context = context.in_run_directory(directory).keeping_runs_in(&self.home.directory).spooling_to(spool);
        let context = context.working_in(self.home.project.clone()).telling(move |progress| {
            let _ = signals.send(Signal::Progress { run: run.clone(), task: task.clone(), text: progress_text(progress) });
        });
        (context, stop)
    }

    /// These events of a run are in the journal, so what they tell of attempts need not be anywhere else.
    pub fn journaled(&self, run: &RunId, state: &State, events: &[Event]) {
        let over = events.iter().filter_map(|event| match &event.fact {
            Fact::TaskSucceeded { task, attempt, .. }
            | Fact::TaskFailed { task, attempt, .. }
            | Fact::TaskAsked { task, attempt, .. }
            | Fact::TaskInterrupted { task, attempt, .. } => Some((task, *attempt)),
            _ => None,
        });
        for (task, attempt) in over {
            let _ = std::fs::remove_file(self.home.spool(run, task, attempt));
        }
        if state.ended.is_some() {
            let _ = std::fs::remove_dir_all(self.home.spools(run));
        }
    }

    /// What an attempt had said whose process was killed.
    pub fn recall(home: &Home) -> Recall {
        let home = home.clone();
        Arc::new(move |run, task, attempt| Spool::left(&home.spool(run, task, attempt)))
    }

    fn under_way(&self) -> MutexGuard<'_, BTreeMap<Attempt, UnderWay>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at an attempt, if it is being performed.
    fn look<T>(&self, run: &RunId, task: &TaskId, attempt: u32, look: impl FnOnce(&UnderWay) -> T) -> Option<T> {
        self.under_way().get(&(run.clone(), task.clone(), attempt)).map(look)
    }
}

impl Perform for Performing {
    fn perform(&self, call: Call, definition: &Arc<Definition>, done: Done) {
        let attempt = attempt(&call);
        let (context, stop) = self.context(&call);
        let follows_rules = self.performer.follows_rules(&call);
        self.under_way().insert(attempt.clone(), UnderWay { stop, delay: context.delay().clone() });
        let began = Instant::now();
        let (under_way, definition) = (self.under_way.clone(), definition.clone());
        let (performer, researching) = (self.performer.clone(), self.researching.clone());
        let found = self.runtime.spawn(found(call, definition.clone(), researching.clone(), context.clone()));
        let work = async move {
            let came = match found.await {
                Ok(Ok(found)) => {
                    let context = context.clone().having_used(began.elapsed().saturating_sub(context.delay().so_far()));
                    match answer(found, &definition, follows_rules, &performer, &researching, &context).await {
                        Ok(came) | Err(came) => Some(came),
                    }
                }
                Ok(Err(came)) => Some(came),
                Err(_) => None,
            };
            let came = came.map(|came| match came {
                // It only waited, and may do so again when there is time for it.
                Came::Failed { .. } if context.delay().was_for_nothing() => (Outcome::Undone, Usage::default()),
                came => outcome(came),
            });
            match came {
                Some((outcome, usage)) => done.finish(outcome, usage, recorded(&context)),
                // A search that broke is reported as a call that was lost.
                None => drop(done),
            }
            // Not before its last words are on their way: who is not under way is not waited for.
            under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(&attempt);
        };
        if follows_rules {
            // It is there as long as the runtime is; without either, the call is reported as lost.
            let _ = self.in_order.send(Box::pin(work));
        } else {
            self.runtime.spawn(work);
        }
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
        let stopped = self.under_way().remove(&(run.clone(), task.clone(), attempt));
        if let Some(under_way) = stopped {
            under_way.stop.stop(StopReason::Cancelled);
        }
    }

    fn withdraw(&self, run: &RunId, task: &TaskId, attempt: u32) -> bool {
        self.look(run, task, attempt, |under_way| under_way.delay.withdraw()).unwrap_or(false)
    }

    fn wait_no_longer(&self, run: &RunId, task: &TaskId, attempt: u32) {
        self.look(run, task, attempt, |under_way| under_way.delay.end());
    }

    fn held_up(&self, run: &RunId, task: &TaskId, attempt: u32) -> HeldUp {
        let held_up = |delay: &Delay| HeldUp { so_far_ms: milliseconds(delay.so_far()), grows: delay.is_growing() };
        self.look(run, task, attempt, |under_way| held_up(&under_way.delay)).unwrap_or_default()
    }

    fn hear(&self, run: &RunId, task: &TaskId, attempt: u32) -> u64 {
        // In one look: whoever is not there any more has spoken already.
        let stopped = self.look(run, task, attempt, |under_way| under_way.stop.stop(StopReason::Cancelled));
        stopped.map_or(0, |()| milliseconds(LAST_WORDS))
    }

    fn last_words_ms(&self, run: &RunId, task: &TaskId, attempt: u32) -> u64 {
        self.look(run, task, attempt, |_| milliseconds(LAST_WORDS)).unwrap_or(0)
    }
}

/// The call with everything that is found for it.
async fn found(
    mut call: Call,
    definition: Arc<Definition>,
    researching: Researching,
    context: Context,
) -> Result<(Call, Option<Found>), Came> {
    let found = researching.gather(&mut call, &definition, &context).await?;
    Ok((call, found))
}

/// What one attempt comes to, held to what was found for it.
async fn answer(
    (call, found): (Call, Option<Found>),
    definition: &Definition,
    follows_rules: bool,
    performer: &Performer,
    researching: &Researching,
    context: &Context,
) -> Result<Came, Came> {
    let mut request = request(call, definition).map_err(|why| Came::failed(FailureKind::InvalidWorkflow, why))?;
    if follows_rules {
        request.offline = definition.offline(&request.call);
    }
    let desk = researching.desk(&request.call);
    let offered = match &desk {
        Some(desk) => context.clone().offering(desk.clone()),
        None => context.clone(),
    };
    let came = performer.perform(request, &offered).await;
    let (shown, troubles) = desk.map(|desk| (desk.shown(), desk.troubles())).unwrap_or_default();
    Ok(match found {
        Some(found) => found.hold(came, shown, troubles, context).await,
        None => came,
    })
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn attempt(call: &Call) -> Attempt {
    (call.run.clone(), call.task.clone(), call.attempt)
}

/// Adds what only the workflow knows: the prompt, and the shape of the answer.
fn request(call: Call, definition: &Definition) -> Result<Request, String> {
    let mut request = Request::new(call);
    if request.call.work == CallWork::Prompt {
        request.prompt = Some(definition.prompt(&request.call)?);
        match definition.agents.get(&request.call.agent).map(|agent| (agent, &agent.returns)) {
            Some((_, Returns::Schema(schema))) => request.schema = Some(schema.json.clone()),
            // A verdict may come as free text, which the machine reads by the agent's own words.
            Some((agent, Returns::Verdict)) => request.preferred = Some(verdict::schema(&agent.outcomes())),
            Some((_, Returns::Anything)) | None => {}
        }
    }
    Ok(request)
}

/// What an agent came to, in the words of the host.
pub fn outcome(came: Came) -> (Outcome, Usage) {
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

fn progress_text(progress: Progress) -> ProgressText {
    match progress {
        Progress::Text(piece) => ProgressText::Piece(piece),
        Progress::Log(line) | Progress::Waiting(line) => ProgressText::Line(line),
        Progress::HeldUp { by, line, lasts } => ProgressText::HeldUp { by, line, lasts },
    }
}

/// What a watcher may like to see of a task at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgressText {
    /// The next piece of an answer as it is written.
    Piece(String),
    Line(String),
    /// A provider takes no calls, for as long as is known.
    HeldUp {
        by: String,
        line: String,
        lasts: Option<Duration>,
    },
}
