//! Projections of the journal that people read.

use crate::diagnostic::Span;
use crate::expression::Expression;
use crate::names::StateName;
use crate::template::Text;

#[derive(Debug)]
pub struct FileRule {
    pub path: Text,
    /// The template, by path in the folder.
    pub from: String,
    /// One file per item of this list.
    pub each: Option<Expression>,
    /// Not before this state was entered.
    pub since: Option<StateName>,
    /// The template gives what one event adds; otherwise the whole file.
    pub append: bool,
    /// What a person may change there.
    pub edits: Vec<Edit>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Edit {
    /// `data.tasks`, or `item`.
    pub target: String,
    /// The gates at whose answer an edit is imported.
    pub gates: Vec<StateName>,
}
