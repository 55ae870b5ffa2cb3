//! What excuses a claim that a rule would object to, each beside a false claim that looks like it.
//! A false claim that is excused is worse than a true one that is not, so most of these are false.

use super::super::{Claim, Page, check};
use super::readings::{check_not_supported, check_supported};
use super::sides::check_sides;

#[test]
fn a_number_of_a_list_is_of_what_stands_in_the_same_part_of_it() {
    check_sides(
        "Norlink grew 25% in Europe, 10% in Asia and 5% in Africa. Costs fell.",
        &["Norlink grew 25% in Europe and 10% in Asia.", "Norlink grew 10% in Asia and 5% in Africa."],
        &["Norlink grew 10% in Europe and 5% in Asia.", "Norlink grew 5% in Asia and 10% in Africa."],
    );
    check_sides(
        "Biontech employs 2,100 people in Mainz, 900 in Marburg and 400 in Vienna. It is growing.",
        &["Biontech employs 2,100 people in Mainz and 900 in Marburg."],
        &["Biontech employs 900 people in Mainz and 400 in Marburg.", "Biontech employs 900 people in Mainz and 2,100 in Marburg."],
    );
    check_sides(
        "The Eurobarometer found support of 63% in Poland, 41% in Hungary and 22% in Slovakia. It was taken in May.",
        &["Support was 63% in Poland and 41% in Hungary."],
        &["Support was 41% in Poland and 22% in Hungary."],
    );
}

/// In a part with two numbers, or with none, the list does not say which is meant, and the other number stays a rival.
#[test]
fn a_list_in_which_a_thing_has_no_number_of_its_own_settles_nothing() {
    #[track_caller]
    fn check_rivals(claim: &str, page: &str, is_settled: bool) {
        let measures = check(&Claim::new(claim), &Page::of(page)).measures;
        assert_eq!(measures.rival_numbers == 0.0, is_settled, "{claim} / {page}: {measures:?}");
    }
    const TWICE: &str = "Norlink grew 5% or 8% with services in Europe and 9% or 12% with services in Asia. Costs fell.";
    const BETWEEN: &str = "Norlink grew between 20% and 25% in Europe and 10% in Asia. Costs fell.";
    check_rivals("Norlink grew 5% in Europe and 9% in Asia.", TWICE, false);
    check_rivals("Norlink grew 25% in Europe and 10% in Asia.", BETWEEN, false);
    check_rivals("Norlink grew 25% in Europe and 10% in Asia.", &BETWEEN.replace("between 20% and ", ""), true);
    check_not_supported(&[(
        "Sales rose 25% in Europe and 10% in Asia.",
        "Sales rose 30% in Europe and Asia, 25% in Africa and 10% in Peru. Costs fell.",
    )]);
}

#[test]
fn not_until_a_year_is_excused_by_a_clause_that_dates_the_same() {
    check_sides(
        "The tunnel was opened to cars in 1968 and to lorries in 1985. It is long.",
        &[],
        &["The tunnel was not opened to cars until 1985.", "It was not until 1985 that the tunnel was opened to cars."],
    );
    check_sides(
        "The tunnel was first opened to cars in 1968 and to lorries in 1985. It is long.",
        &["The tunnel was not opened to cars until 1968.", "It was not until 1968 that the tunnel was opened to cars."],
        &["The tunnel was not opened to cars until 1985.", "It was not until 1985 that the tunnel was opened to cars."],
    );
    check_supported(&[("The tunnel was opened to cars in 1968.", "The tunnel was not opened to cars until 1968. It is long.")]);
    check_not_supported(&[
        ("The tunnel was not opened to cars until 1985.", "The tunnel was opened to cars in 1968. A toll was charged from 1985."),
        ("The tunnel was not opened to cars until 1985.", "The tunnel was opened to lorries in 1985 and to cars in 1968. It is long."),
        ("It was not until 1985 that the tunnel was opened to cars.", "The tunnel was opened to lorries in 1985 and to cars in 1968."),
        ("The tunnel was not opened to cars until 1985.", "The tunnel was opened to lorries in 1985 and to cars in 1990."),
        ("Women could not vote until 1971.", "Women could vote in 1971, having won the right in 1945. It was late."),
        ("The drug was not sold in Europe until 2019.", "The drug was sold in Europe before 2019. It is old."),
        ("The minister did not resign until the vote.", "The minister resigned before the vote. Her deputy stayed."),
        (
            "The bank did not tell customers until March.",
            "The bank told customers in January and published a report in March. It was large.",
        ),
        (
            "Firefighters did not arrive until the roof had collapsed.",
            "Firefighters arrived before the roof had collapsed. Two people died.",
        ),
    ]);
}

/// That it was so in a year does not say that it had not been so before.
#[test]
fn not_until_is_claimed_only_of_what_a_page_says_began() {
    check_supported(&[
        ("The company did not pay taxes until 2015.", "The company first paid taxes in 2015. It is large."),
        ("The company did not pay taxes until 2015.", "The company paid taxes for the first time in 2015. It is large."),
        ("The company did not pay taxes until 2015.", "The company paid taxes in 2015 for the first time. It is large."),
        ("The company did not pay taxes until 2015.", "The company first paid taxes in March 2015. It is large."),
        ("The city had electricity in 1900.", "The city did not have electricity until 1900. It was rich."),
    ]);
    check_not_supported(&[
        ("The company did not pay taxes until 2015.", "The company paid taxes in 2015. It is large."),
        ("The company did not pay taxes until 2015.", "The company last paid taxes in 2015."),
        ("The company did not pay taxes until 2015.", "The company paid taxes in 2015 for the tenth time."),
        ("The company did not pay taxes until 2015.", "The company paid taxes in 2015 for the first time in ten years."),
        ("The company did not pay taxes until 2015.", "The company paid taxes for the first time in years in 2015."),
        ("The company did not pay taxes until 2015.", "The company first paid taxes again in 2015. It is large."),
        ("The company did not pay taxes until 2015.", "The company paid its first fine and taxes in 2015. It is large."),
        ("The company did not pay taxes until 2015.", "The company paid only small taxes in 2015. It is large."),
        ("The company did not pay taxes until May 2015.", "The company paid taxes on the first of May 2015. It is large."),
        ("The company did not pay taxes until May 2015.", "The company first paid taxes in March 2015. It is large."),
        ("It was not until 1985 that the tunnel was opened to cars.", "The first tunnel was opened to cars in 1985. It is long."),
        ("The tunnel was not opened to cars until 1985.", "The tunnel was opened to cars in 1968. It was opened to cars again in 1985."),
        ("The city did not have electricity until 1900.", "The city had electricity by 1900. It was rich."),
        ("The company did not sell cars until 2015.", "The company first sold cars in China in 2015. It is large."),
        ("The company did not sell cars until 2015.", "The company first sold cars in 2015 in China. It is large."),
        ("The company did not sell cars until 2015.", "In China, the company first sold cars in 2015. It is large."),
        ("The company did not sell cars until 2015.", "The company first sold electric cars in 2015. It is large."),
        ("The company did not sell cars until 2015.", "The company sold cars only in 2015. It is large."),
        ("The company did not pay taxes until 2015.", "The company paid taxes in full for the first time in 2015. It is large."),
        ("The company did not pay taxes until 2015.", "The company first paid taxes late in 2015. It is large."),
        ("Apple did not sell phones until 2015.", "Apple sold phones made in India for the first time in 2015. It is large."),
        ("Germany did not win the cup until 1990.", "Germany won the cup for the first time since 1974 in 1990."),
    ]);
}

#[test]
fn none_before_agrees_with_the_first_and_not_with_what_was_before_it() {
    check_supported(&[
        ("No Dane won the race before Holm.", "Holm was the first Dane to win the race. She is tall."),
        ("No Dane won the race before Holm.", "The first Dane to win the race was Holm. She is tall."),
        ("No Dane won the race before Holm.", "The first Dane to win the race was Anna Holm. She is tall."),
        ("No Danish runner had won the race before Anna Holm.", "Anna Holm was the first Danish runner to win the race. She is tall."),
        ("No Dane was killed in the war before Holm.", "Holm was the first Dane to be killed in the war. He was young."),
        ("Holm was the first Dane to win the race.", "No Dane had won the race before Holm. She is tall."),
    ]);
    check_not_supported(&[
        ("No Dane won the race before Holm.", "Holm was the first woman to win the race. Many a Dane won it."),
        ("No Dane won the race before Holm.", "Holm was the first Swede to win the race, which Danes had won three times."),
        ("No Dane won the race before Holm.", "Holm was the first Dane to lead the race. A Dane won it before."),
        ("No Dane won the race before Holm.", "Holm was the first Dane to win the race twice. She is tall."),
        ("No Dane won the race before Holm.", "Holm was the first Dane to win the race in 1990. She is tall."),
        ("No Danish man won the race before Holm.", "Holm was the first Danish woman to win the race. She is tall."),
        ("No Dane killed a rival before Holm.", "Holm was the first Dane to be killed by a rival. He was young."),
        ("No company had sold electric cars before Tesla.", "Tesla was the first company to sell a million electric cars. It is large."),
        ("No country had banned plastic bags before Kenya.", "Kenya was the first country to ban plastic bags twice. It is large."),
        ("No drug cured the disease before Aspirin.", "Aspirin was the first drug sold for the disease; older drugs cured it."),
        ("No Dane won the race before Holm.", "Lind was the first Dane who won the race. Holm won later."),
        ("No Dane won the race before Holm.", "The first Dane to win the race was Lind; Holm won it in 1990."),
        ("No Dane won the race before Holm.", "Lind was the first Dane to win the race ahead of Holm. She is tall."),
        ("No Dane won the race before Holm.", "The coach of Holm was the first Dane to win the race. He is tall."),
        ("No Dane won the race before Holm.", "The first Dane to win the race was Holm's sister. She is tall."),
        ("No Dane won the race before Holm.", "Holm wrote that Lind was the first Dane to win the race. She is tall."),
        ("No woman had won the prize before 1990.", "Holm was the first woman to win the prize, in 1985. She is Danish."),
        ("No Dane won the race before Holm in 1990.", "In 1990 Holm fell. Holm was the first Dane to win the race. She won it twice."),
        ("No ship had reached the pole before May 1990.", "The first ship reached the pole in May 1977. It was Soviet."),
    ]);
    check_not_supported(&[
        ("No runner was hurt before the first race.", "Three runners were hurt before the first race. The club apologised."),
        ("There was no warning before the first explosion.", "There was a warning before the first explosion. Two people died."),
        ("There was no warning before the first explosion.", "There was a warning ahead of the first explosion. Two people died."),
        ("No money was paid before delivery.", "Money was paid before the first delivery of steel. The firm was small."),
    ]);
}

#[test]
fn a_limit_is_excused_by_a_limit_of_the_same_thing() {
    check_supported(&[
        ("The journey takes no more than an hour.", "The journey takes at most an hour. Trains run daily."),
        ("The journey takes no more than an hour.", "The journey takes less than an hour. Trains run daily."),
        ("The journey takes at most an hour.", "The journey takes no more than an hour. Trains run daily."),
    ]);
    check_not_supported(&[
        ("The journey takes no more than an hour.", "The journey takes more than an hour with at most two changes. Trains run daily."),
        ("The journey takes no more than an hour.", "The journey takes at most 3 hours. Trains run daily."),
        ("Ministers serve no more than a year.", "Ministers serve more than a year, while judges serve at most a year."),
        ("The journey takes no more than an hour.", "The walk takes at most an hour and the journey more than an hour. Trains run daily."),
        ("Boys do not read less than girls.", "Boys read less than girls, but in Chile boys read more than girls."),
        ("The club has not won more than one cup.", "The club has won more than one cup in less than ten years. It is old."),
        ("Nurses are not paid more than teachers.", "Nurses are paid more than teachers within the region. Both are scarce."),
        ("Women are not paid less than men.", "Women are paid less than men in at least ten countries. It is known."),
        ("Electric cars do not cost more than petrol cars.", "Electric cars cost more than petrol cars, by up to a third. It is known."),
    ]);
}

#[test]
fn the_earth_is_a_name_that_neither_the_world_nor_another_planet_has() {
    check_not_supported(&[
        ("The World Bank expects growth of 2.4% in China.", "The IMF expects growth of 2.4% in China. Demand for rare earths is strong."),
        ("Friends of the Earth sued Shell in 2019.", "Greenpeace sued Shell in 2019. The world watched."),
        ("A year on Earth lasts 687 days.", "A year on Mars lasts 687 days. Scientists from around the world study it."),
        ("Google Earth was launched in 2005.", "Google Maps was launched in 2005. It shows the whole world."),
        ("The atmosphere of Earth is mostly carbon dioxide.", "The atmosphere of Venus is mostly carbon dioxide. It is dense."),
        ("Earth has two moons.", "Mars has two moons, Phobos and Deimos. Both are small."),
        ("The probe left Earth in 2011 and sent 5,000 pictures.", "The probe left Mars in 2011 and sent 5,000 pictures. It was small."),
    ]);
    // The word that may stand for it is no name.
    check_not_supported(&[("The World Bank lent 5 million euros.", "The Central Bank lent 5 million euros. It is old.")]);
    check_supported(&[(
        "World trade in grain fell by 5 percent in 2020.",
        "In 2020 global trade in grain fell by 5 percent. Prices rose.",
    )]);
}

#[test]
fn what_is_allowed_may_be_done_and_a_plan_beside_it_is_no_deed() {
    const FLATS: &str = "Owners may rent out a whole home for no more than 90 nights a year. The rule is new.";
    check_sides(
        FLATS,
        &[
            "Owners are permitted to rent out a whole home for up to 90 nights a year.",
            "Owners are allowed to let a whole home for up to 90 nights a year.",
        ],
        &["Owners rented out a whole home for 90 nights a year."],
    );
    check_supported(&[
        ("Foreigners are not allowed to vote.", "Foreigners may not vote. It is a club."),
        ("Owners are allowed to rent out homes.", "The law provides that owners may rent out homes. It is new."),
    ]);
    check_not_supported(&[
        ("The court allowed the firm to build 200 flats.", "The firm may build 200 flats if the court agrees. It is large."),
        ("The firm is allowed to build 200 flats.", "The firm may build 200 flats if the court agrees. It is large."),
        ("The firm is allowed to build 200 flats.", "The court decides whether the firm may build 200 flats. It is large."),
        ("The firm is permitted to build 200 flats.", "Unless neighbours appeal, the firm may build 200 flats. It is large."),
        ("The firm is permitted to build 200 flats.", "Once the court agrees, the firm may build 200 flats. It is large."),
        ("The firm is permitted to build 200 flats.", "The firm may build 200 flats provided the court agrees. It is large."),
        ("The firm is allowed to build 200 flats.", "The firm may build 200 flats, neighbours fear. It is large."),
        ("The firm is allowed to build 200 flats.", "The firm may build 200 flats, neighbours warned. It is large."),
        ("The firm is allowed to build 200 flats.", "The firm may build 200 flats providing the court agrees. It is large."),
        ("The firm is allowed to build 200 flats.", "The firm may build 200 flats, analysts expect. It is large."),
        ("The firm is allowed to build 200 flats.", "The firm may build 200 flats, its rivals predict. It is large."),
        ("Rents are permitted to rise by 5 percent in 2025.", "Rents may rise by 5 percent in 2025, analysts expect. It is dear."),
        ("Prices are allowed to rise in 2025.", "Prices may rise in 2025. It is dear."),
        ("Patients are allowed to die at home.", "Patients may die at home, doctors say. It is sad."),
        ("The firm charges 5 euros for a bag.", "The firm may charge 5 euros for a bag. It is large."),
        ("Brandt agreed to buy the yard.", "Brandt may agree to buy the yard. It is large."),
        ("The flaw allowed hackers to steal passwords.", "Hackers may steal passwords through the flaw. It is being mended."),
        ("The storm was allowed to grow over warm water.", "The storm may grow over warm water. It is large."),
        ("The deal allowed the firm to grow.", "The deal may help the firm to grow. It is costly."),
        ("The law allowed drivers to cause many accidents.", "The law may have caused drivers many accidents. It is new."),
        ("The drug can cure the disease.", "The drug may cure the disease, but there is no evidence yet. It is costly."),
        ("The company is able to build the plant.", "The company may build the plant. It is costly."),
        (
            "The bridge opened in 2025 and can carry 5,000 cars.",
            "The bridge is planned to open in 2025 and can carry 5,000 cars. It is large.",
        ),
        ("The drug reduces deaths and can be taken at home.", "The drug may reduce deaths and can be taken at home. It is new."),
        ("Brandt has bought the yard, which is allowed to build ships.", "Brandt is to buy the yard, which is allowed to build ships."),
        ("The law allowed trams and caused many accidents.", "The law may have caused many accidents and allowed trams. It is new."),
    ]);
}

/// News name somebody once and then say what they are.
#[test]
fn whom_a_page_calls_by_what_they_are_is_nobody_else() {
    check_supported(&[
        ("Rafael Nadal won the tournament in three sets.", "Rafael Nadal was unbeatable. The Spaniard won the tournament in three sets."),
        ("Rafael Nadal won the cup.", "Rafael Nadal was unbeatable. The cup was won by the Spaniard in three sets."),
        (
            "Volkswagen announced the recall of 40,000 cars.",
            "Volkswagen builds cars. The company Monday announced the recall of 40,000 cars.",
        ),
        ("Joe Manchin opposed the bill.", "Joe Manchin was under pressure. The West Virginia Democrat opposed the bill in July."),
        ("Elizabeth opened the bridge in 1964.", "Elizabeth came to Scotland. Her Majesty opened the bridge in 1964."),
        ("Norway bought more timber than Finland.", "Finland bought less timber than Norway. Both sold paper."),
    ]);
    check_not_supported(&[
        ("Rafael Nadal won the tournament in three sets.", "Rafael Nadal was hurt. Carlos Alcaraz won the tournament in three sets."),
        ("Volkswagen announced the recall.", "Volkswagen builds cars. Toyota Monday announced the recall. It is large."),
        (
            "The European Union pays the bill of 7.4 billion euros.",
            "Denmark pays the bill of 7.4 billion euros, of which the European Union has promised 1.3 billion.",
        ),
        ("Finland bought more timber than Norway.", "Finland bought less timber than Norway. Both sold paper."),
        (
            "Lind sold the yard, which is larger than the yard in Tromso.",
            "Lind founded the yard. Holm sold the yard, which is larger than the yard in Tromso.",
        ),
        ("Siemens built a bridge longer than the old one.", "Siemens lost the bid. Krupp built a bridge longer than the old one."),
    ]);
}
