//! A backend with a price: what its answers cost is worked out from the tokens it reports, unless it says itself what they cost.
//! It reserves nothing: the machine has done that before the call.

use std::sync::Arc;

use motet_core::event::{Price, Usage};

use crate::agent::{Agent, BoxFuture, Found, Outcome, Request};
use crate::context::Context;

pub struct PricedAgent {
    agent: Arc<dyn Agent>,
    price: Price,
}

impl PricedAgent {
    pub fn new(agent: Arc<dyn Agent>, price: Price) -> Self {
        Self { agent, price }
    }

    /// A backend that failed and does not count what it took is not priced as if it had taken nothing: whoever reserved for it doubts it.
    fn book(&self, outcome: Outcome) -> Outcome {
        let usage = outcome.usage();
        let is_uncounted = usage.tokens_in == 0 && usage.tokens_out == 0 && !self.agent.tells_what_it_took();
        if is_uncounted && matches!(outcome, Outcome::Failed { .. }) {
            return outcome;
        }
        let usage = priced(usage, &self.price);
        outcome.with_usage(usage)
    }
}

impl Agent for PricedAgent {
    fn follows_rules(&self) -> bool {
        self.agent.follows_rules()
    }

    fn changes_files(&self) -> bool {
        self.agent.changes_files()
    }

    fn tells_what_it_took(&self) -> bool {
        self.agent.tells_what_it_took()
    }

    fn perform<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let context = context.at_price(self.price);
            self.book(self.agent.perform(request, &context).await)
        })
    }

    fn reconcile<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Found> {
        Box::pin(async move {
            match self.agent.reconcile(request, context).await {
                Found::Finished(outcome) => Found::Finished(self.book(outcome)),
                found @ (Found::Undone | Found::Unknown) => found,
            }
        })
    }
}

/// What came to nothing costs nothing.
pub(crate) fn priced(usage: Usage, price: &Price) -> Usage {
    if usage.cost.0 > 0 || usage == Usage::default() {
        return usage;
    }
    Usage { cost: price.of(usage.tokens_in, usage.tokens_out), ..usage }
}
