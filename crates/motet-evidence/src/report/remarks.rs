//! What a report says in brackets of a disagreement between its sources, in the very forms that are printed for it: no source has to say it.
//! Whatever else stands in brackets is a part of its sentence, a name of its source, or a sentence.

/// Scopes of a disagreement, and how a report calls them.
const SCOPES: [(&str, &str); 7] = [
    ("contradiction", "contradiction"),
    ("different_authority", "each by another authority"),
    ("different_year", "different years, no contradiction"),
    ("unclear_year", "one of them names no year"),
    ("different_place", "different places, no contradiction"),
    ("different_unit", "different units, no contradiction"),
    ("different_population", "different groups of people, no contradiction"),
];
const SEVERITIES: [&str; 3] = ["high", "medium", "low"];

/// The remark on a disagreement of this scope and severity, without its brackets.
pub fn remark(scope: &str, severity: &str) -> String {
    let words = SCOPES.iter().find(|(name, _)| *name == scope).map_or("", |(_, words)| words);
    [words, severity].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Whether a text is such a remark in its brackets.
pub fn is_remark(text: &str) -> bool {
    let Some(inside) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return false };
    let is_scope = |words: &str| SCOPES.iter().any(|(_, known)| *known == words);
    let severity = |(words, severity): (&str, &str)| is_scope(words) && SEVERITIES.contains(&severity);
    is_scope(inside) || SEVERITIES.contains(&inside) || inside.rsplit_once(", ").is_some_and(severity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_is_known_by_the_words_that_are_printed_and_by_no_others() {
        for (scope, _) in SCOPES {
            for severity in SEVERITIES.into_iter().chain([""]) {
                let printed = format!("({})", remark(scope, severity));
                assert!(is_remark(&printed), "{printed}");
            }
        }
        assert_eq!(remark("different_year", "low"), "different years, no contradiction, low");
        assert_eq!(remark("unheard of", "high"), "high");
        for other in ["(contradiction, 40 dead)", "(40 dead, high)", "(high, contradiction)", "contradiction, high", "()", "", "(, high)"] {
            assert!(!is_remark(other), "{other}");
        }
    }
}
