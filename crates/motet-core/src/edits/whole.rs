//! A file that holds one value as it is: a text, or JSON, with words around it that stay.
//! Where the value stands is found in the file as the run wrote it, so the workflow need not say.

use serde_json::Value;

type Reason = (Option<usize>, String);

/// The new value, given the old one, the file as it was written and as it is.
pub(super) fn read(old: &Value, written: &str, now: &str) -> Result<Value, Reason> {
    let forms: Vec<String> = match old {
        Value::String(text) => vec![text.trim().to_owned()],
        other => vec![format!("{other:#}"), other.to_string()],
    };
    let Some((form, start)) = forms.iter().filter(|form| !form.is_empty()).find_map(|form| Some((form, written.find(form.as_str())?)))
    else {
        return Err((None, "the value does not stand in this file, so nothing can be read back from it".into()));
    };
    let (before, after) = (written[..start].trim_end(), written[start + form.len()..].trim());
    let now = now.trim_end();
    let line_of = |text: &str| Some(text.lines().count().max(1));
    let Some(rest) = now.strip_prefix(before) else {
        return Err((line_of(common(now, before)), "what stands above the value cannot be edited".into()));
    };
    let Some(middle) = rest.strip_suffix(after) else {
        return Err((line_of(now), "what stands below the value cannot be edited".into()));
    };
    let middle = middle.trim();
    if old.is_string() {
        return Ok(Value::String(middle.to_owned()));
    }
    let first = before.lines().count() + rest.chars().take_while(|letter| *letter == '\n').count();
    serde_json::from_str(middle).map_err(|error| (Some(first.max(1) + error.line() - 1), format!("this is not JSON: {error}")))
}

/// As far as both are the same.
fn common<'t>(text: &'t str, other: &str) -> &'t str {
    let length = text.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(letter, _)| letter.len_utf8()).sum();
    &text[..length]
}
