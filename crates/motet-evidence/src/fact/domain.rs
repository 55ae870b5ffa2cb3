//! Who stands behind an address: the part of a host that somebody registered.
//! Lists of hosts match whole labels and ignore case; a name inside another name is not a match.

use unicode_normalization::UnicodeNormalization as _;

/// Suffixes under which others register, beside the plain last label. Not the whole public list: what research meets.
const SUFFIXES: [&str; 58] = [
    "co.uk",
    "org.uk",
    "ac.uk",
    "gov.uk",
    "nhs.uk",
    "me.uk",
    "com.au",
    "net.au",
    "org.au",
    "edu.au",
    "gov.au",
    "co.nz",
    "org.nz",
    "ac.nz",
    "govt.nz",
    "co.jp",
    "ac.jp",
    "go.jp",
    "or.jp",
    "ne.jp",
    "co.kr",
    "go.kr",
    "ac.kr",
    "or.kr",
    "com.cn",
    "gov.cn",
    "edu.cn",
    "org.cn",
    "com.tw",
    "gov.tw",
    "co.in",
    "gov.in",
    "ac.in",
    "nic.in",
    "org.in",
    "com.br",
    "gov.br",
    "org.br",
    "com.mx",
    "gob.mx",
    "com.ar",
    "gob.ar",
    "co.za",
    "gov.za",
    "ac.za",
    "com.tr",
    "gov.tr",
    "com.sg",
    "gov.sg",
    "edu.sg",
    "co.il",
    "gov.il",
    "ac.il",
    "github.io",
    "blogspot.com",
    "wordpress.com",
    "substack.com",
    "medium.com",
];

/// `https://www.Example.co.uk:8080/a` belongs to `example.co.uk`. None for what is no web address; an IP address is itself.
pub fn registrable_domain(address: &str) -> Option<String> {
    let host = host(address)?;
    if host.parse::<std::net::IpAddr>().is_ok() {
        return Some(host);
    }
    let labels: Vec<&str> = host.split('.').filter(|label| !label.is_empty()).collect();
    if labels.len() < 2 {
        return (host == "localhost").then_some(host);
    }
    let last_two = labels[labels.len() - 2..].join(".");
    let kept = if SUFFIXES.contains(&last_two.as_str()) && labels.len() >= 3 { 3 } else { 2 };
    Some(labels[labels.len() - kept..].join("."))
}

/// Whether an address lies within a domain: the domain itself or a host under it.
pub fn is_within(address: &str, domain: &str) -> bool {
    let domain = domain.trim().trim_start_matches("*.").trim_matches('.').to_lowercase();
    let Some(host) = host(address) else { return false };
    !domain.is_empty() && (host == domain || host.strip_suffix(&domain).is_some_and(|before| before.ends_with('.')))
}

/// Whether a name is an address: with a scheme, or as `www.…` and `//…`, which a reader follows as well. A path or an id is none.
pub fn is_address(name: &str) -> bool {
    let name = name.trim();
    name.contains("://") || name.starts_with("//") || name.get(..4).is_some_and(|begins| begins.eq_ignore_ascii_case("www."))
}

/// An address as two of them are compared: without scheme, `www`, fragment, closing slash, and what only tracks visitors; letters are
/// letters, however they were sent.
pub fn plain_address(address: &str) -> String {
    let address = address.trim();
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest).trim_start_matches("//");
    let rest = rest.split('#').next().unwrap_or_default();
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = place.split_once('/').unwrap_or((place, ""));
    let host = host.to_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let kept: Vec<&str> =
        query.split('&').filter(|part| !part.is_empty() && !part.starts_with("utm_") && !part.starts_with("fbclid=")).collect();
    let query = if kept.is_empty() { String::new() } else { format!("?{}", decoded(&kept.join("&"))) };
    format!("{host}/{}{query}", decoded(path.trim_end_matches('/'))).trim_end_matches('/').to_string()
}

/// `K%C3%B6ln` is `Köln`, and `%5B1%5D` is `[1]`, which may be sent either way. What parts an address, such as `%2F`, stays as it was sent:
/// it means something else.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let sent = text.get(at + 1..at + 3).filter(|_| *byte == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match sent {
            Some(letter) if !letter.is_ascii() || letter.is_ascii_alphanumeric() || b"-._~[]".contains(&letter) => plain.push(letter),
            Some(_) => plain.extend(bytes[at..at + 3].to_ascii_uppercase()),
            None => plain.push(*byte),
        }
        at += if sent.is_some() { 3 } else { 1 };
    }
    String::from_utf8(plain).map_or_else(|_| text.to_string(), |plain| plain.nfc().collect())
}

pub(super) fn host(address: &str) -> Option<String> {
    let address = address.trim();
    let rest = match address.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") => rest,
        Some(_) => return None,
        None => address,
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next()?,
        None => host.split(':').next()?,
    };
    let host = host.trim_end_matches('.').to_lowercase();
    (!host.is_empty() && !host.contains(char::is_whitespace) && (host.contains(['.', ':']) || host == "localhost")).then_some(host)
}
