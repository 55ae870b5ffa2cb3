//! Expressions that want to crash, hang or fill the memory.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// Runs it on a small stack and a short clock. Gives the value, or the code of the refusal.
#[track_caller]
fn survive(source: String) -> Result<(Value, bool), &'static str> {
    let begun = Instant::now();
    let run = move || {
        let expression = parse(&source).map_err(|diagnostic| diagnostic.code)?;
        let variables = data();
        let scope = Scope::new(&variables);
        let value = expression.evaluate(&scope);
        expression.references();
        Ok((value, scope.is_exhausted()))
    };
    let small = std::thread::Builder::new().stack_size(1 << 20).spawn(run).expect("a thread");
    let result = small.join().expect("it did not panic");
    assert!(begun.elapsed() < Duration::from_secs(10), "took {:?}", begun.elapsed());
    result
}

const EXHAUSTED: Result<(Value, bool), &str> = Ok((Value::Null, true));

#[test]
fn long_and_deep_sources_are_refused_or_survive() {
    assert_eq!(survive(vec!["1"; 20_000].join("+")), Err("M0504"));
    assert_eq!(survive(vec!["1"; 5_000].join("+")), Err("M0504"));
    assert_eq!(survive(vec!["1"; 3_000].join("+")), Ok((json!(3_000), false)));
    assert_eq!(survive(vec!["true"; 2_000].join("&&")), Ok((json!(true), false)));
    assert_eq!(survive(format!("data{}", ".a".repeat(3_000))), Ok((Value::Null, false)));
    assert_eq!(survive(format!("''{}", ".trim()".repeat(2_000))), Ok((json!(""), false)));
    assert_eq!(survive(format!("{}1{}", "(".repeat(7_000), ")".repeat(7_000))), Err("M0504"));
    assert_eq!(survive(format!("{}1{}", "(".repeat(60), ")".repeat(60))), Ok((json!(1), false)));
    assert_eq!(survive("(".repeat(10_000)), Err("M0504"));
    assert_eq!(survive("[".repeat(10_000)), Err("M0504"));
    assert_eq!(survive("{1:".repeat(5_000)), Err("M0504"));
    assert_eq!(survive("-".repeat(10_000)), Err("M0504"));
    assert_eq!(survive("!".repeat(10_000)), Err("M0504"));
    assert_eq!(survive("a?b:".repeat(4_000)), Err("M0504"));
    assert_eq!(survive("a[".repeat(5_000)), Err("M0504"));
    assert_eq!(survive("size(".repeat(3_000)), Err("M0504"));
    assert_eq!(survive(format!("'{}'", "x".repeat(100_000))), Err("M0504"));
    assert_eq!(survive(format!("a.matches('{}')", "(a{100}){100}{100}")), Err("M0501"));
}

#[test]
fn large_results_are_cut_short() {
    assert_eq!(survive("range(1000000000)".into()), Ok((Value::Null, false)));
    let nested = |depth: usize| format!("{}1{}", "range(1000).map(x, ".repeat(depth), ")".repeat(depth));
    assert_eq!(survive(nested(2)), EXHAUSTED);
    assert_eq!(survive(nested(20)), EXHAUSTED);
    let doubling = |depth: usize| format!("['xxxxxxxxxxxxxxxx']{}[0].size()", ".map(x, x + x)".repeat(depth));
    assert_eq!(survive(doubling(10)), Ok((json!(16 * 1024), false)));
    assert_eq!(survive(doubling(60)), EXHAUSTED);
    let lists = format!("[[1]]{}", ".map(x, x + x)".repeat(60));
    assert_eq!(survive(lists), EXHAUSTED);
    let copies = "[range(10000)].map(big, range(10000).map(i, big))".to_owned();
    assert_eq!(survive(copies), EXHAUSTED);
    let replaced = "[range(5000).map(i, 'abcdefgh').join('')].map(t, t.replace('a', t).replace('b', t).size())".to_owned();
    assert_eq!(survive(replaced), EXHAUSTED);
    let compared = "[range(9000)].map(big, range(9000).filter(i, big == big))".to_owned();
    assert_eq!(survive(compared), EXHAUSTED);
    let similar = "[range(500).map(i, 'abcdefgh').join('')].map(t, range(1000).map(i, similar(t, t + 'x')))".to_owned();
    assert_eq!(survive(similar), EXHAUSTED);
    let patterns = "range(10000).filter(i, 'a'.matches('a{' + string(i) + '}'))".to_owned();
    assert_eq!(survive(patterns), EXHAUSTED);
}

#[test]
fn what_is_not_kept_is_not_copied() {
    let many: Vec<Value> = (0..20_000).map(|id| json!({ "id": id, "text": "x".repeat(2_000) })).collect();
    let variables = Object(json!({ "data": { "many": many } }));
    let scope = Scope::new(&variables);
    let value = parse("data.many.filter(m, m.id == 7).map(m, m.id) + [size(data.many)]").expect("parses").evaluate(&scope);
    assert_eq!(value, json!([7, 20_000]));
    let used = Scope::FUEL - scope.fuel.get();
    assert!(used < 200_000, "looking at every id cost {used}");
}

#[test]
fn a_field_of_a_variable_is_asked_for_by_name() {
    struct Picky;
    impl Variables for Picky {
        fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
            panic!("the whole of `{name}` was asked for")
        }
        fn member(&self, name: &str, field: &str) -> Option<Cow<'_, Value>> {
            (name == "last" && field == "testing").then(|| Cow::Owned(json!({ "ok": true })))
        }
    }
    let value = parse("last.testing.ok && !last.building.ok && [1].all(x, last.testing.ok)").expect("parses").evaluate(&Scope::new(&Picky));
    assert_eq!(value, json!(true));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn arbitrary_text_never_panics(source in any::<String>()) {
        drop(parse(&source));
    }

    #[test]
    fn whatever_parses_can_be_evaluated(parts in prop::collection::vec(prop::sample::select(vec![
        "data", ".facts", ".name", "[0]", "[", "]", "(", ")", "{", "}", "'a'", "1", "2.5", "null", "true", " + ", " - ", " * ", " / ", " % ", " == ",
        " < ", " in ", " && ", " || ", "!", "-", "?", ":", ",", ".map(x, ", ".filter(x, x", ".all(x,", "size(", "best(", "merge(", "range(", "x", "r'\\'", "'''",
        ".split(", ".join(", "string(", "é", "// c\n", "min(", "sum(",
    ]), 1..14)) {
        if let Ok(expression) = parse(&parts.concat()) {
            let variables = data();
            expression.evaluate(&Scope::new(&variables));
            expression.references();
        }
    }
}

#[test]
fn long_texts_cost_what_they_are_long() {
    for function in ["keywords(t, 9)", "themes(t, 9)", "covers(t, t)", "extract(t, t, 9)", "words(t)", "parts(t)", "sentences(t)"] {
        let long = format!("[range(2000).map(i, 'word' + string(i) + '. ').join('')].map(t, range(3000).map(i, {function}))");
        assert!(survive(long) == EXHAUSTED, "{function}");
    }
}
