//! Left and right: moves boxes and columns of lines sideways until most lines run straight.
//! The order within a layer is kept as it was found, because it has few crossings; up and down are not touched.

use std::collections::BTreeMap;

use super::channels::LOOP_WIDTH;
use super::layout::Rectangle;
use super::lines::{Bundle, Columns};
use super::picture::{EdgeKind, Picture};
use super::shift::{Item, distance, shift};

const SWEEPS: usize = 24;

pub fn straighten(picture: &Picture, bundles: &[Bundle], boxes: &mut [Rectangle], columns: &mut [Columns]) {
    let mut items: Vec<Item> =
        boxes.iter().map(|place| Item { x: place.center_x(), width: place.width, is_box: true, links: Vec::new() }).collect();
    let mut heights: Vec<f64> = boxes.iter().map(Rectangle::center_y).collect();
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for (bundle, columns) in bundles.iter().zip(columns.iter()) {
        let mut chain = Vec::new();
        for pass in &columns.passes {
            let label = columns.label.filter(|label| (label.center_y() - pass.y).abs() < 0.5);
            chain.push(items.len());
            items.push(Item { x: pass.x, width: label.map_or(0.0, |label| label.width), is_box: false, links: Vec::new() });
            heights.push(pass.y);
        }
        if bundle.is_loop(picture) {
            make_room_for_loop(picture, bundle, columns, &mut items);
        }
        link(picture, bundle, &chain, &mut items);
        chains.push(chain);
    }
    let layers = layers(&items, &heights);
    settle(&mut items, &layers);
    shift(&mut items, &layers, &chains);

    for (place, item) in boxes.iter_mut().zip(&items) {
        place.left = item.x - place.width / 2.0;
    }
    for (columns, chain) in columns.iter_mut().zip(&chains) {
        for (pass, index) in columns.passes.iter_mut().zip(chain) {
            pass.x = items[*index].x;
            if let Some(label) = columns.label.as_mut().filter(|label| (label.center_y() - pass.y).abs() < 0.5) {
                label.left = pass.x - label.width / 2.0;
            }
        }
    }
}

/// On both sides, so that the box stays in the middle of its item.
fn make_room_for_loop(picture: &Picture, bundle: &Bundle, columns: &Columns, items: &mut [Item]) {
    let words = columns.label.map_or(0.0, |label| label.width);
    if let Some(index) = picture.nodes.iter().position(|node| node.id == bundle.first(picture).from) {
        items[index].width += 2.0 * (LOOP_WIDTH + words);
    }
}

/// A bend in the middle of a line disturbs most, one in what the workflow normally does more than one in its exceptions.
fn link(picture: &Picture, bundle: &Bundle, chain: &[usize], items: &mut [Item]) {
    let (upper, lower) = bundle.upper_and_lower(picture);
    let position = |id: &str| picture.nodes.iter().position(|node| node.id == id);
    let (Some(upper), Some(lower), Some(first), Some(last)) = (position(upper), position(lower), chain.first(), chain.last()) else {
        return;
    };
    let is_main = !bundle.turned && bundle.kind(picture) == EdgeKind::Normal;
    let at_box = if is_main { 3.0 } else { 1.0 };
    let mut pairs = vec![(upper, *first, at_box), (*last, lower, at_box)];
    pairs.extend(chain.windows(2).map(|pair| (pair[0], pair[1], 8.0)));
    for (one, other, weight) in pairs {
        items[one].links.push((other, weight));
        items[other].links.push((one, weight));
    }
}

fn layers(items: &[Item], heights: &[f64]) -> Vec<Vec<usize>> {
    let mut layers: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (index, height) in heights.iter().enumerate() {
        layers.entry((height * 2.0).round() as i64).or_default().push(index);
    }
    let mut layers: Vec<Vec<usize>> = layers.into_values().collect();
    layers.iter_mut().for_each(|layer| layer.sort_by(|one, other| items[*one].x.total_cmp(&items[*other].x).then(one.cmp(other))));
    layers
}

/// Sweeps down and up, first looking only back at the layer just placed, then at both sides; the best of all is kept.
fn settle(items: &mut [Item], layers: &[Vec<usize>]) {
    let mut layer_of = vec![0; items.len()];
    for (number, layer) in layers.iter().enumerate() {
        layer.iter().for_each(|index| layer_of[*index] = number);
    }
    let mut best: Vec<f64> = items.iter().map(|item| item.x).collect();
    let mut least = f64::INFINITY;
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let both = sweep >= SWEEPS / 2;
        let order: Vec<usize> = if down { (0..layers.len()).collect() } else { (0..layers.len()).rev().collect() };
        for number in order {
            let looks_at = |other: usize| both || if down { layer_of[other] < number } else { layer_of[other] > number };
            place_layer(items, &layers[number], &looks_at);
        }
        let cost = bends(items);
        if cost < least {
            least = cost;
            best = items.iter().map(|item| item.x).collect();
        }
    }
    for (item, x) in items.iter_mut().zip(best) {
        item.x = x;
    }
}

fn bends(items: &[Item]) -> f64 {
    items.iter().flat_map(|item| item.links.iter().map(|(other, weight)| weight * (item.x - items[*other].x).abs())).sum()
}

/// Items as near to where they want to be as their distances allow: neighbours that would collide move as one block.
fn place_layer(items: &mut [Item], layer: &[usize], looks_at: &dyn Fn(usize) -> bool) {
    struct Block {
        wishes: Vec<(f64, f64)>,
        x: f64,
        members: usize,
    }
    let mut offsets = Vec::new();
    let mut blocks: Vec<Block> = Vec::new();
    let mut offset = 0.0;
    for (place, index) in layer.iter().enumerate() {
        if place > 0 {
            offset += distance(&items[layer[place - 1]], &items[*index]);
        }
        offsets.push(offset);
        let item = &items[*index];
        let mut wishes: Vec<(f64, f64)> =
            item.links.iter().filter(|(other, _)| looks_at(*other)).map(|(other, weight)| (items[*other].x - offset, *weight)).collect();
        // Without any wish it stays, and gives way to those who have one.
        if wishes.is_empty() {
            wishes.push((item.x - offset, 0.1));
        }
        let x = middle(&mut wishes);
        blocks.push(Block { wishes, x, members: 1 });
        while let [.., before, last] = blocks.as_mut_slice() {
            if before.x <= last.x {
                break;
            }
            before.wishes.append(&mut last.wishes);
            before.members += last.members;
            before.x = middle(&mut before.wishes);
            blocks.pop();
        }
    }
    let places = blocks.iter().flat_map(|block| std::iter::repeat_n(block.x, block.members));
    for ((index, offset), x) in layer.iter().zip(offsets).zip(places) {
        items[*index].x = x + offset;
    }
}

/// The weighted median, which lets a line be quite straight instead of every line a little bent.
fn middle(wishes: &mut [(f64, f64)]) -> f64 {
    wishes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half: f64 = wishes.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut passed = 0.0;
    for (place, (x, weight)) in wishes.iter().enumerate() {
        passed += weight;
        if (passed - half).abs() < 1e-9 {
            return wishes.get(place + 1).map_or(*x, |(next, _)| (x + next) / 2.0);
        }
        if passed > half {
            return *x;
        }
    }
    wishes.last().map_or(0.0, |(x, _)| *x)
}
