//! Drives one run in this process, from wherever it stands until it ends, waits or is interrupted.
//! The machine and the host do the work; here their notices meet the terminal, the signals and the person at the keyboard.

mod attending;
mod children;
mod consent;
mod conversing;
mod opening;
mod players;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use motet_core::event::{Person, RunStarted};
use motet_core::names::{RunId, TaskId};
use motet_core::{Definition, Event};
use motet_host::control::Server;
use motet_host::engine::{Command, Definitions, Engine, Refusal, Settings};
use motet_host::{Driver, Handle, Notice, Request, Sqlite, wall_clock};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cli::{Context, Exit, Failure};
use crate::config::Config;
use crate::given;
use crate::home::Mirror;
use crate::performing::{Performing, ProgressText};
use crate::progress::Display;
use crate::spending::Admission;
use attending::Attending;
use children::Child;
use opening::write_files_again;
pub use opening::{Opened, casting, ended, open_existing, open_new};
use players::Players;

/// What takes longer is told.
const MOMENT: Duration = Duration::from_millis(500);

/// How the run is driven from here.
#[derive(Clone, Debug)]
pub struct Manner {
    /// Gates are asked at this terminal.
    pub attended: bool,
    /// Gates are answered with their first option or their defaults.
    pub yes: bool,
    /// Stays while the run waits, since others may answer.
    pub hold: bool,
    pub by: Person,
}

/// What is told to the thread that talks to people.
pub enum Signal {
    Events(Vec<Event>),
    /// A run that a task of ours has started.
    Child {
        run: RunId,
        child: Child,
    },
    Progress {
        run: RunId,
        task: TaskId,
        text: ProgressText,
    },
    /// What was asked first is durable.
    Accepted,
    Refused(Box<Refusal>),
    Unreadable {
        run: RunId,
        why: String,
    },
    Say(String),
    /// A file of our run is not as the run says.
    Unwritten(String),
    Fenced,
    /// What somebody typed; None: they have closed the keyboard.
    Line(Option<String>),
    Interrupted,
    /// The case that is played has nothing more to say to the run as it stands.
    NothingToPlay,
    /// The case lets the process die here.
    Crash,
    /// The driver's thread is over.
    Over(Option<motet_host::store::Error>),
}

/// What happens first to the run.
pub enum First {
    Start { started: Box<RunStarted>, definition: Arc<Definition> },
    Fork { from: RunId, at_seq: u64, set: BTreeMap<String, Value> },
    Claim,
}

/// Drives a run that has been opened, beginning with `commands` to it or to runs that it has started, until it needs nobody here any more.
pub fn drive(context: &Context, opened: Opened, commands: Vec<(RunId, Command)>, manner: &Manner) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format!("the threads for the agents could not be started: {error}")))?;
    let (signals, received) = channel();
    listen_for_interrupts(&runtime, signals.clone());
    let Opened { store, mirror, casting, past, first, admission } = opened;
    let players = Players::new(runtime.handle(), &casting, &mirror.run, &past, &first, &signals, context)?;
    let plays = matches!(players, Players::Play(_));

    let driver_id = store.driver_id().cloned();
    let driver = driver(context, store, players.clone())?;
    let handle = driver.handle();
    watch(&handle, &mirror.run, players, signals.clone());
    let asked = 1 + commands.len();
    let admission = admission.map(Arc::new);
    request(&handle, first, &mirror.run, &signals, admission.clone());
    command(&handle, commands, &signals, admission);

    let mut display = Display::new(context.json, context.paint, &mirror);
    let server = match driver_id.map(|id| Server::start(&context.home.directory, &id, handle.clone())) {
        Some(Ok(server)) => Some(server),
        Some(Err(error)) => {
            display.say(&format!("other processes cannot reach this run: the socket could not be made: {error}"));
            None
        }
        None => None,
    };
    let over = signals.clone();
    let thread = std::thread::Builder::new().name("motet-driver".into()).spawn(move || {
        let ended = driver.run();
        let _ = over.send(Signal::Over(ended.err()));
    });
    let thread = thread.map_err(|error| Failure::failed(format!("the driver's thread could not be started: {error}")))?;

    let mut attending =
        Attending::new(context, mirror, display, handle.clone(), manner.clone(), signals).awaiting(asked).beside_a_play(plays);
    let exit = attend(&mut attending, &received);
    handle.shut_down();
    hear_out(&mut attending, &received, &thread);
    // A driver that panicked has said so already.
    let _ = thread.join();
    drop(server);
    runtime.shutdown_timeout(Duration::from_secs(3));
    attending.leave(&received, exit)
}

/// Applies commands to a run that nobody drives, without going on with it.
pub fn apply(context: &Context, opened: Opened, commands: Vec<(RunId, Command)>) -> Result<Mirror, Failure> {
    let (signals, received) = channel();
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(|error| Failure::failed(format!("the driver could not be started: {error}")))?;
    let Opened { store, mut mirror, casting, past, first, admission } = opened;
    let players = Players::new(runtime.handle(), &casting, &mirror.run, &past, &first, &signals, context)?;
    let driver = driver(context, store, players.clone())?;
    let handle = driver.handle();
    watch(&handle, &mirror.run, players, signals.clone());
    let admission = admission.map(Arc::new);
    request(&handle, first, &mirror.run, &signals, admission.clone());
    command(&handle, commands, &signals, admission);
    // Everything waits before the driver begins, so it is one turn, and nothing is taken up in it.
    handle.shut_down();
    driver.run()?;
    drop(signals);
    while let Ok(signal) = received.try_recv() {
        match signal {
            Signal::Events(events) => {
                for event in &events {
                    mirror.apply(event);
                }
            }
            Signal::Refused(refusal) => return Err((*refusal).into()),
            _ => {}
        }
    }
    Ok(mirror)
}

fn attend(attending: &mut Attending<'_>, received: &Receiver<Signal>) -> Result<Exit, Failure> {
    loop {
        match received.recv_timeout(attending.patience()) {
            Ok(signal) => attending.on(signal),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return Ok(Exit::Interrupted),
        }
        // Everything that waits is taken in before anything is drawn or decided.
        while let Ok(signal) = received.try_recv() {
            attending.on(signal);
        }
        if let Some(exit) = attending.decide() {
            return exit;
        }
    }
}

/// Those at work are stopped and may say what they came to. Whoever waits for that longer than a moment is told.
fn hear_out(attending: &mut Attending<'_>, received: &Receiver<Signal>, thread: &JoinHandle<()>) {
    let mut is_told = false;
    while !thread.is_finished() {
        match received.recv_timeout(MOMENT) {
            Ok(Signal::Over(_)) | Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return,
            Ok(signal) => attending.on(signal),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) if is_told => {}
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                attending.say("stopping what is at work, and writing down what it says; Ctrl-C ends at once");
                is_told = true;
            }
        }
    }
}

fn driver(context: &Context, store: Sqlite, players: Players) -> Result<Driver<Sqlite>, Failure> {
    let definitions = Definitions::new(context.library());
    // A case leaves nothing to chance.
    let chance = matches!(players, Players::Agents(_));
    let recall = Performing::recall(&context.home);
    let settings = Settings { places: Config::near(&context.directory)?.places(), chance, recall, ..Settings::default() };
    let engine = Engine::new(store, definitions, settings);
    let home = Some(context.home.directory.clone());
    Ok(match players {
        Players::Agents(performing) => Driver::new(engine, *performing, wall_clock(), home),
        Players::Play(play) => {
            let driver = Driver::new(engine, play.clone(), play.clone(), home);
            play.speak_through(driver.handle());
            driver
        }
    })
}

fn request(handle: &Handle, first: First, run: &RunId, signals: &Sender<Signal>, admission: Option<Arc<Admission>>) {
    let request = match first {
        First::Start { started, definition } => Request::Start { started, definition },
        First::Fork { from, at_seq, set } => Request::Fork { from, at_seq, run: run.clone(), set },
        First::Claim => Request::Claim { run: run.clone() },
    };
    ask(handle, request, signals, admission);
}

fn command(handle: &Handle, commands: Vec<(RunId, Command)>, signals: &Sender<Signal>, admission: Option<Arc<Admission>>) {
    for (run, command) in commands {
        ask(handle, Request::Command { run, command: given::command(command) }, signals, admission.clone());
    }
}

/// Others are admitted once every answer is there, when all that was decided is durable.
fn ask(handle: &Handle, request: Request, signals: &Sender<Signal>, admission: Option<Arc<Admission>>) {
    let signals = signals.clone();
    handle.ask_then(request, move |result| {
        drop(admission);
        let signal = result.map_or_else(|refusal| Signal::Refused(Box::new(refusal)), |_| Signal::Accepted);
        let _ = signals.send(signal);
    });
}

/// Passes on what the driver tells, of our run and of the runs that it starts.
fn watch(handle: &Handle, run: &RunId, players: Players, signals: Sender<Signal>) {
    let ours = run.clone();
    handle.watch(move |notice| {
        let signal = match notice {
            Notice::Advanced { run, definition, events, state } => {
                // Before the calls of the same turn are performed, which come after this notice.
                match &players {
                    Players::Play(play) => play.advanced(run, definition, state, events),
                    Players::Agents(performing) => performing.journaled(run, state, events),
                }
                if **run == ours {
                    Signal::Events(events.to_vec())
                } else {
                    Signal::Child { run: (*run).clone(), child: Child::of(run, state) }
                }
            }
            Notice::Idle { .. } | Notice::Ended { .. } => return true,
            Notice::Unreadable { run, error } => Signal::Unreadable { run: (*run).clone(), why: error.to_string() },
            Notice::Stalled { error, .. } => Signal::Say(format!("nothing can be written, so the run waits: {error}")),
            Notice::Unstalled => Signal::Say("writing works again; the run goes on".into()),
            Notice::Fenced => Signal::Fenced,
            Notice::FileProblem { run, problem } if **run == ours && problem.kept.is_none() => Signal::Unwritten(problem.to_string()),
            Notice::FileProblem { problem, .. } => Signal::Say(problem.to_string()),
        };
        signals.send(signal).is_ok()
    });
}

/// The first interrupt is told to the run; the second ends the process at once.
fn listen_for_interrupts(runtime: &tokio::runtime::Runtime, signals: Sender<Signal>) {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind: SignalKind| {
        let _entered = runtime.enter();
        signal(kind).ok()
    };
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let Some(mut arrivals) = listen(kind) else { continue };
        let signals = signals.clone();
        runtime.spawn(async move {
            arrivals.recv().await;
            let _ = signals.send(Signal::Interrupted);
            arrivals.recv().await;
            // Nothing is dropped by this end, and no program shall go on for a run that nobody drives.
            motet_agents::command::kill_all();
            std::process::exit(i32::from(Exit::Interrupted.code()));
        });
    }
}
