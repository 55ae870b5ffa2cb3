//! The index of one's own documents: what is found, what is left out and why, and what a change costs.

use std::fs;
use std::path::Path;
use std::time::Duration;

use motet_evidence::extract::Limits;
use motet_evidence::index::{Index, Update, place, remove_unused};
use motet_testkit::web::paper::pdf;

use crate::scratch::Scratch;

struct Library {
    documents: Scratch,
    home: Scratch,
}

impl Library {
    fn new(files: &[(&str, &str)]) -> Self {
        let (documents, home) = (Scratch::new(), Scratch::new());
        for (name, content) in files {
            documents.write(name, content);
        }
        Self { documents, home }
    }

    fn index(&self) -> Index {
        let limits = Limits { max_bytes: 100_000, timeout_ms: 120_000, ..Limits::default() };
        Index::open(self.home.path(), &[self.documents.path().to_path_buf()], limits).expect("an index")
    }

    fn update(&self) -> Update {
        self.index().update().expect("it can be updated")
    }

    /// The files of the best passages.
    fn found(&self, question: &str) -> Vec<String> {
        let passages = self.index().search(question, 5).expect("it can be searched");
        passages.iter().map(|passage| self.name(&passage.path)).collect()
    }

    fn name(&self, path: &Path) -> String {
        path.strip_prefix(self.documents.path()).expect("it is one of ours").to_string_lossy().into_owned()
    }
}

#[test]
fn the_best_passage_is_found_with_its_place_in_the_text() {
    let filler = "Nothing to see in this paragraph about other matters entirely, which goes on for a while to be long. ".repeat(12);
    let text = format!("# Metals\n\n{filler}\n\nCopper conducts electricity better than iron.\n\n{filler}\n");
    let library = Library::new(&[("metals.md", &text), ("trees.txt", "Oaks are old trees.")]);
    library.update();
    let passages = library.index().search("How well does copper conduct electricity?", 3).expect("a search");
    let best = &passages[0];
    assert_eq!((library.name(&best.path).as_str(), best.title.as_str()), ("metals.md", "Metals"));
    assert!(best.text.contains("Copper conducts electricity"));
    assert_eq!(&text[best.span.start..best.span.end], best.text, "the span is the passage");
}

#[test]
fn every_kind_of_document_is_read() {
    let library = Library::new(&[
        ("a.md", "The heron stands in the river."),
        ("b.txt", "The heron waits."),
        ("c.html", "<html><body><p>The heron strikes at a fish in the shallow water.</p></body></html>"),
        ("src/d.rs", "/// Counts the heron.\nfn heron() {}"),
        ("README", "heron"),
    ]);
    library.documents.write("e.pdf", pdf("Birds", &["A heron is a bird of the river."]));
    assert_eq!(library.update().added, 6);
    let mut found =
        library.index().search("heron", 10).expect("a search").iter().map(|passage| library.name(&passage.path)).collect::<Vec<_>>();
    found.sort();
    assert_eq!(found, ["README", "a.md", "b.txt", "c.html", "e.pdf", "src/d.rs"]);
}

#[test]
fn an_update_reads_only_what_changed_and_forgets_what_is_gone() {
    let library = Library::new(&[("a.md", "alpha"), ("b.md", "beta"), ("c.md", "gamma")]);
    assert_eq!(library.update(), Update { added: 3, ..Update::default() });
    assert_eq!(library.update(), Update { unchanged: 3, ..Update::default() });
    library.documents.write("a.md", "aleph now");
    fs::remove_file(library.documents.path().join("b.md")).expect("it can be removed");
    library.documents.write("d.md", "delta");
    assert_eq!(library.update(), Update { added: 1, changed: 1, removed: 1, unchanged: 1, ..Update::default() });
    assert_eq!(library.found("alpha"), Vec::<String>::new());
    assert_eq!(library.found("beta"), Vec::<String>::new());
    assert_eq!(
        (library.found("aleph"), library.found("delta"), library.found("gamma")),
        (vec!["a.md".to_string()], vec!["d.md".to_string()], vec!["c.md".to_string()])
    );
    assert_eq!(library.index().len(), 3);
}

#[test]
fn what_is_left_out_is_named_with_the_reason_every_time() {
    let library = Library::new(&[("good.md", "text"), ("large.txt", &"x".repeat(200_000)), ("blank.txt", "   \n")]);
    library.documents.write("picture.png", b"\x89PNG\r\n\x1a\n\0\0");
    library.documents.write("data.bin", b"\0\x01\x02");
    for _ in 0..2 {
        let update = library.update();
        let mut why: Vec<(String, &str)> =
            update.skipped.iter().map(|skipped| (library.name(&skipped.path), skipped.why.as_str())).collect();
        why.sort();
        let names: Vec<&str> = why.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["blank.txt", "data.bin", "large.txt", "picture.png"]);
        assert!(why[1].1.contains("binary") && why[2].1.contains("limit") && why[3].1.contains("PNG"), "{why:?}");
    }
}

#[test]
fn build_folders_hidden_files_and_ignored_ones_are_not_entered() {
    let library = Library::new(&[
        ("kept.md", "heron"),
        ("target/debug/x.txt", "heron"),
        ("node_modules/y/readme.md", "heron"),
        (".git/config", "heron"),
        (".env", "heron=secret"),
        (".gitignore", "drafts/\n*.log\n!keep.log\n"),
        ("drafts/z.md", "heron"),
        ("x.log", "heron"),
        ("keep.log", "heron"),
    ]);
    assert_eq!(library.update().added, 2);
    let mut found = library.found("heron");
    found.sort();
    assert_eq!(found, ["keep.log", "kept.md"]);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_out_of_the_folder() {
    let outside = Scratch::new();
    outside.write("secret.md", "heron");
    let library = Library::new(&[("a.md", "text")]);
    std::os::unix::fs::symlink(outside.path(), library.documents.path().join("link")).expect("a link");
    std::os::unix::fs::symlink(library.documents.path(), library.documents.path().join("circle")).expect("a link");
    let update = library.update();
    assert_eq!((update.added, update.skipped.len()), (1, 2));
    assert_eq!(library.found("heron"), Vec::<String>::new());
    assert!(!library.index().holds(&library.documents.path().join("link/secret.md")));
    assert!(library.index().holds(&library.documents.path().join("a.md")));
}

#[test]
fn a_question_about_something_else_finds_nothing() {
    let library = Library::new(&[("metals.md", "Copper conducts electricity. Iron rusts. Prices change over time.")]);
    library.update();
    assert_eq!(library.found("medieval harp music of Wales over time"), Vec::<String>::new());
    assert_eq!(library.found(""), Vec::<String>::new());
    assert_eq!(library.found("the of and"), Vec::<String>::new());
    // Signs that a query language would stumble over are only signs.
    assert_eq!(library.found("copper AND (iron OR \"unclosed title:"), ["metals.md"]);
}

#[test]
fn languages_without_spaces_are_searched_too() {
    let library =
        Library::new(&[("zh.md", "# 铜\n\n铜是一种导电性能良好的金属。"), ("ja.md", "鉄は錆びる。"), ("ru.md", "Медь проводит ток.")]);
    library.update();
    assert_eq!((library.found("导电的金属"), library.found("медь")), (vec!["zh.md".to_string()], vec!["ru.md".to_string()]));
}

#[test]
fn one_long_document_does_not_fill_the_answer() {
    let paragraph = format!("A heron again. {}\n\n", "Words to make it long enough for a passage of its own. ".repeat(20));
    let library = Library::new(&[
        ("long.md", &paragraph.repeat(20)),
        ("short.md", "A heron, once, in a much longer sentence about rivers and boats and the people who live there."),
    ]);
    library.update();
    let found = library.found("heron");
    assert!(found.contains(&"short.md".to_string()), "{found:?}");
    assert_eq!(found.iter().filter(|name| *name == "long.md").count(), 3);
}

#[test]
fn those_who_share_an_index_wait_for_each_other() {
    let files: Vec<(String, String)> = (0..30).map(|number| (format!("{number}.md"), format!("heron {number}"))).collect();
    let library = Library::new(&files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>());
    let added: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(|| library.update().added)).collect();
        threads.into_iter().map(|thread| thread.join().expect("nobody fails")).sum()
    });
    assert_eq!(added, 30, "every document is read by one of them and no more");
    assert_eq!(library.found("heron 7").first().map(String::as_str), Some("7.md"));
}

#[test]
fn a_damaged_index_is_made_again() {
    let library = Library::new(&[("a.md", "heron")]);
    library.update();
    library.home.write("passages/meta.json", "nonsense");
    assert_eq!(library.update().added, 1);
    library.home.write("manifest.json", "{\"version\": 0, \"files\": {}}");
    assert_eq!(library.update().added, 1);
    assert_eq!(library.found("heron"), ["a.md"]);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let home = Scratch::new();
    let missing = home.path().join("no-such-folder");
    let Err(error) = Index::open(home.path(), std::slice::from_ref(&missing), Limits::default()) else { panic!("it must not open") };
    assert!(error.to_string().contains("no-such-folder"), "{error}");
}

#[test]
fn an_index_that_nobody_uses_is_removed_and_one_in_use_is_not() {
    let (home, documents) = (Scratch::new(), Scratch::new());
    documents.write("a.md", "heron");
    let folders = [documents.path().to_path_buf()];
    let at = place(home.path(), &folders);
    let index = Index::open(&at, &folders, Limits::default()).expect("an index");
    index.update().expect("it can be updated");
    assert_eq!(remove_unused(home.path(), Duration::from_secs(3600), false), Vec::<std::path::PathBuf>::new(), "it was used just now");
    let lock = fs::File::options().write(true).open(at.join("lock")).expect("its lock");
    lock.lock().expect("it can be locked");
    assert!(remove_unused(home.path(), Duration::ZERO, false).is_empty(), "somebody changes it");
    drop(lock);
    assert_eq!(remove_unused(home.path(), Duration::ZERO, true), std::slice::from_ref(&at));
    assert_eq!((remove_unused(home.path(), Duration::ZERO, false).len(), at.exists()), (1, false));
    // Whoever has it open finds what it found before.
    assert_eq!(index.search("heron", 3).expect("it can be searched").len(), 1);
}

#[test]
fn a_document_that_is_cut_is_told_every_time() {
    let library = Library::new(&[("long.md", &"The heron stands in the reeds. ".repeat(100)), ("short.md", "The heron flies.")]);
    let limits = Limits { max_text_bytes: 1000, ..Limits::default() };
    let index = Index::open(library.home.path(), &[library.documents.path().to_path_buf()], limits).expect("an index");
    for added in [2, 0] {
        let update = index.update().expect("it can be read");
        let told: Vec<(String, &str)> = update.shortened.iter().map(|one| (library.name(&one.path), one.why.as_str())).collect();
        assert_eq!(told, [("long.md".to_string(), "only the first 1000 bytes of 3100 bytes of text were read")]);
        assert_eq!((update.added, update.skipped.len()), (added, 0), "it is in the index all the same");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_whose_name_is_no_text_is_told_and_never_found() {
    use std::os::unix::ffi::OsStrExt as _;
    let library = Library::new(&[("a.md", "text")]);
    let name = std::ffi::OsStr::from_bytes(b"r\xe9sum\xe9.md");
    std::fs::write(library.documents.path().join(name), "The heron flies.").expect("a file");
    let update = library.update();
    assert_eq!((update.added, update.skipped.len()), (1, 1));
    assert!(update.skipped[0].why.contains("not UTF-8"), "{:?}", update.skipped);
    assert_eq!(library.found("heron"), Vec::<String>::new());
}
