//! Search services as they answer: the shapes of their good answers, and the ways in which each of them fails.
//! One function per service; `in_trouble` is the same for all of them.

use serde_json::json;

use super::{Answer, Asked};

/// How a service behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    Well,
    Empty,
    Forbidden,
    WrongKey,
    Busy,
    /// HTTP 202 with a page that wants a script to run.
    Challenge,
    /// A good status and a body that ends in the middle.
    Malformed,
    /// A good status and an error instead of results.
    ErrorInside,
    Down,
}

/// Every service under one roof, each at its own paths.
pub fn services(mood: Mood) -> impl Fn(&Asked) -> Answer + Send + Sync {
    move |asked| {
        if asked.path == "/tool" {
            return Answer::new(200, "text/plain", tool(mood));
        }
        if let Some(answer) = in_trouble(mood) {
            return answer;
        }
        let some = mood == Mood::Well;
        match asked.path.as_str() {
            "/searxng/search" => searxng(mood),
            "/brave/web/search" => brave(some, mood),
            "/tavily/search" => tavily(asked, some, mood),
            "/arxiv/api/query" => arxiv(some, mood),
            "/openalex/works" => openalex(some, mood),
            "/s2/graph/v1/paper/search" => semantic_scholar(some, mood),
            "/crossref/works" => crossref(some, mood),
            "/wiki/w/api.php" => wikipedia(some, mood),
            "/gdelt/api/v2/doc/doc" => gdelt(some, mood),
            "/feed.xml" => feed(some, mood),
            _ => Answer::status(404),
        }
    }
}

fn in_trouble(mood: Mood) -> Option<Answer> {
    match mood {
        Mood::Well | Mood::Empty | Mood::ErrorInside => None,
        Mood::Forbidden => Some(Answer::status(403)),
        Mood::WrongKey => Some(Answer::status(401)),
        Mood::Busy => Some(Answer::status(429).with("retry-after", "30")),
        Mood::Challenge => Some(Answer::new(202, "text/html", "<html><body>anomaly</body></html>")),
        Mood::Malformed => Some(Answer::new(200, "application/json", "{\"results\": [{\"title\": \"half")),
        Mood::Down => Some(Answer::status(502)),
    }
}

fn searxng(mood: Mood) -> Answer {
    let results = json!([
        {"url": "https://example.org/copper", "title": "Copper <b>prices</b>", "content": "Copper rose by 4&nbsp;%.", "engine": "bing",
         "publishedDate": "2024-05-17T00:00:00", "author": "Ada Lovelace", "score": 3.0, "category": "general"},
        {"url": "https://www.example.com/undated", "title": "No date here", "content": "Nor an author.", "engine": "google", "publishedDate": null},
        {"url": "https://untitled.example.net/page", "content": "A result without a title.", "engine": "mojeek"},
    ]);
    let captcha = json!([["google", "CAPTCHA"], ["duckduckgo", "access denied"]]);
    match mood {
        Mood::Well => Answer::json(
            &json!({"query": "copper", "number_of_results": 3, "results": results, "answers": [], "suggestions": [], "unresponsive_engines": []}),
        ),
        Mood::Empty => Answer::json(&json!({"query": "copper", "number_of_results": 0, "results": [], "unresponsive_engines": []})),
        _ => Answer::json(&json!({"query": "copper", "number_of_results": 0, "results": [], "unresponsive_engines": captcha})),
    }
}

fn brave(some: bool, mood: Mood) -> Answer {
    if mood == Mood::ErrorInside {
        return Answer::json(
            &json!({"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "The token is invalid."}}),
        );
    }
    let results = json!([
        {"title": "Copper prices", "url": "https://example.org/copper", "description": "<strong>Copper</strong> rose.", "page_age": "2024-05-17T08:00:00", "type": "search_result", "language": "en"},
        {"title": "Mines", "url": "https://mines.example.com/", "description": "About mines."},
    ]);
    match some {
        true => Answer::json(&json!({"type": "search", "query": {"original": "copper"}, "web": {"type": "search", "results": results}}))
            .gzipped(),
        false => Answer::json(&json!({"type": "search", "query": {"original": "copper"}})),
    }
}

fn tavily(asked: &Asked, some: bool, mood: Mood) -> Answer {
    let query = asked.json()["query"].as_str().unwrap_or_default().to_string();
    if query.chars().count() > 400 || query.contains("site:") {
        return Answer::new(
            400,
            "application/json",
            json!({"detail": {"error": "Query is too long. Max query length is 400 characters."}}).to_string(),
        );
    }
    if mood == Mood::ErrorInside {
        return Answer::json(&json!({"detail": {"error": "This request exceeds your plan's set usage limit."}}));
    }
    let results = match some {
        true => {
            json!([{"title": "Copper prices", "url": "https://example.org/copper", "content": "Copper rose by 4 %.", "score": 0.93, "raw_content": null, "published_date": "Fri, 17 May 2024 08:00:00 GMT"}])
        }
        false => json!([]),
    };
    Answer::json(
        &json!({"query": query, "follow_up_questions": null, "answer": null, "images": [], "results": results, "response_time": 0.7}),
    )
}

fn arxiv(some: bool, mood: Mood) -> Answer {
    let entry = r#"<entry><id>http://arxiv.org/abs/2405.00001v2</id><updated>2024-06-01T00:00:00Z</updated><published>2024-05-17T12:00:00Z</published>
      <title>Copper in
        Layers</title><summary>  We measure copper.
        It conducts. </summary>
      <author><name>Ada Lovelace</name></author><author><name>Charles Babbage</name></author>
      <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1234/CU.5</arxiv:doi>
      <link title="doi" href="http://dx.doi.org/10.1234/CU.5" rel="related"/>
      <link href="http://arxiv.org/abs/2405.00001v2" rel="alternate" type="text/html"/>
      <link title="pdf" href="http://arxiv.org/pdf/2405.00001v2" rel="related" type="application/pdf"/></entry>"#;
    let error = "<entry><id>http://arxiv.org/api/errors#incorrect_id_format_for_1</id><title>Error</title><summary>incorrect id format for 1</summary></entry>";
    let inside = match (mood, some) {
        (Mood::ErrorInside, _) => error,
        (_, true) => entry,
        _ => "",
    };
    let feed = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"><title>ArXiv Query</title><id>http://arxiv.org/api/x</id><updated>2024-06-02T00:00:00-04:00</updated>{inside}</feed>"
    );
    Answer::new(200, "application/atom+xml; charset=UTF-8", feed)
}

fn openalex(some: bool, mood: Mood) -> Answer {
    if mood == Mood::ErrorInside {
        return Answer::json(&json!({"error": "Invalid query parameters error.", "message": "per_page must be between 1 and 200"}));
    }
    let works = json!([{
        "id": "https://openalex.org/W1", "doi": "https://doi.org/10.1234/CU.5", "display_name": "Copper in Layers", "publication_year": 2024, "publication_date": "2024-05-17",
        "authorships": [{"author": {"display_name": "Ada Lovelace"}}, {"author": {"display_name": "Charles Babbage"}}],
        "primary_location": {"landing_page_url": "https://journal.example.org/cu5"},
        "best_oa_location": {"pdf_url": "https://journal.example.org/cu5.pdf", "landing_page_url": "https://journal.example.org/cu5"},
        "abstract_inverted_index": {"conducts.": [4], "We": [0], "copper.": [2], "measure": [1], "It": [3]}
    }, {"id": "https://openalex.org/W2", "doi": null, "display_name": null, "publication_date": null, "authorships": [], "primary_location": null, "best_oa_location": null, "abstract_inverted_index": null}]);
    Answer::json(&json!({"meta": {"count": 2, "per_page": 25}, "results": if some { works } else { json!([]) }}))
}

fn semantic_scholar(some: bool, mood: Mood) -> Answer {
    if mood == Mood::ErrorInside {
        return Answer::json(&json!({"error": "Response would exceed maximum size"}));
    }
    match some {
        true => Answer::json(&json!({"total": 1, "offset": 0, "data": [{
            "paperId": "abc", "url": "https://www.semanticscholar.org/paper/abc", "title": "Copper in Layers", "abstract": "We measure copper.", "year": 2024, "publicationDate": null,
            "authors": [{"authorId": "1", "name": "Ada Lovelace"}], "externalIds": {"DOI": "10.1234/cu.5", "ArXiv": "2405.00001"}, "openAccessPdf": {"url": "https://arxiv.org/pdf/2405.00001", "status": "GREEN"}}]})),
        false => Answer::json(&json!({"total": 0, "offset": 0})),
    }
}

fn crossref(some: bool, mood: Mood) -> Answer {
    if mood == Mood::ErrorInside {
        return Answer::json(
            &json!({"status": "failed", "message-type": "validation-failure", "message": [{"type": "parameter-not-allowed", "message": "rows too high"}]}),
        );
    }
    let items = json!([{
        "DOI": "10.1234/CU.5", "URL": "https://doi.org/10.1234/cu.5", "type": "journal-article", "title": ["Copper in <i>Layers</i>"], "container-title": ["Journal of Copper"],
        "author": [{"given": "Ada", "family": "Lovelace", "sequence": "first"}, {"name": "The Copper Group"}],
        "published": {"date-parts": [[2024, 5]]}, "abstract": "<jats:p>We measure copper.</jats:p>",
        "link": [{"URL": "https://journal.example.org/cu5.pdf", "content-type": "application/pdf"}]
    }, {"DOI": "10.5555/bare", "type": "dataset", "issued": {"date-parts": [[null]]}}]);
    Answer::json(&json!({"status": "ok", "message-type": "work-list", "message": {"total-results": 2, "items": if some { items } else { json!([]) }}}))
        .with("x-rate-limit-limit", "50")
        .with("x-rate-limit-interval", "1s")
}

fn wikipedia(some: bool, mood: Mood) -> Answer {
    if mood == Mood::ErrorInside {
        return Answer::json(
            &json!({"error": {"code": "cirrussearch-backend-error", "info": "We could not complete your search due to a temporary problem."}}),
        );
    }
    let found = match some {
        true => {
            json!([{"ns": 0, "title": "Copper (metal)", "pageid": 125293, "snippet": "<span class=\"searchmatch\">Copper</span> is a &quot;metal&quot;", "timestamp": "2024-05-17T01:02:03Z"}])
        }
        false => json!([]),
    };
    Answer::json(&json!({"batchcomplete": true, "query": {"searchinfo": {"totalhits": 1}, "search": found}}))
}

fn gdelt(some: bool, mood: Mood) -> Answer {
    if mood == Mood::ErrorInside {
        return Answer::new(200, "text/html", "Please limit requests to one every 5 seconds or contact us for larger queries.");
    }
    match some {
        true => Answer::json(
            &json!({"articles": [{"url": "https://news.example.org/copper", "url_mobile": "", "title": "Copper strike ends", "seendate": "20240517T081500Z", "socialimage": "", "domain": "news.example.org", "language": "English", "sourcecountry": "Chile"}]}),
        ),
        false => Answer::json(&json!({})),
    }
}

/// What a search tool of another program says: whatever happened, it answers.
fn tool(mood: Mood) -> &'static str {
    match mood {
        Mood::Well => r#"{"results": [{"title": "Copper prices", "url": "https://example.org/copper"}]}"#,
        Mood::Empty => r#"{"results": []}"#,
        Mood::Forbidden => r#"{"error": "403 Forbidden"}"#,
        Mood::WrongKey => r#"{"error": {"message": "Invalid API key"}}"#,
        Mood::Busy => r#"{"message": "Rate limit exceeded"}"#,
        Mood::Challenge => "Error: the page wants a CAPTCHA to be solved",
        Mood::Malformed => r#"{"results": [{"title": "half"#,
        Mood::ErrorInside => r#"{"results": [], "error": "the index is gone"}"#,
        Mood::Down => r#"{"detail": "upstream timed out"}"#,
    }
}

fn feed(some: bool, mood: Mood) -> Answer {
    if mood == Mood::ErrorInside {
        return Answer::new(200, "text/plain", "Too many requests. Try again later.");
    }
    let item = "<item><title>Copper strike ends</title><link>https://news.example.org/strike</link><description>&lt;p&gt;Miners of &lt;b&gt;copper&lt;/b&gt; return.&lt;/p&gt;</description><pubDate>Fri, 17 May 2024 08:00:00 GMT</pubDate><dc:creator>Ada Lovelace</dc:creator></item>
      <item><title>Weather</title><link>https://news.example.org/weather</link><description>Rain.</description></item>";
    let inside = if some { item } else { "" };
    Answer::new(
        200,
        "application/rss+xml",
        format!(
            "<?xml version=\"1.0\"?><rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel><title>News</title><link>https://news.example.org</link><description>d</description>{inside}</channel></rss>"
        ),
    )
}
