//! What must hold before a run starts: its models can be reached, its sources are there, and its money is known.
//! It starts nothing.

mod reaching;
mod sources;
mod unique;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use motet_core::Definition;
use motet_core::diagnostic::nearest;
use motet_core::event::Price;
use motet_core::units::Usd;
use serde_json::Value;

use super::{Context, Failure, output};
use crate::casting::{self, Casting, Terms, Unpriced, family, roles, terms};
use crate::config::{Config, EVERYBODY, Overrides};
use crate::spending::{Admission, Spending};
pub use reaching::{reach, reach_again};
pub use sources::{evidence, look};
pub use unique::unique;

/// What a run may spend, and what its agents cost.
pub struct Money {
    /// None: as the workflow says.
    pub cap: Option<Usd>,
    pub prices: BTreeMap<String, Price>,
    /// The same for the runs that this one may start.
    pub children: Terms,
    /// Held until the run stands in the database.
    pub admission: Admission,
}

/// The least of what applies. A run under a cap whose agents have no price is refused, be they its own or those of the runs that it may
/// start: nothing could be reserved for them.
pub fn money(
    context: &Context,
    config: &Config,
    definition: &Arc<Definition>,
    casting: &Casting,
    input: &Value,
    wished: Option<Usd>,
) -> Result<Money, Failure> {
    let family = family(definition, &context.library());
    let declared = definition.declared_cost(input);
    // What is said for this run counts over what is said for every run and for every run of the workflow.
    let base = wished.or_else(|| declared.into_iter().chain(config.budget.per_run).min());
    let prices = |definition: &Definition| casting::prices(definition, casting, config.budget.per_call);
    let is_free = casting.case.is_some() || family.iter().all(|definition| casting::is_free(definition, casting));
    let (spending, admission) = Spending::count(&context.home, &config.budget, &definition.name, None)?;
    let allowed = spending.allow(base, is_free)?;
    if let Some(because) = allowed.because.filter(|_| !context.json && !is_free) {
        output::line(format!("this run may spend {}: {because}", allowed.cap.unwrap_or_default()));
    }
    if allowed.cap.is_some() && casting.case.is_none() && config.budget.per_call.is_none() {
        let unpriced: Vec<Unpriced> = family.iter().flat_map(|definition| casting::unpriced(definition, casting)).collect();
        refuse_unpriced(&unpriced)?;
    }
    // Where nothing but the workflow itself says something, the journal need not repeat it.
    let cap = allowed.cap.filter(|_| allowed.cap != declared || wished.is_some());
    Ok(Money { cap, prices: prices(definition), children: terms(&family, casting, prices), admission })
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

/// A flag for a role that the workflow does not have would be overlooked in silence. Settings may be meant for other workflows; flags
/// are of this run.
pub fn known_roles(overrides: &Overrides, definition: &Arc<Definition>, context: &Context) -> Result<(), Failure> {
    let family = family(definition, &context.library());
    let roles = roles(&family);
    let played = || roles.iter().filter(|(_, is_played)| **is_played).map(|(role, _)| role.as_str());
    let is_unknown = |role: &str| role != EVERYBODY && !played().any(|known| known == role);
    let Some((flag, written, role)) = overrides.roles().find(|(_, _, role)| is_unknown(role)) else { return Ok(()) };
    let name = &definition.name;
    if roles.contains_key(role) {
        return Err(Failure::invalid(format!("{flag} {written}: nobody plays `{role}` of {name}, which is a function of Motet's own")));
    }
    let failure = Failure::invalid(format!("{flag} {written}: {name} has no role `{role}`"));
    let all: Vec<&str> = played().collect();
    Err(match nearest(role, all.iter().copied()) {
        Some(meant) => failure.help(format!("did you mean `{meant}`?")),
        None if all.is_empty() => failure.help("nobody plays anything in it"),
        None => failure.help(format!("it has {}", all.join(", "))),
    })
}
