//! Small lists of English words by which statements are taken apart before they are compared.
//! They decide no truth: a word that stands in none of them is content like any other.

use crate::text::words;

/// Groups of people that numbers are given for.
pub const POPULATIONS: [&str; 22] = [
    "men",
    "women",
    "man",
    "woman",
    "children",
    "adults",
    "adult",
    "child",
    "students",
    "boys",
    "girls",
    "urban",
    "rural",
    "male",
    "female",
    "elderly",
    "young",
    "households",
    "workers",
    "patients",
    "residents",
    "visitors",
];

/// Verbs that join a subject to what is said of it and say nothing themselves.
pub fn is_light_verb(word: &str) -> bool {
    const LIGHT: [&str; 36] = [
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "has",
        "have",
        "had",
        "will",
        "would",
        "can",
        "could",
        "may",
        "might",
        "must",
        "shall",
        "should",
        "do",
        "does",
        "did",
        "contains",
        "contain",
        "contained",
        "includes",
        "comprises",
        "consists",
        "totals",
        "counts",
        "measures",
        "stands",
        "reaches",
        "amounts",
        "numbers",
        "boasts",
    ];
    LIGHT.contains(&word)
}

/// Verbs in the forms in which they stand after a subject. Past tenses in `ed` are known without a list.
pub fn is_verb(word: &str) -> bool {
    const VERBS: [&str; 88] = [
        "employs",
        "employ",
        "costs",
        "cost",
        "weighs",
        "weigh",
        "holds",
        "held",
        "carries",
        "carry",
        "takes",
        "take",
        "took",
        "lasts",
        "last",
        "produces",
        "produce",
        "opens",
        "open",
        "closes",
        "die",
        "died",
        "dies",
        "lies",
        "lives",
        "live",
        "earns",
        "sells",
        "sold",
        "makes",
        "made",
        "won",
        "wins",
        "lost",
        "loses",
        "fell",
        "falls",
        "rose",
        "rises",
        "began",
        "begins",
        "became",
        "becomes",
        "owns",
        "own",
        "runs",
        "ran",
        "uses",
        "needs",
        "grew",
        "grows",
        "spans",
        "crosses",
        "cross",
        "connects",
        "serves",
        "covers",
        "seats",
        "requires",
        "provides",
        "generates",
        "generate",
        "supplies",
        "emits",
        "consumes",
        "receives",
        "attracts",
        "built",
        "wrote",
        "writes",
        "led",
        "leads",
        "left",
        "came",
        "comes",
        "gave",
        "gives",
        "paid",
        "pays",
        "cut",
        "sank",
        "spent",
        "bought",
        "leaves",
        "starts",
        "ends",
        "flows",
        "keeps",
    ];
    is_light_verb(word) || VERBS.contains(&word)
}

/// Participles that do not end in `ed`.
pub fn is_participle(word: &str) -> bool {
    const PARTICIPLES: [&str; 20] = [
        "born", "known", "drawn", "written", "given", "taken", "shown", "seen", "sunk", "begun", "broken", "chosen", "driven", "fallen",
        "grown", "laid", "lent", "sent", "set", "shot",
    ];
    PARTICIPLES.contains(&word)
}

/// Verbs after which a place is what is said, and not where it holds.
pub fn is_placing(stem: &str) -> bool {
    ["base", "locate", "situate", "headquarter", "hold"].iter().any(|word| words::stem(word) == stem)
}

/// What happens to one thing once, at one time and in one place: where it was is as much of what is said as when. Who founds, signs or
/// kills may do so again; what is founded, signed or killed is so once.
pub fn happens_once(stem: &str, is_passive: bool) -> bool {
    const ALWAYS: [&str; 5] = ["born", "died", "dies", "die", "drowned"];
    const SUFFERED: [&str; 17] = [
        "baptised",
        "baptized",
        "christened",
        "crowned",
        "killed",
        "murdered",
        "assassinated",
        "executed",
        "beheaded",
        "buried",
        "interred",
        "founded",
        "established",
        "incorporated",
        "chartered",
        "signed",
        "ratified",
    ];
    let is_one_of = |events: &[&str]| events.iter().any(|word| words::stem(word) == stem);
    is_one_of(&ALWAYS) || is_passive && is_one_of(&SUFFERED)
}

/// The forms of `be`, behind which a participle says what was done to the subject.
pub fn is_form_of_be(word: &str) -> bool {
    ["is", "are", "was", "were", "be", "been", "being"].contains(&word)
}

/// Things that are told apart by the number behind them.
pub fn is_numbered(word: &str) -> bool {
    const NUMBERED: [&str; 44] = [
        "version",
        "chapter",
        "route",
        "sensor",
        "room",
        "section",
        "figure",
        "table",
        "line",
        "phase",
        "step",
        "case",
        "platform",
        "gate",
        "class",
        "type",
        "model",
        "release",
        "volume",
        "page",
        "rule",
        "paragraph",
        "item",
        "building",
        "block",
        "floor",
        "team",
        "track",
        "stage",
        "season",
        "episode",
        "district",
        "zone",
        "tier",
        "layer",
        "appendix",
        "example",
        "option",
        "task",
        "issue",
        "highway",
        "flight",
        "reactor",
        "pump",
    ];
    NUMBERED.contains(&word)
}

pub fn is_preposition(word: &str) -> bool {
    const PREPOSITIONS: [&str; 30] = [
        "of", "in", "at", "on", "among", "for", "from", "with", "to", "by", "near", "between", "who", "that", "which", "across", "under",
        "over", "during", "after", "before", "since", "within", "through", "per", "as", "than", "into", "against", "around",
    ];
    PREPOSITIONS.contains(&word)
}

pub fn is_pronoun(word: &str) -> bool {
    ["it", "they", "he", "she", "this", "these", "those", "we", "you", "i", "there", "its", "their", "his", "her"].contains(&word)
}

pub fn is_month(word: &str) -> bool {
    const MONTHS: [&str; 11] =
        ["january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december"];
    MONTHS.contains(&word)
}

/// What may stand after a number as its unit.
pub fn is_unit_word(word: &str) -> bool {
    const UNITS: [&str; 66] = [
        "km",
        "kilometre",
        "kilometres",
        "kilometer",
        "kilometers",
        "m",
        "metre",
        "metres",
        "meter",
        "meters",
        "cm",
        "mm",
        "mile",
        "miles",
        "foot",
        "feet",
        "ft",
        "yard",
        "yards",
        "inch",
        "inches",
        "kg",
        "kilogram",
        "kilograms",
        "g",
        "gram",
        "grams",
        "mg",
        "milligram",
        "milligrams",
        "lb",
        "lbs",
        "tonne",
        "tonnes",
        "ton",
        "tons",
        "square",
        "hectare",
        "hectares",
        "acre",
        "acres",
        "litre",
        "litres",
        "second",
        "seconds",
        "minute",
        "minutes",
        "hour",
        "hours",
        "day",
        "days",
        "week",
        "weeks",
        "month",
        "months",
        "year",
        "years",
        "percent",
        "cent",
        "dollars",
        "euros",
        "pounds",
        "crowns",
        "kwh",
        "mwh",
        "gwh",
    ];
    UNITS.contains(&word)
}

/// One name for each currency, by its sign or its word.
pub fn currency(raw: &str) -> Option<&'static str> {
    match raw.to_lowercase().as_str() {
        "$" | "us$" | "dollar" | "dollars" | "usd" => Some("dollar"),
        "€" | "euro" | "euros" | "eur" => Some("euro"),
        "£" | "pound" | "pounds" | "gbp" => Some("pound"),
        "¥" | "yen" | "jpy" => Some("yen"),
        "₹" | "rupee" | "rupees" | "inr" => Some("rupee"),
        "franc" | "francs" | "chf" => Some("franc"),
        _ => None,
    }
}

/// One stem for the ways to say one attribute: a length is how long something is.
pub fn attribute(stem: &str) -> String {
    const SAME: [(&str, &str); 11] = [
        ("length", "long"),
        ("height", "high"),
        ("tall", "high"),
        ("width", "wide"),
        ("depth", "deep"),
        ("weight", "weigh"),
        ("price", "cost"),
        ("age", "old"),
        ("inhabitants", "population"),
        ("residents", "population"),
        ("capacity", "hold"),
    ];
    let same = SAME.iter().find(|(word, _)| words::stem(word) == stem);
    same.map_or_else(|| stem.to_string(), |(_, attribute)| words::stem(attribute))
}

/// Attributes of which one thing has several, each with a number of its own.
pub fn dimensions() -> [String; 8] {
    ["long", "high", "wide", "deep", "thick", "weigh", "old", "cost"].map(words::stem)
}
