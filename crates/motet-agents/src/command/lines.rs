//! Cuts a stream of bytes into lines, readable whatever they were and never longer than a limit.
//! What a line means is for whoever hears it.

/// A line longer than this is cut where people read it.
pub(crate) const READABLE_BYTES: usize = 4096;
/// A message between programs longer than this is cut, which leaves it meaningless; nobody sends such a one in earnest.
pub(crate) const MESSAGE_BYTES: usize = 16 * 1024 * 1024;

pub(crate) struct Lines {
    held: Vec<u8>,
    limit: usize,
    tells_empty: bool,
}

impl Lines {
    pub fn new(limit: usize) -> Self {
        Self { held: Vec::new(), limit, tells_empty: false }
    }

    /// Empty lines are told of too: in a text they separate its parts.
    pub fn with_empty(self, tells_empty: bool) -> Self {
        Self { tells_empty, ..self }
    }

    /// Tells of every line that ends in these bytes and says something, and of those that do not where they are wanted.
    pub fn push(&mut self, bytes: &[u8], mut tell: impl FnMut(String)) {
        // A flood without an end of line is passed over at the speed of memory.
        if self.held.len() >= self.limit && !bytes.contains(&b'\n') {
            return;
        }
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = self.limit.saturating_sub(self.held.len());
            self.held.extend(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                let line = self.take();
                if self.tells_empty || !line.is_empty() {
                    tell(line);
                }
            }
        }
    }

    /// The stream is over: what is left is a line too.
    pub fn end(&mut self, tell: &mut impl FnMut(String)) {
        let line = self.take();
        if !line.is_empty() {
            tell(line);
        }
    }

    fn take(&mut self) -> String {
        // A flood leaves a large buffer behind that no other line needs.
        let held = std::mem::take(&mut self.held);
        String::from_utf8_lossy(&held).trim_end().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(limit: usize, pushes: &[&[u8]], expected: &[&str]) {
        let mut lines = Lines::new(limit);
        let mut heard = Vec::new();
        for bytes in pushes {
            lines.push(bytes, |line| heard.push(line));
        }
        lines.end(&mut |line| heard.push(line));
        assert_eq!(heard, expected);
    }

    #[test]
    fn lines_are_put_together_from_pieces() {
        check(100, &[b"a", b"b\r\nc", b"\n\nd"], &["ab", "c", "d"]);
    }

    #[test]
    fn empty_lines_are_told_of_where_they_are_wanted() {
        let (mut lines, mut heard) = (Lines::new(100).with_empty(true), Vec::new());
        lines.push(b"a\n\n  \nb\n", |line| heard.push(line));
        lines.end(&mut |line| heard.push(line));
        assert_eq!(heard, ["a", "", "", "b"]);
    }

    #[test]
    fn a_long_line_is_cut_and_the_next_one_is_whole() {
        check(3, &[b"abcdef", b"ghi\nxyz\n"], &["abc", "xyz"]);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        check(100, &[b"a\xffb\n"], &["a\u{fffd}b"]);
    }
}
