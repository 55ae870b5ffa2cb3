//! One HTTP client per server and process, so that all agents of all runs share its connections and its handshakes.
//! It opens none itself, and knows nothing of what is sent over them.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use motet_core::event::{Failure, FailureKind};
use reqwest::Client;

use super::provider::Provider;
use crate::connecting;

/// A server that cannot be connected to in this time is not there.
const LONGEST_CONNECTING: Duration = Duration::from_secs(10);

/// The client for this server: the same for everyone who waits for it as long.
pub(super) fn client(provider: &Provider) -> Result<Client, Failure> {
    static ALL: OnceLock<Mutex<BTreeMap<(String, Duration), Client>>> = OnceLock::new();
    let server = provider.base_url.origin().ascii_serialization();
    let mut all = ALL.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(client) = all.get(&(server.clone(), provider.request_timeout)) {
        return Ok(client.clone());
    }
    let client = build(provider)?;
    all.insert((server, provider.request_timeout), client.clone());
    Ok(client)
}

fn build(provider: &Provider) -> Result<Client, Failure> {
    // Shorter than the silence that is borne: whether a server was reached decides whether its answer may have to be paid for.
    let connecting = (provider.request_timeout / 2).min(LONGEST_CONNECTING);
    connecting::client(&provider.base_url, connecting).map_err(|why| Failure {
        kind: FailureKind::Configuration,
        message: format!("no client for {} could be made: {why}", provider.server()),
    })
}
