//! Addresses in settings: what of one is secret, how it is shown, and how a key gets into one without being written down.
//! It asks nobody and reads no variables by itself.

use motet_agents::PartedAddress;

/// What stands in the name of a parameter that opens something, as words of that name.
const SECRET_WORDS: [&str; 15] = [
    "key",
    "token",
    "secret",
    "password",
    "passwd",
    "pwd",
    "auth",
    "authorization",
    "credential",
    "credentials",
    "signature",
    "sig",
    "jwt",
    "bearer",
    "apikey",
];
/// What such a name may end with where nothing parts its words, as in `tavilyapikey`; a `monkey` is none.
const SECRET_ENDS: [&str; 5] = ["apikey", "accesskey", "token", "secret", "password"];
/// What is as long as this and has letters and digits in it is more likely a key than a word.
const LIKE_A_KEY: usize = 20;

/// Whether anything stands before the host, which is a name with a password or a token.
pub fn has_password(url: &str) -> bool {
    PartedAddress::of(url).secret.is_some()
}

pub fn without_password(url: &str) -> String {
    let PartedAddress { scheme, rest, .. } = PartedAddress::of(url);
    format!("{scheme}{rest}").trim_end_matches('/').to_string()
}

/// An address with a password as it is told: what may be shown of it, and what to do if that is not where it leads.
pub fn refused(url: &str, shown: String) -> String {
    match PartedAddress::of(url).is_misread {
        true => format!("{shown}; if the `@` before that belongs to no password, write it as %40"),
        false => shown,
    }
}

/// As it may be told when something is wrong with it: only where it leads.
pub fn place(url: &str) -> String {
    let PartedAddress { scheme, rest, .. } = PartedAddress::of(url);
    if scheme.is_empty() { "an address".to_string() } else { format!("{scheme}{}", host(rest)) }
}

/// The beginning, up to the path.
fn host(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// What stands in the query, names with values.
pub fn parameters(url: &str) -> impl Iterator<Item = (&str, &str)> {
    let query = PartedAddress::of(url).rest.split_once('?').map_or("", |(_, query)| query.split('#').next().unwrap_or_default());
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// The address without its query, in which a key may stand.
pub fn without_query(url: &str) -> String {
    PartedAddress::of(url).without_query().trim_end_matches('/').to_string()
}

/// The name in the query that is one of a key, if it has a value that is no variable's.
pub fn secret_parameter(url: &str) -> Option<&str> {
    let is_given = |value: &str| !value.is_empty() && !is_placeholder(value);
    parameters(url).find(|(name, value)| is_given(value) && is_secret_name(name)).map(|(name, _)| name)
}

/// What of an address looks like a key, be it by its name or by itself, in words that do not tell it. What a variable stands for is not looked at.
pub fn secret_part(url: &str) -> Option<String> {
    let like_a_key = || parameters(url).find(|(_, value)| is_like_a_key(value)).map(|(name, _)| name);
    if let Some(name) = secret_parameter(url).or_else(like_a_key) {
        return Some(format!("`{name}=…`"));
    }
    let rest = PartedAddress::of(url).rest;
    let path = &rest[host(rest).len()..];
    let mut steps = path.split(['?', '#']).next().unwrap_or_default().split('/');
    steps.any(is_like_a_key).then(|| "in its path".to_string())
}

/// Words of a name: `api_key`, `X-Api-Key` and `apiKey` have the same.
fn is_secret_name(name: &str) -> bool {
    let mut words = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        let begins = letter.is_ascii_uppercase() && was_small || !letter.is_alphanumeric();
        words.extend(begins.then_some(' '));
        words.extend(letter.is_alphanumeric().then_some(letter.to_ascii_lowercase()));
        was_small = letter.is_ascii_lowercase();
    }
    words.split(' ').any(|word| SECRET_WORDS.contains(&word) || SECRET_ENDS.iter().any(|end| word.ends_with(end)))
}

/// Long, and with letters and digits mixed in one word, which `the-news-of-2026` is not.
fn is_like_a_key(text: &str) -> bool {
    let is_plain = text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    let has = |word: &str, kind: fn(&char) -> bool| word.chars().any(|letter| kind(&letter));
    let is_mixed = |word: &str| has(word, char::is_ascii_digit) && has(word, char::is_ascii_alphabetic);
    text.len() >= LIKE_A_KEY && is_plain && text.split(['-', '_']).any(is_mixed)
}

fn is_placeholder(text: &str) -> bool {
    text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).is_some_and(super::kinds::is_variable)
}

/// The variables whose values an address is completed with, written `{NAME}`; or what cannot be one.
pub fn variables(url: &str) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    let mut rest = url;
    while let Some((_, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').ok_or("has a `{` without its `}`")?;
        if name.is_empty() || !super::kinds::is_variable(name) {
            return Err("has something between `{` and `}` that is not the name of a variable such as {TOOL_KEY}".into());
        }
        names.push(name);
        rest = after;
    }
    let PartedAddress { secret, rest, .. } = PartedAddress::of(url);
    if host(rest).contains('{') || secret.is_some_and(|secret| secret.contains('{')) {
        return Err("has a variable before its path; a variable can stand in the path and after the `?`".into());
    }
    Ok(names)
}

/// The address with the values of its variables, or the one that is not set.
pub fn filled(url: &str, lookup: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = url;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let value = lookup(name).map(|value| value.trim().to_string()).filter(|value| !value.is_empty()).ok_or(name)?;
        filled.push_str(before);
        filled.push_str(&escaped(&value));
        rest = after;
    }
    Ok(filled + rest)
}

fn escaped(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    value.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, secret: Option<&str>) {
        assert_eq!(secret_part(url).as_deref(), secret, "{url}");
    }

    #[test]
    fn a_key_in_an_address_is_found_and_not_told() {
        check("https://host/mcp?tavilyApiKey=abc", Some("`tavilyApiKey=…`"));
        check("https://host/mcp?a=1&api_key=abc#x", Some("`api_key=…`"));
        check("https://host/mcp?X-Api-Key=abc", Some("`X-Api-Key=…`"));
        check("https://host/mcp?myapikey=abc", Some("`myapikey=…`"));
        check("https://host/mcp?k=0123456789abcdef0123", Some("`k=…`"));
        check("https://host/s/0123456789abcdef0123/mcp", Some("in its path"));
        check("https://host/mcp?monkey=abc&transport=http", None);
        check("https://host/v1/mcp?apiKey={TAVILY_API_KEY}", None);
        check("https://host/s/{ZAP_KEY_0123456789ABCDEF}/mcp", None);
        check("https://host/the-news-of-2026-and-before/mcp?q=water-in-the-year-2026", None);
        check("https://a-host-0123456789.example.org/mcp", None);
    }

    #[test]
    fn a_variable_is_filled_in_as_an_address_needs_it() {
        let lookup = |name: &str| (name == "KEY").then(|| " a/b+c ".to_string());
        assert_eq!(filled("https://h/{KEY}/x?k={KEY}", lookup), Ok("https://h/a%2Fb%2Bc/x?k=a%2Fb%2Bc".into()));
        assert_eq!(filled("https://h/?k={NONE}", lookup), Err("NONE".into()));
        assert_eq!(variables("https://h/{KEY}?k={OTHER}"), Ok(vec!["KEY", "OTHER"]));
        for wrong in ["https://{HOST}/", "https://h/{key}", "https://h/{KEY", "https://h/{}"] {
            assert!(variables(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn of_an_address_only_the_place_is_told() {
        assert_eq!(place("https://me:secret@host:8080/s/secret?key=secret"), "https://host:8080");
        assert_eq!(without_password("https://me:secret@host/x/"), "https://host/x");
    }

    #[test]
    fn a_password_is_found_whatever_stands_in_it() {
        for url in
            ["http://me:Sup3r#1@host:1/x", "http://me:12345#Secret@host:1/x", "http://me:12?k=Secret@host:1/x", "me:1/Secret@host:1/x"]
        {
            assert!(has_password(url), "{url}");
            let told = [without_password(url), without_query(url), place(url), refused(url, place(url))].concat();
            assert!(!["Sup3r", "Secret", "12345", "me:"].iter().any(|part| told.contains(part)), "{told}");
            assert!(without_password(url).ends_with("host:1/x") && told.contains("%40"), "{told}");
            assert_eq!(parameters(url).count(), 0, "{url}");
        }
        assert!(!has_password("https://host/@name?mailto=me@example.org"));
    }
}
