//! What schemas accept, and how they say what they do not.

use serde_json::json;

use super::*;

fn input() -> Schema {
    let short = json!({
        "product": { "type": "string", "minLength": 1 },
        "max_turns": { "type": "integer", "minimum": 1, "maximum": 10, "default": 5 },
        "max_time": { "type": "duration", "maximum": "24h", "minimum": "1m", "default": "2h" },
        "command": { "type": "array", "items": "string", "default": [] },
        "mode": { "enum": ["none", "notify"], "default": "none" },
        "extra": { "type": "object", "default": {} },
    });
    Schema::from_short(&short, Required::Input).expect("compiles")
}

#[track_caller]
fn check(schema: &Schema, value: Value, expected: &[&str]) {
    assert_eq!(schema.problems(&value), expected, "{value}");
}

#[test]
fn problems_are_sentences_to_act_on() {
    let schema = input();
    check(&schema, json!({ "product": "tea" }), &[]);
    check(&schema, json!({}), &["`product` is missing"]);
    check(&schema, json!({ "product": "tea", "max_turns": 20 }), &["`max_turns`: 20 is greater than the maximum of 10"]);
    check(&schema, json!({ "product": "tea", "max_turns": "x" }), &["`max_turns`: expected a whole number, found \"x\""]);
    check(&schema, json!({ "product": "tea", "produkt": 1 }), &["unknown input `produkt`, did you mean `product`?"]);
    check(&schema, json!({ "product": "tea", "mode": "loud" }), &["`mode`: \"loud\" is not one of none, notify"]);
    check(&schema, json!({ "product": "tea", "command": ["a", 2] }), &["`command[1]`: expected text, found 2"]);
    check(&schema, json!({ "product": "" }), &["`product`: must not be empty"]);
    check(&schema, json!("tea"), &["expected an object, found \"tea\""]);
}

#[test]
fn a_text_that_does_not_fit_is_told_in_the_words_of_its_description() {
    let short = json!({
        "name": { "type": "string", "pattern": "^[a-z]+$", "description": "small letters" },
        "code": { "type": "string", "pattern": "^[a-z]+$" },
    });
    let schema = Schema::from_short(&short, Required::Input).expect("compiles");
    check(&schema, json!({ "name": "1", "code": "a" }), &["`name`: \"1\" does not fit: small letters"]);
    check(&schema, json!({ "name": "a", "code": "2" }), &["`code`: \"2\" does not match the pattern `^[a-z]+$`"]);
}

#[test]
fn durations_are_texts_or_seconds() {
    let schema = input();
    let check = |given: Value, expected: &[&str]| check(&schema, json!({ "product": "tea", "max_time": given }), expected);
    check(json!("1h30m"), &[]);
    check(json!(90), &[]);
    check(json!(90.5), &[]);
    check(json!("2d"), &["`max_time`: 2d is greater than the maximum of 24h"]);
    check(json!(86_401), &["`max_time`: 86401 s is greater than the maximum of 24h"]);
    check(json!("5s"), &["`max_time`: 5s is less than the minimum of 1m"]);
    check(json!("soon"), &["`max_time`: \"soon\" is not a duration; write `90s`, `30m`, `2h` or a number of seconds"]);
    check(json!(-1), &["`max_time`: -1 is not a duration; write `90s`, `30m`, `2h` or a number of seconds"]);
    assert_eq!(
        schema.property("max_time"),
        Some(&json!({ "type": "string", "format": "motet-duration", "x-minimum": "1m", "x-maximum": "24h", "default": "2h" }))
    );
}

#[test]
fn defaults_fill_what_is_absent() {
    let mut value = json!({ "product": "tea", "max_turns": 2 });
    input().fill_defaults(&mut value);
    assert_eq!(value, json!({ "product": "tea", "max_turns": 2, "max_time": "2h", "command": [], "mode": "none", "extra": {} }));
    let mut nothing = Value::Null;
    input().fill_defaults(&mut nothing);
    assert_eq!(nothing["max_turns"], 5);
}

#[test]
fn a_result_needs_all_its_fields_and_may_have_more() {
    let short = json!({ "files": "integer", "tags": ["string"], "any": "any", "plan": { "title": "string", "steps": "[string]" } });
    let schema = Schema::from_short(&short, Required::All).expect("compiles");
    check(&schema, json!({ "files": 1, "tags": ["a"], "any": null, "plan": { "title": "t", "steps": [] }, "more": 1 }), &[]);
    check(
        &schema,
        json!({ "files": 1, "tags": [2], "any": 1, "plan": { "steps": [] } }),
        &["`tags[0]`: expected text, found 2", "`plan.title` is missing"],
    );
    let object = json!({ "type": "object", "properties": { "a": { "type": "string" } }, "additionalProperties": false });
    let schema = Schema::from_short(&object, Required::All).expect("compiles");
    check(&schema, json!({ "b": 1 }), &["unknown field `b`, did you mean `a`?"]);
}

#[test]
fn mistakes_in_a_schema_are_named() {
    let check = |short: Value, expected: &str| assert_eq!(Schema::from_short(&short, Required::Input).expect_err("refused"), expected);
    check(json!({ "a": "strng" }), "`a`: unknown type `strng`, did you mean `string`?");
    check(json!({ "a": { "type": "string", "minLenght": 1 } }), "`a`: unknown keyword `minLenght`, did you mean `minLength`?");
    check(
        json!({ "a": ["string", "integer"] }),
        "`a`: a list names the one type of its items, as in `[string]`; for a choice write `{ enum: [a, b] }`",
    );
    check(json!({ "a": { "type": "integer", "maximum": 3, "default": 5 } }), "the default of `a`: 5 is greater than the maximum of 3");
    check(
        json!({ "a": { "type": "duration", "maximum": "long" } }),
        "the maximum of a duration must be a duration such as `2h` or `30m`, not \"long\"",
    );
    check(json!([1]), "expected a map of names to types, found [1]");
    let remote = Schema::compile(json!({ "$ref": "https://example.com/x.json" })).expect_err("refused");
    assert!(remote.starts_with("not a usable JSON Schema"), "{remote}");
    let file = Schema::compile(json!({ "$ref": "file:///etc/passwd" })).expect_err("refused");
    assert!(file.starts_with("not a usable JSON Schema"), "{file}");
    let wrong = Schema::compile(json!({ "type": "objekt" })).expect_err("refused");
    assert!(wrong.starts_with("not a usable JSON Schema at `/type`"), "{wrong}");
}

#[test]
fn a_schema_can_be_asked() {
    let json = json!({
        "type": "object",
        "properties": { "decision": { "$ref": "#/$defs/decision" }, "plan": { "properties": { "kind": { "enum": ["a", "b"] }, "n": { "enum": [1] } } } },
        "$defs": { "decision": { "enum": ["GO", "STOP"] }, "loop": { "$ref": "#/$defs/loop" } },
    });
    let schema = Schema::compile(json).expect("compiles");
    assert_eq!(schema.enumeration(&["decision"]), Some(vec!["GO".into(), "STOP".into()]));
    assert_eq!(schema.enumeration(&["plan", "kind"]), Some(vec!["a".into(), "b".into()]));
    assert_eq!(schema.enumeration(&["plan", "n"]), None);
    assert_eq!(schema.enumeration(&["nothing"]), None);
    assert_eq!(schema.sole_text(), None);
    assert_eq!(Schema::from_short(&json!({ "slogan": "string" }), Required::All).expect("compiles").sole_text(), Some("slogan"));
    assert_eq!(Schema::from_short(&json!({ "n": "integer" }), Required::All).expect("compiles").sole_text(), None);
}
