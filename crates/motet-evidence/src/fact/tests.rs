//! Facts, who may be believed, and which of them cannot both be right.

mod attributes;
mod pairs;

use super::{Confidence, Differs, Fact, Scope, Standing, Witness, clusters, conflicts, is_within, plain_address, rate, registrable_domain};
use crate::text::Span;

fn witness(source: &str, standing: Standing) -> Witness {
    Witness { source: source.into(), standing, support: 0.9 }
}

fn fact(id: &str, statement: &str) -> Fact {
    Fact {
        id: id.into(),
        statement: statement.into(),
        sources: vec!["S01".into()],
        quote: statement.into(),
        span: Span::default(),
        confidence: Confidence::Low,
        extracted: "2024-01-01".into(),
        raw_file: "assets/html/s01.html".into(),
    }
}

fn check(one: &str, other: &str, expected: Option<(Differs, Scope)>) {
    let found = conflicts(&[fact("a", one), fact("b", other)], |_| "");
    assert_eq!(found.first().map(|conflict| (conflict.differs, conflict.scope)), expected, "{one} / {other}: {found:?}");
}

#[test]
fn confidence_follows_the_rule_and_copies_count_once() {
    use Standing::{Official, Reputable, Unknown, Unreliable};
    let apart = [vec!["a".to_string()], vec!["b".to_string()]];
    let together = [vec!["a".to_string(), "b".to_string()]];
    assert_eq!(rate(&[witness("a", Official)], &apart).0, Confidence::High);
    assert_eq!(rate(&[witness("a", Reputable)], &apart).0, Confidence::Medium);
    assert_eq!(rate(&[witness("a", Unknown)], &apart).0, Confidence::Low);
    assert_eq!(rate(&[witness("a", Unknown), witness("b", Unknown)], &apart).0, Confidence::High);
    assert_eq!(rate(&[witness("a", Unknown), witness("b", Unknown)], &together).0, Confidence::Low);
    assert_eq!(rate(&[witness("a", Reputable), witness("b", Unreliable)], &apart).0, Confidence::Medium);
    assert_eq!(rate(&[], &apart), (Confidence::Low, 0.0));
    let silent = Witness { support: 0.2, ..witness("a", Official) };
    assert_eq!(rate(&[silent], &apart).0, Confidence::Low);
}

#[test]
fn copies_and_pages_of_one_owner_are_one_voice() {
    let text = "The storm reached the coast on Monday evening and left forty thousand homes without power, the utility said.";
    let other = "Engineers restored most of the lines within two days, working from both ends of the valley at once.";
    let copy = text.to_uppercase();
    let sources = [
        ("S01", "https://one.example/a", text),
        ("S02", "https://two.example/b", copy.as_str()),
        ("S03", "https://three.example/c", other),
        ("S04", "https://news.three.example/d", "Something else entirely, about gardens and their keepers in the north."),
    ];
    assert_eq!(clusters(&sources), [vec!["S01", "S02"], vec!["S03", "S04"]]);
}

#[test]
fn hosts_match_by_label_and_never_as_part_of_a_name() {
    assert_eq!(registrable_domain("https://www.News.Example.co.uk:8080/a?b").as_deref(), Some("example.co.uk"));
    assert_eq!(registrable_domain("http://127.0.0.1/x").as_deref(), Some("127.0.0.1"));
    assert_eq!(registrable_domain("notes/a.md").as_deref(), None);
    assert!(is_within("https://WWW.Healthline.com/a", "healthline.com"));
    assert!(is_within("https://healthline.com", "Healthline.com"));
    assert!(!is_within("https://thesun.co.uk", "sun.co.uk"));
    assert!(!is_within("https://start.com", "rt.com"));
    assert_eq!(plain_address("HTTP://www.Example.org/A/?utm_source=x&b=1#top"), "example.org/A?b=1");
    for same in
        ["https://de.example/wiki/Kölner_Brücke", "//de.example/wiki/K%c3%b6lner_Br%C3%BCcke", "www.de.example/wiki/Ko\u{308}lner_Brücke/"]
    {
        assert_eq!(plain_address(same), "de.example/wiki/Kölner_Brücke");
    }
    for (sent, plain) in
        [("a.example/x%2fy%3F", "a.example/x%2Fy%3F"), ("a.example/%ff", "a.example/%ff"), ("a.example/5%", "a.example/5%")]
    {
        assert_eq!(plain_address(sent), plain);
    }
}

#[test]
fn the_same_attribute_with_another_value_is_a_contradiction() {
    use Differs::{Date, Name, Number};
    use Scope::Contradiction;
    check("Acme employs 4,500 people.", "Acme employs 5,200 people.", Some((Number, Contradiction)));
    check("Acme was founded in 1901.", "Acme was founded in 1903.", Some((Date, Contradiction)));
    check("Acme was founded by Jane Roe.", "Acme was founded by John Doe.", Some((Name, Contradiction)));
    check(
        "The harbour bridge was opened in 1931 by the mayor.",
        "The harbour bridge was opened in 1932 after eight years of work.",
        Some((Date, Contradiction)),
    );
}

#[test]
fn another_scope_explains_a_difference() {
    use Differs::Number;
    check("Acme employed 4,500 people in 2019.", "Acme employed 5,200 people in 2023.", Some((Number, Scope::DifferentYear)));
    check("Acme employed 4,500 people in 2019.", "Acme employs 5,200 people.", Some((Number, Scope::UnclearYear)));
    check("Acme employs 4,500 people in France.", "Acme employs 5,200 people in Spain.", Some((Number, Scope::DifferentPlace)));
    check("Unemployment among women was 7%.", "Unemployment among men was 9%.", Some((Number, Scope::DifferentPopulation)));
}

#[test]
fn the_place_of_what_happens_once_is_a_value_and_no_scope() {
    use Differs::{Date, Name};
    let check = |one: &str, other: &str, differs: Differs| check(one, other, Some((differs, Scope::Contradiction)));
    check("Ada Roe was born in Oslo in 1901.", "Ada Roe was born in Bergen in 1903.", Date);
    check("Ada Roe was born in Oslo in 1901.", "Ada Roe was born in Bergen in 1901.", Name);
    check("Acme Corp was founded in Oslo.", "Acme Corp was founded in Bergen.", Name);
    let (oslo, bergen) = ("The library was opened in Oslo in 1901.", "The library was opened in Bergen in 1903.");
    self::check(oslo, bergen, Some((Date, Scope::DifferentPlace)));
}

#[test]
fn each_sentence_of_a_statement_is_compared_by_itself_and_a_pronoun_stands_for_what_was_named() {
    let bridge = "The Kestrel Bridge is 530 metres long. It was built by Arne Holt and opened in 1931.";
    check(bridge, "The Kestrel Bridge is 520 metres long.", Some((Differs::Number, Scope::Contradiction)));
    check(bridge, "The Kestrel Bridge is 530 metres long.", None);
    check(bridge, "The Kestrel Bridge was built by Rosa Lind.", Some((Differs::Name, Scope::Contradiction)));
    check(bridge, "The Melbury Tower was built by Rosa Lind.", None);
    let (run, sold) =
        ("The Torwick mill is run by Ada Roe. She was born in 1951.", "The Torwick mill was sold by Jon Berg. He was born in 1920.");
    check(run, sold, None);
    let (built, restored) = (
        "The Kestrel Bridge was built by Arne Holt. It is 530 metres long.",
        "The Kestrel Bridge was restored by Jon Berg. It is 480 metres long.",
    );
    check(built, restored, Some((Differs::Number, Scope::Contradiction)));
    let (shown, other) = (
        "The Valford Museum shows a work by Rosa Lind. It was painted in 1911.",
        "The Valford Museum sold a work by Jon Berg. It was painted in 1925.",
    );
    check(shown, other, None);
}

#[test]
fn agreement_and_other_subjects_are_no_conflict() {
    check("Acme employs about 4,500 people.", "Acme employs 4,480 people.", None);
    check("Acme employs 4,500 people.", "Globex employs 5,200 people.", None);
    check("Acme employs 4,500 people.", "Acme sold 12 factories to its rival.", None);
    check("Use `run --budget 3` to limit a run.", "Use `run --budget 1` to limit a run.", None);
    check("Use --budget 3 to limit a run.", "Use --budget 1 to limit a run.", None);
    check("In case 1 it is so.", "In case 2 it is so.", None);
    check("The harbour bridge is 503 metres long.", "The harbour bridge was opened in 1932.", None);
}

#[test]
fn a_number_behind_a_thing_tells_it_apart() {
    check("Version 2 of the parser supports 40 languages.", "Version 3 of the parser supports 55 languages.", None);
    check("Version 2 of the Kestrel parser supports 40 languages.", "Version 3 of the Kestrel parser supports 55 languages.", None);
    check("Route 12 carries 300 passengers a day.", "Route 15 carries 900 passengers a day.", None);
    check("Chapter 4 has 30 pages.", "Chapter 5 has 44 pages.", None);
    check("Sensor 12 in room 5 reads 20 degrees.", "Sensor 4 in room 4 reads 31 degrees.", None);
    check("The exit code is 0 if the run completed.", "For signals above 128 the exit code is the number of the signal.", None);
    let contradiction = Some((Differs::Number, Scope::Contradiction));
    check("Version 2 of the parser supports 40 languages.", "Version 2 of the parser supports 55 languages.", contradiction);
    check("Route 12 carries 300 passengers a day.", "Route 12 carries 900 passengers a day.", contradiction);
}

#[test]
fn one_thing_of_its_kind_has_one_name() {
    let contradiction = Some((Differs::Name, Scope::Contradiction));
    check("The architect of the Kestrel Tower was Maria Olsen.", "The architect of the Kestrel Tower was Jan de Vries.", contradiction);
    check("The capital of Zubrowka is Lutz.", "The capital of Zubrowka is Nebelsbad.", contradiction);
    check("The chief executive of Acme is Jane Roe.", "The chief executive of Acme is John Doe.", contradiction);
    check("The capital of Zubrowka is Lutz.", "The capital of Freedonia is Nebelsbad.", None);
    check("The chief executive of Acme is Jane Roe.", "The chief executive of Acme was John Doe.", None);
    check("The chief executive of Acme is Jane Roe.", "The chief engineer of Acme is John Doe.", None);
    check("The architect of the Kestrel Tower was Maria Olsen.", "The architect of the Kestrel Tower was Olsen.", None);
}

#[test]
fn a_time_is_disputed_as_a_whole() {
    let values =
        |one: &str, other: &str| conflicts(&[fact("a", one), fact("b", other)], |_| "").first().map(|conflict| conflict.values.clone());
    let times = Some(("19:30".to_string(), "19:45".to_string()));
    assert_eq!(values("The ferry leaves daily, 19:30.", "The ferry leaves daily, 19:45."), times);
    assert_eq!(values("The ferry leaves at 19:30 daily.", "The ferry leaves at 19:45 daily."), times);
    assert_eq!(values("The ferry leaves daily, 19:30.", "The ferry leaves at 7:30 pm daily."), None);
}
