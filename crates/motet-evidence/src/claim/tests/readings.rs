//! How dates, bounds and rounded numbers are read, and which of a page's numbers has the place of the claim's.
//! Each pair was once judged wrongly.

use super::super::{Claim, Label, Page, cite};
use super::pairs::{check_flagged, check_passed};

pub(super) fn check_missing(pairs: &[(&str, &str, &str)]) {
    for (claim, source, expected) in pairs {
        let verdict = cite(&Claim::new(claim), &Page::of(source));
        let missing: Vec<&str> = verdict.missing.iter().map(|missing| missing.text.as_str()).collect();
        assert_eq!(missing, [*expected], "{claim} / {source}");
    }
}

pub(super) fn check_supported(pairs: &[(&str, &str)]) {
    for (claim, source) in pairs {
        let verdict = cite(&Claim::new(claim), &Page::of(source));
        assert_eq!(verdict.label, Label::Supported, "{claim} / {source}: {verdict:?}");
    }
}

pub(super) fn check_not_supported(pairs: &[(&str, &str)]) {
    for (claim, source) in pairs {
        let verdict = cite(&Claim::new(claim), &Page::of(source));
        assert_ne!(verdict.label, Label::Supported, "{claim} / {source}: {verdict:?}");
    }
}

#[test]
fn day_and_year_of_a_date_in_digits_are_both_asked_for() {
    const MEETING: &str = "The meeting was held on 12 March 2024 in Oslo.";
    check_missing(&[
        ("The meeting was held on 2019-03-12 in Oslo.", MEETING, "2019"),
        ("The meeting was held on 2024-03-19 in Oslo.", MEETING, "19"),
        ("The meeting was held on 03/19/2024 in Oslo.", MEETING, "19"),
        ("The meeting was held on 25/12/2024 in Oslo.", MEETING, "25/12"),
        ("The meeting was held on 2019-03-12 in Oslo.", "The meeting was held on 2024-03-12 in Oslo.", "2019"),
    ]);
    check_supported(&[
        ("The meeting was held on 2024-03-12 in Oslo.", MEETING),
        ("The meeting was held on 12/03/2024 in Oslo.", MEETING),
        ("The meeting was held on 12 March 2024 in Oslo.", "The meeting was held on 2024-03-12 in Oslo."),
    ]);
}

#[test]
fn a_bound_that_is_denied_is_the_bound_on_the_other_side() {
    check_supported(&[
        ("The client makes at most 5 retries before it gives up.", "The client makes no more than 5 retries before it gives up."),
        ("The client makes no more than 5 retries before it gives up.", "The client makes at most 5 retries before it gives up."),
        ("The bridge can carry at most 40 tonnes.", "The bridge cannot carry more than 40 tonnes."),
        ("The hall holds not more than 500 guests.", "The hall holds up to 500 guests."),
        ("Each team must have no fewer than 4 members.", "Each team must have at least 4 members."),
        ("Each team must have at least 4 members.", "Each team must have not less than 4 members."),
    ]);
    check_flagged(&[
        ("Each page returns more than 100 items.", "Each page returns no more than 100 items."),
        ("Each team has fewer than 4 members.", "Each team has never fewer than 4 members."),
    ]);
}

#[test]
fn two_bounds_on_one_side_are_two_numbers() {
    check_flagged(&[
        ("Their level was below 75 units.", "Their level was below 50 units."),
        ("More than 40 people came.", "More than 60 people came."),
    ]);
    check_passed(&[
        ("More than 1.2 million people came.", "More than 1,200,000 people came."),
        ("Their level was below 75 units.", "Their level was 50 units."),
    ]);
}

#[test]
fn a_number_with_decimals_may_be_rounded_to_a_whole_one() {
    check_supported(&[
        ("The mean age of the patients was 76.", "The mean age of the patients was 76.4 years."),
        ("Gusts of 41 m/s were measured.", "Gusts of 41.3 metres per second were measured."),
        ("The river is 13 km long.", "The river is 12.7 km long."),
    ]);
    check_flagged(&[
        ("The river is 12 km long.", "The river is 12.7 km long."),
        ("The river is 15 km long.", "The river is 12.7 km long."),
        ("It has 76 rooms.", "It has 77 rooms."),
        ("It took one of them, 1 in all.", "It took half of them."),
    ]);
}

#[test]
fn what_a_sentence_says_outright_of_a_number_is_not_carried_over_to_another() {
    const VIADUCT: &str = "The viaduct has been a Category A listed building since 1984.";
    const MUSEUM: &str = "The museum in Lund was founded by Anna Berg in 1955.";
    check_flagged(&[
        (VIADUCT, "The viaduct has been a Category A listed building since 1971. It was repaired in 1984."),
        (VIADUCT, "The viaduct has been a Category A listed building since 1971. In 1984 the goods yard was sold."),
        (MUSEUM, "The museum in Lund was founded by Anna Berg in 1902. The building next to it burned down in 1955."),
        ("The tower is 45 metres high.", "The tower is 88 metres high and was designed by Otto Frank. The nave is 45 metres long."),
    ]);
    check_supported(&[
        ("The viaduct was repaired in 1984.", "The viaduct has been a Category A listed building since 1971. It was repaired in 1984."),
        ("The museum burned down in 1955.", "The museum was founded by Anna Berg in 1902. It burned down in 1955."),
    ]);
}

#[test]
fn the_year_of_a_title_holds_for_the_page_and_another_year_only_for_its_own_number() {
    const REPORT: &str = "Halvorsen Group — Annual Report 2023\n\nRevenue for the year was EUR 1,284.6 million, an increase of 9.4 per cent from EUR 1,174.2 million in 2022.";
    check_supported(&[
        ("Halvorsen's revenue was EUR 1,284.6 million in 2023.", REPORT),
        ("Halvorsen's revenue was EUR 1,174.2 million in 2022.", REPORT),
    ]);
    check_flagged(&[("Halvorsen's revenue was EUR 1,284.6 million in 2022.", REPORT)]);
}

const TRIAL: &str = "Background: Vitamin D supplementation has been proposed to reduce the risk of falls in older adults. \
    Results: 921 were assigned to vitamin D and 925 to placebo. The rate of falls was 0.91 per person-year in the vitamin D group and 0.94 per \
    person-year in the placebo group (rate ratio 0.97; 95% CI, 0.88 to 1.07). Conclusions: Daily supplementation with 2,000 IU of vitamin D did \
    not reduce the rate of falls among older adults with low vitamin D concentrations.";

#[test]
fn a_denial_is_asked_of_every_sentence_that_has_its_words_and_subject() {
    check_supported(&[
        ("Vitamin D did not reduce the rate of falls (rate ratio 0.97; 95% CI, 0.88 to 1.07).", TRIAL),
        ("Vitamin D did not cut the rate of falls: it was 0.91 per person-year with vitamin D and 0.94 with placebo.", TRIAL),
        ("The rate of falls was 0.91 per person-year in the vitamin D group.", TRIAL),
        (
            "The council raised the tax to 5 percent in 2019.",
            "The state did not raise the tax. The council raised the tax to 5 percent in 2019.",
        ),
        ("The bank raised rates in June.", "The bank did not raise rates in May. It raised rates in June."),
        ("The bank raised rates in June.", "The bank raised rates in June. It did not raise rates in May."),
        ("The bank did not raise rates in May.", "The bank did not raise rates in May. It raised rates in June."),
        ("The mayor opened the bridge in 1990.", "The mayor did not open the market. The mayor opened the bridge in 1990."),
    ]);
    check_not_supported(&[
        ("The bank raised rates in May.", "The bank did not raise rates in May. It raised rates in June."),
        (
            "The skin of the olm is not sensitive to light.",
            "The olm has no pigment. Its eyes are covered by skin, but the skin itself is sensitive to light.",
        ),
        ("Vitamin D reduced the rate of falls to 0.91 per person-year, from 0.94 with placebo.", TRIAL),
        (
            "The state raised the tax to 5 percent in 2019.",
            "The tax was 5 percent in 2019 by order of the state. The state did not raise the tax.",
        ),
        (
            "Vitamin D did not change the number of fractures, which was 921.",
            "The fractures were 921 in all. Vitamin D changed the number of fractures.",
        ),
    ]);
}

#[test]
fn a_scale_of_a_head_a_letter_or_an_article_is_read() {
    const TABLE: &str = "| Segment | Revenue (EUR m) |\n|---|---|\n| Offshore Services | 702.3 |\n| Ship Repair | 398.1 |\n";
    check_supported(&[
        ("Offshore Services contributed EUR 702.3 million of revenue.", TABLE),
        ("Ship Repair had a revenue of EUR 398.1 million.", "Revenue (in millions of euros): Offshore Services 702.3, Ship Repair 398.1."),
        ("The company lost 1.2 million euros.", "The company lost 1.2m euros."),
        ("There were 1.5M visitors.", "There were 1,500,000 visitors."),
        ("Sales were 3.2 million euros in 2020.", "Sales were 3,2 Mio. Euro in 2020."),
        ("The bill fell by 3½ per cent.", "The bill fell by 3.5 per cent."),
        ("He ran the 100 metres hurdles in 13 seconds.", "He ran the 100m hurdles in 13 seconds."),
        ("Half a million passengers cross the bridge.", "About 510,000 passengers cross the bridge."),
    ]);
    check_flagged(&[
        ("Ship Repair contributed EUR 398.1 billion.", TABLE),
        ("About a million households lost power.", "About 48,000 households lost power."),
        ("A hundred households lost power.", "About 48,000 households lost power."),
        ("The tower is 1.2 million high.", "The tower is 1.2m high."),
    ]);
}

#[test]
fn a_version_has_the_digits_that_the_page_gives_it() {
    check_supported(&[
        ("Offset pagination was removed in v4.0.", "Offset pagination was removed in version 4.0."),
        ("Offset pagination was removed in version 4.0.", "Offset pagination was removed in v4.0."),
    ]);
    check_flagged(&[
        ("The client requires Python 3.1 or newer.", "The client requires Python 3.14 or newer."),
        ("Offset pagination was removed in v4.1.", "Offset pagination was removed in v4.12. There is 1 more change."),
    ]);
}

#[test]
fn small_words_are_read_with_what_they_stand_beside() {
    check_supported(&[
        ("Sales rose every year.", "Sales rose in 2019, 2020 and 2021, year after year."),
        ("The emulsion replaces 4% of the butter.", "The trick is to replace 4% of the butter with an emulsion."),
        ("Brandt agreed to buy the yard for 5 million euros.", "Brandt is to buy the yard for 5 million euros."),
        ("The meeting began at 7:30 pm in the hall.", "The meeting began at 19:30 in the hall."),
        ("The meeting began at 7.30 p.m. in the hall.", "The meeting began at 19:30 in the hall."),
        ("The meeting began at 19:30 in the hall.", "The meeting began at 7:30 in the hall."),
        ("The population grew by 355 to 5,217.", "The population grew from 4,862 to 5,217."),
        ("The 5\" pipe is wide and so is the 6\" hose.", "The pipe is 5 inches wide and the hose is 6 inches wide."),
        (
            "»Wir haben das nicht gewusst«, sagte der Minister und noch einmal »wir haben das nicht gewusst«.",
            "„Wir haben das nicht gewusst“, sagte der Minister noch einmal.",
        ),
    ]);
    check_not_supported(&[
        ("Brandt has bought the yard for 5 million euros.", "Brandt is to buy the yard for 5 million euros."),
        ("The population grew by 365 to 5,217.", "The population grew from 4,862 to 5,217."),
        ("The meeting began at 7:30 am in the hall.", "The meeting began at 19:30 in the hall."),
        ("»Wir haben das alles längst gewusst«, sagte der Minister.", "„Wir haben das nicht gewusst“, sagte der Minister."),
    ]);
}

#[test]
fn an_ordinary_first_word_is_no_name_and_a_name_is_one_where_the_page_names_another() {
    check_passed(&[
        ("Rainfall reached 30 mm in Oslo.", "Some 30 mm fell in Oslo."),
        ("Wind gusts reached 41.3 m/s.", "Gusts of 41.3 m/s were measured."),
        ("Turnout was 62 percent.", "About 62 percent voted."),
        ("Coal output fell to 30 tonnes.", "The output of the mine fell to 30 tonnes."),
    ]);
    check_flagged(&[
        ("Hansen wrote the report of 2019.", "Okonkwo wrote the report of 2019."),
        ("Hansen wrote the report of 2019.", "In 2019 the report was written by Adaeze Okonkwo."),
    ]);
}

#[test]
fn a_time_in_two_units_is_the_time_in_one() {
    const FINISH: &str = "Vermeer reached the finish two minutes and 40 seconds ahead of a group of five favourites.";
    check_passed(&[("Vermeer finished 160 seconds ahead of a group of five favourites.", FINISH)]);
    check_missing(&[("Vermeer finished 184 seconds ahead of a group of five favourites.", FINISH, "184")]);
    // Two times that are told of two things are not one.
    let apart = "Vermeer rested for two minutes before the start and led by 40 seconds at the finish.";
    check_missing(&[("Vermeer led by 160 seconds at the finish.", apart, "160")]);
}

#[test]
fn an_abbreviation_is_borne_out_by_its_words_in_small_letters() {
    check_passed(&[
        ("Restaurants paid the higher VAT.", "Restaurants paid the higher value added tax from January on."),
        ("TernDB 7.2 is an LTS release.", "TernDB 7.2 is a long-term support release."),
    ]);
    check_missing(&[
        ("Restaurants paid the higher VAT.", "Restaurants paid the higher tax on added value from January on.", "VAT"),
        ("TernDB 7.2 is an LTS release.", "TernDB 7.2 is a release with support for a long term.", "LTS"),
    ]);
}
