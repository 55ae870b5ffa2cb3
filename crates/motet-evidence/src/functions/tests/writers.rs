//! What a writer may not do: bear out its own sentences, cite by printing an address, or claim without a fact.
//! Without an archive, as in a case; the quotations of the facts stand for it.

use serde_json::{Value, json};

use super::{audit, publish, verify};

const BRIDGE: &str = "The bridge is 1250 metres long";

fn given(report: Value, more: &Value) -> Value {
    let mut input = json!({
        "report": report,
        "facts": [{ "id": "F1", "statement": "The bridge is 1,250 m long.", "quote": BRIDGE, "sources": ["S01"], "raw_file": "assets/web/a.html", "dimension": "Size" }],
        "sources": [{ "id": "S01", "url": "https://a.example", "title": "A", "type": "HTML" }],
    });
    input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    input
}

fn report(title: &str, heading: &str, text: &str, facts: &[&str]) -> Value {
    json!({ "title": title, "sections": [{ "heading": heading, "paragraphs": [[{ "text": text, "facts": facts }]] }] })
}

/// Why `evidence.verify` refuses the one sentence of a report, if it does.
fn refused(report: Value, more: Value) -> String {
    let found = verify(&given(report, &more), None).expect("a verdict");
    found["unsound"][0]["why"].as_str().unwrap_or("sound").to_string()
}

fn printed(report: Value, more: Value) -> String {
    let found = publish(&given(report, &more), None).expect("a report");
    assert_eq!(found["outcome"], "open", "{found}");
    found["markdown"].as_str().unwrap_or_default().to_string()
}

#[test]
fn the_writers_own_title_and_headings_bear_nothing_out() {
    let own = |text: &str| report("John Bradfield and his seven arches", "Seven arches by John Bradfield", text, &["F1"]);
    let text = "The long bridge of John Bradfield has seven arches.";
    assert_eq!(refused(own(text), json!({})), "John, Bradfield, seven are not in F1");
    // The user's words may name what is spoken of, and count nothing.
    assert_eq!(refused(own(text), json!({ "topic": "Which bridge with seven arches did John Bradfield build?" })), "seven is not in F1");
    let markdown = printed(own("The bridge has seven arches."), json!({ "topic": "Arches" }));
    assert!(markdown.contains("The bridge has seven arches (unverified). [S01]"), "{markdown}");
}

#[test]
fn a_title_or_heading_with_a_number_or_name_that_nobody_found_is_replaced() {
    let check = |title: &str, heading: &str, more: Value, expected: &str| {
        let markdown = printed(report(title, heading, "The bridge is 1250 metres long.", &["F1"]), more);
        assert!(markdown.starts_with(expected), "{markdown}");
    };
    let topic = json!({ "topic": "How long is the bridge?" });
    check("The bridge of 1,250 m", "Its length", topic.clone(), "# The bridge of 1,250 m\n\n## Its length\n");
    check("The bridge of Globex", "Nine workers died", topic.clone(), "# How long is the bridge?\n\n## Size\n");
    check("Globex", "GLOBEX paid", topic.clone(), "# How long is the bridge?\n\n## Size\n");
    check("A bridge of ⁹⁹⁹ m", "⁴⁰ died", topic.clone(), "# How long is the bridge?\n\n## Size\n");
    check("Globex", "Size", json!({}), "# Report\n\n## Size\n");
    check("The bridge, see https://evil.example/x", "www.evil.example", topic, "# The bridge, see\n\n## Size\n");
}

#[test]
fn an_address_that_was_not_read_is_not_printed_beside_the_findings() {
    let mut written = report("The bridge", "Size", "The bridge is 1250 metres long.", &["F1"]);
    written["limitations"] = json!(["More is said on https://evil.example/limits."]);
    let more = json!({
        "caveats": ["See www.evil.example/caveat for the rest.", "http://evil.example/because was closed"],
        "conflicts": [{ "summary": "It is longer, says https://evil.example/conflict.", "facts": ["F1"] }],
    });
    let markdown = printed(written, more);
    assert!(!markdown.contains("evil"), "{markdown}");
    assert!(markdown.contains("- See (address left out) for the rest.\n"), "{markdown}");
}

#[test]
fn an_address_that_a_source_itself_speaks_of_is_printed_as_words() {
    let says = "The bridge listens on http://127.0.0.1:80/x and nowhere else.";
    let facts = json!([{ "id": "F1", "statement": says, "quote": says, "sources": ["S01"], "raw_file": "assets/web/a.html" }]);
    let markdown = printed(report("The bridge", "The bridge", says, &["F1"]), json!({ "facts": facts }));
    assert!(markdown.contains("The bridge listens on `http://127.0.0.1:80/x` and nowhere else. [S01]"), "{markdown}");
}

#[test]
fn a_sentence_without_a_fact_stands_only_if_it_leads_on() {
    let check = |text: &str, expected: &str| assert_eq!(refused(report("T", "H", text, &[]), json!({})), expected, "{text}");
    for leads in ["The next section answers this question in detail.", "In short:", "The details follow below."] {
        check(leads, "sound");
    }
    let unnamed = "it claims something and names no fact";
    for claims in ["It is long.", "It cures cancer.", "It is so.", "This section shows that coffee cures cancer.", "This is the best part."]
    {
        check(claims, unnamed);
    }
    check("The next section has 3 parts.", "3 stands there without a fact");
}

#[test]
fn a_sentence_that_denies_its_fact_is_unsound() {
    let says = "After a crash the next process takes over immediately.";
    let facts = json!({ "facts": [{ "id": "F1", "statement": says, "quote": says, "sources": ["S01"], "raw_file": "assets/web/a.html" }] });
    let check = |text: &str, expected: &str| assert_eq!(refused(report("T", "H", text, &["F1"]), facts.clone()), expected, "{text}");
    check("After a crash the next process takes over.", "sound");
    check("After a crash the next process never takes over.", "it says the opposite of F1");
}

const INSPECTION: &str = "An inspection in 2020 found corrosion in 14 of the 112 stay cables. Engineers did not find damage to the pylons.";

fn inspected() -> Value {
    json!({ "facts": [{ "id": "F1", "statement": INSPECTION, "quote": INSPECTION, "sources": ["S01"], "raw_file": "assets/web/a.html" }] })
}

#[test]
fn a_sentence_of_which_its_fact_says_hardly_anything_is_unsound() {
    let check = |text: &str, expected: &str| assert_eq!(refused(report("T", "H", text, &["F1"]), inspected()), expected, "{text}");
    for invented in ["Critics call it a national disgrace.", "It is the result of decades of corruption."] {
        check(invented, "hardly anything of it is in F1");
    }
    for honest in [
        "It really is so.",
        "Corrosion was found in some of the stay cables.",
        "The pylons were not damaged.",
        "Inspectors discovered corrosion on several stays.",
    ] {
        check(honest, "sound");
    }
    // Another language is compared by its spelling alone, which says nothing of what is missing.
    check("lors d’une visite, de la rouille fut découverte sur quelques haubans.", "sound");
}

#[test]
fn a_sentence_that_says_mostly_something_else_is_printed_as_unverified() {
    let markdown = printed(report("The bridge", "Cables", "Engineers were bribed to hide the corrosion.", &["F1"]), inspected());
    assert!(markdown.contains("Engineers were bribed to hide the corrosion (unverified). [S01]"), "{markdown}");
    let markdown = printed(report("The bridge", "Cables", "Corrosion was found in some of the stay cables.", &["F1"]), inspected());
    assert!(markdown.contains("Corrosion was found in some of the stay cables. [S01]"), "{markdown}");
}

#[test]
fn a_report_is_no_surer_than_its_facts_and_a_partial_one_is_never_sure() {
    let check = |claimed: &str, rated: &str, partial: bool, expected: &str| {
        let mut written = report("The bridge", "Size", "The bridge is 1250 metres long.", &["F1"]);
        written["confidence"] = json!(claimed);
        let mut input = given(written, &json!({ "partial": partial }));
        input["facts"][0]["confidence"] = json!(rated);
        assert_eq!(publish(&input, None).expect("a report")["confidence"], expected, "{claimed}, {rated}, {partial}");
    };
    check("High", "High", false, "High");
    check("High", "Medium", false, "Medium");
    check("High", "High", true, "Medium");
    check("Low", "High", false, "Low");
}

#[test]
fn the_scorecard_reads_what_the_printer_writes_of_a_source() {
    let sources = json!([{
        "id": "S01", "url": "https://a.example/x", "title": "A", "type": "Paper", "official": true, "authors": ["Ada Ox", "Bo Yak", "Cy Emu"],
        "published": "2024-06-15", "accessed": "2026-06-15", "doi": "10.1000/x", "local_path": "assets/web/a.html",
    }]);
    let found =
        publish(&given(report("The bridge", "Size", "The bridge is 1250 metres long.", &["F1"]), &json!({ "sources": sources })), None);
    let found = found.expect("a report");
    let mix = &found["scorecard"]["breadth"]["mix"];
    assert_eq!(mix["types"], json!({ "Paper": 1 }), "{found}");
    assert_eq!((&mix["official"], &mix["dated"], &mix["oldest"]), (&json!(1.0), &json!(1.0), &json!("2024-06-15")), "{found}");
    assert_eq!(mix["median_age_years"], json!(2.0), "{found}");
}

#[test]
fn what_is_left_open_is_no_claim() {
    let more = json!({ "gaps": [{ "question": "What did it cost in 1932" }], "caveats": ["Nothing was found on: “3”, “towers”"] });
    let found = publish(&given(report("The bridge", "Size", "The bridge is 1250 metres long.", &["F1"]), &more), None).expect("a report");
    let markdown = found["markdown"].as_str().unwrap_or_default();
    assert!(markdown.contains("- Nothing was found on: “3”, “towers”.\n- Not answered: What did it cost in 1932?\n"), "{markdown}");
    assert_eq!((&found["marked"], &found["scorecard"]["grounding"]["sentences"]), (&json!(0), &json!(1)), "{found}");
}

#[test]
fn a_claim_behind_the_words_of_a_caveat_is_a_claim() {
    let claim = "the bridge cost 999 million dollars and killed 40 workers";
    let mut written = report("The bridge", "Size", "The bridge is 1250 metres long.", &["F1"]);
    written["limitations"] = json!([format!("Nothing was found on: repairs, but {claim}."), format!("**Not answered:** {claim}?")]);
    let behind = format!("The data are old. Not answered: Did {claim}?");
    let markdown = printed(written, json!({ "caveats": [format!("Not reached: {claim}."), behind] }));
    let caveats = markdown.split("## Caveats").nth(1).unwrap_or_default();
    assert_eq!(caveats.matches("(unverified)").count(), 4, "{markdown}");
    assert!(!caveats.contains("Not answered:") && !caveats.contains("Not reached:"), "{markdown}");
}

#[test]
fn the_words_of_a_caveat_cannot_be_hidden_from_the_printer() {
    let mut written = report("The bridge", "Size", "The bridge is 1250 metres long.", &["F1"]);
    let claim = |words: &str, cost: usize| format!("{words} the bridge cost {cost} million dollars?");
    let own = json!({ "heading": "Caveats", "paragraphs": [[{ "text": claim("Not answered:", 990), "facts": [] }]] });
    written["sections"].as_array_mut().expect("sections").push(own);
    let hidden = ["`Not answered:`", r"\*\*Not answered:\*\*", "Not&amp;nbsp;answered:", "&amp;amp;#78;ot answered:"];
    written["limitations"] = hidden.iter().enumerate().map(|(number, words)| claim(words, 991 + number)).collect();
    let markdown = printed(written, json!({}));
    assert_eq!(markdown.matches("(unverified)").count(), 5, "{markdown}");
    assert!(markdown.contains("## On: Caveats\n"), "{markdown}");
}

#[test]
fn numbers_in_examples_of_commands_do_not_disagree() {
    let said = |id: &str, statement: &str, source: &str| json!({ "id": id, "statement": statement, "quote": statement, "sources": [source], "raw_file": "assets/web/a.html", "confidence": "Medium" });
    let check = |one: &str, other: &str, expected: usize| {
        let sources = json!([{ "id": "S01", "url": "https://a.example" }, { "id": "S02", "url": "https://b.example" }]);
        let found =
            audit(&json!({ "facts": [said("F1", one, "S01"), said("F2", other, "S02")], "sources": sources }), None).expect("an audit");
        assert_eq!(found["conflicts"].as_array().map(Vec::len), Some(expected), "{found}");
    };
    check("`motet run slogan --budget 3` limits what a run may cost.", "`motet run slogan --budget 1` limits what a run may cost.", 0);
    check("With --budget 3 the run stops early.", "With --budget 1 the run stops early.", 0);
    check("With --budget=3 the run stops early.", "With --budget=1 the run stops early.", 0);
    check("With `--fast` the run takes 3 minutes.", "With `--fast` the run takes 7 minutes.", 1);
}
