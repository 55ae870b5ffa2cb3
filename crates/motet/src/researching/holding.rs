//! Holds an answer to what was read: before the task, by its tools, at the pages that it names, and in files that its agent saved.
//! An answer is paid for by the time it comes here, so nothing here can lose it: what does not arrive in time only bears nothing out.

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use motet_agents::{Context, Outcome, Progress};
use motet_evidence::archive::{Archive, asset};
use motet_evidence::claim::quote;
use motet_evidence::extract::{Hints, extract_later};
use motet_evidence::gather::{self, Gathered, Source, Wanted};
use motet_evidence::library::{Library, Trouble};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Found, Held, limits};

/// How many pages that an agent found by itself are fetched to hold its answer to them, and how many of them at once.
const MOST_OWN_PAGES: usize = 20;
const AT_ONCE: usize = 6;

/// What an answer calls the sources and pages that brought nothing, and how many of them it names.
const NOT_REACHED: &str = "not_reached";
const MOST_UNREACHED: usize = 50;

/// How long that may take together: what is left of the task's time, but not so much that a run seems to hang, and not so little that
/// an answer that came at the last moment could not be held to anything.
const LEAST: Duration = Duration::from_secs(5);
const MOST: Duration = Duration::from_secs(30);

impl Found {
    /// The answer without the facts that stand in nothing that was read, or with a mark at those that do not: read before the task, or by
    /// its tools at the addresses `shown`.
    /// What could not be searched or read for it stands in its `not_reached`, so that the run remembers it.
    pub async fn hold(mut self, came: Outcome, shown: Vec<String>, troubles: Vec<Trouble>, context: &Context) -> Outcome {
        let (Some(held), Outcome::Returned { result, usage }) = (&self.held, &came) else { return came };
        let (field, is_strict) = match held {
            Held::Grounded(field) => (field, true),
            Held::Checked(field) => (field, false),
            Held::Unread(field) => {
                let result = with_unreached(gather::unmark(result.clone(), field), &[], context);
                return Outcome::Returned { result, usage: *usage };
            }
        };
        let now = Instant::now();
        let until = self.until.clamp(now + LEAST, now + MOST);
        let mut unreached = std::mem::take(&mut self.gathered.troubles);
        unreached.extend(troubles);
        if let Some(library) = self.library.get() {
            let named = own_pages(result, field, &self.gathered, library.archive()).into_iter().take(MOST_OWN_PAGES);
            let pages = shown.into_iter().chain(named).collect();
            for more in read(library, pages, until, context).await {
                // A page takes the place of what was only its abstract.
                for source in more.sources {
                    match self.gathered.sources.iter_mut().find(|known| known.url == source.url) {
                        Some(known) => *known = source,
                        None => self.gathered.sources.push(source),
                    }
                }
                self.gathered.texts.extend(more.texts);
                // An address that only the agent knows is its word, and stands in no report; whoever watches may see it.
                more.troubles.iter().for_each(|trouble| context.tell(Progress::Log(trouble.to_string())));
            }
        }
        if let (Some(library), Some(directory)) = (self.library.get(), context.run_directory()) {
            for (source, text) in own_files(result, field, directory, library.archive(), until).await {
                // What we have read ourselves is not replaced by what an agent says that it read there.
                if !self.gathered.texts.contains_key(&source.url) {
                    self.gathered.texts.insert(source.url.clone(), text);
                    self.gathered.sources.push(source);
                }
            }
        }
        let (grounded, became) = match is_strict {
            true => (gather::ground(result.clone(), field, &self.gathered), "left out"),
            false => (gather::mark(result.clone(), field, &self.gathered), "does not stand:"),
        };
        for lost in &grounded.ungrounded {
            context.tell(Progress::Log(format!("{became} “{}”: {}", lost.statement, lost.why)));
        }
        let result = with_unreached(grounded.answer, &unreached, context);
        Outcome::Returned { result, usage: *usage }
    }
}

/// An agent has no say in what was not reached, so what it says of it is replaced.
fn with_unreached(mut answer: Value, unreached: &[Trouble], context: &Context) -> Value {
    let mut told: Vec<&Trouble> = Vec::new();
    for trouble in unreached {
        if told.len() < MOST_UNREACHED && !told.iter().any(|known| known.is_of(trouble)) {
            told.push(trouble);
        }
    }
    if let Value::Object(fields) = &mut answer {
        fields.remove(NOT_REACHED);
        if !told.is_empty() {
            fields.insert(NOT_REACHED.into(), context.redactor().value(json!(told)));
        }
    }
    answer
}

/// What arrives of these pages until then, or until nobody waits for the task any more, in the order of the addresses.
async fn read(library: &Library, addresses: Vec<String>, until: Instant, context: &Context) -> Vec<Gathered> {
    let wanted = addresses.len();
    let one = |(place, address): (usize, String)| async move {
        let wanted = Wanted { read: vec![address], ..Wanted::default() };
        (place, gather::gather(library, &wanted).await)
    };
    let mut arriving = stream::iter(addresses.into_iter().enumerate().map(one)).buffer_unordered(AT_ONCE);
    let mut arrived = Vec::new();
    loop {
        tokio::select! {
            // What has arrived is taken before anything is given up.
            biased;
            next = arriving.next() => match next {
                Some(page) => arrived.push(page),
                None => break,
            },
            _ = context.stopped() => break,
            () = tokio::time::sleep_until(until) => break,
        }
    }
    if arrived.len() < wanted {
        let missing = wanted - arrived.len();
        context.tell(Progress::Log(format!("{missing} of {wanted} pages that the answer names were not read in time")));
    }
    arrived.sort_by_key(|(place, _)| *place);
    arrived.into_iter().map(|(_, gathered)| gathered).collect()
}

/// Pages that the facts name and nobody has gathered, or only the abstract of which says nothing of the kind: an agent may have found them
/// by itself. What quotes nothing is held to no page.
fn own_pages(result: &Value, field: &str, gathered: &Gathered, archive: &Archive) -> Vec<String> {
    let text =
        |fact: &Value, name: &str| fact.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty()).map(String::from);
    let is_only_an_abstract = |page: &str| archive.by_url(page).is_some_and(|record| record.is_abstract());
    let mut pages: Vec<String> = Vec::new();
    for fact in result.get(field).and_then(Value::as_array).into_iter().flatten() {
        let Some(words) = text(fact, "quote").or_else(|| text(fact, "excerpt")) else { continue };
        let named = fact.get("sources").and_then(Value::as_array).into_iter().flatten().chain(fact.get("url")).filter_map(Value::as_str);
        for page in named.filter(|page| page.starts_with("http://") || page.starts_with("https://")) {
            let is_read = match gathered.texts.get(page) {
                Some(read) => !is_only_an_abstract(page) || quote::find(&words, read).is_some(),
                None => false,
            };
            if !is_read && !pages.iter().any(|known| known == page) {
                pages.push(page.to_string());
            }
        }
    }
    pages
}

/// Files that an agent saved among the run's assets by itself, each as the text of the source that its facts name. What we archived
/// ourselves was read where the archive says, and an address that we have read has the text that we read there.
async fn own_files(result: &Value, field: &str, directory: &Path, archive: &Archive, until: Instant) -> Vec<(Source, String)> {
    let mut found: Vec<(Source, String)> = Vec::new();
    for fact in result.get(field).and_then(Value::as_array).into_iter().flatten() {
        let named = |name: &str| fact.get(name).and_then(Value::as_str);
        let url = fact.pointer("/sources/0").and_then(Value::as_str);
        let (Some(file), Some(url)) = (named("raw_file"), url) else { continue };
        if found.iter().any(|(source, _)| source.url == url) || archive.by_url(url).is_some() {
            continue;
        }
        let is_small = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|about| about.len() <= limits().max_bytes);
        let Some(path) = asset(directory, file).filter(is_small).filter(|path| !archive.owns(path)) else { continue };
        let Ok(bytes) = std::fs::read(path) else { continue };
        let hints = Hints { content_type: None, url: Some(format!("file:///{file}")) };
        let Ok(extracted) = tokio::time::timeout_at(until, extract_later(bytes, hints, limits())).await else { break };
        let Ok(extracted) = extracted else { continue };
        let listed = result.get("sources").and_then(Value::as_array).into_iter().flatten().find(|source| source["url"] == url);
        let said = |name: &str| listed.and_then(|source| source[name].as_str()).map(String::from);
        let source = Source {
            url: url.to_string(),
            title: as_saved(&said("title").or(extracted.title).unwrap_or_else(|| url.to_string())),
            kind: said("type").unwrap_or_else(|| "HTML".into()),
            accessed: said("accessed"),
            local_path: file.to_string(),
            published: extracted.published,
            authors: extracted.authors,
            doi: None,
            // Where it came from rests on the agent's word alone.
            official: false,
        };
        found.push((source, extracted.text));
    }
    found
}

/// Nobody but its agent has seen such a page where it is said to be, so its title says so wherever it is listed.
fn as_saved(title: &str) -> String {
    format!("{} (as saved by its agent)", title.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::scratch::Scratch;
    use motet_agents::StopReason;
    use motet_core::event::Usage;
    use motet_evidence::fetch::{FetchSettings, Pace, Reach};
    use motet_evidence::library::Settings;
    use motet_testkit::web::{Answer, Asked, Sent, Server};

    /// One page is there at once; all others never come.
    fn silent_but_for_one(asked: &Asked) -> Answer {
        match asked.path.as_str() {
            "/bridge" => {
                let more = "It has been described by many visitors, who agree on its beauty and on the noise of its gulls. ".repeat(4);
                let said = "The bridge was opened in 1932 after eight years of work.";
                Answer::html(format!(
                    "<!doctype html><html><body><article><h1>Bridge</h1><p>{said}</p><p>{more}</p></article></body></html>"
                ))
            }
            "/robots.txt" => Answer::status(404),
            _ => Answer { body: Sent::Silence, ..Answer::status(200) },
        }
    }

    fn fact(url: &str) -> Value {
        json!({"statement": "It was opened in 1932.", "quote": "The bridge was opened in 1932", "sources": [url]})
    }

    #[tokio::test]
    async fn an_answer_is_kept_with_what_arrived_when_nobody_waits_for_the_rest() {
        let (home, server) = (Scratch::new(), Server::start(silent_but_for_one).await);
        let hour = 3_600_000;
        let reach = Reach::public_and([server.host()]);
        let fetch = FetchSettings { reach, pace: Pace::new(8, 0), timeout_ms: hour, ..FetchSettings::default() };
        let library = Library::open(Settings { fetch, ..Settings::new(home.path()) }).await.expect("a library");
        let cell = Arc::new(tokio::sync::OnceCell::new_with(Some(library)));
        let found = Found {
            gathered: Gathered { texts: BTreeMap::new(), ..Gathered::default() },
            held: Some(Held::Grounded("facts".into())),
            library: cell.clone(),
            until: Instant::now() + Duration::from_millis(hour),
        };
        let pages = ["/1", "/2", "/3", "/bridge"].map(|path| server.url(path));
        let result = json!({ "facts": pages.iter().map(|url| fact(url)).collect::<Vec<_>>() });
        let usage = Usage { tool_calls: 7, ..Usage::default() };
        let (context, stop) = Context::new();
        let holding = tokio::spawn(async move { found.hold(Outcome::Returned { result, usage }, Vec::new(), Vec::new(), &context).await });
        let library = cell.get().expect("it was opened");
        // It does not wait for the silent ones before it asks for the last.
        while library.archive().by_url(&pages[3]).is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.stop(StopReason::Cancelled);
        let Outcome::Returned { result, usage: kept } = holding.await.expect("it ends") else { panic!("the answer is lost") };
        assert_eq!(kept, usage);
        // Every fact quotes the page that came, so each of them stands there and names it.
        assert!(result["facts"].as_array().is_some_and(|facts| facts.iter().all(|fact| fact["sources"] == json!([pages[3]]))), "{result}");
        assert_eq!(result["sources"][0]["url"], json!(pages[3]));
    }

    #[tokio::test]
    async fn pages_that_do_not_come_are_given_up_when_the_time_is_over() {
        let (home, server) = (Scratch::new(), Server::start(silent_but_for_one).await);
        let fetch = FetchSettings { reach: Reach::public_and([server.host()]), timeout_ms: 3_600_000, ..FetchSettings::default() };
        let library = Library::open(Settings { fetch, ..Settings::new(home.path()) }).await.expect("a library");
        let (context, _stop) = Context::new();
        let addresses = vec![server.url("/1"), server.url("/2")];
        assert_eq!(read(&library, addresses, Instant::now() + Duration::from_millis(50), &context).await, []);
    }
}
