//! What the crate promises, seen from outside.

mod claims;
mod hostile;
