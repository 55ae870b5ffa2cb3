//! Evidence from outside: the crate as its users see it.

mod archiving;
mod claims;
mod extracting;
mod fetching;
mod functions;
mod gathering;
mod hostile;
mod indexing;
mod libraries;
mod scratch;
mod searching;
mod tools;
