//! Right words on the wrong side: who did it, which is more, where from and where to, whose share it is.
//! Each false claim stands beside a true one that has the same words, or turns both sides round.

use super::super::{Claim, Page, check};
use super::readings::{check_not_supported, check_supported};

/// One page, with what it says and what it does not.
#[track_caller]
pub(super) fn check_sides(page: &str, supported: &[&str], not_supported: &[&str]) {
    check_supported(&supported.iter().map(|claim| (*claim, page)).collect::<Vec<_>>());
    check_not_supported(&not_supported.iter().map(|claim| (*claim, page)).collect::<Vec<_>>());
}

#[test]
fn a_comparison_may_be_turned_round_twice_and_not_once() {
    check_sides(
        "The old mill used more water than the new one. Both stand on the Teign.",
        &["The old mill used more water than the new one.", "The new mill used less water than the old one."],
        &["The new mill used more water than the old one.", "The old mill used less water than the new one."],
    );
    check_sides(
        "In Norland nurses work longer hours than doctors. The survey was small.",
        &["Nurses work longer hours than doctors in Norland.", "Doctors work shorter hours than nurses in Norland."],
        &["Doctors work longer hours than nurses in Norland."],
    );
    check_sides(
        "Patients who took the new drug had 40% fewer attacks than those who used a spray alone. Both groups were small.",
        &["Patients who took the new drug had 40% fewer attacks."],
        &["Patients who used a spray alone had 40% fewer attacks."],
    );
    check_sides(
        "The fund returned 4 points less than its index. It is closed.",
        &["The fund returned 4 points less than its index."],
        &["The fund outperformed its index by 4 points."],
    );
}

/// What is said of both sides, and which of two verbs the comparison has, tells no side.
#[test]
fn a_comparison_that_only_begins_otherwise_is_the_same() {
    check_sides(
        "Women smoke less than men in Japan. The study was large.",
        &["More men than women smoke in Japan.", "In Japan women smoke less than men."],
        &["More women than men smoke in Japan."],
    );
    check_sides(
        "In 2010 tickets cost less than in 2020. The hall is old.",
        &["Tickets cost more in 2020 than in 2010."],
        &["Tickets cost more in 2010 than in 2020."],
    );
    check_sides(
        "There are more cats than dogs in the town. The vet is busy.",
        &["Cats outnumber dogs in the town."],
        &["Dogs outnumber cats in the town."],
    );
}

#[test]
fn from_and_to_are_two_places() {
    check_sides(
        "The ship sailed every week. In 1912 the archive was moved from Riga to Tartu by rail.",
        &["The archive was moved from Riga to Tartu in 1912.", "The archive was moved to Tartu from Riga in 1912."],
        &["The archive was moved from Tartu to Riga in 1912."],
    );
}

#[test]
fn what_one_clause_says_is_not_said_of_the_subject_of_another() {
    check_sides(
        "Tourism created most of the new jobs, while farming shed 46,000. The figures are for May.",
        &["Tourism created most of the new jobs.", "Farming shed 46,000 jobs."],
        &["Farming created most of the new jobs."],
    );
    check_sides(
        "The hospitals hired most of the new staff, while the schools cut 1,300 posts. The unions protested.",
        &["The hospitals hired most of the new staff.", "The schools cut 1,300 posts."],
        &["The schools hired most of the new staff."],
    );
    check_sides(
        "The pilot twice asked for help, but the tower did not answer. It was night.",
        &["The pilot twice asked for help, but the tower did not answer."],
        &["The tower twice asked for help, but the pilot did not answer."],
    );
    // In a list of names all of them are the subject, and `the state` is what was named before it.
    check_sides(
        "Venus, Terra, and Mars are planets with hard ground, whereas Neptune is a body of gas.",
        &["Venus is a planet with hard ground."],
        &["Neptune is a planet with hard ground."],
    );
    check_sides(
        "Idaho has cold nights, and the state has been a major producer of potatoes since 1904.",
        &["Idaho has been a major producer of potatoes since 1904."],
        &[],
    );
}

/// `It` may be what the clause before was about.
#[test]
fn a_clause_that_speaks_of_it_may_speak_of_the_claims_subject() {
    check_sides("The draft was shortened, but critics rejected it in May. It had cost a lot.", &["The draft was rejected in May."], &[]);
    check_sides(
        "Hamburg gained 5,000 people, but Berlin lost 3,000. The figures are for 2020.",
        &["Berlin lost 3,000 people, but Hamburg gained 5,000."],
        &["Hamburg lost 3,000 people, but Berlin gained 5,000."],
    );
}

#[test]
fn a_deed_is_of_whom_the_page_names_beside_it() {
    check_sides(
        "Dana Whitfield, who sponsored the measure, spoke first. Luis Ortega, who opposed it, has ten days to sign it.",
        &["The measure was sponsored by Dana Whitfield.", "Dana Whitfield sponsored the measure."],
        &["The measure was sponsored by Luis Ortega.", "Luis Ortega sponsored the measure."],
    );
    check_sides(
        "Marie Tharp stayed ashore. She worked from data that Bruce Heezen collected at sea.",
        &["Bruce Heezen collected data at sea."],
        &["Marie Tharp collected data at sea."],
    );
    check_sides(
        "The germ was discovered by the German physician Robert Koch in 1882. Emil Behring was his pupil.",
        &["Robert Koch discovered the germ in 1882."],
        &["Emil Behring discovered the germ in 1882."],
    );
}

/// An office has no name of its own, and a firm may be told by who speaks for it.
#[test]
fn a_deed_may_be_told_of_an_office_or_a_firm() {
    check_supported(&[
        ("The Queen opened the bridge in 1932.", "Queen Elizabeth visited the town in 1931. Elizabeth opened the bridge in 1932."),
        ("Volkswagen presented its results in March.", "Volkswagen chief Oliver Blume presented the results in March. He was pleased."),
    ]);
    check_not_supported(&[(
        "Renate Opel presented the results in March.",
        "Oliver Blume presented the results in March. Renate Opel was pleased.",
    )]);
}

#[test]
fn each_of_several_shares_has_an_owner() {
    check_sides(
        "China accounted for around 60% of new cars, Europe for a quarter and the United States for one in ten. Sales rose.",
        &["About 25% of new cars were in Europe and 10% in the United States."],
        &["About 10% of new cars were in Europe and 25% in the United States."],
    );
    check_sides(
        "Wheat took 41% of the land, barley 22% and rye 9%. The rest lay fallow.",
        &["Wheat took 41% of the land and barley 22%."],
        &["Wheat took 22% of the land and barley 41%."],
    );
}

#[test]
fn not_until_says_when_and_none_before_says_who_was_first() {
    check_sides(
        "The tunnel was first opened to cars in 1968. A toll was charged until 1985.",
        &["The tunnel was not opened to cars until 1968."],
        &["The tunnel was not opened to cars in 1968."],
    );
    check_not_supported(&[("Cars were not allowed in the park until 1990.", "Cars were allowed in the park until 1990. It is large.")]);
    check_sides(
        "Wangari Maathai became the first African woman to win the prize.",
        &["No African woman had won the prize before Wangari Maathai."],
        &["No African woman has won the prize."],
    );
}

#[test]
fn what_may_be_done_is_allowed_and_what_is_started_is_founded() {
    check_sides(
        "Owners may rent out a home for no more than 90 nights a year.",
        &["Owners are allowed to rent out a home for up to 90 nights a year."],
        &["Owners are not allowed to rent out a home."],
    );
    check_sides("She founded the choir in 1962.", &["She started the choir in 1962."], &["She dissolved the choir in 1962."]);
}

/// Read word by word against each other, so long a sentence would take minutes.
#[test]
fn a_sentence_without_end_is_no_contrast() {
    let page = Page::of(&"farming shed jobs from Riga to Tartu while tourism created most and ".repeat(4_000));
    assert_eq!(check(&Claim::new("Farming created most of the jobs from Tartu to Riga."), &page).measures.exchanged, 0.0);
}
