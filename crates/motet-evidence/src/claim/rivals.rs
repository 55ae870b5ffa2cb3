//! Names that the page has in another shape: another word before the same head, a given name that belongs to somebody else, another chamber.
//! A word of a name counts as missing here although it may stand on the page, because there it belongs to something else.

use super::page::{NOTHING, Page};
use super::statement::Statement;
use super::variants;
use crate::text::{Kind, Name, SIDES, fold, words};

/// The words of a name, by token, in whose place the page has others.
pub fn displaced(statement: &Statement, page: &Page, name: &Name) -> Vec<usize> {
    let words: Vec<String> = name.words.iter().map(|token| fold(statement.tokens[*token].of(statement.text))).collect();
    let mut found = Vec::new();
    if let ([token], [word]) = (name.words.as_slice(), words.as_slice()) {
        return if has_counterpart(word, page) { vec![*token] } else { found };
    }
    for place in 1..words.len() {
        let (word, head) = (words[place - 1].as_str(), words[place].as_str());
        // What stands on both sides of `of` and of a hyphen is no name and its head.
        if name.words[place] != name.words[place - 1] + 1 || stand_together(page, word, head) {
            continue;
        }
        if before(page, head).iter().any(|rival| is_rival(rival, word, head)) || is_another_place(page, word, head) {
            found.push(name.words[place - 1]);
        }
    }
    found
}

/// Whether another word before the same head makes it something else: `Central Bank` for `National Bank`, `South Korea` for `North Korea`,
/// `Otto Brandt` for `Clara Brandt`. `Barack Obama` is no other than `President Obama`.
fn is_rival(rival: &str, word: &str, head: &str) -> bool {
    if are_alike(rival, word) || is_title(word) || is_title(rival) || is_title(head) || is_people(word) {
        return false;
    }
    let is_weak = |word: &str| words::is_generic_in_names(word) || words::is_common(word);
    match words::is_generic_in_names(head) {
        true => is_weak(word),
        false => is_side(word) && is_side(rival) || is_person(word, head) && !is_weak(rival) && !is_people(rival),
    }
}

/// Two spellings of one name, its short form, or its initial.
fn are_alike(rival: &str, word: &str) -> bool {
    let stem = words::stem(rival);
    let is_initial = rival.chars().count() == 1 && word.starts_with(rival);
    rival == word
        || is_initial
        || variants::sound(rival) == variants::sound(word)
        || words::same_names(&words::stem(word)).any(|other| other == stem)
}

/// Neither word is of those that stand in many names, nor the name of a country.
fn is_person(word: &str, head: &str) -> bool {
    let is_plain = |word: &str| !words::is_generic_in_names(word) && !words::is_common(word) && !is_people(word) && word.len() > 2;
    is_plain(word) && is_plain(head)
}

fn is_people(word: &str) -> bool {
    words::is_known_name(word)
}

/// `New York` is not York, wherever else the page says `new`.
fn is_another_place(page: &Page, word: &str, head: &str) -> bool {
    let capital =
        || page.tokens.iter().any(|token| token.of(&page.text).starts_with(char::is_uppercase) && fold(token.of(&page.text)) == word);
    is_side(word) && !words::is_generic_in_names(head) && page.find(&words::stem(head)).is_some() && !capital()
}

fn is_side(word: &str) -> bool {
    SIDES.contains(&word)
}

/// Whether people are called so before their names.
pub fn is_title(word: &str) -> bool {
    TITLES.contains(&word)
}

/// What people are called before their names; it says nothing about who they are.
const TITLES: [&str; 62] = [
    "captain",
    "chairman",
    "chairwoman",
    "chair",
    "chief",
    "director",
    "doctor",
    "duke",
    "executive",
    "general",
    "governor",
    "judge",
    "justice",
    "king",
    "lady",
    "lieutenant",
    "lord",
    "major",
    "mayor",
    "minister",
    "officer",
    "pope",
    "premier",
    "president",
    "prime",
    "prince",
    "princess",
    "professor",
    "queen",
    "saint",
    "secretary",
    "senator",
    "senior",
    "sir",
    "ceo",
    "cfo",
    "coo",
    "cto",
    "mp",
    "jr",
    "sr",
    "chancellor",
    "spokesman",
    "spokeswoman",
    "emperor",
    "empress",
    "count",
    "countess",
    "baron",
    "earl",
    "bishop",
    "archbishop",
    "cardinal",
    "colonel",
    "commander",
    "admiral",
    "commissioner",
    "ambassador",
    "attorney",
    "deputy",
    "vice",
    "member",
];

/// Words between which a claim chooses, each line by itself.
const COUNTERPARTS: [&[&str]; 3] = [
    &["senate", "house", "commons", "lords", "bundestag", "bundesrat"],
    &["republicans", "democrats", "labour", "conservatives", "tories", "liberals", "greens"],
    &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
];

/// Whether the page has another word of the same line and not this one.
fn has_counterpart(word: &str, page: &Page) -> bool {
    let Some(line) = COUNTERPARTS.iter().find(|line| line.contains(&word)) else { return false };
    let says = |wanted: &str| {
        let stem = words::stem(wanted);
        page.find(&stem).is_some_and(|stem| {
            let mut places = page.stems.iter().enumerate().filter(|(_, found)| **found == stem);
            places.any(|(at, _)| page.tokens[at].of(&page.text).starts_with(char::is_uppercase))
        })
    };
    !says(word) && line.iter().any(|other| says(other))
}

/// Days of the week that the claim names and the page has another in place of. A page without any says nothing against one.
pub fn other_days(statement: &Statement, page: &Page) -> Vec<usize> {
    let is_day = |at: &usize| {
        let raw = statement.tokens[*at].of(statement.text);
        statement.tokens[*at].kind == Kind::Word && raw.len() <= 9 && raw.ends_with("day") && raw.starts_with(char::is_uppercase)
    };
    (0..statement.tokens.len()).filter(is_day).filter(|at| has_counterpart(&fold(statement.tokens[*at].of(statement.text)), page)).collect()
}

/// So far from each other may two words of one name stand: `Johann and Maria Huber`, `Huber, Johann`.
const TOGETHER: usize = 3;

fn stand_together(page: &Page, word: &str, head: &str) -> bool {
    let (Some(word), Some(head)) = (page.find(&words::stem(word)), page.find(&words::stem(head))) else { return false };
    let near = |at: usize| &page.stems[at.saturating_sub(TOGETHER)..(at + TOGETHER + 1).min(page.stems.len())];
    page.stems.iter().enumerate().any(|(at, stem)| *stem == head && near(at).contains(&word))
}

/// The capitalised words that stand directly before a capitalised word of the page, folded.
fn before(page: &Page, head: &str) -> Vec<String> {
    let Some(head) = page.find(&words::stem(head)).filter(|stem| *stem != NOTHING) else { return Vec::new() };
    let is_capital = |at: usize| page.tokens[at].kind == Kind::Word && page.tokens[at].of(&page.text).starts_with(char::is_uppercase);
    let places = (1..page.tokens.len()).filter(|at| page.stems[*at] == head && is_capital(*at) && is_capital(*at - 1));
    places.map(|at| fold(page.tokens[at - 1].of(&page.text))).filter(|word| !words::is_stop(word)).collect()
}
