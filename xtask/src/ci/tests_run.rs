//! Running the tests and counting them, so that the last line of everything is how many passed and failed.

use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use super::machine::has;
use crate::programs::{cargo, shown};

#[derive(Debug, Default, PartialEq)]
pub struct Counts {
    passed: u64,
    failed: u64,
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)
    }
}

pub fn tests(counts: &mut Counts) -> Result<(), String> {
    if has("cargo-nextest", &["nextest", "--version"]) {
        return counted(&mut cargo(&["nextest", "run", "--workspace", "--no-fail-fast", "--status-level", "slow"]), counts);
    }
    println!("cargo-nextest is not installed; `cargo test` does the same more slowly");
    counted(&mut cargo(&["test", "--workspace", "--all-targets", "--no-fail-fast", "--quiet"]), counts)
}

pub fn doctests(counts: &mut Counts) -> Result<(), String> {
    counted(&mut cargo(&["test", "--workspace", "--doc", "--quiet"]), counts)
}

/// Passes on what the command says and reads the totals in it. Nextest speaks on stderr, the standard harness on stdout.
fn counted(command: &mut Command, counts: &mut Counts) -> Result<(), String> {
    let shown = shown(command);
    let (reader, writer) = std::io::pipe().map_err(|error| format!("no pipe: {error}"))?;
    let second = writer.try_clone().map_err(|error| format!("no pipe: {error}"))?;
    let child = command.stdin(Stdio::null()).stdout(writer).stderr(second).spawn();
    let mut child = child.map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
    // The command keeps its ends of the pipe until it is dropped or given others; reading must end with the child.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    for line in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        counts.add(&line);
    }
    let status = child.wait().map_err(|error| format!("`{shown}` was lost: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed: {status}")) }
}

impl Counts {
    /// A line of totals: `Summary [ 1.2s] 9 tests run: 7 passed (1 slow), 2 failed, 0 skipped`, or `test result: ok. 3 passed; 0 failed; …`.
    fn add(&mut self, line: &str) {
        let of_nextest = line.split_once("tests run: ").or_else(|| line.split_once("test run: ")).map(|(_, totals)| totals);
        // What nextest shows of a test has the standard harness's line in it, set in, and is in its own totals already.
        let Some(totals) = of_nextest.or_else(|| line.strip_prefix("test result: ")) else { return };
        self.passed += number_before(totals, " passed");
        self.failed += number_before(totals, " failed") + number_before(totals, " timed out");
    }
}

fn number_before(text: &str, word: &str) -> u64 {
    let before = text.split_once(word).map_or("", |(before, _)| before);
    let digits = before.rsplit(|letter: char| !letter.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &[&str], passed: u64, failed: u64) {
        let mut counts = Counts::default();
        lines.iter().for_each(|line| counts.add(line));
        assert_eq!(counts, Counts { passed, failed });
    }

    #[test]
    fn totals_of_both_harnesses_are_read() {
        check(&["     Summary [   0.005s] 9 tests run: 7 passed (1 slow), 2 failed, 3 skipped"], 7, 2);
        check(&["     Summary [   0.005s] 1 test run: 1 passed, 0 skipped"], 1, 0);
        check(&["     Summary [  60.005s] 4 tests run: 2 passed, 1 failed, 1 timed out, 0 skipped"], 2, 2);
        check(&["test result: ok. 3 passed; 0 failed; 1 ignored", "test result: FAILED. 2 passed; 1 failed; 0 ignored"], 5, 1);
        check(&["    test result: ok. 1 passed; 0 failed; 0 ignored", "     Summary [ 0.1s] 2 tests run: 2 passed, 0 skipped"], 2, 0);
        check(&["running 3 tests", "error: 5 failed to build"], 0, 0);
    }
}
