//! Headings make claims and carry no citations: a number in one must stand in a sentence below that holds, or in what was asked.
//! Names in them are not looked at; and a heading that cites something is read as the sentence it is.

use super::{Checked, Report, Sentence, Standing, is_marked, with_plain_numbers};
use crate::text::{Number, numbers, tokens};

/// The headings with a number that nothing in the report bears out, as sentences that cite nothing.
pub fn unborne(report: &Report, checked: &[Checked]) -> Vec<Checked> {
    let holds = |checked: &&Checked| matches!(checked.standing, Standing::Supported | Standing::Plausible | Standing::Marked);
    let said = checked.iter().filter(holds).map(|checked| checked.sentence.text.as_str()).chain(report.asked.iter().map(String::as_str));
    let known: Vec<Number> = said.flat_map(numbers_of).collect();
    let is_borne_out = |heading: &str| {
        let found = numbers_of(heading);
        found.iter().filter(|number| !number.ambiguous).all(|number| known.iter().any(|said| said.bears_out(number)))
    };
    let is_read_already = |heading: &str| report.sentences.iter().any(|sentence| sentence.section == heading && sentence.text == heading);
    let headings = report.headings.iter().map(|heading| heading.text.as_str());
    headings
        .filter(|heading| !heading.trim_end().ends_with('?') && !is_marked(heading) && !is_read_already(heading))
        .filter(|heading| !is_borne_out(without_its_own_number(heading)))
        .map(|heading| Checked { sentence: claim(heading), standing: Standing::Uncited, verdict: None, source: None, unsound: Vec::new() })
        .collect()
}

fn numbers_of(text: &str) -> Vec<Number> {
    let text = with_plain_numbers(text, |_| false);
    numbers(&text, &tokens(&text))
}

fn claim(heading: &str) -> Sentence {
    Sentence {
        text: heading.to_string(),
        section: heading.to_string(),
        citations: Vec::new(),
        marked_unverified: false,
        bears_number: true,
        bears_superlative: false,
        bears_quotation: false,
        readings: Vec::new(),
    }
}

/// `2.1 Methods` and `3) Results` are numbered; `999 million were spent` is not.
fn without_its_own_number(heading: &str) -> &str {
    let digits = heading.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(heading.len());
    let (number, rest) = heading.split_at(digits);
    let is_short = number.split('.').all(|part| part.len() <= 2);
    let is_own = number.contains('.') && rest.starts_with(' ') || !number.is_empty() && rest.starts_with(") ");
    if is_short && is_own { rest.trim_start_matches(')').trim_start() } else { heading }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_heading_is_no_claim() {
        for (heading, rest) in [
            ("2.1 Methods", "Methods"),
            ("3. Results", "Results"),
            ("4) Outlook of 2030", "Outlook of 2030"),
            ("999 million were spent", "999 million were spent"),
            ("1932. A year", "1932. A year"),
            ("Costs", "Costs"),
        ] {
            assert_eq!(without_its_own_number(heading), rest);
        }
    }
}
