//! Prompts, files and short texts: minijinja, compiled at load, with bounded work.
//! A template sees the folder's other templates and the variables it is given; there is no loader. Only web pages are escaped.

mod context;
mod filters;
mod scan;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error as _;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};

use crate::diagnostic::{Diagnostic, Span, nearest};
use crate::expression::Variables;

/// What one rendering may do, in instructions.
const FUEL: u64 = 500_000;
/// Lines, and characters of a line: far more than anybody writes.
const LONGEST: usize = 30_000;
/// What one rendering may give, in bytes.
const MOST_OUTPUT: usize = 16 * 1024 * 1024;

/// Names that minijinja itself knows.
const FUNCTIONS: [&str; 8] = ["range", "dict", "debug", "namespace", "loop", "self", "super", "caller"];

/// A short text with `{{ }}` in it. What is missing there is empty.
#[derive(Debug)]
pub struct Text {
    pub source: String,
    pub span: Span,
    /// Its name among the templates; None if there is nothing to render.
    pub template: Option<String>,
}

/// All templates of one workflow.
#[derive(Debug)]
pub struct Templates {
    files: Environment<'static>,
    texts: Environment<'static>,
    known: BTreeMap<String, Known>,
    count: usize,
}

/// What is known of a template from its source.
#[derive(Debug)]
struct Known {
    references: BTreeSet<Vec<String>>,
    /// All of these and words that are no variables.
    words: BTreeSet<Vec<String>>,
    includes: Vec<scan::Include>,
}

impl Default for Templates {
    fn default() -> Self {
        Self {
            files: environment(UndefinedBehavior::Strict),
            texts: environment(UndefinedBehavior::Chainable),
            known: BTreeMap::new(),
            count: 0,
        }
    }
}

impl Templates {
    /// Compiles a short text.
    pub fn text(&mut self, source: &str, span: &Span) -> Result<Text, Diagnostic> {
        let is_plain = !["{{", "{%", "{#"].iter().any(|mark| source.contains(mark));
        let template = if is_plain {
            None
        } else {
            self.count += 1;
            let name = format!("text {}", self.count);
            let place = |range: std::ops::Range<usize>| within(source, span, &range);
            if let Some(include) = scan::includes(source).first() {
                let diagnostic = Diagnostic::error("M0513", "a short text cannot include a file").at(&place(include.place.clone()));
                return Err(diagnostic);
            }
            self.known.insert(name.clone(), compile(&mut self.texts, &name, source, &place)?);
            Some(name)
        };
        Ok(Text { source: source.to_owned(), span: span.clone(), template })
    }

    /// Compiles a file of the folder; what is missing when it is rendered is an error.
    pub fn file(&mut self, path: &str, source: &str) -> Result<(), Diagnostic> {
        let place = |range| in_file(path, source, range);
        let known = compile(&mut self.files, path, source, &place)?;
        self.known.insert(path.to_owned(), known);
        Ok(())
    }

    /// Includes of files that are not there. For when every file has been compiled.
    pub fn unresolved(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        for (path, known) in &self.known {
            let Ok(template) = self.files.get_template(path) else { continue };
            for include in known.includes.iter().filter(|include| !self.known.contains_key(&include.path)) {
                let message = format!("there is no file `{}` to include", include.path);
                let diagnostic = Diagnostic::error("M0513", message).at(&in_file(path, template.source(), include.place.clone()));
                let near = nearest(&include.path, self.known.keys().map(String::as_str));
                diagnostics.push(near.map(|near| format!("did you mean `{near}`?")).into_iter().fold(diagnostic, Diagnostic::help));
            }
        }
        diagnostics
    }

    /// Never fails: a text that cannot be rendered is its own source.
    pub fn render_text(&self, text: &Text, variables: &dyn Variables) -> String {
        let Some(name) = &text.template else { return text.source.clone() };
        self.render(&self.texts, name, variables).unwrap_or_else(|_| text.source.clone())
    }

    /// The error is one sentence that names the file and the line.
    pub fn render_file(&self, path: &str, variables: &dyn Variables) -> Result<String, String> {
        self.render(&self.files, path, variables)
    }

    /// The variables a template reads, as paths: `data.plan.title`. `name` is a path, or `Text::template`.
    /// Those of the templates it includes are among them.
    pub fn references(&self, name: &str) -> Vec<Vec<String>> {
        self.gather(name, |known| &known.references)
    }

    /// What is known of a template and of all that it includes.
    fn gather(&self, name: &str, what: fn(&Known) -> &BTreeSet<Vec<String>>) -> Vec<Vec<String>> {
        let mut open = vec![name];
        let mut seen = BTreeSet::new();
        let mut gathered: BTreeSet<&Vec<String>> = BTreeSet::new();
        while let Some(name) = open.pop() {
            let Some(known) = self.known.get(name).filter(|_| seen.insert(name)) else { continue };
            gathered.extend(what(known));
            open.extend(known.includes.iter().map(|include| include.path.as_str()));
        }
        gathered.into_iter().cloned().collect()
    }

    fn render(&self, environment: &Environment<'_>, name: &str, variables: &dyn Variables) -> Result<String, String> {
        let template = environment.get_template(name).map_err(|_| format!("there is no template `{name}`"))?;
        let mut output = Limited(Vec::new());
        let context = context::build(&self.gather(name, |known| &known.words), variables);
        match template.render_captured_to(context, &mut output) {
            Ok(_) => String::from_utf8(output.0).map_err(|_| format!("{name} gave something that is not text")),
            Err(_) if output.0.len() >= MOST_OUTPUT => Err(format!("{name} gives more than {MOST_OUTPUT} bytes")),
            Err(error) => Err(sentence(&error, name)),
        }
    }
}

/// A place to write to that refuses more than a rendering may give.
struct Limited(Vec<u8>);

impl std::io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let fitting = bytes.len().min(MOST_OUTPUT - self.0.len());
        self.0.extend_from_slice(&bytes[..fitting]);
        Ok(fitting)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn environment(behaviour: UndefinedBehavior) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_debug(true);
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(100);
    environment.set_undefined_behavior(behaviour);
    environment.set_auto_escape_callback(escaping);
    environment.set_formatter(|output, state, value| match value.is_none() {
        true => Ok(()),
        false => minijinja::escape_formatter(output, state, value),
    });
    if let Ok(syntax) = SyntaxConfig::builder().keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    filters::add(&mut environment);
    environment
}

/// In a web page, what agents and sources wrote is text and never markup.
fn escaping(name: &str) -> AutoEscape {
    let is_page = name.strip_suffix(".j2").unwrap_or(name).ends_with(".html");
    if is_page { AutoEscape::Html } else { AutoEscape::None }
}

fn compile(
    environment: &mut Environment<'static>,
    name: &str,
    source: &str,
    place: &dyn Fn(std::ops::Range<usize>) -> Span,
) -> Result<Known, Diagnostic> {
    // The engine counts lines and columns in sixteen bits.
    let is_too_long = source.lines().count() > LONGEST || source.lines().any(|line| line.len() > LONGEST);
    if is_too_long {
        let message = format!("a template has at most {LONGEST} lines of {LONGEST} characters");
        return Err(Diagnostic::error("M0511", message).at(&place(0..1)));
    }
    if let Err(error) = environment.add_template_owned(name.to_owned(), source.to_owned()) {
        let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        return Err(Diagnostic::error("M0511", message).at(&place(error.range().unwrap_or(0..1))));
    }
    for filter in scan::filters(source) {
        if !filters::NAMES.contains(&filter.name.as_str()) {
            let diagnostic = Diagnostic::error("M0512", format!("unknown filter `{}`", filter.name)).at(&place(filter.place));
            return Err(match nearest(&filter.name, filters::NAMES.iter().copied()) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help(format!("known filters: {}", filters::NAMES.join(", "))),
            });
        }
    }
    let includes = scan::includes(source);
    if let Some(include) = includes.iter().find(|include| include.path.is_empty()) {
        let diagnostic = Diagnostic::error("M0513", "what is included must be written out as a path in quotes");
        return Err(diagnostic.at(&place(include.place.clone())));
    }
    let template = environment.get_template(name).map_err(|error| Diagnostic::error("M0511", error.to_string()))?;
    let undeclared = template.undeclared_variables(true).into_iter();
    let mut references: BTreeSet<Vec<String>> = undeclared.map(|path| path.split('.').map(str::to_owned).collect()).collect();
    references.append(&mut scan::subscripted(source));
    references.retain(|path| !FUNCTIONS.contains(&path[0].as_str()));
    Ok(Known { references, words: scan::words(source), includes })
}

/// The innermost reason, with the file and line it happened in.
fn sentence(error: &minijinja::Error, name: &str) -> String {
    let mut innermost = error;
    while let Some(inner) = innermost.source().and_then(|source| source.downcast_ref::<minijinja::Error>()) {
        innermost = inner;
    }
    let place = match innermost.line() {
        Some(line) => format!("{}, line {line}", innermost.name().unwrap_or(name)),
        None => innermost.name().unwrap_or(name).to_owned(),
    };
    match innermost.detail() {
        Some(detail) => format!("{place}: {}, {detail}", innermost.kind()),
        None => format!("{place}: {}", innermost.kind()),
    }
}

fn in_file(path: &str, source: &str, range: std::ops::Range<usize>) -> Span {
    let before = source.get(..range.start).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let marked = source.get(range).unwrap_or_default().lines().next().unwrap_or_default();
    Span {
        file: path.into(),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        length: marked.chars().count().max(1),
    }
}

/// A place in a short text of a YAML file; only its beginning if YAML may have folded it.
fn within(source: &str, span: &Span, range: &std::ops::Range<usize>) -> Span {
    if source.trim_end().contains('\n') {
        return span.clone();
    }
    let local = in_file("", source, range.clone());
    Span { column: span.column + local.column - 1, length: local.length, ..span.clone() }
}
