//! Which archived document an entry of a reference list leads to: the one at its address, or the file that it names where it has none.
//! A file that is named beside an address of the web proves nothing: whoever reads the report follows the address.

use super::addresses::addresses;
use super::verify::Target;
use super::{Archive, Reference};
use crate::fact::{is_address, is_within, registrable_domain};

/// Hosts that only lead on to where a work is published.
const RESOLVERS: [&str; 2] = ["doi.org", "handle.net"];

/// Marks behind an address that are cut off when it is read, though a few addresses end in them.
const CLOSING: [char; 10] = ['.', ',', ';', ':', '!', '?', ')', ']', '>', '"'];

pub(super) fn entry(id: &str, reference: &Reference, archive: &Archive) -> Target {
    let found = match &reference.address {
        Some(address) => archive
            .find(address)
            .or_else(|| as_written(&reference.text, address, archive))
            .or_else(|| by_another_address(&reference.text, address, archive))
            .or_else(|| by_moved_file(&reference.text, address, archive)),
        // A list may name files instead of addresses; an id is tried last.
        None => by_file(&reference.text, archive).or_else(|| archive.find(id)),
    };
    let name = || reference.address.clone().unwrap_or_else(|| format!("[{id}] {}", reference.text));
    found.map_or_else(|| Target::Outside(name()), Target::Document)
}

/// `https://a.example/wiki/Acme_Inc.` ends in a mark of its own.
fn as_written(text: &str, address: &str, archive: &Archive) -> Option<usize> {
    let mut word = text.split_whitespace().find_map(|word| word.find(address).map(|start| &word[start..]))?;
    // An address with many more marks behind it is none that anybody archived.
    for _ in 0..CLOSING.len() {
        if let Some(found) = archive.find(word) {
            return Some(found);
        }
        word = word.strip_suffix(CLOSING).filter(|word| word.len() > address.len())?;
    }
    None
}

/// The front page of a publisher, or the address that resolves the number of a work, may stand before the address that was read. Any other
/// address that nobody read is an invention, whatever stands beside it.
fn by_another_address(text: &str, address: &str, archive: &Archive) -> Option<usize> {
    let publisher = registrable_domain(address)?;
    let leads_on = RESOLVERS.iter().any(|host| is_within(address, host));
    let others = addresses(text).into_iter().map(|span| span.of(text));
    others.filter(|other| leads_on || registrable_domain(other).as_ref() == Some(&publisher)).find_map(|other| archive.find(other))
}

/// A file of another machine, or of a folder that was moved, goes by its name; but not to a document of which it is known where it was read.
fn by_moved_file(text: &str, address: &str, archive: &Archive) -> Option<usize> {
    let path = address.strip_prefix("file://")?;
    let found = archive.find_file(path.rsplit('/').next().unwrap_or(path)).or_else(|| by_file(text, archive))?;
    archive.document(found).names.iter().all(|name| !is_address(name)).then_some(found)
}

fn by_file(text: &str, archive: &Archive) -> Option<usize> {
    let bare = |word: &str| word.trim_matches(|mark: char| "()[]<>,;\"'`*".contains(mark)).trim_end_matches('.').to_string();
    text.split_whitespace().find_map(|word| archive.find_file(&bare(word)))
}
