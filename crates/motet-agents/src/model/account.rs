//! What one attempt has used: what the server counted, what we counted for it, and what was sent and never confirmed.
//! It knows the price only to tell how much of the cost is in doubt; who pays it is the machine's business.

use motet_core::event::{Price, Usage};
use motet_core::units::Usd;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Account {
    /// Calls that were answered.
    answered: Usage,
    answers: u64,
    /// Calls that ended before anyone said what they took: as far as it was heard, and at worst.
    heard: Tokens,
    at_worst: Tokens,
    doubts: u64,
    tool_calls: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    pub input: u64,
    pub output: u64,
}

impl Account {
    /// A call was answered, and this is what it took.
    pub fn book(&mut self, usage: Usage) {
        self.answered = self.answered.and(usage);
        self.answers += 1;
    }

    /// A call was sent, and may have to be paid for.
    pub fn doubt(&mut self, heard: Tokens, at_worst: Tokens) {
        self.heard = self.heard.and(heard);
        self.at_worst = self.at_worst.and(at_worst);
        self.doubts += 1;
    }

    pub fn used_tools(&mut self, calls: u64) {
        self.tool_calls = self.tool_calls.saturating_add(calls);
    }

    /// All of it, at this price.
    pub fn total(&self, price: Option<Price>) -> Usage {
        let known = Tokens { input: self.answered.tokens_in, output: self.answered.tokens_out };
        let (shown, at_worst) = (known.and(self.heard), known.and(self.at_worst));
        let cost = |tokens: Tokens, calls: u64| match price {
            Some(price) if calls > 0 => price.of(tokens.input, tokens.output),
            _ => Usd::ZERO,
        };
        let all = cost(at_worst, self.answers + self.doubts);
        Usage {
            tokens_in: shown.input,
            tokens_out: shown.output,
            tool_calls: self.tool_calls,
            cost: all,
            uncertain: all.saturating_sub(cost(known, self.answers)),
            estimated: self.answered.estimated || self.doubts > 0,
        }
    }
}

impl Tokens {
    fn and(self, other: Tokens) -> Tokens {
        Tokens { input: self.input.saturating_add(other.input), output: self.output.saturating_add(other.output) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price {
        call: Usd(0),
        input_per_million: Usd(1_000_000),
        output_per_million: Usd(2_000_000),
        max_tokens: None,
        turns: None,
        tool_tokens: None,
        verdict_tokens: None,
    };

    fn counted(tokens_in: u64, tokens_out: u64) -> Usage {
        Usage { tokens_in, tokens_out, ..Usage::default() }
    }

    fn check(account: Account, price: Option<Price>, expected: Usage) {
        assert_eq!(account.total(price), expected);
    }

    #[test]
    fn nothing_used_is_nothing_whatever_a_call_costs() {
        check(Account::default(), Some(Price { call: Usd(5), ..PRICE }), Usage::default());
    }

    #[test]
    fn what_was_answered_is_certain() {
        let mut account = Account::default();
        account.book(counted(10, 5));
        account.used_tools(2);
        check(account, Some(PRICE), Usage { tool_calls: 2, cost: Usd(20), ..counted(10, 5) });
        check(account, None, Usage { tool_calls: 2, ..counted(10, 5) });
    }

    #[test]
    fn what_was_sent_and_not_answered_is_uncertain_at_its_worst_and_shown_as_it_was_heard() {
        let mut account = Account::default();
        account.book(counted(10, 5));
        account.doubt(Tokens { input: 10, output: 1 }, Tokens { input: 20, output: 100 });
        let expected = Usage { cost: Usd(240), uncertain: Usd(220), estimated: true, ..counted(20, 6) };
        check(account, Some(PRICE), expected);
    }

    #[test]
    fn a_price_for_the_whole_call_is_in_doubt_only_if_nothing_was_answered() {
        let by_call = Some(Price { call: Usd(7), ..Price::default() });
        let mut account = Account::default();
        account.doubt(Tokens::default(), Tokens { input: 1, output: 1 });
        check(account, by_call, Usage { cost: Usd(7), uncertain: Usd(7), estimated: true, ..Usage::default() });
        account.book(counted(1, 1));
        check(account, by_call, Usage { cost: Usd(7), estimated: true, ..counted(1, 1) });
    }
}
