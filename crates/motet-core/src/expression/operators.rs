//! Arithmetic, order and equality of JSON values, without an error in them: what has no meaning is null or false.
//! Whole numbers have 64 bits and a sign; beyond that, and beyond what JSON can write, is null.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::fuel::Fuel;
use super::syntax::Operator;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i64),
    Float(f64),
}

impl Number {
    pub fn float(self) -> f64 {
        match self {
            Number::Integer(integer) => integer as f64,
            Number::Float(float) => float,
        }
    }

    /// The whole number it is, if it is one.
    pub fn as_integer(self) -> Option<i64> {
        match self {
            Number::Integer(integer) => Some(integer),
            Number::Float(float) => (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64),
        }
    }
}

pub(super) fn number(value: &Value) -> Option<Number> {
    let number = value.as_number()?;
    number.as_i64().map(Number::Integer).or_else(|| number.as_f64().map(Number::Float))
}

/// Only `true` is true.
pub(super) fn holds(value: &Value) -> bool {
    value == &Value::Bool(true)
}

/// The operators that need both sides; `&&` and `||` are the evaluator's.
pub(super) fn apply<'v>(operator: Operator, left: Cow<'v, Value>, right: Cow<'v, Value>, fuel: Fuel<'_>) -> Cow<'v, Value> {
    let value = match operator {
        Operator::Add if right.is_array() || left.is_array() => return concatenate(left, right, fuel),
        Operator::Add if left.is_string() => join(left, &right, fuel),
        Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => {
            calculate(operator, number(&left), number(&right))
        }
        Operator::Equal => equal(&left, &right, fuel).into(),
        Operator::NotEqual => (!equal(&left, &right, fuel)).into(),
        Operator::Less => (compare(&left, &right) == Some(Ordering::Less)).into(),
        Operator::LessOrEqual => compare(&left, &right).is_some_and(Ordering::is_le).into(),
        Operator::Greater => (compare(&left, &right) == Some(Ordering::Greater)).into(),
        Operator::GreaterOrEqual => compare(&left, &right).is_some_and(Ordering::is_ge).into(),
        Operator::In => contains(&right, &left, fuel).into(),
        Operator::And => (holds(&left) && holds(&right)).into(),
        Operator::Or => (holds(&left) || holds(&right)).into(),
    };
    Cow::Owned(value)
}

/// Lists; null beside a list is an empty one.
fn concatenate<'v>(left: Cow<'v, Value>, right: Cow<'v, Value>, fuel: Fuel<'_>) -> Cow<'v, Value> {
    if left.is_null() {
        return right;
    }
    if right.is_null() {
        return left;
    }
    let cost = |value: &Cow<'_, Value>| match value {
        Cow::Borrowed(value) => fuel.burn_copy(value),
        Cow::Owned(value) => fuel.burn(value.as_array().map_or(0, Vec::len) as u64),
    };
    // What is built step by step on the left moves and costs nothing again.
    let left_fits = matches!(left, Cow::Owned(_)) || cost(&left);
    if !(left_fits && cost(&right)) {
        return Cow::default();
    }
    match (left.into_owned(), right.into_owned()) {
        (Value::Array(mut items), Value::Array(more)) => {
            items.extend(more);
            Cow::Owned(Value::Array(items))
        }
        _ => Cow::default(),
    }
}

fn join(left: Cow<'_, Value>, right: &Value, fuel: Fuel<'_>) -> Value {
    match (left.into_owned(), right) {
        (Value::String(mut text), Value::String(more)) if fuel.burn_text(text.len() + more.len()) => {
            text.push_str(more);
            Value::String(text)
        }
        _ => Value::Null,
    }
}

pub(super) fn calculate(operator: Operator, left: Option<Number>, right: Option<Number>) -> Value {
    let (Some(left), Some(right)) = (left, right) else { return Value::Null };
    if let (Number::Integer(left), Number::Integer(right)) = (left, right) {
        let result = match operator {
            Operator::Add => left.checked_add(right),
            Operator::Subtract => left.checked_sub(right),
            Operator::Multiply => left.checked_mul(right),
            Operator::Divide => left.checked_div(right),
            Operator::Remainder => left.checked_rem(right),
            _ => None,
        };
        return result.map_or(Value::Null, Value::from);
    }
    let (left, right) = (left.float(), right.float());
    // A float that JSON cannot write, such as one divided by zero, becomes null.
    Value::from(match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide => left / right,
        Operator::Remainder => left % right,
        _ => f64::NAN,
    })
}

pub(super) fn negate(value: &Value) -> Value {
    match number(value) {
        Some(Number::Integer(integer)) => integer.checked_neg().map_or(Value::Null, Value::from),
        Some(Number::Float(float)) => Value::from(-float),
        None => Value::Null,
    }
}

/// None for values that have no order: mixed kinds, null, lists, maps.
pub(super) fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        _ => match (number(left)?, number(right)?) {
            (Number::Integer(left), Number::Integer(right)) => Some(left.cmp(&right)),
            (left, right) => left.float().partial_cmp(&right.float()),
        },
    }
}

/// By structure; 1 and 1.0 are the same number.
pub(super) fn equal(left: &Value, right: &Value, fuel: Fuel<'_>) -> bool {
    if !fuel.burn(1) {
        return false;
    }
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => compare(left, right) == Some(Ordering::Equal),
        (Value::String(left), Value::String(right)) => left == right,
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right, fuel))
        }
        (Value::Object(left), Value::Object(right)) => {
            let same = |((name, field), (other, value)): ((&String, &Value), (&String, &Value))| name == other && equal(field, value, fuel);
            left.len() == right.len() && left.iter().zip(right).all(same)
        }
        _ => left == right,
    }
}

/// `element in list`, or `key in map`.
fn contains(container: &Value, element: &Value, fuel: Fuel<'_>) -> bool {
    match container {
        Value::Array(items) => items.iter().any(|item| equal(item, element, fuel)),
        Value::Object(fields) => key(element).is_some_and(|key| fields.contains_key(&*key)),
        _ => false,
    }
}

/// How a value is written as the key of a map. Keys are texts here; numbers and booleans are written out.
pub(super) fn key(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
