//! The simulator is repeatable, and enough goes wrong in it.

use super::*;

/// Lives through many seeds and answers what happened in all of them.
fn check(seeds: std::ops::Range<u64>) -> Stats {
    let shelf = Shelf::new();
    let mut total = Stats::default();
    for seed in seeds {
        match simulate(&shelf, seed) {
            Ok(stats) => total += stats,
            Err(problem) => panic!("{problem}"),
        }
    }
    total
}

#[test]
fn a_hundred_seeds_hold_and_much_goes_wrong_in_them() {
    let total = check(0..100);
    // A simulation in which nothing goes wrong proves nothing.
    let Stats { crashes, failed_commits, lost_acknowledgements, repeated_completions, takeovers, clock_jumps, .. } = total;
    let counts = [crashes, failed_commits, lost_acknowledgements, repeated_completions, takeovers, clock_jumps];
    assert!(counts.iter().all(|count| *count >= 10), "{total:?}");
}

#[test]
fn the_same_seed_is_the_same_life() {
    let shelf = Shelf::new();
    assert_eq!(simulate(&shelf, 7), simulate(&shelf, 7));
}

#[test]
#[ignore = "a long walk, for whoever changes the engine"]
fn two_thousand_seeds_hold() {
    check(0..2000);
}
