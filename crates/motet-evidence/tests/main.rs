//! Evidence from outside: the crate as its users see it.

mod archiving;
mod extracting;
mod fetching;
mod indexing;
mod libraries;
mod scratch;
mod searching;
mod tools;
