//! The labelled claims of a file, one by one, whether each stands on a line of its own or all of them in one list.
//! What they mean is read elsewhere; here a line is text or a reason why it is none.

use std::fmt;
use std::io::{self, BufRead};

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
/// they stand in it.
pub fn lines(mut reader: impl BufRead) -> impl Iterator<Item = (usize, Result<String, Unreadable>)> {
    let (mut number, mut is_over) = (0, false);
    let mut listed = Vec::new().into_iter();
    std::iter::from_fn(move || {
        loop {
            if let Some(part) = listed.next() {
                number += 1;
                return Some((number, Ok(part)));
            }
            if is_over {
                return None;
            }
            let mut bytes = Vec::new();
            number += 1;
            match reader.read_until(b'\n', &mut bytes) {
                Ok(0) => is_over = true,
                Ok(_) => {
                    if number == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
                        bytes.drain(..BYTE_ORDER_MARK.len());
                    }
                    if bytes.trim_ascii().is_empty() {
                        continue;
                    }
                    if bytes.trim_ascii_start().starts_with(b"[") {
                        match list(&mut reader, &mut bytes) {
                            Ok(Some(parts)) => {
                                (number, is_over, listed) = (0, true, parts.into_iter());
                                continue;
                            }
                            Ok(None) => is_over = true,
                            Err(error) => {
                                is_over = true;
                                return Some((number, Err(Unreadable::Broken(error))));
                            }
                        }
                    }
                    return Some((number, String::from_utf8(bytes).map_err(|_| Unreadable::NotText)));
                }
                Err(error) => {
                    is_over = true;
                    return Some((number, Err(Unreadable::Broken(error))));
                }
            }
        }
    })
}

/// The parts of a list that began with these bytes; none if it is no JSON.
fn list(reader: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<Option<Vec<String>>> {
    reader.read_to_end(bytes)?;
    let parts: Option<Vec<Value>> = serde_json::from_slice(bytes).ok();
    Ok(parts.map(|parts| parts.iter().map(Value::to_string).collect()))
}
