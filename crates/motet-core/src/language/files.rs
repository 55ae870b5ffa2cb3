//! Reads which files a run shows to people, from which templates, and what of them may be edited.
//! Rendering them is `files`' business, writing them the host's.

use std::collections::BTreeMap;

use super::reading::{Reading, Sees, Use};
use super::yaml::{Key, Node};
use super::{codes, edits, grammar};
use crate::definition::{Agent, FileRule};
use crate::names::AgentName;

pub fn files(reading: &mut Reading<'_>, node: Option<&Node>, agents: &BTreeMap<AgentName, Agent>) -> Vec<FileRule> {
    let entries = reading.reader.entries(node, "files");
    entries.iter().filter_map(|(key, value)| file(reading, key, value, agents)).collect()
}

fn file(reading: &mut Reading<'_>, key: &Key, node: &Node, agents: &BTreeMap<AgentName, Agent>) -> Option<FileRule> {
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
    let mut rule = FileRule { path: path?, from: from?, each, since, append, edits: Vec::new(), span: key.span.clone() };
    rule.edits = edits::edits(reading, &fields, &rule, agents);
    Some(rule)
}

/// A run's files stay in the run's folder; what `{{ }}` in a path become is seen to by whoever writes them.
fn check_path(reading: &mut Reading<'_>, key: &Key) {
    let leaves = key.text.starts_with('/') || key.text.contains('\\') || key.text.split('/').any(|part| part == "..");
    if leaves || key.text.is_empty() {
        let problem = reading.reader.error(codes::PATH, &key.span, format!("`{}` is not a path inside the folder of the run", key.text));
        problem.help.push("write it relative, with `/`, and without `..`".into());
    }
}
