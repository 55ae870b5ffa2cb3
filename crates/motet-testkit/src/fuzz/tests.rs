//! The fuzzer must find what is there, and nothing in what is sound.

use super::*;

fn breaks_on_nested_brackets(bytes: &[u8]) {
    assert!(!bytes.windows(3).any(|three| three == b"[[["), "three brackets");
}

fn hello() -> Vec<Vec<u8>> {
    vec![b"hello [ world ] of brackets".to_vec()]
}

const PLANTED: Target = Target { name: "planted", run: breaks_on_nested_brackets, seeds: hello, words: &["["] };

#[test]
fn a_planted_fault_is_found_and_cut_down_to_its_core() {
    let broken = run(&PLANTED, 1, Duration::from_secs(30), |_| {}).expect_err("the fault is easy to reach");
    assert_eq!(broken.input, b"[[[");
    assert!(broken.why.contains("three brackets"), "{}", broken.why);
}

#[test]
fn the_same_seed_gives_the_same_inputs() {
    let seen = |seed| {
        let mut random = Random::new(seed);
        (0..100).map(|_| mutate::mutated(&mut random, &hello(), &["["])).collect::<Vec<_>>()
    };
    assert_eq!(seen(7), seen(7));
    assert_ne!(seen(7), seen(8));
}

#[test]
fn every_target_takes_its_own_seeds() {
    for target in TARGETS {
        let seeds = (target.seeds)();
        assert!(!seeds.is_empty(), "{}", target.name);
        for seed in seeds {
            assert_eq!(try_input(target, &seed), Ok(()), "{}: {}", target.name, String::from_utf8_lossy(&seed));
        }
    }
}

#[test]
fn seeds_of_the_journal_are_events_and_seeds_of_expressions_parse() {
    use motet_core::diagnostic::Span;
    use motet_core::expression::Expression;
    for body in seeds::events() {
        assert!(motet_host::journal::decode(&"r".into(), 1, &body, |_| Ok(None)).is_ok());
    }
    let expressions = seeds::expressions();
    assert!(expressions.len() > 10, "{}", expressions.len());
    assert!(expressions.iter().all(|text| Expression::parse(&String::from_utf8_lossy(text), &Span::default()).is_ok()));
}
