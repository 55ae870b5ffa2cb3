//! A JSON value as YAML that a person likes to read: blocks for maps and lists, literal blocks for texts of several lines.
//! Whatever needs care is written as JSON writes it, which is YAML too.

use serde_json::Value;

/// Ends with a line feed. Values that fit on a line stay there.
pub fn text(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out
}

const WIDTH: usize = 120;

fn block(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (position, (key, value)) in fields.iter().enumerate() {
                if position > 0 || !out.ends_with("- ") {
                    indent(depth, out);
                }
                out.push_str(&scalar_text(key));
                out.push(':');
                entry(value, depth, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                indent(depth, out);
                out.push_str("- ");
                match item {
                    Value::Object(fields) if !fields.is_empty() && flow(item).is_none_or(|line| line.len() > WIDTH) => {
                        block(item, depth + 1, out);
                    }
                    _ => {
                        out.pop();
                        entry(item, depth, out);
                    }
                }
            }
        }
        other => {
            out.push_str(&other.to_string());
            out.push('\n');
        }
    }
}

/// What stands after a colon or a dash.
fn entry(value: &Value, depth: usize, out: &mut String) {
    if let Value::String(text) = value
        && let Some(mark) = literal_mark(text)
    {
        out.push_str(&format!(" {mark}\n"));
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            if !line.is_empty() {
                indent(depth + 1, out);
                out.push_str(line);
            }
            out.push('\n');
        }
        return;
    }
    match flow(value).filter(|line| depth > 0 && line.len() <= WIDTH || !is_container(value)) {
        Some(line) => out.push_str(&format!(" {line}\n")),
        None => {
            out.push('\n');
            block(value, depth + 1, out);
        }
    }
}

fn is_container(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    }
}

/// On one line; None if some text in it would read better in a block of its own.
fn flow(value: &Value) -> Option<String> {
    Some(match value {
        Value::String(text) if literal_mark(text).is_some() => return None,
        Value::String(text) => scalar_text(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Option<Vec<_>>>()?.join(", ")),
        Value::Object(fields) if fields.is_empty() => "{}".into(),
        Value::Object(fields) => {
            let entries = fields.iter().map(|(key, value)| Some(format!("{}: {}", scalar_text(key), flow(value)?)));
            format!("{{ {} }}", entries.collect::<Option<Vec<_>>>()?.join(", "))
        }
        other => other.to_string(),
    })
}

/// Plain only where nothing in it could mean anything else.
fn scalar_text(text: &str) -> String {
    let starts = text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '/');
    let means_something = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"].iter().any(|word| text.eq_ignore_ascii_case(word));
    match starts && text.chars().all(plain) && !means_something {
        true => text.to_string(),
        false => Value::from(text).to_string(),
    }
}

/// How a literal block of this text begins; None if it cannot be one without losing something.
fn literal_mark(text: &str) -> Option<&'static str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let safe = |letter: char| letter == '\n' || !letter.is_control() && !matches!(letter, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
    let lines_are_safe = body.split('\n').all(|line| line.is_empty() || !line.trim().is_empty());
    let begins_well = !body.starts_with([' ', '\n']) && !body.ends_with('\n');
    let fits = body.contains('\n') && text.chars().all(safe) && lines_are_safe && begins_well;
    fits.then_some(if text.ends_with('\n') { "|" } else { "|-" })
}

fn indent(depth: usize, out: &mut String) {
    (0..depth).for_each(|_| out.push_str("  "));
}

#[cfg(test)]
mod tests {
    use motet_core::case;
    use serde_json::{Value, json};

    use super::*;

    /// What is written is read back the same.
    #[track_caller]
    fn check(value: Value) {
        let document = json!({ "case": "c", "input": { "value": value, "list": [value, { "deep": value }] }, "expect": {} });
        let written = text(&document);
        let read = case::parse("case.yaml", &written).unwrap_or_else(|problems| panic!("{problems:#?}\n{written}"));
        assert_eq!(read.input, document["input"], "{written}");
    }

    #[test]
    fn every_kind_of_value_is_read_back_as_it_was() {
        for value in [json!(null), json!(true), json!(12), json!(-0.5), json!(1e21), json!([]), json!({}), json!("")] {
            check(value);
        }
        check(json!({ "a b": 1, "yes": "no", "-": "- x", "#": "# y", "12": "12", "null": "null", "multi\nline": 1 }));
        check(json!([[1, [2, []]], { "a": [{ "b": { "c": {} } }] }]));
    }

    #[test]
    fn texts_that_yaml_would_misread_are_kept() {
        for text in ["a: b", "- a", "# a", "'a'", "\"a\"", "{a}", "a #b", "@a", "1.0", "0x1f", "~", "2026-01-01", " a ", "a\\b", "é", "🦀"]
        {
            check(json!(text));
        }
        for text in
            ["a\nb", "a\nb\n", "a\n\nb", "a\n  b", "  a\nb", "a\nb\n\n", "\na", "a\n \nb", "a\tb\nc", "a\r\nb", "\u{1b}[1m\nx", "\n"]
        {
            check(json!(text));
        }
    }

    #[test]
    fn a_text_of_several_lines_is_a_block_that_people_can_read() {
        assert_eq!(text(&json!({ "a": { "b": "one\ntwo: 2\n" } })), "a:\n  b: |\n    one\n    two: 2\n");
    }
}
