//! Runs from the outside: how they start, end, wait, survive, and are read back.

mod absence;
mod caps;
mod children;
mod coding;
mod damage;
mod defects;
mod edits;
mod effects;
mod ends;
mod every_state;
mod evidence_tools;
mod gates;
mod kills;
mod live;
mod money;
mod offline;
mod ollama;
mod project;
mod reading;
mod research;
mod rewriting;
mod settings;
mod sources;
mod starting;
mod survival;
mod worktrees;
