//! A schema in the strict form, and values without the nulls that the strict form forces.

use super::*;

fn verdict() -> Value {
    json!({
        "type": "object",
        "title": "A verdict",
        "required": ["score", "kind"],
        "properties": {
            "score": {"type": "number", "minimum": 0, "maximum": 10, "description": "From 0 to 10."},
            "kind": {"enum": ["good", "bad"]},
            "why": {"type": "string", "minLength": 3},
            "notes": {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}},
            "by": {"$ref": "#/$defs/person"},
            "free": {"type": ["string", "null"]},
        },
        "$defs": {"person": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}, "required": ["name"]}},
    })
}

#[test]
fn the_strict_form_is_closed_and_what_may_be_absent_may_be_null() {
    let nothing = json!({"type": "null"});
    let person = json!({
        "type": "object",
        "required": ["name", "age"],
        "properties": {"name": {"type": "string"}, "age": {"anyOf": [{"type": "integer"}, nothing]}},
        "additionalProperties": false,
    });
    let note = json!({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}, "additionalProperties": false});
    let expected = json!({
        "type": "object",
        "required": ["score", "kind", "why", "notes", "by", "free"],
        "properties": {
            "score": {"description": "From 0 to 10.", "type": "number"},
            "kind": {"enum": ["good", "bad"]},
            "why": {"anyOf": [{"type": "string"}, nothing]},
            "notes": {"anyOf": [{"type": "array", "items": note}, nothing]},
            "by": {"anyOf": [{"$ref": "#/$defs/person"}, nothing]},
            "free": {"anyOf": [{"anyOf": [{"type": "string"}, nothing]}, nothing]},
        },
        "additionalProperties": false,
        "$defs": {"person": person},
    });
    assert_eq!(closed(&verdict()), Some(expected));
}

#[test]
fn what_the_strict_form_cannot_say_is_told_in_words() {
    for schema in [
        json!({"type": "object", "properties": {"any": {}}}),
        json!({"type": "object", "additionalProperties": {"type": "string"}, "properties": {"a": {"type": "integer"}}}),
        json!({"type": "object"}),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"type": "object", "properties": {"a": {"type": "array"}}}),
    ] {
        assert_eq!(closed(&schema), None, "{schema}");
        let settings = ModelSettings::new("m");
        assert_eq!(of(ProviderKind::Anthropic, &settings, Some(&schema), false), Shape::InWords(schema.clone()));
        assert_eq!(of(ProviderKind::Ollama, &settings, Some(&schema), false), Shape::Held(schema));
    }
}

#[test]
fn the_settings_and_the_tools_decide_who_holds_the_model_to_the_shape() {
    let check = |kind, structured, with_tools, held: bool| {
        let settings = ModelSettings { structured, ..ModelSettings::new("m") };
        let shape = of(kind, &settings, Some(&verdict()), with_tools);
        assert_eq!(matches!(shape, Shape::Held(_)), held, "{kind} {structured:?} {with_tools}");
    };
    for kind in ProviderKind::ALL {
        check(kind, StructuredOutput::Auto, false, true);
        check(kind, StructuredOutput::Off, false, false);
        let with_both = !matches!(kind, ProviderKind::OpenAiCompatible | ProviderKind::Gemini);
        check(kind, StructuredOutput::Auto, true, with_both);
    }
    assert_eq!(of(ProviderKind::OpenAi, &ModelSettings::new("m"), None, false), Shape::Free);
}

#[test]
fn nulls_for_what_may_be_absent_are_left_out_and_others_stay() {
    let answer =
        json!({"score": null, "kind": "good", "why": null, "notes": null, "by": {"name": "ada", "age": null}, "free": null, "more": null});
    let expected = json!({"score": null, "kind": "good", "by": {"name": "ada"}, "free": null, "more": null});
    assert_eq!(without_nulls(answer, &verdict()), expected);
    let notes = json!({"notes": [{"text": "a"}, {"text": null}]});
    assert_eq!(without_nulls(notes.clone(), &verdict()), notes);
}

#[test]
fn words_join_the_last_thing_the_user_says() {
    let mut messages = vec![Message::new(Speaker::System, "Be terse."), Message::new(Speaker::User, "Judge.")];
    Shape::InWords(json!({"type": "object"})).tell(&mut messages);
    assert_eq!(
        messages[1].content,
        "Judge.\n\nAnswer with one JSON value and nothing else. It must match this JSON Schema:\n{\"type\":\"object\"}"
    );
    Shape::Held(json!({})).tell(&mut messages);
    Shape::Free.tell(&mut messages);
    assert_eq!(messages.len(), 2);
}
