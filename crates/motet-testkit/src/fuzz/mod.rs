//! Broken input for everything that reads input: mutated from real files, run for a while, and cut down when something breaks.
//! It is not guided by coverage, which needs a nightly compiler; it knows the formats' words instead.

mod minimise;
mod mutate;
mod seeds;
mod targets;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::random::Random;
pub use targets::{TARGETS, Target, fuzz_case, fuzz_expression, fuzz_journal, fuzz_language, fuzz_template};

/// A single input may take this long in a debug build; more is as bad as a panic.
const SLOWEST: Duration = Duration::from_secs(10);

/// What was done without finding anything.
#[derive(Debug)]
pub struct Done {
    pub inputs: u64,
}

#[derive(Debug)]
pub struct Broken {
    pub why: String,
    /// As small as could be made of what was found.
    pub input: Vec<u8>,
}

/// Feeds a target until the time is over or something breaks. `before` sees every input first,
/// so that it is not lost if the process itself dies of it.
pub fn run(target: &Target, seed: u64, time: Duration, mut before: impl FnMut(&[u8])) -> Result<Done, Broken> {
    let began = Instant::now();
    let mut random = Random::new(seed);
    let seeds = (target.seeds)();
    let mut inputs = 0;
    for input in &seeds {
        before(input);
        inputs += 1;
        try_input(target, input).map_err(|why| Broken { why, input: input.clone() })?;
    }
    while began.elapsed() < time {
        let input = mutate::mutated(&mut random, &seeds, target.words);
        before(&input);
        inputs += 1;
        if let Err(why) = try_input(target, &input) {
            let input = minimise::minimised(input, |smaller| try_input(target, smaller).is_err());
            return Err(Broken { why, input });
        }
    }
    Ok(Done { inputs })
}

/// Whether the target takes this input without a panic, and soon.
pub fn try_input(target: &Target, input: &[u8]) -> Result<(), String> {
    let began = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    match outcome {
        Ok(()) if began.elapsed() > SLOWEST => Err(format!("it took {:.1} s", began.elapsed().as_secs_f64())),
        Ok(()) => Ok(()),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
            Err(format!("it panicked: {}", text.unwrap_or_else(|| "without a word".into())))
        }
    }
}
