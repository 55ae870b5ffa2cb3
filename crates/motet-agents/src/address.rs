//! What of an address must not be shown: the name and the password before its host, however they are written on the way.
//! It judges no address: one that nobody could use may still hold a key.

use crate::secret::Secret;

/// Everything secret before the host: all of it together, as it travels in a header, and each part by itself. A token often stands there as
/// the name of somebody without a password.
pub fn secrets_in_address(address: &str) -> Vec<Secret> {
    let Some(before_host) = before_host(address) else { return Vec::new() };
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

fn before_host(address: &str) -> Option<&str> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    rest[..end].rsplit_once('@').map(|(before_host, _)| before_host)
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
    fn both_ways_of_writing_it_are_secret() {
        check("http://me:a%2Fb@host", &["a%2Fb", "a/b", "me:a%2Fb", "me:a/b"]);
        check("localhost:%zz@host", &["%zz", "localhost:%zz"]);
    }
}
