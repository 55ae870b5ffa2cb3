//! What a number measures, from what stands around it: percent, points, money, a unit, a year, or something that is counted.
//! It reads one number at a time; what two numbers of a range share is spread in `numbers`.

use super::{Measure, Number, Reader, currency, sign, units};
use crate::text::{our_digit, words};

impl Reader<'_> {
    /// Percent, money, years and units, from what stands around the number.
    pub(super) fn measure(&self, number: &mut Number, next: usize) {
        // Only a formula ends with the sign that it began with: `$10^{6}$`.
        let is_formula = self.raw(next - 1) == "$";
        let currency_before = currency::before(self, number.tokens.0).filter(|_| !is_formula);
        let begins = currency_before.map_or(number.tokens.0, |(begins, _)| begins);
        (number.from, number.sign) = sign::before(self, begins);
        let word = self.word(next);
        if let Some((end, measure, factor)) = self.share(next, &word) {
            number.measure = measure;
            number.value *= factor;
            number.step *= factor;
            (number.tokens.1, number.unit_end) = (end, end);
            number.span.end = self.tokens[end - 1].span.end;
        } else if let Some((_, found)) = currency_before {
            number.measure = Measure::Money;
            number.currency = Some(found);
        } else if let Some((unit, end)) = units::read(self, next, self.is_weighed(number.tokens.0, next, &word)) {
            number.unit = Some(unit);
            number.unit_end = end;
        } else if let Some((end, found, is_hundredths)) = currency::after(self, next) {
            number.measure = Measure::Money;
            number.currency = Some(found);
            number.unit_end = end;
            if is_hundredths {
                number.value /= 100.0;
                number.step /= 100.0;
            }
        } else if self.is_year(number, &word) {
            number.measure = Measure::Year;
        } else {
            number.counts = self.raw(next).starts_with(char::is_lowercase) && !words::is_stop(&word);
        }
    }

    /// Percent and percentage points: the token after them, which of the two, and by what the number counts.
    fn share(&self, next: usize, word: &str) -> Option<(usize, Measure, f64)> {
        let points = self.word(next + 1).starts_with("point");
        match word {
            "percentage" if points => Some((next + 2, Measure::Points, 1.0)),
            "basis" if points => Some((next + 2, Measure::Points, 0.01)),
            "percent" | "pct" | "percentage" | "prozent" => Some((next + 1, Measure::Percent, 1.0)),
            "per" if self.word(next + 1) == "cent" => Some((next + 2, Measure::Percent, 1.0)),
            _ if matches!(self.raw(next), "%" | "％" | "٪") => Some((next + 1, Measure::Percent, 1.0)),
            _ => None,
        }
    }

    /// Pounds are money, unless something is weighed.
    fn is_weighed(&self, at: usize, next: usize, word: &str) -> bool {
        const REACH: usize = 6;
        let weighs = |place: usize| ["weigh", "heav", "mass"].iter().any(|beginning| self.word(place).starts_with(beginning));
        matches!(word, "pound" | "pounds") && ((at.saturating_sub(REACH)..at).any(weighs) || weighs(next + 1))
    }

    fn is_year(&self, number: &Number, following: &str) -> bool {
        let raw = number.span.of(self.text);
        let unit_like =
            ["people", "men", "women", "residents", "students", "employees", "copies", "workers", "members"].contains(&following);
        let is_plain = raw.chars().count() == 4 && raw.chars().all(|letter| letter.is_ascii_digit() || our_digit(letter).is_some());
        is_plain && (1000.0..2100.0).contains(&number.value) && !unit_like
    }

    /// Whether a number belongs to the name or the version before it, so that it is read by its digits: `Python 3.10`, `version 4.0`.
    pub(super) fn is_label(&self, number: &Number) -> bool {
        let (first, next) = number.tokens;
        if number.measure != Measure::Count || number.unit.is_some() || number.spelled || next != first + 1 {
            return false;
        }
        let Some(before) = first.checked_sub(1) else { return false };
        let word = self.word(before);
        let is_name = self.raw(before).starts_with(char::is_uppercase) && !words::is_common(&word) && !number.counts;
        matches!(word.as_str(), "version" | "versions" | "release" | "v" | "ver") || is_name
    }
}
