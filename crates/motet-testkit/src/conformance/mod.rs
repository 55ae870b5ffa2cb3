//! What every store must do, as one list of checks that runs against any of them.
//! A check panics with what was expected; it knows a store only through `Site`.
#![expect(clippy::unwrap_used, reason = "a check that fails panics")]

mod journals;
mod leases;
pub mod samples;
mod tampering;

use motet_core::names::{Digest, RunId};
use motet_host::Store;

/// One storage, as several processes would share it.
pub trait Site {
    type Store: Store;

    /// A process that only reads.
    fn reader(&self) -> Self::Store;

    /// A process that drives runs. Dropping it is its death.
    fn driver(&self) -> Self::Store;

    /// Makes a living driver's lock look free, as a deleted lock file would.
    fn lose_lock(&self, driver: &Self::Store);

    /// Changes what is stored behind the store's back.
    fn tamper(&self, run: &RunId, tampering: Tampering);
}

#[derive(Clone, Debug)]
pub enum Tampering {
    Body { seq: u64, body: Vec<u8> },
    RemoveEvent { seq: u64 },
    SwapEvents { seq: u64, with: u64 },
    RemovePayload { digest: Digest },
    PayloadContent { digest: Digest, content: Vec<u8> },
    SnapshotContent { content: Vec<u8> },
}

/// Runs every check, each on a fresh site.
pub fn check_store<S: Site>(fresh: impl Fn() -> S) {
    for (name, check) in journals::checks::<S>().into_iter().chain(leases::checks()).chain(tampering::checks()) {
        let site = fresh();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&site)));
        assert!(outcome.is_ok(), "the store fails the check that {name}");
    }
}

type Check<S> = (&'static str, fn(&S));
