//! `cargo xtask sim`: lives through many seeds of the simulator on all cores, or through one.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program for the terminal")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use motet_testkit::simulator::{Stats, simulate};
use motet_testkit::workflows::Shelf;

/// Seeds from `first`, `count` of them.
struct Options {
    first: u64,
    count: u64,
}

fn main() -> ExitCode {
    let began = Instant::now();
    match options(std::env::args().skip(1)).and_then(|options| Ok((all(&options)?, options))) {
        Ok((total, options)) => {
            println!("{} seeds from {} hold, in {:.1} s: {total:?}", options.count, options.first, began.elapsed().as_secs_f64());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn options(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options { first: 0, count: 2000 };
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        let number = value.parse::<u64>().map_err(|_| format!("{word} needs a number, not `{value}`"))?;
        match word.as_str() {
            "--seeds" => options.count = number,
            "--from" => options.first = number,
            "--seed" => options = Options { first: number, count: 1 },
            _ => return Err(format!("unknown option {word}; there are --seeds, --from and --seed")),
        }
    }
    Ok(options)
}

/// What happened in all of them, or what broke in one.
fn all(options: &Options) -> Result<Stats, String> {
    let next = AtomicU64::new(options.first);
    let broken = AtomicBool::new(false);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let live = || {
            let shelf = Shelf::new();
            let mut total = Stats::default();
            while !broken.load(Ordering::Relaxed) {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= options.first.saturating_add(options.count) {
                    break;
                }
                match lived(&shelf, seed) {
                    Ok(stats) => total += stats,
                    Err(why) => {
                        broken.store(true, Ordering::Relaxed);
                        return Err(why);
                    }
                }
            }
            Ok(total)
        };
        let lives: Vec<_> = (0..threads).map(|_| scope.spawn(live)).collect();
        let mut total = Stats::default();
        for life in lives {
            total += life.join().map_err(|_| "a thread of the simulator died".to_string())??;
        }
        Ok(total)
    })
}

/// A broken assertion is a finding like any other, so it names its seed too.
fn lived(shelf: &Shelf, seed: u64) -> Result<Stats, String> {
    let outcome = catch_unwind(AssertUnwindSafe(|| simulate(shelf, seed)));
    outcome.unwrap_or_else(|_| Err(format!("seed {seed} panicked, see above\n  again with: cargo xtask sim --seed {seed}")))
}
