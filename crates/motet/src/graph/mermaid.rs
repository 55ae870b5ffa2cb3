//! The picture as a Mermaid `stateDiagram-v2`, for documents and pull requests that draw it themselves.
//! It leaves layout and colours to Mermaid, but for the two that carry meaning: now, and needs you.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::picture::{EdgeKind, Kind, Node, Picture};

pub fn mermaid(picture: &Picture) -> String {
    let ids: BTreeMap<&str, String> = picture.nodes.iter().enumerate().map(|(place, node)| (node.id.as_str(), id(place, node))).collect();
    let mut out = String::from("stateDiagram-v2\n");
    for (group, name) in picture.groups.iter().enumerate() {
        let members: Vec<&Node> = picture.nodes.iter().filter(|node| node.group == Some(group)).collect();
        if members.is_empty() {
            continue;
        }
        let _ = writeln!(out, "    state \"{}\" as group_{group} {{", escape(name));
        members.into_iter().for_each(|node| declare(&mut out, "        ", &ids, node));
        out.push_str("    }\n");
    }
    picture.nodes.iter().filter(|node| node.group.is_none()).for_each(|node| declare(&mut out, "    ", &ids, node));
    if let Some(start) = ids.get(picture.start.as_str()) {
        let _ = writeln!(out, "    [*] --> {start}");
    }
    for edge in &picture.edges {
        let (Some(from), Some(to)) = (ids.get(edge.from.as_str()), ids.get(edge.to.as_str())) else { continue };
        let words = match edge.kind {
            EdgeKind::Back if edge.label.is_empty() => "back".to_string(),
            EdgeKind::Back => format!("{}, back", edge.label),
            _ => edge.label.clone(),
        };
        let label = if words.is_empty() { String::new() } else { format!(" : {}", escape(&words)) };
        let _ = writeln!(out, "    {from} --> {to}{label}");
    }
    for node in picture.nodes.iter().filter(|node| node.kind == Kind::Final) {
        let _ = writeln!(out, "    {} --> [*]", ids[node.id.as_str()]);
    }
    style(&mut out, picture, &ids);
    out
}

fn declare(out: &mut String, indent: &str, ids: &BTreeMap<&str, String>, node: &Node) {
    let words = if node.detail.is_empty() { node.label.clone() } else { format!("{} ({})", node.label, node.detail) };
    let _ = writeln!(out, "{indent}state \"{}\" as {}", escape(&words), ids[node.id.as_str()]);
}

fn style(out: &mut String, picture: &Picture, ids: &BTreeMap<&str, String>) {
    let mut classes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for node in &picture.nodes {
        let class = match node.kind {
            _ if picture.is_current(node) => "now",
            Kind::Gate => "gate",
            Kind::Note => "note",
            _ => continue,
        };
        classes.entry(class).or_default().push(&ids[node.id.as_str()]);
    }
    for (class, look) in [
        ("gate", "fill:#fff6e3,stroke:#b26a00,color:#1b2330"),
        ("note", "fill:none,stroke:#8590a0,stroke-dasharray:3 3"),
        ("now", "fill:#1f5fd6,stroke:#1f5fd6,color:#ffffff"),
    ] {
        if let Some(members) = classes.get(class) {
            let _ = writeln!(out, "    classDef {class} {look}");
            let _ = writeln!(out, "    class {} {class}", members.join(","));
        }
    }
}

/// The state's own name where Mermaid takes it for one.
fn id(place: usize, node: &Node) -> String {
    const WORDS_OF_MERMAID: [&str; 14] =
        ["state", "note", "end", "direction", "as", "class", "classdef", "default", "style", "hide", "scale", "click", "title", "left"];
    let plain = node.id.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
        && node.id.starts_with(|first: char| first.is_ascii_alphabetic())
        && !node.id.starts_with("group_")
        && !WORDS_OF_MERMAID.contains(&node.id.to_ascii_lowercase().as_str());
    if plain { node.id.clone() } else { format!("state_{place}_") }
}

/// Mermaid's own entities for everything that could end a label or begin something else.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '"' => out.push_str("#quot;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            '#' | ';' | ':' | '{' | '}' | '%' | '[' | ']' | '`' | '\\' => {
                let _ = write!(out, "#{};", u32::from(character));
            }
            _ if character.is_control() => out.push(' '),
            _ => out.push(character),
        }
    }
    out
}
