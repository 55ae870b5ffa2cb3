//! What the line above a disagreement says: the sentence that is disputed, and none beside it that both sides agree on.

use serde_json::json;

use super::{audited, said};

#[track_caller]
fn check(one: &str, other: &str, expected: &str) {
    let found = audited(&json!([said("F1", one, "S01"), said("F2", other, "S02")]));
    assert_eq!(found["conflicts"][0]["summary"], expected, "{found}");
}

#[test]
fn a_value_is_no_part_of_a_longer_number() {
    check(
        "The Sern museum opened in 1990. It has 9 rooms.",
        "The Sern museum opened in 1990 with a feast. It has 7 rooms.",
        "9 or 7: It has 9 rooms.",
    );
    check(
        "The Sern church has a tower of 45 metres. It has 5 bells.",
        "The Sern church has a tower of 45 metres and a clock. It has 7 bells.",
        "5 or 7: It has 5 bells.",
    );
    check(
        "The Sern church has a tower of 5.5 metres and 1,005 seats. It has 5 bells.",
        "The Sern church has a tower of 5.5 metres and a clock. It has 7 bells.",
        "5 or 7: It has 5 bells.",
    );
}

#[test]
fn what_is_said_and_denied_is_what_the_other_side_opposes() {
    check(
        "The Sern vaccine was tested in Veldt. It is safe for children.",
        "The Sern vaccine was tested in Veldt and Dorna. It is not safe for children.",
        "Said and denied: It is safe for children.",
    );
}

#[test]
fn where_no_sentence_alone_says_it_the_whole_side_is_told() {
    let both = "The Sern museum has 9 rooms. It has 9 rooms and a yard.";
    check(both, "The Sern museum has 7 rooms. It has 7 rooms and a well.", &format!("9 or 7: {both}"));
}

#[test]
fn of_what_a_year_explains_no_two_contradict_each_other() {
    let found = audited(&json!([
        said("F1", "Orrin had 48,200 inhabitants in 2010.", "S01"),
        said("F2", "Orrin had 52,900 inhabitants in 2020.", "S02"),
        said("F3", "Orrin had 61,000 inhabitants in 2020.", "S03"),
    ]));
    let conflicts = found["conflicts"].as_array().expect("a list");
    let of =
        |facts: [&str; 2]| conflicts.iter().filter(|conflict| facts.iter().all(|id| conflict["facts"].to_string().contains(id))).count();
    assert_eq!((of(["F2", "F3"]), of(["F1", "F2"]), of(["F1", "F3"])), (1, 1, 1), "{found}");
}
