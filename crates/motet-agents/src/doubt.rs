//! What is booked for an attempt of which nobody says what it took: all that was reserved for it may have been spent.
//! It doubts nobody who tells: what such a backend says, and be it nothing, holds.

use motet_core::event::{FailureKind, Usage};
use motet_core::units::Usd;

use crate::agent::Outcome;

/// What an attempt took that was stopped; None: it is gone without a word. `tells` says whether its backend counts what it takes.
pub(crate) fn of_stopped(last_words: Option<Usage>, tells: bool, reserved: Usd) -> Usage {
    match last_words {
        Some(usage) if tells || usage.cost > Usd::ZERO => usage,
        // What was counted stays: only the money is in doubt.
        Some(usage) => in_doubt(usage, reserved),
        None => Usage::unknown(reserved),
    }
}

/// The outcome of an attempt that ended by itself, with what it may have cost if it broke down and did not say.
pub(crate) fn of_ended(outcome: Outcome, tells: bool, reserved: Usd) -> Outcome {
    let usage = outcome.usage();
    match &outcome {
        Outcome::Failed { failure, .. } if !tells && usage.cost == Usd::ZERO && may_have_cost(failure.kind, usage) => {
            outcome.with_usage(in_doubt(usage, reserved))
        }
        _ => outcome,
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
        // It answered to the end, as one does that succeeds.
        FailureKind::InvalidOutput | FailureKind::Refused => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: Usage = Usage { tokens_in: 0, tokens_out: 0, tool_calls: 1, cost: Usd::ZERO, uncertain: Usd::ZERO, estimated: false };
    const DOUBTED: Usage = Usage { cost: Usd(700), uncertain: Usd(700), estimated: true, ..TOOL };

    fn check(kind: FailureKind, usage: Usage, tells: bool, booked: Usage) {
        let failed = Outcome::failed(kind, "no luck").with_usage(usage);
        assert_eq!(of_ended(failed, tells, Usd(700)).usage(), booked, "{kind:?}");
    }

    #[test]
    fn whoever_breaks_down_without_a_word_of_its_cost_may_have_spent_what_was_reserved() {
        check(FailureKind::Crashed, TOOL, false, DOUBTED);
        check(FailureKind::Reported, Usage::default(), false, Usage::unknown(Usd(700)));
        check(FailureKind::Unavailable, TOOL, false, DOUBTED);
        check(FailureKind::Unavailable, Usage::default(), false, Usage::default());
        check(FailureKind::Configuration, Usage::default(), false, Usage::default());
        check(FailureKind::InvalidOutput, TOOL, false, TOOL);
        check(FailureKind::Crashed, TOOL, true, TOOL);
        let told = Usage { cost: Usd(5), ..TOOL };
        check(FailureKind::Crashed, told, false, told);
    }

    #[test]
    fn what_is_in_doubt_takes_no_more_than_what_is_left() {
        let both = DOUBTED.and(Usage { cost: Usd(50), ..Usage::default() });
        assert_eq!(at_most(both, Usd(700)), Usage { cost: Usd(700), uncertain: Usd(650), ..DOUBTED });
        assert_eq!(at_most(both, Usd(20)), Usage { cost: Usd(50), uncertain: Usd::ZERO, ..DOUBTED }, "what is certain is never less");
        assert_eq!(at_most(both, Usd::ZERO), both);
    }
}
