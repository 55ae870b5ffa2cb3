//! How a line of a document reads when it is said: in one line, without the mark of its item, the targets of its links and its footnotes.
//! What changes the meaning stays: a sign before a number, a label that says that it is not so. What is worth quoting is decided elsewhere.

use super::marks::{without_last_notes, without_links, without_notes};
use crate::text::Span;

/// A bold beginning of so many words is the label of what follows; a longer one is a sentence.
const LONGEST_LABEL: usize = 5;
const BOLD: [&str; 2] = ["**", "__"];
/// Labels with one of these words say of a whole paragraph that it is not so, or not yet.
const DENYING: [&str; 27] = [
    "not",
    "no",
    "non",
    "never",
    "cannot",
    "myth",
    "myths",
    "misconception",
    "fiction",
    "rumour",
    "rumor",
    "false",
    "wrong",
    "untrue",
    "incorrect",
    "draft",
    "planned",
    "proposed",
    "proposal",
    "todo",
    "deprecated",
    "obsolete",
    "outdated",
    "removed",
    "retracted",
    "unsupported",
    "former",
];

/// A sentence of a Markdown text as it would be said.
pub fn said_plainly(sentence: &str) -> String {
    said(&as_it_stands(sentence))
}

/// Lines are broken for the eye, and a sentence of a list begins after its mark.
pub fn as_it_stands(sentence: &str) -> String {
    let line = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    unticked(unmarked(&line)).to_string()
}

/// The words of an item behind its mark: what looks like another mark there is a sign of its first number.
pub fn item_as_it_stands(words: &str) -> String {
    unticked(&words.split_whitespace().collect::<Vec<_>>().join(" ")).to_string()
}

fn unticked(line: &str) -> &str {
    without_last_notes(["[x] ", "[X] "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim_start())
}

/// The same with its label in plain words, without footnotes and what it links to.
pub fn said(exact: &str) -> String {
    let line = without_notes(&without_links(exact));
    let Some((label, rest)) = bold_beginning(&line) else { return line };
    let closed = label.ends_with([':', '.', '!']);
    match rest.trim_start().strip_prefix(':') {
        _ if rest.trim().is_empty() => label.to_string(),
        Some(rest) => format!("{label}: {}", rest.trim_start()),
        None if closed => format!("{}: {}", label.trim_end_matches([':', '.', '!']), rest.trim_start()),
        None => line,
    }
}

/// Whether it is nothing but a label in bold: what it labels is the next sentence.
pub fn is_label(sentence: &str) -> bool {
    let line = as_it_stands(sentence);
    let words = |label: &str| label.split_whitespace().count();
    bold_beginning(&line).is_some_and(|(label, rest)| rest.trim().is_empty() && words(label) < LONGEST_LABEL && label.ends_with(['.', '!']))
}

/// Whether what stands here belongs to a task that nobody has ticked off, or goes on after a label that says that it is not so.
pub fn is_denied(text: &str, span: Span) -> bool {
    let start = block_start(text, span.start);
    let block = text[start..span.end].trim_start();
    let opening = unmarked(block);
    if opening.starts_with("[ ]") {
        return true;
    }
    let Some((label, _)) = bold_beginning(opening).filter(|(label, _)| label.split_whitespace().count() <= LONGEST_LABEL) else {
        return false;
    };
    text[start..span.start].contains(label) && denies(label)
}

/// Whether what stands under such a label, or behind such a lead, is not so or not yet.
pub fn denies(label: &str) -> bool {
    label.split(|letter: char| !letter.is_alphanumeric()).any(|word| DENYING.contains(&word.to_lowercase().as_str()))
}

/// Without the marks of quotations and the one of an item before it. A mark without a blank behind it is a sign, of a number or of an option,
/// and so is one behind the mark of an item: `- – 9 degrees`, `- 5. May`.
pub fn unmarked(line: &str) -> &str {
    let mut rest = line;
    while let Some(next) = one_mark_less(rest) {
        let is_quotation = rest.starts_with('>');
        rest = next;
        if !is_quotation {
            return behind_number(rest, &[") "]);
        }
    }
    behind_number(rest, &[". ", ") "])
}

fn behind_number<'a>(line: &'a str, closings: &[&str]) -> &'a str {
    let numbered = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let is_short = (1..=3).contains(&(line.len() - numbered.len()));
    let behind = closings.iter().find_map(|closing| numbered.strip_prefix(closing)).filter(|_| is_short);
    behind.map_or(line, str::trim_start)
}

fn one_mark_less(line: &str) -> Option<&str> {
    let mark = line.chars().next()?;
    let rest = &line[mark.len_utf8()..];
    let is_mark = match mark {
        '-' | '+' | '*' | '–' | '·' => rest.starts_with(' '),
        '•' => true,
        // `>40 %` is more than that.
        '>' => rest.starts_with([' ', '>']) || rest.starts_with(char::is_alphabetic),
        _ => false,
    };
    is_mark.then(|| rest.trim_start())
}

fn bold_beginning(line: &str) -> Option<(&str, &str)> {
    let mark = BOLD.into_iter().find(|mark| line.starts_with(mark))?;
    let (label, rest) = line[mark.len()..].split_once(mark)?;
    (!label.trim().is_empty()).then_some((label.trim(), rest))
}

/// Where the item or paragraph begins that a place of the text belongs to.
fn block_start(text: &str, at: usize) -> usize {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |place| place + 1);
    let mut start = line_start(at);
    loop {
        let line = text[start..].lines().next().unwrap_or_default().trim();
        if start == 0 || line.starts_with('#') || unmarked(line).len() < line.len() {
            return start;
        }
        let before = line_start(start - 1);
        if text[before..start].trim().is_empty() {
            return start;
        }
        start = before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(sentence: &str, expected: &str) {
        assert_eq!(said_plainly(sentence), expected);
    }

    #[test]
    fn the_mark_of_an_item_is_taken_off_and_the_sign_of_a_number_stays() {
        check("-40 °C was the lowest temperature.", "-40 °C was the lowest temperature.");
        check("- -40 °C was the lowest temperature.", "-40 °C was the lowest temperature.");
        check("+5 points were given.", "+5 points were given.");
        check(">40 % of them left.", ">40 % of them left.");
        check("> > It was\n> quoted.", "It was > quoted.");
        check("•The harbour is open.", "The harbour is open.");
        check("* 12) Grind the beans.", "Grind the beans.");
        check("1974. That was the year.", "1974. That was the year.");
        check("- [x] It was done.", "It was done.");
        check("--dry-run prints it.", "--dry-run prints it.");
    }

    #[test]
    fn a_label_stays_with_what_it_labels() {
        check("**Not supported:** The queue runs on Windows.", "Not supported: The queue runs on Windows.");
        check("- **Myth.** The moon is near.", "Myth: The moon is near.");
        check("**Default port**: 9443", "Default port: 9443");
        check("__Draft, not approved:__ It costs 5 euros.", "Draft, not approved: It costs 5 euros.");
        check("**The harbour is open.**", "The harbour is open.");
        check("**Bold** words begin it.", "**Bold** words begin it.");
    }

    #[test]
    fn footnotes_are_not_said() {
        check("It was opened in 1974.[7]", "It was opened in 1974.");
        check("It was opened in 1974 [7].", "It was opened in 1974.");
        check("In 1974,[3][4] it was opened. [^a]", "In 1974, it was opened.");
        check("As [3] shows, it is so.", "As [3] shows, it is so.");
        check("The value xs[0] is first.", "The value xs[0] is first.");
        check("It is under `a [1]` there.", "It is under `a [1]` there.");
        check("It is in [the guide](a.md) [2] since 2019.", "It is in the guide since 2019.");
    }

    #[test]
    fn what_goes_on_after_a_denying_label_or_an_open_box_is_denied() {
        let denied = |text: &str, sentence: &str| {
            let start = text.find(sentence).expect("it is there");
            is_denied(text, Span::new(start, start + sentence.len()))
        };
        assert!(denied("- [ ] The vault encrypts\n  it. It uses keys.", "It uses keys."));
        assert!(denied("**Not supported:** It runs on A.\nIt runs on B.", "It runs on B."));
        assert!(!denied("**Not supported:** It runs on A.\n\nIt runs on B.", "It runs on B."));
        assert!(!denied("**Supported:** It runs on A. It runs on B.", "It runs on B."));
        assert!(!denied("- [ ] It is open.\n- It is done.", "It is done."));
    }
}
