//! Whether an English line has a verb: what has none is a title, a label or a fragment, and says nothing by itself.
//! Where it cannot tell, and in every other language, it takes a line to have one.

use crate::text::words::{is_common, is_past, is_stop};
use crate::text::{Kind, Measure, Token, fold, is_english_grammar, numbers, tokens};

const SURE: &str = " am is are was were be been being isnt arent wasnt werent has have had having hasnt havent hadnt do does did doing dont doesnt \
    didnt can cannot cant could couldnt will wont would wouldnt shall should shouldnt may might must get gets got go goes gone come comes came \
    become becomes became make makes made put puts let lets say says said use uses used kept gave given let ";
/// Past forms that no ending tells and that name nothing.
const IRREGULAR: &str = " rang slew sprang sank swam sang drank shrank stank swung slung stung clung flung hung dug stuck struck spun won wove woke wore \
    tore swore froze chose spoke stole broke rode drove strove wrote shone flew grew knew threw blew drew slept crept wept leapt dealt dreamt \
    meant knelt fled bled bred fed led sped met slid hid fought sought bought brought caught taught told sold held stood understood undertook took \
    shook forsook laid paid ran sat ate fell sent spent lent bent began overthrew withdrew foresaw arose ";
/// Before a word these make it the name of something.
const NAMING: &str = " the a an this that these those its their his her our your my of in on at by for from with to as per into under over \
    between after before during since about no each every any some all both ";
/// Behind the first word these make it a verb: `Restart the service`, `Tries it twice`.
const BEHIND_VERB: &str = " the a an this that these those its their his her our your my it them all every each no when if whether only ";
const SEVERAL: &str = " we they you i people men women children and or who which ";
/// What is open needs no verb to say so.
const ELLIPTIC: &str = " open closed free available unavailable forbidden due except none nobody nothing not never always ";
/// Before a colon so few words name a value.
const WORDS_OF_A_NAME: usize = 4;

/// Whether a sentence says something of something, as far as anybody can tell by its words.
pub fn may_state(sentence: &str) -> bool {
    let line = Line::of(sentence);
    !line.is_english() || line.has_verb() || line.may_have_verb() || is_value(sentence) || line.has_measure(sentence)
}

/// Whether it surely does.
pub fn has_verb(sentence: &str) -> bool {
    let line = Line::of(sentence);
    !line.is_english() || line.has_verb()
}

/// `Default port: 8443`, `Owner: the parish`. What has a number in its name is the title of something.
fn is_value(sentence: &str) -> bool {
    let Some((name, value)) = sentence.split_once(": ") else { return false };
    let has_number = |words: &str| words.contains(|letter: char| letter.is_ascii_digit());
    has_number(value) || !has_number(name) && name.split_whitespace().count() <= WORDS_OF_A_NAME
}

struct Line {
    folded: Vec<String>,
    /// Whether each is written with a capital.
    capital: Vec<bool>,
    tokens: Vec<Token>,
    is_contracted: bool,
    is_ascii: bool,
}

impl Line {
    fn of(sentence: &str) -> Self {
        let tokens = tokens(sentence);
        let words: Vec<&str> = tokens.iter().filter(|token| token.kind == Kind::Word).map(|token| token.of(sentence)).collect();
        let folded = words.iter().map(|word| fold(word)).collect();
        let capital = words.iter().map(|word| word.starts_with(char::is_uppercase)).collect();
        let is_contracted = words.iter().any(|word| is_contracted(word));
        let is_ascii = words.iter().all(|word| word.chars().all(|letter| letter.is_ascii() || letter == '’'));
        Self { folded, capital, tokens, is_contracted, is_ascii }
    }

    fn word(&self, place: usize) -> &str {
        self.folded.get(place).map_or("", String::as_str)
    }

    /// Whether anything in it is English: of a line in another language no table knows the verbs.
    fn is_english(&self) -> bool {
        let is_known = |word: &String| is_english_grammar(word) || is_common(word) && !is_stop(word);
        self.is_ascii && self.folded.iter().any(is_known)
    }

    fn has_verb(&self) -> bool {
        self.is_contracted
            || self.folded.iter().enumerate().any(|(place, word)| {
                // `May 2021` is no verb.
                (place == 0 || !self.capital[place]) && is_one_of(word, SURE)
                    || (is_past(word) || is_one_of(word, IRREGULAR)) && !self.capital[place]
            })
    }

    fn may_have_verb(&self) -> bool {
        let is_word = |place: usize| !self.word(place).is_empty() && !is_stop(self.word(place));
        let may_be_verb = |place: usize| is_word(place) && !self.capital[place] && !is_noun(self.word(place));
        let is_named = |place: usize| place > 0 && is_one_of(self.word(place - 1), NAMING);
        let is_third = |place: usize| may_be_verb(place) && place > 0 && ends_with_s(self.word(place)) && !is_named(place);
        // `Ferries cross it`, `Ada and Bo maintain it`.
        let follows_several = |place: usize| {
            let before =
                (place.saturating_sub(2)..place).any(|before| ends_with_s(self.word(before)) || is_one_of(self.word(before), SEVERAL));
            may_be_verb(place) && !is_named(place) && before
        };
        let is_joined = |place: usize| {
            may_be_verb(place)
                && place > 2
                && !is_named(place)
                && is_word(place - 1)
                && self.folded[..place - 1].iter().any(|word| word == "and")
        };
        let begins = is_word(0) && is_one_of(self.word(1), BEHIND_VERB) || is_one_of(self.word(0), ELLIPTIC) || is_past(self.word(0));
        begins || (0..self.folded.len()).any(|place| is_third(place) || follows_several(place) || is_joined(place))
    }

    /// A number that measures something says so without a verb; a year or the number of a chapter does not.
    fn has_measure(&self, sentence: &str) -> bool {
        let measures = |measure: &Measure| matches!(measure, Measure::Percent | Measure::Points | Measure::Money | Measure::Time { .. });
        numbers(sentence, &self.tokens).iter().any(|number| measures(&number.measure) || number.unit.is_some())
    }
}

/// `It’s`, `they’ve`; in `the council’s` nothing is left out.
fn is_contracted(word: &str) -> bool {
    let word = word.to_lowercase().replace('’', "'");
    let Some((before, after)) = word.rsplit_once('\'') else { return false };
    ["re", "ve", "ll", "d", "t"].contains(&after)
        || after == "s" && ["it", "that", "there", "here", "he", "she", "who", "what"].contains(&before)
}

fn ends_with_s(word: &str) -> bool {
    word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end))
}

/// By its ending it can be no verb.
fn is_noun(word: &str) -> bool {
    const ENDINGS: [&str; 12] = ["tion", "sion", "ment", "ness", "ity", "ship", "ance", "ence", "ism", "ology", "ful", "ous"];
    ENDINGS.iter().any(|end| word.ends_with(end))
}

fn is_one_of(word: &str, words: &str) -> bool {
    !word.is_empty() && words.contains(&format!(" {word} "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(states: bool, lines: &[&str]) {
        lines.iter().for_each(|line| assert_eq!(may_state(line), states, "{line}"));
    }

    #[test]
    fn titles_and_fragments_state_nothing() {
        check(
            false,
            &[
                "Annual inspection report 2020: Sarrow Bridge.",
                "The default retry limit of the client.",
                "The table of runs.",
                "A history of the Sarrow Bridge",
                "Chapter 3 of the annual report",
                "Minutes of the council, May 2021",
            ],
        );
    }

    #[test]
    fn whatever_may_have_a_verb_states_something() {
        check(
            true,
            &[
                "The bridge was opened in 1974.",
                "Alice maintains the billing service.",
                "The great bell of Orlen rang at noon.",
                "Ferries cross the harbour every ten minutes.",
                "Ada and Bo maintain the harbour service.",
                "They often cross the harbour.",
                "The side effects include headache.",
                "Restart the service after each update.",
                "Tries it twice.",
                "Closed on Mondays.",
                "Open daily from May to June.",
                "npm test runs the integration suite.",
                "Coffee raises blood pressure slightly.",
                "The council cut the budget in 2020.",
                "It's the oldest bridge of the county.",
            ],
        );
    }

    #[test]
    fn a_value_states_something_by_its_name() {
        check(
            true,
            &[
                "Default port: 8443.",
                "Owner: the parish of Orlen.",
                "The population of Norvale in 2020: 48,200.",
                "About 40 % of the households.",
            ],
        );
    }

    #[test]
    fn other_languages_are_not_judged() {
        check(
            true,
            &[
                "Die Brücke wurde 1974 eröffnet.",
                "Der Turm steht seit 1862 in Bern.",
                "Hans baute das Haus in Bern.",
                "Le pont relie Sarrow et Bern.",
                "El puente cruza el fiordo.",
                "林德霍尔姆大桥于1974年开放。",
            ],
        );
    }
}
