//! What a negation denies, and whether any sentence of the page denies the same, or denies what the claim affirms.
//! A denial is often told in one sentence and its figures in another, so the sentence that says most of a claim is not the one to ask.

use super::limits::{Said, is_limit};
use super::matching::{Matching, Meeting, SAME_WORD};
use super::opposition::{ALONE, BEFORE, MEANT, Negations, clause_range};
use super::page::{NOTHING, Page};
use super::statement::{Part, Statement};
use super::told::Told;
use crate::text::{Kind, fold, tokens, words};

/// A negation and the words that follow it closely.
struct Denial {
    at: usize,
    denied: Vec<usize>,
}

/// So many words that tell something, within so many tokens, does a negation deny: `did not even try to stop`.
pub const DENIED: usize = 2;
pub const SCOPE: usize = 5;

/// A sentence that has less of the claim's words, numbers aside, speaks of something else.
const SAME_MATTER: f64 = 0.4;

/// What claim and page are compared by.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub matching: &'a Matching<'a>,
    pub told: &'a Told,
    /// The share of the claim that each sentence has.
    pub shares: &'a [f64],
}

/// Whether for everything that the claim denies there is a sentence that denies the same of the same subject.
pub fn is_borne_out(asked: Asked) -> bool {
    let own = asked.claimed();
    let negating: Vec<&str> = BEFORE.into_iter().chain(MEANT).collect();
    !own.is_empty()
        && own.iter().all(|own| {
            asked.sentences().any(|sentence| {
                let said = asked.said(sentence, &negating);
                // `Did not raise fees` does not deny that rates were raised.
                let denies = |denial: &Denial, word: usize| {
                    denial.denied.iter().any(|token| asked.parts_at(sentence, *token).any(|claimed| claimed == word))
                };
                said.iter().any(|denial| {
                    !own.denied.is_empty() && own.denied.iter().all(|word| denies(denial, *word)) && asked.has_subject(sentence, denial)
                })
            })
        })
}

/// Whether a sentence affirms all that a negation of the claim denies.
pub fn is_affirmed(asked: Asked) -> bool {
    asked.claimed().iter().any(|own| !own.denied.is_empty() && asked.is_affirmed(&own.denied, 0.0))
}

/// Whether the page affirms what the claim denies, and none of the sentences that tell most of the claim denies or limits anything: `does not
/// freeze` where it freezes from December to April.
pub fn is_refuted(asked: Asked, chosen: &[usize]) -> bool {
    let denying: Vec<&str> = BEFORE.into_iter().filter(|word| *word != "without").collect();
    let own = claimed(asked.statement());
    let denies = |sentence: &usize| {
        let said = said(asked.page(), *sentence);
        let beside = denials(Said::in_claim(asked.statement(), &own), Said::on_page(asked.page(), &said), &denying);
        beside.is_empty() || said.iter().any(|(_, stem)| BEFORE.contains(stem) || MEANT.contains(stem) || ALONE.contains(stem))
    };
    let is_affirmed = |denial: Denial| {
        // `In winter` says when it does not freeze; that it freezes is refutation enough.
        let is_adjunct = |token: usize| (denial.at..token).any(|at| PLACING.contains(&asked.matching.claimed().raw(at)));
        let denied: Vec<usize> = denial.denied.into_iter().filter(|token| !is_adjunct(*token)).collect();
        !denied.is_empty() && asked.is_affirmed(&denied, 0.0)
    };
    let denials = denials(Said::in_claim(asked.statement(), &own), Said::NOTHING, &denying);
    denials.into_iter().any(is_affirmed) && !chosen.iter().take(3).any(denies)
}

/// Words before what says where or when.
const PLACING: [&str; 8] = ["in", "at", "on", "during", "for", "since", "after", "by"];

/// Whether a sentence denies of the same subject what the claim affirms, and no other that tells as much of the claim affirms it.
pub fn is_denied(asked: Asked) -> bool {
    let claimed = claimed(asked.statement());
    if claimed.iter().any(|(_, stem)| MEANT.contains(stem)) {
        return false;
    }
    let own: Vec<usize> = asked.claimed().into_iter().flat_map(|denial| denial.denied).collect();
    let denies_too = |sentence: usize, denial: &Denial| {
        denial.denied.iter().any(|token| asked.parts_at(sentence, *token).any(|claimed| own.contains(&claimed)))
    };
    // `Nobody was hurt` denies that some were, in a clause of its own.
    let is_denied_by_none = |sentence: usize| {
        asked.said(sentence, &ALONE).iter().any(|denial| {
            let parts: Vec<usize> = denial.denied.iter().filter_map(|token| asked.parts_at(sentence, *token).next()).collect();
            !parts.is_empty()
                && parts.len() == denial.denied.len()
                && !denies_too(sentence, denial)
                && !asked.is_affirmed(&parts, asked.told_words(sentence))
        })
    };
    if (0..asked.shares.len()).filter(|sentence| asked.told_words(*sentence) >= SAME_MATTER).any(is_denied_by_none) {
        return true;
    }
    asked.sentences().any(|sentence| {
        let range = clause_range(asked.statement(), asked.page(), sentence);
        let is_denying = Negations::of_page(asked.matching, sentence, range).is_odd();
        is_denying
            && asked.said(sentence, &BEFORE).iter().any(|denial| {
                let parts: Vec<usize> = denial.denied.iter().filter_map(|token| asked.parts_at(sentence, *token).next()).collect();
                let is_whole = !parts.is_empty() && parts.len() == denial.denied.len();
                is_whole
                    && !denies_too(sentence, denial)
                    && asked.has_subject(sentence, denial)
                    && !asked.is_affirmed(&parts, asked.words(sentence))
            })
    })
}

impl<'a> Asked<'a> {
    pub fn statement(&self) -> &'a Statement<'a> {
        self.matching.statement
    }

    pub fn page(&self) -> &'a Page {
        self.matching.page
    }

    /// The denials of the claim.
    fn claimed(&self) -> Vec<Denial> {
        let denying: Vec<&str> = BEFORE.into_iter().chain(ALONE).collect();
        denials(Said::in_claim(self.statement(), &claimed(self.statement())), Said::NOTHING, &denying)
    }

    /// The denials of a sentence.
    fn said(&self, sentence: usize, negating: &[&str]) -> Vec<Denial> {
        denials(
            Said::on_page(self.page(), &said(self.page(), sentence)),
            Said::in_claim(self.statement(), &claimed(self.statement())),
            negating,
        )
    }

    /// Whether a sentence denies anything.
    pub fn denies(&self, sentence: usize) -> bool {
        !self.said(sentence, &BEFORE).is_empty()
    }

    /// Those that speak of the same matter.
    fn sentences(&self) -> impl Iterator<Item = usize> {
        (0..self.shares.len()).filter(|sentence| self.shares[*sentence] > 0.0 && self.words(*sentence) >= SAME_MATTER)
    }

    /// The share of the claim's words that a sentence has. The figures of what is denied stand elsewhere.
    fn words(&self, sentence: usize) -> f64 {
        self.share(|part| self.matching.strength(part, sentence) > 0.0)
    }

    /// The same with what is carried over to it: `It raised rates in June` says who.
    pub fn told_words(&self, sentence: usize) -> f64 {
        self.share(|part| self.told.strength(part, sentence) > 0.0)
    }

    fn share(&self, is_met: impl Fn(usize) -> bool) -> f64 {
        let is_word = |part: &usize| matches!(self.statement().slots[*part].part, Part::Word { .. });
        let parts: Vec<usize> = (0..self.statement().slots.len()).filter(is_word).collect();
        parts.iter().filter(|part| is_met(**part)).count() as f64 / parts.len().max(1) as f64
    }

    /// The words of the claim, by their tokens, that a token of the page is: the `falls` of both, and not what fell or was reduced.
    pub fn parts_at(&self, sentence: usize, token: usize) -> impl Iterator<Item = usize> {
        let meetings = self.matching.in_sentence(sentence);
        let from = meetings.partition_point(|meeting| meeting.token < token);
        let to = meetings.partition_point(|meeting| meeting.token <= token);
        self.parts_of(&meetings[from..to])
    }

    /// The same, of all that is met at one token.
    pub fn parts_of(&self, meetings: &[Meeting]) -> impl Iterator<Item = usize> {
        let strongest = meetings.iter().map(|meeting| meeting.strength).fold(SAME_WORD, f32::max);
        meetings.iter().filter(move |meeting| meeting.strength >= strongest).map(|meeting| self.statement().slots[meeting.part].token)
    }

    /// Whether what stands before a negation in its clause is spoken of by the claim. A pronoun means what is carried over to its sentence.
    fn has_subject(&self, sentence: usize, denial: &Denial) -> bool {
        let first = self.page().sentences[sentence].tokens.0;
        let clause = (first..denial.at).filter(|at| self.page().clause_of(*at) == self.page().clause_of(denial.at));
        let subject: Vec<usize> = clause.filter(|at| self.page().tokens[*at].kind == Kind::Word && !self.is_stop(*at)).collect();
        let is_claimed = |at: &usize| self.parts_at(sentence, *at).next().is_some();
        if subject.is_empty() {
            let is_carried = |part: usize| self.told.strength(part, sentence) > 0.0 && self.matching.strength(part, sentence) == 0.0;
            return sentence == 0 || (0..self.statement().slots.len()).any(is_carried);
        }
        // Acronyms may be units, and the first word has its capital by its place.
        let is_name = |raw: &str| raw.starts_with(char::is_uppercase) && raw.len() > 2 && raw.contains(char::is_lowercase);
        let is_another = |at: &usize| *at > first && is_name(self.matching.told().raw(*at)) && !is_claimed(at) && !self.opens(*at);
        subject.iter().any(is_claimed) && !subject.iter().any(is_another)
    }

    /// Whether a sentence that tells at least as much of the claim has these words and does not deny them.
    fn is_affirmed(&self, claimed: &[usize], share: f64) -> bool {
        let denying: Vec<&str> = BEFORE.into_iter().chain(ALONE).collect();
        (0..self.shares.len()).filter(|sentence| self.told_words(*sentence) >= share.max(SAME_MATTER)).any(|sentence| {
            let denied: Vec<usize> = self.said(sentence, &denying).into_iter().flat_map(|denial| denial.denied).collect();
            let (first, last) = self.page().sentences[sentence].tokens;
            claimed.iter().all(|token| {
                let mut places = (first..last).filter(|at| self.parts_at(sentence, *at).any(|claimed| claimed == *token)).peekable();
                places.peek().is_some() && !places.any(|at| denied.contains(&at))
            })
        })
    }

    /// Whether a mark such as the colon of `Conclusions: Daily` stands before the token.
    fn opens(&self, token: usize) -> bool {
        token > 0 && self.page().tokens[token - 1].kind == Kind::Mark
    }

    fn is_stop(&self, token: usize) -> bool {
        words::is_stop(&fold(self.matching.told().raw(token)))
    }
}

/// The stems of all words that the negations of a text deny.
pub fn denied_stems(text: &str) -> Vec<String> {
    let read = tokens(text);
    let words = read.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word);
    let stems: Vec<(usize, String)> = words.map(|(at, token)| (at, words::stem(&fold(token.of(text))))).collect();
    let stems: Vec<(usize, &str)> = stems.iter().map(|(at, stem)| (*at, stem.as_str())).collect();
    let tokens = denials(Said { text, tokens: &read, stems: &stems, is_page: false }, Said::NOTHING, &BEFORE)
        .into_iter()
        .flat_map(|denial| denial.denied)
        .collect::<Vec<_>>();
    stems.iter().filter(|(at, _)| tokens.contains(at)).map(|(_, stem)| stem.to_string()).collect()
}

/// The denials of a text, beside another.
fn denials(said: Said, other: Said, negating: &[&str]) -> Vec<Denial> {
    let negations = said.stems.iter().enumerate().filter(|(place, (_, stem))| negating.contains(stem) && !is_limit(said, *place, other));
    negations.map(|(place, (at, _))| Denial { at: *at, denied: denied(said.stems, place).map(|(token, _)| token).collect() }).collect()
}

/// The words that the negation at a place of these stems denies.
pub fn denied<'a>(stems: &'a [(usize, &'a str)], place: usize) -> impl Iterator<Item = (usize, &'a str)> {
    let following = stems[place + 1..].iter().filter(|(_, stem)| !words::is_stop(stem)).take(DENIED);
    following.take_while(move |(other, _)| *other <= stems[place].0 + SCOPE).copied()
}

/// The words of a claim.
pub fn claimed<'a>(statement: &'a Statement) -> Vec<(usize, &'a str)> {
    statement.stems.iter().map(|(at, stem)| (*at, stem.as_str())).collect()
}

/// The words of a sentence.
pub fn said(page: &Page, sentence: usize) -> Vec<(usize, &str)> {
    let (first, last) = page.sentences[sentence].tokens;
    (first..last).filter(|at| page.stems[*at] != NOTHING).map(|at| (at, page.vocabulary.word(page.stems[at]))).collect()
}
