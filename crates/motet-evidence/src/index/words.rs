//! Words as the index knows them: runs of letters and digits, and pairs of signs where a language has no spaces.
//! It changes no letter; lower case and stems come after it.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::text::is_sign;

#[derive(Clone, Default)]
pub(super) struct Words {
    token: Token,
}

pub(super) struct WordStream<'a> {
    text: &'a str,
    at: usize,
    token: &'a mut Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        WordStream { text, at: 0, token: &mut self.token }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(start) = self.text[self.at..].find(char::is_alphanumeric).map(|found| self.at + found) else { return false };
        let rest = &self.text[start..];
        let mut letters = rest.char_indices();
        let first = letters.next().map_or(' ', |(_, letter)| letter);
        let end;
        if is_sign(first) {
            // Every sign begins a pair with the next one; the last of a run is not told again by itself.
            let second = letters.next().filter(|(_, letter)| is_sign(*letter));
            end = start + second.map_or(first.len_utf8(), |(at, letter)| at + letter.len_utf8());
            let more = self.text[end..].starts_with(is_sign);
            self.at = if second.is_some() && more { start + first.len_utf8() } else { end };
        } else {
            end = start + rest.find(|letter: char| !letter.is_alphanumeric() || is_sign(letter)).unwrap_or(rest.len());
            self.at = end;
        }
        self.token.position = self.token.position.wrapping_add(1);
        (self.token.offset_from, self.token.offset_to) = (start, end);
        self.token.text.clear();
        self.token.text.push_str(&self.text[start..end]);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut words = Words::default();
        let mut stream = words.token_stream(text);
        let mut found = Vec::new();
        while let Some(token) = stream.next() {
            assert_eq!(&text[token.offset_from..token.offset_to], token.text);
            found.push(token.text.clone());
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn words_end_at_signs_and_signs_come_in_pairs() {
        check("It's 42 caf\u{e9}s, na\u{ef}ve-ish.", &["It", "s", "42", "caf\u{e9}s", "na\u{ef}ve", "ish"]);
        check("自然语言 NLP处理", &["自然", "然语", "语言", "NLP", "处理"]);
        check("水", &["水"]);
        check("水。火", &["水", "火"]);
        check(" … ", &[]);
        check("", &[]);
    }
}
