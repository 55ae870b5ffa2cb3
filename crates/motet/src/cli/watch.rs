//! `motet watch`: follows a run that another process drives, as if it were driven here.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use motet_host::Store as _;
use motet_host::control::{self, Ask, Tell};
use motet_host::engine::Definitions;
use motet_host::store::DriverId;

use super::cost::untold;
use super::{Context, Exit, Failure, output, status};
use crate::home::{self, LAST, Mirror};
use crate::progress::Display;

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`
    #[arg(default_value = LAST)]
    run: String,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let (store, record) = context.home.open_for(&args.run)?;
    let Some(driver) = home::driver_of(&store, &record)? else {
        let (store, record, mirror) = status::look(context, record.id.as_str())?;
        status::show(context, &store, &record, &mirror)?;
        return Ok(Exit::of(&mirror.state));
    };
    follow(context, &record.id, &driver.id)
}

fn follow(context: &Context, run: &motet_core::names::RunId, driver: &DriverId) -> Result<Exit, Failure> {
    let ask = Ask::Subscribe { run: Some(run.clone()) };
    let mut told = control::subscribe(&context.home.directory, driver, &ask)?;
    // What happens from here on is told; what was before is read after that, so that nothing falls between.
    told.next().transpose()?;
    let mut mirror = load(context, run)?;
    let mut display = Display::new(context.json, context.paint, &mirror);
    if !context.json {
        output::line(format!("{run} is in {}; Ctrl-C stops watching, not the run", mirror.state.here.state));
    }
    let (sender, received) = channel();
    let reader = std::thread::Builder::new().name("motet-watch".into()).spawn(move || told.try_for_each(|one| sender.send(one)));
    reader.map_err(|error| Failure::failed(format!("the thread that watches could not be started: {error}")))?;
    while mirror.state.ended.is_none() && output::is_read() {
        match received.recv_timeout(Duration::from_millis(500)) {
            Ok(Ok(Tell::Event { event, .. })) => {
                let is_new = event.seq > mirror.state.seq;
                if !mirror.apply(&event) {
                    mirror = load(context, run)?;
                } else if is_new {
                    display.advanced(&mirror, &event);
                }
            }
            Ok(Ok(Tell::Refused { why })) => return Err(Failure::failed(why)),
            Ok(Ok(_)) | Err(RecvTimeoutError::Timeout) => {}
            // The driver has ended, or we were too slow to follow it.
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => break,
        }
        display.draw(&mirror);
    }
    if !output::is_read() {
        return Ok(Exit::Ok);
    }
    mirror = load(context, run)?;
    let exit = Exit::of(&mirror.state);
    display.end(&mirror, &context.home, exit, untold::of_named(context, run));
    Ok(exit)
}

fn load(context: &Context, run: &motet_core::names::RunId) -> Result<Mirror, Failure> {
    let (store, record) = context.home.open_for(run.as_str())?;
    let record = store.run(run)?.unwrap_or(record);
    Mirror::load(&store, &record, &Definitions::new(context.library()))
}
