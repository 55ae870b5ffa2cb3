//! The ladder itself: each rung may end the climb, and the verdict says on which rung it ended.
//! Opening archives is not its business: it is given the text, or told that there is none.

use super::binding::bindings;
use super::gate::{displaced, gate};
use super::matching::Matching;
use super::pieces::{pieces, together};
use super::readings::settle;
use super::statement::{Context, Part, Slot, Statement};
use super::support::{Compared, Measures, measure, weights};
use super::told::Told;
use super::{Claim, Label, Method, Page, VERSION, Verdict, quote, weigh};
use crate::text::Span;

/// From this score on a claim counts as supported, if nothing of it is missing.
const SUPPORTED: f64 = 0.5;
const PARTLY: f64 = 0.15;

/// Quotations of fewer words are titles or single expressions, not evidence.
const SHORTEST_QUOTATION: usize = 4;

/// Compares a claim with a page, sentence by sentence: numbers and names first, then all its words.
pub fn check(claim: &Claim, page: &Page) -> Verdict {
    let pieces = pieces(claim.text);
    let mut context = Context::of(claim.context);
    let mut verdicts = Vec::new();
    for piece in &pieces {
        let statement = settle(Statement::within(piece.of(claim.text), &context), page);
        context.add(piece.of(claim.text));
        // `So it goes.` says nothing that a page could have.
        let says_nothing = statement.slots.len() < 2 && statement.names.is_empty() && statement.numbers().next().is_none();
        if says_nothing && pieces.len() > 1 {
            continue;
        }
        let mut verdict = check_statement(&statement, page);
        verdict.missing.iter_mut().for_each(|missing| missing.span = missing.span.moved(piece.start));
        verdicts.push(verdict);
    }
    together(verdicts).unwrap_or_else(|| check_statement(&Statement::within("", &context), page))
}

fn check_statement(statement: &Statement, page: &Page) -> Verdict {
    let matching = Matching::of(statement, page);
    let mut gate = gate(&matching);
    let weights = weights(&matching, &gate);
    let told = Told::of(&matching);
    let bindings = bindings(&matching, &told, &weights);
    let compared = Compared { matching: &matching, told: &told, gate: &gate, weights: &weights, bindings: &bindings };
    let (measures, chosen) = measure(&compared);
    gate.missing.extend(displaced(statement, page, &bindings));
    gate.missing.sort_by_key(|missing| missing.span);
    let score = if statement.slots.is_empty() { 0.0 } else { weigh::score(&measures) };
    let (label, method) = match () {
        () if !gate.missing.is_empty() && measures.window >= 0.35 => (Label::Partly, Method::NumbersAndNames),
        () if !gate.missing.is_empty() => (Label::Unsupported, Method::NumbersAndNames),
        // A word such as `never` weighs little among many that agree, and turns all of them round. And a page that speaks of the names and
        // numbers only, with no word of what is said of them, bears nothing out.
        () if score >= SUPPORTED && measures.negation == 0.0 && says_some(&matching) => (Label::Supported, Method::Lexical),
        () if score >= PARTLY => (Label::Partly, Method::Lexical),
        () => (Label::Unsupported, Method::Lexical),
    };
    let sentences: Vec<Span> = chosen.iter().map(|sentence| page.sentences[*sentence].span).collect();
    Verdict { label, score, method, version: VERSION, span: sentences.first().copied(), sentences, missing: gate.missing, measures }
}

/// Of what a claim says of its names and numbers, the page must have so much in any words.
const SAID: f64 = 0.3;

/// Whether the page has enough of what the claim says of its names and numbers, and something of each of its clauses. A claim of names and
/// numbers alone says nothing else.
fn says_some(matching: &Matching) -> bool {
    let statement = matching.statement;
    let is_plain = |slot: &Slot| !slot.given && matches!(slot.part, Part::Word { in_name: false, .. });
    let is_met = |part: usize| matching.anywhere(part) > 0.0;
    let plain: Vec<usize> = (0..statement.slots.len()).filter(|part| is_plain(&statement.slots[*part])).collect();
    let met = plain.iter().filter(|part| is_met(**part)).count();
    let clause = |part: usize| {
        let before = &statement.tokens[..statement.slots[part].token];
        before.iter().filter(|token| matches!(token.of(statement.text), ";" | "," | "and" | "but" | "while" | "whereas")).count()
    };
    let parts: Vec<usize> = (0..statement.slots.len()).collect();
    let mut clauses = parts.chunk_by(|one, other| clause(*one) == clause(*other));
    let is_unsaid =
        |parts: &[usize]| parts.iter().filter(|part| plain.contains(part)).count() > 1 && !parts.iter().any(|part| is_met(*part));
    plain.is_empty() || met > 0 && met as f64 >= SAID * plain.len() as f64 && !clauses.any(is_unsaid)
}

/// A claim as a report makes it: quotations in it must stand in the source word for word.
pub fn cite(claim: &Claim, page: &Page) -> Verdict {
    let mut verdict = check(claim, page);
    let quotations = quotations(claim.text);
    let found: Option<Vec<quote::Found>> = quotations.iter().map(|quotation| quote::find(quotation, page.body.of(&page.text))).collect();
    match found {
        None => {
            verdict.label = Label::Misquoted;
            verdict.method = Method::Quote;
            verdict.score = verdict.score.min(0.1);
        }
        Some(found) if !found.is_empty() => {
            // The sentence is as good as its quotation if there is little else in it.
            let quoted: usize = quotations.iter().map(|quotation| quotation.len()).sum();
            if verdict.missing.is_empty() && !verdict.is_denied() && quoted * 2 >= claim.text.len() {
                verdict.label = Label::Supported;
                verdict.method = Method::Quote;
                verdict.score = verdict.score.max(found.iter().map(|found| found.similarity).fold(1.0, f64::min));
                verdict.span = found.first().map(|found| found.span);
            }
        }
        Some(_) => {}
    }
    verdict
}

/// The verdict on a claim whose reference leads nowhere.
pub fn no_source() -> Verdict {
    Verdict {
        label: Label::NoSource,
        score: 0.0,
        method: Method::Reference,
        version: VERSION,
        span: None,
        sentences: Vec::new(),
        missing: Vec::new(),
        measures: Measures::default(),
    }
}

/// What stands in double quotation marks and is long enough to be evidence.
fn quotations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    // What nothing closes from one place on, nothing closes further on; it is looked for once.
    let mut unclosed: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some((place, mark)) = text[at..].char_indices().find(|(_, mark)| "\"“„«»".contains(*mark)) {
        let open = at + place;
        let inside = open + mark.len_utf8();
        at = inside;
        if mark == '"' && !opens(&text[..open], &text[inside..]) {
            continue;
        }
        // What opens first says which way the marks point: `«…»`, `»…«`, `“…”`, `„…“`.
        let closing = match mark {
            '«' => "»",
            '»' => "«",
            '“' => "”\"“",
            _ => "\"”“",
        };
        if unclosed.contains(&closing) {
            continue;
        }
        let Some(length) = text[inside..].find(|mark: char| closing.contains(mark)) else {
            unclosed.push(closing);
            continue;
        };
        let quoted = &text[inside..inside + length];
        if quoted.split_whitespace().count() >= SHORTEST_QUOTATION && !is_title(quoted) {
            found.push(quoted);
        }
        at = inside + length + text[inside + length..].chars().next().map_or(1, char::len_utf8);
    }
    found
}

/// A straight mark opens before a word and not behind one: in `a 5" pipe` it means inches.
fn opens(before: &str, after: &str) -> bool {
    !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_whitespace)
}

/// `“A Song of Ice and Fire”`: nobody said it, and as a name it is looked for word by word.
fn is_title(quoted: &str) -> bool {
    quoted.split_whitespace().filter(|word| word.len() > 3).all(|word| word.starts_with(|first: char| !first.is_lowercase()))
}
