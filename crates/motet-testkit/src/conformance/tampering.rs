//! Checks that a journal which was changed behind the store's back is found out, exactly.

use motet_core::names::RunId;
use motet_host::Store;
use motet_host::journal::{Broken, events, verify};

use super::samples::{Writer, commit, large_event, pinned};
use super::{Check, Site, Tampering};

pub fn checks<S: Site>() -> Vec<Check<S>> {
    vec![
        ("a changed event is found", changed),
        ("a removed event is found, in the middle and at the end", removed),
        ("events in the wrong order are found", reordered),
        ("a missing or changed payload is found", payload),
        ("an event of an unknown kind stops the reading, with its place", unknown),
        ("the texts of the workflow are looked for", workflow),
    ]
}

/// Damages a journal of six events, of which the fifth has a payload, and says what `verify` finds.
fn found<S: Site>(site: &S, tampering: impl FnOnce(&Writer) -> Tampering) -> Broken {
    let mut store = site.driver();
    let name = format!("r{}", store.runs(&Default::default()).unwrap().len());
    let mut writer = Writer::new(&name);
    store.commit(&commit([writer.more(4)])).unwrap();
    store.commit(&commit([writer.change(&[large_event(5)])])).unwrap();
    store.commit(&commit([writer.more(1)])).unwrap();
    assert!(verify(&store, &writer.record.id).unwrap().is_ok());
    site.tamper(&writer.record.id, tampering(&writer));
    verify(&store, &writer.record.id).unwrap().unwrap_err()
}

fn body(site: &impl Site, run: &RunId, seq: u64) -> Vec<u8> {
    site.reader().rows(run, seq - 1, 1).unwrap()[0].body.clone()
}

fn changed<S: Site>(site: &S) {
    for bit in [0, 60, 500] {
        let found = found(site, |writer| {
            let mut body = body(site, &writer.record.id, 3);
            let position = (bit / 8).min(body.len() - 1);
            body[position] ^= 1 << (bit % 8);
            Tampering::Body { seq: 3, body }
        });
        assert!(matches!(found, Broken::Changed { seq: 3 } | Broken::Reordered { seq: 3, .. }), "{found:?}");
    }
}

fn removed<S: Site>(site: &S) {
    assert_eq!(found(site, |_| Tampering::RemoveEvent { seq: 3 }), Broken::Removed { seq: 3, next: Some(4) });
    assert_eq!(found(site, |_| Tampering::RemoveEvent { seq: 1 }), Broken::Removed { seq: 1, next: Some(2) });
    assert_eq!(found(site, |_| Tampering::RemoveEvent { seq: 6 }), Broken::Removed { seq: 6, next: None });
}

fn reordered<S: Site>(site: &S) {
    assert_eq!(found(site, |_| Tampering::SwapEvents { seq: 2, with: 4 }), Broken::Reordered { seq: 2, says: 4 });
}

fn payload<S: Site>(site: &S) {
    let digest = || motet_host::journal::encode(&large_event(5)).payloads.remove(0).digest;
    let content = b"\"something else\"".to_vec();
    let changed = found(site, |_| Tampering::PayloadContent { digest: digest(), content });
    assert_eq!(changed, Broken::PayloadChanged { seq: 5, digest: digest() });
    let missing = {
        site.tamper(&"r0".into(), Tampering::RemovePayload { digest: digest() });
        found(site, |_| Tampering::RemovePayload { digest: digest() })
    };
    assert_eq!(missing, Broken::PayloadMissing { seq: 5, digest: digest() });
}

fn unknown<S: Site>(site: &S) {
    let mut store = site.driver();
    let mut writer = Writer::new("r");
    store.commit(&commit([writer.more(3)])).unwrap();
    let body = br#"{"seq":2,"at":0,"fact":{"task_teleported":{}}}"#.to_vec();
    site.tamper(&"r".into(), Tampering::Body { seq: 2, body });
    let error = events(&store, &"r".into(), 0).unwrap_err().to_string();
    assert!(error.contains("event 2 of run r") && error.contains("task_teleported"), "{error}");
}

fn workflow<S: Site>(site: &S) {
    let found = found(site, |_| Tampering::RemovePayload { digest: pinned().digest });
    assert_eq!(found, Broken::WorkflowMissing { digest: pinned().digest });
}
