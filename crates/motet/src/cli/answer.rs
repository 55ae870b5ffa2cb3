//! `motet approve` and `motet answer`: a person's word at a gate, given to whoever drives the run, or recorded and gone on from here.

use std::collections::BTreeMap;

use motet_core::event::{Answer, Person};
use motet_core::state::{GateKind, OpenGate};
use motet_host::engine::Command;

use super::edit::take_in;
use super::resume::may_go_on;
use super::run::{AsPerson, announce_offline, is_attended};
use super::{Context, Exit, Failure, MOTET, detached, output, status};
use crate::driving::{self, Manner};
use crate::editing::Edit;
use crate::given;
use crate::home::{self, Mirror};
use crate::progress::{asked, how_to_answer, words};

#[derive(clap::Args)]
pub struct ApproveArgs {
    /// The run, the beginning of its id, or `last`
    run: String,
    /// One of the gate's options; without one, the first
    option: Option<String>,
    /// The sentence that goes with it
    #[arg(long)]
    text: Option<String>,
    #[command(flatten)]
    how: How,
}

#[derive(clap::Args)]
pub struct AnswerArgs {
    /// The run, the beginning of its id, or `last`
    run: String,
    /// Answers as id=text, or one text
    #[arg(required = true, value_name = "ID=TEXT|TEXT")]
    answers: Vec<String>,
    #[command(flatten)]
    how: How,
}

#[derive(clap::Args)]
struct How {
    /// Which gate, if several are open
    #[arg(long, value_name = "ID")]
    gate: Option<String>,
    /// Leave out what was edited in the run's files; it is kept beside them as FILE.yours
    #[arg(long)]
    discard_edits: bool,
    /// If nobody drives the run: record the answer and leave it at that
    #[arg(long, conflicts_with = "detach")]
    only: bool,
    /// If nobody drives the run: go on in the background
    #[arg(long)]
    detach: bool,
    #[command(flatten)]
    person: AsPerson,
}

pub fn approve(args: &ApproveArgs, context: &Context) -> Result<Exit, Failure> {
    give(context, &args.run, &args.how, |gate| {
        if gate.options.is_empty() {
            return Err(Failure::invalid(format!("gate {} asks questions", gate.id)));
        }
        let option = args.option.clone().or_else(|| gate.options.first().cloned());
        let is_silent = args.text.as_ref().is_none_or(|text| text.trim().is_empty());
        if let Some(wordless) = option.as_ref().filter(|option| is_silent && gate.text_for.contains(option)) {
            return Err(Failure::invalid(format!("`{wordless}` needs a sentence: add `--text \"…\"`")));
        }
        Ok((option, args.text.clone(), BTreeMap::new()))
    })
}

pub fn answer(args: &AnswerArgs, context: &Context) -> Result<Exit, Failure> {
    give(context, &args.run, &args.how, |gate| {
        let whole = args.answers.join(" ");
        if matches!(gate.kind, GateKind::Question { .. }) || gate.questions.is_empty() && gate.options.is_empty() {
            return Ok((None, Some(whole), BTreeMap::new()));
        }
        if !gate.options.is_empty() {
            return Err(Failure::invalid(format!("gate {} wants one of {}", gate.id, gate.options.join(", "))));
        }
        let mut answers = BTreeMap::new();
        for pair in &args.answers {
            match (pair.split_once('='), gate.questions.as_slice()) {
                (Some((id, text)), _) => drop(answers.insert(id.trim().to_string(), text.to_string())),
                (None, [only]) => drop(answers.insert(only.id.clone(), whole.clone())),
                (None, _) => return Err(Failure::invalid(format!("`{pair}` is not of the form id=text"))),
            }
        }
        Ok((None, None, answers))
    })
}

type Words = (Option<String>, Option<String>, BTreeMap<String, String>);

fn give(context: &Context, reference: &str, how: &How, words: impl Fn(&OpenGate) -> Result<Words, Failure>) -> Result<Exit, Failure> {
    let (store, record, mirror) = status::look(context, reference)?;
    let gate = chosen(&mirror, how.gate.as_deref())?;
    let with_help = |failure: Failure| {
        let shown: Vec<String> = asked(gate, &record.id, mirror.state.gates.len(), &context.home);
        failure.help(shown.join("\n"))
    };
    let (option, text, answers) = words(gate).map_err(with_help)?;
    let by = how.person.person();
    let driver = home::driver_of(&store, &record)?;
    let root = home::root(&store, &record)?.id;
    if driver.is_none() && !how.only {
        may_go_on(context, &root).map_err(|failure| failure.help("`--only` records the answer without going on"))?;
    }
    let edit = edited(context, &mirror, gate, how, &by)?;
    let seen = edit.as_ref().and_then(|edit| edit.seen(&gate.id)).unwrap_or_else(|| gate.payload.clone());
    let answer = Answer { by: by.clone(), option, text, answers, seen: Some(seen) };
    let answer = Command::Answer { gate: gate.id.clone(), answer };
    let commands: Vec<_> = edit.iter().map(Edit::command).chain([answer]).map(|command| (record.id.clone(), command)).collect();
    if let Some(driver) = driver {
        given::send(&context.home, &driver, commands).map_err(with_help)?;
        output::notice(&format!("answered; {} goes on in process {}", record.id, driver.pid), context);
        return Ok(Exit::Ok);
    }
    drop(store);
    let opened = driving::open_existing(context, &root)?;
    if !how.only {
        announce_offline(&opened.casting, &opened.mirror.definition, context);
    }
    if how.only || how.detach {
        let mirror = driving::apply(context, opened, commands).map_err(with_help)?;
        match &mirror.state.ended {
            Some(ended) => {
                let because = mirror.state.because.as_ref().map(|because| format!(": {because}")).unwrap_or_default();
                output::notice(&format!("answered; {root} {}{because}", words::outcome(ended.outcome)), context);
            }
            None if how.detach => return detached::start(context, &root, &by, false),
            None => output::notice(&format!("answered; `{MOTET} resume {root}` goes on"), context),
        }
        // Nothing was driven here, so the exit tells of the answer alone, as it does where another process drives.
        return Ok(Exit::Ok);
    }
    let manner = Manner { attended: is_attended(context), yes: false, hold: false, by };
    driving::drive(context, opened, commands, &manner)
}

/// What was edited in the files of the gate is taken before the answer, and shown to whoever answers.
fn edited(context: &Context, mirror: &Mirror, gate: &OpenGate, how: &How, by: &Person) -> Result<Option<Edit>, Failure> {
    match gate.kind {
        GateKind::State => take_in(context, mirror, by, how.discard_edits),
        _ => Ok(None),
    }
}

fn chosen<'a>(mirror: &'a Mirror, wanted: Option<&str>) -> Result<&'a OpenGate, Failure> {
    let gates = &mirror.state.gates;
    let run = &mirror.run;
    match (wanted, gates.len()) {
        (_, 0) => {
            Err(Failure::invalid(format!("run {run} asks nobody anything")).help(format!("`{MOTET} status {run}` shows how it stands")))
        }
        (None, 1) => gates.values().next().ok_or_else(|| Failure::invalid("no gate")),
        (None, _) => {
            let lines: Vec<String> = gates
                .values()
                .flat_map(|gate| {
                    let first = how_to_answer(gate, run, gates.len()).into_iter().next().unwrap_or_default();
                    [gate.ask.lines().next().unwrap_or_default().to_string(), format!("  {first}")]
                })
                .collect();
            Err(Failure::invalid(format!("run {run} asks several things; name one with --gate")).help(lines.join("\n")))
        }
        (Some(wanted), _) => gates.values().find(|gate| gate.id == wanted).ok_or_else(|| {
            let ids: Vec<&str> = gates.keys().map(|gate| gate.as_str()).collect();
            Failure::invalid(format!("run {run} has no open gate {wanted}")).help(format!("open are {}", ids.join(", ")))
        }),
    }
}
