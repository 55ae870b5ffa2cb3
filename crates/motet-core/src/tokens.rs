//! How many tokens a text has, as far as its letters tell: what is reserved, cut and booked where nobody counted.
//! It knows no tokenizer: the same text is a different number of tokens to every model.

/// All that the tools of one call may add to it: their descriptions, and what they answer in all its turns.
pub const OF_TOOLS: u64 = 32_768;

/// An upper estimate for prose and code: a token for two letters of words, which common tokenizers need for the strangest words only, and
/// one for each digit, sign and byte of other scripts. Text made to defeat a tokenizer, such as random letters, may take more.
pub fn at_most(text: &str) -> u64 {
    let halves = text.bytes().map(|byte| if byte.is_ascii_alphabetic() || byte.is_ascii_whitespace() { 1 } else { 2 });
    halves.sum::<u64>().div_ceil(2)
}

/// What common tokenizers make of it, rather more than less.
pub fn likely(text: &str) -> u64 {
    text.chars().map(quarters).sum::<u64>().div_ceil(4)
}

/// Quarters of a token for one letter of its script.
fn quarters(letter: char) -> u64 {
    match letter {
        'a'..='z' | 'A'..='Z' | ' ' | '\t' | '\n' | '\r' => 1,
        // Several tokenizers take every digit alone.
        '0'..='9' => 3,
        '\0'..='\x7f' => 2,
        // Alphabets other than the Latin one: words fall apart into syllables, and rare ones into letters.
        '\u{80}'..='\u{8ff}' => 3,
        // The scripts of South and South-East Asia, which few tokenizers have learned.
        '\u{900}'..='\u{1fff}' => 6,
        // Dashes, quotation marks, arrows.
        '\u{2000}'..='\u{2e7f}' => 4,
        // Chinese, Japanese, Korean: a token for a letter, and more for those that are not common.
        '\u{2e80}'..='\u{ffff}' => 6,
        // Pictures and rare letters come byte by byte.
        _ => 12,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected_likely: u64, expected_at_most: u64) {
        assert_eq!((likely(text), at_most(text)), (expected_likely, expected_at_most), "{text}");
    }

    #[test]
    fn words_count_by_pairs_of_letters_and_digits_and_signs_one_by_one() {
        check("", 0, 0);
        check("a", 1, 1);
        check("Write a slogan", 4, 7);
        // Some tokenizers take every digit and every sign alone.
        check("1234", 3, 4);
        check("{\"a\":[1,2]}", 6, 11);
    }

    #[test]
    fn every_script_is_counted_by_its_letters_and_not_by_its_bytes() {
        // Real counts by widely used tokenizers lie between 4 and 9.
        check("日本語のお茶", 9, 18);
        check("зелёный чай", 8, 21);
        check("한국 녹차", 7, 13);
        check("हरी चाय", 10, 19);
        check("🍵🍵", 6, 8);
    }

    #[test]
    fn the_upper_estimate_is_the_higher_of_the_two() {
        for text in ["tea", "1,000,000", "für alle", "日本", "หนึ่ง", "🍵", "\u{2014}\u{201c}x\u{201d}"] {
            assert!(at_most(text) >= likely(text), "{text}");
        }
    }
}
