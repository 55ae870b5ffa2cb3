//! Servers that hold no model to a schema: asked once more without it, and known for it from then on.
//! It decides nothing about the answer, which is validated all the same.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::super::attempt::Attempt;
use super::super::provider::{ModelSettings, StructuredOutput};
use super::super::said::ShapeRefusal;
use super::{Shape, of, preferred};
use crate::context::Progress;

/// The address of a server, without secrets, and a model of it: others of the same server may well be held.
type Known = BTreeSet<(String, String)>;

impl Attempt<'_> {
    /// The shape of the answer, in the form that the provider is known to take.
    pub(in super::super) fn choose_shape(&self) -> Shape {
        let (agent, with_tools) = (self.agent, !self.belt.tools.is_empty());
        let structured = if self.is_known() { StructuredOutput::Off } else { agent.settings.structured };
        self.shape_with(&ModelSettings { structured, ..agent.settings.clone() }, with_tools)
    }

    /// Whether the last call was refused because of its schema, unpaid: then the model is asked without, in words if the shape must be.
    pub(in super::super) fn does_without_schema(&mut self) -> bool {
        let (Some(refusal), Shape::Held(_)) = (self.refused_shape, &self.shape) else { return false };
        let model = &self.agent.settings.model;
        self.context.tell(Progress::Log(format!("the server of {model} takes no schema, and is asked without")));
        if refusal == ShapeRefusal::Mode {
            known(|all| all.insert(self.key()));
        }
        let unheld = ModelSettings { structured: StructuredOutput::Off, ..self.agent.settings.clone() };
        self.shape = self.shape_with(&unheld, !self.belt.tools.is_empty());
        self.shape.tell(&mut self.messages);
        true
    }

    fn shape_with(&self, settings: &ModelSettings, with_tools: bool) -> Shape {
        let kind = self.agent.provider.kind;
        match (&self.request.schema, &self.request.preferred) {
            (None, Some(wished)) => preferred(kind, settings, wished, with_tools),
            (schema, _) => of(kind, settings, schema.as_ref(), with_tools),
        }
    }

    fn is_known(&self) -> bool {
        known(|all| all.contains(&self.key()))
    }

    fn key(&self) -> (String, String) {
        (self.agent.provider.server(), self.agent.settings.model.clone())
    }
}

/// For as long as the process lives: a server that is brought up to date is asked anew by the next.
fn known<Found>(look: impl FnOnce(&mut Known) -> Found) -> Found {
    static ALL: OnceLock<Mutex<Known>> = OnceLock::new();
    look(&mut ALL.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner))
}
