//! The text of a PDF, page by page.
//! It runs only where it can be stopped: in a process of its own, or in a thread that may be left behind.

use unpdf::{CleanupPreset, ErrorKind, ParseOptions, RenderOptions, render};

use super::{Extracted, Kind, NotExtracted};

const NAME: &str = "unpdf 0.52";
/// Beyond this nobody cites a page, and a hostile file has made its point.
const MOST_PAGES: u32 = 2000;
/// The parser goes down one call per list; a stack that runs over ends the process and not only the thread.
const DEEPEST: usize = 500;

pub(super) fn extract(bytes: &[u8]) -> Result<Extracted, NotExtracted> {
    if nesting(bytes) > DEEPEST {
        return Err(NotExtracted::Broken(format!("the paper is nested deeper than {DEEPEST} lists, which no honest one is")));
    }
    let options = ParseOptions::new().lenient().with_resources(false).sequential();
    let document = unpdf::parse_bytes_with_options(bytes, options).map_err(|error| match error.kind() {
        ErrorKind::Encrypted | ErrorKind::InvalidPassword => NotExtracted::Unsupported("the paper is locked with a password".to_string()),
        _ => NotExtracted::Broken(format!("the paper cannot be read: {error}")),
    })?;
    let mut notes = Vec::new();
    let pages = document.page_count();
    if pages > MOST_PAGES {
        return Err(NotExtracted::TooLarge(format!("the paper has {pages} pages, and {MOST_PAGES} is the limit")));
    }
    let rendering = RenderOptions::default().with_cleanup_preset(CleanupPreset::Standard);
    let text = match render::to_text(&document, &rendering) {
        Ok(text) => text,
        Err(error) => {
            notes.push(format!("layout was not understood ({error})"));
            document.plain_text()
        }
    };
    let metadata = &document.metadata;
    let authors = metadata.author.as_deref().unwrap_or_default().split([';', ',']).map(str::to_string).collect();
    Ok(Extracted {
        kind: Kind::Pdf,
        title: metadata.title.clone().filter(|title| is_a_title(title)).or_else(|| first_line(&text)),
        authors,
        published: metadata.created.map(|created| created.format("%Y-%m-%d").to_string()),
        text,
        extractor: NAME.to_string(),
        notes,
        ..Extracted::default()
    })
}

/// Programs write their own names and file names there.
fn is_a_title(title: &str) -> bool {
    let lower = title.trim().to_lowercase();
    let from_a_program = ["microsoft word", "untitled", "powerpoint presentation"].iter().any(|sign| lower.starts_with(sign));
    let from_a_file = [".doc", ".docx", ".tex", ".dvi", ".pdf", ".indd", ".odt"].iter().any(|ending| lower.ends_with(ending));
    !lower.is_empty() && !from_a_program && !from_a_file
}

fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| line.chars().filter(|letter| letter.is_alphabetic()).count() > 3)?;
    Some(line.trim_start_matches(['#', ' ']).to_string())
}

/// How deep lists and dictionaries are nested, streams and texts left out. What is packed into streams is not seen here.
fn nesting(bytes: &[u8]) -> usize {
    let (mut depth, mut deepest, mut at) = (0usize, 0, 0);
    // A paper in which one of them has no end is broken; then nothing more is skipped, and nothing is searched for twice.
    let (mut texts_end, mut streams_end) = (true, true);
    while at < bytes.len() {
        match bytes[at] {
            b'[' | b'<' => depth += 1,
            b']' | b'>' => depth = depth.saturating_sub(1),
            b'(' if texts_end => match text_end(bytes, at) {
                Some(end) => at = end,
                None => texts_end = false,
            },
            b's' if streams_end && bytes[at..].starts_with(b"stream") => match stream_end(bytes, at) {
                Some(end) => at = end,
                None => streams_end = false,
            },
            _ => {}
        }
        deepest = deepest.max(depth);
        at += 1;
    }
    deepest
}

/// The sign that ends a text.
fn text_end(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut open, mut at) = (0usize, from);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'(' => open += 1,
            b')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
        at += 1;
    }
    None
}

fn stream_end(bytes: &[u8], from: usize) -> Option<usize> {
    let length = bytes[from..].windows(9).position(|window| window == b"endstream")?;
    Some(from + length + 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paper: &str, depth: usize) {
        assert_eq!(nesting(paper.as_bytes()), depth, "{paper}");
    }

    #[test]
    fn nesting_is_counted_where_a_parser_would_go_down() {
        check("<< /Kids [1 0 R [2 0 R]] >>", 4);
        check("([[[ \\) (nested [) ]) [x]", 1);
        check("<< /Length 9 >> stream\n[[[[[[[[[\nendstream [1]", 2);
    }

    #[test]
    fn what_has_no_end_is_not_skipped_and_costs_no_more_than_its_length() {
        check("( [[[", 3);
        check("stream [[[[", 4);
        assert_eq!(nesting("(stream".repeat(300_000).as_bytes()), 0);
    }
}
