//! What a question or a sentence is about, by the order of plain English words, so that a later question can be asked with it.
//! It guesses nothing into a sentence: what may be more than the subject, or less, is only told as what could be looked for beside it.

use super::texts::{ASKING, ENDS, VERBS, bears_meaning, is_one_of};

/// What stands for something that was named before.
const PRONOUNS: [&str; 11] = ["it", "its", "they", "them", "their", "he", "him", "his", "she", "her", "one"];
const OF_PERSONS: [&str; 5] = ["he", "him", "his", "she", "her"];
const ARTICLES: [&str; 3] = ["the", "a", "an"];
/// Behind these stands what is done too, and not only who does it.
const DOING: [&str; 4] = ["do", "does", "did", "can"];
/// Where what a question is about ends.
const BOUNDARIES: [&str; 17] =
    ["in", "at", "on", "for", "from", "with", "by", "to", "as", "after", "before", "during", "when", "if", "and", "or", "than"];
/// What may be done to a subject and does not end with `ed`.
const PARTICIPLES: &str = " made built rebuilt cast kept born found written sold bought held told drawn grown known shown taken given broken \
    chosen driven fallen frozen hidden laid paid sent spent struck thrown sunk rung won lost ";
/// `How long does it take?` asks of no `it`.
const OF_NOTHING: [&str; 6] = ["take", "takes", "took", "possible", "true", "likely"];
/// Before a colon they announce questions, and are not what those are about.
const ANNOUNCING: [&str; 8] = ["question", "questions", "know", "tell", "find", "answer", "following", "topic"];
/// A subject of more words is rather a sentence.
const MOST_WORDS: usize = 7;

#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub named: String,
    /// Whether this and nothing else is the subject, so that it may stand in the place of a word that points back to it.
    pub is_certain: bool,
    /// Its place among the words.
    at: usize,
    may_be_person: bool,
}

impl Subject {
    /// Whether it has a name of its own, and so needs nothing beside it to be told apart.
    pub fn is_name(&self) -> bool {
        self.is_certain && self.named.split(' ').any(|word| word.starts_with(char::is_uppercase))
    }

    /// Whether it has no name of its own and is the last word of another that has one.
    pub fn is_short_for(&self, other: &Self) -> bool {
        let own = self.named.to_lowercase();
        let own = own.strip_prefix("the ").unwrap_or(&own);
        !self.named.contains(char::is_uppercase)
            && other.is_name()
            && other.named.to_lowercase().strip_suffix(own).is_some_and(|before| before.ends_with(' '))
    }

    /// Whether a sentence names it before it points back to anything.
    pub fn comes_first_in(&self, sentence: &str) -> bool {
        sentence.split_whitespace().position(is_pronoun).is_none_or(|pronoun| self.at < pronoun)
    }

    /// The same question with this in the place of the first word that points back to it; none if no word surely does.
    pub fn put_into(&self, question: &str) -> Option<String> {
        let words: Vec<&str> = question.split(' ').collect();
        let place = (0..words.len()).find(|place| self.is_certain && points_back(&words, *place))?;
        let word = plain(words[place]);
        if OF_PERSONS.contains(&word.as_str()) && !self.may_be_person {
            return None;
        }
        let end = words[place].trim_start_matches(|mark: char| !mark.is_alphanumeric()).trim_start_matches(char::is_alphanumeric);
        let owns = ["its", "their", "his"].contains(&word.as_str()) || word == "her" && end.is_empty() && place + 1 < words.len();
        let named = format!("{}{}{end}", self.named, if owns { "’s" } else { "" });
        Some(words.iter().enumerate().map(|(at, word)| if at == place { named.as_str() } else { word }).collect::<Vec<_>>().join(" "))
    }
}

/// Whether any word of it stands for something that was named before.
pub(super) fn has_pronoun(sentence: &str) -> bool {
    sentence.split_whitespace().any(is_pronoun)
}

/// What a question is about: what stands behind its verb, or else the first name in it.
pub(super) fn of_question(question: &str) -> Option<Subject> {
    if let Some((head, rest)) = headed(question) {
        let words: Vec<&str> = head.split_whitespace().collect();
        let announces = words.iter().any(|word| is_one_of(word, &ANNOUNCING)) || words.len() > MOST_WORDS;
        let own = of_question(rest).filter(|own| own.comes_first_in(rest));
        return own.or_else(|| (!announces).then(|| certain(&words, 0, head.trim().to_string())));
    }
    let words: Vec<&str> = question.split_whitespace().collect();
    match words.iter().position(|word| is_one_of(word, &VERBS)) {
        Some(verb) => behind_verb(&words, verb),
        None => first_name(&words).or_else(|| whatever_it_asks(&words)),
    }
}

/// What a sentence that asks nothing is about: what stands before its verb, or else the first name in it.
pub(super) fn of_statement(sentence: &str) -> Option<Subject> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let verb = words.iter().position(|word| is_one_of(word, &VERBS)).filter(|verb| *verb <= MOST_WORDS);
    if words.first().is_some_and(|word| is_pronoun(word)) {
        return None;
    }
    match verb {
        Some(0) => None,
        Some(verb) => Some(certain(&words[..verb], 0, with_small_article(&words[..verb]))),
        None => first_name(&words).or_else(|| {
            // Any sentence begins with a capital letter: this may be a name.
            let first = words.first().filter(|word| words.len() > 2 && bears_meaning(&plain(word)))?;
            first.starts_with(char::is_uppercase).then(|| perhaps(0, bare(&[first])))
        }),
    }
}

/// `Orin dam: when was it completed?` in what stands before the colon and the question behind it.
pub(super) fn headed(sentence: &str) -> Option<(&str, &str)> {
    let (head, question) = sentence.split_once(": ")?;
    let asks = |text: &str| text.split_whitespace().next().is_some_and(|word| is_one_of(word, &ASKING));
    (!asks(head) && asks(question) && head.contains(char::is_alphanumeric)).then_some((head, question))
}

/// Every name in a sentence.
pub(super) fn names(sentence: &str) -> Vec<String> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    runs(&words).into_iter().map(|(start, end)| bare(&words[start..end])).collect()
}

fn behind_verb(words: &[&str], verb: usize) -> Option<Subject> {
    let start = verb + 1;
    let mut end = start;
    while end < words.len() && !ends_before(words, start, end) {
        end += 1;
        if ends_clause(words[end - 1]) {
            break;
        }
    }
    let phrase = &words[start..end];
    if phrase.is_empty() || words.get(end).is_some_and(|word| is_one_of(word, &["to"])) {
        return first_name(words);
    }
    if is_pronoun(phrase[0]) {
        return None;
    }
    // `What is` and `how long is` leave nothing but the subject to be named; behind `when was` stands what was done to it as well.
    let is_said = !is_one_of(words[verb], &DOING)
        && match verb {
            1 => is_one_of(words[0], &["who", "what"]),
            2 => is_one_of(words[0], &["how"]),
            _ => false,
        };
    let is_whole = is_said || words.get(end).is_some_and(|word| is_participle(word));
    let is_short = phrase.len() <= MOST_WORDS;
    if let Some((from, to)) = runs(words).into_iter().find(|(from, to)| *from >= start && *to <= end) {
        let begins = phrase.iter().position(|word| !is_one_of(word, &ARTICLES)) == Some(from - start);
        return match begins && is_whole && is_short {
            true => Some(certain(phrase, start, with_small_article(phrase))),
            false if let Some(of) = last_of(&phrase[..from - start]) => Some(perhaps(start, bare(&phrase[of + 1..]))),
            false => Some(certain(&words[from.saturating_sub(1)..to], start, name(words, from, to))),
        };
    }
    if let Some(of) = last_of(phrase) {
        return Some(perhaps(start, bare(&phrase[of + 1..])));
    }
    match is_whole && is_short {
        true => Some(certain(phrase, start, with_small_article(phrase))),
        false => Some(perhaps(start, bare(&phrase[..(phrase.len() - 1).max(1)]))),
    }
}

/// `The weight of the bell` may be pointed back to, and so may the bell.
fn last_of(phrase: &[&str]) -> Option<usize> {
    phrase.iter().rposition(|word| is_one_of(word, &["of"]))
}

/// Whether what began at `start` ends before this word.
fn ends_before(words: &[&str], start: usize, at: usize) -> bool {
    let word = words[at];
    let is_another = at > start && is_one_of(word, &ARTICLES) && !is_one_of(words[at - 1], &["of"]);
    is_another || is_one_of(bare(&[word]).as_str(), &BOUNDARIES) || is_one_of(word, &VERBS) || is_participle(word)
}

/// `the Orin dam` in `who built the Orin dam`: what is behind one word of a name and ends the clause is taken to belong to it.
fn first_name(words: &[&str]) -> Option<Subject> {
    let (start, end) = runs(words).first().copied()?;
    let has_article = start > 0 && is_one_of(words[start - 1], &["the"]);
    let is_open = end - start == 1 && has_article && !ends_clause(words[start]);
    let is_last = |at: usize| ends_clause(words[at]) || words.get(at + 1).is_none_or(|next| is_one_of(next, &BOUNDARIES));
    let takes_next = is_open && end < words.len() && !ends_before(words, start, end) && is_last(end);
    let end = if takes_next { end + 1 } else { end };
    // Whoever did something to it is another.
    let may_be_person = !has_article && !words.first().is_some_and(|word| is_one_of(word, &["who", "whom", "whose"]));
    Some(Subject { may_be_person, ..certain(&words[start..end], start, name(words, start, end)) })
}

/// `the harbour tunnel` in `who designed the harbour tunnel`, else all that is asked: a later question is not about what was named before it.
fn whatever_it_asks(words: &[&str]) -> Option<Subject> {
    let asks = words.first().is_some_and(|word| is_one_of(word, &ASKING));
    let says_much = words.iter().skip(1).filter(|word| bears_meaning(&plain(word))).nth(1).is_some();
    if !asks || !says_much || words.iter().any(|word| is_pronoun(word)) {
        return None;
    }
    let start = (1..words.len()).find(|at| is_one_of(words[*at], &ARTICLES)).unwrap_or(1);
    let length = (start + 1..words.len()).take_while(|at| !ends_before(words, start, *at)).count();
    Some(perhaps(start, bare(&words[start..=start + length])))
}

fn certain(phrase: &[&str], at: usize, named: String) -> Subject {
    let may_be_person = !phrase.first().is_some_and(|word| is_one_of(word, &ARTICLES)) && named.starts_with(char::is_uppercase);
    Subject { is_certain: !named.is_empty(), named, at, may_be_person }
}

fn perhaps(at: usize, named: String) -> Subject {
    Subject { named, is_certain: false, at, may_be_person: false }
}

/// Whether this word surely stands for the subject. `One of them` and `one day` count something.
fn points_back(words: &[&str], place: usize) -> bool {
    let next = words.get(place + 1).map(|next| plain(next));
    match plain(words[place]).as_str() {
        "one" => next.is_none_or(|next| BOUNDARIES.contains(&next.as_str())),
        "it" => next.is_none_or(|next| !OF_NOTHING.contains(&next.as_str())),
        _ => is_pronoun(words[place]),
    }
}

fn is_pronoun(word: &str) -> bool {
    PRONOUNS.contains(&plain(word).as_str())
}

pub(super) fn is_participle(word: &str) -> bool {
    let word = plain(word);
    word.len() > 4 && word.ends_with("ed") || PARTICIPLES.contains(&format!(" {word} "))
}

fn ends_clause(word: &str) -> bool {
    word.ends_with([',', ';', ':']) || word.ends_with(ENDS)
}

/// In small letters, without the marks around it.
fn plain(word: &str) -> String {
    bare(&[word]).to_lowercase()
}

fn bare(words: &[&str]) -> String {
    words.join(" ").trim_matches(|mark: char| !mark.is_alphanumeric()).to_string()
}

fn name(words: &[&str], start: usize, end: usize) -> String {
    let article = start > 0 && is_one_of(words[start - 1], &["the"]);
    format!("{}{}", if article { "the " } else { "" }, bare(&words[start..end]))
}

/// An article has a capital where a sentence begins with it.
fn with_small_article(phrase: &[&str]) -> String {
    match phrase.split_first() {
        Some((first, rest)) if !rest.is_empty() && is_one_of(first, &ARTICLES) => format!("{} {}", first.to_lowercase(), bare(rest)),
        _ => bare(phrase),
    }
}

/// Words with capitals that follow each other, also over an `of`; the first word of a sentence has one in any case.
fn runs(words: &[&str]) -> Vec<(usize, usize)> {
    let is_capital = |at: usize| words.get(at).is_some_and(|word| word.trim_start_matches(['“', '"', '(']).starts_with(char::is_uppercase));
    let is_name = |at: usize| {
        let begins = at > 0 || is_capital(1) && !is_one_of(words[0], &ASKING) && !is_one_of(words[0], &ARTICLES);
        is_capital(at) && begins && !is_one_of(words[at], &ASKING)
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let start = at;
        while at < words.len() && is_name(at) {
            at += 1;
            if ends_clause(words[at - 1]) {
                break;
            }
            if at + 1 < words.len() && is_one_of(words[at], &["of"]) && is_name(at + 1) {
                at += 1;
            }
        }
        if at > start {
            found.push((start, at));
        } else {
            at += 1;
        }
    }
    found
}
