//! What a page says and takes back without denying it outright: `declined to sleep`, `except for the mill`, `a volcanic origin has been ruled out`,
//! `denied taking bribes`, `said it had not been asked`. It is read only where the claim itself takes nothing back; plain denials are read in `denial`.

use std::cell::OnceCell;

use super::denial::{Asked, SCOPE};
use super::opposition::{ALONE, BEFORE, MEANT};
use super::page::NOTHING;
use super::standing::{Best, Here};
use crate::text::Kind;

/// Whether a sentence that speaks of the claim takes back what it says, and no other that tells as much of it says it.
pub fn is_withdrawn(asked: Asked) -> bool {
    if takes_back(asked) || asked.statement().slots.is_empty() {
        return false;
    }
    let told: Vec<f64> = (0..asked.shares.len()).map(|sentence| asked.told_words(sentence)).collect();
    let best = OnceCell::new();
    (0..told.len()).filter(|sentence| told[*sentence] >= SAME_MATTER).any(|sentence| {
        let tokens = asked.page().sentences[sentence].tokens;
        let taken = Sentence { asked, told: &told, best: &best, here: Here::of(asked, sentence), sentence, tokens };
        taken.is_refused() || taken.is_disowned() || taken.is_excepted() || taken.is_ruled_out() || taken.is_denied_further_on()
    })
}

/// Whether the claim takes something back itself: `refused to hear`, `decided against hearing`.
fn takes_back(asked: Asked) -> bool {
    let takes_back = |stem: &str| BEFORE.contains(&stem) || ALONE.contains(&stem) || MEANT.contains(&stem) || EXCEPTING.contains(&stem);
    let raw: Vec<&str> = asked.statement().tokens.iter().map(|token| token.of(asked.statement().text)).collect();
    asked.statement().stems.iter().any(|(_, stem)| takes_back(stem))
        || raw.windows(2).any(|pair| pair[0] == "against" && pair[1].ends_with("ing"))
}

/// A sentence that has less of the claim's words speaks of something else.
const SAME_MATTER: f64 = 0.4;

/// Stems of what is not done: `refused to`, `failed to`.
const REFUSING: [&str; 6] = ["declin", "refus", "fail", "unabl", "forget", "neglect"];

/// Stems before what something is not said of.
const EXCEPTING: [&str; 3] = ["except", "exclud", "excluding"];

/// Stems of what is not believed.
const UNFOUNDED: [&str; 7] = ["unfound", "disprov", "refut", "debunk", "untru", "fals", "hoax"];

/// Verbs before what is said of a subject, `has been ruled out`, and those of them that do not make it one by themselves: `has ruled out arson`.
const BEING: [&str; 10] = ["is", "are", "was", "were", "be", "been", "being", "has", "have", "had"];
const HAVING: [&str; 3] = ["has", "have", "had"];

/// Where what is ruled out ends: `ruled out a coalition with the right`.
const BEHIND: [&str; 15] = ["and", "but", "as", "of", "in", "for", "on", "at", "by", "with", "from", "because", "after", "while", "that"];

struct Sentence<'a> {
    asked: Asked<'a>,
    /// How much of the claim each sentence tells.
    told: &'a [f64],
    /// Read when it is first asked, which few pages need.
    best: &'a OnceCell<Best>,
    here: Here,
    sentence: usize,
    tokens: (usize, usize),
}

impl Sentence<'_> {
    fn raw(&self, at: usize) -> &str {
        self.asked.matching.told().raw(at)
    }

    fn stem(&self, at: usize) -> &str {
        let stem = self.asked.page().stems.get(at).copied().unwrap_or(NOTHING);
        if stem == NOTHING { "" } else { self.asked.page().vocabulary.word(stem) }
    }

    fn all(&self) -> std::ops::Range<usize> {
        self.tokens.0..self.tokens.1
    }

    fn is_claimed(&self, at: usize) -> bool {
        self.asked.page().tokens[at].kind == Kind::Word && !self.here.parts_at(at).is_empty()
    }

    fn is_telling(&self, at: usize) -> bool {
        self.asked.matching.told().is_content(at)
    }

    fn is_subject(&self, at: usize) -> bool {
        self.here.parts_at(at).contains(&self.asked.statement().slots[0].token)
    }

    /// Whether a word stands here only, and in no other sentence that tells as much of the claim.
    fn is_only_here(&self, at: usize, same_word: bool) -> bool {
        let best = self.best.get_or_init(|| Best::of(self.asked, self.told));
        let is_elsewhere = |part: usize| best.is_elsewhere(part, same_word, (self.sentence, self.told[self.sentence]));
        self.here.parts_at(at).iter().all(|part| self.here.has_once(*part, same_word) && !is_elsewhere(*part))
    }

    /// `Declined to sleep in the bed`.
    fn is_refused(&self) -> bool {
        let is_refused = |at: usize| REFUSING.contains(&self.stem(at)) && self.raw(at + 1) == "to" && at + 2 < self.tokens.1;
        self.all().any(|at| is_refused(at) && !self.is_denied_at(at) && self.is_claimed(at + 2) && self.is_only_here(at + 2, false))
    }

    /// `Denied taking bribes`, `denied that he had resigned`, `was cleared of fraud`, `is free of cancer`.
    fn is_disowned(&self) -> bool {
        let is_disowning = |at: usize| match (self.stem(at), self.raw(at + 1)) {
            ("deni", _) => true,
            ("clear" | "acquit" | "absolv" | "innoc" | "absenc" | "lack", next) => next == "of",
            ("free", next) => matches!(next, "of" | "from"),
            _ => false,
        };
        let soon = |at: usize| (at + 1..self.tokens.1.min(at + 1 + SCOPE)).find(|next| self.is_telling(*next));
        let is_taken = |next: usize| self.is_claimed(next) && self.is_only_here(next, false);
        self.all().any(|at| is_disowning(at) && !self.claims(at) && !self.is_denied_at(at) && soon(at).is_some_and(is_taken))
    }

    /// Whether the claim has the same word.
    fn claims(&self, at: usize) -> bool {
        self.asked.statement().stems.iter().any(|(_, own)| own == self.stem(at))
    }

    /// `Destroyed all of it, except for the mill`, where the claim speaks of the mill.
    fn is_excepted(&self) -> bool {
        let is_excepting = |at: usize| EXCEPTING.contains(&self.stem(at)) || self.raw(at) == "apart" && self.raw(at + 1) == "from";
        let soon = |at: usize| (at + 1..self.tokens.1.min(at + 1 + SCOPE)).find(|next| self.is_telling(*next));
        // Only the first that the sentence has of its subject can have nothing of it before.
        let first = self.here.first(self.asked.statement().slots[0].token);
        self.all().any(|at| is_excepting(at) && first.is_some_and(|first| first > at) && soon(at).is_some_and(|next| self.is_subject(next)))
    }

    /// `A volcanic origin, once proposed, has been ruled out`, and `ruled out arson`. What else the sentence says, it says.
    fn is_ruled_out(&self) -> bool {
        let out = |at: usize| match self.raw(at) {
            "ruled" | "ruling" if self.raw(at + 1) != "out" => None,
            "ruled" if self.is_passive(at) => {
                // Who is ruled out of a match is not denied anything but the match.
                let is_somebody = matches!(self.raw(at + 2), "of" | "for" | "with" | "until");
                Some(self.before(at)).filter(|_| !is_somebody)
            }
            "ruled" | "ruling" => Some(self.behind(at + 2)),
            _ if UNFOUNDED.contains(&self.stem(at)) && (self.is_passive(at) || self.is_proved(at)) => Some(self.before(at)),
            _ => None,
        };
        self.all().any(|at| {
            let ruled_out = out(at).filter(|_| !self.claims(at) && !self.is_denied_at(at)).unwrap_or_default();
            // A blaze may stand for arson, and is not ruled out with it.
            let claimed = || ruled_out.iter().filter(|place| self.here.is_same_word(**place));
            claimed().count() * 2 > ruled_out.len() && claimed().any(|place| self.is_only_here(*place, true))
        })
    }

    /// Whether what is ruled out stands before: `was ruled out`, `has also been ruled out`.
    fn is_passive(&self, at: usize) -> bool {
        let before = at.saturating_sub(2).max(self.tokens.0)..at;
        before.into_iter().any(|place| BEING.contains(&self.raw(place)) && !HAVING.contains(&self.raw(place)))
    }

    /// `Rumours of it proved false`.
    fn is_proved(&self, at: usize) -> bool {
        at > self.tokens.0 && matches!(self.raw(at - 1), "proved" | "proven" | "proves")
    }

    /// The words behind a token that are ruled out.
    fn behind(&self, at: usize) -> Vec<usize> {
        let ends = |place: &usize| BEHIND.contains(&self.raw(*place)) || self.asked.page().tokens[*place].kind == Kind::Mark;
        (at..self.tokens.1).take(CLAUSE).take_while(|place| !ends(place)).filter(|place| self.is_telling(*place)).collect()
    }

    /// The words of the clause before a token that are ruled out; none, if it only tells more of somebody: `who has been ruled out for a month`.
    fn before(&self, at: usize) -> Vec<usize> {
        let from = self.tokens.0;
        let mut end = (from..at).rev().take(VERB).take_while(|place| BEING.contains(&self.raw(*place))).last().unwrap_or(at);
        // What stands between commas is set aside: `, once proposed, `.
        if end > from && self.raw(end - 1) == "," {
            end = (from..end - 1).rev().take(ASIDE).find(|place| self.raw(*place) == ",").unwrap_or(from);
        }
        let ends = |place: &usize| matches!(self.raw(*place), "," | ";" | ":" | "and" | "but" | "that" | "who" | "which");
        (from..end).rev().take(CLAUSE).take_while(|place| !ends(place)).filter(|place| self.is_telling(*place)).collect()
    }

    /// `The council said it had not been asked`: who was not asked stands in the clause before.
    fn is_denied_further_on(&self) -> bool {
        let Some(first) = self.all().find(|place| self.is_telling(*place)) else { return false };
        if !(first..first + SUBJECT).any(|at| self.is_subject(at)) {
            return false;
        }
        let clause = |at: usize| self.asked.page().clause_of(at);
        let is_said_of_it = |at: usize| {
            let mut before = (self.tokens.0..at).rev().take(CLAUSE).take_while(|place| clause(*place) == clause(at));
            first < at && !before.any(|place| self.is_telling(place))
        };
        let denied = |at: usize| -> Vec<usize> {
            let ends =
                |place: &usize| matches!(self.raw(*place), "and" | "or" | "but") || self.asked.page().tokens[*place].kind == Kind::Mark;
            (at + 1..self.tokens.1.min(at + 1 + SCOPE)).take_while(|place| !ends(place)).filter(|place| self.is_telling(*place)).collect()
        };
        let is_taken = |at: usize| {
            let denied = denied(at);
            !denied.is_empty() && denied.iter().all(|place| self.is_claimed(*place)) && self.is_only_here(denied[0], false)
        };
        self.all().any(|at| self.raw(at) == "not" && is_said_of_it(at) && is_taken(at))
    }

    /// `Have not ruled out`, `did not fail to`.
    fn is_denied_at(&self, at: usize) -> bool {
        (at.saturating_sub(3).max(self.tokens.0)..at).any(|place| BEFORE.contains(&self.stem(place)))
    }
}

/// A verb has no more than so many words before it: `may have been ruled out`.
const VERB: usize = 4;

/// The head of a subject stands among so many tokens: `the island council`.
const SUBJECT: usize = 3;

/// What stands further away is not read as of one clause.
const CLAUSE: usize = 40;

/// What stands between commas is no longer than so many tokens.
const ASIDE: usize = 12;
