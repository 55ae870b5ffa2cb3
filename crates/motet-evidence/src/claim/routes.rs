//! Where something went from and where to, by names and words: `from Leeds to Bristol`. What a number went from and to is read in `opposition`.
//! Only what stands directly behind the two small words is read.

use super::matching::Matching;
use super::wording::Wording;
use crate::text::Kind;

/// Whether a sentence goes the other way than the claim, and nowhere the same way.
pub fn are_reversed(matching: &Matching, sentence: usize) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    let claimed = routes(matching.claimed(), (0, statement.tokens.len()));
    let said = routes(matching.told(), page.sentences[sentence].tokens);
    claimed.iter().any(|claimed| {
        let parts = |(first, last): (usize, usize)| (first..last).filter_map(|token| statement.slot_of(token));
        let meets = |own: (usize, usize), range: (usize, usize)| parts(own).any(|part| !matching.places(part, range).is_empty());
        let is_same = |said: &Route| meets(claimed.from, said.from) || meets(claimed.to, said.to);
        let is_reverse = |said: &Route| meets(claimed.from, said.to) && meets(claimed.to, said.from);
        said.iter().any(is_reverse) && !said.iter().any(is_same)
    })
}

/// The words behind `from` and behind `to`.
struct Route {
    from: (usize, usize),
    to: (usize, usize),
}

/// So many words say where, and so many may stand between the two ends.
const LONGEST: usize = 4;
const BETWEEN: usize = 6;

fn routes(wording: Wording, (first, last): (usize, usize)) -> Vec<Route> {
    let ends = |wanted: &str| -> Vec<(usize, usize)> {
        let places = (first..last).filter(|at| wording.raw(*at) == wanted);
        places.map(|at| (at + 1, end(wording, (at + 1, last)))).filter(|(begin, end)| begin < end).collect()
    };
    let destinations = ends("to");
    let near = |from: &(usize, usize), to: &&(usize, usize)| {
        let (one, other) = if from.0 < to.0 { (from, *to) } else { (*to, from) };
        other.0.saturating_sub(one.1) <= BETWEEN
    };
    let route = |from: (usize, usize)| destinations.iter().find(|to| near(&from, to)).map(|to| Route { from, to: *to });
    ends("from").into_iter().filter_map(route).collect()
}

/// Where the words end that say where: at a mark, and at a small word other than an article or `of`.
fn end(wording: Wording, (begin, last): (usize, usize)) -> usize {
    let is_small = |at: usize| wording.is(at, Kind::Word) && matches!(wording.raw(at), "the" | "a" | "an" | "of" | "its" | "their");
    let goes_on = |at: &usize| wording.is_content(*at) || is_small(*at);
    (begin..last.min(begin + LONGEST)).take_while(goes_on).last().map_or(begin, |at| at + 1)
}
