//! What of an address must not be shown: the name and the password before its host, however they are written on the way.
//! It judges no address: one that nobody could use may still hold a key.

use reqwest::Url;

use crate::secret::Secret;

/// An address, parted where its host begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartedAddress<'a> {
    /// With its `://`; nothing where the address has none.
    pub scheme: &'a str,
    /// The name, the password or the token before the host: nothing of it may be shown or kept.
    pub secret: Option<&'a str>,
    /// The host, and all that follows it.
    pub rest: &'a str,
    /// Whether a `/`, `?` or `#` stands in what is secret: every client takes that for the end of the host, and would call somebody else.
    pub is_misread: bool,
}

impl<'a> PartedAddress<'a> {
    /// A `/`, `?` or `#` ends the host, unless an `@` follows it: where what stands before looks like a name with a password, or the address
    /// cannot be read at all, somebody forgot to write that sign as `%2F`, `%3F` or `%23`. Rather a port and a path are taken for a password
    /// than a password for them.
    pub fn of(address: &'a str) -> Self {
        let (scheme, all) = address.split_at(address.find("://").map_or(0, |end| end + 3));
        let end = all.find(['/', '?', '#']).unwrap_or(all.len());
        let (authority, after) = all.split_at(end);
        let is_misread = after.contains('@') && (authority.contains(':') || after.starts_with('#') || Url::parse(address).is_err());
        let place = if is_misread { all } else { authority };
        match place.rfind('@') {
            Some(at) => Self { scheme, secret: Some(&all[..at]), rest: &all[at + 1..], is_misread },
            None => Self { scheme, secret: None, rest: all, is_misread },
        }
    }

    /// Where it leads: nothing before the host, and nothing after its path.
    pub fn without_query(self) -> String {
        format!("{}{}", self.scheme, self.rest.split(['?', '#']).next().unwrap_or_default())
    }
}

/// Everything secret before the host: all of it together, as it travels in a header, and each part by itself. A token often stands there as
/// the name of somebody without a password.
pub fn secrets_in_address(address: &str) -> Vec<Secret> {
    let Some(before_host) = PartedAddress::of(address).secret else { return Vec::new() };
    let plain = unescaped(before_host);
    let mut secrets = vec![before_host.to_string(), plain.clone()];
    for form in [before_host, plain.as_str()] {
        let (name, password) = form.split_once(':').unwrap_or((form, ""));
        // Beside a password, a name that is a word is a name: hiding it would take the word out of every text.
        if password.is_empty() || name.chars().any(|letter| !letter.is_alphabetic()) {
            secrets.push(name.to_string());
        }
        secrets.push(password.to_string());
    }
    secrets.retain(|secret| !secret.is_empty());
    secrets.sort_unstable();
    secrets.dedup();
    secrets.into_iter().map(Secret::new).collect()
}

/// `%2F` is a slash. What is no such thing stays as it is.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, expected: &[&str]) {
        let found = secrets_in_address(address);
        assert_eq!(found.iter().map(Secret::reveal).collect::<Vec<_>>(), expected, "{address}");
    }

    #[test]
    fn a_name_alone_is_a_token_and_beside_a_password_it_may_be_a_word() {
        check("http://localhost:11434", &[]);
        check("http://host/a@b", &[]);
        check("http://tok-SECRET@host/", &["tok-SECRET"]);
        check("http://research:sesame@host/v1", &["research:sesame", "sesame"]);
        check("http://tok-1:x@host", &["tok-1", "tok-1:x", "x"]);
    }

    #[test]
    fn a_sign_that_ends_a_host_may_stand_in_a_password() {
        check("http://me:Sup3rSecret#1x@host:11434", &["Sup3rSecret#1x", "me:Sup3rSecret#1x"]);
        check("http://me:12345#An0therSecret@host/mcp", &["12345#An0therSecret", "me:12345#An0therSecret"]);
        check("http://me:12345?An0ther/Secret@host/mcp", &["12345?An0ther/Secret", "me:12345?An0ther/Secret"]);
        check("http://me:a@b#c@host", &["a@b#c", "me:a@b#c"]);
        check("http://tok#SECRET@host", &["tok#SECRET"]);
        check("http://to k/SECRET@host", &["to k/SECRET"]);
        check("https://host/search?mailto=me@example.org", &[]);
        check("https://host?mailto=me@example.org", &[]);
    }

    #[test]
    fn what_is_shown_begins_after_the_last_sign_of_a_password() {
        let shown = |address| PartedAddress::of(address).without_query();
        assert_eq!(shown("http://me:Sup3rSecret#1x@host:11434"), "http://host:11434");
        assert_eq!(shown("http://me:12345?k=Secret@host/mcp?key=1#x"), "http://host/mcp");
        assert_eq!(shown("me:se/cret@host"), "host");
        assert_eq!(shown("https://host/@name"), "https://host/@name");
    }

    #[test]
    fn both_ways_of_writing_it_are_secret() {
        check("http://me:a%2Fb@host", &["a%2Fb", "a/b", "me:a%2Fb", "me:a/b"]);
        check("localhost:%zz@host", &["%zz", "localhost:%zz"]);
    }
}
