//! Prompts, files and short texts: minijinja, compiled at load, with bounded work.

use crate::diagnostic::{Diagnostic, Span};
use crate::expression::Variables;

/// A short text with `{{ }}` in it. What is missing there is empty.
#[derive(Debug)]
pub struct Text {
    pub source: String,
    pub span: Span,
    /// Its name among the templates; None if there is nothing to render.
    pub template: Option<String>,
}

/// All templates of one workflow.
#[derive(Debug, Default)]
pub struct Templates {}

impl Templates {
    /// Compiles a short text.
    pub fn text(&mut self, source: &str, span: &Span) -> Result<Text, Diagnostic> {
        let _ = (source, span);
        unimplemented!()
    }

    /// Compiles a file of the folder; what is missing when it is rendered is an error.
    pub fn file(&mut self, path: &str, source: &str) -> Result<(), Diagnostic> {
        let _ = (path, source);
        unimplemented!()
    }

    /// Never fails: a text that cannot be rendered is its own source.
    pub fn render_text(&self, text: &Text, variables: &dyn Variables) -> String {
        let _ = (text, variables);
        unimplemented!()
    }

    pub fn render_file(&self, path: &str, variables: &dyn Variables) -> Result<String, String> {
        let _ = (path, variables);
        unimplemented!()
    }

    /// The variables a template reads, as paths: `data.plan.title`. `name` is a path, or `Text::template`.
    pub fn references(&self, name: &str) -> Vec<Vec<String>> {
        let _ = name;
        unimplemented!()
    }
}
