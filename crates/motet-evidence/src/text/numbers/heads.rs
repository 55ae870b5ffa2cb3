//! Scales that a head or a bracket says once for many numbers: `Revenue (EUR m)` over a column, `in millions of euros:` before a list.
//! Such a number is read with its scale. As it is written it stays too, as one that may support a claim and is never demanded.

use std::collections::BTreeMap;

use super::{Kind, Measure, Number, Reader, currency, spelled};
use crate::text::Span;

/// What is said once, and of which numbers.
struct Head {
    scale: f64,
    currency: Option<currency::Currency>,
    /// The tokens of the head itself.
    tokens: (usize, usize),
    /// Where the numbers stand that it holds for.
    over: Span,
    /// The column of a table that it holds for.
    column: Option<usize>,
}

/// A head of more words is a sentence.
const LONGEST: usize = 6;

/// Reads the numbers under every head with its scale. A later head of the same column takes the place of an earlier one.
pub fn spread(reader: &Reader, found: &mut Vec<Number>) {
    let heads = heads(reader);
    if heads.is_empty() {
        return;
    }
    let mut cursor = Cursor::new(reader.text);
    let mut holding: BTreeMap<Option<usize>, &Head> = BTreeMap::new();
    let mut coming = heads.iter().peekable();
    let mut read = Vec::with_capacity(found.len());
    for number in found.iter() {
        while let Some(head) = coming.next_if(|head| head.over.start <= number.span.start) {
            holding.insert(head.column, head);
        }
        let column = cursor.column(number.span.start);
        let over = [Some(column), None].iter().find_map(|column| holding.get(column).filter(|head| head.over.contains(number.span)));
        let after = heads.binary_search_by_key(&number.tokens.1, |head| head.tokens.0).ok().map(|place| &heads[place]);
        match after.or(over.copied()).filter(|_| is_bare(reader, number)) {
            Some(head) => read.extend([scaled(number, head), Number { ambiguous: true, ..*number }]),
            None => read.push(*number),
        }
    }
    *found = read;
}

/// All heads of a text, in order.
fn heads(reader: &Reader) -> Vec<Head> {
    let mut cursor = Cursor::new(reader.text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < reader.tokens.len() {
        match head(reader, at, &mut cursor) {
            Some(head) => {
                at = head.tokens.1;
                found.push(head);
            }
            None => at += 1,
        }
    }
    found
}

/// Where one is in a text, walked through once from its beginning.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
    bars: usize,
    is_row: bool,
    /// Where the paragraph ends.
    paragraph: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, bars: 0, is_row: text.starts_with('|'), paragraph: 0 }
    }

    /// How many bars stand before a place in its line.
    fn column(&mut self, place: usize) -> usize {
        let bytes = self.text.as_bytes();
        for at in self.at..place {
            match bytes[at] {
                b'\n' => (self.bars, self.is_row) = (0, bytes.get(at + 1) == Some(&b'|')),
                b'|' => self.bars += 1,
                _ => {}
            }
        }
        self.at = self.at.max(place);
        self.bars
    }

    /// From a head to the end of its paragraph, list or table; over one empty line, where the head is a line of its own.
    fn reach(&mut self, from: usize) -> Span {
        if from >= self.paragraph {
            let rest = &self.text[from..];
            let line = rest.find('\n').unwrap_or(rest.len());
            let is_alone = !rest[..line].chars().any(char::is_alphanumeric) && !self.is_row;
            let is_between = |mark: char| mark.is_whitespace() || ":*_".contains(mark);
            let skipped = if is_alone { rest.len() - rest.trim_start_matches(is_between).len() } else { 0 };
            self.paragraph = rest[skipped..].find("\n\n").map_or(self.text.len(), |end| from + skipped + end);
        }
        Span::new(from, self.paragraph)
    }
}

fn scaled(number: &Number, head: &Head) -> Number {
    let measure = if head.currency.is_some() { Measure::Money } else { number.measure };
    Number {
        value: number.value * head.scale,
        step: number.step * head.scale,
        measure,
        currency: number.currency.or(head.currency),
        is_label: false,
        ..*number
    }
}

/// Neither a year nor a share, without a scale of its own, and counting nothing that follows.
fn is_bare(reader: &Reader, number: &Number) -> bool {
    let (first, next) = number.tokens;
    let is_plain = matches!(number.measure, Measure::Count | Measure::Money) && number.unit.is_none() && !number.counts;
    is_plain && !number.ambiguous && !number.spelled && next == first + 1 && reader.kind(first) == Some(Kind::Number)
}

/// The head that begins at a bracket or at `in`.
fn head(reader: &Reader, at: usize, cursor: &mut Cursor) -> Option<Head> {
    let is_bracket = matches!(reader.raw(at), "(" | "[");
    if !is_bracket && !reader.raw(at).eq_ignore_ascii_case("in") {
        return None;
    }
    let ends = |raw: &str| if is_bracket { matches!(raw, ")" | "]") } else { matches!(raw, ":" | "|") };
    let end = (at + 1..(at + 2 + LONGEST).min(reader.tokens.len())).find(|place| ends(reader.raw(*place)))?;
    let (mut scale, mut paid) = (None, None);
    for place in at + 1..end {
        let word = reader.word(place);
        let touches = place > at + 1 && reader.touches(place);
        if let Some(found) = spelled::scale(&word, touches).or_else(|| short(reader.raw(place))) {
            scale = Some(found);
        } else if let Some((_, found)) = currency::before(reader, place + 1).filter(|(begins, _)| *begins > at) {
            paid = Some(found);
        } else if let Some((_, found, _)) = currency::after(reader, place) {
            paid = Some(found);
        } else if !matches!(word.as_str(), "in" | "of" | "us" | "amounts" | "figures" | "all") && reader.raw(place) != "'" {
            return None;
        }
    }
    // `Height (m)` is in metres and `401(k)` is a plan; only of money is a letter a scale.
    let is_letter = (at + 1..end).any(|place| matches!(reader.raw(place), "m" | "M" | "b" | "B" | "k" | "K"));
    let scale = scale.filter(|_| paid.is_some() || !is_letter)?;
    let column = cursor.column(reader.tokens[at].span.start);
    let column = cursor.is_row.then_some(column);
    let over = cursor.reach(reader.tokens[end].span.end);
    let tokens = (at, if is_bracket { end + 1 } else { end });
    Some(Head { scale, currency: paid, tokens, over, column })
}

/// Scales as heads write them.
fn short(raw: &str) -> Option<f64> {
    match raw {
        "m" | "M" | "mill" => Some(1e6),
        "b" | "B" => Some(1e9),
        "k" | "K" | "000" | "000s" => Some(1e3),
        _ => None,
    }
}
