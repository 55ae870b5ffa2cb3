//! Whether a text says all that a claim says and nothing against it: what a second witness, or the words behind a fact, must do.
//! It gives no score. What is put in quite other words is not found here: a score may be likely, a confirmation must be sure.

use super::gate::gate;
use super::ladder::check;
use super::matching::Matching;
use super::opposition;
use super::page::Page;
use super::readings::settle;
use super::statement::{Claim, Part, Statement};
use crate::text::words;

/// From this strength on a word of the text may stand for one of the claim: the same, another form of it, or a synonym.
const SAID: f64 = 0.7;

/// As many sentences in a row make one passage.
const PASSAGE: usize = 2;

/// Another number of the text may fit so much better before it takes the place of the claim's.
const RIVAL: f64 = 0.3;

/// Nobody says so much in two sentences, and comparing it would take long.
const MOST_PARTS: usize = 200;

/// Words that turn round what a sentence goes on to say, or leave it open.
const TURNING: [&str; 24] = [
    "deny",
    "dispute",
    "false",
    "falsely",
    "myth",
    "wrong",
    "wrongly",
    "untrue",
    "refute",
    "reject",
    "doubt",
    "contrary",
    "incorrect",
    "if",
    "unless",
    "misleading",
    "mistaken",
    "debunk",
    "contradict",
    "allege",
    "rumour",
    "supposedly",
    "pretend",
    "unlikely",
];

/// Words that a statement may add to what it quotes, because they claim nothing.
const LIGHT: [&str; 22] = [
    "according",
    "called",
    "named",
    "known",
    "located",
    "situated",
    "approximately",
    "total",
    "amount",
    "number",
    "reported",
    "stated",
    "states",
    "noted",
    "described",
    "currently",
    "source",
    "document",
    "text",
    "mentioned",
    "respectively",
    "namely",
];

/// Whether one passage of the page says everything that the claim says, of the same things in the same roles.
pub fn agrees(claim: &Claim, page: &Page) -> bool {
    let verdict = check(claim, page);
    let measures = &verdict.measures;
    let is_shaded = measures.wider + measures.firmer + measures.other_rank + measures.far_numbers > 0.0 || measures.rival_numbers > RIVAL;
    if !verdict.missing.is_empty() || verdict.is_opposed() || is_shaded {
        return false;
    }
    let statement = settle(Statement::of(claim), page);
    if statement.slots.len() > MOST_PARTS {
        return false;
    }
    let matching = Matching::of(&statement, page);
    let excused = gate(&matching).excused;
    let asked: Vec<usize> = (0..statement.slots.len()).filter(|part| !excused.contains(part)).collect();
    let last = page.sentences.len();
    let passages = (0..last).flat_map(|first| (first + 1..=(first + PASSAGE).min(last)).map(move |end| first..end));
    let said = |part: usize, passage: &std::ops::Range<usize>| passage.clone().any(|sentence| matching.strength(part, sentence) >= SAID);
    let mut whole = passages.filter(|passage| asked.iter().all(|part| said(*part, passage)));
    !asked.is_empty()
        && whole
            .any(|passage| passage.into_iter().all(|sentence| !turns(&statement, page, sentence) && !is_turned_round(&matching, sentence)))
}

/// What a claim says in words that a text does not have, numbers and names aside.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Unsaid {
    /// Words that neither the text nor the claim's context has, and that the claim does not only use to tell whose words they are.
    pub words: Vec<String>,
    /// How many words were looked for.
    pub asked: usize,
}

/// A word that the context has may name what the text calls `it`; so it must stand before something that the text itself says.
pub fn unsaid(claim: &Claim, page: &Page) -> Unsaid {
    let statement = Statement::of(claim);
    let matching = Matching::of(&statement, page);
    let is_said = |part: usize| matching.anywhere(part) >= SAID;
    let is_claiming = |part: &usize| match &statement.slots[*part].part {
        Part::Word { folded, in_name, .. } => !in_name && !LIGHT.contains(&folded.as_str()),
        Part::Number(_) => false,
    };
    let asked: Vec<usize> = (0..statement.slots.len()).filter(is_claiming).collect();
    let names_the_subject = |part: usize| {
        statement.slots[part].given && (part + 1..statement.slots.len()).any(|later| !is_name(&statement, later) && is_said(later))
    };
    let lost = asked.iter().filter(|part| !is_said(**part) && !names_the_subject(**part));
    Unsaid { words: lost.map(|part| statement.slots[*part].span.of(statement.text).to_string()).collect(), asked: asked.len() }
}

fn is_name(statement: &Statement, part: usize) -> bool {
    matches!(statement.slots[part].part, Part::Word { in_name: true, .. })
}

/// Whether a sentence has a word that turns it round, and that the claim has not.
fn turns(statement: &Statement, page: &Page, sentence: usize) -> bool {
    let said: Vec<&str> = opposition::stems(page, sentence).collect();
    let turning = TURNING.iter().map(|word| words::stem(word));
    turning.into_iter().any(|stem| said.contains(&stem.as_str()) && !statement.stems.iter().any(|(_, own)| *own == stem))
}

/// `The council sued the company` where the sentence says `the company sued the council`. A passive with `by` says the same.
fn is_turned_round(matching: &Matching, sentence: usize) -> bool {
    let (statement, page) = (matching.statement, matching.page);
    let meetings: Vec<_> = matching.in_sentence(sentence).iter().filter(|meeting| f64::from(meeting.strength) >= SAID).collect();
    let is_word = |part: usize| matches!(statement.slots[part].part, Part::Word { .. });
    // A word that stands on both sides tells no side.
    let once = |part: usize| {
        let mut places = meetings.iter().filter(|meeting| meeting.part == part).map(|meeting| meeting.token);
        let place = places.next()?;
        let is_shared = meetings.iter().any(|meeting| meeting.token == place && meeting.part != part);
        (places.next().is_none() && !is_shared).then_some(place)
    };
    let placed: Vec<(usize, usize)> =
        (0..statement.slots.len()).filter(|part| is_word(*part)).filter_map(|part| Some((part, once(part)?))).collect();
    let claim_by = |from: usize, to: usize| {
        let (from, to) = (statement.slots[from].token, statement.slots[to].token);
        statement.tokens[from..to].iter().any(|token| token.of(statement.text) == "by")
    };
    let page_by = |from: usize, to: usize| page.tokens[from..to].iter().any(|token| token.of(&page.text) == "by");
    placed.iter().enumerate().any(|(at, (verb, middle))| {
        !is_name(statement, *verb)
            && placed[..at].iter().any(|(_, before)| {
                placed[at + 1..]
                    .iter()
                    .any(|(second, after)| after < middle && middle < before && claim_by(*verb, *second) == page_by(*middle, *before))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_agreement(statement: &str, text: &str, expected: bool) {
        assert_eq!(agrees(&Claim::new(statement), &Page::of(text)), expected, "{statement} / {text}");
    }

    #[test]
    fn a_text_agrees_if_one_passage_says_it_all() {
        check_agreement("The bridge opened in 1932.", "After eight years of work the bridge was opened, in 1932.", true);
        check_agreement("The council sued the company.", "The company was sued by the council last year.", true);
        check_agreement("The dam was completed in 1963.", "The dam is tall. It was completed in 1963 after nine years.", true);
        check_agreement("The dam was completed in 1963 by convicts.", "The dam was completed in 1963 after nine years.", false);
        let apart = "The dam is tall. Two villages lie below. Many visitors come. The church was completed in 1963.";
        check_agreement("The dam was completed in 1963.", apart, false);
    }

    #[test]
    fn what_says_the_opposite_with_the_same_words_does_not_agree() {
        let office = "Employees in the office are more productive than employees who work at home.";
        let home = "Employees who work at home are more productive than employees in the office, because they sleep longer.";
        check_agreement(office, home, false);
        check_agreement(home, office, false);
        check_agreement("The council sued the company.", "The company sued the council.", false);
        check_agreement("Coffee is good for the heart.", "Coffee is not good for the heart.", false);
        check_agreement("Coffee is good for the heart.", "It is a myth that coffee is good for the heart.", false);
        check_agreement("Coffee is good for the heart.", "Coffee may be good for the heart.", false);
        check_agreement("Sales rose in 2019.", "Sales fell in 2019.", false);
        check_agreement("All judges signed the letter.", "Three of the judges signed the letter.", false);
        check_agreement("The bridge is 503 metres long.", "The bridge is 530 metres long.", false);
    }

    #[test]
    fn words_that_no_text_has_are_named() {
        let check = |statement: &str, context: &str, text: &str, expected: &[&str]| {
            let unsaid = unsaid(&Claim { text: statement, context }, &Page::of(text));
            assert_eq!(unsaid.words, expected, "{statement} / {text}");
        };
        check("The Lindholm Bridge is unsafe.", "", "The Lindholm Bridge was opened in 1974.", &["unsafe"]);
        check("The Lindholm Bridge is unsafe.", "The ferry is unsafe.", "The Lindholm Bridge was opened in 1974.", &["unsafe"]);
        check("The dam was completed in 1963.", "The dam is tall.", "It was completed in 1963.", &[]);
        check("The dam was demolished in 1963.", "", "The dam was completed in 1963.", &["demolished"]);
    }
}
