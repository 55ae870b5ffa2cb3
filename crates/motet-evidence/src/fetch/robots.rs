//! What a site's robots.txt lets us read: groups by agent name, longest rule wins, `*` and `$` understood.
//! It fetches nothing; a file that cannot be understood forbids nothing, a line at a time.

use std::time::Duration;

/// A file longer than this is read up to here, as the standard allows.
const LONGEST: usize = 500 * 1024;
/// A site that asks for more patience than this is read at this pace.
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// The rules that apply to us.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robots {
    rules: Vec<Rule>,
    pub crawl_delay: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rule {
    allows: bool,
    pattern: String,
}

#[derive(Default)]
struct Group {
    agents: Vec<String>,
    robots: Robots,
}

impl Robots {
    /// Reads the groups that name this agent, or those for everyone if none does.
    pub fn read(text: &str, agent: &str) -> Self {
        let groups = groups(text);
        let agent = agent.to_ascii_lowercase();
        let named = |name: &str| groups.iter().filter(|group| group.agents.iter().any(|known| known == name)).collect::<Vec<_>>();
        let mut ours = named(&agent);
        if ours.is_empty() {
            ours = named("*");
        }
        let crawl_delay = ours.iter().find_map(|group| group.robots.crawl_delay);
        Self { rules: ours.into_iter().flat_map(|group| group.robots.rules.clone()).collect(), crawl_delay }
    }

    /// Nothing may be read: what a site's failing server means.
    pub fn closed() -> Self {
        Self { rules: vec![Rule { allows: false, pattern: "/".to_string() }], crawl_delay: None }
    }

    /// Whether the path, with its query, may be read. Between rules of the same length the kinder one wins.
    pub fn allows(&self, path_and_query: &str) -> bool {
        let path = normal(path_and_query);
        let matching = self.rules.iter().filter(|rule| matches(&rule.pattern, &path));
        matching.max_by_key(|rule| (rule.pattern.len(), rule.allows)).is_none_or(|rule| rule.allows)
    }
}

fn groups(text: &str) -> Vec<Group> {
    let text = text.trim_start_matches('\u{feff}');
    let end = (0..=LONGEST.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let mut groups: Vec<Group> = Vec::new();
    let mut names_are_open = false;
    for line in text[..end].lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = line.split_once(':') else { continue };
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        match key.as_str() {
            "user-agent" => {
                if !names_are_open {
                    groups.push(Group::default());
                }
                names_are_open = true;
                if let Some(group) = groups.last_mut() {
                    group.agents.push(product(value));
                }
            }
            "allow" | "disallow" => {
                names_are_open = false;
                // An empty rule forbids nothing, and so says nothing.
                if let Some(group) = groups.last_mut().filter(|_| !value.is_empty()) {
                    group.robots.rules.push(Rule { allows: key == "allow", pattern: normal(value) });
                }
            }
            "crawl-delay" => {
                names_are_open = false;
                let seconds = value.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
                if let (Some(group), Some(seconds)) = (groups.last_mut(), seconds) {
                    group.robots.crawl_delay = Some(Duration::from_secs_f64(seconds.min(LONGEST_DELAY.as_secs_f64())));
                }
            }
            _ => {}
        }
    }
    groups
}

/// `Motet/1.0 (…)` and `motet` name the same agent.
fn product(value: &str) -> String {
    let end = value.find(|letter: char| !(letter.is_ascii_alphanumeric() || "-_*".contains(letter))).unwrap_or(value.len());
    value[..end].to_ascii_lowercase()
}

/// Escaped and unescaped spellings of the same path are compared as one; escapes of reserved signs stay.
fn normal(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let bytes = path.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let escape = (bytes[at] == b'%').then(|| bytes.get(at + 1..at + 3)).flatten();
        match escape.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()) {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => out.push(char::from(byte)),
            Some(byte) => out.push_str(&format!("%{byte:02X}")),
            None if bytes[at].is_ascii_graphic() => out.push(char::from(bytes[at])),
            None => out.push_str(&format!("%{:02X}", bytes[at])),
        }
        at += if escape.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) { 3 } else { 1 };
    }
    out
}

/// `*` stands for anything and `$` for the end. Greedy with one point of return, so a hostile pattern costs no more than a product.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, anchored) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return !anchored || rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    if anchored { rest.ends_with(last) } else { rest.contains(last) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(robots: &str, path: &str, open: bool) {
        assert_eq!(Robots::read(robots, "motet").allows(path), open, "{path} under {robots:?}");
    }

    #[test]
    fn the_longest_rule_wins_and_the_kinder_one_between_equals() {
        let robots = "User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /same\nAllow: /same\n";
        check(robots, "/", true);
        check(robots, "/private", false);
        check(robots, "/private/x?y=1", false);
        check(robots, "/private/open/page", true);
        check(robots, "/same", true);
    }

    #[test]
    fn a_group_that_names_us_replaces_the_one_for_everyone() {
        let robots =
            "user-agent: *\ndisallow: /\n\nUser-Agent: other\nUser-agent: Motet/2.0 (x)\nDisallow: /drafts # not yet\nCrawl-delay: 2\n";
        check(robots, "/page", true);
        check(robots, "/drafts/1", false);
        assert_eq!(Robots::read(robots, "motet").crawl_delay, Some(Duration::from_secs(2)));
        assert!(!Robots::read(robots, "someone").allows("/page"));
    }

    #[test]
    fn stars_and_dollars_are_understood() {
        let robots = "User-agent: *\nDisallow: /*.pdf$\nDisallow: /a*b*c\nDisallow: /*?session=";
        check(robots, "/papers/one.pdf", false);
        check(robots, "/papers/one.pdf?x", true);
        check(robots, "/aXXbYYc/tail", false);
        check(robots, "/ab", true);
        check(robots, "/page?session=1", false);
    }

    #[test]
    fn spellings_of_one_path_are_one_path() {
        check("User-agent: *\nDisallow: /caf\u{e9}/%7Ejoe", "/caf%C3%A9/~joe/x", false);
        check("User-agent: *\nDisallow: /a%3Cd", "/a%3cd", false);
    }

    #[test]
    fn nonsense_forbids_nothing_and_costs_little() {
        check("", "/x", true);
        check("Disallow: /x", "/x", true);
        check("User-agent *\n\0\u{fffd}: :\nUser-agent: *\nDisallow:\nNonsense: /", "/x", true);
        let hostile = format!("User-agent: *\nDisallow: /{}b", "*a".repeat(2000));
        check(&hostile, &format!("/{}", "a".repeat(4000)), true);
        assert!(!Robots::closed().allows("/x"));
    }
}
