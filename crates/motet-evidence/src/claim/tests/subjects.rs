//! The first word of a claim, which may be a name or as well an ordinary word, on pages that speak of somebody else.
//! A name that nothing on the page bears out is told; a word for what the page puts in other words is not.

use super::super::{Claim, Page, check};
use super::readings::{check_not_supported, check_supported};

#[test]
fn what_a_page_calls_the_company_is_named_before_it() {
    const VOLKSWAGEN: &str = "# Annual report of Volkswagen\n\nVolkswagen builds cars in Wolfsburg. The company sold 1.8 million cars in 2023. It has many plants.";
    const OKONKWO: &str = "Okonkwo is an engineer. She wrote the report of 2019. It was long.";
    check_not_supported(&[
        ("Tesla sold 1.8 million cars in 2023.", VOLKSWAGEN),
        ("Hansen wrote the report of 2019.", OKONKWO),
        (
            "Zurich has 434,000 inhabitants and lies on a lake.",
            "Geneva is a town in Switzerland. The town has 434,000 inhabitants and lies on a lake.",
        ),
        (
            "Tesla reported revenue of 91.6 billion euros in 2023.",
            "Bosch is a German engineering company. It reported revenue of 91.6 billion euros in 2023.",
        ),
    ]);
    check_supported(&[("Volkswagen sold 1.8 million cars in 2023.", VOLKSWAGEN), ("Okonkwo wrote the report of 2019.", OKONKWO)]);
}

/// However the sentence begins, it speaks of what was named before it.
#[test]
fn a_company_that_is_named_before_is_meant_wherever_the_sentence_speaks_of_it() {
    for sentence in [
        "In 2023 the company sold 1.8 million cars.",
        "In 2023, it sold 1.8 million cars.",
        "A total of 1.8 million cars were sold in 2023.",
        "Despite strikes, the company sold 1.8 million cars in 2023.",
        "We sold 1.8 million cars in 2023.",
        "According to the board, the company sold 1.8 million cars in 2023.",
    ] {
        let page = format!("# Annual report of Volkswagen\n\nVolkswagen builds cars in Wolfsburg. {sentence} It has many plants.");
        check_not_supported(&[("Tesla sold 1.8 million cars in 2023.", &page)]);
        check_supported(&[("Volkswagen sold 1.8 million cars in 2023.", &page)]);
    }
    let geneva = "Geneva is a town in Switzerland. In 2020 the town had 434,000 inhabitants.";
    check_not_supported(&[("Zurich had 434,000 inhabitants in 2020.", geneva)]);
    check_supported(&[("Geneva had 434,000 inhabitants in 2020.", geneva)]);
}

#[test]
fn a_first_word_that_is_said_to_be_so_much_is_no_name() {
    #[track_caller]
    fn check_missing(claim: &str, page: &str, expected: &[&str]) {
        let missing = check(&Claim::new(claim), &Page::of(page)).missing;
        assert_eq!(missing.iter().map(|missing| missing.text.as_str()).collect::<Vec<_>>(), expected, "{claim} / {page}");
    }
    let louvre = "The Louvre is a museum in Paris. The number of visitors to the museum rose 5 percent in 2022. Tickets cost 17 euros.";
    check_missing("Footfall at the museum rose 5 percent in 2022.", louvre, &[]);
    check_missing("Prado rose 5 percent in 2022.", &louvre.replace("number of visitors to the museum", "museum"), &["Prado"]);
    check_missing("Prado rose 5 percent in 2022.", louvre, &["Prado"]);
    let krupp = "Krupp sold the unit. The number of employees fell to 4,200 at the end of 2022. It had been 5,000.";
    check_missing("Headcount fell to 4,200 at the end of 2022.", krupp, &[]);
    check_missing("Kestrel fell to 4,200 at the end of 2022.", krupp, &["Kestrel"]);
    check_missing("Bosch sold the unit.", krupp, &["Bosch"]);
    let gusts = "Storm Ingrid reached Norway. Gusts of 41.3 metres per second were measured at the lighthouse. Nobody was killed.";
    check_missing("Wind gusts reached 41 metres per second at the lighthouse.", gusts, &[]);
    check_missing("Brunhilde reached 41 metres per second at the lighthouse.", &gusts.replace("Gusts of", "It reached"), &["Brunhilde"]);
}

/// A firm rises and falls by numbers as a quantity does, and whose shares they are was said before.
#[test]
fn a_firm_that_rose_or_fell_by_a_number_is_a_name() {
    check_not_supported(&[
        ("Tesla rose 5% on Friday.", "Shares in Volkswagen were in demand. The stock rose 5% on Friday."),
        ("Tesla fell 5% in March.", "Volkswagen published figures on Tuesday. Deliveries fell 5% in March. Analysts were pleased."),
        ("Kestrel cost 4.5 million euros.", "Brightwater bought a rival. The deal cost 4.5 million euros."),
        ("Kestrel was 30% cheaper in May.", "Brightwater has a new phone. Its phone was 30% cheaper in May."),
        ("Zurich is 434 metres above the sea.", "Geneva is a town in Switzerland. Its station is 434 metres above the sea."),
        (
            "Hansen of the Labour party won 52% of the vote.",
            "Okonkwo stood for mayor. The candidate of the Labour party won 52% of the vote.",
        ),
    ]);
    check_supported(&[
        ("Volkswagen rose 5% on Friday.", "Shares in Volkswagen were in demand. The stock rose 5% on Friday."),
        ("Turnout rose 5% in Hesse.", "Volkmar Klein was elected in Hesse. The number of voters rose 5% in Hesse."),
    ]);
}

/// Every sentence before the best one is read once; read for each of them, so many would take minutes.
#[test]
fn a_page_that_names_nobody_is_read_once() {
    let page = Page::of(&"The company sold cars in 2023. ".repeat(8_000));
    let verdict = check(&Claim::new("Tesla sold cars in 2023."), &page);
    assert!(verdict.missing.is_empty(), "{verdict:?}");
}
