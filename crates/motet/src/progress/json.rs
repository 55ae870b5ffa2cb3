//! A run as JSON, one object per line:
//!
//! - `{"type": "event", "run", "event": {"seq", "at", "fact"}, "told", "entered": […], "followed": […]}` for every event of the
//!   journal, in order: what happened in words, the states that the run entered with it, and all that followed from it in words;
//! - `{"type": "notice", "text"}` for what is no event: the disk is full, a file could not be written, a provider takes no calls;
//! - `{"type": "status", "run", "exit", "view"}` at the end if the run is open, `{"type": "result", …}` with the same fields and
//!   `outcome`, `because`, `output`, `files` if it has ended. `view` is the run as the machine sees it: most of `motet status --json`.

use motet_core::{Definition, Event, State};
use serde_json::{Value, json};

use super::Narrator;
use crate::cli::{Exit, output};
use crate::home::{Home, Mirror};

pub struct Json {
    narrator: Narrator,
}

impl Json {
    pub fn new(mirror: &Mirror) -> Self {
        Self { narrator: Narrator::from(&mirror.state) }
    }

    pub fn advanced(&mut self, mirror: &Mirror, event: &Event) {
        let told = self.narrator.tell(event, &mirror.state);
        let followed: Vec<&str> = told.followed.iter().map(super::Followed::text).collect();
        let (what, entered) = (&told.what, &told.entered);
        output::json(
            &json!({ "type": "event", "run": mirror.run, "event": event, "told": what, "entered": entered, "followed": followed }),
        );
    }

    pub fn say(&self, text: &str) {
        output::json(&json!({ "type": "notice", "text": text }));
    }

    pub fn end(&self, mirror: &Mirror, home: &Home, exit: Exit, untold: u64) {
        output::json(&last(mirror, home, exit, untold));
    }
}

/// How the run stands when this process leaves it.
pub fn last(mirror: &Mirror, home: &Home, exit: Exit, untold: u64) -> Value {
    let view = told(&mirror.definition, &mirror.state, untold);
    let mut last = json!({ "type": "status", "run": mirror.run, "exit": exit.code(), "view": view });
    if let Some(ended) = &mirror.state.ended {
        last["type"] = json!("result");
        last["outcome"] = json!(ended.outcome);
        last["because"] = json!(mirror.state.because);
        last["output"] = ended.output.clone();
        last["files"] = json!(home.files(&mirror.run));
    }
    last
}

/// A run as everybody sees it, with what the machine cannot know: how many of its calls nobody tells the cost of.
pub fn told(definition: &Definition, state: &State, untold: u64) -> Value {
    let mut view = json!(motet_core::view(definition, state));
    if let Some(money) = view.get_mut("money") {
        money["cost_not_told"] = json!(untold);
    }
    view
}
