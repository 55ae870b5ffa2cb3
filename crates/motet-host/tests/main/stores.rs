//! Both stores under the conformance suite, and what only a file on a disk can suffer.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use motet_core::names::RunId;
use motet_core::units::Time;
use motet_host::store::{DATABASE_NAME, Error, Filter};
use motet_host::{Memory, Sqlite, Store, journal};
use motet_testkit::conformance::samples::{Writer, commit, large_event};
use motet_testkit::conformance::{Site, Tampering, check_store};
use motet_testkit::random::Random;
use rusqlite::Connection;

struct InMemory {
    storage: Memory,
}

impl Site for InMemory {
    type Store = Memory;

    fn reader(&self) -> Memory {
        self.storage.reader()
    }

    fn driver(&self) -> Memory {
        self.storage.open_driver(Time(1))
    }

    fn lose_lock(&self, driver: &Memory) {
        driver.lose_lock();
    }

    fn tamper(&self, run: &RunId, tampering: Tampering) {
        let mut contents = self.storage.contents();
        let rows = &mut contents.runs.get_mut(run).unwrap().rows;
        match tampering {
            Tampering::Body { seq, body } => rows.iter_mut().find(|row| row.seq == seq).unwrap().body = body,
            Tampering::RemoveEvent { seq } => rows.retain(|row| row.seq != seq),
            Tampering::SwapEvents { seq, with } => {
                let (one, two) = (seq as usize - 1, with as usize - 1);
                rows.swap(one, two);
                (rows[one].seq, rows[two].seq) = (seq, with);
            }
            Tampering::RemovePayload { digest } => drop(contents.payloads.remove(&digest)),
            Tampering::PayloadContent { digest, content } => drop(contents.payloads.insert(digest, content)),
            Tampering::SnapshotContent { content } => {
                contents.runs.get_mut(run).unwrap().snapshot.as_mut().unwrap().content = content;
            }
        }
    }
}

/// A home directory of its own, gone with the value.
pub struct Home(pub PathBuf);

impl Home {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("motet-host-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn database(&self) -> PathBuf {
        self.0.join(DATABASE_NAME)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct OnDisk {
    home: Home,
    /// Stay open, so that a lock file can be deleted under its driver.
    clock: RefCell<i64>,
}

impl Site for OnDisk {
    type Store = Sqlite;

    fn reader(&self) -> Sqlite {
        Sqlite::open(&self.home.0).unwrap()
    }

    fn driver(&self) -> Sqlite {
        *self.clock.borrow_mut() += 1;
        Sqlite::open_driver(&self.home.0, Time(*self.clock.borrow())).unwrap()
    }

    fn lose_lock(&self, driver: &Sqlite) {
        let id = driver.driver_id().unwrap();
        std::fs::remove_file(self.home.0.join("drivers").join(format!("{id}.lock"))).unwrap();
    }

    fn tamper(&self, run: &RunId, tampering: Tampering) {
        let database = Connection::open(self.home.database()).unwrap();
        database.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        let number: i64 = database.query_row("SELECT run_no FROM runs WHERE id = ?1", [run.as_str()], |row| row.get(0)).unwrap();
        let key = |seq: u64| (number << 24) | i64::try_from(seq).unwrap();
        let pack = |content: &[u8]| lz4_flex::compress_prepend_size(content);
        match tampering {
            Tampering::Body { seq, body } => database.execute("UPDATE events SET body = ?2 WHERE key = ?1", (key(seq), body)),
            Tampering::RemoveEvent { seq } => database.execute("DELETE FROM events WHERE key = ?1", [key(seq)]),
            Tampering::SwapEvents { seq, with } => {
                for (from, to) in [(key(seq), 1), (key(with), key(seq)), (1, key(with))] {
                    database.execute("UPDATE events SET key = ?2 WHERE key = ?1", [from, to]).unwrap();
                }
                Ok(1)
            }
            Tampering::RemovePayload { digest } => database.execute("DELETE FROM payloads WHERE digest = ?1", [digest.as_str()]),
            Tampering::PayloadContent { digest, content } => {
                database.execute("UPDATE payloads SET content = ?2 WHERE digest = ?1", (digest.as_str(), pack(&content)))
            }
            Tampering::SnapshotContent { content } => {
                database.execute("UPDATE snapshots SET content = ?2 WHERE run_no = ?1", (number, pack(&content)))
            }
        }
        .unwrap();
    }
}

#[test]
fn the_memory_store_conforms() {
    check_store(|| InMemory { storage: Memory::new() });
}

#[test]
fn the_sqlite_store_conforms() {
    check_store(|| OnDisk { home: Home::new(), clock: RefCell::new(0) });
}

#[test]
fn what_is_read_at_one_moment_does_not_change_under_its_reader() {
    let home = Home::new();
    let mut driver = Sqlite::open_driver(&home.0, Time(1)).unwrap();
    let mut writer = Writer::new("r");
    driver.commit(&commit([writer.more(3)])).unwrap();
    let reader = Sqlite::open(&home.0).unwrap();
    let run = RunId::new("r");
    let moment = reader.moment().unwrap();
    let record = reader.run(&run).unwrap().unwrap();
    driver.commit(&commit([writer.more(2)])).unwrap();
    assert_eq!(journal::verify(&reader, &run).unwrap().map(|verified| verified.events), Ok(record.seq), "within it, all is of it");
    assert_eq!(reader.rows(&run, 0, 9).unwrap().len(), 3);
    drop(moment);
    assert_eq!(reader.rows(&run, 0, 9).unwrap().len(), 5);
    assert_eq!(journal::verify(&reader, &run).unwrap().map(|verified| verified.events), Ok(5));
}

#[test]
fn what_was_counted_of_an_ended_run_is_kept_with_its_record_and_nothing_of_an_open_one() {
    let home = Home::new();
    let mut driver = Sqlite::open_driver(&home.0, Time(1)).unwrap();
    let (mut ended, mut open) = (Writer::new("ended"), Writer::new("open"));
    driver.commit(&commit([ended.more(2), open.more(2)])).unwrap();
    driver.commit(&commit([ended.end(Time(2000))])).unwrap();
    let reader = Sqlite::open(&home.0).unwrap();
    let untold = |run: &str| reader.run(&RunId::new(run)).unwrap().unwrap().summary.untold;
    assert_eq!((untold("ended"), untold("open")), (None, None), "a record as every earlier version has written it");
    let before = reader.run(&"ended".into()).unwrap().unwrap();
    reader.keep_untold(&["ended", "open", "nobody"].map(|run| (RunId::new(run), 3)).into()).unwrap();
    assert_eq!((untold("ended"), untold("open")), (Some(3), None));
    let mut after = reader.run(&"ended".into()).unwrap().unwrap();
    after.summary.untold = None;
    assert_eq!(after, before, "nothing else of it has changed");
    driver.commit(&commit([open.more(1)])).unwrap();
}

/// Opens a home whose database file is this, and answers the error; the file must be as it was.
fn check_refused(content: &[u8], expected: &str) {
    let home = Home::new();
    std::fs::write(home.database(), content).unwrap();
    let error = refusal(&home.0);
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(std::fs::read(home.database()).unwrap(), content, "the file was touched");
}

fn refusal(home: &Path) -> Error {
    match Sqlite::open_driver(home, Time(1)) {
        Err(error) => error,
        Ok(store) => match store.runs(&Filter::default()) {
            Err(error) => error,
            Ok(runs) => panic!("{} runs were read from a damaged database", runs.len()),
        },
    }
}

/// The bytes of a database with a few hundred events in it.
fn database_bytes() -> Vec<u8> {
    let home = Home::new();
    let mut store = Sqlite::open_driver(&home.0, Time(1)).unwrap();
    store.release().unwrap();
    drop(store);
    let database = Connection::open(home.database()).unwrap();
    database.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE").unwrap();
    drop(database);
    std::fs::read(home.database()).unwrap()
}

#[test]
fn what_is_no_database_is_refused_and_left_alone() {
    check_refused(
        b"Dear diary, this is not a database at all, but it is long enough to look like one to a hasty reader.",
        "not a database",
    );
    check_refused(&[0; 8192], "not a database");
}

#[test]
fn a_truncated_database_is_refused() {
    let whole = database_bytes();
    check_refused(&whole[..whole.len() / 2], "damaged");
    check_refused(&whole[..5000], "damaged");
}

#[test]
fn an_emptied_database_is_refused_if_there_are_runs() {
    let home = Home::new();
    std::fs::create_dir_all(home.0.join("runs/slogan-1")).unwrap();
    std::fs::write(home.database(), b"").unwrap();
    assert!(refusal(&home.0).to_string().contains("it is empty"));
}

#[test]
fn a_newer_database_and_one_of_another_program_are_refused() {
    let check = |pragma: &str, expected: &str| {
        let home = Home::new();
        drop(Sqlite::open(&home.0).unwrap());
        Connection::open(home.database()).unwrap().execute_batch(pragma).unwrap();
        let error = refusal(&home.0).to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("PRAGMA user_version = 99", "format 99");
    check("PRAGMA application_id = 7", "not a database of Motet");
}

#[test]
fn a_locked_database_is_busy_and_not_broken() {
    let home = Home::new();
    drop(Sqlite::open(&home.0).unwrap());
    let other = Connection::open(home.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = std::time::Instant::now();
    let error = match Sqlite::open_driver(&home.0, Time(1)) {
        Err(error) => error,
        Ok(_) => panic!("two writers at once"),
    };
    assert_eq!(error, Error::Busy);
    assert!(begun.elapsed() >= std::time::Duration::from_secs(9), "it gave up after {:?}", begun.elapsed());
}

/// The first to come make it, whoever they are; it takes many tries to see two of them meet.
#[test]
fn a_new_database_can_be_opened_by_many_at_once() {
    for _ in 0..30 {
        let home = Home::new();
        std::thread::scope(|scope| {
            let opening: Vec<_> = (0..6).map(|_| scope.spawn(|| Sqlite::open(&home.0).map(drop))).collect();
            for one in opening {
                assert_eq!(one.join().unwrap(), Ok(()));
            }
        });
    }
}

#[test]
fn a_database_with_flipped_bits_is_read_right_or_refused_and_never_a_panic() {
    let home = Home::new();
    let mut writer = Writer::new("r");
    let events = {
        let mut store = Sqlite::open_driver(&home.0, Time(1)).unwrap();
        store.commit(&commit([writer.more(300)])).unwrap();
        store.commit(&commit([writer.change(&[large_event(301)])])).unwrap();
        store.release().unwrap();
        journal::events(&store, &"r".into(), 0).unwrap()
    };
    let database = Connection::open(home.database()).unwrap();
    database.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE").unwrap();
    drop(database);
    let whole = std::fs::read(home.database()).unwrap();
    let mut random = Random::new(7);
    let mut found = 0;
    for _ in 0..400 {
        let damaged = Home::new();
        let mut bytes = whole.clone();
        let position = random.below(bytes.len() as u64) as usize;
        bytes[position] ^= 1 << random.below(8);
        std::fs::write(damaged.database(), bytes).unwrap();
        let Ok(store) = Sqlite::open(&damaged.0) else {
            found += 1;
            continue;
        };
        match journal::verify(&store, &"r".into()) {
            Ok(Ok(_)) => assert_eq!(journal::events(&store, &"r".into(), 0).unwrap(), events, "byte {position}"),
            Ok(Err(_)) | Err(_) => found += 1,
        }
    }
    assert!(found > 100, "{found} of 400 were found");
}

#[test]
fn processes_that_number_runs_at_once_share_no_number() {
    let home = Home::new();
    drop(Sqlite::open(&home.0).unwrap());
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let home = home.0.clone();
            std::thread::spawn(move || {
                let mut store = Sqlite::open_driver(&home, Time(number)).unwrap();
                (0..50).map(|_| store.next_number("tea", 7).unwrap()).collect::<Vec<u32>>()
            })
        })
        .collect();
    let mut given: Vec<u32> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    given.sort_unstable();
    assert_eq!(given, (1..=200).collect::<Vec<u32>>());
}

#[test]
fn many_processes_write_at_once() {
    let home = Home::new();
    drop(Sqlite::open(&home.0).unwrap());
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let home = home.0.clone();
            std::thread::spawn(move || {
                let mut store = Sqlite::open_driver(&home, Time(number)).unwrap();
                let mut writer = Writer::new(&format!("r{number}"));
                for _ in 0..50 {
                    store.commit(&commit([writer.more(2)])).unwrap();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let store = Sqlite::open(&home.0).unwrap();
    for number in 0..4 {
        assert_eq!(journal::verify(&store, &RunId::new(format!("r{number}"))).unwrap().unwrap().events, 100);
    }
}
