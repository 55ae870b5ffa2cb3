//! `motet export`: everything about a run, as one JSON document or as a directory; or the run as a case that plays it again; or one of
//! its files as a Word document; or what it has read, as a web archive.

mod warc;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use motet_core::view::shown::dated;
use motet_host::engine::Definitions;
use motet_host::store::RunRecord;
use motet_host::{Sqlite, Store as _, journal, store};
use serde_json::{Map, Value, json};

use super::cost::untold;
use super::{Context, Exit, Failure, MOTET, output};
use crate::casting::PinnedCase;
use crate::home::Mirror;
use crate::{cassette, progress, rehearsal, word};

#[derive(clap::Args)]
pub struct Args {
    /// The run, the beginning of its id, or `last`
    run: String,
    /// Write a directory instead: run.json, journal.jsonl, workflow/ and files/
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print a case instead, which plays the run again without its agents; see `motet test`
    #[arg(long, conflicts_with = "dir")]
    cassette: bool,
    /// Write one of the run's Markdown files as a Word document into this directory, such as report.md as report.docx
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dir", "cassette"])]
    docx: Option<String>,
    /// Write what the run has read as a web archive (WARC 1.1) instead; `-` prints it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dir", "cassette", "docx"])]
    warc: Option<PathBuf>,
}

pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let (store, record) = context.home.open_for(&args.run)?;
    // All of it is told as it stood at one moment, even while the run goes on.
    let _moment = store.moment()?;
    let record = store.run(&record.id)?.ok_or_else(|| store::Error::NotFound(record.id.clone()))?;
    let mirror = Mirror::load(&store, &record, &Definitions::new(context.library()))?;
    if args.cassette {
        return cassette(context, &store, &record, &mirror);
    }
    if let Some(file) = &args.docx {
        return docx(context, &mirror, file);
    }
    if let Some(file) = &args.warc {
        return warc::write(context, &record.id, file);
    }
    let Some(directory) = &args.dir else {
        let mut whole = document(context, &store, &record, &mirror)?;
        whole["journal"] = json!(journal::events(&store, &record.id, 0)?);
        whole["files"] = Value::Object(files(context, &mirror));
        match context.json {
            true => output::json(&whole),
            false => output::data(&serde_json::to_string_pretty(&whole).unwrap_or_default()),
        }
        return Ok(Exit::Ok);
    };
    let directory = context.directory.join(directory);
    write(context, &store, &record, &mirror, &directory)
        .map_err(|error| Failure::failed(format!("{} could not be written: {error}", directory.display())))?;
    match context.json {
        true => output::json(&json!({ "run": record.id, "directory": directory })),
        false => output::line(format!("{} is in {}", record.id, directory.display())),
    }
    Ok(Exit::Ok)
}

/// The case is played once before it is given out: one that goes another way than the run did would mislead.
fn cassette(context: &Context, store: &Sqlite, record: &RunRecord, mirror: &Mirror) -> Result<Exit, Failure> {
    let family = cassette::family(store, record, &Definitions::new(context.library()))?;
    let unplayable = |why: String| Failure::failed(format!("{} cannot be made into a case: {why}", mirror.run));
    let name = format!("recorded from {}", mirror.run);
    let text = cassette::of(&name, &family).map_err(|rejected| unplayable(rejected.to_string()))?;
    let file = format!("{}.yaml", mirror.run);
    let case = PinnedCase { file: file.clone(), text: text.clone() }.read()?;
    let played = rehearsal::play(&mirror.definition, &case, &file, &context.library());
    let differences = rehearsal::compare(&case.expect, &played);
    match context.json {
        true => output::json(&json!({ "case": text, "same": differences.is_empty() })),
        false => output::data(text.trim_end()),
    }
    let unknown = rehearsal::unknown_names(&mirror.definition, &case, &context.library());
    if !unknown.is_empty() {
        return Err(Failure::failed(format!("`{MOTET} test` would refuse the case: {}", unknown.join("; "))));
    }
    if !differences.is_empty() {
        let about = differences.iter().map(|difference| difference.about.as_str()).collect::<Vec<_>>().join(", ");
        let why = format!("played again it differs in {about}; edit it before you rely on it");
        return Err(Failure::failed(format!("the case does not repeat the run: {why}")));
    }
    Ok(Exit::Ok)
}

fn docx(context: &Context, mirror: &Mirror, file: &str) -> Result<Exit, Failure> {
    let files = files(context, mirror);
    let Some(markdown) = files.get(file).and_then(Value::as_str).filter(|_| file.ends_with(".md")) else {
        let is_own = |name: &&str| name.ends_with(".md") && !name.starts_with("assets/");
        let known: Vec<&str> = files.keys().map(String::as_str).filter(is_own).collect();
        let known = if known.is_empty() { "none at all".to_string() } else { known.join(", ") };
        return Err(Failure::invalid(format!("{} has no Markdown file {file}; it has {known}", mirror.run)));
    };
    let name = Path::new(file).with_extension("docx");
    let target = context.directory.join(name.file_name().unwrap_or_default());
    let failed = |error: String| Failure::failed(format!("{} could not be written: {error}", target.display()));
    let mut document = std::io::Cursor::new(Vec::new());
    word::write(markdown, &mut document).map_err(failed)?;
    // Somebody may have written into the one that is there.
    let written = std::fs::File::create_new(&target).and_then(|mut into| into.write_all(document.get_ref()));
    written.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failure::invalid(format!("{} exists already; nothing was written", target.display())).help("rename it, or move it away")
        }
        _ => failed(error.to_string()),
    })?;
    match context.json {
        true => output::json(&json!({ "run": mirror.run, "file": file, "docx": target })),
        false => output::line(format!("{file} of {} is in {}", mirror.run, target.display())),
    }
    Ok(Exit::Ok)
}

fn document(context: &Context, store: &Sqlite, record: &RunRecord, mirror: &Mirror) -> Result<Value, Failure> {
    let verified = journal::verify(store, &mirror.run)?;
    let head = verified.as_ref().ok().map(|verified| verified.head.clone());
    let info = mirror.state.run.as_ref();
    Ok(json!({
        "run": mirror.run,
        "view": progress::told(&mirror.definition, &mirror.state, untold::of(context, store, record)),
        "input": mirror.state.input,
        "output": mirror.state.ended.as_ref().map(|ended| &ended.output),
        "path": mirror.state.path.iter().map(dated).collect::<Vec<_>>(),
        "messages": mirror.state.messages.iter().map(dated).collect::<Vec<_>>(),
        "bindings": info.map(|info| &info.bindings),
        "head": head,
    }))
}

fn files(context: &Context, mirror: &Mirror) -> Map<String, Value> {
    let root = context.home.run_directory(&mirror.run);
    let texts = context.home.files(&mirror.run).into_iter().filter_map(|path| {
        let text = std::fs::read_to_string(&path).ok()?;
        Some((path.strip_prefix(&root).ok()?.display().to_string(), Value::String(text)))
    });
    texts.collect()
}

fn write(context: &Context, store: &Sqlite, record: &RunRecord, mirror: &Mirror, directory: &Path) -> Result<(), std::io::Error> {
    let failed = |failure: Failure| std::io::Error::other(failure.message);
    put(&directory.join("run.json"), &pretty(&document(context, store, record, mirror).map_err(failed)?))?;
    let events = journal::events(store, &mirror.run, 0).map_err(|error| std::io::Error::other(error.to_string()))?;
    let lines: String = events.iter().map(|event| format!("{}\n", json!(event))).collect();
    put(&directory.join("journal.jsonl"), &lines)?;
    for (path, text) in &mirror.definition.folder {
        put(&directory.join("workflow").join(path), text)?;
    }
    let root = context.home.run_directory(&mirror.run);
    for file in context.home.files(&mirror.run) {
        let target = directory.join("files").join(file.strip_prefix(&root).unwrap_or(&file));
        make_parent(&target)?;
        std::fs::copy(&file, &target)?;
    }
    Ok(())
}

fn put(path: &Path, text: &str) -> Result<(), std::io::Error> {
    make_parent(path)?;
    std::fs::write(path, text)
}

fn make_parent(path: &Path) -> Result<(), std::io::Error> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)
}

fn pretty(value: &Value) -> String {
    format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default())
}
