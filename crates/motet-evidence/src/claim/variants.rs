//! Names in other spellings: acronyms and what they stand for, words written together or apart, small slips of transliteration.
//! Only asked when a name was not met as it is, because looking takes a walk over the page.

use super::page::Page;
use crate::text::{Kind, fold, initials, words};

/// Whether one word of a name is on the page in another spelling.
pub fn is_known(raw: &str, folded: &str, page: &Page) -> bool {
    let is_acronym = raw.chars().filter(|letter| letter.is_alphabetic()).all(char::is_uppercase) && folded.len() >= 2;
    is_acronym && stands_for_words(folded, page) || is_written_apart(folded, page) || is_slip(folded, page) || has_long_form(folded, page)
}

/// Names of one word and what they are in full.
const LONG_FORMS: [(&str, [&str; 2]); 3] =
    [("america", ["united", "states"]), ("britain", ["united", "kingdom"]), ("russia", ["russian", "federation"])];

fn has_long_form(folded: &str, page: &Page) -> bool {
    LONG_FORMS.iter().any(|(short, long)| *short == folded && has_pair(long, page))
}

fn has_pair(pair: &[&str; 2], page: &Page) -> bool {
    page.tokens.windows(2).any(|two| fold(two[0].of(&page.text)) == pair[0] && fold(two[1].of(&page.text)) == pair[1])
}

/// Whether a name of several words is on the page as one word or as its initials.
pub fn whole_name_is_known(words: &[&str], page: &Page) -> bool {
    if words.len() < 2 {
        return false;
    }
    let has_short_form = LONG_FORMS.iter().any(|(short, long)| long == words && page.find(&words::stem(short)).is_some());
    if has_short_form {
        return true;
    }
    let short = initials(words);
    let joined = words.concat();
    let has = |wanted: &str| page.find(wanted).is_some() || page.find(&words::stem(wanted)).is_some();
    let in_capitals = || {
        page.tokens
            .iter()
            .map(|token| token.of(&page.text))
            .any(|word| word.len() >= 2 && !word.contains(char::is_lowercase) && fold(word) == short)
    };
    words.len() >= 2 && short.len() >= 2 && (words.len() >= 3 || short.len() == 2) && has(&short) && in_capitals() || has(&joined)
}

/// Whether the page has, in capitals, the initials of a phrase of which only the first word has a capital: `BSE`.
pub fn has_initials(phrase: &[&str], page: &Page) -> bool {
    let is_phrase = phrase.len() >= 2 && phrase[1..].iter().all(|word| word.len() >= 4 && word.chars().all(char::is_lowercase));
    let initials: String = phrase.iter().filter_map(|word| word.chars().next()).flat_map(char::to_uppercase).collect();
    is_phrase && page.tokens.iter().any(|token| token.of(&page.text) == initials)
}

/// The capitalised words and initials that stand directly before a word of the page, folded.
pub fn capitals_before(folded: &str, page: &Page) -> Vec<String> {
    let stem = page.find(&words::stem(folded));
    let mut found = Vec::new();
    for at in 1..page.tokens.len() {
        if Some(page.stems[at]) != stem {
            continue;
        }
        let before = if page.tokens[at - 1].is_mark(&page.text, ".") && at >= 2 { at - 2 } else { at - 1 };
        let raw = page.tokens[before].of(&page.text);
        let folded = fold(raw);
        let is_title = words::is_generic_in_names(&folded) || ["mr", "mrs", "ms", "dr", "prof"].contains(&folded.as_str());
        if page.tokens[before].kind == Kind::Word && raw.starts_with(char::is_uppercase) && !is_title && !words::is_stop(&folded) {
            found.push(folded);
        }
    }
    found
}

/// `who` is borne out by capitalised words with these initials in a row, small words between them aside.
fn stands_for_words(acronym: &str, page: &Page) -> bool {
    let letters: Vec<char> = acronym.chars().collect();
    let mut matched = 0;
    for token in &page.tokens {
        let raw = token.of(&page.text);
        let first = raw.chars().next();
        match first {
            Some(letter) if token.kind == Kind::Word && letter.is_uppercase() => {
                let lower = letter.to_lowercase().next();
                matched = if lower == letters.get(matched).copied() { matched + 1 } else { usize::from(lower == letters.first().copied()) };
                if matched == letters.len() {
                    return true;
                }
            }
            _ if token.kind == Kind::Word && ["of", "the", "and", "for", "in", "de"].contains(&raw) => {}
            _ if raw == "-" => {}
            _ => matched = 0,
        }
    }
    false
}

/// `youtube` as `You Tube`.
fn is_written_apart(folded: &str, page: &Page) -> bool {
    if folded.len() < 5 {
        return false;
    }
    page.tokens.windows(2).any(|pair| {
        let (one, other) = (pair[0].of(&page.text), pair[1].of(&page.text));
        pair[0].kind == Kind::Word
            && pair[1].kind == Kind::Word
            && one.len() + other.len() == folded.len()
            && folded.starts_with(&fold(one))
            && folded.ends_with(&fold(other))
    })
}

/// One letter of six, two of nine: transliterations and slips. Only words that the page writes with a capital.
fn is_slip(folded: &str, page: &Page) -> bool {
    let allowed = match folded.chars().count() {
        0..6 => return false,
        6..9 => 1,
        _ => 2,
    };
    let first = folded.chars().next();
    page.tokens.iter().filter(|token| token.kind == Kind::Word).map(|token| token.of(&page.text)).any(|raw| {
        raw.starts_with(char::is_uppercase)
            && raw.len().abs_diff(folded.len()) <= allowed + 2
            && raw.chars().next().and_then(|letter| letter.to_lowercase().next()) == first
            && distance_at_most(&fold(raw), folded, allowed)
    })
}

fn distance_at_most(one: &str, other: &str, allowed: usize) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > allowed {
        return false;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, wanted) in other.iter().enumerate() {
            let changed = diagonal + usize::from(letter != wanted);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()] <= allowed
}
