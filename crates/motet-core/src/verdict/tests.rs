//! Every way in which reviewers have been seen to say yes and no.

use regex::Regex;
use serde_json::json;

use super::*;

fn ship_it() -> Words {
    Words(vec![("approved".into(), vec![Phrase::Text("SHIP IT".into())])])
}

fn gate() -> Words {
    let phrase = |text: &str| vec![Phrase::Text(text.into())];
    Words(vec![("approved".into(), phrase("PASS")), ("needs_revision".into(), phrase("FAIL"))])
}

fn two() -> Vec<String> {
    vec!["approved".into(), "needs_revision".into()]
}

/// `+` approved, `-` needs revision, `?` unclear, `0` silent.
#[track_caller]
fn check(words: &Words, text: &str, expected: char) {
    let found = match read(text, words) {
        Reading::Clear(outcome) if outcome == "approved" => '+',
        Reading::Clear(_) => '-',
        Reading::Unclear(_) => '?',
        Reading::Silent => '0',
    };
    assert_eq!(found, expected, "{text:?} reads {:?}", read(text, words));
}

#[test]
fn a_phrase_counts_only_as_a_sentence() {
    let words = ship_it();
    for text in
        ["SHIP IT!", "This is perfect! SHIP IT!", "Perfect! SHIP IT! Great work.", "SHIP IT", "Ship It!", "ship it", "  ship   it.  "]
    {
        check(&words, text, '+');
    }
    for text in [
        "**SHIP IT!**",
        "_SHIP IT!_",
        "\"SHIP IT!\"",
        "“Ship it!” 🚀",
        "🚢 SHIP IT! 🎉",
        "> SHIP IT!",
        "# SHIP IT",
        "ship\nit",
        "ship-it!",
        "Nice.\n\nSHIP IT!!!",
    ] {
        check(&words, text, '+');
    }
    for text in [
        "This needs work on shipping logistics",
        "This needs work on shipping",
        "relationship items",
        "SHIP ITEMS",
        "SHIP IT'S",
        "SHIPIT",
        "",
    ] {
        check(&words, text, '0');
    }
}

#[test]
fn a_denied_or_conditional_phrase_counts_as_absent() {
    let words = ship_it();
    for text in [
        "Do NOT ship it yet",
        "don't ship it",
        "Don’t ship it!",
        "I wouldn't SHIP IT!",
        "Fix X and then we can ship it",
        "We will ship it once the tests pass",
        "If the tone is fixed, ship it!",
        "Never ship it.",
        "Do not\nSHIP IT!",
        "Say \"SHIP IT!\" when it is ready.",
        "Ship it after a rewrite.",
    ] {
        check(&words, text, '0');
    }
}

#[test]
fn a_phrase_inside_a_sentence_is_unclear() {
    let words = ship_it();
    for text in
        ["I think we can ship it", "Let's ship it today!", "SHIP IT?", "The signal is: SHIP IT", "SHIP IT! But don't ship it on a Friday."]
    {
        check(&words, text, '?');
    }
}

#[test]
fn a_label_may_stand_before_the_phrase() {
    let words = gate();
    check(&words, "PHASE GATE STATUS: PASS", '+');
    check(&words, "**Verdict:** FAIL\n\nTests are missing.", '-');
    check(&words, "All is well.\nFinal verdict — PASS", '+');
    check(&words, "Status: not a PASS", '0');
    check(&words, "Status: PASS or FAIL", '?');
    check(&words, "Verdict: PASS\nVerdict: FAIL", '?');
    check(&words, "PASS. The cases that FAIL upstream are known.", '+');
    check(&words, "The tests pass.", '?');
}

#[test]
fn patterns_count_anywhere_and_longer_phrases_win() {
    let pattern = Words(vec![("approved".into(), vec![Phrase::Pattern(Regex::new("(?i)score: (9|10)/10").expect("valid"))])]);
    check(&pattern, "I give it this score: 9/10, well done", '+');
    check(&pattern, "score: 8/10", '0');
    let text = |text: &str| vec![Phrase::Text(text.into())];
    let words = Words(vec![("approved".into(), text("APPROVED")), ("rejected".into(), text("NOT APPROVED")), ("tick".into(), text("✅"))]);
    check(&words, "NOT APPROVED.", '-');
    check(&words, "APPROVED.", '+');
    let words_of_one = Words(vec![("approved".into(), vec![Phrase::Text("PASS".into()), Phrase::Text("PASS, no findings".into())])]);
    check(&words_of_one, "PASS, no findings.", '+');
    check(&words, "✅", '-');
    check(&words, "Tests ✅ and docs", '?');
}

#[test]
fn without_words_the_common_ones_hold() {
    let words = Words::default();
    check(&words, "Verdict: NEEDS_WORK", '-');
    check(&words, "LGTM!", '+');
    check(&words, "Approved.", '+');
    check(&words, "It was approved by everyone.", '?');
    check(&words, "Nice.", '0');
}

#[track_caller]
fn outcome(answer: Value, words: &Words, expected: Result<&str, &str>) {
    let found = normalise(&answer, words, &two()).map(|verdict| verdict["outcome"].as_str().unwrap_or_default().to_owned());
    assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned), "{answer}");
}

#[test]
fn structure_comes_before_words() {
    let words = ship_it();
    outcome(json!({ "verdict": "approve" }), &words, Ok("approved"));
    outcome(json!({ "Outcome": "NEEDS_WORK" }), &words, Ok("needs_revision"));
    outcome(json!({ "verdict": "Ship it!" }), &words, Ok("approved"));
    outcome(json!({ "verdict": "FAIL" }), &gate(), Ok("needs_revision"));
    outcome(json!({ "verdict": false }), &words, Ok("needs_revision"));
    outcome(json!("Thoughts.\n```json\n{ \"verdict\": \"revise\", \"feedback\": \"SHIP IT\" }\n```"), &words, Ok("needs_revision"));
    outcome(
        json!("{\"verdict\":\"approve\"} {\"verdict\":\"revise\"}"),
        &words,
        Err("the answer states both `approved` and `needs_revision`"),
    );
    outcome(json!({ "verdict": "maybe" }), &words, Err("`maybe` is not an outcome; it must be one of approved, needs_revision"));
    outcome(json!({ "verdict": "reject" }), &words, Err("`reject` is not an outcome; it must be one of approved, needs_revision"));
    outcome(json!({ "score": 3 }), &words, Err("the answer has no `outcome`; it must be one of approved, needs_revision"));
    outcome(json!("The {braces} mean nothing. SHIP IT!"), &words, Ok("approved"));
    let no_score = |score: Value, shown: &str| {
        let reason = format!("`score` is {shown}; it must be a number from 0 to 1");
        outcome(json!({ "outcome": "approved", "score": score }), &words, Err(&reason));
    };
    no_score(json!(10), "10");
    no_score(json!(-0.1), "-0.1");
    no_score(json!("9/10"), "\"9/10\"");
    no_score(json!(true), "true");
    outcome(json!({ "outcome": "approved", "score": null }), &words, Ok("approved"));
}

#[test]
fn silence_means_the_outcome_without_words_if_there_is_one() {
    outcome(json!("Make it shorter."), &ship_it(), Ok("needs_revision"));
    outcome(json!("Do NOT ship it yet"), &ship_it(), Ok("needs_revision"));
    outcome(
        json!("I think we can ship it"),
        &ship_it(),
        Err("the answer says “SHIP IT” only inside a longer sentence, so `approved` is not sure"),
    );
    outcome(json!("Hm."), &gate(), Err("the answer states none of approved, needs_revision"));
    outcome(json!("Hm."), &Words::default(), Err("the answer states none of approved, needs_revision"));
    outcome(json!("  "), &ship_it(), Err("the answer is empty; it must say one of approved, needs_revision"));
    outcome(json!(null), &ship_it(), Err("the answer is empty; it must say one of approved, needs_revision"));
}

#[test]
fn a_verdict_has_one_shape() {
    let verdict = normalise(&json!("Perfect! SHIP IT! Great work."), &ship_it(), &two()).expect("clear");
    let raw = "Perfect! SHIP IT! Great work.";
    assert_eq!(
        verdict,
        json!({ "outcome": "approved", "score": null, "feedback": "Perfect! Great work.", "findings": [], "evidence": [], "raw": raw })
    );
    let answer = json!({ "verdict": "revise", "score": "0.75", "feedback": "shorter", "findings": [{ "task": "t1" }], "evidence": "log", "gap": "design" });
    let verdict = normalise(&answer, &ship_it(), &two()).expect("clear");
    let expected = json!({ "outcome": "needs_revision", "score": 0.75, "feedback": "shorter", "findings": [{ "task": "t1" }], "evidence": ["log"], "raw": answer });
    assert_eq!(verdict, expected);
    let text = "Too long.\n```json\n{\"verdict\": \"revise\", \"score\": 0.4}\n```";
    let verdict = normalise(&json!(text), &ship_it(), &two()).expect("clear");
    assert_eq!((&verdict["feedback"], &verdict["score"], &verdict["raw"]), (&json!("Too long."), &json!(0.4), &json!(text)));
}

#[test]
fn hostile_texts_are_read_quickly() {
    let words = ship_it();
    check(&words, &"{".repeat(100_000), '0');
    check(&words, &"ship it not ".repeat(10_000), '0');
    outcome(json!("{\"a\":".repeat(5_000)), &words, Ok("needs_revision"));
}

#[test]
fn a_mention_of_what_silence_means_is_as_clear_as_silence() {
    let outcome = |text: &str| normalise(&json!(text), &ship_it(), &two()).map(|verdict| verdict["outcome"].clone());
    assert_eq!(outcome("Close but still needs work on X"), Ok(json!("needs_revision")));
    assert_eq!(outcome("Do NOT ship it: it needs work."), Ok(json!("needs_revision")));
    assert!(outcome("It needs work, though one could ship it tomorrow somewhere. You ship it as it is.").is_err());
    assert!(outcome("SHIP IT!\nNeeds revision.").is_err());
}

#[test]
fn an_answer_in_the_shape_of_a_verdict_is_one() {
    let outcomes = ["approved".to_string(), "needs_revision".into()];
    let schema = crate::schema::Schema::compile(schema(&outcomes)).expect("it is a schema");
    let answer = serde_json::json!({"outcome": "approved", "score": 0.5, "feedback": "Fine.", "issues": [1]});
    assert!(schema.problems(&answer).is_empty());
    let verdict = normalise(&answer, &Words::default(), &outcomes).expect("it is a verdict");
    assert_eq!((&verdict["outcome"], &verdict["score"], &verdict["findings"]), (&"approved".into(), &0.5.into(), &serde_json::json!([1])));
    assert!(!schema.problems(&serde_json::json!({"outcome": "rejected", "score": 0, "feedback": ""})).is_empty());
}
