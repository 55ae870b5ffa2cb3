//! The program. It only joins the parts.

mod cli;
mod graph;
mod library;
mod rehearsal;
#[cfg(test)]
#[path = "../tests/scratch.rs"]
mod scratch;

fn main() -> std::process::ExitCode {
    cli::run()
}
