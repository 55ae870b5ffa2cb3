//! Cuts a text into passages of readable size, at paragraphs where it can, at words where it must.
//! Every byte of the text that says something lies in exactly one passage.

use crate::source::Span;

/// About as much as a person reads to see whether a page helps.
const LONGEST: usize = 1200;

pub(super) fn passages(text: &str) -> Vec<Span> {
    let mut out = Vec::new();
    let mut open: Option<Span> = None;
    for paragraph in paragraphs(text) {
        for piece in pieces(text, paragraph) {
            open = match open {
                Some(passage) if piece.end - passage.start <= LONGEST => Some(Span { start: passage.start, end: piece.end }),
                Some(passage) => {
                    out.push(passage);
                    Some(piece)
                }
                None => Some(piece),
            };
        }
    }
    out.extend(open);
    out
}

/// The stretches between blank lines. A heading stays with what it heads, because passages are filled up.
fn paragraphs(text: &str) -> Vec<Span> {
    let (mut out, mut open, mut at) = (Vec::new(), None::<Span>, 0);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if line.trim().is_empty() {
            out.extend(open.take());
        } else {
            let start = open.map_or(at, |paragraph| paragraph.start);
            open = Some(Span { start, end: at + line.trim_end().len() });
        }
        at = end;
    }
    out.extend(open);
    out
}

/// A long paragraph in pieces that end with a sentence, a line or a word.
fn pieces(text: &str, paragraph: Span) -> Vec<Span> {
    let (mut out, mut start) = (Vec::new(), paragraph.start);
    while paragraph.end - start > LONGEST {
        let limit = (start + 1..=start + LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(paragraph.end);
        let window = &text[start..limit];
        let half = LONGEST / 2;
        let sentence = [". ", "! ", "? ", ".\n", "。", "\n"].iter().filter_map(|sign| window.rfind(sign).map(|at| at + sign.len())).max();
        let word = || window.rfind(char::is_whitespace).map(|at| at + 1);
        let length = sentence
            .filter(|at| *at > half)
            .or_else(word)
            .filter(|at| *at > 0 && text.is_char_boundary(start + at))
            .unwrap_or(window.len());
        out.push(Span { start, end: start + length });
        start += length;
    }
    if start < paragraph.end {
        out.push(Span { start, end: paragraph.end });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Vec<&str> {
        let spans = passages(text);
        assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start));
        assert!(spans.iter().all(|span| span.end - span.start <= LONGEST));
        let kept: String = spans.iter().map(|span| &text[span.start..span.end]).collect();
        let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
        assert_eq!(letters(&kept), letters(text), "nothing is lost and nothing is told twice");
        spans.into_iter().map(|span| &text[span.start..span.end]).collect()
    }

    #[test]
    fn short_paragraphs_share_a_passage_and_long_ones_are_cut() {
        assert_eq!(check("# Head\n\nOne.\n\nTwo.\n"), ["# Head\n\nOne.\n\nTwo."]);
        assert_eq!(check(""), Vec::<&str>::new());
        assert_eq!(check(" \n \n"), Vec::<&str>::new());
        let long = "A sentence of some length that goes on. ".repeat(100);
        assert!(check(&long).iter().all(|passage| passage.trim_end().ends_with('.')));
        assert!(check(&"x".repeat(5000)).len() >= 5);
        assert!(check(&"ä€😀 ".repeat(900)).len() >= 5);
        assert!(check(&"语言处理。".repeat(500)).len() >= 5);
    }
}
