//! What stands in brackets behind a source in the list of a report: whose it is and of when, its kind, whether it is official, when it was read.
//! The printer writes it here and the scorecard reads it here, so that both mean the same. Lists of other writers say what they like.

/// As far as anybody says; what nobody says is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    pub by: String,
    /// A year, a month or a day.
    pub published: String,
    pub doi: String,
    pub kind: String,
    pub official: bool,
    pub accessed: String,
}

const ARCHIVED: &str = ", archived as ";
const ACCESSED: &str = "accessed ";
const OFFICIAL: &str = "official";
const DOI: &str = "doi:";

impl About {
    /// `Ada Ox et al., 2021-04, doi:10.1/x; Paper, official, accessed 2026-11-15`.
    pub fn written(&self) -> String {
        let named = |name: &str, value: &str| if value.is_empty() { String::new() } else { format!("{name}{value}") };
        let official = if self.official { OFFICIAL } else { "" };
        let origin = joined([plain(&self.by), plain(&self.published), named(DOI, &self.doi)]);
        let kept = joined([self.kind.clone(), official.to_string(), named(ACCESSED, &self.accessed)]);
        if origin.is_empty() { kept } else { format!("{origin}; {kept}") }
    }

    /// Of an entry of the list, with what was written here at its end.
    pub fn read(entry: &str) -> Self {
        let entry = entry.rsplit_once(ARCHIVED).map_or(entry, |(before, _)| before);
        let Some((_, about)) = entry.rsplit_once(" (") else { return Self::default() };
        let (origin, kept) = about.trim_end_matches([')', '.']).rsplit_once("; ").unwrap_or(("", about.trim_end_matches([')', '.'])));
        let kept: Vec<&str> = kept.split(", ").collect();
        let (doi, origin): (Vec<&str>, Vec<&str>) = origin.split(", ").partition(|part| part.starts_with(DOI));
        let is_date = |part: &&str| part.starts_with(|first: char| first.is_ascii_digit());
        let published = origin.iter().rev().find(|part| is_date(part)).copied().unwrap_or_default();
        Self {
            by: joined(origin.iter().filter(|part| **part != published).map(ToString::to_string)),
            published: published.to_string(),
            doi: doi.first().and_then(|doi| doi.strip_prefix(DOI)).unwrap_or_default().to_string(),
            kind: kept.first().copied().unwrap_or_default().to_string(),
            official: kept.contains(&OFFICIAL),
            accessed: kept.iter().find_map(|part| part.strip_prefix(ACCESSED)).unwrap_or_default().to_string(),
        }
    }
}

fn joined(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// A name has none of the marks that the parts are told apart by.
fn plain(words: &str) -> String {
    words.replace(['(', ')', ';'], " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_of_a_source_is_read_as_it_was_meant() {
        let parts = |by: &str, published: &str, doi: &str, accessed: &str| About {
            by: by.into(),
            published: published.into(),
            doi: doi.into(),
            kind: "Paper".into(),
            official: doi.is_empty(),
            accessed: accessed.into(),
        };
        for about in [
            parts("", "", "", ""),
            parts("Ada Ox and Bo Yak", "2021-04", "10.1000/x(1)", "2026-11-15"),
            parts("", "2021", "", "2026-11-15"),
            parts("Ada Ox et al.", "", "", ""),
        ] {
            for archived in ["", ", archived as assets/data/a (1).md"] {
                let entry = format!("A title (of 1999; second edition). https://a.example ({}{archived})", about.written());
                assert_eq!(About::read(&entry), about, "{entry}");
            }
        }
        assert_eq!(About { by: "Ox (editor); Yak".into(), ..About::default() }.written(), "Ox editor Yak; ");
        assert_eq!(About::read("A title. https://a.example"), About::default());
    }
}
