//! Pages that the question itself names: a URL in it is a hit, before anything is searched.
//! It asks nobody.

use std::future::ready;

use super::answer::finish;
use super::{Future, Hit, Query, SearchOutcome, Source, SourceKind};

#[derive(Debug, Default)]
pub struct Pages;

impl Source for Pages {
    fn name(&self) -> &str {
        "pages"
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Web
    }

    fn search<'a>(&'a self, query: &'a Query) -> Future<'a, SearchOutcome> {
        let words =
            query.text.split_whitespace().map(|word| word.trim_matches(['<', '>', '(', ')', '"', '\'', ',', ';']).trim_end_matches('.'));
        let urls = words.filter(|word| reqwest::Url::parse(word).is_ok_and(|url| matches!(url.scheme(), "http" | "https")));
        let hits =
            urls.map(|url| Hit { snippet: "named in the question".to_string(), ..Hit::new("pages", SourceKind::Web, url) }).collect();
        Box::pin(ready(finish(query, hits)))
    }
}
