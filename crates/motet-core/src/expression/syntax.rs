//! The tree of an expression. Chains of operators and of `.field`, `[index]`, `.method()` are flat lists, so that
//! neither evaluating nor dropping a long one recurses. Nothing here knows how it was written or what it is worth.

use regex::Regex;
use serde_json::Value;

use super::functions::{Function, Method};

/// Where a node stands in the source, in bytes.
pub(super) type Place = std::ops::Range<usize>;

#[derive(Debug)]
pub(super) struct Node {
    pub kind: Kind,
    pub place: Place,
}

#[derive(Debug)]
pub(super) enum Kind {
    Literal(Value),
    Variable(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    Not(Box<Node>),
    Negate(Box<Node>),
    /// Operators of one level, applied from left to right.
    Chain(Box<Node>, Vec<(Operator, Node)>),
    Conditional(Box<[Node; 3]>),
    Call(Function, Vec<Node>),
    /// What follows a value: never empty.
    Path(Box<Node>, Vec<Step>),
}

#[derive(Debug)]
pub(super) struct Step {
    pub kind: StepKind,
    /// Where it ends in the source.
    pub end: usize,
}

#[derive(Debug)]
pub(super) enum StepKind {
    Field(String),
    Index(Node),
    Call(Method, Vec<Node>),
    /// `.matches()` of a pattern that is written out, compiled once.
    Matches(Box<Regex>),
    Each(Box<Each>),
}

/// `.all(x, …)` and its siblings: a small loop over a list, or over the keys of a map.
#[derive(Debug)]
pub(super) struct Each {
    pub quantity: Quantity,
    pub variable: String,
    /// The condition of all but the two-argument `map`.
    pub condition: Option<Node>,
    /// What `map` makes of an element.
    pub body: Option<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
}

impl Quantity {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "all" => Self::All,
            "exists" => Self::Exists,
            "exists_one" => Self::ExistsOne,
            "filter" => Self::Filter,
            "map" => Self::Map,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    /// How tightly it binds.
    pub fn level(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Equal | Self::NotEqual | Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual | Self::In => 3,
            Self::Add | Self::Subtract => 4,
            Self::Multiply | Self::Divide | Self::Remainder => 5,
        }
    }
}

impl Node {
    /// Visits the node and all below it, with the names that macros around it have bound.
    pub fn visit<'n>(&'n self, bound: &mut Vec<&'n str>, seen: &mut dyn FnMut(&'n Node, &[&'n str])) {
        seen(self, bound);
        match &self.kind {
            Kind::Literal(_) | Kind::Variable(_) => {}
            Kind::List(items) | Kind::Call(_, items) => items.iter().for_each(|item| item.visit(bound, seen)),
            Kind::Map(fields) => fields.iter().for_each(|(key, value)| {
                key.visit(bound, seen);
                value.visit(bound, seen);
            }),
            Kind::Not(inner) | Kind::Negate(inner) => inner.visit(bound, seen),
            Kind::Chain(first, rest) => {
                first.visit(bound, seen);
                rest.iter().for_each(|(_, node)| node.visit(bound, seen));
            }
            Kind::Conditional(parts) => parts.iter().for_each(|part| part.visit(bound, seen)),
            Kind::Path(root, steps) => {
                // A path that begins at a variable has been seen as a whole.
                if !matches!(root.kind, Kind::Variable(_)) {
                    root.visit(bound, seen);
                }
                steps.iter().for_each(|step| step.visit(bound, seen));
            }
        }
    }
}

impl Node {
    /// The path that begins at a variable here, as far as it is written out, and its place.
    pub fn fixed_path(&self) -> Option<(Vec<String>, Place)> {
        let (root, steps) = match &self.kind {
            Kind::Variable(_) => (self, &[][..]),
            Kind::Path(root, steps) => (&**root, steps.as_slice()),
            _ => return None,
        };
        let Kind::Variable(name) = &root.kind else { return None };
        let (mut path, mut end) = (vec![name.clone()], root.place.end);
        for step in steps {
            match &step.kind {
                StepKind::Field(name) | StepKind::Index(Node { kind: Kind::Literal(Value::String(name)), .. }) => path.push(name.clone()),
                _ => break,
            }
            end = step.end;
        }
        Some((path, root.place.start..end))
    }
}

impl Step {
    fn visit<'n>(&'n self, bound: &mut Vec<&'n str>, seen: &mut dyn FnMut(&'n Node, &[&'n str])) {
        match &self.kind {
            StepKind::Field(_) | StepKind::Matches(_) => {}
            StepKind::Index(index) => index.visit(bound, seen),
            StepKind::Call(_, arguments) => arguments.iter().for_each(|argument| argument.visit(bound, seen)),
            StepKind::Each(each) => {
                bound.push(&each.variable);
                each.condition.iter().chain(&each.body).for_each(|node| node.visit(bound, seen));
                bound.pop();
            }
        }
    }
}
