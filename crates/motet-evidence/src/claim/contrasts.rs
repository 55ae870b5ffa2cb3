//! Two clauses of one sentence, each with a subject of its own: `Hospitals hired most of the staff, while schools cut 1,300 posts`.
//! A clause whose subject is a pronoun, or left out, may speak of anybody; it is not read.

use super::excerpt::is_kind;
use super::matching::Matching;
use super::statement::Statement;
use super::wording::Wording;
use crate::text::{Kind, fold, words};

/// Whether a sentence says of another subject what the claim says of its own, and something else of the claim's.
pub fn says_of_another(matching: &Matching, sentence: usize) -> bool {
    let (statement, told) = (matching.statement, matching.told());
    let claimed = (0, statement.tokens.len());
    let Some(subject) = subject(matching.claimed(), claimed).and_then(|token| statement.slot_of(token)) else {
        return false;
    };
    let clauses = clauses(told, matching.page.sentences[sentence].tokens);
    let meets = |part: usize, clause: &Clause| !matching.places(part, clause.tokens).is_empty();
    let mut with_subject = clauses.iter().filter(|clause| meets(subject, clause));
    let (Some(own), None) = (with_subject.next(), with_subject.next()) else { return false };
    let is_subject = own.subject.is_some_and(|at| !matching.places(subject, (at, at + SUBJECT)).is_empty());
    let weight = |clause: &Clause, other: &Clause| -> f64 {
        let only_here = |part: &usize| *part != subject && meets(*part, clause) && !meets(*part, other);
        (0..statement.slots.len()).filter(only_here).map(|part| statement.slots[part].weight).sum()
    };
    let is_claimed = |token: usize| matching.in_sentence(sentence).iter().any(|meeting| meeting.token == token);
    // In a list of names each stands for itself, and nothing else is said of the first.
    let says_else = |clause: &Clause| {
        let (first, last) = clause.tokens;
        let is_said = |at: usize| told.is_content(at) && told.raw(at).starts_with(char::is_lowercase);
        (first..last).any(|at| (is_said(at) || told.is(at, Kind::Number)) && !is_claimed(at))
    };
    let is_passive = statement.tokens.iter().any(|token| matches!(token.of(statement.text), "was" | "were" | "been" | "is" | "are"));
    // `The captain` may be whoever was named before, and not the first officer.
    let ordinal = ordinal(matching.claimed(), claimed);
    let is_anothers = |clause: &Clause| {
        let Some(at) = clause.subject else { return false };
        let is_other = match (ordinal, ORDINALS.contains(&told.raw(at))) {
            (Some(own), true) => own != told.raw(at),
            (None, true) => false,
            // `The state` is what was named before it.
            _ => !is_claimed(at) && (ordinal.is_some() || !is_kind(told.raw(at))),
        };
        is_other && !(is_passive && speaks_of_it(told, clause)) && weight(clause, own) > weight(own, clause)
    };
    let is_other = |clause: &&Clause| clause.tokens != own.tokens;
    is_subject && says_else(own) && clauses.iter().filter(is_other).any(|clause| is_anothers(clause) || does_it(matching, clause, own))
}

/// `Demand had collapsed but orders had held up`, where the claim says that orders collapsed: its verb stands in a clause with a subject of its own,
/// and its subject has another verb.
fn does_it(matching: &Matching, clause: &Clause, own: &Clause) -> bool {
    let (statement, told) = (matching.statement, matching.told());
    let raw = |at: usize| told.raw(at);
    let is_past = |part: &usize| words::is_past(matching.claimed().raw(statement.slots[*part].token));
    // Of two deeds either may be the subject's.
    let mut deeds = (0..statement.slots.len()).filter(is_past);
    let (Some(verb), None) = (deeds.next(), deeds.next()) else { return false };
    let [(at, _)] = matching.places(verb, clause.tokens) else { return false };
    let is_helping = |at: &usize| matches!(raw(*at), "had" | "has" | "have" | "was" | "were" | "been" | "also") || raw(*at).ends_with("ly");
    let doer = (clause.tokens.0..*at).rev().find(|at| !is_helping(at));
    let is_anothers = doer.is_some_and(|doer| told.is_content(doer) && !matching.meets((doer, doer + 1)));
    let speaks_of_it = (*at..clause.tokens.1).any(|at| matches!(raw(at), "it" | "them" | "him" | "her"));
    let has_another = (own.tokens.0..own.tokens.1).any(|at| told.is_past(at) && !matching.meets((at, at + 1)));
    told.is_past(*at) && is_anothers && !speaks_of_it && has_another && matching.places(verb, own.tokens).is_empty()
}

/// `The plan was passed, but the mayor vetoed it`: the plan was vetoed.
fn speaks_of_it(told: Wording, clause: &Clause) -> bool {
    let (first, last) = clause.tokens;
    (first..last).any(|at| matches!(told.raw(at), "it" | "them" | "him" | "her" | "its" | "their" | "his"))
}

/// `A stays, while B leaves` where the sentence, or the next one, says that B stays and A leaves.
pub fn are_exchanged(matching: &Matching, sentence: usize) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    let claimed = clauses(matching.claimed(), (0, statement.tokens.len()));
    let near = page.sentences[sentence..].iter().take(NEIGHBOURS);
    let said: Vec<(usize, usize)> =
        near.flat_map(|sentence| clauses(matching.told(), sentence.tokens)).map(|clause| clause.tokens).collect();
    let parts = |clause: &Clause| -> Vec<usize> {
        let (first, last) = clause.tokens;
        (0..statement.slots.len()).filter(|part| (first..last).contains(&statement.slots[*part].token)).collect()
    };
    let opening = |part: usize, (first, last): (usize, usize)| !matching.places(part, (first, last.min(first + OPENING))).is_empty();
    claimed.windows(2).any(|pair| {
        let (Some(one), Some(other)) = (first_named(statement, &pair[0]), first_named(statement, &pair[1])) else { return false };
        // What stands in several clauses tells none of them.
        let of = |subject: usize, not: usize| {
            let mut found = said.iter().filter(|clause| !matching.places(subject, **clause).is_empty());
            let only = found.next().filter(|_| found.next().is_none());
            only.filter(|clause| opening(subject, **clause) && matching.places(not, **clause).is_empty())
        };
        let (Some(of_one), Some(of_other)) = (of(one, other), of(other, one)) else { return false };
        let weight = |clause: &Clause, subject: usize, here: (usize, usize), there: (usize, usize)| -> f64 {
            let only_here =
                |part: &usize| *part > subject && !matching.places(*part, here).is_empty() && matching.places(*part, there).is_empty();
            parts(clause).into_iter().filter(only_here).map(|part| statement.slots[part].weight).sum()
        };
        let straight = weight(&pair[0], one, *of_one, *of_other) + weight(&pair[1], other, *of_other, *of_one);
        let crossed = weight(&pair[0], one, *of_other, *of_one) + weight(&pair[1], other, *of_one, *of_other);
        crossed > straight
    })
}

/// A subject and its name stand among the first tokens of a clause: `The yard's managing director, Kjell Aune`.
const OPENING: usize = 8;
/// What is contrasted stands in one sentence, or in two.
const NEIGHBOURS: usize = 2;

/// What a clause of the claim speaks of: the first name near its beginning, else the first word.
fn first_named(statement: &Statement, clause: &Clause) -> Option<usize> {
    let (first, last) = clause.tokens;
    let name = statement.names.iter().find(|name| (first..last.min(first + OPENING)).contains(&name.words[0]));
    let token = name.and_then(|name| name.words.last().copied()).or(clause.subject)?;
    statement.slot_of(token)
}

/// The head of a subject stands among so many tokens: `the new schools`.
const SUBJECT: usize = 2;

/// What tells two things of one kind apart.
const ORDINALS: [&str; 6] = ["first", "second", "third", "former", "latter", "other"];

struct Clause {
    tokens: (usize, usize),
    /// The first word of what it speaks of; none if that is a pronoun, or is not said.
    subject: Option<usize>,
}

/// The clauses of a sentence. `and` begins one only before a subject.
fn clauses(wording: Wording, (first, last): (usize, usize)) -> Vec<Clause> {
    let raw = |at: usize| wording.raw(at);
    let names = |at: usize| matches!(raw(at), "the" | "a" | "an" | "its" | "their") || raw(at).starts_with(char::is_uppercase);
    let begins = |at: &usize| match raw(*at) {
        ";" | "while" | "whereas" | "but" => true,
        "and" => (raw(at - 1) == "," || raw(at - 1).starts_with(char::is_lowercase)) && names(at + 1),
        _ => false,
    };
    let mut bounds = vec![first];
    bounds.extend((first + 1..last.saturating_sub(1)).filter(begins).map(|at| at + 1));
    bounds.push(last);
    let clauses = bounds.windows(2).map(|pair| (pair[0], pair[1]));
    clauses.map(|range| Clause { tokens: range, subject: subject(wording, range) }).collect()
}

/// The first word of what a clause speaks of. Before it may stand articles; a clause that opens with any other small word is not read.
fn subject(wording: Wording, (first, last): (usize, usize)) -> Option<usize> {
    const ARTICLES: [&str; 7] = ["the", "a", "an", "most", "its", "their", "only"];
    let at = (first..last).find(|at| !ARTICLES.contains(&fold(wording.raw(*at)).as_str()))?;
    let raw = wording.raw(at);
    let is_ordinal = ORDINALS.contains(&raw);
    let head = if is_ordinal && (at + 1..last).next().is_some_and(|next| wording.is_content(next)) && first == 0 { at + 1 } else { at };
    (is_ordinal || wording.is_content(at) && !raw.ends_with("ing") && !raw.ends_with("'s") && !raw.ends_with("’s")).then_some(head)
}

/// The word by which a claim tells its subject from another of its kind.
fn ordinal<'a>(claim: Wording<'a>, (first, last): (usize, usize)) -> Option<&'a str> {
    (first..last.min(first + SUBJECT)).map(|at| claim.raw(at)).find(|raw| ORDINALS.contains(raw))
}
