//! The work that one evaluation may do, counted so that no expression can take long or grow large.
//! It counts work, not time: the same expression on the same data always gets equally far.

use std::cell::Cell;

use serde_json::Value;

/// What is left of a scope's fuel. Zero: cut short.
#[derive(Clone, Copy)]
pub(super) struct Fuel<'v>(pub &'v Cell<u64>);

impl Fuel<'_> {
    /// False once there is none left; the caller then gives null.
    pub fn burn(self, amount: u64) -> bool {
        self.0.set(self.0.get().saturating_sub(amount));
        self.0.get() > 0
    }

    pub fn burn_text(self, bytes: usize) -> bool {
        self.burn(bytes as u64 / 64 + 1)
    }

    /// For making a copy of a value, all that is inside it included.
    pub fn burn_copy(self, value: &Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => self.burn(1),
            Value::String(text) => self.burn_text(text.len()),
            Value::Array(items) => self.burn(1) && items.iter().all(|item| self.burn_copy(item)),
            Value::Object(fields) => {
                self.burn(1) && fields.iter().all(|(name, field)| self.burn(name.len() as u64 / 64) && self.burn_copy(field))
            }
        }
    }
}
