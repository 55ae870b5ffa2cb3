//! The shaded areas behind states of one group, each with the group's name.
//! A group whose states do not stand together has several; an area never holds a state that is not of its group.

use super::layout::{Point, Rectangle};
use super::lines::Line;
use super::picture::{Kind, Picture};
use super::text_width::group_width;

#[derive(Debug)]
pub struct Area {
    /// A position in `Picture::groups`.
    pub group: usize,
    pub place: Rectangle,
    /// Where the heading begins, clear of the lines as far as there is room.
    pub heading_x: f64,
}

/// From the top of an area to its boxes: the heading, and below it the heads of arrows.
const HEADING_HEIGHT: f64 = 31.0;
const HEADING_ROW: f64 = 20.0;
pub const HEADING_BASELINE: f64 = 15.5;
const SIDE_ROOM: f64 = 11.0;
/// For the mark of the first state.
pub const START_ROOM: f64 = 20.0;

pub fn areas(picture: &Picture, boxes: &[Rectangle], lines: &[Line]) -> Vec<Area> {
    let mut places: Vec<(usize, Rectangle)> = Vec::new();
    for (node, place) in picture.nodes.iter().zip(boxes) {
        if let Some(group) = node.group {
            let left_room = if node.id == picture.start { SIDE_ROOM + START_ROOM } else { SIDE_ROOM };
            let around = Rectangle {
                left: place.left - left_room,
                top: place.top - HEADING_HEIGHT,
                width: place.width + left_room + SIDE_ROOM,
                height: place.height + HEADING_HEIGHT + SIDE_ROOM,
            };
            places.push((group, around));
        }
    }
    while let Some((one, other)) = next_to_join(picture, boxes, &places) {
        let joined = union(&places[one].1, &places[other].1);
        places[one].1 = joined;
        places.remove(other);
    }
    // A note alone needs no area.
    let holds_state = |area: &Rectangle| picture.nodes.iter().zip(boxes).any(|(node, place)| node.kind != Kind::Note && area.meets(place));
    places.retain(|(_, area)| holds_state(area));
    places.sort_by(|one, other| {
        (one.0, one.1.top, one.1.left).partial_cmp(&(other.0, other.1.top, other.1.left)).unwrap_or(std::cmp::Ordering::Equal)
    });
    places.into_iter().map(|(group, place)| with_heading(picture, boxes, group, place, lines)).collect()
}

/// The nearest two areas of one group that can be one without taking in a stranger.
fn next_to_join(picture: &Picture, boxes: &[Rectangle], places: &[(usize, Rectangle)]) -> Option<(usize, usize)> {
    let mut best: Option<(f64, usize, usize)> = None;
    for one in 0..places.len() {
        for other in one + 1..places.len() {
            let (group, joined) = (places[one].0, union(&places[one].1, &places[other].1));
            let stranger = holds_stranger(picture, boxes, group, &joined);
            let neighbour = places.iter().any(|(owner, place)| *owner != group && joined.meets(place));
            if places[other].0 != group || stranger || neighbour {
                continue;
            }
            let size = joined.width * joined.height;
            if best.is_none_or(|(least, _, _)| size < least) {
                best = Some((size, one, other));
            }
        }
    }
    best.map(|(_, one, other)| (one, other))
}

fn holds_stranger(picture: &Picture, boxes: &[Rectangle], group: usize, area: &Rectangle) -> bool {
    picture.nodes.iter().zip(boxes).any(|(node, place)| node.group != Some(group) && area.meets(place))
}

fn union(one: &Rectangle, other: &Rectangle) -> Rectangle {
    let (left, top) = (one.left.min(other.left), one.top.min(other.top));
    Rectangle { left, top, width: one.right().max(other.right()) - left, height: one.bottom().max(other.bottom()) - top }
}

fn with_heading(picture: &Picture, boxes: &[Rectangle], group: usize, mut place: Rectangle, lines: &[Line]) -> Area {
    let width = group_width(&picture.groups[group]);
    let first = place.left + SIDE_ROOM;
    let wider = Rectangle { width: place.width.max(width + 2.0 * SIDE_ROOM), ..place };
    if !holds_stranger(picture, boxes, group, &wider) {
        place = wider;
    }
    let row = Rectangle { left: place.left, top: place.top, width: place.width, height: HEADING_ROW };
    let taken: Vec<f64> = lines.iter().flat_map(|line| passing(line, &row)).collect();
    let crossed = |x: f64| taken.iter().filter(|taken| (x - 5.0..x + width + 5.0).contains(*taken)).count();
    let places = ((place.right() - SIDE_ROOM - width - first) / 4.0).max(0.0) as usize;
    let heading_x = (0..=places).map(|step| first + 4.0 * step as f64).min_by_key(|x| crossed(*x)).unwrap_or(first);
    Area { group, place, heading_x }
}

/// Where a line runs through a row.
fn passing(line: &Line, row: &Rectangle) -> Vec<f64> {
    let points: Vec<Point> = line.path.points().collect();
    let meets = |pair: &&[Point]| pair[0].y.min(pair[1].y) < row.bottom() && pair[0].y.max(pair[1].y) > row.top;
    points.windows(2).filter(meets).flat_map(|pair| [pair[0].x, pair[1].x]).collect()
}
