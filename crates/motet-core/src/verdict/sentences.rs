//! A text as sentences and words, the way a person reads Markdown: marks, quotes and emoji are not words.
//! It knows no grammar and no language; it only has to keep a phrase apart from the sentence it stands in.

use std::ops::Range;

const ENDS: [char; 4] = ['.', '!', '?', '…'];
const CLOSING: [char; 10] = ['"', '\'', '”', '’', '»', ')', ']', '*', '_', '`'];

/// Where the sentences of a text are. A line is a sentence of its own unless it goes on from the one before.
pub(super) fn split(text: &str, binds: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut sentences: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.trim().is_empty() {
            open = false;
            continue;
        }
        for (position, part) in parts(line).into_iter().enumerate() {
            let range = start + part.start..start + part.end;
            let last = sentences.last_mut().filter(|_| open && position == 0);
            match last {
                Some(last) if goes_on(&text[range.clone()]) || binds(&text[last.clone()]) => last.end = range.end,
                _ => sentences.push(range),
            }
        }
        open = sentences.last().is_some_and(|last| !text[last.clone()].trim_end().trim_end_matches(CLOSING).ends_with(ENDS));
    }
    sentences
}

/// A line that begins with a small letter continues the line before it.
fn goes_on(line: &str) -> bool {
    line.trim_start().chars().next().is_some_and(char::is_lowercase)
}

/// The sentences of one line: each ends with its mark, closing quotes included, before a blank.
fn parts(line: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut marks = line.char_indices().peekable();
    while let Some((position, mark)) = marks.next() {
        if !ENDS.contains(&mark) {
            continue;
        }
        let mut end = position + mark.len_utf8();
        let mut quoted = false;
        while let Some((position, next)) = marks.next_if(|(_, next)| ENDS.contains(next) || CLOSING.contains(next)) {
            quoted |= CLOSING.contains(&next);
            end = position + next.len_utf8();
        }
        let rest = &line[end..];
        // `say "SHIP IT!" when it is ready` is one sentence.
        let continues = quoted && goes_on(rest);
        let is_word_inside = !(rest.is_empty() || rest.starts_with(char::is_whitespace) || !rest.starts_with(char::is_alphanumeric));
        if !continues && !is_word_inside {
            parts.push(start..end);
            start = end;
        }
    }
    if !line[start..].trim().is_empty() {
        parts.push(start..line.len());
    }
    parts
}

/// The words of a sentence in small letters. A hyphen or an underscore parts words, an apostrophe does not.
pub(super) fn words(sentence: &str) -> Vec<String> {
    let plain: String = sentence.chars().map(|c| if c == '’' { '\'' } else { c }).flat_map(char::to_lowercase).collect();
    let pieces = plain.split(|c: char| !c.is_alphanumeric() && c != '\'');
    pieces.map(|piece| piece.trim_matches('\'')).filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}
