//! Citations as programs and people write them, and those that were made up.

use super::super::{Archive, Document, parse, verify};

const SOURCE: &str = "The bridge was opened in 1932 and is 503 metres long.";

fn archive() -> Archive {
    let read = ["https://a.example/bridge", "assets/data/0a1b.md"];
    let own = ["bridge.md"];
    let document = |names: &[&str]| Document { names: names.iter().map(|name| name.to_string()).collect(), text: SOURCE.into() };
    Archive::of([document(&read), document(&own)])
}

/// What of the references of a report with this one entry leads outside the archive.
fn check(entry: &str, expected: &[&str]) {
    let report = format!("The bridge was opened in 1932 [1].\n\n## Sources\n\n- [1] {entry}\n");
    let verification = verify(&parse(&report), &archive());
    assert_eq!(verification.integrity.outside_archive, expected, "{entry}");
    assert_eq!(verification.gate.open, expected.is_empty(), "{entry}: {:?}", verification.gate.reasons);
}

#[test]
fn a_file_that_is_named_beside_an_invented_address_does_not_stand_for_it() {
    let invented = "https://www.nature.com/never-existed";
    check("Bridge. https://a.example/bridge (Report, archived as assets/data/0a1b.md)", &[]);
    check(&format!("Bridge. {invented} (Report, archived as assets/data/0a1b.md)"), &[invented]);
    check("Invented Journal, https://invented.example/paper (see bridge.md)", &["https://invented.example/paper"]);
    check("[Invented Journal](https://invented.example/paper), bridge.md", &["https://invented.example/paper"]);
    check("Invented Journal, www.invented.example/paper, bridge.md", &["www.invented.example/paper"]);
    check(&format!("Nature, {invented}, also https://a.example/bridge"), &[invented]);
    check("The bridge, bridge.md", &[]);
    check("The bridge, archived as assets/data/0a1b.md", &[]);
}

#[test]
fn a_front_page_and_a_resolver_may_stand_before_the_address_that_was_read() {
    check("A (https://www.a.example), The bridge, https://a.example/bridge", &[]);
    check("A, The bridge. https://doi.org/10.1000/182, https://a.example/bridge.", &[]);
    check("A, The bridge. https://doi.org/10.1000/182", &["https://doi.org/10.1000/182"]);
}
