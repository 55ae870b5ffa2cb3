//! `motet tools`: what servers of tools offer.

use super::{Context, Exit, Failure};

#[derive(clap::Args)]
pub struct Args {
    /// Only this server
    server: Option<String>,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let _ = (&args.server, context);
    Ok(Exit::Ok)
}
