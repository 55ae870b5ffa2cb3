//! Databases that are not what was written: told clearly, and never made worse.

use super::project::Project;

fn database(project: &Project) -> std::path::PathBuf {
    project.root.join(".motet/motet.db")
}

#[test]
fn one_flipped_bit_of_a_journal_is_found() {
    let project = Project::new();
    project.motet(&["run", "slogan", "--demo"]).exits(0);
    project.motet(&["verify"]).exits(0);
    let path = database(&project);
    let mut bytes = std::fs::read(&path).unwrap();
    // The words of an event stand in the file as they are.
    let words = b"Hydrate Green, Live Clean";
    let place = bytes.windows(words.len()).position(|window| window == words).expect("the event is in the file");
    bytes[place] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    project.motet(&["verify"]).exits(1).says(&["was changed"]);
    project.motet(&["verify", "last", "--json"]).exits(1).says(&["\"ok\":false"]);
    project.motet(&["replay", "last"]).exits(1).says(&["was changed"]);
}

#[test]
fn a_truncated_or_foreign_database_is_refused_and_left_alone() {
    let project = Project::new();
    project.motet(&["run", "slogan", "--demo"]).exits(0);
    let path = database(&project);
    let whole = std::fs::read(&path).unwrap();
    let cut = &whole[..whole.len() / 2 + 100];
    for damaged in [cut, b"this is no database, but long enough to look like a file of some kind".as_slice(), b"".as_slice()] {
        std::fs::write(&path, damaged).unwrap();
        for arguments in [&["list"][..], &["run", "slogan", "--demo"], &["verify"], &["status", "last"]] {
            let done = project.motet(arguments);
            assert_ne!(done.code, Some(0), "{arguments:?} {}", done.out);
            assert!(done.err.contains("error: "), "{arguments:?}: {}{}", done.out, done.err);
            assert!(!done.err.contains("panicked"), "{}", done.err);
        }
        assert_eq!(std::fs::read(&path).unwrap().len(), damaged.len(), "nothing was written to it");
    }
    std::fs::write(&path, &whole).unwrap();
    project.motet(&["verify"]).exits(0);
}

#[test]
fn a_database_of_a_later_version_is_refused() {
    let project = Project::new();
    project.motet(&["run", "slogan", "--demo"]).exits(0);
    let path = database(&project);
    let mut bytes = std::fs::read(&path).unwrap();
    // SQLite keeps `user_version`, which is our format, in bytes 60 to 63.
    bytes[63] = 99;
    std::fs::write(&path, bytes).unwrap();
    project.motet(&["list"]).exits(1).says(&["format 99"]);
}
