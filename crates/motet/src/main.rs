//! The program. It only joins the parts.

mod asking;
mod cassette;
mod casting;
mod cli;
mod config;
mod driving;
mod graph;
mod home;
mod library;
mod performing;
mod progress;
mod rehearsal;
#[cfg(test)]
#[path = "../tests/scratch.rs"]
mod scratch;

fn main() -> std::process::ExitCode {
    cli::run()
}
