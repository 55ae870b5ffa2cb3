//! A search tool of a server as one more source: the question goes into its argument, its answer is read for addresses.
//! What it says is a stranger's word: pages are fetched and archived by us before anyone quotes them.

use std::path::PathBuf;
use std::sync::Arc;

use motet_agents::mcp::Servers;
use motet_agents::{Context, Redactor, Toolbox as _};
use motet_evidence::source::{Custom, SearchOutcome, Source, SourceKind, read_answer, refused};
use serde_json::{Map, Value};

/// Where the servers are, and what surrounds their calls.
#[derive(Clone)]
pub struct Workplace {
    pub servers: Servers,
    /// Below it the servers' own words are logged.
    pub directory: Option<PathBuf>,
    pub redactor: Redactor,
}

/// `tool` is `server.tool`.
pub fn search_tool(tool: &str, argument: &str, workplace: &Workplace) -> Arc<dyn Source> {
    let (tool, argument, workplace) = (tool.to_string(), argument.to_string(), workplace.clone());
    let name = tool.clone();
    Arc::new(Custom::new(name, SourceKind::Tool, move |query| {
        let (tool, argument, workplace) = (tool.clone(), argument.clone(), workplace.clone());
        async move {
            let toolbox = workplace.servers.toolbox(std::slice::from_ref(&tool));
            let toolbox = match toolbox {
                Ok(toolbox) => toolbox,
                Err(failure) => return SearchOutcome::NotConfigured { reason: failure.message },
            };
            let (context, _stop) = Context::new();
            let context = context.redacting(workplace.redactor.clone());
            let context = match workplace.directory {
                Some(directory) => context.in_run_directory(directory),
                None => context,
            };
            let arguments = Value::Object(Map::from_iter([(argument, Value::String(query.text))]));
            let answer = toolbox.call(&tool, arguments, &context).await;
            match answer.is_error {
                true => refused(&workplace.redactor.string(answer.text)),
                false => read_answer(&answer.text),
            }
        }
    }))
}
