//! Checks of leases: who may write, who takes over, and who is too late.

use motet_core::names::RunId;
use motet_core::units::Time;
use motet_host::Store;
use motet_host::store::{Change, Claim, Commit, Error, RunRecord};

use super::samples::{Writer, commit};
use super::{Check, Site};

pub fn checks<S: Site>() -> Vec<Check<S>> {
    vec![
        ("a run of a living driver is refused, with who drives it", living),
        ("a run of a dead driver is taken over", dead),
        ("a driver that was taken over is fenced", fenced),
        ("a released run is free at once", released),
        ("claiming everything leaves what others drive and what has ended", all_open),
        ("nobody drives a run that has ended", ended),
        ("nobody drives a run that is written down as broken, and anyone may take it up", broken),
        ("no two processes are given the same number of a day", numbers),
    ]
}

fn claim(store: &mut impl Store, run: &str) -> Result<Vec<RunRecord>, Error> {
    store.claim(&Claim::Run(RunId::new(run)), Time(5))
}

fn started<S: Site>(store: &mut S::Store, run: &str) -> Writer {
    let mut writer = Writer::new(run);
    store.commit(&commit([writer.more(1)])).unwrap();
    writer
}

fn living<S: Site>(site: &S) {
    let (mut one, mut two) = (site.driver(), site.driver());
    let mut writer = started::<S>(&mut one, "r");
    let refused = claim(&mut two, "r");
    assert!(matches!(&refused, Err(Error::Driven { run, pid, .. }) if run == "r" && *pid > 0), "{refused:?}");
    assert_eq!(two.commit(&commit([writer.clone().more(1)])), Err(Error::Fenced));
    claim(&mut one, "r").unwrap();
    one.commit(&commit([writer.more(1)])).unwrap();
    let driver = one.run(&"r".into()).unwrap().unwrap().driver.unwrap();
    assert_eq!(two.driver(&driver).unwrap().unwrap().id, driver);
}

fn dead<S: Site>(site: &S) {
    let (mut one, mut two) = (site.driver(), site.driver());
    let mut writer = started::<S>(&mut one, "r");
    let driver = one.run(&"r".into()).unwrap().unwrap().driver.unwrap();
    drop(one);
    assert_eq!(two.driver(&driver).unwrap(), None);
    let claimed = claim(&mut two, "r").unwrap();
    assert_ne!(claimed[0].driver, Some(driver));
    two.commit(&commit([writer.more(1)])).unwrap();
}

fn fenced<S: Site>(site: &S) {
    let (mut one, mut two) = (site.driver(), site.driver());
    let mut writer = started::<S>(&mut one, "r");
    let mut other = started::<S>(&mut one, "other");
    site.lose_lock(&one);
    claim(&mut two, "r").unwrap();
    assert_eq!(one.commit(&commit([writer.clone().more(1)])), Err(Error::Fenced));
    assert_eq!(one.commit(&commit([other.more(1)])), Err(Error::Fenced), "all of a revoked driver's runs are lost to it");
    assert_eq!(claim(&mut one, "r"), Err(Error::Fenced));
    assert_eq!(one.commit(&commit([Writer::new("new").more(1)])), Err(Error::Fenced));
    two.commit(&commit([writer.more(1)])).unwrap();
}

fn released<S: Site>(site: &S) {
    let (mut one, mut two) = (site.driver(), site.driver());
    let mut writer = started::<S>(&mut one, "r");
    one.release().unwrap();
    assert_eq!(two.run(&"r".into()).unwrap().unwrap().driver, None);
    claim(&mut two, "r").unwrap();
    two.commit(&commit([writer.more(1)])).unwrap();
}

fn all_open<S: Site>(site: &S) {
    let (mut one, mut two) = (site.driver(), site.driver());
    started::<S>(&mut one, "dead-1");
    started::<S>(&mut one, "dead-2");
    let mut over = started::<S>(&mut one, "over");
    one.commit(&commit([over.end(Time(3))])).unwrap();
    started::<S>(&mut two, "alive");
    drop(one);
    let mut three = site.driver();
    let mut claimed: Vec<String> = three.claim(&Claim::AllOpen, Time(5)).unwrap().iter().map(|run| run.id.to_string()).collect();
    claimed.sort();
    assert_eq!(claimed, ["dead-1", "dead-2"]);
    let again = three.claim(&Claim::AllOpen, Time(6)).unwrap();
    assert_eq!(again.len(), 2, "what is ours already is claimed again");
}

fn ended<S: Site>(site: &S) {
    let (mut one, mut two) = (site.driver(), site.driver());
    let mut writer = started::<S>(&mut one, "r");
    one.commit(&commit([writer.end(Time(3))])).unwrap();
    let claimed = claim(&mut two, "r").unwrap();
    assert_eq!((claimed[0].driver.clone(), claimed[0].ended_at), (None, Some(Time(3))));
}

fn broken<S: Site>(site: &S) {
    let (mut one, mut two) = (site.driver(), site.driver());
    let mut writer = started::<S>(&mut one, "r");
    let mut record = one.run(&"r".into()).unwrap().unwrap();
    record.summary.broken = Some("it failed".into());
    let change = Change { after: Some(record.seq), record, rows: Vec::new(), payloads: Vec::new(), snapshot: None };
    one.commit(&Commit { changes: vec![change] }).unwrap();
    assert_eq!(one.run(&"r".into()).unwrap().unwrap().driver, None);
    claim(&mut two, "r").unwrap();
    two.commit(&commit([writer.more(1)])).unwrap();
    assert_eq!(two.run(&"r".into()).unwrap().unwrap().summary.broken, None, "it went on");
}

fn numbers<S: Site>(site: &S) {
    let (mut one, mut two) = (site.driver(), site.driver());
    let mut given: Vec<u32> = Vec::new();
    for _ in 0..3 {
        given.push(one.next_number("tea", 7).unwrap());
        given.push(two.next_number("tea", 7).unwrap());
    }
    assert_eq!(given, [1, 2, 3, 4, 5, 6]);
    assert_eq!((one.next_number("coffee", 7).unwrap(), two.next_number("tea", 8).unwrap()), (1, 1), "by workflow and by day");
}
