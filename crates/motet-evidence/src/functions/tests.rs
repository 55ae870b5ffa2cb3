//! The functions as a workflow calls them, where there is no archive: quotations stand for it.

mod disputes;
mod opinions;
mod writers;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{audit::audit, publishing::publish, verification::verify};
use crate::report::parse;

fn facts() -> Value {
    json!([
        { "id": "F1", "statement": "The bridge is 1,250 m long.", "quote": "The bridge is 1250 metres long", "sources": ["S01"], "raw_file": "assets/web/a.html", "confidence": "Medium" },
        { "id": "F2", "statement": "It opened in 1932.", "sources": ["S02"], "raw_file": "assets/web/b.html", "confidence": "High" }
    ])
}

fn sources() -> Value {
    json!([
        { "id": "S01", "url": "https://a.example", "title": "A", "type": "HTML" },
        { "id": "S02", "url": "https://b.example", "title": "B", "type": "HTML" },
        { "id": "S03", "url": "https://c.example", "title": "C", "type": "HTML" },
    ])
}

fn said(id: &str, statement: &str, source: &str) -> Value {
    json!({ "id": id, "statement": statement, "quote": statement, "sources": [source], "raw_file": "assets/web/a.html", "confidence": "Medium" })
}

fn audited(facts: &Value) -> Value {
    audit(&json!({ "facts": facts, "sources": sources() }), None).expect("an audit")
}

#[test]
fn a_fact_must_name_a_registered_source_and_a_file() {
    let check = |fact: Value, expected: &str| {
        assert_eq!(audited(&json!([fact]))["untraced"][0]["why"].as_str().unwrap_or("traced"), expected);
    };
    check(facts()[0].clone(), "traced");
    check(json!({ "id": "F", "sources": [], "raw_file": "assets/web/x" }), "it names no source");
    check(json!({ "id": "F", "sources": ["S09"], "raw_file": "assets/web/x" }), "S09 is not registered");
    check(json!({ "id": "F", "sources": ["https://a.example"] }), "it names no archived file");
}

#[test]
fn what_was_dropped_is_neither_audited_nor_lost() {
    let input = json!({ "facts": [{ "id": "F", "sources": [] }], "sources": [], "dropped": ["F"] });
    let found = audit(&input, None).expect("an audit");
    assert_eq!((&found["untraced"], &found["facts"], &found["shown"]), (&json!([]), &input["facts"], &json!([])));
}

#[test]
fn no_claim_of_an_agent_is_worth_more_than_its_sources() {
    let check = |facts: Value, sources: Value, expected: &str| {
        let found = audit(&json!({ "facts": facts, "sources": sources }), None).expect("an audit");
        assert_eq!(found["facts"][0]["confidence"], expected, "{found}");
        let is_overrated = found["overrated"].as_array().is_some_and(|list| list.iter().any(|one| one["id"] == "F"));
        assert_eq!(is_overrated, expected != "High", "{found}");
        assert_eq!(found["facts"][0]["claimed"], "High");
    };
    let claims = |sources: Value| json!({ "id": "F", "statement": "The bridge opened in 1932.", "quote": "the bridge opened in 1932", "sources": sources, "raw_file": "assets/web/a", "confidence": "High" });
    check(json!([claims(json!(["S01"]))]), sources(), "Medium");
    check(json!([claims(json!(["S01", "S02"]))]), sources(), "High");
    // Two pages of one owner are one voice, an official source needs no other.
    let of_one = json!([{ "id": "S01", "url": "https://a.example/1" }, { "id": "S02", "url": "https://www.a.example/2" }]);
    check(json!([claims(json!(["S01", "S02"]))]), of_one, "Medium");
    check(json!([claims(json!(["S01"]))]), json!([{ "id": "S01", "url": "https://a.example", "official": true }]), "High");
    // A quotation without the number of the statement does not bear it out.
    let mut wrong = claims(json!(["S01"]));
    wrong["quote"] = json!("the bridge opened with a parade");
    check(json!([wrong]), sources(), "Low");
}

#[test]
fn a_fact_that_another_source_confirms_is_cited_from_both() {
    let facts = json!([
        said("F1", "The bridge opened in 1932.", "https://a.example"),
        said("F2", "After eight years of work the bridge was opened, in 1932.", "https://b.example"),
        said("F3", "The ferry is older than the bridge.", "https://c.example"),
    ]);
    let found = audited(&facts);
    assert_eq!(found["facts"][0]["sources"], json!(["https://a.example", "https://b.example"]), "{found}");
    assert_eq!((&found["facts"][0]["confidence"], &found["facts"][2]["confidence"]), (&json!("High"), &json!("Medium")));
    let again = audited(&found["facts"]);
    assert_eq!(again["facts"], found["facts"], "rating twice changes nothing");
}

const OFFICE: &str = "Employees in the office are more productive than employees who work at home.";
const HOME: &str = "Employees who work at home are more productive than employees in the office, because they sleep longer.";

#[test]
fn a_source_that_says_the_opposite_confirms_nothing() {
    let check = |one: &str, other: &str| {
        let found = audited(&json!([said("F1", one, "S01"), said("F2", other, "S02")]));
        for fact in found["facts"].as_array().into_iter().flatten() {
            assert_eq!((&fact["confirmed_by"], &fact["confidence"]), (&json!([]), &json!("Medium")), "{found}");
        }
    };
    check(OFFICE, HOME);
    check("Coffee is good for the heart.", "Coffee is not good for the heart of anybody.");
    check("The council sued the company in 2019.", "In 2019 the company sued the council.");
}

#[test]
fn a_source_or_a_fact_that_does_not_bear_a_sentence_is_not_cited_for_it() {
    let mut both = said("F1", OFFICE, "S01");
    both["sources"] = json!(["S01", "S02"]);
    both["confirmed_by"] = json!(["S02"]);
    let facts = json!([both, said("F2", HOME, "S02"), said("F3", "The bridge is 503 metres long.", "S03")]);
    let report =
        json!({ "title": "T", "sections": [{ "heading": "H", "paragraphs": [[{ "text": OFFICE, "facts": ["F1", "F2", "F3"] }]] }] });
    let input = json!({ "report": report, "facts": facts, "sources": sources() });
    let verified = verify(&input, None).expect("a verdict");
    assert_eq!(verified["outcome"], "sound", "{verified}");
    assert_eq!(verified["idle"], json!([{ "sentence": OFFICE, "facts": ["F2", "F3"] }]));
    assert_eq!(verified["report"]["sections"][0]["paragraphs"][0][0]["facts"], json!(["F1"]));
    // Even if the facts are named all the same, only what bears the sentence is printed behind it.
    let published = publish(&input, None).expect("a report");
    let markdown = published["markdown"].as_str().unwrap_or_default();
    assert!(markdown.contains(&format!("{OFFICE} [S01]\n")) && !markdown.contains("S02"), "{markdown}");
    assert_eq!(published["outcome"], "open", "{published}");
}

#[test]
fn sources_that_differ_are_told_with_their_scope() {
    let check = |one: &str, other: &str, expected: Option<(&str, &str, &str)>| {
        let found = audited(&json!([said("F1", one, "S01"), said("F2", other, "S02")]));
        let conflict = &found["conflicts"][0];
        let word = |field: &str| conflict[field].as_str().unwrap_or_default().to_string();
        let told = conflict.is_object().then(|| (word("scope"), word("severity"), word("summary")));
        let expected = expected.map(|(scope, severity, summary)| (scope.to_string(), severity.to_string(), summary.to_string()));
        assert_eq!(told, expected, "{found}");
    };
    check(
        "Acme employs 4,500 people.",
        "Acme employs 5,200 people.",
        Some(("contradiction", "high", "4,500 or 5,200: Acme employs 4,500 people.")),
    );
    check(
        "Acme was founded in 1901.",
        "Acme was founded in 1903.",
        Some(("contradiction", "high", "1901 or 1903: Acme was founded in 1901.")),
    );
    check(
        "Acme employed 4,500 people in 2019.",
        "Acme employed 5,200 people in 2023.",
        Some(("different_year", "low", "4,500 and 5,200: Acme employed 4,500 people in 2019.")),
    );
    check(
        "The bridge opened on 1898-07-11.",
        "The bridge opened on 2001-07-11.",
        Some(("contradiction", "high", "1898-07-11 or 2001-07-11: The bridge opened on 1898-07-11.")),
    );
    check("Acme employs 4,500 people.", "Acme employs about 4,480 people.", None);
    let (first, second) = ("Acme makes bells. It employs 4,500 people. It is old.", "Acme employs 5,200 people.");
    check(first, second, Some(("contradiction", "high", "4,500 or 5,200: Acme employs 5,200 people.")));
    check(first, "Acme sells bells. It employs 5,200 people.", Some(("contradiction", "high", "4,500 or 5,200: It employs 4,500 people.")));
}

#[test]
fn however_many_disagree_each_of_them_is_told() {
    let length = |number: usize, metres: usize, source: &str| {
        said(&format!("{source}-{number}"), &format!("Bridge {number} is {metres} metres long."), source)
    };
    let staff = |number: usize, year: usize, source: &str| {
        let town = ["Oslo", "Bergen", "Malmö", "Turku", "Visby", "Odense", "Lund", "Vaasa"][number];
        said(&format!("{source}-{town}"), &format!("{town} employed {} teachers in {year}.", 100 + year - 1900), source)
    };
    let bridges = (1..=15).flat_map(|number| [length(number, 100, "S01"), length(number, 200, "S02")]);
    let towns = (0..8).flat_map(|number| [staff(number, 1950, "S01"), staff(number, 1990, "S02")]);
    let facts: Vec<Value> = bridges.chain(towns).collect();
    let conflicts = audited(&json!(facts))["conflicts"].clone();
    let of = |scope: &str| conflicts.as_array().into_iter().flatten().filter(|conflict| conflict["scope"] == scope).count();
    assert_eq!((of("contradiction"), of("different_year")), (15, 8), "{conflicts}");
    let report = json!({ "title": "T", "sections": [] });
    let printed =
        publish(&json!({ "report": report, "facts": facts, "sources": sources(), "conflicts": conflicts }), None).expect("a report");
    let markdown = printed["markdown"].as_str().unwrap_or_default();
    for number in 1..=15 {
        assert!(markdown.contains(&format!("- Bridge {number} is 200 metres long. [S02]")), "{number}: {markdown}");
    }
}

#[test]
fn an_address_that_ends_in_a_mark_or_has_brackets_is_read_back_as_it_was_printed() {
    for url in ["https://a.example/wiki/Acme_Inc.", "https://a.example/x[1]", "https://a.example/(x))", "https://a.example/?a[]=1&b=!"] {
        let sources = json!([{ "id": "S01", "url": url, "title": "A", "type": "HTML", "local_path": "assets/web/a.html" }]);
        let report = json!({ "title": "T", "sections": [{ "heading": "H", "paragraphs": [[{ "text": OFFICE, "facts": ["F1"] }]] }] });
        let published = publish(&json!({ "report": report, "facts": [said("F1", OFFICE, "S01")], "sources": sources }), None);
        assert_eq!(published.expect("a report")["reasons"], json!([]), "{url}");
    }
}

#[test]
fn a_sentence_that_several_tasks_brought_disagrees_once() {
    let (few, many) = ("Acme employs 4,500 people.", "Acme employs 5,200 people.");
    let found = audited(&json!([said("F1", few, "S01"), said("F2", many, "S02"), said("F3", few, "S01"), said("F4", many, "S02")]));
    assert_eq!(found["conflicts"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found["conflicts"][0]["facts"], json!(["F1", "F2"]));
}

#[test]
fn one_source_does_not_disagree_with_itself_and_a_third_voice_joins_a_dispute() {
    let same = json!([said("F1", "Acme employs 4,500 people.", "S01"), said("F2", "Acme employs 5,200 people.", "S01")]);
    assert_eq!(audited(&same)["conflicts"], json!([]));
    let three = json!([
        said("F1", "Acme employs 4,500 people.", "S01"),
        said("F2", "Acme employs 5,200 people.", "S02"),
        said("F3", "Acme employs 6,100 people.", "S03"),
    ]);
    let found = audited(&three);
    let more = json!([
        three[0],
        three[1],
        three[2],
        said("F4", "Acme employs 5,200 people.", "S02"),
        said("F5", "Acme employs 4,500 people.", "S01")
    ]);
    assert_eq!(audited(&more)["conflicts"], found["conflicts"], "what was found twice in one place is one side");
    assert_eq!(found["conflicts"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found["conflicts"][0]["facts"], json!(["F1", "F2", "F3"]));
}

#[test]
fn facts_are_shown_until_the_context_is_full_and_the_others_are_named() {
    let facts: Vec<Value> =
        (1..=30).map(|number| said(&format!("F{number}"), &format!("Tower {number} stands in the north of the town."), "S01")).collect();
    let with = |more: Value| {
        let mut input = json!({ "facts": facts, "sources": sources() });
        input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        audit(&input, None)
    };
    let all = with(json!({})).expect("an audit");
    assert_eq!((all["shown"].as_array().map(Vec::len), &all["left_out"]), (Some(30), &json!([])));
    let some = with(json!({ "limit": 1200, "keep": 0.5, "conflicts": [{ "facts": ["F29", "F30"] }] })).expect("an audit");
    let shown: Vec<&str> = some["shown"].as_array().into_iter().flatten().filter_map(|fact| fact["id"].as_str()).collect();
    assert!(shown.contains(&"F29") && shown.contains(&"F30") && shown.contains(&"F1"), "{shown:?}");
    assert!(some["tokens"].as_u64().is_some_and(|tokens| tokens <= 600), "{some}");
    assert_eq!(shown.len() + some["left_out"].as_array().map_or(0, Vec::len), 30);
    let shown = |more: Value| with(more).expect("an audit")["shown"].as_array().map_or(0, Vec::len);
    let plenty = shown(json!({ "limit": 1200 }));
    assert_eq!(shown(json!({ "limit": 1200, "taken": 500, "beside": ["a".repeat(300)] })), plenty, "there is room for as much beside them");
    let fewer = shown(json!({ "limit": 1200, "taken": 500, "beside": ["a".repeat(900), { "geography": "a".repeat(600) }] }));
    assert!(fewer > 0 && fewer < plenty, "{fewer} of {plenty}");
    let least = shown(json!({ "limit": 1200, "taken": 500, "beside": "a".repeat(2400) }));
    assert!(least > 0 && least < fewer, "something is shown even where nothing is left: {least} of {fewer}");
    assert_eq!(with(json!({ "taken": -1 })), Err("`taken` must be a number of tokens".into()));
    assert_eq!(with(json!({ "limit": "many" })), Err("`limit` must be a number of tokens".into()));
    assert_eq!(with(json!({ "keep": 1 })), Err("`keep` must be a share from 0 up to, and not including, 1".into()));
}

fn verified(text: &str, named: &[&str]) -> Value {
    let report = json!({ "title": "T", "sections": [{ "heading": "H", "paragraphs": [[{ "text": text, "facts": named }]] }] });
    verify(&json!({ "report": report, "facts": facts(), "sources": sources() }), None).expect("a verdict")
}

fn why(text: &str, named: &[&str]) -> String {
    verified(text, named)["unsound"][0]["why"].as_str().unwrap_or("sound").to_string()
}

#[test]
fn a_number_or_a_name_must_stand_in_a_fact_that_the_sentence_names() {
    assert_eq!(why("It is 1250.0 m long.", &["F1"]), "sound");
    assert_eq!(why("It is 1260 m long.", &["F1"]), "1260 is not in F1");
    assert_eq!(why("It is 1,250 m long and opened in 1932.", &["F1", "F2"]), "sound");
    assert_eq!(why("It opened in 1932.", &["F1"]), "1932 is not in F1");
    assert_eq!(why("It opened in ¹⁷⁷⁷.", &["F2"]), "1777 is not in F2");
    assert_eq!(why("It opened<br><sup>in 1777</sup>.", &["F2"]), "1777 is not in F2");
    assert_eq!(why("It opened in 1932.", &[]), "1932 stands there without a fact");
    assert_eq!(why("It is long.", &["F9"]), "there is no fact F9");
    assert_eq!(why("It was designed by John Bradfield.", &["F1"]), "John, Bradfield are not in F1");
    assert_eq!(why("“It is the longest bridge in the world” say all.", &["F1"]), "its quotation is not in F1");
    assert_eq!(why("It is long, see https://c.example/x.", &["F1"]), "https://c.example/x is no address of its sources");
    assert_eq!(why("It is long, see https://a.example.", &["F1"]), "sound");
}

#[test]
fn a_number_in_the_title_proves_nothing() {
    let report = json!({ "title": "Was it opened in 1942?", "sections": [{ "heading": "1942", "paragraphs": [[{ "text": "It opened in 1942.", "facts": ["F2"] }]] }] });
    let found = verify(&json!({ "report": report, "facts": facts(), "sources": sources() }), None).expect("a verdict");
    assert_eq!(found["unsound"][0]["why"], "1942 is not in F2");
}

#[test]
fn every_verdict_is_kept_with_how_it_was_reached_and_where() {
    let found = verified("The bridge is 1250 metres long.", &["F1"]);
    let verdict = &found["verdicts"][0];
    assert_eq!((&verdict["source"], &verdict["facts"]), (&json!("S01"), &json!(["F1"])));
    assert_eq!((&verdict["verdict"]["label"], &verdict["verdict"]["method"]), (&json!("supported"), &json!("lexical")), "{verdict}");
    assert_eq!(
        (&verdict["verdict"]["version"], &verdict["verdict"]["span"]),
        (&json!(crate::claim::VERSION), &json!({ "start": 0, "end": 30 }))
    );
}

#[test]
fn sentences_that_do_not_hold_are_taken_out_of_the_report() {
    let report = json!({
        "title": "T",
        "summary": [{ "text": "It is 9 m long.", "facts": ["F1"] }, { "text": "It is long.", "facts": ["F1"] }],
        "sections": [{ "heading": "Empty", "paragraphs": [[{ "text": "It is 9 m.", "facts": [] }]] }]
    });
    let found = verify(&json!({ "report": report, "facts": facts(), "sources": sources() }), None).expect("a verdict");
    assert_eq!(found["outcome"], "unsound");
    assert_eq!(found["report"], json!({ "title": "T", "summary": [{ "text": "It is long.", "facts": ["F1"] }], "sections": [] }));
    assert_eq!((&found["sentences"], &found["cited"]), (&json!(3), &json!(2)));
}

fn published(more: Value) -> Value {
    let report = json!({ "title": "The bridge", "sections": [{ "heading": "Size", "paragraphs": [[{ "text": "The bridge is 1250 metres long.", "facts": ["F1"] }]] }] });
    let mut input = json!({ "report": report, "facts": facts(), "sources": sources(), "questions": [{ "name": "Size" }] });
    input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    publish(&input, None).expect("a report")
}

#[test]
fn what_a_planner_looks_for_besides_is_no_question_of_the_user() {
    let asked = json!({ "name": "Answer", "questions": ["How long is the bridge?"] });
    let theme = json!({ "name": "Paint", "theme": true, "questions": ["What is said of “paint”?"] });
    let found = published(json!({ "questions": [asked, theme] }));
    assert_eq!(found["questions"], json!(["How long is the bridge?"]));
    assert_eq!(found["scorecard"]["breadth"]["questions_answered"], json!(1.0), "{found}");
}

#[test]
fn a_report_is_printed_with_its_citations_and_only_the_sources_it_cites() {
    let found = published(json!({}));
    let expected =
        "# The bridge\n\n## Size\n\nThe bridge is 1250 metres long. [S01]\n\n## Sources\n\n- [S01] A. https://a.example (HTML)\n";
    assert_eq!((&found["markdown"], &found["outcome"]), (&json!(expected), &json!("open")));
    assert_eq!((&found["scorecard"]["grounding"]["cited_with_number"], &found["marked"]), (&json!(1.0), &json!(0)));
    assert!(found["table"].as_str().is_some_and(|table| table.contains("passes the publish gate")), "{found}");
    assert_eq!(found["verdicts"][0]["standing"], "supported");
}

#[test]
fn where_sources_disagree_is_printed_whether_the_writer_says_so_or_not() {
    let conflicts = json!([
        { "summary": "1250 or 1260: The bridge is 1,250 m long.", "facts": ["F1", "F2"], "severity": "high", "scope": "contradiction" },
        { "summary": "Gone.", "facts": ["F9"], "severity": "high" },
    ]);
    let markdown = published(json!({ "conflicts": conflicts }))["markdown"].as_str().unwrap_or_default().to_string();
    let section = "## Where sources disagree\n\n- 1250 or 1260: The bridge is 1,250 m long (unverified). (contradiction, high) [S01] [S02]\n  - The bridge is 1,250 m long. [S01]\n  - It opened in 1932. [S02]\n\n";
    assert!(markdown.contains(section), "{markdown}");
    assert!(!markdown.contains("Gone."), "{markdown}");
    let read: Vec<String> = crate::report::parse(&markdown).sentences.into_iter().map(|sentence| sentence.text).collect();
    assert!(!read.iter().any(|sentence| sentence.contains("contradiction")), "what is said of both sides is in neither: {read:?}");
}

#[test]
fn what_its_scope_explains_is_not_told_as_a_disagreement() {
    let of = |scope: &str| json!({ "summary": "The bridge is long.", "facts": ["F1", "F2"], "severity": "low", "scope": scope });
    let headings = |scopes: &[&str]| {
        let conflicts: Vec<Value> = scopes.iter().map(|scope| of(scope)).collect();
        let markdown = published(json!({ "conflicts": conflicts }))["markdown"].as_str().unwrap_or_default().to_string();
        let told = markdown.lines().filter(|line| line.starts_with("## Where ")).map(|line| line[3..].to_string());
        told.collect::<Vec<_>>()
    };
    let (disagree, differ) = ("Where sources disagree", "Where sources differ and both may be right");
    for scope in ["different_year", "unclear_year", "different_place", "different_unit", "different_population"] {
        assert_eq!(headings(&[scope]), [differ], "{scope}");
    }
    for scope in ["contradiction", "different_authority", "", "unheard of"] {
        assert_eq!(headings(&[scope]), [disagree], "{scope}");
    }
    assert_eq!(headings(&["different_year", "contradiction", "different_place"]), [disagree, differ]);
}

#[test]
fn what_has_a_number_and_no_proof_says_that_it_is_unverified() {
    let found = published(json!({
        "caveats": ["Only 2 of 5 towns were looked at."], "gaps": [{ "question": "What did it cost in 1932?" }, { "question": "Who built it?" }],
        "left_out": ["F7"], "report": { "title": "T", "sections": [{ "heading": "Sources", "paragraphs": [[{ "text": "It is 7 m wide", "facts": ["F1"] }]] }], "limitations": ["Prices are missing."] },
    }));
    let markdown = found["markdown"].as_str().unwrap_or_default();
    for line in [
        "## On: Sources\n\nIt is 7 m wide (unverified). [S01]\n",
        "- Not every fact fitted",
        "- Only 2 of 5 towns were looked at (unverified).\n",
        "- Prices are missing.\n",
        "- Not answered: What did it cost in 1932?\n",
        "- Not answered: Who built it?\n",
    ] {
        assert!(markdown.contains(line), "{line} is not in {markdown}");
    }
    assert_eq!(found["outcome"], "open", "{found}");
}

#[test]
fn whose_work_it_is_and_what_was_not_reached_is_printed() {
    let sources = json!([{ "id": "S01", "url": "https://a.example", "title": "A", "type": "Paper", "accessed": "2026-11-16",
        "authors": ["Ada Roe", "Jan Doe", "Eve *Poe* https://evil.example"], "published": "2019-03", "doi": "10.1234/x_1" }]);
    let not_reached = json!([{ "source": "searxng", "outcome": "rate_limited", "address": null }, { "source": "b.example", "outcome": "blocked", "address": "https://b.example/1932" }]);
    let found = published(json!({ "sources": sources, "not_reached": not_reached }));
    let markdown = found["markdown"].as_str().unwrap_or_default();
    assert!(
        markdown.contains("- [S01] A. https://a.example (Ada Roe et al., 2019-03, doi:10.1234/x_1; Paper, accessed 2026-11-16)\n"),
        "{markdown}"
    );
    assert!(markdown.contains("## Caveats\n\n- Not reached: searxng (rate limited), b.example/1932 (blocked).\n"), "{markdown}");
    assert_eq!((&found["outcome"], &found["marked"]), (&json!("open"), &json!(0)), "{found}");
}

#[test]
fn a_heading_whose_number_no_sentence_bears_out_gives_way() {
    let heading = "From 1932 on";
    let sections = json!([{ "heading": heading, "paragraphs": [[{ "text": "The bridge is 1250 metres long", "facts": ["F1"] }, { "text": "It is 7 m wide", "facts": ["F1"] }]] }]);
    let found = published(json!({ "report": { "title": "The bridge", "sections": sections } }));
    let markdown = found["markdown"].as_str().unwrap_or_default();
    assert!(markdown.contains("## Findings\n\nThe bridge is 1250 metres long. [S01] It is 7 m wide (unverified). [S01]"), "{markdown}");
    assert_eq!(found["outcome"], "open", "{found}");
}

#[test]
fn input_that_cannot_be_used_is_told_and_nothing_panics() {
    for super::Described { name, function, .. } in super::TABLE {
        for input in [json!(3), json!("x"), json!([1]), json!({ "facts": 3 }), json!({ "sources": 4 })] {
            assert!(function(&input, None).is_err(), "{name} {input}");
        }
    }
    let odd = json!({ "facts": [3, null, {}], "sources": [{}, "x"], "conflicts": [1], "report": { "sections": [{}, 4] } });
    assert!(audit(&odd, None).is_ok());
    assert!(verify(&odd, None).is_ok());
    assert_eq!(publish(&odd, None).expect("a report")["outcome"], "closed", "there is nothing in it");
}

proptest! {
    #[test]
    fn no_text_can_bring_a_citation_of_its_own(text in "[ a-z0-9\\[\\]()^!<>`*_#~\\\\|&;:./\u{e000}\u{e001}\n-]{0,60}", link in proptest::bool::ANY) {
        let text = if link { format!("{text} [x](https://evil.example/{text}) [3] [^n]") } else { text };
        let report = json!({ "title": text, "sections": [{ "heading": text, "paragraphs": [[{ "text": text, "facts": ["F1"] }, { "text": "It is long.", "facts": ["F1"] }]] }] });
        let found = published(json!({ "report": report, "caveats": [text], "conflicts": [{ "summary": text, "facts": ["F2"] }] }));
        let printed = parse(found["markdown"].as_str().unwrap_or_default());
        for sentence in &printed.sentences {
            for citation in &sentence.citations {
                let known = [crate::report::Citation::Marker("S01".into()), crate::report::Citation::Marker("S02".into())];
                prop_assert!(known.contains(citation), "{:?} in {}", citation, found["markdown"]);
            }
        }
        let reasons = found["reasons"].to_string();
        prop_assert!(!reasons.contains("undefined") && !reasons.contains("outside"), "{} {}", reasons, found["markdown"]);
    }
}

#[test]
fn a_number_in_words_that_are_all_common_is_marked_where_its_source_says_nothing_of_it() {
    let said = |text: &str| {
        let quote = "Three ferries leave Orlen each morning.";
        let facts = json!([{ "id": "F1", "statement": quote, "quote": quote, "sources": ["S01"], "raw_file": "assets/web/a.html", "confidence": "Medium" }]);
        let report = json!({ "title": "Orlen", "sections": [{ "heading": "Orlen", "paragraphs": [[{ "text": text, "facts": ["F1"] }]] }] });
        published(json!({ "facts": facts, "report": report }))["markdown"].as_str().unwrap_or_default().to_string()
    };
    let text = "There are three good people in the house.";
    assert!(!crate::report::says_something(text), "every word of it may stand anywhere");
    assert!(said(text).contains("There are three good people in the house (unverified). [S01]"), "{}", said(text));
    let without = "There are good people in the house.";
    assert!(said(without).contains("There are good people in the house. [S01]"), "{}", said(without));
}
