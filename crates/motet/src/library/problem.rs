//! Why a workflow cannot be had, said so that the next step is clear.

use std::fmt;

use motet_core::{Diagnostic, Folder};

use super::Origin;

#[derive(Debug)]
pub enum Problem {
    /// Nothing has this name.
    Unknown { name: String, nearest: Option<String>, known: Vec<String> },
    /// Several workflows have this alias.
    Ambiguous { alias: String, workflows: Vec<String> },
    /// The folder cannot be read.
    Unreadable(String),
    /// The texts say something else than the folder's name.
    Misnamed { folder: String, workflow: String },
    /// The texts are not a workflow.
    Invalid { name: String, origin: Origin, folder: Folder, diagnostics: Vec<Diagnostic> },
}

impl Problem {
    /// One line, for where the problems themselves are shown as well.
    pub fn summary(&self) -> String {
        match self {
            Problem::Invalid { name, diagnostics, .. } => counted(name, diagnostics),
            other => other.to_string(),
        }
    }
}

fn counted(name: &str, diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    format!("{name}: {errors} {}", if errors == 1 { "error" } else { "errors" })
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unknown { name, nearest, known } => {
                write!(out, "there is no workflow `{name}`")?;
                if let Some(nearest) = nearest {
                    write!(out, "; did you mean `{nearest}`?")?;
                }
                write!(out, "\nthere are: {}\nor give the path of a folder with a `workflow.yaml`", known.join(", "))
            }
            Problem::Ambiguous { alias, workflows } => {
                write!(out, "`{alias}` is an alias of {}; give the name itself", workflows.join(" and of "))
            }
            Problem::Unreadable(why) => out.write_str(why),
            Problem::Misnamed { folder, workflow } => {
                write!(out, "the folder `{folder}` holds the workflow `{workflow}`; give both the same name")
            }
            Problem::Invalid { name, diagnostics, .. } => {
                out.write_str(&counted(name, diagnostics))?;
                let first = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
                first.map_or(Ok(()), |first| write!(out, ", the first: {}", first.message))
            }
        }
    }
}

impl std::error::Error for Problem {}
