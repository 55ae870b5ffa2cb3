//! What an edit changed, place by place: what stood there, and what stands there now. It is journaled with the edit, so it is bounded.
//! It judges nothing; an edit that may not be never comes here.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::changed::changed_lines;
use super::form::key_of;

/// What is journaled at most. The new values stand in the event beside it, whole.
const MOST_LINES: usize = 400;
const LINE_CHARACTERS: usize = 500;

/// A line `@ place` for each place that changed, then `- ` what went and `+ ` what came.
pub fn difference(before: &Map<String, Value>, changes: &BTreeMap<String, Value>) -> String {
    let mut lines = Vec::new();
    for (name, after) in changes {
        walk(name, before.get(name), Some(after), &mut lines);
    }
    let more = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    let mut shown: Vec<String> = lines.iter().map(|line| cut(line)).collect();
    if more > 0 {
        shown.push(format!("… and {more} more lines"));
    }
    shown.join("\n")
}

fn walk(place: &str, before: Option<&Value>, after: Option<&Value>, lines: &mut Vec<String>) {
    match (before, after) {
        (before, after) if before == after => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names {
                walk(&format!("{place}.{name}"), before.get(name), after.get(name), lines);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => match (by_id(before), by_id(after)) {
            (Some(old), Some(new)) => items(place, &old, &new, lines),
            _ => {
                let text = |values: &[Value]| values.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
                tell(place, changed_lines(&text(before), &text(after)), lines);
            }
        },
        (Some(Value::String(before)), Some(Value::String(after))) if before.contains('\n') || after.contains('\n') => {
            tell(place, changed_lines(before, after), lines);
        }
        (before, after) => {
            let went = before.map(|value| format!("- {value}"));
            let came = after.map(|value| format!("+ {value}"));
            tell(place, went.into_iter().chain(came).collect(), lines);
        }
    }
}

/// Items are the same while their ids are, wherever they stand.
fn items(place: &str, before: &[(String, &Value)], after: &[(String, &Value)], lines: &mut Vec<String>) {
    let find = |all: &[(String, &Value)], id: &str| all.iter().position(|(known, _)| known == id);
    for (id, value) in before {
        walk(&format!("{place}[{id}]"), Some(value), find(after, id).map(|found| after[found].1), lines);
    }
    for (id, value) in after.iter().filter(|(id, _)| find(before, id).is_none()) {
        walk(&format!("{place}[{id}]"), None, Some(value), lines);
    }
    let order = |all: &[(String, &Value)], others: &[(String, &Value)]| {
        let stayed: Vec<&str> = all.iter().map(|(id, _)| id.as_str()).filter(|id| find(others, id).is_some()).collect();
        stayed.join(", ")
    };
    let (old, new) = (order(before, after), order(after, before));
    if old != new {
        tell(&format!("{place}, the order"), vec![format!("- {old}"), format!("+ {new}")], lines);
    }
}

/// The items by their ids, if each has one of its own.
fn by_id(values: &[Value]) -> Option<Vec<(String, &Value)>> {
    let named: Vec<(String, &Value)> = values.iter().map(|value| Some((key_of(value.get("id")?), value))).collect::<Option<_>>()?;
    let ids: BTreeSet<&String> = named.iter().map(|(id, _)| id).collect();
    (ids.len() == named.len()).then_some(named)
}

fn tell(place: &str, changed: Vec<String>, lines: &mut Vec<String>) {
    lines.push(format!("@ {place}"));
    lines.extend(changed);
}

fn cut(line: &str) -> String {
    if line.chars().count() <= LINE_CHARACTERS {
        return line.to_string();
    }
    let shown: String = line.chars().take(LINE_CHARACTERS).collect();
    format!("{shown}…")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(before: Value, after: Value, expected: &[&str]) {
        let old = Map::from_iter([("it".to_string(), before)]);
        let shown = difference(&old, &BTreeMap::from([("it".to_string(), after)]));
        assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn each_place_is_shown_with_what_was_and_what_is() {
        check(json!(1), json!(1), &[]);
        check(json!("a"), json!("b"), &["@ it", "- \"a\"", "+ \"b\""]);
        check(json!({"a": 1, "b": 2}), json!({"b": 3, "c": null}), &["@ it.a", "- 1", "@ it.b", "- 2", "+ 3", "@ it.c", "+ null"]);
        check(json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), &[]);
    }

    #[test]
    fn items_are_found_again_by_their_ids() {
        let before = json!([{"id": "a", "title": "Buy"}, {"id": "b", "title": "Build"}]);
        let after = json!([{"id": "b", "title": "Build well"}, {"id": "c"}]);
        let expected = [
            "@ it[a]",
            "- {\"id\":\"a\",\"title\":\"Buy\"}",
            "@ it[b].title",
            "- \"Build\"",
            "+ \"Build well\"",
            "@ it[c]",
            "+ {\"id\":\"c\"}",
        ];
        check(before.clone(), after, &expected);
        check(before, json!([{"id": "b", "title": "Build"}, {"id": "a", "title": "Buy"}]), &["@ it, the order", "- a, b", "+ b, a"]);
    }

    #[test]
    fn of_texts_and_lists_only_the_lines_that_changed_are_shown() {
        check(json!("one\ntwo\nthree"), json!("one\n2\nthree"), &["@ it", "- two", "+ 2"]);
        check(json!(["x", "y", "z"]), json!(["y", "z", "w"]), &["@ it", "- \"x\"", "+ \"w\""]);
    }

    #[test]
    fn a_large_difference_is_bounded() {
        let many: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
        let old = Map::from_iter([("it".to_string(), json!(""))]);
        let shown = difference(&old, &BTreeMap::from([("it".to_string(), json!(many.join("\n")))]));
        assert_eq!((shown.lines().count(), shown.lines().last()), (401, Some("… and 601 more lines")));
        let shown = difference(&old, &BTreeMap::from([("it".to_string(), json!("x".repeat(9000)))]));
        assert!(shown.len() < 600 && shown.ends_with('…'), "{}", shown.len());
    }
}
