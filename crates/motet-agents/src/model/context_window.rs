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

/// Our own count of a conversation's tokens: between these two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub least: u64,
    pub most: u64,
    likely: u64,
}

impl Count {
    /// A token is hardly ever more than eight bytes; how much less it is depends on the script.
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        let mut count = Self { least: 0, most: 0, likely: 0 };
        let mut bytes = 0;
        for message in messages {
            let calls = message.tool_calls.iter().map(|call| format!("{}{}", call.name, call.arguments));
            for text in std::iter::once(message.content.clone()).chain(calls) {
                bytes += text.len() as u64;
                count.likely += tokens::likely(&text);
            }
        }
        count.least = bytes / 8;
        count.most = count.likely * 8 / 5 + 256;
        count
    }

    /// What it probably is, rather more than less.
    pub fn likely(self) -> u64 {
        self.likely
    }

    /// Whether a server that read so many tokens cannot have read them all.
    pub fn exceeds(self, read: u64) -> bool {
        self.least >= WORTH_COMPARING && read < self.least
    }
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
        let count = |bytes: usize| Count::of(&[Message::new(Speaker::User, "x".repeat(bytes))]);
        assert!(count(80_000).exceeds(4096));
        assert!(!count(80_000).exceeds(10_000));
        assert!(!count(4000).exceeds(20));
    }
}
