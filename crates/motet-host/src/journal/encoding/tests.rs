//! Events survive being written, and nothing unknown is read.

use std::cell::RefCell;
use std::collections::BTreeMap;

use motet_core::event::Usage;
use motet_core::units::Time;
use serde_json::json;

use super::*;

/// Encodes an event with this result, decodes it, and answers how many payloads it took.
fn check(result: Value) -> usize {
    let fact = Fact::TaskSucceeded { task: "writing.1".into(), attempt: 1, result, usage: Usage::default(), exchanges: Vec::new() };
    let event = Event { seq: 7, at: Time(5), fact };
    let encoded = encode(&event);
    let kept: BTreeMap<Digest, Vec<u8>> =
        encoded.payloads.iter().map(|payload| (payload.digest.clone(), payload.content.to_vec())).collect();
    let decoded = decode(&"r".into(), 7, &encoded.body, |digest| Ok(kept.get(digest).cloned()));
    assert_eq!(decoded, Ok(event));
    assert!(encoded.body.len() <= LARGE + 512, "{} bytes stay in the row", encoded.body.len());
    encoded.payloads.len()
}

#[test]
fn small_values_stay_in_the_row_and_large_ones_leave_it() {
    assert_eq!(check(json!({ "slogan": "Built to last" })), 0);
    assert_eq!(check(json!("x".repeat(LARGE))), 1);
    assert_eq!(check(json!([0.1, 1e300, -0.0, 0.30000000000000004, u64::MAX, i64::MIN])), 0);
}

#[test]
fn values_that_look_like_ours_come_back_as_they_were() {
    assert_eq!(check(json!({ "$payload": "0000" })), 0);
    assert_eq!(check(json!({ "$literal": { "$payload": "0000" } })), 0);
    assert_eq!(check(json!({ "$payload": "x".repeat(LARGE) })), 1);
    assert_eq!(check(json!({ "deep": { "$payload": "0000" } })), 0);
    assert_eq!(check(json!("a text about $payload and $literal")), 0);
}

#[test]
fn the_same_large_value_has_the_same_name() {
    let event = |seq| {
        let result = json!("y".repeat(LARGE * 2));
        Event {
            seq,
            at: Time(5),
            fact: Fact::TaskSucceeded { task: "t".into(), attempt: 1, result, usage: Usage::default(), exchanges: Vec::new() },
        }
    };
    assert_eq!(encode(&event(1)).payloads, encode(&event(2)).payloads);
}

#[test]
fn what_is_not_known_stops_with_its_place() {
    let check = |seq, body: Value, expected: &str| {
        let error = decode(&"r1".into(), seq, body.to_string().as_bytes(), |_| Ok(None)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("r1") && error.contains(&format!("event {seq}")), "{error}");
    };
    check(1, json!({ "seq": 1, "at": 0, "fact": { "task_vanished": {} } }), "task_vanished");
    check(2, json!({ "seq": 2, "at": 0, "fact": { "timer_fired": { "timer": "t", "colour": 1 } } }), "colour");
    check(3, json!({ "seq": 3, "at": 0, "mood": 1, "fact": { "timer_fired": { "timer": "t" } } }), "mood");
    check(4, json!({ "seq": 5, "at": 0, "fact": { "timer_fired": { "timer": "t" } } }), "says that it is event 5");
    check(5, json!({ "seq": 5, "at": 0, "fact": { "timer_fired": { "timer": { "$payload": "abc" } } } }), "payload abc");
    check(6, json!({ "seq": 6, "at": 0, "fact": { "timer_fired": { "timer": { "$payload": 1 } } } }), "without a digest");
    let started =
        json!({ "version": 2, "run": "r1", "workflow": "w", "workflow_version": "1", "digest": "d", "input": {}, "by": { "name": "a" } });
    check(7, json!({ "seq": 7, "at": 0, "fact": { "run_started": started } }), "version 2");
    check(8, json!("nonsense"), "event 8");
}

#[test]
fn a_payload_under_a_wrong_name_is_refused() {
    let asked = RefCell::new(Vec::new());
    let body = json!({ "seq": 1, "at": 0, "fact": { "timer_fired": { "timer": { "$payload": "abc" } } } }).to_string();
    let decoded = decode(&"r".into(), 1, body.as_bytes(), |digest| {
        asked.borrow_mut().push(digest.clone());
        Ok(Some(b"\"timer\"".to_vec()))
    });
    assert!(decoded.unwrap_err().to_string().contains("not what its name says"));
    assert_eq!(*asked.borrow(), ["abc"]);
}

#[test]
fn depth_is_limited_before_the_reader_would_fail() {
    let nested = |depth: usize| (0..depth).fold(json!(1), |inside, _| json!([inside]));
    assert!(!is_too_deep(&nested(DEEPEST)));
    assert!(is_too_deep(&nested(DEEPEST + 1)));
    check(nested(DEEPEST));
}

#[test]
fn an_edit_from_before_its_difference_was_kept_is_read() {
    let body = r#"{"seq":3,"at":5,"fact":{"data_edited":{"by":{"name":"ada"},"file":"list.md","changes":{"plan":[1]}}}}"#;
    let event = decode(&"r".into(), 3, body.as_bytes(), |_| Ok(None)).expect("it is read");
    assert!(matches!(&event.fact, Fact::DataEdited { diff, .. } if diff.is_empty()));
    assert_eq!(String::from_utf8(encode(&event).body).expect("it is text"), body, "and its link in the chain stays the same");
}
