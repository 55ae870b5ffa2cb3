//! What an expression is worth. Values are borrowed from the variables as long as they can be, so that looking at a large
//! list does not copy it. There is no error: what is missing is null, and when the fuel is out everything is.

use std::borrow::Cow;

use serde_json::Value;

use super::Scope;
use super::fuel::Fuel;
use super::functions;
use super::operators::{Number, apply, holds, key, negate, number};
use super::syntax::{Each, Kind, Node, Operator, Quantity, Step, StepKind};

/// The variables of the macros around a node, the innermost first.
struct Local<'v> {
    name: &'v str,
    value: &'v Value,
    outer: Option<&'v Local<'v>>,
}

#[derive(Clone, Copy)]
pub(super) struct Frame<'v> {
    scope: &'v Scope<'v>,
    locals: Option<&'v Local<'v>>,
}

impl<'v> Frame<'v> {
    pub fn new(scope: &'v Scope<'v>) -> Self {
        Self { scope, locals: None }
    }

    fn fuel(self) -> Fuel<'v> {
        Fuel(&self.scope.fuel)
    }

    fn local(self, name: &str) -> Option<&'v Value> {
        let mut next = self.locals;
        while let Some(local) = next {
            if local.name == name {
                return Some(local.value);
            }
            next = local.outer;
        }
        None
    }

    /// A value that outlives the frame; copying costs what is copied.
    fn own(self, value: Cow<'_, Value>) -> Value {
        match value {
            Cow::Owned(value) => value,
            Cow::Borrowed(value) if self.fuel().burn_copy(value) => value.clone(),
            Cow::Borrowed(_) => Value::Null,
        }
    }
}

pub(super) fn evaluate<'v>(node: &'v Node, frame: Frame<'v>) -> Cow<'v, Value> {
    if !frame.fuel().burn(1) {
        return Cow::default();
    }
    match &node.kind {
        Kind::Literal(value) => Cow::Borrowed(value),
        Kind::Variable(name) => variable(name, frame),
        Kind::List(items) => Cow::Owned(items.iter().map(|item| frame.own(evaluate(item, frame))).collect()),
        Kind::Map(fields) => {
            let entry = |(name, field): &'v (Node, Node)| {
                let name = evaluate(name, frame);
                Some((key(&name)?.into_owned(), frame.own(evaluate(field, frame))))
            };
            Cow::Owned(Value::Object(fields.iter().filter_map(entry).collect()))
        }
        Kind::Not(inner) => Cow::Owned((!holds(&evaluate(inner, frame))).into()),
        Kind::Negate(inner) => Cow::Owned(negate(&evaluate(inner, frame))),
        Kind::Chain(first, rest) => chain(first, rest, frame),
        Kind::Conditional(parts) => {
            let [condition, then, otherwise] = &**parts;
            evaluate(if holds(&evaluate(condition, frame)) { then } else { otherwise }, frame)
        }
        Kind::Call(function, arguments) => {
            let arguments = arguments.iter().map(|argument| evaluate(argument, frame)).collect();
            functions::call(*function, arguments, frame.fuel())
        }
        Kind::Path(root, steps) => path(root, steps, frame),
    }
}

fn variable<'v>(name: &str, frame: Frame<'v>) -> Cow<'v, Value> {
    match frame.local(name) {
        Some(value) => Cow::Borrowed(value),
        None => frame.scope.variables.variable(name).unwrap_or_default(),
    }
}

fn chain<'v>(first: &'v Node, rest: &'v [(Operator, Node)], frame: Frame<'v>) -> Cow<'v, Value> {
    let mut value = evaluate(first, frame);
    for (operator, right) in rest {
        value = match operator {
            Operator::And => Cow::Owned((holds(&value) && holds(&evaluate(right, frame))).into()),
            Operator::Or => Cow::Owned((holds(&value) || holds(&evaluate(right, frame))).into()),
            _ => apply(*operator, value, evaluate(right, frame), frame.fuel()),
        };
    }
    value
}

fn path<'v>(root: &'v Node, steps: &'v [Step], frame: Frame<'v>) -> Cow<'v, Value> {
    let (mut value, steps) = match (&root.kind, steps) {
        // One field of a variable is asked for by name, because the whole of it may be large, or not exist yet.
        (Kind::Variable(name), [Step { kind: StepKind::Field(field), .. }, rest @ ..]) if frame.local(name).is_none() => {
            (frame.scope.variables.member(name, field).unwrap_or_default(), rest)
        }
        _ => (evaluate(root, frame), steps),
    };
    for step in steps {
        if !frame.fuel().burn(1) {
            return Cow::default();
        }
        value = match &step.kind {
            StepKind::Field(name) => field(value, name),
            StepKind::Index(index) => element(value, &evaluate(index, frame)),
            StepKind::Call(method, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(|argument| evaluate(argument, frame)).collect();
                functions::call_method(*method, value, &arguments, frame.fuel())
            }
            StepKind::Matches(pattern) => {
                let matched = value.as_str().is_some_and(|text| frame.fuel().burn_text(text.len()) && pattern.is_match(text));
                Cow::Owned(matched.into())
            }
            StepKind::Each(each) => repeat(value, each, frame),
        };
    }
    value
}

fn field<'v>(value: Cow<'v, Value>, name: &str) -> Cow<'v, Value> {
    match value {
        Cow::Borrowed(value) => value.get(name).map_or_else(Cow::default, Cow::Borrowed),
        Cow::Owned(Value::Object(mut fields)) => fields.remove(name).map_or_else(Cow::default, Cow::Owned),
        Cow::Owned(_) => Cow::default(),
    }
}

fn element<'v>(value: Cow<'v, Value>, index: &Value) -> Cow<'v, Value> {
    if value.is_array() {
        let position = number(index).and_then(Number::as_integer).and_then(|position| usize::try_from(position).ok());
        return position.map_or_else(Cow::default, |position| super::lists::at(value, position));
    }
    key(index).map_or_else(Cow::default, |name| field(value, &name))
}

/// One macro over a list, or over the keys of a map.
fn repeat<'v>(value: Cow<'v, Value>, each: &'v Each, frame: Frame<'v>) -> Cow<'v, Value> {
    let list = match value {
        Cow::Owned(Value::Array(items)) => Cow::Owned(items),
        Cow::Borrowed(Value::Array(items)) => Cow::Borrowed(items.as_slice()),
        map => match super::lists::keys(&map, frame.fuel()) {
            Value::Array(keys) => Cow::Owned(keys),
            _ => return Cow::default(),
        },
    };
    let inside = |element: &Value, wanted: &Option<Node>| match wanted {
        None => true,
        Some(condition) => {
            let local = Local { name: &each.variable, value: element, outer: frame.locals };
            holds(&evaluate(condition, Frame { scope: frame.scope, locals: Some(&local) }))
        }
    };
    let matches = |element: &&Value| inside(element, &each.condition);
    Cow::Owned(match each.quantity {
        Quantity::All => list.iter().all(|element| matches(&element)).into(),
        Quantity::Exists => list.iter().any(|element| matches(&element)).into(),
        Quantity::ExistsOne => (list.iter().filter(matches).take(2).count() == 1).into(),
        Quantity::Filter => match list {
            Cow::Borrowed(items) => items.iter().filter(matches).map(|element| frame.own(Cow::Borrowed(element))).collect(),
            Cow::Owned(mut items) => {
                items.retain(|element| matches(&element));
                Value::Array(items)
            }
        },
        Quantity::Map => list.iter().filter(matches).filter_map(|element| made(element, each, frame)).collect(),
    })
}

/// What `map` makes of one element; nothing once the fuel is out, so that the rest of a long list is passed over quickly.
fn made(element: &Value, each: &Each, frame: Frame<'_>) -> Option<Value> {
    let local = Local { name: &each.variable, value: element, outer: frame.locals };
    let inner = Frame { scope: frame.scope, locals: Some(&local) };
    let value = each.body.as_ref().map(|body| inner.own(evaluate(body, inner)));
    value.filter(|_| frame.scope.fuel.get() > 0)
}
