//! Payloads and snapshots: larger contents, compressed.
//! Whether a content is what its name says is checked by whoever reads it.

use motet_core::names::{Digest, RunId};
use rusqlite::{Connection, OptionalExtension as _};

use super::failures::explain;
use super::runs;
use crate::store::{Error, Payload, Snapshot};

pub fn read(connection: &Connection, digest: &Digest) -> Result<Option<Vec<u8>>, Error> {
    let mut statement = connection.prepare_cached("SELECT content FROM payloads WHERE digest = ?1").map_err(explain)?;
    let found: Option<Vec<u8>> = statement.query_row([digest.as_str()], |row| row.get(0)).optional().map_err(explain)?;
    found.map(|packed| unpack(&packed, || format!("payload {}", digest.short()))).transpose()
}

pub fn write(connection: &Connection, run_number: i64, payload: &Payload) -> Result<(), Error> {
    let mut known = connection.prepare_cached("SELECT 1 FROM payloads WHERE digest = ?1").map_err(explain)?;
    if !known.exists([payload.digest.as_str()]).map_err(explain)? {
        let mut insert = connection.prepare_cached("INSERT INTO payloads (digest, content) VALUES (?1, ?2)").map_err(explain)?;
        insert.execute((payload.digest.as_str(), pack(&payload.content))).map_err(explain)?;
    }
    let mut uses = connection.prepare_cached("INSERT OR IGNORE INTO payload_uses (run_no, digest) VALUES (?1, ?2)").map_err(explain)?;
    uses.execute((run_number, payload.digest.as_str())).map_err(explain)?;
    Ok(())
}

pub fn snapshot(connection: &Connection, run: &RunId) -> Result<Option<Snapshot>, Error> {
    let place = runs::place(connection, run)?;
    let mut statement = connection.prepare_cached("SELECT seq, hash, content FROM snapshots WHERE run_no = ?1").map_err(explain)?;
    let found = statement.query_row([place.number], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, Vec<u8>>(2)?)));
    let Some((seq, hash, packed)) = found.optional().map_err(explain)? else { return Ok(None) };
    // A snapshot only saves time: one that cannot be read is as good as none.
    Ok(unpack(&packed, String::new).ok().map(|content| Snapshot { seq, hash, content }))
}

pub fn write_snapshot(connection: &Connection, run_number: i64, snapshot: &Snapshot) -> Result<(), Error> {
    let query = "INSERT OR REPLACE INTO snapshots (run_no, seq, hash, content) VALUES (?1, ?2, ?3, ?4)";
    let mut statement = connection.prepare_cached(query).map_err(explain)?;
    statement.execute((run_number, snapshot.seq, snapshot.hash, pack(&snapshot.content))).map_err(explain)?;
    Ok(())
}

fn pack(content: &[u8]) -> Vec<u8> {
    lz4_flex::compress_prepend_size(content)
}

fn unpack(packed: &[u8], what: impl Fn() -> String) -> Result<Vec<u8>, Error> {
    // The size stands in front; a damaged one must not make us ask for four gigabytes. LZ4 packs at most 255 to 1.
    let size = packed.first_chunk::<4>().map_or(0, |size| u32::from_le_bytes(*size) as usize);
    if size > packed.len().saturating_mul(256) {
        return Err(Error::Corrupt { what: what(), why: "its size cannot be right".into() });
    }
    lz4_flex::decompress_size_prepended(packed).map_err(|error| Error::Corrupt { what: what(), why: error.to_string() })
}
