//! Numbers of a text with what they mean: 1.2 million, 45 %, 3rd, twelve, half, 12 May 1998, the 1990s.
//! It reads numbers and compares none; which two agree is said in `agree`.

mod about;
mod agree;
mod currency;
mod dates;
mod groups;
mod heads;
mod measures;
mod powers;
mod scripts;
mod sign;
mod spelled;
mod times;
mod units;

#[cfg(test)]
mod tests;

use super::{Kind, Span, Token, fold};
pub use about::begins_number;
use about::is_about;
pub use currency::Currency;
pub use sign::Sign;
use spelled::Spelled;
pub use units::Unit;

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    Count,
    Percent,
    /// Percentage points.
    Points,
    Money,
    Ordinal,
    Year,
    /// All years that begin alike: the 1990s.
    Decade,
    /// The value is the number of the century.
    Century,
    /// The value is the day.
    Day {
        month: u8,
    },
    /// The value is the number of the month.
    Month,
    /// The value is the minute of the day.
    Time {
        /// It does not say which half of the day it is in.
        is_open: bool,
    },
}

/// What is said about how exact a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qualifier {
    Exact,
    About,
    AtLeast,
    AtMost,
    /// Less than the number, which itself is excluded.
    Below,
}

impl Qualifier {
    /// Whether both bound a number on the same side.
    pub fn bounds_like(self, other: Self) -> bool {
        let side = |qualifier: Self| match qualifier {
            Self::AtLeast => Some(true),
            Self::AtMost | Self::Below => Some(false),
            Self::Exact | Self::About => None,
        };
        side(self).is_some() && side(self) == side(other)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    pub span: Span,
    /// First token, and the one after the last.
    pub tokens: (usize, usize),
    pub value: f64,
    /// What the last digit that was written counts: 100,000 in `1.2 million`.
    pub step: f64,
    pub measure: Measure,
    pub qualifier: Qualifier,
    pub unit: Option<&'static Unit>,
    /// The token after its unit or currency; after its last own one, if it has none.
    pub unit_end: usize,
    pub currency: Option<Currency>,
    pub sign: Sign,
    /// The token that its sign or currency begins at; its first own one, if it has none before it.
    pub from: usize,
    /// It has no unit, and a word follows that it counts.
    pub counts: bool,
    /// Written in letters.
    pub spelled: bool,
    /// It belongs to the name or the version before it, and is compared by its digits: `Python 3.1` is not `Python 3.10`.
    pub is_label: bool,
    /// `03/04/2020` may be two days, and `one` a pronoun: such a number may support a claim and is never demanded.
    pub ambiguous: bool,
}

impl Number {
    /// `two`, `half`: a source that has it in its own way often has no word for it, so it is not asked for.
    pub fn is_small_word(&self) -> bool {
        self.spelled && self.value <= 2.0
    }
}

/// All numbers of a text, in order. `tokens` are the text's own.
pub fn numbers(text: &str, tokens: &[Token]) -> Vec<Number> {
    let reader = Reader { text, tokens };
    let mut found: Vec<Number> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some((mut read, next)) = dates::read(&reader, at) {
            found.append(&mut read);
            at = next;
        } else if let Some(number) = times::read(&reader, at).or_else(|| reader.number(at)) {
            let next = number.tokens.1;
            found.extend(reader.range_end(found.last(), &number));
            found.push(number);
            found.extend(reader.in_metres(&number));
            found.extend(times::unsaid(&reader, at).filter(|time| time.tokens != number.tokens));
            if let Some(end) = groups::end(&reader, at) {
                found.extend(groups::columns(&reader, at, end));
            }
            at = next;
        } else {
            at += 1;
        }
    }
    reader.spread_measures(&mut found);
    heads::spread(&reader, &mut found);
    found
}

/// The text without any number, in digits or in letters.
pub fn without_numbers(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for number in numbers(text, &super::tokens(text)) {
        kept.push_str(text.get(from..number.span.start).unwrap_or_default());
        from = from.max(number.span.end);
    }
    kept + text.get(from..).unwrap_or_default()
}

/// Whatever is greater counts as this: beyond what a value holds all numbers would agree, and one that is not read would be asked of no source.
const GREATEST: f64 = 1e300;

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl Reader<'_> {
    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn raw(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.of(self.text))
    }

    /// Lower case; empty for anything but words.
    fn word(&self, at: usize) -> String {
        if self.kind(at) == Some(Kind::Word) { fold(self.raw(at)) } else { String::new() }
    }

    fn touches(&self, at: usize) -> bool {
        at > 0 && at < self.tokens.len() && self.tokens[at - 1].touches(self.tokens[at])
    }

    fn made(&self, from: usize, to: usize, value: f64, step: f64, measure: Measure) -> Number {
        let span = Span::new(self.tokens[from].span.start, self.tokens[to - 1].span.end);
        let qualifier = if from == 0 { Qualifier::Exact } else { self.qualifier(from) };
        Number {
            span,
            tokens: (from, to),
            value,
            step,
            measure,
            qualifier,
            unit: None,
            unit_end: to,
            currency: None,
            sign: Sign::Plain,
            from,
            counts: false,
            spelled: false,
            is_label: false,
            ambiguous: false,
        }
    }

    fn number(&self, at: usize) -> Option<Number> {
        let (value, step, mut next, spelled) = match self.kind(at)? {
            Kind::Number => match (groups::end(self, at), powers::read(self, at)) {
                (Some(next), _) => (groups::value(self, at, next)?, 1.0, next, false),
                (None, Some((value, step, next))) => (value, step, next, false),
                (None, None) => {
                    let (value, step) = digits(self.raw(at))?;
                    (value, step, at + 1, false)
                }
            },
            Kind::Word => match spelled::read(self, at)? {
                Spelled::Count { value, step, next } => (value, step, next, true),
                Spelled::Done(number) => return Some(number),
            },
            Kind::Mark => match scripts::read(self, at) {
                Some((value, step, next)) => (value, step, next, false),
                None => return self.symbol(at),
            },
        };
        let (mut value, mut step) = (value, step);
        if let Some(part) = fraction(self.raw(next)).filter(|_| !spelled && self.touches(next)) {
            // `3½` is written with as much as one decimal.
            (value, step, next) = (value + part, 0.1, next + 1);
        }
        if let Some(number) = self.suffixed(at, next, value).filter(|_| !spelled && self.touches(next)) {
            return Some(number);
        }
        if !spelled && let Some(scale) = self.letter_scale(at, next) {
            value *= scale;
            step *= scale;
            next += 1;
        }
        while let Some(scale) = spelled::scale(&self.word(next), self.touches(next)) {
            value *= scale;
            step *= scale;
            next += 1;
            if matches!(self.word(next - 1).as_str(), "mio" | "mrd") && self.raw(next) == "." {
                next += 1;
            }
        }
        let mut number = self.made(at, next, value.min(GREATEST), step, Measure::Count);
        number.spelled = spelled;
        self.measure(&mut number, next);
        number.is_label = self.is_label(&number);
        Some(number)
    }

    /// Beside a currency, or before what is counted, `m` and `b` are no metres: `£4.2m`, `4.2m euros`, `1.5M visitors`.
    fn letter_scale(&self, at: usize, next: usize) -> Option<f64> {
        let is_money = currency::before(self, at).is_some() || currency::after(self, next + 1).is_some();
        let following = self.raw(next + 1);
        let is_plural = following.len() > 3 && following.ends_with('s') && !following.ends_with("ss") || following == "people";
        let is_counted = is_plural && following.chars().all(char::is_lowercase) && units::find(following).is_none();
        match self.raw(next) {
            _ if !self.touches(next) => None,
            "m" | "M" if is_money || is_counted => Some(1e6),
            "b" | "B" if is_money || is_counted => Some(1e9),
            "K" if is_money || is_counted => Some(1e3),
            _ => None,
        }
    }

    /// `100m hurdles` may be metres after all.
    fn in_metres(&self, number: &Number) -> Option<Number> {
        let is_open = self.raw(number.tokens.1 - 1) == "m" && number.value >= 1e6 && number.currency.is_none();
        let metres =
            || Number { value: number.value / 1e6, step: number.step / 1e6, unit: units::find("metre"), ambiguous: true, ..*number };
        is_open.then(metres)
    }

    /// `½` and its like.
    fn symbol(&self, at: usize) -> Option<Number> {
        Some(self.made(at, at + 1, fraction(self.raw(at))?, 0.01, Measure::Count))
    }

    /// `20th`, `1990s`.
    fn suffixed(&self, at: usize, next: usize, value: f64) -> Option<Number> {
        let suffix = self.word(next);
        match suffix.as_str() {
            "st" | "nd" | "rd" | "th" => {
                let century = self.word(next + 1).starts_with("centur");
                let (to, measure) = if century { (next + 2, Measure::Century) } else { (next + 1, Measure::Ordinal) };
                Some(self.made(at, to, value, 1.0, measure))
            }
            "s" if value % 10.0 == 0.0 => {
                let full = if value < 100.0 { value + 1900.0 } else { value };
                Some(self.made(at, next + 1, full, 10.0, Measure::Decade))
            }
            _ => None,
        }
    }

    fn qualifier(&self, from: usize) -> Qualifier {
        // A currency may stand between: `about $5`.
        let from = currency::before(self, from).map_or(from, |(begins, _)| begins);
        let softened = about::softened_from(self, from);
        let is_about = (softened..from).any(|at| is_about(&self.word(at)) || matches!(self.raw(at), "~" | "≈"));
        match self.bound(softened) {
            Qualifier::Exact if is_about => Qualifier::About,
            bound => bound,
        }
    }

    /// How the words before a place bound what stands there.
    fn bound(&self, from: usize) -> Qualifier {
        let before = |places: usize| from.checked_sub(places).map(|at| self.word(at)).unwrap_or_default();
        let (one, two) = (before(1), before(2));
        let read = match (two.as_str(), one.as_str()) {
            ("close", "to") | ("just", "under") => Qualifier::About,
            (_, "over" | "exceed" | "exceeding" | "above" | "exceeded" | "exceeds" | "surpassed" | "topped")
            | ("more" | "greater", "than")
            | ("at", "least") => Qualifier::AtLeast,
            (_, "under" | "below") | ("less" | "fewer", "than") => Qualifier::Below,
            (_, "within" | "maximum") | ("at", "most") | ("up", "to") => Qualifier::AtMost,
            _ => Qualifier::Exact,
        };
        // `no more than`, `not exceeding`: what is denied is the bound, and the number itself is within it.
        let denies = |word: &str| matches!(word, "no" | "not" | "never" | "cannot");
        let is_denied = match one.as_str() {
            // One verb may stand between: `cannot carry more than`.
            "than" => denies(&before(3)) || denies(&before(4)) && !matches!(before(3).as_str(), "" | "only" | "just" | "merely"),
            _ => denies(&two),
        };
        match read {
            Qualifier::AtLeast if is_denied && one != "least" => Qualifier::AtMost,
            Qualifier::Below if is_denied => Qualifier::AtLeast,
            _ => read,
        }
    }

    /// `2010–12` is also 2012. The short form itself stays, because `10–12` means what it says.
    fn range_end(&self, previous: Option<&Number>, number: &Number) -> Option<Number> {
        let previous = previous.filter(|previous| previous.measure == Measure::Year && previous.tokens.1 + 1 == number.tokens.0)?;
        let joined = matches!(self.raw(previous.tokens.1), "-" | "–" | "/" | "—") && self.touches(number.tokens.0);
        if !(joined && number.span.of(self.text).len() == 2 && number.measure == Measure::Count) {
            return None;
        }
        let century = (previous.value / 100.0).floor() * 100.0;
        let mut year = *number;
        year.value = century + number.value;
        year.measure = Measure::Year;
        year.ambiguous = true;
        Some(year)
    }

    /// In `10–12 %` and `between 3 and 5 km` the first number has the measure of the second.
    fn spread_measures(&self, found: &mut [Number]) {
        for index in 1..found.len() {
            let (before, after) = found.split_at_mut(index);
            let (Some(first), second) = (before.last_mut(), &after[0]) else { continue };
            let gap = second.tokens.0 == first.tokens.1 + 1;
            let joined = gap && matches!(self.raw(first.tokens.1).to_lowercase().as_str(), "-" | "–" | "—" | "to" | "and" | "or");
            if joined && matches!(first.measure, Measure::Count | Measure::Money) && first.unit.is_none() {
                if matches!(second.measure, Measure::Percent | Measure::Money) {
                    first.measure = second.measure;
                }
                first.currency = first.currency.or(second.currency);
                first.unit = second.unit;
                first.counts &= second.unit.is_none();
                // `2–3 million`: both are millions.
                if second.value >= 1e5 && second.step >= 1e3 && first.value < 1000.0 && !first.spelled {
                    let scale = 1000f64.powi((second.step.log10() / 3.0).ceil() as i32);
                    let scale = if second.value / scale >= 1000.0 { scale * 1000.0 } else { scale };
                    first.value *= scale;
                    first.step *= scale;
                }
            }
        }
    }
}

fn fraction(raw: &str) -> Option<f64> {
    Some(match raw {
        "½" => 0.5,
        "¼" => 0.25,
        "¾" => 0.75,
        "⅓" => 1.0 / 3.0,
        "⅔" => 2.0 / 3.0,
        _ => return None,
    })
}

/// The value of digits with separators, and what their last digit counts.
fn digits(raw: &str) -> Option<(f64, f64)> {
    // A comma with one or two digits after it is a decimal one; before three it sets thousands apart.
    let with_point = raw.split_once(',').filter(|(_, rest)| rest.len() < 3).map(|(whole, decimals)| format!("{whole}.{decimals}"));
    let raw = with_point.as_deref().unwrap_or(raw);
    let points = raw.matches('.').count();
    let plain: String = raw.chars().filter(|character| character.is_ascii_digit() || *character == '.' && points == 1).collect();
    let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let value: f64 = plain.parse().ok()?;
    Some((value.min(GREATEST), 10f64.powi(-(decimals as i32))))
}
