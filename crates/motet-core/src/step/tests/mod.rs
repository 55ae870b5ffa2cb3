//! The machine, driven by hand: every event of every test also checks the laws.

mod budget;
mod control;
mod exhaustive;
mod failure;
mod flow;
mod gates;
mod generated;
mod leaving;
mod plans;
mod play;
mod questions;

use play::{Play, fails, returns};
