//! Whether a sentence stands in a source word for word: as a whole sentence or line of it, or as a row of a table or a list that is said in words.
//! A part of a sentence is not enough, for the rest of it may deny the part.

use std::collections::BTreeMap;

use crate::claim::{Label, Measures, Missing, MissingKind, Page, Verdict};
use crate::gather::{said_by_lists, said_by_rows, said_plainly};
use crate::text::{Kind, Span, Token, fold, tokens};

/// The same verdict, but that the source says it in these very words.
pub fn as_said(verdict: Verdict, page: &Page, sentence: &str) -> Verdict {
    match find(page, sentence) {
        Some(span) => Verdict {
            label: Label::Supported,
            score: verdict.score.max(CERTAIN),
            span: Some(span),
            sentences: vec![span],
            missing: Vec::new(),
            measures: Measures { negation: 0.0, opposite: 0.0, exchanged: 0.0, ..verdict.measures },
            ..verdict
        },
        None => verdict,
    }
}

/// The same verdict, unless a sentence that it rests on has these very words with another sign, currency, percent or comparison: then
/// the number is another one, however near it looks.
pub fn as_marked(verdict: Verdict, page: &Page, sentence: &str) -> Verdict {
    let own = kept(sentence);
    let bare = |words: &[(String, Token)], grave: bool| -> Vec<String> {
        let is_kept = |(word, token): &&(String, Token)| token.kind != Kind::Mark || grave && GRAVE.contains(word.as_str());
        words.iter().filter(is_kept).map(|(word, _)| word.clone()).collect()
    };
    let is_other = |words: &[(String, Token)]| bare(words, false) == bare(&own, false) && bare(words, true) != bare(&own, true);
    let near = verdict.sentences.iter().map(|span| kept(&said_plainly(span.of(&page.text))));
    let near: Vec<_> = near.filter(|words| bare(words, false) == bare(&own, false)).collect();
    match near.first().filter(|_| near.iter().all(|words| is_other(words))) {
        Some(other) => {
            let span = differing(&own, other);
            let missing = Missing { kind: MissingKind::Number, text: span.of(sentence).to_string(), span, elsewhere: None };
            let label = if verdict.label == Label::Supported { Label::Partly } else { verdict.label };
            Verdict { label, missing: verdict.missing.into_iter().chain([missing]).collect(), ..verdict }
        }
        None => verdict,
    }
}

/// Words that are there leave no doubt about what the source says.
const CERTAIN: f64 = 0.99;

fn find(page: &Page, sentence: &str) -> Option<Span> {
    let wanted = words(sentence);
    if wanted.len() < 2 {
        return None;
    }
    let whole = page.sentences.iter().map(|sentence| sentence.span).find(|span| words(&said_plainly(span.of(&page.text))) == wanted);
    let row = || {
        let rows = said_by_rows(&page.text).into_iter();
        let (_, row) = rows.into_iter().find(|(statement, _)| words(statement) == wanted)?;
        page.text.find(&row).map(|start| Span::new(start, start + row.len()))
    };
    let list = || lists(page).get(&itemised(sentence)).copied();
    whole.or_else(row).or_else(list)
}

fn lists(page: &Page) -> &BTreeMap<String, Span> {
    page.lists.get_or_init(|| {
        let said = said_by_lists(&page.text).into_iter();
        said.filter_map(|list| Some((itemised(&list.text), Span::new(list.at, list.list?.end)))).collect()
    })
}

/// The words of a list, and where its lead and its items end: `adults only; children` is not `adults; only children`.
fn itemised(text: &str) -> String {
    let items = text.splitn(2, ':').flat_map(|part| part.split(';'));
    items.map(|item| words(item).join(" ")).collect::<Vec<_>>().join("; ")
}

/// Words without their spelling, and everything that a number means by: its own marks, and those around it.
fn words(text: &str) -> Vec<String> {
    kept(text).into_iter().map(|(word, _)| word).collect()
}

/// The same with where each of them stands.
fn kept(text: &str) -> Vec<(String, Token)> {
    let tokens = tokens(text);
    let mut kept = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        let raw = token.of(text);
        match token.kind {
            Kind::Word => kept.push((fold(raw), *token)),
            // A group of digits may be set apart by a space of any width.
            Kind::Number => kept.extend(raw.split_whitespace().map(|digits| (digits.to_string(), *token))),
            Kind::Mark if counts(text, &tokens, at) => kept.push((if DASHES.contains(&raw) { "-" } else { raw }.to_string(), *token)),
            Kind::Mark => {}
        }
    }
    kept
}

/// Where in the sentence the first number stands that is marked otherwise.
fn differing(own: &[(String, Token)], other: &[(String, Token)]) -> Span {
    let at = own.iter().zip(other).position(|(own, other)| own.0 != other.0).unwrap_or(own.len().min(other.len()));
    let is_number = |place: usize| own.get(place).is_some_and(|(_, token)| token.kind == Kind::Number);
    let first = if at > 0 && is_number(at - 1) { at - 1 } else { at.min(own.len().saturating_sub(1)) };
    let last = (first..own.len().min(first + 3)).find(|place| is_number(*place)).unwrap_or(first);
    let last = if own.get(last + 1).is_some_and(|(word, _)| word == "%") { last + 1 } else { last };
    match (own.get(first), own.get(last)) {
        (Some((_, first)), Some((_, last))) => Span::new(first.span.start, last.span.end),
        _ => Span::new(0, 0),
    }
}

/// Marks without which a number says something else.
const GRAVE: &str = "-%‰$€£¥₹₩₽₺₪₴<>≤≥±";

const DASHES: [&str; 5] = ["-", "−", "–", "‒", "—"];

/// Whether a mark changes what a number says: its sign, currency or percent, a comparison, a range, a ratio. Others only format or part
/// words, and a sentence may be printed without them.
fn counts(text: &str, tokens: &[Token], at: usize) -> bool {
    let token = tokens[at];
    let before = at.checked_sub(1).map(|before| tokens[before]);
    let after = tokens.get(at + 1).copied();
    let is_number = |other: Option<Token>| other.is_some_and(|other| other.kind == Kind::Number);
    let touches_before = before.is_some_and(|before| before.touches(token));
    let touches_after = after.is_some_and(|after| token.touches(after));
    // A currency or another comparison may stand between the mark and its number: `-$5`, `<= 5`.
    let leads = tokens[at + 1..].iter().find(|next| next.kind != Kind::Mark || FORMATS.contains(next.of(text)));
    let leads = leads.is_some_and(|next| next.kind == Kind::Number);
    let between = is_number(before) && is_number(after);
    match token.of(text) {
        dash if DASHES.contains(&dash) => between || leads && touches_after && !touches_before,
        "." => is_number(after) && touches_after && !touches_before,
        ":" | "/" => between && touches_before && touches_after,
        "(" => is_number(after) && tokens.get(at + 2).is_some_and(|closes| closes.of(text) == ")"),
        ")" => is_number(before) && at >= 2 && tokens[at - 2].of(text) == "(",
        "<" | ">" | "=" | "~" => leads,
        "+" => leads || is_number(before) && touches_before,
        mark => !FORMATS.contains(mark),
    }
}

/// What formats a text, or parts and ends what it says.
const FORMATS: &str = "*_`\"'“”„‟‘’‚«»‹›,;!…[]{}|\\#•·†‡&@^()、。，；：！（）「」『』【】";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{Claim, check};

    const PAGE: &str = "# Runs\n\nThe answer is `supported` or `not supported`, from 0 to 1. It is in [the guide](a.md) since 2019.\n\n\
        | class | limit |\n|---|---|\n| **low** | 5 calls, not 7 |\n";

    #[track_caller]
    fn stands(sentence: &str, expected: bool) {
        let page = Page::of(PAGE);
        let verdict = as_said(check(&Claim::new(sentence), &page), &page, sentence);
        assert_eq!(verdict.score >= CERTAIN, expected, "{sentence}: {verdict:?}");
        assert!(!expected || verdict.label == Label::Supported && !verdict.is_opposed());
    }

    #[test]
    fn whole_sentences_and_rows_stand_word_for_word() {
        stands("The answer is supported or not supported, from 0 to 1.", true);
        stands("It is in the guide since 2019.", true);
        stands("Class low, limit: 5 calls, not 7.", true);
    }

    #[test]
    fn a_list_stands_word_for_word_with_what_leads_to_it_and_not_without_an_item() {
        let items = ["Ada Roe", "Bo Li", "Cy Dee", "Dan Ash", "Eva Holt", "Finn Moss", "Gro Lund"];
        let lines: String = items.iter().enumerate().map(|(place, item)| format!("{}. {item}\n", place + 1)).collect();
        let page = Page::of(&format!("# Council\n\nThe members of the council are:\n\n{lines}\nThey meet in May.\n"));
        let stands = |items: &[&str]| find(&page, &format!("The members of the council are: {}.", items.join("; "))).is_some();
        assert!(stands(&items));
        assert!(!stands(&items[..6]), "one is left out, and nothing says so");
        assert!(!stands(&["Ada Roe", "Bo; Li", "Cy Dee", "Dan Ash", "Eva Holt", "Finn Moss", "Gro Lund"]), "two are made of one");
        assert!(!stands(&["Ada Roe", "Bo Li", "Cy Dee", "Dan Ash", "Eva Holt", "Finn Moss", "Gro Berg"]));
    }

    #[test]
    fn parts_and_other_words_do_not() {
        stands("The answer is supported.", false);
        stands("It is in the guide since 2020.", false);
        stands("Class low, limit: 7 calls, not 5.", false);
    }

    #[test]
    fn the_same_words_with_another_mark_are_missed_by_the_number() {
        for (source, sentence, missed) in [
            ("The ferry serves 10 % of the towns on the river.", "The ferry serves 10 of the towns on the river.", Some("10")),
            ("The ferry serves 10 of the towns on the river.", "The ferry serves 10 % of the towns on the river.", Some("10 %")),
            ("The speed limit on the bridge is < 30 km/h.", "The speed limit on the bridge is > 30 km/h.", Some("> 30")),
            ("The speed limit on the bridge is < 30 km/h.", "The speed limit on the bridge is < 30 km/h!", None),
            ("About ~30 cars cross the bridge.", "About 30 cars cross the bridge.", None),
        ] {
            let page = Page::of(source);
            let verdict = as_marked(check(&Claim::new(sentence), &page), &page, sentence);
            let text = verdict.missing.iter().map(|missing| missing.text.as_str()).next_back();
            assert_eq!(text, missed, "{verdict:?}");
            assert!(missed.is_none() || verdict.label != Label::Supported);
        }
    }

    #[test]
    fn a_mark_of_a_number_is_a_part_of_what_is_said() {
        let check =
            |source: &str, sentence: &str, expected: bool| assert_eq!(find(&Page::of(source), sentence).is_some(), expected, "{sentence}");
        for (source, other) in [
            ("The toll is €5 for every car.", "The toll is $5 for every car."),
            ("The result was -5 million euros in 2019.", "The result was 5 million euros in 2019."),
            ("The result was −€5 in 2019.", "The result was €5 in 2019."),
            ("The result was (5) in 2019.", "The result was 5 in 2019."),
            ("It reached 10 % of the towns.", "It reached 10 of the towns."),
            ("The limit there is < 30 km/h.", "The limit there is > 30 km/h."),
            ("The limit there is < 30 km/h.", "The limit there is 30 km/h."),
            ("The error is ±3 metres.", "The error is 3 metres."),
            ("It takes 5–7 days.", "It takes 5 7 days."),
            ("It grew by 1.5 metres.", "It grew by 15 metres."),
            ("It grew by .5 metres.", "It grew by 5 metres."),
            ("The odds are 3:1 for them.", "The odds are 3 1 for them."),
            ("It is 20° warm there.", "It is 20 warm there."),
        ] {
            check(source, source, true);
            check(source, other, false);
            check(other, source, false);
        }
        check("It takes 5–7 days, they say.", "It takes 5-7 days, they say.", true);
        check("- **5** calls (at most) are `allowed`.", "5 calls at most are allowed.", true);
        check("It has 1\u{a0}250 arches.", "It has 1 250 arches.", true);
    }
}
