//! The command line: one file per command, and here only what all of them share.

mod check;
mod exit;
mod graph;
mod input;
mod new;
mod output;
mod paint;
mod selection;
mod test;
mod workflows;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

pub use exit::Exit;
pub use paint::Paint;

use crate::library::Library;

/// Runs teams of agents as durable, provable state machines.
#[derive(Parser)]
#[command(name = "motet", version, arg_required_else_help = true)]
struct Cli {
    /// Print JSON, one object per line
    #[arg(long, global = true)]
    json: bool,
    /// The directory of runs, instead of the nearest .motet upwards
    #[arg(long, global = true, value_name = "DIR")]
    home: Option<PathBuf>,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand)]
enum Command {
    /// Prove what holds of every run of a workflow
    Check(check::Args),
    /// Play the cases of a workflow with scripted agents in virtual time
    Test(test::Args),
    /// Draw the machine of a workflow
    Graph(graph::Args),
    /// Begin a workflow of your own
    New(new::Args),
    /// List all workflows
    Workflows(workflows::Args),
}

/// What every command is told.
pub struct Context {
    pub json: bool,
    pub paint: Paint,
    /// Where the program was started.
    pub directory: PathBuf,
    pub home: Option<PathBuf>,
}

impl Context {
    pub fn library(&self) -> Library {
        Library::around(&self.directory, self.home.as_deref())
    }
}

pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let colour = match cli.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    let directory = match std::env::current_dir() {
        Ok(directory) => directory,
        Err(error) => return output::fail(&format!("the current directory cannot be used: {error}")).into(),
    };
    let context = Context { json: cli.json, paint: Paint::new(colour), directory, home: cli.home };
    let exit = match &cli.command {
        Command::Check(args) => check::run(args, &context),
        Command::Test(args) => test::run(args, &context),
        Command::Graph(args) => graph::run(args, &context),
        Command::New(args) => new::run(args, &context),
        Command::Workflows(args) => workflows::run(args, &context),
    };
    exit.into()
}
