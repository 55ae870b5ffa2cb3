//! How far the rules on small words reach: what stands beside a word that is ruled out, cancelled, ranked or permitted is another matter.
//! Each is a pair of texts that a rule once took too far, beside one that it must still catch.

use super::readings::{check_not_supported, check_supported};
use super::sides::check_sides;

#[test]
fn what_was_stopped_was_not_left_alone() {
    for (happened, denied) in [
        ("The concert in Bonn was cancelled on Friday.", "The concert in Bonn was not cancelled on Friday."),
        ("The old tram line was abandoned in 1959.", "The old tram line was not abandoned in 1959."),
        ("The plan for a new airport was scrapped in May.", "The plan for a new airport was not scrapped in May."),
        ("The death penalty was abolished in 1981.", "The death penalty was not abolished in 1981."),
        ("Trading in the shares was suspended on Monday.", "Trading in the shares was not suspended on Monday."),
        ("Production at the plant was halted in 2009.", "Production at the plant was not halted in 2009."),
        ("The magazine ceased publication in 2004.", "The magazine did not cease publication in 2004."),
        ("The match was stopped after an hour.", "The match was not stopped after an hour."),
        ("The appeal was rejected in May.", "The appeal was not rejected in May."),
        ("The coach was dismissed in May.", "The coach was not dismissed in May."),
    ] {
        check_sides(&format!("{happened} It was busy."), &[happened], &[denied]);
        check_sides(&format!("{denied} It was busy."), &[denied], &[happened]);
    }
    check_sides(
        "The council cancelled the festival because of the storm. Tickets will be refunded.",
        &["The council cancelled the festival."],
        &["The council did not cancel the festival.", "The council did not scrap the festival."],
    );
    // What fails, is denied or avoided is not left alone either.
    check_sides(
        "The drug failed to lower blood pressure. It is dear.",
        &["The drug did not lower blood pressure."],
        &["The drug did not fail to lower blood pressure.", "The drug lowered blood pressure."],
    );
    check_not_supported(&[("Germany never suspended the nuclear exit.", "Germany suspended the nuclear exit in 2010. It was debated.")]);
}

#[test]
fn over_and_under_are_opposites_before_the_same_thing() {
    check_sides(
        "The stadium was finished on time but came in over budget. It seats 40,000.",
        &["The stadium came in over budget."],
        &["The stadium came in under budget."],
    );
    check_sides(
        "Patients over the age of 60 were excluded from the study. It was small.",
        &["Patients over the age of 60 were excluded from the study.", "Patients over 60 were excluded from the study."],
        &["Patients under the age of 60 were excluded from the study."],
    );
    check_not_supported(&[(
        "The bridge passes under the railway near the station.",
        "The bridge passes over the railway near the station. It is old.",
    )]);
    check_supported(&[("Iran handed over the tanker.", "Under the deal, Iran handed the tanker over. It left on Friday.")]);
}

#[test]
fn the_first_of_a_span_is_not_its_last() {
    check_not_supported(&[
        ("She won the title in her first season with the club.", "She won the title in her last season with the club. She was 35."),
        ("The king built the palace in the first year of his reign.", "The king built the palace in the last year of his reign."),
        ("The firm made a profit in the first quarter of 2019.", "The firm made a profit in the last quarter of 2019."),
        ("The first decade of the century was the warmest on record.", "The last decade of the century was the warmest on record."),
    ]);
    check_supported(&[("It was her first marathon.", "She beat last year's winner. It was her first marathon.")]);
}

#[test]
fn what_is_ruled_out_is_no_more_than_what_is_said_to_be() {
    check_sides(
        "A fire broke out in a warehouse in Leeds. Investigators have ruled out arson and said the blaze was caused by an electrical fault. \
         About 60 men fought the flames.",
        &["Investigators said an electrical fault caused the blaze.", "The warehouse fire in Leeds was caused by an electrical fault."],
        &["The fire was caused by arson."],
    );
    check_sides(
        "The inspectors ruled out a gas leak, blaming the explosion on old wiring. Two flats were damaged.",
        &["The inspectors blamed the explosion on old wiring.", "Old wiring was blamed for the explosion."],
        &["The inspectors blamed the explosion on a gas leak."],
    );
    check_sides(
        "Having ruled out a supernova, astronomers concluded that the flash came from a star torn apart by a black hole.",
        &["Astronomers concluded that the flash came from a star torn apart by a black hole."],
        &["Astronomers concluded that the flash came from a supernova."],
    );
    check_sides(
        "Doctors have ruled out surgery, and the striker Jonas Weber will miss six weeks with a torn knee ligament.",
        &["Jonas Weber will miss six weeks with a torn knee ligament."],
        &["Jonas Weber will have surgery on his knee."],
    );
    check_sides(
        "Rumours that the bank was insolvent were unfounded; it reported a profit of 30 million francs in May.",
        &["The bank reported a profit of 30 million francs in May."],
        &["The bank was insolvent."],
    );
    check_supported(&[
        ("Police said a cigarette caused the fire.", "Police ruled out arson and said a cigarette caused the fire. It was small."),
        ("The blaze was caused by a faulty lamp.", "The blaze was caused by a faulty lamp, and arson was ruled out. It was small."),
        (
            "The prime minister promised to hire 5,000 nurses by 2027.",
            "The prime minister ruled out tax rises, promising to hire 5,000 nurses by 2027 instead.",
        ),
        (
            "The midfielder scored twice against Ghent in September.",
            "The midfielder, who has been ruled out for a month, scored twice against Ghent in September.",
        ),
        ("The captain had a broken toe.", "The captain was ruled out of the final with a broken toe. Spain won the final."),
        (
            "Larsen's study showed that glaciers formed the valley.",
            "The study by Larsen refuted the theory of Boyd and showed that glaciers formed the valley.",
        ),
        (
            "The chancellor said her party would govern alone.",
            "The chancellor ruled out a coalition with the far right and said her party would govern alone.",
        ),
    ]);
}

/// `By` names who did it only before somebody, and what belongs to somebody is no deed.
#[test]
fn by_doing_names_nobody_and_a_theory_is_no_deed() {
    check_sides(
        "Turkey took third place by defeating Poland. It rained.",
        &["Turkey came third after beating Poland."],
        &["Poland came third after beating Turkey."],
    );
    check_sides(
        "Einstein's theory, which predicted the bending of light, was confirmed in 1919 by Eddington. It is old.",
        &["Einstein's theory was confirmed by Eddington in 1919."],
        &["Eddington's theory was confirmed by Einstein in 1919."],
    );
}

#[test]
fn what_a_claim_compares_may_be_named_in_either_order() {
    check_supported(&[(
        "Pupils in Chile spend more hours in class than pupils in Spain.",
        "Pupils in Finland spend 680 hours a year in class, pupils in Spain 790 and pupils in Chile 1,060.",
    )]);
    check_not_supported(&[(
        "Lake Vetter is larger than Lake Vener.",
        "Lake Vener is the largest lake in Sweden, ahead of Lake Vetter, the second largest.",
    )]);
}

/// Two deeds of one sentence are seldom done to the same thing.
#[test]
fn another_deed_beside_it_is_no_opposite() {
    check_supported(&[
        (
            "The parliament adopted the budget by 71 votes to 62.",
            "The parliament approved the budget by 71 votes to 62 after rejecting two amendments.",
        ),
        (
            "The crew were rescued by a ferry within an hour.",
            "The crew abandoned the burning trawler and were picked up by a ferry within an hour.",
        ),
        (
            "The rocket was launched on Sunday.",
            "The rocket lifted off on Sunday after an attempt on Friday was cancelled because of wind. The launch cost 94 million dollars.",
        ),
        ("The city introduced a new congestion charge.", "The city brought in a new congestion charge, scrapping the old parking levy."),
        (
            "Jacob Orr became the successor of Tom Hale as head coach in June.",
            "Jacob Orr took over as head coach from his predecessor, Tom Hale, in June.",
        ),
        ("The sanctions were lifted in 2018.", "The sanctions imposed in 2014 were removed in 2018. Trade grew."),
        ("Trading in Nokia was halted for an hour.", "Trading in Nokia was suspended for an hour and then resumed. It was busy."),
        ("Plants absorb carbon dioxide.", "Plants take in carbon dioxide and release oxygen. They need light."),
        ("The Lions scored three tries before the break.", "The Lions won 24-17, with the Bulls conceding three tries before the break."),
        (
            "The supreme court upheld the decision of the appeals court.",
            "The appeals court reversed the verdict, and the supreme court let that decision stand.",
        ),
        (
            "The Senate approved the bill despite the president's objection.",
            "The Senate overrode the president's veto by 71 votes to 29, so the bill became law.",
        ),
    ]);
    check_not_supported(&[
        ("The two treatments gave different results.", "The two treatments gave similar results. They were dear."),
        ("The mushroom is poisonous.", "The mushroom is harmless. It grows in woods."),
    ]);
}

#[test]
fn no_and_the_opposite_say_the_same() {
    check_supported(&[
        ("The shop is no longer open on Sundays.", "The shop is closed on Sundays. Parking is free."),
        ("The airline made no profit last year.", "The airline made a loss of 20 million pounds last year."),
        ("There is no limit on access to the archive for scholars.", "Access to the archive is unlimited for scholars."),
        ("No people have inhabited the island since 1930.", "The island is uninhabited and has been since 1930."),
    ]);
    check_not_supported(&[("The shop is no longer closed on Sundays.", "The shop is closed on Sundays. Parking is free.")]);
}

#[test]
fn a_rank_is_of_what_is_ranked() {
    check_sides(
        "K2 is the second highest mountain in the world and the highest in Pakistan. It is steep.",
        &["K2 is the highest mountain in Pakistan.", "K2 is the second highest mountain in the world."],
        &["K2 is the highest mountain in the world."],
    );
    check_sides(
        "Port Marlow is the largest port in the country and the second busiest in Europe. It is old.",
        &["Port Marlow is the second busiest port in Europe.", "Port Marlow is the largest port in the country."],
        &["Port Marlow is the second largest port in the country."],
    );
    check_sides(
        "Lagos, the largest city in Africa, has the third busiest port on the continent. It is hot.",
        &["Lagos is the largest city in Africa.", "Lagos has the third busiest port on the continent."],
        &["Lagos has the busiest port on the continent.", "Lagos is the third largest city in Africa."],
    );
    check_sides(
        "Birmingham, the second largest city in England, has the largest library in Europe. It is old.",
        &["Birmingham has the largest library in Europe."],
        &["Birmingham is the largest city in England."],
    );
    check_sides(
        "The Nile is the longest river in Africa, followed by the Congo. It is brown.",
        &["The Congo is the second longest river in Africa."],
        &["The Nile is the second longest river in Africa."],
    );
    check_supported(&[
        (
            "The largest number of visitors comes from Germany.",
            "Most visitors come from Germany, the second largest group from Austria. It is near.",
        ),
        (
            "Austrians are the second largest group of visitors.",
            "Most visitors come from Germany, the second largest group from Austria. It is near.",
        ),
    ]);
}

#[test]
fn what_somebody_says_may_be_done_is_allowed_and_what_was_foreseen_may_have_come() {
    check_supported(&[
        ("Residents are allowed to park for free.", "Residents may park for free, the council said. Visitors pay 4 euros."),
        ("Members are allowed to vote by post.", "According to the statutes, members may vote by post. It is a club."),
        ("Pupils are allowed to use calculators in the exam.", "The rules say that pupils may use calculators in the exam. It is long."),
        ("Users are allowed to change the code.", "Under the licence, users may change the code and sell copies. It is free."),
        ("The bridge opened in October 2012.", "The long-anticipated bridge opened in October 2012. It is long."),
        ("The team did not find the particle.", "The team did not find the particle that theory predicts. It was costly."),
    ]);
    check_not_supported(&[
        ("Prices are allowed to rise in 2025.", "Prices may rise in 2025, the bank said. It is dear."),
        ("The firm is allowed to build 200 flats.", "The firm may build 200 flats, its rivals predict. It is large."),
    ]);
}

/// Whether a word stands elsewhere is not asked of the whole page for each sentence that rules something out, which
/// would cost the square of its length.
#[test]
fn a_page_that_rules_out_much_is_read_once() {
    let page = "The market is old. ".repeat(8_000)
        + &"Police ruled out gas at the market for the fire, which was caused by gas. ".repeat(4_000)
        + "The fire at the market was caused by gas.";
    check_supported(&[("The fire at the market was caused by gas.", &page)]);
}
