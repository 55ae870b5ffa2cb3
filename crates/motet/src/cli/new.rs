use super::{Context, Exit};
#[derive(clap::Args)]
pub struct Args {}
pub fn run(_args: &Args, _context: &Context) -> Exit {
    Exit::Ok
}
