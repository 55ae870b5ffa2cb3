//! The real binary, in directories of its own.

mod evidence;
mod guide;
mod runs;
mod scratch;
mod workflows;
