//! Takes out of a line what is not said when it is read aloud: the targets of its links, its pictures, the marks of its footnotes.
//! Lines may be as long as a page, so each of these walks through one once. What else a line is without is decided in `plain`.

use crate::text::words::is_stop;

/// The longest mark of a footnote, in bytes between its brackets.
const LONGEST_MARK: usize = 24;
/// Longer words between brackets with other brackets in them are no words of a link.
const LONGEST_LINK: usize = 2_000;
/// No word that carries no meaning is longer.
const LONGEST_STOP: usize = 32;

/// Every link as its words; a picture as nothing.
pub fn without_links(sentence: &str) -> String {
    let mut said = String::with_capacity(sentence.len());
    let (mut words_end, mut target_end) = (Ahead::of(sentence, "]("), Ahead::of(sentence, ")"));
    let mut from = 0;
    while let Some(open) = sentence[from..].find('[').map(|found| from + found) {
        // Where none is closed any more, nothing behind it is a link either.
        let Some(end) = words_end.at_or_behind(open + 1) else { break };
        let Some(close) = target_end.at_or_behind(end + 2) else { break };
        let words = &sentence[open + 1..end];
        match are_words_of_a_link(words) {
            true => {
                let before = &sentence[from..open];
                said.push_str(before.trim_end_matches('!'));
                said.push_str(if before.ends_with('!') { "" } else { words });
                from = close + 1;
            }
            false => {
                said.push_str(&sentence[from..=open]);
                from = open + 1;
            }
        }
    }
    said + &sentence[from..]
}

/// Marks of footnotes say where something was read, and nothing else. `as [3] shows` needs its mark, and so does `xs[0]`.
pub fn without_notes(sentence: &str) -> String {
    let mut said = String::with_capacity(sentence.len());
    let mut rest = sentence;
    let mut in_code = false;
    while let Some(open) = rest.find('[') {
        let is_odd = |part: &str| part.matches('`').count() % 2 == 1;
        in_code ^= is_odd(&rest[..open]);
        said.push_str(&rest[..open]);
        let (marks, behind) = rest[open..].split_at(marks(&rest[open..]).max(1));
        // A link's words are no mark.
        let is_note = marks.len() > 1 && !behind.starts_with(['(', ':', '[']);
        if is_note && !in_code && stands_apart(&said) {
            let goes_on = behind.starts_with(|next: char| next.is_alphanumeric());
            let kept = if goes_on { said.len() } else { said.trim_end().len() };
            said.truncate(kept);
        } else {
            in_code ^= is_odd(marks);
            said.push_str(marks);
        }
        rest = behind;
    }
    said + rest
}

/// A quotation is looked up where it stands, and what stands behind its end is no part of it.
pub fn without_last_notes(sentence: &str) -> &str {
    let mut rest = sentence;
    while let Some(open) = rest.rfind('[').filter(|open| mark(&rest[*open..]) == Some(rest.len() - open) && stands_apart(&rest[..*open])) {
        rest = rest[..open].trim_end();
    }
    rest
}

/// The next place of a pattern, which is looked for again only when it was passed.
struct Ahead<'a> {
    text: &'a str,
    pattern: &'static str,
    next: Option<usize>,
}

impl<'a> Ahead<'a> {
    fn of(text: &'a str, pattern: &'static str) -> Self {
        Self { text, pattern, next: text.find(pattern) }
    }

    fn at_or_behind(&mut self, place: usize) -> Option<usize> {
        if self.next.is_some_and(|next| next < place) {
            self.next = self.text[place..].find(self.pattern).map(|found| place + found);
        }
        self.next
    }
}

fn are_words_of_a_link(words: &str) -> bool {
    !words.contains(['[', ']', '`']) || words.len() <= LONGEST_LINK && words.matches('`').count() == 2
}

/// Whether a mark may be left out after these words: behind a point or a comma, or behind a word that can end a statement.
fn stands_apart(before: &str) -> bool {
    if before.ends_with(['.', ',', ';', ':', '!', '?', ')', '"', '”', '’']) {
        return true;
    }
    let words = before.trim_end();
    let letters = words.char_indices().rev().take_while(|(_, letter)| !letter.is_whitespace()).take(LONGEST_STOP + 1);
    let last = &words[letters.last().map_or(words.len(), |(start, _)| start)..];
    words.len() < before.len() && !last.is_empty() && !is_stop(&last.to_lowercase())
}

/// How long all the marks are that stand here one behind the other.
fn marks(text: &str) -> usize {
    let mut length = 0;
    while let Some(next) = mark(&text[length..]) {
        length += next;
    }
    length
}

/// How long the mark is: `[12]`, `[3, 4]`, `[a]`, `[^note]`, `[citation needed]`.
fn mark(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('[')?;
    let length = inside.bytes().take(LONGEST_MARK + 1).position(|byte| byte == b']').filter(|length| *length > 0)?;
    let body = &inside[..length];
    let numbers = body.starts_with(|first: char| first.is_ascii_digit())
        && body.chars().all(|character| character.is_ascii_digit() || " ,;-–".contains(character));
    let letter = body.len() == 1 && body.starts_with(|first: char| first.is_ascii_lowercase() && first != 'x');
    let is_note = numbers || letter || body.starts_with('^') || body == "citation needed" || body.starts_with("note ");
    is_note.then_some(length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: usize = 200_000;

    #[track_caller]
    fn check(sentence: &str, expected: &str) {
        let said = without_notes(&without_links(sentence));
        // What is as long as a page is not printed.
        assert!(said == expected, "{} bytes: {}", said.len(), said.chars().take(200).collect::<String>());
    }

    #[test]
    fn marks_in_a_row_are_left_out_or_kept_together() {
        check("It was opened in 1974 [3][4].", "It was opened in 1974.");
        check("In 1974,[3][4][^a] it was opened.", "In 1974, it was opened.");
        check("The value xs[0][1] is first.", "The value xs[0][1] is first.");
        check("It was so. [1][2]: a.", "It was so. [1][2]: a.");
        check("It is [`a[0]`](a.md), ![a picture](b.png) that `is [1]` so.", "It is `a[0]`,  that `is [1]` so.");
    }

    #[test]
    fn a_page_of_marks_is_walked_through_once() {
        let marks = "[1]".repeat(MANY);
        check(&format!("It was so.{marks}"), "It was so.");
        for kept in [
            format!("xs{marks}"),
            format!("It was so.{marks}: a"),
            "xs[1]".repeat(MANY),
            "[".repeat(MANY),
            "[a](".repeat(MANY),
            "[`a](".repeat(MANY) + ")",
        ] {
            check(&kept, &kept);
        }
        check(&("[".repeat(MANY) + "](a.md)"), &"[".repeat(MANY - 1));
        let last = format!("The bridge opened{}", " [1]".repeat(MANY));
        check(&last, "The bridge opened");
        assert_eq!(without_last_notes(&last), "The bridge opened");
    }
}
