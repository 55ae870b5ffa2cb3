//! Small words that change a claim much: `all` for some, `has` for may, `largest` for second largest.
//! They are read in the sentences that tell most of the claim; what they are worth is said in `weigh`.

use super::opposition;
use super::page::{NOTHING, Page, ends_clause};
use super::statement::Statement;
use crate::text::words;

/// What differs between the claim and a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shades {
    /// The claim says it of all, the sentence does not.
    pub wider: bool,
    /// The claim says it as a fact, the sentence as a possibility, a plan or somebody's hope.
    pub firmer: bool,
    /// The claim gives another rank: the largest, where the sentence says the second largest.
    pub other_rank: bool,
}

impl Shades {
    pub fn of(statement: &Statement, page: &Page, sentence: usize) -> Self {
        let said: Vec<&str> = opposition::stems(page, sentence).collect();
        let clause: Vec<&str> = opposition::clause(statement, page, sentence).collect();
        let claimed: Vec<&str> = statement.stems.iter().map(|(_, stem)| stem.as_str()).collect();
        let has = |words: &[&str], list: &[&str]| words.iter().any(|word| list.contains(word));
        let own: Vec<(usize, &str)> = statement.stems.iter().map(|(at, stem)| (*at, stem.as_str())).collect();
        // `May agree to buy` says less than `agreed to buy`, although `agreed to buy` says less than `bought`.
        let is_supposed = |word: &str| clause.windows(2).any(|pair| pair[1] == word && POSSIBLE.contains(&pair[0]));
        let reports = claimed.iter().any(|word| REPORTED.contains(word) && !is_supposed(word));
        let claims_less = has(&claimed, &POSSIBLE) || reports || plans(&own).next().is_some();
        let is_forecast = has(&said, &CONDITIONAL) || has(&said, &FORESEEN) || says_provided(page, sentence);
        let is_excused = |place: usize| !is_forecast && is_permitted(statement, &clause[place..]);
        let is_possible = clause.iter().enumerate().any(|(place, stem)| POSSIBLE.contains(stem) && !is_excused(place));
        Self {
            wider: is_universal(&claimed) && !has(&said, &UNIVERSAL),
            firmer: (is_possible || is_planned(statement, page, sentence)) && !claims_less,
            other_rank: is_of_another_rank(&claimed, &said),
        }
    }
}

const UNIVERSAL: [&str; 13] =
    ["all", "everi", "each", "both", "entir", "whole", "alway", "everyon", "everyth", "everybodi", "unanim", "everywher", "exclus"];

/// `every year` says how often, and not of how many.
fn is_universal(stems: &[&str]) -> bool {
    const SPANS: [&str; 18] = [
        "day", "week", "weekend", "month", "year", "hour", "minut", "second", "morn", "even", "night", "season", "spring", "summer",
        "autumn", "winter", "time", "decad",
    ];
    let is_often = |at: usize| matches!(stems[at], "everi" | "each") && stems.get(at + 1).is_some_and(|next| SPANS.contains(next));
    (0..stems.len()).any(|at| UNIVERSAL.contains(&stems[at]) && !is_often(at))
}

/// Whether the clause that says most of the claim says as a plan what the claim says of its subject: `Brandt is to buy`, and not `the trick is
/// to`, which says what the trick is.
fn is_planned(statement: &Statement, page: &Page, sentence: usize) -> bool {
    let (first, last) = opposition::clause_range(statement, page, sentence);
    let stems = (first..last).filter(|at| page.stems[*at] != NOTHING).map(|at| (at, page.vocabulary.word(page.stems[at])));
    let is_claimed = |stem: &str| statement.stems.iter().any(|(_, own)| own == stem || words::synonyms(own).any(|same| same == stem));
    let stems: Vec<(usize, &str)> = stems.collect();
    plans(&stems).any(|(subject, verb)| (words::is_stop(subject) || is_claimed(subject)) && is_claimed(verb))
}

/// What stands before `is to` or `are to`, and the verb that follows. `is to the north` says where.
fn plans<'a>(stems: &'a [(usize, &'a str)]) -> impl Iterator<Item = (&'a str, &'a str)> {
    stems.windows(4).enumerate().filter_map(|(place, four)| {
        let is_joined = four[2].0 == four[1].0 + 1 && four[3].0 == four[2].0 + 1;
        let verb = if four[3].1 == "be" { stems.get(place + 4).map_or("", |(_, stem)| stem) } else { four[3].1 };
        let is_plan = is_joined && matches!(four[1].1, "is" | "are") && four[2].1 == "to" && !words::is_stop(verb);
        is_plan.then_some((four[0].1, verb))
    })
}

const POSSIBLE: [&str; 29] = [
    "may", "might", "could", "would", "should", "will", "plan", "expect", "hope", "intend", "propos", "possibl", "possibli", "perhap",
    "probabl", "probabli", "likeli", "suspect", "believ", "think", "suggest", "forecast", "demand", "urg", "want", "unless", "promis",
    "accus", "alleg",
];

/// Words with which a claim passes on what somebody says or means to do.
const REPORTED: [&str; 8] = ["accord", "agre", "consid", "hold", "seek", "aim", "due", "charg"];

/// Words with which a claim says that something may be done.
const PERMITTED: [&str; 3] = ["allow", "permit", "entitl"];

/// Words of a sentence whose `may` permits nothing yet.
const CONDITIONAL: [&str; 4] = ["if", "unless", "onc", "whether"];

/// Words of a sentence whose `may` is what somebody fears or foresees. What the council says or the rules say may well be permitted.
const FORESEEN: [&str; 15] = [
    "fear",
    "warn",
    "expect",
    "forecast",
    "predict",
    "project",
    "analyst",
    "economist",
    "think",
    "believ",
    "estim",
    "suggest",
    "hope",
    "likeli",
    "risk",
];

/// Whether a sentence says `provided` or `providing`. That a law `provides` something is no condition.
fn says_provided(page: &Page, sentence: usize) -> bool {
    let (first, last) = page.sentences[sentence].tokens;
    page.tokens[first..last].iter().any(|token| {
        let raw = token.of(&page.text);
        raw.eq_ignore_ascii_case("provided") || raw.eq_ignore_ascii_case("providing")
    })
}

/// What happens to somebody or something, and nobody permits: `prices may rise`.
const HAPPENING: [&str; 32] = [
    "rise", "fall", "grow", "increas", "decreas", "declin", "drop", "climb", "surg", "soar", "jump", "plung", "slump", "shrink", "sink",
    "slip", "doubl", "tripl", "exceed", "happen", "occur", "die", "suffer", "lose", "fail", "collaps", "spread", "appear", "caus", "harm",
    "damag", "affect",
];

/// Whether these stems begin with a `may` that permits what the claim says is allowed, in one clause: `may rent` for `are allowed to rent`.
/// `May have caused` permits nothing, and what a law allows beside what it may cause is another matter. That a court `allowed` it, or that it
/// `was allowed`, is a deed and no standing permission: `the virus was allowed to spread`.
fn is_permitted(statement: &Statement, stems: &[&str]) -> bool {
    let ["may", behind, ..] = stems else { return false };
    let mut permitted = stems[1..].iter().copied().filter(|stem| !words::is_stop(stem));
    let Some(verb) = permitted.next().filter(|verb| *behind != "have" && !HAPPENING.contains(verb)) else { return false };
    let Some(place) = statement.stems.iter().position(|(_, stem)| PERMITTED.contains(&stem.as_str())) else { return false };
    let raw = |at: usize| statement.tokens[at].of(statement.text);
    let begin = statement.stems[place].0;
    let is_standing = (0..begin).rev().find(|at| raw(*at) != "not").is_some_and(|at| matches!(raw(at), "is" | "are"));
    if !is_standing {
        return false;
    }
    let ends = |at: usize| matches!(raw(at), "and" | "which" | "who") || ends_clause(raw(at));
    let clause = statement.stems[place + 1..].iter().take_while(|(at, _)| !(begin..*at).any(ends));
    let allowed: Vec<&str> = clause.map(|(_, stem)| stem.as_str()).collect();
    let is_same = |own: &str, said: &str| own == said || words::synonyms(own).any(|same| same == said);
    // `Allowed to let a home` is said in other words, if the rest of it is what may be done.
    let is_rest = |(verb, rest): (&&str, &[&str])| {
        let rest: Vec<&&str> = rest.iter().filter(|own| !words::is_stop(own)).collect();
        let is_met = |own: &&&&str| stems.iter().any(|said| is_same(own, said));
        !stems.contains(verb) && !rest.is_empty() && rest.iter().filter(is_met).count() * 2 >= rest.len()
    };
    allowed.iter().any(|own| is_same(own, verb)) || allowed.strip_prefix(&["to"]).and_then(<[&str]>::split_first).is_some_and(is_rest)
}

/// Whether the sentence gives another rank than the claim to what the claim speaks of. A sentence may have several: `the second highest mountain
/// in the world and the highest in Pakistan`. Asked are those that say most of what the claim ranks, and of them those with its own superlative.
fn is_of_another_rank(claimed: &[&str], said: &[&str]) -> bool {
    let (own, all) = (ranks(claimed), ranks(said));
    let is_other = |own: &Rank| {
        let is_same =
            |other: &Rank| own.superlative == other.superlative || words::synonyms(own.superlative).any(|same| same == other.superlative);
        // `Most of them` and `at least` rank nothing.
        let asked = || all.iter().filter(|other| is_same(other) || !matches!(own.superlative, "most" | "least"));
        let told = |other: &Rank| (other.ranked.iter().filter(|stem| own.ranked.contains(stem)).count(), is_same(other));
        let most = asked().map(told).max();
        let mut best = asked().filter(|other| Some(told(other)) == most).peekable();
        best.peek().is_some() && best.all(|other| other.place != own.place) && !(own.place == 2 && is_followed_by(claimed, said))
    };
    own.iter().any(is_other)
}

/// `The longest river, followed by the Congo`: what the claim speaks of is second.
fn is_followed_by(claimed: &[&str], said: &[&str]) -> bool {
    let place = said.windows(2).position(|pair| pair == ["follow", "by"]);
    let next = place.and_then(|place| said[place..].iter().skip(2).find(|stem| !words::is_stop(stem)));
    next.is_some_and(|next| claimed.contains(next))
}

/// A superlative, its place, which is 2 for `the second largest`, and the words of what is ranked.
struct Rank<'a> {
    superlative: &'a str,
    place: usize,
    ranked: Vec<&'a str>,
}

fn ranks<'a>(stems: &[&'a str]) -> Vec<Rank<'a>> {
    const ORDINALS: [&str; 5] = ["first", "second", "third", "four", "five"];
    let places = (0..stems.len()).filter(|at| SUPERLATIVES.contains(&stems[*at]));
    let ranks = places.map(|at| {
        let ordinal = at.checked_sub(1).and_then(|before| ORDINALS.iter().position(|ordinal| *ordinal == stems[before]));
        let behind = stems[at + 1..].iter().take_while(|stem| **stem != "and" && !SUPERLATIVES.contains(stem));
        Rank {
            superlative: stems[at],
            place: ordinal.map_or(1, |place| place + 1),
            ranked: behind.copied().filter(|stem| !words::is_stop(stem)).collect(),
        }
    });
    ranks.collect()
}

const SUPERLATIVES: [&str; 22] = [
    "largest",
    "biggest",
    "highest",
    "longest",
    "oldest",
    "tallest",
    "smallest",
    "lowest",
    "deepest",
    "fastest",
    "richest",
    "youngest",
    "best",
    "worst",
    "most",
    "least",
    "greatest",
    "strongest",
    "poorest",
    "busiest",
    "shortest",
    "weakest",
];
