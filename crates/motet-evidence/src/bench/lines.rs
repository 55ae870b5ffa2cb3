//! The labelled claims of a file, one by one, whether each stands on a line of its own or all of them in one list.
//! What they mean is read elsewhere; here a line is text or a reason why it is none.

use std::fmt;
use std::io::{self, BufRead, Cursor};

use serde_json::Value;

/// Why a line cannot be had.
#[derive(Debug)]
pub enum Unreadable {
    /// Only this line; the next one may be better.
    NotText,
    /// The reader itself: nothing comes after it.
    Broken(io::Error),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NotText => write!(out, "it is not UTF-8 text"),
            Self::Broken(error) => write!(out, "it cannot be read: {error}"),
        }
    }
}

/// What some programs write before the first line of a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The lines that say something, with their numbers. A line that is no text is one problem; a reader that fails, such as that of a
/// folder, may fail for ever, so its first failure is the last line. A file that is one JSON list gives its parts instead, numbered as
/// they stand in it; one that only begins like a list is read line by line like any other.
pub fn lines(reader: impl BufRead) -> impl Iterator<Item = (usize, Result<String, Unreadable>)> {
    let mut lines = Lines { reader, held: Cursor::default(), number: 0, says_something: false, is_over: false };
    let mut listed = Vec::new().into_iter().enumerate();
    std::iter::from_fn(move || {
        loop {
            if let Some((place, part)) = listed.next() {
                return Some((place + 1, Ok(part)));
            }
            match lines.next()? {
                Found::Line(number, line) => return Some((number, line)),
                Found::List(parts) => listed = parts.into_iter().enumerate(),
            }
        }
    })
}

enum Found {
    Line(usize, Result<String, Unreadable>),
    List(Vec<String>),
}

struct Lines<R> {
    reader: R,
    /// What was read ahead to see whether the whole is a list.
    held: Cursor<Vec<u8>>,
    number: usize,
    says_something: bool,
    is_over: bool,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Option<Found> {
        while !self.is_over {
            let mut bytes = Vec::new();
            self.number += 1;
            let read = match self.held.read_until(b'\n', &mut bytes) {
                Ok(0) => self.reader.read_until(b'\n', &mut bytes),
                held => held,
            };
            match read {
                Ok(0) => self.is_over = true,
                Ok(_) => {
                    if self.number == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
                        bytes.drain(..BYTE_ORDER_MARK.len());
                    }
                    if bytes.trim_ascii().is_empty() {
                        continue;
                    }
                    let is_first = !std::mem::replace(&mut self.says_something, true);
                    if is_first && bytes.trim_ascii_start().starts_with(b"[") {
                        match self.list(&bytes) {
                            Ok(Some(parts)) => return Some(Found::List(parts)),
                            Ok(None) => {}
                            Err(error) => return Some(self.broken(error)),
                        }
                    }
                    return Some(Found::Line(self.number, String::from_utf8(bytes).map_err(|_| Unreadable::NotText)));
                }
                Err(error) => return Some(self.broken(error)),
            }
        }
        None
    }

    fn broken(&mut self, error: io::Error) -> Found {
        self.is_over = true;
        Found::Line(self.number, Err(Unreadable::Broken(error)))
    }

    /// The parts of the list that begins with this line and ends with the file; none if it is no JSON, and then the rest is held.
    fn list(&mut self, line: &[u8]) -> io::Result<Option<Vec<String>>> {
        let mut rest = Vec::new();
        self.reader.read_to_end(&mut rest)?;
        let parts: Option<Vec<Value>> = serde_json::from_slice(&[line, &rest].concat()).ok();
        match parts {
            Some(parts) => {
                self.is_over = true;
                Ok(Some(parts.iter().map(Value::to_string).collect()))
            }
            None => {
                self.held = Cursor::new(rest);
                Ok(None)
            }
        }
    }
}
