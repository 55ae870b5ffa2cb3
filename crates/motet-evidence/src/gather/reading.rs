//! Reads what a search found: the free copy, else the page of the work, else the abstract that the source itself gave.
//! What could be had only as an abstract says so in its title and in the archive; and every way that was closed is told.

use crate::archive::Document;
use crate::library::{Library, Trouble};
use crate::source::{Hit, SourceKind};

/// The document of one address, or why there is none.
pub async fn page(library: &Library, address: &str, troubles: &mut Vec<Trouble>) -> Option<Document> {
    let fetched = library.fetch(address).await;
    if let (Some(because), Some(why)) = (fetched.because(), fetched.trouble()) {
        add_new(troubles, [Trouble::of_page(address, because, &why)]);
    }
    fetched.document()
}

pub async fn hit(library: &Library, hit: &Hit, troubles: &mut Vec<Trouble>) -> Option<Document> {
    let mut closed = Vec::new();
    let landing = Some(&hit.url).filter(|landing| !landing.is_empty() && hit.full_text_url.as_ref() != Some(landing));
    for address in hit.full_text_url.iter().chain(landing) {
        if let Some(document) = page(library, address, &mut closed).await {
            add_new(troubles, closed);
            return Some(document);
        }
    }
    add_new(troubles, closed);
    if hit.kind == SourceKind::Academic { library.keep_abstract(hit) } else { None }
}

/// One trouble for each source and page.
pub fn add_new(to: &mut Vec<Trouble>, troubles: impl IntoIterator<Item = Trouble>) {
    for trouble in troubles {
        if !to.iter().any(|known| known.is_of(&trouble)) {
            to.push(trouble);
        }
    }
}
