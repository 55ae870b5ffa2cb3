//! Words, numbers and marks of a text with their places: the smallest things that claims and sources are compared by.
//! It knows no language: what a word means, and whether a number is a year, is decided elsewhere.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Begins with a letter; may go on with digits, apostrophes, and the points of `U.S.`.
    Word,
    /// Digits with separators and a decimal part.
    Number,
    /// Any other visible character, alone.
    Mark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub span: Span,
    pub kind: Kind,
}

impl Token {
    pub fn of(self, text: &str) -> &str {
        self.span.of(text)
    }

    pub fn is_mark(self, text: &str, mark: &str) -> bool {
        self.kind == Kind::Mark && self.of(text) == mark
    }

    /// Whether nothing stands between the two.
    pub fn touches(self, next: Token) -> bool {
        self.span.end == next.span.start
    }
}

/// All tokens of a text in order.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::with_capacity(text.len() / 5);
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let end = match character {
            _ if character.is_whitespace() || is_invisible(character) => {
                at += character.len_utf8();
                continue;
            }
            _ if character.is_alphabetic() => word_end(text, at),
            _ if character.is_ascii_digit() => number_end(text, at),
            _ => at + character.len_utf8(),
        };
        let kind = match character {
            _ if character.is_alphabetic() => Kind::Word,
            _ if character.is_ascii_digit() => Kind::Number,
            _ => Kind::Mark,
        };
        found.push(Token { span: Span::new(at, end), kind });
        at = end;
    }
    found
}

/// A word as it is compared: lower case, without accents, points, and the possessive ending. Writes into `into` to spare allocations.
pub fn fold_into(word: &str, into: &mut String) {
    into.clear();
    if word.is_ascii() {
        into.extend(
            word.bytes().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'\'').map(|byte| byte.to_ascii_lowercase() as char),
        );
    } else {
        let plain = word.nfkd().filter(|character| !is_combining_mark(*character)).map(plain_apostrophe);
        into.extend(plain.flat_map(char::to_lowercase).filter(|character| character.is_alphanumeric() || *character == '\''));
    }
    for ending in ["'s", "'"] {
        if into.ends_with(ending) {
            into.truncate(into.len() - ending.len());
        }
    }
    // What is left of `don't` and `O'Brien` is one word.
    into.retain(|character| character != '\'');
}

pub fn fold(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    fold_into(word, &mut folded);
    folded
}

fn plain_apostrophe(character: char) -> char {
    if matches!(character, '\u{2019}' | '\u{2018}' | '\u{02bc}' | '`') { '\'' } else { character }
}

/// Whether it is one of the signs of languages without spaces: Chinese, Japanese, Korean, Thai, Lao and Khmer.
pub fn is_sign(letter: char) -> bool {
    matches!(letter, '\u{0e00}'..='\u{0eff}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}') || character.is_control()
}

fn word_end(text: &str, start: usize) -> usize {
    if let Some(end) = dotted_end(text, start) {
        return end;
    }
    // `v4.0` is the version 4.0.
    if text.as_bytes()[start] == b'v' && text.as_bytes().get(start + 1).is_some_and(u8::is_ascii_digit) {
        let number = number_end(text, start + 1);
        if !text[number..].starts_with(char::is_alphanumeric) {
            return start + 1;
        }
    }
    let mut end = start;
    let mut rest = text[start..].chars().peekable();
    while let Some(character) = rest.next() {
        let goes_on = character.is_alphanumeric()
            || is_combining_mark(character)
            || character == '\u{ad}'
            || plain_apostrophe(character) == '\'' && end > start && rest.peek().is_some_and(|next| next.is_alphabetic());
        if !goes_on {
            break;
        }
        end += character.len_utf8();
    }
    end
}

/// `U.S.`, `J.R.R.`, `e.g.`: at least two single letters with points.
fn dotted_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = start;
    let mut letters = 0;
    while bytes.get(end).is_some_and(u8::is_ascii_alphabetic) && bytes.get(end + 1) == Some(&b'.') {
        end += 2;
        letters += 1;
    }
    let last_letter_alone = bytes.get(end).is_some_and(u8::is_ascii_alphabetic);
    match letters {
        0 | 1 if !(letters == 1 && last_letter_alone && !bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric)) => None,
        1 => Some(end + 1),
        _ if last_letter_alone && !bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric) => Some(end + 1),
        _ => Some(end),
    }
}

/// `1,250.75`, `1.250.000`, `1 250 000` with spaces that do not break, `12`.
fn number_end(text: &str, start: usize) -> usize {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = start + digits(start);
    let first = end - start;
    let mut decimal = false;
    while let Some(separator) = text[end..].chars().next() {
        let after = end + separator.len_utf8();
        let following = digits(after);
        let is_group =
            following == 3 && first <= 3 && !decimal && matches!(separator, ',' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '\u{2019}');
        let is_decimal = following > 0 && !decimal && separator == '.';
        let is_european_group = following == 3 && decimal && separator == '.';
        let is_comma = separator == ',' && (1..=2).contains(&following) && !decimal && end - start == first;
        let is_decimal_comma = is_comma && measures(&text[after + following..]);
        if !(is_group || is_decimal || is_european_group || is_decimal_comma) {
            break;
        }
        decimal |= is_decimal || is_decimal_comma;
        end = after + following;
    }
    end
}

/// Whether what follows digits makes a comma between them a decimal one, and no list: `2,5 %`, `3,50 Euro`.
fn measures(rest: &str) -> bool {
    const MEASURES: [&str; 22] = [
        "%", "€", "£", "$", "°", "euro", "eur", "chf", "prozent", "percent", "per cent", "mio", "mrd", "milli", "billi", "km", "kg", "cm",
        "mm", "meter", "metre", "tonn",
    ];
    let rest = rest.strip_prefix([' ', '\u{a0}', '\u{202f}']).unwrap_or(rest);
    MEASURES.iter().any(|measure| rest.get(..measure.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(measure)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = tokens(text).iter().map(|token| token.of(text)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words_keep_their_apostrophes_and_points() {
        check("Ireland's U.S. partner", &["Ireland's", "U.S.", "partner"]);
        check("O\u{2019}Brien didn't", &["O\u{2019}Brien", "didn't"]);
        check("J. Smith", &["J", ".", "Smith"]);
        check("the plan.Next", &["the", "plan", ".", "Next"]);
    }

    #[test]
    fn numbers_keep_their_separators_and_nothing_else() {
        check("1,250.75 and 12, 13.", &["1,250.75", "and", "12", ",", "13", "."]);
        check("1.250.000 or 1\u{a0}250", &["1.250.000", "or", "1\u{a0}250"]);
        check("10-12 km2", &["10", "-", "12", "km2"]);
        check("v4.0 and v12 of vb6 v2ray", &["v", "4.0", "and", "v", "12", "of", "vb6", "v2ray"]);
        check("1998,2001", &["1998", ",", "2001"]);
    }

    #[test]
    fn folding_removes_what_is_only_spelling() {
        for (word, folded) in
            [("Zürich", "zurich"), ("Ireland's", "ireland"), ("U.S.", "us"), ("O\u{2019}Brien", "obrien"), ("students'", "students")]
        {
            assert_eq!(fold(word), folded);
        }
    }
}
