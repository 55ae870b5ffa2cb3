//! What expressions can take out of plain text without a model: sentences, words, what is enumerated, what is most spoken of.
//! It understands nothing. The only words it knows are those that carry no meaning of their own in English; in other
//! languages they simply count like all others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::Value;

use super::fuel::Fuel;
use super::lists;
use super::questions::asked_in;

/// Marks that end a sentence, if a blank or the end of the line follows.
pub(super) const ENDS: [char; 7] = ['.', '!', '?', '…', '。', '！', '？'];
pub(super) const CLOSING: [char; 7] = ['"', '\'', '”', '’', '»', ')', ']'];
/// A clause that begins with one of these says more about what was named before it.
const CLAUSES: [&str; 12] = ["that", "which", "who", "whose", "where", "when", "because", "so", "such", "while", "although", "including"];
const ARTICLES: [&str; 5] = ["a", "an", "the", "our", "my"];
/// They stay small inside a title, and a title does not end with one.
const SMALL: [&str; 20] =
    ["a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "per", "the", "to", "via", "vs", "with", "without"];
/// A question begins with one of these.
pub(super) const ASKING: [&str; 9] = ["what", "how", "why", "when", "where", "who", "which", "whose", "whom"];
/// "How long is it" asks for a measure, "how it is made" does not.
pub(super) const VERBS: [&str; 8] = ["is", "are", "was", "were", "do", "does", "did", "can"];
/// What a topic may begin with that is to be done with the rest of it.
const ORDERS: [&str; 12] =
    ["list", "name", "describe", "explain", "compare", "tell", "give", "show", "find", "summarise", "summarize", "discuss"];
/// What is named first is named within these.
const HEADLINE_BYTES: usize = 1_000;
/// Words that say nothing of what a text is about.
static MEANINGLESS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());
const WORDS: &str = "a about above after again against all also am among an and any are as at be because been before being below between both but by can \
    cannot could did do does doing done down during each either else etc ever every few for from further get gets got had has have \
    having he her here hers him his how i if in into is it its itself just let like made make makes many may me might more most much \
    must my need needs neither no nobody nor not nothing now of off often on once one only onto or other our out over own per please quite rather \
    really same shall she should since so some something such than that the their them then there these they this those through to too \
    two under until up upon us use used uses using very via was way we well were what when where whether which while who whom whose why \
    will with within without would yes yet you your \
    wann warum welche welcher welches wie wieso wo quand comment pourquoi quel quelle où cuándo cómo cuál dónde qué quando perché dove quale";

/// Every sentence, without the blanks around it. A line is a sentence too, whatever it ends with.
pub(super) fn sentences(text: &str, fuel: Fuel<'_>) -> Value {
    if !burn_words(text, fuel) {
        return Value::Null;
    }
    sentences_of(text).into_iter().take_while(|_| fuel.burn(1)).map(Value::from).collect()
}

/// Every word as it is written, without the marks around it.
pub(super) fn words(text: &str, fuel: Fuel<'_>) -> Value {
    if !burn_words(text, fuel) {
        return Value::Null;
    }
    words_of(text).take_while(|_| fuel.burn(1)).map(Value::from).collect()
}

/// `1 task`, `2 tasks`; of a list, how many members it has.
pub(super) fn counted(value: &Value, one: &str, many: Option<&str>, fuel: Fuel<'_>) -> Value {
    if !fuel.burn_text(one.len() + many.map_or(0, str::len)) {
        return Value::Null;
    }
    let number = match value {
        Value::Number(number) => number.clone(),
        Value::Array(list) => list.len().into(),
        Value::Object(fields) => fields.len().into(),
        _ => 0.into(),
    };
    let what = match many {
        _ if number.as_f64() == Some(1.0) => one.to_string(),
        Some(many) => many.to_string(),
        None => format!("{one}s"),
    };
    format!("{number} {what}").into()
}

/// The words that are used most, the first among equals, in small letters.
pub(super) fn keywords(text: &str, most: Option<i64>, fuel: Fuel<'_>) -> Value {
    let Some(most) = most.and_then(|most| usize::try_from(most).ok()).filter(|_| burn_words(text, fuel)) else { return Value::Null };
    keywords_of(text).into_iter().take(most).map(Value::from).collect()
}

/// What the text speaks of most: its keywords, but an adjective only with the word that it belongs to.
pub(super) fn themes(text: &str, most: Option<i64>, fuel: Fuel<'_>) -> Value {
    let Some(most) = most.and_then(|most| usize::try_from(most).ok()).filter(|_| burn_words(text, fuel)) else { return Value::Null };
    let (mut named, mut describing) = (BTreeMap::new(), BTreeSet::new());
    let mut before: Option<String> = None;
    let words: Vec<String> = words_of(text).map(str::to_lowercase).collect();
    for (place, word) in words.iter().enumerate() {
        let word = word.clone();
        // What is asked for how much of it there is, or told to be done, is not what the text speaks of.
        let is_measure = place > 0 && words[place - 1] == "how" && words.get(place + 1).is_some_and(|next| is_one_of(next, &VERBS));
        let is_order = place == 0 && is_one_of(&word, &ORDERS);
        if is_measure || is_order {
            describing.insert(word);
            continue;
        }
        if !bears_meaning(&word) || is_run_together(&word) {
            before = None;
            continue;
        }
        let adjective = before.replace(word.clone()).filter(|before| is_adjective(before));
        let name = adjective.as_ref().map_or(word.clone(), |adjective| format!("{adjective} {word}"));
        named.entry(word).or_insert(name);
        describing.extend(adjective);
    }
    let ranked = keywords_of(text).into_iter().filter(|keyword| !describing.contains(keyword));
    ranked.filter_map(|keyword| named.remove(&keyword)).take(most).map(Value::from).collect()
}

/// What the text names first, as a title of at most so many words.
pub(super) fn headline(text: &str, most: Option<i64>, fuel: Fuel<'_>) -> Value {
    let Some(most) = most.and_then(|most| usize::try_from(most).ok()).filter(|_| fuel.burn_text(text.len())) else { return Value::Null };
    let beginning = &text[..text.floor_char_boundary(HEADLINE_BYTES)];
    let first = beginning.lines().map(without_marker).find(|line| !line.is_empty()).unwrap_or_default();
    let sentence = sentences_of(first).first().copied().unwrap_or_default();
    let clause = sentence.split([',', ';', ':', '(', '—', '–']).next().unwrap_or_default();
    let mut named: Vec<&str> = words_of(clause).collect();
    if named.len() > 1 && named.first().is_some_and(|word| is_one_of(word, &ARTICLES)) {
        named.remove(0);
    }
    let end = named.iter().skip(1).position(|word| is_one_of(word, &CLAUSES)).map_or(named.len(), |position| position + 1);
    named.truncate(end.min(most));
    while named.len() > 1 && named.last().is_some_and(|word| is_one_of(word, &SMALL)) {
        named.pop();
    }
    title_case_of(&named.join(" ")).into()
}

/// Capital letters as in a title; what is written in capitals inside a word stays.
pub(super) fn title_case(text: &str, fuel: Fuel<'_>) -> Value {
    if fuel.burn_text(text.len()) { title_case_of(text).into() } else { Value::Null }
}

/// What a text enumerates: the items of its list; else its sentences; else what its one sentence parts with commas.
pub(super) fn parts(text: &str, fuel: Fuel<'_>) -> Value {
    if !burn_words(text, fuel) {
        return Value::Null;
    }
    parts_of(text).into_iter().take_while(|_| fuel.burn(1)).map(Value::from).collect()
}

/// At most so many characters, cut between two words where that is possible.
pub(super) fn shorten(text: &str, most: Option<i64>, fuel: Fuel<'_>) -> Value {
    let Some(most) = most.and_then(|most| usize::try_from(most).ok()).filter(|_| fuel.burn_text(text.len())) else { return Value::Null };
    let text = text.trim();
    if text.char_indices().nth(most).is_none() {
        return text.into();
    }
    let end = text.char_indices().nth(most.saturating_sub(1)).map_or(text.len(), |(position, _)| position);
    let cut = &text[..end];
    let whole = if text[end..].starts_with(char::is_whitespace) {
        cut
    } else {
        cut.rsplit_once(char::is_whitespace).map_or(cut, |(whole, _)| whole)
    };
    match most {
        0 => "".into(),
        _ => format!("{}…", whole.trim_end().trim_end_matches([',', ';', ':'])).into(),
    }
}

/// Which share of the keywords of `other` the text has, from 0 to 1. What has none is covered by anything.
pub(super) fn covers(text: &str, other: &str, fuel: Fuel<'_>) -> Value {
    if !(burn_words(text, fuel) && burn_words(other, fuel)) {
        return Value::Null;
    }
    let wanted: BTreeSet<String> = keywords_of(other).iter().map(|word| stem(word)).collect();
    if wanted.is_empty() {
        return 1.0.into();
    }
    let had: BTreeSet<String> = meaningful(text).map(|word| stem(&word)).collect();
    let share = wanted.intersection(&had).count() as f64 / wanted.len() as f64;
    ((share * 100.0).round() / 100.0).into()
}

/// The sentences of a text that share most keywords with `about`, in their order; its first ones if `about` has none.
pub(super) fn extract(text: &str, about: &str, most: Option<i64>, fuel: Fuel<'_>) -> Value {
    let Some(most) = most.and_then(|most| usize::try_from(most).ok()).filter(|_| burn_words(text, fuel) && burn_words(about, fuel)) else {
        return Value::Null;
    };
    let wanted: BTreeSet<String> = keywords_of(about).iter().map(|word| stem(word)).collect();
    let shared = |sentence: &str| {
        let had: BTreeSet<String> = meaningful(sentence).map(|word| stem(&word)).collect();
        wanted.intersection(&had).count()
    };
    let mut ranked: Vec<(usize, usize, &str)> =
        sentences_of(text).into_iter().enumerate().map(|(position, sentence)| (shared(sentence), position, sentence)).collect();
    if !wanted.is_empty() {
        ranked.retain(|(shared, ..)| *shared > 0);
        ranked.sort_by_key(|(shared, position, _)| (std::cmp::Reverse(*shared), *position));
    }
    ranked.truncate(most);
    ranked.sort_by_key(|(_, position, _)| *position);
    ranked.into_iter().map(|(.., sentence)| Value::from(sentence)).collect()
}

/// The first members of a list.
pub(super) fn take(list: Value, most: Option<i64>) -> Value {
    match (list, most.and_then(|most| usize::try_from(most).ok())) {
        (Value::Array(mut items), Some(most)) => {
            items.truncate(most);
            Value::Array(items)
        }
        (Value::Null, Some(_)) => Value::Array(Vec::new()),
        _ => Value::Null,
    }
}

/// Every character is looked at more than once, and words are compared, which is more work than passing over them.
pub(super) fn burn_words(text: &str, fuel: Fuel<'_>) -> bool {
    fuel.burn(text.len() as u64 / 2 + 1)
}

pub(super) fn sentences_of(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    for line in text.lines() {
        let (mut start, mut run_end) = (0, 0);
        for (position, mark) in line.char_indices().filter(|(_, character)| ENDS.contains(character)) {
            // Marks that follow each other end together, and are passed over once.
            if position >= run_end {
                let after = line[position + mark.len_utf8()..].trim_start_matches(|next| ENDS.contains(&next) || CLOSING.contains(&next));
                run_end = line.len() - after.len();
            }
            let (end, after) = (run_end, &line[run_end..]);
            let is_full_width = !mark.is_ascii() && mark != '…';
            let is_end = after.is_empty() || after.starts_with(char::is_whitespace) || is_full_width;
            if end > start && is_end && !is_abbreviation(&line[start..end]) {
                sentences.push(line[start..end].trim());
                start = end;
            }
        }
        sentences.push(line.get(start..).unwrap_or_default().trim());
    }
    sentences.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    sentences
}

/// `e.g.`, `Dr.` and single letters end with a point that does not end a sentence.
fn is_abbreviation(sentence: &str) -> bool {
    let Some(word) = sentence.strip_suffix('.').and_then(|sentence| sentence.split_whitespace().next_back()) else { return false };
    let word = word.trim_start_matches(['(', '[', '"']);
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    is_initial
        || matches!(word.to_lowercase().as_str(), "e.g" | "i.e" | "cf" | "vs" | "dr" | "mr" | "mrs" | "ms" | "prof" | "st" | "approx")
}

pub(super) fn parts_of(text: &str) -> Vec<&str> {
    let items = items(text);
    let parts = if items.len() > 1 { items } else { clauses(text) };
    let mut seen = BTreeSet::new();
    let plain = parts.into_iter().map(|part| part.trim().trim_end_matches(['.', ';', ',']).trim());
    plain.filter(|part| part.chars().any(char::is_alphanumeric) && seen.insert(part.to_lowercase())).collect()
}

/// The items of a list, without their marks.
pub(super) fn items(text: &str) -> Vec<&str> {
    text.lines().filter(|line| without_marker(line) != line.trim()).map(without_marker).collect()
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let is_dash = |character: char| matches!(character, '/' | '—' | '–' | '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '=');
    // An address is one word, and is of use only as a whole.
    text.split_whitespace()
        .flat_map(move |word| if word.contains("://") { vec![word] } else { word.split(is_dash).collect() })
        .map(|word| word.trim_matches(|character: char| !character.is_alphanumeric()))
        .filter(|word| !word.is_empty())
}

/// The words that say what a text is about, in small letters.
fn meaningful(text: &str) -> impl Iterator<Item = String> {
    words_of(text).map(str::to_lowercase).filter(|word| bears_meaning(word))
}

pub(super) fn bears_meaning(word: &str) -> bool {
    let is_short = word.chars().count() < 3 && word.is_ascii() && !word.contains(|character: char| character.is_ascii_digit());
    !is_short && !MEANINGLESS.contains(word)
}

/// A whole clause without spaces, as Chinese and Japanese are written, is no word.
fn is_run_together(word: &str) -> bool {
    word.chars().filter(|letter| *letter >= '\u{3040}').count() > 4
}

/// By its ending, so a guess, and one for English only.
fn is_adjective(word: &str) -> bool {
    let endings = ["ed", "al", "ive", "ous", "ful", "less", "able", "ible", "ic", "ary"];
    endings.iter().any(|ending| word.strip_suffix(ending).is_some_and(|stem| stem.chars().count() >= 3))
}

fn keywords_of(text: &str) -> Vec<String> {
    let mut counted: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    for (position, word) in meaningful(text).enumerate() {
        counted.entry(word).or_insert((0, position)).0 += 1;
    }
    let mut ranked: Vec<(String, (u64, usize))> = counted.into_iter().collect();
    ranked.sort_by_key(|(_, (count, position))| (std::cmp::Reverse(*count), *position));
    ranked.into_iter().map(|(word, _)| word).collect()
}

/// Two forms of one word, such as a plural, have the same beginning.
fn stem(word: &str) -> String {
    let endings = ["ations", "ation", "ing", "ies", "ed", "es", "s", "y", "e"];
    let stem = endings.iter().find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.chars().count() >= 3));
    stem.unwrap_or(word).to_owned()
}

pub(super) fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.contains(&word.to_lowercase().as_str())
}

fn title_case_of(text: &str) -> String {
    let capital = |(position, word): (usize, &str)| {
        if position > 0 && SMALL.contains(&word) {
            return word.to_owned();
        }
        let parts = word.split('-').map(|part| {
            let mut letters = part.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        });
        parts.collect::<Vec<_>>().join("-")
    };
    text.split_whitespace().enumerate().map(capital).collect::<Vec<_>>().join(" ")
}

/// A line without the mark of a list item: `- `, `* `, `• `, `1. `, `2) `.
fn without_marker(line: &str) -> &str {
    let line = line.trim();
    let bullet = line.strip_prefix(['-', '*', '•', '·']);
    let digits = line.trim_start_matches(|character: char| character.is_ascii_digit());
    let number = (digits.len() < line.len()).then(|| digits.strip_prefix(['.', ')'])).flatten();
    bullet.or(number).filter(|rest| rest.starts_with(char::is_whitespace)).map_or(line, str::trim)
}

/// Sentences and what semicolons part. If there is only one of them: the questions that it asks, if those are two or more; else what
/// its commas and the last "and" part, if those are three or more: two are more often one thought. What a question enumerates is one
/// thought too.
fn clauses(text: &str) -> Vec<&str> {
    let sentences: Vec<&str> = sentences_of(text)
        .into_iter()
        .flat_map(|sentence| sentence.split(';'))
        .map(without_marker)
        .map(without_and)
        .filter(|part| !part.is_empty())
        .collect();
    let [only] = sentences.as_slice() else { return sentences };
    let questions = asked_in(only);
    let asks = only.split_whitespace().next().is_some_and(|word| is_one_of(word, &ASKING));
    if questions.len() > 1 || asks {
        return questions;
    }
    let mut pieces: Vec<&str> = only.split(", ").collect();
    if let Some((first, second)) = pieces.pop().map(|last| last.split_once(" and ").unwrap_or((last, ""))) {
        pieces.extend([first, second].into_iter().filter(|piece| !piece.is_empty()));
    }
    let pieces: Vec<&str> = pieces.into_iter().map(|piece| without_and(piece.trim())).collect();
    if pieces.len() >= 3 && only.contains(", ") { pieces } else { sentences }
}

pub(super) fn without_and(piece: &str) -> &str {
    piece.strip_prefix("and ").unwrap_or(piece)
}

/// The texts of a list as one text, a line each; a text as it is.
pub(super) fn flat<'v>(value: &'v Value, fuel: Fuel<'_>) -> std::borrow::Cow<'v, str> {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Array(_) => match lists::join(value, "\n", fuel) {
            Value::String(text) => text.into(),
            _ => "".into(),
        },
        _ => "".into(),
    }
}
