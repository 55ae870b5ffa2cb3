//! Checks of journals, payloads, snapshots, lists, forks and removal.

use motet_core::names::RunId;
use motet_core::units::Time;
use motet_host::Store;
use motet_host::gc::{Policy, collect};
use motet_host::journal::{events, verify};
use motet_host::store::{Error, Filter, Removal, Snapshot};

use super::samples::{Writer, commit, event, large_event, pinned};
use super::{Check, Site};

pub fn checks<S: Site>() -> Vec<Check<S>> {
    vec![
        ("what is appended is read back, also by another process and after a reopening", appended),
        ("a commit is written whole or not at all", atomic),
        ("an event that is there already is refused", duplicate),
        ("a gap is refused", gap),
        ("a reader cannot write", reader),
        ("rows are read in pieces", pieces),
        ("a payload is kept once and read back", payloads),
        ("the newest snapshot is kept", snapshots),
        ("lists are newest first, filtered and paged", lists),
        ("a fork reads what it shares, and forks of forks do too", forks),
        ("what is removed is gone, and nothing else", removal),
        ("open runs and origins of forks are not removed", refused_removal),
        ("retention keeps the newest and whole families", retention),
        ("a run that is not there is said so", missing),
    ]
}

fn ids(store: &impl Store, filter: &Filter) -> Vec<String> {
    store.runs(filter).unwrap().iter().map(|record| record.id.to_string()).collect()
}

fn appended<S: Site>(site: &S) {
    let mut writer = Writer::new("r");
    {
        let mut store = site.driver();
        store.commit(&commit([writer.more(3)])).unwrap();
        store.commit(&commit([writer.change(&[large_event(4)])])).unwrap();
    }
    for store in [site.reader(), site.driver()] {
        let expected: Vec<_> = (1..=3).map(|seq| event(seq, 10)).chain([large_event(4)]).collect();
        assert_eq!(events(&store, &writer.record.id, 0).unwrap(), expected);
        assert_eq!(events(&store, &writer.record.id, 3).unwrap(), expected[3..]);
        let mut found = store.run(&writer.record.id).unwrap().unwrap();
        found.driver = None;
        assert_eq!(found, writer.record);
        assert_eq!(verify(&store, &writer.record.id).unwrap().unwrap().events, 4);
    }
}

fn atomic<S: Site>(site: &S) {
    let mut store = site.driver();
    let (mut good, mut bad) = (Writer::new("good"), Writer::new("bad"));
    store.commit(&commit([bad.more(2)])).unwrap();
    let mut wrong = bad.more(1);
    wrong.after = Some(7);
    let refused = store.commit(&commit([good.more(1), wrong]));
    assert!(matches!(refused, Err(Error::Conflict { .. })), "{refused:?}");
    assert_eq!(store.run(&"good".into()).unwrap(), None);
    assert_eq!(store.rows(&"bad".into(), 0, 10).unwrap().len(), 2);
}

fn duplicate<S: Site>(site: &S) {
    let mut store = site.driver();
    let mut writer = Writer::new("r");
    store.commit(&commit([writer.more(2)])).unwrap();
    let again = writer.clone().more(1);
    store.commit(&commit([writer.more(1)])).unwrap();
    let refused = store.commit(&commit([again]));
    assert!(matches!(refused, Err(Error::Conflict { expected: Some(2), found: Some(3), .. })), "{refused:?}");
    let refused = store.commit(&commit([Writer::new("r").more(1)]));
    assert!(matches!(refused, Err(Error::Conflict { expected: None, found: Some(3), .. })), "{refused:?}");
    assert_eq!(verify(&store, &"r".into()).unwrap().unwrap().events, 3);
}

fn gap<S: Site>(site: &S) {
    let mut store = site.driver();
    let mut writer = Writer::new("r");
    let first = writer.more(1);
    let third = writer.more(1);
    let refused = store.commit(&commit([third]));
    assert!(matches!(refused, Err(Error::Conflict { expected: Some(1), found: None, .. })), "{refused:?}");
    store.commit(&commit([first])).unwrap();
}

fn reader<S: Site>(site: &S) {
    let refused = site.reader().commit(&commit([Writer::new("r").more(1)]));
    assert_eq!(refused, Err(Error::NotADriver));
}

fn pieces<S: Site>(site: &S) {
    let mut store = site.driver();
    let mut writer = Writer::new("r");
    store.commit(&commit([writer.more(2500), Writer::new("s").more(5)])).unwrap();
    let rows = store.rows(&"r".into(), 100, 50).unwrap();
    assert_eq!((rows.len(), rows[0].seq, rows[49].seq), (50, 101, 150));
    assert_eq!(events(&store, &"r".into(), 0).unwrap().len(), 2500);
    assert!(store.rows(&"r".into(), 2500, 10).unwrap().is_empty());
}

fn payloads<S: Site>(site: &S) {
    let mut store = site.driver();
    let (mut one, mut two) = (Writer::new("one"), Writer::new("two"));
    let change = one.change(&[large_event(1)]);
    let payload = change.payloads[1].clone();
    store.commit(&commit([change, two.change(&[large_event(1)])])).unwrap();
    assert_eq!(store.payload(&payload.digest).unwrap().as_deref(), Some(&*payload.content));
    assert_eq!(store.payload(&pinned().digest).unwrap().as_deref(), Some(&*pinned().content));
    assert_eq!(store.payload(&"0000".into()).unwrap(), None);
    // The first run goes, the second still needs what both had.
    store.commit(&commit([one.end(Time(1))])).unwrap();
    let removal = Removal { runs: ["one".into()].into(), ..Removal::default() };
    assert_eq!(store.remove(&removal).unwrap().payloads, 0);
    assert!(store.payload(&payload.digest).unwrap().is_some());
}

fn snapshots<S: Site>(site: &S) {
    let mut store = site.driver();
    let mut writer = Writer::new("r");
    let mut snapshot = |content: &[u8]| {
        let mut change = writer.more(1);
        change.snapshot = Some(Snapshot { seq: change.record.seq, hash: change.record.hash, content: content.to_vec() });
        store.commit(&commit([change.clone()])).unwrap();
        (store.snapshot(&"r".into()).unwrap(), change.snapshot)
    };
    for content in [b"one".as_slice(), &[b'x'; 100_000], b""] {
        let (found, expected) = snapshot(content);
        assert_eq!(found, expected);
    }
    store.commit(&commit([writer.more(1)])).unwrap();
    assert_eq!(store.snapshot(&"r".into()).unwrap().unwrap().seq, 3);
}

fn lists<S: Site>(site: &S) {
    let mut store = site.driver();
    let mut writers: Vec<Writer> = ["a", "d", "b", "c"].map(Writer::new).into();
    writers[1].record.workflow = "other".into();
    writers[3].record.parent = Some("a".into());
    for writer in &mut writers {
        store.commit(&commit([writer.more(1)])).unwrap();
    }
    store.commit(&commit([writers[2].end(Time(5))])).unwrap();
    let list = |filter| ids(&store, &filter);
    assert_eq!(list(Filter::default()), ["c", "b", "d", "a"]);
    assert_eq!(list(Filter::open()), ["c", "d", "a"]);
    assert_eq!(list(Filter { parent: Some("a".into()), ..Filter::default() }), ["c"]);
    assert_eq!(list(Filter { workflow: Some("other".into()), ..Filter::default() }), ["d"]);
    assert_eq!(list(Filter { limit: Some(2), ..Filter::default() }), ["c", "b"]);
    assert_eq!(list(Filter { before: Some("b".into()), limit: Some(1), ..Filter::default() }), ["d"]);
    let ended = store.run(&"b".into()).unwrap().unwrap();
    assert_eq!((ended.ended_at, ended.driver, ended.status.as_str()), (Some(Time(5)), None, "completed"));
}

fn forks<S: Site>(site: &S) {
    let mut store = site.driver();
    let mut origin = Writer::new("origin");
    store.commit(&commit([origin.more(5)])).unwrap();
    let link = |store: &S::Store, run: &str, seq: u64| store.rows(&run.into(), seq - 1, 1).unwrap()[0].hash;
    let mut fork = origin.fork("fork", 3, link(&store, "origin", 3));
    store.commit(&commit([fork.change(&[event(4, 20), event(5, 20)])])).unwrap();
    let mut deep = fork.fork("deep", 4, link(&store, "fork", 4));
    store.commit(&commit([deep.change(&[event(5, 30)])])).unwrap();
    let mut early = fork.fork("early", 2, link(&store, "fork", 2));
    store.commit(&commit([early.change(&[event(3, 40)])])).unwrap();
    store.commit(&commit([origin.more(2)])).unwrap();
    let lengths = |run: &str, after: u64| -> Vec<usize> {
        let length = |event: motet_core::Event| match event.fact {
            motet_core::Fact::Paused { reason, .. } => reason.len() - 2,
            _ => 0,
        };
        events(&store, &run.into(), after).unwrap().into_iter().map(length).collect()
    };
    assert_eq!(lengths("origin", 0), [10; 7]);
    assert_eq!(lengths("fork", 0), [10, 10, 10, 20, 20]);
    assert_eq!(lengths("deep", 0), [10, 10, 10, 20, 30]);
    assert_eq!(lengths("deep", 3), [20, 30]);
    assert_eq!(lengths("deep", 4), [30]);
    assert_eq!(lengths("early", 0), [10, 10, 40]);
    for run in ["origin", "fork", "deep", "early"] {
        assert!(verify(&store, &run.into()).unwrap().is_ok(), "{run}");
    }
    assert_eq!(store.run(&"deep".into()).unwrap().unwrap().fork, Some(("fork".into(), 4)));
}

fn removal<S: Site>(site: &S) {
    let mut store = site.driver();
    let (mut gone, mut kept) = (Writer::new("gone"), Writer::new("kept"));
    let change = gone.change(&[large_event(1)]);
    let digest = change.payloads[1].digest.clone();
    store.commit(&commit([change, kept.more(3)])).unwrap();
    store.commit(&commit([gone.end(Time(1))])).unwrap();
    let mut removal = Removal { runs: ["gone".into()].into(), dry_run: true, compact: true };
    let would = store.remove(&removal).unwrap();
    assert!(store.run(&"gone".into()).unwrap().is_some(), "a dry run removes nothing");
    removal.dry_run = false;
    assert_eq!(store.remove(&removal).unwrap(), would);
    assert_eq!((would.runs, would.events, would.payloads), (vec!["gone".into()], 2, 1));
    assert_eq!(store.run(&"gone".into()).unwrap(), None);
    assert_eq!(store.payload(&digest).unwrap(), None);
    assert_eq!(verify(&store, &"kept".into()).unwrap().unwrap().events, 3);
    // The id is free again, and nothing of the old run shows through.
    store.commit(&commit([Writer::new("gone").more(1)])).unwrap();
    assert_eq!(verify(&store, &"gone".into()).unwrap().unwrap().events, 1);
}

fn refused_removal<S: Site>(site: &S) {
    let mut store = site.driver();
    let (mut origin, mut open) = (Writer::new("origin"), Writer::new("open"));
    store.commit(&commit([origin.more(2), open.more(1)])).unwrap();
    store.commit(&commit([origin.end(Time(1))])).unwrap();
    let link = store.rows(&"origin".into(), 1, 1).unwrap()[0].hash;
    let mut fork = origin.fork("fork", 2, link);
    store.commit(&commit([fork.more(1)])).unwrap();
    let mut refuse = |runs: &[&str], expected: &str| {
        let removal = Removal { runs: runs.iter().map(RunId::new).collect(), ..Removal::default() };
        let error = store.remove(&removal).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refuse(&["open"], "has not ended");
    refuse(&["origin"], "run fork was forked from it");
    refuse(&["nowhere"], "no run nowhere");
    store.commit(&commit([fork.end(Time(1))])).unwrap();
    let removal = Removal { runs: ["origin".into(), "fork".into()].into(), ..Removal::default() };
    assert_eq!(store.remove(&removal).unwrap().runs.len(), 2);
    assert_eq!(ids(&store, &Filter::default()), ["open"]);
}

fn retention<S: Site>(site: &S) {
    let mut store = site.driver();
    for (run, ended) in [("a", Some(10)), ("b", Some(20)), ("c", Some(30)), ("d", None)] {
        let mut writer = Writer::new(run);
        store.commit(&commit([writer.more(1)])).unwrap();
        if let Some(ended) = ended {
            store.commit(&commit([writer.end(Time(ended))])).unwrap();
        }
    }
    let mut child = Writer::new("child-of-c");
    child.record.parent = Some("c".into());
    store.commit(&commit([child.more(1)])).unwrap();
    store.commit(&commit([child.end(Time(29))])).unwrap();
    let mut would = |older_than_ms, keep_newest| -> Vec<String> {
        let policy = Policy { older_than_ms, keep_newest, dry_run: true, compact: false };
        collect(&mut store, &policy, Time(40)).unwrap().runs.iter().map(RunId::to_string).collect()
    };
    assert_eq!(would(Some(15), 0), ["a", "b"]);
    assert_eq!(would(Some(10), 0), ["a", "b"], "a child stays with its parent");
    assert_eq!(would(Some(5), 0), ["a", "b", "c", "child-of-c"]);
    assert_eq!(would(Some(5), 1), ["a", "b"], "the newest stays, and its child");
    assert_eq!(would(None, 9), [""; 0]);
}

fn missing<S: Site>(site: &S) {
    let mut store = site.driver();
    let run = RunId::new("nowhere");
    assert_eq!(store.run(&run).unwrap(), None);
    let not_found = Error::NotFound(run.clone());
    assert_eq!(store.rows(&run, 0, 1), Err(not_found.clone()));
    assert_eq!(store.snapshot(&run), Err(not_found.clone()));
    assert_eq!(verify(&store, &run), Err(not_found.clone()));
    assert_eq!(store.claim(&motet_host::store::Claim::Run(run), Time(0)), Err(not_found));
}
