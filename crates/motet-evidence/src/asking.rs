//! What a question asks about, and whether words that were found speak of enough of it to pass for an answer.
//! It understands no question: what has all of its words may still not answer it, and what puts it in other words may.

mod question;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::text::words::{self, is_stop, stem, synonyms};
use crate::text::{Kind, fold, is_sign, tokens};
use question::Word;

/// The share of a question, by the weight of its words, that an answer speaks of.
const ENOUGH: f64 = 0.66;
/// Where a language has no spaces, pairs of signs stand for words, and every ending makes another pair.
const ENOUGH_OF_SIGNS: f64 = 0.45;
/// What a word counts that stands beside the answer and not in it, and one that only means the same.
const BESIDE: f64 = 0.75;
const SYNONYM: f64 = 0.9;
/// How much more a word weighs that nothing has which was found: what nobody speaks of is hardly answered.
const NOWHERE: f64 = 1.5;
/// What a measure may be called where it is told, and in what it is told.
const MEASURES: [(&str, &str); 17] = [
    ("length", "long"),
    ("height", "high tall"),
    ("depth", "deep"),
    ("weight", "heavy"),
    ("duration", "long last take"),
    ("heavy", "weigh weight mass tonne ton kilogram kg gram"),
    ("tall", "height high metre meter foot feet"),
    ("high", "height tall metre meter foot feet"),
    ("long", "length last take duration minute hour day week month metre meter kilometre kilometer km mile"),
    ("deep", "depth metre meter"),
    ("wide", "width metre meter"),
    ("old", "age year"),
    ("big", "size large"),
    ("large", "size big"),
    ("fast", "speed"),
    ("far", "distance kilometre kilometer km mile"),
    ("expensive", "cost price euro dollar"),
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
    /// The words of the question that nothing which was read speaks of, wherever it stands; none where it is answered.
    #[serde(default)]
    pub absent: Vec<String>,
}

/// The words of a question that an answer would speak of.
pub struct Asked {
    words: Vec<Word>,
    enough: f64,
}

impl Asked {
    pub fn of<'a>(questions: impl IntoIterator<Item = &'a str>) -> Self {
        let mut found: Vec<Word> = Vec::new();
        for question in questions {
            for word in question::read(question) {
                match found.iter_mut().find(|known| known.stem == word.stem) {
                    Some(known) => {
                        known.is_name |= word.is_name;
                        known.only_asks &= word.only_asks;
                        known.is_asked |= word.is_asked;
                    }
                    None => found.push(word),
                }
            }
        }
        if found.iter().any(|word| !word.only_asks) {
            found.retain(|word| !word.only_asks);
        }
        let enough = if found.iter().any(|word| word.stem.contains(is_sign)) { ENOUGH_OF_SIGNS } else { ENOUGH };
        Self { words: found, enough }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The stems of the words that an answer would speak of.
    pub fn stems(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.stem.as_str())
    }

    /// Whether words speak of anything in the questions.
    pub fn is_spoken_of(&self, said: &BTreeSet<String>) -> bool {
        self.words.iter().any(|word| covers(said, &word.stem) > 0.0)
    }

    /// Measures words against the questions. `everywhere` are the words of everything that was found.
    pub fn gauge(&self, everywhere: &BTreeSet<String>) -> Gauge<'_> {
        let weight = |word: &Word| if covers(everywhere, &word.stem) > 0.0 { word.weight } else { NOWHERE * word.absent };
        Gauge { asked: self, possible: self.words.iter().map(weight).sum() }
    }

    /// Whether anything is asked of what the questions are about.
    pub fn asks_something(&self) -> bool {
        self.words.iter().any(|word| word.is_asked)
    }

    /// What stands beside an answer says what it is about; what was asked of that, it says itself.
    fn is_said_by(&self, own: &BTreeSet<String>) -> bool {
        !self.asks_something() || self.words.iter().any(|word| word.is_asked && covers(own, &word.stem) > 0.0)
    }

    /// Of all that was found, what comes nearest: each with its own words and those beside it. `everywhere` are the words of everything.
    pub fn reach<'a>(
        &self,
        found: impl IntoIterator<Item = (&'a BTreeSet<String>, &'a BTreeSet<String>)>,
        everywhere: &BTreeSet<String>,
    ) -> Reach {
        let gauge = self.gauge(everywhere);
        let is_asked = |word: &&Word| word.is_asked;
        let weighed = found.into_iter().map(|(own, beside)| (gauge.share(own, beside), own, beside));
        let answers = |(share, own, _): &(f64, &BTreeSet<String>, &BTreeSet<String>)| *share >= self.enough && self.is_said_by(own);
        let nearest = weighed.max_by(|one, other| answers(one).cmp(&answers(other)).then(one.0.total_cmp(&other.0)));
        let names = self.words.iter().filter(|word| word.is_name && covers(everywhere, &word.stem) == 0.0).collect::<Vec<_>>();
        let answered = names.is_empty() && nearest.as_ref().is_some_and(answers);
        let lacks = |word: &&Word| nearest.is_none_or(|(_, own, beside)| spoken(word, own, beside) == 0.0);
        let mut missing: Vec<&Word> = self.words.iter().filter(lacks).collect();
        if missing.is_empty() {
            missing = self
                .words
                .iter()
                .filter(is_asked)
                .filter(|word| nearest.is_none_or(|(_, own, _)| covers(own, &word.stem) == 0.0))
                .collect();
        }
        if answered {
            missing.clear();
        }
        let written = |words: Vec<&Word>| words.into_iter().map(|word| word.written.clone()).collect::<Vec<_>>();
        Reach { answered, missing: written(missing), names: written(names), absent: Vec::new() }
    }

    /// The words of the questions that these words do not speak of at all, as they are written there.
    pub fn absent_from(&self, read: &BTreeSet<String>) -> Vec<String> {
        self.words.iter().filter(|word| covers(read, &word.stem) == 0.0).map(|word| word.written.clone()).collect()
    }
}

/// What a question weighs among all that was found for it.
pub struct Gauge<'a> {
    asked: &'a Asked,
    possible: f64,
}

impl Gauge<'_> {
    /// How much of the questions words speak of, with those beside them.
    fn share(&self, own: &BTreeSet<String>, beside: &BTreeSet<String>) -> f64 {
        let sum: f64 = self.asked.words.iter().map(|word| word.weight * spoken(word, own, beside)).sum();
        if self.possible > 0.0 { sum / self.possible } else { 1.0 }
    }

    /// Whether they speak of half of it, and of what is asked.
    pub fn is_half_answered(&self, own: &BTreeSet<String>, beside: &BTreeSet<String>) -> bool {
        self.share(own, beside) >= 0.5 && self.asked.is_said_by(own)
    }

    /// Whether they speak of enough to pass for an answer.
    pub fn is_answered(&self, own: &BTreeSet<String>, beside: &BTreeSet<String>) -> bool {
        self.share(own, beside) >= self.asked.enough && self.asked.is_said_by(own)
    }
}

fn spoken(word: &Word, own: &BTreeSet<String>, beside: &BTreeSet<String>) -> f64 {
    covers(own, &word.stem).max(BESIDE * covers(beside, &word.stem))
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
        check("When did Mozart die?", "Mozart died in Vienna in 1791.", &[]);
        check("Length of the bridge", "The bridge is 1,149 metres long.", &[]);
        check("How long is the retention period?", "Retention period: messages are kept for 35 days.", &[]);
    }

    #[test]
    fn a_question_whose_words_are_not_there_is_not_answered() {
        check("who owns the Orlen bell?", BELL, &["owns"]);
        check("When did Mozart die?", "Mozart was born in Salzburg in 1756.", &["die"]);
        check("Where did Mozart work?", "Mozart was born in Salzburg in 1756.", &["work"]);
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

    #[test]
    fn what_is_asked_stands_in_the_answer_and_not_beside_it() {
        let (own, beside) = (stems("The Lindholm Bridge crosses the fjord."), stems("The hall was opened in 1976."));
        let everywhere = own.union(&beside).cloned().collect();
        let reach = Asked::of(["When was the Lindholm Bridge opened?"]).reach([(&own, &beside)], &everywhere);
        assert_eq!((reach.answered, reach.missing), (false, vec!["opened".to_string()]));
    }
}
