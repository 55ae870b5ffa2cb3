//! The program. It only joins the parts.

mod cli;
mod graph;
mod library;
mod rehearsal;

fn main() -> std::process::ExitCode {
    cli::run()
}
