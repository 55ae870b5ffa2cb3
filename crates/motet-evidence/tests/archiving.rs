//! The archive: what is kept, how it is found again, and how it tells that it was changed.

use std::fs;

use motet_evidence::archive::{Access, Archive, DocumentId, digest};
use motet_evidence::extract::{Extracted, Hints, Limits, extract};

use crate::scratch::Scratch;

fn access(url: &str, at_ms: u64) -> Access {
    Access {
        url: url.to_string(),
        found_at: url.to_string(),
        status: 200,
        headers: vec![("content-type".to_string(), "text/html".to_string()), ("content-encoding".to_string(), "gzip".to_string())],
        accessed_ms: at_ms,
    }
}

fn text(bytes: &[u8]) -> Extracted {
    extract(bytes, &Hints::of_path("note.md"), &Limits::default()).expect("it is text")
}

fn keep(archive: &Archive, bytes: &[u8], url: &str, at_ms: u64) -> DocumentId {
    archive.keep(bytes, access(url, at_ms), &text(bytes)).expect("it can be kept").record.id
}

const DAY: u64 = 1_715_940_000_000;

#[test]
fn a_document_is_kept_with_all_that_is_known_and_found_by_url_and_hash() {
    let scratch = Scratch::new();
    let archive = Archive::open(scratch.path()).expect("an archive");
    let bytes = b"# Notes\n\nThe answer is 42.\n";
    let id = keep(&archive, bytes, "https://example.org/notes#part", DAY);
    // Everything is found again by another process.
    let archive = Archive::open(scratch.path()).expect("an archive");
    let record = archive.by_url("https://example.org/notes").expect("it is known by its URL");
    assert_eq!(archive.by_hash(&digest(bytes)).expect("by its hash"), record);
    assert_eq!(archive.by_hash(id.as_str()).expect("by its id"), record);
    assert_eq!(archive.by_hash(&digest(b"other")), None);
    assert_eq!(
        (record.accessed.as_str(), record.title.as_deref(), record.extractor.as_str()),
        ("2024-05-17", Some("Notes"), "motet-plain 1")
    );
    assert_eq!(record.raw_path, format!("assets/data/{id}.md"));
    assert_eq!(fs::read(scratch.path().join(&record.raw_path)).expect("the raw bytes"), bytes);
    assert_eq!(archive.read(&id).expect("it can be read").expect("it is there").text, "# Notes\n\nThe answer is 42.\n");
    assert_eq!(archive.verify(), []);
}

#[test]
fn the_same_bytes_are_one_document_and_a_changed_page_is_two() {
    let scratch = Scratch::new();
    let archive = Archive::open(scratch.path()).expect("an archive");
    let first = keep(&archive, b"one", "https://a.example/", DAY);
    assert_eq!(keep(&archive, b"one", "https://mirror.example/", DAY + 1), first);
    let second = keep(&archive, b"two", "https://a.example/", DAY + 2);
    for archive in [archive, Archive::open(scratch.path()).expect("an archive")] {
        assert_eq!(archive.records().len(), 2);
        assert_eq!(archive.by_url("https://a.example/").expect("the newest").id, second);
        assert_eq!(archive.by_url("https://mirror.example/").expect("the copy").id, first);
        assert_eq!(archive.by_hash(first.as_str()).expect("it is kept").accesses.len(), 2);
    }
}

#[test]
fn what_was_changed_removed_or_forged_is_found() {
    let scratch = Scratch::new();
    let archive = Archive::open(scratch.path()).expect("an archive");
    let ids = [b"one", b"two", b"six"].map(|bytes| keep(&archive, bytes, &format!("https://example.org/{}", bytes[0]), DAY));
    let path = |number: usize, ending: &str| scratch.path().join(format!("assets/data/{}{ending}", ids[number]));
    fs::write(path(0, ".md"), "changed").expect("it can be changed");
    fs::remove_file(path(1, ".extracted.md")).expect("it can be removed");
    let faults = archive.verify();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults.iter().any(|fault| fault.what.contains("changed")) && faults.iter().any(|fault| fault.what == "is missing"));
    let forged = fs::read_to_string(path(2, ".json")).expect("a sidecar").replace("assets/data/", "assets/../../");
    fs::write(path(2, ".json"), forged).expect("it can be forged");
    let archive = Archive::open(scratch.path()).expect("it opens all the same");
    assert!(archive.faults().iter().any(|fault| fault.what.contains("outside")), "{:?}", archive.faults());
    fs::write(path(2, ".json"), "{\"version\": 99}").expect("it can be written");
    let archive = Archive::open(scratch.path()).expect("it opens all the same");
    assert!(archive.faults().iter().any(|fault| fault.what.contains("version 99")));
}

#[test]
fn bytes_that_were_exchanged_together_with_their_hash_are_found_by_the_name() {
    let scratch = Scratch::new();
    let archive = Archive::open(scratch.path()).expect("an archive");
    let id = keep(&archive, b"one", "https://example.org/", DAY);
    let path = |ending: &str| scratch.path().join(format!("assets/data/{id}{ending}"));
    let forged = fs::read_to_string(path(".json")).expect("a sidecar").replace(&digest(b"one"), &digest(b"two"));
    fs::write(path(".json"), forged).expect("it can be forged");
    [".md", ".extracted.md"].iter().for_each(|ending| fs::write(path(ending), "two").expect("it can be changed"));
    let archive = Archive::open(scratch.path()).expect("it opens all the same");
    assert_eq!((archive.records().len(), archive.verify().len()), (0, 1), "{:?}", archive.verify());
    assert!(archive.verify()[0].what.contains("other bytes"));
}

#[test]
fn what_a_crash_left_half_written_is_no_document() {
    let scratch = Scratch::new();
    let archive = Archive::open(scratch.path()).expect("an archive");
    keep(&archive, b"whole", "https://example.org/", DAY);
    scratch.write("assets/data/0123456789abcdef.md.77-0.part", "ha");
    scratch.write("assets/data/0123456789abcdef.md", "raw without its sidecar");
    let archive = Archive::open(scratch.path()).expect("an archive");
    assert_eq!((archive.records().len(), archive.faults().len()), (1, 0));
}

#[test]
fn an_export_is_a_warc_file_that_can_be_walked_record_by_record() {
    let scratch = Scratch::new();
    let archive = Archive::open(scratch.path()).expect("an archive");
    keep(&archive, b"# Page\r\n\r\nWARC/1.1\r\n", "https://example.org/page", DAY);
    keep(&archive, b"a local note", "file:///docs/note.md", DAY);
    let mut warc = Vec::new();
    assert_eq!(archive.export_warc(&mut warc, DAY).expect("it can be written"), 2);
    let records = walk(&warc);
    let types: Vec<&str> = records.iter().map(|(head, _)| field(head, "WARC-Type")).collect();
    assert_eq!(types.iter().filter(|kind| **kind == "response").count(), 1);
    assert_eq!((types[0], types.len()), ("warcinfo", 3));
    let (head, block) = records.iter().find(|(head, _)| field(head, "WARC-Type") == "response").expect("the page");
    assert_eq!(field(head, "WARC-Target-URI"), "https://example.org/page");
    assert_eq!(field(head, "WARC-Date"), "2024-05-17T10:00:00Z");
    assert_eq!(field(head, "Content-Type"), "application/http; msgtype=response");
    let http = String::from_utf8_lossy(block);
    assert!(
        http.starts_with("HTTP/1.1 200 \r\n")
            && http.contains("x-archive-orig-content-encoding: gzip\r\n")
            && http.ends_with("\r\n\r\n# Page\r\n\r\nWARC/1.1\r\n"),
        "{http}"
    );
    let mut ids: Vec<&str> = records.iter().map(|(head, _)| field(head, "WARC-Record-ID")).collect();
    assert!(ids.iter().all(|id| id.starts_with("<urn:uuid:") && id.len() == 47), "{ids:?}");
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

/// As a reader of WARC does: a head, so many bytes, two line ends.
fn walk(warc: &[u8]) -> Vec<(String, Vec<u8>)> {
    let (mut records, mut rest) = (Vec::new(), warc);
    while !rest.is_empty() {
        assert!(rest.starts_with(b"WARC/1.1\r\n"));
        let end = rest.windows(4).position(|window| window == b"\r\n\r\n").expect("a head ends") + 4;
        let head = String::from_utf8(rest[..end].to_vec()).expect("a head is text");
        let length: usize = field(&head, "Content-Length").parse().expect("a length");
        records.push((head, rest[end..end + length].to_vec()));
        assert_eq!(&rest[end + length..end + length + 4], b"\r\n\r\n");
        rest = &rest[end + length + 4..];
    }
    records
}

fn field<'a>(head: &'a str, name: &str) -> &'a str {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap_or_default()
}
