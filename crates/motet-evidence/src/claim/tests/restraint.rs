//! True paraphrases that a rule on roles, prepositions or numbers must leave alone, each with the false claims of its shape that it is there for.
//! What the rules object to at all is tested in `relations` and `sides`.

use super::super::{Claim, Page, check};
use super::readings::{check_not_supported, check_supported};
use super::sides::check_sides;

#[test]
fn a_participle_behind_a_noun_is_not_its_deed() {
    check_supported(&[
        ("France signed the treaty in 1763.", "The treaty signed by France in 1763 ended the war. It was long."),
        ("Josef Krall founded the company in 1921.", "The company founded by Josef Krall in 1921 made bicycles."),
        ("Ana Sousa directed the film.", "The film directed by Ana Sousa opened in Lisbon in March."),
        ("The ministry published the report on Friday.", "A report published by the ministry on Friday shows that emissions fell."),
        ("Parliament passed the law last week.", "The law passed by parliament last week bans smoking in cars."),
        ("Gaudi built the house in 1906.", "The house built by Gaudi in 1906 is a museum. It is blue."),
        ("The state sold the bonds in June.", "The bonds sold by the state in June raised 3 billion euros."),
        ("The rebels held the prisoners.", "Prisoners held by the rebels were freed on Friday. They were tired."),
        ("The church raised the money for a new roof.", "The money raised by the church paid for a new roof."),
        ("Messi scored the goal that decided the match.", "The goal scored by Messi in the 23rd minute decided the match."),
        ("The tool released by Microsoft in 2015 is free.", "Microsoft released the tool in 2015. It is free."),
        ("The portrait painted by Rembrandt was found in an attic.", "Rembrandt painted the portrait. It was found in an attic in 1971."),
    ]);
    check_not_supported(&[
        ("Leeds beat Arsenal 3-1.", "Arsenal beat Leeds 3-1, conceding only a late penalty. It rained."),
        ("Investors misled the company, the judge said.", "The judge said the company had misled investors. The fine was reduced."),
    ]);
}

#[test]
fn a_noun_behind_a_noun_is_no_deed() {
    check_supported(&[
        (
            "The European Central Bank cut rates by 25 basis points.",
            "The European Central Bank announced a rate cut of 25 basis points on Thursday.",
        ),
        (
            "The government cut the fuel tax from 60 cents to 45 cents a litre.",
            "The government has announced a fuel tax cut from 60 cents to 45 cents a litre. Petrol is still dear.",
        ),
        (
            "Amazon cut the price of its cheapest reader by 10 percent.",
            "Amazon announced a price cut of 10 percent on its cheapest reader.",
        ),
    ]);
}

#[test]
fn another_word_for_an_object_may_be_the_doer() {
    check_supported(&[(
        "The Supreme Court overturned a decision of the state court.",
        "The Supreme Court sided with Carver. The ruling overturned a decision of the state court.",
    )]);
}

#[test]
fn what_is_said_of_two_joined_by_and_is_said_of_each() {
    check_supported(&[
        ("The independence of Switzerland was recognised.", "The independence of the Netherlands and Switzerland was recognised."),
        ("The independence of Switzerland was recognised.", "The independence of the Netherlands and of Switzerland was recognised."),
        ("The president of Germany was invited to the summit.", "The presidents of France and Germany were invited to the summit."),
        ("Parts of Sussex were flooded in January.", "Parts of Kent and Sussex were flooded in January."),
        ("Parts of Sussex were flooded.", "Parts of Kent and Sussex were under water, and the flooded roads were closed."),
        ("Imports of maize rose by 8 percent.", "Imports of wheat and maize rose by 8 percent."),
        ("Flights to Crete were delayed by fog.", "Flights to Malta, Cyprus and Crete were delayed by fog."),
        ("Children with diabetes had worse results.", "Children with asthma or diabetes had worse results."),
        ("Talks with Kosovo have stalled.", "Talks with Serbia and Kosovo have stalled."),
    ]);
}

#[test]
fn what_a_word_leads_to_may_be_the_subject_of_the_same_in_other_words() {
    check_sides(
        "Investment in railways doubled; roads received 2 billion euros, as in the year before.",
        &["Investment in roads was 2 billion euros."],
        &["Investment in roads doubled."],
    );
    check_sides(
        "Apple fell 3 percent on Monday, while shares of Microsoft rose 1 percent. Trading in Nokia was suspended for an hour.",
        &["Shares of Apple fell 3 percent on Monday."],
        &["Trading in Apple was suspended.", "Shares of Microsoft fell 3 percent."],
    );
    check_sides(
        "Malaria killed 9 percent fewer people than in 2010, while deaths from tuberculosis rose slightly. Most cases are in Africa.",
        &["Deaths from tuberculosis rose slightly."],
        &["Deaths from malaria rose."],
    );
    check_supported(&[
        (
            "Blood pressure fell by 9 points in patients who received the drug.",
            "Blood pressure fell by 9 points in the treated group. In all, 412 patients received the drug.",
        ),
        ("The number of visitors from China was 10,000.", "The number of visitors from Japan fell, and China sent only 10,000."),
        ("The shop in Linz will close in May.", "The shop in Graz will stay; the one in Linz is closing in May."),
    ]);
}

#[test]
fn a_plural_names_several_of_its_kind() {
    check_supported(&[
        ("Section 2 was repealed in 2015.", "Sections 2 and 3 were repealed in 2015; section 5 remains in force."),
        ("Line 4 uses the tunnel under the river.", "Lines 1 and 4 share the tunnel under the river; line 6 crosses by bridge."),
        ("Phase 2 was completed in 2019.", "Phases 1 and 2 were completed in 2019; phase 3 has been delayed."),
        ("Group 1 received the drug.", "Groups 1 and 2 got the drug. Group 3 got a placebo."),
        ("Reactor 2 melted down.", "Reactors 1, 2 and 3 melted down. Reactor 4 was empty of fuel."),
        ("Chapter 4 has details of the method.", "See chapters 4-6 for details of the method; chapter 9 lists the data."),
        ("Class 2 passed the test.", "Classes 1 and 2 passed the test; class 3 failed."),
        ("Category 2 storms passed the coast.", "Categories 1 and 2 of storms passed the coast; category 3 did not."),
    ]);
    check_not_supported(&[
        ("Group 3 got the drug.", "Groups 1 and 2 got the drug. Group 3 got a placebo."),
        ("Reactor 4 melted down.", "Reactors 1, 2 and 3 melted down. Reactor 4 was empty of fuel."),
    ]);
}

#[test]
fn what_tells_the_first_of_two_numbers_is_not_said_of_the_second() {
    check_not_supported(&[
        ("The submarine displaced 834 tons when surfaced.", "The submarine displaced 662 tons when surfaced and 834 when submerged."),
        ("The tower measured 96 metres before the fire.", "The tower measured 120 metres before the fire and 96 after it."),
        ("The lake covered 90 square kilometres in 1960.", "The lake covered 300 square kilometres in 1960 and 90 in 2010."),
    ]);
    check_supported(&[(
        "A family ticket costs 30 euros.",
        "A ticket costs 12 euros for adults and 7 for children, and a family ticket 30.",
    )]);
}

#[test]
fn a_list_that_had_its_and_ends_at_the_next() {
    let finals = "The team lost the finals of 2001 and 2005, and 2009 was the year in which it won.";
    check_not_supported(&[("The team lost the final of 2009.", finals), ("The team won in 2005.", finals)]);
    check_supported(&[("The team lost the final of 2005.", finals), ("The team lost the final of 2001.", finals)]);
}

#[test]
fn by_and_a_deed_say_how_and_name_nobody() {
    check_sides(
        "Turkey took third place by defeating Poland. The next championship will be held in 2026.",
        &["Turkey came third after beating Poland."],
        &["Poland came third after beating Turkey."],
    );
    check_supported(&[(
        "Einstein's theory was confirmed by Eddington in 1919.",
        "Einstein's theory, which predicted the bending of light, was confirmed in 1919 by Eddington.",
    )]);
}

/// Asked anew for each sentence or number, so many would take minutes.
#[test]
fn what_is_the_same_for_the_whole_page_is_asked_once() {
    let verdict = |claim: &str, page: &str| check(&Claim::new(claim), &Page::of(page)).label;
    let mills = "The company closed its mill in Dorna. Veldt was spared that year. ".repeat(6_000);
    let taxes = "The company first paid taxes late in 2015 and 2015 and 2015 , ".repeat(6_000);
    assert_ne!(verdict("The company closed its mill in Veldt.", &mills), super::Label::Supported);
    assert_ne!(verdict("The company did not pay taxes until 2015.", &taxes), super::Label::Supported);
}
