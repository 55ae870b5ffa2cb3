//! Expressions of workflows: CEL, made total. What is missing is null, nothing fails, and work is bounded by fuel.
//! It does not know which variables a workflow has: `check` asks for `references` and compares.

mod evaluate;
mod fault;
mod fitting;
mod fuel;
mod functions;
mod lexer;
mod lists;
mod markers;
mod operators;
mod parser;
mod questions;
mod subjects;
mod syntax;
#[cfg(test)]
mod tests;
mod texts;
mod tongues;

use std::borrow::Cow;
use std::cell::Cell;

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Span};
pub(crate) use lists::canonical;
use syntax::{Node, Place};

/// Every function and every method: how it is written, and what it gives.
pub const FUNCTIONS: &[(&str, &str)] = functions::Function::REFERENCE;
pub const METHODS: &[(&str, &str)] = functions::Method::REFERENCE;

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

/// Variables and what is left of the work an evaluation may do. Several evaluations may share one.
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

/// One expression, parsed. Evaluating it cannot fail.
#[derive(Debug)]
pub struct Expression {
    pub source: String,
    pub span: Span,
    tree: Node,
}

/// A free variable that an expression reads, and where it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// As long as it is fixed: `last.testing.summary`.
    pub path: Vec<String>,
    pub span: Span,
}

impl Expression {
    /// `span` is where the text of the expression begins in its file.
    pub fn parse(source: &str, span: &Span) -> Result<Self, Diagnostic> {
        match parser::parse(source) {
            Ok(tree) => Ok(Self { source: source.to_owned(), span: span.clone(), tree }),
            Err(fault::Fault(fault)) => {
                let diagnostic = Diagnostic::error(fault.code, fault.message).at(&locate(source, span, &fault.place));
                Err(fault.help.into_iter().fold(diagnostic, Diagnostic::help))
            }
        }
    }

    pub fn evaluate(&self, scope: &Scope<'_>) -> Value {
        let value = evaluate::evaluate(&self.tree, evaluate::Frame::new(scope)).into_owned();
        if scope.is_exhausted() { Value::Null } else { value }
    }

    /// The value, if it depends on no variable.
    pub fn constant(&self) -> Option<Value> {
        if !self.located_references().is_empty() {
            return None;
        }
        let scope = Scope::new(&NoVariables);
        let value = self.evaluate(&scope);
        (!scope.is_exhausted()).then_some(value)
    }

    /// The free variables it reads, as paths as long as they are fixed: `last.testing.summary`.
    pub fn references(&self) -> Vec<Vec<String>> {
        let mut paths: Vec<Vec<String>> = Vec::new();
        for reference in self.located_references() {
            if !paths.contains(&reference.path) {
                paths.push(reference.path);
            }
        }
        paths
    }

    /// The same with the place of each, in the order written and with repetitions.
    pub fn located_references(&self) -> Vec<Reference> {
        let mut references = Vec::new();
        self.tree.visit(&mut Vec::new(), &mut |node, bound| {
            if let Some((path, place)) = node.fixed_path().filter(|(path, _)| !bound.contains(&path[0].as_str())) {
                references.push(Reference { path, span: locate(&self.source, &self.span, &place) });
            }
        });
        references
    }
}

/// A place in the source as a place in the file. The columns of an expression over several lines depend on how YAML
/// has folded it, so then it is only where the expression begins.
fn locate(source: &str, span: &Span, place: &Place) -> Span {
    if source.trim_end().contains('\n') {
        return span.clone();
    }
    let characters = |range: &str| range.chars().count();
    let before = source.get(..place.start).map_or(0, characters);
    let length = source.get(place.clone()).map_or(1, characters).max(1);
    Span { column: span.column + before, length, ..span.clone() }
}

struct NoVariables;

impl Variables for NoVariables {
    fn variable(&self, _: &str) -> Option<Cow<'_, Value>> {
        None
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
