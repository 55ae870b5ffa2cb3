//! The asking side: one connection per question.

use std::fmt;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::{Ask, LONGEST_LINE, Tell, reachable};
use crate::Sqlite;
use crate::store::DriverId;

#[derive(Debug)]
pub enum Error {
    /// Nobody listens: the driver has ended.
    Gone {
        driver: DriverId,
    },
    Io(std::io::Error),
    /// The other side speaks another version.
    Unintelligible(String),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Gone { driver } => {
                write!(out, "the process that drove the run ({driver}) has ended in the meantime; go on with `motet resume`")
            }
            Error::Io(error) => write!(out, "the process that drives the run does not answer: {error}; try again, or look at `motet list`"),
            Error::Unintelligible(line) => {
                write!(out, "the process that drives the run answered {line:?}; it is another version of Motet, use the same one here")
            }
        }
    }
}

impl std::error::Error for Error {}

/// Asks the driver of this home one thing and waits for the answer.
pub fn send(home: &Path, driver: &DriverId, ask: &Ask) -> Result<Tell, Error> {
    let mut subscription = open(home, driver, ask)?;
    subscription.next().unwrap_or_else(|| Err(Error::Gone { driver: driver.clone() }))
}

/// Everything that happens from now on. The first answer is `Subscribed`.
pub fn subscribe(home: &Path, driver: &DriverId, ask: &Ask) -> Result<Subscription, Error> {
    open(home, driver, ask)
}

/// Answers as they come; it ends when the driver does, or when this side is too slow to follow.
pub struct Subscription {
    lines: BufReader<UnixStream>,
}

fn open(home: &Path, driver: &DriverId, ask: &Ask) -> Result<Subscription, Error> {
    let (path, _directory) = reachable(&Sqlite::socket_path(home, driver)).map_err(Error::Io)?;
    let mut stream = UnixStream::connect(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::ConnectionRefused => Error::Gone { driver: driver.clone() },
        _ => Error::Io(error),
    })?;
    let mut line = serde_json::to_vec(ask).map_err(|error| Error::Io(error.into()))?;
    line.push(b'\n');
    stream.write_all(&line).map_err(Error::Io)?;
    Ok(Subscription { lines: BufReader::new(stream) })
}

impl Iterator for Subscription {
    type Item = Result<Tell, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = String::new();
        match (&mut self.lines).take(LONGEST_LINE).read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(serde_json::from_str(&line).map_err(|_| Error::Unintelligible(line.chars().take(80).collect()))),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => Some(Err(Error::Io(error))),
        }
    }
}
