//! Texts that nobody would write, and pages do: whatever comes in, something comes out, and every place lies in its text.
//! Fragments are put together by a generator with a fixed beginning, so a failure can be repeated.

use motet_evidence::claim::{Claim, Page, cite, quote};
use motet_evidence::report::{Archive, Document, parse, verify};
use motet_evidence::score::{Intent, score};
use motet_evidence::text::{numbers, sentences, tokens};

const FRAGMENTS: [&str; 48] = [
    "",
    " ",
    "\n",
    "\n\n",
    ".",
    "...",
    "…",
    "?!",
    "[1]",
    "[",
    "]",
    "[^",
    "[^a]",
    "[1](http://x)",
    "(",
    ")",
    "\"",
    "“",
    "”",
    "'",
    "’s",
    "1",
    "1,",
    "1,000",
    "1.2.3",
    "99999999999999999999",
    "0",
    "%",
    "½",
    "$",
    "U.S.",
    "J.",
    "e.g.",
    "May",
    "May 5",
    "2010–",
    "12/12/2012",
    "3rd",
    "1990s",
    "two hundred and",
    "one in",
    "é\u{301}",
    "\u{200b}",
    "日本語。",
    "İstanbul",
    "## References",
    "| a | b |\n|---|---|\n",
    "not",
];

fn text(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut made = String::new();
    for _ in 0..40 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        made.push_str(FRAGMENTS[(state >> 33) as usize % FRAGMENTS.len()]);
        if state >> 62 == 0 {
            made.push(' ');
        }
    }
    made
}

#[test]
fn no_text_breaks_anything_and_every_place_lies_in_its_text() {
    for seed in 1..300 {
        let (one, other) = (text(seed), text(seed + 10_000));
        let read = tokens(&one);
        assert!(read.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
        assert!(sentences(&one).iter().all(|span| one.get(span.start..span.end).is_some()), "{one:?}");
        assert!(
            numbers(&one, &read).iter().all(|number| one.get(number.span.start..number.span.end).is_some() && number.value.is_finite()),
            "{one:?}"
        );
        let page = Page::of(&other);
        let verdict = cite(&Claim { text: &one, context: &other }, &page);
        assert!((0.0..=1.0).contains(&verdict.score), "{one:?}");
        assert!(verdict.sentences.iter().all(|span| other.get(span.start..span.end).is_some()), "{other:?}");
        assert!(verdict.missing.iter().all(|missing| missing.span.of(&one) == missing.text), "{one:?}");
        if let Some(found) = quote::find(&one, &other) {
            assert!(other.get(found.span.start..found.span.end).is_some(), "{one:?} in {other:?}");
        }
        let archive = Archive::of([Document { names: vec!["http://x".into()], text: other }]);
        let report = parse(&one);
        let verification = verify(&report, &archive);
        assert!(!score(&report, &verification, &archive, Intent::default()).to_string().is_empty());
    }
}

#[test]
fn a_text_is_found_in_itself() {
    for seed in 1..200 {
        let one = format!("The {} was read", text(seed).replace(['"', '“', '”', '…', '.', '[', ']'], " "));
        assert!(quote::find(&one, &format!("Before it. {one} and after.")).is_some(), "{one:?}");
    }
}

/// Many lines without an end, many brackets, one endless word: time grows with the length and not with its square.
#[test]
fn long_monotonous_texts_are_read_to_the_end() {
    for part in ["word ", "[", "a.", "1,", "line\n", "\"", "A B. "] {
        let long = part.repeat(20_000);
        let page = Page::of(&long);
        assert!(cite(&Claim::new("A word in line 1."), &page).score <= 1.0);
        assert!(parse(&long).sentences.len() <= long.len());
    }
}
