//! Whether the sentences that say most of a claim deny it: a negation more or less, a word with its opposite in its place, from and to exchanged.
//! Only sentences that are plainly about the same thing are asked; a negation elsewhere on the page means nothing.

use super::matching::Matching;
use super::page::{NOTHING, Page};
use super::statement::Statement;
use crate::text::{Kind, Number, words};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opposition {
    pub negation: bool,
    pub opposites: usize,
}

/// A sentence must have this share of the claim before its negations count.
const SAME_SUBJECT: f64 = 0.5;

/// Sentences that are nearly as good as the best one are asked as well; if one of them does not oppose, nothing does.
const NEARLY: f64 = 0.92;

pub fn find(statement: &Statement, page: &Page, matching: &Matching, shares: &[f64], chosen: &[usize]) -> Opposition {
    let best = shares.iter().copied().fold(0.0, f64::max);
    let asked =
        || shares.iter().enumerate().filter(|(_, share)| **share >= best * NEARLY && best >= SAME_SUBJECT).map(|(sentence, _)| sentence);
    let own = Negations::of(statement.stems.iter().map(|(_, stem)| stem.as_str()));
    let denies = |sentence: usize| {
        own.differ(&Negations::of(clause(statement, page, sentence))) && own.differ(&Negations::of(stems(page, sentence)))
    };
    let mut negation = asked().next().is_some() && asked().all(denies);
    // A claim that sums up several sentences may have its negation from another one.
    if negation && own.plain > 0 {
        negation = !chosen.iter().take(3).any(|sentence| !own.differ(&Negations::of(stems(page, *sentence))));
    }
    let opposed = |sentence: usize| {
        opposites(statement, page, matching, sentence)
            + usize::from(is_reversed(statement, page, sentence))
            + usize::from(turns(statement, page, sentence))
    };
    let opposites = asked().map(opposed).min().unwrap_or(0);
    // `not permanent` and `temporary` say the same.
    if negation && opposites == 1 {
        return Opposition::default();
    }
    Opposition { negation, opposites }
}

pub fn stems(page: &Page, sentence: usize) -> impl Iterator<Item = &str> {
    let (first, last) = page.sentences[sentence].tokens;
    page.stems[first..last].iter().filter(|stem| **stem != NOTHING).map(|stem| page.vocabulary.word(*stem))
}

/// The clause of the sentence that shares most words with the claim. Clauses end at semicolons, colons, dashes, and at a comma or `but`.
pub fn clause<'a>(statement: &Statement, page: &'a Page, sentence: usize) -> impl Iterator<Item = &'a str> {
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
    let best = clauses.max_by_key(|range| (shared(range), usize::MAX - range.0)).unwrap_or((first, last));
    page.stems[best.0..best.1].iter().filter(|stem| **stem != NOTHING).map(|stem| page.vocabulary.word(*stem))
}

/// Words that deny: plainly, as `not` does, or by their meaning, as `failed` does.
#[derive(Clone, Copy)]
struct Negations {
    plain: usize,
    meant: usize,
}

impl Negations {
    fn of<'a>(stems: impl Iterator<Item = &'a str>) -> Self {
        const PLAIN: [&str; 26] = [
            "not", "no", "never", "none", "neither", "nor", "without", "cannot", "cant", "dont", "didnt", "doesnt", "isnt", "wasnt",
            "werent", "arent", "wont", "wouldnt", "couldnt", "hasnt", "havent", "hadnt", "nobodi", "noth", "nowher", "shouldnt",
        ];
        const MEANT: [&str; 21] = [
            "fail", "unabl", "lack", "deni", "refus", "except", "unfound", "fals", "reject", "unlik", "scarc", "absenc", "miss", "prevent",
            "avoid", "declin", "stop", "drop", "too", "dismiss", "end",
        ];
        let mut found = Self { plain: 0, meant: 0 };
        for stem in stems {
            found.plain += usize::from(PLAIN.contains(&stem));
            found.meant += usize::from(MEANT.contains(&stem));
        }
        found
    }

    /// One of the two denies plainly and the other neither plainly nor by a word that may mean it.
    fn differ(&self, other: &Self) -> bool {
        let (more, less) = if self.plain % 2 > other.plain % 2 { (self, other) } else { (other, self) };
        more.plain % 2 != less.plain % 2 && less.meant == 0
    }
}

/// Words of the claim that the sentence does not have, while it has their opposite, which the claim does not.
fn opposites(statement: &Statement, page: &Page, matching: &Matching, sentence: usize) -> usize {
    let here: Vec<&str> = stems(page, sentence).collect();
    let says = |stem: &str| here.contains(&stem);
    let claims = |stem: &str| statement.stems.iter().any(|(_, own)| own == stem);
    let opposed = |token: usize, stem: &str| {
        let met = statement.slot_of(token).is_some_and(|part| matching.strength(part, sentence) >= 0.9);
        let listed = || words::opposites(stem).iter().any(|opposite| says(opposite) && !claims(opposite));
        !met && !says(stem) && (listed() || prefixed(stem).iter().any(|opposite| says(opposite) && !claims(opposite)))
    };
    statement.stems.iter().filter(|(token, stem)| opposed(*token, stem)).count()
}

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

/// `from 5 to 9` where the sentence goes from 9 to 5.
fn is_reversed(statement: &Statement, page: &Page, sentence: usize) -> bool {
    let introduced = |number: &Number, word: &str| {
        let before = number.tokens.0.saturating_sub(3)..number.tokens.0;
        before.into_iter().any(|at| statement.tokens[at].of(statement.text).eq_ignore_ascii_case(word))
    };
    let find = |word: &str| statement.numbers().find(|(_, number)| introduced(number, word)).map(|(_, number)| number);
    let (Some(from), Some(to)) = (find("from"), find("to")) else { return false };
    let place = |number: &Number| {
        page.numbers.iter().find(|(found, at)| *at == sentence && found.bears_out(number)).map(|(found, _)| found.tokens.0)
    };
    from.span < to.span && from.measure == to.measure && matches!((place(from), place(to)), (Some(one), Some(other)) if one > other)
}
