//! How long things may be, and that every file says why it exists.

use super::Finding;
use super::source::{is_test_file, lines};
use crate::tree::Tree;

const LONGEST_FILE: usize = 600;
const LONG_FILE: usize = 400;
const LONGEST_ARCHITECTURE: usize = 300;

pub fn file_length(tree: &Tree) -> Vec<Finding> {
    let too_long = counted(tree).filter(|(_, count)| *count > LONGEST_FILE);
    too_long.map(|(path, count)| Finding::new(path, 1, format!("{count} lines that are no tests; {LONGEST_FILE} are the most"))).collect()
}

/// Files that may stay, but deserve a hard look.
pub fn long_files(tree: &Tree) -> Vec<(&str, usize)> {
    counted(tree).filter(|(_, count)| (LONG_FILE + 1..=LONGEST_FILE).contains(count)).collect()
}

fn counted(tree: &Tree) -> impl Iterator<Item = (&str, usize)> {
    let sources = tree.under("", ".rs").filter(|(path, _)| !is_test_file(path));
    sources.map(|(path, text)| {
        let tests = lines(path, text).iter().filter(|line| line.is_test).count();
        (path, text.lines().count() - tests.min(text.lines().count()))
    })
}

pub fn first_line(tree: &Tree) -> Vec<Finding> {
    let silent = tree.under("", ".rs").filter(|(_, text)| !text.starts_with("//! "));
    silent.map(|(path, _)| Finding::new(path, 1, "the first line does not say why the file exists (`//! …`)")).collect()
}

pub fn architecture_length(tree: &Tree) -> Vec<Finding> {
    let path = "ARCHITECTURE.md";
    let count = tree.text(path).map_or(0, |text| text.lines().count());
    let too_long =
        (count > LONGEST_ARCHITECTURE).then(|| Finding::new(path, count, format!("{count} lines; {LONGEST_ARCHITECTURE} are the most")));
    too_long.into_iter().collect()
}
