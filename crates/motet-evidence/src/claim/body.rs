//! Where the body of a page ends and its list of references begins.
//! A heading alone is not enough: what follows it must look like references, or the whole page would be thrown away.

const HEADINGS: [&str; 14] = [
    "references",
    "bibliography",
    "works cited",
    "literature",
    "literature cited",
    "sources",
    "further reading",
    "external links",
    "citations",
    "notes",
    "footnotes",
    "notes and references",
    "references and notes",
    "see also",
];

/// The place in the text after which only references follow; the length of the text if there are none.
pub fn body_end(text: &str) -> usize {
    let mut offset = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        lines.push((offset, line.trim()));
        offset += line.len();
    }
    let Some(first) = lines.iter().position(|(_, line)| is_heading(line)) else { return text.len() };
    // From the end, so that each line is read once, however many headings there are.
    let (mut end, mut filled, mut entries) = (text.len(), 0, 0);
    for (start, line) in lines[first..].iter().rev().filter(|(_, line)| !line.is_empty()) {
        if !is_heading(line) {
            filled += 1;
            entries += usize::from(is_entry(line));
        } else if are_references(entries, filled) {
            end = *start;
        }
    }
    end
}

fn is_heading(line: &str) -> bool {
    if line.len() > 40 {
        return false;
    }
    let plain = line.trim_matches(|character: char| !character.is_alphabetic()).trim().to_lowercase();
    let plain = plain.strip_suffix("[edit").map_or(plain.as_str(), str::trim);
    HEADINGS.contains(&plain)
}

/// Most lines that follow, up to the end, are entries: numbered, dated, linked, or with a DOI.
fn are_references(entries: usize, filled: usize) -> bool {
    filled > 0 && entries * 10 >= filled * 6
}

fn is_entry(line: &str) -> bool {
    let lower = line.to_lowercase();
    let numbered = line.starts_with('[') || line.starts_with('^') || {
        let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
        rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "))
    };
    let bullet = line.starts_with(['-', '*', '•']);
    let marked = ["doi", "isbn", "http://", "https://", "www.", "retrieved", "et al", " pp.", "vol.", "journal of"]
        .iter()
        .any(|mark| lower.contains(mark));
    let year_in_brackets = line.match_indices('(').any(|(place, _)| {
        let inside = &line[place + 1..];
        inside.len() > 4 && inside.as_bytes()[..4].iter().all(u8::is_ascii_digit)
    });
    numbered || marked || year_in_brackets || bullet && line.len() < 200
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, body: &str) {
        assert_eq!(&text[..body_end(text)], body);
    }

    #[test]
    fn references_at_the_end_are_no_body() {
        check("Body text.\n\n## References\n\n[1] Smith, J. (2001). Title.\n[2] https://a.example\n", "Body text.\n\n");
        check("Body.\n\nBibliography\n- Jones (1999)\n- Brown (2003)", "Body.\n\n");
    }

    #[test]
    fn a_heading_without_references_after_it_is_body() {
        let text = "Sources\nThe river has two sources in the hills and they meet near the village.\nIt then flows north for a long way.";
        check(text, text);
        check("Notes\n", "Notes\n");
    }
    #[test]
    fn of_several_headings_the_first_that_only_references_follow_ends_the_body() {
        let prose = "Body.\n\nNotes\nIt goes on with a line of prose.\nAnd with another.\n\n";
        check(&format!("{prose}References\n[1] A (2001).\n[2] B (2002).\n"), prose);
        check("Body.\n\nNotes\n[1] A (2001).\n\nReferences\n[2] B (2002).\n", "Body.\n\n");
    }
}
