//! Which sentences of a report may stand without a fact: those that lead a reader on and say nothing about the world.
//! It judges no sentence that names a fact, and it knows no topic: whoever wants to say more has to say whence.

use crate::report::is_superlative;
use crate::text::{Kind, fold, numbers, tokens, words};

/// What leads on is said briefly.
const MOST_WORDS: usize = 12;

/// Words about the report itself. Sources, facts and evidence are none of them: what is said of those is a claim.
const LEADING: [&str; 22] = [
    "report",
    "section",
    "part",
    "chapter",
    "paragraph",
    "question",
    "answer",
    "detail",
    "summary",
    "overview",
    "following",
    "follows",
    "next",
    "below",
    "above",
    "turn",
    "look",
    "begin",
    "come",
    "describe",
    "brief",
    "short",
];

/// At most twelve words, at least one of them about the report itself and every other one mere grammar; no number, no superlative, no quotation.
pub fn is_transition(text: &str) -> bool {
    let tokens = tokens(text);
    let said: Vec<String> = tokens.iter().filter(|token| token.kind == Kind::Word).map(|token| fold(token.of(text))).collect();
    let leading: Vec<String> = LEADING.iter().map(|word| words::stem(word)).collect();
    let leads = |word: &String| leading.contains(&words::stem(word));
    said.len() <= MOST_WORDS
        && said.iter().any(leads)
        && said.iter().all(|word| words::is_stop(word) || leads(word))
        && !said.iter().any(|word| is_superlative(word))
        && numbers(text, &tokens).is_empty()
        && !tokens.iter().any(|token| token.kind == Kind::Number)
        && !text.contains(['"', '“', '„', '«'])
}
