//! Pairs of statements that a person has labelled: those that cannot both be right, and those that can.
//! They are of the kinds that reports meet; how well all of them are told apart is measured, and the worst kinds are named.

use super::super::{Scope, conflicts};
use super::fact;

/// Somebody is wrong.
const CONFLICTING: [(&str, &str); 42] = [
    // Dates, in whole or in part.
    ("The Lindholm Bridge was opened to traffic on 14 May 1974.", "The Lindholm Bridge was opened on 2 June 1976 by the prime minister."),
    (
        "The harbour bridge was opened in 1932 after eight years of work.",
        "The harbour bridge was opened in 1934 by the mayor after long delays.",
    ),
    ("Acme was founded in 1901.", "Acme was founded in 1903."),
    ("The Kestrel satellite was launched on 3 March 2011.", "The Kestrel satellite was launched on 9 March 2011."),
    ("The museum was completed in 1988.", "In 1991 the museum was completed."),
    ("The company was founded in 1901 in a shed.", "The company was established in 1911."),
    // Lengths, masses and times in other units.
    ("The Lindholm Bridge is 2.9 kilometres long.", "The Lindholm Bridge is 2,310 metres long."),
    ("The crossing takes 90 minutes.", "The crossing takes two hours."),
    ("The bell weighs 4,200 kilograms.", "The bell weighs 5.1 tonnes."),
    ("The tower is 90 metres tall.", "The tower has a height of 120 metres."),
    ("The tunnel is 5 miles long.", "The tunnel is 12 kilometres long."),
    ("The marathon lasts three days.", "The marathon lasts 48 hours."),
    // Counts and shares.
    ("The Havsund wind farm has 54 turbines.", "The Havsund wind farm consists of 52 turbines."),
    ("The Havsund wind farm has 54 turbines.", "Havsund has 52 turbines."),
    ("Acme employs 4,500 people.", "Acme employs 5,200 people."),
    ("According to the Red Cross, 5,000 people died in the flood.", "According to the Interior Ministry, 7,000 people died in the flood."),
    ("The flood killed 120 people.", "The flood killed 210 people in the valley."),
    ("Unemployment was 7 % in the valley.", "Unemployment was 9 % in the valley."),
    ("The stadium seats 40,000 spectators.", "The stadium seats 55,000 spectators."),
    ("A cup of drip coffee contains 95 mg of caffeine.", "A cup of drip coffee contains 150 mg of caffeine."),
    ("The Lindholm Bridge carries 4,200 cars each day.", "The bridge carries 6,100 cars each day."),
    ("Repairs of the hall cost 45,000 pounds.", "Repairs of the hall cost 60,000 pounds."),
    ("The dam cost $3.2 billion.", "The dam cost $4.1 billion."),
    // A row of a table against a sentence.
    ("Bridge Lindholm, Opened: 1974; Length: 2,310 m.", "The Lindholm bridge was opened in 1976."),
    ("Bridge Lindholm, Opened: 1974; Length: 2,310 m.", "The Lindholm bridge is 2.9 kilometres long."),
    ("City Bern, Population: 134,000.", "The city of Bern has a population of 150,000."),
    // Names.
    ("The bridge was designed by Marta Ekdal.", "The bridge was designed by Jonas Lie."),
    ("Acme was founded by Jane Roe in a garage.", "Acme was founded by John Doe."),
    ("The company is based in Oslo.", "The company is based in Bergen."),
    // What one says the other denies.
    (
        "Employees in the office are more productive than employees who work at home.",
        "Employees who work at home are more productive than employees in the office, because they sleep longer.",
    ),
    ("Coffee is good for the heart.", "Coffee is not good for the heart."),
    ("The new ferry was approved by the council.", "The new ferry was not approved by the council."),
    ("Sales of bicycles rose in the north.", "Sales of bicycles fell in the north."),
    ("The bridge is safe for lorries.", "The bridge is unsafe for lorries."),
    ("The bridge opened on 1898-07-11.", "The bridge opened on 2001-07-11."),
    // What happens once happens in one place.
    ("Ada Roe was born in Oslo in 1901.", "Ada Roe was born in Bergen in 1903."),
    ("Ada Roe was born in Oslo.", "Ada Roe was born in Bergen."),
    ("Ada Roe died in Norway.", "Ada Roe died in Sweden."),
    ("Acme Corp was founded in Oslo.", "Acme Corp was founded in Bergen."),
    ("Acme Corp was founded in Oslo in 1901.", "Acme Corp was established in Bergen in 1903."),
    ("The treaty was signed in Geneva on 4 July 1921.", "The treaty was signed in Paris on 9 July 1921."),
    ("Ada Roe was buried at Highgate.", "Ada Roe was buried at Brompton."),
];

/// Both may be right.
const AGREEING: [(&str, &str); 49] = [
    // Other subjects with the same words around them.
    ("A cup of drip coffee contains 95 mg of caffeine.", "A cup of green tea contains 28 mg of caffeine."),
    ("Drip coffee contains 95 mg of caffeine.", "Green tea contains 28 mg of caffeine."),
    ("The bridge was opened in 1934.", "The tunnel was opened in 1992."),
    ("Acme employs 4,500 people.", "Globex employs 5,200 people."),
    ("The north tower is 90 metres tall.", "The south tower is 95 metres tall."),
    ("The Lindholm Bridge was opened in 1974.", "The Sandvik Bridge was opened in 1981."),
    ("The old library has 30,000 books.", "The new library has 90,000 books."),
    ("It is 503 metres long.", "It is 610 metres long."),
    ("In case 1 it is so.", "In case 2 it is so."),
    // Another attribute of the same thing.
    ("The Lindholm Bridge is 2,310 metres long.", "The Lindholm Bridge is 31 metres wide."),
    ("The tower is 90 metres tall.", "The tower is 12 metres wide."),
    ("The harbour bridge is 503 metres long.", "The harbour bridge was opened in 1932."),
    ("Acme employs 4,500 people.", "Acme sold 12 factories to its rival."),
    ("Acme was founded in 1901.", "Acme was sold in 1954."),
    ("The Havsund wind farm has 54 turbines.", "The Havsund wind farm has two substations."),
    ("The museum was opened in 1988.", "The museum was closed in 2004."),
    ("Acme was founded by Jane Roe.", "Acme was bought by John Doe."),
    ("The dam holds 27 cubic kilometres of water.", "The dam was completed in 1963."),
    // The same value in other words or another unit.
    ("The Lindholm Bridge is 2.31 kilometres long.", "The Lindholm Bridge is 2,310 metres long."),
    ("The crossing takes 120 minutes.", "The crossing takes two hours."),
    ("Acme employs about 4,500 people.", "Acme employs 4,480 people."),
    ("The bell weighs 4,200 kilograms.", "The bell weighs 4.2 tonnes."),
    ("The Lindholm Bridge was opened in 1974.", "The Lindholm Bridge was opened on 14 May 1974."),
    ("The tunnel is 3.1 miles long.", "The tunnel is 5 km long."),
    ("Half of the visitors come by train.", "50 % of the visitors come by train."),
    // Numbers that are examples.
    ("Use `run --budget 3` to limit a run.", "Use `run --budget 1` to limit a run."),
    ("Use --budget 3 to limit a run.", "Use --budget 1 to limit a run."),
    // No opposites.
    ("Coffee is good for the heart.", "Coffee is good for the mood."),
    ("The council approved the ferry.", "The council did not approve the tunnel."),
    ("Girls did better than boys in reading.", "Boys did better than girls in running."),
    ("The contracts are temporary.", "The contracts are not permanent."),
    ("Sales of bicycles rose in the north.", "Sales of cars fell in the south."),
    ("The company was profitable in 2019.", "The company was profitable in 2021."),
    ("The museum is open on Mondays.", "The museum is closed on Tuesdays."),
    ("Sales of bicycles rose by 5 % in the north.", "Sales of cars rose by 9 % in the north."),
    ("The museum shows ships and is closed on Mondays.", "The museum shows ships from the north."),
    // A town may lie in the country, a part of a thing elsewhere, and any one thing is not another.
    ("Ada Roe was born in Oslo.", "Ada Roe was born in Norway."),
    ("Ada Roe was born in Dallas in 1901.", "Ada Roe was born in Texas in 1901."),
    ("A school was founded in Oslo in 1901.", "A school was founded in Bergen in 1903."),
    ("A child was born in Oslo.", "A child was born in Bergen."),
    ("The library was opened in Oslo in 1901.", "The library was opened in Bergen in 1903."),
    ("In Oslo 40 people died in the storm.", "In Bergen 70 people died in the storm."),
    // What somebody does may be done again.
    ("Acme Corp signed an agreement in Oslo in 1990.", "Acme Corp signed an agreement in Tokyo in 1995."),
    ("Acme Corp signed an agreement in Oslo.", "Acme Corp signed an agreement in Tokyo."),
    ("Acme Corp established a laboratory in Bergen in 1971.", "Acme Corp established a laboratory in Madrid in 1988."),
    ("Acme Corp has founded a school in Bergen in 1971.", "Acme Corp has founded a school in Madrid in 1988."),
    ("Ada Roe was married in Paris in 1951.", "Ada Roe was married in Rome in 1963."),
    ("The Kestrel army killed a king in Oslo in 1201.", "The Kestrel army killed a king in Bergen in 1260."),
    // What one denies, the other does not speak of.
    ("In 2023 the port of Kalvik handled 5.1 million tonnes of cargo.", "In 2023 the port of Kalvik did not handle any passengers."),
];

/// Written after the rules were, and never used to choose them: the first of each pair against the second.
const UNSEEN_CONFLICTING: [(&str, &str); 14] = [
    ("The Orsted ferry was built in 1997.", "Built in Gdansk, the Orsted ferry was built in 2001."),
    ("The glacier is 14 kilometres long.", "At its longest the glacier is 9,500 metres long."),
    ("The treaty was signed on 4 July 1921.", "The treaty was signed in August 1921 in Geneva."),
    ("The school has 340 pupils.", "The school has 430 pupils."),
    ("The reactor produces 900 megawatts.", "The reactor produces 1.2 gigawatts."),
    ("The festival attracts 20,000 visitors each year.", "The festival attracts 35,000 visitors each year."),
    ("The novel was written by Ida Holm.", "The novel was written by Karl Brandt."),
    ("Vaccination is mandatory in the region.", "Vaccination is not mandatory in the region."),
    ("Cats sleep longer than dogs.", "Dogs sleep longer than cats."),
    ("Mountain Skarstind, Height: 2,405 m.", "Skarstind is 2,310 metres high."),
    ("The mine was closed in 1979.", "The mine closed in 1986 after a strike."),
    ("According to the police, 300 people marched.", "The organisers said that 2,000 people marched."),
    ("The journey takes six hours by train.", "The journey takes 250 minutes by train."),
    ("Exports increased last year.", "Exports decreased last year."),
];

const UNSEEN_AGREEING: [(&str, &str); 14] = [
    ("A hen egg contains 6 grams of protein.", "A cod fillet contains 20 grams of protein."),
    ("The theatre was built in 1899.", "The cinema was built in 1921."),
    ("The school has 340 pupils.", "The school has 28 teachers."),
    ("The Skarn lake is 40 metres deep.", "The Skarn lake is 3 kilometres long."),
    ("The harbour was dredged in 1990.", "The harbour was enlarged in 2004."),
    ("The line carries passengers and was built in 1880.", "The line was electrified in 1936."),
    ("The reactor produces 900 megawatts.", "The reactor produces 0.9 gigawatts."),
    ("Men earn 3,200 euros a month.", "The bridge cost 3,900 euros a metre."),
    ("The first edition was printed in 1840.", "The second edition was printed in 1852."),
    ("The novel was written by Ida Holm.", "The novel was translated by Karl Brandt."),
    ("Cats sleep longer than dogs.", "Dogs live longer than hamsters."),
    ("Vaccination is mandatory in the region.", "Registration is not mandatory in the region."),
    ("The museum has 12 rooms and 300 paintings.", "The museum has 300 paintings."),
    ("The ferry runs every 20 minutes.", "The ferry takes 45 minutes."),
];

/// Whether the two are found to contradict each other, in both orders.
fn is_found(one: &str, other: &str) -> bool {
    let open =
        |one: &str, other: &str| conflicts(&[fact("a", one), fact("b", other)], |_| "").iter().any(|conflict| conflict.scope.is_open());
    let found = open(one, other);
    assert_eq!(found, open(other, one), "the order of facts means nothing: {one} / {other}");
    found
}

/// Precision and recall of what is found must be at least these.
#[track_caller]
fn check(conflicting: &[(&str, &str)], agreeing: &[(&str, &str)], least: (f64, f64)) {
    let missed: Vec<_> = conflicting.iter().filter(|(one, other)| !is_found(one, other)).collect();
    let false_alarms: Vec<_> = agreeing.iter().filter(|(one, other)| is_found(one, other)).collect();
    let found = (conflicting.len() - missed.len()) as f64;
    let (precision, recall) = (found / (found + false_alarms.len() as f64), found / conflicting.len() as f64);
    let told = format!("precision {precision:.3}, recall {recall:.3}\nmissed: {missed:#?}\nfalse: {false_alarms:#?}");
    assert!(precision >= least.0 && recall >= least.1, "{told}");
}

#[test]
fn contradictions_are_told_from_differences() {
    check(&CONFLICTING, &AGREEING, (1.0, 1.0));
}

#[test]
fn most_contradictions_of_pairs_that_no_rule_was_made_for_are_found_too() {
    check(&UNSEEN_CONFLICTING, &UNSEEN_AGREEING, (1.0, 0.78));
}

#[test]
fn values_are_told_as_they_are_written() {
    let check = |one: &str, other: &str, expected: (&str, &str)| {
        let found = conflicts(&[fact("a", one), fact("b", other)], |_| "");
        let values = found.first().map(|conflict| (conflict.values.0.as_str(), conflict.values.1.as_str()));
        assert_eq!(values, Some(expected), "{found:?}");
    };
    check("The bridge was designed by Marta Ekdal.", "The bridge was designed by Jonas Lie.", ("Marta Ekdal", "Jonas Lie"));
    check("The bell weighs 4,200 kilograms.", "The bell weighs 5.1 tonnes.", ("4,200 kilograms", "5.1 tonnes"));
    check(CONFLICTING[0].0, CONFLICTING[0].1, ("14 May 1974", "2 June 1976"));
    check("The dam cost $3.2 billion.", "The dam cost $4.1 billion.", ("$3.2 billion", "$4.1 billion"));
    check("The dam cost 3 million euros.", "The dam cost 4 million euros.", ("3 million euros", "4 million euros"));
}

#[test]
fn what_another_scope_explains_is_told_and_not_called_a_contradiction() {
    let check = |one: &str, other: &str, expected: Scope| {
        let found = conflicts(&[fact("a", one), fact("b", other)], |_| "");
        assert_eq!(found.first().map(|conflict| conflict.scope), Some(expected), "{one} / {other}");
    };
    check("The dam cost 3 million euros.", "The dam cost 4 million dollars.", Scope::DifferentUnit);
    check(CONFLICTING[15].0, CONFLICTING[15].1, Scope::DifferentAuthority);
    check("Acme employed 4,500 people in 2019.", "Acme employed 5,200 people in 2023.", Scope::DifferentYear);
    check("Acme employs 4,500 people in France.", "Acme employs 5,200 people in Spain.", Scope::DifferentPlace);
}
