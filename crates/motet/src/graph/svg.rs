//! The picture as one SVG file that stands alone: light and dark by the reader's preference, the current state lit.
//! It places nothing itself and holds no script; a page that shows it may override the colours by their variables.

use std::fmt::Write as _;

use super::areas::{Area, HEADING_BASELINE, START_ROOM};
use super::layout::{LABEL_LINE_HEIGHT, Layout, Rectangle};
use super::lines::Line;
use super::picture::{EdgeKind, Kind, Node, Picture};
use super::svg_style;

pub fn svg(picture: &Picture) -> String {
    let layout = Layout::of(picture);
    let mut out = String::new();
    head(&mut out, picture, &layout);
    for area in &layout.areas {
        draw_area(&mut out, area);
    }
    for line in &layout.lines {
        draw_line(&mut out, picture, line);
    }
    for (node, area) in picture.nodes.iter().zip(&layout.boxes) {
        draw_node(&mut out, picture, node, area);
    }
    for area in &layout.areas {
        draw_heading(&mut out, &picture.groups[area.group], area);
    }
    for line in &layout.lines {
        draw_label(&mut out, picture, line);
    }
    out.push_str("</svg>\n");
    out
}

// Writing to a String cannot fail, so the results of `writeln!` below are not looked at.

fn head(out: &mut String, picture: &Picture, layout: &Layout) {
    let (width, height) = (layout.width.ceil(), layout.height.ceil());
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="motet-graph" role="img" width="{width}" height="{height}" viewBox="0 0 {width} {height}">"#
    );
    let _ = writeln!(out, "<title>{}</title>", escape(&picture.title));
    let _ = writeln!(out, "<desc>{}</desc>", escape(&described(picture)));
    let _ = writeln!(out, "<style>\n{}</style>", svg_style::style());
    out.push_str("<defs>\n");
    for tone in ["plain", "trouble"] {
        let _ = writeln!(
            out,
            r#"<marker id="motet-arrow-{tone}" class="arrow {tone}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M1 1L9 5L1 9L3 5Z"/></marker>"#
        );
    }
    out.push_str("</defs>\n");
    let _ = writeln!(out, r#"<rect class="page" width="{width}" height="{height}"/>"#);
}

fn described(picture: &Picture) -> String {
    let now = picture.current.as_ref().map(|state| format!(" The run is in {state}.")).unwrap_or_default();
    let states = picture.nodes.iter().filter(|node| node.kind != Kind::Note).count();
    format!("{} {states} states, starting at {}.{now}", picture.summary, picture.start).trim().into()
}

fn draw_area(out: &mut String, area: &Area) {
    let Rectangle { left, top, width, height } = area.place;
    let _ = writeln!(out, r#"<rect class="area" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" rx="12"/>"#);
}

fn draw_heading(out: &mut String, name: &str, area: &Area) {
    let y = area.place.top + HEADING_BASELINE;
    let _ = writeln!(out, r#"<text class="heading" x="{:.1}" y="{y:.1}">{}</text>"#, area.heading_x, escape(name));
}

fn draw_line(out: &mut String, picture: &Picture, line: &Line) {
    let kind = line.bundle.kind(picture);
    let turn = if line.bundle.first(picture).back_edge { " returning" } else { "" };
    let path = line.path.svg(line.label.as_ref());
    let _ = writeln!(
        out,
        r#"<path class="line {}{turn}" d="{path}" marker-end="url(#motet-arrow-{})"><title>{}</title></path>"#,
        kind.word(),
        tone(kind),
        escape(&told(picture, line))
    );
}

fn tone(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Normal | EdgeKind::Back => "plain",
        EdgeKind::Exceeded | EdgeKind::Trouble | EdgeKind::TaskFailed => "trouble",
    }
}

/// What a pointer resting on the line, or a screen reader, is told.
fn told(picture: &Picture, line: &Line) -> String {
    let edges = line.bundle.edges.iter().map(|position| &picture.edges[*position]);
    let first = line.bundle.first(picture);
    let to = picture.node(&first.to).map_or(first.to.as_str(), |node| node.label.as_str());
    let mut told = vec![format!("{} → {to}", first.from)];
    for edge in edges {
        told.extend([&edge.label, &edge.hint].into_iter().filter(|text| !text.is_empty()).cloned());
    }
    told.join("\n")
}

fn draw_label(out: &mut String, picture: &Picture, line: &Line) {
    let Some(area) = line.label else { return };
    for (row, words) in line.bundle.words.iter().enumerate() {
        let y = area.top + 2.0 + LABEL_LINE_HEIGHT * (row as f64 + 0.76);
        let tone = tone(line.bundle.kind(picture));
        let _ = writeln!(out, r#"<text class="label {tone}" x="{:.1}" y="{y:.1}">{}</text>"#, area.center_x(), escape(words));
    }
}

fn draw_node(out: &mut String, picture: &Picture, node: &Node, area: &Rectangle) {
    let mut classes = format!("node {}", node.kind.word());
    if picture.is_current(node) {
        classes.push_str(" current");
    } else if picture.visited.contains(&node.id) {
        classes.push_str(" visited");
    }
    let _ = writeln!(out, r#"<g class="{classes}" data-state="{}"><title>{}</title>"#, escape(&node.id), escape(&node_told(picture, node)));
    let Rectangle { left, top, width, height } = *area;
    let corner = if matches!(node.kind, Kind::Decide | Kind::Note) { height / 2.0 } else { 9.0 };
    if picture.is_current(node) {
        let (left, top, width, height) = (left - 4.0, top - 4.0, width + 8.0, height + 8.0);
        let _ = writeln!(
            out,
            r#"<rect class="glow" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" rx="{}"/>"#,
            corner + 4.0
        );
    }
    let _ = writeln!(out, r#"<rect class="box" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" rx="{corner}"/>"#);
    if node.kind == Kind::Final {
        let (left, top, width, height) = (left + 3.0, top + 3.0, width - 6.0, height - 6.0);
        let _ = writeln!(out, r#"<rect class="inner" x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" rx="6.5"/>"#);
    }
    let text_x = if node.kind == Kind::Note { area.center_x() } else { left + 34.0 };
    out.push_str(&icon(node.kind, left + 19.0, area.center_y()));
    if node.detail.is_empty() {
        let _ = writeln!(out, r#"<text class="name" x="{text_x:.1}" y="{:.1}">{}</text>"#, area.center_y() + 4.8, escape(&node.label));
    } else {
        let _ = writeln!(out, r#"<text class="name" x="{text_x:.1}" y="{:.1}">{}</text>"#, area.center_y() - 3.0, escape(&node.label));
        let _ = writeln!(out, r#"<text class="detail" x="{text_x:.1}" y="{:.1}">{}</text>"#, area.center_y() + 13.0, escape(&node.detail));
    }
    if node.id == picture.start {
        let (x, y) = (left - START_ROOM, area.center_y());
        let _ = writeln!(out, r#"<circle class="start" cx="{x:.1}" cy="{y:.1}" r="4.5"><title>start</title></circle>"#);
        let _ = writeln!(out, r#"<path class="line normal" d="M{x:.1} {y:.1}H{left:.1}" marker-end="url(#motet-arrow-plain)"/>"#);
    }
    out.push_str("</g>\n");
}

fn node_told(picture: &Picture, node: &Node) -> String {
    if node.kind == Kind::Note {
        return if node.hint.is_empty() { node.label.clone() } else { node.hint.clone() };
    }
    let now = if picture.is_current(node) { ", the run is here" } else { "" };
    let detail = if node.detail.is_empty() || node.detail == node.kind.word() { String::new() } else { format!(" {}", node.detail) };
    let first = format!("{}: {}{detail}{now}", node.label, node.kind.word());
    if node.hint.is_empty() { first } else { format!("{first}\n{}", node.hint) }
}

/// A shape for each kind, so that colour never carries meaning alone.
fn icon(kind: Kind, x: f64, y: f64) -> String {
    let path = match kind {
        Kind::Agent => "M0-5a5 5 0 1 0 0 10a5 5 0 1 0 0-10Z",
        Kind::Plan => "M-6-4.5H6M-6 0H6M-6 4.5H6",
        Kind::Gate => "M0-6.5L6.5 0L0 6.5L-6.5 0Z",
        Kind::Command => "M-5-5L0 0L-5 5M1 5H6.5",
        Kind::Call => "M-5.5-5.5H5.5V5.5H-5.5Z",
        Kind::Decide => "M0-6L6 0L0 6L-6 0Z",
        Kind::Final => "M-4.5-4.5H4.5V4.5H-4.5Z",
        Kind::Note => return String::new(),
    };
    format!("<path class=\"icon\" transform=\"translate({x:.1} {y:.1})\" d=\"{path}\"/>\n")
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no way to write other control characters.
            _ if character.is_control() && character != '\n' => out.push(' '),
            _ => out.push(character),
        }
    }
    out
}
