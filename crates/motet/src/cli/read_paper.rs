//! `motet read-paper`: one paper in, its text out, in a process that may hang or die without harm.
//! People do not type it; the program starts itself with it.

use std::io;

use motet_evidence::extract::{Limits, serve};

use super::{Exit, Failure};

pub fn run() -> Result<Exit, Failure> {
    let served = serve(&mut io::stdin().lock(), &mut io::stdout().lock(), &Limits::default());
    served.map(|()| Exit::Ok).map_err(|error| Failure::failed(format!("the paper could not be passed on: {error}")))
}
