//! The journal: how events become rows of a chain, and how rows become a run again.
//! It reads through any store and writes nothing; committing is the engine's business.

mod chain;
mod encoding;
mod error;
mod load;
mod verify;

pub use chain::{first_link, next_link};
pub use encoding::{Encoded, decode, deepest_allowed, encode, is_too_deep, pack_folder, unpack_folder};
pub use error::Error;
pub use load::{Loaded, events, first_event, load, replay};
pub use verify::{Broken, Verified, verify};

/// A value inside an event that is larger than this is kept as a payload.
pub const LARGE: usize = 4096;
