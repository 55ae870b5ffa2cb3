//! Whether a quotation stands in a source: exactly once typography is set aside, or aligned so well that only slips differ.
//! A quotation with another number or another negation in it is never found, however well the rest aligns.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::text::{Kind, Normal, Span, fold, numbers, tokens};

/// The share of the quotation that must align.
pub const ALIGNED: f64 = 0.9;

/// Quotations shorter than this many words must be there exactly.
const SHORTEST_ALIGNED: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Where it stands in the source.
    pub span: Span,
    /// 1 if exact, else the share of words that align in order.
    pub similarity: f64,
}

/// Looks for a quotation in a text. Parts on both sides of an ellipsis must be there in their order.
pub fn find(quotation: &str, source: &str) -> Option<Found> {
    let page = Normal::of(source);
    let searched = Searched { text: &page.text, words: OnceCell::new() };
    let parts: Vec<&str> = quotation.split("...").flat_map(|part| part.split('…')).map(bare).filter(|part| !part.is_empty()).collect();
    let mut from = 0;
    let mut whole: Option<Found> = None;
    for part in parts {
        let (place, similarity) = find_part(&Normal::of(part).text, &searched, from)?;
        from = place.end;
        let span = page.origin(place);
        whole = Some(whole.map_or(Found { span, similarity }, |so_far| Found {
            span: Span::new(so_far.span.start, span.end),
            similarity: so_far.similarity.min(similarity),
        }));
    }
    whole
}

fn bare(part: &str) -> &str {
    part.trim_matches(|character: char| character.is_whitespace() || "\"'“”‘’«»[]()".contains(character))
        .trim_end_matches([',', '.', ';', ':'])
}

/// The text that is searched, with its words once they are needed.
struct Searched<'a> {
    text: &'a str,
    words: OnceCell<Vec<(String, Span)>>,
}

impl Searched<'_> {
    fn words_from(&self, from: usize) -> &[(String, Span)] {
        let words = self.words.get_or_init(|| words(self.text));
        &words[words.partition_point(|(_, span)| span.start < from)..]
    }
}

fn find_part(part: &str, page: &Searched, from: usize) -> Option<(Span, f64)> {
    if part.is_empty() {
        return None;
    }
    if let Some(place) = page.text[from..].find(part) {
        let start = from + place;
        return Some((Span::new(start, start + part.len()), 1.0));
    }
    aligned(part, page, from)
}

/// So many words are aligned at once: what that takes grows with the square of their number.
const PIECE: usize = 200;

/// A long part is aligned piece by piece, each where the one before it ends, and is as similar as its least similar piece.
fn aligned(part: &str, page: &Searched, from: usize) -> Option<(Span, f64)> {
    let wanted = words(part);
    if wanted.len() < SHORTEST_ALIGNED {
        return None;
    }
    let mut whole: Option<(Span, f64)> = None;
    for piece in balanced(&wanted) {
        let text = &part[piece[0].1.start..piece[piece.len() - 1].1.end];
        let wanted: Vec<&str> = piece.iter().map(|(word, _)| word.as_str()).collect();
        whole = match whole {
            None => Some(align(text, &wanted, page, page.words_from(from))?),
            Some((so_far, similarity)) => {
                let next = page.words_from(so_far.end);
                let (span, further) = align(text, &wanted, page, &next[..next.len().min(PIECE * 2)])?;
                Some((Span::new(so_far.start, span.end), similarity.min(further)))
            }
        };
    }
    whole
}

/// Pieces of nearly the same length, so that none is too short to be aligned.
fn balanced(words: &[(String, Span)]) -> std::slice::Chunks<'_, (String, Span)> {
    let pieces = words.len().div_ceil(PIECE).max(1);
    words.chunks(words.len().div_ceil(pieces))
}

/// The window of the page that shares the longest sequence of words with the piece, as share of the piece's words.
fn align(piece: &str, wanted: &[&str], page: &Searched, words: &[(String, Span)]) -> Option<(Span, f64)> {
    let mut counts: BTreeMap<&str, usize> = wanted.iter().map(|word| (*word, 0)).collect();
    words.iter().for_each(|(word, _)| {
        counts.entry(word).and_modify(|count| *count += 1);
    });
    let rarest = wanted.iter().copied().min_by_key(|word| (counts[word], usize::MAX - word.len()))?;
    let anchors: Vec<usize> = anchors(wanted, words, rarest);
    // The first of equally good ones, because what follows must stand after it.
    let windows = anchors.into_iter().filter_map(|start| window(wanted, words, start));
    let best = windows.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    let found = best.0.of(page.text);
    (best.1 >= ALIGNED && same_numbers(piece, found) && negations(piece) == negations(found)).then_some(best)
}

/// Where windows may begin: so that the quotation's rarest word, or else its neighbours, meet the same word of the page.
fn anchors(wanted: &[&str], words: &[(String, Span)], rarest: &str) -> Vec<usize> {
    let offset = wanted.iter().position(|word| *word == rarest).unwrap_or(0);
    let mut starts: Vec<usize> =
        words.iter().enumerate().filter(|(_, (word, _))| word == rarest).map(|(at, _)| at.saturating_sub(offset)).collect();
    if starts.is_empty() {
        // The rarest word is the slip itself; the first two words may still be right.
        let pair = |at: usize| words[at].0 == wanted[0] || words.get(at + 1).is_some_and(|next| next.0 == wanted[1]);
        starts = (0..words.len()).filter(|at| pair(*at)).take(400).collect();
    }
    starts.truncate(400);
    starts
}

fn window(wanted: &[&str], words: &[(String, Span)], start: usize) -> Option<(Span, f64)> {
    let slack = wanted.len() / 10 + 1;
    let begin = start.saturating_sub(slack);
    let end = (start + wanted.len() + slack).min(words.len());
    let here = words.get(begin..end)?;
    let (length, first, last) = common_sequence(wanted, here)?;
    // Words of the page that the quotation leaves out count against it like words that it adds.
    let longer = wanted.len().max(last - first + 1);
    Some((Span::new(here[first].1.start, here[last].1.end), length as f64 / longer as f64))
}

/// The longest common sequence: its length, and where it begins and ends in the page.
fn common_sequence(wanted: &[&str], here: &[(String, Span)]) -> Option<(usize, usize, usize)> {
    let columns = here.len() + 1;
    let mut table = vec![0usize; (wanted.len() + 1) * columns];
    for (row, word) in wanted.iter().enumerate() {
        for (column, (other, _)) in here.iter().enumerate() {
            let place = (row + 1) * columns + column + 1;
            table[place] = if *word == other.as_str() {
                table[row * columns + column] + 1
            } else {
                table[row * columns + column + 1].max(table[place - 1])
            };
        }
    }
    let (mut row, mut column) = (wanted.len(), here.len());
    let (mut first, mut last) = (None, None);
    while row > 0 && column > 0 {
        if wanted[row - 1] == here[column - 1].0 {
            first = Some(column - 1);
            last = last.or(Some(column - 1));
            (row, column) = (row - 1, column - 1);
        } else if table[(row - 1) * columns + column] >= table[row * columns + column - 1] {
            row -= 1;
        } else {
            column -= 1;
        }
    }
    Some((table[wanted.len() * columns + here.len()], first?, last?))
}

fn words(text: &str) -> Vec<(String, Span)> {
    let kept = tokens(text).into_iter().filter(|token| token.kind != Kind::Mark);
    kept.map(|token| (fold(token.of(text)), token.span)).collect()
}

fn same_numbers(part: &str, found: &str) -> bool {
    let values = |text: &str| numbers(text, &tokens(text)).iter().map(|number| number.value).collect::<Vec<_>>();
    values(part) == values(found)
}

fn negations(text: &str) -> usize {
    words(text)
        .iter()
        .filter(|(word, _)| {
            matches!(word.as_str(), "not" | "no" | "never" | "none" | "without" | "cannot")
                || word.ends_with("nt") && word.len() < 9 && text.contains('\'')
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "Opening words. The committee did not find any evidence that the bridge\nhad been \u{201c}unsafe\u{201d} in the 12 years before it closed. Closing words.";

    fn check(quotation: &str, expected: Option<&str>) {
        let found = find(quotation, SOURCE);
        assert_eq!(found.map(|found| found.span.of(SOURCE)), expected, "{quotation}");
    }

    #[test]
    fn typography_and_line_ends_do_not_matter() {
        check("any evidence that the bridge had been \"unsafe\"", Some("any evidence that the bridge\nhad been \u{201c}unsafe"));
    }

    #[test]
    fn an_ellipsis_joins_parts_in_their_order() {
        check(
            "The committee did not find any evidence ... in the 12 years",
            Some("The committee did not find any evidence that the bridge\nhad been \u{201c}unsafe\u{201d} in the 12 years"),
        );
        check("in the 12 years ... did not find any evidence", None);
    }

    #[test]
    fn a_slip_is_forgiven_and_an_invention_is_not() {
        let slip = "The committee did not find an evidence that the bridge had been unsafe in the 12 years before it closed";
        assert!(find(slip, SOURCE).is_some_and(|found| found.similarity < 1.0));
        check("The committee found that the bridge was a danger to all who used it", None);
    }

    #[test]
    fn a_quotation_as_long_as_a_chapter_is_aligned_piece_by_piece() {
        let words: Vec<String> = (0..5000).map(|number| format!("{}{}", ["stone", "river", "tower"][number % 3], number % 701)).collect();
        let source = format!("Before it. {}. After it.", words.join(" "));
        let mut slips = words.clone();
        slips[2500] = "slip".to_string();
        slips[4000] = "slip".to_string();
        let found = find(&slips.join(" "), &source);
        assert!(found.is_some_and(|found| found.similarity < 1.0 && found.span.of(&source) == words.join(" ")), "{found:?}");
        slips[2600..2700].iter_mut().for_each(|word| word.push('x'));
        assert_eq!(find(&slips.join(" "), &source), None);
    }

    #[test]
    fn a_changed_number_or_a_lost_negation_is_never_a_slip() {
        check("The committee did not find any evidence that the bridge had been unsafe in the 15 years before it closed", None);
        check("The committee did find any evidence that the bridge had been unsafe in the 12 years before it closed", None);
    }
}
