//! The hash chain: every link is over the one before and the row's bytes, so that no row can be changed, removed or moved unseen.
//! A fork goes on from its origin's link; the first link of any other run is made from its id.

use motet_core::names::RunId;
use sha2::{Digest as _, Sha256};

use crate::store::Hash;

pub fn first_link(run: &RunId) -> Hash {
    Sha256::digest(run.as_str().as_bytes()).into()
}

pub fn next_link(previous: &Hash, body: &[u8]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(previous);
    hasher.update(body);
    hasher.finalize().into()
}
