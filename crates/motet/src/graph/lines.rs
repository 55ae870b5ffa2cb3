//! The arrows of a picture as lines: which of them share one, where each leaves its box, and the columns it runs in.
//! How a line gets from one column to the next is decided in the channels between the layers, not here.

use std::collections::BTreeMap;

use super::layout::{Laid, Point, Rectangle};
use super::path::Path;
use super::picture::{Edge, EdgeKind, Picture};

/// Arrows between the same two boxes that look the same: drawn once, with a line of words for each.
#[derive(Debug)]
pub struct Bundle {
    /// Positions in `Picture::edges`; never empty.
    pub edges: Vec<usize>,
    pub words: Vec<String>,
    /// Laid out from its target down to its source.
    pub turned: bool,
}

#[derive(Debug)]
pub struct Line {
    pub bundle: Bundle,
    /// From source to target.
    pub path: Path,
    /// Where the words go, without which there are none.
    pub label: Option<Rectangle>,
}

/// Where one line passes each layer, from its upper box to its lower one.
#[derive(Debug, Default)]
pub struct Columns {
    pub passes: Vec<Point>,
    pub label: Option<Rectangle>,
}

/// How far apart lines leave the same side of a box.
const PORT_DISTANCE: f64 = 26.0;
/// How far from the corners of a box.
const PORT_MARGIN: f64 = 18.0;

/// A longer label of one arrow is broken at its commas, because width is what drives boxes apart.
/// Commas in brackets belong to a condition.
const LONGEST_ROW: usize = 20;

impl Bundle {
    fn break_words(&mut self) {
        if let [words] = self.words.as_slice()
            && words.chars().count() > LONGEST_ROW
            && self.edges.len() == 1
            && !words.contains('(')
        {
            let parts: Vec<&str> = words.split(", ").collect();
            let last = parts.len() - 1;
            self.words = parts.iter().enumerate().map(|(place, part)| format!("{part}{}", if place < last { "," } else { "" })).collect();
        }
    }

    pub fn kind(&self, picture: &Picture) -> EdgeKind {
        self.first(picture).kind
    }

    pub fn first<'a>(&self, picture: &'a Picture) -> &'a Edge {
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
    let drawn = |edge: &Edge| picture.node(&edge.from).is_some() && picture.node(&edge.to).is_some();
    for (position, edge) in picture.edges.iter().enumerate().filter(|(_, edge)| drawn(edge)) {
        let place = *places.entry((&edge.from, &edge.to, edge.kind)).or_insert_with(|| {
            bundles.push(Bundle { edges: Vec::new(), words: Vec::new(), turned: edge.back_edge && edge.from != edge.to });
            bundles.len() - 1
        });
        bundles[place].edges.push(position);
        if !edge.label.is_empty() && !bundles[place].words.contains(&edge.label) {
            bundles[place].words.push(edge.label.clone());
        }
    }
    bundles.iter_mut().for_each(Bundle::break_words);
    bundles
}

/// As the layout library found them, without the two ends.
pub fn columns(picture: &Picture, bundles: &[Bundle], laid: &Laid) -> Vec<Columns> {
    let mut columns: Vec<Columns> = Vec::new();
    for (index, bundle) in bundles.iter().enumerate() {
        let (upper, lower) = bundle.upper_and_lower(picture);
        let Some(edge) = laid.edge(upper, lower, Some(&index.to_string())) else {
            columns.push(Columns::default());
            continue;
        };
        let label = edge.x.zip(edge.y).filter(|_| edge.height > 0.0).map(|(x, y)| Rectangle::around(x, y, edge.width, edge.height));
        let between = edge.points.iter().skip(1).take(edge.points.len().saturating_sub(2));
        let passes = if bundle.is_loop(picture) { Vec::new() } else { between.map(|point| Point { x: point.x, y: point.y }).collect() };
        columns.push(Columns { passes, label });
    }
    columns
}

/// The two ends of every line, where it meets its boxes.
pub fn add_ports(picture: &Picture, bundles: &[Bundle], boxes: &[Rectangle], columns: &mut [Columns]) {
    let position: BTreeMap<&str, usize> = picture.nodes.iter().enumerate().map(|(index, node)| (node.id.as_str(), index)).collect();
    let place = |id: &str| position.get(id).map(|index| boxes[*index]).unwrap_or_default();
    let ports = ports(picture, bundles, columns, &place);
    for ((columns, bundle), (leaves, arrives)) in columns.iter_mut().zip(bundles).zip(ports) {
        if !bundle.is_loop(picture) {
            let (upper, lower) = bundle.upper_and_lower(picture);
            columns.passes.insert(0, Point { x: leaves, y: place(upper).center_y() });
            columns.passes.push(Point { x: arrives, y: place(lower).center_y() });
        }
    }
}

/// A line that asks for a place on one side of a box.
struct Port {
    line: usize,
    wanted: f64,
    weight: f64,
}

/// Where each line leaves the lower side of its upper box and arrives at the upper side of its lower box.
/// Lines on one side keep the order of where they go, so that they do not cross at the box.
fn ports(picture: &Picture, bundles: &[Bundle], columns: &[Columns], place: &dyn Fn(&str) -> Rectangle) -> Vec<(f64, f64)> {
    let mut below: BTreeMap<&str, Vec<Port>> = BTreeMap::new();
    let mut above: BTreeMap<&str, Vec<Port>> = BTreeMap::new();
    for (line, bundle) in bundles.iter().enumerate().filter(|(_, bundle)| !bundle.is_loop(picture)) {
        let (upper, lower) = bundle.upper_and_lower(picture);
        let passes = &columns[line].passes;
        let weight = if bundle.turned || bundle.kind(picture) != EdgeKind::Normal { 1.0 } else { 3.0 };
        let leaves = passes.first().map_or(place(lower).center_x(), |pass| pass.x);
        let arrives = passes.last().map_or(place(upper).center_x(), |pass| pass.x);
        below.entry(upper).or_default().push(Port { line, wanted: leaves, weight });
        above.entry(lower).or_default().push(Port { line, wanted: arrives, weight });
    }
    let mut ports = vec![(0.0, 0.0); bundles.len()];
    for (id, side) in &mut below {
        spread(side, place(id)).into_iter().for_each(|(line, x)| ports[line].0 = x);
    }
    for (id, side) in &mut above {
        spread(side, place(id)).into_iter().for_each(|(line, x)| ports[line].1 = x);
    }
    ports
}

/// Evenly, and moved together so that the lines that matter most come straight down.
fn spread(side: &mut [Port], place: Rectangle) -> Vec<(usize, f64)> {
    side.sort_by(|one, other| one.wanted.total_cmp(&other.wanted).then(one.line.cmp(&other.line)));
    let count = side.len() as f64;
    let distance = PORT_DISTANCE.min((place.width - 2.0 * PORT_MARGIN).max(0.0) / (count - 1.0).max(1.0));
    let (least, most) = (place.left + PORT_MARGIN, place.right() - PORT_MARGIN - distance * (count - 1.0));
    let even = place.center_x() - distance * (count - 1.0) / 2.0;
    let straight = side.iter().enumerate().map(|(rank, port)| port.wanted - distance * rank as f64);
    let bend = |first: f64| {
        side.iter().enumerate().map(|(rank, port)| port.weight * (first + distance * rank as f64 - port.wanted).abs()).sum::<f64>()
    };
    let candidates = straight.filter(|first| (least..=most).contains(first)).chain([even]);
    let first = candidates.min_by(|one, other| bend(*one).total_cmp(&bend(*other))).unwrap_or(even);
    side.iter().enumerate().map(|(rank, port)| (port.line, first + distance * rank as f64)).collect()
}
