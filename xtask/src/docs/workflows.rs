//! The generated part of every workflow's README: its picture and its proven bounds.
//! The rest of the page is written by hand and left as it is.

use std::path::Path;
use std::process::Command;

use super::Documents;
use crate::programs::output;
use crate::tree::{Tree, root};

const BEGIN: &str = "<!-- generated -->";
const END: &str = "<!-- /generated -->";

pub fn readmes(tree: &Tree, binary: &Path) -> Result<Documents, String> {
    let mut documents = Documents::new();
    for name in tree.workflows() {
        let path = format!("workflows/{name}/README.md");
        let page = tree.text(&path).ok_or_else(|| format!("{path} is missing: every workflow has a page"))?;
        let section = section(&motet(binary, &["graph", name, "--mermaid"])?, &motet(binary, &["check", name])?);
        documents.insert(path.clone(), replaced(page, &section).ok_or_else(|| format!("{path} has no `{BEGIN}` … `{END}`"))?);
    }
    Ok(documents)
}

fn motet(binary: &Path, arguments: &[&str]) -> Result<String, String> {
    // A page is as wide as its lines, whatever the terminal of whoever writes it.
    output(Command::new(binary).args(arguments).current_dir(root()).env_remove("COLUMNS").env("NO_COLOR", "1"))
}

fn section(picture: &str, bounds: &str) -> String {
    format!("```mermaid\n{}\n```\n\n```text\n{}\n```", picture.trim_end(), bounds.trim_end())
}

/// The page with this section between its marks, or None if it has none.
fn replaced(page: &str, section: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{section}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_changes() {
        let page = format!("# A\n\n{BEGIN}\nold\n{END}\n\nby hand\n");
        assert_eq!(replaced(&page, "new"), Some(format!("# A\n\n{BEGIN}\nnew\n{END}\n\nby hand\n")));
        assert_eq!(replaced(&replaced(&page, "new").unwrap_or_default(), "new"), replaced(&page, "new"));
        assert_eq!(replaced("# A\n", "new"), None);
    }
}
