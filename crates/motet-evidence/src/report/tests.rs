//! Reports in the shapes that people and programs write them in.

mod citing;

use super::{Archive, Citation, Document, Standing, parse, verify};

fn citations(markdown: &str) -> Vec<(String, Vec<String>)> {
    let name = |citation: &Citation| match citation {
        Citation::Marker(id) => id.clone(),
        Citation::Link(address) => address.clone(),
    };
    parse(markdown).sentences.into_iter().map(|sentence| (sentence.text, sentence.citations.iter().map(name).collect())).collect()
}

fn check(markdown: &str, expected: &[(&str, &[&str])]) {
    let expected: Vec<(String, Vec<String>)> =
        expected.iter().map(|(text, ids)| (text.to_string(), ids.iter().map(|id| id.to_string()).collect())).collect();
    assert_eq!(citations(markdown), expected);
}

fn archive() -> Archive {
    let document = |name: &str, text: &str| Document { names: vec![name.into()], text: text.into() };
    Archive::of([
        document("https://a.example/bridge", "The bridge was opened in 1932 and is 503 metres long. It was designed by John Bradfield."),
        document(
            "https://b.example/traffic",
            "About 160,000 vehicles cross the bridge each day. Tolls were introduced for trucks in 2009.",
        ),
    ])
}

#[test]
fn markers_belong_to_the_sentence_before_them() {
    check(
        "Sales rose by 5 %.[1] Costs fell. [2, 3] Nobody knows why.",
        &[("Sales rose by 5 %.", &["1"]), ("Costs fell.", &["2", "3"]), ("Nobody knows why.", &[])],
    );
    check("It grew [4] and then fell [5-7].", &[("It grew and then fell.", &["4", "5", "6", "7"])]);
}

#[test]
fn links_and_footnotes_are_citations_too() {
    check(
        "Sales rose, says [the agency](https://a.example). Costs fell. ([Reuters](https://r.example))",
        &[("Sales rose, says the agency.", &["https://a.example"]), ("Costs fell.", &["https://r.example"])],
    );
    check(
        "It fell.[^x] It rose [1](https://a.example).\n\n[^x]: Smith, https://s.example",
        &[("It fell.", &["x"]), ("It rose.", &["https://a.example"])],
    );
    check("See [below](#later) or write [us](mailto:a@b.example).", &[("See below or write us.", &[])]);
}

#[test]
fn a_reference_on_two_lines_keeps_its_own_address() {
    let entry = |number: usize| format!("[{number}] Station {number}.\nhttps://s{number}.example/p");
    let list: Vec<String> = (1..=12).map(entry).collect();
    let report = parse(&format!("It rose [9].\n\n## References\n\n{}\n", list.join("\n\n")));
    for number in 1..=12 {
        assert_eq!(report.references[&number.to_string()].address, Some(format!("https://s{number}.example/p")));
    }
    let without = parse("It rose [9].\n\n## References\n\n[9] My grandmother, in a letter.\n\n[10] Ten.\nhttps://s10.example/p\n");
    assert_eq!(without.references["9"].address, None);
}

#[test]
fn reference_lists_are_found_under_any_heading_and_under_none() {
    let list = "[1] One. https://a.example/bridge\n[2] Two. https://b.example/traffic";
    for opening in [
        "## Quellen",
        "## 参考文献",
        "## References and further reading",
        "**References**",
        "References:",
        "Sources\n",
        "---",
        "## Where this comes from",
    ] {
        let text = format!("# T\n\nThe bridge was opened in 1932 [1]. Tolls came in 2009 【2†source】.\n\n{opening}\n\n{list}\n");
        let report = parse(&text);
        assert_eq!(report.references["2"].address.as_deref(), Some("https://b.example/traffic"), "{opening}");
        assert_eq!(report.sentences.len(), 2, "{opening}: {:?}", report.sentences);
    }
    let prose = parse("[1] says so at https://a.example. It rose. Then it fell. Nobody knows why.\n");
    assert!(prose.references.is_empty() && prose.sentences.len() > 1, "{prose:?}");
}

#[test]
fn references_are_read_from_lists_lines_footnotes_and_definitions() {
    for list in [
        "1. One, https://a.example\n2. [Two](https://b.example)",
        "[1] One. https://a.example\n[2] Two. <https://b.example>",
        "[1]: https://a.example\n[2]: https://b.example",
        "- [1] One https://a.example.\n- [2] Two (https://b.example)",
    ] {
        let report = parse(&format!("# T\n\nIt rose [1]. It fell [2].\n\n## References\n\n{list}\n"));
        let addresses: Vec<Option<&str>> = report.references.values().map(|reference| reference.address.as_deref()).collect();
        assert_eq!(addresses, [Some("https://a.example"), Some("https://b.example")], "{list}");
        assert_eq!(report.sentences.len(), 2, "{list}");
    }
}

#[test]
fn what_stands_in_code_is_no_citation() {
    check(
        "The call `items[0]` returns the first item [1]. The pattern `[^a-z]` or `[^0]` matches `[S01]` [2].",
        &[("The call items[0] returns the first item.", &["1"]), ("The pattern [^a-z] or [^0] matches [S01].", &["2"])],
    );
    check("A link [`list[1]`](https://a.example) and `x` [3].", &[("A link list[1] and x.", &["https://a.example", "3"])]);
    check("No \u{e000}0\u{e001} of its own [1].", &[("No 0 of its own.", &["1"])]);
}

#[test]
fn a_long_text_of_brackets_is_read_as_fast_as_any_other() {
    for text in ["[", "[^", "【", "[1 ", "`[`", "https://a.example/)", "[x](", "https://a.example ", "⁷", " ¹⁴C"] {
        let long = text.repeat(10_000);
        assert!(parse(&long).references.is_empty(), "{text}");
    }
}

#[test]
fn front_matter_is_none_of_the_report_however_its_lines_end() {
    let report = parse("\u{feff}---\r\ntitle: The bridge\r\ndate: 2024-05-01\r\n---\r\n\r\nIt was opened in 1932 [1].\r\n");
    assert_eq!(report.sentences.len(), 1, "{report:?}");
}

#[test]
fn code_and_years_in_brackets_are_no_citations() {
    check("It was \"built [in 1932]\" then.\n\n```\nlet a = b[1];\n```\n", &[("It was \"built [in 1932]\" then.", &[])]);
    check("| year | km |\n|---|---|\n| 2001 | 5 [1] |", &[("year; km", &[]), ("2001; 5", &["1"])]);
}

#[test]
fn a_sound_report_passes_the_gate() {
    let report = parse(
        "# The bridge\n\nThe bridge was opened in 1932 [1]. It is 503 metres long [1]. Some 160,000 vehicles cross it every day [2]. \
         A new tunnel may cost 4 billion (unverified).\n\n## References\n\n1. https://a.example/bridge\n2. https://www.b.example/traffic/\n",
    );
    let verification = verify(&report, &archive());
    assert!(verification.gate.open, "{:?}", verification.gate.reasons);
    let standings: Vec<Standing> = verification.sentences.iter().map(|checked| checked.standing).collect();
    assert_eq!(standings, [Standing::Supported, Standing::Supported, Standing::Supported, Standing::Marked]);
}

#[test]
fn wrong_numbers_undefined_markers_and_strange_sources_close_it() {
    let report = parse(
        "The bridge was opened in 1942 [1]. It is 503 metres long [7]. Tolls began in 2009 [3]. It has 8 lanes.\n\n## Sources\n\n\
         [1] https://a.example/bridge\n[2] https://a.example/bridge\n[3] https://invented.example/x\n",
    );
    let verification = verify(&report, &archive());
    let standings: Vec<Standing> = verification.sentences.iter().map(|checked| checked.standing).collect();
    assert_eq!(standings, [Standing::Unsound, Standing::Unfounded, Standing::Unfounded, Standing::Uncited]);
    assert_eq!(verification.integrity.undefined, ["7"]);
    assert_eq!(verification.integrity.outside_archive, ["https://invented.example/x"]);
    assert_eq!(verification.integrity.unused, ["2"]);
    assert_eq!(verification.integrity.duplicate, ["1, 2"]);
    assert_eq!((verification.gate.open, verification.gate.number_sentences, verification.gate.number_sentences_sound), (false, 4, 0));
    assert_eq!(verification.gate.reasons.len(), 4, "{:?}", verification.gate.reasons);
}

#[test]
fn a_reference_list_that_was_cut_off_leaves_its_markers_undefined() {
    let body: String = (1..=40).map(|number| format!("Sentence number {number} says something [{number}]. ")).collect();
    let list: String = (1..=25).map(|number| format!("{number}. https://a.example/{number}\n")).collect();
    let verification = verify(&parse(&format!("{body}\n\n## References\n\n{list}")), &Archive::default());
    assert_eq!(verification.integrity.undefined.len(), 15);
    assert!(!verification.gate.open);
}

#[test]
fn two_sources_may_bear_out_one_sentence_together() {
    let report = parse(
        "The bridge, opened in 1932, is crossed by 160,000 vehicles each day ([one](https://a.example/bridge), [two](https://b.example/traffic)).",
    );
    let verification = verify(&report, &archive());
    assert!(verification.sentences[0].verdict.as_ref().is_some_and(|verdict| verdict.missing.is_empty()), "{verification:?}");
}

/// Whether a report about one source holds.
fn holds(report: &str, source: &str) -> bool {
    let archive = Archive::of([Document { names: vec!["sources/bridge.md".into()], text: source.into() }]);
    verify(&parse(report), &archive).gate.open
}

#[test]
fn a_currency_a_sign_a_percent_and_a_comparison_are_held_to_the_source() {
    for (said, other) in [
        ("The toll on the bridge is €5 for every car.", "The toll on the bridge is $5 for every car."),
        ("The bridge company made -5 million euros in 2019.", "The bridge company made 5 million euros in 2019."),
        ("The ferry serves 10 % of the towns on the river.", "The ferry serves 10 of the towns on the river."),
        ("The speed limit on the bridge is < 30 km/h.", "The speed limit on the bridge is > 30 km/h."),
    ] {
        let report = |sentence: &str| format!("{sentence} [1]\n\n## Sources\n\n1. bridge.md\n");
        assert!(holds(&report(said), said), "{said}");
        assert!(!holds(&report(other), said), "{other}");
    }
}

#[test]
fn a_row_is_held_to_what_the_heads_of_its_columns_say() {
    let source = "Offshore Services had a revenue of EUR 702.3 million. The northern road is 12 km long.";
    let table = |head: &str, row: &str| format!("| Division | {head} |\n|---|---|\n| {row} [1] |\n\n## Sources\n\n1. bridge.md\n");
    for (head, row, expected) in [
        ("Revenue (EUR m)", "Offshore Services | 702.3", true),
        ("Revenue (EUR bn)", "Offshore Services | 702.3", false),
        ("Revenue (USD m)", "Offshore Services | 702.3", false),
        ("Revenue (EUR m)", "Offshore Services | 703.3", false),
        ("Length (km)", "Northern road | 12", true),
        ("Length (miles)", "Northern road | 12", false),
    ] {
        assert_eq!(holds(&table(head, row), source), expected, "{head} {row}");
    }
    // A source may leave the scale to its own head.
    assert!(holds(
        &table("Revenue (EUR m)", "Offshore Services | 702.3"),
        "| Division | Revenue |\n|---|---|\n| Offshore Services | 702.3 |\n"
    ));
}

#[test]
fn an_invented_address_and_a_number_in_a_title_lead_nowhere() {
    let source = "The bridge was opened in 1932.";
    for (entry, expected) in [
        ("bridge.md", true),
        ("Roe, The bridge. sources/bridge.md", true),
        ("Invented. www.invented.example/2024/bridge.md", false),
        ("[Invented](//invented.example/bridge.md)", false),
        ("[Invented](www.invented.example/bridge.md)", false),
        ("Invented. invented.example/bridge.md", false),
        ("Invented. https://invented.example/bridge.md", false),
    ] {
        assert_eq!(holds(&format!("The bridge was opened in 1932 [1].\n\n## References\n\n[1] {entry}\n"), source), expected, "{entry}");
    }
    let numbered = |name: &str| Document { names: vec![name.into()], text: "The airport was opened in 1970.".into() };
    let report = parse("The airport was opened in 1970 [3].\n\n## References\n\n3. Miller, Airports of the North, vol. 2. Oslo.\n");
    assert_eq!(verify(&report, &Archive::of([numbered("2.txt")])).integrity.outside_archive.len(), 1);
}

#[test]
fn files_are_found_by_name_and_an_empty_report_is_not_sound() {
    let archive = Archive::of([Document { names: vec!["assets/html/s01.html".into()], text: "The tower is 90 metres tall.".into() }]);
    for report in [
        "The tower is 90 metres tall [S01].",
        "The tower is 90 metres tall [1].\n\n# Sources\n\n1. s01.html",
        "The tower is 90 metres tall ([x](assets/html/s01.html)).",
    ] {
        assert!(verify(&parse(report), &archive).gate.open, "{report}");
    }
    assert!(!verify(&parse(""), &archive).gate.open);
}

#[test]
fn a_name_or_number_that_stands_only_in_the_title_or_a_heading_is_not_borne_out() {
    let report = parse(
        "# Jane Roe and her nine arches\n\n## Nine arches by Jane Roe\n\nThe bridge was designed by Jane Roe [1]. \
         The bridge has nine arches and is 503 metres long [1].\n\n## References\n\n1. https://a.example/bridge\n",
    );
    let missing: Vec<Vec<String>> = verify(&report, &archive())
        .sentences
        .into_iter()
        .filter_map(|checked| Some(checked.verdict?.missing.into_iter().map(|missing| missing.text).collect()))
        .collect();
    assert_eq!(missing, [vec!["Jane", "Roe"], vec!["nine"]]);
}

#[test]
fn a_bare_address_in_prose_is_a_citation_and_one_in_code_is_none() {
    check(
        "Sales rose, see https://a.example/x_(y). Costs fell (www.b.example/z).",
        &[("Sales rose, see https://a.example/x_(y).", &["https://a.example/x_(y)"]), ("Costs fell.", &["www.b.example/z"])],
    );
    check("It listens on `http://127.0.0.1:80`.", &[("It listens on http://127.0.0.1:80.", &[])]);
    check("It fell, says <https://a.example>.", &[("It fell, says https://a.example.", &["https://a.example"])]);
    let verification = verify(
        &parse("The bridge was opened in 1932 [1], see https://evil.example/x.\n\n## Sources\n\n- [1] https://a.example/bridge"),
        &archive(),
    );
    assert_eq!(verification.integrity.outside_archive, ["https://evil.example/x"]);
    assert!(verification.integrity.unused.is_empty() && !verification.gate.open);
}

#[test]
fn the_questions_of_a_report_stand_in_its_front_matter() {
    for list in ["questions: [\"How long is it?\",\"Who built it?\"]", "questions:\n  - How long is it?\n  - \"Who built it?\""] {
        let report = parse(&format!("---\ntitle: T\n{list}\nfacts: 3\n---\n\nIt is long."));
        assert_eq!(report.questions, ["How long is it?", "Who built it?"], "{list}");
        assert_eq!(report.sentences.len(), 1);
    }
    assert!(parse("questions: none").questions.is_empty());
}

#[test]
fn what_a_report_leaves_open_is_no_sentence_of_it() {
    check(
        "## Caveats\n\n- Not answered: What did it cost in 1932? And who paid for it?\n- Nothing was found on: “3”, “towers”.\n- Not reached: a.example/5 (failed).",
        &[],
    );
    for claimed in [
        "Not answered: it cost 5 pounds.",
        "Nothing was found on: repairs, but the bridge cost 999 million dollars.",
        "Not reached: the bridge cost 999 million dollars.",
    ] {
        check(&format!("## Caveats\n\n- {claimed}"), &[(claimed, &[])]);
        let reasons = gate_of(&format!("The bridge was opened in 1932 [1].\n\n## Caveats\n\n- {claimed}"));
        assert!(reasons.iter().any(|reason| reason.starts_with("1 of 2 sentences with a number")), "{claimed}: {reasons:?}");
    }
    let question = "Not answered: did the bridge cost 999 million dollars?";
    check(&format!("## Caveats\n\n- The data are old. {question}"), &[("The data are old.", &[]), (question, &[])]);
    let behind = "Not answered: what did the bridge cost? It cost 999 million dollars.";
    check(&format!("## Caveats\n\n- {behind}"), &[("Not answered: what did the bridge cost?", &[]), ("It cost 999 million dollars.", &[])]);
    // Only among the caveats does a reader take it for one.
    check("Not reached: a.example/5 (failed).", &[("Not reached: a.example/5 (failed).", &[])]);
}

/// Whether a report about the bridge holds, and why not.
fn gate_of(body: &str) -> Vec<String> {
    let report = parse(&format!("{body}\n\n## Sources\n\n- [1] https://a.example/bridge\n"));
    verify(&report, &archive()).gate.reasons
}

#[test]
fn one_sentence_that_its_source_does_not_bear_out_is_enough() {
    assert_eq!(gate_of("The bridge was opened in 1932 [1]."), Vec::<String>::new());
    for unsound in [
        "The bridge was designed by Wilhelmina Katz [1].",
        "The bridge was never opened [1].",
        "The guide says: \u{201c}nobody has ever dared to cross it\u{201d} [1].",
    ] {
        let reasons = gate_of(&format!("The bridge was opened in 1932 [1]. {unsound}"));
        assert!(reasons.len() == 1 && reasons[0].starts_with("1 cited sentence is not borne out"), "{unsound}: {reasons:?}");
    }
}

#[test]
fn what_is_said_in_other_words_is_told_and_closes_nothing() {
    let report = parse("Gulls are loud on summer evenings ([x](https://a.example/bridge)).");
    let verification = verify(&report, &archive());
    assert_eq!(verification.sentences[0].standing, Standing::Unsupported);
    assert!(verification.gate.open, "{:?}", verification.gate.reasons);
}

#[test]
fn only_the_mark_at_the_end_of_a_sentence_marks_it() {
    let is_marked = |text: &str| parse(text).sentences[0].marked_unverified;
    for marked in
        ["It costs 4 billion (unverified).", "It costs 4 billion (unverified)", "\u{201c}It costs 4 billion (unverified).\u{201d}"]
    {
        assert!(is_marked(marked), "{marked}");
    }
    for claimed in [
        "It costs 999 million kroner, a figure once called unverified but now confirmed.",
        "It costs 4 billion (unverified) and was paid in 1932.",
        "Unverified: it costs 4 billion.",
        "It costs 4 billion, unverified.",
    ] {
        assert!(!is_marked(claimed), "{claimed}");
    }
}

#[test]
fn a_report_that_cites_nothing_does_not_hold() {
    let verification = verify(&parse("The bridge is beautiful. Everybody likes it."), &archive());
    assert_eq!(verification.gate.reasons, ["nothing in it is cited"]);
}

#[test]
fn raw_html_is_read_as_its_reader_sees_it() {
    check(
        "<div>\n<p>It cost 999 million kroner.</p><p>It fell <a href=\"https://a.example\">says A &amp; B</a>.</p>\n<!-- 5 -->\n</div>",
        &[("It cost 999 million kroner.", &[]), ("It fell says A & B.", &["https://a.example"])],
    );
    check("<table><tr><td>2001</td><td>5 km [1]</td></tr></table>", &[("2001; 5 km", &["1"])]);
    check("It rose <a href='https://b.example'>there</a>.", &[("It rose there.", &["https://b.example"])]);
    check("<script>let x = 5;</script>\n\n<style>p { width: 5px }</style>", &[]);
    // A link that is never closed ends with its paragraph.
    check("<p><a href='https://c.example'>\u{e9}<p>\u{e9}\u{e9}\u{e9} 7</a>", &[("\u{e9}", &[]), ("\u{e9}\u{e9}\u{e9} 7", &[])]);
}

#[test]
fn a_number_in_a_heading_needs_a_sentence_or_a_question_that_has_it() {
    let unborne = |report: &str| -> Vec<String> {
        let verification = verify(&parse(report), &archive());
        verification.sentences.into_iter().filter(|one| one.standing == Standing::Uncited).map(|one| one.sentence.text).collect()
    };
    let body = "The bridge was opened in 1932 ([x](https://a.example/bridge)).";
    assert_eq!(unborne(&format!("# Opened in 1932\n\n## 2. What else?\n\n{body}")), Vec::<String>::new());
    assert_eq!(unborne(&format!("# It cost 999 million\n\n## Until 1950\n\n{body}")), ["It cost 999 million", "Until 1950"]);
    assert_eq!(unborne(&format!("---\ntopic: \"Until 1950\"\n---\n\n# Until 1950\n\n{body}")), Vec::<String>::new());
    check("## It cost 5 [1]\n", &[("It cost 5", &["1"])]);
}

const OFFICE: &str = "Employees in the office are more productive than employees who work at home.";
const HOME: &str = "Employees who work at home are more productive than employees in the office, because they sleep longer.";

/// The citations of a report's one sentence that do not bear it, where three sources are known, and the reasons of a closed gate.
fn unsound(sentence: &str) -> (Vec<Citation>, Vec<String>) {
    let document = |name: &str, text: &str| Document { names: vec![name.into()], text: text.into() };
    let archive = Archive::of([document("S01", OFFICE), document("S02", HOME), document("S03", "The bridge is 503 metres long.")]);
    let verification = verify(&parse(sentence), &archive);
    (verification.sentences[0].unsound.clone(), verification.gate.reasons)
}

#[test]
fn a_good_source_does_not_carry_one_that_says_something_else() {
    let check = |ids: &[&str], expected: &[&str]| {
        let marks: String = ids.iter().map(|id| format!(" [{id}]")).collect();
        let (found, reasons) = unsound(&format!("{OFFICE}{marks}"));
        assert_eq!(found, expected.iter().map(|id| Citation::Marker(id.to_string())).collect::<Vec<_>>(), "{ids:?}");
        let named = expected.iter().all(|id| reasons.iter().any(|reason| reason.contains(&format!("[{id}] at “{OFFICE}”"))));
        assert!(named && reasons.is_empty() == expected.is_empty(), "{reasons:?}");
    };
    check(&["S01"], &[]);
    check(&["S01", "S02"], &["S02"]);
    check(&["S01", "S03"], &["S03"]);
    check(&["S03", "S01", "S02"], &["S03", "S02"]);
}

#[test]
fn the_sources_of_a_sentence_that_joins_facts_bear_each_its_own_part() {
    let office = OFFICE.trim_end_matches('.');
    assert_eq!(unsound(&format!("{office}, and the bridge is 503 metres long. [S01] [S03]")), (vec![], vec![]));
    let (found, _) = unsound(&format!("{office}, and the bridge is 503 metres long. [S01] [S02] [S03]"));
    assert_eq!(found, [Citation::Marker("S02".into())]);
}

#[test]
fn a_source_that_says_the_opposite_alone_makes_a_sentence_unsound() {
    let document = Document { names: vec!["S02".into()], text: HOME.into() };
    let found = verify(&parse(&format!("{OFFICE} [S02]")), &Archive::of([document]));
    assert_eq!(found.sentences[0].standing, Standing::Unsound);
}
