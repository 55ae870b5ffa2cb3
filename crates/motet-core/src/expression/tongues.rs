//! Questions in a few other languages than English: where a second one begins, and what both are about.
//! It knows the words that ask and the one that joins; of grammar it knows nothing, so no word of a question is ever exchanged.

use super::texts::is_one_of;

struct Tongue {
    /// Between two questions.
    and: &'static str,
    asking: &'static [&'static str],
    /// Between a thing and its name: `le pont de Sarrow`.
    of: &'static [&'static str],
}

const TONGUES: [Tongue; 4] = [
    Tongue {
        and: "et",
        asking: &[
            "quand",
            "qui",
            "où",
            "comment",
            "pourquoi",
            "combien",
            "quel",
            "quelle",
            "quels",
            "quelles",
            "que",
            "qu'est-ce",
            "lequel",
            "laquelle",
        ],
        of: &["de", "du", "des", "la", "le", "les"],
    },
    Tongue {
        and: "und",
        asking: &[
            "wann", "wer", "wen", "wem", "wessen", "wie", "wo", "woher", "wohin", "warum", "wieso", "weshalb", "was", "welche", "welcher",
            "welches", "welchen", "wieviel",
        ],
        of: &["von", "der", "des", "bei", "am"],
    },
    Tongue {
        and: "y",
        asking: &["cuándo", "quién", "quiénes", "dónde", "cómo", "cuánto", "cuánta", "cuántos", "cuántas", "cuál", "cuáles", "qué"],
        of: &["de", "del", "la", "el", "los", "las"],
    },
    Tongue {
        and: "e",
        asking: &["quando", "chi", "dove", "come", "perché", "quanto", "quanti", "quale", "quali", "cosa"],
        of: &["di", "del", "della", "dei", "la", "il"],
    },
];

/// A part of fewer words only asks: `quand` in `quand et où`.
const FEWEST_WORDS: usize = 3;

/// Words of English that none of these tongues has, as they are written inside of a sentence.
const ENGLISH: [&str; 14] = ["the", "it", "he", "she", "they", "this", "that", "there", "his", "its", "their", "of", "to", "by"];

/// `Was it opened` is English, and so is `Was Mara Lint`; `Was kostet` is not.
fn tongue(question: &str) -> Option<&'static Tongue> {
    let mut words = question.split_whitespace();
    let first = words.next()?.trim_matches(['¿', '¡', ',']);
    let names_next = words.clone().next().is_some_and(|next| next.starts_with(char::is_uppercase));
    let is_english = is_one_of(first, &["was"]) && names_next || words.any(|word| ENGLISH.contains(&word.trim_end_matches([',', '?'])));
    TONGUES.iter().find(|tongue| !is_english && is_one_of(first, tongue.asking))
}

/// Whether it begins with a word that asks in one of them.
pub(super) fn asks(question: &str) -> bool {
    tongue(question).is_some()
}

/// The questions of a sentence: each but the first begins behind an `and` with its own word for asking. None: it is in no tongue of these.
pub(super) fn asked_in(sentence: &str) -> Option<Vec<&str>> {
    let tongue = tongue(sentence)?;
    let (mut questions, mut start) = (Vec::new(), 0);
    let mut words = sentence.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let at = place(sentence, word);
        let asks_next = words.peek().is_some_and(|next| is_one_of(next.trim_matches(['¿', '¡', ',']), tongue.asking));
        let before = &sentence[start..at];
        if is_one_of(word, &[tongue.and]) && asks_next && before.split_whitespace().count() >= FEWEST_WORDS {
            questions.push(before.trim_end().trim_end_matches(','));
            start = at + word.len();
        }
    }
    questions.push(&sentence[start..]);
    Some(questions.into_iter().map(str::trim).collect())
}

/// What a question names: its first name, with the thing that it is the name of. Where every noun has a capital, the last of the first ones.
pub(super) fn named(question: &str) -> Option<&str> {
    let tongue = tongue(question)?;
    let words: Vec<&str> = question.split_whitespace().collect();
    let is_name = |word: &&str| word.starts_with(char::is_uppercase);
    let first = (1..words.len()).find(|at| is_name(&words[*at]))?;
    let last = (first..words.len()).take_while(|at| is_name(&words[*at])).last()?;
    let linked = (1..first).rev().take_while(|at| is_one_of(words[*at], tongue.of)).last();
    // An article alone belongs to the name and to no other thing.
    let thing = linked
        .filter(|at| *at > 1 && !is_one_of(words[at - 1], tongue.asking) && is_one_of(words[*at], &tongue.of[..2]))
        .map_or(first, |at| at - 1);
    let (start, end) = (place(question, words[thing]), place(question, words[last]) + words[last].len());
    Some(question[start..end].trim_end_matches(|mark: char| !mark.is_alphanumeric()))
}

/// Where a part of a text stands in it.
fn place(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}
