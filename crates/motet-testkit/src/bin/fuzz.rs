//! `cargo xtask fuzz`: feeds every decoder broken input for a while, or one of them one file.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program for the terminal")]

use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use motet_testkit::fuzz::{TARGETS, Target, run, try_input};

struct Options {
    seconds: u64,
    seed: u64,
    target: Option<String>,
    input: Option<PathBuf>,
}

fn main() -> ExitCode {
    let outcome = options(std::env::args().skip(1)).and_then(|options| match &options.input {
        Some(path) => again(&options, path),
        None => fuzz(&options),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn options(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut options = Options { seconds: 20, seed, target: None, input: None };
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{word} needs a number, not `{value}`"));
        match word.as_str() {
            "--seconds" => options.seconds = number()?,
            "--seed" => options.seed = number()?,
            "--target" => options.target = Some(value),
            "--input" => options.input = Some(value.into()),
            _ => return Err(format!("unknown option {word}; there are --seconds, --seed, --target and --input")),
        }
    }
    Ok(options)
}

fn targets(options: &Options) -> Result<Vec<&'static Target>, String> {
    let wanted: Vec<&Target> = TARGETS.iter().filter(|target| options.target.as_ref().is_none_or(|name| name == target.name)).collect();
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    if wanted.is_empty() { Err(format!("the targets are {}", names.join(", "))) } else { Ok(wanted) }
}

fn again(options: &Options, path: &Path) -> Result<(), String> {
    let input = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    for target in targets(options)? {
        try_input(target, &input).map_err(|why| format!("{}: {why}", target.name))?;
        println!("{}: ok", target.name);
    }
    Ok(())
}

fn fuzz(options: &Options) -> Result<(), String> {
    let targets = targets(options)?;
    let folder = motet_testkit::repository().join("target/fuzz");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    // Thousands of caught panics would bury the one line that matters.
    std::panic::set_hook(Box::new(|_| {}));
    for target in &targets {
        let began = Instant::now();
        // A stack overflow ends the process at once; the input is then still here.
        let kept = folder.join(format!("{}.input", target.name));
        let file = File::create(&kept).map_err(|error| format!("{}: {error}", kept.display()))?;
        let keep = |input: &[u8]| drop(overwrite(&file, input));
        let time = Duration::from_millis(options.seconds * 1000 / targets.len() as u64);
        match run(target, options.seed, time, keep) {
            Ok(done) => {
                println!("{}: {} inputs in {:.1} s, seed {}", target.name, done.inputs, began.elapsed().as_secs_f64(), options.seed)
            }
            Err(broken) => {
                keep(&broken.input);
                let text = String::from_utf8_lossy(&broken.input);
                let command = format!("cargo xtask fuzz --target {} --input target/fuzz/{}.input", target.name, target.name);
                return Err(format!("{}: {}\n\n{text}\n\nrepeat it with: {command}", target.name, broken.why));
            }
        }
    }
    Ok(())
}

fn overwrite(mut file: &File, input: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(input)?;
    file.set_len(input.len() as u64)
}
