//! The words of a claim or of a page, one after another, and what a single one tells by its shape: all that rules on the order of words know.
//! No grammar: which of two words belongs to which is asked by the rule that needs it.

use super::page::Page;
use super::statement::Statement;
use crate::text::{Kind, Token, fold, words};

/// Articles alone: `its` tells of whom.
const ARTICLES: [&str; 3] = ["the", "a", "an"];

#[derive(Clone, Copy)]
pub struct Wording<'a> {
    pub text: &'a str,
    pub tokens: &'a [Token],
}

impl<'a> From<&'a Statement<'_>> for Wording<'a> {
    fn from(statement: &'a Statement) -> Self {
        Self { text: statement.text, tokens: &statement.tokens }
    }
}

impl<'a> From<&'a Page> for Wording<'a> {
    fn from(page: &'a Page) -> Self {
        Self { text: &page.text, tokens: &page.tokens }
    }
}

impl<'a> Wording<'a> {
    /// The word or mark at a place; nothing behind the end.
    pub fn raw(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.of(self.text))
    }

    pub fn is(&self, at: usize, kind: Kind) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == kind)
    }

    pub fn is_article(&self, at: usize) -> bool {
        ARTICLES.contains(&self.raw(at))
    }

    /// A word that says something, and does not only carry grammar.
    pub fn is_content(&self, at: usize) -> bool {
        self.is(at, Kind::Word) && !words::is_stop(&fold(self.raw(at)))
    }

    pub fn is_capital(&self, at: usize) -> bool {
        self.is(at, Kind::Word) && self.raw(at).starts_with(char::is_uppercase)
    }

    /// A verb that tells what was done, or a participle, which looks the same.
    pub fn is_past(&self, at: usize) -> bool {
        let raw = self.raw(at);
        raw.starts_with(char::is_lowercase) && words::is_past(raw)
    }
}
