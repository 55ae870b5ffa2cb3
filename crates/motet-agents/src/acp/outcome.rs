//! What a turn came to, and what is booked and kept of it.
//! It decides nothing about another attempt; the machine does.

use agent_client_protocol::v1::schema::{self, PromptResponse, StopReason};
use agent_client_protocol::{Error, ErrorCode};
use motet_core::event::{FailureKind, Usage};

use super::choices::MISCONFIGURED;
use super::counting::{Known, together};
use super::desk::Desk;
use super::turn::MESSAGE_BYTES;
use crate::agent::{Outcome, Request};
use crate::command::child::{Companion, how_status, was_killed};
use crate::command::lines::MESSAGE_BYTES as LINE_BYTES;
use crate::conversation::{kind, read};
use crate::exchange::Exchange;

/// The turn ended; None: it was told to stop and did not answer any more.
pub(super) fn settled(response: Option<&PromptResponse>, desk: &Desk, request: &Request) -> Outcome {
    let message = desk.redaction.text(&desk.turn().message).into_owned();
    let outcome = ended(response, &message, desk, request);
    desk.conversation().tell(desk.answers.len());
    let is_refused = matches!(&outcome, Outcome::Failed { failure, .. } if failure.kind == FailureKind::Refused);
    let outcome = book(outcome, message, response.and_then(|response| response.usage.as_ref()), desk);
    if is_refused {
        // Not before it is booked: what was booked of it earlier is known only here.
        desk.conversation().forget();
    }
    outcome
}

/// The conversation broke off: because the program is gone, or because it said so.
pub(super) async fn broken(error: Error, companion: Companion, desk: &Desk) -> Outcome {
    let stderr = companion.stderr();
    let status = companion.end().await;
    let (name, quoted) = (&desk.name, stderr.last_words());
    let outcome = match (status, desk.question()) {
        _ if desk.context.is_stopped() => Outcome::failed(FailureKind::Cancelled, format!("`{name}` was stopped")),
        // What it asked for stands, even if it did not survive being told to wait.
        (_, Some(question)) => Outcome::Asked { question, usage: Usage::default() },
        _ if error.code == ErrorCode::AUTH_REQUIRED => {
            let message = format!("`{name}` wants you to log in first: start it once by hand, or give it its key in the environment");
            Outcome::failed(FailureKind::Configuration, colon(message, &error.message))
        }
        _ if i32::from(error.code) == MISCONFIGURED => Outcome::failed(FailureKind::Configuration, format!("`{name}`: {}", error.message)),
        (Some(status), _) if !status.success() => {
            let told = colon(format!("`{name}` {}", how_status(status)), &quoted);
            let reported = if was_killed(status.code()) { FailureKind::Reported } else { kind(&quoted) };
            Outcome::failed(if reported == FailureKind::Reported { FailureKind::Crashed } else { reported }, told)
        }
        _ if !desk.is_hung_up() => {
            let why = desk.redaction.text(&described(&error)).into_owned();
            Outcome::failed(kind(&why), format!("`{name}` failed: {why}"))
        }
        _ => {
            let message = format!("`{name}` broke off the conversation: {}", described(&error));
            Outcome::failed(FailureKind::Crashed, colon(message, &quoted))
        }
    };
    let message = desk.redaction.text(&desk.turn().message).into_owned();
    book(outcome, message, None, desk)
}

fn ended(response: Option<&PromptResponse>, message: &str, desk: &Desk, request: &Request) -> Outcome {
    let name = &desk.name;
    if let Some(question) = desk.question() {
        return Outcome::Asked { question, usage: Usage::default() };
    }
    let failed = |kind, told: &str| Outcome::failed(kind, format!("`{name}` {told}"));
    match response.map(|response| response.stop_reason) {
        Some(StopReason::EndTurn) if desk.turn().message_bytes > MESSAGE_BYTES => {
            let told = format!("answered with {} bytes; an answer may have at most {MESSAGE_BYTES}", desk.turn().message_bytes);
            failed(FailureKind::InvalidOutput, &told)
        }
        Some(StopReason::EndTurn) if desk.traffic.has_lost() => {
            let told = format!("sent a message of more than {LINE_BYTES} bytes, which is not read; its answer may have lost a part");
            failed(FailureKind::InvalidOutput, &told)
        }
        // Some agents end a turn that was cancelled as if it were done: half of an answer is none.
        Some(StopReason::EndTurn) if desk.context.is_stopped() => failed(FailureKind::Cancelled, "was stopped"),
        Some(StopReason::EndTurn) => read(message, request.schema.as_ref(), &request.call),
        Some(StopReason::MaxTokens) => failed(FailureKind::InvalidOutput, "was cut off: it reached its limit of tokens"),
        Some(StopReason::MaxTurnRequests) => failed(FailureKind::Reported, "stopped: it reached its limit of requests in one turn"),
        Some(StopReason::Refusal) => failed(FailureKind::Refused, &colon("refused to go on".into(), message)),
        Some(StopReason::Cancelled) if !desk.context.is_stopped() => failed(FailureKind::Reported, "cancelled its turn by itself"),
        Some(StopReason::Cancelled) => failed(FailureKind::Cancelled, "was stopped"),
        None => failed(FailureKind::Cancelled, "was stopped and did not answer any more"),
        Some(_) => failed(FailureKind::Reported, "stopped for a reason that is not known here"),
    }
}

/// The outcome with what it cost; what was said is put on record, if anything was.
fn book(outcome: Outcome, message: String, tokens: Option<&schema::Usage>, desk: &Desk) -> Outcome {
    desk.terminals.end();
    let usage = usage(tokens, &desk.record.relayed(), desk);
    if let Some((id, said)) = desk.said() {
        desk.context.record(Exchange::Conversation { agent: desk.name.clone(), id, sent: said, answer: message, usage });
    }
    outcome.with_usage(usage)
}

/// The agent tells what the whole conversation took, and what was booked before is taken off; unless it counts anew, since another process
/// of it has begun.
fn usage(tokens: Option<&schema::Usage>, relayed: &[Known], desk: &Desk) -> Usage {
    let turn = desk.turn();
    let mut conversation = desk.conversation();
    let mut counted = conversation.counted();
    let mut usage = Usage { tool_calls: together(turn.told(), relayed.iter().cloned()), ..Usage::default() };
    if let Some(tokens) = tokens {
        let cached = tokens.cached_read_tokens.unwrap_or_default().saturating_add(tokens.cached_write_tokens.unwrap_or_default());
        let tokens_in = tokens.input_tokens.saturating_add(cached);
        let tokens_out = tokens.output_tokens.saturating_add(tokens.thought_tokens.unwrap_or_default());
        (usage.tokens_in, usage.tokens_out, counted) = counted.on(tokens_in, tokens_out);
    }
    if let Some(cost) = turn.cost {
        (usage.cost, counted) = counted.on_cost(cost);
    }
    conversation.has_counted(counted);
    usage
}

fn described(error: &Error) -> String {
    match &error.data {
        Some(data) => format!("{} ({data})", error.message),
        None => error.message.clone(),
    }
}

fn colon(told: String, why: &str) -> String {
    if why.is_empty() { told } else { format!("{told}: {why}") }
}
