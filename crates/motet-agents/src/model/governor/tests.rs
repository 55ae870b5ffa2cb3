//! Who may call when, with a clock that stands still until it is moved.

use rig_core::http_client::HeaderValue;

use super::*;

fn governor(concurrency: usize) -> Arc<Governor> {
    let governor = Governor::new(Duration::from_millis(500));
    governor.allow(Some(concurrency), None);
    Arc::new(governor)
}

fn begin(governor: &Arc<Governor>) -> Result<Turn, Wait> {
    governor.try_begin(Instant::now())
}

/// How many calls may begin right now.
fn check_begins(governor: &Arc<Governor>, expected: usize) -> Vec<Turn> {
    let turns: Vec<Turn> = std::iter::from_fn(|| begin(governor).ok()).take(1000).collect();
    assert_eq!(turns.len(), expected);
    turns
}

fn headers(remaining: &'static str, reset: &'static str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("x-ratelimit-remaining-requests", HeaderValue::from_static(remaining));
    headers.insert("x-ratelimit-reset-requests", HeaderValue::from_static(reset));
    headers
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_begin_than_are_allowed_and_a_place_is_given_back() {
    let governor = governor(3);
    let mut turns = check_begins(&governor, 3);
    assert_eq!(begin(&governor).unwrap_err(), Wait::ForOthers);
    turns.pop();
    let again = check_begins(&governor, 1);
    assert_eq!(governor.under_way(), 3);
    drop((turns, again));
    assert_eq!(governor.under_way(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_halves_the_limit_and_closes_for_as_long_as_the_server_says() {
    let governor = governor(8);
    let turns = check_begins(&governor, 8);
    let until = governor.refused(&turns[0], Some(Duration::from_secs(7)));
    assert_eq!((governor.limit(), until), (4, Instant::now() + Duration::from_secs(7)));
    drop(turns);
    assert_eq!(begin(&governor).unwrap_err(), Wait::Until(until));
    tokio::time::advance(Duration::from_secs(7)).await;
    check_begins(&governor, 4);
}

#[tokio::test(start_paused = true)]
async fn calls_that_are_refused_together_are_one_refusal() {
    let governor = governor(64);
    let turns = check_begins(&governor, 64);
    tokio::time::advance(Duration::from_millis(1)).await;
    for turn in &turns {
        governor.refused(turn, None);
    }
    assert_eq!(governor.limit(), 32);
}

/// The pauses after three refusals in a row that ask for so long a wait, and after another that follows a success.
async fn check_pauses(retry_after_ms: Option<u64>, expected: [u128; 4]) {
    let governor = governor(8);
    let mut pauses = Vec::new();
    for number in 0..4 {
        if number == 3 {
            governor.succeeded();
        }
        let turn = governor.turn(|_| {}).await;
        pauses.push((governor.refused(&turn, retry_after_ms.map(Duration::from_millis)) - Instant::now()).as_millis());
        tokio::time::advance(Duration::from_secs(60)).await;
    }
    assert_eq!(pauses, expected, "{retry_after_ms:?}");
}

#[tokio::test(start_paused = true)]
async fn the_pause_doubles_until_a_call_succeeds_and_is_never_shorter_than_the_server_says() {
    check_pauses(None, [500, 1000, 2000, 500]).await;
    check_pauses(Some(0), [500, 1000, 2000, 500]).await;
    check_pauses(Some(50), [50, 1000, 2000, 50]).await;
    check_pauses(Some(1500), [1500, 1500, 2000, 1500]).await;
}

#[tokio::test(start_paused = true)]
async fn the_limit_creeps_up_again_and_never_above_what_is_allowed() {
    let governor = governor(4);
    let turn = begin(&governor).unwrap();
    governor.refused(&turn, None);
    assert_eq!(governor.limit(), 2);
    (0..3).for_each(|_| governor.succeeded());
    assert_eq!(governor.limit(), 3);
    (0..100).for_each(|_| governor.succeeded());
    assert_eq!(governor.limit(), 4);
}

#[tokio::test(start_paused = true)]
async fn what_the_server_says_is_left_is_not_exceeded() {
    let governor = governor(64);
    governor.hear(&headers("2", "6s"));
    drop(check_begins(&governor, 2));
    assert!(matches!(begin(&governor), Err(Wait::Until(_))));
    tokio::time::advance(Duration::from_secs(6)).await;
    drop(check_begins(&governor, 64));
    governor.hear(&headers("0", "1s"));
    check_begins(&governor, 0);
}

#[tokio::test(start_paused = true)]
async fn calls_begin_no_faster_than_the_configuration_allows() {
    let governor = governor(64);
    governor.allow(None, Some(60));
    let first = check_begins(&governor, 1);
    tokio::time::advance(Duration::from_millis(999)).await;
    check_begins(&governor, 0);
    tokio::time::advance(Duration::from_millis(1)).await;
    check_begins(&governor, 1);
    drop(first);
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_is_told_why_and_gets_a_turn_in_the_end() {
    let governor = governor(1);
    let turn = begin(&governor).unwrap();
    let until = governor.refused(&turn, Some(Duration::from_secs(3)));
    let waiting = governor.clone();
    let waiter = tokio::spawn(async move {
        let mut told = Vec::new();
        let turn = waiting.turn(|wait| told.push(wait)).await;
        (told, Instant::now(), turn)
    });
    tokio::time::sleep(Duration::from_secs(5)).await;
    drop(turn);
    let (told, began, _turn) = waiter.await.unwrap();
    assert_eq!(told, [Wait::Until(until), Wait::ForOthers]);
    assert!(began >= until + Duration::from_secs(2));
}

#[test]
fn the_same_server_and_key_have_the_same_governor() {
    let provider = |address: &str| Provider::at(super::super::ProviderKind::Ollama, address).unwrap();
    let one = Governor::of(&provider("http://governor.test:1"));
    assert!(Arc::ptr_eq(&one, &Governor::of(&provider("http://governor.test:1/"))));
    assert!(!Arc::ptr_eq(&one, &Governor::of(&provider("http://governor.test:2"))));
    let keyed = provider("http://governor.test:1").with_key(crate::Secret::new("k"), "KEY");
    assert!(!Arc::ptr_eq(&one, &Governor::of(&keyed)));
    assert_eq!(Governor::of(&Provider { concurrency: Some(3), ..keyed }).limit(), 3);
}
