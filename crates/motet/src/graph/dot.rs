//! The picture in Graphviz's DOT, for those who lay out and print with it.
//! It sets shapes and line styles only; placement is Graphviz's.

use std::fmt::Write as _;

use super::picture::{Edge, EdgeKind, Kind, Node, Picture};

pub fn dot(picture: &Picture) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", quote(&picture.title));
    out.push_str("    graph [rankdir=TB, newrank=true, fontname=\"Helvetica\", fontsize=11, nodesep=0.4, ranksep=0.5]\n");
    out.push_str(
        "    node [shape=box, style=\"rounded,filled\", fillcolor=white, color=\"#8590a0\", fontname=\"Helvetica\", fontsize=12]\n",
    );
    out.push_str("    edge [color=\"#5f6b7b\", fontname=\"Helvetica\", fontsize=10, arrowsize=0.7]\n");
    for (group, name) in picture.groups.iter().enumerate() {
        let members: Vec<&Node> = picture.nodes.iter().filter(|node| node.group == Some(group)).collect();
        if members.is_empty() {
            continue;
        }
        let _ = writeln!(out, "    subgraph cluster_{group} {{");
        let _ = writeln!(out, "        label={}; labeljust=l; style=\"rounded,filled\"; color=\"#f3f5f8\"", quote(name));
        members.into_iter().for_each(|node| declare(&mut out, "        ", picture, node));
        out.push_str("    }\n");
    }
    picture.nodes.iter().filter(|node| node.group.is_none()).for_each(|node| declare(&mut out, "    ", picture, node));
    if picture.node(&picture.start).is_some() {
        out.push_str("    \"the start\" [shape=point, width=0.12, fillcolor=black, color=black]\n");
        let _ = writeln!(out, "    \"the start\" -> {}", quote(&picture.start));
    }
    picture.edges.iter().for_each(|edge| connect(&mut out, edge));
    out.push_str("}\n");
    out
}

fn declare(out: &mut String, indent: &str, picture: &Picture, node: &Node) {
    let words = if node.detail.is_empty() { node.label.clone() } else { format!("{}\n{}", node.label, node.detail) };
    let mut look = vec![format!("label={}", quote(&words))];
    match node.kind {
        Kind::Gate => look.push("shape=octagon, style=filled, fillcolor=\"#fff6e3\", color=\"#b26a00\"".into()),
        Kind::Decide => look.push("shape=diamond, style=filled".into()),
        Kind::Final => look.push("peripheries=2".into()),
        Kind::Note => look.push("shape=plaintext, style=\"\", fontcolor=\"#5f6b7b\"".into()),
        Kind::Plan => look.push("shape=box3d, style=filled".into()),
        Kind::Agent | Kind::Command | Kind::Call => {}
    }
    if picture.is_current(node) {
        look.push("fillcolor=\"#1f5fd6\", fontcolor=white, penwidth=2".into());
    }
    if !node.hint.is_empty() {
        look.push(format!("tooltip={}", quote(&node.hint)));
    }
    let _ = writeln!(out, "{indent}{} [{}]", quote(&node.id), look.join(", "));
}

fn connect(out: &mut String, edge: &Edge) {
    let mut look = Vec::new();
    if !edge.label.is_empty() {
        look.push(format!("label={}", quote(&edge.label)));
    }
    match edge.kind {
        EdgeKind::Normal => {}
        EdgeKind::Exceeded | EdgeKind::TaskFailed => look.push("style=dashed, color=\"#a8503f\", fontcolor=\"#a8503f\"".into()),
        EdgeKind::Trouble => look.push("style=dotted, color=\"#a8503f\", fontcolor=\"#a8503f\"".into()),
        EdgeKind::Back => look.push("style=dashed".into()),
    }
    if !edge.hint.is_empty() {
        look.push(format!("tooltip={}", quote(&edge.hint)));
    }
    // A back edge is written the other way round with its head at the tail: only so does it not turn the layers upside down.
    let (upper, lower) = if edge.back_edge { (&edge.to, &edge.from) } else { (&edge.from, &edge.to) };
    if edge.back_edge {
        look.push("dir=back".into());
    }
    let look = if look.is_empty() { String::new() } else { format!(" [{}]", look.join(", ")) };
    let _ = writeln!(out, "    {} -> {}{look}", quote(upper), quote(lower));
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
