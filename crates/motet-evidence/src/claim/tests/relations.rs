//! Sentences that have every word of a claim and say another thing: who did it, what a word leads to, what is taken back, which number is whose.
//! Each false claim stands beside a true one of the same shape, so that no rule objects to the shape alone.

use super::super::{Claim, Page, check};
use super::readings::{check_missing, check_not_supported, check_supported};
use super::sides::check_sides;

#[test]
fn who_did_it_is_who_stands_before_the_verb() {
    check_sides(
        "Under its terms Aldovia ceded two islands to Teres and paid an indemnity of 200,000 florins. The war was over.",
        &["Aldovia paid an indemnity of 200,000 florins to Teres.", "Aldovia ceded two islands to Teres."],
        &["Teres paid an indemnity of 200,000 florins to Aldovia.", "Teres ceded two islands to Aldovia."],
    );
    check_sides(
        "The union had sued the company over unpaid wages. A court ruled in May.",
        &["The union sued the company over unpaid wages."],
        &["The company sued the union over unpaid wages."],
    );
    check_sides(
        "United moved up to fourth after coming from behind to beat Rangers on Saturday. It rained.",
        &["United beat Rangers on Saturday."],
        &["Rangers beat United on Saturday."],
    );
    // Another word for the verb may have another object, and what is compared may be named in either order.
    check_supported(&[
        ("46 soldiers died of scurvy in the first winter.", "Scurvy killed 46 soldiers in the first winter. It was cold."),
        ("The groups differed significantly in lung function.", "There was a significant difference in lung function between the groups."),
        ("Norway bought more timber than Finland.", "Finland bought less timber than Norway. Both sold paper."),
    ]);
}

#[test]
fn small_verbs_are_deeds_too() {
    check_sides(
        "Tomas Brandl put the visitors ahead after nine minutes. Ivo Santos was sent off.",
        &["Tomas Brandl put the visitors ahead after nine minutes."],
        &["Ivo Santos put the visitors ahead after nine minutes."],
    );
    check_sides(
        "Clara Weiss became mayor of Lindau in 1999. Otto Brandt was her deputy.",
        &["Clara Weiss became mayor of Lindau in 1999."],
        &["Otto Brandt became mayor of Lindau in 1999."],
    );
}

#[test]
fn a_word_leads_by_its_preposition_to_what_the_page_says() {
    check_sides(
        "The company will close its mill in Dorna by May and invest in a new furnace at Veldt. Sales fell.",
        &["The company will close its mill in Dorna by May."],
        &["The company will close its mill in Veldt by May."],
    );
    check_sides(
        "Most new jobs were created in construction and tourism; manufacturing lost 2,600. Wages rose.",
        &["Most new jobs were created in construction.", "Most new jobs were created in tourism."],
        &["Most new jobs were created in manufacturing."],
    );
    check_supported(&[
        ("Her friends have places at a school in Lund.", "Most of her friends have places at a school in the town of Lund. It is near."),
        ("Jobs were created in manufacturing.", "Jobs were created in construction, tourism and manufacturing. Wages rose."),
        ("The cost of paper is rising.", "The rising cost of paper is due to the cost of wood pulp, from which paper is made."),
        ("Jobs were created in manufacturing.", "In manufacturing, jobs were created in spring. Wages rose."),
    ]);
}

#[test]
fn what_one_clause_says_of_its_subject_is_not_said_of_another() {
    check_sides(
        "The chairman said demand from car makers had collapsed but orders from the wind industry had held up. Shares fell.",
        &["Demand from car makers collapsed.", "Orders from the wind industry held up."],
        &["Orders from the wind industry collapsed."],
    );
    check_sides(
        "The captain, 57, had 11,300 hours of flying; the first officer, who was flying, had 640. Both were rested.",
        &["The captain had 11,300 hours of flying."],
        &["The first officer had 11,300 hours of flying."],
    );
    check_supported(&[(
        "Equities gained 21.3 percent and unlisted property lost 12.4 percent.",
        "Equity investments returned 21.3%, while unlisted real estate lost 12.4%. It was a good year.",
    )]);
}

#[test]
fn a_number_of_a_row_is_of_the_thing_beside_it() {
    const CLUB: &str = "The club is old. Between 1989 and 2005, they won four league titles: 1989, 1991, 1998, and 2002, and six cups: 1993, 1998, \
        2002, 2003, 2005. They first reached the first division in the 1904-1905 season.";
    check_sides(
        "Singapore came first with 587 points, followed by Korea with 573 and Russia with 567. The test was hard.",
        &["Korea came second with 573 points.", "Russia reached 567 points."],
        &["Korea came second with 567 points."],
    );
    check_sides(
        "The tunnel will cut the crossing to ten minutes by car and seven by train. It is long.",
        &["The crossing will take ten minutes by car."],
        &["The crossing will take ten minutes by train."],
    );
    check_sides(
        "The greatest depth of the lake is 143 metres, its mean depth 27. It freezes.",
        &["The greatest depth of the lake is 143 metres."],
        &["The mean depth of the lake is 143 metres."],
    );
    const JUDGES: &str = "Lord Brennan said that the clause was unreasonable within the meaning of section 3 of the Contract Terms Act 1977. \
        The three judges, by a majority of two to one, overturned a decision of the High Court, which had held in 2018 that it was valid.";
    check_supported(&[("The clause was held unreasonable under section 3 of the Act of 1977.", JUDGES)]);
    check_missing(&[("The clause was held unreasonable under section 2 of the Act of 1977.", JUDGES, "2")]);
    // What is said of a bare list is said of each, and what stands before the first of several is said of all.
    check_supported(&[("The club won the cup in 2003.", CLUB), ("The club won the league title in 1998.", CLUB)]);
    let air = "A common gas for diving is compressed air, which consists of approximately 21% oxygen and 79% nitrogen. It is cheap.";
    let measures = check(&Claim::new("Compressed air for diving consists of approximately 79% nitrogen."), &Page::of(air)).measures;
    assert!(measures.rival_numbers <= 0.0, "{measures:?}");
}

#[test]
fn what_is_denied_is_refuted_where_the_page_says_it() {
    check_not_supported(&[
        ("The lake does not freeze in winter.", "The lake is deep. It freezes from December to April."),
        ("None of the men confessed.", "Three of the men confessed and gave back the loot; several pieces are still missing."),
        ("Several people were hurt in the fire.", "Fire at the market\n\nThe roof fell in. Nobody was hurt."),
        ("Two firefighters were killed by smoke.", "Two firefighters were treated for smoke inhalation; nobody was killed."),
        ("No Dane won the race before Holm.", "Holm was the first to fall in the race. A Dane won."),
    ]);
    check_supported(&[
        ("No interim dividend will be paid.", "The interim dividend has been scrapped. Shares fell."),
        ("Nobody was hurt in the fire.", "Fire at the market\n\nThe roof fell in. Nobody was hurt in the fire."),
        ("The lake does not freeze.", "The lake never freezes. It is deep."),
    ]);
}

#[test]
fn what_a_page_takes_back_it_does_not_say() {
    check_sides(
        "Queen Victoria visited the castle in 1859 and declined to sleep in the slate bed. It is large.",
        &["Queen Victoria visited the castle in 1859.", "Queen Victoria declined to sleep in the slate bed."],
        &["Queen Victoria slept in the slate bed in 1859."],
    );
    check_sides(
        "A fire in 1871 destroyed the fort, except for the powder house. It was rebuilt.",
        &["A fire destroyed the fort in 1871."],
        &["The powder house was destroyed by a fire in 1871."],
    );
    check_sides(
        "The lake fills a basin dammed by a landslide; a volcanic origin, once proposed, has been ruled out. It is deep.",
        &["The lake fills a basin dammed by a landslide."],
        &["The lake is of volcanic origin."],
    );
    check_not_supported(&[(
        "The island council was consulted before the decision.",
        "The island council, which was told only last week, said it had not been consulted and would ask for help.",
    )]);
    check_supported(&[
        ("The court decided against hearing the appeal.", "The court refused to hear the appeal, so the ruling of 2019 stands. It is old."),
        ("Police have not ruled out arson.", "The police have not ruled out arson. It burnt for hours."),
        ("The minister signed the treaty.", "The minister signed the treaty, but failed to read it. It was long."),
    ]);
}

#[test]
fn the_second_largest_is_smaller_than_the_one_it_comes_after() {
    check_sides(
        "Lake Ormen\n\nIt is the second-largest lake in the country, after Lake Bress. It is deep.",
        &["Lake Bress is larger than Lake Ormen."],
        &["Lake Ormen is larger than Lake Bress."],
    );
}

/// Small words and times that look like opposites.
#[test]
fn opposites_are_of_the_same_thing() {
    check_supported(&[
        ("Aldovia handed over the islands to Teres.", "Under its terms Aldovia handed the islands to Teres. The war was over."),
        ("The yard's director remains under its new owner.", "The yard's director stays under its new owner; the deputy is leaving."),
        ("The firm made a loss in the first half.", "The firm made a loss in the first half, against a profit last year. It is old."),
    ]);
    check_not_supported(&[
        ("Bookings were well above expectations.", "Bookings were well below expectations. Shares fell."),
        ("She and her wife walked away.", "She and her husband walked away. It was late."),
    ]);
}

#[test]
fn what_somebody_denies_or_is_cleared_of_is_not_said_of_them() {
    check_sides(
        "The mayor, Ann Doyle, denied taking bribes from the builder. She lives in Kellmouth.",
        &["Ann Doyle denied taking bribes from the builder.", "Ann Doyle lives in Kellmouth."],
        &["Ann Doyle took bribes from the builder."],
    );
    check_sides(
        "The minister denied that he had resigned in May. The company was cleared of polluting the river.",
        &["The company was cleared of polluting the river."],
        &["The minister resigned in May.", "The company polluted the river."],
    );
    check_sides(
        "The patient is free of cancer. Rumours that the plane was hijacked proved false.",
        &["The patient is free of cancer."],
        &["The patient has cancer.", "The plane was hijacked."],
    );
    // What is admitted later is said.
    check_supported(&[(
        "The mayor took bribes from the builder.",
        "At first the mayor denied taking bribes from the builder. In court the mayor admitted that she took bribes from the builder.",
    )]);
}

#[test]
fn a_plain_denial_is_read_in_german_and_french() {
    check_sides("Das Werk ist nicht sicher. Der Turm ist alt.", &["Der Turm ist alt."], &["Das Werk ist sicher."]);
    check_sides("Le pont n'est pas ouvert. La tour est haute.", &["La tour est haute."], &["Le pont est ouvert."]);
}
