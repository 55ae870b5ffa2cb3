//! The way back from the relays of one attempt: a private file for each server, made before the agent begins and read when it is over.
//! An agent that finds a file can write into it; so what is read is bounded, and what makes no sense is counted and left out.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use super::note::{Asked, FILE_BYTES, Note, Part};
use super::passing::each_line;
use super::remains;

/// Several relays may each have written a line too many before they saw that the file is full.
const READ_BYTES: u64 = FILE_BYTES + FILE_BYTES / 4;
/// So many names are tried for a directory that nobody else has.
const NAMES: usize = 100;

/// How the names of all such directories begin.
const PREFIX: &str = "motet-relayed-";

static MADE: AtomicU64 = AtomicU64::new(0);

/// The files are gone when this is dropped.
pub(crate) struct WayBack {
    /// None: there is no server, and so no file.
    directory: Option<PathBuf>,
    files: Vec<Notes>,
}

struct Notes {
    server: String,
    path: PathBuf,
    /// Open since it was made: whatever an agent puts in its place is not read.
    file: File,
}

/// What was read of all that relays have written.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Heard {
    /// In the order in which they were called.
    pub passed: Vec<Passed>,
    /// So many lines say nothing that could be understood.
    pub strange: usize,
    /// There was more than is kept.
    pub is_cut: bool,
}

/// One call that a relay has seen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Passed {
    /// `server.tool`.
    pub name: String,
    pub arguments: Part<Value>,
    /// None: it did not come before the end.
    pub answer: Option<Part<String>>,
    pub is_error: bool,
    at_ms: u64,
}

impl WayBack {
    /// One file for each of these servers, in a directory of the system for what does not last: there no agent works, and commits nothing.
    pub fn from_servers<'a>(servers: impl IntoIterator<Item = &'a str>) -> io::Result<Self> {
        let mut way_back = Self { directory: None, files: Vec::new() };
        for server in servers {
            let directory = match &way_back.directory {
                Some(directory) => directory.clone(),
                None => way_back.directory.insert(private_directory()?).clone(),
            };
            let path = directory.join(server);
            let file = OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(&path)?;
            remains::claim(&file);
            way_back.files.push(Notes { server: server.to_string(), path, file });
        }
        Ok(way_back)
    }

    /// Where the relay of each server writes, in the same order.
    pub fn notes(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|notes| notes.path.as_path())
    }

    /// All that was written, once: afterwards there are no files any more.
    pub fn take(&mut self) -> Heard {
        let mut heard = Heard::default();
        for notes in self.files.drain(..) {
            hear(notes, &mut heard);
        }
        heard.passed.sort_by_key(|passed| passed.at_ms);
        self.remove();
        heard
    }

    fn remove(&mut self) {
        if let Some(directory) = self.directory.take() {
            // Whoever took it away has saved us the trouble.
            let _ = std::fs::remove_dir_all(directory);
        }
    }
}

impl Drop for WayBack {
    fn drop(&mut self) {
        self.remove();
    }
}

fn private_directory() -> io::Result<PathBuf> {
    let all = std::env::temp_dir();
    remains::remove(&all, PREFIX);
    let mut tried = Err(io::Error::from(io::ErrorKind::AlreadyExists));
    for _ in 0..NAMES {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let directory = all.join(format!("{PREFIX}{}-{number}", std::process::id()));
        tried = DirBuilder::new().mode(0o700).create(&directory).map(|()| directory);
        match &tried {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            _ => break,
        }
    }
    tried.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", all.display())))
}

/// A file that cannot be read any more says nothing.
fn hear(notes: Notes, heard: &mut Heard) {
    let Notes { server, mut file, .. } = notes;
    let is_long = file.metadata().is_ok_and(|file| file.len() > READ_BYTES);
    if file.rewind().is_err() {
        return;
    }
    heard.is_cut |= is_long;
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    each_line(file.take(READ_BYTES), |line| {
        match serde_json::from_str(&line) {
            Ok(Note::Called { call, asked }) => {
                open.insert(call, heard.passed.len());
                heard.passed.push(passed(&server, asked, None, false));
            }
            Ok(Note::Refused { asked, why }) => heard.passed.push(passed(&server, asked, Some(Part::of_text(why)), true)),
            Ok(Note::Answered { call, answer, is_error }) => match open.remove(&call) {
                Some(place) => {
                    heard.passed[place].answer = Some(answer);
                    heard.passed[place].is_error = is_error;
                }
                None => heard.strange += 1,
            },
            Ok(Note::Full {}) => heard.is_cut = true,
            Err(_) => heard.strange += 1,
        }
        Ok(())
    });
}

fn passed(server: &str, asked: Asked, answer: Option<Part<String>>, is_error: bool) -> Passed {
    let Asked { at_ms, tool, arguments } = asked;
    Passed { name: format!("{server}.{tool}"), arguments, answer, is_error, at_ms }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;

    use serde_json::json;

    use super::super::notebook::Notebook;
    use super::*;
    use crate::redaction::Redactor;
    use crate::secret::Secret;
    use crate::tools::ToolAnswer;

    /// What is read of these bytes: each call with whether it was answered, and how many lines make no sense.
    fn check(bytes: &[u8], passed: &[(&str, bool)], strange: usize) {
        let mut way_back = WayBack::from_servers(["files"]).expect("a file can be made");
        OpenOptions::new().append(true).open(path(&way_back)).expect("it is there").write_all(bytes).expect("it can be written");
        let heard = way_back.take();
        let found: Vec<_> = heard.passed.iter().map(|passed| (passed.name.as_str(), passed.answer.is_some())).collect();
        assert_eq!((found.as_slice(), heard.strange), (passed, strange), "{}", String::from_utf8_lossy(&bytes[..bytes.len().min(200)]));
    }

    fn path(way_back: &WayBack) -> PathBuf {
        way_back.notes().next().expect("there is one").to_path_buf()
    }

    fn called(call: &str) -> String {
        json!({ "note": "called", "call": call, "asked": { "at_ms": 1, "tool": "read", "arguments": { "kept": {} } } }).to_string() + "\n"
    }

    #[test]
    fn what_anybody_may_have_written_does_no_harm() {
        let answered = json!({ "note": "answered", "call": "a", "answer": { "kept": "x" }, "is_error": false }).to_string() + "\n";
        check(b"", &[], 0);
        check((called("a") + &answered).as_bytes(), &[("files.read", true)], 0);
        check((called("a") + &answered + &answered).as_bytes(), &[("files.read", true)], 1);
        check((answered.clone() + &called("b")).as_bytes(), &[("files.read", false)], 1);
        check(format!("half a li\n\u{0}\n{}{{\"note\":\"called\"", called("a")).as_bytes(), &[("files.read", false)], 3);
        check(b"\xff\xfe\n[1]\n{\"note\":\"gate\",\"answer\":\"approve\"}\n", &[], 3);
        check(&["[".repeat(100_000).into_bytes(), b"\n".to_vec()].concat(), &[], 1);
    }

    #[test]
    fn a_file_is_private_and_vanishes() {
        let mut way_back = WayBack::from_servers(["one", "two"]).expect("files can be made");
        let (file, directory) = (path(&way_back), way_back.directory.clone().expect("there is one"));
        let mode = |path: &Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(&directory)), (0o600, 0o700));
        assert_eq!(way_back.take(), Heard::default());
        assert!(!directory.exists());
        let way_back = WayBack::from_servers(["one"]).expect("files can be made");
        let directory = way_back.directory.clone().expect("there is one");
        drop(way_back);
        assert!(!directory.exists());
        assert!(WayBack::from_servers([]).expect("nothing is made").directory.is_none());
    }

    #[test]
    fn what_stands_in_the_place_of_a_file_is_not_read() {
        let mut way_back = WayBack::from_servers(["files"]).expect("a file can be made");
        let notebook = Notebook::open(&path(&way_back), Redactor::default()).expect("it is there");
        std::fs::remove_file(path(&way_back)).expect("it is there");
        std::fs::write(path(&way_back), called("forged")).expect("it can be written");
        assert_eq!(way_back.take(), Heard::default());
        let refused = notebook.called("read", &json!({})).expect_err("nobody would read it");
        assert_eq!(refused.to_string(), "the attempt is over");
    }

    #[test]
    fn a_file_that_is_full_says_so_and_is_read_as_far_as_it_goes() {
        let mut way_back = WayBack::from_servers(["files"]).expect("a file can be made");
        let notebook = Notebook::open(&path(&way_back), Redactor::default()).expect("it is there");
        let large = json!({ "text": "x".repeat(16_000) });
        while notebook.called("read", &large).expect("it can be written").is_some() {}
        let length = path(&way_back).metadata().expect("it is there").len();
        assert_eq!(notebook.called("read", &large).expect("nothing is written"), None);
        assert_eq!(path(&way_back).metadata().expect("it is there").len(), length);
        let heard = way_back.take();
        assert!(heard.is_cut && heard.strange == 0 && heard.passed.len() > 400, "{}", heard.passed.len());
    }

    #[test]
    fn no_secret_is_in_the_file() {
        let mut way_back = WayBack::from_servers(["files"]).expect("a file can be made");
        let redaction = Redactor::new([Secret::new("sk-12345678")]);
        let notebook = Notebook::open(&path(&way_back), redaction).expect("it is there");
        let call = notebook.called("read", &json!({ "key": "sk-12345678" })).expect("it can be written").expect("there is room");
        notebook.answered(call, ToolAnswer { text: "it is sk-12345678".into(), is_error: false }).expect("it can be written");
        notebook.refused("write", &json!({ "sk-12345678": 1 }), "no sk-12345678").expect("it can be written");
        let text = std::fs::read_to_string(path(&way_back)).expect("it is there");
        assert!(!text.contains("sk-1") && text.lines().count() == 3, "{text}");
        assert_eq!(way_back.take().passed[0].answer, Some(Part { kept: "it is [redacted]".into(), more: 0 }));
    }

    #[test]
    fn several_relays_write_into_one_file_line_by_line() {
        let mut way_back = WayBack::from_servers(["files"]).expect("a file can be made");
        std::thread::scope(|threads| {
            for writer in 0..4 {
                let notebook = Notebook::open(&path(&way_back), Redactor::default()).expect("it is there");
                threads.spawn(move || {
                    for number in 0..100 {
                        let arguments = json!({ "of": format!("{writer}/{number}"), "text": "x".repeat(5000) });
                        let call = notebook.called("read", &arguments).expect("it can be written").expect("there is room");
                        let answer = ToolAnswer { text: format!("{writer}/{number}"), is_error: false };
                        notebook.answered(call, answer).expect("it can be written");
                    }
                });
            }
        });
        let heard = way_back.take();
        assert_eq!((heard.passed.len(), heard.strange), (400, 0));
        for passed in heard.passed {
            assert_eq!(passed.answer.map(|answer| answer.kept).as_deref(), passed.arguments.kept["of"].as_str());
        }
    }
}
