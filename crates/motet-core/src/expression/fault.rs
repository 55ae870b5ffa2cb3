//! A mistake in the source of an expression, before it is known where that source stands in a file.
//! It becomes a diagnostic in `Expression::parse`; nothing else sees it.

use super::syntax::Place;

/// What is wrong with a source, and where in it.
#[derive(Debug)]
pub(super) struct Fault(pub Box<FaultDetail>);

#[derive(Debug)]
pub(super) struct FaultDetail {
    pub code: &'static str,
    pub place: Place,
    pub message: String,
    pub help: Option<String>,
}

impl Fault {
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        Self(Box::new(FaultDetail { code: "M0501", place, message: message.into(), help: None }))
    }

    pub fn code(mut self, code: &'static str) -> Self {
        self.0.code = code;
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }
}
