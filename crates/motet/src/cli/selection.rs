//! Which workflows a command is about, when it may be about several.

use motet_core::{Diagnostic, Folder};

use crate::library::{Library, Loaded, Origin, Problem};

use super::{Context, Paint, output};

#[derive(clap::Args)]
pub struct Selection {
    /// Names, aliases, or paths of folders; without any, the project's own workflows, or all if it has none
    #[arg(value_name = "WORKFLOW")]
    names: Vec<String>,
    /// Every workflow there is
    #[arg(long, conflicts_with = "names")]
    all: bool,
}

impl Selection {
    /// Each as it was asked for, with what came of loading it.
    pub fn load(&self, library: &Library) -> Vec<(String, Result<Loaded, Problem>)> {
        let mut loaded: Vec<(String, Result<Loaded, Problem>)> = Vec::new();
        if !self.names.is_empty() {
            loaded.extend(self.names.iter().map(|name| (name.clone(), library.load(name))));
            return loaded;
        }
        let own: Vec<&str> = library.names().filter(|name| self.all || matches!(library.origin(name), Some(Origin::Project(_)))).collect();
        let wanted: Vec<&str> = if own.is_empty() { library.names().collect() } else { own };
        loaded.extend(wanted.into_iter().map(|name| (name.to_owned(), library.load(name))));
        loaded
    }
}

/// Says on the error stream why a workflow cannot be had; every problem of its texts with the lines it is about.
pub fn show_problem(problem: &Problem, context: &Context) {
    match problem_lines(problem, context, context.error_paint) {
        Some(lines) => lines.iter().for_each(|line| output::error(&format!("{line}\n"))),
        None => drop(output::fail(&problem.to_string())),
    }
}

/// Every problem of a workflow's texts, for whoever asked for them. None if it has no texts that could have any.
pub fn problem_lines(problem: &Problem, context: &Context, paint: Paint) -> Option<Vec<String>> {
    let Problem::Invalid { name, origin, folder, diagnostics } = problem else { return None };
    let place = origin.place(name, &context.directory);
    let shown = diagnostics.iter().map(|diagnostic| format!("{}\n", paint.diagnostic(&rendered(diagnostic, &place, folder))));
    Some(shown.chain([problem.summary()]).collect())
}

/// A problem with the line it is about, under a path that leads there from where the person stands.
pub fn rendered(diagnostic: &Diagnostic, place: &str, folder: &Folder) -> String {
    let mut diagnostic = diagnostic.clone();
    let inside = diagnostic.span.as_ref().map(|span| span.file.clone());
    if let Some(span) = &mut diagnostic.span {
        span.file = format!("{place}/{}", span.file).into();
    }
    diagnostic.render(|_| folder.get(inside.as_deref()?).map(String::as_str))
}
