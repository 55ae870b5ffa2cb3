//! Fetches pages politely and safely: one door to the network for everything that is evidence.
//! It does not read what it fetches, and keeps nothing beyond its cache.

mod address;
mod body;
mod cache;
mod client;
mod domains;
mod outcome;
mod pace;
mod robots;
mod service;

use std::path::PathBuf;

pub use address::{NotAPlace, Reach, is_private};
pub use cache::remove_unused_copies;
pub use client::Fetcher;
pub use domains::{DomainPolicy, Domains, NoDomain};
pub use outcome::{Blocker, Outcome, Page};
pub use pace::{ARXIV, Pace};
pub use robots::Robots;
pub use service::Call;
pub(crate) use service::said_in;

use crate::clock::Clock;
use crate::secrecy::Secrecy;

/// How the network is approached. The defaults are safe for strangers' links.
#[derive(Clone, Debug)]
pub struct FetchSettings {
    /// The name we give ourselves; its first word is what robots.txt knows us by.
    pub agent: String,
    pub reach: Reach,
    pub domains: DomainPolicy,
    pub obey_robots: bool,
    /// For hosts without a pace of their own.
    pub pace: Pace,
    pub max_bytes: u64,
    /// For one request with its body, redirects apart.
    pub timeout_ms: u64,
    /// The longest wait for a turn at a busy host.
    pub patience_ms: u64,
    /// Where copies are kept between runs. None: nowhere.
    pub cache: Option<PathBuf>,
    /// How much the copies may take together.
    pub cache_bytes: u64,
    /// A copy younger than this is not even asked about.
    pub fresh_for_ms: u64,
    /// Some networks only let requests out through one. It then resolves names, so private addresses behind names are its to refuse.
    pub proxy: Option<String>,
    /// Of a page with a key in it no copy is kept.
    pub secrecy: Secrecy,
    pub clock: Clock,
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            agent: concat!("Motet/", env!("CARGO_PKG_VERSION"), " (research agent; obeys robots.txt)").to_string(),
            reach: Reach::default(),
            domains: DomainPolicy::default(),
            obey_robots: true,
            pace: pace::ORDINARY,
            max_bytes: 20 * 1024 * 1024,
            timeout_ms: 30_000,
            patience_ms: 120_000,
            cache: None,
            cache_bytes: 256 * 1024 * 1024,
            fresh_for_ms: 3_600_000,
            proxy: None,
            secrecy: Secrecy::default(),
            clock: Clock::default(),
        }
    }
}

/// Why a request came to nothing on the way, in words without its URL (which may carry a key).
fn transport(error: reqwest::Error) -> Outcome {
    let error = error.without_url();
    let mut innermost: &dyn std::error::Error = &error;
    loop {
        if let Some(private) = innermost.downcast_ref::<address::Private>() {
            return Outcome::Blocked { by: Blocker::PrivateAddress, reason: private.to_string() };
        }
        match innermost.source() {
            Some(source) => innermost = source,
            None => break,
        }
    }
    let what = match () {
        () if error.is_timeout() => "the server did not answer in time",
        () if error.is_connect() => "no connection",
        () if error.is_body() || error.is_decode() => "the answer broke off",
        () => "the request failed",
    };
    Outcome::failed(format!("{what}: {innermost}"), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that leads inside is found out where the connection is made, whatever was thought of it before.
    #[tokio::test]
    async fn a_name_that_resolves_to_an_inner_address_is_blocked_at_the_door() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let asked = async |reach: Reach| {
            let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).dns_resolver(reach).build().expect("a client");
            transport(client.get("http://localhost:1/").send().await.expect_err("nobody listens there"))
        };
        assert!(matches!(asked(Reach::default()).await, Outcome::Blocked { by: Blocker::PrivateAddress, .. }));
        assert!(matches!(asked(Reach::public_and(["localhost:1"])).await, Outcome::Failed { transient: true, .. }));
    }
}
