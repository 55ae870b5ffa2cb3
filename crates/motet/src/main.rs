//! The program. It only joins the parts.

mod asking;
mod builtins;
mod cassette;
mod casting;
mod cli;
mod config;
mod detection;
mod driving;
mod editing;
mod given;
mod graph;
mod home;
mod judging;
mod library;
mod performing;
mod playing;
mod progress;
mod rehearsal;
mod researching;
#[cfg(test)]
#[path = "../tests/scratch.rs"]
mod scratch;
mod spending;
mod stand_in;
mod word;

fn main() -> std::process::ExitCode {
    cli::run()
}
