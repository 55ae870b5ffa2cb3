//! `motet run`: starts a run of a workflow and drives it, or leaves that to a process of its own.

mod idle;

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;

use motet_core::Definition;
use motet_core::event::{EVENT_VERSION, Person, RunStarted};
use motet_core::names::RunId;
use motet_core::units::{Usd, parse_duration};
use serde_json::Value;

use super::input::{InputArgs, Sources};
use super::selection::{rendered, show_problem};
use super::{Context, Exit, Failure, detached, output, starting};
use crate::casting::{Casting, PinnedCase, family};
use crate::config::{Config, Overrides, Surroundings};
use crate::driving::{self, Manner, Opened};
use crate::given;
use crate::library::Loaded;
use crate::playing::Pace;

#[derive(clap::Args)]
pub struct Args {
    /// Name, alias, or path of a workflow's folder
    #[arg(value_name = "WORKFLOW")]
    workflow: String,
    /// What the run is about: fills the workflow's first text input
    #[arg(value_name = "GOAL")]
    goal: Option<String>,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    limits: Limits,
    /// Answer every gate with its first option, every question with its default; what could be repeated for ever, once for each reason
    #[arg(long, conflicts_with = "unattended")]
    yes: bool,
    /// Nobody will answer: gates take what they say holds otherwise
    #[arg(long)]
    unattended: bool,
    /// Go on in the background
    #[arg(long)]
    detach: bool,
    /// Play a case instead of asking agents: a file, or the name of a case of the workflow
    #[arg(long, value_name = "CASE")]
    case: Option<String>,
    /// Play a case of the workflow that completes: no model is needed
    #[arg(long, conflicts_with = "case")]
    demo: bool,
    #[command(flatten)]
    pace: PaceArgs,
    /// A folder of documents that agents may search and quote; may be given several times
    #[arg(long, value_name = "DIR")]
    docs: Vec<PathBuf>,
    /// Agents may search the public services that need no key, and read pages, beside what the settings name
    #[arg(long)]
    web: bool,
    /// Agents search only folders, whatever the settings name: nothing leaves the machine for evidence
    #[arg(long, conflicts_with = "web")]
    no_web: bool,
    #[command(flatten)]
    overrides: Overrides,
    #[command(flatten)]
    person: AsPerson,
}

/// How much the whole run may take.
#[derive(clap::Args)]
pub struct Limits {
    /// What the whole run may cost, in dollars
    #[arg(long, value_name = "USD", value_parser = dollars, allow_negative_numbers = true)]
    pub budget: Option<Usd>,
    /// How long the whole run may work, such as 10m or 1h30m
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub max_time: Option<u64>,
}

/// How fast a case is played.
#[derive(clap::Args)]
struct PaceArgs {
    /// How much of the case's own time really passes: 1 all of it, as without this, 0.001 a second of a quarter of an hour, 0 none
    #[arg(long, value_name = "FACTOR", value_parser = pace, allow_negative_numbers = true)]
    pace: Option<f64>,
    /// What really passes at least before anything happens in a case, such as 300ms
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    beat: Option<u64>,
}

fn pace(text: &str) -> Result<f64, String> {
    let factor = text.parse::<f64>().ok().filter(|factor| (0.0..=1_000_000.0).contains(factor));
    factor.ok_or_else(|| "not a factor such as 1, 0.001 or 0".into())
}

#[derive(clap::Args)]
pub struct AsPerson {
    /// Who you are to the run; by default $USER
    #[arg(long = "as", value_name = "PERSON")]
    name: Option<String>,
}

impl AsPerson {
    pub fn person(&self) -> Person {
        let user = || std::env::var("USER").ok().filter(|user| !user.is_empty());
        Person::named(given::name(self.name.clone().or_else(user).unwrap_or_else(|| "someone".into())))
    }
}

pub fn dollars(text: &str) -> Result<Usd, String> {
    let amount = text.trim_start_matches('$').parse::<f64>().ok().and_then(Usd::from_dollars);
    amount.ok_or_else(|| "not an amount of dollars such as 2.50".into())
}

pub fn duration(text: &str) -> Result<u64, String> {
    parse_duration(text).filter(|milliseconds| *milliseconds > 0).ok_or_else(|| "not a duration such as 30s, 10m or 1h30m".into())
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let loaded = load(context, &args.workflow)?;
    let config = Config::load(&Surroundings::of_process(&context.directory), &args.overrides)?;
    let case = chosen_case(args, context, &loaded)?;
    let played = case.as_ref().map(PinnedCase::read).transpose()?;
    let definition = loaded.definition.clone();
    let environment = |variable: &str| std::env::var(variable).ok();
    let sources = Sources { goal: args.goal.as_deref(), case: played.as_ref().map(|case| &case.input), environment: Some(&environment) };
    let input = args.input.assemble(&context.directory, &definition, &sources)?;
    prove(&loaded, &input, context)?;
    starting::unique(&definition, &input, context)?;
    starting::known_roles(&args.overrides, &definition, context)?;

    let casting = match &case {
        Some(case) => {
            let pace = Pace { factor: args.pace.pace.unwrap_or(1.0), beat_ms: args.pace.beat.unwrap_or(0) };
            Casting::scripted(&definition, case.clone(), pace)
        }
        None => {
            let evidence = starting::evidence(&args.docs, args.web, args.no_web, &config, context)?;
            Casting::configured(&definition, &config).looking(evidence, &config)
        }
    };
    idle::refuse(args, &casting, &definition, context)?;
    match (&case, &played) {
        (Some(case), Some(played)) => announce(case, &played.name, args, context),
        _ => {
            casting.require_rules(&loaded, &context.library())?;
            announce_offline(&casting, &definition, context);
            starting::look(&casting, &definition, context)?;
            starting::reach(&casting, &loaded, context)?;
        }
    }
    let case_budget = played.as_ref().and_then(|case| Usd::from_dollars(case.budget?));
    let wished = args.limits.budget.or(case_budget);
    let mut money = starting::money(context, &config, &definition, &casting, &input, wished)?;
    if let Some(case) = &played {
        // A case brings everybody, and what they cost, along.
        money.prices = case.prices.clone();
        money.children.values_mut().for_each(|terms| terms.prices = case.prices.clone());
    }
    let case_time = played.as_ref().and_then(|case| case.max_time_ms);
    let started = RunStarted {
        version: EVENT_VERSION,
        run: new_id(&definition),
        workflow: definition.name.clone(),
        workflow_version: definition.version.clone(),
        digest: definition.digest.clone(),
        input,
        by: args.person.person(),
        unattended: args.unattended || played.as_ref().is_some_and(|case| case.unattended),
        cost: money.cap,
        time_ms: args.limits.max_time.or(case_time),
        prices: money.prices,
        children: money.children,
        people: if played.is_some() { BTreeMap::new() } else { config.people.clone() },
        bindings: serde_json::to_value(&casting).unwrap_or_default(),
        parent: None,
        number: None,
        seed: None,
    };
    begin(args, context, driving::open_new(context, started, definition, casting, Some(money.admission))?)
}

fn begin(args: &Args, context: &Context, opened: Opened) -> Result<Exit, Failure> {
    let run = opened.mirror.run.clone();
    if args.detach {
        driving::apply(context, opened, Vec::new())?;
        return detached::start(context, &run, &args.person.person(), args.yes);
    }
    let manner = Manner { attended: is_attended(context), yes: args.yes, hold: false, by: args.person.person() };
    driving::drive(context, opened, Vec::new(), &manner)
}

/// Whether somebody sits at a terminal and can be asked.
pub fn is_attended(context: &Context) -> bool {
    !context.json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// The workflow, or every problem of its texts.
fn load(context: &Context, name: &str) -> Result<Loaded, Failure> {
    context.library().load(name).map_err(|problem| match problem {
        crate::library::Problem::Invalid { .. } => {
            show_problem(&problem, context);
            Failure::invalid("").help(format!("put the workflow right, then try `motet check {name}`"))
        }
        other => Failure::invalid(other.to_string()),
    })
}

/// Nothing is run that could go wrong by its shape, with the input it really gets.
fn prove(loaded: &Loaded, input: &Value, context: &Context) -> Result<(), Failure> {
    let report = context.library().check(&loaded.definition, Some(input));
    if !report.has_errors() {
        return Ok(());
    }
    let place = loaded.origin.place(&loaded.definition.name, &context.directory);
    for diagnostic in report.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()) {
        let rendered = rendered(diagnostic, &place, &loaded.definition.folder);
        output::error(&format!("{}\n\n", context.error_paint.diagnostic(&rendered)));
    }
    Err(Failure::invalid(format!("{} cannot be run: the check found errors", loaded.definition.name)))
}

fn chosen_case(args: &Args, context: &Context, loaded: &Loaded) -> Result<Option<PinnedCase>, Failure> {
    let name = &loaded.definition.name;
    if args.demo {
        return PinnedCase::demo(&loaded.folder).map(Some).ok_or_else(|| Failure::invalid(format!("{name} has no cases to play")));
    }
    let Some(wanted) = &args.case else { return Ok(None) };
    if let Some(case) = PinnedCase::bundled(&loaded.folder, wanted) {
        return Ok(Some(case));
    }
    let path: PathBuf = context.directory.join(wanted);
    if path.is_file() {
        let text =
            std::fs::read_to_string(&path).map_err(|error| Failure::invalid(format!("{} cannot be read: {error}", path.display())))?;
        return Ok(Some(PinnedCase { file: wanted.clone(), text: given::text(text) }));
    }
    let cases: Vec<String> = PinnedCase::all_bundled(&loaded.folder).map(|case| case.short_name().to_string()).collect();
    let failure = Failure::invalid(format!("there is no case `{wanted}`, neither a file nor one of {name}"));
    Err(if cases.is_empty() { failure } else { failure.help(format!("{name} has the cases {}", cases.join(", "))) })
}

fn announce(case: &PinnedCase, title: &str, args: &Args, context: &Context) {
    if context.json {
        return;
    }
    let kind = if case.file.starts_with("cases/") { "bundled case" } else { "case" };
    output::line(format!("playing the {kind} “{title}”: its agents, people and events; no model is used"));
    if args.goal.is_some() {
        output::line("its agents say what the case says, whatever the goal: the goal only goes into the run's input");
    }
    output::line(format!("to use a model: `motet init` chooses one; then `motet run {} \"…\"`\n", args.workflow));
}

/// Nobody shall take what rules say for the words of a model: whoever starts a run, or goes on with one, is told before it says anything.
pub fn announce_offline(casting: &Casting, definition: &Arc<Definition>, context: &Context) {
    let lines = casting.offline_lines(&family(definition, &context.library()));
    match context.json {
        true => lines.iter().for_each(|line| output::json(&serde_json::json!({ "type": "notice", "text": line }))),
        false if lines.is_empty() => {}
        false => output::line(format!("{}\n", lines.join("\n"))),
    }
}

/// `slogan-k3f9a`: five letters and digits that are hard to mistake for each other.
pub fn new_id(definition: &Definition) -> RunId {
    use std::hash::{BuildHasher as _, Hasher as _};
    const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    // The keys of a new hasher come from the operating system's randomness.
    let mut number = std::collections::hash_map::RandomState::new().build_hasher().finish() ^ std::process::id() as u64;
    let mut letters = String::new();
    for _ in 0..5 {
        letters.push(char::from(ALPHABET[(number % 32) as usize]));
        number /= 32;
    }
    RunId::new(format!("{}-{letters}", definition.name))
}
