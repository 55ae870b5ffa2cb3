//! What must hold before a run starts: its models can be reached, its sources are there, and its money is known.
//! It starts nothing.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use motet_core::Definition;
use motet_core::event::{FailureKind, Price};
use motet_core::units::Usd;
use serde_json::Value;

use super::{Context, Failure, output};
use crate::casting::{self, Backend, Casting, PinnedCase, Unpriced};
use crate::config::{Config, Protocol};
use crate::library::Loaded;
use crate::spending::{Admission, Spending};
pub use sources::{evidence, look};

/// What a run may spend, and what its agents cost.
pub struct Money {
    /// None: as the workflow says.
    pub cap: Option<Usd>,
    pub prices: BTreeMap<String, Price>,
    /// Held until the run stands in the database.
    pub admission: Admission,
}

/// The least of what applies. A run under a cap whose agents have no price is refused: nothing could be reserved for them.
pub fn money(
    context: &Context,
    config: &Config,
    definition: &Definition,
    casting: &Casting,
    input: &Value,
    wished: Option<Usd>,
) -> Result<Money, Failure> {
    let declared = definition.declared_cost(input);
    // What is said for this run counts over what is said for every run and for every run of the workflow.
    let base = wished.or_else(|| declared.into_iter().chain(config.budget.per_run).min());
    let prices = casting::prices(definition, casting, config.budget.per_call);
    let is_free = casting.case.is_some() || casting::is_free(definition, casting);
    let (spending, admission) = Spending::count(&context.home, &config.budget, &definition.name, None)?;
    let allowed = spending.allow(base, is_free)?;
    if let Some(because) = allowed.because.filter(|_| !context.json && !is_free) {
        output::line(format!("this run may spend {}: {because}", allowed.cap.unwrap_or_default()));
    }
    if allowed.cap.is_some() && casting.case.is_none() && config.budget.per_call.is_none() {
        refuse_unpriced(&casting::unpriced(definition, casting))?;
    }
    // Where nothing but the workflow itself says something, the journal need not repeat it.
    let cap = allowed.cap.filter(|_| allowed.cap != declared || wished.is_some());
    Ok(Money { cap, prices, admission })
}

fn refuse_unpriced(unpriced: &[Unpriced]) -> Result<(), Failure> {
    let Some(first) = unpriced.first() else { return Ok(()) };
    let each: BTreeSet<String> = unpriced.iter().map(|one| format!("{} ({})", one.role, one.backend)).collect();
    let each: Vec<String> = each.into_iter().collect();
    let role = &first.role;
    let failure = Failure::invalid(format!(
        "the run has a budget, but what these cost is not known, so nothing could be reserved for them: {}",
        each.join(", ")
    ));
    let declared = if first.is_model {
        format!(
            "say what they cost: `--price {role}=INPUT,OUTPUT` in dollars per million tokens, or `price = {{ input_per_million = …, output_per_million = … }}` under [agents.{role}], or an entry in ~/.config/motet/prices.yaml"
        )
    } else {
        format!("say what they cost: `--price {role}=CALL` in dollars per call, or `price = {{ call = … }}` under [agents.{role}]")
    };
    Err(failure
        .help(declared)
        .help("or set a ceiling that is reserved and booked for each of their calls: `--max-call-cost USD`, or `per_call` under [budget]"))
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

/// A model that cannot be reached is said before the run starts, not after its retries. One that another stands in for is not asked.
pub fn reach(casting: &Casting, loaded: &Loaded, project: &Path) -> Result<(), Failure> {
    require_repository(casting, &loaded.definition, project)?;
    let demo = |failure: Failure| match PinnedCase::demo(&loaded.folder) {
        Some(_) => failure.help(format!("`motet run {} --demo` plays a case, without a model", loaded.definition.name)),
        None => failure,
    };
    let mut asked: Vec<&casting::ModelBinding> = Vec::new();
    for (role, part) in casting.parts_of(&loaded.definition) {
        if !part.fallback.is_empty() {
            continue;
        }
        if let Err(failure) = casting::playable(&part.link.backend) {
            return Err(demo(
                Failure::invalid(format!("nobody can play `{role}`: {}", failure.message))
                    .help(format!("`--agent {role}=…` chooses another; `motet doctor` tells what works here")),
            ));
        }
        if let Backend::Model(binding) = &part.link.backend
            && binding.provider.protocol == Protocol::Ollama
            && !asked.contains(&binding)
        {
            asked.push(binding);
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return Ok(()) };
    for binding in asked {
        let missing = match runtime.block_on(casting::probe(binding)) {
            Ok(probe) => probe.missing,
            Err(failure) if failure.kind == FailureKind::Unavailable => Some(failure),
            // It is there, but does not speak of itself; the first call will tell.
            Err(_) => None,
        };
        if let Some(failure) = missing {
            return Err(demo(Failure::invalid(failure.message)));
        }
    }
    Ok(())
}
