//! Documents that are text already: notes, Markdown, source code, data, and the entries of feeds.
//! It changes nothing but line ends, so that a span of the text is a span of the file.

use super::charset::decode;
use super::kind::Hints;
use super::tags::stripped;
use super::{Extracted, Kind, NotExtracted};

const NAME: &str = "motet-plain 1";
const FEED: &str = "feed-rs 3";

pub(super) fn extract(bytes: &[u8], kind: Kind, hints: &Hints) -> Extracted {
    let decoded = decode(bytes, hints.content_type.as_deref());
    let text = decoded.text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let mut extracted =
        Extracted { kind, encoding: Some(decoded.encoding.to_string()), extractor: NAME.to_string(), ..Extracted::default() };
    if decoded.had_errors {
        extracted.notes.push(format!("some bytes are no letters in {}", decoded.encoding));
    }
    if kind == Kind::Markdown {
        front_matter(&text, &mut extracted);
        extracted.title = extracted.title.take().or_else(|| heading(&text));
    }
    let file = hints.url.as_deref().and_then(|url| url.split(['?', '#']).next()?.rsplit('/').next()).filter(|file| !file.is_empty());
    extracted.title = extracted.title.take().or_else(|| file.map(str::to_string));
    extracted.text = text;
    extracted
}

fn heading(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("# "))?;
    Some(line.trim_start_matches('#').trim_end_matches('#').trim().to_string())
}

/// `title`, `author` and `date` between the two `---` at the beginning.
fn front_matter(text: &str, extracted: &mut Extracted) {
    let Some(rest) = text.strip_prefix("---\n") else { return };
    let Some(end) = rest.find("\n---") else { return };
    for line in rest[..end].lines() {
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim().trim_matches(['"', '\'', '[', ']']).to_string();
        match key.trim() {
            "title" if !value.is_empty() => extracted.title = Some(value),
            "author" | "authors" => {
                extracted.authors = value.split(',').map(|name| name.trim().trim_matches(['"', '\'']).to_string()).collect()
            }
            "date" | "published" => extracted.published = Some(value),
            _ => {}
        }
    }
}

pub(super) fn feed(bytes: &[u8]) -> Result<Extracted, NotExtracted> {
    let feed = feed_rs::parser::parse(bytes).map_err(|error| NotExtracted::Broken(format!("the feed cannot be read: {error}")))?;
    let mut text = String::new();
    for entry in &feed.entries {
        let title = entry.title.as_ref().map_or("(no title)", |title| title.content.as_str());
        let summary = entry.summary.as_ref().map(|summary| summary.content.as_str());
        let body = summary.or(entry.content.as_ref().and_then(|content| content.body.as_deref())).unwrap_or_default();
        let link = entry.links.first().map_or("", |link| link.href.as_str());
        text.push_str(&format!("## {}\n\n{}\n\n{link}\n\n", stripped(title), stripped(body)));
    }
    Ok(Extracted {
        kind: Kind::Feed,
        text,
        title: feed.title.map(|title| title.content),
        authors: feed.authors.into_iter().filter_map(|author| author.name).collect(),
        published: feed.updated.or(feed.published).map(|at| at.format("%Y-%m-%d").to_string()),
        language: feed.language,
        extractor: FEED.to_string(),
        ..Extracted::default()
    })
}
