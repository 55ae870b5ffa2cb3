//! What is booked for an attempt of which nobody says what it cost: all that was reserved for it may have been spent.
//! It doubts nobody who tells, and nobody whose price is known.

use motet_core::event::{FailureKind, Usage};
use motet_core::units::Usd;

use crate::agent::{Agent, Outcome};

/// How much is known of a backend's cost by what it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Teller {
    /// It counts what it takes, even if it is stopped.
    tells: bool,
    /// Its price is known, or nothing can be owed to it.
    is_settled: bool,
}

impl Teller {
    /// Whoever works for nothing.
    pub const FREE: Teller = Teller { tells: true, is_settled: true };
    /// Whoever counts tokens, but has no price.
    pub const UNPRICED: Teller = Teller { tells: true, is_settled: false };
    pub const SILENT: Teller = Teller { tells: false, is_settled: false };

    pub fn of(agent: &dyn Agent) -> Self {
        Self { tells: agent.tells_what_it_took(), is_settled: agent.is_settled() }
    }

    /// The outcome of an attempt that ended by itself, with the most that it may have cost if it did not say.
    pub fn ended(self, outcome: Outcome, most: Usd) -> Outcome {
        let usage = outcome.usage();
        if self.is_settled || usage.cost > Usd::ZERO || most == Usd::ZERO {
            return outcome;
        }
        let usage = match &outcome {
            // Where something was read or written, somebody has to be paid for it.
            _ if self.tells && !has_tokens(usage) => usage,
            Outcome::Failed { failure, .. } if !self.tells && !may_have_cost(failure.kind, usage) => usage,
            Outcome::Failed { failure, .. } if !self.tells && !is_an_answer(failure.kind) => in_doubt(usage, most),
            _ => Usage { cost: most, uncertain: most, ..usage },
        };
        outcome.with_usage(usage)
    }

    /// What an attempt took that was stopped; None: it is gone without a word.
    pub fn stopped(self, last_words: Option<Usage>, reserved: Usd) -> Usage {
        match last_words {
            Some(usage) if self.tells && (usage.cost > Usd::ZERO || self.is_settled || !has_tokens(usage)) => usage,
            // It told its cost step by step, and nobody knows of the step that it was at.
            Some(usage) if usage.cost > Usd::ZERO => {
                let certain = usage.cost.saturating_sub(usage.uncertain);
                let uncertain = reserved.saturating_sub(certain).max(usage.uncertain);
                Usage { cost: certain + uncertain, uncertain, estimated: usage.estimated || uncertain > Usd::ZERO, ..usage }
            }
            // What was counted stays: only the money is in doubt.
            Some(usage) => in_doubt(usage, reserved),
            // Whoever may be owed something was not even counted.
            None => Usage { estimated: !self.is_settled || reserved > Usd::ZERO, ..Usage::unknown(reserved) },
        }
    }
}

/// Together no more than this, if anything was reserved: what is certain counts first, and what is in doubt takes the rest.
pub(crate) fn at_most(usage: Usage, reserved: Usd) -> Usage {
    if reserved == Usd::ZERO {
        return usage;
    }
    let certain = usage.cost.saturating_sub(usage.uncertain);
    let uncertain = usage.uncertain.min(reserved.saturating_sub(certain));
    Usage { cost: certain + uncertain, uncertain, ..usage }
}

fn in_doubt(usage: Usage, reserved: Usd) -> Usage {
    let unknown = Usage::unknown(reserved);
    Usage { cost: unknown.cost, uncertain: unknown.uncertain, estimated: usage.estimated || unknown.estimated, ..usage }
}

fn may_have_cost(kind: FailureKind, usage: Usage) -> bool {
    let has_worked = usage != Usage::default();
    match kind {
        // It died, or fell silent, in the middle of its work.
        FailureKind::Crashed | FailureKind::Timeout | FailureKind::Interrupted | FailureKind::Reported => true,
        // Whoever was not let in, or reached nobody, has paid nothing, unless it had worked before.
        FailureKind::Unavailable
        | FailureKind::RateLimited
        | FailureKind::NotFound
        | FailureKind::Configuration
        | FailureKind::InvalidWorkflow
        | FailureKind::Budget
        | FailureKind::Cancelled => has_worked,
        FailureKind::InvalidOutput | FailureKind::Refused => true,
    }
}

/// It answered to the end, as one does that succeeds.
fn is_an_answer(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::InvalidOutput | FailureKind::Refused)
}

fn has_tokens(usage: Usage) -> bool {
    usage.tokens_in > 0 || usage.tokens_out > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: Usage = Usage { tokens_in: 0, tokens_out: 0, tool_calls: 1, cost: Usd::ZERO, uncertain: Usd::ZERO, estimated: false };
    const DOUBTED: Usage = Usage { cost: Usd(700), uncertain: Usd(700), estimated: true, ..TOOL };

    const TOKENS: Usage = Usage { tokens_in: 9, tokens_out: 3, ..TOOL };
    const UNTOLD: Usage = Usage { cost: Usd(700), uncertain: Usd(700), ..TOOL };

    fn check(kind: FailureKind, usage: Usage, teller: Teller, booked: Usage) {
        let failed = Outcome::failed(kind, "no luck").with_usage(usage);
        assert_eq!(teller.ended(failed, Usd(700)).usage(), booked, "{kind:?}");
    }

    fn check_answer(usage: Usage, teller: Teller, booked: Usage) {
        let answered = Outcome::returned(serde_json::Value::Null).with_usage(usage);
        assert_eq!(teller.ended(answered, Usd(700)).usage(), booked, "{teller:?} {usage:?}");
    }

    #[test]
    fn whoever_breaks_down_without_a_word_of_its_cost_may_have_spent_what_was_reserved() {
        check(FailureKind::Crashed, TOOL, Teller::SILENT, DOUBTED);
        check(FailureKind::Reported, Usage::default(), Teller::SILENT, Usage::unknown(Usd(700)));
        check(FailureKind::Unavailable, TOOL, Teller::SILENT, DOUBTED);
        check(FailureKind::Unavailable, Usage::default(), Teller::SILENT, Usage::default());
        check(FailureKind::Configuration, Usage::default(), Teller::SILENT, Usage::default());
        check(FailureKind::InvalidOutput, TOOL, Teller::SILENT, UNTOLD);
        check(FailureKind::Crashed, TOOL, Teller::UNPRICED, TOOL);
        check(FailureKind::Crashed, TOOL, Teller::FREE, TOOL);
        let told = Usage { cost: Usd(5), ..TOOL };
        check(FailureKind::Crashed, told, Teller::SILENT, told);
    }

    #[test]
    fn an_answer_without_a_word_of_its_cost_may_have_cost_what_was_reserved() {
        check_answer(TOOL, Teller::SILENT, UNTOLD);
        check_answer(Usage::default(), Teller::SILENT, Usage { tool_calls: 0, ..UNTOLD });
        check_answer(TOKENS, Teller::UNPRICED, Usage { cost: Usd(700), uncertain: Usd(700), ..TOKENS });
        check_answer(Usage::default(), Teller::UNPRICED, Usage::default());
        check_answer(TOKENS, Teller::FREE, TOKENS);
        let told = Usage { cost: Usd(5), ..TOKENS };
        check_answer(told, Teller::SILENT, told);
        check(FailureKind::Unavailable, TOKENS, Teller::UNPRICED, Usage { cost: Usd(700), uncertain: Usd(700), ..TOKENS });
    }

    #[test]
    fn whoever_is_stopped_is_believed_only_if_its_price_is_known_or_it_took_nothing() {
        let stopped = |teller: Teller, usage| teller.stopped(usage, Usd(700));
        assert_eq!(stopped(Teller::FREE, Some(TOKENS)), TOKENS);
        assert_eq!(stopped(Teller::UNPRICED, Some(Usage::default())), Usage::default());
        assert_eq!(stopped(Teller::UNPRICED, Some(TOKENS)).uncertain, Usd(700));
        assert_eq!(stopped(Teller::SILENT, Some(TOOL)), DOUBTED);
        assert_eq!(stopped(Teller::FREE, None), Usage::unknown(Usd(700)));
        let told = stopped(Teller::SILENT, Some(Usage { cost: Usd(100), ..Usage::default() }));
        assert_eq!((told.cost, told.uncertain), (Usd(700), Usd(600)), "what was told is certain, and the rest in doubt");
        assert_eq!(Teller::SILENT.stopped(Some(Usage { cost: Usd(100), ..Usage::default() }), Usd::ZERO).cost, Usd(100));
        assert_eq!(Teller::FREE.stopped(None, Usd::ZERO), Usage::default());
        assert_eq!(Teller::SILENT.stopped(None, Usd::ZERO), Usage { estimated: true, ..Usage::default() });
    }

    #[test]
    fn what_is_in_doubt_takes_no_more_than_what_is_left() {
        let both = DOUBTED.and(Usage { cost: Usd(50), ..Usage::default() });
        assert_eq!(at_most(both, Usd(700)), Usage { cost: Usd(700), uncertain: Usd(650), ..DOUBTED });
        assert_eq!(at_most(both, Usd(20)), Usage { cost: Usd(50), uncertain: Usd::ZERO, ..DOUBTED }, "what is certain is never less");
        assert_eq!(at_most(both, Usd::ZERO), both);
    }
}
