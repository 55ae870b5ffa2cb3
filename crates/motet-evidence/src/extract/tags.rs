//! The tags of a page in one pass, for questions that must be answered before a parser is let near it.
//! It builds no tree, so no nesting can hurt it.

/// A tag, as written.
pub(crate) struct Tag<'a> {
    /// In lower case.
    pub name: String,
    pub closes: bool,
    pub closes_itself: bool,
    pub start: usize,
    pub end: usize,
    inner: &'a str,
}

impl Tag<'_> {
    /// The value of an attribute, its entities decoded.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let mut rest = self.inner;
        while let Some((key, value, after)) = next_attribute(rest) {
            if key.eq_ignore_ascii_case(name) {
                return Some(decode_entities(value));
            }
            rest = after;
        }
        None
    }
}

fn next_attribute(text: &str) -> Option<(&str, &str, &str)> {
    let text = text.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '/');
    let end = text.find(|letter: char| letter.is_whitespace() || letter == '=' || letter == '/').unwrap_or(text.len());
    if text.is_empty() {
        return None;
    }
    // A stray `=` is skipped as a name of one sign.
    let (key, rest) = text.split_at(end.max(text.chars().next().map_or(1, char::len_utf8)));
    let Some(value) = rest.trim_start().strip_prefix('=') else { return Some((key, "", rest)) };
    let value = value.trim_start();
    let quoted = value.chars().next().filter(|quote| matches!(quote, '"' | '\''));
    match quoted {
        Some(quote) => {
            let (value, after) = value[1..].split_once(quote).unwrap_or((&value[1..], ""));
            Some((key, value, after))
        }
        None => {
            let end = value.find(char::is_whitespace).unwrap_or(value.len());
            Some((key, &value[..end], &value[end..]))
        }
    }
}

/// Elements whose content is not markup.
const RAW: &[&str] = &["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "template"];

pub(crate) fn tags(html: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + html.get(at..)?.find('<')?;
            let rest = &html[start..];
            if let Some(comment) = rest.strip_prefix("<!--") {
                at = start + comment.find("-->").map(|end| end + 7)?;
                continue;
            }
            let closes = rest[1..].starts_with('/');
            let name_at = if closes { 2 } else { 1 };
            if !rest[name_at..].starts_with(|letter: char| letter.is_ascii_alphabetic()) {
                at = start + 1;
                continue;
            }
            let end = tag_end(rest)?;
            let inner = rest[name_at..end].trim_end_matches('>');
            let name_end = inner.find(|letter: char| letter.is_whitespace() || letter == '/').unwrap_or(inner.len());
            let name = inner[..name_end].to_ascii_lowercase();
            at = start + end;
            // What is inside of a script is not markup, up to its own end.
            if !closes && RAW.contains(&name.as_str()) {
                at = raw_end(html, at, &name);
            }
            let closes_itself = inner.ends_with('/');
            return Some(Tag { name, closes, closes_itself, start, end: start + end, inner: &inner[name_end..] });
        }
    })
}

/// Behind the `>` that is not inside quotes.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') if tag.as_bytes()[..at].trim_ascii_end().ends_with(b"=") => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn raw_end(html: &str, from: usize, name: &str) -> usize {
    let bytes = html.as_bytes();
    let mut at = from;
    while let Some(found) = html[at..].find("</") {
        let begin = at + found + 2;
        if bytes.get(begin..begin + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes())) {
            return at + found;
        }
        at = begin;
    }
    html.len()
}

/// Elements without an end, and those that the next of their kind ends.
const FLAT: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr", "p", "li", "td", "th",
    "tr", "dt", "dd", "option", "optgroup", "tbody", "thead", "tfoot", "colgroup", "rt", "rp", "html", "head", "body",
];
/// Shapes of drawings, which end themselves there and only there.
const SHAPES: &[&str] = &[
    "path",
    "circle",
    "rect",
    "line",
    "polygon",
    "polyline",
    "ellipse",
    "use",
    "stop",
    "image",
    "g",
    "animate",
    "mspace",
    "none",
    "mprescripts",
    "set",
];

/// How deep the elements are nested, at most.
pub(super) fn depth(html: &str) -> usize {
    let (mut depth, mut deepest, mut drawing) = (0usize, 0, false);
    for tag in tags(html) {
        if tag.name == "svg" || tag.name == "math" {
            drawing = !tag.closes;
        }
        let flat = FLAT.contains(&tag.name.as_str()) || (tag.closes_itself && drawing && SHAPES.contains(&tag.name.as_str()));
        match (flat, tag.closes) {
            (true, _) => {}
            (false, true) => depth = depth.saturating_sub(1),
            (false, false) => depth += 1,
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The text of a page that no parser should see: tags become breaks, scripts and styles are left out.
pub(super) fn stripped(html: &str) -> String {
    let (mut text, mut from, mut hidden) = (String::new(), 0, false);
    for tag in tags(html) {
        if !hidden {
            text.push_str(html.get(from..tag.start).unwrap_or_default());
        }
        if !is_inline(&tag.name) {
            text.push('\n');
        }
        hidden = !tag.closes
            && matches!(tag.name.as_str(), "script" | "style" | "template" | "iframe" | "noembed" | "noframes" | "xmp" | "title");
        from = tag.end;
    }
    if !hidden && let Some(rest) = html.get(from..) {
        text.push_str(rest);
    }
    let lines = text.lines().map(|line| decode_entities(line.trim())).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n\n")
}

/// Whether an element goes on with the line that it stands in.
pub(super) fn is_inline(name: &str) -> bool {
    matches!(name, "a" | "b" | "i" | "em" | "strong" | "span" | "font" | "u" | "sup" | "sub" | "code" | "small" | "abbr")
}

/// The few entities that matter in titles and in text that was stripped.
pub(crate) fn decode_entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = rest[1..].bytes().take(10).position(|byte| byte == b';').and_then(|end| Some((letter(&rest[1..=end])?, end + 2)));
        match known {
            Some((letter, length)) => {
                out.push(letter);
                rest = &rest[length..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn letter(entity: &str) -> Option<char> {
    if let Some(number) = entity.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|letter| *letter != '\0');
    }
    Some(match entity {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "rsquo" => '’',
        "lsquo" => '‘',
        "rdquo" => '”',
        "ldquo" => '“',
        _ => return None,
    })
}
