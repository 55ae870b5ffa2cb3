//! The machines of the seven workflows as pictures, written down line by line so that drawing is tested without the language.

use super::super::picture::{Edge, EdgeKind, Kind, Node, Picture};

pub const ALL: [&str; 7] = ["slogan", "feature", "article", "research", "development", "architecture", "deep-research"];

/// Rows of `word cell | cell | …`, with the last cells left out where they are empty.
pub fn machine(name: &str) -> Picture {
    let text = std::fs::read_to_string(format!("{}/src/graph/tests/machines/{name}.txt", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let mut picture = Picture::default();
    for row in text.lines() {
        let (word, rest) = row.split_once(' ').unwrap();
        let cells: Vec<&str> = rest.split('|').map(str::trim).collect();
        let cell = |place: usize| cells.get(place).copied().unwrap_or_default().to_string();
        match word {
            "workflow" => (picture.title, picture.summary, picture.start) = (cell(0), cell(1), cell(2)),
            "group" => picture.groups.push(rest.into()),
            "state" => picture.nodes.push(node(cell(0), cell(0), cell(2), kind(&cell(1)), cell(3))),
            "note" => picture.nodes.push(node(cell(0), cell(1), String::new(), Kind::Note, cell(2))),
            "edge" => {
                let kind = edge_kind(&cell(2));
                picture.edges.push(Edge { from: cell(0), to: cell(1), label: cell(3), kind, back_edge: false, hint: String::new() });
            }
            other => panic!("no such row: {other}"),
        }
    }
    picture.mark_back_edges();
    picture
}

fn node(id: String, label: String, detail: String, kind: Kind, group: String) -> Node {
    Node { id, label, detail, kind, group: group.parse().ok(), hint: String::new() }
}

fn kind(word: &str) -> Kind {
    let kinds = [Kind::Agent, Kind::Plan, Kind::Gate, Kind::Command, Kind::Call, Kind::Decide, Kind::Final];
    kinds.into_iter().find(|kind| kind.word() == word).unwrap()
}

fn edge_kind(word: &str) -> EdgeKind {
    let kinds = [EdgeKind::Normal, EdgeKind::Exceeded, EdgeKind::Trouble, EdgeKind::Back, EdgeKind::TaskFailed];
    kinds.into_iter().find(|kind| kind.word() == word).unwrap()
}
