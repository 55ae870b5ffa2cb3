//! A text without what is only typography: NFKC, plain quotes and hyphens, single spaces, lower case; with the way back to the original.
//! Words are left as they are: nothing is stemmed, and no mark is dropped but emphasis and citation markers.

use unicode_normalization::UnicodeNormalization as _;

use super::Span;

/// Compared by characters; every character knows where it comes from.
#[derive(Clone, Debug, Default)]
pub struct Normal {
    pub text: String,
    /// For each byte of `text`, the place of its character in the original.
    origins: Vec<usize>,
    length: usize,
}

impl Normal {
    pub fn of(original: &str) -> Self {
        let mut normal =
            Self { text: String::with_capacity(original.len()), origins: Vec::with_capacity(original.len()), length: original.len() };
        let mut at = 0;
        while let Some(character) = original[at..].chars().next() {
            match marker(&original[at..]) {
                Some(length) => at += length,
                None => {
                    normal.push(character, at);
                    at += character.len_utf8();
                }
            }
        }
        if normal.text.ends_with(' ') {
            normal.text.pop();
            normal.origins.pop();
        }
        normal
    }

    /// Where a part of the normalised text stands in the original.
    pub fn origin(&self, part: Span) -> Span {
        let start = self.origins.get(part.start).copied().unwrap_or(self.length);
        let end = self.origins.get(part.end).copied().unwrap_or(self.length);
        Span::new(start, end.max(start))
    }

    fn push(&mut self, character: char, at: usize) {
        if character.is_ascii() {
            return self.push_plain(character, at);
        }
        for part in std::iter::once(character).nfkc() {
            self.push_plain(part, at);
        }
    }

    fn push_plain(&mut self, character: char, at: usize) {
        let plain = match character {
            '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '`' | '\u{b4}' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{2033}' => '"',
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' => '-',
            // Soft hyphens and joiners are invisible; asterisks and underlines are emphasis.
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '*' | '_' => return,
            _ if character.is_whitespace() => ' ',
            _ => character,
        };
        if plain == ' ' && (self.text.is_empty() || self.text.ends_with(' ')) {
            return;
        }
        for lower in plain.to_lowercase() {
            self.text.push(lower);
            self.origins.extend(std::iter::repeat_n(at, lower.len_utf8()));
        }
    }
}

/// `[12]` in a page is a footnote of the page, not part of what it says.
fn marker(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('[')?;
    let length = inside.bytes().take_while(u8::is_ascii_digit).count();
    ((1..=3).contains(&length) && inside[length..].starts_with(']')).then_some(length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typography_does_not_count_and_the_way_back_is_kept() {
        let original = "He  said:\n\u{201c}It\u{2019}s\u{a0}10\u{2013}12 \u{fb01}elds[4]\u{201d} *now*";
        let normal = Normal::of(original);
        assert_eq!(normal.text, "he said: \"it's 10-12 fields\" now");
        let start = normal.text.find("it's").unwrap();
        let end = normal.text.find("\" now").unwrap();
        assert_eq!(normal.origin(Span::new(start, end)).of(original), "It\u{2019}s\u{a0}10\u{2013}12 \u{fb01}elds[4]");
    }
}
