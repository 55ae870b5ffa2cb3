//! How hard a text is to read: the Flesch–Kincaid grade and the reading ease, for English.
//! Syllables are counted by rule, not by dictionary, as everyone who computes these numbers does.

use serde_json::{Value, json};

use super::words::{sentences_of, words_of};
use super::{rounded, text};

/// `{text}` → `{grade, ease, words, sentences, syllables, words_per_sentence}`. No words: grade and ease are null.
pub(super) fn readability(input: &Value) -> Result<Value, String> {
    let text = text(input, "text")?;
    let words = words_of(text).count();
    let sentences = sentences_of(text).count();
    let syllables: usize = words_of(text).map(syllables_of).sum();
    if words == 0 {
        return Ok(json!({ "grade": null, "ease": null, "words": 0, "sentences": 0, "syllables": 0, "words_per_sentence": 0 }));
    }
    let per_sentence = words as f64 / sentences.max(1) as f64;
    let per_word = syllables as f64 / words as f64;
    Ok(json!({
        "grade": rounded(0.39 * per_sentence + 11.8 * per_word - 15.59, 1),
        "ease": rounded(206.835 - 1.015 * per_sentence - 84.6 * per_word, 1),
        "words": words,
        "sentences": sentences,
        "syllables": syllables,
        "words_per_sentence": rounded(per_sentence, 1),
    }))
}

/// Groups of vowels, without a silent `e` at the end; at least one.
pub(super) fn syllables_of(word: &str) -> usize {
    let letters: Vec<char> = word.to_lowercase().chars().filter(|letter| letter.is_alphabetic()).collect();
    let vowel = |letter: &char| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let groups =
        letters.iter().enumerate().filter(|(position, letter)| vowel(letter) && (*position == 0 || !vowel(&letters[position - 1]))).count();
    let ends_in_le = matches!(letters.as_slice(), [.., before, 'l', 'e'] if !vowel(before));
    let silent = matches!(letters.as_slice(), [.., before, 'e'] if !vowel(before)) && !ends_in_le && groups > 1;
    (groups - usize::from(silent)).max(1)
}
