//! The real binary, in directories of its own.

mod runs;
mod scratch;
mod workflows;
