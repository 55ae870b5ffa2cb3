//! A clause as subject, attribute and value, where it speaks of an attribute that the table knows; what it says else is left to others.
//! The subject is every word up to the attribute and the value that belongs to neither, so a part of a thing is not the thing.

use std::collections::BTreeSet;

use super::attribute::{Answer, Attribute, is_filler, is_intention, is_kind, spoken_of};
use super::clauses::clauses;
use super::said::{Named, Said, without_authority};
use super::value::{Value, values};
use super::vocabulary::{is_light_verb, is_month, is_preposition, is_pronoun, is_unit_word, is_verb};
use crate::text::{Kind, Name, Token, fold, names, numbers, sentences, tokens, words};

#[derive(Debug)]
pub struct Stated {
    pub attribute: &'static Attribute,
    pub subject: Subject,
    pub given: Given,
    /// The whole clause, for its years, places and authority.
    pub said: Said,
    /// It is meant to be so, or lies in a range.
    pub is_vague: bool,
    /// It was so and may be so no more.
    pub is_past: bool,
}

#[derive(Debug)]
pub enum Given {
    Value(Value),
    Names(Vec<Named>),
}

/// Stems of what it is called by, and of what kind it is said to be.
#[derive(Debug, Default)]
pub struct Subject {
    pub words: BTreeSet<String>,
    pub names: BTreeSet<String>,
    pub kinds: BTreeSet<String>,
}

/// So far from its attribute a value may stand, in tokens.
const REACH: usize = 9;

impl Stated {
    pub fn all_of(statement: &str, title: &str) -> Vec<Self> {
        clauses(statement, title).iter().flat_map(|clause| Self::of_clause(clause)).collect()
    }

    fn of_clause(clause: &str) -> Vec<Self> {
        let (text, authority) = without_authority(clause);
        let line = Line::of(&text);
        let mut found: Vec<Self> = Vec::new();
        for at in 0..line.words.len() {
            let Some((attribute, length, is_bearer)) = spoken_of(&line.words, at) else { continue };
            let place = (at, at + length);
            let value =
                line.value(attribute, place).filter(|_| !is_bearer).map(|value| (line.subject_of_value(place, value), value.clone()));
            let read = match value {
                Some((subject, value)) => Some((subject, Given::Value(value))),
                None if !attribute.answers.contains(&Answer::Name) => None,
                None if is_bearer => line.bearer(place).map(|(subject, names)| (subject, Given::Names(names))),
                None => line.doer(place).map(|(subject, names)| (subject, Given::Names(names))),
            };
            let Some((subject, given)) = read else { continue };
            let said = Said { authority: authority.clone(), ..Said::of(&text) };
            let has = |words: &[&str]| line.words.iter().any(|word| words.contains(&word.as_str()));
            let is_vague = line.words.iter().any(|word| is_intention(word)) || has(&["between"]) && !attribute.name.contains("distance");
            // `She led it` was so, `it is led by her` is so.
            let is_past = has(&["was", "were", "had", "until", "former"]) || has(&["led", "headed"]) && !has(&["is", "are"]);
            found.push(Self { attribute, subject, given, said, is_vague, is_past });
        }
        found
    }
}

struct Line<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// Folded; empty for anything but words.
    words: Vec<String>,
    names: Vec<Name>,
    values: Vec<Value>,
}

impl<'a> Line<'a> {
    fn of(text: &'a str) -> Self {
        let tokens = tokens(text);
        let folded = |token: &Token| if token.kind == Kind::Word { fold(token.of(text)) } else { String::new() };
        let starts: Vec<usize> = sentences(text).iter().map(|span| span.start).collect();
        let values = values(text, &tokens, &numbers(text, &tokens));
        let names = names(text, &tokens, &starts, &BTreeSet::new());
        Self { text, words: tokens.iter().map(folded).collect(), names, values, tokens }
    }

    fn mark(&self, at: usize) -> &str {
        self.tokens.get(at).filter(|token| token.kind == Kind::Mark).map_or("", |token| token.of(self.text))
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// The nearest value of the kind that is asked for. `Grew by 5` says how far it is from another.
    fn value(&self, attribute: &Attribute, (start, end): (usize, usize)) -> Option<&Value> {
        let apart = |value: &&Value| {
            let (first, next) = value.tokens();
            if first >= end { first - end } else { start.saturating_sub(next) }
        };
        let is_change = |value: &Value| {
            let before = (value.tokens().0.saturating_sub(2)..value.tokens().0).any(|at| self.word(at) == "by");
            before && !value.is_date() && !["attended"].contains(&self.word(start))
        };
        let is_answer = |value: &&Value| attribute.answers.iter().any(|answer| value.answers(*answer)) && !is_change(value);
        self.values.iter().filter(is_answer).filter(|value| apart(value) <= REACH).min_by_key(apart)
    }

    fn subject_of_value(&self, attribute: (usize, usize), value: &Value) -> Subject {
        let (first, next) = value.tokens();
        let is_said = |at: usize| at >= attribute.0 && at < attribute.1 || at >= first && at < next;
        let mut end = attribute.1.max(next);
        // What is counted: `640 engineers` are not all that somebody employs.
        while !value.is_date() && end >= next && next > attribute.1 && self.is_content(end) && !is_verb(self.word(end)) {
            end += 1;
        }
        // `Opened to traffic in 1974` is said of no traffic, but `the opening of the hall in 1974` of the hall.
        let is_between = |at: usize| value.is_date() && at >= attribute.1 && self.word(attribute.1) != "of";
        let before = || (0..end).filter(|at| !is_said(*at) && !is_between(*at));
        let mut subject = self.subject(before().filter(|at| !self.is_place(*at)));
        // `In Norvale live 4,000 people` speaks of Norvale.
        if subject.is_empty() {
            subject = self.subject(before());
        }
        if subject.is_empty() {
            subject = self.subject(end..self.end_of_phrase(end));
        }
        // What was earned in a quarter is a part of what was earned in its year.
        subject.words.extend(self.words.iter().filter(|word| ["quarter", "semester"].contains(&word.as_str())).cloned());
        // `Ervik lies 62 kilometres from Morvik` and `the height of 90 metres of the Telmar Tower`.
        for name in self.names.iter().filter(|name| name.words[0] >= end && self.is_behind(name.words[0], &["of", "from", "to"])) {
            let more = self.subject(name.words.iter().copied());
            subject.words.extend(more.words);
            subject.names.extend(more.names);
        }
        subject
    }

    fn is_behind(&self, at: usize, prepositions: &[&str]) -> bool {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| self.word(at));
        let direct = if before(1) == "the" { before(2) } else { before(1) };
        prepositions.contains(&direct)
    }

    /// Up to the next verb, or the next comma with something before it.
    fn end_of_phrase(&self, start: usize) -> usize {
        let mut has_content = false;
        (start..self.words.len())
            .find(|at| {
                has_content |= self.is_content(*at);
                has_content && (self.mark(*at) == "," || is_verb(self.word(*at)) && !self.is_in_name(*at))
            })
            .unwrap_or(self.words.len())
    }

    fn is_in_name(&self, at: usize) -> bool {
        self.names.iter().any(|name| name.words.contains(&at))
    }

    /// Whether it says where something is so, which is scope.
    fn is_place(&self, at: usize) -> bool {
        self.names.iter().any(|name| name.words.contains(&at) && self.is_behind(name.words[0], &["in", "at", "near"]))
    }

    fn is_content(&self, at: usize) -> bool {
        let word = self.word(at);
        !word.is_empty() && !words::is_stop(word) && !is_preposition(word)
    }

    fn is_of_value(&self, at: usize) -> bool {
        let follows = |value: &Value| value.tokens().1 == at || value.tokens().1 + 1 == at;
        let is_within = |value: &Value| at >= value.tokens().0 && at < value.tokens().1;
        self.values.iter().any(|value| is_within(value) || follows(value) && is_unit_word(self.word(at)))
            || super::vocabulary::currency(self.word(at)).is_some()
    }

    fn subject(&self, places: impl Iterator<Item = usize>) -> Subject {
        let mut subject = Subject::default();
        for at in places {
            let word = self.word(at);
            let is_grammar = is_light_verb(word) || is_month(word) || is_pronoun(word) || is_filler(word) || is_intention(word);
            let is_number = word.chars().all(|letter| letter.is_ascii_digit());
            if !self.is_content(at) || is_grammar || is_number || self.is_of_value(at) {
                continue;
            }
            let stem = words::stem(word);
            match () {
                () if is_kind(word) => drop(subject.kinds.insert(stem)),
                () if self.is_in_name(at) => drop(subject.names.insert(stem)),
                () => drop(subject.words.insert(stem)),
            }
        }
        // `The company` alone is all that it is called.
        if subject.is_empty() {
            subject.words = std::mem::take(&mut subject.kinds);
        }
        subject
    }

    /// Names that begin at a place and are joined by `and` or a comma.
    fn names_from(&self, start: usize) -> Vec<Named> {
        let mut found = Vec::new();
        let mut at = start;
        while let Some(name) = self.names.iter().find(|name| name.words[0] == at || name.words[0] == at + 1 && self.is_capital(at)) {
            found.push(self.named(name));
            at = name.words[name.words.len() - 1] + 1;
            if self.mark(at) == "," || self.word(at) == "and" {
                at += 1;
            }
        }
        found
    }

    /// `Jan` of `Jan Decker` may be a month, and is then seen as no part of the name.
    fn is_capital(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.of(self.text).starts_with(char::is_uppercase))
    }

    fn named(&self, name: &Name) -> Named {
        let written = name.span.of(self.text);
        (written.split_whitespace().map(fold).collect::<Vec<_>>().join(" "), written.to_string())
    }

    /// All names before a place, if the last of them ends there and nothing but `and` is between them.
    fn names_up_to(&self, end: usize) -> Vec<Named> {
        let first = (0..end).find(|at| !self.names_from(*at).is_empty());
        let before: Vec<&Name> = self.names.iter().filter(|name| name.words[0] < end).collect();
        let ends_there = before.last().is_some_and(|name| name.words[name.words.len() - 1] + 1 == end);
        match first.filter(|_| ends_there) {
            Some(first) => Some(self.names_from(first)).filter(|names| names.len() == before.len()).unwrap_or_default(),
            None => Vec::new(),
        }
    }

    /// `The tower was designed by Ada Roe` and `Ada Roe designed the tower`.
    fn doer(&self, (start, end): (usize, usize)) -> Option<(Subject, Vec<Named>)> {
        let by = (end..end + 3).find(|at| self.word(*at) == "by");
        if let Some(by) = by {
            let article = usize::from(self.word(by + 1) == "the");
            let names = self.names_from(by + 1 + article);
            let subject = self.subject(0..start);
            return (!names.is_empty() && !subject.is_empty()).then_some((subject, names));
        }
        let names = self.names_up_to(start);
        let stop = (end..self.words.len()).find(|at| self.mark(*at) == "," || is_preposition(self.word(*at)) && self.word(*at) != "of");
        let subject = self.subject(end..stop.unwrap_or(self.words.len()));
        (!names.is_empty() && !subject.names.is_empty()).then_some((subject, names))
    }

    /// `The architect of the tower was Ada Roe` and `Ada Roe is the architect of the tower`.
    fn bearer(&self, (start, end): (usize, usize)) -> Option<(Subject, Vec<Named>)> {
        let is_joining = |at: &usize| ["is", "was"].contains(&self.word(*at));
        if let Some(verb) = (end..(end + REACH).min(self.words.len())).find(is_joining) {
            let names = self.names_from(verb + 1);
            let subject = self.subject((0..verb).filter(|at| !(start..end).contains(at)));
            return (!names.is_empty() && !subject.is_empty()).then_some((subject, names));
        }
        let verb = (0..start).rev().find(is_joining).filter(|verb| start - verb <= 2)?;
        let names = self.names_up_to(verb);
        let subject = self.subject(end..self.end_of_phrase(end));
        (self.word(end) == "of" && !names.is_empty() && !subject.is_empty()).then_some((subject, names))
    }
}

impl Subject {
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.names.is_empty()
    }

    /// The same words, or `the bridge` for a bridge that the other names. Nobody says what an empty one is.
    pub fn is_same(&self, other: &Self) -> bool {
        let all = |subject: &Self| subject.words.union(&subject.names).cloned().collect::<BTreeSet<String>>();
        let (mine, theirs) = (all(self), all(other));
        let is_other_kind = !self.kinds.is_empty() && !other.kinds.is_empty() && self.kinds.is_disjoint(&other.kinds);
        let is_nameless_for = |one: &Self, other: &Self| {
            let (short, long) = (all(one), all(other));
            one.names.is_empty()
                && !short.is_empty()
                && short.is_subset(&long)
                && long.difference(&short).all(|word| other.names.contains(word))
        };
        !is_other_kind && (mine == theirs || is_nameless_for(self, other) || is_nameless_for(other, self))
    }
}
