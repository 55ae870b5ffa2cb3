//! The one way in which a client of HTTP is made, for models and for tool servers, so that both reach what the other reaches.
//! It opens no connection, and knows nothing of what is sent.

use std::net::IpAddr;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Client, Url};

use crate::model::innermost;

/// Servers on one's own machine, such as llama.cpp's, hang up after five seconds, and a request that meets that is lost.
const LONGEST_IDLE_HERE: Duration = Duration::from_secs(4);

/// A client for the server at this address, which must be reached in this time; or why none could be made. It follows no redirect, since a
/// key would follow it.
pub(crate) fn client(address: &Url, connecting: Duration) -> Result<Client, String> {
    install_crypto();
    let builder = Client::builder().connect_timeout(connecting).redirect(reqwest::redirect::Policy::none());
    let builder = if is_here(address) { builder.no_proxy().pool_idle_timeout(LONGEST_IDLE_HERE) } else { builder };
    // A machine without certificates can still speak to a server that needs none.
    let builder = if address.scheme() == "http" { builder.tls_certs_only([]) } else { builder };
    builder.build().map_err(|error| innermost(&error))
}

/// Whether it leads to this machine, so that no proxy may stand in between.
pub(crate) fn is_here(address: &Url) -> bool {
    let host = address.host_str().unwrap_or_default();
    let number: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    number.map_or(host == "localhost" || host.ends_with(".localhost"), |number| number.is_loopback())
}

/// The client brings no cryptography of its own; the first caller chooses for the process, and every choice will do.
fn install_crypto() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_several_names() {
        for (address, expected) in [
            ("http://localhost:11434", true),
            ("http://models.localhost/v1", true),
            ("http://127.0.0.1:8080/mcp", true),
            ("http://127.1.2.3", true),
            ("http://[::1]:1", true),
            ("http://192.168.1.2", false),
            ("https://localhost.example.org", false),
        ] {
            assert_eq!(is_here(&Url::parse(address).unwrap()), expected, "{address}");
        }
    }
}
