//! A backend with a price: what its answers cost is worked out from the tokens it reports, unless it says itself what they cost.
//! It reserves nothing: the machine has done that before the call.

use std::sync::Arc;

use motet_core::event::{Price, Usage};
use motet_core::units::Usd;

use crate::agent::{Agent, BoxFuture, Found, Outcome, Request};
use crate::context::Context;
use crate::doubt::Teller;

pub struct PricedAgent {
    agent: Arc<dyn Agent>,
    known: Known,
}

/// What is known of a backend's price.
#[derive(Clone, Copy)]
enum Known {
    Price(Price),
    /// Only what a call may cost at most: all of it is booked, as uncertain, for a call that does not say what it cost.
    Ceiling(Usd),
}

impl PricedAgent {
    pub fn new(agent: Arc<dyn Agent>, price: Price) -> Self {
        Self { agent, known: Known::Price(price) }
    }

    /// A backend whose price nobody knows, but of whose calls somebody has said what each may cost.
    pub fn at_most(agent: Arc<dyn Agent>, ceiling: Usd) -> Self {
        Self { agent, known: Known::Ceiling(ceiling) }
    }

    fn book(&self, outcome: Outcome, reserved: Usd) -> Outcome {
        let (usage, tells) = (outcome.usage(), self.agent.tells_what_it_took());
        let unsettled = if tells { Teller::UNPRICED } else { Teller::SILENT };
        let price = match self.known {
            Known::Ceiling(ceiling) => return unsettled.ended(outcome, ceiling),
            Known::Price(price) if price == Price::default() || usage.cost > Usd::ZERO => return outcome,
            Known::Price(price) => price,
        };
        let is_uncounted = usage.tokens_in == 0 && usage.tokens_out == 0;
        let cost = price.of(usage.tokens_in, usage.tokens_out);
        match &outcome {
            // Whoever failed and does not count what it took is not priced as if it had taken nothing.
            Outcome::Failed { .. } if is_uncounted && !tells => unsettled.ended(outcome, reserved),
            // What came to nothing costs nothing.
            Outcome::Failed { .. } if usage == Usage::default() => outcome,
            // A price for tokens says nothing of an answer whose tokens nobody counted.
            _ if is_uncounted && !tells && cost == Usd::ZERO => unsettled.ended(outcome, reserved),
            _ => outcome.with_usage(Usage { cost, ..usage }),
        }
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

    fn is_settled(&self) -> bool {
        true
    }

    fn ceiling(&self) -> Option<Usd> {
        match self.known {
            Known::Ceiling(ceiling) => Some(ceiling),
            Known::Price(price) if price.input_per_million == Usd::ZERO && price.output_per_million == Usd::ZERO => Some(price.call),
            Known::Price(_) => None,
        }
    }

    fn perform<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let reserved = request.call.reserved;
            let outcome = match self.known {
                Known::Price(price) => self.agent.perform(request, &context.at_price(price)).await,
                Known::Ceiling(_) => self.agent.perform(request, context).await,
            };
            self.book(outcome, reserved)
        })
    }

    fn reconcile<'a>(&'a self, request: Request, context: &'a Context) -> BoxFuture<'a, Found> {
        Box::pin(async move {
            let reserved = request.call.reserved;
            match self.agent.reconcile(request, context).await {
                Found::Finished(outcome) => Found::Finished(self.book(outcome, reserved)),
                found @ (Found::Undone | Found::Unknown) => found,
            }
        })
    }
}

/// What one exchange cost; what came to nothing costs nothing.
pub(crate) fn priced(usage: Usage, price: &Price) -> Usage {
    if usage.cost.0 > 0 || usage == Usage::default() {
        return usage;
    }
    Usage { cost: price.of(usage.tokens_in, usage.tokens_out), ..usage }
}
