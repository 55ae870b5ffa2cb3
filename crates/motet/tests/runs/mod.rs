//! Runs from the outside: how they start, end, wait, survive, and are read back.

mod damage;
mod ends;
mod gates;
mod project;
mod reading;
mod starting;
mod survival;
