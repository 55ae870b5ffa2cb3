//! Seven whole workflows: everything they promise holds, and a mistake in one of them is found and named.
//! They are drafts with their control flow complete; prompts and schemas are here only as far as that needs them.

use serde_json::json;

use super::Everything;
use crate::check::graph::show_path;
use crate::check::{Report, check};
use crate::definition::Folder;
use crate::language::load;

const WORKFLOWS: [(&str, &str); 7] = [
    ("architecture", include_str!("sketches/architecture.yaml")),
    ("article", include_str!("sketches/article.yaml")),
    ("deep-research", include_str!("sketches/deep-research.yaml")),
    ("development", include_str!("sketches/development.yaml")),
    ("feature", include_str!("sketches/feature.yaml")),
    ("research", include_str!("sketches/research.yaml")),
    ("slogan", include_str!("sketches/slogan.yaml")),
];

/// The workflow with one part of its text exchanged.
fn report(name: &str, part: &str, instead: &str) -> Report {
    let text = WORKFLOWS.iter().find(|(known, _)| *known == name).unwrap().1;
    assert!(text.contains(part), "`{part}` is not in {name}");
    let text = text.replacen(part, instead, 1);
    let mut folder = Folder::new();
    for path in text.split(|c: char| c.is_whitespace() || ",{}[]".contains(c)) {
        if path.starts_with("prompts/") || path.starts_with("files/") {
            folder.insert(path.to_owned(), String::new());
        } else if path.starts_with("schemas/") {
            folder.insert(path.to_owned(), schema(path));
        }
    }
    folder.insert("workflow.yaml".into(), text.clone());
    let (definition, _) = load(folder, &Everything).unwrap_or_else(|problems| {
        let shown: Vec<String> = problems.iter().map(|problem| problem.render(|_| Some(&text))).collect();
        panic!("{name} does not load:\n{}", shown.join("\n"))
    });
    check(&definition, None)
}

fn schema(path: &str) -> String {
    let choice = |field: &str, values: &[&str]| json!({ "type": "object", "properties": { field: { "type": "string", "enum": values } } });
    let schema = match path {
        "schemas/analysis.json" => choice("verdict", &["REQUIREMENTS_CLEAR", "QUESTIONS_NEEDED", "DISCOVERY_NEEDED"]),
        "schemas/reflection.json" => choice("decision", &["SYNTHESIZE", "SYNTHESIZE_WITH_CAVEATS", "CONTINUE", "ERROR"]),
        "schemas/brief.json" => json!({ "type": "object", "properties": {
            "max_iterations": { "type": "integer", "minimum": 1, "maximum": 10, "default": 3 },
            "max_budget": { "type": "number", "maximum": 100, "default": 5 },
            "max_time": { "type": "string", "format": "motet-duration", "x-maximum": "4h", "default": "30m" },
            "min_quality": { "type": "number", "default": 80 },
        } }),
        _ => json!({ "type": "object" }),
    };
    schema.to_string()
}

/// The property that a changed workflow breaks, with the path that shows it.
fn check_broken(name: &str, part: &str, instead: &str, property: &str, path: &str) {
    let report = report(name, part, instead);
    let broken = report.properties.iter().find(|found| found.name == property).unwrap();
    assert!(!broken.holds, "`{property}` of {name} should not hold");
    assert_eq!(show_path(&broken.path), path, "`{property}` of {name}");
}

#[test]
fn every_property_of_the_seven_workflows_holds() {
    let (mut states, mut properties) = (0, 0);
    for (name, _) in WORKFLOWS {
        let report = report(name, "", "");
        let shown: Vec<String> = report.diagnostics.iter().map(|problem| problem.render(|_| None)).collect();
        assert!(shown.is_empty(), "{name}:\n{}", shown.join("\n"));
        assert!(report.properties.iter().all(|property| property.holds));
        states += report.states;
        properties += report.properties.len();
    }
    assert_eq!((states, properties), (111, 45));
}

#[test]
fn the_bounds_of_the_seven_workflows_are_finite() {
    for (name, _) in WORKFLOWS {
        let report = report(name, "", "");
        for bounds in &report.bounds {
            assert!(bounds.total.calls.is_some_and(|calls| calls < 1_000_000_000), "{name}: {:?}", bounds.total);
            assert!(bounds.states.iter().all(|state| state.visits.is_some()), "{name}");
        }
    }
}

#[test]
fn a_way_around_the_approval_is_found() {
    check_broken(
        "feature",
        "    next: approving\n\n  approving:",
        "    next: picking_phase\n\n  approving:",
        "single approval",
        "clarifying –REQUIREMENTS_CLEAR→ planning → picking_phase → implementing",
    );
}

#[test]
fn a_report_without_reflection_is_found() {
    check_broken(
        "deep-research",
        "      - to: reflecting\n",
        "      - to: synthesizing\n",
        "no report without reflection",
        "planning → awaiting_approval –approve→ next_batch → dispatching –done→ updating → auditing → synthesizing",
    );
}

#[test]
fn a_gate_that_believes_an_agent_about_tests_is_found() {
    check_broken(
        "feature",
        "next: { passed: judging, failed: blaming }",
        "next: { passed: judging, failed: judging }",
        "gate 2 tests are real",
        "implementing –done→ testing –failed→ judging –approved→ closing_phase",
    );
}

#[test]
fn a_turn_too_many_is_found() {
    let report = report("slogan", "turns: { first: 1, max: input.max_turns }", "turns: { max: input.max_turns }");
    let limit = report.properties.iter().find(|property| property.name == "turn limit").unwrap();
    let entries = limit.entries.as_ref().unwrap();
    assert_eq!((limit.holds, entries.most, entries.allowed), (false, Some(6), 5));
    assert_eq!(limit.path.len(), 1 + 3 * 5, "the shortest walk writes six times");
}

#[test]
fn a_second_review_of_the_same_design_is_found() {
    check_broken(
        "development",
        "needs_revision: { count: design_revisions, to: design_revision, exceeded: revisions_used_up }",
        "needs_revision: { count: design_revisions, to: design_review, exceeded: revisions_used_up }",
        "one review per design",
        "architecture → design_review –needs_revision→ design_review",
    );
}

#[test]
fn a_last_state_that_fails_must_not_lead_back_to_itself() {
    let report = report("development", "    trouble: { error: failed }\n", "");
    let found: Vec<&str> = report.diagnostics.iter().map(|problem| problem.code).collect();
    assert_eq!(found, ["M0203"]);
    let cycle = "wrapping_up –error→ failing –continue→ escalated –finish→ wrapping_up";
    assert!(report.diagnostics[0].help[0].contains(cycle), "{:?}", report.diagnostics[0].help);
}
