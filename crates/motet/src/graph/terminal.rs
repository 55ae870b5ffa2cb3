//! The machine for a terminal: every state with its ways out, group by group, in at most the columns there are.
//! It knows no colour codes; whoever prints it paints the parts, or leaves them plain.

use super::label::shorten;
use super::picture::{Edge, EdgeKind, Kind, Node, Picture};

/// What a part of the drawing is, for whoever gives it a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Title,
    Heading,
    State,
    Gate,
    Current,
    Visited,
    /// What leads to trouble or to the end of a counter.
    Trouble,
    Quiet,
}

pub trait Paint {
    /// The text with colour around it, and never with other text.
    fn paint(&self, part: Part, text: &str) -> String;
}

/// No colour at all.
pub struct Plain;

impl Paint for Plain {
    fn paint(&self, _part: Part, text: &str) -> String {
        text.into()
    }
}

const NARROWEST: usize = 40;

pub fn terminal(picture: &Picture, columns: usize, paint: &dyn Paint) -> String {
    let columns = columns.max(NARROWEST);
    let mut out = vec![paint.paint(Part::Title, &shorten(&picture.title, columns))];
    out.extend(wrapped(&picture.summary, columns).iter().map(|row| paint.paint(Part::Quiet, row)));
    let grouped = picture.groups.iter().enumerate().map(|(group, name)| (name.as_str(), Some(group)));
    for (name, group) in grouped.chain([("Other states", None)]) {
        let members: Vec<&Node> = picture.nodes.iter().filter(|node| node.group == group && is_listed(picture, node)).collect();
        if members.is_empty() {
            continue;
        }
        out.push(String::new());
        let frame = if picture.groups.is_empty() { "" } else { "│ " };
        if !picture.groups.is_empty() {
            out.push(format!("{} {}", paint.paint(Part::Quiet, "┌"), paint.paint(Part::Heading, &shorten(name, columns - 2))));
        }
        for (place, node) in members.into_iter().enumerate() {
            if place > 0 {
                out.push(paint.paint(Part::Quiet, frame.trim_end()));
            }
            add_state(&mut out, picture, node, frame, columns, paint);
        }
    }
    out.push(String::new());
    out.extend(wrapped(&legend(picture), columns).iter().map(|row| paint.paint(Part::Quiet, row)));
    out.join("\n") + "\n"
}

/// A note that only receives arrows is told by the arrow itself.
fn is_listed(picture: &Picture, node: &Node) -> bool {
    node.kind != Kind::Note || picture.edges.iter().any(|edge| edge.from == node.id)
}

fn add_state(out: &mut Vec<String>, picture: &Picture, node: &Node, frame: &str, columns: usize, paint: &dyn Paint) {
    let frame_painted = paint.paint(Part::Quiet, frame);
    let part = match node.kind {
        _ if picture.is_current(node) => Part::Current,
        Kind::Gate => Part::Gate,
        Kind::Note => Part::Quiet,
        _ if picture.visited.contains(&node.id) => Part::Visited,
        _ => Part::State,
    };
    let head = shorten(&format!("{} {}", node.kind.mark(), node.label), columns - frame.chars().count());
    let mut remarks = vec![node.detail.clone()];
    remarks.extend((node.id == picture.start).then(|| "start".to_string()));
    remarks.extend(picture.is_current(node).then(|| "the run is here".to_string()));
    remarks.retain(|remark| !remark.is_empty());
    let room = columns.saturating_sub(frame.chars().count() + head.chars().count() + 2);
    let remark = shorten(&remarks.join(", "), room);
    let gap = if remark.is_empty() { "" } else { "  " };
    out.push(format!("{frame_painted}{}{gap}{}", paint.paint(part, &head), paint.paint(Part::Quiet, &remark)));

    let edges: Vec<&Edge> = picture.edges.iter().filter(|edge| edge.from == node.id).collect();
    for (place, edge) in edges.iter().enumerate() {
        let branch = if place + 1 == edges.len() { "└─ " } else { "├─ " };
        let words = arrow(picture, edge, columns.saturating_sub(frame.chars().count() + branch.chars().count()));
        let part = match edge.kind {
            EdgeKind::Exceeded | EdgeKind::Trouble | EdgeKind::TaskFailed => Part::Trouble,
            EdgeKind::Normal | EdgeKind::Back => Part::State,
        };
        out.push(format!("{frame_painted}{}{}", paint.paint(Part::Quiet, branch), paint.paint(part, &words)));
    }
}

/// `approved → closing_phase`; the label gives way where the row is too short, because the target is what matters.
fn arrow(picture: &Picture, edge: &Edge, columns: usize) -> String {
    let sign = if edge.back_edge || edge.kind == EdgeKind::Back { "↺" } else { "→" };
    let to = picture.node(&edge.to).map_or(edge.to.as_str(), |node| node.label.as_str());
    let target = shorten(&format!("{sign} {to}"), columns);
    let room = columns.saturating_sub(target.chars().count() + 1);
    if edge.label.is_empty() || room < 2 { target } else { format!("{} {target}", shorten(&edge.label, room)) }
}

fn legend(picture: &Picture) -> String {
    let mut kinds: Vec<Kind> = picture.nodes.iter().map(|node| node.kind).filter(|kind| *kind != Kind::Note).collect();
    kinds.sort();
    kinds.dedup();
    let mut words: Vec<String> = kinds.into_iter().map(|kind| format!("{}\u{a0}{}", kind.mark(), kind.word())).collect();
    if picture.edges.iter().any(|edge| edge.back_edge || edge.kind == EdgeKind::Back) {
        words.push("↺\u{a0}back".into());
    }
    words.join("  ")
}

fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match rows.last_mut() {
            Some(row) if row.chars().count() + 1 + word.chars().count() <= columns => {
                row.push(' ');
                row.push_str(word);
            }
            _ => rows.push(shorten(word, columns)),
        }
    }
    rows.retain(|row| !row.is_empty());
    rows.into_iter().map(|row| row.replace('\u{a0}', " ")).collect()
}
