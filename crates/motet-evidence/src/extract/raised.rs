//! Writes the numbers that a page sets above the line as raised digits: text has no other place for them, and `10<sup>6</sup>` is not 106.
//! Only a number behind a letter or a digit is one; what else is set so, as in `20<sup>th</sup>`, stays, and notes were taken out before.

use super::tags::{Tag, decode_entities, is_inline, tags};

const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
/// The longest such number between its tags, which may be several.
const LONGEST: usize = 200;

/// The page with its raised numbers as text.
pub(super) fn with_raised_numbers(html: &str) -> String {
    let (mut read, mut copied, mut from) = (String::with_capacity(html.len()), 0, 0);
    let (mut last, mut open): (Option<char>, Option<Tag>) = (None, None);
    for tag in tags(html) {
        last = html.get(from..tag.start).unwrap_or_default().chars().next_back().or(last);
        from = tag.end;
        match (tag.name.as_str(), tag.closes) {
            ("sup", false) => open = last.is_some_and(char::is_alphanumeric).then_some(tag),
            ("sup", true) => {
                if let Some((begin, number)) = open.take().and_then(|begin| Some((begin.start, raised(&html[begin.end..tag.start])?))) {
                    read.push_str(&html[copied..begin]);
                    read.push_str(&number);
                    copied = tag.end;
                }
            }
            (name, _) if !is_inline(name) => (last, open) = (None, None),
            _ => {}
        }
    }
    read + &html[copied..]
}

/// Digits, with a sign or without one.
fn raised(html: &str) -> Option<String> {
    if html.len() > LONGEST {
        return None;
    }
    let (mut said, mut from) = (String::new(), 0);
    for tag in tags(html) {
        said.push_str(&html[from..tag.start]);
        from = tag.end;
    }
    said.push_str(&html[from..]);
    let said = decode_entities(&said).replace("&minus;", "−");
    let (sign, digits) = match said.trim().strip_prefix(['-', '−', '–']) {
        Some(digits) => ("⁻", digits.trim_start()),
        None => ("", said.trim()),
    };
    let above = digits.chars().map(|digit| RAISED.get(digit.to_digit(10)? as usize).copied()).collect::<Option<String>>()?;
    (!above.is_empty()).then(|| format!("{sign}{above}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(with_raised_numbers(html), expected);
    }

    #[test]
    fn a_number_above_the_line_does_not_become_a_part_of_the_one_before_it() {
        check("about 10<sup>6</sup> cells", "about 10⁶ cells");
        check("3&times;10<sup>-12</sup>, 10<sup>&minus;3</sup> and 10<SUP class=e> − 4</SUP>", "3&times;10⁻¹², 10⁻³ and 10⁻⁴");
        check("5 km<sup>2</sup> and <i>m</i><sup><b>3</b></sup>", "5 km² and <i>m</i>³");
        check("in 1974<sup>7</sup>.", "in 1974⁷.");
    }

    #[test]
    fn whatever_else_is_set_above_the_line_stays() {
        for html in [
            "20<sup>th</sup> and 2<sup>n</sup>",
            "It is old. <sup>1</sup>",
            "<sup>14</sup>C",
            "<p>10</p><sup>6</sup>",
            "an unclosed 10<sup>6",
            "10<sup></sup> and 10<sup>-</sup>",
            "10<sup>6<p>7</p></sup>",
        ] {
            check(html, html);
        }
    }
}
