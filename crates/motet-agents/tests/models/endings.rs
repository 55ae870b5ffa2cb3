//! The last word of an answer: whole answers are kept, whoever ends them how, and half of one is never taken for a whole.

use motet_agents::model::ProviderKind;
use motet_agents::{Agent, Context, Exchange};
use motet_core::event::{FailureKind, Usage};
use motet_testkit::providers::{Ended, FakeProvider, Fault, Line, Said};
use serde_json::json;

use super::{agent, ask, ask_each};
use crate::{failure, prompted, returned};

/// What an answer that ends with a word comes to.
enum Comes {
    Whole,
    CutOff,
    Refused,
    Broken,
}

async fn check(kind: ProviderKind, word: &'static str, comes: Comes) {
    let server = FakeProvider::start([Line::Says(Said::new("Half an").ending(Ended::Saying(word)))]);
    let (context, _stop) = Context::new();
    let outcome = agent(kind, &server).perform(prompted("Write."), &context).await;
    // The server counted, and whatever it comes to is paid for.
    assert_eq!(outcome.usage(), Usage { tokens_in: 26, tokens_out: 9, ..Usage::default() }, "{kind} {word}");
    let (expected, told) = match comes {
        Comes::Whole => return assert_eq!(returned(outcome), "Half an", "{kind} {word}"),
        Comes::CutOff => (FailureKind::InvalidOutput, "cut off at max_tokens".to_string()),
        Comes::Refused => (FailureKind::Refused, format!("withheld ({word})")),
        Comes::Broken => (FailureKind::Unavailable, format!("is not whole: it ended with `{word}` — it may pass")),
    };
    let (found, message) = failure(outcome);
    assert!(found == expected && message.contains(&told), "{kind} {word}: {found:?} {message}");
    let [Exchange::Model { answer, .. }] = &context.recorded()[..] else { panic!("{kind} {word}") };
    assert_eq!(answer, "Half an", "{kind} {word}: what was written is on record");
}

#[tokio::test]
async fn a_word_that_no_whole_answer_ends_with_breaks_it_and_what_was_counted_is_paid() {
    for word in ["error", "abort", "network_error", "insufficient_system_resource", "timeout", "anything new"] {
        check(ProviderKind::OpenAiCompatible, word, Comes::Broken).await;
    }
    check(ProviderKind::OpenAi, "error", Comes::Broken).await;
    for word in ["pause_turn", "anything_new"] {
        check(ProviderKind::Anthropic, word, Comes::Broken).await;
    }
    for word in ["OTHER", "LANGUAGE", "NO_IMAGE", "MISSING_THOUGHT_SIGNATURE", "FINISH_REASON_UNSPECIFIED"] {
        check(ProviderKind::Gemini, word, Comes::Broken).await;
    }
    for word in ["load", "unload"] {
        check(ProviderKind::Ollama, word, Comes::Broken).await;
    }
}

#[tokio::test]
async fn an_answer_that_was_withheld_is_a_refusal_in_whatever_word() {
    for word in ["sensitive", "SAFETY", "content_filter: PROHIBITED_CONTENT", "guardrail_intervened"] {
        check(ProviderKind::OpenAiCompatible, word, Comes::Refused).await;
    }
}

#[tokio::test]
async fn a_good_answer_is_kept_in_whatever_words_it_ends() {
    for word in ["stop", "STOP", "eos", "eos_token", "stop_sequence", "end", "end_turn", "COMPLETE", "completed", "endoftext", "FINISH"] {
        check(ProviderKind::OpenAiCompatible, word, Comes::Whole).await;
    }
    check(ProviderKind::Ollama, "", Comes::Whole).await;
    check(ProviderKind::Anthropic, "stop_sequence", Comes::Whole).await;
    check(ProviderKind::OpenAiCompatible, "MAX_TOKENS", Comes::CutOff).await;
    check(ProviderKind::OpenAiCompatible, "model_context_window_exceeded", Comes::CutOff).await;
}

#[tokio::test]
async fn tools_that_a_broken_answer_asks_for_are_not_used() {
    let line = Line::Says(Said::new("").using("files_write", json!({"path": "x"})).ending(Ended::Saying("error")));
    for (kind, server, outcome) in ask_each(&line, &prompted("Write.")).await {
        assert_eq!(failure(outcome).0, FailureKind::Unavailable, "{kind}");
        assert_eq!(server.chats().len(), 1, "{kind}");
    }
}

#[tokio::test]
async fn an_error_beside_a_piece_of_the_answer_is_heard() {
    for (kind, _server, outcome) in ask_each(&Line::GivesUpBeside, &prompted("Write.")).await {
        let usage = outcome.usage();
        let (found, message) = failure(outcome);
        assert_eq!(found, FailureKind::Unavailable, "{kind}: {message}");
        assert!(message.contains("gave up in the middle of its answer: Provider disconnected"), "{kind}: {message}");
        assert!(usage.tokens_in > 0 && usage.estimated, "{kind}: it may have to be paid for");
    }
}

#[tokio::test]
async fn an_error_with_the_status_of_success_is_told_in_its_own_words() {
    for (kind, _server, outcome) in ask_each(&Line::HidesFault(Fault::Broken), &prompted("Write.")).await {
        let (found, message) = failure(outcome);
        assert_eq!(found, FailureKind::Unavailable, "{kind}: {message}");
        let words = ["The server had an error", "Internal server error", "An internal error", "llama runner process"];
        assert!(message.contains("gave up") && words.iter().any(|words| message.contains(words)), "{kind}: {message}");
    }
    let server = FakeProvider::start([Line::HidesFault(Fault::OutOfMoney)]);
    let (found, message) = failure(ask(ProviderKind::OpenAi, &server, prompted("Write.")).await);
    assert!(found == FailureKind::Configuration && message.contains("add credit"), "{message}");
}
