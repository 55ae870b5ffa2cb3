//! Which way a number went, and whether it says how far or where to: `fell 30 %`, `rose to 30 %`, `down 12 percent`.
//! Only numbers that claim and sentence share are compared, and only where both plainly say which way.

use super::page::Page;
use super::statement::Statement;
use crate::text::{Number, Token};

/// How a number is moved.
#[derive(Clone, Copy, PartialEq)]
struct Movement {
    is_up: bool,
    /// How far, where to, or where from; none if no small word says it.
    role: Role,
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    By,
    To,
    From,
}

/// How many numbers the claim moves in another way than the sentence.
pub fn contradictions(statement: &Statement, page: &Page, sentence: usize) -> usize {
    let claimed = statement.numbers().map(|(_, number)| number).filter(|number| !number.spelled);
    claimed.filter(|number| is_moved_otherwise(statement, page, sentence, number)).count()
}

/// Whether every place where the sentence has the number moves it in another way.
fn is_moved_otherwise(statement: &Statement, page: &Page, sentence: usize, number: &Number) -> bool {
    let Some(own) = movement(&statement.tokens, statement.text, number) else { return false };
    let mut places = page.numbers_in(sentence).filter(|found| found.bears_out(number)).peekable();
    places.peek().is_some()
        && places.all(|found| {
            movement(&page.tokens, &page.text, found).is_some_and(|other| {
                let is_turned = other.is_up != own.is_up;
                let is_level = |role: Role| role != Role::By;
                is_turned && own.role == other.role || !is_turned && is_level(own.role) != is_level(other.role)
            })
        })
}

/// So many tokens before a number may say how it moved.
const REACH: usize = 3;

fn movement(tokens: &[Token], text: &str, number: &Number) -> Option<Movement> {
    let from = number.from;
    let mut role = Role::By;
    for at in (from.saturating_sub(REACH)..from).rev() {
        let raw = tokens[at].of(text);
        if let Some(is_up) = direction(raw) {
            return Some(Movement { is_up, role });
        }
        match raw {
            "to" if at + 1 == from => role = Role::To,
            "from" if at + 1 == from => role = Role::From,
            "by" | "about" | "around" | "nearly" | "almost" | "some" | "roughly" | "over" | "than" | "sharply" | "slightly" | "another" => {
            }
            _ => return None,
        }
    }
    None
}

/// Which way a verb says that something went, if it says so.
fn direction(raw: &str) -> Option<bool> {
    let begins = |words: &[&str]| words.iter().any(|word| raw.get(..word.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(word)));
    let is = |words: &[&str]| words.iter().any(|word| raw.eq_ignore_ascii_case(word));
    match () {
        () if is(&["up", "rise", "rises", "rose", "risen", "rising", "grew", "grow", "grows", "grown", "growing"])
            || begins(&["increas", "climb", "surg", "soar", "jump"]) =>
        {
            Some(true)
        }
        () if is(&["down", "fell", "fall", "falls", "fallen", "falling", "shrank", "shrunk", "sank", "slid"])
            || begins(&["drop", "declin", "decreas", "plung", "slump", "slipp"]) =>
        {
            Some(false)
        }
        () => None,
    }
}
