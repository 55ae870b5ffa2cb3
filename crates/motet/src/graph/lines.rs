//! The arrows of a picture as lines: which of them share one, where it leaves its box, and how it runs.
//! Lines cross a layer straight down and bend only between layers, so no line can enter a box that is not its own.

use std::collections::BTreeMap;

use dagre::graph::Graph;
use dagre::{EdgeLabel, NodeLabel};

use super::layout::Rectangle;
use super::picture::{Edge, EdgeKind, Picture};

/// Arrows between the same two boxes that look the same: drawn once, with a line of words for each.
#[derive(Debug)]
pub struct Bundle {
    /// Positions in `Picture::edges`.
    pub edges: Vec<usize>,
    pub words: Vec<String>,
    /// Laid out from its target down to its source.
    pub turned: bool,
}

#[derive(Debug)]
pub struct Line {
    pub bundle: Bundle,
    /// From source to target. Two points above each other are joined straight, any others by a curve.
    pub points: Vec<Point>,
    /// Where the words go, without which there are none.
    pub label: Option<Rectangle>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// The vertical room of a layer.
#[derive(Clone, Copy, Debug)]
pub struct Band {
    pub center: f64,
    pub height: f64,
}

/// How far apart lines leave the same side of a box.
const PORT_DISTANCE: f64 = 26.0;
/// How far a line to its own box swings out.
const LOOP_REACH: f64 = 26.0;

impl Bundle {
    pub fn kind(&self, picture: &Picture) -> EdgeKind {
        self.first(picture).kind
    }

    pub fn first<'a>(&self, picture: &'a Picture) -> &'a Edge {
        // A bundle is made for its first edge and only grows.
        &picture.edges[self.edges[0]]
    }

    pub fn is_loop(&self, picture: &Picture) -> bool {
        let edge = self.first(picture);
        edge.from == edge.to
    }

    pub fn upper_and_lower<'a>(&self, picture: &'a Picture) -> (&'a str, &'a str) {
        let edge = self.first(picture);
        if self.turned { (&edge.to, &edge.from) } else { (&edge.from, &edge.to) }
    }
}

pub fn bundles(picture: &Picture) -> Vec<Bundle> {
    let mut bundles: Vec<Bundle> = Vec::new();
    let mut places: BTreeMap<(&str, &str, EdgeKind), usize> = BTreeMap::new();
    for (position, edge) in picture.edges.iter().enumerate() {
        let place = *places.entry((&edge.from, &edge.to, edge.kind)).or_insert_with(|| {
            bundles.push(Bundle { edges: Vec::new(), words: Vec::new(), turned: edge.back_edge && edge.from != edge.to });
            bundles.len() - 1
        });
        bundles[place].edges.push(position);
        if !edge.label.is_empty() && !bundles[place].words.contains(&edge.label) {
            bundles[place].words.push(edge.label.clone());
        }
    }
    bundles
}

pub fn route(
    picture: &Picture,
    bundles: Vec<Bundle>,
    boxes: &[Rectangle],
    bands: &[Band],
    graph: &Graph<NodeLabel, EdgeLabel>,
) -> Vec<Line> {
    let position: BTreeMap<&str, usize> = picture.nodes.iter().enumerate().map(|(index, node)| (node.id.as_str(), index)).collect();
    let area = |id: &str| position.get(id).map(|index| boxes[*index]).unwrap_or_default();
    let placed: Vec<Option<&EdgeLabel>> = bundles
        .iter()
        .enumerate()
        .map(|(index, bundle)| {
            let (upper, lower) = bundle.upper_and_lower(picture);
            graph.edge(upper, lower, Some(&index.to_string()))
        })
        .collect();
    let inner: Vec<Vec<Point>> = placed.iter().map(|edge| edge.map(inner_points).unwrap_or_default()).collect();
    let ports = ports(picture, &bundles, &inner, &area);

    let mut lines = Vec::new();
    for (index, bundle) in bundles.into_iter().enumerate() {
        let (upper, lower) = bundle.upper_and_lower(picture);
        let label = placed[index]
            .filter(|edge| edge.height > 0.0)
            .and_then(|edge| Some(Rectangle::around(edge.x?, edge.y?, edge.width, edge.height)));
        let mut points = if bundle.is_loop(picture) {
            loop_beside(area(upper))
        } else {
            let (leaves, arrives) = ports[index];
            let first = Point { x: leaves, y: area(upper).bottom() };
            let last = Point { x: arrives, y: area(lower).top };
            through_layers(first, &inner[index], last, bands)
        };
        if bundle.turned {
            points.reverse();
        }
        lines.push(Line { bundle, points, label });
    }
    lines
}

/// What the layout library found between the two ends.
fn inner_points(edge: &EdgeLabel) -> Vec<Point> {
    let count = edge.points.len().saturating_sub(2);
    edge.points.iter().skip(1).take(count).map(|point| Point { x: point.x, y: point.y }).collect()
}

/// Where each line leaves the lower side of its upper box and arrives at the upper side of its lower box.
/// Lines on one side keep the order of where they come from, so that they do not cross at the box.
fn ports(picture: &Picture, bundles: &[Bundle], inner: &[Vec<Point>], area: &dyn Fn(&str) -> Rectangle) -> Vec<(f64, f64)> {
    let mut below: BTreeMap<&str, Vec<(f64, usize)>> = BTreeMap::new();
    let mut above: BTreeMap<&str, Vec<(f64, usize)>> = BTreeMap::new();
    for (index, bundle) in bundles.iter().enumerate().filter(|(_, bundle)| !bundle.is_loop(picture)) {
        let (upper, lower) = bundle.upper_and_lower(picture);
        let towards_lower = inner[index].first().map_or(area(lower).center_x(), |point| point.x);
        let towards_upper = inner[index].last().map_or(area(upper).center_x(), |point| point.x);
        below.entry(upper).or_default().push((towards_lower, index));
        above.entry(lower).or_default().push((towards_upper, index));
    }
    let mut ports = vec![(0.0, 0.0); bundles.len()];
    for (id, side) in &mut below {
        spread(side, area(id)).into_iter().for_each(|(index, x)| ports[index].0 = x);
    }
    for (id, side) in &mut above {
        spread(side, area(id)).into_iter().for_each(|(index, x)| ports[index].1 = x);
    }
    ports
}

fn spread(side: &mut [(f64, usize)], area: Rectangle) -> Vec<(usize, f64)> {
    side.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let room = (area.width - 24.0).max(0.0);
    let distance = PORT_DISTANCE.min(room / side.len().max(1) as f64);
    let first = area.center_x() - distance * (side.len().saturating_sub(1)) as f64 / 2.0;
    side.iter().enumerate().map(|(place, (_, index))| (*index, first + distance * place as f64)).collect()
}

/// Each point inside a layer becomes two, at its upper and its lower edge.
fn through_layers(first: Point, inner: &[Point], last: Point, bands: &[Band]) -> Vec<Point> {
    let mut points = vec![first];
    for point in inner {
        let height = bands.iter().find(|band| (band.center - point.y).abs() < 0.5).map_or(0.0, |band| band.height);
        points.push(Point { x: point.x, y: point.y - height / 2.0 });
        points.push(Point { x: point.x, y: point.y + height / 2.0 });
    }
    points.push(last);
    points.dedup();
    points
}

fn loop_beside(area: Rectangle) -> Vec<Point> {
    let (right, middle) = (area.right(), area.center_y());
    vec![
        Point { x: right, y: middle - 10.0 },
        Point { x: right + LOOP_REACH, y: middle - 10.0 },
        Point { x: right + LOOP_REACH, y: middle + 10.0 },
        Point { x: right, y: middle + 10.0 },
    ]
}
