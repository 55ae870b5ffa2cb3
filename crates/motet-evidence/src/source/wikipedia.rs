//! Wikipedia through its own search, in any of its languages.
//! It finds articles; reading them is the fetcher's work.

use std::sync::Arc;

use reqwest::Url;

use super::answer::{self, finish, list, plain, text};
use super::web::source;
use super::{Future, Hit, Query, SearchOutcome, Source, SourceKind, address};
use crate::extract::date;
use crate::fetch::{Call, Fetcher, Pace};

const PACE: Pace = Pace::new(1, 200);
/// A longer question is refused.
const LONGEST: usize = 300;

pub struct Wikipedia {
    pub base: Url,
    pub fetcher: Arc<Fetcher>,
}

impl Wikipedia {
    pub const BASE: &str = "https://en.wikipedia.org/";

    async fn ask(&self, query: &Query) -> Result<SearchOutcome, SearchOutcome> {
        let parameters = [
            ("action", "query".to_string()),
            ("list", "search".to_string()),
            ("srsearch", query.cut(LONGEST, 60)),
            ("srlimit", query.limit.clamp(1, 50).to_string()),
            ("srprop", "snippet|timestamp".to_string()),
            ("format", "json".to_string()),
            ("formatversion", "2".to_string()),
        ];
        let call =
            Call { url: address(&self.base, "w/api.php", &parameters), body: None, headers: Vec::new(), queue: "wikipedia", pace: PACE };
        let answer = answer::json(self.fetcher.call(call).await)?;
        if text(&answer, "/error/code").is_some_and(|code| code == "ratelimited" || code == "maxlag") {
            return Err(SearchOutcome::rate_limited(None));
        }
        // The date is that of the last edit, which is what a reader of the page can compare with.
        let one = |result| {
            let title = text(result, "/title")?;
            Some(Hit {
                snippet: text(result, "/snippet").map(|snippet| plain(&snippet)).unwrap_or_default(),
                published: text(result, "/timestamp").and_then(|at| date(&at)),
                ..Hit::new("wikipedia", SourceKind::Encyclopaedia, self.article(&title))
            })
            .map(|hit| Hit { title, ..hit })
        };
        Ok(finish(query, list(&answer, "/query/search")?.iter().filter_map(one).collect()))
    }

    fn article(&self, title: &str) -> String {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push("wiki").push(&title.replace(' ', "_"));
        }
        url.to_string()
    }
}

source!(Wikipedia, "wikipedia", SourceKind::Encyclopaedia);
