//! How long a context a conversation needs, and whether the server read all of it.
//! Token counts of others are unknown until they answer, so this works with what letters allow.

use motet_core::event::FailureKind;
use motet_core::tokens;

use super::conversation::Message;
use super::trouble::Trouble;

/// Contexts come in few sizes, because a server loads the model anew for each.
const SMALLEST: u64 = 4096;
const LONGEST_WITHOUT_KNOWING: u64 = 131_072;
/// Below this a count proves nothing: no server has so short a context.
const WORTH_COMPARING: u64 = 1024;
/// No server cuts to less by itself.
const SHORTEST_CUT: u64 = 2048;

/// A tokenizer with a large vocabulary makes so many tenths of prose of what is likely.
const FEWEST_OF_TEN: u64 = 7;

/// Our own count of a conversation's tokens: between these two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub least: u64,
    pub most: u64,
    likely: u64,
    /// What a tokenizer with the largest vocabulary makes of prose and code.
    fewest: u64,
}

impl Count {
    /// A token is hardly ever more than eight bytes; how much less it is depends on the script.
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        let mut count = Self { least: 0, most: 0, likely: 0, fewest: 0 };
        let (mut bytes, mut hundredths) = (0, 0);
        for message in messages {
            let calls = message.tool_calls.iter().map(|call| format!("{}{}", call.name, call.arguments));
            for text in std::iter::once(message.content.clone()).chain(calls) {
                bytes += text.len() as u64;
                count.likely += tokens::likely(&text);
                hundredths += hundredths_at_least(&text);
            }
        }
        count.least = bytes / 8;
        count.fewest = hundredths / 100;
        count.most = count.likely * 8 / 5 + 256;
        count
    }

    /// What it probably is, rather more than less.
    pub fn likely(self) -> u64 {
        self.likely
    }

    /// Whether a server that read so many tokens has read them all, as far as that can be told.
    pub fn read(self, read: u64, context: Option<u64>) -> Reading {
        if self.likely < WORTH_COMPARING || read >= self.likely {
            return Reading::Whole;
        }
        // That is where servers cut. A prompt can have as many tokens by chance, so more of it must be missing than a frugal tokenizer saves.
        let is_round = read >= SHORTEST_CUT && read.is_power_of_two();
        if Some(read) == context || (is_round && read * 10 < self.likely * FEWEST_OF_TEN) {
            return Reading::Cut;
        }
        match read {
            _ if self.least >= WORTH_COMPARING && read < self.least.min(self.fewest) => Reading::TooLittle,
            _ if read < self.fewest => Reading::Little,
            _ => Reading::Whole,
        }
    }
}

/// What a server made of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    Whole,
    /// It was cut to the length of a context.
    Cut,
    /// Fewer tokens than it can have. A server that counts only what it had not read before says so, too.
    TooLittle,
    /// Fewer than any prose or code that people write has.
    Little,
}

/// Hundredths of a token that a text has at least: no model reads as much as seven letters of prose at a time. Of other scripts so much is not
/// known, and of a run of the same letter or sign, such as what code is indented with, any length may be one token.
fn hundredths_at_least(text: &str) -> u64 {
    let mut before = None;
    let of = |letter: char| if letter.is_ascii() { 15 } else { letter.len_utf8() as u64 * 100 / 8 };
    text.chars().map(|letter| if before.replace(letter) == Some(letter) { 0 } else { of(letter) }).sum()
}

/// Whether a version of Ollama counts all of a prompt. Those before 0.2 and those of 0.30 leave out what they had read before.
pub(super) fn counts_all(version: &str) -> bool {
    let mut numbers = version.split('.').map_while(|number| number.parse::<u64>().ok());
    !matches!((numbers.next(), numbers.next()), (Some(0), Some(0 | 1 | 30)))
}

/// A context that holds the conversation and the answer, in one of few sizes.
pub(super) fn choose(count: Count, max_tokens: u64, longest: Option<u64>, model: &str) -> Result<u64, Trouble> {
    let longest = longest.unwrap_or(LONGEST_WITHOUT_KNOWING);
    if count.least + max_tokens > longest {
        let message = format!(
            "the prompt is too long for {model}: it has at least {} tokens and the answer may have {max_tokens}, but the model reads {longest} in all — shorten it, or use a model with a longer context",
            count.least
        );
        return Err(Trouble::new(FailureKind::Configuration, message));
    }
    Ok((count.most + max_tokens).next_power_of_two().max(SMALLEST).min(longest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Speaker;

    fn check(bytes: usize, max_tokens: u64, longest: Option<u64>, expected: Result<u64, &str>) {
        let count = Count::of(&[Message::new(Speaker::User, "x".repeat(bytes))]);
        match (choose(count, max_tokens, longest, "m"), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(trouble), Err(part)) => assert!(trouble.failure.message.contains(part), "{}", trouble.failure.message),
            (found, _) => panic!("{found:?}"),
        }
    }

    #[test]
    fn a_context_holds_the_conversation_and_the_answer_in_one_of_few_sizes() {
        check(10, 100, None, Ok(4096));
        check(10_000, 500, Some(100_000), Ok(8192));
        check(10_000, 500, Some(5000), Ok(5000));
        check(1_000_000, 500, None, Ok(131_072));
    }

    #[test]
    fn a_context_is_chosen_by_the_letters_of_a_script_and_not_by_its_bytes() {
        let needs = |text: &str| choose(Count::of(&[Message::new(Speaker::User, text.repeat(2000))]), 100, None, "m").ok();
        assert_eq!(needs("tea"), Some(4096));
        // As many bytes, and two or three times as many tokens.
        assert_eq!(needs("茶"), Some(8192));
    }

    #[test]
    fn what_cannot_fit_is_refused_before_it_is_sent() {
        check(25_000, 100, Some(2048), Err("at least 3125 tokens and the answer may have 100, but the model reads 2048 in all"));
        check(10, 4096, Some(2048), Err("reads 2048 in all"));
    }

    #[test]
    fn a_server_that_read_too_little_is_noticed_and_a_small_difference_is_not() {
        let count = |text: &str| Count::of(&[Message::new(Speaker::User, text)]);
        let long = count(&"plain words ".repeat(6000));
        assert_eq!(long.read(5000, None), Reading::TooLittle);
        assert_eq!(long.read(10_000, None), Reading::Little);
        assert_eq!(long.read(10_900, None), Reading::Whole);
        assert_eq!(count(&"plain words ".repeat(300)).read(20, None), Reading::Whole, "it is too short to tell");
    }

    #[test]
    fn scripts_and_indents_that_some_models_read_in_few_tokens_are_not_taken_for_cut() {
        let count = |text: &str| Count::of(&[Message::new(Speaker::User, text.repeat(2000))]);
        // What the models with the largest vocabularies make of them, or less.
        assert_eq!(count("绿茶对身体有好处").read(8000, None), Reading::Whole);
        assert_eq!(count("зелёный чай полезен ").read(9400, None), Reading::Whole);
        assert_eq!(count("                                }\n").read(5000, None), Reading::Whole);
        assert_eq!(count("1234567, 2345678, ").read(8000, None), Reading::Whole);
    }

    #[test]
    fn a_prompt_that_ends_where_a_context_ends_was_cut() {
        let count = Count::of(&[Message::new(Speaker::User, "x".repeat(31_509))]);
        assert_eq!(count.read(4096, Some(8192)), Reading::Cut);
        assert_eq!(count.read(6000, Some(6000)), Reading::Cut);
        assert_eq!(count.read(6000, Some(8192)), Reading::Whole);
        assert_eq!(count.read(8192, Some(8192)), Reading::Whole, "it has as many");
    }

    #[test]
    fn a_prompt_that_happens_to_have_as_many_tokens_as_a_context_was_not_cut() {
        for tokens in [2048, 4096, 8192, 16_384] {
            // Five letters to a token, as prose has.
            let count = Count::of(&[Message::new(Speaker::User, "teas ".repeat(tokens))]);
            let tokens = tokens as u64;
            assert!(count.likely() > tokens);
            assert_eq!(count.read(tokens, None), Reading::Whole);
            assert_eq!(count.read(tokens, Some(tokens * 2)), Reading::Whole);
            assert_eq!(count.read(tokens, Some(tokens)), Reading::Cut, "it fills what it was given");
            assert_eq!(Count::of(&[Message::new(Speaker::User, "teas ".repeat(2 * tokens as usize))]).read(tokens, None), Reading::Cut);
        }
    }

    #[test]
    fn versions_that_count_only_what_is_new_are_known() {
        for (version, all) in [("0.1.48", false), ("0.2.0", true), ("0.12.6", true), ("0.30.1-rc0", false), ("0.31.0", true), ("1.0", true)]
        {
            assert_eq!(counts_all(version), all, "{version}");
        }
        assert!(counts_all("dev"));
    }
}
