//! `cargo xtask bench [--json]`: how fast the host is on this machine, and whether that is enough.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program for the terminal")]

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use motet_testkit::bench::{Bar, Measure, gate_crowd, measure, stuck_crowd, to_json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        [] => measured().map(|measures| measures.iter().for_each(show)),
        ["--json"] => measured().map(|measures| println!("{:#}", to_json(&measures))),
        [task @ ("stuck-crowd" | "gate-crowd"), home, runs] => wait_in_crowd(task, Path::new(home), runs),
        _ => Err("the only option is --json".to_string()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn measured() -> Result<Vec<Measure>, String> {
    let motet = std::env::var_os("MOTET_BINARY").map(PathBuf::from);
    measure(motet.as_deref())
}

fn show(measure: &Measure) {
    let bar = match measure.bar {
        None => String::new(),
        Some(Bar::AtLeast(bar)) => format!("at least {bar:.0}"),
        Some(Bar::AtMost(bar)) => format!("at most {bar:.0}"),
    };
    let missed = if measure.is_cleared() { "" } else { "  MISSED" };
    println!("{:<22}{:>12.1}   {bar}{missed}", measure.name, measure.value);
}

/// The other side of a measurement: gets ready, says so, and waits for the end.
fn wait_in_crowd(task: &str, home: &Path, runs: &str) -> Result<(), String> {
    let runs: u64 = runs.parse().map_err(|_| format!("`{runs}` is not a number"))?;
    match task {
        "stuck-crowd" => stuck_crowd(home, runs)?,
        _ => gate_crowd(home, runs)?,
    }
    println!("ready");
    // Ends with the process that started it, if that dies before it kills.
    let mut nothing = Vec::new();
    std::io::stdin().read_to_end(&mut nothing).map(drop).map_err(|error| error.to_string())
}
