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

/// How keys of well-known services begin.
const KEY_BEGINNINGS: [&str; 13] =
    ["sk-", "sk_", "gsk_", "ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "AIza", "tvly-", "hf_"];
/// A word of a name that is as long as this and has letters and digits mixed is hardly a word: those of models are short.
const LONG_MIX: usize = 16;
/// What is shorter is not hidden either.
const SHORTEST_SECRET: usize = 8;
/// Behind the name of a key, these say that not the key is meant but where it lies, how it is used, or how many there may be.
const NOT_THE_KEY: [&str; 12] = ["file", "path", "dir", "env", "name", "type", "limit", "store", "mode", "method", "url", "auth"];

/// Whether a word by itself can only be a key. Names of models, versions and dates are none.
pub fn is_key(text: &str) -> bool {
    let begins = KEY_BEGINNINGS.iter().any(|beginning| text.starts_with(beginning));
    let is_long = |part: &str| part.len() >= LONG_MIX && part.bytes().any(|byte| byte.is_ascii_digit());
    is_like_a_key(text)
        && (begins || text.split(['-', '_']).any(|part| is_long(part) && part.bytes().any(|byte| byte.is_ascii_alphabetic())))
}

/// What among the words of a program looks like a key, be it by the name before it or by itself, in words that do not tell it.
pub fn secret_word(words: &[String]) -> Option<String> {
    let parts = words.iter().flat_map(|word| word.split(|letter: char| letter.is_whitespace() || "'\"`;".contains(letter)));
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let alone = parts.iter().find_map(|part| secret_in_word(part));
    alone.or_else(|| {
        parts.windows(2).find(|pair| names_key(pair[0]) && is_opaque(pair[1])).map(|pair| format!("what follows `{}`", pair[0]))
    })
}

fn secret_in_word(word: &str) -> Option<String> {
    if word.contains("://") {
        return (has_password(word) || secret_part(word).is_some()).then(|| format!("in the address {}", place(word)));
    }
    match word.trim_end_matches('=').split_once('=') {
        Some((name, value)) if is_secret_name(name) && !is_apart(name) && is_opaque(value) => Some(format!("`{name}=…`")),
        Some((_, value)) => is_key(value).then(|| "one of its arguments".into()),
        None => is_key(word.trim_end_matches('=')).then(|| "one of its arguments".into()),
    }
}

/// `--api-key`, `Authorization:` or `Bearer`, each of which a key follows.
fn names_key(word: &str) -> bool {
    let is_name = word.starts_with('-') && !word.contains('=') || word.ends_with(':') || word.eq_ignore_ascii_case("bearer");
    is_name && is_secret_name(word) && !is_apart(word)
}

fn is_apart(name: &str) -> bool {
    let last = name.trim_end_matches(':').rsplit(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    NOT_THE_KEY.contains(&last.as_str())
}

/// Neither a path, a number nor the name of a variable.
fn is_opaque(value: &str) -> bool {
    let is_elsewhere = value.starts_with(['/', '.', '~', '$', '{', '-', '<']) || super::kinds::is_variable(value);
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || b".,_".contains(&byte));
    value.len() >= SHORTEST_SECRET && !is_elsewhere && !is_number || is_key(value)
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

    #[track_caller]
    fn check_words(words: &str, secret: Option<&str>) {
        let words: Vec<String> = words.split('|').map(String::from).collect();
        assert_eq!(secret_word(&words).as_deref(), secret, "{words:?}");
    }

    #[test]
    fn a_key_among_the_words_of_a_program_is_found_and_not_told() {
        check_words("./w.sh|--api-key=sk-abcdef", Some("`--api-key=…`"));
        check_words("py|server.py|--token|sesame-open", Some("what follows `--token`"));
        check_words("w|sk-proj-abcdefghijklmnop1234567890", Some("one of its arguments"));
        check_words("w|--with=0123456789abcdef0123", Some("one of its arguments"));
        check_words("sh|-c|API_KEY=sesame-open ./w.sh", Some("`API_KEY=…`"));
        check_words("curl|-H|Authorization: Bearer sesame-open", Some("what follows `Bearer`"));
        check_words("w|--server|https://me:sesame@host/x", Some("in the address https://host"));
        check_words("w|--server|https://host/x?apiKey=sesame", Some("in the address https://host"));
    }

    #[test]
    fn words_that_are_no_keys_pass() {
        check_words("claude|--model|gpt-4o-mini-2024-07-18|--max-tokens|4096", None);
        check_words("npx|-y|@modelcontextprotocol/server-filesystem@2025.8.21|/home/me/documents", None);
        check_words("w|--key-file|my-secrets.pem|--key|./key.pem|--token-limit|12345678", None);
        check_words("w|--token-env|THE_TOKEN_OF_MINE|--api-key|$OPENAI_API_KEY|--api-key=${OPENAI_API_KEY}", None);
        check_words("w|--model|claude-sonnet-4-5-20250929|the-news-of-2026-and-before", None);
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
