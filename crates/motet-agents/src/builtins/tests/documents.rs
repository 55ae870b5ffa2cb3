//! Scores and finished documents, on texts made of repeated words so that every measure can be worked out by hand.

use serde_json::{Value, json};

use super::check_refused;
use super::perform;
use crate::agent::Outcome;

fn returned(name: &str, input: Value) -> Value {
    match perform(name, &input) {
        Outcome::Returned { result, .. } => result,
        other => panic!("{name}: {other:?}"),
    }
}

fn source(url: &str, kind: &str, relevance: f64) -> Value {
    json!({ "title": url, "url": url, "type": kind, "relevance": relevance, "iteration": 1 })
}

fn finding(iteration: u64, phase: &str, value: Value) -> Value {
    json!({ "iteration": iteration, "phase": phase, "worker": "w", "value": value })
}

/// 499 words in short sentences, one heading, one link to a known source.
fn article() -> Value {
    let text = format!("# Green tea\n\n## Leaves\n\nSee [tea](https://tea.example/a). {}", "Green tea is good. ".repeat(124));
    finding(1, "writing", json!({ "content": text }))
}

fn input() -> Value {
    json!({
        "brief": { "topic": "Green tea", "length": 500, "min_sources": 4, "min_quality": 0.8, "tone": "casual" },
        "iteration": 1,
        "sources": [source("https://tea.example/a", "web", 0.9), source("https://x.example", "news", 0.5),
                    source("https://y.example", "web", 0.7), source("https://www.tea.example/a/", "web", 0.2), source("z", "web", 0.1)],
        "results": [article(), finding(1, "quality", json!({ "accuracy": 0.92, "contradictions": [], "grammar": 0.9, "quality": 0.95 }))],
    })
}

#[test]
fn the_score_is_the_mean_of_four_components() {
    let score = returned("quality.score", input());
    let components = json!({ "article_quality": 1.0, "source_quality": 0.9833, "factual_quality": 0.96, "writing_quality": 0.95 });
    assert_eq!(score["components"], components);
    assert_eq!((&score["overall"], &score["feedback"], &score["sources"]), (&json!(0.9733), &json!(null), &json!(4)));
}

#[test]
fn weights_shift_the_score_and_what_nobody_measured_does_not_count() {
    let mut weighted = input();
    weighted["weights"] = json!({ "article": 0.0, "sources": 0.0, "facts": 1.0, "writing": 0.0 });
    assert_eq!(returned("quality.score", weighted)["overall"], json!(0.96));
    let mut unchecked = input();
    unchecked["results"] = json!([article()]);
    let score = returned("quality.score", unchecked);
    assert_eq!((&score["not_measured"], &score["components"]["factual_quality"]), (&json!(["factual_quality"]), &json!(null)));
}

#[test]
fn issues_name_what_is_missing_and_who_would_help() {
    let mut poor = input();
    poor["brief"] = json!({
        "topic": "Green tea", "length": 2000, "min_sources": 10, "min_quality": 0.8, "preferred_sources": ["academic"],
        "key_points": ["Caffeine", "Water temperature"],
    });
    poor["results"][1]["value"] = json!({ "accuracy": 0.5, "grammar": 0.7, "claims": [{ "supported": true }, { "supported": false }] });
    let score = returned("quality.score", poor);
    let messages: Vec<&Value> = score["issues"].as_array().into_iter().flatten().map(|issue| &issue["message"]).collect();
    let expected = [
        "Only 4 sources (need 10)",
        "No academic sources",
        "Missing key topic aspects: Caffeine, Water temperature",
        "Only 499 words (target 2000)",
        "Facts are not accurate enough (0.50)",
        "Only 50 % of the claims are supported",
        "Grammar needs work (0.70)",
    ];
    assert_eq!(messages, expected);
    assert_eq!((&score["issues"][0]["wants"], &score["issues"][1]["wants"]), (&json!(["sources:more"]), &json!(["source:academic"])));
    assert!(score["feedback"].as_str().is_some_and(|feedback| feedback.starts_with("Only 4 sources (need 10). No academic")));
}

#[test]
fn a_brief_that_does_not_say_how_many_sources_wants_as_many_as_its_depth_promises() {
    for (depth, measure) in [("light", 1.0), ("standard", 0.4), ("deep", 0.2667)] {
        let mut unsaid = input();
        unsaid["brief"] = json!({ "topic": "Green tea", "research_depth": depth });
        assert_eq!(returned("quality.score", unsaid)["measures"]["source_count"], json!(measure), "{depth}");
    }
}

#[test]
fn a_tenth_less_and_a_fifth_more_than_the_target_are_long_enough() {
    for (target, measure) in [(554, 1.0), (1109, 0.4999), (416, 1.0), (208, 0.5002)] {
        let mut other = input();
        other["brief"]["length"] = json!(target);
        assert_eq!(returned("quality.score", other)["measures"]["length"], json!(measure), "{target}");
    }
}

#[test]
fn hard_text_is_harder_on_casual_readers() {
    // One sentence of 20 words and 40 syllables: grade 0.39 * 20 + 11.8 * 2 - 15.59 = 15.8.
    let text = "Tables ".repeat(19) + "tables.";
    for (tone, measure) in [("casual", 0.42), ("professional", 0.82), ("academic", 1.0)] {
        let mut hard = input();
        hard["brief"]["tone"] = json!(tone);
        hard["results"][0]["value"]["content"] = json!(text);
        assert_eq!(returned("quality.score", hard)["measures"]["readability"], json!(measure), "{tone}");
    }
}

#[test]
fn what_a_later_iteration_found_does_not_count_for_an_earlier_one() {
    let mut later = input();
    later["sources"][1]["iteration"] = json!(2);
    assert_eq!(returned("quality.score", later)["sources"], json!(3));
}

#[test]
fn links_that_lead_to_no_source_cost_citations_and_none_at_all_cost_more() {
    let mut strange = input();
    strange["results"][0]["value"]["content"] = json!("## A\n\n[a](https://tea.example/a) and [b](https://nowhere.example)");
    assert_eq!(returned("quality.score", strange.clone())["measures"]["citations"], json!(0.5));
    strange["sources"][0]["url"] = json!("file:///docs/tea.md");
    strange["results"][0]["value"]["content"] = json!("## A\n\n[a](file:///docs/tea.md) and [b](file:///docs/coffee.md)");
    assert_eq!(returned("quality.score", strange.clone())["measures"]["citations"], json!(0.5), "a file may be a source too");
    strange["results"][0]["value"]["content"] = json!("## A\n\nNo links.");
    assert_eq!(returned("quality.score", strange.clone())["measures"]["citations"], json!(0.0));
    strange["brief"]["research_depth"] = json!("light");
    assert_eq!(returned("quality.score", strange)["measures"]["citations"], json!(0.95));
}

#[test]
fn an_iteration_that_wrote_nothing_scores_nothing() {
    let mut later = input();
    later["iteration"] = json!(2);
    let score = returned("quality.score", later);
    assert_eq!((&score["overall"], &score["written"], &score["feedback"]), (&json!(0.0), &json!(false), &json!("Nothing was written")));
}

fn assembled(scores: &[f64], results: Value, passed: bool) -> Value {
    let numbered = (1_u64..).zip(scores);
    let iterations: Vec<Value> =
        numbered.map(|(iteration, score)| json!({ "iteration": iteration, "score": score, "quality": { "overall": score } })).collect();
    let sources = input()["sources"].clone();
    let brief = json!({ "topic": "Tea", "keywords": ["tea"] });
    returned(
        "document.assemble",
        json!({ "brief": brief, "results": results, "sources": sources, "iterations": iterations, "passed": passed }),
    )
}

#[test]
fn a_document_is_its_parts_in_order_with_corrections_and_sources() {
    let part = |name: &str, text: &str| json!({ "iteration": 1, "phase": "writing", "part": name, "value": { "content": text } });
    let results = json!([
        part("conclusion", "The end."),
        part("body", "# All about tea\n\n## Leaves\n\nTeh leaf is green. It is good."),
        part("introduction", "Welcome."),
        finding(1, "quality", json!({ "meta_description": "Tea.", "bibliography": ["A. Leaf, Tea."] })),
        finding(1, "quality", json!({ "corrections": [{ "before": "Teh", "after": "The" }, { "before": "is", "after": "was" }] })),
    ]);
    let document = assembled(&[0.91], results, true);
    let article = &document["document"];
    assert_eq!((&article["title"], &article["corrections"]), (&json!("All about tea"), &json!(1)));
    assert_eq!((&article["meta_description"], &article["bibliography"]), (&json!("Tea."), &json!(["A. Leaf, Tea."])));
    assert_eq!(article["keywords"], json!(["tea"]));
    assert_eq!(article["content"], "Welcome.\n\n## Leaves\n\nThe leaf is green. It is good.\n\nThe end.");
    assert_eq!((&article["word_count"], &article["reading_time"]), (&json!(11), &json!(1)));
    let urls: Vec<&Value> = document["sources"].as_array().into_iter().flatten().map(|source| &source["url"]).collect();
    assert_eq!(urls, ["https://tea.example/a", "https://y.example", "https://x.example", "z"]);
    assert_eq!((&document["improvement"], &document["iteration"]), (&json!(null), &json!(1)));
    assert_eq!(document["system_notes"], json!(["Met the quality threshold at the first try."]));
}

#[test]
fn the_best_iteration_is_used_and_the_improvement_is_in_points() {
    let results =
        |last: u64| (1..=last).map(|iteration| finding(iteration, "writing", json!({ "content": format!("text {iteration}") }))).collect();
    let document = assembled(&[0.65, 0.88], results(2), true);
    assert_eq!((&document["improvement"], &document["improvement_points"]), (&json!("+23% quality (0.65 → 0.88)"), &json!(23)));
    assert_eq!(document["system_notes"], json!(["Generated after 2 iterations to meet quality threshold."]));
    let forced = assembled(&[0.65, 0.78, 0.72], results(3), false);
    assert_eq!((&forced["iteration"], &forced["document"]["content"]), (&json!(2), &json!("text 2")));
    assert_eq!(forced["system_notes"][1], "The article of iteration 2 is used, since it scored best.");
}

#[test]
fn a_document_of_nothing_is_refused() {
    let input = json!({ "brief": { "topic": "Tea" }, "results": [], "sources": [], "iterations": [{ "iteration": 1, "score": 0.0 }] });
    check_refused("document.assemble", &input, "`document.assemble` cannot use its input: no iteration has written anything");
}
