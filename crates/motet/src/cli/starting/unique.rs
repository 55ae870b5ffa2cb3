//! An input that a workflow calls unique is given to one run only: a number that people keep elsewhere must not mean two things.
//! Numbers that a workflow makes up by itself are its own affair.

use motet_core::Definition;
use motet_core::event::Fact;
use motet_host::journal;
use motet_host::store::{Filter, Store as _};
use serde_json::Value;

use super::{Context, Failure};

/// Refused if a run of the same workflow was started with the same.
pub fn unique(definition: &Definition, input: &Value, context: &Context) -> Result<(), Failure> {
    let properties = definition.input.json.get("properties").and_then(Value::as_object).into_iter().flatten();
    let wanted = properties.filter(|(_, schema)| schema["unique"] == true).map(|(name, _)| (name.as_str(), &input[name.as_str()]));
    let given: Vec<(&str, &Value)> = wanted.filter(|(_, value)| !value.is_null() && *value != "").collect();
    if given.is_empty() {
        return Ok(());
    }
    let Some(store) = context.home.open()? else { return Ok(()) };
    for record in store.runs(&Filter { workflow: Some(definition.name.clone()), ..Filter::default() })? {
        // A fork goes on with what the run that it comes from was given.
        let Some(first) = journal::first_event(&store, &record.id)?.filter(|_| record.fork.is_none()) else { continue };
        let Fact::RunStarted(started) = &first.fact else { continue };
        if let Some((name, value)) = given.iter().find(|(name, value)| started.input.get(*name) == Some(*value)) {
            let shown = value.as_str().map_or_else(|| value.to_string(), String::from);
            return Err(Failure::invalid(format!("`{name}` is {shown}, which is run {} already", record.id))
                .help("give another one, or leave it out"));
        }
    }
    Ok(())
}
