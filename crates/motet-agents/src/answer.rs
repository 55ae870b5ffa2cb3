//! How the text that a program or a model wrote becomes an outcome: a result, a question or a reported failure.
//! It does not validate against the schema (the machine does); it only asks it which words are the workflow's own.

use motet_core::event::{Failure, FailureKind, Question, Usage};
use motet_core::units::Usd;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::agent::Outcome;

/// Reads an answer.
///
/// - `{"question": …}` asks: a text, or `{question, options, default}`.
/// - `{"error": …}` fails: a text, or `{kind, message}`.
/// - `{"result": …, "usage": …}` is a result with what it cost; both other forms may carry `usage` too.
/// - Any other JSON is the result, and anything else is a text. Where a text is wanted, `2024` is one.
///
/// A field that the schema declares is the workflow's own and means nothing here.
pub(crate) fn read(text: &str, schema: Option<&Value>) -> Outcome {
    match json_in(text) {
        Some(Value::Object(fields)) => read_object(fields, schema),
        Some(other) if !schema.is_some_and(is_sole_text) => Outcome::returned(other),
        Some(_) | None => Outcome::returned(Value::String(text.trim().to_string())),
    }
}

/// The JSON that a text is, bare or in a Markdown fence.
pub(crate) fn json_in(text: &str) -> Option<Value> {
    let text = text.trim().trim_start_matches('\u{feff}');
    serde_json::from_str(text).ok().or_else(|| serde_json::from_str(unfenced(text)?).ok())
}

/// Whether free text can stand for the whole result: one property, and it is a string.
pub(crate) fn is_sole_text(schema: &Value) -> bool {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return schema.get("type").is_some_and(|kind| kind == "string");
    };
    properties.len() == 1 && properties.values().all(|property| property.get("type").is_some_and(|kind| kind == "string"))
}

fn unfenced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    let (_language, body) = inside.split_once('\n')?;
    Some(body.trim())
}

fn read_object(mut fields: Map<String, Value>, schema: Option<&Value>) -> Outcome {
    let declared = |name: &str| schema.and_then(|schema| schema.get("properties")?.get(name)).is_some();
    let speaks = |fields: &Map<String, Value>, name: &str| fields.get(name).is_some_and(|value| !value.is_null()) && !declared(name);
    let usage = match fields.get("usage").filter(|usage| !usage.is_null() && !declared("usage")).map(usage_in) {
        None => Usage::default(),
        Some(Ok(usage)) => usage,
        // An answer with its price unreadable would be booked as if it were free.
        Some(Err(why)) => return Outcome::failed(FailureKind::InvalidOutput, why),
    };

    if speaks(&fields, "question") {
        let asked = fields.get("question").cloned().unwrap_or_default();
        return question_in(asked, &fields).map_or_else(
            || Outcome::failed(FailureKind::InvalidOutput, "the answer's `question` is neither a text nor {question, options, default}"),
            |question| Outcome::Asked { question, usage },
        );
    }
    if speaks(&fields, "error") {
        let failure = failure_in(fields.get("error").unwrap_or(&Value::Null));
        return Outcome::Failed { failure, usage };
    }
    let envelope = speaks(&fields, "result") && fields.keys().all(|name| name == "result" || name == "usage");
    let result = match fields.remove("result") {
        Some(result) if envelope => result,
        Some(result) => {
            fields.insert("result".into(), result);
            Value::Object(fields)
        }
        None => Value::Object(fields),
    };
    Outcome::Returned { result, usage }
}

/// `{"question": "…", "options": […], "default": "…"}` is as good as the nested form.
fn question_in(asked: Value, around: &Map<String, Value>) -> Option<Question> {
    match asked {
        Value::String(question) => Some(Question {
            question,
            options: around.get("options").and_then(|options| Vec::deserialize(options).ok()).unwrap_or_default(),
            default: around.get("default").and_then(Value::as_str).map(String::from),
            ..Question::default()
        }),
        // Only a person is given the task itself, and only a program asks for leave; a model that says so asks like any other.
        nested => serde_json::from_value(nested).ok().map(|question: Question| Question {
            question: question.question,
            options: question.options,
            default: question.default,
            ..Question::default()
        }),
    }
}

fn failure_in(error: &Value) -> Failure {
    let kind = error.get("kind").and_then(|kind| FailureKind::deserialize(kind).ok()).unwrap_or(FailureKind::Reported);
    let message = error.as_str().or_else(|| error.get("message")?.as_str());
    Failure { kind, message: message.map_or_else(|| error.to_string(), String::from) }
}

/// Tokens and tool calls as counts, `cost` in dollars; what is absent is nothing, and what cannot be read is an error.
fn usage_in(usage: &Value) -> Result<Usage, String> {
    let said = |name: &str| usage.get(name).filter(|value| !value.is_null());
    let wrong = |name: &str, value: &Value, what: &str| format!("the answer's `usage.{name}` is {value}; it must be {what}");
    let count = |name: &str| match said(name) {
        None => Ok(0),
        Some(value) => value.as_u64().ok_or_else(|| wrong(name, value, "a whole number, 0 or more")),
    };
    let cost = match said("cost") {
        None => Usd::ZERO,
        Some(value) => value
            .as_f64()
            .and_then(Usd::from_dollars)
            .ok_or_else(|| wrong("cost", value, "an amount of dollars as a number, 0 or more, such as 0.25"))?,
    };
    Ok(Usage {
        tokens_in: count("tokens_in")?,
        tokens_out: count("tokens_out")?,
        tool_calls: count("tool_calls")?,
        cost,
        ..Usage::default()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, schema: Option<Value>, expected: &Outcome) {
        assert_eq!(&read(text, schema.as_ref()), expected, "{text}");
    }

    fn asked(question: &str, options: &[&str], default: Option<&str>) -> Outcome {
        let options = options.iter().map(ToString::to_string).collect();
        Outcome::Asked {
            question: Question { question: question.into(), options, default: default.map(String::from), ..Question::default() },
            usage: Usage::default(),
        }
    }

    #[test]
    fn text_stays_text_and_json_becomes_a_value() {
        check(" Fresh water \n", None, &Outcome::returned(json!("Fresh water")));
        check("{\"slogan\": \"x\"}", None, &Outcome::returned(json!({"slogan": "x"})));
        check("```json\n[1, 2]\n```", None, &Outcome::returned(json!([1, 2])));
        check("{\"slogan\": ", None, &Outcome::returned(json!("{\"slogan\":")));
        check("", None, &Outcome::returned(json!("")));
    }

    #[test]
    fn where_a_text_is_wanted_a_number_is_one() {
        let sole = json!({"type": "object", "properties": {"slogan": {"type": "string"}}});
        check("2024", Some(sole.clone()), &Outcome::returned(json!("2024")));
        check("2024", None, &Outcome::returned(json!(2024)));
        check(r#"{"slogan": "x"}"#, Some(sole), &Outcome::returned(json!({"slogan": "x"})));
    }

    #[test]
    fn a_question_may_be_a_text_or_an_object() {
        check(r#"{"question": "Which?"}"#, None, &asked("Which?", &[], None));
        check(r#"{"question": "Which?", "options": ["a", "b"], "default": "a"}"#, None, &asked("Which?", &["a", "b"], Some("a")));
        check(r#"{"question": {"question": "Which?", "default": "b"}}"#, None, &asked("Which?", &[], Some("b")));
        check(
            r#"{"question": 3}"#,
            None,
            &Outcome::failed(FailureKind::InvalidOutput, "the answer's `question` is neither a text nor {question, options, default}"),
        );
    }

    #[test]
    fn an_error_keeps_its_kind_and_message() {
        check(r#"{"error": "no disk"}"#, None, &Outcome::failed(FailureKind::Reported, "no disk"));
        check(r#"{"error": {"kind": "rate_limited", "message": "slow"}}"#, None, &Outcome::failed(FailureKind::RateLimited, "slow"));
        check(r#"{"error": {"code": 7}}"#, None, &Outcome::failed(FailureKind::Reported, r#"{"code":7}"#));
    }

    #[test]
    fn what_the_schema_declares_is_the_workflows_own() {
        let schema = json!({"properties": {"question": {}, "error": {}, "result": {}, "usage": {}}});
        for text in [r#"{"question": "Which?"}"#, r#"{"error": "x"}"#, r#"{"result": 1, "usage": {"tokens_in": 3}}"#] {
            let value: Value = serde_json::from_str(text).unwrap();
            check(text, Some(schema.clone()), &Outcome::returned(value));
        }
    }

    #[test]
    fn an_envelope_carries_the_usage() {
        let usage = Usage { tokens_in: 5, tokens_out: 7, tool_calls: 2, cost: Usd(250_000), ..Usage::default() };
        let text = r#"{"result": {"a": 1}, "usage": {"tokens_in": 5, "tokens_out": 7, "tool_calls": 2, "cost": 0.25}}"#;
        check(text, None, &Outcome::Returned { result: json!({"a": 1}), usage });
        check(r#"{"result": 1, "more": 2}"#, None, &Outcome::returned(json!({"result": 1, "more": 2})));
    }

    #[test]
    fn a_usage_that_cannot_be_read_is_told_and_not_taken_for_nothing() {
        for (said, told) in [
            (r#"{"cost": -1}"#, "`usage.cost` is -1;"),
            (r#"{"cost": 1e308}"#, "`usage.cost` is 1e+308;"),
            (r#"{"cost": "free"}"#, "`usage.cost` is \"free\";"),
            (r#"{"tokens_in": -3}"#, "`usage.tokens_in` is -3;"),
        ] {
            let Outcome::Failed { failure, .. } = read(&format!(r#"{{"result": 1, "usage": {said}}}"#), None) else { panic!("{said}") };
            assert!(failure.kind == FailureKind::InvalidOutput && failure.message.contains(told), "{failure:?}");
        }
        check(r#"{"result": 1, "usage": {"cost": null}}"#, None, &Outcome::returned(json!(1)));
        check(r#"{"result": 1, "usage": null}"#, None, &Outcome::returned(json!(1)));
    }

    #[test]
    fn a_null_error_is_no_error() {
        check(r#"{"error": null, "a": 1}"#, None, &Outcome::returned(json!({"error": null, "a": 1})));
    }

    #[test]
    fn only_one_string_property_is_a_sole_text() {
        assert!(is_sole_text(&json!({"type": "object", "properties": {"slogan": {"type": "string"}}})));
        assert!(!is_sole_text(&json!({"type": "object", "properties": {"score": {"type": "number"}}})));
        assert!(!is_sole_text(&json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}})));
        assert!(!is_sole_text(&json!({"type": "object"})));
    }
}
