//! The end of a stream of unknown length, in bounded memory.
//! It counts everything and keeps what came last; what came first is only in the log.

use std::collections::VecDeque;

#[derive(Debug)]
pub(crate) struct Tail {
    kept: VecDeque<u8>,
    limit: usize,
    /// Bytes seen in all.
    pub total: u64,
}

impl Tail {
    pub fn new(limit: usize) -> Self {
        Self { kept: VecDeque::new(), limit, total: 0 }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let bytes = &bytes[bytes.len().saturating_sub(self.limit)..];
        let excess = (self.kept.len() + bytes.len()).saturating_sub(self.limit);
        self.kept.drain(..excess);
        self.kept.extend(bytes);
    }

    /// How many bytes are gone.
    pub fn lost(&self) -> u64 {
        self.total - self.kept.len() as u64
    }

    /// What is kept, readable whatever it was, and saying so if it is not all.
    pub fn text(&self) -> String {
        self.last(self.limit)
    }

    /// No more than so many bytes of it, from its end.
    pub fn last(&self, most: usize) -> String {
        let bytes: Vec<u8> = self.kept.iter().skip(self.kept.len().saturating_sub(most)).copied().collect();
        let lost = self.total - bytes.len() as u64;
        if lost == 0 {
            return String::from_utf8_lossy(&bytes).into_owned();
        }
        // The cut may be inside a character: its continuation bytes would only be noise.
        let begin = bytes.iter().position(|byte| byte & 0b1100_0000 != 0b1000_0000).unwrap_or(0);
        format!("[… {} bytes before this are not shown]\n{}", lost, String::from_utf8_lossy(&bytes[begin..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(limit: usize, pushes: &[&[u8]], expected: &str) {
        let mut tail = Tail::new(limit);
        for bytes in pushes {
            tail.push(bytes);
        }
        assert_eq!(tail.text(), expected);
    }

    #[test]
    fn what_fits_is_kept_whole() {
        check(8, &[b"ab", b"cdef", b"gh"], "abcdefgh");
    }

    #[test]
    fn of_what_does_not_fit_the_end_is_kept() {
        check(4, &[b"abc", b"def"], "[… 2 bytes before this are not shown]\ncdef");
        check(4, &[b"abcdefghij"], "[… 6 bytes before this are not shown]\nghij");
    }

    #[test]
    fn less_than_is_kept_can_be_had() {
        let mut tail = Tail::new(4);
        tail.push(b"abcdef");
        assert_eq!(tail.last(2), "[… 4 bytes before this are not shown]\nef");
        assert_eq!(tail.last(9), tail.text());
    }

    #[test]
    fn a_character_cut_in_half_is_left_out() {
        check(4, &["aé€".as_bytes()], "[… 2 bytes before this are not shown]\n€");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        check(8, &[b"a\xff\xfeb"], "a\u{fffd}\u{fffd}b");
    }
}
