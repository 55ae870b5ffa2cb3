//! The lines of each program that the integration tests do not show.

use super::format::{Format, Heard};
use crate::context::Progress;

fn check(format: Format, lines: &[&str]) -> (Heard, Vec<Progress>) {
    let mut heard = Heard::default();
    let shown = lines.iter().filter_map(|line| format.hear(line, &mut heard)).collect();
    (heard, shown)
}

#[test]
fn a_line_that_is_no_json_is_shown_and_changes_nothing() {
    let (heard, shown) = check(Format::StreamJson, &["npm warn deprecated", r#"{"type": "#]);
    assert_eq!((heard, shown.len()), (Heard::default(), 2));
}

#[test]
fn what_stands_before_the_json_is_passed_over() {
    let (heard, _) = check(Format::StreamJson, &["\u{1b}[?1004l{\"type\":\"system\",\"session_id\":\"s\"}"]);
    assert_eq!(heard.id.as_deref(), Some("s"));
}

#[test]
fn a_line_of_an_unknown_kind_is_passed_over() {
    for format in [Format::StreamJson, Format::CodexEvents, Format::GeminiEvents, Format::OpencodeEvents] {
        let (heard, shown) = check(format, &[r#"{"type":"brand_new","more":1}"#, "{}", r#"{"type":7}"#]);
        assert_eq!((heard, shown), (Heard::default(), Vec::new()), "{format:?}");
    }
}

#[test]
fn an_error_that_was_overcome_is_none() {
    let lines = [r#"{"type":"error","message":"reconnecting 1/5"}"#, r#"{"type":"turn.completed","usage":{}}"#];
    assert_eq!(check(Format::CodexEvents, &lines).0.error, None);
    let lines = ["litellm.APIConnectionError: no", "Retrying in 0.2 seconds...", "Tokens: 1.2M sent, 1,200 received."];
    let (heard, _) = check(Format::Aider, &lines);
    assert_eq!((heard.error, heard.usage.tokens_in, heard.usage.tokens_out), (None, 1_200_000, 1200));
}

#[test]
fn a_count_beyond_all_numbers_is_the_largest_there_is() {
    let most = u64::MAX;
    let claude = format!(
        r#"{{"type":"result","subtype":"success","result":"x","usage":{{"input_tokens":{most},"cache_read_input_tokens":{most},"output_tokens":1}}}}"#
    );
    let opencode = format!(
        r#"{{"type":"step_finish","part":{{"reason":"stop","tokens":{{"input":{most},"output":{most},"reasoning":1,"cache":{{"read":{most},"write":1}}}}}}}}"#
    );
    let codex = format!(r#"{{"type":"turn.completed","usage":{{"input_tokens":{most},"output_tokens":{most}}}}}"#);
    let aider = "Tokens: 99999999999999M sent, 1 cache write, 7 received. Cost: $1,200.50 message, $1,300.00 session.";
    for (format, line, again) in [
        (Format::StreamJson, claude.as_str(), false),
        (Format::OpencodeEvents, &opencode, true),
        (Format::CodexEvents, &codex, false),
        (Format::Aider, aider, true),
    ] {
        let lines = if again { vec![line, line] } else { vec![line] };
        assert_eq!(check(format, &lines).0.usage.tokens_in, most, "{format:?}");
    }
    assert_eq!(check(Format::Aider, &[aider]).0.usage.cost, motet_core::units::Usd(1_200_500_000));
}
