//! `motet log`: the journal in words, what happened and what followed from it.
//! Only what happened is written down; what followed is worked out again here by the same machine.

use std::collections::BTreeSet;

use motet_core::Fact;
use motet_core::names::TaskId;
use motet_host::engine::Definitions;
use motet_host::store::RunRecord;
use motet_host::{Sqlite, journal};
use serde_json::{Value, json};

use super::{Context, Exit, Failure, Tone, output};
use crate::home::LAST;
use crate::progress::{self, Followed, Length, Narrator};
use crate::stand_in::StandIn;

/// What is shown as it is written differs from what all else says of money and time.
const AS_JOURNALED: &str = "\
With --json, `event` and `exchange` are as the journal has them, and so are --events:
money in millionths of a dollar, moments in milliseconds since 1970. All else is in dollars and RFC 3339.";

#[derive(clap::Args)]
#[command(after_help = AS_JOURNALED)]
pub struct Args {
    /// The run, the beginning of its id, or `last`
    #[arg(default_value = LAST)]
    run: String,
    /// Every line of what people edited, and not only the first few
    #[arg(long, short, conflicts_with_all = ["events", "exchanges"])]
    verbose: bool,
    /// The events as they are written, one per line
    #[arg(long)]
    events: bool,
    /// What was said to models, tools and coding agents and what they answered, word for word
    #[arg(long, conflicts_with = "events")]
    exchanges: bool,
    /// With --exchanges: only of this task
    #[arg(long, value_name = "TASK", requires = "exchanges")]
    task: Option<String>,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let (store, record) = context.home.open_for(&args.run)?;
    if args.events {
        // Without the machine, so that a journal that no longer replays can be read too.
        for event in journal::events(&store, &record.id, 0)? {
            output::json(&event);
        }
        return Ok(Exit::Ok);
    }
    if args.exchanges {
        return exchanges(&store, &record, args, context);
    }
    let mut narrator = Narrator::default();
    let width = record.seq.to_string().len();
    let paint = context.paint;
    let length = if args.verbose { Length::Whole } else { Length::Short };
    journal::replay(&store, &record, &Definitions::new(context.library()), u64::MAX, |_, state, event| {
        let told = narrator.tell(event, state);
        if context.json {
            let followed: Vec<_> = told.followed.iter().map(Followed::text).collect();
            let (seq, at, what, entered) = (told.seq, told.at.to_string(), &told.what, &told.entered);
            output::json(&json!({ "seq": seq, "at": at, "told": what, "entered": entered, "followed": followed, "event": event }));
            return;
        }
        let stamp = format!("{} {:>width$}", clock(&told.at.to_string()), told.seq);
        progress::lines(&told, &stamp, paint, length).into_iter().for_each(output::line);
    })?;
    if !context.json && record.ended_at.is_none() {
        output::line(paint.text(Tone::Quiet, "… the run is open"));
    }
    Ok(Exit::Ok)
}

fn exchanges(store: &Sqlite, record: &RunRecord, args: &Args, context: &Context) -> Result<Exit, Failure> {
    let is_wanted = |task: &TaskId| args.task.as_deref().is_none_or(|wanted| wanted == task.as_str());
    let mut shown = 0;
    let mut unheard = BTreeSet::new();
    for event in journal::events(store, &record.id, 0)? {
        if let Fact::TaskStarted { task, attempt } = &event.fact
            && is_wanted(task)
        {
            unheard.insert((task.clone(), *attempt));
        }
        for (task, attempt, exchanges) in said(&event.fact) {
            if !matches!(event.fact, Fact::TaskInterrupted { .. }) {
                unheard.remove(&(task.clone(), attempt));
            }
            for exchange in exchanges.iter().filter(|_| is_wanted(task)) {
                shown += 1;
                match context.json {
                    true => output::json(&json!({ "seq": event.seq, "task": task, "attempt": attempt, "exchange": exchange })),
                    false => print_exchange(&format!("{task}, attempt {attempt}"), exchange, context),
                }
            }
        }
    }
    if shown == 0 && !context.json {
        let of = args.task.as_deref().map_or(String::new(), |task| format!(" for {task}"));
        output::line(format!("nothing is on record that was said to a model, a tool or a coding agent{of}"));
    }
    if !unheard.is_empty() && !context.json {
        let of = unheard.iter().map(|(task, attempt)| format!("{task}, attempt {attempt}")).collect::<Vec<_>>().join("; ");
        let note = format!("of attempts that are still at work, or whose process was killed, what was said last is not on record: {of}");
        output::line(context.paint.text(Tone::Quiet, &note));
    }
    Ok(Exit::Ok)
}

/// What the fact keeps of what was said in which attempts.
fn said(fact: &Fact) -> Vec<(&TaskId, u32, &[Value])> {
    match fact {
        Fact::TaskSucceeded { task, attempt, exchanges, .. }
        | Fact::TaskFailed { task, attempt, exchanges, .. }
        | Fact::TaskAsked { task, attempt, exchanges, .. }
        | Fact::TaskInterrupted { task, attempt, exchanges, .. } => vec![(task, *attempt, exchanges)],
        Fact::TaskFoundUndone { task, attempt } => vec![(task, *attempt, &[])],
        Fact::Cancelled { last_words, .. } => last_words.iter().map(|words| (&words.task, words.attempt, &words.exchanges[..])).collect(),
        _ => Vec::new(),
    }
}

fn print_exchange(whose: &str, exchange: &Value, context: &Context) {
    if let Some(stand_in) = StandIn::among(std::slice::from_ref(exchange)) {
        let told = stand_in.told("answers");
        return output::line(format!("{} · {told}\n", context.paint.text(Tone::Strong, whose)));
    }
    let text =
        |field: &str| exchange.get(field).map(|value| value.as_str().map_or_else(|| value.to_string(), String::from)).unwrap_or_default();
    let part = |who: &str, what: &str| {
        output::line(context.paint.text(Tone::Quiet, &format!("── {who}")));
        output::line(what);
    };
    let with = [text("provider"), text("model"), text("agent"), text("name")].into_iter().filter(|part| !part.is_empty());
    let seen = if exchange["is_relayed"] == true { ", seen by a relay" } else { "" };
    output::line(format!("{} · {}{seen}", context.paint.text(Tone::Strong, whose), with.collect::<Vec<_>>().join(" ")));
    match exchange.get("sent").and_then(Value::as_array) {
        Some(messages) => messages.iter().for_each(|message| {
            part(message["role"].as_str().unwrap_or("sent"), message["content"].as_str().unwrap_or_default());
        }),
        None if exchange.get("arguments").is_some() => part("arguments", &text("arguments")),
        None => part("sent", &text("sent")),
    }
    // What came to nothing says why instead.
    let failed = exchange["finish"].as_str().and_then(|finish| finish.strip_prefix("failed: "));
    let calls = exchange.get("calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if (failed.is_none() && calls.is_empty()) || !text("answer").is_empty() {
        part("answer", &text("answer"));
    }
    for call in calls {
        part(&format!("asks for {}", call["name"].as_str().unwrap_or("a tool")), &written(call));
    }
    if let Some(why) = failed {
        part("failed", why);
    }
    if let Some(ending) = ending(exchange) {
        output::line(context.paint.text(Tone::Quiet, &format!("── {}", ending)));
    }
    output::line("");
}

/// The arguments of a tool, as the model wrote them where they cannot be read.
fn written(call: &Value) -> String {
    call["unreadable"].as_str().map_or_else(|| call["arguments"].to_string(), String::from)
}

/// Why a model stopped, and how many tokens it read and wrote: `stop: length, 10+5 tokens`. Whoever has no such reason has none.
fn ending(exchange: &Value) -> Option<String> {
    let usage = exchange.get("usage")?;
    let count = |key: &str| usage[key].as_u64().unwrap_or(0);
    let counted = if usage["estimated"] == true { "~" } else { "" };
    let tokens = format!("{counted}{}+{} tokens", count("tokens_in"), count("tokens_out"));
    match exchange["finish"].as_str() {
        Some(finish) if finish.starts_with("failed: ") => (count("tokens_in") + count("tokens_out") > 0).then_some(tokens),
        Some(finish) => Some(format!("stop: {finish}, {tokens}")),
        None => Some(tokens),
    }
}

/// `2026-11-15 20:00:27.005` without the parts that are the same on every line's end.
fn clock(moment: &str) -> String {
    let moment = moment.trim_end_matches('Z').replacen('T', " ", 1);
    if moment.contains('.') { moment } else { format!("{moment}.000") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(exchange: Value, expected: Option<&str>) {
        assert_eq!(ending(&exchange).as_deref(), expected, "{exchange}");
    }

    #[test]
    fn it_is_told_why_a_model_stopped_and_what_it_took() {
        let usage = json!({ "tokens_in": 10, "tokens_out": 5 });
        check(json!({ "with": "model", "finish": "length", "usage": usage }), Some("stop: length, 10+5 tokens"));
        check(json!({ "with": "conversation", "usage": { "tokens_in": 1, "estimated": true } }), Some("~1+0 tokens"));
        check(json!({ "with": "model", "finish": "failed: no", "usage": {} }), None);
        check(json!({ "with": "model", "finish": "failed: cut", "usage": usage }), Some("10+5 tokens"));
        check(json!({ "with": "tool", "name": "files.read" }), None);
    }
}
