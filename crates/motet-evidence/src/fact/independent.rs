//! Which sources are one and the same voice: copies of a text, and pages of one owner.
//! Agencies sell their texts to many papers; ten copies confirm nothing.

use super::domain::registrable_domain;
use crate::text::Shingles;

/// From this resemblance on two texts are copies.
const COPY: f64 = 0.5;

/// A short text that stands almost whole inside a longer one is a copy too.
const CONTAINED: f64 = 0.8;

/// Groups sources, given as id, address and text, into independent voices, in the order of their first member.
pub fn clusters(sources: &[(&str, &str, &str)]) -> Vec<Vec<String>> {
    let domains: Vec<Option<String>> = sources.iter().map(|(_, address, _)| registrable_domain(address)).collect();
    let shingles: Vec<Shingles> = sources.iter().map(|(_, _, text)| Shingles::of(text)).collect();
    let mut leader: Vec<usize> = (0..sources.len()).collect();
    for one in 0..sources.len() {
        for other in 0..one {
            let same_owner = domains[one].is_some() && domains[one] == domains[other];
            if same_owner || is_copy(&shingles[one], &shingles[other]) {
                join(&mut leader, other, one);
            }
        }
    }
    let mut groups: Vec<(usize, Vec<String>)> = Vec::new();
    for (place, (id, ..)) in sources.iter().enumerate() {
        let first = find(&leader, place);
        match groups.iter_mut().find(|(group, _)| *group == first) {
            Some((_, members)) => members.push(id.to_string()),
            None => groups.push((first, vec![id.to_string()])),
        }
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

fn is_copy(one: &Shingles, other: &Shingles) -> bool {
    if one.is_empty() || other.is_empty() {
        return false;
    }
    // The estimate spares the exact comparison of texts that have nothing in common.
    let promising = one.estimate(other) > 0.0;
    promising && one.resemblance(other) >= COPY || one.containment(other).max(other.containment(one)) >= CONTAINED
}

fn find(leader: &[usize], place: usize) -> usize {
    let mut place = place;
    while leader[place] != place {
        place = leader[place];
    }
    place
}

fn join(leader: &mut [usize], one: usize, other: usize) {
    let (one, other) = (find(leader, one), find(leader, other));
    let (first, second) = (one.min(other), one.max(other));
    leader[second] = first;
}
