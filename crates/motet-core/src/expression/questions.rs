//! What a text asks: each of its questions, with words that make it one that can be looked for by itself.
//! It understands no question. It knows where one begins by its word for asking, and what it is about by capitals and verbs.

use serde_json::{Value, json};

use super::fuel::Fuel;
use super::texts::{ASKING, CLOSING, ENDS, VERBS, burn_words, is_one_of, items, parts_of, sentences_of, without_and};

/// What stands for something that was named before.
const PRONOUNS: [&str; 11] = ["it", "its", "they", "them", "their", "he", "him", "his", "she", "her", "one"];
/// Where what a question is about ends.
const BOUNDARIES: [&str; 20] = [
    "in", "at", "on", "for", "from", "with", "by", "to", "as", "after", "before", "during", "when", "if", "and", "or", "made", "built",
    "cast", "kept",
];
/// Who speaks of himself says nothing of what he asks for.
const SPEAKERS: [&str; 7] = ["i", "we", "my", "our", "please", "i'm", "you"];
/// A comma may stand before a clause that says more of what was named; before these and a verb, it stands before a question.
const NEXT_QUESTION: [&str; 5] = ["what", "how", "why", "when", "where"];

/// Each question as `{ name, query }`: how it is called, and what is looked for. Where nothing is asked, what `parts` gives.
/// A sentence that asks nothing beside one that does is no question, but says what the questions are about.
pub(super) fn questions(text: &str, fuel: Fuel<'_>) -> Value {
    if !burn_words(text, fuel) {
        return Value::Null;
    }
    let listed = items(text);
    let sentences: Vec<&str> = sentences_of(text).into_iter().flat_map(|sentence| sentence.split(';')).map(str::trim).collect();
    let asked: Vec<&str> = sentences.iter().copied().filter(|sentence| is_question(sentence)).flat_map(asked_in).collect();
    let (parts, context): (Vec<&str>, Option<&str>) = if listed.len() > 1 || asked.is_empty() {
        (parts_of(text), None)
    } else {
        (asked, sentences.into_iter().find(|sentence| !is_question(sentence) && !speaks_of_speaker(sentence)))
    };
    let told = context.and_then(subject);
    let of_first = parts.first().and_then(|part| subject(part));
    let named_first: Vec<String> = parts.first().map(|part| names(part)).unwrap_or_default();
    let mut found: Vec<Value> = Vec::new();
    for (place, part) in parts.iter().enumerate().take_while(|_| fuel.burn(1)) {
        let line = part.split_whitespace().collect::<Vec<_>>().join(" ");
        let earlier = told.clone().or_else(|| of_first.clone().filter(|_| place > 0));
        let whole = earlier.as_deref().map_or_else(|| line.clone(), |subject| with_subject(&line, subject));
        let mut query = whole.clone();
        // What was said first is about all that follows; what was asked first only where a later question points back to it.
        let further = if whole != line && place > 0 { &named_first[..] } else { told.as_slice() };
        let small = whole.to_lowercase();
        // Each name is looked for in the question, and may make what is looked for longer.
        let further = further.iter().take_while(|name| fuel.burn_text(small.len() + name.len()));
        for name in further.filter(|name| !small.contains(&name.to_lowercase())) {
            query.push(' ');
            query.push_str(name);
        }
        found.push(json!({ "name": whole, "query": query }));
    }
    found.into()
}

fn is_question(sentence: &str) -> bool {
    let asks = sentence.split_whitespace().next().is_some_and(|word| is_one_of(word.trim_end_matches(','), &ASKING));
    asks || sentence.trim_end_matches(CLOSING).ends_with(['?', '？'])
}

/// "How is it kept, and what happens when it is lost?" asks twice: each question begins with its own word for asking.
pub(super) fn asked_in(sentence: &str) -> Vec<&str> {
    let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_lowercase();
    let asks = |text: &str| ASKING.contains(&first(text).as_str());
    let asks_next = |text: &str| {
        NEXT_QUESTION.contains(&first(text).as_str()) && text.split_whitespace().skip(1).take(2).any(|word| is_one_of(word, &VERBS))
    };
    if !asks(sentence) {
        return vec![without_and(sentence.trim())];
    }
    let mut questions = Vec::new();
    let mut start = 0;
    for (end, mark) in breaks(sentence) {
        let after = without_and(&sentence[end + mark.len()..]);
        // What stands before the question at hand belongs to the one before it.
        if end >= start && if mark == COMMA { asks_next(after) } else { asks(after) } {
            questions.push(sentence[start..end].trim_end_matches(','));
            start = sentence.len() - after.len();
        }
    }
    questions.push(&sentence[start..]);
    questions.into_iter().map(|question| without_and(question.trim())).collect()
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

/// The same question with what it points back to in the place of the first word that does so.
fn with_subject(question: &str, subject: &str) -> String {
    let words: Vec<&str> = question.split(' ').collect();
    let bare = |word: &str| word.trim_matches(|mark: char| !mark.is_alphanumeric()).to_lowercase();
    let points = |place: &usize| {
        let word = bare(words[*place]);
        // `One of them` and `one day` count something.
        let counts = word == "one" && words.get(place + 1).is_some_and(|next| !BOUNDARIES.contains(&bare(next).as_str()));
        PRONOUNS.contains(&word.as_str()) && !counts
    };
    let Some(place) = (0..words.len()).find(points) else { return question.to_string() };
    let word = bare(words[place]);
    let end = words[place].trim_start_matches(|mark: char| !mark.is_alphanumeric()).trim_start_matches(char::is_alphanumeric);
    let owns = ["its", "their", "his"].contains(&word.as_str()) || word == "her" && end.is_empty() && place + 1 < words.len();
    let named = format!("{subject}{}{end}", if owns { "’s" } else { "" });
    words.iter().enumerate().map(|(at, word)| if at == place { named.as_str() } else { word }).collect::<Vec<_>>().join(" ")
}

/// What a sentence is about: what stands behind the verb of a question, or before that of another sentence; else the first name in it.
fn subject(sentence: &str) -> Option<String> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let is_end = |word: &&str| is_one_of(word, &BOUNDARIES) || word.len() > 4 && word.ends_with("ed") || is_one_of(word, &VERBS);
    let verb = words.iter().position(|word| is_one_of(word, &VERBS));
    let named: &[&str] = match verb {
        Some(verb) if is_question(sentence) => {
            let length = words[verb + 1..].iter().take_while(|word| !is_end(word)).count();
            &words[verb + 1..verb + 1 + length]
        }
        Some(verb) => &words[..verb],
        None => &[],
    };
    let is_article = |word: &&str| is_one_of(word, &["the", "a", "an"]);
    let begins_with_name = named.iter().find(|word| !is_article(word)).is_some_and(|word| word.starts_with(char::is_uppercase));
    // After `did` stands what was done too; where it begins with a name, that name is enough. So it is where there is no such verb.
    let is_done = verb.is_some_and(|verb| is_one_of(words[verb], &["do", "does", "did", "can"]));
    if let Some((start, end)) = runs(&words).first().filter(|_| named.is_empty() || is_done && begins_with_name) {
        let article = *start > 0 && is_one_of(words[start - 1], &["the"]);
        return Some(format!("{}{}", if article { "the " } else { "" }, bare(&words[*start..*end])));
    }
    let plain = bare(named);
    let is_pronoun = named.iter().all(|word| is_one_of(word, &PRONOUNS));
    let has_own_capital = begins_with_name && !named.first().is_some_and(is_article);
    let mut letters = plain.chars();
    let small = letters.next().map(|first| if has_own_capital { plain.clone() } else { first.to_lowercase().chain(letters).collect() });
    small.filter(|_| !is_pronoun)
}

fn names(sentence: &str) -> Vec<String> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    runs(&words).into_iter().map(|(start, end)| bare(&words[start..end])).collect()
}

fn bare(words: &[&str]) -> String {
    words.join(" ").trim_matches(|mark: char| !mark.is_alphanumeric()).to_string()
}

/// Words with capitals that follow each other; the first word of a sentence has one in any case.
fn runs(words: &[&str]) -> Vec<(usize, usize)> {
    let is_capital = |at: usize| words.get(at).is_some_and(|word| word.trim_start_matches(['“', '"', '(']).starts_with(char::is_uppercase));
    let ends = |at: usize| words[at].ends_with([',', ';', ':']) || words[at].ends_with(ENDS);
    let is_name = |at: usize| {
        is_capital(at) && (at > 0 || is_capital(1) && !is_one_of(words[0], &ASKING) && !is_one_of(words[0], &["the", "a", "an"]))
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let start = at;
        while at < words.len() && is_name(at) {
            at += 1;
            if ends(at - 1) {
                break;
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
