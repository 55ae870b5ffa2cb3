//! Who answered for somebody who could not, as the journal has it: nobody shall take the words of one for those of another.
//! It decides nothing: who is asked when, the agents do.

use motet_agents::{Exchange, PassedOver};
use motet_core::Fact;
use serde::Serialize;
use serde_json::Value;

use crate::progress::words;

const WHY_CHARACTERS: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StandIn {
    pub agent: String,
    pub instead_of: Vec<PassedOver>,
}

impl StandIn {
    /// Whoever was not the first to be asked in this attempt, if so.
    pub fn among(exchanges: &[Value]) -> Option<Self> {
        exchanges.iter().filter(|exchange| exchange["with"] == "stand_in").find_map(|exchange| {
            match serde_json::from_value(exchange.clone()).ok()? {
                Exchange::StandIn { agent, instead_of } => Some(Self { agent, instead_of }),
                _ => None,
            }
        })
    }

    /// The same of what an attempt came to.
    pub fn of(fact: &Fact) -> Option<Self> {
        match fact {
            Fact::TaskSucceeded { exchanges, .. } | Fact::TaskFailed { exchanges, .. } | Fact::TaskAsked { exchanges, .. } => {
                Self::among(exchanges)
            }
            _ => None,
        }
    }

    /// `codex answers instead of claude: there is no program …`
    pub fn told(&self, answers: &str) -> String {
        let passed = self.instead_of.iter().map(|passed| format!("{}: {}", passed.agent, words::one_line(&passed.why, WHY_CHARACTERS)));
        format!("{} {answers} instead of {}", self.agent, passed.collect::<Vec<_>>().join("; "))
    }

    /// Whether an exchange with this player is its own.
    pub fn is(&self, player: &str) -> bool {
        // A long name is cut, and the model that a coding agent works with is not in it.
        self.agent.starts_with(player.trim_end_matches('…'))
    }
}
