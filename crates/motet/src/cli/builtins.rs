//! `motet builtins`: the functions that a workflow may call by name instead of an agent, with what each is given and gives.
//! They cost nothing and ask nobody; who calls them is told by the workflows themselves.

use serde_json::json;

use super::{Context, Exit, Tone, output};
use crate::builtins;
use crate::progress::{width, words};

pub fn run(context: &Context) -> Exit {
    for builtin in builtins::all().iter() {
        if context.json {
            output::json(&json!({ "name": builtin.name, "shape": builtin.shape, "about": builtin.about }));
        } else {
            output::line(context.paint.text(Tone::Strong, builtin.name));
            for text in [builtin.shape, builtin.about] {
                output::line(words::folded(&format!("  {text}"), 2, width()));
            }
        }
    }
    Exit::Ok
}
