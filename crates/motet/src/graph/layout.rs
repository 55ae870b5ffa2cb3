//! Where everything of a picture goes: layers from top to bottom, with channels between them in which lines turn.
//! It measures text by estimate, because the font is the reader's; it writes no markup.

use dagre::graph::{Graph, GraphOptions};
use dagre::layout::types::LabelPos;
use dagre::{EdgeLabel, LayoutOptions, NodeLabel};

use super::areas::{Area, areas};
use super::channels::stack;
use super::lines::{Bundle, Line, add_ports, bundles, columns};
use super::picture::{Kind, Picture};
use super::straighten::straighten;
use super::text_width::{detail_width, label_width, name_width};

pub const BOX_HEIGHT: f64 = 46.0;
pub const LABEL_LINE_HEIGHT: f64 = 15.0;
const MARGIN: f64 = 24.0;

pub(super) type Laid = Graph<NodeLabel, EdgeLabel>;

#[derive(Debug)]
pub struct Layout {
    pub width: f64,
    pub height: f64,
    /// One for each node of the picture, in its order.
    pub boxes: Vec<Rectangle>,
    pub lines: Vec<Line>,
    pub areas: Vec<Area>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rectangle {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Layout {
    pub fn of(picture: &Picture) -> Self {
        let bundles = bundles(picture);
        let mut laid = describe(picture, &bundles);
        dagre::layout(&mut laid, Some(LayoutOptions { nodesep: 34.0, edgesep: 18.0, ranksep: 60.0, ..LayoutOptions::default() }));
        let mut boxes: Vec<Rectangle> = picture.nodes.iter().map(|node| rectangle(&laid, &node.id)).collect();
        let mut columns = columns(picture, &bundles, &laid);
        straighten(picture, &bundles, &mut boxes, &mut columns);
        add_ports(picture, &bundles, &boxes, &mut columns);
        let (boxes, lines) = stack(picture, bundles, boxes, columns);
        let areas = areas(picture, &boxes, &lines);
        Self { boxes, lines, areas, width: 0.0, height: 0.0 }.cropped()
    }

    /// Moves everything so that the margin is the same on all sides.
    fn cropped(mut self) -> Self {
        let labels = self.lines.iter().filter_map(|line| line.label);
        let points = self.lines.iter().flat_map(|line| line.path.points()).map(|point| Rectangle::around(point.x, point.y, 0.0, 0.0));
        let all: Vec<Rectangle> =
            self.boxes.iter().copied().chain(self.areas.iter().map(|area| area.place)).chain(labels).chain(points).collect();
        if all.is_empty() {
            return self;
        }
        let least = |side: fn(&Rectangle) -> f64| all.iter().map(side).fold(f64::INFINITY, f64::min);
        let most = |side: fn(&Rectangle) -> f64| all.iter().map(side).fold(f64::NEG_INFINITY, f64::max);
        let (left, top) = (least(|place| place.left) - MARGIN, least(|place| place.top) - MARGIN);
        self.width = most(Rectangle::right) + MARGIN - left;
        self.height = most(Rectangle::bottom) + MARGIN - top;
        let places = self.boxes.iter_mut().chain(self.areas.iter_mut().map(|area| &mut area.place));
        for place in places.chain(self.lines.iter_mut().filter_map(|line| line.label.as_mut())) {
            place.left -= left;
            place.top -= top;
        }
        self.areas.iter_mut().for_each(|area| area.heading_x -= left);
        for point in self.lines.iter_mut().flat_map(|line| line.path.points_mut()) {
            point.x -= left;
            point.y -= top;
        }
        self
    }
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

    pub fn meets(&self, other: &Rectangle) -> bool {
        self.left < other.right() && other.left < self.right() && self.top < other.bottom() && other.top < self.bottom()
    }
}

/// The graph as the layout library wants it. Back edges go in turned round, so that it finds no cycle to break its own way.
fn describe(picture: &Picture, bundles: &[Bundle]) -> Laid {
    let mut graph = Graph::with_options(GraphOptions { directed: true, multigraph: true, compound: false });
    for node in &picture.nodes {
        let text = name_width(&node.label).max(detail_width(&node.detail));
        let width = if node.kind == Kind::Note { text + 28.0 } else { (text + 50.0).max(120.0) };
        graph.set_node(node.id.as_str(), Some(NodeLabel { width, height: BOX_HEIGHT, ..NodeLabel::default() }));
    }
    for (position, bundle) in bundles.iter().enumerate() {
        let width = bundle.words.iter().map(|words| label_width(words)).fold(0.0, f64::max);
        let size = |length: f64, room: f64| if bundle.words.is_empty() { 0.0 } else { length + room };
        let (upper, lower) = bundle.upper_and_lower(picture);
        let group = |id: &str| picture.node(id).and_then(|node| node.group);
        let label = EdgeLabel {
            width: size(width, 12.0),
            height: size(bundle.words.len() as f64 * LABEL_LINE_HEIGHT, 4.0),
            weight: if bundle.turned {
                1
            } else if group(upper).is_some() && group(upper) == group(lower) {
                6
            } else {
                3
            },
            label_offset: 0.0,
            labelpos: LabelPos::Center,
            ..EdgeLabel::default()
        };
        graph.set_edge(upper, lower, Some(label), Some(&position.to_string()));
    }
    graph
}

fn rectangle(laid: &Laid, id: &str) -> Rectangle {
    laid.node(id)
        .map(|node| Rectangle::around(node.x.unwrap_or_default(), node.y.unwrap_or_default(), node.width, node.height))
        .unwrap_or_default()
}
