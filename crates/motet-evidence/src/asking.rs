//! What a question asks about, and whether words that were found speak of enough of it to pass for an answer and have what is asked for.
//! It understands no question: what has all of its words may still not answer it, and what puts it in other words may.

mod question;
mod sought;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::text::words::{self, is_stop, stem, synonyms};
use crate::text::{Kind, fold, is_sign, tokens};
use question::Word;
use sought::Sought;

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

/// What one sentence says of a question.
pub struct Said {
    pub own: BTreeSet<String>,
    /// The words beside it, which say what it is about.
    pub beside: BTreeSet<String>,
    /// Whether it has such a thing as is asked for.
    pub gives: bool,
}

impl Said {
    /// Whether it speaks of a word, with what stands beside it.
    pub fn is_about(&self, stem: &str) -> bool {
        covers(&self.own, stem) > 0.0 || covers(&self.beside, stem) > 0.0
    }
}

/// The words of a question that an answer would speak of, and what kind of thing it would have.
pub struct Asked {
    words: Vec<Word>,
    enough: f64,
    sought: Option<Sought>,
    is_english: bool,
}

impl Asked {
    pub fn of<'a>(questions: impl IntoIterator<Item = &'a str>) -> Self {
        let mut found: Vec<Word> = Vec::new();
        let (mut sought, mut is_english) = (Vec::new(), false);
        for question in questions {
            sought.push(Sought::of(question));
            is_english |= question::is_english(question);
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
        // Of several questions, a sentence may answer any.
        let sought = if sought.len() == 1 { sought.pop().flatten() } else { None };
        Self { words: found, enough, sought, is_english }
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

    /// Whether a sentence has such a thing as is asked for: `when` asks for a time.
    pub fn is_given_in(&self, sentence: &str) -> bool {
        self.sought.as_ref().is_none_or(|sought| sought.is_in(sentence))
    }

    /// Whether a cause is asked for: that may stand in the sentence behind the one that tells what happened.
    pub fn asks_why(&self) -> bool {
        self.sought.as_ref().is_some_and(Sought::is_cause)
    }

    /// The stems of what the questions are about: their names; if they have none, all but what is asked. In other languages nobody can
    /// tell, since words that only carry grammar would be the rarest.
    pub fn subject(&self) -> BTreeSet<&str> {
        if !self.is_english {
            return BTreeSet::new();
        }
        let stems = |is_subject: fn(&&Word) -> bool| self.words.iter().filter(is_subject).map(|word| word.stem.as_str()).collect();
        let kinds: [fn(&&Word) -> bool; 3] = [|word| word.is_name && !question::is_year(&word.written), |word| !word.is_asked, |_| true];
        kinds.into_iter().map(stems).find(|found: &BTreeSet<&str>| !found.is_empty()).unwrap_or_default()
    }

    /// Of all that was found, what comes nearest. `everywhere` are the words of everything.
    pub fn reach<'a>(&self, found: impl IntoIterator<Item = &'a Said>, everywhere: &BTreeSet<String>) -> Reach {
        let gauge = self.gauge(everywhere);
        let weighed = found.into_iter().map(|said| (gauge.share(&said.own, &said.beside), said));
        let answers = |(_, said): &(f64, &Said)| gauge.is_answered(said);
        let nearest = weighed.max_by(|one, other| answers(one).cmp(&answers(other)).then(one.0.total_cmp(&other.0)));
        let names = self.words.iter().filter(|word| word.is_name && covers(everywhere, &word.stem) == 0.0).collect::<Vec<_>>();
        let answered = names.is_empty() && nearest.as_ref().is_some_and(answers);
        let missing = if answered { Vec::new() } else { self.missing(nearest.map(|(_, said)| said)) };
        let names = names.into_iter().map(|word| word.written.clone()).collect();
        Reach { answered, missing, names, absent: Vec::new() }
    }

    /// What keeps a sentence from being an answer: words that it does not speak of, else what is asked, else the word that asks for more.
    fn missing(&self, nearest: Option<&Said>) -> Vec<String> {
        let lacking = |lacks: &dyn Fn(&Word) -> bool| {
            self.words.iter().filter(|word| lacks(word)).map(|word| word.written.clone()).collect::<Vec<_>>()
        };
        let Some(said) = nearest else { return lacking(&|_| true) };
        let unspoken = lacking(&|word| spoken(word, &said.own, &said.beside) == 0.0);
        if !unspoken.is_empty() {
            return unspoken;
        }
        let unsaid = lacking(&|word| word.is_asked && covers(&said.own, &word.stem) == 0.0);
        match &self.sought {
            Some(sought) if !said.gives && (unsaid.is_empty() || self.is_said_by(&said.own)) => vec![sought.written.clone()],
            _ => unsaid,
        }
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

    /// Whether a sentence speaks of half of it, and of what is asked, and has such a thing.
    pub fn is_half_answered(&self, said: &Said) -> bool {
        self.share(&said.own, &said.beside) >= 0.5 && self.asked.is_said_by(&said.own) && said.gives
    }

    /// Whether it speaks of more than half of it, and of all that has a capital, and has such a thing as is asked for, in whatever words.
    pub fn bears_on(&self, said: &Said) -> bool {
        let named = self.asked.words.iter().filter(|word| word.written.starts_with(char::is_uppercase));
        self.share(&said.own, &said.beside) > 0.5 && said.gives && named.into_iter().all(|word| said.is_about(&word.stem))
    }

    /// Whether it says enough to pass for an answer.
    pub fn is_answered(&self, said: &Said) -> bool {
        self.share(&said.own, &said.beside) >= self.asked.enough && self.asked.is_said_by(&said.own) && said.gives
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

    /// How far one sentence reaches with what stands beside it.
    fn reach(question: &str, sentence: &str, beside: &str) -> Reach {
        let asked = Asked::of([question]);
        let said = Said { own: stems(sentence), beside: stems(beside), gives: asked.is_given_in(sentence) };
        let everywhere = said.own.union(&said.beside).cloned().collect();
        asked.reach([&said], &everywhere)
    }

    /// What is missing if the one sentence is all there is; nothing if it answers.
    #[track_caller]
    fn check(question: &str, sentence: &str, missing: &[&str]) {
        let reach = reach(question, sentence, "");
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
    fn what_a_question_asks_for_must_be_there() {
        check("Who discovered the Orlen comet?", "The Orlen comet was discovered in 1911.", &["Who"]);
        check("When was the Orlen comet discovered?", "The Orlen comet was discovered by Ada Roe.", &["When"]);
        check("How many students does Halden University have?", "Halden University has many students from abroad.", &["How many"]);
        check("Why did the Tarn dam fail?", "The Tarn dam failed on 3 June 1976.", &["Why"]);
        check("Why did the Tarn dam fail?", "The Tarn dam failed because of seepage.", &[]);
        check("Where was Lena Marsh born?", "Lena Marsh was born in 1961.", &["Where"]);
    }

    #[test]
    fn what_something_is_asked_of_is_its_subject() {
        let subject = |question: &str| Asked::of([question]).subject().into_iter().map(str::to_string).collect::<Vec<_>>();
        assert_eq!(subject("What is the boiling point of tungsten?"), ["tungsten"]);
        assert_eq!(subject("What is the effect of coffee on blood pressure?"), ["coffe"]);
        assert_eq!(subject("Who owns the Vega ferry?"), ["vega"]);
        assert_eq!(subject("How heavy is the bell?"), ["bell"]);
        assert_eq!(subject("Quand le phare a-t-il été construit ?"), Vec::<String>::new());
    }

    #[test]
    fn a_name_that_is_nowhere_is_told_apart_from_other_words() {
        assert_eq!(reach("Who bought the Orlen bell in 2019?", BELL, "").names, ["2019"]);
        assert_eq!(reach("who owns the Orlen bell?", BELL, "").names, Vec::<String>::new());
        assert_eq!(Asked::of(["Who owns the bell?"]).reach([], &BTreeSet::new()).missing, ["owns", "bell"]);
    }

    #[test]
    fn words_beside_a_sentence_count_nearly_as_much() {
        let question = "When was the Lindholm Bridge opened?";
        assert!(reach(question, "It was opened in 1976.", "The Lindholm Bridge crosses the fjord.").answered);
        assert!(!reach(question, "It was opened in 1976.", "").answered);
    }

    #[test]
    fn what_is_asked_stands_in_the_answer_and_not_beside_it() {
        let reach = reach("When was the Lindholm Bridge opened?", "The Lindholm Bridge crosses the fjord.", "The hall was opened in 1976.");
        assert_eq!((reach.answered, reach.missing), (false, vec!["opened".to_string()]));
    }
}
