//! Reads the sentences of `require` into rules.
//! Whether they hold is decided by `check`.

use super::codes;
use super::reader::suggest;
use super::reading::{Reading, Sees, Use};
use super::yaml::Node;
use crate::definition::{Place, Requirement, Rule, StateDefinition};
use crate::diagnostic::Span;
use crate::expression::Expression;
use crate::names::StateName;

const SENTENCES: &str = "a rule is one of\n`every path to A passes B, C`\n`no path from A to B avoids C, D`\n`after A only B, C`\n`A is entered at most N times [per B, C]`";

pub fn require(reading: &mut Reading<'_>, node: Option<&Node>, states: &[StateDefinition]) -> Vec<Requirement> {
    let mut requirements = Vec::new();
    for (key, value) in reading.reader.entries(node, "require") {
        let Some(text) = reading.reader.text(value, "a rule") else { continue };
        let mut sentence = Sentence { reading, states, text, span: value.text_span(), understood: false };
        let rule = sentence.rule();
        if rule.is_none() && !sentence.understood {
            let problem = reading.reader.error(codes::REQUIRE_SENTENCE, &value.span, "this rule cannot be understood");
            problem.help.push(SENTENCES.into());
        }
        requirements.extend(rule.map(|rule| Requirement { name: key.text.clone(), rule, text: text.to_owned(), span: value.span.clone() }));
    }
    requirements
}

struct Sentence<'s, 'r> {
    reading: &'s mut Reading<'r>,
    states: &'s [StateDefinition],
    text: &'s str,
    span: Span,
    /// The form of the sentence is right, whatever its names are.
    understood: bool,
}

impl Sentence<'_, '_> {
    fn rule(&mut self) -> Option<Rule> {
        let text = self.text;
        if let Some(rest) = text.strip_prefix("every path to ") {
            let (to, through) = rest.split_once(" passes ")?;
            let (to, through) = (self.place(to), self.places(through));
            return Some(Rule::EveryPathPasses { to: to?, through: through? });
        }
        if let Some(rest) = text.strip_prefix("no path from ") {
            let (from, rest) = rest.split_once(" to ")?;
            let (to, avoiding) = rest.split_once(" avoids ")?;
            let (from, to, avoiding) = (self.place(from), self.place(to), self.places(avoiding));
            return Some(Rule::NoPathAvoids { from: from?, to: to?, avoiding: avoiding? });
        }
        if let Some(rest) = text.strip_prefix("after ") {
            let (after, only) = rest.split_once(" only ")?;
            let (after, only) = (self.place(after), self.state_names(only));
            return Some(Rule::AfterOnly { after: after?, only: only? });
        }
        let (state, rest) = text.split_once(" is entered at most ")?;
        let (times, per) = match rest.split_once(" per ") {
            Some((times, per)) => (times, Some(per)),
            None => (rest, None),
        };
        let times = times.strip_suffix(" times").or_else(|| times.strip_suffix(" time")).or_else(|| (times == "once").then_some("1"))?;
        let (state, times) = (self.state_name(state), self.times(times.trim()));
        let per = per.map_or(Some(Vec::new()), |per| self.places(per));
        Some(Rule::EnteredAtMost { state: state?, times: times?, per: per? })
    }

    fn places(&mut self, text: &str) -> Option<Vec<Place>> {
        let places: Vec<Option<Place>> = text.split(',').map(|place| self.place(place)).collect();
        places.into_iter().collect()
    }

    fn state_names(&mut self, text: &str) -> Option<Vec<StateName>> {
        let names: Vec<Option<StateName>> = text.split(',').map(|name| self.state_name(name)).collect();
        names.into_iter().collect()
    }

    fn place(&mut self, text: &str) -> Option<Place> {
        let text = text.trim();
        let Some((state, outcome)) = text.split_once('.') else {
            return Some(Place { state: self.state_name(text)?, outcome: None });
        };
        let name = self.state_name(state)?;
        // A state that could not be read has been reported; its outcomes are unknown.
        let definition = self.states.iter().find(|definition| definition.name == name)?;
        if !definition.outcomes.iter().any(|known| known == outcome) {
            let span = self.within(text);
            let problem = self.reading.reader.error(codes::UNKNOWN_OUTCOME, &span, format!("`{state}` never ends as `{outcome}`"));
            suggest(problem, outcome, definition.outcomes.iter().map(String::as_str));
            return None;
        }
        Some(Place { state: name, outcome: Some(outcome.to_owned()) })
    }

    fn state_name(&mut self, text: &str) -> Option<StateName> {
        self.understood = true;
        let text = text.trim();
        let span = self.within(text);
        self.reading.known_state(text, &span)
    }

    /// A number or an input, and nothing that only a run could know.
    fn times(&mut self, text: &str) -> Option<Expression> {
        let span = self.within(text);
        let parsed = Expression::parse(text, &span);
        let expression = self.reading.reader.keep(parsed)?;
        let references = expression.located_references().into_iter();
        self.reading.uses.extend(references.map(|found| Use { path: found.path, span: found.span, sees: Sees::Input }));
        Some(expression)
    }

    /// Where a part of the sentence stands; every part is a slice of the text.
    fn within(&self, part: &str) -> Span {
        let offset = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize).filter(|offset| *offset < self.text.len());
        match offset {
            Some(offset) if self.span.length == self.text.chars().count() => Span {
                column: self.span.column + self.text[..offset].chars().count(),
                length: part.chars().count().max(1),
                ..self.span.clone()
            },
            _ => self.span.clone(),
        }
    }
}
