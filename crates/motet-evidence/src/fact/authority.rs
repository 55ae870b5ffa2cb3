//! Who speaks at an address, as far as its host says so: a state, a body of states, a body that sets standards, a place for papers.
//! A host that no rule knows is neither trusted nor distrusted. Universities are none of these: anybody there may have a page.

use super::domain::is_within;

/// Under these only states and bodies of states register: `.gov`, `.mil`, `.int`.
const STATE_SUFFIXES: [&str; 3] = ["gov", "mil", "int"];

/// The label with which countries keep a place for their state: `.gov.uk`, `.gob.mx`, `.gouv.fr`.
const STATE_LABELS: [&str; 12] = ["gov", "gob", "gouv", "govt", "gub", "guv", "gv", "go", "mil", "admin", "bund", "gc"];

/// Countries that use one of the shorter labels for their state, where others do not.
const SHORT_LABELS: [&str; 12] =
    ["go.jp", "go.kr", "go.th", "go.id", "go.ke", "go.tz", "go.ug", "gv.at", "gc.ca", "admin.ch", "bund.de", "go.cr"];

/// Official hosts without such a name: parliaments, bodies of states, bodies that set standards.
const NAMED: [&str; 26] = [
    "europa.eu",
    "un.org",
    "unesco.org",
    "unicef.org",
    "oecd.org",
    "worldbank.org",
    "imf.org",
    "wto.org",
    "iaea.org",
    "ilo.org",
    "fao.org",
    "imo.org",
    "bis.org",
    "iso.org",
    "iec.ch",
    "ietf.org",
    "rfc-editor.org",
    "w3.org",
    "unicode.org",
    "nhs.uk",
    "parliament.uk",
    "bundestag.de",
    "destatis.de",
    "insee.fr",
    "ssb.no",
    "scb.se",
];

/// Where papers are kept or found by their number.
const PAPERS: [&str; 14] = [
    "arxiv.org",
    "doi.org",
    "biorxiv.org",
    "medrxiv.org",
    "pubmed.ncbi.nlm.nih.gov",
    "pmc.ncbi.nlm.nih.gov",
    "semanticscholar.org",
    "openalex.org",
    "jstor.org",
    "plos.org",
    "nature.com",
    "science.org",
    "aclanthology.org",
    "openreview.net",
];

/// Whether the owner of an address is a state, a body of states, or a body that sets standards.
pub fn is_official(address: &str) -> bool {
    if NAMED.iter().any(|domain| is_within(address, domain)) {
        return true;
    }
    if is_paper(address) {
        return false;
    }
    let Some(host) = super::domain::host(address) else { return false };
    let labels: Vec<&str> = host.split('.').collect();
    match labels.as_slice() {
        [_, .., last] if STATE_SUFFIXES.contains(last) => true,
        [_, .., second, last] if last.len() == 2 && STATE_LABELS.contains(second) => {
            second.len() > 2 && !["admin", "bund"].contains(second) || SHORT_LABELS.contains(&format!("{second}.{last}").as_str())
        }
        _ => false,
    }
}

/// Whether an address is of a place where papers are published or kept.
pub fn is_paper(address: &str) -> bool {
    PAPERS.iter().any(|domain| is_within(address, domain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_bodies_of_states_and_standards_are_official_and_nobody_else_is() {
        for address in [
            "https://www.nasa.gov/a",
            "https://www.army.mil",
            "https://www.who.int/news",
            "https://www.gov.uk/guidance",
            "https://www.ons.gov.uk/x",
            "https://inegi.gob.mx",
            "https://www.economie.gouv.fr/a",
            "https://www.stat.go.jp",
            "https://www.canada.gc.ca",
            "https://www.bfs.admin.ch",
            "https://ec.europa.eu/eurostat",
            "https://datatracker.ietf.org/doc/rfc9110",
        ] {
            assert!(is_official(address), "{address}");
        }
        for address in [
            "https://www.mit.edu",
            "https://gov.example.com",
            "https://mygov.org",
            "https://go.com",
            "https://admin.example.de",
            "https://www.int.example",
            "https://notes.go.it",
            "https://fakeeuropa.eu",
            "https://pubmed.ncbi.nlm.nih.gov/123",
            "file:///home/a.gov",
            "assets/data/a.md",
        ] {
            assert!(!is_official(address), "{address}");
        }
    }

    #[test]
    fn papers_are_known_by_where_they_are_kept() {
        assert!(is_paper("https://arxiv.org/abs/2401.00001") && is_paper("https://dx.doi.org/10.1/x"));
        assert!(!is_paper("https://notarxiv.org/abs/1"));
    }
}
