//! Where the words of a claim stand in one sentence, and which other sentence of the page has each of them and tells most of the claim.
//! Both are read once, so that asking it of every word of a long page costs no more than reading the page; what it means is not asked here.

use std::collections::BTreeMap;

use super::denial::Asked;
use super::matching::Meeting;

/// The words of the claim, by their tokens, in one sentence.
pub struct Here {
    places: Vec<Place>,
    /// At how many tokens each of them stands, and at how many as the same word.
    counts: BTreeMap<usize, (usize, usize)>,
}

/// A token that is a word of the claim, or may stand for several.
struct Place {
    token: usize,
    parts: Vec<usize>,
    is_same_word: bool,
}

impl Here {
    pub fn of(asked: Asked, sentence: usize) -> Self {
        let meetings = asked.matching.in_sentence(sentence).chunk_by(|one, other| one.token == other.token);
        let place = |meetings: &[Meeting]| Place {
            token: meetings[0].token,
            parts: asked.parts_of(meetings).collect(),
            is_same_word: meetings.iter().any(|meeting| meeting.strength >= 1.0),
        };
        let places: Vec<Place> = meetings.map(place).collect();
        let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for place in &places {
            for part in &place.parts {
                let (all, same) = counts.entry(*part).or_default();
                *all += 1;
                *same += usize::from(place.is_same_word);
            }
        }
        Self { places, counts }
    }

    /// Which words of the claim a token may stand for.
    pub fn parts_at(&self, token: usize) -> &[usize] {
        self.at(token).map_or(&[], |place| &place.parts)
    }

    /// Whether a token is a word of the claim, and not only another for it.
    pub fn is_same_word(&self, token: usize) -> bool {
        self.at(token).is_some_and(|place| place.is_same_word)
    }

    /// Whether no other token of the sentence may stand for a word of the claim; if the same word is asked for, whether no other is that word.
    pub fn has_once(&self, part: usize, same_word: bool) -> bool {
        self.counts.get(&part).is_some_and(|(all, same)| if same_word { *same == 1 } else { *all == 1 })
    }

    /// The first token that may stand for a word of the claim.
    pub fn first(&self, part: usize) -> Option<usize> {
        self.places.iter().find(|place| place.parts.contains(&part)).map(|place| place.token)
    }

    fn at(&self, token: usize) -> Option<&Place> {
        self.places.binary_search_by_key(&token, |place| place.token).ok().map(|place| &self.places[place])
    }
}

/// For each word of the claim, the two sentences that tell most of the claim and have it, or that have the same word.
pub struct Best {
    by_part: BTreeMap<(usize, bool), Two>,
}

/// Of each of two sentences, how much of the claim it tells, and which it is.
type Two = [Option<(f64, usize)>; 2];

impl Best {
    pub fn of(asked: Asked, told: &[f64]) -> Self {
        let mut by_part: BTreeMap<(usize, bool), Two> = BTreeMap::new();
        for (sentence, told) in told.iter().enumerate() {
            let counts = Here::of(asked, sentence).counts.into_iter();
            for key in counts.flat_map(|(part, (_, same))| [Some((part, false)), (same > 0).then_some((part, true))]).flatten() {
                let best = by_part.entry(key).or_default();
                let tells_more = |than: Option<(f64, usize)>| than.is_none_or(|(so_far, _)| *told > so_far);
                if tells_more(best[0]) {
                    *best = [Some((*told, sentence)), best[0]];
                } else if tells_more(best[1]) {
                    best[1] = Some((*told, sentence));
                }
            }
        }
        Self { by_part }
    }

    /// Whether another sentence has a word of the claim, or the same word, and tells at least as much of the claim.
    pub fn is_elsewhere(&self, part: usize, same_word: bool, (sentence, told): (usize, f64)) -> bool {
        let best = self.by_part.get(&(part, same_word)).into_iter().flatten().flatten();
        best.into_iter().any(|(other_told, other)| *other != sentence && *other_told >= told)
    }
}
