//! Whether everybody who plays in a run could begin at once: keys are there, programs are found, servers listen.
//! It asks no model anything, and tells no way out that only a new run has.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use motet_agents::model::ProviderKind;
use motet_core::Definition;
use tokio::time::timeout;

use super::{Context, Failure, output};
use crate::casting::{self, Backend, Casting, ModelBinding, Part, PinnedCase, Workshop, family};
use crate::library::Loaded;

/// How long a server may take to say that it is there before people are told.
const UNTOLD: Duration = Duration::from_secs(1);

/// What keeps a run from being driven.
struct Obstacle {
    why: String,
    /// The role that nobody can play, if it is one.
    role: Option<String>,
}

/// A model that cannot be reached is said before the run starts, not after its retries. One that another stands in for is not asked.
pub fn reach(casting: &Casting, loaded: &Loaded, context: &Context) -> Result<(), Failure> {
    for definition in family(&loaded.definition, &context.library()) {
        require_repository(casting, &definition, &context.home.project)?;
    }
    obstacle(casting, &loaded.definition, context).map_or(Ok(()), |obstacle| {
        let mut failure = Failure::invalid(obstacle.why);
        if let Some(role) = obstacle.role {
            failure = failure.help(format!("`--agent {role}=…` chooses another; `motet doctor` tells what works here"));
        }
        if PinnedCase::demo(&loaded.folder).is_some() {
            failure = failure.help(format!("`motet run {} --demo` plays a case, without a model", loaded.definition.name));
        }
        Err(failure)
    })
}

/// The same for a run that keeps its players, before it is driven on: what is missing now would end it for good.
pub fn reach_again(casting: &Casting, definition: &Arc<Definition>, context: &Context) -> Result<(), Failure> {
    if casting.case.is_some() {
        return Ok(());
    }
    let without_key = casting.evidence.without_key();
    let obstacle = match without_key.is_empty() {
        true => obstacle(casting, definition, context).map(|obstacle| obstacle.why),
        false => Some(without_key.join("\n       ")),
    };
    obstacle.map_or(Ok(()), |why| {
        Err(Failure::invalid(why).help("a run keeps the players it was started with; `motet doctor` tells what works here"))
    })
}

fn obstacle(casting: &Casting, definition: &Arc<Definition>, context: &Context) -> Option<Obstacle> {
    let family = family(definition, &context.library());
    let parts: BTreeMap<&str, &Part> = family.iter().flat_map(|definition| casting.parts_of(definition)).collect();
    let workshop = Workshop::new(&casting.tools);
    let mut looked_at: Vec<&ModelBinding> = Vec::new();
    for (role, part) in parts.into_iter().filter(|(_, part)| part.fallback.is_empty()) {
        if let Err(failure) = casting::playable(&part.link.backend).and_then(|()| workshop.equips(&part.link.backend, part)) {
            return Some(Obstacle { why: format!("nobody can play `{role}`: {}", failure.message), role: Some(role.to_string()) });
        }
        if let Backend::Model(binding) = &part.link.backend
            && !looked_at.iter().any(|other| tell_the_same(other, binding))
        {
            looked_at.push(binding);
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let found = runtime.block_on(join_all(looked_at.into_iter().map(|binding| look(binding, context))));
    found.into_iter().flatten().next().map(|failure| Obstacle { why: failure.message, role: None })
}

/// Of Ollama it is asked which models it has, of others only whether they are there.
fn tell_the_same(one: &ModelBinding, other: &ModelBinding) -> bool {
    one.provider == other.provider && (one.model == other.model || one.provider.kind != ProviderKind::Ollama)
}

/// Nobody waits for long without being told what for.
async fn look(binding: &ModelBinding, context: &Context) -> Option<motet_core::event::Failure> {
    let mut looking = pin!(casting::obstacle(binding));
    match timeout(UNTOLD, &mut looking).await {
        Ok(found) => found,
        Err(_) => {
            output::notice(&format!("waiting for {} to say that it is there", binding.provider.name), context);
            looking.await
        }
    }
}

/// Whether the project can give worktrees is known now, and not only once something has been paid for.
fn require_repository(casting: &Casting, definition: &Definition, project: &Path) -> Result<(), Failure> {
    let changes_files = |role: &str| casting.part(role).is_some_and(|part| part.link.backend.changes_files());
    let agents = definition.agents.values().filter(|agent| agent.works_in.is_some() && changes_files(&agent.role));
    let roles: BTreeSet<&str> = agents.map(|agent| agent.role.as_str()).collect();
    if roles.is_empty() {
        return Ok(());
    }
    let roles: Vec<&str> = roles.into_iter().collect();
    let refused = |failure: motet_core::event::Failure| {
        Failure::invalid(failure.message).help(format!(
            "{} of {} change files, each task in a worktree of its own",
            roles.join(", "),
            definition.name
        ))
    };
    motet_agents::worktree::usable(project).map_err(refused)
}
