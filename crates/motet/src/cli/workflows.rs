//! `motet workflows`: every workflow there is, with where it comes from.

use serde_json::json;

use super::paint::Tone;
use super::{Context, Exit, output};
use crate::library::{Library, Origin};
use crate::progress::{width as width_of_screen, words};

#[derive(clap::Args)]
pub struct Args {}

pub fn run(_args: &Args, context: &Context) -> Exit {
    let library = context.library();
    let rows: Vec<Row> = library.names().map(|name| row(&library, name)).collect();
    if context.json {
        for row in &rows {
            output::json(&json!({
                "name": row.name, "version": row.version, "digest": row.digest, "origin": row.origin,
                "aliases": row.aliases, "summary": row.summary, "error": row.error,
            }));
        }
        return Exit::Ok;
    }
    let width = |column: fn(&Row) -> &str| rows.iter().map(|row| column(row).chars().count()).max().unwrap_or(0);
    let (name, version, origin) = (width(|row| &row.name), width(|row| &row.version), width(|row| &row.origin));
    let screen = width_of_screen();
    for row in &rows {
        let head = format!("{:<name$}  {:<version$}  {:<origin$}", row.name, row.version, row.origin);
        let fitted = |text: &str| match screen {
            Some(screen) => words::one_line(text, screen.saturating_sub(head.chars().count() + 2).max(20)),
            None => text.to_string(),
        };
        let about = match &row.error {
            Some(error) => context.paint.text(Tone::Bad, &fitted(error.lines().next().unwrap_or_default())),
            None => fitted(&row.summary),
        };
        output::line(format!("{head}  {about}"));
    }
    Exit::Ok
}

struct Row {
    name: String,
    version: String,
    digest: String,
    origin: String,
    aliases: Vec<String>,
    summary: String,
    error: Option<String>,
}

/// A workflow with mistakes is listed too, with the first of them.
fn row(library: &Library, name: &str) -> Row {
    let origin = library.origin(name).map_or_else(String::new, |origin| shown(library, origin));
    let row = Row {
        name: name.to_owned(),
        version: "–".into(),
        digest: String::new(),
        origin,
        aliases: Vec::new(),
        summary: String::new(),
        error: None,
    };
    match library.load(name) {
        Ok(loaded) => Row {
            version: loaded.definition.version.clone(),
            digest: loaded.definition.digest.to_string(),
            aliases: loaded.definition.aliases.clone(),
            summary: loaded.definition.summary.clone(),
            ..row
        },
        Err(problem) => Row { error: Some(problem.to_string()), ..row },
    }
}

/// A path from where the person stands, as far as there is one.
fn shown(library: &Library, origin: &Origin) -> String {
    match origin {
        Origin::BuiltIn => origin.to_string(),
        other => other.place("", library.directory()),
    }
}
