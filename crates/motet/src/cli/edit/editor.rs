//! A person's editor on one file, opened again until what was written can be taken or the person gives up.
//! What the text means, whoever asks for it knows.

use std::io::{IsTerminal as _, Read as _};
use std::path::Path;

use super::super::{Context, Failure, output};
use crate::given;

/// What the person wrote stays in the file if it is not taken.
pub fn until_taken<T>(context: &Context, path: &Path, take: impl Fn(&str) -> Result<T, Failure>) -> Result<T, Failure> {
    loop {
        open(path)?;
        let failure = match take(&written(path)?) {
            Ok(taken) => return Ok(taken),
            Err(failure) => failure,
        };
        if !std::io::stdin().is_terminal() || context.json {
            return Err(failure);
        }
        output::error(&format!("error: {}\nOpen it again? [Y/n] ", failure.message));
        let mut line = String::new();
        let wants = std::io::stdin().read_line(&mut line).is_ok_and(|read| read > 0) && !line.trim().to_lowercase().starts_with('n');
        if !wants {
            return Err(failure);
        }
    }
}

/// Without keys, in the file as well: one that is not taken stays there.
fn written(path: &Path) -> Result<String, Failure> {
    given::file(path).map_err(|error| unreadable(path, &error))
}

/// A file's text, or the standard input's for `-`.
pub fn text(from: &Path) -> Result<String, Failure> {
    if from == Path::new("-") {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        return read.map(|_| text).map_err(|error| Failure::invalid(format!("the standard input cannot be read: {error}")));
    }
    std::fs::read_to_string(from).map_err(|error| unreadable(from, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::invalid(format!("{} cannot be read: {error}", path.display()))
}

pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::failed(format!("{} cannot be written: {error}", path.display()));
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
    std::fs::write(path, text).map_err(failed)
}

/// The editor's name may have options of its own, as in `code --wait`.
fn open(path: &Path) -> Result<(), Failure> {
    let named = ["VISUAL", "EDITOR"].iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let Some(editor) = named else {
        return Err(Failure::invalid("neither $VISUAL nor $EDITOR names an editor")
            .help(format!("set one, or edit {} yourself and answer the gate, or use --from FILE", path.display())));
    };
    let ended = std::process::Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("motet-edit").arg(path).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::failed(format!("the editor `{editor}` ended with {status}; nothing was changed in the run"))),
        Err(error) => Err(Failure::failed(format!("the editor `{editor}` could not be started: {error}"))),
    }
}
