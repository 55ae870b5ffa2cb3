//! Where a new run may look for evidence: the settings, and what its command line adds; refused if any of it cannot be had.
//! Nothing is searched here.

use std::path::PathBuf;
use std::sync::Arc;

use motet_core::Definition;
use motet_core::definition::{Agent, Does};

use super::{Context, Failure, output};
use crate::casting::{Backend, Casting, family};
use crate::config::{Config, Sources};
use crate::researching::{Evidence, is_own};

/// The folders are looked at now: one that is not there would be missed only when it is searched.
pub fn evidence(docs: &[PathBuf], web: bool, no_web: bool, config: &Config, context: &Context) -> Result<Evidence, Failure> {
    let mut documents = Vec::new();
    let named = docs.iter().map(|given| (context.directory.join(given), format!("--docs {}", given.display())));
    let configured = config.sources.documents.iter().map(|(path, origin)| (path.clone(), format!("{origin}: {}", path.display())));
    for (path, shown) in configured.chain(named) {
        let found = std::fs::canonicalize(&path).map_err(|_| Failure::invalid(format!("{shown}: there is no such folder")))?;
        if !found.is_dir() {
            let folder = found.parent().unwrap_or(&found).display().to_string();
            return Err(Failure::invalid(format!("{shown}: is a file; documents are searched by the folder"))
                .help(format!("name the folder that it is in: {folder}")));
        }
        if !documents.contains(&found) {
            documents.push(found);
        }
    }
    let sources = if no_web { Sources::default() } else { config.sources.clone() };
    // The run keeps them above, with those of its command line.
    let evidence = Evidence { documents, web, sources: Sources { documents: Vec::new(), ..sources } };
    match evidence.without_key().as_slice() {
        [] => Ok(evidence),
        missing => Err(Failure::invalid(missing.join("\n       "))
            .help("put the key there, take the service out of [sources], or run with `--no-web`")),
    }
}

/// A run that needs evidence and has no source is told so; one that only takes what there is works without. Where a model's answers
/// count only with evidence it is not even started: every answer would be paid for and thrown away.
pub fn look(casting: &Casting, definition: &Arc<Definition>, context: &Context) -> Result<(), Failure> {
    let family = family(definition, &context.library());
    let wants = |agent: &&Agent| match &agent.gather {
        Some(gather) => gather.grounds.is_some(),
        None => agent.model.tools.iter().any(|tool| is_own(tool)),
    };
    let prompted = |agent: &&Agent| matches!(agent.does, Does::Prompt(_));
    let wanting: Vec<&Agent> = family.iter().flat_map(|definition| definition.agents.values().filter(prompted).filter(wants)).collect();
    if wanting.is_empty() || !casting.evidence.is_empty() {
        return Ok(());
    }
    let is_model = |agent: &Agent| casting.part(&agent.role).is_some_and(|part| matches!(part.link.backend, Backend::Model(_)));
    let is_grounded = |agent: &Agent| agent.gather.as_ref().is_some_and(|gather| gather.grounds.is_some());
    const WAYS: &str =
        "`--docs DIR` searches a folder of yours, `--web` the public services that need no key; [sources] in motet.toml names more";
    if let Some(agent) = wanting.iter().find(|agent| is_grounded(agent) && is_model(agent)) {
        let why = format!("{} has nothing to search: what `{}` finds counts only if it stands in a source", definition.name, agent.name);
        return Err(Failure::invalid(why).help(WAYS));
    }
    let line = format!("no source: {} has nothing to search, and can only tell what is missing ({WAYS})", definition.name);
    match context.json {
        true => output::json(&serde_json::json!({ "type": "notice", "text": line })),
        false => output::line(format!("{line}\n")),
    }
    Ok(())
}
