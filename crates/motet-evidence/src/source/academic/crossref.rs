//! Crossref, which knows what was published and never has the text of it.
//! It is asked by the polite door when there is an address for mail.

use std::sync::Arc;

use reqwest::Url;
use serde_json::Value;

use crate::extract::date;
use crate::fetch::{Call, Fetcher, Pace};
use crate::source::answer::{self, finish, list, plain, text};
use crate::source::web::source;
use crate::source::{Future, Hit, Query, SearchOutcome, Source, SourceKind, address, hit};

const PACE: Pace = Pace::new(1, 300);

pub struct Crossref {
    pub base: Url,
    pub mail: Option<String>,
    pub fetcher: Arc<Fetcher>,
}

impl Crossref {
    pub const BASE: &str = "https://api.crossref.org/v1/";

    async fn ask(&self, query: &Query) -> Result<SearchOutcome, SearchOutcome> {
        let bounds = [("from-pub-date", &query.since), ("until-pub-date", &query.until)];
        let filter =
            bounds.into_iter().filter_map(|(name, bound)| Some(format!("{name}:{}", bound.as_ref()?))).collect::<Vec<_>>().join(",");
        let parameters = [
            ("query", query.cut(500, 60)),
            ("rows", query.limit.clamp(1, 1000).to_string()),
            ("filter", filter),
            ("mailto", self.mail.clone().unwrap_or_default()),
        ];
        let call = Call { url: address(&self.base, "works", &parameters), body: None, headers: Vec::new(), queue: "crossref", pace: PACE };
        let answer = answer::json(self.fetcher.call(call).await)?;
        Ok(finish(query, list(&answer, "/message/items")?.iter().map(item).collect()))
    }
}

fn item(item: &Value) -> Hit {
    let doi = text(item, "/DOI").and_then(|doi| hit::doi(&doi));
    let url = text(item, "/URL").or_else(|| doi.as_ref().map(|doi| format!("https://doi.org/{doi}")));
    let dates = ["/published", "/published-online", "/published-print", "/issued"];
    let links = item.pointer("/link").and_then(Value::as_array);
    let is_pdf = |link: &&Value| text(link, "/content-type").is_some_and(|kind| kind == "application/pdf");
    Hit {
        title: text(item, "/title/0").map(|title| plain(&title)).unwrap_or_default(),
        snippet: text(item, "/abstract").map(|words| plain(&words)).unwrap_or_default(),
        published: dates.iter().find_map(|place| parts(item.pointer(&format!("{place}/date-parts/0"))?)),
        authors: item.pointer("/author").and_then(Value::as_array).into_iter().flatten().filter_map(author).collect(),
        doi,
        full_text_url: links.and_then(|links| text(links.iter().find(is_pdf)?, "/URL")),
        ..Hit::new("crossref", SourceKind::Academic, url.unwrap_or_default())
    }
}

/// People have two names, organisations one.
fn author(author: &Value) -> Option<String> {
    match (text(author, "/given"), text(author, "/family")) {
        (Some(given), Some(family)) => Some(format!("{given} {family}")),
        (given, family) => family.or(given).or_else(|| text(author, "/name")),
    }
}

fn parts(parts: &Value) -> Option<String> {
    let numbers: Vec<String> = parts.as_array()?.iter().map_while(Value::as_u64).map(|part| format!("{part:02}")).collect();
    date(&numbers.join("-"))
}

source!(Crossref, "crossref", SourceKind::Academic);
