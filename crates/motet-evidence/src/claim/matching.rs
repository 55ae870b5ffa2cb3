//! Where on a page each part of a claim is met, and how well: the same word, another form of it, a word that may stand for it.
//! It finds and weighs nothing against each other; `support` does.

use super::page::{NOTHING, Page};
use super::statement::{Part, Statement};
use super::wording::Wording;
use crate::text::words;

const SYNONYM: f32 = 0.75;
const SAME_NAME: f32 = 0.95;
const DERIVED: f32 = 0.7;
/// From this strength on a word of the page is the word of the claim, in whatever form.
pub const SAME_WORD: f32 = 0.7;

/// A place on the page where a part of the claim is met.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    pub token: usize,
    pub part: usize,
    pub strength: f32,
}

/// For each part of the claim and each sentence of the page, how well the sentence has the part.
#[derive(Debug)]
pub struct Matching<'a> {
    pub statement: &'a Statement<'a>,
    pub page: &'a Page,
    sentences: usize,
    strength: Vec<f32>,
    /// All places, in the order of the page.
    meetings: Vec<Meeting>,
    /// The first meeting of each sentence.
    firsts: Vec<usize>,
    /// The same places by part.
    places: Vec<Vec<(usize, f32)>>,
    /// Whether two parts that follow each other in the claim stand close together somewhere on the page, by the first of them.
    pub pairs: Vec<bool>,
    /// The stem on the page that is the same word, if there is one.
    pub exact: Vec<Option<u32>>,
}

/// Parts of a claim that follow each other are close together on a page if at most this many tokens apart.
const NEAR: usize = 6;

impl<'a> Matching<'a> {
    pub fn of(statement: &'a Statement<'a>, page: &'a Page) -> Self {
        let parts = statement.slots.len();
        let sentences = page.sentences.len();
        let mut matching = Self {
            statement,
            page,
            sentences,
            strength: vec![0.0; parts * sentences],
            meetings: Vec::new(),
            firsts: Vec::with_capacity(sentences),
            places: vec![Vec::new(); parts],
            pairs: vec![false; parts.saturating_sub(1)],
            exact: vec![None; parts],
        };
        let mut wanted: Vec<Vec<(usize, f32)>> = Vec::new();
        let mut wanted_at = vec![u32::MAX; page.vocabulary.len()];
        for (place, slot) in statement.slots.iter().enumerate() {
            let Part::Word { stem, in_name, .. } = &slot.part else { continue };
            matching.exact[place] = page.find(stem);
            for (found, strength) in variants(stem, *in_name, page) {
                let entry = &mut wanted_at[found as usize];
                if *entry == u32::MAX {
                    *entry = wanted.len() as u32;
                    wanted.push(Vec::new());
                }
                wanted[*entry as usize].push((place, strength));
            }
        }
        let mut numbers_at: Vec<(usize, usize)> = Vec::new();
        for (place, number) in statement.numbers() {
            let borne_out = page.numbers.iter().filter(|(found, _)| found.bears_out(number));
            numbers_at.extend(borne_out.map(|(found, _)| (found.tokens.0, place)));
        }
        numbers_at.sort_unstable();
        matching.scan(&wanted, &wanted_at, &numbers_at);
        matching
    }

    fn scan(&mut self, wanted: &[Vec<(usize, f32)>], wanted_at: &[u32], numbers_at: &[(usize, usize)]) {
        let (parts, page) = (self.exact.len(), self.page);
        let mut last_met: Vec<usize> = vec![usize::MAX; parts];
        let mut next_number = 0;
        for (sentence, place) in page.sentences.iter().enumerate() {
            self.firsts.push(self.meetings.len());
            for at in place.tokens.0..place.tokens.1 {
                while numbers_at.get(next_number).is_some_and(|(token, _)| *token < at) {
                    next_number += 1;
                }
                while let Some((_, part)) = numbers_at.get(next_number).filter(|(token, _)| *token == at) {
                    self.meet(*part, sentence, 1.0, at, &mut last_met);
                    next_number += 1;
                }
                let stem = page.stems[at];
                if stem == NOTHING || wanted_at[stem as usize] == u32::MAX {
                    continue;
                }
                for (part, strength) in &wanted[wanted_at[stem as usize] as usize] {
                    self.meet(*part, sentence, *strength, at, &mut last_met);
                }
            }
        }
    }

    fn meet(&mut self, part: usize, sentence: usize, strength: f32, at: usize, last_met: &mut [usize]) {
        let entry = &mut self.strength[part * self.sentences + sentence];
        *entry = entry.max(strength);
        self.meetings.push(Meeting { token: at, part, strength });
        self.places[part].push((at, strength));
        last_met[part] = at;
        let is_near = |other: usize| last_met[other] != usize::MAX && at - last_met[other] <= NEAR && at != last_met[other];
        if part > 0 && is_near(part - 1) {
            self.pairs[part - 1] = true;
        }
        if part + 1 < last_met.len() && is_near(part + 1) {
            self.pairs[part] = true;
        }
    }

    pub fn strength(&self, part: usize, sentence: usize) -> f64 {
        f64::from(self.strength[part * self.sentences + sentence])
    }

    /// The best that any sentence has of a part.
    pub fn anywhere(&self, part: usize) -> f64 {
        let row = &self.strength[part * self.sentences..(part + 1) * self.sentences];
        f64::from(row.iter().copied().fold(0.0, f32::max))
    }

    /// Everything of the claim that a sentence has, in the order of the page.
    pub fn in_sentence(&self, sentence: usize) -> &[Meeting] {
        let end = self.firsts.get(sentence + 1).copied().unwrap_or(self.meetings.len());
        &self.meetings[self.firsts[sentence]..end]
    }

    /// Where a part is met between two tokens, and how well.
    pub fn places(&self, part: usize, (first, last): (usize, usize)) -> &[(usize, f32)] {
        let places = &self.places[part];
        let from = places.partition_point(|(token, _)| *token < first);
        let to = places.partition_point(|(token, _)| *token < last);
        &places[from..to]
    }

    /// Where the same word is met between two tokens.
    pub fn same(&self, part: usize, range: (usize, usize)) -> impl Iterator<Item = usize> {
        self.places(part, range).iter().filter(|(_, strength)| *strength >= SAME_WORD).map(|(token, _)| *token)
    }

    /// Whether anything of the claim is met between two tokens.
    pub fn meets(&self, (first, last): (usize, usize)) -> bool {
        let from = self.meetings.partition_point(|meeting| meeting.token < first);
        self.meetings.get(from).is_some_and(|meeting| meeting.token < last)
    }

    pub fn sentences(&self) -> usize {
        self.sentences
    }

    /// The words of the claim.
    pub fn claimed(&self) -> Wording<'a> {
        self.statement.into()
    }

    /// The words of the page.
    pub fn told(&self) -> Wording<'a> {
        self.page.into()
    }
}

/// The stems of the page that may stand for a word of the claim.
fn variants(stem: &str, in_name: bool, page: &Page) -> Vec<(u32, f32)> {
    let mut found: Vec<(u32, f32)> = Vec::new();
    found.extend(page.find(stem).map(|same| (same, 1.0)));
    found.extend(words::same_names(stem).filter_map(|other| page.find(other)).map(|other| (other, SAME_NAME)));
    if !in_name {
        found.extend(words::synonyms(stem).filter_map(|other| page.find(other)).map(|other| (other, SYNONYM)));
        if found.iter().all(|(_, strength)| *strength < 1.0) {
            found.extend(derived(stem, page).map(|other| (other, DERIVED)));
        }
    }
    found
}

/// Words with the same beginning: `administration` and `administrator`, `economic` and `economy`.
fn derived<'a>(stem: &'a str, page: &'a Page) -> impl Iterator<Item = u32> + 'a {
    let wanted = (stem.len() * 3).div_ceil(4).max(5);
    let prefix = stem.get(..wanted.min(stem.len())).filter(|prefix| prefix.len() >= 5);
    prefix.into_iter().flat_map(move |prefix| {
        let alike = page.vocabulary.words().enumerate().filter(move |(_, word)| word.starts_with(prefix) && word.len() <= stem.len() + 5);
        alike.map(|(number, _)| number as u32)
    })
}
