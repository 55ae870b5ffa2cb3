//! Numbers as people write them, read and compared.

use super::super::{numbers, tokens};
use super::Measure;

fn check(text: &str, expected: &[(f64, Measure)]) {
    let demanded = numbers(text, &tokens(text)).into_iter().filter(|number| !number.ambiguous);
    let found: Vec<(f64, Measure)> = demanded.map(|number| (number.value, number.measure)).collect();
    assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
    for ((value, measure), (wanted, wanted_measure)) in found.iter().zip(expected) {
        assert!((value - wanted).abs() < 1e-6 * wanted.max(1.0), "{text}: {value} instead of {wanted}");
        assert_eq!(measure, wanted_measure, "{text}");
    }
}

fn agree(source: &str, claim: &str) -> bool {
    let (sources, claims) = (numbers(source, &tokens(source)), numbers(claim, &tokens(claim)));
    assert!(!claims.is_empty(), "{claim}");
    claims.iter().all(|claim| sources.iter().any(|source| source.bears_out(claim)))
}

#[test]
fn separators_scales_and_signs_are_part_of_the_number() {
    use Measure::{Count, Money, Percent};
    check("1,200 people and 1.2 million more", &[(1200.0, Count), (1_200_000.0, Count)]);
    check("$3.5bn, 45% and 12 per cent", &[(3.5e9, Money), (45.0, Percent), (12.0, Percent)]);
    check("10\u{2013}12 % of it", &[(10.0, Percent), (12.0, Percent)]);
    check("between 2 and 3 million", &[(2e6, Count), (3e6, Count)]);
}

#[test]
fn numbers_in_letters_are_numbers_and_one_is_a_pronoun() {
    use Measure::{Century, Count, Decade, Ordinal};
    check("twenty-five of two hundred and fifty thousand", &[(25.0, Count), (250_000.0, Count)]);
    check("a dozen, half, two thirds, one in five", &[(12.0, Count), (0.5, Count), (2.0 / 3.0, Count), (0.2, Count)]);
    check("one of the first", &[]);
    check("the nineteenth century, the 20th time, the 1990s", &[(19.0, Century), (20.0, Ordinal), (1990.0, Decade)]);
    check("two thousand five hundred", &[(2500.0, Count)]);
}

#[test]
fn dates_are_a_day_and_a_year_in_any_form() {
    use Measure::{Count, Day, Month, Year};
    for text in ["12 May 1998", "May 12, 1998", "12th of May 1998", "May 12th, 1998"] {
        check(text, &[(12.0, Day { month: 5 }), (1998.0, Year)]);
    }
    check("1998-05-12", &[(1998.0, Year), (12.0, Day { month: 5 })]);
    check("in May 1998 they may march", &[(5.0, Month), (1998.0, Year)]);
    check("25/12/2020", &[(25.0, Day { month: 12 }), (2020.0, Year)]);
    check("05/05/2020", &[(5.0, Day { month: 5 }), (2020.0, Year)]);
    check("03/04/2020", &[(2020.0, Year)]);
    check("2010\u{2013}12", &[(2010.0, Year), (12.0, Count)]);
    check("2010 people", &[(2010.0, Count)]);
}

#[test]
fn a_claim_may_be_coarser_than_its_source_and_never_finer() {
    assert!(agree("1,198 were there", "about 1,200"));
    assert!(agree("1,234,567 inhabitants", "1.2 million inhabitants"));
    assert!(agree("1,104 copies", "more than 1,000 copies"));
    assert!(agree("47.8%", "48%"));
    assert!(!agree("1.2 million", "1,234,567"));
    assert!(agree("90 reviews", "fewer than 96 reviews"));
    assert!(agree("nearly 96 reviews", "fewer than 96 reviews"));
    assert!(!agree("96 reviews", "fewer than 96 reviews"));
    assert!(!agree("under 96 reviews", "more than 96 reviews"));
    assert!(agree("within 28 years", "over 28 years"));
    assert!(!agree("1,198 were there", "1,199 were there"));
    assert!(!agree("460 million speakers", "approximately 461 million speakers"));
    assert!(!agree("994 copies", "more than 1,000 copies"));
    assert!(!agree("five million asteroids", "up to ten million asteroids"));
    assert!(!agree("47.8%", "46%"));
}

#[test]
fn shares_units_and_periods_are_converted() {
    assert!(agree("50 percent of them", "half of them"));
    assert!(agree("one in five", "20%"));
    assert!(agree("48 percent of them", "nearly half of them"));
    assert!(!agree("48 percent of them", "more than half of them"));
    assert!(agree("57 percent of them", "more than half of them"));
    assert!(agree("at a cost of £4.2m", "for £4.2 million"));
    assert!(agree("six months", "half a year"));
    assert!(agree("ten years", "a decade"));
    assert!(agree("three centuries", "300 years"));
    assert!(agree("12.5 years", "twelve and a half years"));
    assert!(agree("612 square kilometres", "612 km²"));
    assert!(!agree("612 square kilometres", "612 km"));
    assert!(agree("3.1 miles long", "5 km long"));
    assert!(!agree("3.1 miles long", "7 km long"));
    assert!(agree("in 1994", "in the 1990s"));
    assert!(agree("in 1842", "in the 19th century"));
    assert!(!agree("in 1942", "in the 19th century"));
    assert!(!agree("12 June", "12 May"));
    assert!(agree("the third of them", "the 3rd of them"));
    assert!(agree("2010\u{2013}12", "2012"));
}
