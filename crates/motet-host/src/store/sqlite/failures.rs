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

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    fn failing(prepare: &str, failing: &str) -> Error {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(prepare).unwrap();
        explain(connection.execute_batch(failing).unwrap_err())
    }

    #[test]
    fn a_full_disk_is_full() {
        // A limit on pages is how SQLite itself simulates a full disk.
        let prepare = "CREATE TABLE t (a); PRAGMA max_page_count = 2";
        assert_eq!(failing(prepare, "INSERT INTO t VALUES (zeroblob(100000))"), Error::Full);
    }

    #[test]
    fn anything_else_keeps_its_words() {
        let error = failing("", "SELECT * FROM nowhere");
        assert!(error.to_string().contains("no such table: nowhere"), "{error}");
    }
}
