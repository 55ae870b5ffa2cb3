//! The command line: one file per command, and here only what all of them share.

mod answer;
mod builtins;
mod check;
mod completions;
mod config;
pub mod cost;
mod detached;
mod doctor;
mod edit;
mod evidence;
mod exit;
mod export;
mod failure;
mod fork;
mod gc;
mod graph;
mod inbox;
mod init;
mod input;
mod list;
mod log;
mod messages;
mod migrate;
mod new;
mod next;
pub mod output;
mod overview;
mod paint;
mod read_paper;
pub mod relay_tools;
mod replay;
mod resume;
mod run;
mod selection;
mod starting;
mod status;
mod steer;
mod strays;
mod telling;
mod test;
mod tools;
mod verify;
mod watch;
mod workflows;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};

pub use exit::Exit;
pub use failure::Failure;
pub use next::{MOTET, shell_quoted};
pub use paint::{Paint, Tone};

use crate::config::hide_around;
use crate::home::{self, Home};
use crate::library::Library;
use crate::progress::is_capable;

/// Stands over the options that every command has, below its own.
const EVERYWHERE: &str = "Options of every command";

/// Runs teams of agents as durable, provable state machines.
#[derive(Parser)]
#[command(name = "motet", version, after_help = Exit::table())]
struct Cli {
    /// Print JSON, one object per line
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    json: bool,
    /// The directory of runs, instead of $MOTET_HOME or the nearest .motet upwards
    #[arg(long, global = true, value_name = "DIR", help_heading = EVERYWHERE)]
    home: Option<PathBuf>,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, help_heading = EVERYWHERE)]
    color: Color,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand)]
enum Command {
    /// Start a run of a workflow
    #[command(alias = "start")]
    Run(Box<run::Args>),
    /// Go on with a run that was interrupted, paused or stopped by a limit
    Resume(resume::Args),
    /// List runs
    List(list::Args),
    /// Show how a run stands
    Status(status::Args),
    /// Follow a run that another process drives
    Watch(watch::Args),
    /// Read the journal of a run
    Log(log::Args),
    /// Read what the agents of a run told each other
    Messages(messages::Args),
    /// Show every question that waits for a person
    Inbox(inbox::Args),
    /// Choose an option at a gate
    Approve(answer::ApproveArgs),
    /// Answer the questions of a gate, or of an agent
    Answer(answer::AnswerArgs),
    /// Change what a gate is about, in your editor or from a file
    Edit(edit::Args),
    /// Let a run finish what it does, and start nothing new
    Pause(steer::PauseArgs),
    /// End a run
    Cancel(steer::CancelArgs),
    /// Start a new run from any event of another
    Fork(fork::Args),
    /// Run the machine again from the journal and compare
    Replay(replay::Args),
    /// Prove that no journal was changed, or that a report holds
    Verify(verify::Args),
    /// Compare claims with sources, and measure how well that works
    Evidence(evidence::Args),
    /// Write everything about a run
    Export(export::Args),
    /// Remove old runs
    Gc(gc::Args),
    /// Say which open runs could go on with the installed version of their workflow
    Migrate(migrate::Args),
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
    /// List the functions that a workflow may call by name
    Builtins,
    /// Choose who plays the agents, and write it down
    Init(init::Args),
    /// Show the settings that hold here, and where each comes from
    Config(config::Args),
    /// Show what runs have cost
    Cost(cost::Args),
    /// List the tools that agents can be given
    Tools(tools::Args),
    /// Look for what could keep runs from working here
    Doctor(doctor::Args),
    /// Print completions for a shell
    Completions(completions::Args),
    /// Read one paper for another process of this program
    #[command(hide = true)]
    ReadPaper,
    /// Stand between a coding agent and a tool server
    #[command(hide = true)]
    RelayTools(relay_tools::Args),
}

/// What every command is told.
pub struct Context {
    pub json: bool,
    pub paint: Paint,
    /// For what is told on the error stream, which may lead elsewhere.
    pub error_paint: Paint,
    /// Where the program was started.
    pub directory: PathBuf,
    pub home: Home,
    /// Only if the directory of runs was named.
    named_home: Option<PathBuf>,
}

impl Context {
    pub fn library(&self) -> Library {
        Library::around(&self.directory, self.named_home.as_deref())
    }
}

pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => return explained(&told).into(),
    };
    let paint = |is_terminal: bool| {
        Paint::new(match cli.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && is_capable() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        })
    };
    let (paint, error_paint) = (paint(std::io::stdout().is_terminal()), paint(std::io::stderr().is_terminal()));
    let directory = match std::env::current_dir() {
        Ok(directory) => directory,
        Err(error) => return Failure::failed(format!("the current directory cannot be used: {error}")).print().into(),
    };
    let set = || std::env::var_os(home::VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(home) = &cli.home {
        next::remember(home);
    }
    let named_home = cli.home.or_else(set).map(|home| directory.join(home));
    let home = Home::find(named_home.as_deref(), &directory);
    let context = Context { json: cli.json, paint, error_paint, directory, home, named_home };
    // Before anything is read, driven or printed, whichever command it is.
    hide_around([&context.directory, &context.home.project]);
    output::settle(dispatch(cli.command, &context).unwrap_or_else(|failure| failure.print())).into()
}

/// Help and the version are what was asked for; all else that the command line itself can say is a complaint.
fn explained(told: &clap::Error) -> Exit {
    match (told.print(), told.use_stderr()) {
        (_, true) => return Exit::Invalid,
        (Err(error), false) => output::lose(&error),
        (Ok(()), false) => {}
    }
    output::settle(Exit::Ok)
}

fn dispatch(command: Option<Command>, context: &Context) -> Result<Exit, Failure> {
    match &command {
        None => overview::run(context),
        Some(Command::Run(args)) => run::run(args, context),
        Some(Command::Resume(args)) => resume::run(args, context),
        Some(Command::List(args)) => list::run(args, context),
        Some(Command::Status(args)) => status::run(args, context),
        Some(Command::Watch(args)) => watch::run(args, context),
        Some(Command::Log(args)) => log::run(args, context),
        Some(Command::Messages(args)) => messages::run(args, context),
        Some(Command::Inbox(args)) => inbox::run(args, context),
        Some(Command::Approve(args)) => answer::approve(args, context),
        Some(Command::Answer(args)) => answer::answer(args, context),
        Some(Command::Edit(args)) => edit::run(args, context),
        Some(Command::Pause(args)) => steer::pause(args, context),
        Some(Command::Cancel(args)) => steer::cancel(args, context),
        Some(Command::Fork(args)) => fork::run(args, context),
        Some(Command::Replay(args)) => replay::run(args, context),
        Some(Command::Verify(args)) => verify::run(args, context),
        Some(Command::Evidence(args)) => evidence::run(args, context),
        Some(Command::Export(args)) => export::run(args, context),
        Some(Command::Gc(args)) => gc::run(args, context),
        Some(Command::Migrate(args)) => migrate::run(args, context),
        Some(Command::Check(args)) => Ok(check::run(args, context)),
        Some(Command::Test(args)) => Ok(test::run(args, context)),
        Some(Command::Graph(args)) => Ok(graph::run(args, context)),
        Some(Command::New(args)) => Ok(new::run(args, context)),
        Some(Command::Workflows(args)) => Ok(workflows::run(args, context)),
        Some(Command::Builtins) => Ok(builtins::run(context)),
        Some(Command::Init(args)) => init::run(args, context),
        Some(Command::Config(args)) => config::run(args, context),
        Some(Command::Cost(args)) => cost::run(args, context),
        Some(Command::Tools(args)) => tools::run(args, context),
        Some(Command::Doctor(args)) => doctor::run(args, context),
        Some(Command::Completions(args)) => completions::run(args, &mut Cli::command(), context),
        Some(Command::ReadPaper) => read_paper::run(),
        Some(Command::RelayTools(args)) => relay_tools::run(args),
    }
}
