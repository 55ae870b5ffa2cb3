//! What watchers are told, once it is durable.

use std::sync::Arc;

use motet_core::event::Event;
use motet_core::names::RunId;
use motet_core::state::Ended;
use motet_core::units::Time;
use motet_core::{Definition, State};

use crate::files::Problem;
use crate::{journal, store};

/// False: tell me no more.
pub type Watcher = Box<dyn FnMut(&Notice<'_>) -> bool + Send>;

pub enum Notice<'a> {
    /// What happened to a run, and how it stands after that.
    Advanced {
        run: &'a RunId,
        definition: &'a Arc<Definition>,
        state: &'a State,
        events: &'a [Event],
    },
    /// The run only waits: for a person, a moment, or to be resumed.
    Idle {
        run: &'a RunId,
    },
    Ended {
        run: &'a RunId,
        ended: &'a Ended,
    },
    Unreadable {
        run: &'a RunId,
        error: &'a journal::Error,
    },
    /// Nothing can be written, so nothing goes on; it is tried again at this moment.
    Stalled {
        error: &'a store::Error,
        until: Time,
    },
    Unstalled,
    Fenced,
    /// A file of the run could not be written; the run goes on.
    FileProblem {
        run: &'a RunId,
        problem: &'a Problem,
    },
}
