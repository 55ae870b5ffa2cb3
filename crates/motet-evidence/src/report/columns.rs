//! What the head of a table says of the numbers below it: `Revenue (EUR m)` over `702.3` means 702.3 million euros.
//! A cell that says by itself what it measures is left as it is, and so is one with words in it.

use crate::text::{Kind, Measure as Counted, Number, numbers, tokens};

/// Between these stands what is read with a number and was not written there: a measure, and a scale.
const MEASURE: char = '\u{e004}';
const SCALE: char = '\u{e005}';
const END: char = '\u{e006}';

/// The columns of the table that is read.
#[derive(Default)]
pub struct Columns {
    /// Where the cells of the row begin.
    cells: Vec<usize>,
    heads: Vec<Option<Head>>,
}

/// How a number of a column is written out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Head {
    before: String,
    scale: String,
    after: String,
    /// Years are not measured in hours.
    is_time: bool,
}

impl Columns {
    pub fn begin_cell(&mut self, place: usize) {
        self.cells.push(place);
    }

    pub fn end_head(&mut self, text: &str) {
        let heads = self.take(text).into_iter().map(|(_, cell)| head(cell)).collect();
        self.heads = heads;
    }

    /// Where something is to be read with the row, in order, and what.
    pub fn end_row(&mut self, text: &str) -> Vec<(usize, String)> {
        let cells = self.take(text);
        let measured = cells.into_iter().zip(&self.heads).filter_map(|((start, cell), head)| Some((start, number(cell)?, head.as_ref()?)));
        let mut found = Vec::new();
        for (start, number, head) in measured.filter(|(_, number, head)| !(head.is_time && number.measure == Counted::Year)) {
            let (before, after) = (start + number.span.start, start + number.span.end);
            if !head.before.is_empty() {
                found.push((before, format!("{MEASURE}{} {END}", head.before)));
            }
            if !head.scale.is_empty() {
                found.push((after, format!("{SCALE} {}{END}", head.scale)));
            }
            if !head.after.is_empty() {
                found.push((after, format!("{MEASURE} {}{END}", head.after)));
            }
        }
        found
    }

    /// The cells of the row that ends, each with where it begins.
    fn take<'a>(&mut self, text: &'a str) -> Vec<(usize, &'a str)> {
        let starts = std::mem::take(&mut self.cells);
        let ends = starts.iter().copied().skip(1).chain([text.len()]);
        starts.iter().zip(ends).filter_map(|(start, end)| Some((*start, text.get(*start..end)?))).collect()
    }
}

/// The text as it was written.
pub fn unread(text: &str) -> String {
    read(text, |_| false)
}

/// What a row may mean: with its measures and scales, and with its measures alone, for a source may leave a scale to its own head as
/// well. None if the heads of its table say nothing of it.
pub fn readings(text: &str) -> Vec<String> {
    if !text.contains([MEASURE, SCALE]) {
        return Vec::new();
    }
    let mut readings = vec![read(text, |_| true), read(text, |kind| kind == MEASURE)];
    readings.dedup();
    readings
}

fn read(text: &str, is_read: impl Fn(char) -> bool) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once([MEASURE, SCALE]) {
        kept.push_str(before);
        let kind = rest[before.len()..].chars().next().unwrap_or(MEASURE);
        let (words, behind) = after.split_once(END).unwrap_or((after, ""));
        if is_read(kind) {
            kept.push_str(words);
        }
        rest = behind;
    }
    kept + rest
}

/// The number that a cell has instead of words, with its place in the cell. What follows in brackets is a marker.
fn number(cell: &str) -> Option<Number> {
    let value = cell.split(['[', '【', '\u{e000}']).next()?;
    let tokens = tokens(value);
    let is_bare = tokens.iter().all(|token| token.kind == Kind::Number || "+-−–±~≈<>≤≥()*;†‡".contains(token.of(value)));
    let mut found = numbers(value, &tokens);
    let one = found.pop().filter(|number| found.is_empty() && is_bare && number.currency.is_none())?;
    Some(one)
}

/// What a head measures in: in brackets, after `in` or a comma, or by itself.
fn head(text: &str) -> Option<Head> {
    let text = text.trim().trim_end_matches(';').trim_end();
    let in_brackets = text.rsplit_once(['(', '[']).and_then(|(_, inside)| inside.strip_suffix([')', ']']));
    let behind = |between: &str| text.rsplit_once(between).map(|(_, behind)| behind);
    [in_brackets, behind(" in "), behind(", "), Some(text)].into_iter().flatten().find_map(measure)
}

/// `EUR m`, `$bn`, `million tonnes`, `km`, `%`. None: it is no measure.
fn measure(text: &str) -> Option<Head> {
    let text = text.trim().trim_start_matches("in ");
    let tokens = tokens(text);
    let (mut scale, mut unit, mut end) = ("", String::new(), 0);
    for token in &tokens {
        let raw = token.of(text);
        // `EURm` is a code with its scale.
        let (code, raw) = match raw.split_at_checked(3) {
            Some((code, rest)) if !rest.is_empty() && code.bytes().all(|byte| byte.is_ascii_uppercase()) => (code, rest),
            _ => ("", raw),
        };
        let word = scaled(raw, !code.is_empty() || pays(text)).filter(|_| scale.is_empty());
        let kept = if word.is_some() { code } else { token.of(text) };
        scale = word.unwrap_or(scale);
        if !kept.is_empty() && !["of", ",", "'", "’"].contains(&kept) {
            let glued = end == token.span.start || unit.is_empty();
            unit.push_str(if glued { "" } else { " " });
            unit.push_str(kept);
            end = token.span.end;
        }
    }
    if unit.is_empty() {
        return (!scale.is_empty()).then(|| Head { scale: scale.into(), ..Head::default() });
    }
    let after = whole(&format!("5 {unit}"));
    let before = || whole(&format!("{unit} 5"));
    let is_time = after.is_some_and(|number| number.unit.is_some_and(|unit| unit.dimension == "time"));
    match after {
        Some(_) => Some(Head { scale: scale.into(), after: unit, is_time, ..Head::default() }),
        None => before().map(|_| Head { scale: scale.into(), before: unit, ..Head::default() }),
    }
}

/// Whether some currency is named: then `m` is no metre.
fn pays(text: &str) -> bool {
    let words = tokens(text);
    words.iter().any(|token| {
        [format!("5 {}", token.of(text)), format!("{} 5", token.of(text))]
            .iter()
            .filter_map(|text| whole(text))
            .any(|number| number.currency.is_some())
    })
}

fn scaled(word: &str, is_money: bool) -> Option<&'static str> {
    match word.to_lowercase().as_str() {
        "thousand" | "thousands" | "000" | "000s" => Some("thousand"),
        "million" | "millions" | "mn" | "mln" | "mio" => Some("million"),
        "billion" | "billions" | "bn" | "mrd" => Some("billion"),
        "trillion" | "trillions" | "tn" => Some("trillion"),
        "k" if is_money => Some("thousand"),
        "m" if is_money => Some("million"),
        "b" if is_money => Some("billion"),
        _ => None,
    }
}

/// The one number of a text that has a measure and in which nothing is left over.
fn whole(text: &str) -> Option<Number> {
    let tokens = tokens(text);
    let number = numbers(text, &tokens).pop()?;
    let is_measured = number.unit.is_some() || number.currency.is_some() || matches!(number.measure, Counted::Percent | Counted::Points);
    let begins = if number.currency.is_some() { number.from } else { number.tokens.0 };
    (is_measured && begins == 0 && number.unit_end == tokens.len()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &str, cell: &str, expected: &[&str]) {
        let mut columns = Columns::default();
        columns.begin_cell(0);
        columns.end_head(head);
        columns.begin_cell(0);
        let mut row = cell.to_string();
        for (place, words) in columns.end_row(cell).into_iter().rev() {
            row.insert_str(place, &words);
        }
        assert_eq!(
            (readings(&row), unread(&row)),
            (expected.iter().map(|reading| reading.to_string()).collect(), cell.to_string()),
            "{head}"
        );
    }

    #[test]
    fn a_number_is_read_with_the_measure_of_its_column() {
        check("Revenue (EUR m)", "702.3", &["702.3 million EUR", "702.3 EUR"]);
        check("Revenue (€m)", "702.3 [1]", &["702.3 million € [1]", "702.3 € [1]"]);
        check("Revenue, EURm", "-5", &["-5 million EUR", "-5 EUR"]);
        check("Revenue (US$ bn)", "-1.2", &["-US$ 1.2 billion", "-US$ 1.2"]);
        check("Harvest in thousand tonnes", "12", &["12 thousand tonnes", "12 tonnes"]);
        check("Population (millions)", "5.2", &["5.2 million", "5.2"]);
        check("Length (m)", "1998", &["1998 m"]);
        check("km", "5", &["5 km"]);
        check("Share (%)", "(5)", &["(5 %)"]);
    }

    #[test]
    fn what_says_its_own_measure_or_none_at_all_is_left_as_it_is() {
        for (head, cell) in [
            ("Revenue (EUR m)", "€702.3"),
            ("Revenue (EUR m)", "n/a"),
            ("Share (%)", "5 %"),
            ("Length (m)", "5 km"),
            ("Length (estimated)", "5"),
            ("Year", "2001"),
            ("Town", "5"),
            ("Revenue (2019)", "5"),
            ("Length (m)", "5 or 7"),
        ] {
            check(head, cell, &[]);
        }
    }
}
