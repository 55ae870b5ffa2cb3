//! Which workflows a command is about, when it may be about several.

use crate::library::{Library, Loaded, Origin, Problem};

use super::output;
use super::paint::Paint;

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

/// Says why a workflow cannot be had; every problem of its texts with the lines it is about.
pub fn show_problem(problem: &Problem, paint: Paint) {
    match problem {
        Problem::Invalid { folder, diagnostics, .. } => {
            for diagnostic in diagnostics {
                let rendered = diagnostic.render(|file| folder.get(file).map(String::as_str));
                output::line(format!("{}\n", paint.diagnostic(&rendered)));
            }
            output::line(problem.summary());
        }
        other => drop(output::fail(&other.to_string())),
    }
}
