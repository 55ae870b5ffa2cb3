//! What a workflow promises of all its paths.

use std::fmt;

use crate::diagnostic::Span;
use crate::expression::Expression;
use crate::names::StateName;

#[derive(Debug)]
pub struct Requirement {
    /// Shown when a step is refused.
    pub name: String,
    pub rule: Rule,
    /// The rule as written.
    pub text: String,
    pub span: Span,
}

#[derive(Debug)]
pub enum Rule {
    /// `every path to A passes B, C`
    EveryPathPasses { to: Place, through: Vec<Place> },
    /// `no path from A to B avoids C, D`
    NoPathAvoids { from: Place, to: Place, avoiding: Vec<Place> },
    /// `after A only B, C`
    AfterOnly { after: Place, only: Vec<StateName> },
    /// `A is entered at most N times [per B, C]`; N is a number or an input.
    EnteredAtMost { state: StateName, times: Expression, per: Vec<Place> },
}

/// A state, or one outcome of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub state: StateName,
    pub outcome: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Some(outcome) => write!(out, "{}.{outcome}", self.state),
            None => write!(out, "{}", self.state),
        }
    }
}
