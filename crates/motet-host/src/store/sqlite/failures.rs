//! SQLite's errors in our words.
//! Nothing is retried here: waiting for a lock is the connection's busy timeout, anything else is for the caller.

use rusqlite::ErrorCode;

use crate::store::Error;

pub fn explain(error: rusqlite::Error) -> Error {
    let code = match &error {
        rusqlite::Error::SqliteFailure(failure, _) => Some(failure.code),
        _ => None,
    };
    match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy,
        Some(ErrorCode::DiskFull) => Error::Full,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::Corrupt { what: "the database".into(), why: error.to_string() }
        }
        Some(_) => Error::Io(error.to_string()),
        // A column of another type than every version of Motet has written.
        None => Error::Corrupt { what: "the database".into(), why: error.to_string() },
    }
}
