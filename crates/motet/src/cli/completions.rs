//! `motet completions`: what a shell needs to complete our commands.

use clap_complete::Shell;

use super::{Exit, Failure};

#[derive(clap::Args)]
pub struct Args {
    shell: Shell,
}

pub fn run(args: &Args, command: &mut clap::Command) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "motet", &mut script);
    super::output::line(String::from_utf8_lossy(&script).trim_end());
    Ok(Exit::Ok)
}
