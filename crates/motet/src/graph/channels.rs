//! The layers stacked with channels between them: a line crosses a layer straight down and turns only in a channel.
//! So no line enters a box that is not its own, and long ones run beside each other; left and right are settled before.

use super::layout::{Point, Rectangle};
use super::lines::{Bundle, Columns, Line};
use super::path::{Path, Piece};
use super::picture::Picture;

/// Sideways steps up to here are drawn as one curve, longer ones run in a track.
const LONGEST_CURVE: f64 = 64.0;
const TRACK_DISTANCE: f64 = 10.0;
/// Room above the first track, and below the last, where an arrow needs its head.
const ROOM_ABOVE: f64 = 13.0;
const ROOM_BELOW: f64 = 17.0;
const LOWEST_CHANNEL: f64 = 27.0;
/// Room above a layer for the headings of groups.
const HEADING_ROOM: f64 = 22.0;
/// How far a line to its own box swings out, and how far apart its ends are.
const LOOP_REACH: f64 = 34.0;
/// A curve stays within three quarters of where it is pulled to; its words follow after a gap.
pub const LOOP_WIDTH: f64 = LOOP_REACH * 0.75 + 4.0;
const LOOP_OPENING: f64 = 9.0;

/// One layer: where the library put it, and where it goes.
struct Layer {
    center: f64,
    height: f64,
    top: f64,
    has_groups: bool,
}

/// A line on its way from one layer to the next.
struct Crossing {
    line: usize,
    from: f64,
    to: f64,
    track: Option<usize>,
}

struct Channel {
    crossings: Vec<Crossing>,
    tracks: usize,
}

pub fn stack(picture: &Picture, bundles: Vec<Bundle>, boxes: Vec<Rectangle>, columns: Vec<Columns>) -> (Vec<Rectangle>, Vec<Line>) {
    let mut layers = layers(picture, &boxes, &columns);
    let channels = channels(&layers, &columns);
    let mut top = 0.0;
    for (index, layer) in layers.iter_mut().enumerate() {
        top += if layer.has_groups { HEADING_ROOM } else { 0.0 };
        layer.top = top;
        top += layer.height + channels.get(index).map_or(0.0, Channel::height);
    }
    let moved = |place: Rectangle| {
        let layer = &layers[layer_of(&layers, place.center_y())];
        Rectangle::around(place.center_x(), layer.top + layer.height / 2.0, place.width, place.height)
    };
    let boxes: Vec<Rectangle> = boxes.into_iter().map(moved).collect();
    let box_of = |id: &str| picture.nodes.iter().position(|node| node.id == id).map(|index| boxes[index]).unwrap_or_default();
    let mut lines = Vec::new();
    for (index, (bundle, columns)) in bundles.into_iter().zip(&columns).enumerate() {
        let (upper, lower) = bundle.upper_and_lower(picture);
        let path = if bundle.is_loop(picture) {
            loop_beside(box_of(upper))
        } else {
            course(index, columns, &layers, &channels, box_of(upper).bottom(), box_of(lower).top)
        };
        let path = if bundle.turned { path.reversed() } else { path };
        let label = columns.label.map(moved).map(|label| {
            let beside = box_of(upper);
            if bundle.is_loop(picture) { Rectangle { left: beside.right() + LOOP_WIDTH, ..label } } else { label }
        });
        lines.push(Line { bundle, path, label });
    }
    (boxes, lines)
}

fn layers(picture: &Picture, boxes: &[Rectangle], columns: &[Columns]) -> Vec<Layer> {
    let of_boxes = picture.nodes.iter().zip(boxes).map(|(node, place)| (place.center_y(), place.height, node.group.is_some()));
    let labels = columns.iter().filter_map(|columns| columns.label).map(|place| (place.center_y(), place.height, false));
    let passes = columns.iter().flat_map(|columns| &columns.passes).map(|pass| (pass.y, 0.0, false));
    let mut layers: Vec<Layer> = Vec::new();
    for (center, height, has_groups) in of_boxes.chain(labels).chain(passes) {
        match layers.iter_mut().find(|layer| (layer.center - center).abs() < 0.5) {
            Some(layer) => {
                layer.height = layer.height.max(height);
                layer.has_groups |= has_groups;
            }
            None => layers.push(Layer { center, height, top: 0.0, has_groups }),
        }
    }
    layers.sort_by(|one, other| one.center.total_cmp(&other.center));
    layers
}

fn layer_of(layers: &[Layer], y: f64) -> usize {
    let distance = |layer: &Layer| (layer.center - y).abs();
    (0..layers.len()).min_by(|one, other| distance(&layers[*one]).total_cmp(&distance(&layers[*other]))).unwrap_or(0)
}

fn channels(layers: &[Layer], columns: &[Columns]) -> Vec<Channel> {
    let mut channels: Vec<Channel> = layers.iter().map(|_| Channel { crossings: Vec::new(), tracks: 0 }).collect();
    for (line, columns) in columns.iter().enumerate() {
        for pair in columns.passes.windows(2) {
            // The last layer a line passes straight is the one above its next column.
            let channel = layer_of(layers, pair[1].y).saturating_sub(1);
            channels[channel].crossings.push(Crossing { line, from: pair[0].x, to: pair[1].x, track: None });
        }
    }
    channels.iter_mut().for_each(Channel::assign_tracks);
    channels
}

impl Channel {
    fn height(&self) -> f64 {
        let tracks = TRACK_DISTANCE * self.tracks.saturating_sub(1) as f64;
        (ROOM_ABOVE + tracks + ROOM_BELOW).max(LOWEST_CHANNEL)
    }

    /// Tracks in an order with few crossings, and as few of them as lines that overlap need.
    fn assign_tracks(&mut self) {
        let mut order: Vec<usize> = (0..self.crossings.len()).filter(|index| self.crossings[*index].is_long()).collect();
        order.sort_by(|one, other| self.crossings[*one].left().total_cmp(&self.crossings[*other].left()).then(one.cmp(other)));
        for _ in 0..order.len() {
            for place in 1..order.len() {
                let (upper, lower) = (&self.crossings[order[place - 1]], &self.crossings[order[place]]);
                if lower.cost_above(upper) < upper.cost_above(lower) {
                    order.swap(place - 1, place);
                }
            }
        }
        for (place, index) in order.iter().enumerate() {
            let above = order[..place].iter().map(|other| &self.crossings[*other]);
            let taken = above.filter(|other| other.overlaps(&self.crossings[*index])).filter_map(|other| other.track);
            let track = taken.max().map_or(0, |track| track + 1);
            self.crossings[*index].track = Some(track);
            self.tracks = self.tracks.max(track + 1);
        }
    }
}

impl Crossing {
    fn is_long(&self) -> bool {
        (self.from - self.to).abs() > LONGEST_CURVE
    }

    fn left(&self) -> f64 {
        self.from.min(self.to)
    }

    fn right(&self) -> f64 {
        self.from.max(self.to)
    }

    fn overlaps(&self, other: &Crossing) -> bool {
        self.left() < other.right() + TRACK_DISTANCE && other.left() < self.right() + TRACK_DISTANCE
    }

    fn spans(&self, x: f64) -> bool {
        self.left() < x && x < self.right()
    }

    /// How often two lines cross if this one's track lies above the other's; running along each other is far worse.
    fn cost_above(&self, other: &Crossing) -> u32 {
        let crosses = u32::from(other.spans(self.to)) + u32::from(self.spans(other.from));
        let shares = (self.to - other.from).abs() < TRACK_DISTANCE / 2.0;
        crosses + if shares { 8 } else { 0 }
    }
}

fn course(line: usize, columns: &Columns, layers: &[Layer], channels: &[Channel], begins: f64, ends: f64) -> Path {
    let Some(first) = columns.passes.first() else { return Path::default() };
    let mut path = Path { start: Some(Point { x: first.x, y: begins }), pieces: Vec::new() };
    for pass in &columns.passes[1..] {
        let below = layer_of(layers, pass.y);
        let channel = below.saturating_sub(1);
        let Some(crossing) = channels[channel].crossings.iter().find(|crossing| crossing.line == line) else { continue };
        let top = layers[channel].top + layers[channel].height;
        let bottom = top + channels[channel].height();
        match crossing.track {
            Some(track) => {
                let y = top + ROOM_ABOVE + TRACK_DISTANCE * track as f64;
                path.straight(crossing.from, y);
                path.straight(crossing.to, y);
            }
            None if (crossing.from - crossing.to).abs() > 0.5 => {
                path.straight(crossing.from, top);
                path.pieces.push(Piece::Curve(Point { x: crossing.to, y: bottom }));
            }
            None => {}
        }
    }
    if let Some(last) = columns.passes.last() {
        path.straight(last.x, ends);
    }
    path
}

fn loop_beside(place: Rectangle) -> Path {
    let (x, y) = (place.right(), place.center_y());
    Path { start: Some(Point { x, y: y - LOOP_OPENING }), pieces: vec![Piece::Loop(LOOP_REACH, Point { x, y: y + LOOP_OPENING })] }
}
