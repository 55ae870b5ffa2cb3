//! What a text asks: each of its questions, with words that make it one that can be looked for by itself.
//! It understands no question: it knows where one begins by its word for asking. What each is about, `subjects` tells.

use serde_json::{Value, json};

use super::fuel::Fuel;
use super::subjects::{self, Subject};
use super::texts::{ASKING, CLOSING, VERBS, burn_words, is_one_of, items, parts_of, sentences_of, without_and};
use super::tongues;

/// Who speaks of himself says nothing of what he asks for.
const SPEAKERS: [&str; 7] = ["i", "we", "my", "our", "please", "i'm", "you"];
/// A comma may stand before a clause that says more of what was named; before these and a verb, it stands before a question.
const NEXT_QUESTION: [&str; 5] = ["what", "how", "why", "when", "where"];

const PREPOSITIONS: [&str; 8] = ["by", "for", "to", "from", "in", "with", "on", "of"];
const DOING: [&str; 4] = ["do", "does", "did", "can"];

/// How far a clause is read for what it asks of.
const WORDS_OF_A_CLAUSE: usize = 8;

/// Each question as `{ name, query }`: how it is called, and what is looked for. Where nothing is asked, what `parts` gives.
/// A sentence that asks nothing beside one that does is no question, but says what the questions behind it are about.
pub(super) fn questions(text: &str, fuel: Fuel<'_>) -> Value {
    if !burn_words(text, fuel) {
        return Value::Null;
    }
    let sentences: Vec<&str> = sentences_of(text).into_iter().flat_map(|sentence| sentence.split(';')).map(str::trim).collect();
    let asks = items(text).len() <= 1 && sentences.iter().any(|sentence| is_question(sentence));
    let mut asked = Asked::default();
    if !asks {
        for part in parts_of(text).into_iter().take_while(|_| fuel.burn(1)) {
            asked.ask(part, fuel);
        }
        return asked.found.into();
    }
    let tells = |sentence: &&str| !is_question(sentence) && !speaks_of_speaker(sentence);
    // What is told behind the first question may still be what it is about.
    let first_told = sentences.iter().copied().find(tells).and_then(subjects::of_statement);
    asked.told.clone_from(&first_told);
    asked.latest = first_told.map(About::of);
    for sentence in sentences.into_iter().take_while(|_| fuel.burn(1)) {
        match is_question(sentence) {
            true => asked_in(sentence).into_iter().take_while(|_| fuel.burn(1)).for_each(|part| asked.ask(part, fuel)),
            false if tells(&sentence) => asked.tell(sentence),
            false => {}
        }
    }
    asked.found.into()
}

/// The questions so far, with what the next one may be about.
#[derive(Default)]
struct Asked {
    found: Vec<Value>,
    /// What was told last, and asked nothing.
    told: Option<Subject>,
    /// What was named last.
    latest: Option<About>,
    /// What the last question in another language than English named.
    foreign: Option<String>,
}

struct About {
    subject: Subject,
    /// All names in the question that it was named in.
    names: Vec<String>,
}

impl About {
    fn of(subject: Subject) -> Self {
        Self { names: vec![subject.named.clone()], subject }
    }
}

impl Asked {
    fn tell(&mut self, sentence: &str) {
        if let Some(subject) = subjects::of_statement(sentence) {
            self.told = Some(subject.clone());
            self.latest = Some(About::of(subject));
        }
    }

    /// A word that points back takes what was named last. Where that is not sure the question keeps its words, and is only looked for with more.
    fn ask(&mut self, part: &str, fuel: Fuel<'_>) {
        let line = part.split_whitespace().collect::<Vec<_>>().join(" ");
        if tongues::asks(&line) {
            return self.ask_in_another_tongue(&line);
        }
        let own = if is_question(&line) { subjects::of_question(&line) } else { subjects::of_statement(&line) };
        let own = own.filter(|own| own.comes_first_in(&line));
        // `The bridge` behind `the Sarrow Bridge` is no other one.
        let (own, again) = match (&self.latest, own) {
            (Some(latest), Some(own)) if own.is_short_for(&latest.subject) => (None, true),
            (_, own) => (own, false),
        };
        let about = self.latest.as_ref().filter(|_| own.is_none() && (again || subjects::has_pronoun(&line)));
        let whole = about.and_then(|about| about.subject.put_into(&line));
        let beside: Vec<&String> = match about {
            Some(about) if whole.is_some() => about.names.iter().collect(),
            Some(about) => std::iter::once(&about.subject.named).chain(&about.names).collect(),
            None if own.as_ref().is_some_and(Subject::is_name) => Vec::new(),
            None => self.told.iter().map(|told| &told.named).collect(),
        };
        let whole = whole.unwrap_or_else(|| line.clone());
        let mut query = whole.clone();
        for name in beside {
            // Each name is looked for in the question, and may make what is looked for longer.
            if !fuel.burn_text(query.len() + name.len()) {
                break;
            }
            if !query.to_lowercase().contains(&name.to_lowercase()) {
                query.push(' ');
                query.push_str(name);
            }
        }
        self.found.push(json!({ "name": whole, "query": query }));
        if let Some(subject) = own {
            self.latest = Some(About { subject, names: subjects::names(&line) });
        }
    }
}

impl Asked {
    /// Nobody can tell here what points back, so what was named before is looked for as well.
    fn ask_in_another_tongue(&mut self, line: &str) {
        let query = match &self.foreign {
            Some(named) if !line.to_lowercase().contains(&named.to_lowercase()) => format!("{line} {named}"),
            _ => line.to_string(),
        };
        self.found.push(json!({ "name": line, "query": query }));
        if self.foreign.is_none() {
            self.foreign = tongues::named(line).map(str::to_string);
        }
    }
}

fn is_question(sentence: &str) -> bool {
    let asks = sentence.split_whitespace().next().is_some_and(|word| is_one_of(word.trim_end_matches(','), &ASKING));
    asks || sentence.trim_end_matches(CLOSING).ends_with(['?', '？']) || subjects::headed(sentence).is_some()
}

/// "How is it kept, and what happens when it is lost?" asks twice: each question begins with its own word for asking.
pub(super) fn asked_in(sentence: &str) -> Vec<&str> {
    if let Some(questions) = tongues::asked_in(sentence) {
        return questions;
    }
    let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_lowercase();
    let asks = |text: &str| ASKING.contains(&first(text).as_str()) || asks_by_preposition(text);
    let asks_next = |before: &str, text: &str| {
        let has_verb = |verbs: &[&str]| text.split_whitespace().skip(1).take(2).any(|word| is_one_of(word, verbs));
        match first(text).as_str() {
            "who" => asks_of_thing(text) || ends_with_verb(before),
            // `Which river does it cross` asks; `which is long` and `which does not` say more of what was named.
            "which" => has_verb(&DOING) && !text.split_whitespace().nth(1).is_some_and(|word| is_one_of(word, &VERBS)),
            word if NEXT_QUESTION.contains(&word) => has_verb(&VERBS),
            _ => asks_by_preposition(text),
        }
    };
    let head = subjects::headed(sentence).map_or(0, |(_, question)| sentence.len() - question.len());
    if !asks(&sentence[head..]) {
        return vec![without_and(sentence.trim())];
    }
    let mut questions = Vec::new();
    let mut start = 0;
    for (end, mark) in breaks(sentence).filter(|(end, _)| *end > head) {
        let after = without_and(&sentence[end + mark.len()..]);
        // What stands before the question at hand belongs to the one before it.
        let begins = end >= start && if mark == COMMA { asks_next(&sentence[start..end], after) } else { asks(after) };
        if begins && !only_asks(&sentence[start.max(head)..end]) {
            questions.push(sentence[start..end].trim_end_matches(','));
            start = sentence.len() - after.len();
        }
    }
    questions.push(&sentence[start..]);
    questions.into_iter().map(|question| without_and(question.trim())).collect()
}

/// `When` and `how long` in "when and where was it built" and "how long and how wide is it": no question by themselves.
fn only_asks(part: &str) -> bool {
    let words: Vec<&str> = part.split_whitespace().take(4).map(|word| word.trim_end_matches(',')).collect();
    let is_asking = |word: &&str| is_one_of(word, &ASKING) || is_one_of(word, &["and", "or"]);
    let is_measure = matches!(words.as_slice(), [how, _] if is_one_of(how, &["how", "which", "whose"]));
    is_measure || words.iter().all(is_asking)
}

/// `By whom was it built`; `at what cost` asks nothing by itself.
fn asks_by_preposition(clause: &str) -> bool {
    let words: Vec<&str> = clause.split_whitespace().take(4).collect();
    matches!(words.as_slice(), [by, whom, rest @ ..] if is_one_of(by, &PREPOSITIONS) && is_one_of(whom, &["whom", "which", "what", "whose"])
        && rest.iter().any(|word| is_one_of(word, &VERBS)))
}

/// Behind `when was it built` or `what did it cost` nobody is named whom `who` could say more of.
fn ends_with_verb(clause: &str) -> bool {
    let words: Vec<&str> = clause.split_whitespace().collect();
    let is_small = |word: &&&str| word.starts_with(char::is_lowercase);
    words.last().filter(is_small).is_some_and(|last| subjects::is_participle(last) || words.iter().any(|word| is_one_of(word, &DOING)))
}

/// Behind a comma `who built it` asks, while `who built the bridge` may say more of a person.
fn asks_of_thing(clause: &str) -> bool {
    let mut words = clause.split_whitespace().skip(1).take(WORDS_OF_A_CLAUSE);
    let ends = |word: &str| word.ends_with([',', '?', '.']) || is_one_of(word, &["and"]);
    let thing = words.find(|word| is_one_of(word.trim_end_matches([',', '?', '.']), &["it", "its", "them"]) || ends(word));
    thing.is_some_and(|word| is_one_of(word.trim_end_matches([',', '?', '.']), &["it", "its", "them"]))
}

const COMMA: &str = ", ";
const AND: &str = " and ";

/// Where each ` and ` and each comma stands, in one pass.
fn breaks(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    text.bytes().enumerate().filter_map(|(at, letter)| {
        let mark = match letter {
            b',' => COMMA,
            b' ' => AND,
            _ => return None,
        };
        text[at..].starts_with(mark).then_some((at, mark))
    })
}

fn speaks_of_speaker(sentence: &str) -> bool {
    sentence.split_whitespace().next().is_some_and(|word| is_one_of(word.trim_end_matches(','), &SPEAKERS))
}
