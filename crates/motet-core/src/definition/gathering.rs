//! What an agent wants found before it is asked, worked out from what `with` gave.
//! Nothing is looked up here: the program finds, archives, and gives what it found back as `gathered`.

use serde_json::{Value, json};

use super::prompt::Given;
use crate::definition::Definition;
use crate::effect::{Call, CallWork};
use crate::expression::{Expression, Scope};

/// What a prompt, and a rule in its place, calls what was found. It stands in the input of the call.
pub const GATHERED: &str = "gathered";

/// The kinds of sources that a search can be kept to.
pub const KINDS: [&str; 4] = ["documents", "web", "academic", "news"];

/// What is wanted for one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gathering {
    pub search: Vec<String>,
    pub read: Vec<String>,
    pub kinds: Vec<String>,
    pub at_most: u32,
    pub grounds: Option<String>,
    pub checks: Option<String>,
}

impl Definition {
    /// None: the agent wants nothing found.
    pub fn gathering(&self, call: &Call) -> Option<Gathering> {
        let gather = self.agents.get(&call.agent)?.gather.as_ref().filter(|_| call.work == CallWork::Prompt)?;
        let texts = |wanted: &Option<Expression>| {
            let value = wanted.as_ref().map(|wanted| wanted.evaluate(&Scope::new(&Given { definition: self, call })));
            let texts = match value {
                Some(Value::Array(texts)) => texts,
                Some(text @ Value::String(_)) => vec![text],
                _ => Vec::new(),
            };
            texts.iter().filter_map(Value::as_str).map(str::trim).filter(|text| !text.is_empty()).map(String::from).collect()
        };
        let (search, read) = (texts(&gather.search), texts(&gather.read));
        let (kinds, at_most) = (gather.kinds.clone(), gather.at_most);
        Some(Gathering { search, read, kinds, at_most, grounds: gather.grounds.clone(), checks: gather.checks.clone() })
    }
}

/// What stands there until something was found: a case, say, finds nothing.
pub(super) fn nothing() -> Value {
    json!({ "passages": [], "quotes": [], "troubles": [], "gaps": [] })
}
