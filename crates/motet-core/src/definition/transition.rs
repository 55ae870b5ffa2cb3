//! How a run leaves a state.

use crate::definition::TroubleKind;
use crate::diagnostic::Span;
use crate::expression::Expression;
use crate::names::{CounterName, StateName};
use crate::template::Text;

#[derive(Debug)]
pub struct Transition {
    /// Unique in the workflow and stable while the file is: `deciding.3`, `judging.approved`,
    /// `deciding.3.exceeded`, `trouble.error`, `planning.trouble.budget`, `dispatching.critical`.
    pub id: String,
    pub when: Option<Expression>,
    pub to: Target,
    pub count: Option<CounterName>,
    /// Taken instead when `count` has no room left.
    pub exceeded: Option<Box<Transition>>,
    pub reset: Vec<CounterName>,
    pub because: Option<Text>,
    pub warn: Option<Text>,
    pub note: Option<Text>,
    pub partial: bool,
    /// Where a later `to: back` returns.
    pub back: Option<StateName>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    State(StateName),
    /// The state whose trouble led here, or that `back` named on the way.
    Back,
}

#[derive(Debug)]
pub enum Next {
    /// Whatever the outcome; the first whose `when` holds. Empty for a final state.
    Always(Vec<Transition>),
    Outcomes(Vec<(String, Vec<Transition>)>),
}

impl Next {
    /// The transitions to try for an outcome, in order.
    pub fn of(&self, outcome: &str) -> &[Transition] {
        match self {
            Next::Always(list) => list,
            Next::Outcomes(map) => map.iter().find(|(name, _)| name == outcome).map_or(&[], |(_, list)| list),
        }
    }

    /// Every transition with the outcome it belongs to, without its `exceeded`.
    pub fn all(&self) -> impl Iterator<Item = (Option<&str>, &Transition)> {
        let (always, outcomes): (&[Transition], &[(String, Vec<Transition>)]) = match self {
            Next::Always(list) => (list, &[]),
            Next::Outcomes(map) => (&[], map),
        };
        let named = outcomes.iter().flat_map(|(name, list)| list.iter().map(move |transition| (Some(name.as_str()), transition)));
        always.iter().map(|transition| (None, transition)).chain(named)
    }
}

#[derive(Debug, Default)]
pub struct Trouble {
    pub error: Option<Box<Transition>>,
    pub budget: Option<Box<Transition>>,
    pub time: Option<Box<Transition>>,
}

impl Trouble {
    pub fn of(&self, kind: TroubleKind) -> Option<&Transition> {
        match kind {
            TroubleKind::Error => self.error.as_deref(),
            TroubleKind::Budget => self.budget.as_deref(),
            TroubleKind::Time => self.time.as_deref(),
        }
    }
}
