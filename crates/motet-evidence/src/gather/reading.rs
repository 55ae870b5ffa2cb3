//! Reads what a search found: the free copy, else the page of the work, else the abstract that the source itself gave; several at once.
//! What could be had only as an abstract says so in its title and in the archive; and every way that was closed, or too long, is told.

use std::collections::BTreeSet;
use std::future::Future;

use futures_util::stream::{self, StreamExt as _};
use tokio::time::Instant;

use super::{DOCUMENTS_PER_QUESTION, Read};
use crate::archive::Document;
use crate::library::{Because, Library, Trouble};
use crate::source::{Hit, SourceKind};

/// How many pages are waited for at once.
const AT_ONCE: usize = 6;
/// After so many that brought nothing, the next will not help either.
const MOST_IN_VAIN: usize = 12;
const LATE: &str = "it did not come in time, and the rest went on without it";

/// The documents of these addresses, in their order.
pub async fn pages(library: &Library, addresses: &[String], until: Option<Instant>, troubles: &mut Vec<Trouble>) -> Vec<Option<Document>> {
    let works = addresses.iter().map(|address| (address.starts_with("file:"), page(library, address)));
    let arrived = own_and_others(works.collect(), until).await;
    let told = arrived.into_iter().zip(addresses).map(|(arrived, address)| match arrived {
        Some((document, closed)) => {
            add_new(troubles, closed);
            document
        }
        None => {
            add_new(troubles, [Trouble::of_page(address, Because::Failed, LATE)]);
            None
        }
    });
    told.collect()
}

/// As many documents of what was found as one question gets, the best first. No more are asked for than are still wanted, so that the
/// same pages are read whichever of them comes first.
pub async fn hits(library: &Library, hits: &[Hit], until: Option<Instant>, read: &mut Read, troubles: &mut Vec<Trouble>) {
    let (mut wanted, mut in_vain, mut rest) = (DOCUMENTS_PER_QUESTION, 0, hits.iter().collect::<Vec<_>>());
    while wanted > 0 && in_vain < MOST_IN_VAIN && !rest.is_empty() {
        let after = rest.split_off(first_works(&rest, wanted));
        let works = rest.iter().map(|hit| (hit.kind == SourceKind::Local, one(library, hit)));
        let arrived = own_and_others(works.collect(), until).await;
        for (hit, arrived) in rest.into_iter().zip(arrived) {
            let (document, closed) =
                arrived.unwrap_or_else(|| (abstract_of(library, hit), vec![Trouble::of_page(&hit.url, Because::Failed, LATE)]));
            add_new(troubles, closed);
            in_vain += usize::from(document.is_none());
            wanted = wanted.saturating_sub(usize::from(read.take(document, Some(hit))));
        }
        rest = after;
        if until.is_some_and(|until| until <= Instant::now()) {
            rest.retain(|hit| hit.kind == SourceKind::Local);
        }
    }
}

/// How many of the hits it takes to name so many works: one may have been found at several places in it.
fn first_works(hits: &[&Hit], works: usize) -> usize {
    let mut seen = BTreeSet::new();
    hits.iter().take_while(|hit| seen.contains(&hit.url) || seen.len() < works && seen.insert(hit.url.clone())).count()
}

async fn one(library: &Library, hit: &Hit) -> (Option<Document>, Vec<Trouble>) {
    let mut closed = Vec::new();
    let landing = Some(&hit.url).filter(|landing| !landing.is_empty() && hit.full_text_url.as_ref() != Some(landing));
    for address in hit.full_text_url.iter().chain(landing) {
        let (document, why) = page(library, address).await;
        closed.extend(why);
        if document.is_some() {
            return (document, closed);
        }
    }
    (abstract_of(library, hit), closed)
}

/// What is left of a work that could not be read. Others than libraries give no abstracts, but what their pages begin with.
fn abstract_of(library: &Library, hit: &Hit) -> Option<Document> {
    if hit.kind == SourceKind::Academic { library.keep_abstract(hit) } else { None }
}

/// The document of one address, or why there is none.
async fn page(library: &Library, address: &str) -> (Option<Document>, Vec<Trouble>) {
    let fetched = library.fetch(address).await;
    let why = fetched.because().zip(fetched.trouble()).map(|(because, why)| Trouble::of_page(address, because, &why));
    (fetched.document(), why.into_iter().collect())
}

/// What comes of each of them until then, in their order. One's own documents, which are marked, are waited for: nobody can keep them back.
async fn own_and_others<T, W: Future<Output = T>>(works: Vec<(bool, W)>, until: Option<Instant>) -> Vec<Option<T>> {
    let order: Vec<bool> = works.iter().map(|(is_own, _)| *is_own).collect();
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for (is_own, work) in works {
        if is_own { own.push(work) } else { others.push(work) }
    }
    let (own, others) = tokio::join!(together(own, None), together(others, until));
    let (mut own, mut others) = (own.into_iter(), others.into_iter());
    order.into_iter().map(|is_own| if is_own { own.next() } else { others.next() }.flatten()).collect()
}

/// What comes of each of them until then, in their order. None: nothing yet.
async fn together<T>(works: Vec<impl Future<Output = T>>, until: Option<Instant>) -> Vec<Option<T>> {
    let mut came: Vec<Option<T>> = works.iter().map(|_| None).collect();
    let numbered = works.into_iter().enumerate().map(|(place, work)| async move { (place, work.await) });
    let mut coming = stream::iter(numbered).buffer_unordered(AT_ONCE);
    let over = async {
        match until {
            Some(until) => tokio::time::sleep_until(until).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(over);
    loop {
        tokio::select! {
            // What has come is taken before anything is given up.
            biased;
            next = coming.next() => match next {
                Some((place, result)) => came[place] = Some(result),
                None => return came,
            },
            () = &mut over => return came,
        }
    }
}

/// One trouble for each source and page.
pub fn add_new(to: &mut Vec<Trouble>, troubles: impl IntoIterator<Item = Trouble>) {
    for trouble in troubles {
        if !to.iter().any(|known| known.is_of(&trouble)) {
            to.push(trouble);
        }
    }
}
