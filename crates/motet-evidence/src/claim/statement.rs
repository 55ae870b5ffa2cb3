//! A claim, read once: the words, numbers and names that a source would have to bear out.
//! It knows no source. What its context says may be left unproven, because it is not this claim that says it.

use std::collections::BTreeSet;

use crate::text::{Kind, Measure, Name, Number, Span, Token, fold, names, numbers, sentences, tokens, words};

/// What somebody says, with what stands around it: a heading, the sentences before, the name of the subject.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claim<'a> {
    pub text: &'a str,
    pub context: &'a str,
}

impl<'a> Claim<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, context: "" }
    }
}

/// One thing that has to be borne out.
#[derive(Clone, Debug)]
pub enum Part {
    Word { folded: String, stem: String, in_name: bool },
    Number(Number),
}

#[derive(Clone, Debug)]
pub struct Slot {
    pub span: Span,
    pub token: usize,
    pub part: Part,
    /// How much it says, before its frequency in a source is known.
    pub weight: f64,
    /// The context says it already.
    pub given: bool,
}

#[derive(Clone, Debug)]
pub struct Statement<'a> {
    pub text: &'a str,
    pub tokens: Vec<Token>,
    pub slots: Vec<Slot>,
    pub names: Vec<Name>,
    /// Other readings of its numbers, by a unit or as a time of the day.
    pub readings: Vec<Number>,
    /// Every word with its stem, stop words too: opposites and negations are among them.
    pub stems: Vec<(usize, String)>,
}

/// A number or a name tells more than a word.
const NUMBER_WEIGHT: f64 = 1.4;
const NAME_FACTOR: f64 = 1.4;

impl<'a> Statement<'a> {
    pub fn of(claim: &Claim<'a>) -> Self {
        Self::within(claim.text, &Context::of(claim.context))
    }

    /// What a text says among what was said already.
    pub fn within(text: &'a str, context: &Context) -> Self {
        let tokens = tokens(text);
        let starts: Vec<usize> = sentences(text).iter().map(|span| span.start).collect();
        let numbers = numbers(text, &tokens);
        let mut names = names(text, &tokens, &starts, &context.capitalised);
        if is_title_case(text, &tokens) {
            names.clear();
        }
        // `MW` after a number is its unit and `US` before its `$` a currency; neither is an acronym.
        let is_around = |at: usize| {
            numbers.iter().any(|number| (number.from..number.tokens.0).contains(&at) || (number.tokens.1..number.unit_end).contains(&at))
        };
        names.retain(|name| !name.words.iter().all(|word| is_around(*word)));
        let in_names: BTreeSet<usize> = names.iter().flat_map(|name| name.words.iter().copied()).collect();
        let mut slots = Vec::new();
        let mut stems = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            for number in numbers.iter().filter(|number| number.tokens.0 == at && !number.ambiguous) {
                let given = context.numbers.iter().any(|said| said.bears_out(number));
                slots.push(Slot { span: number.span, token: at, part: Part::Number(*number), weight: NUMBER_WEIGHT, given });
            }
            let in_number = numbers.iter().any(|number| !number.ambiguous && (number.tokens.0..number.tokens.1).contains(&at));
            if token.kind != Kind::Word {
                continue;
            }
            let folded = fold(token.of(text));
            let stem = words::stem(&folded);
            stems.push((at, stem.clone()));
            let in_name = in_names.contains(&at);
            let weight = words::weight(&folded) * if in_name { NAME_FACTOR } else { 1.0 };
            if is_around(at) || in_number || weight == 0.0 && !in_name || folded.chars().count() < 2 {
                continue;
            }
            let given = context.stems.contains(&stem);
            slots.push(Slot { span: token.span, token: at, part: Part::Word { folded, stem, in_name }, weight: weight.max(0.5), given });
        }
        let is_reading = |number: &&Number| number.ambiguous && (number.unit.is_some() || matches!(number.measure, Measure::Time { .. }));
        let readings = numbers.iter().filter(is_reading).copied().collect();
        Self { text, tokens, slots, names, readings, stems }
    }

    pub fn numbers(&self) -> impl Iterator<Item = (usize, &Number)> {
        self.slots.iter().enumerate().filter_map(|(place, slot)| match &slot.part {
            Part::Number(number) => Some((place, number)),
            Part::Word { .. } => None,
        })
    }

    /// The slot of a token.
    pub fn slot_of(&self, token: usize) -> Option<usize> {
        self.slots.iter().position(|slot| slot.token == token && matches!(slot.part, Part::Word { .. }))
    }
}

/// Where Nearly Every Word Has a Capital, capitals name nothing.
fn is_title_case(text: &str, tokens: &[Token]) -> bool {
    let words: Vec<&str> = tokens.iter().filter(|token| token.kind == Kind::Word).map(|token| token.of(text)).collect();
    let long: Vec<&&str> = words.iter().skip(1).filter(|word| word.len() > 3).collect();
    let capital = long.iter().filter(|word| word.starts_with(char::is_uppercase)).count();
    long.len() >= 5 && capital * 10 >= long.len() * 9
}

/// What need not be proved, because it is not the claim that says it.
#[derive(Default)]
pub struct Context {
    stems: BTreeSet<String>,
    capitalised: BTreeSet<String>,
    numbers: Vec<Number>,
}

impl Context {
    pub fn of(text: &str) -> Self {
        let mut context = Self::default();
        context.add(text);
        context
    }

    /// From here on this was said as well.
    pub fn add(&mut self, text: &str) {
        let tokens = tokens(text);
        let words = || tokens.iter().filter(|token| token.kind == Kind::Word).map(|token| token.of(text));
        self.stems.extend(words().map(|word| words::stem(&fold(word))));
        let capital = words().filter(|word| word.starts_with(char::is_uppercase)).map(fold);
        self.capitalised.extend(capital.filter(|word| !words::is_common(word)));
        self.numbers.extend(numbers(text, &tokens));
    }
}
