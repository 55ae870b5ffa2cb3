//! Briefs and plans, on a catalogue of nine workers whose numbers are easy to add up.

use serde_json::{Value, json};

use super::perform;
use crate::agent::Outcome;

fn workers() -> Value {
    let worker = |id: &str, phase: &str, rank: u32, cost: f64, minutes: u32, suits: &[&str]| {
        let always = ["web", "writer"].contains(&id);
        json!({
            "id": id, "title": id.to_uppercase(), "phase": phase, "rank": rank, "cost": cost, "time": minutes * 60, "suits": suits,
            "always": always, "criticality": if always { "critical" } else { "optional" },
            "priority": if ["news", "social"].contains(&id) { "low" } else { "high" },
        })
    };
    json!([
        worker("web", "research", 1, 0.2, 5, &["source:web"]),
        worker("academic", "research", 7, 0.15, 3, &["source:academic", "sources:many", "sources:more"]),
        worker("news", "research", 6, 0.15, 2, &["source:news"]),
        worker("social", "research", 16, 0.05, 2, &["source:social"]),
        worker("synthesis", "analysis", 5, 0.3, 2, &["coverage"]),
        worker("writer", "writing", 2, 0.9, 6, &[]),
        worker("facts", "quality", 4, 0.45, 4, &["check:facts"]),
        worker("editor", "quality", 3, 0.15, 2, &["check:language"]),
        worker("citations", "quality", 8, 0.1, 2, &["tone:academic"]),
    ])
}

fn returned(name: &str, input: Value) -> Value {
    match perform(name, &input) {
        Outcome::Returned { result, .. } => result,
        other => panic!("{name}: {other:?}"),
    }
}

fn analysed(brief: Value) -> Value {
    returned("brief.analyse", json!({ "brief": brief, "workers": workers() }))
}

#[track_caller]
fn check_choice(brief: Value, complexity: f64, band: &str, chosen: &[&str]) {
    let analysis = analysed(brief);
    assert_eq!((&analysis["complexity_score"], &analysis["band"]), (&json!(complexity), &json!(band)));
    assert_eq!(analysis["recommended_workers"], json!(chosen));
}

#[test]
fn a_light_brief_with_little_money_gets_the_fewest_workers() {
    let brief = json!({ "topic": "What is Python programming?", "length": 1000, "research_depth": "light", "max_budget": 2.0 });
    check_choice(brief, 0.3, "simple", &["web", "writer", "editor"]);
}

#[test]
fn a_brief_of_medium_complexity_gets_eight_of_six_to_ten() {
    let brief = json!({ "topic": "Queues", "key_points": ["order"], "max_budget": 5.0 });
    check_choice(brief, 0.6, "medium", &["web", "news", "academic", "synthesis", "writer", "editor", "facts", "citations"]);
}

#[test]
fn the_bands_of_complexity_are_half_open() {
    let sections = |count: usize| vec!["a"; count];
    for (brief, complexity, least, most, count) in [
        (json!({ "topic": "t", "research_depth": "light", "key_points": sections(1) }), 0.4, 6, 10, 6),
        (json!({ "topic": "t", "research_depth": "deep" }), 0.7, 11, 17, 11),
        (
            json!({ "topic": "t", "research_depth": "deep", "key_points": ["a"], "sources_to_include": ["u"], "length": 4000 }),
            1.0,
            11,
            17,
            17,
        ),
    ] {
        let analysis = analysed(brief);
        assert_eq!(analysis["complexity_score"], json!(complexity));
        assert_eq!(analysis["workers"], json!({ "least": least, "most": most, "count": count }));
    }
}

#[test]
fn wishes_of_the_brief_come_before_rank_and_switches_exclude() {
    let brief =
        json!({ "topic": "t", "research_depth": "light", "tone": "academic", "preferred_sources": ["academic"], "max_budget": 2.0 });
    check_choice(brief, 0.3, "simple", &["web", "academic", "writer", "citations"]);
    let brief = json!({ "topic": "t", "enable_fact_checking": false });
    check_choice(brief, 0.5, "medium", &["web", "news", "academic", "synthesis", "writer", "editor", "citations"]);
}

#[test]
fn short_time_leaves_luxuries_out() {
    let brief = json!({ "topic": "t", "max_time": 600 });
    check_choice(brief, 0.5, "medium", &["web", "academic", "synthesis", "writer", "editor", "facts", "citations"]);
}

#[test]
fn a_brief_that_contradicts_itself_says_how() {
    let analysis = analysed(json!({ "topic": "Tea", "keywords": ["Green tea"], "exclude_topics": ["green tea "] }));
    assert_eq!(analysis["problems"], json!(["\"Green tea\" is both asked for and excluded"]));
    assert_eq!(analysed(json!({ "topic": "Tea" }))["problems"], json!([]));
}

fn planned(brief: Value) -> Value {
    let analysis = analysed(brief.clone());
    returned("plan.by_rule", json!({ "brief": brief, "workers": workers(), "analysis": analysis, "revision": null }))
}

#[test]
fn a_plan_by_rule_has_a_step_for_each_phase() {
    let plan = planned(json!({ "topic": "Queues", "key_points": ["order"] }));
    let steps = json!([
        { "name": "Research", "phase": "research", "workers": ["web", "news", "academic"], "mode": "PARALLEL" },
        { "name": "Analysis", "phase": "analysis", "workers": ["synthesis"], "mode": "SEQUENTIAL" },
        { "name": "Writing", "phase": "writing", "workers": ["writer"], "mode": "SEQUENTIAL" },
        { "name": "Quality", "phase": "quality", "workers": ["editor", "facts", "citations"], "mode": "PARALLEL" },
    ]);
    assert_eq!(plan["steps"], steps);
    let optimised = returned("plan.optimise", json!({ "plan": plan, "workers": workers(), "number": 1, "budget": 5, "time": 1200 }));
    let step = |position: usize| &optimised["plan"]["steps"][position];
    let estimates: Vec<(&Value, &Value)> = (0..4).map(|at| (&step(at)["estimated_time"], &step(at)["estimated_cost"])).collect();
    let expected = [(json!(300.0), json!(0.5)), (json!(120.0), json!(0.3)), (json!(360.0), json!(0.9)), (json!(240.0), json!(0.7))];
    assert_eq!(estimates, expected.iter().map(|(time, cost)| (time, cost)).collect::<Vec<_>>());
    assert_eq!((&optimised["plan"]["estimated_time"], &optimised["plan"]["estimated_cost"]), (&json!(1020.0), &json!(2.4)));
    assert_eq!((&optimised["time_saved"], &optimised["cost_saved"]), (&json!(0.0), &json!(0.0)));
}

#[test]
fn a_plan_is_merged_made_parallel_and_spared_what_it_cannot_pay() {
    let step = |phase: &str, workers: &[&str]| json!({ "phase": phase, "workers": workers, "mode": "SEQUENTIAL" });
    let plan = json!({
        "complexity": 0.6,
        "estimates": { "social": { "cost": 1.4 } },
        "steps": [
            step("research", &["web", "academic", "news", "social"]),
            step("analysis", &["synthesis"]),
            step("writing", &["writer"]),
            step("quality", &["facts", "editor"]),
            step("quality", &["citations"]),
        ],
    });
    let optimised = returned("plan.optimise", json!({ "plan": plan, "workers": workers(), "number": 1, "budget": 3, "time": 1200 }));
    assert_eq!(optimised["before"], json!({ "steps": 5, "estimated_time": 1680.0, "estimated_cost": 3.8 }));
    let after = &optimised["plan"];
    assert_eq!((&after["total_steps"], &after["estimated_time"], &after["estimated_cost"]), (&json!(4), &json!(1020.0), &json!(2.4)));
    assert_eq!((&optimised["time_saved"], &optimised["cost_saved"]), (&json!(660.0), &json!(1.4)));
    assert_eq!(after["steps"][3]["mode"], "PARALLEL");
    assert!(after["optimization_notes"].as_array().is_some_and(|notes| notes.contains(&json!("social was spared for the budget"))));
}

#[test]
fn tasks_wait_for_the_step_before_and_in_a_sequence_for_each_other() {
    let mut catalogue = workers();
    catalogue[6]["needs"] = json!(["editor"]);
    let plan = json!({ "steps": [
        { "phase": "writing", "workers": ["writer", "ghost", "writer"], "mode": "SEQUENTIAL" },
        { "phase": "quality", "workers": ["facts", "editor"], "mode": "PARALLEL" },
    ]});
    let instructions = json!([{ "worker": "editor", "text": "shorter" }]);
    let optimised = returned("plan.optimise", json!({ "plan": plan, "workers": catalogue, "number": 12, "instructions": instructions }));
    let tasks = optimised["plan"]["tasks"].as_array().expect("a list").iter();
    let seen: Vec<(&str, &Value, &Value)> =
        tasks.map(|task| (task["id"].as_str().expect("an id"), &task["depends_on"], &task["instructions"])).collect();
    let expected = [
        ("plan_012.web", json!([]), json!(null)),
        ("plan_012.writer", json!(["plan_012.web"]), json!(null)),
        ("plan_012.editor", json!(["plan_012.writer"]), json!("shorter")),
        ("plan_012.facts", json!(["plan_012.editor"]), json!(null)),
    ];
    assert_eq!(seen, expected.iter().map(|(id, on, text)| (*id, on, text)).collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_spared_stays_and_the_plan_says_that_it_does_not_fit() {
    let plan = planned(json!({ "topic": "Queues", "key_points": ["order"] }));
    let optimised = returned("plan.optimise", json!({ "plan": plan, "workers": workers(), "number": 1, "budget": 1.0, "time": 60 }));
    let left: Vec<&Value> = optimised["plan"]["tasks"].as_array().into_iter().flatten().map(|task| &task["agent"]).collect();
    assert_eq!(left, ["web", "synthesis", "writer", "editor"]);
    assert_eq!(optimised["plan"]["fits"], false);
}

#[test]
fn time_is_saved_only_where_it_helps() {
    let plan = planned(json!({ "topic": "Queues", "key_points": ["order"] }));
    let optimised = returned("plan.optimise", json!({ "plan": plan, "workers": workers(), "number": 1, "time": 900 }));
    let left: Vec<&Value> = optimised["plan"]["tasks"].as_array().into_iter().flatten().map(|task| &task["agent"]).collect();
    assert_eq!(left, ["web", "news", "academic", "synthesis", "writer", "editor", "citations"]);
}

#[test]
fn a_revision_adds_who_is_good_for_the_issues_and_tells_the_others() {
    let quality = json!({ "issues": [
        { "message": "Only 6 sources (need 10)", "wants": ["sources:more"] },
        { "message": "Grammar needs work", "wants": ["check:language"] },
    ]});
    let plan = json!({ "steps": [{ "phase": "quality", "workers": ["editor"], "mode": "SEQUENTIAL" }] });
    let revision = returned("plan.revise", json!({ "quality": quality, "plan": plan, "workers": workers() }));
    assert_eq!(
        (&revision["add_workers"], &revision["feedback"]),
        (&json!(["academic"]), &json!("Only 6 sources (need 10). Grammar needs work"))
    );
    let brief = json!({ "topic": "t" });
    let again = returned("plan.by_rule", json!({ "brief": brief, "workers": workers(), "revision": revision, "previous": plan }));
    let workers: Vec<&Value> =
        again["steps"].as_array().into_iter().flatten().flat_map(|step| step["workers"].as_array()).flatten().collect();
    assert_eq!(workers, ["web", "academic", "writer", "editor"]);
}
