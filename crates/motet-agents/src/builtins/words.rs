//! Words: counting them, the headings they stand under, and how alike two texts are.
//! What a good number is, the workflow decides.

use serde_json::{Value, json};

use super::{rounded, text};

/// `{text}` → `{words, characters, sentences, paragraphs}`.
pub(super) fn words(input: &Value) -> Result<Value, String> {
    let text = text(input, "text")?;
    Ok(json!({
        "words": words_of(text).count(),
        "characters": text.chars().count(),
        "sentences": sentences_of(text).count(),
        "paragraphs": paragraphs(text),
    }))
}

/// `{text}` (Markdown) → `{headings: [{level, title, words}], depth}`: `words` are those under the heading itself.
/// A `#` inside a fenced block is no heading.
pub(super) fn outline(input: &Value) -> Result<Value, String> {
    let mut headings: Vec<(usize, String, usize)> = Vec::new();
    let mut fenced = false;
    for line in text(input, "text")?.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            fenced = !fenced;
        } else if let Some((level, title)) = heading(line).filter(|_| !fenced) {
            headings.push((level, title.to_string(), 0));
        } else if let Some((_, _, count)) = headings.last_mut() {
            *count += words_of(line).count();
        }
    }
    let depth = headings.iter().map(|(level, _, _)| *level).max().unwrap_or(0);
    let headings: Vec<Value> =
        headings.into_iter().map(|(level, title, words)| json!({ "level": level, "title": title, "words": words })).collect();
    Ok(json!({ "headings": headings, "depth": depth }))
}

/// `{a, b}` → `{similarity}`: one minus the edit distance of the lower-cased texts over the longer one's length.
/// Texts beyond a few thousand words are compared word by word instead of letter by letter.
pub(super) fn similarity(input: &Value) -> Result<Value, String> {
    let (a, b) = (text(input, "a")?.to_lowercase(), text(input, "b")?.to_lowercase());
    let similarity = if a.len().max(b.len()) <= LETTER_BY_LETTER {
        alike(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
    } else {
        let (a, b): (Vec<&str>, Vec<&str>) = (words_of(&a).take(MOST_WORDS).collect(), words_of(&b).take(MOST_WORDS).collect());
        alike(&a, &b)
    };
    Ok(json!({ "similarity": rounded(similarity, 4) }))
}

const LETTER_BY_LETTER: usize = 4000;
const MOST_WORDS: usize = 10_000;

pub(super) fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric())).filter(|word| !word.is_empty())
}

/// A sentence ends with its mark before a space or the end; a line that ends a paragraph ends a sentence too.
pub(super) fn sentences_of(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").flat_map(split_sentences).filter(|sentence| words_of(sentence).next().is_some())
}

fn split_sentences(paragraph: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut begin = 0;
    let mut letters = paragraph.char_indices().peekable();
    while let Some((position, letter)) = letters.next() {
        let followed_by_space = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
        if matches!(letter, '.' | '!' | '?' | '…') && followed_by_space {
            let end = position + letter.len_utf8();
            sentences.push(&paragraph[begin..end]);
            begin = end;
        }
    }
    sentences.push(&paragraph[begin..]);
    sentences
}

fn paragraphs(text: &str) -> usize {
    text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty()).count()
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?.trim().trim_end_matches('#').trim();
    ((1..=6).contains(&level) && !title.is_empty()).then_some((level, title))
}

fn alike<T: PartialEq>(a: &[T], b: &[T]) -> f64 {
    let longer = a.len().max(b.len());
    if longer == 0 { 1.0 } else { 1.0 - edits(a, b) as f64 / longer as f64 }
}

fn edits<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
