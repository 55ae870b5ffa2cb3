//! What may be said of a thing in several ways: its length is how long it is, and its architect is who designed it.
//! The table knows words and what kind of value answers them; how a sentence is taken apart is not its business.

/// What answers the question for an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A number with a unit of this dimension.
    Unit(&'static str),
    Money,
    /// A number of people or things.
    Count,
    /// A number of whatever is held.
    Any,
    Date,
    Name,
}

#[derive(Debug)]
pub struct Attribute {
    pub name: &'static str,
    pub answers: &'static [Answer],
    /// Nouns, adjectives and verbs, in the forms in which they are met.
    words: &'static [&'static str],
    /// Nouns for whoever is the answer, behind which the name stands without `by`.
    pub bearers: &'static [&'static str],
    /// Whether another year may have another answer, although it is a name.
    pub changes: bool,
}

const fn measured(name: &'static str, answers: &'static [Answer], words: &'static [&'static str]) -> Attribute {
    Attribute { name, answers, words, bearers: &[], changes: true }
}

const fn done(
    name: &'static str,
    answers: &'static [Answer],
    words: &'static [&'static str],
    bearers: &'static [&'static str],
) -> Attribute {
    Attribute { name, answers, words, bearers, changes: false }
}

use Answer::{Any, Count, Date, Money, Name, Unit};

static ATTRIBUTES: [Attribute; 30] = [
    measured("length", &[Unit("length")], &["length", "long", "stretches", "extends"]),
    measured("height", &[Unit("length")], &["height", "high", "tall", "rises", "highest", "tallest", "elevation"]),
    measured("width", &[Unit("length")], &["width", "wide", "broad"]),
    measured("depth", &[Unit("length")], &["depth", "deep"]),
    measured("distance", &[Unit("length")], &["distance", "lies", "away"]),
    measured("area", &[Unit("area")], &["area", "covers", "covered"]),
    measured("weight", &[Unit("mass")], &["weight", "weighs", "weighed", "mass", "heavy"]),
    measured("age", &[Unit("time")], &["age", "old", "aged"]),
    measured("timeout", &[Unit("time")], &["timeout", "times out", "time out", "timed out"]),
    measured("duration", &[Unit("time")], &["duration", "lasts", "lasted", "takes", "took"]),
    measured("cost", &[Money], &["cost", "costs", "price", "priced", "worth"]),
    measured("revenue", &[Money], &["revenue", "revenues", "turnover", "sales"]),
    measured("profit", &[Money], &["profit", "profits", "earnings"]),
    measured("loss", &[Money], &["loss", "losses"]),
    measured("employees", &[Count], &["employs", "employ", "employed", "employees", "staff", "workforce", "headcount"]),
    measured("population", &[Count], &["population", "inhabitants", "residents", "people live", "people lived", "home to"]),
    measured("deaths", &[Count], &["killed", "kills", "died", "dead", "deaths", "claimed", "death toll", "fatalities"]),
    measured("injuries", &[Count], &["injured", "wounded", "injuries"]),
    measured("attendance", &[Count], &["attendance", "attended"]),
    measured("votes", &[Count], &["votes"]),
    measured("capacity", &[Any], &["capacity", "holds", "seats"]),
    done("opening", &[Date], &["opened", "opening", "opens", "inaugurated", "inauguration"], &[]),
    done("foundation", &[Date, Name], &["founded", "established", "founding", "foundation"], &["founder"]),
    done("completion", &[Date], &["completed", "completion"], &[]),
    done("construction", &[Date, Name], &["built", "constructed", "construction"], &["builder"]),
    done("design", &[Name], &["designed"], &["architect", "designer"]),
    done("writing", &[Name], &["written", "wrote"], &["author", "writer"]),
    done("direction", &[Name], &["directed"], &["director"]),
    Attribute {
        name: "lead",
        answers: &[Name],
        words: &["led", "leads", "headed", "heads"],
        bearers: &["chief executive", "ceo", "head", "leader"],
        changes: true,
    },
    Attribute { name: "capital", answers: &[Name], words: &[], bearers: &["capital"], changes: true },
];

/// The attribute that is spoken of at a place of the words, the number of words that say so, and whether they name a bearer.
pub fn spoken_of(words: &[String], at: usize) -> Option<(&'static Attribute, usize, bool)> {
    let length = |said: &&&str| {
        let parts: Vec<&str> = said.split(' ').collect();
        let is_said = parts.iter().enumerate().all(|(place, part)| words.get(at + place).is_some_and(|word| word == part));
        is_said.then_some(parts.len())
    };
    let among = |list: &'static [&'static str]| list.iter().filter_map(|said| length(&said)).max();
    ATTRIBUTES.iter().find_map(|attribute| {
        let (word, bearer) = (among(attribute.words), among(attribute.bearers));
        word.map(|length| (attribute, length, false)).or(bearer.map(|length| (attribute, length, true)))
    })
}

/// Verbs and nouns that stand between a subject and its value and say nothing of either.
pub fn is_filler(word: &str) -> bool {
    const FILLERS: [&str; 43] = [
        "reported",
        "reports",
        "posted",
        "reached",
        "reaches",
        "reach",
        "amounted",
        "amounts",
        "stood",
        "recorded",
        "achieved",
        "totalled",
        "generated",
        "came",
        "waits",
        "wait",
        "approximately",
        "roughly",
        "nearly",
        "almost",
        "around",
        "about",
        "some",
        "total",
        "default",
        "people",
        "persons",
        "person",
        "lives",
        "currently",
        "now",
        "today",
        "overall",
        "just",
        "exactly",
        "year",
        "annual",
        "yearly",
        "according",
        "itself",
        "officially",
        "originally",
        "toll",
    ];
    FILLERS.contains(&word)
}

/// What a name may be called besides, without being another thing: `the town of Ervik`, `the novel The Salt Road`, `Orbis AG`.
pub fn is_kind(word: &str) -> bool {
    const KINDS: [&str; 38] = [
        "town",
        "city",
        "village",
        "mountain",
        "mount",
        "lake",
        "river",
        "company",
        "firm",
        "novel",
        "book",
        "film",
        "ship",
        "painter",
        "writer",
        "poet",
        "composer",
        "architect",
        "engineer",
        "author",
        "politician",
        "scientist",
        "manufacturer",
        "maker",
        "retailer",
        "ag",
        "inc",
        "ltd",
        "gmbh",
        "plc",
        "corp",
        "corporation",
        "co",
        "llc",
        "sa",
        "se",
        "vaccine",
        "drug",
    ];
    KINDS.contains(&word)
}

/// Words of what is meant to be and may never come: it contradicts nothing that is.
pub fn is_intention(word: &str) -> bool {
    const INTENTIONS: [&str; 29] = [
        "plan",
        "plans",
        "planned",
        "planning",
        "expect",
        "expects",
        "expected",
        "aim",
        "aims",
        "aimed",
        "target",
        "targets",
        "targeted",
        "forecast",
        "forecasts",
        "projected",
        "predicted",
        "will",
        "would",
        "should",
        "could",
        "might",
        "proposed",
        "intends",
        "intended",
        "hopes",
        "hoped",
        "budgeted",
        "goal",
    ];
    INTENTIONS.contains(&word)
}
