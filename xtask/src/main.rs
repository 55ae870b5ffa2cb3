//! The repository's own commands, so that a person and the CI server type the same words.
//! It stays light: what needs the machine or a database is a program of motet-testkit, started from here.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program for the terminal")]

mod ci;
mod docs;
mod live;
mod programs;
mod requirements;
mod tidy;
mod tree;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <command>

  ci                      everything that must hold before a change is merged
  tidy                    the rules of this repository that no compiler knows
  docs [--check]          write the generated documents, or say which are out of date
  sim [--seeds N]         crash, delay and damage simulated hosts; --seed S repeats one
  fuzz [--seconds N]      feed broken input to every decoder; --input FILE --target NAME repeats one
  bench [--json]          measure the release build against the raw limit of the disk
  live                    fetch a small model server from PyPI and run whole workflows against it";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["ci"] => ci::run(),
        ["tidy"] => tidy::run(),
        ["docs"] => docs::write(),
        ["docs", "--check"] => docs::check(),
        ["sim", rest @ ..] => programs::sim(rest),
        ["fuzz", rest @ ..] => programs::fuzz(rest),
        ["bench", rest @ ..] => programs::bench(rest),
        ["live"] => live::live(),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        other => Err(format!("there is no command `cargo xtask {}`\n\n{USAGE}", other.join(" "))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
