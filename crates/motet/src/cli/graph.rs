//! `motet graph`: the machine of a workflow as a picture, in the format that is asked for.

use std::fs;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use super::selection::show_problem;
use super::{Context, Exit, output};
use crate::graph::{Options, Picture, Plain, dot, json, mermaid, svg, terminal};
use crate::library::Problem;
use crate::progress::columns;

#[derive(clap::Args)]
pub struct Args {
    /// Name, alias, or path of a folder
    #[arg(value_name = "WORKFLOW")]
    workflow: String,
    #[command(flatten)]
    format: Format,
    /// Write to a file instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw where trouble leads from every single state
    #[arg(long)]
    trouble: bool,
}

#[derive(clap::Args)]
#[group(multiple = false)]
struct Format {
    /// For Markdown pages; the default when piped
    #[arg(long)]
    mermaid: bool,
    /// For Graphviz
    #[arg(long)]
    dot: bool,
    /// For browsers
    #[arg(long)]
    svg: bool,
    /// For people; the default on a terminal
    #[arg(long)]
    terminal: bool,
}

impl Format {
    fn is_chosen(&self) -> bool {
        self.mermaid || self.dot || self.svg || self.terminal
    }
}

pub fn run(args: &Args, context: &Context) -> Exit {
    if context.json && args.format.is_chosen() {
        return output::fail("`--json` is a format of its own; leave it away, or the other");
    }
    let loaded = match context.library().load(&args.workflow) {
        Ok(loaded) => loaded,
        Err(problem) => {
            show_problem(&problem, context);
            return if matches!(problem, Problem::Invalid { .. }) { Exit::Failed } else { Exit::Invalid };
        }
    };
    let picture = Picture::of(&loaded.definition, Options { trouble: args.trouble });
    let drawing = draw(args, context, &picture);
    let Some(file) = &args.output else {
        output::line(drawing.trim_end());
        return Exit::Ok;
    };
    let path = context.directory.join(file);
    match fs::write(&path, format!("{}\n", drawing.trim_end())) {
        Ok(()) => Exit::Ok,
        Err(error) => output::fail(&format!("{} cannot be written: {error}", path.display())),
    }
}

fn draw(args: &Args, context: &Context, picture: &Picture) -> String {
    let ends_with = |ending: &str| args.output.as_ref().is_some_and(|file| file.extension().is_some_and(|found| found == ending));
    let format = &args.format;
    let chosen = format.is_chosen();
    match () {
        () if context.json => json(picture).to_string(),
        () if format.svg || !chosen && ends_with("svg") => svg(picture),
        () if format.dot || !chosen && (ends_with("dot") || ends_with("gv")) => dot(picture),
        () if format.terminal || !chosen && args.output.is_none() && std::io::stdout().is_terminal() => {
            let paint: &dyn crate::graph::Paint = if args.output.is_some() { &Plain } else { &context.paint };
            terminal(picture, columns(), paint)
        }
        () => mermaid(picture),
    }
}
