//! Whether the sentences that say most of a claim deny it: a negation more or less, a word with its opposite in its place, from and to exchanged.
//! Only sentences that are plainly about the same thing are asked; a negation elsewhere on the page means nothing.

use super::beginnings::begins;
use super::comparisons::{self, Sides, is_comparative};
use super::denial::{self, Asked};
use super::limits::{Said, denies_comparison, is_limit};
use super::matching::Matching;
use super::movement;
use super::page::{NOTHING, Page};
use super::statement::Statement;
use super::withdrawn;
use crate::text::{Kind, Number, begins_number, words};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opposition {
    pub negation: bool,
    pub opposites: usize,
}

/// A sentence must have this share of the claim before its negations count.
const SAME_SUBJECT: f64 = 0.5;

/// Sentences that are nearly as good as the best one are asked as well; if one of them does not oppose, nothing does.
const NEARLY: f64 = 0.92;

pub fn find(compared: Asked, chosen: &[usize]) -> Opposition {
    let Asked { matching, shares, .. } = compared;
    let (statement, page) = (matching.statement, matching.page);
    let best = shares.iter().copied().fold(0.0, f64::max);
    let asked =
        || shares.iter().enumerate().filter(|(_, share)| **share >= best * NEARLY && best >= SAME_SUBJECT).map(|(sentence, _)| sentence);
    let denies = |sentence: usize| {
        let own = Negations::of_claim(matching, sentence);
        let (first, last) = page.sentences[sentence].tokens;
        own.differ(&Negations::of_page(matching, sentence, clause_range(statement, page, sentence)))
            && own.differ(&Negations::of_page(matching, sentence, (first, last)))
    };
    let mut negation = asked().next().is_some() && asked().all(denies) || denial::is_refuted(compared, chosen);
    // A claim that sums up several sentences may have its negation from another one, unless one of them affirms what the claim denies.
    if negation && !denial::is_affirmed(compared) && asked().all(|sentence| Negations::of_claim(matching, sentence).plain > 0) {
        // What only sets a limit denies nothing.
        let denies = |sentence: usize| compared.denies(sentence) || stems(page, sentence).any(is_denial);
        negation = !chosen.iter().take(3).any(|sentence| denies(*sentence));
    }
    negation = if negation { !denial::is_borne_out(compared) } else { denial::is_denied(compared) || withdrawn::is_withdrawn(compared) };
    let opposed = |sentence: usize| {
        opposites(matching, sentence)
            + usize::from(is_reversed(statement, page, sentence))
            + usize::from(turns(statement, page, sentence))
            + movement::contradictions(statement, page, sentence)
    };
    let opposites = asked().map(opposed).min().unwrap_or(0);
    // `not permanent` and `temporary` say the same; `no man before her` and `the first woman` do not.
    let none = statement.stems.iter().skip_while(|(_, stem)| stem != "no");
    let excludes = none.into_iter().any(|(_, stem)| stem == "befor");
    if negation && opposites == 1 && !excludes {
        return Opposition::default();
    }
    Opposition { negation, opposites }
}

pub fn stems(page: &Page, sentence: usize) -> impl Iterator<Item = &str> {
    let (first, last) = page.sentences[sentence].tokens;
    page.stems[first..last].iter().filter(|stem| **stem != NOTHING).map(|stem| page.vocabulary.word(*stem))
}

/// The stems of the clause that says most of the claim.
pub fn clause<'a>(statement: &Statement, page: &'a Page, sentence: usize) -> impl Iterator<Item = &'a str> {
    let (first, last) = clause_range(statement, page, sentence);
    page.stems[first..last].iter().filter(|stem| **stem != NOTHING).map(|stem| page.vocabulary.word(*stem))
}

/// The clause of the sentence that shares most words with the claim. Clauses end at semicolons, colons, dashes, and at a comma or `but`.
pub fn clause_range(statement: &Statement, page: &Page, sentence: usize) -> (usize, usize) {
    let (first, last) = page.sentences[sentence].tokens;
    let ends = |at: usize| {
        let token = page.tokens[at];
        let raw = token.of(&page.text);
        token.kind == Kind::Mark && [";", ":", "—", "–", ","].contains(&raw) || ["but", "although", "whereas", "while"].contains(&raw)
    };
    let mut bounds = vec![first];
    bounds.extend((first..last).filter(|at| ends(*at)));
    bounds.push(last);
    let shared = |range: &(usize, usize)| {
        let here = page.stems[range.0..range.1].iter().filter(|stem| **stem != NOTHING).map(|stem| page.vocabulary.word(*stem));
        here.filter(|word| !words::is_stop(word) && statement.stems.iter().any(|(_, own)| own == word)).count()
    };
    let clauses = bounds.windows(2).map(|pair| (pair[0], pair[1]));
    clauses.max_by_key(|range| (shared(range), usize::MAX - range.0)).unwrap_or((first, last))
}

/// Words that deny: plainly, as `not` does, or by their meaning, as `failed` does.
#[derive(Clone, Copy)]
pub struct Negations {
    plain: usize,
    meant: usize,
}

impl Negations {
    /// Negations of the claim that deny something which the sentence says, or the opposite of it.
    fn of_claim(matching: &Matching, sentence: usize) -> Self {
        let (statement, page) = (matching.statement, matching.page);
        let is_said = |at: usize, stem: &str| {
            let met = statement.slot_of(at).is_some_and(|part| matching.strength(part, sentence) > 0.0);
            met || stems(page, sentence).any(|other| other == stem || are_opposites(stem, other))
        };
        let own = denial::claimed(statement);
        let other = denial::said(page, sentence);
        Self::of(Said::in_claim(statement, &own), Said::on_page(page, &other), is_said)
    }

    /// Negations of the page that deny something which the claim says, or the opposite of it.
    pub fn of_page(matching: &Matching, sentence: usize, (first, last): (usize, usize)) -> Self {
        let (statement, page) = (matching.statement, matching.page);
        let is_claimed = |at: usize, stem: &str| {
            let met = matching.in_sentence(sentence).iter().any(|meeting| meeting.token == at);
            met || statement.stems.iter().any(|(_, own)| own == stem || are_opposites(own, stem))
        };
        let here = (first..last).filter(|at| page.stems[*at] != NOTHING).map(|at| (at, page.vocabulary.word(page.stems[at])));
        Self::of(Said::on_page(page, &here.collect::<Vec<_>>()), Said::in_claim(statement, &denial::claimed(statement)), is_claimed)
    }

    /// A negation denies the words that follow it closely; `nobody` and its like are denials by themselves.
    fn of(said: Said, other: Said, is_shared: impl Fn(usize, &str) -> bool) -> Self {
        let mut found = Self { plain: 0, meant: 0 };
        for (place, (at, stem)) in said.stems.iter().enumerate() {
            if is_limit(said, place, other) {
                // Until then it was not so, which the other text may say as well.
                found.meant += usize::from(begins(said, place, other));
                continue;
            }
            let denies = || denial::denied(said.stems, place).any(|(other, stem)| is_shared(other, stem));
            found.plain += usize::from(ALONE.contains(stem) || BEFORE.contains(stem) && denies());
            // `Several pieces are missing` denies nothing of a clause further on.
            let is_near =
                |other: &(usize, &str)| other.0.abs_diff(*at) <= MEANT_OF && !words::is_stop(other.1) && is_shared(other.0, other.1);
            // What both texts say is what the negation of one of them denies: `was not cancelled` where it was.
            let is_said_there = || other.says(stem) || words::synonyms(stem).any(|same| other.says(same));
            found.meant += usize::from(MEANT.contains(stem) && !is_said_there() && said.stems.iter().any(is_near));
        }
        found
    }

    /// Two denials affirm.
    pub fn is_odd(&self) -> bool {
        self.plain % 2 == 1
    }

    /// One of the two denies plainly and the other neither plainly nor by a word that may mean it.
    fn differ(&self, other: &Self) -> bool {
        let (more, less) = if self.plain % 2 > other.plain % 2 { (self, other) } else { (other, self) };
        more.plain % 2 != less.plain % 2 && less.meant == 0
    }
}

/// Words that deny what follows them, that deny by themselves, and that may mean a denial.
pub const BEFORE: [&str; 28] = [
    "nicht", "kein", "keine", "niemals", "pas", "jamais", "not", "no", "never", "neither", "nor", "without", "cannot", "cant", "dont",
    "didnt", "doesnt", "isnt", "wasnt", "werent", "arent", "wont", "wouldnt", "couldnt", "hasnt", "havent", "hadnt", "shouldnt",
];
pub const ALONE: [&str; 4] = ["none", "nobodi", "noth", "nowher"];
pub const MEANT: [&str; 28] = [
    "fail", "unabl", "lack", "deni", "refus", "except", "unfound", "fals", "reject", "unlik", "scarc", "absenc", "miss", "prevent",
    "avoid", "declin", "stop", "drop", "too", "dismiss", "end", "scrap", "cancel", "abandon", "abolish", "suspend", "halt", "ceas",
];

/// So many tokens round a word that may mean a denial stands what it denies.
const MEANT_OF: usize = 8;

fn is_denial(stem: &str) -> bool {
    ALONE.contains(&stem) || MEANT.contains(&stem)
}

fn are_opposites(one: &str, other: &str) -> bool {
    words::opposites(one).iter().any(|opposite| opposite == other) || prefixed(one).iter().any(|opposite| opposite == other)
}

/// Words of the claim that the sentence does not have, while it has their opposite, which the claim does not.
fn opposites(matching: &Matching, sentence: usize) -> usize {
    let (statement, page) = (matching.statement, matching.page);
    let here: Vec<&str> = stems(page, sentence).collect();
    let says = |stem: &str| here.contains(&stem);
    let claims = |stem: &str| statement.stems.iter().any(|(_, own)| own == stem);
    // `no more than a year` is not the opposite of `less than a year`.
    let is_turned = denies_comparison(&denial::claimed(statement)) != denies_comparison(&denial::said(page, sentence));
    let sides = comparisons::sides(matching, sentence).filter(|_| !is_turned);
    let is_inverted = sides == Some(Sides::Inverted);
    let opposed = |token: usize, stem: &str| {
        if is_turned && matches!(stem, "more" | "less" | "fewer") || is_inverted && is_comparative(stem) {
            return false;
        }
        // `Over budget` is not `under budget`; `handed over` and `under its terms` have nothing to do with each other.
        let is_of_another = matches!(stem, "over" | "under") && !begins_number(statement.text, &statement.tokens, token + 1);
        if is_of_another && !is_of_the_same(statement, token, &here) {
            return false;
        }
        // `Last year` says when, and is no opposite of `the first half`.
        let next = statement.stems.iter().find(|(at, _)| *at > token).map(|(_, next)| next.as_str());
        let is_when = |place: usize| here.get(place + 1).is_some_and(|span| SPANS.contains(span) && next != Some(*span));
        let is_opposed = |place: usize, opposite: &str| here[place] == opposite && !(opposite == "last" && is_when(place));
        let met = statement.slot_of(token).is_some_and(|part| matching.strength(part, sentence) >= 0.9);
        let against = words::opposites(stem);
        let listed = || against.iter().any(|opposite| (0..here.len()).any(|place| is_opposed(place, opposite)) && !claims(opposite));
        // `Will stay; the other is leaving` says `remains` in another word. A wife may stand for a husband, and is none.
        let meant = || words::synonyms(stem).any(|same| says(same) && !against.iter().any(|opposite| opposite == same));
        !met && !says(stem) && !meant() && (listed() || prefixed(stem).iter().any(|opposite| says(opposite) && !claims(opposite)))
    };
    let found = statement.stems.iter().filter(|(token, stem)| opposed(*token, stem)).count();
    found.max(usize::from(sides == Some(Sides::Opposed)))
}

/// Whether the opposite of a small word of the claim stands before the same as it does: `over the age of 60`, `under the age of 60`.
fn is_of_the_same(statement: &Statement, token: usize, said: &[&str]) -> bool {
    let telling = |stem: &&str| !words::is_stop(stem);
    let stems = || statement.stems.iter().skip_while(|(at, _)| *at < token).map(|(_, stem)| stem.as_str());
    let Some((small, next)) = stems().next().zip(stems().find(telling)) else { return false };
    let is_opposite = |stem: &str| words::opposites(small).iter().any(|opposite| opposite == stem);
    (0..said.len()).any(|place| is_opposite(said[place]) && said[place..].iter().copied().take(SMALL).find(telling) == Some(next))
}

/// A small word and what it stands before are among so many words: `over the age`.
const SMALL: usize = 4;

/// Stems of spans of time.
const SPANS: [&str; 10] = ["year", "month", "week", "night", "quarter", "season", "summer", "winter", "decad", "centuri"];

/// `founded` and `unfounded`. Other prefixes deny less reliably: `discover` is no opposite of `cover`.
fn prefixed(stem: &str) -> Vec<String> {
    let without = ["un", "non"].iter().filter_map(|prefix| stem.strip_prefix(prefix)).filter(|rest| rest.len() >= 4).map(str::to_string);
    let with = ["un", "non"].iter().filter(|_| stem.len() >= 4).map(|prefix| format!("{prefix}{stem}"));
    without.chain(with).collect()
}

/// `moved down` where the sentence says `moved up`.
fn turns(statement: &Statement, page: &Page, sentence: usize) -> bool {
    const WAYS: [(&str, &str); 4] = [("up", "down"), ("in", "out"), ("on", "off"), ("into", "from")];
    let (first, last) = page.sentences[sentence].tokens;
    let claimed =
        |verb: &str, way: &str| statement.stems.windows(2).any(|pair| pair[0].1 == verb && pair[1].1 == way && pair[1].0 == pair[0].0 + 1);
    (first..last.saturating_sub(1)).filter(|at| page.stems[*at] != NOTHING && page.stems[*at + 1] != NOTHING).any(|at| {
        let (verb, way) = (page.vocabulary.word(page.stems[at]), page.vocabulary.word(page.stems[at + 1]));
        let other = WAYS.iter().find_map(|(one, two)| if *one == way { Some(*two) } else { (*two == way).then_some(*one) });
        !words::is_stop(verb) && other.is_some_and(|other| claimed(verb, other) && !claimed(verb, way))
    })
}

/// `from 5 to 9` where the sentence goes from 9 to 5, and the same of `between 1990 and 1995`.
fn is_reversed(statement: &Statement, page: &Page, sentence: usize) -> bool {
    let word = |at: usize| statement.tokens.get(at).map_or("", |token| token.of(statement.text));
    let near = |number: &Number, wanted: &[&str]| {
        let before = number.tokens.0.saturating_sub(3)..number.tokens.0;
        before.into_iter().any(|at| wanted.iter().any(|wanted| word(at).eq_ignore_ascii_case(wanted)))
    };
    let place = |number: &Number| page.numbers_in(sentence).find(|found| found.bears_out(number)).map(|found| found.tokens.0);
    let numbers: Vec<&Number> = statement.numbers().map(|(_, number)| number).collect();
    numbers.windows(2).any(|pair| {
        let (from, to) = (pair[0], pair[1]);
        let is_range = near(from, &["from"]) && near(to, &["to"]) || near(from, &["between"]) && near(to, &["and"]);
        is_range && from.measure == to.measure && matches!((place(from), place(to)), (Some(one), Some(other)) if one > other)
    })
}
