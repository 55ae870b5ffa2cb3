//! What can be wrong with a workflow folder, said the way rustc says it.
//! A diagnostic never carries a whole file: `render` is given the folder's texts.

use std::fmt;

/// A place in one file of a workflow folder. Lines and columns count from one, columns in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Span {
    pub file: std::sync::Arc<str>,
    pub line: usize,
    pub column: usize,
    /// How many characters the caret underlines; at least one.
    pub length: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
}

/// One problem. `code` names its page in `docs/errors`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Diagnostic {
    pub severity: Severity,
    pub code: &'static str,
    pub message: String,
    pub span: Option<Span>,
    /// What stands beside the caret.
    pub label: String,
    /// The next step: a suggestion, a counterexample, the rule that was broken.
    pub help: Vec<String>,
}

impl Diagnostic {
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, message: message.into(), span: None, label: String::new(), help: Vec::new() }
    }

    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    pub fn at(mut self, span: &Span) -> Self {
        self.span = Some(span.clone());
        self
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The message with the line it is about, given a way to look up a file's text.
    ///
    /// ```text
    /// error[M0104]: unknown state `reviewng`
    ///   --> workflow.yaml:31:11
    ///    |
    /// 31 |     next: reviewng
    ///    |           ^^^^^^^^ no state has this name
    ///    = help: did you mean `reviewing`?
    /// ```
    pub fn render<'a>(&self, text_of: impl Fn(&str) -> Option<&'a str>) -> String {
        use fmt::Write as _;
        let word = if self.is_error() { "error" } else { "warning" };
        let mut out = format!("{word}[{}]: {}\n", self.code, self.message);
        let mut margin = String::from("  ");
        if let Some(span) = &self.span {
            margin = " ".repeat(span.line.to_string().len() + 1);
            let _ = writeln!(out, "{}--> {}:{}:{}", &margin[1..], span.file, span.line, span.column);
            let line = text_of(&span.file).and_then(|text| text.lines().nth(span.line.saturating_sub(1)));
            if let Some(line) = line.filter(|line| line.chars().count() <= 400) {
                let before: String = line.chars().take(span.column.saturating_sub(1)).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
                let _ = writeln!(out, "{margin}|");
                let _ = writeln!(out, "{} | {}", span.line, line.trim_end());
                let carets = "^".repeat(span.length.max(1));
                let _ = writeln!(out, "{margin}| {}", format!("{before}{carets} {}", self.label).trim_end());
            }
        }
        for help in &self.help {
            let indented = help.replace('\n', &format!("\n{margin}        "));
            let _ = writeln!(out, "{margin}= help: {indented}");
        }
        out
    }
}

/// The candidate nearest to what was written, if it is near enough to be what was meant.
pub fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (written.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (typing_distance(&written.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many mistakes of typing lie between two words: two neighbours in the wrong order are one mistake, which they are for people.
fn typing_distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut rows = vec![(0..=right.len()).collect::<Vec<usize>>()];
    for i in 1..=left.len() {
        let mut row = vec![i];
        for j in 1..=right.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut least = substituted.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

/// Levenshtein's distance, in characters.
pub fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, left_char) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right_char) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(left_char != *right_char);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_the_wrong_order_are_one_mistake_of_typing() {
        let known = ["MODEL", "BUDGET", "PARALLEL"];
        for (written, meant) in
            [("MODLE", Some("MODEL")), ("BUGDET", Some("BUDGET")), ("MODELS", Some("MODEL")), ("HOME", None), ("DOEML", None)]
        {
            assert_eq!(nearest(written, known), meant, "{written}");
        }
        assert_eq!(edit_distance("MODLE", "MODEL"), 2, "formulas count letters, not mistakes");
    }
}
