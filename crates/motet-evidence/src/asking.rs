//! What a question asks about, and whether words that were found speak of enough of it to pass for an answer.
//! It understands no question: what has all of its words may still not answer it, and what puts it in other words may.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::text::words::{self, is_generic_in_names, is_stop, stem, synonyms};
use crate::text::{Kind, fold, is_sign, names, sentences, tokens};

/// The share of a question, by the weight of its words, that an answer speaks of.
const ENOUGH: f64 = 0.66;
/// Where a language has no spaces, pairs of signs stand for words, and every ending makes another pair.
const ENOUGH_OF_SIGNS: f64 = 0.45;
/// What a word counts that stands beside the answer and not in it, and one that only means the same.
const BESIDE: f64 = 0.75;
const SYNONYM: f64 = 0.9;
/// How much more a word weighs that nothing has which was found: what nobody speaks of is hardly answered.
const NOWHERE: f64 = 1.5;
/// A number of so many digits is a year or a name; a shorter one may be written in letters.
const DIGITS_OF_A_NAME: usize = 4;
/// From so many words on, a question in which nearly all have capitals is written as a title.
const WORDS_OF_A_TITLE: usize = 4;

/// Words of a question that say what kind of answer is wanted, and not what it is about.
const ONLY_ASKING: &str = "happen explain describe mean tell say compare list give show find summarise summarize discuss know work \
    wann warum welche welcher welches wie wieso wer was wo wurde wird ist sind der die das quand comment pourquoi quel quelle qui est \
    cuándo cómo cuál dónde qué quién es quando perché dove quale chi متى كيف لماذا أين من ما هل";

/// Before one of these ends what kind of thing `which` asks for. An answer gives one of the kind, and need not name it.
const AFTER_KIND: [&str; 16] =
    ["is", "are", "was", "were", "do", "does", "did", "can", "could", "will", "would", "has", "have", "had", "should", "must"];
const KIND_WORDS: usize = 4;
const KIND_WEIGHT: f64 = 0.5;

/// What a measure may be called where it is told.
const MEASURES: [(&str, &str); 12] = [
    ("heavy", "weigh weight mass"),
    ("tall", "height high"),
    ("high", "height tall"),
    ("long", "length last take duration"),
    ("deep", "depth"),
    ("wide", "width"),
    ("old", "age year"),
    ("big", "size large"),
    ("large", "size big"),
    ("fast", "speed"),
    ("far", "distance"),
    ("expensive", "cost price"),
];

/// What a word that names a doer or a deed ends with, beyond the word for doing it.
const KINSHIP: [&str; 10] = ["er", "or", "r", "ership", "ment", "ance", "al", "ant", "ion", "ur"];

/// How far what was found reaches towards an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reach {
    pub answered: bool,
    /// The words of the question that what comes nearest does not speak of, as they stand there.
    pub missing: Vec<String>,
    /// Those of them that are names or years and stand nowhere: without them it is about something else.
    pub names: Vec<String>,
}

/// The words of a question that an answer would speak of.
pub struct Asked {
    words: Vec<Word>,
    enough: f64,
}

struct Word {
    stem: String,
    written: String,
    weight: f64,
    /// What it weighs where nothing has it: then it matters no more how common it is.
    absent: f64,
    is_name: bool,
}

impl Asked {
    pub fn of<'a>(questions: impl IntoIterator<Item = &'a str>) -> Self {
        let mut found: Vec<Word> = Vec::new();
        for question in questions {
            for word in read(question) {
                match found.iter_mut().find(|known| known.stem == word.stem) {
                    Some(known) => known.is_name |= word.is_name,
                    None => found.push(word),
                }
            }
        }
        if found.iter().any(|word| !only_asks(&word.stem)) {
            found.retain(|word| !only_asks(&word.stem));
        }
        let enough = if found.iter().any(|word| word.stem.contains(is_sign)) { ENOUGH_OF_SIGNS } else { ENOUGH };
        Self { words: found, enough }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Of all that was found, what comes nearest: each with its own words and those beside it. `everywhere` are the words of everything.
    pub fn reach<'a>(
        &self,
        found: impl IntoIterator<Item = (&'a BTreeSet<String>, &'a BTreeSet<String>)>,
        everywhere: &BTreeSet<String>,
    ) -> Reach {
        let weight = |word: &Word| if covers(everywhere, &word.stem) > 0.0 { word.weight } else { NOWHERE * word.absent };
        let possible: f64 = self.words.iter().map(weight).sum();
        let spoken = |word: &Word, own: &BTreeSet<String>, beside: &BTreeSet<String>| {
            covers(own, &word.stem).max(BESIDE * covers(beside, &word.stem))
        };
        let share = |own: &BTreeSet<String>, beside: &BTreeSet<String>| {
            let sum: f64 = self.words.iter().map(|word| word.weight * spoken(word, own, beside)).sum();
            if possible > 0.0 { sum / possible } else { 1.0 }
        };
        let nearest =
            found.into_iter().map(|(own, beside)| (share(own, beside), own, beside)).max_by(|one, other| one.0.total_cmp(&other.0));
        let lacks = |word: &&Word| nearest.is_none_or(|(_, own, beside)| spoken(word, own, beside) == 0.0);
        let written = |words: Vec<&Word>| words.into_iter().map(|word| word.written.clone()).collect::<Vec<_>>();
        let names = self.words.iter().filter(|word| word.is_name && covers(everywhere, &word.stem) == 0.0).collect::<Vec<_>>();
        let answered = names.is_empty() && nearest.is_some_and(|(share, ..)| share >= self.enough);
        let missing = if answered { Vec::new() } else { self.words.iter().filter(lacks).collect() };
        Reach { answered, missing: written(missing), names: written(names) }
    }
}

/// Whether a word of a question says what kind of answer is wanted, and not what it is about.
pub fn only_asks(stem_of_word: &str) -> bool {
    ONLY_ASKING.split_whitespace().any(|word| stem(word) == stem_of_word)
}

/// The stems of all words that carry meaning.
pub fn stems(text: &str) -> BTreeSet<String> {
    stemmed(text).map(|(_, stem)| stem).collect()
}

/// Every word that carries meaning, with its stem. Where a language has no spaces, pairs of signs stand for words, as in the index.
pub fn stemmed(text: &str) -> impl Iterator<Item = (&str, String)> {
    let words = tokens(text).into_iter().filter(|token| token.kind != Kind::Mark).flat_map(|token| {
        let word = token.of(text);
        if word.contains(is_sign) { pairs(word) } else { vec![word] }
    });
    words.map(|word| (word, fold(word))).filter(|(_, folded)| !is_stop(folded)).map(|(word, folded)| (word, stem(&folded)))
}

fn pairs(word: &str) -> Vec<&str> {
    let ends: Vec<usize> = word.char_indices().map(|(at, letter)| at + letter.len_utf8()).collect();
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let pairs: Vec<&str> = starts.zip(ends.iter().skip(1)).map(|(start, end)| &word[start..*end]).collect();
    if pairs.is_empty() { vec![word] } else { pairs }
}

/// The words of one question. Names are known by their capitals, where the question is English and no title.
fn read(question: &str) -> Vec<Word> {
    let tokens = tokens(question);
    let starts: Vec<usize> = sentences(question).iter().map(|span| span.start).collect();
    let is_english = tokens.iter().any(|token| token.kind == Kind::Word && is_stop(&fold(token.of(question))));
    let found: Vec<(&str, String)> = stemmed(question).collect();
    let with_capital = found.iter().filter(|(word, _)| word.starts_with(char::is_uppercase)).count();
    let is_title = found.len() >= WORDS_OF_A_TITLE && with_capital + 1 >= found.len();
    let named: BTreeSet<String> = match is_english && !is_title {
        true => names(question, &tokens, &starts, &BTreeSet::new())
            .iter()
            .flat_map(|name| name.words.iter().map(|at| fold(tokens[*at].of(question))))
            .filter(|word| !is_generic_in_names(word))
            .map(|word| stem(&word))
            .collect(),
        false => BTreeSet::new(),
    };
    let kind = kind_asked_for(question);
    let word = |(written, stem): (&str, String)| {
        let is_year = written.len() >= DIGITS_OF_A_NAME && written.chars().all(|digit| digit.is_ascii_digit());
        let is_name = is_year || named.contains(&stem);
        let full = if is_name { 1.0 } else { words::weight(&fold(written)) };
        let is_kind = kind.contains(&stem) && !is_name;
        let (weight, absent) = if is_kind { (KIND_WEIGHT * full, KIND_WEIGHT * full) } else { (full, 1.0) };
        Word { written: written.to_string(), weight, absent, is_name, stem }
    };
    found.into_iter().map(word).collect()
}

/// The stems of what `which file formats can`, `what share of households had` and `how many pages has` ask for.
fn kind_asked_for(question: &str) -> BTreeSet<String> {
    let said: Vec<String> = question.split_whitespace().map(fold).collect();
    let first = match said.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["which" | "what", ..] => 1,
        ["how", "many" | "much", ..] => 2,
        _ => return BTreeSet::new(),
    };
    let end = said.iter().skip(first).take(KIND_WORDS + 1).position(|word| AFTER_KIND.contains(&word.as_str()));
    said.iter().skip(first).take(end.unwrap_or(0)).filter(|word| !is_stop(word)).map(|word| stem(word)).collect()
}

/// How much words speak of one: by itself, by a form of it, or by another that may stand for it.
fn covers(said: &BTreeSet<String>, wanted: &str) -> f64 {
    if said.contains(wanted) {
        return 1.0;
    }
    let means = |stem: &str| {
        synonyms(stem).any(|other| said.contains(other))
            || MEASURES
                .iter()
                .any(|(asked, told)| words::stem(asked) == stem && told.split_whitespace().any(|word| said.contains(&words::stem(word))))
    };
    // What is unfinished is said to be not finished.
    let plain = wanted.strip_prefix("un").filter(|rest| rest.len() > 3 && said.contains(*rest));
    if means(wanted) || plain.is_some() || said.iter().any(|other| are_kin(other, wanted)) { SYNONYM } else { 0.0 }
}

/// `own` and `owner`, `write` and `writer`, `operate` and `operator`.
fn are_kin(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let root = short.strip_suffix(['e', 'i', 'y']).unwrap_or(short);
    let is_root = |root: &str| root.len() >= 3 && long.strip_prefix(root).is_some_and(|rest| KINSHIP.contains(&rest));
    short.is_ascii() && (is_root(short) || is_root(root))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is missing if the one sentence is all there is; nothing if it answers.
    #[track_caller]
    fn check(question: &str, sentence: &str, missing: &[&str]) {
        let (own, none) = (stems(sentence), BTreeSet::new());
        let reach = Asked::of([question]).reach([(&own, &none)], &own);
        assert_eq!(reach.missing, missing, "{question}");
        assert_eq!(reach.answered, missing.is_empty(), "{question}");
    }

    const BELL: &str = "The Orlen bell weighs 3 tonnes and was cast in 1710.";

    #[test]
    fn a_sentence_answers_what_it_speaks_of() {
        check("When was the Orlen bell cast?", BELL, &[]);
        check("How heavy is the Orlen bell?", BELL, &[]);
        check("What is the weight of the bell?", BELL, &[]);
        check("Tell me about the Orlen bell", BELL, &[]);
        check("Who owns the bell?", "The owner of the bell is the parish.", &[]);
        check("Who operates the ferry?", "Its operator gave the ferry a new name.", &[]);
        check("What happens to unfinished calls?", "A call that has not finished is made again.", &[]);
        check("林德霍尔姆大桥什么时候开放", "林德霍尔姆大桥于1974年开放。", &[]);
        check("Wann wurde die Brücke eröffnet?", "Die Brücke wurde 1974 eröffnet.", &[]);
        check("The Weight Of The Orlen Bell", BELL, &[]);
        check("Which colours can the Orlen bell have?", "The Orlen bell may be red or green.", &[]);
    }

    #[test]
    fn a_question_whose_words_are_not_there_is_not_answered() {
        check("who owns the Orlen bell?", BELL, &["owns"]);
        check("Who designed the Orlen bell?", BELL, &["designed"]);
        check("Who bought the Orlen bell in 2019?", BELL, &["bought", "2019"]);
        check("What is the capital of France?", "In capital letters.", &["France"]);
        check("what is the capital of france?", "In capital letters.", &["france"]);
        check("How tall is the Eiffel Tower?", "The Kestrel Tower is 310 metres tall.", &["Eiffel"]);
        check("How is consensus reached between nodes?", "Every node is reached by name.", &["consensus"]);
    }

    #[test]
    fn a_name_that_is_nowhere_is_told_apart_from_other_words() {
        let (own, none) = (stems(BELL), BTreeSet::new());
        let reach = |question: &str| Asked::of([question]).reach([(&own, &none)], &own);
        assert_eq!(reach("Who bought the Orlen bell in 2019?").names, ["2019"]);
        assert_eq!(reach("who owns the Orlen bell?").names, Vec::<String>::new());
        assert_eq!(Asked::of(["Who owns the bell?"]).reach([], &none).missing, ["owns", "bell"]);
    }

    #[test]
    fn words_beside_a_sentence_count_nearly_as_much() {
        let (own, beside) = (stems("It was opened in 1976."), stems("The Lindholm Bridge crosses the fjord."));
        let everywhere = own.union(&beside).cloned().collect();
        assert!(Asked::of(["When was the Lindholm Bridge opened?"]).reach([(&own, &beside)], &everywhere).answered);
        assert!(!Asked::of(["When was the Lindholm Bridge opened?"]).reach([(&own, &BTreeSet::new())], &own).answered);
    }
}
