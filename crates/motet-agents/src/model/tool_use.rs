//! Whether a model uses its tools: only while its answer can still be paid out of what was reserved for the call, and not if it
//! cannot use any. A call that nobody has priced, or that has no reservation, is bounded by its turns alone.

use motet_core::event::{Failure, FailureKind, Price};
use motet_core::units::Usd;

use super::attempt::Attempt;

/// How often a model is told so before it has failed.
pub(super) const DECLINED: u32 = 1;
pub(super) const NO_MORE_TOOLS: &str =
    "you may use no more tools: what this task may cost is nearly spent. Answer now with what you have, without another tool.";
/// After the tools there is the answer, and an answer of the wrong shape is asked for once more; one more turn may be declined.
const TURNS_KEPT: u64 = 3;

impl Attempt<'_> {
    /// Whether what a tool says could still be answered.
    pub(super) fn affords_tools(&self) -> bool {
        let reserved = self.request.call.reserved;
        // A price for a whole call is the same however often the model is asked in it.
        let by_tokens = |price: &Price| price.input_per_million > Usd::ZERO || price.output_per_million > Usd::ZERO;
        let Some(price) = self.context.price().filter(by_tokens).filter(|_| reserved > Usd::ZERO) else { return true };
        let spent = self.usage().cost;
        let turn = price.of(self.count().likely() + self.max_tokens(), self.max_tokens());
        spent + Usd(turn.0.saturating_mul(TURNS_KEPT)) <= reserved
    }

    /// Whether the call was refused because the model cannot use tools, and all that it has come with the task: then it is asked without.
    /// Tools that the user gave to the role are not taken away in silence.
    pub(super) fn does_without_tools(&self) -> bool {
        self.is_refused_for_tools && self.agent.toolbox.is_none() && !self.belt.tools.is_empty()
    }

    pub(super) fn insists_on_tools(&self) -> Failure {
        let message = format!(
            "{} goes on using tools although what was reserved for the call is nearly spent — give it fewer tools, or a larger budget",
            self.agent.settings.model
        );
        Failure { kind: FailureKind::Reported, message }
    }
}
