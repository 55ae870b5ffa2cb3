//! What a page says and takes back without denying it outright: `declined to sleep`, `except for the mill`, `a volcanic origin has been ruled out`,
//! `said it had not been asked`. It is read only where the claim itself takes nothing back; plain denials are read in `denial`.

use super::denial::{Asked, SCOPE};
use super::opposition::{ALONE, BEFORE, MEANT};
use super::page::NOTHING;
use crate::text::{Kind, fold, words};

/// Whether a sentence that speaks of the claim takes back what it says, and no other that tells as much of it says it.
pub fn is_withdrawn(asked: Asked) -> bool {
    let takes_back = |stem: &str| BEFORE.contains(&stem) || ALONE.contains(&stem) || MEANT.contains(&stem) || EXCEPTING.contains(&stem);
    if asked.statement.stems.iter().any(|(_, stem)| takes_back(stem)) || asked.statement.slots.is_empty() {
        return false;
    }
    let sentences = (0..asked.shares.len()).filter(|sentence| asked.told_words(*sentence) >= SAME_MATTER);
    sentences.into_iter().any(|sentence| {
        let taken = Sentence { asked, sentence, tokens: asked.page.sentences[sentence].tokens };
        taken.is_refused() || taken.is_excepted() || taken.is_ruled_out() || taken.is_denied_further_on()
    })
}

/// A sentence that has less of the claim's words speaks of something else.
const SAME_MATTER: f64 = 0.4;

/// Stems of what is not done: `refused to`, `failed to`.
const REFUSING: [&str; 6] = ["declin", "refus", "fail", "unabl", "forget", "neglect"];

/// Stems before what something is not said of.
const EXCEPTING: [&str; 3] = ["except", "exclud", "excluding"];

/// Stems of what is not believed.
const UNFOUNDED: [&str; 5] = ["unfound", "disprov", "refut", "debunk", "untru"];

struct Sentence<'a> {
    asked: Asked<'a>,
    sentence: usize,
    tokens: (usize, usize),
}

impl Sentence<'_> {
    fn raw(&self, at: usize) -> &str {
        self.asked.page.tokens.get(at).map_or("", |token| token.of(&self.asked.page.text))
    }

    fn stem(&self, at: usize) -> &str {
        let stem = self.asked.page.stems.get(at).copied().unwrap_or(NOTHING);
        if stem == NOTHING { "" } else { self.asked.page.vocabulary.word(stem) }
    }

    fn all(&self) -> std::ops::Range<usize> {
        self.tokens.0..self.tokens.1
    }

    fn is_claimed(&self, at: usize) -> bool {
        self.asked.page.tokens[at].kind == Kind::Word && self.asked.parts_at(self.sentence, at).next().is_some()
    }

    fn is_telling(&self, at: usize) -> bool {
        self.asked.page.tokens[at].kind == Kind::Word && !words::is_stop(&fold(self.raw(at)))
    }

    /// Whether a word stands here only, and in no other sentence that tells as much of the claim.
    fn is_only_here(&self, at: usize) -> bool {
        let parts: Vec<usize> = self.asked.parts_at(self.sentence, at).collect();
        let has = |sentence: usize, at: usize| self.asked.parts_at(sentence, at).any(|part| parts.contains(&part));
        let told = self.asked.told_words(self.sentence);
        let elsewhere = |sentence: usize| {
            let (first, last) = self.asked.page.sentences[sentence].tokens;
            sentence != self.sentence && self.asked.told_words(sentence) >= told && (first..last).any(|at| has(sentence, at))
        };
        self.all().filter(|other| has(self.sentence, *other)).count() == 1 && !(0..self.asked.shares.len()).any(elsewhere)
    }

    /// `Declined to sleep in the bed`.
    fn is_refused(&self) -> bool {
        let is_refused = |at: usize| REFUSING.contains(&self.stem(at)) && self.raw(at + 1) == "to" && at + 2 < self.tokens.1;
        self.all().any(|at| is_refused(at) && !self.is_denied_at(at) && self.is_claimed(at + 2) && self.is_only_here(at + 2))
    }

    /// `Destroyed all of it, except for the mill`, where the claim speaks of the mill.
    fn is_excepted(&self) -> bool {
        let subject = self.asked.statement.slots[0].token;
        let is_subject = |at: usize| self.asked.parts_at(self.sentence, at).any(|part| part == subject);
        let is_excepting = |at: usize| EXCEPTING.contains(&self.stem(at)) || self.raw(at) == "apart" && self.raw(at + 1) == "from";
        let is_soon = |at: usize| (at + 1..self.tokens.1.min(at + 1 + SCOPE)).find(|next| self.is_telling(*next)).is_some_and(is_subject);
        self.all().any(|at| is_excepting(at) && is_soon(at) && !(self.tokens.0..at).any(is_subject))
    }

    /// `A volcanic origin, once proposed, has been ruled out`.
    fn is_ruled_out(&self) -> bool {
        let is_out =
            |at: usize| matches!(self.raw(at), "ruled" | "ruling") && self.raw(at + 1) == "out" || UNFOUNDED.contains(&self.stem(at));
        let claims = |stem: &str| self.asked.statement.stems.iter().any(|(_, own)| own == stem);
        let speaks_of_it = |at: usize| {
            let from = (self.tokens.0..at).rev().find(|place| self.raw(*place) == ";").map_or(self.tokens.0, |place| place + 1);
            let to = (at..self.tokens.1).find(|place| self.raw(*place) == ";").unwrap_or(self.tokens.1);
            let claimed: Vec<usize> = (from..to).filter(|place| self.is_claimed(*place)).collect();
            claimed.len() > 1 && claimed.iter().any(|place| self.is_only_here(*place))
        };
        self.all().any(|at| is_out(at) && !claims(self.stem(at)) && !self.is_denied_at(at) && speaks_of_it(at))
    }

    /// `The council said it had not been asked`: who was not asked stands in the clause before.
    fn is_denied_further_on(&self) -> bool {
        let subject = self.asked.statement.slots[0].token;
        let is_subject = |at: usize| self.asked.parts_at(self.sentence, at).any(|part| part == subject);
        let clause = |at: usize| self.asked.page.clause_of(at);
        let is_said_of_it = |at: usize| {
            let mut before = (self.tokens.0..at).filter(|place| clause(*place) == clause(at));
            !before.any(|place| self.is_telling(place))
                && (self.tokens.0..at).find(|place| self.is_telling(*place)).is_some_and(|first| (first..first + SUBJECT).any(is_subject))
        };
        let denied = |at: usize| -> Vec<usize> {
            let ends =
                |place: &usize| matches!(self.raw(*place), "and" | "or" | "but") || self.asked.page.tokens[*place].kind == Kind::Mark;
            (at + 1..self.tokens.1.min(at + 1 + SCOPE)).take_while(|place| !ends(place)).filter(|place| self.is_telling(*place)).collect()
        };
        let is_taken = |at: usize| {
            let denied = denied(at);
            !denied.is_empty() && denied.iter().all(|place| self.is_claimed(*place)) && self.is_only_here(denied[0])
        };
        self.all().any(|at| self.raw(at) == "not" && is_said_of_it(at) && is_taken(at))
    }

    /// `Have not ruled out`, `did not fail to`.
    fn is_denied_at(&self, at: usize) -> bool {
        (at.saturating_sub(3).max(self.tokens.0)..at).any(|place| BEFORE.contains(&self.stem(place)))
    }
}

/// The head of a subject stands among so many tokens: `the island council`.
const SUBJECT: usize = 3;
