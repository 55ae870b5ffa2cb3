//! Where sentences begin and end in prose, Markdown and text taken from web pages.
//! It decides by punctuation, abbreviations and lines only; no grammar, no model.

use super::Span;

/// After these a point does not end a sentence, whatever follows.
const NEVER_LAST: &str = " mr mrs ms dr prof rev hon gen col lt capt sgt st mt fr sr jr vs cf eg ie viz al fig figs eq no nos vol pp ed eds \
    mio mrd c ca fl approx est dept gov sen rep pres messrs ave blvd ";

/// After these a point ends a sentence only if a new one visibly begins.
const MAYBE_LAST: &str =
    " etc inc ltd co corp llc plc bros jan feb mar apr jun jul aug sep sept oct nov dec am pm us uk eu un usa phd ba ma bc ad ";

/// Things that are told apart by a letter.
const LABELLED: &str = " team group plan section type vitamin class option grade part room figure appendix platform gate block line model \
    version site zone unit hepatitis schedule exhibit case level phase ";

/// The sentences of a text, without the space around them. Markers such as `[3]` and closing quotes stay with the sentence before them.
pub fn sentences(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let next = at + character.len_utf8();
        let end = match character {
            '\n' if breaks_line(text, start, at) => Some(at),
            '.' | '!' | '?' | '…' | '。' | '！' | '？' => sentence_end(text, start, at, next),
            _ => None,
        };
        at = match end {
            Some(end) => {
                push(text, start, end, &mut found);
                start = end;
                end.max(next)
            }
            None => next,
        };
    }
    push(text, start, text.len(), &mut found);
    found
}

fn push(text: &str, start: usize, end: usize, found: &mut Vec<Span>) {
    let part = &text[start..end];
    let trimmed = part.trim();
    if trimmed.chars().any(char::is_alphanumeric) {
        let begin = start + (part.len() - part.trim_start().len());
        found.push(Span::new(begin, begin + trimmed.len()));
    }
}

/// An empty line always breaks; a single line end only if the next line is visibly something new, because text may be wrapped.
fn breaks_line(text: &str, start: usize, at: usize) -> bool {
    let before = text[start..at].trim_end();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let rest = &text[at + 1..];
    let next = rest.split('\n').next().unwrap_or_default().trim();
    if before.trim().is_empty() || next.is_empty() {
        return true;
    }
    if line.trim_start().starts_with('#') || begins_block(next) {
        return true;
    }
    let ended = before.ends_with(['.', '!', '?', ':', '"', '”', ')', ']', '|']);
    let begins_new = next.chars().next().is_some_and(|first| first.is_uppercase() || first.is_ascii_digit() || "\"“'‘([".contains(first));
    begins_new && (ended || line.trim().chars().count() < 45)
}

/// A heading, an item of a list, a row of a table, a quotation or a rule.
fn begins_block(line: &str) -> bool {
    let numbered = line.trim_start_matches(|character: char| character.is_ascii_digit());
    line.starts_with(['#', '|', '>', '•', '·'])
        || ["- ", "* ", "+ ", "---", "***", "– "].iter().any(|mark| line.starts_with(mark))
        || numbered.len() < line.len() && line.len() - numbered.len() <= 3 && (numbered.starts_with(". ") || numbered.starts_with(") "))
}

/// Where the sentence ends whose final mark is at `at`; none if it goes on.
fn sentence_end(text: &str, start: usize, at: usize, next: usize) -> Option<usize> {
    let rest = &text[next..];
    if rest.starts_with(['.', '!', '?', '…']) {
        return None;
    }
    let end = next + closing(rest);
    let after = &text[end..];
    let Some(following) = after.chars().next() else { return Some(end) };
    let is_wide = matches!(&text[at..next], "。" | "！" | "？");
    if is_wide {
        return Some(end);
    }
    if !following.is_whitespace() {
        return None;
    }
    let begins = after.trim_start().chars().next();
    let starts_new = begins
        .is_none_or(|first| first.is_uppercase() || first.is_ascii_digit() || "\"“”'‘«([*_#-–—•|>`".contains(first) || !first.is_ascii());
    if &text[at..next] != "." {
        return starts_new.then_some(end);
    }
    (starts_new && !is_abbreviation(text, start, at, end > next)).then_some(end)
}

/// Closing quotes and brackets, emphasis, and citation markers with or without a space before them.
fn closing(rest: &str) -> usize {
    let mut length = 0;
    loop {
        let left = &rest[length..];
        if let Some(mark) = left.chars().next().filter(|mark| "\"”’')]»*_".contains(*mark)) {
            length += mark.len_utf8();
        } else if let Some(marker) = marker(left.trim_start_matches(' ')) {
            length += left.len() - left.trim_start_matches(' ').len() + marker;
        } else {
            return length;
        }
    }
}

const LONGEST_MARKER: usize = 24;

/// `[12]`, `[3, 4]`, `[^note]`, `[citation needed]` are markers; `[link](…)` and `[a few words]` are not.
fn marker(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('[')?;
    // Not to the end of the text: an open bracket that is never closed would be looked for again and again.
    let length = inside.bytes().take(LONGEST_MARKER + 1).position(|byte| byte == b']').filter(|length| *length > 0)?;
    let body = &inside[..length];
    let numbers = body.chars().all(|character| character.is_ascii_digit() || " ,;-–".contains(character));
    let is_marker = numbers && body.starts_with(|first: char| first.is_ascii_digit())
        || body.starts_with('^')
        || body == "citation needed"
        || body == "unverified";
    (is_marker && !inside[length + 1..].starts_with(['(', ':'])).then_some(length + 2)
}

fn is_abbreviation(text: &str, start: usize, at: usize, closed: bool) -> bool {
    let before = &text[start..at];
    let word_start = before
        .rfind(|character: char| !(character.is_alphanumeric() || character == '.'))
        .map_or(0, |place| place + before[place..].chars().next().map_or(1, char::len_utf8));
    let word = &before[word_start..];
    let is_first = before[..word_start].trim().is_empty();
    if word.chars().all(|character| character.is_ascii_digit()) {
        // The number of a list item, or a day: `am 3. Mai 1974`.
        return !word.is_empty() && (is_first || word.len() <= 2 && begins_with_month(&text[at + 1..]));
    }
    let mut letters = word.chars();
    let (first, second) = (letters.next(), letters.next());
    if second.is_none() && first.is_some_and(|letter| letter.is_uppercase() && letter != 'I') {
        return !closed && is_initial(&before[..word_start], &text[at + 1..]);
    }
    let folded = format!(" {} ", word.replace('.', "").to_lowercase());
    if folded.trim().is_empty() {
        return false;
    }
    // `p. 12`
    let is_page = word == "p" && text[at + 1..].trim_start().starts_with(|next: char| next.is_ascii_digit());
    if is_page || NEVER_LAST.contains(&folded) {
        return !closed;
    }
    if !(MAYBE_LAST.contains(&folded) || word.contains('.') && word.len() <= 6 && !word.contains(|letter: char| letter.is_ascii_digit())) {
        return false;
    }
    // `the U.S. Senate`, `Acme Inc. Holdings`, `Jan. 5` go on; `in the U.S. The …` does not.
    let following = text[at + 1..].trim_start();
    let next_word: String = following.chars().take_while(|character| character.is_alphanumeric()).collect();
    !super::words::is_stop(&next_word.to_lowercase()) || closed
}

/// Months of the languages that write the day with a point before them.
const MONTHS: &str = " januar jänner februar feber märz marts mars april mai maj mei juni juli august september oktober november dezember \
    desember december ";

fn begins_with_month(after: &str) -> bool {
    let next: String = after.trim_start().chars().take_while(|letter| letter.is_alphabetic()).collect();
    next.chars().count() >= 3 && MONTHS.contains(&format!(" {} ", next.to_lowercase()))
}

/// A single capital begins a name if one follows: `J. Smith`. In `team B` it names a thing, and may end a sentence.
fn is_initial(before: &str, after: &str) -> bool {
    let last = before.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
    let labels = LABELLED.contains(&format!(" {last} "));
    let next: String = after.trim_start().chars().take_while(|letter| letter.is_alphanumeric()).collect();
    let begins_sentence = super::words::is_stop(&next.to_lowercase()) && next.chars().count() > 1;
    !labels && !begins_sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = sentences(text).iter().map(|span| span.of(text)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn points_inside_numbers_names_and_abbreviations_do_not_end_a_sentence() {
        check("Dr. J. Smith paid 3.5 million. He left.", &["Dr. J. Smith paid 3.5 million.", "He left."]);
        check("The U.S. Senate met. It rose on Jan. 5 again.", &["The U.S. Senate met.", "It rose on Jan. 5 again."]);
        check("It is sold in the U.S. The price fell.", &["It is sold in the U.S.", "The price fell."]);
        check("See fig. 3, e.g. the left. Done!", &["See fig. 3, e.g. the left.", "Done!"]);
        check("It was led by J. R. Smith. He left.", &["It was led by J. R. Smith.", "He left."]);
        check("It is on p. 12 of it. They call it p. It is.", &["It is on p. 12 of it.", "They call it p.", "It is."]);
    }

    #[test]
    fn a_single_capital_that_names_a_thing_may_end_a_sentence() {
        check("It was done by team B. The harbour closed.", &["It was done by team B.", "The harbour closed."]);
        check("They are rich in vitamin C. Oranges are.", &["They are rich in vitamin C.", "Oranges are."]);
        check("We chose A. This was late.", &["We chose A.", "This was late."]);
    }

    #[test]
    fn markers_and_closing_quotes_stay_with_their_sentence() {
        check("Sales rose.[3] Costs fell. [4][^a] More.", &["Sales rose.[3]", "Costs fell. [4][^a]", "More."]);
        check("He said \u{201c}no.\u{201d} Then he left.", &["He said \u{201c}no.\u{201d}", "Then he left."]);
        check("One. [a link](x) begins.", &["One.", "[a link](x) begins."]);
        check("It is left out. `--web` searches.", &["It is left out.", "`--web` searches."]);
    }

    #[test]
    fn lines_break_at_blocks_and_not_where_text_is_wrapped() {
        check(
            "# Title\nThe first line goes on for quite some time until it\nis wrapped here.\n- one\n- two",
            &["# Title", "The first line goes on for quite some time until it\nis wrapped here.", "- one", "- two"],
        );
        check("1. First item. More.\n2. Second", &["1. First item.", "More.", "2. Second"]);
        check("a\n\nb", &["a", "b"]);
    }

    #[test]
    fn a_day_before_its_month_does_not_end_a_sentence() {
        check("Die Brücke wurde am 3. Mai 1974 eröffnet. Sie ist lang.", &["Die Brücke wurde am 3. Mai 1974 eröffnet.", "Sie ist lang."]);
        check("There were 12. Mail came.", &["There were 12.", "Mail came."]);
    }

    #[test]
    fn dots_and_questions_in_a_row_end_one_sentence() {
        check("Really?! Yes... Perhaps.", &["Really?!", "Yes...", "Perhaps."]);
    }
}
