//! What an attempt has put on record so far, on the disk: whoever takes its run over from a process that was killed finds it there.
//! It is no journal: it lives no longer than its attempt, and what cannot be written is only missed after a kill.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::exchange::Exchange;

/// One exchange per line.
pub struct Spool {
    path: PathBuf,
    written: Mutex<Written>,
}

#[derive(Default)]
struct Written {
    file: Option<File>,
    /// What will be in the journal in a moment, unless the attempt goes on.
    last: Option<String>,
}

impl Spool {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), written: Mutex::default() }
    }

    /// Most attempts have one exchange and end with it; those leave nothing on the disk at all.
    pub(crate) fn add(&self, exchange: &Exchange) {
        let Ok(line) = serde_json::to_string(exchange) else { return };
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let before = written.last.take();
        let line = if exchange.may_be_the_last() {
            written.last = Some(line);
            None
        } else {
            Some(line)
        };
        for line in before.into_iter().chain(line) {
            // Without room on the disk the journal cannot be written either, and says so.
            let _ = written.write(&self.path, line);
        }
    }

    /// What an attempt left here when its process was killed. A line that was cut is none.
    pub fn left(path: &Path) -> Vec<Value> {
        let text = fs::read(path).unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n');
        lines
            .filter_map(|line| serde_json::from_slice::<Exchange>(line).ok())
            .filter_map(|exchange| serde_json::to_value(exchange).ok())
            .collect()
    }
}

impl Written {
    fn write(&mut self, path: &Path, line: String) -> std::io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                path.parent().map_or(Ok(()), fs::create_dir_all)?;
                none.insert(OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)?)
            }
        };
        file.write_all((line + "\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ToolCall;
    use motet_core::event::Usage;

    fn tool(answer: &str) -> Exchange {
        Exchange::Tool { name: "find".into(), arguments: Value::Null, answer: answer.into(), is_error: false, is_relayed: false }
    }

    fn model(calls: Vec<ToolCall>) -> Exchange {
        let (provider, model, answer, finish) = ("p".into(), "m".into(), "Yes.".into(), "stop".into());
        Exchange::Model { provider, model, sent: Vec::new(), answer, calls, finish, usage: Usage::default() }
    }

    /// What is left of these exchanges by a process that dies right behind them, and whether anything was written.
    fn check(name: &str, exchanges: &[Exchange], left: &[Exchange]) {
        let path = std::env::temp_dir().join(format!("motet-spool-{}", std::process::id())).join(name);
        let spool = Spool::new(&path);
        exchanges.iter().for_each(|exchange| spool.add(exchange));
        let expected: Vec<_> = left.iter().map(|exchange| serde_json::to_value(exchange).unwrap()).collect();
        assert_eq!(Spool::left(&path), expected, "{name}");
        assert_eq!(path.exists(), !left.is_empty(), "{name}");
        if path.exists() {
            let mut text = fs::read(&path).unwrap();
            text.truncate(text.len() - 3);
            fs::write(&path, text).unwrap();
            assert_eq!(Spool::left(&path), expected[..expected.len() - 1], "{name}");
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn what_went_before_in_an_attempt_that_goes_on_is_left() {
        let call = ToolCall { id: "1".into(), name: "find".into(), arguments: Value::Null, unreadable: None };
        check("one", &[model(vec![])], &[]);
        check("tools", &[model(vec![call.clone()]), tool("tea"), model(vec![])], &[model(vec![call]), tool("tea")]);
        check("again", &[model(vec![]), model(vec![])], &[model(vec![])]);
    }
}
