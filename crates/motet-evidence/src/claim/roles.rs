//! Who did what to whom, as far as the order of words tells it: two names round a verb, active or passive, and whatever else has two sides.
//! Only sentences that have all three are asked. Where the order says nothing, nothing is said.

use super::attachments::Otherwise;
use super::comparisons::{self, Sides};
use super::matching::Matching;
use super::page::Page;
use super::statement::{Part, Statement};
use super::{actors, contrasts, routes};
use crate::text::{fold, words};

/// How plainly a sentence has the parts of the claim with their roles exchanged: not at all, by the order of its words, or by a clause of
/// somebody else. None where the sentence shows no roles.
pub fn exchanged(matching: &Matching, otherwise: &Otherwise, sentence: usize) -> Option<usize> {
    let page = matching.page;
    let (first, last) = page.sentences[sentence].tokens;
    let is_read = last - first <= LONGEST;
    let sides = comparisons::sides(matching, sentence);
    // A comparison names its two sides in either order, and which of them did more is read there.
    let is_compared = matches!(sides, Some(Sides::Same | Sides::Inverted));
    let is_plainly = || {
        is_said_of_another(matching, sentence)
            || contrasts::says_of_another(matching, sentence)
            || routes::are_reversed(matching, sentence)
            || contrasts::are_exchanged(matching, sentence)
            || sides == Some(Sides::Exchanged)
            || !is_compared && actors::are_exchanged(matching, sentence)
            || !is_compared && otherwise.leads_elsewhere(sentence)
    };
    match () {
        () if is_read && is_plainly() => Some(2),
        () if is_compared => Some(0),
        () => exchanged_names(matching, sentence).map(usize::from),
    }
}

/// What goes on for longer is a table or a list that lost its lines, in which the order of words tells nothing.
const LONGEST: usize = 200;

/// `Otto Brandt is the chief executive` where the sentence says it of Clara Weiss, and something else of Otto Brandt in a clause of his own.
fn is_said_of_another(matching: &Matching, sentence: usize) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    const LATEST: usize = 2;
    let [name] = statement.names.as_slice() else { return false };
    let Some(subject) = name.words.last().and_then(|token| statement.slot_of(*token)).filter(|_| name.words[0] <= LATEST) else {
        return false;
    };
    let tokens = page.sentences[sentence].tokens;
    let clauses = clauses(page, tokens);
    let clause_of = |at: usize| clauses.iter().position(|(first, last)| (*first..*last).contains(&at));
    let [(at, _)] = matching.places(subject, tokens) else { return false };
    let Some(own) = clause_of(*at) else { return false };
    let mut said =
        (0..statement.slots.len()).filter(|part| is_verb_like(statement, *part) && !matching.places(*part, tokens).is_empty()).peekable();
    let is_anothers =
        |place: &(usize, f32)| clause_of(place.0).is_some_and(|clause| clause != own && names_somebody(page, clauses[clause]));
    clauses.len() > 1
        && says_something(page, clauses[own])
        && said.peek().is_some()
        && said.all(|part| matching.places(part, tokens).iter().all(is_anothers))
}

/// A clause ends where a semicolon or a word such as `and` has a capital after it.
fn clauses(page: &Page, (first, last): (usize, usize)) -> Vec<(usize, usize)> {
    let word = |at: usize| page.tokens[at].of(&page.text);
    let begins =
        |at: &usize| matches!(word(*at), ";" | "and" | "while" | "whereas" | "but") && word(at + 1).starts_with(char::is_uppercase);
    let mut bounds = vec![first];
    bounds.extend((first..last.saturating_sub(1)).filter(begins));
    bounds.push(last);
    bounds.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

fn names_somebody(page: &Page, (first, last): (usize, usize)) -> bool {
    page.tokens[first..last]
        .iter()
        .map(|token| token.of(&page.text))
        .any(|raw| raw.starts_with(char::is_uppercase) && !words::is_stop(&fold(raw)))
}

/// Whether a clause says anything of whom it names, and nothing between commas that may belong to what follows.
fn says_something(page: &Page, (first, last): (usize, usize)) -> bool {
    let words = || page.tokens[first..last].iter().map(|token| token.of(&page.text));
    let inner = words().take((last - first).saturating_sub(1));
    !inner.into_iter().any(|raw| raw == ",") && words().any(|raw| raw.starts_with(char::is_lowercase) && !words::is_stop(raw))
}

/// So many names on each side of a verb may be whom it is said of.
const NEIGHBOURS: usize = 3;

/// `A bought B` where the sentence says `B bought A`, or `A was bought by B`. None where it has no two names round a verb.
fn exchanged_names(matching: &Matching, sentence: usize) -> Option<bool> {
    let (statement, page) = (matching.statement, matching.page);
    let names: Vec<usize> =
        statement.names.iter().filter_map(|name| name.words.last().and_then(|token| statement.slot_of(*token))).collect();
    let (mut same, mut exchanged) = (0, 0);
    // A page that compares nothing may name what the claim compares in either order.
    let (begin, end) = page.sentences[sentence].tokens;
    let compares = page.tokens[begin..end].iter().map(|token| token.of(&page.text)).any(is_comparing);
    // `An album from` is no deed, nor is `Einstein's theory`.
    let is_noun = |part: usize| {
        let before = statement.slots[part].token.checked_sub(1).map_or("", |at| statement.tokens[at].of(statement.text));
        matches!(before, "a" | "an" | "the" | "of" | "his" | "her" | "its" | "their" | "s")
            || before.ends_with("'s")
            || before.ends_with("’s")
    };
    let is_deed = |part: &usize| is_verb_like(statement, *part) && !stands_inside_a_name(statement, *part) && !is_noun(*part);
    for verb in (0..statement.slots.len()).filter(is_deed) {
        let after = names.partition_point(|name| *name < verb);
        for first in &names[after.saturating_sub(NEIGHBOURS)..after] {
            for second in names[after..].iter().take(NEIGHBOURS) {
                if is_parted(statement, *first, *second) || !compares && is_between(statement, (*first, *second), &["than"]) {
                    continue;
                }
                match order(matching, sentence, (*first, verb, *second)) {
                    Some(true) => same += 1,
                    Some(false) => exchanged += 1,
                    None => {}
                }
            }
        }
    }
    // What stands between the words of one noun phrase, as in `the Dutch group Acme`, always agrees.
    (exchanged + same > 0).then_some(exchanged > 0 && exchanged >= same)
}

/// Whether a word may say which of two is more.
fn is_comparing(word: &str) -> bool {
    matches!(word, "than" | "ahead" | "behind" | "after" | "before") || word.ends_with("est")
}

/// `Berlin lost people, but Hamburg gained some`: what one clause says is done to nobody of the other.
fn is_parted(statement: &Statement, first: usize, second: usize) -> bool {
    is_between(statement, (first, second), &[";", "but", "while", "whereas"])
}

fn is_between(statement: &Statement, (first, second): (usize, usize), wanted: &[&str]) -> bool {
    let between = &statement.tokens[statement.slots[first].token..statement.slots[second].token];
    between.iter().any(|token| wanted.contains(&token.of(statement.text)))
}

fn is_verb_like(statement: &Statement, part: usize) -> bool {
    matches!(statement.slots[part].part, Part::Word { in_name: false, .. })
}

/// `der` in `Van der Meer`.
fn stands_inside_a_name(statement: &Statement, part: usize) -> bool {
    statement.names.iter().any(|name| name.span.contains(statement.slots[part].span))
}

/// Whether subject and object are the same in both; none if the sentence does not have them on both sides of the verb.
fn order(matching: &Matching, sentence: usize, (first, verb, second): (usize, usize, usize)) -> Option<bool> {
    let (statement, page) = (matching.statement, matching.page);
    let token = |part: usize| statement.slots[part].token;
    let claim_passive = has_by(statement.tokens[token(verb)..token(second)].iter().map(|token| token.of(statement.text)));
    // `Eisinga built the Eisinga Planetarium`: what stands twice in the claim has no role of its own.
    let is_within = |part: usize, other: usize| {
        let name = statement.names.iter().find(|name| name.words.contains(&token(other)));
        let stem = |token: usize| statement.stems.iter().find(|(at, _)| *at == token).map(|(_, stem)| stem);
        name.is_some_and(|name| name.words.iter().any(|word| stem(*word) == stem(token(part))))
    };
    if is_within(first, second) || is_within(second, first) {
        return None;
    }
    let tokens = page.sentences[sentence].tokens;
    let verbs = matching.same(verb, tokens);
    let nearest = |part: usize, to: usize| {
        let places = matching.places(part, tokens);
        let after = places.partition_point(|(token, _)| *token < to);
        let beside = places[after.saturating_sub(1)..].iter().take(2).map(|(token, _)| *token);
        beside.min_by_key(|place| place.abs_diff(to))
    };
    let mut found = None;
    for at in verbs {
        let (one, other) = (nearest(first, at)?, nearest(second, at)?);
        if one.abs_diff(at).max(other.abs_diff(at)) > REACH {
            continue;
        }
        let passive = |to: usize| has_by(page.tokens[at..to].iter().map(|token| token.of(&page.text)));
        let same = match () {
            () if one < at && at < other => passive(other) == claim_passive,
            () if other < at && at < one => passive(one) != claim_passive,
            () => continue,
        };
        // One sentence may say both of two pairs; one that agrees is enough.
        found = Some(found.unwrap_or(false) || same);
    }
    found
}

/// Names further from a verb than this are somebody else's.
const REACH: usize = 25;

/// Whether the first of these words, the verb, is said of whom a `by` soon after it names. `By beating Serbia` says how, and names nobody.
fn has_by<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    let near: Vec<&str> = words.take(PASSIVE + 1).collect();
    let is_way = |word: &&str| word.len() > 4 && word.starts_with(char::is_lowercase) && word.ends_with("ing");
    (0..near.len().min(PASSIVE)).any(|at| near[at] == "by" && !near.get(at + 1).is_some_and(is_way))
}

/// `bought last year by`.
const PASSIVE: usize = 5;
