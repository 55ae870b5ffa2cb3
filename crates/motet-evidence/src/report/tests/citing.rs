//! Citations as programs and people write them, and those that were made up.

use super::super::{Archive, Citation, Document, parse, verify};

const SOURCE: &str = "The bridge was opened in 1932 and is 503 metres long.";

fn archive() -> Archive {
    let read = ["https://a.example/bridge", "assets/data/0a1b.md"];
    let kept = ["file:///home/docs/quay.md", "assets/data/2c3d.md"];
    let own = ["bridge.md"];
    let document = |names: &[&str]| Document { names: names.iter().map(|name| name.to_string()).collect(), text: SOURCE.into() };
    Archive::of([document(&read), document(&kept), document(&own)])
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
fn a_file_of_another_machine_goes_by_its_name_unless_it_is_known_where_the_document_was_read() {
    check("Quay. file:///home/docs/quay.md (Document, archived as assets/data/2c3d.md)", &[]);
    check("Quay. file:///never/existed.md (Document, archived as assets/data/2c3d.md)", &["file:///never/existed.md"]);
    check("Quay. file:///elsewhere/quay.md", &["file:///elsewhere/quay.md"]);
    check("Bridge. file:///elsewhere/bridge.md", &[]);
    check("Bridge. file:///never/existed.md (see bridge.md)", &[]);
}

#[test]
fn a_front_page_and_a_resolver_may_stand_before_the_address_that_was_read() {
    check("A (https://www.a.example), The bridge, https://a.example/bridge", &[]);
    check("A, The bridge. https://doi.org/10.1000/182, https://a.example/bridge.", &[]);
    check("A, The bridge. https://doi.org/10.1000/182", &["https://doi.org/10.1000/182"]);
}

/// The sentences of a report with two entries, each with what it cites.
#[track_caller]
fn reads(body: &str, expected: &[(&str, &[&str])]) {
    let list = "## Sources\n\n1. https://a.example/bridge\n2. Ministry of Roads, Traffic in 2020 (2021). https://b.example/traffic\n";
    let name = |citation: Citation| match citation {
        Citation::Marker(id) | Citation::Link(id) => id,
    };
    let found: Vec<(String, Vec<String>)> = parse(&format!("{body}\n\n{list}"))
        .sentences
        .into_iter()
        .map(|sentence| (sentence.text, sentence.citations.into_iter().map(name).collect()))
        .collect();
    let expected: Vec<(String, Vec<String>)> =
        expected.iter().map(|(text, ids)| (text.to_string(), ids.iter().map(|id| id.to_string()).collect())).collect();
    assert_eq!(found, expected, "{body}");
}

#[test]
fn a_bracket_that_only_says_where_a_sentence_comes_from_is_no_part_of_it() {
    let address = "https://b.example/traffic";
    for aside in [
        "(Source: https://b.example/traffic)",
        "(Source: [Traffic](https://b.example/traffic))",
        "(source: [Traffic in 2020](https://b.example/traffic), Ministry of Roads 2021)",
        "(https://b.example/traffic, accessed 3 May 2024)",
        "([Traffic](https://b.example/traffic), last accessed on 2024-05-03)",
        "([Traffic](https://b.example/traffic), retrieved May 3rd, 2024)",
        "(see https://b.example/traffic)",
        "([Ministry of Roads](https://b.example/traffic))",
        "[Source: https://b.example/traffic]",
        "([Traffic](https://b.example/traffic), abgerufen am 3. Mai 2024)",
        "(available online at https://b.example/traffic, 2021)",
    ] {
        reads(&format!("Traffic grew by 12 % in 2020 {aside}."), &[("Traffic grew by 12 % in 2020.", &[address])]);
        reads(&format!("Traffic grew {aside} by 12 % in 2020."), &[("Traffic grew by 12 % in 2020.", &[address])]);
        reads(&format!("Traffic grew by 12 % in 2020. {aside}"), &[("Traffic grew by 12 % in 2020.", &[address])]);
    }
    reads("It grew ([1], see also [2]).", &[("It grew.", &["1", "2"])]);
}

/// Whether the bridge was opened in 1932 is all that is read of a sentence with this bracket, and of one with this source behind it.
#[track_caller]
fn is_aside(entry: &str, aside: &str) -> bool {
    let said = "The bridge was opened in 1932";
    let is_bracket = aside.starts_with('(');
    let bodies = if is_bracket { vec![format!("{said} {aside}."), format!("{said}. {aside}")] } else { vec![format!("{said}. {aside}")] };
    let read =
        bodies.iter().map(|body| parse(&format!("{body}\n\n## Sources\n\n- [1] {entry}\n- [2] Roe. https://c.example/x\n")).sentences);
    let whole: Vec<bool> = read
        .map(|sentences| {
            assert!(sentences.iter().any(|sentence| !sentence.citations.is_empty()), "the citation of {aside} is lost");
            sentences.len() == 1 && sentences[0].text == format!("{said}.") && !sentences[0].citations.is_empty()
        })
        .collect();
    assert!(whole.iter().all(|one| *one == whole[0]), "{aside} says more in one place than in another");
    whole[0]
}

#[test]
fn a_date_a_year_or_a_page_behind_the_name_of_a_source_says_nothing_more() {
    let reuters = "Reuters, Old bridges. https://www.reuters.com/world/bridge";
    for aside in [
        "(Source: Reuters 2024 [1])",
        "(Source: Reuters 2024, https://www.reuters.com/world/bridge)",
        "(Source: Reuters, 12 May 2024 [1])",
        "(Source: [Reuters](https://www.reuters.com/world/bridge), May 12th, 2024)",
        "(Source: [Reuters](https://www.reuters.com/world/bridge), 2024-05-12, accessed 3 June 2024)",
        "(source: reuters.com, May 2024, [1])",
        "(see Reuters (2024), pp. 12–14 [1])",
        "(Source: Reuters 2024, available online at https://www.reuters.com/world/bridge)",
        "(Source: Reuters, 12 May 2024 [1]; Roe 2023, p.7 [2])",
        "(Reuters, p. 12 [1])",
        "(Reuters, “Old bridges”, pages 12-14 [1])",
        "([Reuters](https://www.reuters.com/world/bridge), page 12)",
        "([1], p. 12)",
        "Source: Reuters, 12 May 2024 [1].",
        "Source: Reuters, p. 12 [1].",
        "See Reuters 2024 [1].",
    ] {
        assert!(is_aside(reuters, aside), "{aside}");
    }
    for said in [
        "(Source: Reuters 2024, 40 dead [1])",
        "(Source: Reuters 2024 dead [1])",
        "(Source: Reuters, 12 May 2024, denied [1])",
        "(Source: Reuters, 12 May 2024, Denied [1])",
        "(Source: Reuters, 12 May [1])",
        "(Source: Reuters $2024 [1])",
        "(Source: Reuters, 2024% [1])",
        "(Source: Reuters 1777 [1])",
        "(Source: Reuters 40 [1])",
        "(Source: Reuters Dead 2024 [1])",
        "(Source: Katz 2024 [1])",
        "(Source: 2024 [1])",
        "(Source: Reuters, p. 12 old bridges [1])",
        "(Source: Reuters 2024, old bridges [1])",
        "(Source: Reuters, p. 12,000 [1])",
        "(Source: Reuters, p. $12 [1])",
        "(Source: old bridges 2024 [1])",
        "(Reuters, page 12 of 999 dead [1])",
        "(Reuters, page 12 of 999 [1])",
        "(Reuters, p. 999 dead [1])",
        "(Reuters, 12 pages [1])",
        "(Reuters 2024 [1])",
        "(Reuters, 12 May 2024 [1])",
        "(Katz, p. 40 [1])",
        "(p. 40 [1])",
        "Source: Reuters, 12 May 2024, denied [1].",
        "Source: Reuters, 12 May 2024, Denied [1].",
        "Source: Reuters 2024, 40 dead [1].",
    ] {
        assert!(!is_aside(reuters, said), "{said}");
        assert!(!holds(&format!("The bridge was opened in 1932. {said}")), "{said}");
    }
}

#[test]
fn a_source_that_is_named_below_a_paragraph_claims_nothing_and_must_be_there() {
    let said = "The bridge was opened in 1932 [1].\n\n";
    for below in ["Source: The Guardian [1].", "**Source:** [The Guardian](https://a.example/bridge)", "(Source: [1])", "See [1]."] {
        assert!(holds(&format!("{said}{below}")), "{below}");
        assert!(!holds(below), "{below} is all there is");
    }
    for below in [
        "Source: [The Guardian](https://invented.example/bridge)",
        "Source: The Guardian [7].",
        "Source: The Guardian, 40 dead [1].",
        "Source: Katz, murderer of forty workers [1].",
    ] {
        assert!(!holds(&format!("{said}{below}")), "{below}");
    }
}

#[test]
fn a_sentence_with_capitals_is_a_sentence_though_a_word_stands_before_it_that_announces_a_source() {
    for claim in [
        "Sources: Brandt To Resign [1]",
        "## Sources: Brandt To Resign [1]",
        "- Source: Brandt Sold Acme To Norway [1]",
        "See Acme Bankrupt, Brandt Arrested [1].",
        "Ref Brandt Arrested [1].",
        "| a | b |\n|---|---|\n| Source: Brandt | Arrested in Dorna [1] |",
        "Source: Katz Murdered His Workers [1].",
    ] {
        let report = parse(&format!("The bridge was opened in 1932 [1].\n\n{claim}\n\n## Sources\n\n- [1] https://a.example/bridge\n"));
        assert!(report.named.is_empty() && report.sentences.len() > 1, "{claim}: {report:?}");
    }
}

#[test]
fn what_is_said_of_an_entry_outside_the_list_is_a_sentence() {
    let said = "The bridge was opened in 1932 [1].\n\n";
    for claim in [
        "[1] It killed 40 workers: https://a.example/bridge",
        "[1] Katz murdered forty workers, see [here](https://a.example/bridge).",
        "- [1] It killed 40 workers: https://a.example/bridge",
    ] {
        assert!(!holds(&format!("{said}{claim}")), "{claim}");
        let report = parse(&format!("{said}{claim}\n\n## Sources\n\n- [1] Roe, https://a.example/bridge\n"));
        assert_eq!((report.sentences.len(), report.references["1"].text.as_str()), (2, "Roe, https://a.example/bridge"), "{claim}");
        // Where there is no list, it is the entry.
        assert_eq!(parse(&format!("{said}{claim}")).sentences.len(), 1, "{claim}");
    }
    for entry in ["Roe, https://a.example/bridge", "The New York Times, Kestrel Bridge turns 92, https://a.example/bridge"] {
        let again = parse(&format!("{said}[1] {entry}\n\n## Sources\n\n- [1] {entry}\n"));
        assert_eq!(again.sentences.len(), 1, "{again:?}");
    }
}

#[test]
fn a_name_in_brackets_behind_a_sentence_is_no_sentence_if_its_entry_has_it() {
    let read = |entry: &str, behind: &str| {
        let report = parse(&format!("Acme employs 4,500 people in Dorna. {behind} [3]\n\n## Sources\n\n- [3] {entry}\n"));
        report.sentences.iter().map(|sentence| (sentence.text.clone(), sentence.citations.len())).collect::<Vec<_>>()
    };
    let alone = [("Acme employs 4,500 people in Dorna.".to_string(), 1)];
    for behind in ["(Reuters)", "(Source: Reuters)", "(Reuters, 2024)", "(Reuters, Acme results)", "(via Reuters)"] {
        assert_eq!(read("Reuters, Acme results. 2024. https://a.example/acme", behind), alone, "{behind}");
    }
    assert_eq!(read("Reuters, Acme results. 2024. https://a.example/acme", "(Katz Murdered Workers)").len(), 2);
    for aside in ["(WHO, 2023 [1])", "(WHO, p. 3 [1])", "(Source: WHO, 12 May 2023 [1])"] {
        assert!(is_aside("WHO, Report. 2023. https://a.example/who", aside), "{aside}");
    }
    let news = "BBC News, Veldt under water, 3 June 2021. https://a.example/veldt";
    assert!(is_aside(news, "(BBC News, 3 June 2021 [1])") && !is_aside(news, "(BBC News, 4 June 2021 [1])"));
    assert!(!is_aside(news, "(BBC News, 3 dead [1])"));
}

#[test]
fn a_host_may_be_called_by_its_name_in_words() {
    let times = "https://www.nytimes.com/2024/05/12/bridge.html";
    for aside in [
        "([New York Times](https://www.nytimes.com/2024/05/12/bridge.html))",
        "(The New York Times [1])",
        "([New York Times](https://www.nytimes.com/2024/05/12/bridge.html), p. 12)",
        "(Source: New York Times, 12 May 2024 [1])",
    ] {
        assert!(is_aside(times, aside), "{aside}");
    }
    for said in [
        "(New York Times [2])",
        "(New York Times Denied [1])",
        "(New York Times, 40 dead [1])",
        "([New York was bombed](https://www.nytimes.com/2024/05/12/bridge.html))",
    ] {
        assert!(!is_aside(times, said), "{said}");
    }
    assert!(!is_aside("https://www.fdf.example/a", "(Forty Dead Fishermen [1])"));
}

#[test]
fn a_bracket_that_claims_something_is_held_to_its_source() {
    for sentence in [
        "The bridge (which cost 999 million [1]) was opened.",
        "The bridge (999 million dollars [1]) was opened.",
        "The bridge (from 1932 [1]) was opened.",
        "The bridge (see the 999 million of it [1]) was opened.",
        "The bridge (accessed by 12 roads [1]) was opened.",
        "The bridge (source: opened in 1777 [1]) was opened in 1932.",
        "The bridge was opened in 1932 (see how Wilhelmina Katz murdered forty workers there [1]).",
        "The bridge was opened in 1932 (source: Wilhelmina Katz, murderer of forty workers, [1]).",
        "The bridge was opened in 1932 (checked 31 [1]).",
        "The bridge was opened in 1932 (checked 3 May [1]).",
        "The bridge was opened in 1932 (checked 3 May 1777 [1]).",
        "The bridge was opened in 1932 (accessed 3 May 2024 by forty workers [1]).",
        "The bridge was opened in 1932 (see Traffic in 2020 [1]).",
    ] {
        let text = sentence.replace(" [1]", "");
        reads(sentence, &[(&text, &["1"])]);
        assert_eq!(holds(sentence), sentence == "The bridge (from 1932 [1]) was opened.", "{sentence}");
    }
    let linked = "The bridge was opened in 1932 ([Wilhelmina Katz murdered forty workers](https://a.example/bridge)).";
    assert!(!holds(linked));
    let text = "The bridge was opened in 1932 (Wilhelmina Katz murdered forty workers).";
    reads(linked, &[(text, &["https://a.example/bridge"])]);
    let linked = "The bridge ([999 million dollars](https://a.example/bridge)) was opened.";
    reads(linked, &[("The bridge (999 million dollars) was opened.", &["https://a.example/bridge"])]);
    for apart in [
        "The bridge was opened in 1932. ([Wilhelmina Katz murdered forty workers](https://a.example/bridge))",
        "The bridge was opened in 1932. [Katz murdered forty workers](https://a.example/bridge)",
        "The bridge was opened in 1932. Source: Wilhelmina Katz, murderer of forty workers [1].",
        "The bridge was opened in 1932. (Source: opened in 1777 [1])",
    ] {
        assert_eq!(parse(apart).sentences.len(), 2, "{apart}");
        assert!(!holds(apart), "{apart}");
    }
    let apart = "It was opened. (It was designed by Wilhelmina Katz [1].)";
    assert_eq!(parse(apart).sentences.len(), 2, "{apart}");
}

#[test]
fn raised_numbers_and_named_sources_are_markers_where_there_is_such_an_entry() {
    for marked in ["1932<sup>1</sup>.", "1932.<sup>1</sup>", "1932.¹", "1932¹.", "1932 [Source 1].", "1932 (source 1).", "1932 [Ref. 1]."]
    {
        reads(&format!("The bridge was opened in {marked}"), &[("The bridge was opened in 1932.", &["1"])]);
    }
    reads(
        "It is long.¹,² It is old.¹⁻² It is high.<sup>1, 2</sup>",
        &[("It is long.", &["1", "2"]), ("It is old.", &["1", "2"]), ("It is high.", &["1", "2"])],
    );
    reads("It grew (Sources 1, 2).", &[("It grew.", &["1", "2"])]);
    reads("<p>The bridge was opened in 1932<sup>1</sup>.</p>", &[("The bridge was opened in 1932.", &["1"])]);
    reads("A bridge² stood there.", &[("A bridge stood there.", &["2"])]);
    for plain in [
        "It covers 5 km² of land.",
        "It has 10² arches.",
        "It holds 20 m² and CO₂.",
        "It weighs 10⁶ tonnes.",
        "See (a + b)² there.",
        "It is old.³",
        "It is old [Source 3].",
    ] {
        reads(plain, &[(plain, &[])]);
    }
    reads("It holds 20 m<sup>2</sup> of 10<sup>2</sup> rooms.", &[("It holds 20 m2 of 102 rooms.", &[])]);
    reads("The call `x²` and `[Source 1]` are code.", &[("The call x² and [Source 1] are code.", &[])]);
}

#[test]
fn what_a_run_calls_its_sources_is_cited_in_brackets_alone() {
    let report = parse("The bridge is old (Source S01). It is long [S01].\n\n## Sources\n\n- [S01] Roe. https://a.example/bridge\n");
    let cited: Vec<usize> = report.sentences.iter().map(|sentence| sentence.citations.len()).collect();
    assert_eq!(cited, [0, 1], "{report:?}");
}

#[test]
fn entries_may_be_called_by_a_raised_number_or_a_word() {
    for list in [
        "¹ Roe, https://a.example/bridge\n\n² Doe, https://b.example/traffic",
        "<sup>1</sup> Roe, https://a.example/bridge\n\n<sup>2</sup> Doe, https://b.example/traffic",
        "Source 1: Roe, https://a.example/bridge\n\nSource 2: Doe, https://b.example/traffic",
        "- [Source 1] Roe, https://a.example/bridge\n- [Source 2] Doe, https://b.example/traffic",
    ] {
        let report = parse(&format!("The bridge was opened in 1932 [Source 1]. It is 503 metres long.²\n\n## Sources\n\n{list}\n"));
        let addresses: Vec<Option<&str>> = report.references.values().map(|reference| reference.address.as_deref()).collect();
        assert_eq!(addresses, [Some("https://a.example/bridge"), Some("https://b.example/traffic")], "{list}");
        let cited: Vec<Vec<Citation>> = report.sentences.into_iter().map(|sentence| sentence.citations).collect();
        assert_eq!(cited, [[Citation::Marker("1".into())], [Citation::Marker("2".into())]], "{list}");
    }
}

/// Whether a report with this body, an entry for the bridge and nothing else holds.
fn holds(body: &str) -> bool {
    verify(&parse(&format!("{body}\n\n## Sources\n\n- [1] https://a.example/bridge\n")), &archive()).gate.open
}

#[test]
fn a_bracket_is_no_place_for_what_only_the_title_of_an_entry_says() {
    let with = |entry: &str, sentence: &str| {
        verify(&parse(&format!("{sentence}\n\n## Sources\n\n- [1] {entry} https://a.example/bridge\n")), &archive()).gate.open
    };
    let title = "How Katz murdered forty workers in 1777.";
    assert!(!with(title, "The bridge was opened in 1932 (Katz murdered forty workers in 1777 [1])."));
    assert!(!with("1931 or not: the bridge in numbers.", "The bridge was opened in 1932 (not in 1931 [1])."));
    assert!(!with("Roads (2021).", "The bridge was opened in 1932 (2021 [1])."));
    assert!(holds("The bridge was opened in 1932 (Source: The Guardian, https://a.example/bridge)."));
}

#[test]
fn raised_words_are_held_to_the_source_like_all_others() {
    let sound = "The bridge was opened in 1932 [1].";
    for raised in [
        "<sup>The bridge cost 999 million dollars and killed 40 workers.</sup>",
        "It was opened.<br><sup>The bridge cost 999 million dollars.</sup>",
        "<p><sup>The bridge cost 999 million dollars.</sup></p>",
        "- <sup>The bridge cost 999 million dollars.</sup>",
        "| a |\n|---|\n| <sup>The bridge cost 999 million dollars</sup> |",
        "The bridge was opened<br><sup>in 1777 and is 999 metres long</sup> [1].",
        "<sup>40</sup> workers died.",
        "The bridge was opened in ¹⁷⁷⁷ [1].",
        "The bridge was opened in¹⁷⁷⁷ [1].",
        "The bridge cost ⁹⁹⁹ million dollars.",
        "The bridge is 503⁶ metres long and weighs 10⁶ tonnes [1].",
        "The bridge was opened in 1932 and killed ௪௦ people [1].",
        "## It cost ⁹⁹⁹ million",
        "The bridge was opened in １７７７ [1].",
        "The bridge cost ９９９ million dollars.",
        "The bridge was opened in ₁₇₇₇ [1].",
        "## It killed ４０ people",
    ] {
        assert!(!holds(&format!("{sound}\n\n{raised}")), "{raised}");
    }
    for plain in ["The bridge was opened in ¹⁹³² [1].", "<sup>The bridge was opened in 1932</sup> [1]."] {
        assert!(holds(plain), "{plain}");
    }
    reads("It was opened<br><sup>in 1777</sup>.", &[("It was opened in 1777.", &[])]);
}

#[test]
fn a_source_in_other_digits_bears_out_ours_and_its_own_alike() {
    let text = "The bridge was opened in １９３２ and is ５０３ metres long.".to_string();
    let archive = Archive::of([Document { names: vec!["https://a.example/bridge".into()], text }]);
    let holds =
        |claim: &str| verify(&parse(&format!("{claim} [1].\n\n## Sources\n\n- [1] https://a.example/bridge\n")), &archive).gate.open;
    for claim in ["The bridge was opened in 1932", "The bridge was opened in １９３２", "The bridge is 503 metres long"] {
        assert!(holds(claim), "{claim}");
    }
    for claim in ["The bridge was opened in 1933", "The bridge is 503 years old", "The bridge is ５０３ years old"] {
        assert!(!holds(claim), "{claim}");
    }
}

#[test]
fn raised_code_and_links_stay_what_they_are() {
    let said = "The bridge was opened in 1932";
    reads(&format!("<sup>`1`</sup> {said} [1]."), &[(&format!("1 {said}."), &["1"])]);
    reads(&format!("{said}.<sup>`1`</sup> é é [1]."), &[(&format!("{said}.1 é é."), &["1"])]);
    let linked = ["https://a.example/bridge"];
    for link in ["<sup>[1](https://a.example/bridge)</sup>", "[<sup>1</sup>](https://a.example/bridge)"] {
        reads(&format!("{link} {said}."), &[(&format!("{said}."), &linked)]);
    }
    reads(&format!("{said}.<a href=\"#one\"><sup>1</sup></a>"), &[(&format!("{said}."), &["1"])]);
    // What overlaps, and what is never closed, is read without a word lost.
    reads("In 1932<sup>1[</sup>é](https://a.example/bridge).", &[("In 19321é.", &linked)]);
    reads("[`[[[[[1]]]]]`](https://a.example/bridge)[aaé x.", &[("[aaé x.", &linked)]);
    reads("abcde<a href='https://a.example/bridge'>x\n\néééé</a> y", &[("abcdex", &[]), ("éééé y", &[])]);
}
