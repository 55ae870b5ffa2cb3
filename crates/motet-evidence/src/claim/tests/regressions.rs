//! Pairs that a milder reading once let pass, or a stricter one once flagged: denials, subjects, letters behind numbers, times.
//! Each stands beside one that differs little and is judged the other way.

use super::super::{Claim, Page, cite};
use super::readings::{check_not_supported, check_supported};

#[test]
fn a_comparison_that_is_denied_is_no_bound_of_a_number() {
    check_not_supported(&[
        ("Women do not earn more than men in Norland.", "Women earn more than men in Norland."),
        ("Women earn more than men in Norland.", "Women do not earn more than men in Norland."),
        ("The bridge did not cost more than the tunnel.", "The bridge cost more than the tunnel."),
        ("The drug does not help more than a placebo.", "The drug helps more than a placebo."),
        ("The bridge did not cost more than 5 million euros.", "The bridge cost more than 5 million euros. It is old. It is red."),
    ]);
    check_supported(&[
        ("Women do not earn more than men in Norland.", "Women do not earn more than men in Norland."),
        ("The bridge can carry at most forty tonnes.", "The bridge cannot carry more than about forty tonnes."),
        ("The repair cost at most $5 million.", "The repair did not cost more than US$5 million."),
    ]);
}

/// What no number bounds is a limit only beside the same limit in other words.
#[test]
fn a_limit_without_a_number_is_compared_with_the_other_text() {
    check_supported(&[
        ("The climb takes at most an hour.", "The climb takes no more than an hour. It is steep."),
        ("The climb takes no more than an hour.", "The climb takes at most an hour. It is steep."),
        ("The climb takes up to half a day.", "The climb takes no more than half a day. It is steep."),
        ("The permit is valid for less than a year.", "The permit is valid for no more than a year. It is free."),
        ("The siege lasted at least a week.", "The siege lasted no less than a week. It failed."),
        ("The ferry needs at most 20 minutes.", "The ferry needs no more than just 20 minutes. It is full."),
        ("The ferry needs at most 20 minutes.", "The ferry needs no more than a total of 20 minutes. It is full."),
        ("The club has not won more than one cup.", "The club has not won more than one cup. It is old."),
    ]);
    check_not_supported(&[
        ("The climb takes no more than an hour.", "The climb takes more than an hour. It is steep."),
        ("The climb takes at least an hour.", "The climb takes no more than an hour. It is steep."),
        ("The club has not won more than one cup.", "The club has won more than one cup. It is old."),
        ("The club has won more than one cup.", "The club has not won more than one cup. It is old."),
        ("The list did not win more than half the seats.", "The list won more than half the seats. It is old."),
        ("The ferry needs no more than just 20 minutes.", "The ferry needs more than 20 minutes. It is full."),
        ("Clerks are not paid more than 2019 recruits.", "Clerks are paid more than 2019 recruits. It is known."),
    ]);
}

#[test]
fn a_denial_bears_out_only_all_that_a_claim_denies() {
    check_not_supported(&[
        ("The bank did not raise rates in June.", "The bank raised rates in June. The bank did not raise fees."),
        ("The city did not ban cars in 2020.", "The city banned cars in 2020. It is old. The city did not ban bicycles."),
        (
            "The company did not close the plant in Oslo in 2019.",
            "The company closed the plant in Oslo in 2019. The company did not close the office in Oslo.",
        ),
    ]);
    check_supported(&[("The bank did not raise rates in June.", "The bank raised fees in June. The bank did not raise rates in June.")]);
}

#[test]
fn a_letter_in_a_bracket_scales_only_money() {
    check_supported(&[
        ("The 401(k) contribution limit rose to $23,500 in 2025.", "# 401(k) limits\n\nThe contribution limit rose to $23,500 in 2025."),
        ("Potassium (K) has atomic number 19.", "Potassium is a chemical element with symbol K. Potassium has atomic number 19."),
        ("Acme had sales of 702,300 euros.", "| Firm | Sales (EUR k) |\n|---|---|\n| Acme | 702.3 |"),
    ]);
    check_not_supported(&[
        ("The contribution limit rose to $23,500,000 in 2025.", "The 401(k) contribution limit rose to $23,500 in 2025."),
        ("Copper melts at 1,358,000 degrees.", "| Metal | Melting point (K) |\n|---|---|\n| Copper | 1358 |\n| Iron | 1811 |"),
    ]);
}

#[test]
fn a_letter_behind_a_number_may_mean_metres() {
    check_supported(&[
        ("She won the 100m hurdles in Oslo.", "She won the 100 metres hurdles in Oslo."),
        ("The storm raised 20m waves at the harbour.", "The storm raised waves of 20 metres at the harbour."),
        ("Oslo has two 50m pools.", "Oslo has two pools of 50 m each."),
        ("The fair had 20m visitors last year.", "The fair had 20 million visitors last year."),
    ]);
    check_not_supported(&[
        ("The storm raised 20m waves at the harbour.", "The storm raised waves of 30 metres at the harbour."),
        ("The fair had 20m visitors last year.", "The fair had 30 million visitors last year."),
    ]);
}

#[test]
fn two_numbers_with_a_colon_are_a_time_only_beside_a_word_of_time() {
    check_supported(&[
        ("The council voted 12:10 for the plan.", "The council voted 12 to 10 for the plan."),
        ("The team won 21:19 in the final.", "The team won 21-19 in the final."),
        ("The final ended 21:19 for Norway.", "The final ended 21–19 for Norway."),
        ("The ferry leaves at 19:30 every day.", "The ferry leaves at 7:30 pm every day."),
        ("The ferry leaves daily, 19:30.", "The ferry leaves daily at 7:30 pm."),
        ("The ferry leaves at 19:30 every day.", "The ferry leaves every day, 19:30."),
    ]);
    check_not_supported(&[
        ("The council voted 12:10 for the plan.", "The council voted 12 to 9 for the plan."),
        ("The ferry leaves at 19:30 every day.", "The ferry leaves at 7:45 pm every day."),
        ("The ferry leaves daily, 19:30.", "The ferry leaves daily at 7:45 pm."),
    ]);
}

#[test]
fn a_day_that_something_is_done_by_is_no_difference() {
    check_not_supported(&[
        ("The repair of the bridge will end by March.", "The repair of the bridge begins in June and will end in September."),
        ("The repair of the bridge ended by 3 May.", "The repair of the bridge began on 1 May and ended on 4 May."),
        ("The office closes by 8 am.", "The office opens at 9 am and closes at 5 pm."),
    ]);
    check_supported(&[("The number of members grew by 355.", "The number of members grew from 4,862 to 5,217.")]);
}

/// Read anew for each of them, so many marks would take minutes.
#[test]
fn marks_that_nothing_closes_are_looked_for_once() {
    let claim = format!("The bridge {} was opened in 1932.", "«„»".repeat(200_000));
    let page = Page::of("The bridge was opened in 1932.");
    assert!(cite(&Claim::new(&claim), &page).missing.is_empty());
}
