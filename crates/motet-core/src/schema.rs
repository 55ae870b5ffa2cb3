//! Shapes of inputs and results: JSON Schema, with durations.

use serde_json::Value;

#[derive(Debug)]
pub struct Schema {
    pub json: Value,
}

impl Schema {
    /// Compiles a JSON Schema. Durations are `{"type": "string", "format": "motet-duration"}` with `x-maximum` and `x-minimum` as text.
    pub fn compile(json: Value) -> Result<Self, String> {
        Ok(Self { json })
    }

    /// What is wrong with a value, one sentence each, naming the field; empty if it fits.
    pub fn problems(&self, value: &Value) -> Vec<String> {
        let _ = value;
        unimplemented!()
    }

    /// Sets absent top-level properties to their defaults.
    pub fn fill_defaults(&self, value: &mut Value) {
        let _ = value;
        unimplemented!()
    }

    /// The one property, if the schema is an object with exactly one and that is a string: free text can stand for it.
    pub fn sole_text(&self) -> Option<&str> {
        unimplemented!()
    }

    /// The values that the property at this path may have, if it is an enumeration of strings.
    pub fn enumeration(&self, path: &[&str]) -> Option<Vec<String>> {
        let _ = path;
        unimplemented!()
    }

    /// A top-level property's schema.
    pub fn property(&self, name: &str) -> Option<&Value> {
        self.json.get("properties")?.get(name)
    }
}
