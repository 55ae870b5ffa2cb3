//! What went wrong with a coding agent, told from the words of its own error.
//! These programs have no agreed error codes; what no word gives away is a failure that they reported.

use motet_core::event::FailureKind;

/// Each kind with the words that give it away, in the order in which they are looked for.
const SIGNS: &[(FailureKind, &[&str])] = &[
    (
        FailureKind::RateLimited,
        &[
            "rate limit",
            "rate_limit",
            "ratelimit",
            "too many requests",
            "usage limit",
            "limit reached",
            "quota",
            "resource_exhausted",
            "overloaded",
            "status 429",
            "error 429",
            "429 ",
            "status 529",
            "error 529",
            "529 ",
        ],
    ),
    (
        FailureKind::Configuration,
        &[
            "unauthorized",
            "unauthenticated",
            "authentication",
            "not authenticated",
            "auth required",
            "not logged in",
            "log in",
            "/login",
            "sign in",
            "invalid api key",
            "invalid x-api-key",
            "api key not",
            "no api key",
            "credit balance",
            "billing",
            "permission denied",
            "status 401",
            "error 401",
            "401 ",
            "status 403",
            "error 403",
        ],
    ),
    (
        FailureKind::NotFound,
        &["model not found", "unknown model", "model_not_found", "no such model", "invalid model", "unsupported model"],
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
            "dns",
            "network error",
            "fetch failed",
            "internal server error",
            "service unavailable",
            "bad gateway",
            "stream disconnected",
            "status 500",
            "error 500",
            "500 ",
            "502 ",
            "503 ",
        ],
    ),
];

pub(crate) fn kind(words: &str) -> FailureKind {
    let words = words.to_lowercase();
    let found = SIGNS.iter().find(|(_, signs)| signs.iter().any(|sign| words.contains(sign)));
    found.map_or(FailureKind::Reported, |(kind, _)| *kind)
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
        check("the tests do not pass", FailureKind::Reported);
    }

    #[test]
    fn a_lost_conversation_is_recognised() {
        assert!(is_unknown_conversation("No conversation found with session ID: 1b2c"));
        assert!(is_unknown_conversation("Error resuming session: Invalid session identifier \"x\"."));
        assert!(!is_unknown_conversation("no file found"));
    }
}
