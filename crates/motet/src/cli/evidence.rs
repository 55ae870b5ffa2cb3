//! `motet evidence`: compares claims with sources, one or many, and measures how well that works on labelled claims.
//! No model and no network, unless a model is named: the same claim and the same source give the same verdict everywhere. What a model thinks
//! stands beside it.

mod batch;
pub mod documents;

use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::PathBuf;

use motet_evidence::bench;
use motet_evidence::claim::{Claim, Label, Method, Missing, Opinion, Page, Question, Verdict, cite, is_unsure};
use serde_json::json;

use super::{Context, Exit, Failure, Tone, output};
use crate::judging::Judge;

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Say whether a source bears out a claim
    Check(CheckArgs),
    /// Measure precision, recall, AUROC and time on labelled claims
    Bench(BenchArgs),
}

#[derive(clap::Args)]
struct CheckArgs {
    /// What is claimed
    #[arg(long)]
    claim: Option<String>,
    /// A file with the text of the source; `-` reads it from standard input
    #[arg(long, value_name = "FILE", conflicts_with = "batch")]
    source: Option<PathBuf>,
    /// What stands around the claim and need not be in the source
    #[arg(long, value_name = "TEXT", requires = "claim")]
    context: Option<String>,
    /// Many claims: JSON lines with `claim`, `source` and perhaps `context` in, the same with `verdict` out; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "claim")]
    batch: Option<PathBuf>,
    /// A model that costs nothing and is asked where the words alone decide: `provider/model`, or a model of Ollama
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
}

#[derive(clap::Args)]
struct BenchArgs {
    /// JSON lines, or one JSON list, with `claim`, `source` and `label`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Measure the same with the opinion of a model that costs nothing: `provider/model`, or a model of Ollama
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    match &args.command {
        Command::Check(args) => {
            let judge = || args.model.as_deref().map(|model| Judge::of(model, context)).transpose();
            match (&args.batch, &args.claim, &args.source) {
                (Some(file), ..) => batch::run(file, judge()?.as_ref(), context),
                (None, Some(claim), Some(source)) => {
                    one(claim, args.context.as_deref().unwrap_or_default(), source, judge()?.as_ref(), context)
                }
                (None, claim, source) => Err(Failure::invalid(match (claim, source) {
                    (Some(_), _) => "a claim needs a source",
                    (None, Some(_)) => "a source needs a claim",
                    (None, None) => "nothing was claimed",
                })
                .help("one claim: `motet evidence check --claim TEXT --source FILE`")
                .help("many: `motet evidence check --batch FILE`, a file of JSON lines with `claim` and `source`")),
            }
        }
        Command::Bench(args) => measure(args, context),
    }
}

fn one(claim: &str, around: &str, source: &PathBuf, judge: Option<&Judge>, context: &Context) -> Result<Exit, Failure> {
    let text = if source.as_os_str() == "-" {
        let mut text = Vec::new();
        io::stdin().read_to_end(&mut text).map_err(|error| Failure::failed(format!("standard input cannot be read: {error}")))?;
        String::from_utf8_lossy(&text).into_owned()
    } else {
        let path = context.directory.join(source);
        documents::text(&path).map_err(|why| Failure::invalid(format!("{} cannot be used as a source: {why}", path.display())))?
    };
    let page = Page::of(&text);
    let claim = Claim { text: claim, context: around };
    let verdict = cite(&claim, &page);
    let question = judge.and_then(|_| question(&claim, &verdict, &page));
    let opinion = match (judge, question) {
        (Some(judge), Some(question)) => judge.ask(vec![question]).pop(),
        _ => None,
    };
    let opinion = opinion.transpose().map_err(|why| Failure::failed(format!("there is no second opinion: {why}")))?;
    if context.json {
        let mut answer = json!({ "claim": claim.text, "verdict": verdict, "quote": verdict.span.map(|span| span.of(&text)) });
        if let Some(opinion) = &opinion {
            answer["opinion"] = json!(opinion);
        }
        output::json(&answer);
    } else {
        show(&verdict, &text, context);
        match (&opinion, judge) {
            (Some(opinion), _) => show_opinion(opinion, context),
            (None, Some(judge)) => output::line(format!("{} was not asked: {}", judge.name, decided(&verdict))),
            (None, None) => {}
        }
    }
    let label = opinion.map_or(verdict.label, |opinion| opinion.label(verdict.label));
    Ok(if label == Label::Supported { Exit::Ok } else { Exit::Failed })
}

/// Why nobody needs to be asked.
fn decided(verdict: &Verdict) -> &'static str {
    match verdict.method {
        Method::Reference => "there is no source",
        Method::Quote => "the quotation decides",
        Method::NumbersAndNames => "a number or a name decides",
        Method::Lexical => "the source has this very sentence",
    }
}

/// What a model is asked, if the rules are unsure.
fn question(claim: &Claim, verdict: &Verdict, page: &Page) -> Option<Question> {
    is_unsure(claim, verdict, &[page]).then(|| Question::of(claim, &[("", page)]))
}

fn show(verdict: &Verdict, text: &str, context: &Context) {
    let (tone, word) = match verdict.label {
        Label::Supported => (Tone::Good, "supported"),
        Label::Partly => (Tone::Warning, "partly supported"),
        Label::Unsupported => (Tone::Bad, "not supported"),
        Label::Misquoted => (Tone::Bad, "misquoted"),
        Label::NoSource => (Tone::Bad, "no source"),
    };
    output::line(format!("{} (score {:.2})", context.paint.text(tone, word), verdict.score));
    let (elsewhere, absent): (Vec<&Missing>, Vec<&Missing>) = verdict.missing.iter().partition(|missing| missing.elsewhere.is_some());
    for (missing, said) in [(absent, "not in the source"), (elsewhere, "in the source, said of something else")] {
        if !missing.is_empty() {
            output::line(format!("{said}: {}", missing.iter().map(|missing| missing.text.as_str()).collect::<Vec<_>>().join(", ")));
        }
    }
    for span in &verdict.sentences {
        output::line(context.paint.text(Tone::Quiet, &format!("{:>7}: {}", span.start, span.of(text).replace('\n', " "))));
    }
}

fn show_opinion(opinion: &Opinion, context: &Context) {
    let tone = match opinion {
        opinion if opinion.vouches() => Tone::Good,
        opinion if opinion.objects() => Tone::Bad,
        _ => Tone::Quiet,
    };
    output::line(context.paint.text(tone, &opinion.to_string()));
    if let Some(quote) = &opinion.quote {
        output::line(context.paint.text(Tone::Quiet, &format!("         {}", quote.replace('\n', " "))));
    }
}

fn measure(args: &BenchArgs, context: &Context) -> Result<Exit, Failure> {
    let judge = args.model.as_deref().map(|model| Judge::of(model, context)).transpose()?;
    let file = open(&args.file, context)?;
    let measured = match &judge {
        None => bench::measure(file),
        Some(judge) => bench::measure_with(file, |questions| judge.ask(questions).into_iter().map(Result::ok).collect()),
    };
    let measured = measured.map_err(|problem| {
        Failure::invalid(format!("{}, {problem}", args.file.display()))
            .help("each line is a JSON object with `claim`, `source` and `label`")
    })?;
    if measured.claims == 0 {
        return Err(Failure::invalid(format!("there is nothing to measure in {}: it has no labelled claim", args.file.display()))
            .help("each line is a JSON object with `claim`, `source` and `label`"));
    }
    if context.json {
        output::json(&measured);
    } else {
        output::line(measured.to_string());
    }
    if !measured.is_whole() {
        let told =
            format!("{} lines of {} are no labelled claims, so this is no measure of the whole", measured.unread, args.file.display());
        return Err(Failure::failed(told).help("the first of them are told above, with the reason"));
    }
    Ok(Exit::Ok)
}

fn open(file: &PathBuf, context: &Context) -> Result<BufReader<File>, Failure> {
    let path = context.directory.join(file);
    if path.is_dir() {
        return Err(Failure::invalid(format!("{} is a folder", path.display())).help("name a file of JSON lines"));
    }
    File::open(&path).map(BufReader::new).map_err(|error| Failure::invalid(format!("{} cannot be read: {error}", path.display())))
}
