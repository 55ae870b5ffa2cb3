//! The rules of this repository that neither the compiler nor clippy knows, one error line each.
//! A rule reads the tree and nothing else; it never changes a file.

mod papers;
mod requirements;
mod sizes;
mod source;
#[cfg(test)]
mod tests;
mod walls;
mod words;

use crate::tree::{Tree, root};

/// One place where a rule is broken.
pub struct Finding {
    pub path: String,
    pub line: usize,
    pub why: String,
}

impl Finding {
    fn new(path: &str, line: usize, why: impl Into<String>) -> Self {
        Self { path: path.to_string(), line, why: why.into() }
    }

    /// As an error line of the rule of this name.
    fn line_of(self, rule: &str) -> String {
        format!("{}:{}: {rule}: {}", self.path, self.line, self.why)
    }
}

type Rule = (&'static str, fn(&Tree) -> Vec<Finding>);

const RULES: &[Rule] = &[
    ("file-length", sizes::file_length),
    ("first-line", sizes::first_line),
    ("architecture-length", sizes::architecture_length),
    ("unfinished", words::unfinished),
    ("unwrap", words::unwrap),
    ("workflow-name", words::workflow_name),
    ("machine-path", words::machine_path),
    ("history", words::history),
    ("requirement-id", words::requirement_id),
    ("requirements", requirements::carried),
    ("dependency-table", walls::dependency_table),
    ("pure-core", walls::pure_core),
    ("links", papers::links),
    ("dependency-reasons", papers::dependency_reasons),
    ("error-pages", papers::error_pages),
];

pub fn run() -> Result<(), String> {
    let tree = Tree::read()?;
    for (path, lines) in sizes::long_files(&tree) {
        println!("note: {path} has {lines} lines; look for the seam");
    }
    let mut lines: Vec<String> = RULES.iter().flat_map(|rule| findings(&tree, rule)).collect();
    match std::fs::read_to_string(root().join(requirements::SOURCE)) {
        Ok(source) => lines.extend(requirements::unaccounted(&tree, &source).into_iter().map(|finding| finding.line_of("requirements"))),
        Err(_) => println!("note: {} is not here, so the list of requirements was not compared with it", requirements::SOURCE),
    }
    match lines.len() {
        0 => Ok(()),
        count => Err(format!("{}\ntidy: {count} found", lines.join("\n"))),
    }
}

fn findings(tree: &Tree, (name, find): &Rule) -> Vec<String> {
    find(tree).into_iter().map(|finding| finding.line_of(name)).collect()
}
