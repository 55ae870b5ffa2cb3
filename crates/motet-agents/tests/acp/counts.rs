//! What an agent over the protocol says that it took, turn after turn, and what is booked of it.
//! Whether it counts for the conversation, for a process or for a turn, nobody says; only a count that is lower gives it away.

use motet_core::units::Usd;

use super::{Place, again};
use crate::prompted;

/// What is booked of each turn when the agent tells these counts, as `tokens:dollars`.
async fn check(name: &str, told: &str, expected: &[(u64, u64)]) {
    let place = Place::new(&format!("counts-{name}"));
    let mut request = prompted(&format!("count {told}"));
    for (turn, (tokens_in, cents)) in expected.iter().enumerate() {
        let usage = place.perform(request.clone()).await.usage();
        assert_eq!((usage.tokens_in, usage.cost), (*tokens_in, Usd(cents * 10_000)), "turn {turn} of {told}");
        request = again(request);
    }
}

#[tokio::test]
async fn what_is_counted_for_the_whole_conversation_is_booked_once() {
    check("whole", "110000:0.50 220000:0.90 220000:0.90", &[(110_000, 50), (110_000, 40), (0, 0)]).await;
}

#[tokio::test]
async fn what_is_counted_for_each_process_is_booked_whole() {
    check("process", "110000:0.50 90000:0.40 95000:0.60", &[(110_000, 50), (90_000, 40), (95_000, 60)]).await;
}

#[tokio::test]
async fn tokens_and_money_may_be_counted_differently() {
    check("mixed", "20000:0.25 15000:0.50 30000:0.75", &[(20_000, 25), (15_000, 25), (30_000, 25)]).await;
}

#[tokio::test]
async fn a_refusal_is_booked_as_little_as_any_other_turn() {
    check("refusal", "100:0.50 300:0.75:refusal", &[(100, 50), (200, 25)]).await;
}
