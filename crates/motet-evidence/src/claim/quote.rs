//! Whether a quotation stands in a source: exactly once typography is set aside, or aligned so well that only slips differ.
//! A quotation with another number or another negation in it is never found, however well the rest aligns.

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
    let parts: Vec<&str> = quotation.split("...").flat_map(|part| part.split('…')).map(bare).filter(|part| !part.is_empty()).collect();
    let mut from = 0;
    let mut whole: Option<Found> = None;
    for part in parts {
        let (place, similarity) = find_part(&Normal::of(part).text, &page.text, from)?;
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

fn find_part(part: &str, page: &str, from: usize) -> Option<(Span, f64)> {
    if part.is_empty() {
        return None;
    }
    if let Some(place) = page[from..].find(part) {
        let start = from + place;
        return Some((Span::new(start, start + part.len()), 1.0));
    }
    aligned(part, page, from)
}

/// The window of the page that shares the longest sequence of words with the part, as share of the part's words.
fn aligned(part: &str, page: &str, from: usize) -> Option<(Span, f64)> {
    let wanted: Vec<String> = words(part).into_iter().map(|(word, _)| word).collect();
    if wanted.len() < SHORTEST_ALIGNED {
        return None;
    }
    let words: Vec<(String, Span)> = words(page).into_iter().filter(|(_, span)| span.start >= from).collect();
    let rarest = wanted.iter().min_by_key(|word| (words.iter().filter(|(other, _)| other == *word).count(), usize::MAX - word.len()))?;
    let anchors: Vec<usize> = anchors(&wanted, &words, rarest);
    let best = anchors.into_iter().filter_map(|start| window(&wanted, &words, start)).max_by(|one, other| one.1.total_cmp(&other.1))?;
    let found = best.0.of(page);
    (best.1 >= ALIGNED && same_numbers(part, found) && negations(part) == negations(found)).then_some(best)
}

/// Where windows may begin: so that the quotation's rarest word, or else its neighbours, meet the same word of the page.
fn anchors(wanted: &[String], words: &[(String, Span)], rarest: &String) -> Vec<usize> {
    let offset = wanted.iter().position(|word| word == rarest).unwrap_or(0);
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

fn window(wanted: &[String], words: &[(String, Span)], start: usize) -> Option<(Span, f64)> {
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
fn common_sequence(wanted: &[String], here: &[(String, Span)]) -> Option<(usize, usize, usize)> {
    let columns = here.len() + 1;
    let mut table = vec![0usize; (wanted.len() + 1) * columns];
    for (row, word) in wanted.iter().enumerate() {
        for (column, (other, _)) in here.iter().enumerate() {
            let place = (row + 1) * columns + column + 1;
            table[place] =
                if word == other { table[row * columns + column] + 1 } else { table[row * columns + column + 1].max(table[place - 1]) };
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
    fn a_changed_number_or_a_lost_negation_is_never_a_slip() {
        check("The committee did not find any evidence that the bridge had been unsafe in the 15 years before it closed", None);
        check("The committee did find any evidence that the bridge had been unsafe in the 12 years before it closed", None);
    }
}
