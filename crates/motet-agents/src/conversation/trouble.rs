//! What went wrong with a coding agent, told from the words of its own error.
//! These programs have no agreed error codes; what no word gives away is a failure that they reported.

use motet_core::event::FailureKind;

/// Each kind with the words and the codes that give it away, in the order in which they are looked for. What a program prints may be about
/// anything, so every phrase here is one that only an error of a provider or of a login has.
const SIGNS: &[(FailureKind, &[&str], &[&str])] = &[
    (
        FailureKind::RateLimited,
        &[
            "rate_limit_error",
            "rate_limit_exceeded",
            "rate limit exceeded",
            "rate limit reached",
            "rate limited",
            "rate-limited",
            "ratelimiterror",
            "exceeded your rate limit",
            "hit a rate limit",
            "hit the rate limit",
            "too many requests",
            "usage limit",
            "hit your limit",
            "5-hour limit",
            "weekly limit",
            "session limit reached",
            "quota exceeded",
            "exceeded your current quota",
            "exceeded your quota",
            "exhausted your quota",
            "insufficient_quota",
            "quota_exceeded",
            "resource_exhausted",
            "overloaded_error",
            "overloaded error",
            "is overloaded",
            "currently overloaded",
        ],
        &["429", "529"],
    ),
    (
        FailureKind::Configuration,
        &[
            "error: unauthorized",
            "unauthenticated",
            "authentication_error",
            "authentication error",
            "authenticationerror",
            "authentication failed",
            "authentication required",
            "failed to authenticate",
            "not authenticated",
            "auth required",
            "not logged in",
            "please log in",
            "log in first",
            "run /login",
            "please sign in",
            "sign in to continue",
            "invalid api key",
            "invalid x-api-key",
            "incorrect api key",
            "api key not",
            "no api key",
            "missing api key",
            "credit balance is too low",
            "billing_error",
            "plan and billing details",
        ],
        &["401", "403"],
    ),
    (
        FailureKind::NotFound,
        &["model not found", "unknown model", "model_not_found", "no such model", "invalid model name", "unsupported model"],
        &[],
    ),
    (
        FailureKind::Unavailable,
        &[
            "connection refused",
            "connection reset",
            "connection error",
            "econnrefused",
            "econnreset",
            "enotfound",
            "etimedout",
            "dns error",
            "dns lookup failed",
            "could not resolve host",
            "name resolution",
            "network error",
            "fetch failed",
            "internal server error",
            "service unavailable",
            "bad gateway",
            "stream disconnected",
        ],
        &["500", "502", "503", "504"],
    ),
];
/// A number is a code only beside one of these.
const ANNOUNCES_A_CODE: [&str; 4] = ["status", "error", "http", "code"];
/// Words that have one of the phrases in them and mean something else.
const NOT_MEANT: [&str; 1] = ["disk quota exceeded"];

pub(crate) fn kind(words: &str) -> FailureKind {
    let words = NOT_MEANT.iter().fold(words.to_lowercase(), |words, phrase| words.replace(phrase, ""));
    let codes = codes(&words);
    let gives_away =
        |signs: &[&str], known: &[&str]| signs.iter().any(|sign| words.contains(sign)) || known.iter().any(|code| codes.contains(code));
    let found = SIGNS.iter().find(|(_, signs, known)| gives_away(signs, known));
    found.map_or(FailureKind::Reported, |(kind, _, _)| *kind)
}

/// The numbers that are said to be a status: `status 401`, `status code: 500`, `API Error: 529`, `HTTP/1.1 503`.
fn codes(words: &str) -> Vec<&str> {
    let words: Vec<&str> = words.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_announced = |place: usize| {
        let before = words[..place].iter().rev().skip_while(|word| word.len() == 1).take(1);
        before.into_iter().any(|word| ANNOUNCES_A_CODE.contains(word))
    };
    let numbers = words.iter().enumerate().filter(|(_, word)| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit()));
    numbers.filter(|(place, _)| is_announced(*place)).map(|(_, word)| *word).collect()
}

/// Whether the agent says that it does not know the conversation it was to go on with.
pub(crate) fn is_unknown_conversation(words: &str) -> bool {
    const SIGNS: &[&str] = &[
        "no conversation found",
        "session not found",
        "no session found",
        "no saved session",
        "conversation not found",
        "thread not found",
        "no rollout found",
        "invalid session",
        "unknown session",
        "could not find session",
        "error resuming session",
    ];
    let words = words.to_lowercase();
    SIGNS.iter().any(|sign| words.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, expected: FailureKind) {
        assert_eq!(kind(words), expected, "{words}");
    }

    #[test]
    fn errors_are_told_apart_by_their_words() {
        check("API Error: 429 {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\"}}", FailureKind::RateLimited);
        check("Claude AI usage limit reached|1763240400", FailureKind::RateLimited);
        check("API Error: 529 Overloaded", FailureKind::RateLimited);
        check("Invalid API key · Please run /login", FailureKind::Configuration);
        check("unexpected status 401 Unauthorized", FailureKind::Configuration);
        check("Credit balance is too low", FailureKind::Configuration);
        check("model not found: gpt-9", FailureKind::NotFound);
        check("stream disconnected before completion", FailureKind::Unavailable);
        check("API Error: 500 Internal Server Error", FailureKind::Unavailable);
        check("HTTP/1.1 503", FailureKind::Unavailable);
        check("request failed with status code: 500", FailureKind::Unavailable);
        check("You exceeded your current quota, please check your plan and billing details.", FailureKind::RateLimited);
        check("dns error: failed to lookup address information", FailureKind::Unavailable);
    }

    #[test]
    fn what_a_program_says_of_its_own_work_is_no_trouble_of_its_provider() {
        for words in [
            "the tests do not pass",
            "./build.sh: Permission denied",
            "429 tests ran, 3 failed",
            "expected 401 but got 200",
            "assertion failed: 500 != 503",
            "tests/dns.rs: 2 failed",
            "the user must log in before checkout: 1 failed",
            "test quota_is_counted ... FAILED",
            "write error: Disk quota exceeded",
            "call of overloaded 'max(int, long)' is ambiguous",
            "recursion limit reached while expanding a macro",
            "authentication.rs:12: unused variable",
            "test rate_limit::holds ... FAILED",
        ] {
            check(words, FailureKind::Reported);
        }
    }

    #[test]
    fn a_lost_conversation_is_recognised() {
        assert!(is_unknown_conversation("No conversation found with session ID: 1b2c"));
        assert!(is_unknown_conversation("Error resuming session: Invalid session identifier \"x\"."));
        assert!(!is_unknown_conversation("no file found"));
    }
}
