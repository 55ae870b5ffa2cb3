//! Where everything of a picture goes: layers from top to bottom, and lines that only run where no box is.
//! It measures text by estimate, because the font is the reader's; it writes no markup.

use std::collections::BTreeMap;

use dagre::graph::{Graph, GraphOptions};
use dagre::{EdgeLabel, LayoutOptions, NodeLabel};

use super::lines::{Band, Bundle, Line, bundles, route};
use super::picture::{Kind, Picture};
use super::text_width::{detail_width, group_width, label_width, name_width};

pub const BOX_HEIGHT: f64 = 46.0;
pub const LABEL_LINE_HEIGHT: f64 = 15.0;
pub const GROUP_HEADING_HEIGHT: f64 = 22.0;
const MARGIN: f64 = 24.0;

#[derive(Debug)]
pub struct Layout {
    pub width: f64,
    pub height: f64,
    /// One for each node of the picture, in its order.
    pub boxes: Vec<Rectangle>,
    pub lines: Vec<Line>,
    /// A position in `Picture::groups` and where it is drawn.
    pub groups: Vec<(usize, Rectangle)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rectangle {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Rectangle {
    pub fn around(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { left: x - width / 2.0, top: y - height / 2.0, width, height }
    }

    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    pub fn center_x(&self) -> f64 {
        self.left + self.width / 2.0
    }

    pub fn center_y(&self) -> f64 {
        self.top + self.height / 2.0
    }
}

impl Layout {
    pub fn of(picture: &Picture) -> Self {
        let bundles = bundles(picture);
        let mut graph = describe(picture, &bundles);
        let spacing = LayoutOptions { nodesep: 36.0, edgesep: 18.0, ranksep: 52.0, marginx: MARGIN, marginy: MARGIN, ..LayoutOptions::default() };
        dagre::layout(&mut graph, Some(spacing));

        let boxes: Vec<Rectangle> = picture.nodes.iter().map(|node| rectangle(&graph, &node.id)).collect();
        let lines = route(picture, bundles, &boxes, &bands(&boxes, &graph), &graph);
        let groups = groups_in_use(picture).into_iter().map(|group| (group, rectangle(&graph, &group_id(group)))).collect();
        Self { boxes, lines, groups, width: 0.0, height: 0.0 }.cropped()
    }

    /// Moves everything so that the margin is the same on all sides, whatever the lines do.
    fn cropped(mut self) -> Self {
        let labels = self.lines.iter().filter_map(|line| line.label);
        let points = self.lines.iter().flat_map(|line| &line.points).map(|point| Rectangle::around(point.x, point.y, 0.0, 0.0));
        let all: Vec<Rectangle> =
            self.boxes.iter().copied().chain(self.groups.iter().map(|(_, area)| *area)).chain(labels).chain(points).collect();
        let least = |side: fn(&Rectangle) -> f64| all.iter().map(side).fold(f64::INFINITY, f64::min);
        let most = |side: fn(&Rectangle) -> f64| all.iter().map(side).fold(f64::NEG_INFINITY, f64::max);
        if all.is_empty() {
            return self;
        }
        let (left, top) = (least(|area| area.left) - MARGIN, least(|area| area.top) - MARGIN);
        self.width = most(Rectangle::right) + MARGIN - left;
        self.height = most(Rectangle::bottom) + MARGIN - top;
        let areas = self.boxes.iter_mut().chain(self.groups.iter_mut().map(|(_, area)| area));
        for area in areas.chain(self.lines.iter_mut().filter_map(|line| line.label.as_mut())) {
            area.left -= left;
            area.top -= top;
        }
        for point in self.lines.iter_mut().flat_map(|line| &mut line.points) {
            point.x -= left;
            point.y -= top;
        }
        self
    }
}

/// The graph as the layout library wants it. Back edges go in turned round, so that it finds no cycle to break its own way.
fn describe(picture: &Picture, bundles: &[Bundle]) -> Graph<NodeLabel, EdgeLabel> {
    let mut graph = Graph::with_options(GraphOptions { directed: true, multigraph: true, compound: true });
    for node in &picture.nodes {
        let text = name_width(&node.label).max(detail_width(&node.detail));
        let width = if node.kind == Kind::Note { text + 24.0 } else { (text + 48.0).max(120.0) };
        graph.set_node(node.id.as_str(), Some(NodeLabel { width, height: BOX_HEIGHT, ..NodeLabel::default() }));
    }
    for group in groups_in_use(picture) {
        let width = group_width(&picture.groups[group]) + 24.0;
        graph.set_node(group_id(group), Some(NodeLabel { width, ..NodeLabel::default() }));
    }
    for node in &picture.nodes {
        if let Some(group) = node.group {
            graph.set_parent(&node.id, Some(&group_id(group)));
        }
    }
    for (position, bundle) in bundles.iter().enumerate() {
        let width = bundle.words.iter().map(|words| label_width(words)).fold(0.0, f64::max);
        let size = |length: f64, room: f64| if bundle.words.is_empty() { 0.0 } else { length + room };
        let label = EdgeLabel {
            width: size(width, 12.0),
            height: size(bundle.words.len() as f64 * LABEL_LINE_HEIGHT, 4.0),
            weight: if bundle.turned { 1 } else { 4 },
            label_offset: 0.0,
            labelpos: dagre::layout::types::LabelPos::Center,
            ..EdgeLabel::default()
        };
        let (upper, lower) = bundle.upper_and_lower(picture);
        graph.set_edge(upper, lower, Some(label), Some(&position.to_string()));
    }
    graph
}

fn groups_in_use(picture: &Picture) -> Vec<usize> {
    (0..picture.groups.len()).filter(|group| picture.nodes.iter().any(|node| node.group == Some(*group))).collect()
}

/// States cannot have such a name, so no state is mistaken for a group.
fn group_id(group: usize) -> String {
    format!("group {group}")
}

fn rectangle(graph: &Graph<NodeLabel, EdgeLabel>, id: &str) -> Rectangle {
    graph
        .node(id)
        .map(|node| Rectangle::around(node.x.unwrap_or_default(), node.y.unwrap_or_default(), node.width, node.height))
        .unwrap_or_default()
}

/// The layers, as the heights that boxes and labels take up; a line crosses each of them straight down.
fn bands(boxes: &[Rectangle], graph: &Graph<NodeLabel, EdgeLabel>) -> Vec<Band> {
    let of_boxes = boxes.iter().map(|area| (area.center_y(), area.height));
    let labels: Vec<(f64, f64)> = graph
        .edges()
        .iter()
        .filter_map(|edge| graph.edge_by_obj(edge))
        .filter_map(|edge| edge.y.filter(|_| edge.height > 0.0).map(|y| (y, edge.height)))
        .collect();
    let mut tallest: BTreeMap<i64, Band> = BTreeMap::new();
    for (center, height) in of_boxes.chain(labels) {
        let band = tallest.entry((center * 4.0).round() as i64).or_insert(Band { center, height });
        band.height = band.height.max(height);
    }
    tallest.into_values().collect()
}
