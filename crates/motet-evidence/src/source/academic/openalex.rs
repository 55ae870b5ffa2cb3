//! OpenAlex, whose abstracts come as lists of places per word and are put back together here.
//! Without a key it answers a few questions a day; one that costs nothing gives a thousand.

use std::sync::Arc;

use reqwest::Url;
use serde_json::Value;

use crate::extract::date;
use crate::fetch::{Call, Fetcher, Pace};
use crate::source::answer::{self, finish, list, plain, text};
use crate::source::web::source;
use crate::source::{Future, Hit, Key, Query, SearchOutcome, Source, SourceKind, address, hit};

const PACE: Pace = Pace::new(1, 150);
/// A place beyond this is a mistake or an attack.
const LONGEST_ABSTRACT: u64 = 20_000;

pub struct OpenAlex {
    pub base: Url,
    pub key: Option<Key>,
    /// Where they can reach whoever runs this.
    pub mail: Option<String>,
    pub fetcher: Arc<Fetcher>,
}

impl OpenAlex {
    pub const BASE: &str = "https://api.openalex.org/";

    async fn ask(&self, query: &Query) -> Result<SearchOutcome, SearchOutcome> {
        let bounds = [("from_publication_date", query.first_day()), ("to_publication_date", query.last_day())];
        let filter = bounds.into_iter().filter_map(|(name, bound)| Some(format!("{name}:{}", bound?))).collect::<Vec<_>>().join(",");
        let mut parameters = vec![
            // Commas and colons are its own syntax.
            ("search", query.cut(500, 60).replace([',', ':', '|'], " ")),
            ("per_page", query.limit.clamp(1, 200).to_string()),
            ("filter", filter),
            ("mailto", self.mail.clone().unwrap_or_default()),
        ];
        // It knows no other place for it.
        parameters.extend(self.key.iter().map(|key| ("api_key", key.expose().to_string())));
        let call = Call { url: address(&self.base, "works", &parameters), body: None, headers: Vec::new(), queue: "openalex", pace: PACE };
        let answer = answer::json(self.fetcher.call(call).await)?;
        Ok(finish(query, list(&answer, "/results")?.iter().map(work).collect()))
    }
}

fn work(work: &Value) -> Hit {
    let landing = text(work, "/primary_location/landing_page_url").or_else(|| text(work, "/doi")).or_else(|| text(work, "/id"));
    let authors = work.pointer("/authorships").and_then(Value::as_array);
    let free = text(work, "/best_oa_location/pdf_url").or_else(|| text(work, "/best_oa_location/landing_page_url"));
    Hit {
        title: text(work, "/display_name").or_else(|| text(work, "/title")).map(|title| plain(&title)).unwrap_or_default(),
        snippet: work.pointer("/abstract_inverted_index").map(abstract_of).unwrap_or_default(),
        published: text(work, "/publication_date").and_then(|at| date(&at)),
        authors: authors
            .map(|authors| authors.iter().filter_map(|author| text(author, "/author/display_name")).collect())
            .unwrap_or_default(),
        doi: text(work, "/doi").and_then(|doi| hit::doi(&doi)),
        full_text_url: free,
        ..Hit::new("openalex", SourceKind::Academic, landing.unwrap_or_default())
    }
}

/// `{"Hello": [0, 2], "world": [1]}` reads "Hello world Hello".
pub(super) fn abstract_of(index: &Value) -> String {
    let mut places: Vec<(u64, &str)> = Vec::new();
    for (word, at) in index.as_object().into_iter().flatten() {
        places.extend(
            at.as_array().into_iter().flatten().filter_map(Value::as_u64).filter(|at| *at < LONGEST_ABSTRACT).map(|at| (at, word.as_str())),
        );
    }
    places.sort_unstable();
    places.dedup_by_key(|(at, _)| *at);
    plain(&places.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(" "))
}

source!(OpenAlex, "openalex", SourceKind::Academic);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_abstract_is_put_back_in_order() {
        let index = json!({"order": [3], "Words": [0], "in": [1], "their": [2], "again,": [4], "absurd": [4_000_000_000u64]});
        assert_eq!(abstract_of(&index), "Words in their order again,");
        assert_eq!(abstract_of(&json!(null)), "");
        assert_eq!(abstract_of(&json!({"x": "y", "z": [-1, 1.5, null]})), "");
    }
}
