//! What kind of thing an English question asks for, and whether a sentence has one: a time, a number, somebody, a place or a cause.
//! It knows kinds by their form and not whether the right one is told. Where a form is not known, nothing is refused.

use std::collections::BTreeSet;

use crate::text::words::{is_generic_in_names, is_past, is_stop, stem};
use crate::text::{Kind, Measure, Number, Token, fold, is_never_a_name, is_sign, names, numbers, sentences, tokens};

/// Words that ask. A question with two of them asks for two things, or says by one of them what it is about.
const ASKING: [&str; 9] = ["who", "whom", "whose", "what", "which", "when", "where", "why", "how"];
/// What may stand before the word that asks: `in what year`, `by whom`, `and when`.
const BEFORE: [&str; 12] = ["in", "by", "since", "until", "from", "to", "for", "with", "and", "on", "at", "of"];
const MEASURED: [&str; 16] = [
    "many",
    "much",
    "long",
    "high",
    "far",
    "old",
    "often",
    "large",
    "tall",
    "heavy",
    "deep",
    "wide",
    "big",
    "fast",
    "expensive",
    "frequently",
];
/// A span of years tells how long something lasted and how old it is; of all else a year says nothing.
const TOLD_BY_YEARS: [&str; 2] = ["long", "old"];
const TIMES: [&str; 5] = ["year", "date", "day", "month", "time"];

/// Words that tell a time without a number.
const WHEN: &str = " ago yesterday today tomorrow now century centuries during after before until when once while since whenever if upon \
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays january \
    february march april june july august september october november december spring summer autumn winter morning evening noon midnight \
    night christmas easter never always antiquity ";
/// Those that tell how often: of what happened once they tell nothing.
const EACH: &str =
    " every each daily weekly monthly yearly annually hourly hour hours minute minutes day days week weeks month months year years ";
/// Words that tell a number without one.
const HOW_MANY: &str = " no none nobody never always zero half dozen dozens hundred hundreds thousand thousands million millions billions \
    twice once thrice single double both every each daily weekly monthly yearly annually hourly rarely seldom nightly free ";
const CAUSES: &str = " because due owing reason reasons thanks therefore thus hence consequently after so if blame blamed unless \
    prompted attributed concluded explains explained ";
const CAUSING: [&str; 6] = ["caus", "result", "trigger", "led", "lead", "leads"];
const PLACES: &str = " here there abroad home north south east west outside inside upstairs downstairs everywhere nowhere online ";
const AT_PLACES: [&str; 22] = [
    "in", "at", "near", "on", "to", "from", "under", "behind", "between", "inside", "beside", "along", "over", "across", "into", "around",
    "outside", "above", "below", "through", "within", "off",
];
const NO_PLACES: &str = " summer winter spring autumn year years century centuries month months week weeks day days morning evening night \
    past beginning end time times decade decades order fact part total addition ";
const DETERMINERS: [&str; 15] =
    ["the", "a", "an", "this", "that", "these", "those", "its", "their", "his", "her", "our", "some", "two", "several"];
const BEING: [&str; 10] = ["is", "are", "was", "were", "be", "been", "has", "have", "had", "will"];
const PERSONS: [&str; 6] = ["he", "she", "they", "we", "i", "you"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thing {
    /// Whether it happened once.
    Time(bool),
    /// Whether years tell it.
    Number(bool),
    Somebody,
    Place,
    Cause,
}

/// What a question asks for.
#[derive(Clone, Debug)]
pub(super) struct Sought {
    thing: Thing,
    /// The words that ask for it, as they stand there.
    pub written: String,
    /// The question's own words, by their stems: what it says itself it does not ask for.
    own: BTreeSet<String>,
    words: BTreeSet<String>,
    values: Vec<f64>,
}

impl Sought {
    /// None: it asks for nothing whose form is known.
    pub fn of(question: &str) -> Option<Self> {
        let all = tokens(question);
        let written: Vec<&str> = all.iter().filter(|token| token.kind != Kind::Mark).map(|token| token.of(question)).collect();
        let folded: Vec<String> = written.iter().map(|word| fold(word)).collect();
        let asking: Vec<usize> = (0..folded.len()).filter(|place| ASKING.contains(&folded[*place].as_str())).collect();
        let [place] = asking[..] else { return None };
        // What is looked for may be named before the question that names it again.
        let (before, after) = folded.split_at(place);
        if !before.iter().all(|word| BEFORE.contains(&word.as_str()) || after.contains(word)) {
            return None;
        }
        let next = folded.get(place + 1).map_or("", String::as_str);
        let happened = folded[place..].iter().any(|word| ["was", "were", "did"].contains(&word.as_str()));
        let (thing, length) = match (folded[place].as_str(), next) {
            ("when", _) => (Thing::Time(happened), 1),
            ("what" | "which", time) if TIMES.contains(&time) => (Thing::Time(happened), 2),
            ("how", measured) if MEASURED.contains(&measured) => (Thing::Number(TOLD_BY_YEARS.contains(&measured)), 2),
            ("who" | "whom" | "whose", _) => (Thing::Somebody, 1),
            ("where", _) => (Thing::Place, 1),
            ("why", _) => (Thing::Cause, 1),
            _ => return None,
        };
        let values = numbers(question, &all).iter().map(|number| number.value).collect();
        let own = folded.iter().map(|word| stem(word)).collect();
        Some(Self { thing, written: written[place..place + length].join(" "), own, words: folded.into_iter().collect(), values })
    }

    pub fn is_cause(&self) -> bool {
        self.thing == Thing::Cause
    }

    /// Whether a sentence has such a thing that the question does not have.
    pub fn is_in(&self, sentence: &str) -> bool {
        // Where words are not parted, nobody can tell; and what stands behind a colon may be anything.
        if sentence.contains(is_sign) {
            return true;
        }
        let said = Said::of(sentence);
        let has_value = sentence.contains(": ");
        match self.thing {
            Thing::Time(happened) => self.has_time(&said, happened),
            Thing::Number(by_years) => self.has_number(&said, by_years),
            Thing::Somebody => has_value || self.has_somebody(&said),
            Thing::Place => has_value || self.has_place(&said),
            Thing::Cause => has_value || has_cause(&said),
        }
    }

    fn is_new_number(&self, number: &Number) -> bool {
        !self.values.contains(&number.value)
    }

    fn is_new(&self, said: &Said, place: usize) -> bool {
        said.is_content(place) && !self.own.contains(&stem(said.word(place)))
    }

    fn has_time(&self, said: &Said, happened: bool) -> bool {
        let tells = |word: &String| is_one_of(word, WHEN) || !happened && is_one_of(word, EACH);
        let tells = |word: &String| tells(word) && !self.words.contains(word);
        said.numbers().iter().any(|number| is_date(number) && self.is_new_number(number)) || said.folded.iter().any(tells)
    }

    fn has_number(&self, said: &Said, by_years: bool) -> bool {
        // `In 2019` counts nothing, `2019 members` does.
        let is_year = |number: &Number| {
            let before = number.tokens.0.checked_sub(1).map_or("", |place| said.word(place));
            is_date(number) && (number.measure != Measure::Year || is_one_of(before, " in since until from by before after during of "))
        };
        let counts = |number: &Number| number.measure != Measure::Ordinal && (by_years || !is_year(number)) && self.is_new_number(number);
        said.numbers().iter().any(counts) || said.folded.iter().any(|word| is_one_of(word, HOW_MANY) && !self.words.contains(word))
    }

    /// A name, who did it, or what somebody is.
    fn has_somebody(&self, said: &Said) -> bool {
        let is_place = |at: usize| at > 0 && ["in", "at", "near"].contains(&said.word(at - 1));
        let acts = |at: usize| {
            let (word, next) = (said.word(at), said.word(at + 1));
            match word {
                "by" => !next.is_empty() && !next.starts_with(|first: char| first.is_ascii_digit()) && !next.ends_with("ing"),
                "to" | "from" | "with" | "for" => DETERMINERS.contains(&next) && self.is_new(said, at + 2),
                _ if BEING.contains(&word) && DETERMINERS.contains(&next) => self.is_new(said, at + 2),
                _ if PERSONS.contains(&word) => true,
                _ => self.begins_doer(said, at) && !is_place(at),
            }
        };
        self.has_name(said, is_place) || (0..said.folded.len()).any(acts)
    }

    /// `the committee decided`, `residents built it`: somebody who is not in the question stands before a verb.
    fn begins_doer(&self, said: &Said, at: usize) -> bool {
        let is_headed = DETERMINERS.contains(&said.word(at));
        let after_preposition =
            at > 0 && (AT_PLACES.contains(&said.word(at - 1)) || ["of", "during", "after", "since"].contains(&said.word(at - 1)));
        if after_preposition || !is_headed && at > 0 {
            return false;
        }
        let first = if is_headed { at + 1 } else { at };
        let is_verb = |place: usize| BEING.contains(&said.word(place)) || is_past(said.word(place)) || said.word(place).ends_with('s');
        let Some(verb) = (first + 1..=first + 3).find(|place| is_verb(*place)) else { return false };
        // `The operator` is another word than `operates`, though of one stem.
        let is_role =
            |place: usize| !self.words.contains(said.word(place)) && ["er", "or", "ist"].iter().any(|end| said.word(place).ends_with(end));
        (first..verb).all(|place| said.is_content(place)) && (self.is_new(said, verb - 1) || is_role(verb - 1))
    }

    fn has_name(&self, said: &Said, is_left_out: impl Fn(usize) -> bool) -> bool {
        let is_new = |place: &usize| !is_generic_in_names(said.word(*place)) && self.is_new(said, *place);
        said.names().iter().any(|name| name.iter().any(is_new) && !is_left_out(name[0]))
    }

    fn has_place(&self, said: &Said) -> bool {
        let is_place =
            |place: usize| self.is_new(said, place) && !is_one_of(said.word(place), NO_PLACES) && !is_never_a_name(said.word(place));
        let stands = |at: usize| {
            let thing = if DETERMINERS.contains(&said.word(at + 1)) { at + 2 } else { at + 1 };
            AT_PLACES.contains(&said.word(at))
                && (is_place(thing) || is_place(thing + 1) && said.is_content(thing) && !is_one_of(said.word(thing), NO_PLACES))
        };
        let opens = |name: &Vec<usize>| name[0] == 0 && name.last().is_some_and(|last| BEING.contains(&said.word(last + 1)));
        let is_named = said.names().iter().any(|name| opens(name) && name.iter().any(|place| self.is_new(said, *place)));
        let is_written = said.text.contains(['`', '/', '~']);
        is_named || is_written || (0..said.folded.len()).any(|at| stands(at) || is_one_of(said.word(at), PLACES))
    }
}

fn has_cause(said: &Said) -> bool {
    let is_plain = |place: usize| said.is_content(place) && said.tokens[place].of(said.text).starts_with(char::is_lowercase);
    (0..said.folded.len()).any(|at| match said.word(at) {
        // `Since 1976` is a time, and `to the station` a way.
        "since" | "as" => {
            said.word(at + 1).chars().all(char::is_alphabetic) && !said.word(at + 1).is_empty() && at == 0
                || said.word(at + 1) == "the" && said.word(at) == "since"
        }
        "to" | "for" | "from" => is_plain(at + 1),
        "found" | "showed" => said.word(at + 1) == "that",
        word => is_one_of(word, CAUSES) || CAUSING.iter().any(|cause| word == *cause || cause.len() > 3 && word.starts_with(cause)),
    })
}

fn is_date(number: &Number) -> bool {
    matches!(
        number.measure,
        Measure::Year | Measure::Decade | Measure::Century | Measure::Day { .. } | Measure::Month | Measure::Time { .. }
    )
}

fn is_one_of(word: &str, words: &str) -> bool {
    !word.is_empty() && words.contains(&format!(" {word} "))
}

/// The words of a sentence in their order, marks among them.
struct Said<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    folded: Vec<String>,
}

impl<'a> Said<'a> {
    fn of(text: &'a str) -> Self {
        let tokens = tokens(text);
        let folded = tokens.iter().map(|token| fold(token.of(text))).collect();
        Self { text, tokens, folded }
    }

    fn word(&self, place: usize) -> &str {
        self.folded.get(place).map_or("", String::as_str)
    }

    fn is_content(&self, place: usize) -> bool {
        self.tokens.get(place).is_some_and(|token| token.kind == Kind::Word) && !is_stop(self.word(place))
    }

    fn numbers(&self) -> Vec<Number> {
        numbers(self.text, &self.tokens)
    }

    fn names(&self) -> Vec<Vec<usize>> {
        let starts: Vec<usize> = sentences(self.text).iter().map(|span| span.start).collect();
        names(self.text, &self.tokens, &starts, &BTreeSet::new()).into_iter().map(|name| name.words).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, has: &[&str], has_not: &[&str]) {
        let sought = Sought::of(question).expect(question);
        has.iter().for_each(|sentence| assert!(sought.is_in(sentence), "{question} {sentence}"));
        has_not.iter().for_each(|sentence| assert!(!sought.is_in(sentence), "{question} {sentence}"));
    }

    #[test]
    fn when_asks_for_a_time_that_the_question_does_not_have() {
        let question = "When was the Orlen comet discovered?";
        let has = ["It was discovered in 1911.", "It was discovered on 3 June.", "It was discovered after the war.", "Two centuries ago."];
        check(question, &has, &["The Orlen comet was discovered by Ada Roe.", "It was discovered by Ada Roe and returns every 76 years."]);
        check("When did Orbis grow after 2019?", &["Orbis grew in 2021."], &["Orbis grew by 5 % after 2019."]);
        check("In what year was it built?", &["It was built in 1862."], &["It was built of stone."]);
        check("When does the ferry leave?", &["The ferry leaves every hour.", "It leaves at 9:30."], &["The ferry leaves from Bergen."]);
    }

    #[test]
    fn how_many_asks_for_a_number() {
        let question = "How many students does Halden University have?";
        let has = ["It has 12,000 students.", "It has twelve students.", "It has no students.", "About half of them live there."];
        check(question, &has, &["Halden University has many students from abroad.", "It has had students since 1894."]);
        check("How many people worked there in 2022?", &["In 2022, 3,400 people did."], &["Many people worked there in 2022."]);
        check("How old is the mill?", &["The mill was built in 1862."], &["The mill is very old."]);
        check("How often does it run?", &["It runs daily."], &["It runs often."]);
    }

    #[test]
    fn who_asks_for_somebody() {
        let has = [
            "Ada Roe discovered the Orlen comet.",
            "The Orlen comet was discovered by a monk.",
            "In 1911 the observatory discovered the Orlen comet.",
            "Residents discovered the Orlen comet.",
            "It was discovered by Ada Roe.",
            "Discoverer: unknown monk",
        ];
        let has_not = [
            "The Orlen comet was discovered in 1911.",
            "The Orlen comet was discovered in the summer of 1911.",
            "The Orlen comet was discovered in Bergen.",
            "In June 1911 the Orlen comet was discovered.",
        ];
        check("Who discovered the Orlen comet?", &has, &has_not);
        check("Who owns the bell?", &["The owner of the bell is the parish.", "It belongs to the parish."], &["The bell is owned."]);
        check("Who operates the ferry?", &["Its operator gave the ferry a new name."], &["The ferry operates in winter."]);
    }

    #[test]
    fn where_asks_for_a_place() {
        let has = ["She was born in Oslo.", "She was born near the old harbour.", "Oslo is the birthplace of Lena Marsh."];
        check(
            "Where was Lena Marsh born?",
            &has,
            &["Lena Marsh was born in 1961.", "Lena Marsh was born in June.", "She was born in the summer."],
        );
        check(
            "Where is the key kept?",
            &["The key is kept in `~/.motet`.", "It is kept under the stairs."],
            &["The key is kept by Ada Roe."],
        );
    }

    #[test]
    fn why_asks_for_a_cause() {
        let has = [
            "It failed because it leaked.",
            "The cause was seepage.",
            "Seepage led to the failure.",
            "The investigation concluded that seepage eroded the core.",
            "It was closed to replace the bearings.",
        ];
        check("Why did the Tarn dam fail?", &has, &["The Tarn dam failed on 3 June 1976.", "The Tarn dam has been empty since 1976."]);
    }

    #[test]
    fn what_asks_in_another_way_asks_for_nothing_that_could_be_missed() {
        for question in
            ["What is the Orlen comet?", "Wann wurde sie gebaut?", "How do tides work?", "Who built it and when?", "The bell", ""]
        {
            assert!(Sought::of(question).is_none(), "{question}");
        }
    }
}
