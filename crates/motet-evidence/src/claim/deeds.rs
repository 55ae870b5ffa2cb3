//! Who is said to have done something: the name before a verb, behind `by`, or before a clause that `who` begins.
//! Where the doer is a pronoun or stands elsewhere, nothing is said.

use super::comparisons::{self, Sides};
use super::matching::Matching;
use super::rivals::is_title;
use super::statement::{Part, Statement};
use super::wording::Wording;
use crate::text::{Kind, fold, is_never_a_name, words};

/// Whether every sentence that has a deed of the claim says that somebody else did it.
/// A comparison has two doers, and which of them it means is read there: where a chosen sentence compares the same from the other side, nothing
/// is said.
pub fn are_anothers(matching: &Matching, chosen: &[usize]) -> bool {
    let statement = matching.statement;
    let is_compared = |sentence: &usize| matches!(comparisons::sides(matching, *sentence), Some(Sides::Inverted));
    if chosen.iter().any(is_compared) {
        return false;
    }
    let deeds = (0..statement.slots.len()).filter(|part| matches!(statement.slots[*part].part, Part::Word { in_name: false, .. }));
    deeds.into_iter().any(|deed| is_anothers(matching, &Deed::of_word(statement, deed)))
        || (0..statement.tokens.len()).filter_map(|at| Deed::of_light_verb(statement, at)).any(|deed| is_anothers(matching, &deed))
}

/// What somebody is said to have done.
struct Deed {
    /// Where its verb stands in the claim.
    at: usize,
    /// The word of the claim that tells it: the verb, or behind a verb that tells nothing by itself the word that follows it.
    part: usize,
    is_light: bool,
}

/// Verbs that say little by themselves: `put the visitors ahead`, `became chancellor`.
const LIGHT: [&str; 9] = ["put", "came", "made", "makes", "became", "becomes", "got", "kept", "let"];

/// So soon behind such a verb stands what tells the deed.
const TOLD: usize = 3;

impl Deed {
    fn of_word(statement: &Statement, part: usize) -> Self {
        Self { at: statement.slots[part].token, part, is_light: false }
    }

    fn of_light_verb(statement: &Statement, at: usize) -> Option<Self> {
        let is_light = LIGHT.contains(&statement.tokens[at].of(statement.text));
        let part = (at + 1..=at + TOLD).find_map(|token| statement.slot_of(token)).filter(|_| is_light)?;
        Some(Self { at, part, is_light })
    }

    /// Where a sentence has the verb.
    fn verbs(&self, matching: &Matching, (first, last): (usize, usize)) -> Vec<usize> {
        let told = matching.same(self.part, (first, last));
        if !self.is_light {
            return told.collect();
        }
        let verb = matching.claimed().raw(self.at);
        let before = |told: usize| (told.saturating_sub(TOLD).max(first)..told).rev().find(|at| matching.told().raw(*at) == verb);
        told.filter_map(before).collect()
    }
}

/// A sentence must have this share of what else the claim says before it speaks of the same deed.
const SAME_DEED: f64 = 0.5;

fn is_anothers(matching: &Matching, deed: &Deed) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    let claim = Doers { wording: matching.claimed(), is_claim: true };
    let Some(own) = claim.doer(deed.at, (0, statement.tokens.len())) else { return false };
    let doers: Vec<usize> = (own.0..own.1).filter_map(|token| statement.slot_of(token)).collect();
    let is_known = doers.iter().any(|part| matching.anywhere(*part) > 0.0);
    let rest: Vec<usize> = (0..statement.slots.len()).filter(|part| *part != deed.part && !doers.contains(part)).collect();
    if !is_known || rest.is_empty() {
        return false;
    }
    let told = Doers { wording: matching.told(), is_claim: false };
    let mut is_told_otherwise = false;
    for (sentence, place) in page.sentences.iter().enumerate() {
        let is_same = || {
            let met = rest.iter().filter(|part| matching.strength(**part, sentence) > 0.0).count();
            met as f64 >= SAME_DEED * rest.len() as f64
        };
        for verb in deed.verbs(matching, place.tokens) {
            let has_own = |range: (usize, usize)| doers.iter().any(|part| !matching.places(*part, range).is_empty());
            match told.doer(verb, place.tokens) {
                // `Volkswagen chief Oliver Blume presented` may be told of Volkswagen.
                Some(found) if has_own(found) || found.0 < verb && has_own((place.tokens.0, found.0)) => return false,
                Some(_) if !is_told_otherwise && is_same() => is_told_otherwise = true,
                // Whom it means is not read, and it may mean the claim's.
                None if has_own(place.tokens) => return false,
                _ => {}
            }
        }
    }
    is_told_otherwise
}

/// `was paid last year by`.
const PASSIVE: usize = 5;
const LONGEST_NAME: usize = 8;

/// A text in which those who do something are looked for.
struct Doers<'a> {
    wording: Wording<'a>,
    /// A claim names an institution with `the`; a page may mean by it whom it named before.
    is_claim: bool,
}

impl Doers<'_> {
    /// The tokens of the name of who does what a verb says.
    fn doer(&self, verb: usize, (first, last): (usize, usize)) -> Option<(usize, usize)> {
        let raw = |at: usize| self.raw(at);
        if !self.is_verb(verb) {
            return None;
        }
        // What stands between a subject and its verb: `had`, `later`, `also`.
        let between =
            |at: usize| matches!(raw(at), "had" | "has" | "have" | "also" | "later" | "then" | "first" | "once") || raw(at).ends_with("ly");
        let before = (first..verb).rev().find(|at| !between(*at));
        let is_passive = before.is_some_and(|at| matches!(raw(at), "was" | "were" | "is" | "are" | "been" | "being" | "be"));
        let by = (verb + 1..last.min(verb + 1 + PASSIVE)).take_while(|at| self.wording.is(*at, Kind::Word)).find(|at| raw(*at) == "by");
        match (by, before) {
            (Some(by), _) if is_passive || by == verb + 1 => self.name_from(by + 1, last),
            (_, Some(before)) if matches!(raw(before), "who" | "which") && before > first && raw(before - 1) == "," => {
                self.name_until(first, before - 1)
            }
            (_, Some(before)) if !is_passive => self.name_until(first, before + 1),
            _ => None,
        }
    }

    fn raw(&self, at: usize) -> &str {
        self.wording.raw(at)
    }

    /// What looks like a verb: its past, or `makes the`. Other words behind a name are mostly nouns: `Tesla shares`.
    fn is_verb(&self, at: usize) -> bool {
        let word = self.raw(at);
        let has_object = matches!(
            self.raw(at + 1),
            "the" | "a" | "an" | "its" | "his" | "her" | "their" | "this" | "that" | "it" | "them" | "out" | "into" | "through" | "from"
        );
        let is_telling = words::is_past(word) || !words::is_stop(word) && word.ends_with('s') && has_object;
        word.starts_with(char::is_lowercase) && (is_telling || LIGHT.contains(&word))
    }

    /// What follows `by`, with whatever is said of the name: `German physician Robert Koch`.
    fn name_from(&self, begin: usize, last: usize) -> Option<(usize, usize)> {
        let raw = |at: usize| self.raw(at);
        let goes_on = |at: &usize| match self.wording.is(*at, Kind::Word) {
            true => !words::is_stop(raw(*at)) || matches!(raw(*at), "the" | "a" | "an" | "and" | "of"),
            // `Dr. Robert Jarvik`.
            false => raw(*at) == "." && raw(at - 1).len() <= 3,
        };
        let end = (begin..last.min(begin + LONGEST_NAME)).take_while(goes_on).last()? + 1;
        (begin..end).any(|at| self.is_naming(at)).then_some((begin, end))
    }

    /// The name that ends at a place. What stands behind a preposition is not the subject: `the mayor of Paris`; and of two, both are.
    fn name_until(&self, first: usize, end: usize) -> Option<(usize, usize)> {
        const BEFORE: [&str; 15] = ["of", "in", "at", "from", "for", "near", "with", "by", "on", "to", "and", "or", ",", "'", "-"];
        let begin = (first..end).rev().take_while(|at| self.wording.is_capital(*at)).last()?;
        let is_plain = begin == first || !BEFORE.contains(&self.raw(begin - 1));
        let is_name = (begin..end).any(|at| self.is_naming(at));
        (is_plain && is_name).then_some((begin, end))
    }

    /// `The Queen` and `the Court` are not named so, and `Monday` is nobody. `The Spaniard` and `Her Majesty` may be whoever was named before.
    fn is_naming(&self, at: usize) -> bool {
        let folded = fold(self.raw(at));
        self.wording.is_capital(at)
            && !words::is_stop(&folded)
            && !words::is_generic_in_names(&folded)
            && !is_never_a_name(&folded)
            && (!self.is_called(at) || self.is_claim && self.is_institution(at))
    }

    /// Whether the name that has this word follows `the` or `her`, and so may say what somebody is.
    fn is_called(&self, at: usize) -> bool {
        let is_calling = |at: usize| matches!(fold(self.raw(at)).as_str(), "the" | "his" | "her" | "its" | "their" | "our" | "my");
        let before = (0..at).rev().take(LONGEST_NAME).find(|at| is_calling(*at) || !self.wording.is_capital(*at));
        before.is_some_and(is_calling)
    }

    /// `European Union`, and not `Dutch Prime Minister`.
    fn is_institution(&self, at: usize) -> bool {
        let last = (at..self.wording.tokens.len()).take_while(|at| self.wording.is_capital(*at)).last().unwrap_or(at);
        let folded = fold(self.raw(last));
        words::is_generic_in_names(&folded) && !is_title(&folded)
    }
}
