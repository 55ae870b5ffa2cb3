//! What a call may cost, and what it took.
//! Whether there is money for it, `step` decides.

use serde::{Deserialize, Serialize};

use super::is_default;
use crate::units::Usd;

/// Dollars per call and per million tokens, and what bounds one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    #[serde(default)]
    pub call: Usd,
    #[serde(default)]
    pub input_per_million: Usd,
    #[serde(default)]
    pub output_per_million: Usd,
    /// The longest answer, where the backend has a limit of its own instead of the workflow's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// How often one call may ask the backend: with tools, or for an answer in the right shape, more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// The most tokens that the tools of one call add to it, in what they are and in what they answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_tokens: Option<u64>,
    /// The most tokens that the shape of a verdict adds, where the answer is held to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict_tokens: Option<u64>,
}

impl Price {
    /// What one exchange of so many tokens costs, rounded up.
    pub fn of(&self, tokens_in: u64, tokens_out: u64) -> Usd {
        let tokens = |count: u64, per_million: Usd| {
            let micros = (u128::from(count) * u128::from(per_million.0)).div_ceil(1_000_000);
            Usd(u64::try_from(micros).unwrap_or(u64::MAX))
        };
        self.call + tokens(tokens_in, self.input_per_million) + tokens(tokens_out, self.output_per_million)
    }

    /// The price of a call that may come to both, one after the other.
    pub fn and(self, other: Price) -> Price {
        Price {
            call: self.call + other.call,
            input_per_million: self.input_per_million + other.input_per_million,
            output_per_million: self.output_per_million + other.output_per_million,
            max_tokens: self.max_tokens.max(other.max_tokens),
            turns: self.turns.max(other.turns),
            tool_tokens: self.tool_tokens.max(other.tool_tokens),
            verdict_tokens: self.verdict_tokens.max(other.verdict_tokens),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    #[serde(default, skip_serializing_if = "is_default")]
    pub tokens_in: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    pub tokens_out: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    pub tool_calls: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    pub cost: Usd,
    /// How much of the cost nobody confirmed: a call was sent, and ended before anyone said what it took.
    #[serde(default, skip_serializing_if = "is_default")]
    pub uncertain: Usd,
    /// Whether some of the tokens are our own estimate, because whoever served the call did not count them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub estimated: bool,
}

impl Usage {
    /// Of a call that was sent and of which nothing came back: all that was reserved for it may have been spent.
    pub fn unknown(reserved: Usd) -> Self {
        Self { cost: reserved, uncertain: reserved, estimated: reserved > Usd::ZERO, ..Self::default() }
    }

    /// Both together. What a backend says of itself may be any number.
    pub fn and(self, other: Usage) -> Usage {
        Usage {
            tokens_in: self.tokens_in.saturating_add(other.tokens_in),
            tokens_out: self.tokens_out.saturating_add(other.tokens_out),
            tool_calls: self.tool_calls.saturating_add(other.tool_calls),
            cost: self.cost + other.cost,
            uncertain: self.uncertain + other.uncertain,
            estimated: self.estimated || other.estimated,
        }
    }
}
