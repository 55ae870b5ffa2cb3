//! Reads which files a run shows to people, from which templates, and what of them may be edited.
//! Rendering them is `files`' business, writing them the host's.

use super::reader::suggest;
use super::reading::{Reading, Sees, Use};
use super::yaml::{Key, Node};
use super::{codes, grammar};
use crate::definition::{Edit, FileRule};

pub fn files(reading: &mut Reading<'_>, node: Option<&Node>) -> Vec<FileRule> {
    let entries = reading.reader.entries(node, "files");
    entries.iter().filter_map(|(key, value)| file(reading, key, value)).collect()
}

fn file(reading: &mut Reading<'_>, key: &Key, node: &Node) -> Option<FileRule> {
    let fields = reading.reader.fields(node, &grammar::FILE, &key.span)?;
    check_path(reading, key);
    let path = reading.text_at(&key.text, &key.span);
    let append = fields.get("append").and_then(|node| reading.reader.boolean(node)).unwrap_or(false);
    let from = fields.get("from").and_then(|node| {
        let from = reading.reader.text(node, "the path of a template")?;
        reading.template(from, &node.span, "template")?;
        let sees = if append { Sees::Event } else { Sees::Run };
        for path in reading.templates.references(from) {
            let span = super::resolve::in_template(reading.folder, from, &path).unwrap_or_else(|| node.span.clone());
            reading.uses.push(Use { path, span, sees });
        }
        Some(from.to_owned())
    });
    let each = reading.expression_of(fields.get("each"), Sees::Run);
    let since = fields.get("since").and_then(|node| reading.state_name(node));
    let mut edits = Vec::new();
    for (target, gates) in reading.reader.entries(fields.get("edits"), "edits") {
        edits.push(edit(reading, target, gates, fields.has("each")));
    }
    Some(FileRule { path: path?, from: from?, each, since, append, edits, span: key.span.clone() })
}

/// A run's files stay in the run's folder; what `{{ }}` in a path become is seen to by whoever writes them.
fn check_path(reading: &mut Reading<'_>, key: &Key) {
    let leaves = key.text.starts_with('/') || key.text.contains('\\') || key.text.split('/').any(|part| part == "..");
    if leaves || key.text.is_empty() {
        let problem = reading.reader.error(codes::PATH, &key.span, format!("`{}` is not a path inside the folder of the run", key.text));
        problem.help.push("write it relative, with `/`, and without `..`".into());
    }
}

fn edit(reading: &mut Reading<'_>, target: &Key, gates: &Node, each: bool) -> Edit {
    match target.text.strip_prefix("data.") {
        Some(field) if reading.names.data.contains(field) => {}
        Some(field) => {
            let problem = reading.reader.error(codes::UNKNOWN_VARIABLE, &target.span, format!("`data` does not declare `{field}`"));
            suggest(problem, field, reading.names.data.iter().map(String::as_str));
        }
        None if target.text == "item" && each => {}
        None if target.text == "item" => {
            reading.reader.error(codes::CONFLICT, &target.span, "`item` can be edited only in a file with `each`");
        }
        None => {
            let problem = reading.reader.error(codes::UNKNOWN_VARIABLE, &target.span, format!("`{}` cannot be edited", target.text));
            problem.help.push("write `data.field`, or `item` in a file with `each`".into());
        }
    }
    let mut known = Vec::new();
    for (name, span) in reading.reader.texts(Some(gates), "gate") {
        let Some(state) = reading.known_state(name, span) else { continue };
        if !reading.names.gates.contains(name) {
            let problem = reading.reader.error(codes::GATE, span, format!("`{name}` is not a gate, so nobody answers there"));
            suggest(problem, name, reading.names.gates.iter().map(String::as_str));
        }
        known.push(state);
    }
    Edit { target: target.text.clone(), gates: known }
}
