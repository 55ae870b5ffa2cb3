//! A small writer of WARC 1.1, the format of web archives: one record per access, each readable by the usual tools.
//! It does not compress; whoever stores the file may.

use std::fmt;
use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::{Access, Archive, Record};
use crate::clock::timestamp;

/// Why an export ended early: one is the archive's trouble, the other that of whoever takes it.
#[derive(Debug)]
pub enum NotExported {
    Unreadable(io::Error),
    Unwritable(io::Error),
}

impl fmt::Display for NotExported {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(to, "the archive cannot be read: {error}"),
            Self::Unwritable(error) => write!(to, "it cannot be written: {error}"),
        }
    }
}

impl std::error::Error for NotExported {}

pub(super) fn export(archive: &Archive, to: &mut impl Write, now_ms: u64) -> Result<usize, NotExported> {
    let about = format!(
        "software: Motet/{}\r\nformat: WARC File Format 1.1\r\nconformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n",
        env!("CARGO_PKG_VERSION")
    );
    let id = record_id(&["warcinfo", &timestamp(now_ms)]);
    let fields = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", &id),
        ("WARC-Date", &timestamp(now_ms)),
        ("Content-Type", "application/warc-fields"),
    ];
    write(to, &fields, about.as_bytes()).map_err(NotExported::Unwritable)?;
    let mut count = 0;
    for record in archive.records() {
        let body = archive.raw(&record).map_err(NotExported::Unreadable)?;
        for access in &record.accesses {
            one(to, &record, access, &body).map_err(NotExported::Unwritable)?;
            count += 1;
        }
    }
    Ok(count)
}

/// What came over HTTP is a response with its headers; what lay on the disk, or was told by a source, is a resource.
fn one(to: &mut impl Write, record: &Record, access: &Access, body: &[u8]) -> io::Result<()> {
    let is_response = access.found_at.starts_with("http") && !access.headers.is_empty();
    let (kind, media, block) = match is_response {
        true => ("response", "application/http; msgtype=response", [head(access, body.len()).as_bytes(), body].concat()),
        false => ("resource", record.kind.media_type(), body.to_vec()),
    };
    let id = record_id(&[&record.sha256, &access.url, &timestamp(access.accessed_ms)]);
    let (date, payload, whole) = (timestamp(access.accessed_ms), base32_digest(body), base32_digest(&block));
    let target = access.found_at.replace(['\r', '\n', ' '], "");
    let fields = [
        ("WARC-Type", kind),
        ("WARC-Record-ID", &id),
        ("WARC-Date", &date),
        ("WARC-Target-URI", &target),
        ("WARC-Payload-Digest", &payload),
        ("WARC-Block-Digest", &whole),
        ("Content-Type", media),
    ];
    write(to, &fields, &block)
}

/// The body lies unpacked in the archive, so what spoke of its packing is told under another name.
fn head(access: &Access, length: usize) -> String {
    let mut head = format!("HTTP/1.1 {} \r\n", access.status);
    for (name, value) in &access.headers {
        let packing = matches!(name.as_str(), "content-encoding" | "transfer-encoding" | "content-length");
        let clean = value.replace(['\r', '\n'], " ");
        head.push_str(&if packing { format!("x-archive-orig-{name}: {clean}\r\n") } else { format!("{name}: {clean}\r\n") });
    }
    head.push_str(&format!("content-length: {length}\r\n\r\n"));
    head
}

fn write(to: &mut impl Write, fields: &[(&str, &str)], block: &[u8]) -> io::Result<()> {
    to.write_all(b"WARC/1.1\r\n")?;
    for (name, value) in fields {
        write!(to, "{name}: {value}\r\n")?;
    }
    write!(to, "Content-Length: {}\r\n\r\n", block.len())?;
    to.write_all(block)?;
    to.write_all(b"\r\n\r\n")
}

/// A UUID made of what the record is, so that the same archive is exported as the same bytes.
fn record_id(parts: &[&str]) -> String {
    let mut bytes: [u8; 16] = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(parts.join("\n").as_bytes())[..16]);
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("<urn:uuid:{}-{}-{}-{}-{}>", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

fn base32_digest(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let (mut out, mut waiting, mut bits) = (String::from("sha256:"), 0u32, 0);
    for byte in Sha256::digest(bytes) {
        waiting = (waiting << 8) | u32::from(byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            out.push(char::from(ALPHABET[(waiting >> bits) as usize & 31]));
        }
        waiting &= (1 << bits) - 1;
    }
    if bits > 0 {
        out.push(char::from(ALPHABET[(waiting << (5 - bits)) as usize & 31]));
    }
    let padding = (8 - (out.len() - 7) % 8) % 8;
    out + &"=".repeat(padding)
}
