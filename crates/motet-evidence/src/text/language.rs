//! Whether words are English, as far as the small words tell that carry grammar.
//! No other language is told from another: what is not known to be English is only compared by its spelling.

use super::words::is_stop;
use super::{Kind, fold, tokens};

/// Of so many words of an English text, at least one is mere grammar.
const FEWEST: usize = 8;
/// What carries grammar in English and stands in texts of other languages too.
const SHARED: [&str; 14] = ["was", "in", "an", "am", "so", "a", "on", "me", "as", "no", "i", "per", "are", "his"];

/// Whether a text is English, by how many of its words carry English grammar.
pub fn is_english(text: &str) -> bool {
    let tokens = tokens(text);
    let all: Vec<String> = tokens.iter().filter(|token| token.kind == Kind::Word).map(|token| fold(token.of(text))).collect();
    all.iter().filter(|word| is_stop(word)).count() * FEWEST > all.len()
}

/// Whether a word, in small letters, carries grammar in English only: one of them is enough where there are only a few words.
pub fn is_english_grammar(word: &str) -> bool {
    is_stop(word) && !SHARED.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_english_by_its_small_words() {
        assert!(is_english("The bridge was opened by the king in 1974."));
        assert!(!is_english("Die Brücke wurde 1974 vom König eröffnet, und seitdem fahren dort Züge."));
        assert!(!is_english(""));
        assert!(is_english_grammar("the") && !is_english_grammar("was") && !is_english_grammar("bridge"));
    }
}
