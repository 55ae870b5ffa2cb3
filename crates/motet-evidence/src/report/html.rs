//! Raw HTML in a report, read for its words and links as any reader of the printed page would: it may claim as much as a paragraph.
//! Scripts, styles and comments are left out; they are not shown.

use super::Citation;
use super::blocks::Walk;
use crate::extract::tags::{Tag, decode_entities, tags};

/// Elements inside of a line.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "cite", "code", "del", "dfn", "em", "font", "i", "img", "ins", "kbd", "mark", "q", "s", "small", "span",
    "strong", "sub", "sup", "time", "u", "var", "wbr",
];
const HIDDEN: &[&str] = &["iframe", "noembed", "noframes", "script", "style", "template", "title", "xmp"];

impl Walk {
    /// A block of it, which may hold several paragraphs.
    pub(super) fn read_html(&mut self, html: &str) {
        self.flush();
        let (mut from, mut is_hidden) = (0, false);
        for tag in tags(html) {
            if !is_hidden {
                self.push_words(html.get(from..tag.start).unwrap_or_default());
            }
            is_hidden = !tag.closes && HIDDEN.contains(&tag.name.as_str());
            from = tag.end;
            self.on_tag(&tag);
        }
        if !is_hidden {
            self.push_words(html.get(from..).unwrap_or_default());
        }
        self.flush();
    }

    /// A single tag between words.
    pub(super) fn read_tag(&mut self, html: &str) {
        if let Some(tag) = tags(html).next().filter(|tag| INLINE.contains(&tag.name.as_str()) || tag.name == "br") {
            self.on_tag(&tag);
        }
    }

    fn on_tag(&mut self, tag: &Tag) {
        match tag.name.as_str() {
            "a" if tag.closes => self.close_link(),
            "a" => self.link = tag.attribute("href").map(|address| (address, self.length())),
            "sup" if tag.closes => self.close_raised(),
            "sup" => self.raised = Some(self.length()),
            "br" => self.push("\n"),
            "td" | "th" if !tag.closes && self.length() > 0 => self.push("; "),
            "td" | "th" => {}
            name if INLINE.contains(&name) => {}
            _ => self.flush(),
        }
    }

    fn push_words(&mut self, words: &str) {
        let words = decode_entities(&without_comments(words));
        if self.length() > 0 || !words.trim().is_empty() {
            self.push(&words);
        }
    }
}

fn without_comments(words: &str) -> String {
    let mut kept = String::new();
    let mut rest = words;
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

/// Whether an address is one that a reader may follow to a source.
pub(super) fn source(address: &str) -> Option<Citation> {
    let lower = address.to_lowercase();
    let is_source = !address.is_empty() && !address.starts_with('#') && !lower.starts_with("mailto:") && !lower.starts_with("javascript:");
    is_source.then(|| Citation::Link(address.to_string()))
}
