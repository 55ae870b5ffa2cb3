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
    assert!(agree("half an hour", "30 minutes"));
    assert!(!agree("half an hour", "30 seconds"));
    assert!(agree("31.2 million m³ of water", "about 31 billion litres of water"));
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

#[test]
fn a_scale_may_be_a_letter_an_article_or_a_fraction() {
    use Measure::{Count, Money, Percent};
    check("1.2m euros, 5.2M dollars and 1.5M visitors", &[(1.2e6, Money), (5.2e6, Money), (1.5e6, Count)]);
    check("1.2m high, 50m long", &[(1.2, Count), (50.0, Count)]);
    check("3,2 Mio. Euro und 4 Mrd. Euro", &[(3.2e6, Money), (4e9, Money)]);
    check("3½ per cent of 2½ million", &[(3.5, Percent), (2.5e6, Count)]);
    check("a hundred households, a hundred and twenty more, about a million in all", &[(100.0, Count), (120.0, Count), (1e6, Count)]);
    check("half a million, a quarter of a million", &[(5e5, Count), (2.5e5, Count)]);
}

#[test]
fn a_head_or_a_bracket_scales_the_numbers_under_it() {
    use Measure::{Count, Money, Year};
    check(
        "| Segment | Revenue (EUR m) | Staff |\n|---|---|---|\n| Offshore | 702.3 | 1,200 |\n\nIt has 5 yards.",
        &[(702.3e6, Money), (1200.0, Count), (5.0, Count)],
    );
    check(
        "Revenue (in millions of euros): Offshore 702.3, Ship Repair 398.1 in 2023.",
        &[(702.3e6, Money), (398.1e6, Money), (2023.0, Year)],
    );
    check("Offshore Services: 702.3 (EUR m)", &[(702.3e6, Money)]);
    check("Revenue, in EUR million: 702.3, with 1,200 people", &[(702.3e6, Money), (1200.0, Count)]);
    check(
        "Sales (in thousands of dollars)\n\n- North 12.5\n- South 3.5\n\nThere were 7.",
        &[(12_500.0, Money), (3500.0, Money), (7.0, Count)],
    );
    check("The tower (in the north) has 5 bells.", &[(5.0, Count)]);
    check("| Tower | Height (m) |\n|---|---|\n| North | 88 |", &[(88.0, Count)]);
}

#[test]
fn a_version_is_compared_by_its_digits() {
    assert!(agree("version 4.0", "v4.0"));
    assert!(agree("v4.0", "version 4"));
    assert!(!agree("v4.12", "v4.1"));
    assert!(!agree("Python 3.14", "Python 3.1"));
    assert!(!agree("Python 3.10", "Python 3.1"));
    assert!(!agree("version 5.8", "version 6"));
}

#[test]
fn powers_of_ten_are_what_they_come_to_and_notes_are_none() {
    use Measure::{Count, Year};
    check("10⁶ people, 10^3 more and 10⁻² of it", &[(1e6, Count), (1e3, Count), (0.01, Count)]);
    check("1.5 × 10⁶ people or 2*10^3", &[(1.5e6, Count), (2e3, Count)]);
    check("in 1932² and 12³ others", &[(1932.0, Year), (12.0, Count)]);
    check("10 × 10 tiles, 10^ and 10^x", &[(10.0, Count), (10.0, Count), (10.0, Count), (10.0, Count)]);
    assert!(agree("one million people", "10⁶ people"));
    assert!(agree("1.5 × 10⁶ people", "1.5 million people"));
    assert!(!agree("10 people", "10⁶ people"));
    assert!(!agree("10⁶ people", "10 people"));
    assert!(!agree("10^6 people", "10^7 people"));
}

#[test]
fn digits_of_other_scripts_are_numbers() {
    use Measure::{Count, Percent, Year};
    check("opened in １９３２, with １，２５０ people and １２．５％ of it", &[(1932.0, Year), (1250.0, Count), (12.5, Percent)]);
    check("١٢٫٥٪ and ௪௦ people", &[(12.5, Percent), (40.0, Count)]);
    check("CO₂ and H₂O, ① and ．", &[]);
    assert!(agree("It is ５０３ metres long", "503 metres"));
    assert!(!agree("It is ５０３ metres long", "503 years"));
    assert!(!agree("It is ５０３ metres long", "５０４ metres"));
}

#[test]
fn powers_of_ten_have_many_spellings() {
    use Measure::{Count, Money};
    check("3x10^8 cells, 2.4x10⁹ litres and 3 x 10^-2 of it", &[(3e8, Count), (2.4e9, Count), (0.03, Count)]);
    check("3×10^8 cells, 3X10⁸ cells and 3x10⁻² of it", &[(3e8, Count), (3e8, Count), (0.03, Count)]);
    check("$10^{6}$ cells or $3 \\times 10^{8}$ cells, 2 \\cdot 10^{-3} of them", &[(1e6, Count), (3e8, Count), (0.002, Count)]);
    check("$10^6 or $20", &[(1e6, Money), (20.0, Money)]);
    check("3x10 tiles, 3x100 and 3 x10y", &[(3.0, Count), (3.0, Count), (3.0, Count)]);
    for source in ["3x10^8 cells", "3 × 10⁸ cells", "3×10^8 cells", "3x10⁸ cells", "$3 \\times 10^{8}$ cells", "300 million cells"] {
        for claim in ["3x10^8 cells", "3 × 10⁸ cells", "3×10^8 cells", "3x10⁸ cells", "$3 \\times 10^{8}$ cells"] {
            assert!(agree(source, claim), "{source}: {claim}");
        }
        assert!(!agree(source, "3x10^9 cells") && !agree("3x10^9 cells", source), "{source}");
    }
}

#[test]
fn lists_and_dates_in_other_scripts_are_no_single_number() {
    use Measure::{Count, Year};
    check("closed in １９３２，１９３４ and １９５８", &[(1932.0, Year), (1934.0, Year), (1958.0, Year)]);
    check("２０２３．５．１２", &[(2023.5, Count), (12.0, Count)]);
    check(
        "１，２５０，０００ of １２，１３ and １．５，２５０",
        &[(1.25e6, Count), (12.0, Count), (13.0, Count), (1.5, Count), (250.0, Count)],
    );
}

#[test]
fn more_digits_than_a_number_holds_are_borne_out_by_no_other_number() {
    let nines = "9".repeat(309);
    for great in [nines.clone(), "９".repeat(309), format!("{nines} million"), format!("{nines}x10^99"), format!("the {nines}th of")] {
        assert!(!agree("5 people", &format!("{great} people")), "{great}");
        assert!(!agree("1.7 million people", &format!("{great} people")), "{great}");
        assert!(!agree(&format!("{great} people"), "5 people"), "{great}");
    }
    assert!(agree(&format!("{nines} people"), &format!("{nines} people")));
}
