//! Runs from the outside: how they start, end, wait, survive, and are read back.

mod children;
mod damage;
mod effects;
mod ends;
mod gates;
mod kills;
mod money;
mod ollama;
mod project;
mod reading;
mod starting;
mod survival;
