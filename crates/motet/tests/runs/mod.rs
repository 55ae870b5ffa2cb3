//! Runs from the outside: how they start, end, wait, survive, and are read back.

mod children;
mod damage;
mod ends;
mod every_state;
mod gates;
mod kills;
mod ollama;
mod project;
mod reading;
mod starting;
mod survival;
