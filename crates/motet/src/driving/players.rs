//! Who performs the calls of this process: agents, by the wall's time, or a case, by its own.

use std::sync::mpsc::Sender;

use motet_core::names::RunId;
use motet_host::{journal, wall_clock};
use tokio::runtime::Handle;

use super::{First, Signal};
use crate::casting::Casting;
use crate::cli::{Context, Failure};
use crate::performing::Performing;
use crate::playing::{Past, Play, latest};

#[derive(Clone)]
pub enum Players {
    Agents(Box<Performing>),
    Play(Play),
}

impl Players {
    /// Of a run that is about to be driven. A play is brought to where `past` says it is.
    pub fn new(
        runtime: &Handle,
        casting: &Casting,
        run: &RunId,
        past: &[Past],
        first: &First,
        signals: &Sender<Signal>,
        context: &Context,
    ) -> Result<Self, Failure> {
        let Some(pinned) = &casting.case else {
            return Ok(Players::Agents(Box::new(Performing::new(runtime.clone(), casting, signals.clone(), context.home.clone()))));
        };
        let now = latest(past).unwrap_or_else(|| wall_clock()());
        let play = Play::new(run.clone(), &pinned.read()?, &pinned.file, casting.pace.unwrap_or_default(), now, signals.clone());
        let was_stopped = matches!(first, First::Claim);
        play.recall(past, was_stopped).map_err(|(run, seq, why)| Failure::from(journal::Error::Replay { run, seq, why }))?;
        Ok(Players::Play(play))
    }
}
