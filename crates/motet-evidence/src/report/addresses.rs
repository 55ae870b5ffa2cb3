//! Addresses that stand in plain words, where a reader takes them for sources as much as any link.
//! It only finds them: whether they lead anywhere is found when the report is verified.

use crate::text::Span;

const STARTS: [&str; 4] = ["http://", "https://", "file://", "www."];

/// Where addresses stand, in order, without the marks that end a sentence or a bracket around them.
pub fn addresses(text: &str) -> Vec<Span> {
    // Lower case in ASCII only, so that every place stays the same.
    let lower = text.to_ascii_lowercase();
    let mut found: Vec<Span> = Vec::new();
    let mut places: Vec<usize> = STARTS.iter().flat_map(|start| lower.match_indices(start)).map(|(place, _)| place).collect();
    places.sort_unstable();
    for place in places {
        // What stands inside another address is not looked at again, however long that one is.
        if found.last().is_some_and(|last| place < last.end) {
            continue;
        }
        let goes_on_a_word = lower[place..].starts_with("www.") && lower[..place].ends_with(char::is_alphanumeric);
        let end = end(text, place);
        let rest = STARTS.iter().find_map(|start| lower[place..end].strip_prefix(start)).unwrap_or_default();
        if !goes_on_a_word && rest.starts_with(|first: char| first.is_alphanumeric() || first == '/') {
            found.push(Span::new(place, end));
        }
    }
    found
}

fn end(text: &str, start: usize) -> usize {
    let is_end = |character: char| character.is_whitespace() || "<>\"“”[]`\u{e000}\u{e001}".contains(character);
    let marks = ['.', ',', ';', ':', '!', '?'];
    let rest = &text[start..];
    let mut address = rest[..rest.find(is_end).unwrap_or(rest.len())].trim_end_matches(marks);
    // A bracket that the address itself opened belongs to it.
    let mut unopened = address.matches(')').count().saturating_sub(address.matches('(').count());
    while unopened > 0 && address.ends_with(')') {
        address = address[..address.len() - 1].trim_end_matches(marks);
        unopened -= 1;
    }
    start + address.len()
}
