//! One word to a run from outside: to the process that drives it, or into its journal if none does.
//! Going on with it is the business of others.

use motet_core::names::RunId;
use motet_host::engine::Command;
use motet_host::store::RunRecord;

use super::{Context, Failure};
use crate::home;
use crate::{driving, given};

/// Who has the command now.
pub enum Told {
    Driver { pid: u32 },
    Recorded { root: RunId, is_open: bool },
}

pub fn tell(context: &Context, record: &RunRecord, command: Command) -> Result<Told, Failure> {
    let (store, record) = context.home.open_for(record.id.as_str())?;
    let command = (record.id.clone(), command);
    if let Some(driver) = home::driver_of(&store, &record)? {
        given::send(&context.home, &driver, [command])?;
        return Ok(Told::Driver { pid: driver.pid });
    }
    let root = home::root(&store, &record)?.id;
    drop(store);
    let mirror = driving::apply(context, driving::open_existing(context, &root)?, vec![command])?;
    Ok(Told::Recorded { root, is_open: mirror.state.ended.is_none() })
}
