//! Numbers in other digits than ours: `opened in １７７７` says 1777, and so does what is written above the line where it is neither a marker nor
//! a power.
//! What it reads is only compared and never printed; which raised numbers cite an entry is found before it.

use std::borrow::Cow;

use super::markers::{RAISED, lowered};
use crate::text::{our_digit, our_sign};

/// So many digits the power of something or the number of a note has at most.
const LONGEST_NOTE: usize = 3;
/// So many bytes of a word are looked at on each side of its number.
const LONGEST_WORD: usize = 60;

/// A text with its numbers in plain digits, except where its source spells them, or a word with them, as it does: `¹⁴C`.
pub fn with_plain_numbers<'a>(text: &'a str, is_word_of_source: impl Fn(&str) -> bool) -> Cow<'a, str> {
    match in_our_digits(text, &is_word_of_source) {
        Cow::Borrowed(text) => with_lowered_numbers(text, is_word_of_source),
        Cow::Owned(text) => Cow::Owned(with_lowered_numbers(&text, is_word_of_source).into_owned()),
    }
}

fn in_our_digits<'a>(text: &'a str, is_word_of_source: &impl Fn(&str) -> bool) -> Cow<'a, str> {
    let is_other = |letter: char| our_digit(letter).is_some();
    if !text.contains(is_other) {
        return Cow::Borrowed(text);
    }
    let (mut read, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find(is_other) {
        let (before, from) = rest.split_at(start);
        let (run, behind) = from.split_at(from.find(|letter| !is_other(letter)).unwrap_or(from.len()));
        read.push_str(before);
        // `CO₂` is a word, and no number stands in it.
        let is_in_a_word = read.ends_with(char::is_alphabetic) && run.starts_with(is_lowered);
        rest = behind;
        if is_in_a_word || is_word_of_source(run) {
            read.push_str(run);
            continue;
        }
        read.extend(run.chars().filter_map(our_digit));
        let sign = behind.chars().next().and_then(|theirs| Some((theirs, our_sign(theirs)?)));
        if let Some((theirs, ours)) = sign.filter(|(theirs, ours)| *ours == '%' || behind[theirs.len_utf8()..].starts_with(is_other)) {
            read.push(ours);
            rest = &behind[theirs.len_utf8()..];
        }
    }
    read.push_str(rest);
    Cow::Owned(read)
}

fn is_lowered(letter: char) -> bool {
    ('₀'..='₉').contains(&letter)
}

/// The same with raised numbers alone.
fn with_lowered_numbers(text: &str, is_word_of_source: impl Fn(&str) -> bool) -> Cow<'_, str> {
    if !text.contains(RAISED) {
        return Cow::Borrowed(text);
    }
    let (mut read, mut from) = (String::with_capacity(text.len()), 0);
    while let Some(start) = text[from..].find(RAISED).map(|place| from + place) {
        let (before, rest) = text.split_at(start);
        let (digits, length) = lowered(rest);
        let is_spelled_so = |word: &str| word.contains(char::is_alphabetic) && is_word_of_source(word);
        read.push_str(&text[from..start]);
        if is_power_or_note(before, &digits) || is_spelled_so(word_around(text, start)) {
            read.push_str(&rest[..length]);
        } else {
            if let Some(without) = read.strip_suffix('⁻').map(str::len) {
                read.truncate(without);
                read.push('-');
            }
            // Behind a word or the end of a sentence it would be read as one with it.
            let goes_on = before.ends_with(|last: char| last.is_alphanumeric() || ".,".contains(last)) && !is_decimal(before);
            read.push_str(if goes_on { " " } else { "" });
            read.push_str(&digits);
        }
        from = start + length;
    }
    read.push_str(&text[from..]);
    Cow::Owned(read)
}

/// Whether a text has this very word, or this very number in these digits: that may stand without spaces.
pub fn has_word(text: &str, word: &str) -> bool {
    let is_digit = |letter: char| our_digit(letter).is_some();
    if word.chars().all(is_digit) {
        let is_whole = |(at, _): (usize, &str)| !text[..at].ends_with(is_digit) && !text[at + word.len()..].starts_with(is_digit);
        return text.match_indices(word).any(is_whole);
    }
    text.contains(word) && text.split_whitespace().any(|other| bare(other) == word)
}

/// `km²`, `10⁻⁶` and `(a + b)²` are powers, and `It is old.³` has a note. No power or note has as many digits as a year.
fn is_power_or_note(before: &str, digits: &str) -> bool {
    let before = before.trim_end_matches(['⁻', '⁺']);
    let mut behind = before.chars().rev();
    let touches = match behind.next() {
        Some(last) if last.is_alphanumeric() => true,
        // What stands behind a space opens, and ends nothing.
        Some(')' | ']' | '.' | ',' | ';' | '!' | '?' | '…' | '%' | '"' | '”' | '\'' | '’' | '»') => {
            behind.next().is_some_and(|letter| !letter.is_whitespace())
        }
        _ => false,
    };
    touches && !is_decimal(before) && digits.split([',', '-']).all(|number| number.len() <= LONGEST_NOTE)
}

/// Whether what follows is the fraction of a raised number: `¹.⁵`.
fn is_decimal(before: &str) -> bool {
    before.strip_suffix('.').is_some_and(|whole| whole.ends_with(RAISED))
}

fn word_around(text: &str, place: usize) -> &str {
    let before = &text[text.floor_char_boundary(place.saturating_sub(LONGEST_WORD))..place];
    let after = &text[place..text.floor_char_boundary(place + LONGEST_WORD)];
    let start = place - before.split(char::is_whitespace).next_back().unwrap_or(before).len();
    let end = place + after.split(char::is_whitespace).next().unwrap_or(after).len();
    bare(&text[start..end])
}

fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let source = "It was dated by ¹⁴C, and 1932.¹⁷ is no year.";
        assert_eq!(with_plain_numbers(text, |word| has_word(source, word)), expected);
    }

    #[test]
    fn what_is_written_above_the_line_is_a_number_like_any_other() {
        check("It was opened in ¹⁷⁷⁷.", "It was opened in 1777.");
        check("¹⁷⁷ workers died.", "177 workers died.");
        check("It cost $⁹⁹⁹ or -⁵ (⁴⁰).", "It cost $999 or -5 (40).");
        check("It cost ¹,⁰⁰⁰ pounds.", "It cost 1,000 pounds.");
        check("It was opened in ¹932, “⁴⁰ years” ago.", "It was opened in 1932, “40 years” ago.");
        check("It was opened in¹⁷⁷⁷, and again.¹⁹⁹⁹", "It was opened in 1777, and again. 1999");
        check("It fell to ⁻⁵ degrees.", "It fell to -5 degrees.");
        check("It is ¹.⁵ metres long.", "It is 1.5 metres long.");
    }

    #[test]
    fn digits_of_other_scripts_and_styles_are_ours() {
        check("It was opened in １７７７, or ₁₇₇₇, ١٧٧٧, १७७७ and 𝟏𝟕𝟕𝟕.", "It was opened in 1777, or 1777, 1777, 1777 and 1777.");
        check("It grew by １２．５％ to １，０００， or to ١٢٫٥٪ and ١٬٠٠٠.", "It grew by 12.5% to 1,000， or to 12.5% and 1,000.");
        check("It was opened in ௧௭௭௭, ೧೭೭೭, ૧૭૭૭, ១៧៧៧ or ၁၇၇၇.", "It was opened in 1777, 1777, 1777, 1777 or 1777.");
        check("① It is old. ② It is high.", "① It is old. ② It is high.");
        check("It holds CO₂ and H₂O.", "It holds CO₂ and H₂O.");
        let japanese = |text: &str| with_plain_numbers(text, |word| has_word("橋は１９３２年に開通した。", word)).into_owned();
        assert_eq!(japanese("１９３２年に開通した。"), "１９３２年に開通した。");
        assert_eq!(japanese("９３２年、１９３３年"), "932年、1933年");
    }

    #[test]
    fn powers_and_notes_are_no_numbers_of_their_own() {
        for text in [
            "It covers 5 km² and 7 m³.",
            "It weighs 10⁶ tonnes, or 10⁻⁶ of it.",
            "See (a + b)² there.",
            "It is old.³ It is “high”.¹,² It is long, they say,¹⁻³ and wide.",
            "It holds Ca²⁺.",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn a_word_of_the_source_is_spelled_as_it_is_there() {
        check("The bone was dated by ¹⁴C.", "The bone was dated by ¹⁴C.");
        check("The bone was dated by ¹⁵C.", "The bone was dated by 15C.");
        check("There were ¹⁷ workers.", "There were 17 workers.");
    }
}
