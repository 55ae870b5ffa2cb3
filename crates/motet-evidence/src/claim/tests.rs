//! Claims about one small source, each changed in one way.

mod excuses;
mod pairs;
mod reach;
mod readings;
mod regressions;
mod relations;
mod restraint;
mod sides;
mod subjects;

use super::{Claim, Label, Method, MissingKind, Page, check, cite};

const SOURCE: &str = "# Harbour of Lindau\n\nThe harbour of Lindau was finished in 1856 by the Bavarian engineer Johann Huber. \
    Its lighthouse is 33 metres tall and was the southernmost in Germany. In 2019 about 1.2 million people visited the town, 8 percent more than in 2018. \
    The city council did not approve the new ferry. Ticket sales rose in every year after 2015. \
    The World Health Organization praised the promenade. The reports about rats were unfounded.\n\n## References\n\n[1] Meier, K. (1911). A history of steam. Zurich.\n[2] https://example.org/steam\n";

fn check_missing(claim: &str, expected: &[&str]) {
    check_missing_in(SOURCE, claim, expected);
}

fn check_missing_in(source: &str, claim: &str, expected: &[&str]) {
    let verdict = check(&Claim::new(claim), &Page::of(source));
    let missing: Vec<&str> = verdict.missing.iter().map(|missing| missing.text.as_str()).collect();
    assert_eq!(missing, expected, "{claim}");
    assert!(verdict.missing.iter().all(|missing| missing.span.of(claim) == missing.text));
}

fn score(claim: &str) -> f64 {
    check(&Claim::new(claim), &Page::of(SOURCE)).score
}

#[test]
fn numbers_that_the_source_does_not_have_are_missing() {
    check_missing("The lighthouse of Lindau is 33 metres tall.", &[]);
    check_missing("The lighthouse of Lindau is 36 metres tall.", &["36"]);
    check_missing("In 2019, 1,200,000 people visited Lindau.", &[]);
    check_missing("Lindau had 8% more visitors in 2019.", &[]);
    check_missing("Lindau had 9% more visitors in 2019.", &["9%"]);
    check_missing("The lighthouse is 108 feet (33 m) tall.", &[]);
}

#[test]
fn names_that_the_source_does_not_have_are_missing_and_variants_are_not() {
    check_missing("The harbour was built by Johann Huber of Bavaria.", &[]);
    check_missing("The harbour was built by J. Huber.", &[]);
    check_missing("The harbour was built by Karl Huber.", &["Karl"]);
    check_missing("The harbour was built by Johann Schmidt.", &["Schmidt"]);
    check_missing("The promenade was praised by the WHO.", &[]);
    check_missing("The promenade was praised by UNESCO.", &["UNESCO"]);
    check_missing("The promenade was paid for by the Royal Bank.", &["Royal", "Bank"]);
}

#[test]
fn a_source_that_has_the_names_but_no_word_of_what_is_said_of_them_bears_nothing_out() {
    for claim in ["Johann Huber was murdered.", "Johann Huber is pink.", "Bavaria collapsed in 1856."] {
        assert_ne!(check(&Claim::new(claim), &Page::of(SOURCE)).label, Label::Supported, "{claim}");
    }
    assert_eq!(check(&Claim::new("Johann Huber finished the harbour of Lindau."), &Page::of(SOURCE)).label, Label::Supported);
}

#[test]
fn a_name_of_several_words_is_missing_once_and_told_word_by_word() {
    let claim = "The promenade was praised by Anna Maria Kessler.";
    check_missing(claim, &["Anna", "Maria", "Kessler"]);
    assert_eq!(check(&Claim::new(claim), &Page::of(SOURCE)).measures.missing_names, 1.0);
}

#[test]
fn a_number_that_the_claim_only_bounds_is_borne_out_by_another_within_the_bound() {
    let source = "The bridge was built in 1930 and carries 96 trains a day. Its repair cost 28 million euros.";
    for (claim, expected) in [
        ("The bridge carries fewer than 150 trains a day.", &[][..]),
        ("The bridge carries fewer than 96 trains a day.", &["96"]),
        ("The bridge carries more than 140 trains a day.", &["140"]),
        ("The repair cost more than 20 million euros.", &[]),
        ("The repair cost more than 30 million euros.", &["30 million"]),
        ("The bridge was built before 1932.", &[]),
        ("The bridge was built after 1932.", &["1932"]),
    ] {
        check_missing_in(source, claim, expected);
    }
}

#[test]
fn what_an_excerpt_is_about_may_be_named_outside_of_it() {
    let claim = "Silver Harbour has a rating of 5 percent.";
    check_missing_in("Based on 40 reviews, the film has a rating of 5 percent.", claim, &[]);
    check_missing_in("Born in Oslo, she gave it a rating of 5 percent.", claim, &[]);
    check_missing_in("The film Northern Lights has a rating of 5 percent.", claim, &["Silver", "Harbour"]);
    check_missing_in("Northern Lights came out in May. It has a rating of 5 percent.", claim, &["Silver", "Harbour"]);
    let page = "Critics met. They wrote much. The film has a rating of 5 percent, based on 40 reviews.";
    check_missing_in(page, claim, &["Silver", "Harbour"]);
}

#[test]
fn initials_bear_out_the_phrase_that_they_stand_for() {
    let claim = "Bovine spongiform encephalopathy is also called mad cow disease.";
    check_missing_in("BSE is also called mad cow disease.", claim, &[]);
    check_missing_in("BST is also called mad cow disease.", claim, &["Bovine"]);
}

#[test]
fn a_date_in_a_heading_holds_for_the_whole_page() {
    let filler = "Nothing much was played on the air that morning. ".repeat(24);
    let claim = "On October 6 the band released the song by satellite.";
    check_missing_in(&format!("## Why October 6 matters\n\n{filler}The band released the song by satellite."), claim, &[]);
    check_missing_in(
        &format!("{filler}The band released the song by satellite. Why October 6 matters nobody knows, he said."),
        claim,
        &["October 6"],
    );
}

#[test]
fn the_bibliography_of_a_source_supports_nothing() {
    check_missing("The history was written by Meier in 1911.", &["Meier", "1911"]);
}

#[test]
fn context_may_say_what_the_source_does_not() {
    let page = Page::of(SOURCE);
    let claim = Claim { text: "In 1856 the harbour of Lindau was finished under King Maximilian.", context: "Maximilian ruled Bavaria." };
    assert!(check(&claim, &page).missing.is_empty());
    let verdict = check(&Claim::new(claim.text), &page);
    assert_eq!(verdict.missing.iter().map(|missing| missing.kind).collect::<Vec<_>>(), [MissingKind::Name]);
}

#[test]
fn true_and_false_claims_about_the_same_thing_are_told_apart() {
    for (right, wrong) in [
        ("The council did not approve the new ferry.", "The council approved the new ferry."),
        ("Ticket sales rose every year after 2015.", "Ticket sales fell every year after 2015."),
        ("Ticket sales rose every year after 2015.", "Ticket sales rose every year before 2015."),
        ("The reports about rats were unfounded.", "The reports about rats were founded."),
        ("The harbour was finished in 1856.", "The harbour was finished in 1865."),
        ("The engineer Johann Huber finished the harbour.", "The engineer Georg Huber finished the harbour."),
    ] {
        assert!(score(right) > 0.5, "{right}: {}", score(right));
        assert!(score(wrong) < score(right) - 0.2, "{wrong}: {} and {}", score(wrong), score(right));
    }
}

#[test]
fn a_verdict_says_where_its_support_stands() {
    let verdict = check(&Claim::new("The lighthouse is 33 metres tall."), &Page::of(SOURCE));
    assert_eq!((verdict.label, verdict.method), (Label::Supported, Method::Lexical));
    assert!(verdict.span.is_some_and(|span| span.of(SOURCE).starts_with("Its lighthouse is 33 metres")));
}

#[test]
fn words_in_quotation_marks_must_stand_in_the_source() {
    let page = Page::of(SOURCE);
    let label = |claim: &str| cite(&Claim::new(claim), &page).label;
    assert_eq!(label("It \u{201c}did not approve the new ferry\u{201d} at all."), Label::Supported);
    assert_eq!(label("It \u{201c}strongly welcomed the new ferry line\u{201d} at once."), Label::Misquoted);
}

#[test]
fn nothing_is_supported_by_an_empty_page_and_nothing_says_nothing() {
    assert_eq!(check(&Claim::new("Anything at all happened in 1990."), &Page::of("")).label, Label::Unsupported);
    assert_eq!(check(&Claim::new(""), &Page::of(SOURCE)).label, Label::Unsupported);
}

#[test]
fn a_number_that_is_said_of_something_else_is_missing_and_told_with_its_place() {
    let source = "The market hall was built in 1868 and has 27 stalls. Bill Hanley has sold cheese there since 1921. \
        The brewery gave 10,000 pounds. Repairs will cost 45,000 pounds.";
    let page = Page::of(source);
    for (right, wrong, number) in [
        ("The market hall was built in 1868.", "The market hall was built in 1921.", "1921"),
        ("Repairs will cost 45,000 pounds.", "Repairs will cost 10,000 pounds.", "10,000"),
    ] {
        assert_eq!(check(&Claim::new(right), &page).missing, []);
        let verdict = check(&Claim::new(wrong), &page);
        let places: Vec<(&str, &str)> =
            verdict.missing.iter().map(|missing| (missing.text.as_str(), missing.elsewhere.map_or("", |span| span.of(source)))).collect();
        assert_eq!(places, [(number, number)], "{wrong}");
        assert_eq!(verdict.method, Method::NumbersAndNames);
    }
}

#[test]
fn small_words_and_roles_make_a_difference() {
    let page = Page::of(
        "Brandt Marine is to buy Norvik Yard from a fund. The company may still appeal to the court. \
         Three of the five judges signed the letter. Girls did better than boys almost everywhere. It is the second largest lake of the country. \
         Rovers moved up to fourth in the table. A woman is accused of stealing the painting.",
    );
    let score = |claim: &str| check(&Claim::new(claim), &page).score;
    for (right, wrong) in [
        ("Brandt Marine is to buy Norvik Yard.", "Norvik Yard is to buy Brandt Marine."),
        ("Norvik Yard is to be bought by Brandt Marine.", "Brandt Marine is to be bought by Norvik Yard."),
        ("The company may appeal to the court.", "The company has appealed to the court."),
        ("Three judges signed the letter.", "All judges signed the letter."),
        ("Girls did better than boys.", "Boys did better than girls."),
        ("It is the second largest lake of the country.", "It is the largest lake of the country."),
        ("Rovers moved up to fourth in the table.", "Rovers moved down to fourth in the table."),
        ("A woman is accused of stealing the painting.", "A woman has stolen the painting."),
    ] {
        assert!(score(wrong) < score(right) - 0.05, "{wrong}: {:.2}, {right}: {:.2}", score(wrong), score(right));
    }
}

#[test]
fn a_denial_in_other_words_is_no_contradiction() {
    let page = Page::of("The contracts are temporary. The board found no technical fault. He failed to reach the summit.");
    for claim in ["The contracts are not permanent.", "The board did not find a technical fault.", "He did not reach the summit."] {
        let measures = check(&Claim::new(claim), &page).measures;
        assert_eq!((measures.negation, measures.opposite), (0.0, 0.0), "{claim}");
    }
    assert_eq!(check(&Claim::new("The board found a technical fault."), &page).measures.negation, 1.0);
}

#[test]
fn a_negation_denies_what_follows_it_and_nothing_else_of_its_sentence() {
    let page = Page::of(
        "The cells pass on traits that are not encoded in the genes. Anna Berg of Oslo reached the summit without oxygen in 1978.",
    );
    let negation = |claim: &str| check(&Claim::new(claim), &page).measures.negation;
    assert_eq!(negation("The cells pass on traits."), 0.0);
    assert_eq!(negation("Anna Berg of Oslo reached the summit in 1978."), 0.0);
    assert_eq!(negation("The cells pass on traits that are encoded in the genes."), 1.0);
}

#[test]
fn a_verb_belongs_to_the_names_near_it() {
    let page = Page::of(
        "Some of the tools made by Ostara are listed in the catalogue of the spring of last year in the order of their names: Brisk, Candle, Dovetail.",
    );
    assert_eq!(check(&Claim::new("Candle is a tool made by Ostara."), &page).measures.exchanged, 0.0);
}

#[test]
fn a_plain_denial_is_never_supported_however_many_words_agree() {
    let page =
        Page::of("After `kill -9` the next process takes over immediately. A second process on a run that is driven is told by whom.");
    let right = check(&Claim::new("After kill -9 the next process takes over."), &page);
    let wrong = check(&Claim::new("After kill -9 the next process never takes over."), &page);
    assert_eq!((right.label, right.is_denied()), (Label::Supported, false), "{right:?}");
    assert_eq!((wrong.label, wrong.is_denied()), (Label::Partly, true), "{wrong:?}");
}
