//! For tests only: one conformance suite that every store passes, and a simulator that finds what no test thought of.
//! Nothing here is part of the program.

pub mod conformance;
pub mod fuzz;
pub mod providers;
pub mod random;
pub mod reference;
pub mod simulator;
pub mod workflows;
