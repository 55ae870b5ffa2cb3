//! The comments of a source file as prose: what its authors tell each other stands there, and not in the code.
//! It knows the marks of comments, but no language: what looks like a comment inside a string is read as one.

use crate::text::sentences;

/// Marks that make a line a comment, the longer ones first.
const LINE_MARKS: [&str; 8] = ["///", "//!", "//", "##", "#", "--", ";;", "%%"];
/// A line that begins so is no comment, though it looks like one: attributes, the first line of a script, directives.
const NO_COMMENT: [&str; 7] = ["#[", "#!", "#include", "#define", "#if", "#endif", "---"];
/// What a comment or a text of several lines stands between.
const BLOCKS: [(&str, &str); 4] = [("/*", "*/"), ("\"\"\"", "\"\"\""), ("'''", "'''"), ("<!--", "-->")];

/// Every sentence of the comments, with the stretch of the file that it was taken from.
pub fn statements(code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut comment = Comment::default();
    let mut until: Option<&str> = None;
    let mut at = 0;
    for line in code.split_inclusive('\n') {
        let (start, words) = (at, line.trim_end());
        at += line.len();
        let opened = match until {
            Some(_) => None,
            None => BLOCKS.into_iter().find(|(open, _)| words.trim_start().starts_with(open)),
        };
        if let Some((open, close)) = opened {
            comment.end(code, &mut found);
            let after = words.find(open).map_or(0, |place| place + open.len());
            until = comment.take_block(words, after, start, close).then_some(close);
        } else if let Some(close) = until {
            until = comment.take_block(words, 0, start, close).then_some(close);
        } else if let Some(after) = whole_line(words) {
            comment.take(words, after, words.len(), start);
        } else {
            comment.end(code, &mut found);
            // What stands behind code is about that line, and goes on nowhere.
            if let Some(after) = behind_code(words) {
                comment.take(words, after, words.len(), start);
                comment.end(code, &mut found);
            }
        }
    }
    comment.end(code, &mut found);
    found
}

/// Where the words of a comment begin that fills the line.
fn whole_line(line: &str) -> Option<usize> {
    let trimmed = line.trim_start();
    let mark = LINE_MARKS.iter().find(|mark| trimmed.starts_with(**mark))?;
    (!NO_COMMENT.iter().any(|other| trimmed.starts_with(other))).then_some(line.len() - trimmed.len() + mark.len())
}

/// Where the words of a comment begin that stands behind the code of its line.
fn behind_code(line: &str) -> Option<usize> {
    let is_directive = NO_COMMENT.iter().any(|other| line.trim_start().starts_with(other));
    [" // ", "  # "].iter().find_map(|mark| line.find(mark).map(|place| place + mark.len())).filter(|_| !is_directive)
}

/// The words of lines that follow each other, joined, and where each piece of them stands in the file.
#[derive(Default)]
struct Comment {
    words: String,
    /// Where a piece begins in the words, and where in the file.
    pieces: Vec<(usize, usize)>,
}

impl Comment {
    /// Takes a line of a block; whether the block goes on after it.
    fn take_block(&mut self, line: &str, from: usize, start: usize, close: &str) -> bool {
        let end = line[from..].find(close).map(|place| from + place);
        // The star that begins each line of a long comment is no word of it.
        let rest = &line[from..];
        let star = rest.trim_start().strip_prefix('*').filter(|words| !words.starts_with(['*', '/']));
        let from = star.map_or(from, |words| line.len() - words.len());
        self.take(line, from, end.unwrap_or(line.len()).max(from), start);
        end.is_none()
    }

    fn take(&mut self, line: &str, from: usize, to: usize, start: usize) {
        let piece = &line[from..to];
        let words = piece.trim();
        if words.is_empty() {
            self.words.push_str("\n\n");
            return;
        }
        if !self.words.is_empty() && !self.words.ends_with('\n') {
            self.words.push(' ');
        }
        self.pieces.push((self.words.len(), start + from + (piece.len() - piece.trim_start().len())));
        self.words.push_str(words);
    }

    fn end(&mut self, code: &str, found: &mut Vec<(String, String)>) {
        for span in sentences(&self.words) {
            let said = span.of(&self.words).split_whitespace().collect::<Vec<_>>().join(" ");
            // The last sentence of a comment often has no point.
            let statement = if said.ends_with(|last: char| last.is_alphanumeric()) { said + "." } else { said };
            let exact = code.get(self.place(span.start, 0)..self.place(span.end, 1));
            found.extend(exact.map(|exact| (statement, exact.to_string())));
        }
        *self = Self::default();
    }

    /// Where a place of the words stands in the file. An end belongs to the piece that reaches `back` before it.
    fn place(&self, at: usize, back: usize) -> usize {
        let piece = self.pieces.iter().rev().find(|(begins, _)| *begins + back <= at);
        piece.map_or(0, |(begins, start)| start + at - begins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &str, expected: &[&str]) {
        let found = statements(code);
        assert_eq!(found.iter().map(|(statement, _)| statement.as_str()).collect::<Vec<_>>(), expected);
        assert!(found.iter().all(|(_, exact)| code.contains(exact)), "{found:?}");
    }

    #[test]
    fn comments_of_all_kinds_are_prose() {
        check(
            "/// The limit is five\n/// attempts. Then it ends.\nfn limit() -> u32 { 5 }\n",
            &["The limit is five attempts.", "Then it ends."],
        );
        check("# The retry limit is five attempts\nLIMIT = 5\n", &["The retry limit is five attempts."]);
        check("def f():\n    \"\"\"Tries it twice.\n\n    Waits in between.\n    \"\"\"\n", &["Tries it twice.", "Waits in between."]);
        check(
            "/*\n * Keeps the door shut.\n * Always.\n */\nint x; // Nobody opens it.\n",
            &["Keeps the door shut.", "Always.", "Nobody opens it."],
        );
        check("-- The table of runs.\nCREATE TABLE runs;\n<!-- A note. -->\n", &["The table of runs.", "A note."]);
    }

    #[test]
    fn a_comment_behind_code_stands_alone() {
        check(
            "# The timeout of the client is 30 seconds\nTIMEOUT = 30  # in seconds\n# and no more\n",
            &["The timeout of the client is 30 seconds.", "in seconds.", "and no more."],
        );
        check("let a = 1; // The first\nlet b = 2; // The second\n", &["The first.", "The second."]);
    }

    #[test]
    fn code_is_no_comment() {
        check("#!/bin/sh\n#[derive(Debug)]\n#include <x.h>\nlet a = b;\n", &[]);
        check("", &[]);
        check("\"\"\"", &[]);
    }

    #[test]
    fn the_stretch_of_the_file_has_its_marks() {
        let found = statements("    // It waits\n    // for ever.\n");
        assert_eq!(found, [("It waits for ever.".to_string(), "It waits\n    // for ever.".to_string())]);
    }
}
