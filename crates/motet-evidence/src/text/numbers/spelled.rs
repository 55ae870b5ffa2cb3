//! Numbers in letters: twelve, twenty-five, two hundred and fifty thousand, a dozen, two thirds, the nineteenth century.
//! `one`, `first`, `second` and `third` are ambiguous: they are grammar more often than they are numbers.

use super::{Kind, Measure, Number, Reader};

pub enum Spelled {
    /// May be followed by a scale or a unit.
    Count {
        value: f64,
        step: f64,
        next: usize,
    },
    Done(Number),
}

pub fn read(reader: &Reader, at: usize) -> Option<Spelled> {
    if !may_begin(reader.raw(at)) {
        return None;
    }
    let word = reader.word(at);
    if let Some(number) = fraction(reader, at, &word) {
        return Some(Spelled::Done(number));
    }
    if let Some(value) = ordinal(&word) {
        let century = reader.word(at + 1).starts_with("centur");
        let (to, measure) = if century { (at + 2, Measure::Century) } else { (at + 1, Measure::Ordinal) };
        let mut number = reader.made(at, to, value, 1.0, measure);
        number.spelled = true;
        number.ambiguous = !century && value <= 3.0;
        return Some(Spelled::Done(number));
    }
    if let Some(decade) = decade(&word) {
        return Some(Spelled::Done(reader.made(at, at + 1, decade, 10.0, Measure::Decade)));
    }
    match word.as_str() {
        "dozen" => return Some(Spelled::Count { value: 12.0, step: 1.0, next: at + 1 }),
        "twice" => return Some(Spelled::Count { value: 2.0, step: 1.0, next: at + 1 }),
        "a" | "one" if reader.word(at + 1) == "decade" => return Some(Spelled::Done(reader.period((at, at + 2), 10.0, "years"))),
        "a" if reader.word(at + 1) == "century" => return Some(Spelled::Done(reader.period((at, at + 2), 100.0, "years"))),
        "half" if matches!(reader.word(at + 1).as_str(), "a" | "an") => {
            let unit = reader.word(at + 2);
            if matches!(unit.as_str(), "year" | "month" | "day" | "hour" | "minute" | "second") {
                return Some(Spelled::Done(reader.period((at, at + 3), 0.5, &unit)));
            }
        }
        _ => {}
    }
    cardinal(reader, at)
}

impl Reader<'_> {
    /// `a decade`, `half an hour`: words for so much of a unit of time.
    fn period(&self, (from, to): (usize, usize), value: f64, unit: &str) -> Number {
        let mut number = self.made(from, to, value, value.min(1.0), Measure::Count);
        number.unit = super::units::find(unit);
        number.spelled = true;
        number
    }
}

/// What a word multiplies the number before it by. Letters count only where they touch it: `5k`, `3bn`.
pub fn scale(word: &str, touching: bool) -> Option<f64> {
    Some(match word {
        "hundred" => 100.0,
        "thousand" | "thousands" => 1e3,
        "million" | "millions" | "mn" | "mln" | "mio" | "millionen" => 1e6,
        "billion" | "billions" | "bn" | "mrd" | "milliarden" => 1e9,
        "trillion" | "tn" => 1e12,
        "dozen" => 12.0,
        "crore" => 1e7,
        "lakh" => 1e5,
        "k" if touching => 1e3,
        _ => return None,
    })
}

/// Most words are no numbers, and are told so without being copied.
pub fn may_begin(raw: &str) -> bool {
    const BEGINNINGS: [&str; 17] =
        ["one", "twe", "twi", "two", "thr", "thi", "fou", "for", "fif", "fiv", "six", "sev", "eig", "nin", "ten", "ele", "doz"];
    let begins = |beginning: &&str| raw.get(..3).is_some_and(|first| first.eq_ignore_ascii_case(beginning));
    match raw.len() {
        1 => raw.eq_ignore_ascii_case("a"),
        3..=13 => BEGINNINGS.iter().any(begins) || ["first", "second", "half"].iter().any(|word| raw.eq_ignore_ascii_case(word)),
        _ => false,
    }
}

/// `one in five`, `two thirds`, `a quarter`, `half`.
fn fraction(reader: &Reader, at: usize, word: &str) -> Option<Number> {
    let share = |to: usize, value: f64| {
        let mut number = reader.made(at, to, value, 0.01, Measure::Count);
        number.spelled = true;
        Some(number)
    };
    // `half a million`, `a quarter of a million`: as exact as one more digit would be.
    let of_scale = |article: usize, to: f64| {
        let scale = scale(&reader.word(article + 1), false).filter(|_| reader.word(article) == "a")?;
        Some(Number { spelled: true, ..reader.made(at, article + 2, to * scale, scale / 10.0, Measure::Count) })
    };
    if word == "half" {
        return match reader.word(at + 1).as_str() {
            "a" | "an" => of_scale(at + 1, 0.5),
            _ => share(at + 1, 0.5),
        };
    }
    let parts = match word {
        "a" | "one" => 1.0,
        _ => unit(word).filter(|value| *value >= 2.0)?,
    };
    let next = if reader.raw(at + 1) == "-" { at + 2 } else { at + 1 };
    let of = reader.word(next + 1);
    let whole = match reader.word(next).as_str() {
        "third" | "thirds" => 3.0,
        "quarter" | "quarters" => 4.0,
        "fifth" | "fifths" => 5.0,
        "tenth" | "tenths" => 10.0,
        "in" if word != "a" => {
            let whole =
                unit(&of).or_else(|| (reader.kind(next + 1) == Some(Kind::Number)).then(|| reader.raw(next + 1).parse().ok())?)?;
            return if whole >= 2.0 && whole > parts { share(next + 2, parts / whole) } else { None };
        }
        _ => return None,
    };
    if of == "of"
        && let Some(number) = of_scale(next + 2, parts / whole)
    {
        return Some(number);
    }
    // `a third` may be one more of something; it is a share for certain only of something.
    let mut number = share(next + 1, parts / whole)?;
    number.ambiguous = parts == 1.0 && of != "of";
    Some(number)
}

fn cardinal(reader: &Reader, at: usize) -> Option<Spelled> {
    let mut total = 0.0;
    let mut current = None::<f64>;
    let mut step = 1.0;
    let mut next = at;
    loop {
        let word = reader.word(next);
        if next == at && word == "a" && scale(&reader.word(next + 1), false).is_some() {
            // `a hundred`, `a million`.
            current = Some(1.0);
        } else if let Some(value) = unit(&word).or_else(|| tens(&word)) {
            let fits = current
                .is_none_or(|current| value < 10.0 && current >= 20.0 && current % 10.0 == 0.0 || current % 100.0 == 0.0 && value < 100.0);
            if !fits {
                break;
            }
            current = Some(current.unwrap_or(0.0) + value);
            step = 1.0;
        } else if let (Some(multiple), Some(value)) = (scale(&word, false), current) {
            if multiple == 100.0 {
                current = Some(value * 100.0);
                step = 100.0;
            } else {
                total += value * multiple;
                current = None;
                step = multiple;
                // A smaller part may follow: two thousand five hundred.
                if unit(&reader.word(next + 1)).is_none() && tens(&reader.word(next + 1)).is_none() {
                    next += 1;
                    break;
                }
            }
        } else if next > at && (reader.raw(next) == "-" || word == "and" && step >= 100.0) && follows(reader, next + 1) {
            next += 1;
            continue;
        } else {
            break;
        }
        next += 1;
    }
    let mut value = total + current.unwrap_or(0.0);
    if next > at && ["and", "a", "half"].iter().zip(next..).all(|(word, place)| reader.word(place) == *word) {
        value += 0.5;
        step = 0.5;
        next += 3;
    }
    if next > at && value == 1.0 {
        let mut number = reader.made(at, next, value, step, Measure::Count);
        number.spelled = true;
        number.ambiguous = true;
        return Some(Spelled::Done(number));
    }
    (next > at).then_some(Spelled::Count { value, step, next })
}

fn follows(reader: &Reader, at: usize) -> bool {
    let word = reader.word(at);
    unit(&word).or_else(|| tens(&word)).is_some()
}

fn unit(word: &str) -> Option<f64> {
    const UNITS: [&str; 19] = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    UNITS.iter().position(|unit| *unit == word).map(|place| place as f64 + 1.0)
}

fn tens(word: &str) -> Option<f64> {
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    TENS.iter().position(|tens| *tens == word).map(|place| (place as f64 + 2.0) * 10.0)
}

pub fn ordinal(word: &str) -> Option<f64> {
    const ORDINALS: [&str; 21] = [
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
        "thirteenth",
        "fourteenth",
        "fifteenth",
        "sixteenth",
        "seventeenth",
        "eighteenth",
        "nineteenth",
        "twentieth",
        "twentyfirst",
    ];
    ORDINALS.iter().position(|ordinal| *ordinal == word).map(|place| place as f64 + 1.0)
}

fn decade(word: &str) -> Option<f64> {
    const DECADES: [&str; 8] = ["twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"];
    DECADES.iter().position(|decade| *decade == word).map(|place| 1920.0 + 10.0 * place as f64)
}
