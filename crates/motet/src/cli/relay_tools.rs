//! `motet relay-tools`: stands between a coding agent and a tool server of which it was given some tools, or all, and writes down each call.
//! People do not type it; the agent is told to start it.

use std::io;
use std::path::PathBuf;

use motet_agents::mcp::{self, Given, Relay};
use motet_agents::{Redactor, Secret};

use super::{Exit, Failure};

#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("given").required(true).args(["allow", "all"])))]
#[command(group(clap::ArgGroup::new("behind").required(true).args(["http", "program"])))]
pub struct Args {
    /// What the server is called
    #[arg(long, value_name = "NAME")]
    server: String,
    /// The file in which each call is written down; it must be there
    #[arg(long, value_name = "FILE")]
    record: PathBuf,
    /// A tool that may be listed and called; may be given several times
    #[arg(long, value_name = "TOOL")]
    allow: Vec<String>,
    /// Every tool may be listed and called
    #[arg(long)]
    all: bool,
    /// A variable whose value is never written down; may be given several times
    #[arg(long, value_name = "VARIABLE")]
    secret: Vec<String>,
    /// The variable that says where a server over http is
    #[arg(long, value_name = "VARIABLE")]
    http: Option<String>,
    /// The server's program and its arguments
    #[arg(last = true)]
    program: Vec<String>,
}

/// The first words of the program that stands between.
pub fn words() -> Vec<String> {
    let this = std::env::current_exe().map_or_else(|_| "motet".into(), |path| path.to_string_lossy().into_owned());
    vec![this, "relay-tools".into()]
}

pub fn run(args: &Args) -> Result<Exit, Failure> {
    let given = if args.all { Given::Everything } else { Given::Only(args.allow.clone()) };
    let redaction = Redactor::new(args.secret.iter().filter_map(|name| std::env::var(name).ok()).map(Secret::new));
    let unwritten = |error| Failure::failed(format!("what is called cannot be written down in {}: {error}", args.record.display()));
    let relay = |redaction: &Redactor| Relay::new(given, &args.record, redaction).map_err(unwritten);
    match &args.http {
        Some(variable) => {
            let said = std::env::var(variable).map_err(|_| Failure::failed(format!("the variable {variable} is not set")))?;
            let server = mcp::read_address(&args.server, &said).map_err(|failure| Failure::failed(failure.message))?;
            // An agent starts its servers with few variables, so that nobody else here knows them.
            motet_agents::hide(server.secrets());
            let relay = relay(&server.redaction())?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| Failure::failed(format!("nothing can be relayed: {error}")))?;
            let relayed = runtime.block_on(relay.to_server(server, io::stdin(), io::stdout()));
            relayed.map(|()| Exit::Ok).map_err(|failure| Failure::failed(failure.message))
        }
        None => match relay(&redaction)?.to_program(&args.program, io::stdin(), io::stdout()) {
            Ok(0) => Ok(Exit::Ok),
            Ok(code) => Err(Failure::failed(format!("`{}` ended with exit code {code}", args.program.join(" ")))),
            Err(error) => Err(Failure::failed(format!("`{}` cannot be started: {error}", args.program.join(" ")))),
        },
    }
}
