//! `motet evidence`: compares claims with sources, one or many, and measures how well that works on labelled claims.
//! No model and no network: the same claim and the same source give the same verdict everywhere.

pub mod documents;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use motet_evidence::bench;
use motet_evidence::claim::{Claim, Label, Missing, Page, Verdict, cite};
use serde_json::{Value, json};

use super::{Context, Exit, Failure, Tone, output};

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
}

#[derive(clap::Args)]
struct BenchArgs {
    /// JSON lines, or one JSON list, with `claim`, `source` and `label`
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    match &args.command {
        Command::Check(args) => match (&args.batch, &args.claim, &args.source) {
            (Some(file), ..) => batch(file, context),
            (None, Some(claim), Some(source)) => one(claim, args.context.as_deref().unwrap_or_default(), source, context),
            (None, claim, source) => Err(Failure::invalid(match (claim, source) {
                (Some(_), _) => "a claim needs a source",
                (None, Some(_)) => "a source needs a claim",
                (None, None) => "nothing was claimed",
            })
            .help("one claim: `motet evidence check --claim TEXT --source FILE`")
            .help("many: `motet evidence check --batch FILE`, a file of JSON lines with `claim` and `source`")),
        },
        Command::Bench(args) => measure(args, context),
    }
}

fn one(claim: &str, around: &str, source: &PathBuf, context: &Context) -> Result<Exit, Failure> {
    let text = if source.as_os_str() == "-" {
        let mut text = Vec::new();
        io::stdin().read_to_end(&mut text).map_err(|error| Failure::failed(format!("standard input cannot be read: {error}")))?;
        String::from_utf8_lossy(&text).into_owned()
    } else {
        let path = context.directory.join(source);
        documents::text(&path).map_err(|why| Failure::invalid(format!("{} cannot be used as a source: {why}", path.display())))?
    };
    let page = Page::of(&text);
    let verdict = cite(&Claim { text: claim, context: around }, &page);
    if context.json {
        output::json(&json!({ "claim": claim, "verdict": verdict, "quote": verdict.span.map(|span| span.of(&text)) }));
    } else {
        show(&verdict, &text, context);
    }
    Ok(if verdict.label == Label::Supported { Exit::Ok } else { Exit::Failed })
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

/// One line out for every claim, in order. A line that cannot be used becomes one that says why, and the rest goes on.
fn batch(file: &PathBuf, context: &Context) -> Result<Exit, Failure> {
    let reader: Box<dyn BufRead> =
        if file.as_os_str() == "-" { Box::new(BufReader::new(io::stdin())) } else { Box::new(open(file, context)?) };
    let mut exit = Exit::Ok;
    let mut last: Option<(String, Page)> = None;
    for (number, line) in bench::lines(reader) {
        if let Err(bench::Unreadable::Broken(error)) = &line {
            return Err(Failure::failed(format!("line {number} of {} cannot be read: {error}", file.display())));
        }
        match line.map_err(|why| why.to_string()).and_then(|line| checked(&line, &context.directory, &mut last)) {
            Ok(answers) => answers.iter().for_each(output::json),
            Err(why) => {
                output::json(&json!({ "line": number, "error": why }));
                exit = Exit::Invalid;
            }
        }
    }
    Ok(exit)
}

fn checked(line: &str, directory: &Path, last: &mut Option<(String, Page)>) -> Result<Vec<Value>, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("it is no JSON object: {error}"))?;
    bench::Asked::all_of(&value)?.into_iter().map(|asked| answered(asked, directory, last)).collect()
}

/// What was asked, with the verdict. Claims about the same page follow each other, and a page is read once.
fn answered(asked: bench::Asked, directory: &Path, last: &mut Option<(String, Page)>) -> Result<Value, String> {
    if !asked.source.contains(char::is_whitespace) && directory.join(&asked.source).is_file() {
        return Err(format!("its source is the name of a file, {}; give the text that is in it", asked.source));
    }
    let page = match last.take() {
        Some((text, page)) if text == asked.source => page,
        _ => Page::of(&asked.source),
    };
    let verdict = cite(&Claim { text: &asked.claim, context: &asked.context }, &page);
    let quote = verdict.span.map(|span| span.of(&asked.source).to_string());
    let mut fields = asked.fields;
    fields.insert("verdict".into(), serde_json::to_value(&verdict).map_err(|error| error.to_string())?);
    fields.insert("quote".into(), quote.map_or(Value::Null, Value::String));
    *last = Some((asked.source, page));
    Ok(Value::Object(fields))
}

fn measure(args: &BenchArgs, context: &Context) -> Result<Exit, Failure> {
    let measured = bench::measure(open(&args.file, context)?).map_err(|problem| {
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
