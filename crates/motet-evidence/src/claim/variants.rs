//! Names in other spellings: acronyms and what they stand for, words written together or apart, small slips of transliteration.
//! Only asked when a name was not met as it is, because looking takes a walk over the page.

use super::page::Page;
use crate::text::{Kind, fold, initials, words};

/// Whether one word of a name is on the page in another spelling.
pub fn is_known(raw: &str, folded: &str, page: &Page) -> bool {
    let is_acronym = raw.chars().filter(|letter| letter.is_alphabetic()).all(char::is_uppercase) && folded.len() >= 2;
    is_acronym && (stands_for_words(folded, page) || abbreviates(folded, page))
        || is_written_apart(folded, page)
        || is_slip(folded, page)
        || has_long_form(folded, page)
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

/// So many letters do not stand at the beginning of words in a row by chance.
const SHORTEST_ABBREVIATION: usize = 3;

/// `vat` is borne out by `value added tax`, and `lts` by `long-term support`: words in a row, however they are written.
fn abbreviates(acronym: &str, page: &Page) -> bool {
    let letters: Vec<char> = acronym.chars().collect();
    let words = page.tokens.iter().map(|token| (token.kind, token.of(&page.text))).filter(|(_, raw)| *raw != "-");
    let initials: Vec<Option<char>> = words
        .map(|(kind, raw)| raw.chars().next().filter(|_| kind == Kind::Word).and_then(|letter| letter.to_lowercase().next()))
        .collect();
    let is_it = |row: &[Option<char>]| row.iter().zip(&letters).all(|(initial, letter)| *initial == Some(*letter));
    letters.len() >= SHORTEST_ABBREVIATION && initials.windows(letters.len()).any(is_it)
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

/// Whether the page says itself where a place is: `Springfield, Missouri`.
pub fn is_located(folded: &str, page: &Page) -> bool {
    let stem = page.find(&words::stem(folded));
    let located = |at: usize| {
        let next = page.tokens.get(at + 2).map_or("", |token| token.of(&page.text));
        page.tokens[at + 1].is_mark(&page.text, ",") && next.starts_with(char::is_uppercase)
    };
    (0..page.tokens.len().saturating_sub(2)).any(|at| Some(page.stems[at]) == stem && located(at))
}

/// Transliterations of one name, and one slip in a very long one. Only words that the page writes with a capital. One letter more or less in a
/// short name makes another: `Johnson` and `Johnston`.
fn is_slip(folded: &str, page: &Page) -> bool {
    let length = folded.chars().count();
    if length < SHORTEST_SLIP {
        return false;
    }
    let (sound, first) = (sound(folded), folded.chars().next());
    page.tokens.iter().filter(|token| token.kind == Kind::Word).map(|token| token.of(&page.text)).any(|raw| {
        raw.len().abs_diff(folded.len()) <= 4 && raw.starts_with(char::is_uppercase) && begins_alike(raw, first) && {
            let other = fold(raw);
            self::sound(&other) == sound || length >= LONG_NAME && distance_at_most(&other, folded, 1)
        }
    })
}

/// Whether a word begins with the letter or with one that may stand for it.
fn begins_alike(raw: &str, first: Option<char>) -> bool {
    const ALIKE: [&str; 5] = ["ckqgx", "iyj", "vw", "sz", "fp"];
    let own = raw.chars().next().and_then(|letter| letter.to_lowercase().next());
    own == first || ALIKE.iter().any(|letters| [own, first].iter().all(|letter| letter.is_some_and(|letter| letters.contains(letter))))
}

const SHORTEST_SLIP: usize = 5;
const LONG_NAME: usize = 10;

/// A name by what its letters sound like in any transliteration: letters that are written once or twice, with or without `h`, and by several signs.
pub fn sound(folded: &str) -> String {
    const SPELLINGS: [(&str, &str); 18] = [
        ("tsch", "C"),
        ("tch", "C"),
        ("ch", "C"),
        ("ph", "f"),
        ("ck", "k"),
        ("ou", "u"),
        ("oe", "o"),
        ("ae", "a"),
        ("ue", "u"),
        ("ie", "i"),
        ("ei", "i"),
        ("x", "ks"),
        ("c", "k"),
        ("q", "k"),
        ("y", "i"),
        ("j", "i"),
        ("w", "v"),
        ("z", "s"),
    ];
    let mut sound = folded.to_string();
    for (written, plain) in SPELLINGS {
        sound = sound.replace(written, plain);
    }
    let mut letters: Vec<char> = sound.chars().collect();
    // `Gandhi` and `Ghandi`; an `h` between vowels is a letter of its own.
    let is_vowel = |letter: char| "aeiou".contains(letter);
    let silent: Vec<bool> = (0..letters.len()).map(|at| letters[at] == 'h' && at > 0 && !is_vowel(letters[at - 1])).collect();
    let mut kept = silent.iter().map(|silent| !silent);
    letters.retain(|_| kept.next().unwrap_or(true));
    letters.dedup();
    if letters.first() == Some(&'g') {
        letters[0] = 'k';
    }
    letters.into_iter().collect()
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
