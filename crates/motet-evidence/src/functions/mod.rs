//! What a workflow may call by name: facts audited, a report verified, a report printed and measured. Plain JSON goes in and comes out.
//! Nothing is fetched and nothing is written. The archive of a run is read where there is one; else the facts' own quotations stand for it.

mod audit;
mod disputes;
mod given;
mod heading;
mod layout;
mod packing;
mod plain;
mod printing;
mod publishing;
mod rating;
mod shelf;
mod transition;
mod unreached;
mod verification;

#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::Value;

/// Of an input and, in a real run, of the directory in which its `assets/` lie. The error says what is wrong with the input.
pub type Function = fn(&Value, Option<&Path>) -> Result<Value, String>;

/// In alphabetical order.
pub const TABLE: &[(&str, Function)] =
    &[("evidence.audit", audit::audit), ("evidence.verify", verification::verify), ("report.publish", publishing::publish)];
