//! The text of a PDF, page by page.
//! It runs only where it can be stopped: in a process of its own, or in a thread that may be left behind.

use unpdf::{CleanupPreset, ErrorKind, ParseOptions, RenderOptions, render};

use super::{Extracted, Kind, NotExtracted};

const NAME: &str = "unpdf 0.52";
/// Beyond this nobody cites a page, and a hostile file has made its point.
const MOST_PAGES: u32 = 2000;

pub(super) fn extract(bytes: &[u8]) -> Result<Extracted, NotExtracted> {
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
