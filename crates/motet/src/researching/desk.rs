//! Search, fetch and read as tools of a model, over the library of its own run: what it is shown is archived before it sees it.
//! A task has so many calls and no more; whether a fact stands in what was shown is judged when the task is over.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use motet_agents::{BoxFuture, Context, Tool, ToolAnswer, Toolbox};
use motet_core::Call;
use motet_core::definition::{EVERY_TOOL, TOOLS};
use motet_core::event::Failure;
use motet_core::names::RunId;
use motet_evidence::library::{self, Trouble};
use serde_json::Value;

use super::{Researching, seed};
use crate::config::OWN_TOOLS;

/// How many calls one attempt may make.
const MOST_CALLS: usize = 40;

pub struct Desk {
    researching: Researching,
    run: RunId,
    seed: String,
    given: BTreeSet<String>,
    calls: AtomicUsize,
    /// The addresses of the documents that were shown.
    shown: Mutex<Vec<String>>,
    /// Which sources could not be searched.
    troubles: Mutex<Vec<Trouble>>,
}

/// Whether a name means one of Motet's own tools, or all of them.
pub fn is_own(name: &str) -> bool {
    TOOLS.contains(&name) || name == EVERY_TOOL
}

/// Motet's own tools, as models are told of them.
pub fn own_tools() -> Vec<Tool> {
    let own = |tool: library::ToolDescription| Tool {
        name: format!("{OWN_TOOLS}.{}", tool.name),
        description: tool.description.to_string(),
        parameters: tool.parameters,
    };
    library::tools().into_iter().map(own).collect()
}

impl Desk {
    /// None: nothing of ours was given.
    pub(super) fn new<'a>(researching: &Researching, call: &Call, names: impl Iterator<Item = &'a String>) -> Option<Self> {
        let named: BTreeSet<&str> = names.map(String::as_str).collect();
        let is_given = |tool: &&str| named.contains(tool) || named.contains(EVERY_TOOL);
        let given: BTreeSet<String> = TOOLS.into_iter().filter(is_given).map(String::from).collect();
        (!given.is_empty()).then(|| Self {
            researching: researching.clone(),
            run: call.run.clone(),
            seed: seed(call),
            given,
            calls: AtomicUsize::new(0),
            shown: Mutex::default(),
            troubles: Mutex::default(),
        })
    }

    /// The addresses of the documents that the task was shown, each once.
    pub fn shown(&self) -> Vec<String> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The sources that the tools could not search.
    pub fn troubles(&self) -> Vec<Trouble> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn answer(&self, name: &str, arguments: Value, context: &Context) -> ToolAnswer {
        let error = |text: String| ToolAnswer { text, is_error: true };
        let Some(tool) = name.strip_prefix(OWN_TOOLS).and_then(|rest| rest.strip_prefix('.')).filter(|_| self.given.contains(name)) else {
            return error(format!("you were given no tool `{name}`"));
        };
        if self.calls.fetch_add(1, Ordering::Relaxed) >= MOST_CALLS {
            return error(format!("this task has used its {MOST_CALLS} calls; answer with what you have"));
        }
        let cell = self.researching.cell(&self.run);
        let library = match self.researching.library(&cell, &self.run, context).await {
            Ok(library) => library,
            Err(why) => return error(why),
        };
        let answer = library.call(tool, arguments, &self.seed).await;
        // The address of a page is the word of whoever asked for it, who was told; a source that is down concerns everybody.
        let of_sources = answer.troubles.into_iter().filter(|trouble| trouble.address.is_none());
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).extend(of_sources);
        if let Some(address) = answer.shown {
            let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
            if !shown.contains(&address) {
                shown.push(address);
            }
        }
        ToolAnswer { text: context.redactor().string(answer.text), is_error: answer.is_error }
    }
}

impl Toolbox for Desk {
    fn tools<'a>(&'a self, _context: &'a Context) -> BoxFuture<'a, Result<Vec<Tool>, Failure>> {
        Box::pin(async { Ok(own_tools().into_iter().filter(|tool| self.given.contains(&tool.name)).collect()) })
    }

    fn call<'a>(&'a self, name: &'a str, arguments: Value, context: &'a Context) -> BoxFuture<'a, ToolAnswer> {
        Box::pin(self.answer(name, arguments, context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_that_workflows_may_name_are_those_that_there_are() {
        let names: Vec<String> = own_tools().into_iter().map(|tool| tool.name).collect();
        assert_eq!(names, TOOLS);
        assert!(TOOLS.iter().all(|tool| is_own(tool)) && is_own(EVERY_TOOL) && !is_own("evidence.burn") && !is_own("search"));
    }
}
