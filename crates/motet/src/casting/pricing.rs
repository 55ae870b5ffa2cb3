//! What the agents of a run cost before it starts: a price for each, or the reason why there is none.
//! It refuses nothing: what an unknown price means for a run, the command that starts it decides.

use std::collections::BTreeMap;

use motet_agents::model::{MOST_CALLS, MOST_CALLS_WITH_TOOLS};
use motet_core::Definition;
use motet_core::definition::{Agent, Does, Returns};
use motet_core::event::Price;
use motet_core::units::Usd;
use motet_core::{tokens, verdict};

use super::{Backend, Casting, Link, Part};

/// How often a model may be asked that has Motet's own tools, which a workflow gives for a few looks beside what was gathered; one that
/// has spent what is reserved for it uses no more of them.
const MOST_CALLS_WITH_OWN_TOOLS: u32 = 6;
/// The longest answer where nobody says: as the machine reserves it.
const USUAL_MAX_TOKENS: u64 = 4096;

/// An agent of whose backend nobody knows what it costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpriced {
    pub role: String,
    pub backend: String,
    /// A model, as the list of prices names it.
    pub is_model: bool,
}

/// What one call of each agent may cost, as far as it is known. The sum of a chain, since each of it may be asked.
pub fn prices(definition: &Definition, casting: &Casting, per_call: Option<Usd>) -> BTreeMap<String, Price> {
    let prompted = definition.agents.values().filter(|agent| matches!(agent.does, Does::Prompt(_)));
    let priced = prompted.filter_map(|agent| Some((agent.name.to_string(), price(agent, casting, per_call)?)));
    priced.collect()
}

/// Those for whose calls nothing could be reserved. A program of the user's own is taken to be free until it says otherwise.
pub fn unpriced(definition: &Definition, casting: &Casting) -> Vec<Unpriced> {
    let mut found = Vec::new();
    for (role, part) in casting.parts_of(definition) {
        let declared = definition.agents.values().filter(|agent| agent.role == role).all(|agent| agent.cost.is_some());
        for link in links(part).filter(|link| link.price.is_none()) {
            let is_model = matches!(link.backend, Backend::Model(_));
            let may_charge = match &link.backend {
                Backend::Model(_) => true,
                // What the workflow says one call may cost is a ceiling that programs are trusted with.
                Backend::Preset { .. } | Backend::Acp { .. } => !declared,
                Backend::Command { .. } | Backend::Person | Backend::Offline | Backend::Scripted => false,
            };
            if may_charge {
                found.push(Unpriced { role: role.into(), backend: link.backend.title(), is_model });
            }
        }
    }
    found
}

/// Whether everybody plays for nothing, by declaration.
pub fn is_free(definition: &Definition, casting: &Casting) -> bool {
    let parts = casting.parts_of(definition);
    parts.values().flat_map(|part| links(part)).all(|link| link.price == Some(Price::default()))
}

impl Link {
    /// Whether nobody says what it costs unless it does so itself. A program of the user's own is taken to be free, as above.
    pub fn may_stay_untold(&self) -> bool {
        let may_charge = matches!(self.backend, Backend::Model(_) | Backend::Preset { .. } | Backend::Acp { .. });
        may_charge && self.price.is_none() && self.ceiling.is_none()
    }
}

impl Casting {
    /// Whether somebody plays in it whose calls may cost something that nobody says.
    pub fn may_stay_untold(&self) -> bool {
        self.case.is_none() && self.roles.values().flat_map(links).any(Link::may_stay_untold)
    }
}

fn price(agent: &Agent, casting: &Casting, per_call: Option<Usd>) -> Option<Price> {
    let part = casting.part(&agent.role)?;
    let ceiling = per_call.map(|call| Price { call, ..Price::default() });
    let mut all = links(part).map(|link| link.price.or(ceiling));
    let sum = all.try_fold(Price::default(), |sum, price| Some(sum.and(price?)))?;
    // A price for a whole call is what the user says it is, however often the backend is asked in it.
    let by_tokens = sum.input_per_million > Usd::ZERO || sum.output_per_million > Usd::ZERO;
    if !by_tokens {
        return Some(sum);
    }
    // How many tokens a program takes nobody can foresee: what the workflow declares is reserved, and the tokens are booked.
    if agent.cost.is_some() && !links(part).all(|link| matches!(link.backend, Backend::Model(_))) {
        return None;
    }
    let longest = links(part).filter_map(|link| match &link.backend {
        // What depends on the run is added when it is known.
        Backend::Model(binding) if agent.longest_answer.is_some() => binding.max_tokens,
        Backend::Model(binding) => Some(binding.max_tokens.or(agent.model.max_tokens).unwrap_or(USUAL_MAX_TOKENS)),
        _ => None,
    });
    // Without a source there is nothing that Motet's own tools could look up, and they are not given.
    let has_own_tools = !agent.model.tools.is_empty() && !casting.evidence.is_empty();
    let turns = match &agent.returns {
        _ if !part.tools.is_empty() => Some(MOST_CALLS_WITH_TOOLS),
        _ if has_own_tools => Some(MOST_CALLS_WITH_OWN_TOOLS),
        Returns::Schema(_) => Some(MOST_CALLS),
        _ => None,
    };
    let tool_tokens = (!part.tools.is_empty() || has_own_tools).then_some(tokens::OF_TOOLS);
    let verdict_tokens =
        matches!(agent.returns, Returns::Verdict).then(|| tokens::at_most(&verdict::schema(&agent.outcomes()).to_string()));
    Some(Price { max_tokens: longest.max(), turns, tool_tokens, verdict_tokens, ..sum })
}

fn links(part: &Part) -> impl Iterator<Item = &Link> {
    std::iter::once(&part.link).chain(&part.fallback)
}
