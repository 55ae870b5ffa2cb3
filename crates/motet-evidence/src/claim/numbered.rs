//! Numbers that a sentence gives to several things in a row, `ten minutes by car and seven by train`, and numbers that name a thing, `section 2`.
//! Only where the sentence shows another thing in the place of the claim's; nearness of words is weighed in `binding`.

use super::binding::{Bound, same_kind};
use super::matching::Matching;
use super::page::Page;
use super::shares::segment;
use super::statement::{Part, Statement};
use super::wording::Wording;
use crate::text::{Measure, Number, Token, fold};

/// Whether the page has the number, and says of the claim's thing another one.
pub fn is_of_another(matching: &Matching, bound: &Bound) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    let Part::Number(number) = &statement.slots[bound.part].part else { return false };
    names_another(statement, page, number) || is_listed_otherwise(matching, bound, number)
}

/// Words whose number tells which of them is meant.
const NUMBERED: [&str; 29] = [
    "section",
    "chapter",
    "paragraph",
    "clause",
    "rule",
    "page",
    "figure",
    "table",
    "volume",
    "part",
    "phase",
    "stage",
    "round",
    "level",
    "grade",
    "class",
    "category",
    "type",
    "group",
    "platform",
    "runway",
    "gate",
    "room",
    "route",
    "line",
    "reactor",
    "block",
    "unit",
    "flight",
];

/// `Section 2` where the page has section 3 and no section 2, nor several at once: `sections 2 and 3`, `chapters 4-6`.
fn names_another(statement: &Statement, page: &Page, number: &Number) -> bool {
    let Some(naming) = named_by(statement.text, &statement.tokens, number) else { return false };
    let mut found = page.numbers.iter().filter(|(found, _)| named_by(&page.text, &page.tokens, found).as_ref() == Some(&naming)).peekable();
    found.peek().is_some() && !found.any(|(found, _)| found.value == number.value) && !has_plural(page, &naming)
}

fn has_plural(page: &Page, naming: &str) -> bool {
    let plural = match naming {
        "class" => "classes".to_string(),
        "category" => "categories".to_string(),
        naming => format!("{naming}s"),
    };
    page.tokens.iter().any(|token| token.of(&page.text).eq_ignore_ascii_case(&plural))
}

/// The word before a number that it tells apart from others of its kind.
fn named_by(text: &str, tokens: &[Token], number: &Number) -> Option<String> {
    let before = fold(tokens.get(number.from.checked_sub(1)?)?.of(text));
    let is_bare = number.unit.is_none() && matches!(number.measure, Measure::Count | Measure::Ordinal);
    (is_bare && NUMBERED.contains(&before.as_str())).then_some(before)
}

/// `567 points` of Hong Kong where the sentence says `Hong Kong with 573 and Russia with 567`.
fn is_listed_otherwise(matching: &Matching, bound: &Bound, number: &Number) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    let is_only = statement.numbers().filter(|(_, other)| same_kind(other, number)).count() == 1;
    let mut places = page.numbers.iter().filter(|(found, _)| !found.ambiguous && found.bears_out(number));
    let (Some((here, sentence)), None) = (places.next(), places.next()) else { return false };
    if !is_only || here.span != bound.place || is_date(here) {
        return false;
    }
    let tokens = page.sentences[*sentence].tokens;
    let is_like = |found: &&Number| !found.ambiguous && same_kind(found, here);
    let numbers: Vec<&Number> = page.numbers_in(*sentence).filter(is_like).collect();
    let list = List { matching, here, tokens, numbers };
    things(statement).into_iter().any(|thing| list.gives_another(&thing))
}

fn is_date(number: &Number) -> bool {
    matches!(number.measure, Measure::Year | Measure::Month | Measure::Day { .. } | Measure::Time { .. } | Measure::Ordinal)
}

/// A word of the claim by which one of several things is told from the others.
struct Thing {
    part: usize,
    told_by: Told,
}

enum Told {
    /// It is a name.
    Name,
    /// It stands behind this preposition: `by train`.
    Preposition(String),
    /// It stands before this word: `mean depth`.
    Before(usize),
}

fn things(statement: &Statement) -> Vec<Thing> {
    const PREPOSITIONS: [&str; 8] = ["by", "in", "under", "for", "among", "at", "with", "on"];
    let claim = Wording::from(statement);
    let names =
        statement.names.iter().filter_map(|name| statement.slot_of(*name.words.last()?)).map(|part| Thing { part, told_by: Told::Name });
    let plain = (0..statement.slots.len()).filter(|part| matches!(statement.slots[*part].part, Part::Word { in_name: false, .. }));
    let others = plain.flat_map(|part| {
        let at = statement.slots[part].token;
        let before = (0..at).rev().find(|at| !claim.is_article(*at)).map(|at| fold(claim.raw(at)));
        let preposition = before.filter(|before| PREPOSITIONS.contains(&before.as_str())).map(Told::Preposition);
        let modified = statement.slot_of(at + 1).map(Told::Before);
        preposition.into_iter().chain(modified).map(move |told_by| Thing { part, told_by })
    });
    names.chain(others).collect()
}

/// A sentence with several numbers of one kind.
struct List<'a> {
    matching: &'a Matching<'a>,
    here: &'a Number,
    tokens: (usize, usize),
    numbers: Vec<&'a Number>,
}

impl List<'_> {
    /// Whether the thing stands once, in a part of the list with one number that is not the claim's, and the part of the claim's number has
    /// another thing that is told in the same way.
    fn gives_another(&self, thing: &Thing) -> bool {
        let [(at, _)] = self.matching.places(thing.part, self.tokens) else { return false };
        let part = segment(self.matching.page, self.tokens, &self.numbers, *at);
        let own = segment(self.matching.page, self.tokens, &self.numbers, self.here.tokens.0);
        let count = |(from, to): (usize, usize)| self.numbers.iter().filter(|number| (from..to).contains(&number.tokens.0)).count();
        part != own && count(part) == 1 && count(own) == 1 && self.is_told_so(thing, *at) && self.has_counterpart(thing, part, own)
    }

    fn raw(&self, at: usize) -> &str {
        self.matching.told().raw(at)
    }

    /// Whether the sentence tells the thing by the same preposition or before the same word.
    fn is_told_so(&self, thing: &Thing, at: usize) -> bool {
        match &thing.told_by {
            Told::Name => true,
            Told::Preposition(preposition) => {
                let before = (self.tokens.0..at).rev().find(|at| !self.matching.told().is_article(*at));
                before.is_some_and(|at| fold(self.raw(at)) == *preposition)
            }
            Told::Before(head) => !self.matching.places(*head, (at + 1, at + 2)).is_empty(),
        }
    }

    /// Whether something else has the place of the thing beside the claim's number, or between it and the other number.
    fn has_counterpart(&self, thing: &Thing, part: (usize, usize), own: (usize, usize)) -> bool {
        let (from, to) = if own.0 < part.0 { (own.0, part.0) } else { own };
        let is_another = |at: usize| self.matching.told().is_content(at) && !self.matching.meets((at, at + 1));
        (from..to).any(|at| match &thing.told_by {
            Told::Name => is_another(at) && self.raw(at).starts_with(char::is_uppercase) && at > self.tokens.0,
            Told::Preposition(preposition) => {
                let next = (at + 1..to).find(|at| !self.matching.told().is_article(*at));
                fold(self.raw(at)) == *preposition && next.is_some_and(is_another)
            }
            Told::Before(head) => at + 1 < to && is_another(at) && !self.matching.places(*head, (at + 1, at + 2)).is_empty(),
        })
    }
}
