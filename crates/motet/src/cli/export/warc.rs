//! What a run has read, as one file that every reader of web archives knows.
//! The archive is hashed first: what was changed since is told instead of handed on.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use motet_core::names::RunId;
use motet_evidence::archive::{Archive, NotExported};
use motet_host::wall_clock;
use serde_json::json;

use crate::cli::{Context, Exit, Failure, output};
use crate::progress::words;

pub fn write(context: &Context, run: &RunId, file: &Path) -> Result<Exit, Failure> {
    let directory = context.home.run_directory(run);
    let unreadable = |error: io::Error| Failure::failed(format!("the archive of {run} cannot be read: {error}"));
    let archive = Archive::open(&directory).map_err(unreadable)?;
    if let Some(fault) = archive.verify().first() {
        let why = format!("the archive of {run} is not as it was written: {} {}", fault.path, fault.what);
        return Err(Failure::failed(why).help("restore the file from a copy; the report was checked against what it was"));
    }
    if archive.records().is_empty() {
        return Err(Failure::invalid(format!("{run} has read nothing, so there is nothing to archive"))
            .help("only runs whose agents gather evidence have an archive"));
    }
    let now_ms = u64::try_from(wall_clock()().0).unwrap_or(0);
    if file == Path::new("-") && context.json {
        return Err(Failure::invalid("a web archive is no JSON").help("name a file, or leave `--json` away"));
    }
    if file == Path::new("-") {
        let mut out = io::stdout().lock();
        let written = archive.export_warc(&mut out, now_ms).and_then(|_| out.flush().map_err(NotExported::Unwritable));
        return match written {
            // Whoever read it has seen enough.
            Err(NotExported::Unwritable(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Ok),
            Err(NotExported::Unwritable(error)) => Err(Failure::failed(format!("standard output cannot be written: {error}"))),
            Err(NotExported::Unreadable(error)) => Err(unreadable(error)),
            Ok(()) => Ok(Exit::Ok),
        };
    }
    let path = context.directory.join(file);
    let count = beside(&archive, &path, now_ms).map_err(|error| match error {
        NotExported::Unreadable(error) => unreadable(error),
        NotExported::Unwritable(error) => Failure::failed(format!("{} could not be written: {error}", path.display())),
    })?;
    match context.json {
        true => output::json(&json!({ "run": run, "file": path, "records": count })),
        false => output::line(format!("{} of {run} are in {}", words::count(count as u64, "document"), path.display())),
    }
    Ok(Exit::Ok)
}

/// Through a file beside it, so that nothing is half written.
fn beside(archive: &Archive, path: &Path, now_ms: u64) -> Result<usize, NotExported> {
    let part = path.with_extension("warc.part");
    let written = File::create(&part).map_err(NotExported::Unwritable).and_then(|file| {
        let mut out = BufWriter::new(file);
        let count = archive.export_warc(&mut out, now_ms)?;
        let whole = out.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| file.sync_all());
        whole.and_then(|()| std::fs::rename(&part, path)).map_err(NotExported::Unwritable)?;
        Ok(count)
    });
    written.inspect_err(|_| drop(std::fs::remove_file(&part)))
}
