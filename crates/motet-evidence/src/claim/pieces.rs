//! A claim of several sentences, taken apart so that each is asked for by itself: what is borne out does not hide what is not.
//! It asks nothing of a page. One sentence is one piece, unless it is longer than sentences are.

use std::collections::BTreeSet;

use super::support::Measures;
use super::{Label, Method, VERSION, Verdict};
use crate::text::{Span, sentences, tokens};

/// More tokens are no sentence but a list that lost its lines. What comparing costs grows with the square of this and no further.
const MOST_TOKENS: usize = 120;

/// The pieces of a text, each of them once.
pub fn pieces(text: &str) -> Vec<Span> {
    let tokens = tokens(text);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut at = 0;
    for sentence in sentences(text) {
        let first = at + tokens[at..].partition_point(|token| token.span.start < sentence.start);
        at = first + tokens[first..].partition_point(|token| token.span.start < sentence.end);
        for part in tokens[first..at].chunks(MOST_TOKENS) {
            let (Some(begin), Some(end)) = (part.first(), part.last()) else { continue };
            let piece = Span::new(begin.span.start, end.span.end);
            if seen.insert(piece.of(text)) {
                found.push(piece);
            }
        }
    }
    found
}

/// One verdict on all pieces: as likely as the least likely of them, with every measure at its worst and all that is missing.
pub fn together(verdicts: Vec<Verdict>) -> Option<Verdict> {
    let supported = verdicts.iter().filter(|verdict| verdict.label == Label::Supported).count();
    let unsupported = verdicts.iter().filter(|verdict| verdict.label == Label::Unsupported).count();
    let all = verdicts.len();
    let mut whole = verdicts.into_iter().reduce(|mut whole, mut next| {
        whole.score = whole.score.min(next.score);
        whole.measures = worst(&whole.measures, &next.measures);
        whole.missing.append(&mut next.missing);
        whole.sentences.extend(next.sentences);
        whole
    })?;
    whole.label = match () {
        () if supported == all => Label::Supported,
        () if unsupported == all => Label::Unsupported,
        () => Label::Partly,
    };
    whole.method = if whole.missing.is_empty() { Method::Lexical } else { Method::NumbersAndNames };
    whole.version = VERSION;
    let mut told = BTreeSet::new();
    whole.sentences.retain(|sentence| told.insert(*sentence));
    Some(whole)
}

fn worst(one: &Measures, other: &Measures) -> Measures {
    Measures {
        sentence: one.sentence.min(other.sentence),
        window: one.window.min(other.window),
        anchors: one.anchors.min(other.anchors),
        pairs: one.pairs.min(other.pairs),
        missing_numbers: one.missing_numbers.max(other.missing_numbers),
        missing_names: one.missing_names.max(other.missing_names),
        far_numbers: one.far_numbers.max(other.far_numbers),
        rival_numbers: one.rival_numbers.max(other.rival_numbers),
        negation: one.negation.max(other.negation),
        opposite: one.opposite.max(other.opposite),
        exchanged: one.exchanged.max(other.exchanged),
        wider: one.wider.max(other.wider),
        firmer: one.firmer.max(other.firmer),
        other_rank: one.other_rank.max(other.other_rank),
    }
}
