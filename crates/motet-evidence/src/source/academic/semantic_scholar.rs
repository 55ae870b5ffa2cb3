//! Semantic Scholar, with or without a key; without one its patience is shared by everyone.
//! Its answer without papers has no list at all, and that is said rather than guessed.

use std::sync::Arc;

use reqwest::Url;
use serde_json::Value;

use crate::extract::date;
use crate::fetch::{Call, Fetcher, Pace};
use crate::source::answer::{self, finish, list, text};
use crate::source::web::source;
use crate::source::{Future, Hit, Key, Query, SearchOutcome, Source, SourceKind, address, hit};

/// A hundred in five minutes, shared by everyone without a key.
const WITHOUT_KEY: Pace = Pace::new(1, 3000);
const WITH_KEY: Pace = Pace::new(1, 1000);
const FIELDS: &str = "title,abstract,year,publicationDate,authors,externalIds,url,openAccessPdf";

pub struct SemanticScholar {
    pub base: Url,
    pub key: Option<Key>,
    pub fetcher: Arc<Fetcher>,
}

impl SemanticScholar {
    pub const BASE: &str = "https://api.semanticscholar.org/";

    async fn ask(&self, query: &Query) -> Result<SearchOutcome, SearchOutcome> {
        let dates = match (query.first_day(), query.last_day()) {
            (None, None) => String::new(),
            (since, until) => format!("{}:{}", since.as_deref().unwrap_or_default(), until.as_deref().unwrap_or_default()),
        };
        let parameters = [
            // A hyphen is an operator there and makes words vanish.
            ("query", query.cut(500, 60).replace('-', " ")),
            ("limit", query.limit.clamp(1, 100).to_string()),
            ("fields", FIELDS.to_string()),
            ("publicationDateOrYear", dates),
        ];
        let headers = self.key.iter().map(|key| ("x-api-key", key.expose().to_string())).collect();
        let pace = if self.key.is_some() { WITH_KEY } else { WITHOUT_KEY };
        let url = address(&self.base, "graph/v1/paper/search", &parameters);
        let answer = answer::json(self.fetcher.call(Call { url, body: None, headers, queue: "semantic_scholar", pace }).await)?;
        if answer.get("data").is_none() && answer.get("total").and_then(Value::as_u64) == Some(0) {
            return Ok(SearchOutcome::NoHits { note: None });
        }
        Ok(finish(query, list(&answer, "/data")?.iter().map(paper).collect()))
    }
}

fn paper(paper: &Value) -> Hit {
    let authors = paper.pointer("/authors").and_then(Value::as_array);
    let year = paper.pointer("/year").and_then(Value::as_u64).map(|year| year.to_string());
    let url = text(paper, "/url").or_else(|| Some(format!("https://www.semanticscholar.org/paper/{}", text(paper, "/paperId")?)));
    Hit {
        title: text(paper, "/title").unwrap_or_default(),
        snippet: text(paper, "/abstract").unwrap_or_default(),
        published: text(paper, "/publicationDate").or(year).and_then(|at| date(&at)),
        authors: authors.map(|authors| authors.iter().filter_map(|author| text(author, "/name")).collect()).unwrap_or_default(),
        doi: text(paper, "/externalIds/DOI").and_then(|doi| hit::doi(&doi)),
        full_text_url: text(paper, "/openAccessPdf/url"),
        ..Hit::new("semantic_scholar", SourceKind::Academic, url.unwrap_or_default())
    }
}

source!(SemanticScholar, "semantic_scholar", SourceKind::Academic);
