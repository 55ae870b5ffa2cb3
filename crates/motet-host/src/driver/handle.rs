//! How other threads talk to the driver: they ask, watch, look, and shut it down.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use motet_core::event::RunStarted;
use motet_core::names::RunId;
use motet_core::{Definition, State};
use serde_json::Value;

use super::notice::{Notice, Watcher};
use crate::engine::{Command, Input, Refusal, Token};

pub type Answer = Box<dyn FnOnce(Result<Vec<RunId>, Refusal>) + Send>;
type Look = Box<dyn FnOnce(Option<(&Arc<Definition>, &State)>) + Send>;

pub enum Message {
    Request(Request, Answer),
    Completed(Box<Input>),
    Look(RunId, Look),
    Watch(Watcher),
    ShutDown,
}

/// What can be asked of a driver.
pub enum Request {
    Start { started: Box<RunStarted>, definition: Arc<Definition> },
    Fork { from: RunId, at_seq: u64, run: RunId, set: BTreeMap<String, Value> },
    Claim { run: RunId },
    ClaimAll,
    Command { run: RunId, command: Command },
}

impl Request {
    pub(super) fn into_input(self, token: Token) -> Input {
        match self {
            Request::Start { started, definition } => Input::Start { token, started, definition },
            Request::Fork { from, at_seq, run, set } => Input::Fork { token, from, at_seq, run, set },
            Request::Claim { run } => Input::Claim { token, run },
            Request::ClaimAll => Input::ClaimAll { token },
            Request::Command { run, command } => Input::Command { token, run, command },
        }
    }
}

#[derive(Clone)]
pub struct Handle {
    sender: Sender<Message>,
}

impl Handle {
    pub(super) fn new(sender: Sender<Message>) -> Self {
        Self { sender }
    }

    /// Asks, and waits for the answer. What was asked is durable when this returns `Ok`.
    pub fn ask(&self, request: Request) -> Result<Vec<RunId>, Refusal> {
        let (answer, answered) = channel();
        self.ask_then(request, move |result| drop(answer.send(result)));
        answered.recv().unwrap_or(Err(Refusal::Closed))
    }

    /// Asks; the answer goes to `then`, on the driver's thread. It is dropped unheard if the driver has ended.
    pub fn ask_then(&self, request: Request, then: impl FnOnce(Result<Vec<RunId>, Refusal>) + Send + 'static) {
        // A driver that has ended drops the message, and `then` with it.
        let _ = self.sender.send(Message::Request(request, Box::new(then)));
    }

    /// Looks at a run as it stands; None if this driver does not have it.
    pub fn look<T: Send + 'static>(&self, run: &RunId, look: impl FnOnce(&Arc<Definition>, &State) -> T + Send + 'static) -> Option<T> {
        let (answer, answered) = channel();
        let look: Look = Box::new(move |found| {
            let _ = answer.send(found.map(|(definition, state)| look(definition, state)));
        });
        let _ = self.sender.send(Message::Look(run.clone(), look));
        answered.recv().ok().flatten()
    }

    /// Tells the watcher everything from now on, until it answers false. It runs on the driver's thread and must be quick.
    pub fn watch(&self, watcher: impl FnMut(&Notice<'_>) -> bool + Send + 'static) {
        let _ = self.sender.send(Message::Watch(Box::new(watcher)));
    }

    /// Ends the driver after what has come in before this. What is still performed is stopped, and left to the next process.
    pub fn shut_down(&self) {
        let _ = self.sender.send(Message::ShutDown);
    }
}
