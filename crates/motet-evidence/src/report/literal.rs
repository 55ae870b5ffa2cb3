//! Whether a sentence stands in a source word for word: as a whole sentence or line of it, or as a row of a table that is said in words.
//! A part of a sentence is not enough, for the rest of it may deny the part.

use crate::claim::{Label, Measures, Page, Verdict};
use crate::gather::{said_by_rows, said_plainly};
use crate::text::{Kind, Span, fold, tokens};

/// The same verdict, but that the source says it in these very words.
pub fn as_said(verdict: Verdict, page: &Page, sentence: &str) -> Verdict {
    match find(page, sentence) {
        Some(span) => Verdict {
            label: Label::Supported,
            score: verdict.score.max(CERTAIN),
            span: Some(span),
            sentences: vec![span],
            missing: Vec::new(),
            measures: Measures { negation: 0.0, opposite: 0.0, exchanged: 0.0, ..verdict.measures },
            ..verdict
        },
        None => verdict,
    }
}

/// Words that are there leave no doubt about what the source says.
const CERTAIN: f64 = 0.99;

fn find(page: &Page, sentence: &str) -> Option<Span> {
    let wanted = words(sentence);
    if wanted.len() < 2 {
        return None;
    }
    let whole = page.sentences.iter().map(|sentence| sentence.span).find(|span| words(&said_plainly(span.of(&page.text))) == wanted);
    let row = || {
        let rows = said_by_rows(&page.text).into_iter();
        let (_, row) = rows.into_iter().find(|(statement, _)| words(statement) == wanted)?;
        page.text.find(&row).map(|start| Span::new(start, start + row.len()))
    };
    whole.or_else(row)
}

fn words(text: &str) -> Vec<String> {
    tokens(text).iter().filter(|token| token.kind != Kind::Mark).map(|token| fold(token.of(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{Claim, check};

    const PAGE: &str = "# Runs\n\nThe answer is `supported` or `not supported`, from 0 to 1. It is in [the guide](a.md) since 2019.\n\n\
        | class | limit |\n|---|---|\n| **low** | 5 calls, not 7 |\n";

    #[track_caller]
    fn stands(sentence: &str, expected: bool) {
        let page = Page::of(PAGE);
        let verdict = as_said(check(&Claim::new(sentence), &page), &page, sentence);
        assert_eq!(verdict.score >= CERTAIN, expected, "{sentence}: {verdict:?}");
        assert!(!expected || verdict.label == Label::Supported && !verdict.is_opposed());
    }

    #[test]
    fn whole_sentences_and_rows_stand_word_for_word() {
        stands("The answer is supported or not supported, from 0 to 1.", true);
        stands("It is in the guide since 2019.", true);
        stands("Class low, limit: 5 calls, not 7.", true);
    }

    #[test]
    fn parts_and_other_words_do_not() {
        stands("The answer is supported.", false);
        stands("It is in the guide since 2020.", false);
        stands("Class low, limit: 7 calls, not 5.", false);
    }
}
