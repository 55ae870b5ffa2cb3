//! Whether a program speaks the protocol: it is started, greeted and ended. It is given no task, so nothing is spent.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use motet_core::event::{Failure, FailureKind};
use tokio::process::Command;

use super::lines::transport;
use super::session::hello;
use crate::command::child::{Companion, how_status};
use crate::command::shown;
use crate::context::Context;
use crate::permission::Permissions;
use crate::redaction::Redactor;

/// What a program answers to a greeting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// What it calls itself, with its version, if it says so.
    pub name: Option<String>,
    pub latency_ms: u64,
}

/// Greets the program in this directory. One that does not answer within `patience` does not speak the protocol, or waits for something.
pub async fn probe(words: &[String], directory: &Path, patience: Duration) -> Result<Greeting, Failure> {
    let wrong = |message: String| Failure { kind: FailureKind::Configuration, message };
    let Some((program, arguments)) = words.split_first() else { return Err(wrong("the command is empty".into())) };
    let context = Context::new().0.working_in(directory);
    let mut command = Command::new(context.program(program));
    command.args(arguments).current_dir(directory);
    let (companion, stdin, stdout) = Companion::start(command, None, None, &Redactor::default())?;
    let begun = Instant::now();
    let greeting = Client.v1().name("motet").connect_with(
        transport(stdin, stdout, Arc::default(), &Redactor::default(), &context),
        async move |connection: ConnectionTo<agent_client_protocol::Agent>| {
            connection.send_request(hello(Permissions::Ask)).block_task().await
        },
    );
    let greeted = tokio::time::timeout(patience, greeting).await;
    let latency_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let stderr = companion.stderr();
    let status = companion.end().await;
    let quoted = match stderr.last_words() {
        words if words.is_empty() => String::new(),
        words => format!(": {words}"),
    };
    match (greeted, status) {
        (Ok(Ok(answer)), _) => {
            let name = answer.agent_info.map(|about| format!("{} {}", about.name, about.version).trim().to_string());
            Ok(Greeting { name: name.filter(|name| !name.is_empty()), latency_ms })
        }
        (Ok(Err(_)), Some(status)) if !status.success() => Err(wrong(format!("`{}` {}{quoted}", shown(words), how_status(status)))),
        (Ok(Err(error)), _) => {
            Err(wrong(format!("`{}` does not speak the Agent Client Protocol: {}{quoted}", shown(words), error.message)))
        }
        (Err(_), _) => Err(wrong(format!(
            "`{}` does not answer a greeting of the Agent Client Protocol within {} s{quoted}; does it speak it?",
            shown(words),
            patience.as_secs()
        ))),
    }
}
