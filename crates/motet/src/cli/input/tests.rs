//! Inputs from the command line, by the schema of the workflow.

use std::path::Path;

use serde_json::json;

use super::*;
use crate::library::Library;

fn typed_as(schema: Value, text: &str) -> Result<Value, String> {
    typed(&schema, text)
}

#[test]
fn a_text_becomes_a_value_of_the_wanted_type() {
    let check = |schema: Value, text: &str, expected: Value| assert_eq!(typed_as(schema, text), Ok(expected), "{text}");
    check(json!({ "type": "string" }), "12", json!("12"));
    check(json!({ "type": "integer" }), "12", json!(12));
    check(json!({ "type": "number" }), "0.5", json!(0.5));
    check(json!({ "type": "boolean" }), "Yes", json!(true));
    check(json!({ "type": "array", "items": { "type": "string" } }), "a, b", json!(["a", "b"]));
    check(json!({ "type": "array", "items": { "type": "integer" } }), "1,2", json!([1, 2]));
    check(json!({ "type": "array" }), "[1, \"x\"]", json!([1, "x"]));
    check(json!({ "type": "object" }), "{\"a\": 1}", json!({ "a": 1 }));
    check(json!({}), "true", json!(true));
    check(json!({}), "a text", json!("a text"));
}

#[test]
fn a_text_of_another_type_is_refused_with_what_is_wanted() {
    let check = |schema: Value, text: &str, wanted: &str| assert_eq!(typed_as(schema, text), Err(wanted.to_string()), "{text}");
    check(json!({ "type": "integer" }), "1.5", "a whole number");
    check(json!({ "type": "number" }), "\"1\"", "a number");
    check(json!({ "type": "boolean" }), "maybe", "yes or no");
    check(json!({ "type": "array", "items": { "type": "integer" } }), "1,x", "a whole number");
}

#[test]
fn the_goal_fills_the_first_required_text_of_the_file() {
    let slogan = Library::around(Path::new("/nonexistent"), None).load("slogan").unwrap().definition;
    assert_eq!(goal_field(&slogan).as_deref(), Some("product"));
}
