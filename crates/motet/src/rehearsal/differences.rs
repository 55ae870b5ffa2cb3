//! What a case expected and did not get, as data, with enough around it to see why.

use serde::Serialize;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What differs: `path`, `output.slogan`, `file session.json`.
    pub about: String,
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    Expected(String),
    Actual(String),
    /// Both have it.
    Same(String),
    Note(String),
}

impl Difference {
    pub fn note(about: impl Into<String>, note: impl Into<String>) -> Self {
        Self { about: about.into(), lines: vec![Line::Note(note.into())] }
    }

    pub fn between(about: impl Into<String>, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        Self { about: about.into(), lines: vec![Line::Expected(expected.into()), Line::Actual(actual.into())] }
    }

    /// Two lists side by side, aligned where they agree.
    pub fn aligned(about: impl Into<String>, expected: &[String], actual: &[String]) -> Self {
        Self { about: about.into(), lines: align(expected, actual) }
    }
}

/// Field by field: what is expected must be there, and what is there may have more.
pub fn fields(about: &str, expected: &Value, actual: Option<&Value>, found: &mut Vec<Difference>) {
    match (expected, actual) {
        (Value::Object(wanted), Some(Value::Object(there))) => {
            for (name, value) in wanted {
                fields(&format!("{about}.{name}"), value, there.get(name), found);
            }
        }
        (Value::Array(wanted), Some(Value::Array(there))) if wanted.len() == there.len() => {
            for (position, (value, other)) in wanted.iter().zip(there).enumerate() {
                fields(&format!("{about}[{position}]"), value, Some(other), found);
            }
        }
        (expected, Some(actual)) if same(expected, actual) => {}
        (Value::Null, None) => {}
        (expected, actual) => {
            let actual = actual.map_or_else(|| "nothing".to_owned(), ToString::to_string);
            found.push(Difference::between(about, expected.to_string(), actual));
        }
    }
}

/// Whether a value has everything that is expected of it.
pub fn has(expected: &Value, actual: &Value) -> bool {
    let mut found = Vec::new();
    fields("", expected, Some(actual), &mut found);
    found.is_empty()
}

/// A whole number is the same number with a point.
fn same(left: &Value, right: &Value) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}

/// By the longest common subsequence.
fn align(expected: &[String], actual: &[String]) -> Vec<Line> {
    let (rows, columns) = (expected.len(), actual.len());
    let mut longest = vec![vec![0_usize; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            longest[row][column] = match expected[row] == actual[column] {
                true => longest[row + 1][column + 1] + 1,
                false => longest[row + 1][column].max(longest[row][column + 1]),
            };
        }
    }
    let (mut row, mut column, mut lines) = (0, 0, Vec::new());
    while row < rows || column < columns {
        if row < rows && column < columns && expected[row] == actual[column] {
            lines.push(Line::Same(expected[row].clone()));
            (row, column) = (row + 1, column + 1);
        } else if row < rows && (column == columns || longest[row + 1][column] >= longest[row][column + 1]) {
            lines.push(Line::Expected(expected[row].clone()));
            row += 1;
        } else {
            lines.push(Line::Actual(actual[column].clone()));
            column += 1;
        }
    }
    lines
}
