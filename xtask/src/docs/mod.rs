//! Generated documents: written by `cargo xtask docs`, compared by `cargo xtask docs --check`, never edited by hand.
//! What a document says comes from the code it describes; here is only where it goes.

mod cli;
mod language;
mod requirements;
mod workflows;

use std::collections::BTreeMap;

use crate::programs::{motet, output, testkit};
use crate::requirements::FILE;
use crate::tree::{Tree, root};

/// Where the schema of workflows is written.
const SCHEMA: &str = "docs/reference/workflow.schema.json";

/// Texts by path.
type Documents = BTreeMap<String, String>;

pub fn write() -> Result<(), String> {
    for (path, text) in stale()? {
        let file = root().join(&path);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        std::fs::write(&file, text).map_err(|error| format!("{path}: {error}"))?;
        println!("wrote {path}");
    }
    for gap in requirements::missing(Tree::read()?.text(FILE).unwrap_or_default()) {
        println!("missing: {gap}");
    }
    Ok(())
}

pub fn check() -> Result<(), String> {
    let stale = stale()?;
    if stale.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = stale.keys().map(|path| format!("{path}: out of date")).collect();
    Err(format!("{}\nrun `cargo xtask docs` and commit what it writes", lines.join("\n")))
}

/// Those that are not as they should be, as they should be.
fn stale() -> Result<Documents, String> {
    let tree = Tree::read()?;
    let binary = motet()?;
    let mut documents = reference()?;
    let schema = documents.get(SCHEMA).ok_or_else(|| format!("{SCHEMA} is not among the documents"))?;
    documents.insert("docs/reference/language.md".to_string(), language::page(schema)?);
    documents.extend(cli::reference(&binary)?);
    documents.extend(workflows::readmes(&tree, &binary)?);
    documents.extend(requirements::table(&tree)?);
    documents.retain(|path, text| tree.text(path) != Some(text.as_str()));
    Ok(documents)
}

/// What is made from the tables of the machine itself.
fn reference() -> Result<Documents, String> {
    let printed = output(&mut testkit("reference", &[]))?;
    serde_json::from_str(&printed).map_err(|error| format!("the program `reference` printed no documents: {error}"))
}
