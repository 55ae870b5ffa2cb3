//! What is known while one workflow is read: its folder, the names it declares, and what its expressions and texts refer to.
//! References are only collected here; `resolve` judges them once everything has been read.

use std::collections::{BTreeMap, BTreeSet};

use super::reader::{Reader, suggest};
use super::yaml::{Key, Kind, Node};
use super::{Library, codes};
use crate::definition::Folder;
use crate::diagnostic::Span;
use crate::expression::{Expression, Formula};
use crate::names::{AgentName, CounterName, StateName};
use crate::template::{Templates, Text};

pub struct Reading<'a> {
    pub reader: Reader,
    pub folder: &'a Folder,
    pub library: &'a dyn Library,
    pub templates: Templates,
    /// The paths of the templates that have been compiled, or could not be.
    pub compiled: BTreeSet<String>,
    pub names: Names,
    pub uses: Vec<Use>,
    /// What is read where only an agent's own input is seen, by agent.
    pub given_uses: Vec<(AgentName, Vec<Use>)>,
}

/// Everything a workflow declares, gathered before its parts are read, so that each part can be judged on the spot.
#[derive(Default)]
pub struct Names {
    pub states: BTreeSet<String>,
    pub gates: BTreeSet<String>,
    /// States with a plan.
    pub plans: BTreeSet<String>,
    pub agents: BTreeSet<String>,
    /// With whether it is unlimited.
    pub counters: BTreeMap<String, bool>,
    pub data: BTreeSet<String>,
}

/// One thing that an expression, a text or a template reads.
pub struct Use {
    pub path: Vec<String>,
    pub span: Span,
    pub sees: Sees,
}

/// What can be read from where.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sees {
    /// Before a run has begun.
    Input,
    Run,
    /// A file that grows event by event.
    Event,
    /// An edit that is being judged.
    Edit,
}

impl<'a> Reading<'a> {
    pub fn expression(&mut self, node: &Node, sees: Sees) -> Option<Expression> {
        let text = self.reader.text(node, "an expression")?;
        let span = node.text_span();
        let parsed = Expression::parse(text, &span);
        let expression = self.reader.keep(parsed)?;
        self.uses.extend(expression.located_references().into_iter().map(|found| Use { path: found.path, span: found.span, sees }));
        Some(expression)
    }

    pub fn expression_of(&mut self, node: Option<&Node>, sees: Sees) -> Option<Expression> {
        node.and_then(|node| self.expression(node, sees))
    }

    /// Numbers, booleans and null stand for themselves, texts are expressions, lists and mappings keep their shape.
    pub fn formula(&mut self, node: &Node, sees: Sees) -> Option<Formula> {
        if let Some(value) = node.literal() {
            return Some(Formula::Literal(value));
        }
        match &node.kind {
            Kind::Scalar { .. } => self.expression(node, sees).map(Formula::Expression),
            Kind::List(items) => Some(Formula::List(items.iter().map(|item| self.formula_or_null(item, sees)).collect())),
            Kind::Map(entries) => Some(Formula::Map(self.formulas_of(entries, sees))),
        }
    }

    /// One that could not be read has been reported; null keeps its place, so that nothing else is said to be missing.
    fn formula_or_null(&mut self, node: &Node, sees: Sees) -> Formula {
        self.formula(node, sees).unwrap_or(Formula::Literal(serde_json::Value::Null))
    }

    /// A number as written, or an expression that gives one.
    pub fn quantity(&mut self, node: &Node, sees: Sees) -> Option<Formula> {
        match node.kind {
            Kind::Scalar { .. } => self.formula(node, sees),
            Kind::List(_) | Kind::Map(_) => self.reader.wrong(node, "a number or an expression"),
        }
    }

    /// A mapping from names that the author chose to formulas.
    pub fn formulas(&mut self, node: Option<&Node>, what: &str, sees: Sees) -> Vec<(String, Formula)> {
        let entries = self.reader.entries(node, what);
        self.formulas_of(entries, sees)
    }

    fn formulas_of(&mut self, entries: &[(Key, Node)], sees: Sees) -> Vec<(String, Formula)> {
        entries.iter().map(|(key, value)| (key.text.clone(), self.formula_or_null(value, sees))).collect()
    }

    /// Formulas whose names must be declared in `data`.
    pub fn data_formulas(&mut self, node: Option<&Node>, what: &str) -> Vec<(String, Formula)> {
        for (key, _) in self.reader.entries(node, what) {
            if !self.names.data.contains(&key.text) {
                let problem = self.reader.error(
                    codes::UNKNOWN_VARIABLE,
                    &key.span,
                    format!("`{what}` sets `{}`, which `data` does not declare", key.text),
                );
                suggest(problem, &key.text, self.names.data.iter().map(String::as_str));
            }
        }
        self.formulas(node, what, Sees::Run)
    }

    pub fn text(&mut self, node: &Node) -> Option<Text> {
        let source = self.reader.text(node, "a text")?;
        self.text_at(source, &node.text_span())
    }

    pub fn text_of(&mut self, node: Option<&Node>) -> Option<Text> {
        node.and_then(|node| self.text(node))
    }

    pub fn text_at(&mut self, source: &str, span: &Span) -> Option<Text> {
        let compiled = self.templates.text(source, span);
        let text = self.reader.keep(compiled)?;
        if let Some(template) = &text.template {
            let references = self.templates.references(template);
            self.note(&references, source, span);
        }
        Some(text)
    }

    /// A prompt or a file's template: there, and compiled.
    pub fn template(&mut self, path: &str, span: &Span, what: &str) -> Option<()> {
        let text = self.file(path, span, what)?;
        if self.compiled.insert(path.to_owned()) {
            let compiled = self.templates.file(path, text);
            self.reader.keep(compiled);
        }
        Some(())
    }

    /// A file of the folder, by path.
    pub fn file(&mut self, path: &str, span: &Span, what: &str) -> Option<&'a str> {
        if !self.folder.contains_key(path) {
            let problem = self.reader.error(codes::MISSING_FILE, span, format!("the {what} `{path}` is not in the folder"));
            let directory = path.split('/').next().unwrap_or_default();
            let beside = self.folder.keys().map(String::as_str).filter(|other| other.starts_with(directory) || other.ends_with(path));
            suggest(problem, path, beside);
            return None;
        }
        self.folder.get(path).map(String::as_str)
    }

    pub fn state_name(&mut self, node: &Node) -> Option<StateName> {
        let text = self.reader.text(node, "the name of a state")?;
        self.known_state(text, &node.span)
    }

    pub fn known_state(&mut self, name: &str, span: &Span) -> Option<StateName> {
        if self.names.states.contains(name) {
            return Some(StateName::new(name));
        }
        let problem = self.reader.error(codes::UNKNOWN_STATE, span, format!("unknown state `{name}`"));
        problem.label = "no state has this name".into();
        suggest(problem, name, self.names.states.iter().map(String::as_str));
        None
    }

    pub fn known_agent(&mut self, name: &str, span: &Span) -> Option<AgentName> {
        if self.names.agents.contains(name) {
            return Some(AgentName::new(name));
        }
        let problem = self.reader.error(codes::UNKNOWN_AGENT, span, format!("unknown agent `{name}`"));
        problem.label = "no agent has this name".into();
        suggest(problem, name, self.names.agents.iter().map(String::as_str));
        None
    }

    pub fn known_counter(&mut self, name: &str, span: &Span) -> Option<CounterName> {
        if self.names.counters.contains_key(name) {
            return Some(CounterName::new(name));
        }
        let problem = self.reader.error(codes::UNKNOWN_COUNTER, span, format!("unknown counter `{name}`"));
        problem.label = "no counter has this name".into();
        suggest(problem, name, self.names.counters.keys().map(String::as_str));
        None
    }

    /// Whether Motet has a built-in of this name.
    pub fn known_builtin(&mut self, name: &str, span: &Span) {
        if !self.library.has_builtin(name) {
            let problem = self.reader.error(codes::UNKNOWN_BUILTIN, span, format!("unknown built-in `{name}`"));
            let builtins = self.library.builtins();
            suggest(problem, name, builtins.iter().map(String::as_str));
        }
    }

    fn note(&mut self, references: &[Vec<String>], source: &str, span: &Span) {
        for path in references {
            let span = narrowed(span, source, path);
            self.uses.push(Use { path: path.clone(), span, sees: Sees::Run });
        }
    }
}

/// The part of a one-line source where a path stands, or all of it.
fn narrowed(span: &Span, source: &str, path: &[String]) -> Span {
    let written = path.join(".");
    let boundary = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let place = source.match_indices(&written).find(|(place, _)| {
        boundary(source[..*place].chars().next_back()) && boundary(source[place + written.len()..].chars().next().filter(|c| *c != '.'))
    });
    match place {
        Some((place, _)) if span.length == source.chars().count() && !source.contains('\n') => {
            Span { column: span.column + source[..place].chars().count(), length: written.chars().count(), ..span.clone() }
        }
        _ => span.clone(),
    }
}
