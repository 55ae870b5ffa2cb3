//! What the words of one question are for: which name its subject, which say what is asked of it, and which only ask.
//! It knows the order of words in plain English questions; of other languages it knows a few words that ask.

use std::collections::BTreeSet;

use crate::text::words::{self, is_generic_in_names, is_stop, stem};
use crate::text::{Kind, fold, is_english_grammar, is_sign, names, sentences, tokens};

/// A number of so many digits is a year or a name; a shorter one may be written in letters.
const DIGITS_OF_A_NAME: usize = 4;
/// From so many words on, a question in which nearly all have capitals is written as a title.
const WORDS_OF_A_TITLE: usize = 4;
/// Before one of these ends what kind of thing `which` asks for. An answer gives one of the kind, and need not name it.
const AFTER_KIND: [&str; 16] =
    ["is", "are", "was", "were", "do", "does", "did", "can", "could", "will", "would", "has", "have", "had", "should", "must"];
const KIND_WORDS: usize = 4;
const KIND_WEIGHT: f64 = 0.5;

/// Who orders an answer begins with one of these. Behind a word that asks they are what is asked: `who found it`, `what does the list hold`.
const ORDERS: [&str; 11] = ["explain", "describe", "tell", "compare", "list", "give", "show", "find", "summarise", "summarize", "discuss"];
const POLITE: [&str; 6] = ["please", "can", "could", "would", "you", "kindly"];
const ORDERED: [&str; 14] = ["me", "us", "all", "the", "a", "an", "how", "what", "why", "when", "which", "every", "some", "out"];
const ASKS: [&str; 8] = ["who", "whom", "whose", "what", "which", "when", "where", "why"];
/// `How many people work there?` asks where they work.
const COUNTED: [&str; 6] = ["many", "much", "long", "often", "far", "old"];

/// Words of other languages that ask or carry grammar, and that no answer has to have.
const FOREIGN: &str = "wann warum welche welcher welches wie wieso wer wen wem was wo wurde wurden wird ist sind war waren hat haben der die das \
    den dem des ein eine er sie es im am zu von und quand comment pourquoi combien quel quelle quels quelles qui que où est sont a t il elle \
    ils elles on le la les l d de du des un une été ont et cuándo cómo cuál cuánto dónde qué quién es fue el los las del y quando perché dove \
    quale quanto chi è stato stata di della متى كيف لماذا أين من ما هل";

const DETERMINERS: [&str; 12] = ["the", "a", "an", "this", "that", "these", "those", "its", "their", "his", "her", "our"];
/// Before a subject and its verb, and before a subject and its participle.
const DOING: [&str; 11] = ["do", "does", "did", "can", "could", "will", "would", "should", "must", "may", "might"];
const BEING: [&str; 8] = ["is", "are", "was", "were", "be", "been", "has", "had"];
const INVARIABLE: &str = " cast set cut hit shut read spread split cost hurt quit born ";

pub(super) struct Word {
    pub stem: String,
    pub written: String,
    pub weight: f64,
    /// What it weighs where nothing has it: then it matters no more how common it is.
    pub absent: f64,
    pub is_name: bool,
    /// Whether it says what kind of answer is wanted, and not what it is about.
    pub only_asks: bool,
    /// Whether it is what is asked of the subject: an answer has such a word itself, and not only beside it.
    pub is_asked: bool,
}

/// The words of one question. Names are known by their capitals, where the question is English and no title.
pub(super) fn read(question: &str) -> Vec<Word> {
    let all = tokens(question);
    let starts: Vec<usize> = sentences(question).iter().map(|span| span.start).collect();
    let has_grammar = all.iter().any(|token| token.kind == Kind::Word && is_stop(&fold(token.of(question))));
    let is_english = has_grammar && !Said::of(question, &BTreeSet::new()).is_in_another_tongue();
    let found = super::stemmed(question).collect::<Vec<_>>();
    let with_capital = found.iter().filter(|(word, _)| word.starts_with(char::is_uppercase)).count();
    let is_title = found.len() >= WORDS_OF_A_TITLE && with_capital + 1 >= found.len();
    let named: BTreeSet<String> = match is_english && !is_title {
        true => names(question, &all, &starts, &BTreeSet::new())
            .iter()
            .flat_map(|name| name.words.iter().map(|at| fold(all[*at].of(question))))
            .filter(|word| !is_generic_in_names(word))
            .map(|word| stem(&word))
            .collect(),
        false => BTreeSet::new(),
    };
    let said = Said::of(question, &named);
    let asked = if is_english && !is_title { said.asked() } else { BTreeSet::new() };
    let asking = said.only_asking();
    let kind = kind_asked_for(question);
    let word = |(written, stem): (&str, String)| {
        let is_name = is_year(written) || named.contains(&stem);
        let full = if is_name { 1.0 } else { words::weight(&fold(written)) };
        let is_kind = kind.contains(&stem) && !is_name;
        let (weight, absent) = if is_kind { (KIND_WEIGHT * full, KIND_WEIGHT * full) } else { (full, 1.0) };
        let is_asked = asked.contains(&stem) && !is_kind && !is_name;
        Word { written: written.to_string(), weight, absent, is_name, only_asks: asking.contains(&stem), is_asked, stem }
    };
    found.into_iter().map(word).collect()
}

/// Whether it has a word that carries grammar in English only.
pub(super) fn is_english(question: &str) -> bool {
    !Said::of(question, &BTreeSet::new()).is_foreign
}

pub(super) fn is_year(written: &str) -> bool {
    written.len() >= DIGITS_OF_A_NAME && written.chars().all(|digit| digit.is_ascii_digit())
}

/// The words of a question in their order.
struct Said {
    folded: Vec<String>,
    stems: Vec<String>,
    /// Those that carry meaning.
    content: Vec<bool>,
    names: Vec<bool>,
    is_foreign: bool,
}

impl Said {
    fn of(question: &str, named: &BTreeSet<String>) -> Self {
        let spoken = tokens(question).into_iter().filter(|token| token.kind != Kind::Mark);
        let written: Vec<&str> = spoken.map(|token| token.of(question)).filter(|word| !word.contains(is_sign)).collect();
        let folded: Vec<String> = written.iter().map(|word| fold(word)).collect();
        let stems: Vec<String> = folded.iter().map(|word| stem(word)).collect();
        let names = written.iter().zip(&stems).map(|(word, stem)| is_year(word) || named.contains(stem)).collect();
        let content = folded.iter().map(|word| !is_stop(word)).collect();
        let is_foreign = !folded.iter().any(|word| is_english_grammar(word));
        Self { folded, stems, content, names, is_foreign }
    }

    fn word(&self, place: usize) -> &str {
        self.folded.get(place).map_or("", String::as_str)
    }

    fn only_asking(&self) -> BTreeSet<String> {
        (0..self.folded.len()).filter(|place| self.only_asks(*place)).map(|place| self.stems[place].clone()).collect()
    }

    fn only_asks(&self, place: usize) -> bool {
        let (word, next) = (self.word(place), self.word(place + 1));
        let before = &self.folded[..place];
        let has = |wanted: &[&str]| before.iter().any(|word| wanted.contains(&word.as_str()));
        let ends = next.is_empty() || is_stop(next);
        let is_first = before.iter().all(|word| POLITE.contains(&word.as_str()));
        match word {
            _ if POLITE.contains(&word) => is_first,
            _ if ORDERS.contains(&word) => is_first || !has(&ASKS) && !has(&["how"]) && ORDERED.contains(&next),
            "happen" | "happens" | "happened" => has(&["what"]),
            "mean" | "means" | "meant" => has(&["what", "how"]) && ends,
            "known" => has(&["what"]),
            "know" => before.last().is_some_and(|last| ["you", "we", "i", "to"].contains(&last.as_str())),
            "work" | "works" | "worked" => {
                let how = before.iter().rposition(|word| word == "how");
                ends && how.is_some_and(|how| !COUNTED.contains(&self.word(how + 1)))
            }
            _ => self.is_foreign && is_foreign(word),
        }
    }

    /// Whether it has words of another language and none that only English has.
    fn is_in_another_tongue(&self) -> bool {
        self.is_foreign && self.folded.iter().any(|word| !is_stop(word) && is_foreign(word))
    }

    /// What is asked of the subject: its verb if there is one, else whatever is not the subject.
    fn asked(&self) -> BTreeSet<String> {
        let runs = self.runs();
        let verbs: BTreeSet<String> = runs.iter().filter_map(|(start, end)| self.verb(*start, *end)).collect();
        if !verbs.is_empty() {
            return verbs;
        }
        let has_name = |(start, end): &(usize, usize)| self.names[*start..*end].iter().any(|is_name| *is_name);
        let subjects: Vec<(usize, usize)> = match runs.iter().any(has_name) {
            true => runs.iter().copied().filter(has_name).collect(),
            false => {
                let headed = |(start, _): &&(usize, usize)| *start > 0 && DETERMINERS.contains(&self.word(start - 1));
                let whole = runs.iter().filter(headed).rfind(|(_, end)| self.word(*end) != "of");
                // `The boiling point of tungsten` is asked of tungsten.
                let part = runs.iter().rfind(headed);
                let owner = part.and_then(|(_, end)| runs.iter().find(|(start, _)| *start == end + 1));
                whole.or(owner).or(part).copied().into_iter().collect()
            }
        };
        let subject: BTreeSet<&String> = subjects.iter().flat_map(|(start, end)| &self.stems[*start..*end]).collect();
        let places = (0..self.stems.len()).filter(|place| self.content[*place] && !self.only_asks(*place));
        places.map(|place| &self.stems[place]).filter(|stem| !subject.contains(stem)).cloned().collect()
    }

    /// Words that carry meaning and stand side by side.
    fn runs(&self) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for place in (0..self.content.len()).filter(|place| self.content[*place] && !self.only_asks(*place)) {
            match runs.last_mut().filter(|(_, end)| *end == place) {
                Some((_, end)) => *end += 1,
                None => runs.push((place, place + 1)),
            }
        }
        runs
    }

    /// `owns` in `who owns the ferry`, `built` in `when was the ferry built`, `sink` in `when did the ferry sink`.
    fn verb(&self, start: usize, end: usize) -> Option<String> {
        let before = start.checked_sub(1).map_or("", |place| self.word(place));
        if ["who", "what"].contains(&before) {
            return Some(self.stems[start].clone());
        }
        let is_headed = DETERMINERS.contains(&before);
        let auxiliary = start.checked_sub(if is_headed { 2 } else { 1 }).map_or("", |place| self.word(place));
        let last = end - 1;
        let goes_on = [&DOING[..], &BEING[..], &["have"]].concat().contains(&self.word(end));
        if start == last || goes_on || self.names[last] {
            return None;
        }
        let is_verb = DOING.contains(&auxiliary) || BEING.contains(&auxiliary) && is_participle(self.word(last));
        is_verb.then(|| self.stems[last].clone())
    }
}

fn is_foreign(word: &str) -> bool {
    FOREIGN.split_whitespace().any(|foreign| fold(foreign) == word)
}

/// Irregular forms do not begin like the stem of their verb.
fn is_participle(word: &str) -> bool {
    let stem = stem(word);
    let is_irregular = !word.starts_with(stem.trim_end_matches(['i', 'e']));
    word.ends_with("ed") || word.ends_with("ing") || is_irregular || INVARIABLE.contains(&format!(" {word} "))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, only_asks: &[&str], is_asked: &[&str]) {
        let words = read(question);
        let those =
            |which: fn(&Word) -> bool| words.iter().filter(|word| which(word)).map(|word| word.written.as_str()).collect::<Vec<_>>();
        assert_eq!((those(|word| word.only_asks), those(|word| word.is_asked)), (only_asks.to_vec(), is_asked.to_vec()), "{question}");
    }

    #[test]
    fn what_is_asked_of_a_subject_is_known_by_its_place() {
        check("Who owns the Vega ferry?", &[], &["owns"]);
        check("who owns the town hall?", &[], &["owns"]);
        check("When was the Vega car ferry built?", &[], &["built"]);
        check("When did Mozart die?", &[], &["die"]);
        check("How much does the Orlen bell weigh?", &[], &["weigh"]);
        check("How heavy is the Orlen bell?", &[], &["heavy"]);
        check("What is the weight of the bell?", &[], &["weight"]);
        check("What is the default port of the Vault service?", &[], &["default", "port"]);
        check("Which colours can the Orlen bell have?", &[], &[]);
        check("What is the Vega ferry?", &[], &[]);
    }

    #[test]
    fn words_that_only_ask_are_known_by_their_place_too() {
        check("How do tides work?", &["work"], &["tides"]);
        check("Where did Einstein work?", &[], &["work"]);
        check("How many people work at the plant?", &[], &["people", "work"]);
        check("Please list the ports of Bern", &["Please", "list"], &["ports"]);
        check("What does the list hold?", &[], &["hold"]);
        check("Who found the comet?", &[], &["found"]);
        check("What is known about the comet?", &["known"], &[]);
        check("Who knows the password?", &[], &["knows"]);
        check("Tell me about the Orlen bell", &["Tell"], &[]);
        check("Wann wurde die Brücke eröffnet?", &["Wann", "wurde", "die"], &[]);
        check("Quand le pont a-t-il été construit ?", &["Quand", "le", "t", "il", "été"], &[]);
        check("¿Cuándo fue construido el puente?", &["Cuándo", "fue", "el"], &[]);
    }
}
