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

fn refuse(governor: &Arc<Governor>, turn: &Turn, retry_after: Option<Duration>) -> Instant {
    governor.refused(turn, &Limited { retry_after, said: "no".into() })
}

/// How many calls may begin right now.
fn check_begins(governor: &Arc<Governor>, expected: usize) -> Vec<Turn> {
    let turns: Vec<Turn> = std::iter::from_fn(|| begin(governor).ok()).take(1000).collect();
    assert_eq!(turns.len(), expected);
    turns
}

fn check_begins_few(governor: &Arc<Governor>, number: usize) -> Vec<Turn> {
    (0..number).map(|_| begin(governor).unwrap()).collect()
}

fn headers(remaining: &str, reset: &'static str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("x-ratelimit-remaining-requests", HeaderValue::from_str(remaining).unwrap());
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
    let until = refuse(&governor, &turns[0], Some(Duration::from_secs(7)));
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
        refuse(&governor, turn, None);
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
        pauses.push((refuse(&governor, &turn, retry_after_ms.map(Duration::from_millis)) - Instant::now()).as_millis());
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
    refuse(&governor, &turn, None);
    assert_eq!(governor.limit(), 2);
    (0..3).for_each(|_| governor.succeeded());
    assert_eq!(governor.limit(), 3);
    (0..100).for_each(|_| governor.succeeded());
    assert_eq!(governor.limit(), 4);
}

#[tokio::test(start_paused = true)]
async fn what_the_server_says_is_left_is_not_exceeded() {
    let governor = governor(64);
    governor.asking().hear(&headers("2", "6s"));
    drop(check_begins(&governor, 2));
    assert!(matches!(begin(&governor), Err(Wait::Until(_))));
    tokio::time::advance(Duration::from_secs(6)).await;
    drop(check_begins(&governor, 64));
    governor.asking().hear(&headers("0", "1s"));
    check_begins(&governor, 0);
}

/// Sixty-four requests at once, whose responses are heard in this order of when the server counted them: how many more may begin, of a
/// hundred.
fn check_left(heard: impl Iterator<Item = usize>, expected: usize) {
    let governor = governor(200);
    let turns = check_begins_few(&governor, 64);
    let mut asking: Vec<Option<Asking>> = (0..64).map(|_| Some(governor.asking())).collect();
    for number in heard {
        asking[number].take().unwrap().hear(&headers(&(99 - number).to_string(), "40s"));
    }
    drop((asking, check_begins(&governor, expected), turns));
}

#[tokio::test(start_paused = true)]
async fn of_what_is_left_only_calls_are_taken_off_that_the_server_may_not_have_counted() {
    check_left(0..64, 36);
    check_left((0..64).rev(), 36);
    check_left((0..64).map(|number| (number * 37 + 11) % 64), 36);
    check_left(0..1, 36);
    check_left(63..64, 0);
    check_left((1..64).rev(), 35);
}

#[tokio::test(start_paused = true)]
async fn what_was_asked_after_an_answer_is_the_newer_word_and_a_request_that_broke_off_takes_nothing() {
    let governor = governor(64);
    governor.asking().hear(&headers("2", "6s"));
    let (stale, broken) = (governor.asking(), governor.asking());
    governor.asking().hear(&headers("30", "6s"));
    drop(broken);
    stale.hear(&headers("40", "6s"));
    drop(check_begins(&governor, 30));
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
    let until = refuse(&governor, &turn, Some(Duration::from_secs(3)));
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

/// A server that takes five calls in each second and never says when to come again: since when it counts, how many it took, and how
/// many it refused.
type Server = Arc<Mutex<(Instant, usize, usize)>>;

fn server() -> Server {
    Arc::new(Mutex::new((Instant::now(), 0, 0)))
}

/// One call, until it is taken and answered. An answer takes so long.
async fn call(governor: Arc<Governor>, server: Server, answer: Duration) {
    loop {
        let turn = governor.turn(|_| {}).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        let is_taken = {
            let (began, taken, refused) = &mut *server.lock().unwrap();
            if began.elapsed() >= Duration::from_secs(1) {
                (*began, *taken) = (Instant::now(), 0);
            }
            *taken += 1;
            *refused += usize::from(*taken > 5);
            *taken <= 5
        };
        if is_taken {
            governor.took();
            tokio::time::sleep(answer).await;
            return governor.succeeded();
        }
        refuse(&governor, &turn, None);
    }
}

async fn all_at_once(calls: usize, governor: &Arc<Governor>, server: &Server, answer: Duration) {
    let callers: Vec<_> = (0..calls).map(|_| tokio::spawn(call(governor.clone(), server.clone(), answer))).collect();
    for caller in callers {
        caller.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn the_pace_of_a_server_that_says_nothing_of_it_is_learned() {
    // Without learning, each of the forty seconds begins with more calls than are taken: some seven hundred refusals.
    for answer in [Duration::from_millis(30), Duration::from_secs(9)] {
        let (governor, server) = (governor(64), server());
        all_at_once(200, &governor, &server, answer).await;
        let refused = server.lock().unwrap().2;
        assert!((60..150).contains(&refused), "{refused} refusals with answers that take {answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_pace_that_was_learned_is_forgotten_once_the_server_takes_more() {
    let governor = governor(64);
    let turn = begin(&governor).unwrap();
    (0..2).for_each(|_| governor.took());
    tokio::time::advance(Duration::from_secs(1)).await;
    let until = refuse(&governor, &turn, None);
    drop(turn);
    tokio::time::advance(until - Instant::now()).await;
    drop(check_begins(&governor, 1));
    assert!(matches!(begin(&governor), Err(Wait::Paced(spacing, _)) if spacing == Duration::from_millis(550)));
    for _ in 0..200 {
        tokio::time::advance(Duration::from_millis(550)).await;
        drop(begin(&governor));
        governor.took();
    }
    tokio::time::advance(Duration::from_millis(550)).await;
    drop(check_begins(&governor, 32));
}

#[tokio::test(start_paused = true)]
async fn calls_that_come_seldom_teach_nothing_about_the_pace() {
    let governor = governor(64);
    for _ in 0..5 {
        drop(begin(&governor));
        governor.took();
        tokio::time::advance(Duration::from_secs(30)).await;
    }
    let turn = begin(&governor).unwrap();
    let until = refuse(&governor, &turn, None);
    drop(turn);
    tokio::time::advance(until - Instant::now()).await;
    check_begins(&governor, 32);
}

#[tokio::test(start_paused = true)]
async fn calls_one_after_the_other_teach_nothing_about_how_many_are_taken_at_once() {
    let answer = Duration::from_secs(6);
    let mut lasted = Vec::new();
    for before in [0, 4] {
        let (governor, server) = (governor(64), server());
        for _ in 0..before {
            call(governor.clone(), server.clone(), answer).await;
        }
        let began = Instant::now();
        all_at_once(30, &governor, &server, answer).await;
        lasted.push(began.elapsed());
    }
    assert!(lasted[1] < lasted[0] + Duration::from_secs(6), "{lasted:?}");
}
