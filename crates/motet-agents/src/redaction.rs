//! Takes secrets out of what a program says before anybody keeps it, shows it or quotes it.
//! It knows only the secrets that the program was given by us; what it finds elsewhere is its own affair.

use std::sync::Arc;

use crate::secret::Secret;

/// What stands in place of a secret.
const HIDDEN: &str = "[secret]";
/// What is shorter is no secret, and would be found everywhere.
const SHORTEST: usize = 8;

#[derive(Clone, Default)]
pub(crate) struct Redaction(Arc<Vec<String>>);

impl Redaction {
    /// A value such as `Bearer abc` is made of words, each of which may be the secret.
    pub fn of<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let words = secrets.into_iter().flat_map(|secret| secret.reveal().split_whitespace());
        let mut words: Vec<String> = words.filter(|word| word.len() >= SHORTEST).map(String::from).collect();
        // One may begin like another: the longer one goes first.
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        Self(Arc::new(words))
    }

    pub fn text(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, secret| text.replace(secret, HIDDEN))
    }

    /// For bytes that come in pieces, which may cut a secret in two.
    pub fn stream(&self) -> Redacting {
        Redacting { redaction: self.clone(), held: Vec::new() }
    }
}

pub(crate) struct Redacting {
    redaction: Redaction,
    /// The end of what came, which may be the beginning of a secret.
    held: Vec<u8>,
}

impl Redacting {
    /// What can be passed on now.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let longest = self.redaction.0.first().map_or(0, String::len);
        if longest == 0 {
            return bytes.to_vec();
        }
        self.held.extend(bytes);
        // Before this place every secret that begins there is whole.
        self.pass(self.held.len().saturating_sub(longest - 1))
    }

    /// What is left at the end.
    pub fn end(&mut self) -> Vec<u8> {
        self.pass(self.held.len())
    }

    fn pass(&mut self, until: usize) -> Vec<u8> {
        let mut clean = Vec::with_capacity(until);
        let mut at = 0;
        while at < until {
            let rest = &self.held[at..];
            match self.redaction.0.iter().find(|secret| rest.starts_with(secret.as_bytes())) {
                Some(secret) => {
                    clean.extend(HIDDEN.as_bytes());
                    at += secret.len();
                }
                None => {
                    clean.push(rest[0]);
                    at += 1;
                }
            }
        }
        self.held.drain(..at);
        clean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However the bytes are cut, what comes out is the same.
    fn check(secrets: &[&str], text: &str, expected: &str) {
        let secrets: Vec<Secret> = secrets.iter().map(|secret| Secret::new(*secret)).collect();
        let redaction = Redaction::of(&secrets);
        assert_eq!(redaction.text(text), expected);
        for size in 1..=text.len() {
            let mut stream = redaction.stream();
            let mut out: Vec<u8> = text.as_bytes().chunks(size).flat_map(|chunk| stream.push(chunk)).collect();
            out.extend(stream.end());
            assert_eq!(String::from_utf8_lossy(&out), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn secrets_are_hidden_wherever_the_bytes_are_cut() {
        check(&["sk-12345678"], "a sk-12345678 b sk-1234567 sk-12345678", "a [secret] b sk-1234567 [secret]");
        check(&["Bearer abcdefgh1"], "no: abcdefgh1!", "no: [secret]!");
        check(&["abcdefgh", "abcdefghij"], "abcdefghij abcdefgh", "[secret] [secret]");
    }

    #[test]
    fn what_is_too_short_to_be_a_secret_stays() {
        check(&["true", ""], "it is true", "it is true");
    }
}
