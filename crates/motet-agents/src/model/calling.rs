//! One call within an attempt: it waits its turn, is sent, is heard, is counted and is put on record.
//! A server that is too busy is waited for, and the attempt's clock stands meanwhile; every other trouble ends the call.

use std::time::Duration;

use motet_core::event::{Failure, FailureKind, Usage};
use motet_core::tokens;
use tokio::time::Instant;

use super::account::{Account, Tokens};
use super::attempt::Attempt;
use super::context_window::{self, Count, Reading};
use super::conversation::{Message, ToolCall};
use super::governor::Wait;
use super::provider::ProviderKind;
use super::shape::Shape;
use super::trouble::Trouble;
use super::wire::{Chat, Piece, Reply};
use crate::context::Progress;
use crate::exchange::Exchange;

/// So long is waited for a provider that takes no calls while somebody else could answer at once.
const PATIENCE: Duration = Duration::from_secs(10);

impl Attempt<'_> {
    /// Asks the model once, as the conversation stands.
    pub(super) async fn call(&mut self) -> Result<Reply, Failure> {
        let (agent, count) = (self.agent, self.count());
        let chat = match self.chat(count).await {
            Ok(chat) => chat,
            Err(trouble) => return Err(agent.explained(trouble).await),
        };
        let mut heard = Heard::default();
        match self.sent(&chat, &mut heard).await {
            Ok(reply) => {
                let usage = counted(&reply, count, &heard);
                self.account.book(usage);
                self.context.delay().begin();
                self.record(&reply.text, &reply.calls, &reply.finish, usage);
                // The answer joins the conversation next, and is on record as such.
                self.recorded = self.messages.len() + 1;
                self.check_all_was_read(count, &chat, reply.tokens_in).await?;
                Ok(reply)
            }
            Err(trouble) => {
                let is_unpaid = !trouble.may_cost && heard.is_empty();
                self.is_refused_for_tools = trouble.refuses_tools && is_unpaid;
                self.refused_shape = trouble.refuses_shape.filter(|_| is_unpaid);
                match trouble.counted {
                    Some(tokens) => self.settle(&trouble, &heard, tokens),
                    None if trouble.may_cost || !heard.is_empty() => self.doubt(&trouble, &heard, count, chat.max_tokens),
                    None if heard.was_sent => self.record("", &[], &failed(&trouble), Usage::default()),
                    None => {}
                }
                Err(agent.explained(trouble).await)
            }
        }
    }

    /// It came to nothing, but the server says what it took.
    fn settle(&mut self, trouble: &Trouble, heard: &Heard, tokens: Tokens) {
        let usage = Usage { tokens_in: tokens.input, tokens_out: tokens.output, ..Usage::default() };
        self.account.book(usage);
        self.context.delay().begin();
        self.record(&heard.text, &[], &failed(trouble), usage);
    }

    /// What was sent may have to be paid for: shown is what was heard of it, booked is all that it can have been. A server writes on, and
    /// charges, while nobody hears it any more.
    fn doubt(&mut self, trouble: &Trouble, heard: &Heard, count: Count, max_tokens: u64) {
        let written = Tokens { input: count.likely(), output: heard.tokens() };
        let at_worst = Tokens { input: count.most.max(written.input), output: max_tokens.max(written.output) };
        self.account.doubt(written, at_worst);
        self.context.delay().begin();
        let mut alone = Account::default();
        alone.doubt(written, at_worst);
        self.record(&heard.text, &[], &failed(trouble), alone.total(self.context.price()));
    }

    async fn chat(&self, count: Count) -> Result<Chat, Trouble> {
        let agent = self.agent;
        let max_tokens = self.max_tokens();
        let context_tokens = match (agent.provider.kind, agent.settings.context_tokens) {
            (ProviderKind::Ollama, Some(tokens)) => {
                context_window::choose(count, max_tokens, Some(tokens), &agent.settings.model)?;
                Some(tokens)
            }
            (ProviderKind::Ollama, None) => {
                let longest = agent.longest_context().await?;
                Some(context_window::choose(count, max_tokens, longest, &agent.settings.model)?)
            }
            _ => None,
        };
        Ok(Chat {
            messages: self.messages.clone(),
            temperature: self.temperature(),
            max_tokens,
            seed: agent.settings.seed.or(self.request.call.model.seed),
            context_tokens,
            schema: match &self.shape {
                Shape::Held(schema) => Some(schema.clone()),
                Shape::Free | Shape::InWords(_) => None,
            },
            tools: self.belt.tools.clone(),
        })
    }

    /// Sends it, and sends it again for as long as the server is too busy. That takes none of the call's time: only somebody else who
    /// could answer is not kept waiting.
    async fn sent(&self, chat: &Chat, heard: &mut Heard) -> Result<Reply, Trouble> {
        let (agent, context) = (self.agent, self.context);
        loop {
            if let Some(until) = agent.governor.closed_until().filter(|until| self.is_too_late(*until)) {
                return Err(Trouble::new(FailureKind::RateLimited, self.why(Wait::Until(until))));
            }
            let held_up = context.delay().hold();
            let turn = tokio::select! {
                biased;
                turn = agent.governor.turn(|wait| context.tell(self.held_up(wait))) => Some(turn),
                () = context.delay().ended() => None,
            };
            drop(held_up);
            let Some(turn) = turn.filter(|_| !context.delay().is_withdrawn()) else {
                context.delay().give_up();
                return Err(self.out_of_time());
            };
            let stopped = || Trouble::new(FailureKind::Cancelled, format!("{} was stopped in its answer", agent.settings.model));
            if context.is_stopped() {
                return Err(stopped());
            }
            context.tell(Progress::Waiting(format!("waiting for {}", agent.settings.model)));
            let (sent_at, mut thinking) = (Instant::now(), false);
            heard.was_sent = true;
            let mut hear = |piece: Piece| match piece {
                Piece::Text(text) => {
                    heard.text.push_str(&text);
                    context.tell(Progress::Text(text));
                }
                Piece::Thought(thought) => {
                    heard.thoughts.push_str(&thought);
                    if !std::mem::replace(&mut thinking, true) {
                        context.tell(Progress::Waiting(format!("{} is thinking", agent.settings.model)));
                    }
                }
            };
            let answered = tokio::select! {
                biased;
                answered = agent.wire.chat(chat.clone(), &mut hear) => answered,
                _ = context.stopped() => Err(Trouble { may_cost: true, ..stopped() }),
            };
            let trouble = match answered {
                Ok(reply) => {
                    agent.governor.succeeded();
                    return Ok(reply);
                }
                Err(trouble) => trouble,
            };
            let Some(limited) = &trouble.limited else { return Err(trouble) };
            let until = agent.governor.refused(&turn, limited);
            // An answer that had begun was paid for: whether to pay again, the machine decides.
            if !heard.is_empty() || trouble.counted.is_some() {
                return Err(trouble);
            }
            context.delay().add(sent_at.elapsed());
            if self.is_too_late(until) {
                let message = format!("{}; the call may not take that long", trouble.failure.message);
                return Err(Trouble::new(FailureKind::RateLimited, message));
            }
        }
    }

    /// Whether somebody else is asked before then.
    fn is_too_late(&self, until: Instant) -> bool {
        self.context.waits_until().is_some_and(|last| until >= last.min(Instant::now() + PATIENCE))
    }

    /// The run has no more time, and nothing of the call is under way.
    fn out_of_time(&self) -> Trouble {
        let name = &self.agent.provider.name;
        let said = self.agent.governor.said().map_or(String::new(), |said| format!(": {said}"));
        let message = format!("{name} takes no calls{said}, and the time of the run is up — give the run more time, or use another model");
        Trouble::new(FailureKind::RateLimited, message)
    }

    fn held_up(&self, wait: Wait) -> Progress {
        let lasts = match wait {
            Wait::Until(moment) => Some(moment.saturating_duration_since(Instant::now())),
            Wait::Paced(..) | Wait::ForOthers => None,
        };
        Progress::HeldUp { by: self.agent.provider.name.clone(), line: self.why(wait), lasts }
    }

    fn why(&self, wait: Wait) -> String {
        let name = &self.agent.provider.name;
        match wait {
            Wait::Until(moment) => {
                let seconds = moment.saturating_duration_since(Instant::now()).as_secs_f64();
                let said = self.agent.governor.said().map_or(String::new(), |said| format!(": {said}"));
                format!("waiting for {name}, which takes no calls for {seconds:.1} s{said}")
            }
            Wait::Paced(spacing, _) => format!("waiting for {name}, which takes a call every {:.1} s", spacing.as_secs_f64()),
            Wait::ForOthers => format!("waiting for {name}, which is answering {} other calls", self.agent.governor.under_way()),
        }
    }

    /// Only what is new of the conversation goes on record; what was said before is on record before. What came to nothing is kept as well.
    fn record(&self, answer: &str, calls: &[ToolCall], finish: &str, usage: Usage) {
        let sent: Vec<Message> = self.messages.iter().skip(self.recorded).cloned().collect();
        self.context.record(Exchange::Model {
            provider: self.agent.provider.name.clone(),
            model: self.agent.settings.model.clone(),
            sent,
            answer: answer.to_string(),
            calls: calls.to_vec(),
            finish: finish.to_string(),
            usage,
        });
    }

    /// Some servers cut a prompt that does not fit, and answer what is left of it.
    async fn check_all_was_read(&self, count: Count, chat: &Chat, read: Option<u64>) -> Result<(), Failure> {
        let (agent, model) = (self.agent, &self.agent.settings.model);
        let is_ollama = agent.provider.kind == ProviderKind::Ollama;
        let Some(read) = read.filter(|read| *read > 0 && (is_ollama || agent.provider.kind == ProviderKind::OpenAiCompatible)) else {
            return Ok(());
        };
        let message = match (count.read(read, chat.context_tokens), chat.context_tokens) {
            (_, Some(context)) if read >= context => format!(
                "the prompt did not fit: {model} reads {context} tokens at most here, and the prompt fills them all — shorten it, or use a model with a longer context"
            ),
            (Reading::Whole, _) => return Ok(()),
            // A server of an unknown make may count as it likes.
            (Reading::Little, _) if !is_ollama => return Ok(()),
            (Reading::Little | Reading::TooLittle, _) if is_ollama && !agent.counts_all().await => return Ok(()),
            (Reading::Cut | Reading::Little | Reading::TooLittle, _) => format!(
                "the prompt was cut: {model} read {read} tokens of about {} — shorten it, or give the server a longer context",
                count.likely()
            ),
        };
        Err(Failure { kind: FailureKind::Configuration, message })
    }
}

/// What came of an answer while it was written.
#[derive(Default)]
struct Heard {
    /// The call has left us, whether or not anything came back.
    was_sent: bool,
    text: String,
    /// Paid for like the answer.
    thoughts: String,
}

impl Heard {
    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.thoughts.is_empty()
    }

    fn tokens(&self) -> u64 {
        tokens::likely(&self.text) + tokens::likely(&self.thoughts)
    }
}

fn failed(trouble: &Trouble) -> String {
    format!("failed: {}", trouble.failure.message)
}

/// What an answer took: as the server counted it, or as we do where it did not.
fn counted(reply: &Reply, count: Count, heard: &Heard) -> Usage {
    let calls: u64 = reply.calls.iter().map(|call| tokens::likely(&call.name) + tokens::likely(&call.arguments.to_string())).sum();
    Usage {
        tokens_in: reply.tokens_in.unwrap_or_else(|| count.likely()),
        tokens_out: reply.tokens_out.unwrap_or_else(|| heard.tokens() + calls),
        estimated: reply.tokens_in.is_none() || reply.tokens_out.is_none(),
        ..Usage::default()
    }
}
