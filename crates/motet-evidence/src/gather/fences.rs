//! Where the blocks of code are in a Markdown text, as CommonMark reads fences.
//! Other texts have none: there a line of tildes is the rule below a title, and a line of backticks is what it is.

use crate::extract::Kind;
use crate::text::Span;

const SHORTEST: usize = 3;

/// The blocks of code between fences, and one that is never closed to the end.
pub fn fences(text: &str, kind: Kind) -> Vec<Span> {
    // What was taken from a page is Markdown by now.
    if !matches!(kind, Kind::Markdown | Kind::Html) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut open: Option<(usize, char, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match (open, fence(line.trim())) {
            // A span of code may begin a line; only a fence has no backtick behind it.
            (None, Some((mark, length, behind))) if mark != '`' || !behind.contains('`') => open = Some((at, mark, length)),
            (Some((start, mark, length)), Some((closing, long, ""))) if mark == closing && long >= length => {
                found.push(Span::new(start, end));
                open = None;
            }
            _ => {}
        }
        at = end;
    }
    found.extend(open.map(|(start, ..)| Span::new(start, text.len())));
    found
}

/// Its sign, how many of them, and what stands behind it.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let mark = line.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
    let behind = line.trim_start_matches(mark);
    let length = line.len() - behind.len();
    (length >= SHORTEST).then(|| (mark, length, behind.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, kind: Kind, expected: &[&str]) {
        assert_eq!(fences(text, kind).iter().map(|span| span.of(text)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_fence_is_closed_by_one_that_is_as_long_and_stands_alone() {
        check("a\n```sh\nb\n```\nc\n", Kind::Markdown, &["```sh\nb\n```\n"]);
        check("````\n```\nb\n```\n````\nc\n", Kind::Markdown, &["````\n```\nb\n```\n````\n"]);
        check("```\nb\n``` c\n```\nd\n", Kind::Html, &["```\nb\n``` c\n```\n"]);
        check("~~~\nb\n```\nc", Kind::Markdown, &["~~~\nb\n```\nc"]);
    }

    #[test]
    fn what_only_looks_like_a_fence_swallows_nothing() {
        check("```motet run``` starts it.\n\nThe rest.\n", Kind::Markdown, &[]);
        check("Title\n~~~~~\n\nThe rest.\n", Kind::Text, &[]);
    }
}
