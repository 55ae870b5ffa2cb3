//! What a report says it does not know, in the very forms that are printed for it: such a sentence claims nothing.
//! Whatever else stands behind the same first words is a sentence like any other, and is held to its sources.

use crate::text::{Kind, sentences, tokens};

/// How a report says that a question stays open.
pub const NOT_ANSWERED: &str = "Not answered: ";
/// How it names the sources and pages that brought nothing, each with what became of it in brackets.
pub const NOT_REACHED: &str = "Not reached: ";
/// How it names the words of a question that no source speaks of, each in quotation marks.
const NOTHING_FOUND: &str = "Nothing was found on: ";
const ASKED_IN: &str = ", which is asked for in ";
/// How it says that all words of a question were found, and nowhere together.
const NO_SENTENCE: &str = "No sentence that was found speaks of all that is asked for in ";

/// What may stand behind what was not reached, and what behind a list of which only the beginning is told.
const OUTCOMES: [&str; 7] = ["blocked", "not configured", "rate limited", "not found", "too large", "no text", "failed"];
const MORE: &str = " more, which task.md names";

const LONGEST_WORD: usize = 60;
const LONGEST_NAME: usize = 120;

/// Whether a sentence names only what was not found or not reached. `asked` are the questions of the report, which may be told again whatever
/// numbers they have.
pub fn is_left_open(text: &str, asked: &[String]) -> bool {
    names_unreached(text) || names_words(text, asked) || names_question(text, asked)
}

/// The question that a caveat says stays open, or its questions: nothing else may stand in it, because a question before or behind another
/// sentence is somebody's own.
pub fn question(caveat: &str) -> Option<&str> {
    let asked = caveat.trim_end().strip_prefix(NOT_ANSWERED)?;
    sentences(asked).iter().all(|sentence| sentence.of(asked).ends_with('?')).then_some(asked).filter(|asked| !asked.is_empty())
}

/// A text, each sentence without the first words that only the printer may say: what somebody else puts behind them is told as what it is.
/// None: no sentence begins with them.
pub fn without_openings(text: &str) -> Option<String> {
    let all = sentences(text).into_iter().map(|sentence| sentence.of(text).trim());
    let (whole, told): (Vec<_>, Vec<_>) = all.map(|sentence| (sentence, without_opening(sentence))).unzip();
    (whole != told).then(|| told.into_iter().filter(|sentence| !sentence.is_empty()).collect::<Vec<_>>().join(" "))
}

fn without_opening(sentence: &str) -> &str {
    let mut rest = sentence.trim_start();
    while let Some(behind) = [NOT_ANSWERED, NOT_REACHED].iter().find_map(|opening| strip_words(rest, opening.trim_end())) {
        rest = behind.trim_start();
    }
    rest
}

fn strip_words<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let begins = text.get(..words.len())?;
    begins.eq_ignore_ascii_case(words).then(|| &text[words.len()..])
}

/// `Not reached: searxng (failed), a.example/x (no text) and 5 more, which task.md names.`
fn names_unreached(text: &str) -> bool {
    let Some(list) = text.strip_prefix(NOT_REACHED).map(|list| list.trim_end_matches('.')) else { return false };
    let list = match list.strip_suffix(MORE).and_then(|list| list.rsplit_once(" and ")) {
        Some((list, count)) if count == "one" || count.bytes().all(|byte| byte.is_ascii_digit()) => list,
        Some(_) => return false,
        None => list,
    };
    let is_named = |one: &str| {
        let outcome = one.strip_suffix(')').and_then(|one| one.rsplit_once(" ("));
        outcome.is_some_and(|(name, outcome)| is_word(name, LONGEST_NAME) && OUTCOMES.contains(&outcome))
    };
    list.split(", ").all(is_named)
}

/// `Nothing was found on: “towers”, “paint”, which is asked for in “How many towers were painted”.`
fn names_words(text: &str, asked: &[String]) -> bool {
    let Some(list) = text.strip_prefix(NOTHING_FOUND).map(|list| list.trim_end_matches('.')) else { return false };
    let (list, question) = list.split_once(ASKED_IN).map_or((list, None), |(list, question)| (list, Some(question)));
    // A name may have several words, if the question has them.
    let stands_in = |asked: &String, name: &str| plain(asked).windows(plain(name).len().max(1)).any(|words| words == plain(name));
    let is_named = |name: &str| is_word(name, LONGEST_WORD) || asked.iter().any(|asked| stands_in(asked, name));
    let is_quoted = |one: &str| quoted(one).is_some_and(is_named);
    list.split(", ").all(is_quoted) && question.is_none_or(|question| was_asked(question, asked))
}

/// `No sentence that was found speaks of all that is asked for in “How many towers were painted”.`
fn names_question(text: &str, asked: &[String]) -> bool {
    text.strip_prefix(NO_SENTENCE).is_some_and(|question| was_asked(question.trim_end_matches('.'), asked))
}

fn was_asked(question: &str, asked: &[String]) -> bool {
    quoted(question).is_some_and(|question| asked.iter().any(|asked| plain(asked) == plain(question)))
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('“')?.strip_suffix('”')
}

/// The words of a question and its numbers, however it is marked up.
fn plain(question: &str) -> Vec<String> {
    tokens(question).iter().filter(|token| token.kind != Kind::Mark).map(|token| token.of(question).to_lowercase()).collect()
}

fn is_word(text: &str, longest: usize) -> bool {
    !text.is_empty() && text.len() <= longest && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_printer_says_is_left_open() {
        let asked = ["How many of the *3* towers were painted?".to_string()];
        for open in [
            "Nothing was found on: “towers”.",
            "Nothing was found on: “3”, “towers”",
            "Nothing was found on: “3 towers”.",
            "Nothing was found on: “painted”, which is asked for in “How many of the 3 towers were painted”.",
            "No sentence that was found speaks of all that is asked for in “How many of the 3 towers were painted”.",
            "Not reached: searxng (rate limited), b.example/1932 (blocked).",
            "Not reached: a.example/x (no text) and 5 more, which task.md names.",
            "Not reached: a.example/x (no text) and one more, which task.md names",
        ] {
            assert!(is_left_open(open, &asked), "{open}");
        }
        for claimed in [
            "Nothing was found on: repairs, but the bridge cost 999 million dollars and killed 40 workers.",
            "Nothing was found on: “repairs”, but the bridge cost 999 million.",
            "Nothing was found on: “the bridge that cost 999 million”.",
            "Nothing was found on: “painted”, which is asked for in “the bridge cost 999 million dollars”.",
            "No sentence that was found speaks of all that is asked for in “the bridge cost 999 million dollars”.",
            "No sentence that was found speaks of all that is asked for in “How many of the 3 towers were painted”, but it cost 999 million.",
            "Not reached: the bridge cost 999 million dollars.",
            "Not reached: the bridge cost 999 million dollars (failed).",
            "Not reached: a.example (it cost 999 million).",
            "Not reached: a.example (failed) and 999 million more, which task.md names.",
        ] {
            assert!(!is_left_open(claimed, &asked), "{claimed}");
        }
    }

    #[test]
    fn a_question_stays_open_where_questions_are_all_that_is_said() {
        let check = |caveat: &str, expected: Option<&str>| assert_eq!(question(caveat), expected, "{caveat}");
        check("Not answered: What did it cost in 1932?", Some("What did it cost in 1932?"));
        check("Not answered: What did it cost in 1932? And who paid for it?", Some("What did it cost in 1932? And who paid for it?"));
        check("Not answered: What did it cost? It cost 999 million.", None);
        check("Not answered: It cost 999 million. Who paid for it?", None);
        check("The data are old. Not answered: What did it cost in 1932?", None);
        check("Not answered: it cost 5 pounds.", None);
    }

    #[test]
    fn what_another_puts_behind_the_first_words_is_told_as_it_is() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(without_openings(text).as_deref(), expected);
        check(" not reached:  Not answered: it cost 5?", Some("it cost 5?"));
        check("Nothing was reached.  It is not answered: why?", None);
        check("The data are old. Not answered: Did it cost 5? Not reached: It did.", Some("The data are old. Did it cost 5? It did."));
    }
}
