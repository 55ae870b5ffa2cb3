//! The picture as data, for programs that draw or count themselves.
//! It says what the drawings say, and nothing about where anything stands.

use serde_json::{Value, json};

use super::picture::{Edge, Node, Picture};

pub fn json(picture: &Picture) -> Value {
    json!({
        "workflow": picture.title,
        "summary": picture.summary,
        "start": picture.start,
        "current": picture.current,
        "visited": picture.visited,
        "states": picture.nodes.iter().map(|node| state(picture, node)).collect::<Vec<_>>(),
        "transitions": picture.edges.iter().map(transition).collect::<Vec<_>>(),
    })
}

fn state(picture: &Picture, node: &Node) -> Value {
    let group = node.group.and_then(|group| picture.groups.get(group));
    json!({ "state": node.id, "label": node.label, "kind": node.kind.word(), "detail": node.detail, "group": group, "hint": node.hint })
}

fn transition(edge: &Edge) -> Value {
    json!({
        "from": edge.from, "to": edge.to, "label": edge.label, "kind": edge.kind.word(), "leads_back": edge.back_edge, "hint": edge.hint,
    })
}
