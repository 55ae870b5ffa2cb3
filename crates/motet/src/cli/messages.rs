//! `motet messages`: what the agents of a run told each other.

use motet_core::view::shown::dated;

use super::{Context, Exit, Failure, Tone, output, status};
use crate::home::LAST;
use crate::progress::words;

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`
    #[arg(default_value = LAST)]
    run: String,
    /// Only what this agent received
    #[arg(long, value_name = "AGENT")]
    inbox: Option<String>,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let (_, record, mirror) = status::look(context, &args.run)?;
    if let Some(agent) = args.inbox.as_ref().filter(|agent| !mirror.definition.agents.contains_key(agent.as_str())) {
        let agents: Vec<&str> = mirror.definition.agents.keys().map(|name| name.as_str()).collect();
        let known = mirror.state.messages.iter().any(|message| message.to == *agent);
        if !known {
            return Err(
                Failure::invalid(format!("{} has no agent `{agent}`", record.workflow)).help(format!("its agents: {}", agents.join(", ")))
            );
        }
    }
    let messages = mirror.state.messages.iter().filter(|message| args.inbox.as_ref().is_none_or(|agent| message.to == *agent));
    let mut shown = 0;
    for message in messages {
        shown += 1;
        if context.json {
            output::json(&dated(message));
            continue;
        }
        let subject = if message.subject.is_empty() { message.kind.clone() } else { format!("{} ({})", message.subject, message.kind) };
        let head = format!("{} → {}: {subject}", message.from, message.to);
        output::line(format!("{}  {}", context.paint.text(Tone::Quiet, &message.at.to_string()), context.paint.text(Tone::Strong, &head)));
        words::outline(&message.body).iter().for_each(|line| output::line(format!("    {line}")));
    }
    if shown == 0 && !context.json {
        output::line("no messages");
    }
    Ok(Exit::Ok)
}
