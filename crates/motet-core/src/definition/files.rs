//! Projections of the journal that people read.

use crate::diagnostic::Span;
use crate::edits::Form;
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
    /// Where an edit counts: at gates, when they are answered, and in states with a plan, when the run is resumed.
    pub at: Vec<StateName>,
    /// How it stands in the file. None: the file holds the value as it is.
    pub form: Option<Form>,
}

impl Edit {
    pub fn is_item(&self) -> bool {
        self.target == "item"
    }

    /// The field of `data` that an edit changes: its own, or the list that the file's item is from.
    pub fn data<'r>(&'r self, rule: &'r FileRule) -> Option<&'r str> {
        match self.target.strip_prefix("data.") {
            Some(name) => Some(name),
            None => rule.list(),
        }
    }
}

impl FileRule {
    /// The field of `data` whose items have a file each.
    pub fn list(&self) -> Option<&str> {
        self.each.as_ref()?.source.trim().strip_prefix("data.")
    }
}
