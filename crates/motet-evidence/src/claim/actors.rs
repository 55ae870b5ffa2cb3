//! Who stands before a verb and who behind it, in claim and sentence: `the council has given` where the sentence says `the brewery has given`.
//! Names round a verb are compared in `roles`, and doers that only the page names in `deeds`; here both are the claim's own words.

use super::matching::Matching;
use super::statement::Part;
use super::wording::Wording;
use crate::text::Kind;

/// Whether a sentence says of what the claim has behind a verb that it did what the verb says, or has the claim's doer behind the verb.
pub fn are_exchanged(matching: &Matching, sentence: usize) -> bool {
    let statement = matching.statement;
    let claim = Order { wording: matching.claimed(), first: 0 };
    let verbs = (0..statement.slots.len()).filter(|part| matches!(statement.slots[*part].part, Part::Word { in_name: false, .. }));
    verbs.into_iter().any(|verb| {
        let at = statement.slots[verb].token;
        let doer = claim.doer(at).and_then(|token| statement.slot_of(token));
        doer.is_some_and(|doer| is_exchanged(matching, sentence, (doer, verb)))
    })
}

fn is_exchanged(matching: &Matching, sentence: usize, (doer, verb): (usize, usize)) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    let (first, last) = page.sentences[sentence].tokens;
    let told = Order { wording: matching.told(), first };
    let is_part = |part: usize, at: usize| matching.same(part, (at, at + 1)).next().is_some();
    // `The ruling overturned a decision`: another word for what the claim has behind the verb may be the doer's own.
    let behind = |at: usize| {
        let is_it = |part: usize| matching.places(part, (at, at + 1)).iter().any(|(_, strength)| *strength >= 1.0);
        (verb + 1..statement.slots.len()).any(is_it)
    };
    let before = |at: usize| (0..verb).any(|part| is_part(part, at));
    // Another word for the verb may have another object: `scurvy killed them` is `they died`.
    let verbs: Vec<usize> =
        matching.places(verb, (first, last)).iter().filter(|(_, strength)| *strength >= 1.0).map(|(at, _)| *at).collect();
    let doers: Vec<usize> = verbs.iter().filter_map(|at| told.doer(*at)).collect();
    let objects: Vec<usize> = verbs.iter().filter_map(|at| told.object(*at, last)).collect();
    let own = object(matching, verb);
    let is_doer_known = !matching.places(doer, (first, last)).is_empty();
    let is_done_by_it = is_doer_known && !doers.iter().any(|found| before(*found)) && doers.iter().any(|found| behind(*found));
    let is_own = |found: usize| own.is_some_and(|part| is_part(part, found));
    let is_done_to_doer = own.is_some() && !objects.iter().any(|found| is_own(*found)) && objects.iter().any(|found| is_part(doer, *found));
    is_done_by_it || is_done_to_doer && !doers.iter().any(|found| before(*found))
}

/// The word of the claim that stands directly behind its verb.
fn object(matching: &Matching, verb: usize) -> Option<usize> {
    let statement = matching.statement;
    let claim = Order { wording: matching.claimed(), first: 0 };
    let object = claim.object(statement.slots[verb].token, statement.tokens.len());
    object.and_then(|token| statement.slot_of(token))
}

/// So many tokens a name or a noun with its adjectives has.
const LONGEST: usize = 4;

/// A text from one token on, in which doers and what they do it to are looked for.
struct Order<'a> {
    wording: Wording<'a>,
    first: usize,
}

impl Order<'_> {
    fn raw(&self, at: usize) -> &str {
        self.wording.raw(at)
    }

    /// The word before a verb that says who did it. Of two deeds joined by `and`, whoever did the first.
    fn doer(&self, verb: usize) -> Option<usize> {
        if !self.is_past(verb) || !self.is_deed(verb) {
            return None;
        }
        let is_between =
            |at: usize| matches!(self.raw(at), "has" | "have" | "had" | "also" | "later" | "then") || self.raw(at).ends_with("ly");
        let before = (self.first..verb).rev().find(|at| !is_between(*at))?;
        if self.raw(before) == "and" {
            let earlier = (self.first..before).rev().find(|at| self.is_past(*at))?;
            let is_plain = (earlier..before).all(|at| !matches!(self.raw(at), ";" | "who" | "which" | "that" | "while" | "but"));
            let doer = earlier.checked_sub(1).filter(|doer| is_plain && *doer >= self.first)?;
            return self.is_noun(doer).then_some(doer);
        }
        (self.is_noun(before) && !self.is_governed(before)).then_some(before)
    }

    /// Whether a word that looks like a past is one: behind `has`, or before its object. `The treaty signed by France` did not sign anything, and
    /// `a rate cut of 25 points` cuts nothing.
    fn is_deed(&self, verb: usize) -> bool {
        let is_perfect = verb > self.first && matches!(self.raw(verb - 1), "has" | "have" | "had");
        let next = self.raw(verb + 1);
        let is_number = self.wording.is(verb + 1, Kind::Number);
        let is_led = matches!(next, "the" | "a" | "an" | "its" | "their" | "his" | "her");
        is_perfect || is_led || is_number || self.is_noun(verb + 1)
    }

    /// `The mayor of the town opened`: the town did nothing, and of two in a row both did.
    fn is_governed(&self, at: usize) -> bool {
        const BEFORE: [&str; 13] = ["of", "in", "at", "from", "for", "with", "by", "on", "to", "near", "and", "or", ","];
        let before = (self.first..at).rev().find(|place| !self.is_noun(*place) && !self.wording.is_article(*place));
        before.is_some_and(|place| BEFORE.contains(&self.raw(place)))
    }

    /// The last word of what stands directly behind a verb.
    fn object(&self, verb: usize, last: usize) -> Option<usize> {
        let is_passive = verb > self.first && matches!(self.raw(verb - 1), "is" | "are" | "was" | "were" | "be" | "been" | "being");
        if !self.is_past(verb) || is_passive {
            return None;
        }
        let begin = (verb + 1..last).find(|at| !self.wording.is_article(*at))?;
        (begin..last.min(begin + LONGEST)).take_while(|at| self.is_noun(*at)).last()
    }

    fn is_noun(&self, at: usize) -> bool {
        self.wording.is_content(at) && !self.is_past(at)
    }

    fn is_past(&self, at: usize) -> bool {
        const SAYING: [&str; 10] = ["told", "added", "asked", "explained", "argued", "claimed", "wrote", "reported", "called", "named"];
        self.wording.is_past(at) && !SAYING.contains(&self.raw(at))
    }
}
