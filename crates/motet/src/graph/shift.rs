//! The last step left and right: whole stretches that already stand straight are moved together, pushing what is in their way.
//! One item alone can rarely move without bending its own line; a stretch can. Orders and distances are kept.

/// Something with a place in a layer, tied to others above and below.
pub struct Item {
    pub x: f64,
    pub width: f64,
    pub is_box: bool,
    /// The items above and below that it would like to stand under or over, and how much.
    pub links: Vec<(usize, f64)>,
}

const MOST_ROUNDS: usize = 16;
const PASSES: usize = 3;
const BETWEEN_BOXES: f64 = 34.0;
const BETWEEN_LINES: f64 = 18.0;
/// Two places nearer than this are the same.
const SAME: f64 = 0.5;

pub fn distance(left: &Item, right: &Item) -> f64 {
    let room = if left.is_box && right.is_box { BETWEEN_BOXES } else { BETWEEN_LINES };
    left.width / 2.0 + room + right.width / 2.0
}

/// `chains` are the items of each line, from its upper to its lower end.
pub fn shift(items: &mut [Item], layers: &[Vec<usize>], chains: &[Vec<usize>]) {
    let neighbours = neighbours(items.len(), layers);
    for _ in 0..PASSES {
        shift_stretches(items, &neighbours);
        chains.iter().for_each(|chain| unbend(items, &neighbours, chain));
    }
}

fn shift_stretches(items: &mut [Item], neighbours: &[[Option<usize>; 2]]) {
    for _ in 0..MOST_ROUNDS {
        let mut moved = false;
        let mut tried = vec![false; items.len()];
        for first in 0..items.len() {
            if !tried[first] {
                let stretch = stretch(items, first);
                stretch.iter().for_each(|index| tried[*index] = true);
                moved |= improve(items, neighbours, &stretch);
            }
        }
        if !moved {
            return;
        }
    }
}

/// Draws a line with as few bends as its neighbours leave room for.
fn unbend(items: &mut [Item], neighbours: &[[Option<usize>; 2]], chain: &[usize]) {
    let bends = chain.windows(2).filter(|pair| (items[pair[0]].x - items[pair[1]].x).abs() >= SAME).count();
    let mut runs: Vec<(f64, f64, Vec<usize>)> = Vec::new();
    for index in chain {
        let [left, right] = neighbours[*index];
        let least = left.map_or(f64::NEG_INFINITY, |left| items[left].x + distance(&items[left], &items[*index]));
        let most = right.map_or(f64::INFINITY, |right| items[right].x - distance(&items[*index], &items[right]));
        match runs.last_mut().filter(|run| run.0.max(least) <= run.1.min(most)) {
            Some(run) => {
                (run.0, run.1) = (run.0.max(least), run.1.min(most));
                run.2.push(*index);
            }
            None => runs.push((least, most, vec![*index])),
        }
    }
    if runs.len() > bends {
        return;
    }
    for (least, most, run) in runs {
        let mut places: Vec<f64> = run.iter().map(|index| items[*index].x).collect();
        places.sort_by(f64::total_cmp);
        // Rounding may leave a run without room by a hair; then it stays as it is.
        let x = places[places.len() / 2].min(most).max(least);
        run.into_iter().for_each(|index| items[index].x = x);
    }
}

/// For each item, who stands left and right of it.
fn neighbours(count: usize, layers: &[Vec<usize>]) -> Vec<[Option<usize>; 2]> {
    let mut neighbours = vec![[None, None]; count];
    for pair in layers.iter().flat_map(|layer| layer.windows(2)) {
        neighbours[pair[0]][1] = Some(pair[1]);
        neighbours[pair[1]][0] = Some(pair[0]);
    }
    neighbours
}

/// Everything that is linked with an item and stands exactly under or over it.
fn stretch(items: &[Item], first: usize) -> Vec<usize> {
    let mut found = vec![first];
    let mut seen = vec![false; items.len()];
    seen[first] = true;
    let mut place = 0;
    while let Some(index) = found.get(place).copied() {
        for (other, _) in &items[index].links {
            if (items[*other].x - items[index].x).abs() < SAME && !std::mem::replace(&mut seen[*other], true) {
                found.push(*other);
            }
        }
        place += 1;
    }
    found
}

/// Tries to bring the stretch in line with everything it is linked to, and keeps what helps most.
fn improve(items: &mut [Item], neighbours: &[[Option<usize>; 2]], stretch: &[usize]) -> bool {
    let mut best: Option<(f64, f64, Vec<usize>)> = None;
    let ways = stretch.iter().flat_map(|index| items[*index].links.iter().map(|(other, _)| items[*other].x - items[*index].x));
    let mut ways: Vec<f64> = ways.filter(|way| way.abs() >= SAME).collect();
    ways.sort_by(f64::total_cmp);
    ways.dedup_by(|one, other| (*one - *other).abs() < SAME);
    for way in ways {
        let (pushed, goes) = pushed(items, neighbours, stretch, way);
        let gain = gain(items, &pushed, &goes, way);
        if gain > SAME && best.as_ref().is_none_or(|(most, _, _)| gain > *most) {
            best = Some((gain, way, pushed));
        }
    }
    let Some((_, way, pushed)) = best else { return false };
    pushed.into_iter().for_each(|index| items[index].x += way);
    true
}

/// The stretch with every other one that has to go along to keep its distance: as a list, and as a mark for each item.
fn pushed(items: &[Item], neighbours: &[[Option<usize>; 2]], start: &[usize], way: f64) -> (Vec<usize>, Vec<bool>) {
    let mut goes = vec![false; items.len()];
    start.iter().for_each(|index| goes[*index] = true);
    let mut all = start.to_vec();
    let mut place = 0;
    while let Some(index) = all.get(place).copied() {
        place += 1;
        let ahead = neighbours[index][usize::from(way > 0.0)].filter(|ahead| !goes[*ahead]);
        let Some(ahead) = ahead else { continue };
        let (left, right) = if way > 0.0 { (index, ahead) } else { (ahead, index) };
        let room = items[right].x - items[left].x - distance(&items[left], &items[right]);
        if room < way.abs() - SAME / 10.0 {
            for other in stretch(items, ahead).into_iter().filter(|other| !std::mem::replace(&mut goes[*other], true)) {
                all.push(other);
            }
        }
    }
    (all, goes)
}

/// How much shorter the sideways steps become.
fn gain(items: &[Item], moved: &[usize], goes: &[bool], way: f64) -> f64 {
    let outward = moved.iter().flat_map(|index| items[*index].links.iter().map(move |(other, weight)| (*index, *other, *weight)));
    outward
        .filter(|(_, other, _)| !goes[*other])
        .map(|(index, other, weight)| {
            let before = items[index].x - items[other].x;
            weight * (before.abs() - (before + way).abs())
        })
        .sum()
}
