//! What a report says of the sources and pages that brought nothing: by name, a few of them, and how many more.
//! It names no address with its scheme: that would be a citation of what nobody has read.

use serde_json::Value;

use super::given::text;
use crate::report::NOT_REACHED;

const MOST_NAMED: usize = 4;
const LONGEST_NAME: usize = 80;

/// One sentence for all of them; none if everything was reached.
pub fn caveat(troubles: &[Value]) -> Option<String> {
    let named: Vec<String> = troubles.iter().take(MOST_NAMED).map(name).collect();
    let more = match troubles.len().saturating_sub(named.len()) {
        0 => String::new(),
        1 => " and one more, which task.md names".to_string(),
        more => format!(" and {more} more, which task.md names"),
    };
    (!named.is_empty()).then(|| format!("{NOT_REACHED}{}{more}", named.join(", ")))
}

/// `searxng (failed)`, `a.example/page (blocked)`.
fn name(trouble: &Value) -> String {
    let address = text(trouble, "address");
    let place = if address.is_empty() { text(trouble, "source") } else { address };
    let bare = place.split_once("://").map_or(place, |(_, rest)| rest).trim_start_matches("www.").trim_end_matches('/');
    let words: String = bare.chars().filter(|letter| !letter.is_whitespace() && !letter.is_control()).take(LONGEST_NAME).collect();
    format!("{words} ({})", text(trouble, "outcome").replace('_', " "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_few_are_named_and_the_rest_is_counted() {
        let page = |path: &str| json!({ "source": "a.example", "outcome": "no_text", "address": format!("https://www.a.example/{path}") });
        let search = json!({ "source": "searxng", "outcome": "failed", "address": null });
        assert_eq!(caveat(&[]), None);
        assert_eq!(caveat(&[search.clone(), page("x/")]).as_deref(), Some("Not reached: searxng (failed), a.example/x (no text)"));
        let many: Vec<Value> = (0..9).map(|number| page(&number.to_string())).collect();
        let told = caveat(&many).expect("a sentence");
        assert!(told.ends_with("a.example/3 (no text) and 5 more, which task.md names"), "{told}");
    }
}
