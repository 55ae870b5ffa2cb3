//! Words of agents and sources as a report may print them: no link, marker or markup of theirs survives.
//! Only the printer places citations, so a text cannot bring one of its own.

use crate::report::{addresses, blocks, without_placeholders};

const ENDS: [char; 7] = ['.', '!', '?', '…', '。', '！', '？'];
const CLOSES: [char; 6] = ['"', '”', '»', '’', '\'', ')'];

/// The words alone, in one line. Links become their words, markers such as `[3]` go, and other brackets become round ones.
pub fn plain(text: &str) -> String {
    let line = text.replace(['\u{e000}', '\u{e001}'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    // After a word, nothing in the line can begin a heading, a list or a table.
    let read = blocks(&format!("x {line}")).0.iter().map(|block| without_placeholders(&block.text)).collect::<Vec<_>>().join(" ");
    let words = read.strip_prefix('x').unwrap_or(&read).replace('[', "(").replace(']', ")");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
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
    for (place, character) in characters.iter().enumerate() {
        let around = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(|other| other.is_alphanumeric());
        let is_markup = match character {
            '\\' | '`' | '*' | '<' | '~' | '[' | ']' => true,
            // Inside a word an underscore means nothing.
            '_' => !(around(place.checked_sub(1)) && around(Some(place + 1))),
            '&' => is_entity(&characters[place + 1..]),
            '#' => place == 0 || characters[place - 1].is_whitespace(),
            '-' | '+' | '>' | '=' => place == 0,
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
