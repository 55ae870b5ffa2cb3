//! Whether the words that a fact quotes say what the fact states: every number, every name, and what is claimed of them.
//! It looks at the sentences of the quotation. What was named just before may be called `it` there; nothing else is taken from elsewhere.

use super::lists::is_said_by_list;
use super::plain::said_plainly;
use crate::claim::{Claim, Page, check, unsaid};
use crate::text::{Kind, Span, fold, sentences, tokens, without_numbers};

/// A quotation of fewer words is a name or an expression, unless the sentence has no more.
const FEWEST_WORDS: usize = 4;

/// A quotation with parts left out may not reach over more than this much text for each byte of itself.
const STRETCH: usize = 6;
const STRETCH_BYTES: usize = 600;

/// How many sentences before the quotation may name what it speaks of.
const BEFORE: usize = 3;

/// How far before the quotation sentences are looked for.
const BEFORE_BYTES: usize = 2_000;

/// One word in so many may be the fact's own; what is claimed in few words must stand there in all of them.
const OWN_WORD_IN: usize = 7;

/// Why a statement says more than the sentences in which its quotation stands, if it does.
pub fn excess(statement: &str, quotation: &str, found: Span, text: &str, title: &str) -> Option<String> {
    if is_said_by_list(statement, found.start, text) {
        return None;
    }
    if found.end - found.start > STRETCH * quotation.len() + STRETCH_BYTES {
        return Some("its quotation leaves out too much between its parts".into());
    }
    let near = Near::of(found, text);
    let quoted = count_words(found.of(text));
    if quoted < FEWEST_WORDS && count_words(&near.passage) > quoted + 1 && !is_whole_row(found, text) {
        return Some(format!("its quotation is too short to bear it out: “{}”", found.of(text)));
    }
    if is_verbatim(statement, found.of(text)) {
        return None;
    }
    let page = Page::of(&near.passage);
    // What stands before a quotation may name its subject; a number there is another number.
    let context = without_numbers(&format!("{title}\n\n{}", near.before));
    let claim = Claim { text: statement, context: &context };
    let verdict = check(&claim, &page);
    if !verdict.missing.is_empty() {
        let missing: Vec<&str> = verdict.missing.iter().map(|missing| missing.text.as_str()).collect();
        let is = if missing.len() == 1 { "is" } else { "are" };
        return Some(format!("{} {is} not in its quotation", missing.join(", ")));
    }
    if verdict.is_opposed() {
        return Some("its quotation says the opposite".into());
    }
    let unsaid = unsaid(&claim, &page);
    let is = if unsaid.words.len() == 1 { "is" } else { "are" };
    (unsaid.words.len() > unsaid.asked / OWN_WORD_IN).then(|| {
        format!("{} {is} not in its quotation", unsaid.words.iter().map(|word| format!("“{word}”")).collect::<Vec<_>>().join(", "))
    })
}

/// What stands at a quotation.
struct Near {
    /// The whole sentences that it is a part of; a row of a table is read with the heading of its columns.
    passage: String,
    before: String,
}

impl Near {
    fn of(found: Span, text: &str) -> Self {
        let from = (0..=found.start.saturating_sub(BEFORE_BYTES)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let to = (found.end.saturating_add(BEFORE_BYTES)..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let spans: Vec<Span> = sentences(&text[from..to]).into_iter().map(|span| span.moved(from)).collect();
        let touched: Vec<&Span> = spans.iter().filter(|span| span.start < found.end && span.end > found.start).collect();
        let (start, end) = match (touched.first(), touched.last()) {
            (Some(first), Some(last)) => (first.start.min(found.start), last.end.max(found.end)),
            _ => (found.start, found.end),
        };
        let earlier: Vec<&Span> = spans.iter().filter(|span| span.end <= start).collect();
        let before: Vec<&str> = earlier[earlier.len().saturating_sub(BEFORE)..].iter().map(|span| span.of(text)).collect();
        let passage = text[start..end].to_string();
        let passage = match heading_of_table(&text[..start], &passage) {
            Some(heading) => format!("{heading}\n\n{passage}"),
            None => passage,
        };
        Self { passage, before: before.join("\n\n") }
    }
}

/// What only repeats its quotation says no more than that.
fn is_verbatim(statement: &str, quotation: &str) -> bool {
    let words =
        |text: &str| tokens(text).iter().filter(|token| token.kind != Kind::Mark).map(|token| fold(token.of(text))).collect::<Vec<_>>();
    words(statement) == words(quotation) || words(statement) == words(&said_plainly(quotation))
}

/// A row of a table says all that it says in few words.
fn is_whole_row(found: Span, text: &str) -> bool {
    let row = found.of(text).trim();
    let is_alone = text[..found.start].rsplit('\n').next().unwrap_or_default().trim().is_empty()
        && text[found.end..].split('\n').next().unwrap_or_default().trim().is_empty();
    is_alone && row.len() > 1 && row.contains('|')
}

/// The first row of the table in which a row stands.
fn heading_of_table<'a>(before: &'a str, row: &str) -> Option<&'a str> {
    let is_row = |line: &str| line.contains('|');
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    if !is_row(row) && !is_row(&before[line_start..]) {
        return None;
    }
    before[..line_start].lines().rev().take_while(|line| is_row(line)).last()
}

fn count_words(text: &str) -> usize {
    tokens(text).iter().filter(|token| token.kind != Kind::Mark).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::quote;

    const TEXT: &str = "# Lindholm Bridge\n\nThe Lindholm Bridge crosses the Aar fjord. It was opened in 1976 by the prime minister. \
        Ferries are unsafe in winter. The bridge carries 4,200 cars each day, and no accident was ever reported.\n\n\
        | City | Opened | Length |\n|---|---|---|\n| Bern | 1932 | 503 m |\n| Rome | 1950 | 12 km |\n\n| Year | Toll |\n|---|---|\n| 2021 | $5 |\n\nClosed on Mondays.\n";

    #[track_caller]
    fn check(statement: &str, quotation: &str, expected: &str) {
        let found = quote::find(quotation, TEXT).expect(quotation).span;
        assert_eq!(excess(statement, quotation, found, TEXT, "Bridges").unwrap_or_else(|| "borne".into()), expected, "{statement}");
    }

    #[test]
    fn what_the_quoted_sentence_says_stands() {
        check("The Lindholm Bridge was opened in 1976.", "It was opened in 1976 by the prime minister", "borne");
        check("The bridge opened in 1976.", "was opened in 1976", "borne");
        check("The bridge carries 4,200 cars a day.", "The bridge carries 4,200 cars each day", "borne");
        check("City Rome, Opened: 1950; Length: 12 km.", "| Rome | 1950 | 12 km |", "borne");
        check("It is closed on Mondays.", "Closed on Mondays", "borne");
        check("Year 2021, Toll: $5.", "| 2021 | $5 |", "borne");
        let quoted = "The bridge carries 4,200 cars each day, and no accident was ever reported.";
        check(quoted, quoted, "borne");
    }

    #[test]
    fn an_invention_is_told_by_what_the_quotation_lacks() {
        check("The Lindholm Bridge is unsafe.", "bridge carries", "its quotation is too short to bear it out: “bridge carries”");
        check("The Lindholm Bridge is unsafe.", "It was opened in 1976 by the prime minister", "“unsafe” is not in its quotation");
        check("The Lindholm Bridge is unsafe.", "The bridge carries 4,200 cars each day", "“unsafe” is not in its quotation");
        check("The bridge was opened in 1899.", "It was opened in 1976 by the prime minister", "1899 is not in its quotation");
        check("The bridge was opened by Anna Berg.", "It was opened in 1976 by the prime minister", "Anna, Berg are not in its quotation");
        check(
            "The bridge was designed by the prime minister.",
            "It was opened in 1976 by the prime minister",
            "“designed” is not in its quotation",
        );
        check("The bridge was closed in 1976.", "It was opened in 1976 by the prime minister", "its quotation says the opposite");
        check("An accident was reported.", "no accident was ever reported", "its quotation says the opposite");
        check("City Rome, Opened: 1932.", "| Rome | 1950 | 12 km |", "1932 is not in its quotation");
        check("Year 2021, Toll: $5.", "2021 | $5", "its quotation is too short to bear it out: “2021 | $5”");
    }
}
