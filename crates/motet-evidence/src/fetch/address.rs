//! Which addresses a page may live at: nothing that a stranger's link could use to reach inside a network.
//! It opens no connection; the client asks it before each one, by URL and again by resolved address.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The places that are open although they are private, as `host` or `host:port`.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    everything: bool,
    allowed: Vec<(String, Option<u16>)>,
}

/// An entry that names no place, and so could never open anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAPlace {
    pub entry: String,
    /// How the place that is probably meant is written.
    pub meant: Option<String>,
}

impl fmt::Display for NotAPlace {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:?} is not a place: write `host` or `host:port`, such as \"wiki.intern:8080\"; networks cannot be named", self.entry)?;
        self.meant.iter().try_for_each(|meant| write!(to, "; did you mean {meant:?}?"))
    }
}

impl std::error::Error for NotAPlace {}

/// An address that no link may lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Private {
    pub host: String,
}

impl fmt::Display for Private {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} is an address inside a private network; allow it in the settings if it is meant", self.host)
    }
}

impl std::error::Error for Private {}

impl Reach {
    /// Whether [`Reach::public_and`] could ever match this place with the host of a URL.
    pub fn read_place(place: &str) -> Result<(), NotAPlace> {
        match is_place(place) {
            true => Ok(()),
            false => Err(NotAPlace { entry: place.to_string(), meant: meant(place) }),
        }
    }

    /// Public addresses, and these places besides.
    pub fn public_and(places: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        Self { everything: false, allowed: places.into_iter().map(|place| host_and_port(place.as_ref())).collect() }
    }

    /// Every address, private ones too: for people whose sources all live in their own network.
    pub fn everywhere() -> Self {
        Self { everything: true, allowed: Vec::new() }
    }

    /// Whether this URL may be asked, as far as can be told before its name is resolved.
    pub fn check(&self, url: &Url) -> Result<(), Private> {
        let host = url.host_str().unwrap_or_default();
        let open = self.everything || self.allows(host, url.port_or_known_default());
        let literal = host.trim_matches(['[', ']']).parse::<IpAddr>().ok();
        // `localhost` and its like never leave the machine, whatever a resolver says of them.
        let named_inside = is_inside_name(host);
        match open || !(literal.is_some_and(is_private) || named_inside) {
            true => Ok(()),
            false => Err(Private { host: host.to_string() }),
        }
    }

    fn allows(&self, host: &str, port: Option<u16>) -> bool {
        self.allowed.iter().any(|(name, only)| name.eq_ignore_ascii_case(host) && (only.is_none() || *only == port))
    }

    /// A name whose port was checked already with its URL.
    fn allows_name(&self, host: &str) -> bool {
        self.everything || self.allowed.iter().any(|(name, _)| name.eq_ignore_ascii_case(host))
    }
}

/// Resolves names for the client, so that the address that was judged is the address that is connected to.
impl Resolve for Reach {
    fn resolve(&self, name: Name) -> Resolving {
        let (host, reach) = (name.as_str().to_string(), self.clone());
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            // One private answer among public ones is a rebinding trick: the whole name is refused.
            if !reach.allows_name(&host) && found.iter().any(|address| is_private(address.ip())) {
                return Err(Private { host }.into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Loopback, private, link-local, metadata, multicast, documentation and every other range that is not the public internet.
pub fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b))
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    // Addresses that carry an IPv4 address lead where that one leads.
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_private_v4(inner);
    }
    let tail = Ipv4Addr::from(((segments[6] as u32) << 16) | segments[7] as u32);
    let carries_tail = segments[..6] == [0; 6] || segments[..6] == [0x64, 0xff9b, 0, 0, 0, 0] || segments[..6] == [0, 0, 0, 0, 0xffff, 0];
    let six_to_four = Ipv4Addr::from(((segments[1] as u32) << 16) | segments[2] as u32);
    (carries_tail && is_private_v4(tail))
        || (segments[0] == 0x2002 && is_private_v4(six_to_four))
        || (segments[0] == 0x64 && segments[1] == 0xff9b && segments[2] == 1)
        || address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        || (segments[0] & 0xffc0) == 0xfec0
        || (segments[0] == 0x2001 && segments[1] < 0x200)
        || (segments[0] == 0x2001 && segments[1] == 0xdb8)
        || (segments[0] == 0x100 && segments[1..4] == [0; 3])
}

fn is_inside_name(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let last = host.rsplit('.').next().unwrap_or_default();
    matches!(last, "localhost" | "local" | "internal" | "intranet" | "lan" | "home" | "corp") || host.ends_with(".home.arpa")
}

fn host_and_port(place: &str) -> (String, Option<u16>) {
    match place.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?))) {
        // The last group of a bare IPv6 address is not a port.
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host.to_string(), Some(port)),
        _ => (place.to_string(), None),
    }
}

fn is_place(place: &str) -> bool {
    let (host, port) = host_and_port(place);
    let url = Url::parse(&format!("http://{host}/")).ok();
    let is_host = url.is_some_and(|url| url.host_str().is_some_and(|known| known.eq_ignore_ascii_case(&host)));
    is_host && port != Some(0) && !host.contains('*')
}

/// The place in an address, or the one spelling of a host that URLs have.
fn meant(place: &str) -> Option<String> {
    let bare = || place.parse::<Ipv6Addr>().ok().and_then(|address| Url::parse(&format!("http://[{address}]/")).ok());
    let host_alone = || Url::parse(&format!("http://{place}/")).ok().filter(|url| url.path() == "/" && url.username().is_empty());
    let (url, port) = match place.contains("://") {
        true => {
            let url = Url::parse(place).ok()?;
            let port = url.port_or_known_default();
            (url, port)
        }
        false => (bare().or_else(host_alone)?, host_and_port(place).1),
    };
    let host = url.host_str().filter(|host| !host.contains('*'))?;
    let found = port.map_or_else(|| host.to_string(), |port| format!("{host}:{port}"));
    is_place(&found).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, open: bool) {
        let url = Url::parse(url).expect("the test's URL");
        assert_eq!(Reach::default().check(&url).is_ok(), open, "{url}");
    }

    #[test]
    fn every_way_to_write_an_inner_address_is_recognised() {
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f.0.0.1",
            "0177.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[::ffff:a9fe:a9fe]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b:1::1]",
            "[2002:7f00:1::]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "[ff02::1]",
            "[2001:db8::1]",
            "localhost",
            "LOCALHOST",
            "app.localhost",
            "localhost.",
            "metadata.google.internal",
            "printer.local",
        ] {
            check(&format!("http://{host}/latest/meta-data/"), false);
        }
    }

    #[test]
    fn public_addresses_are_open() {
        for host in [
            "example.org",
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "[2606:4700::1111]",
            "[::ffff:8.8.8.8]",
            "locale.example",
            "notlocalhost",
        ] {
            check(&format!("https://{host}/"), true);
        }
    }

    #[test]
    fn an_entry_that_could_match_nothing_is_no_place() {
        for place in ["wiki.intern", "wiki.intern:8080", "127.0.0.1", "10.0.0.1:80", "[::1]", "[::1]:9", "Wiki.Corp", "my_wiki"] {
            assert_eq!(Reach::read_place(place), Ok(()), "{place}");
        }
        let check = |place: &str, meant: Option<&str>| {
            let refused = Reach::read_place(place).expect_err(place);
            assert_eq!(refused.meant.as_deref(), meant, "{place}");
        };
        check("http://foo:80/", Some("foo:80"));
        check("https://wiki.intern:8080/start", Some("wiki.intern:8080"));
        check("10.0.0.0/8", None);
        check("10.1", Some("10.0.0.1"));
        check("10.1:8080", Some("10.0.0.1:8080"));
        check("::1", Some("[::1]"));
        check("*.intern", None);
        check("foo:99999", None);
        check("foo:0", None);
        check("two words", None);
        check("me@host", None);
        check("", None);
    }

    #[test]
    fn what_is_allowed_is_allowed_at_its_port_only() {
        let reach = Reach::public_and(["127.0.0.1:8080", "[::1]:9", "wiki.corp"]);
        let open = |url: &str| reach.check(&Url::parse(url).expect("the test's URL")).is_ok();
        assert!(open("http://127.0.0.1:8080/") && open("http://[::1]:9/") && open("https://wiki.corp/") && open("http://wiki.corp:81/"));
        assert!(!open("http://127.0.0.1:8081/") && !open("http://127.0.0.2:8080/") && !open("http://other.corp/"));
        assert!(Reach::everywhere().check(&Url::parse("http://10.0.0.1/").expect("the test's URL")).is_ok());
    }
}
