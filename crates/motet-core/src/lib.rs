//! The pure machine: a workflow's definition, its static proof, and the one function that runs it.
//! There is no clock, file, environment, randomness or thread in this crate; hosts bring them in as events.

pub mod case;
pub mod check;
pub mod definition;
pub mod diagnostic;
pub mod edits;
pub mod effect;
pub mod event;
pub mod expression;
pub mod files;
pub mod language;
pub mod names;
pub mod rejected;
pub mod schema;
pub mod state;
mod step;
pub mod template;
pub mod tokens;
pub mod units;
pub mod verdict;
pub mod view;

pub use definition::{Definition, Folder};
pub use diagnostic::Diagnostic;
pub use effect::{Call, CallWork, Effect};
pub use event::{Event, Fact};
pub use rejected::Rejected;
pub use state::State;
pub use step::{MOVES, RunScope, may_move, outstanding, step};
pub use view::{RunView, view};
