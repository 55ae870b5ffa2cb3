//! Settings of roles and workflows that nobody has: more likely a mistake of typing than meant for a workflow that is yet to come.
//! They are told and never refused, since a file may serve several projects.

use std::collections::BTreeSet;

use motet_core::diagnostic::nearest;

use super::Context;
use crate::casting::roles;
use crate::config::{Config, EVERYBODY};

/// The roles of every workflow that is there. None: some workflow cannot be read, so that nobody can say which roles there are.
pub fn known_roles(context: &Context) -> Option<BTreeSet<String>> {
    let library = context.library();
    let loaded: Result<Vec<_>, _> = library.names().map(|name| library.load(name).map(|loaded| loaded.definition)).collect();
    Some(roles(&loaded.ok()?).into_iter().filter(|(_, is_played)| *is_played).map(|(role, _)| role).collect())
}

/// Each with where it was said and what was probably meant.
pub fn strays(config: &Config, context: &Context) -> Vec<String> {
    let named: Vec<String> = config.settings.names("agents").into_iter().filter(|role| role != EVERYBODY).collect();
    let mut told = Vec::new();
    if !named.is_empty()
        && let Some(known) = known_roles(context)
    {
        for role in named.iter().filter(|role| !known.contains(*role)) {
            let origin = config.settings.of("agents", role).settings.into_values().next().map(|setting| setting.origin.to_string());
            let help = meant(role, known.iter().map(String::as_str));
            told.push(format!(
                "{}: no workflow here has the role `{role}`, so [agents.{role}] says nothing{help}",
                origin.unwrap_or_default()
            ));
        }
    }
    let library = context.library();
    for workflow in config.budget.per_workflow.keys().filter(|name| !library.names().any(|known| known == *name)) {
        let origin = config.settings.setting(&["budget", "per_workflow"]).map(|setting| setting.origin.to_string());
        let help = meant(workflow, library.names());
        told.push(format!("{}: there is no workflow `{workflow}` here, so its budget limits nothing{help}", origin.unwrap_or_default()));
    }
    told
}

fn meant<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
}
