//! The course of one line: straight pieces with round corners, and curves.
//! It can be written as SVG and be walked along; it does not know what it must keep clear of.

use std::fmt::Write as _;

use super::layout::{Point, Rectangle};

#[derive(Debug, Default)]
pub struct Path {
    pub start: Option<Point>,
    pub pieces: Vec<Piece>,
}

#[derive(Clone, Copy, Debug)]
pub enum Piece {
    Straight(Point),
    /// Leaves and arrives going straight up or down.
    Curve(Point),
    /// A swing to the side and back; how far, and where it ends.
    Loop(f64, Point),
}

const CORNER: f64 = 9.0;

impl Piece {
    pub fn end(&self) -> Point {
        match self {
            Piece::Straight(end) | Piece::Curve(end) | Piece::Loop(_, end) => *end,
        }
    }
}

impl Path {
    pub fn points(&self) -> impl Iterator<Item = Point> {
        self.start.into_iter().chain(self.pieces.iter().map(Piece::end))
    }

    pub fn points_mut(&mut self) -> impl Iterator<Item = &mut Point> {
        self.start.iter_mut().chain(self.pieces.iter_mut().map(|piece| match piece {
            Piece::Straight(end) | Piece::Curve(end) | Piece::Loop(_, end) => end,
        }))
    }

    pub fn straight(&mut self, x: f64, y: f64) {
        let end = Point { x, y };
        if self.points().last() != Some(end) {
            self.pieces.push(Piece::Straight(end));
        }
    }

    /// The same course walked the other way.
    pub fn reversed(self) -> Self {
        let points: Vec<Point> = self.points().collect();
        let ends = points.iter().rev().skip(1);
        let pieces = self.pieces.iter().rev().zip(ends).map(|(piece, end)| match piece {
            Piece::Straight(_) => Piece::Straight(*end),
            Piece::Curve(_) => Piece::Curve(*end),
            Piece::Loop(reach, _) => Piece::Loop(*reach, *end),
        });
        Self { start: points.last().copied(), pieces: pieces.collect() }
    }

    /// The line is interrupted where it passes its own words.
    pub fn svg(&self, words: Option<&Rectangle>) -> String {
        let mut out = String::new();
        let Some(mut at) = self.start else { return out };
        // Writing to a String cannot fail.
        let _ = write!(out, "M{:.1} {:.1}", at.x, at.y);
        for (index, piece) in self.pieces.iter().enumerate() {
            let end = piece.end();
            if let (Piece::Straight(_), Some((enters, leaves))) = (piece, words.and_then(|words| interruption(at, end, words))) {
                let _ = write!(out, "L{:.1} {enters:.1}M{:.1} {leaves:.1}", at.x, at.x);
                at.y = leaves;
            }
            let _ = match (piece, self.pieces.get(index + 1)) {
                (Piece::Straight(_), Some(Piece::Straight(next))) if is_corner(at, end, *next) => {
                    let radius = CORNER.min(distance(at, end) / 2.0).min(distance(end, *next) / 2.0);
                    let (before, after) = (towards(end, at, radius), towards(end, *next, radius));
                    write!(out, "L{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}", before.x, before.y, end.x, end.y, after.x, after.y)
                }
                (Piece::Straight(_), _) => write!(out, "L{:.1} {:.1}", end.x, end.y),
                (Piece::Curve(_), _) => {
                    let middle = (at.y + end.y) / 2.0;
                    write!(out, "C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {:.1}", at.x, end.x, end.x, end.y)
                }
                (Piece::Loop(reach, _), _) => {
                    let x = at.x + reach;
                    write!(out, "C{x:.1} {:.1} {x:.1} {:.1} {:.1} {:.1}", at.y - 8.0, end.y + 8.0, end.x, end.y)
                }
            };
            at = end;
        }
        out
    }
}

/// Where a straight piece enters and leaves the words it passes behind.
fn interruption(from: Point, to: Point, words: &Rectangle) -> Option<(f64, f64)> {
    let upright = (from.x - to.x).abs() < 0.5 && words.left < from.x && from.x < words.right();
    let passes = from.y.min(to.y) <= words.top && words.bottom() <= from.y.max(to.y);
    let ends = if from.y < to.y { (words.top, words.bottom()) } else { (words.bottom(), words.top) };
    (upright && passes).then_some(ends)
}

fn is_corner(before: Point, at: Point, after: Point) -> bool {
    let turn = (at.x - before.x) * (after.y - at.y) - (at.y - before.y) * (after.x - at.x);
    turn.abs() > 0.5
}

fn distance(one: Point, other: Point) -> f64 {
    (one.x - other.x).hypot(one.y - other.y)
}

fn towards(from: Point, to: Point, length: f64) -> Point {
    let share = length / distance(from, to).max(0.001);
    Point { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}

#[cfg(test)]
impl Path {
    /// Points close enough together that nothing the line enters is missed.
    pub fn walked(&self) -> Vec<Point> {
        let Some(mut at) = self.start else { return Vec::new() };
        let mut walked = vec![at];
        for piece in &self.pieces {
            let end = piece.end();
            let steps = (distance(at, end) / 2.0).ceil().max(16.0);
            for step in 0..=steps as usize {
                let share = step as f64 / steps;
                let bend = |a: f64, b: f64, c: f64, d: f64| {
                    let rest = 1.0 - share;
                    a * rest.powi(3) + 3.0 * b * rest.powi(2) * share + 3.0 * c * rest * share.powi(2) + d * share.powi(3)
                };
                let middle = (at.y + end.y) / 2.0;
                walked.push(match piece {
                    Piece::Straight(_) => Point { x: at.x + (end.x - at.x) * share, y: at.y + (end.y - at.y) * share },
                    Piece::Curve(_) => Point { x: bend(at.x, at.x, end.x, end.x), y: bend(at.y, middle, middle, end.y) },
                    Piece::Loop(reach, _) => {
                        Point { x: bend(at.x, at.x + reach, at.x + reach, end.x), y: bend(at.y, at.y - 8.0, end.y + 8.0, end.y) }
                    }
                });
            }
            at = end;
        }
        walked
    }
}
