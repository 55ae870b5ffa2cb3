//! `motet relay-tools`: a tool server for a coding agent that was given only some of its tools.
//! People do not type it; the agent is told to start it.

use std::io::{self, BufReader};

use super::{Exit, Failure};

#[derive(clap::Args)]
pub struct Args {
    /// A tool that may be listed and called; may be given several times
    #[arg(long, value_name = "TOOL")]
    allow: Vec<String>,
    /// The server's program and its arguments
    #[arg(last = true, required = true)]
    server: Vec<String>,
}

/// The first words of the program that stands between.
pub fn words() -> Vec<String> {
    let this = std::env::current_exe().map_or_else(|_| "motet".into(), |path| path.to_string_lossy().into_owned());
    vec![this, "relay-tools".into()]
}

pub fn run(args: &Args) -> Result<Exit, Failure> {
    let relayed = motet_agents::mcp::relay(&args.server, &args.allow, BufReader::new(io::stdin()), io::stdout());
    match relayed {
        Ok(0) => Ok(Exit::Ok),
        Ok(code) => Err(Failure::failed(format!("`{}` ended with exit code {code}", args.server.join(" ")))),
        Err(error) => Err(Failure::failed(format!("`{}` cannot be started: {error}", args.server.join(" ")))),
    }
}
