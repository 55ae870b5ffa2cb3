//! Takes the marks of footnotes out of a page: they lead to its foot, say nothing, and stand in the way of whoever quotes a sentence.
//! A number that means something stays: an exponent leads nowhere, and `see section 3` reads on without its link, not without its number.

use std::collections::BTreeMap;

use super::tags::{Tag, decode_entities, tags};

/// The longest mark between its tags, which may be several.
const LONGEST: usize = 600;
/// What footnotes are called in the addresses and classes of their marks.
const CALLED: [&str; 5] = ["fn", "note", "ref", "cite", "bib"];

/// The page without the marks of its footnotes.
pub(super) fn without_notes(html: &str) -> String {
    let all: Vec<Tag> = tags(html).filter(|tag| tag.name == "sup" || tag.name == "a").collect();
    let (mut kept, mut from) = (String::with_capacity(html.len()), 0);
    for (tag, end) in all.iter().zip(ends(&all)) {
        let Some(end) = end else { continue };
        if tag.start >= from && end.start - tag.end <= LONGEST && is_note(tag, &html[tag.end..end.start]) {
            kept.push_str(&html[from..tag.start]);
            from = end.end;
        }
    }
    kept + &html[from..]
}

/// For every tag that opens, the next that closes one of its name.
fn ends<'t>(all: &'t [Tag<'t>]) -> Vec<Option<&'t Tag<'t>>> {
    let mut next: BTreeMap<&str, &Tag> = BTreeMap::new();
    let mut ends = vec![None; all.len()];
    for (tag, end) in all.iter().zip(&mut ends).rev() {
        match tag.closes {
            true => {
                next.insert(&tag.name, tag);
            }
            false => *end = next.get(tag.name.as_str()).copied(),
        }
    }
    ends
}

fn is_note(tag: &Tag, inside: &str) -> bool {
    let said = words(inside);
    let bare = said.trim_matches(['[', ']', '(', ')']).trim();
    let is_mark = !bare.is_empty()
        && (bare.len() <= 3 && bare.bytes().all(|letter| letter.is_ascii_digit())
            || bare.len() == 1 && bare.bytes().all(|letter| letter.is_ascii_lowercase())
            || ["*", "†", "‡", "↑", "^"].contains(&bare)
            || ["note ", "nb "].iter().any(|name| bare.strip_prefix(name).is_some_and(|number| number.parse::<u16>().is_ok())));
    let leads_down = |tag: &Tag| tag.attribute("href").is_some_and(|address| address.starts_with('#') || address.contains("#cite"));
    let called = |name: &str| tag.attribute(name).is_some_and(|value| CALLED.iter().any(|word| value.to_ascii_lowercase().contains(word)));
    let in_brackets = said.starts_with('[') && said.ends_with(']');
    match tag.name.as_str() {
        "sup" => is_mark && (in_brackets || called("class") || tags(inside).any(|inner| leads_down(&inner))),
        _ => is_mark && leads_down(tag) && (in_brackets || called("href") || called("class") || called("role")),
    }
}

fn words(html: &str) -> String {
    let (mut said, mut from) = (String::new(), 0);
    for tag in tags(html) {
        said.push_str(html.get(from..tag.start).unwrap_or_default());
        from = tag.end;
    }
    said.push_str(html.get(from..).unwrap_or_default());
    decode_entities(said.trim()).trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(without_notes(html), expected);
    }

    #[test]
    fn marks_of_footnotes_are_taken_out() {
        check("in 1974.<sup class=\"reference\"><a href=\"#cite_note-7\">[7]</a></sup> The", "in 1974. The");
        check("in 1974.<sup>[<a href=\"#c2\">2</a>]</sup><sup><a href=\"#c8\">8</a></sup> The", "in 1974. The");
        check("in 1974<a href='#fn1'>1</a>.", "in 1974.");
        check("in 1974<a href=\"#x\" role=\"doc-noteref\">a</a>.", "in 1974.");
        check("in 1974.<sup>&#91;<a href=\"#n\">note 2</a>&#93;</sup>", "in 1974.");
    }

    #[test]
    fn numbers_that_mean_something_stay() {
        for html in [
            "10 m<sup>2</sup> of it",
            "see section <a href=\"#s3\">3</a> for more",
            "the <sup><a href=\"#top\">long way</a></sup> up",
            "an unclosed <sup>1",
            "2<sup>n</sup>",
        ] {
            check(html, html);
        }
    }

    #[test]
    fn each_mark_ends_with_the_next_tag_that_closes_it_however_many_are_open() {
        let open = "<a name=x></b>".repeat(100_000);
        check(&open, &open);
        check(&format!("{open}in 1974.<sup><a href='#fn1'>1</a></sup>{open}"), &format!("{open}in 1974.{open}"));
        check(
            "in 1974<a href='#fn1'><sup>1</sup></a>, or <a href='#fn2'>2<sup>nd</sup></a>",
            "in 1974, or <a href='#fn2'>2<sup>nd</sup></a>",
        );
    }
}
