//! Names in a text: runs of capitalised words, acronyms, and words with capitals inside.
//! It does not know people from places. Words that open a sentence are names only if something else says so.

use std::collections::BTreeSet;

use super::{Kind, Span, Token, fold, words};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub span: Span,
    /// The capitalised words in it, as indices of tokens; `of` and `the` between them are left out.
    pub words: Vec<usize>,
    /// Only because it opens a sentence and no table has it: it may be an ordinary word.
    pub by_place: bool,
}

/// The names of a text. `starts` are the places where sentences begin; `elsewhere` are folded words that other texts write with a capital
/// in the middle of a sentence.
pub fn names(text: &str, tokens: &[Token], starts: &[usize], elsewhere: &BTreeSet<String>) -> Vec<Name> {
    let reader = Reader { text, tokens, starts, elsewhere };
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match reader.name(at) {
            Some((name, next)) => {
                found.push(name);
                at = next;
            }
            None => at += 1,
        }
    }
    found
}

/// The first letters of the words of a name: `World Health Organization` is `who`.
pub fn initials(words: &[&str]) -> String {
    words.iter().filter_map(|word| word.chars().next()).flat_map(char::to_lowercase).collect()
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
    starts: &'a [usize],
    elsewhere: &'a BTreeSet<String>,
}

/// Capitalised in English wherever they stand, and no names: they are dates, address a person, or have no fellow. The Earth has: Mars.
const NEVER: [&str; 42] = [
    "i",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "mr",
    "mrs",
    "ms",
    "dr",
    "prof",
    "sir",
    "god",
    "internet",
    "bc",
    "ad",
];

/// Whether a word has its capital for another reason than being a name.
pub fn is_never_a_name(folded: &str) -> bool {
    NEVER.contains(&folded)
}

/// Words that make another place of the one they stand before: New York, North Korea.
pub const SIDES: [&str; 11] = ["new", "north", "south", "east", "west", "northern", "southern", "eastern", "western", "upper", "lower"];

/// Small words that stand inside names: Bank of England, Leonardo da Vinci.
const INSIDE: [&str; 16] = ["of", "the", "de", "da", "del", "della", "di", "du", "la", "le", "van", "von", "der", "den", "al", "for"];

impl Reader<'_> {
    fn raw(&self, at: usize) -> &str {
        self.tokens[at].of(self.text)
    }

    fn name(&self, at: usize) -> Option<(Name, usize)> {
        if !self.may_begin(at) {
            return None;
        }
        let mut words = vec![at];
        let mut next = at + 1;
        while let Some(place) = self.following(next) {
            words.push(place);
            next = place + 1;
        }
        let span = Span::new(self.tokens[at].span.start, self.tokens[next - 1].span.end);
        let by_place = words.len() == 1 && self.opens(at) && self.is_name_by_place(at);
        Some((Name { span, words, by_place }, next))
    }

    /// The next word of the same name, over small words, hyphens, and the point of an initial.
    fn following(&self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        match token.kind {
            Kind::Word if self.is_capital(at) && !self.opens(at) && !is_never_a_name(&fold(self.raw(at))) => Some(at),
            Kind::Word if INSIDE.contains(&self.raw(at)) => {
                let after = if self.tokens.get(at + 1).is_some_and(|next| INSIDE.contains(&next.of(self.text))) { at + 2 } else { at + 1 };
                let next = self.tokens.get(after)?;
                (next.kind == Kind::Word && self.is_capital(after) && !self.opens(after)).then_some(after)
            }
            Kind::Mark if matches!(self.raw(at), "-" | "." | "&") => {
                let initial = self.raw(at) != "." || self.raw(at - 1).chars().count() == 1;
                let next = self.tokens.get(at + 1)?;
                (initial && next.kind == Kind::Word && self.is_capital(at + 1) && !self.opens(at + 1)).then_some(at + 1)
            }
            _ => None,
        }
    }

    fn may_begin(&self, at: usize) -> bool {
        if self.tokens[at].kind != Kind::Word || !self.is_capital(at) {
            return false;
        }
        let raw = self.raw(at);
        let folded = fold(raw);
        if is_never_a_name(&folded) {
            return false;
        }
        if is_acronym(raw) || has_inner_capital(raw) {
            return true;
        }
        if words::is_stop(&folded) {
            return false;
        }
        !self.opens(at) || self.is_name_although_first(at, &folded)
    }

    /// A word that opens a sentence is a name if it is one elsewhere, if another capital follows, or if no English word looks like it.
    fn is_name_although_first(&self, at: usize, folded: &str) -> bool {
        if self.elsewhere.contains(folded) || words::is_known_name(folded) {
            return true;
        }
        let capital_follows = self.following(at + 1).is_some_and(|next| next == at + 1 || self.raw(at + 1) == "-");
        if words::is_common(folded) || words::is_generic_in_names(folded) {
            return capital_follows && SIDES.contains(&folded);
        }
        let possessive = self.raw(at).len() > folded.len();
        capital_follows || possessive || !looks_common(folded) && !words::is_in_tables(folded)
    }

    /// Whether nothing but the place of a single first word makes it a name.
    fn is_name_by_place(&self, at: usize) -> bool {
        let raw = self.raw(at);
        let folded = fold(raw);
        let is_known = self.elsewhere.contains(&folded) || words::is_known_name(&folded);
        !is_known && !is_acronym(raw) && !has_inner_capital(raw) && raw.len() == folded.len()
    }

    fn is_capital(&self, at: usize) -> bool {
        self.raw(at).chars().next().is_some_and(char::is_uppercase)
    }

    /// Whether the token is the first word of a sentence, or stands after a mark that opens one.
    fn opens(&self, at: usize) -> bool {
        let start = self.tokens[at].span.start;
        if self.starts.contains(&start) || at == 0 {
            return true;
        }
        let before = self.tokens[at - 1];
        before.kind == Kind::Mark && matches!(before.of(self.text), "\"" | "“" | ":" | "•" | "#" | "|" | ">" | "*" | "‘")
            || before.kind == Kind::Mark
                && before.of(self.text) == "."
                && at >= 2
                && self.raw(at - 2).chars().count() > 2
                && self.starts.is_empty()
    }
}

fn is_acronym(raw: &str) -> bool {
    let letters = raw.chars().filter(|character| character.is_alphabetic()).count();
    (2..=6).contains(&letters) && raw.chars().filter(|character| character.is_alphabetic()).all(char::is_uppercase)
}

fn has_inner_capital(raw: &str) -> bool {
    let inner = raw.chars().skip(1).any(char::is_uppercase);
    inner && raw.chars().any(char::is_lowercase) && !raw.contains(['\'', '’'])
}

/// Endings of ordinary English words. A rare name has one too; such a name is then only seen in the middle of a sentence.
fn looks_common(folded: &str) -> bool {
    const ENDINGS: [&str; 34] = [
        "ing", "ed", "ly", "tion", "sion", "ment", "ness", "ity", "ous", "ive", "able", "ible", "ful", "less", "ers", "ies", "als", "ists",
        "ics", "ogy", "ants", "ents", "ions", "ance", "ence", "ures", "ism", "body", "thing", "where", "ship", "hood", "wards", "wise",
    ];
    // A plural opens more sentences than a name with an `s` at its end does.
    let plural = folded.ends_with('s') && !folded.ends_with("ss") && !folded.ends_with("is") && !folded.ends_with("us");
    folded.len() <= 3 || plural || ENDINGS.iter().any(|ending| folded.ends_with(ending)) || words::is_common(folded.trim_end_matches('s'))
}

#[cfg(test)]
mod tests {
    use super::super::{sentences, tokens};
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let tokens = tokens(text);
        let starts: Vec<usize> = sentences(text).iter().map(|span| span.start).collect();
        let found: Vec<&str> = names(text, &tokens, &starts, &BTreeSet::new()).iter().map(|name| name.span.of(text)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn capitals_inside_a_sentence_are_names() {
        check("In May the Bank of England met J. Smith in Paris.", &["Bank of England", "J. Smith", "Paris"]);
        check("Studies by NASA and YouTube agree.", &["NASA", "YouTube"]);
        check("It was led by Jean-Claude Juncker.", &["Jean-Claude Juncker"]);
    }

    #[test]
    fn the_first_word_is_a_name_only_if_something_says_so() {
        check("Critics liked it. Running helps. However, it rained.", &[]);
        check("Smith played. Angela Merkel left.", &["Smith", "Angela Merkel"]);
    }

    #[test]
    fn what_is_a_name_elsewhere_is_one_here() {
        let text = "Reading won the cup.";
        let elsewhere = BTreeSet::from(["reading".to_string()]);
        assert_eq!(names(text, &tokens(text), &[0], &elsewhere).len(), 1);
        assert_eq!(names(text, &tokens(text), &[0], &BTreeSet::new()).len(), 0);
    }
}
