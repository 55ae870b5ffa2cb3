//! A number, an amount or a date of a statement: with its unit or currency, what it counts, and as it is written there.
//! Two values are compared in one unit. Money of different currencies is not compared at all.

use super::attribute::Answer;
use super::vocabulary::{currency, is_preposition};
use crate::text::{Kind, Measure, Number, Qualifier, Token, fold, words};

#[derive(Clone, Debug)]
pub struct Value {
    /// A date has its year and, if it says so, its day or month.
    parts: Vec<Number>,
    pub written: String,
    currency: Option<&'static str>,
    /// The stems of the next words: what is counted.
    counted: Vec<String>,
}

/// Amounts that are given in different units may be rounded so far apart.
const ROUNDED: f64 = 0.1;

/// All of a text, with numbers that belong to one date joined. What may be a time is told as one: nobody disputes half of `19:30`.
pub fn values(text: &str, tokens: &[Token], numbers: &[Number]) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let is_time = |number: &Number| number.ambiguous && matches!(number.measure, Measure::Time { .. });
    let is_half = |number: &Number| numbers.iter().any(|time| is_time(time) && time.span.contains(number.span));
    for number in numbers.iter().filter(|number| is_time(number) || !number.ambiguous && !is_half(number)) {
        let joins = |last: &&mut Value| {
            let end = last.parts.last().map_or(0, |part| part.tokens.1);
            is_date(number) && last.is_date() && number.tokens.0 <= end + 1
        };
        match found.last_mut().filter(joins) {
            Some(date) => {
                let start = date.parts.first().map_or(number.span.start, |part| part.span.start);
                date.parts.push(*number);
                date.written = text.get(start..number.span.end).unwrap_or_default().to_string();
            }
            None => found.push(value(text, tokens, number)),
        }
    }
    found
}

impl Value {
    pub fn is_date(&self) -> bool {
        self.parts.iter().all(is_date)
    }

    /// Whether both are dates, or numbers of one measure and one dimension.
    pub fn is_measured_alike(&self, other: &Self) -> bool {
        if self.is_date() || other.is_date() {
            return self.is_date() && other.is_date();
        }
        let (one, two) = (&self.parts[0], &other.parts[0]);
        let same_measure = std::mem::discriminant(&one.measure) == std::mem::discriminant(&two.measure);
        let dimension = |number: &Number| number.unit.map(|unit| unit.dimension);
        same_measure && dimension(one) == dimension(two)
    }

    /// Whether both could be the answer to one question: the same measure, and the same thing counted.
    pub fn is_comparable(&self, other: &Self) -> bool {
        let one = &self.parts[0];
        let same_thing = self.is_date()
            || self.counted.is_empty()
            || other.counted.is_empty()
            || one.measure != Measure::Count
            || one.unit.is_some()
            || self
                .counted
                .iter()
                .any(|stem| other.counted.iter().any(|counted| stem == counted || words::synonyms(stem).any(|word| word == counted)));
        self.is_measured_alike(other) && same_thing
    }

    /// The tokens that it is written in.
    pub fn tokens(&self) -> (usize, usize) {
        (self.parts[0].tokens.0, self.parts[self.parts.len() - 1].tokens.1)
    }

    /// Whether it may be the answer to a question of this kind.
    pub fn answers(&self, answer: Answer) -> bool {
        let number = &self.parts[0];
        match answer {
            Answer::Unit(dimension) => number.unit.is_some_and(|unit| unit.dimension == dimension),
            Answer::Money => number.measure == Measure::Money || self.currency.is_some(),
            Answer::Count => number.measure == Measure::Count && number.unit.is_none() && self.currency.is_none(),
            Answer::Any => !self.is_date(),
            Answer::Date => self.is_date(),
            Answer::Name => false,
        }
    }

    pub fn is_of_another_currency(&self, other: &Self) -> bool {
        self.currency.is_some() && other.currency.is_some() && self.currency != other.currency
    }

    /// Equal, or as equal as rounding allows.
    pub fn agrees(&self, other: &Self) -> bool {
        if self.is_date() && other.is_date() {
            // `1974` does not contradict `14 May 1974`.
            return self.parts.iter().all(|part| match other.parts.iter().find(|found| same_kind(part, found)) {
                Some(found) => part.bears_out(found) || found.bears_out(part),
                None => true,
            });
        }
        let (one, two) = (&self.parts[0], &other.parts[0]);
        let bears_out = one.bears_out(two) || two.bears_out(one);
        let base = Number::base;
        let apart = (base(one) - base(two)).abs() / base(one).abs().max(base(two).abs()).max(f64::MIN_POSITIVE);
        let is_exact = one.qualifier == Qualifier::Exact && two.qualifier == Qualifier::Exact;
        let is_converted = one.unit.map(|unit| unit.factor) != two.unit.map(|unit| unit.factor);
        let is_bounded = |bound: &Number, exact: &Number| match bound.qualifier {
            Qualifier::AtLeast => base(exact) >= base(bound),
            Qualifier::AtMost | Qualifier::Below => base(exact) <= base(bound),
            Qualifier::Exact | Qualifier::About => false,
        };
        if is_bounded(one, two) || is_bounded(two, one) {
            return true;
        }
        bears_out && !(is_exact && is_converted && apart > ROUNDED)
    }
}

fn is_date(number: &Number) -> bool {
    matches!(number.measure, Measure::Year | Measure::Day { .. } | Measure::Month | Measure::Decade | Measure::Century)
}

/// Days and months may stand for each other, and years, decades and centuries.
fn same_kind(one: &Number, other: &Number) -> bool {
    let is_day = |number: &Number| matches!(number.measure, Measure::Day { .. } | Measure::Month);
    is_day(one) == is_day(other)
}

fn value(text: &str, tokens: &[Token], number: &Number) -> Value {
    let raw = |at: usize| tokens.get(at).map_or("", |token| token.of(text));
    let before = number.tokens.0.checked_sub(1).and_then(|at| currency(raw(at)).map(|currency| (at, currency)));
    let next = number.tokens.1;
    let after = currency(raw(next));
    let mut end = match () {
        () if number.measure == Measure::Money && after.is_some() => next + 1,
        // `square kilometres` is one unit of two words.
        () if number.unit.is_some() && ["square", "sq"].contains(&raw(next)) => next + 2,
        () if number.unit.is_some() => next + 1,
        () => next,
    };
    end = end.min(tokens.len());
    let start = before.map_or(number.span.start, |(at, _)| tokens[at].span.start);
    let stop = end.checked_sub(1).map_or(number.span.end, |at| tokens[at].span.end.max(number.span.end));
    let following = (end..tokens.len().min(end + 3)).take_while(|at| tokens[*at].kind == Kind::Word && !is_preposition(&fold(raw(*at))));
    let counted = following.map(|at| fold(raw(at))).filter(|word| !words::is_stop(word)).map(|word| words::stem(&word));
    Value {
        parts: vec![*number],
        written: text.get(start..stop).unwrap_or_default().to_string(),
        currency: before.map(|(_, currency)| currency).or(after),
        counted: counted.collect(),
    }
}
