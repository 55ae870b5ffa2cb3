//! `motet completions`: what a shell needs to complete our commands.

use clap_complete::Shell;

use super::{Context, Exit, Failure};

#[derive(clap::Args)]
pub struct Args {
    shell: Shell,
}

pub fn run(args: &Args, command: &mut clap::Command, context: &Context) -> Result<Exit, Failure> {
    if context.json {
        return Err(Failure::invalid("a shell reads no JSON").help("leave `--json` away"));
    }
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "motet", &mut script);
    super::output::data(String::from_utf8_lossy(&script).trim_end());
    Ok(Exit::Ok)
}
