//! Words of agents and sources as a report may print them: no link, marker or markup of theirs survives.
//! Only the printer places citations, so a text cannot bring one of its own.

use crate::report::{addresses, blocks, bracketed, marker_ids, without_placeholders};

const ENDS: [char; 7] = ['.', '!', '?', '…', '。', '！', '？'];
const CLOSES: [char; 6] = ['"', '”', '»', '’', '\'', ')'];

/// The words alone, in one line. Links become their words, markers such as `[3]` go, and code loses its marks.
pub fn plain(text: &str) -> String {
    marked(text).replace('`', "")
}

/// The words as they stay however often they are read, so that nothing in them becomes something else later: `\*\*x` and `&amp;lt;` would.
/// None: they hide themselves deeper than anybody writes.
pub fn settled(text: &str) -> Option<String> {
    const DEEPEST: usize = 20;
    let mut words = plain(text);
    for _ in 0..DEEPEST {
        let again = plain(&words);
        if again == words {
            return Some(words);
        }
        words = again;
    }
    None
}

/// The words alone, in one line, with what is code still between backticks. Whatever would read as a citation is one no more.
pub fn marked(text: &str) -> String {
    let line = text.replace(['\u{e000}', '\u{e001}', CODE], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let (code, line) = set_aside(&line);
    // After a word, nothing in the line can begin a heading, a list or a table.
    let read = blocks(&format!("x {line}")).0.iter().map(|block| without_placeholders(&block.text)).collect::<Vec<_>>().join(" ");
    let mut pieces = read.strip_prefix('x').unwrap_or(&read).split(CODE);
    let mut words = pieces.next().unwrap_or_default().replace('`', "'");
    let mut code = code.iter();
    for piece in pieces {
        // What the reading left out, such as the address of a link, may have held some of it.
        words.push_str(&code.next().map_or_else(String::new, |code| format!("`{code}`")));
        words.push_str(&piece.replace('`', "'"));
    }
    disarmed(&words).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Stands in the place of what is code while the rest is read.
const CODE: char = '\u{e002}';

/// What stands between two single backticks, and the line with a sign in its place.
fn set_aside(line: &str) -> (Vec<&str>, String) {
    let (mut code, mut rest, mut kept) = (Vec::new(), line, String::with_capacity(line.len()));
    while let Some((before, after)) = rest.split_once('`') {
        let closed = after.split_once('`').filter(|(inside, behind)| !inside.trim().is_empty() && !behind.starts_with('`'));
        kept.push_str(before);
        match closed {
            Some((inside, behind)) => {
                code.push(inside.trim());
                kept.push(CODE);
                rest = behind;
            }
            None => {
                kept.push('`');
                rest = after;
            }
        }
    }
    (code, kept + rest)
}

/// `[3]` and `[S01]` are citations wherever they stand; other brackets are only brackets.
fn disarmed(words: &str) -> String {
    let (mut rest, mut kept) = (words, String::with_capacity(words.len()));
    while let Some(place) = rest.find('[') {
        let (before, from) = rest.split_at(place);
        kept.push_str(before);
        match bracketed(from, '[', ']').filter(|body| marker_ids(body).is_some()) {
            Some(body) => {
                kept.push_str(&format!("({body})"));
                rest = &from[body.len() + 2..];
            }
            None => {
                kept.push('[');
                rest = &from[1..];
            }
        }
    }
    kept + rest
}

/// Plain words with something else in the place of each address.
pub fn without_addresses(words: &str, instead: &str) -> String {
    let mut kept = String::with_capacity(words.len());
    let mut from = 0;
    for span in addresses(words) {
        kept.push_str(&words[from..span.start]);
        kept.push_str(instead);
        from = span.end;
    }
    kept.push_str(&words[from..]);
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Plain words as they stand in a sentence: an address in them is printed as code, so that it is no citation.
pub fn written(words: &str) -> String {
    let mut text = String::with_capacity(words.len() + 8);
    let mut from = 0;
    for span in addresses(words) {
        // What is code already needs no marks.
        if words[..span.start].matches('`').count() % 2 == 1 && words[span.end..].contains('`') {
            continue;
        }
        text.push_str(&escaped(&words[from..span.start]));
        text.push_str(&format!("`{}`", span.of(words)));
        from = span.end;
    }
    text + &escaped(&words[from..])
}

/// Plain words, written so that Markdown reads them as they are.
pub fn escaped(words: &str) -> String {
    let mut written = String::with_capacity(words.len() + 8);
    let characters: Vec<char> = words.chars().collect();
    let mut code_until = 0;
    for (place, character) in characters.iter().enumerate() {
        if *character == '`' && place >= code_until {
            let closing = characters[place + 1..].iter().position(|other| *other == '`');
            code_until = closing.map_or(place, |length| place + length + 2);
        }
        if place < code_until {
            written.push(*character);
            continue;
        }
        let around = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(|other| other.is_alphanumeric());
        let is_markup = match character {
            '\\' | '`' | '*' | '<' | '~' | '[' | ']' => true,
            // Inside a word an underscore means nothing.
            '_' => !(around(place.checked_sub(1)) && around(Some(place + 1))),
            '&' => is_entity(&characters[place + 1..]),
            '#' => place == 0 || characters[place - 1].is_whitespace(),
            '>' | '=' => place == 0,
            // What follows directly makes it an option of a command, and no item of a list.
            '-' | '+' => place == 0 && characters[1..].iter().find(|next| *next != character).is_none_or(|next| next.is_whitespace()),
            '.' | ')' => place > 0 && place < 10 && characters[..place].iter().all(char::is_ascii_digit),
            _ => false,
        };
        if is_markup {
            written.push('\\');
        }
        written.push(*character);
    }
    written
}

/// The same sentence with something in brackets before its closing mark, which it gets if it has none.
pub fn with_remark(sentence: &str, remark: &str) -> String {
    let sentence = ended(sentence);
    let mut body = sentence.trim_end_matches(ENDS);
    // In `“It is so.”` the mark stands before the quotation ends.
    while body.trim_end_matches(CLOSES).len() < body.len() && body.trim_end_matches(CLOSES).ends_with(ENDS) {
        body = body.trim_end_matches(CLOSES).trim_end_matches(ENDS);
    }
    format!("{} ({remark}){}", body.trim_end(), &sentence[body.len()..])
}

/// A sentence that was cut inside of what is code is no code.
pub fn balanced(sentence: &str) -> String {
    if sentence.matches('`').count().is_multiple_of(2) { sentence.to_string() } else { sentence.replace('`', "") }
}

/// Every sentence ends visibly, so that its citations are its own.
pub fn ended(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches([' ', ':', ';', ',', '–', '—']);
    if sentence.trim_end_matches(CLOSES).ends_with(ENDS) { sentence.to_string() } else { format!("{sentence}.") }
}

/// At most this many characters in one line, cut between two words.
pub fn shortened(text: &str, characters: usize) -> String {
    let words = plain(text);
    if words.chars().count() <= characters {
        return words;
    }
    let cut: String = words.chars().take(characters).collect();
    format!("{}…", cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole))
}

/// `amp;`, `#8212;`
fn is_entity(after: &[char]) -> bool {
    let name = after.iter().take_while(|character| character.is_ascii_alphanumeric() || **character == '#').count();
    name > 0 && after.get(name) == Some(&';')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str, printed: &str) {
        let words = marked(text);
        assert_eq!((words.as_str(), written(&words).as_str()), (expected, printed));
        let read: String = blocks(&format!("x {printed}")).0.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(read, format!("x {}", plain(text)), "what is printed reads back as it was meant");
    }

    #[test]
    fn code_stays_code_and_brackets_stay_brackets() {
        check(
            "Named under `[sources]` in `motet.toml`.",
            "Named under `[sources]` in `motet.toml`.",
            "Named under `[sources]` in `motet.toml`.",
        );
        check("Write `acp = [\"gemini\"]` there.", "Write `acp = [\"gemini\"]` there.", "Write `acp = [\"gemini\"]` there.");
        check("The `__init__` file and [sources].", "The `__init__` file and [sources].", "The `__init__` file and \\[sources\\].");
        check("--docs names it.", "--docs names it.", "--docs names it.");
    }

    #[test]
    fn no_text_brings_a_citation_of_its_own() {
        check("It is so [3].", "It is so.", "It is so.");
        check("The `list[0]` and `[S01]` are code.", "The `list(0)` and `(S01)` are code.", "The `list(0)` and `(S01)` are code.");
        check("It [S[3]01] is.", "It (S01) is.", "It (S01) is.");
        check("A ` alone, and `code`.", "A `alone, and`code'.", "A `alone, and`code'.");
        check("See `https://a.example/x` there.", "See `https://a.example/x` there.", "See `https://a.example/x` there.");
    }
}
