//! How the next command is written in what people are told: with the directory of runs, where that was named for this one.
//! It decides nothing about where runs are.

use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

static HOME: OnceLock<String> = OnceLock::new();

/// Stands for `motet`, and for `motet --home DIR` where the next command would otherwise look elsewhere.
pub static MOTET: Program = Program;

pub struct Program;

impl fmt::Display for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match HOME.get() {
            Some(home) => write!(out, "motet --home {home}"),
            None => out.write_str("motet"),
        }
    }
}

/// The directory was named on the command line. One that a variable names holds for the next command, too.
pub fn remember(home: &Path) {
    // Only the first counts, and there is only one command line.
    let _ = HOME.set(shell_quoted(&home.to_string_lossy()));
}

/// As a shell reads it.
pub fn shell_quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./~+,:@%".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: &str) {
        assert_eq!(shell_quoted(path), expected);
    }

    #[test]
    fn a_directory_is_written_as_a_shell_reads_it() {
        check("runs", "runs");
        check("/tmp/my runs", "'/tmp/my runs'");
        check("it's", r"'it'\''s'");
        check("", "''");
    }
}
