//! Expressions of workflows: CEL, made total. What is missing is null, nothing fails, and work is bounded by fuel.

use std::borrow::Cow;
use std::cell::Cell;

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Span};

/// What an expression or a template can see.
pub trait Variables {
    /// The whole of a variable, or None if there is no such name.
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>>;

    /// One field of it; cheaper than the whole where the whole would have to be built.
    fn member(&self, name: &str, field: &str) -> Option<Cow<'_, Value>> {
        match self.variable(name)? {
            Cow::Borrowed(value) => value.get(field).map(Cow::Borrowed),
            Cow::Owned(mut value) => value.get_mut(field).map(Value::take).map(Cow::Owned),
        }
    }
}

/// Variables and what is left of the work an evaluation may do.
pub struct Scope<'a> {
    pub variables: &'a dyn Variables,
    /// Zero once an evaluation has been cut short; its value is then null.
    pub fuel: Cell<u64>,
}

impl<'a> Scope<'a> {
    pub const FUEL: u64 = 1_000_000;

    pub fn new(variables: &'a dyn Variables) -> Self {
        Self { variables, fuel: Cell::new(Self::FUEL) }
    }

    pub fn is_exhausted(&self) -> bool {
        self.fuel.get() == 0
    }
}

#[derive(Debug)]
pub struct Expression {
    pub source: String,
    pub span: Span,
}

impl Expression {
    pub fn parse(source: &str, span: &Span) -> Result<Self, Diagnostic> {
        let _ = (source, span);
        unimplemented!()
    }

    pub fn evaluate(&self, scope: &Scope<'_>) -> Value {
        let _ = scope;
        unimplemented!()
    }

    /// The value, if it depends on no variable.
    pub fn constant(&self) -> Option<Value> {
        unimplemented!()
    }

    /// The free variables it reads, as paths as long as they are fixed: `last.testing.summary`.
    pub fn references(&self) -> Vec<Vec<String>> {
        unimplemented!()
    }
}

/// A value built from expressions: the shape of YAML with CEL at the leaves.
#[derive(Debug)]
pub enum Formula {
    Expression(Expression),
    List(Vec<Formula>),
    Map(Vec<(String, Formula)>),
    /// A number, a boolean or null, as written.
    Literal(Value),
}

impl Formula {
    pub fn evaluate(&self, scope: &Scope<'_>) -> Value {
        match self {
            Formula::Expression(expression) => expression.evaluate(scope),
            Formula::List(items) => items.iter().map(|item| item.evaluate(scope)).collect(),
            Formula::Map(fields) => {
                fields.iter().map(|(name, field)| (name.clone(), field.evaluate(scope))).collect::<serde_json::Map<_, _>>().into()
            }
            Formula::Literal(value) => value.clone(),
        }
    }

    /// Every expression in it, in the order written.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Formula::Expression(expression) => vec![expression],
            Formula::List(items) => items.iter().flat_map(Formula::expressions).collect(),
            Formula::Map(fields) => fields.iter().flat_map(|(_, field)| field.expressions()).collect(),
            Formula::Literal(_) => Vec::new(),
        }
    }
}
