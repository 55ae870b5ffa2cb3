//! The one test command: what must hold before a change is merged, in the order in which it fails fastest.
//! It stops at the first stage that fails; its last line says which, or how many tests passed.

mod machine;
mod tests_run;

use std::time::Instant;

use crate::programs::{cargo, motet};
use crate::tree::root;
use crate::{docs, programs, tidy};
use tests_run::Counts;

const SEEDS: &str = "2000";
const FUZZ_SECONDS: &str = "20";
/// The same inputs for everyone, so that a red run is about the change; `cargo xtask fuzz` begins somewhere else each time.
const FUZZ_SEED: &str = "1";

type Stage<'a> = (&'a str, Box<dyn FnOnce() -> Result<(), String> + 'a>);

pub fn run() -> Result<(), String> {
    let began = Instant::now();
    let counts = std::cell::RefCell::new(Counts::default());
    let _lock = machine::share_target()?;
    let stages: Vec<Stage<'_>> = vec![
        ("tools", Box::new(machine::install_tools)),
        ("format", Box::new(|| run_cargo(&["fmt", "--all", "--check"]))),
        ("tidy", Box::new(tidy::run)),
        ("clippy", Box::new(|| run_cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]))),
        ("tests", Box::new(|| tests_run::tests(&mut counts.borrow_mut()))),
        ("doctests", Box::new(|| tests_run::doctests(&mut counts.borrow_mut()))),
        ("documentation", Box::new(documentation)),
        ("generated files", Box::new(docs::check)),
        ("simulation", Box::new(|| programs::sim(&["--seeds", SEEDS]))),
        ("fuzz", Box::new(|| programs::fuzz(&["--seconds", FUZZ_SECONDS, "--seed", FUZZ_SEED]))),
        ("motet check", Box::new(|| run_motet(&["check", "--all"]))),
        ("motet test", Box::new(|| run_motet(&["test", "--all", "--coverage"]))),
    ];
    let mut times = Vec::new();
    for (name, stage) in stages {
        println!("\n=== {name}");
        let stage_began = Instant::now();
        let outcome = stage();
        let seconds = stage_began.elapsed().as_secs_f64();
        outcome.map_err(|why| format!("{why}\n\nci: {name} failed after {seconds:.1} s ({})", counts.borrow()))?;
        println!("=== {name}: ok, {seconds:.1} s");
        times.push((name, seconds));
    }
    println!();
    for (name, seconds) in times {
        println!("{seconds:>8.1} s  {name}");
    }
    println!("{:>8.1} s  in all\n{}", began.elapsed().as_secs_f64(), counts.borrow());
    Ok(())
}

fn run_cargo(arguments: &[&str]) -> Result<(), String> {
    programs::run(&mut cargo(arguments))
}

fn documentation() -> Result<(), String> {
    programs::run(cargo(&["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "--deny warnings"))
}

fn run_motet(arguments: &[&str]) -> Result<(), String> {
    programs::run(std::process::Command::new(motet()?).args(arguments).current_dir(root()))
}
