//! Where a saved page says that it was published: its canonical link, the address it gives to those who share it, or the remark of the
//! browser that saved it.
//! It believes the page. Where somebody recorded from where a page was fetched, that record goes first.

use super::tags::tags;

/// How a browser begins the remark that it leaves at the top of a page.
const SAVED_FROM: &str = "<!-- saved from url=(";

/// As much of a page as holds its remarks.
const TOP_BYTES: usize = 2000;

/// Whole addresses only, each once, in the order in which they are believed.
pub fn own_addresses(html: &str) -> Vec<String> {
    let head = || tags(html).take_while(|tag| tag.name != "body");
    let is = |said: Option<String>, word: &str| said.is_some_and(|said| said.split_whitespace().any(|one| one.eq_ignore_ascii_case(word)));
    let canonical =
        head().filter(|tag| tag.name == "link" && is(tag.attribute("rel"), "canonical")).filter_map(|tag| tag.attribute("href"));
    let shared = head()
        .filter(|tag| tag.name == "meta" && (is(tag.attribute("property"), "og:url") || is(tag.attribute("name"), "og:url")))
        .filter_map(|tag| tag.attribute("content"));
    let mut found: Vec<String> = Vec::new();
    for address in canonical.chain(shared).chain(saved_from(html)).map(|address| address.trim().to_string()) {
        let is_whole = address.starts_with("http://") || address.starts_with("https://");
        if is_whole && !found.contains(&address) {
            found.push(address);
        }
    }
    found
}

/// `<!-- saved from url=(0024)https://a.example/bridge -->`.
fn saved_from(html: &str) -> Option<String> {
    let top = &html[..html.floor_char_boundary(TOP_BYTES)];
    let (_, rest) = top.split_once(SAVED_FROM)?;
    let (length, address) = rest.split_once(')')?;
    let is_length = length.bytes().all(|byte| byte.is_ascii_digit());
    is_length.then(|| address.split_whitespace().next().unwrap_or_default().trim_end_matches("-->").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        assert_eq!(own_addresses(html), expected, "{html}");
    }

    #[test]
    fn a_page_says_where_it_is_in_its_head_and_nowhere_else() {
        let canonical = "<link href='https://a.example/x?a=1&amp;b=2' rel=\"Canonical\">";
        let shared = "<meta property=og:url content=https://b.example/y>";
        check(&format!("<html><head>{canonical}{shared}</head><body>"), &["https://a.example/x?a=1&b=2", "https://b.example/y"]);
        check(&format!("<head>{shared}<link rel=canonical href=https://b.example/y>"), &["https://b.example/y"]);
        check(&format!("<html><head></head><body>{canonical}{shared}</body>"), &[]);
        check("<link rel=canonical href=/bridge><link rel=alternate href=https://a.example/de>", &[]);
        check("<!-- saved from url=(0024)https://a.example/bridge -->\n<html>", &["https://a.example/bridge"]);
        check("<!-- saved from url=(0014)about:internet -->", &[]);
        check("<p>saved from https://a.example</p>", &[]);
    }
}
