//! `no more than an hour`: a limit that is told with a negation. Whether it denies anything depends on what the other text says.
//! Which of two limits is the narrower is not asked here: numbers are compared as numbers.

use crate::text::{Token, begins_number};

/// The words of a text with their tokens, by their stems.
pub type Stems<'a> = [(usize, &'a str)];

/// Whether the negation that these stems begin with sets a limit and denies nothing. The limit of a number is compared with the number:
/// `no more than 5`. Any other is one only beside a text that has it in other words: `at most an hour`, and not `more than an hour`.
pub fn is_limit(stems: &Stems, (text, tokens): (&str, &[Token]), other: &Stems) -> bool {
    if begins(stems, (text, tokens), other) {
        return true;
    }
    let Some((is_upper, behind)) = denied(stems) else { return false };
    begins_number(text, tokens, behind) || has_limit(other, is_upper)
}

/// `not until 1968` says when it began, beside a text that does not say until when it lasted; and `no Dane before her` who was the first.
pub fn begins(stems: &Stems, (text, tokens): (&str, &[Token]), other: &Stems) -> bool {
    let Some((at, negation)) = stems.first() else { return false };
    let says = |wanted: &str| other.iter().any(|(_, stem)| *stem == wanted);
    let ends = |place: usize| matches!(tokens[place].of(text), "," | ";" | ":" | "and" | "but");
    let follows = |wanted: &str| {
        let found = stems.iter().take(FURTHEST).find(|(_, stem)| *stem == wanted);
        found.is_some_and(|(place, _)| !(*at..*place).any(ends))
    };
    match *negation {
        "not" | "never" | "didnt" | "wasnt" | "werent" => follows("until") && !other.is_empty() && !says("until"),
        "no" => follows(BEFORE) && says("first"),
        _ => false,
    }
}

/// The stem of `before`.
const BEFORE: &str = "befor";

/// So many words from a negation on may say until when.
const FURTHEST: usize = 10;

/// Whether a comparison is denied anywhere in a text: its `more` then says what `less` says elsewhere.
pub fn denies_comparison(stems: &Stems) -> bool {
    (0..stems.len()).any(|place| denied(&stems[place..]).is_some())
}

/// Whether a comparison that is denied limits from above, and the token behind its `than`. One verb may stand between: `cannot carry more than`.
fn denied(stems: &Stems) -> Option<(bool, usize)> {
    let word = |place: usize| stems.get(place).map_or("", |(_, stem)| *stem);
    if !matches!(word(0), "no" | "not" | "never" | "cannot") {
        return None;
    }
    let place =
        if matches!(word(1), "only" | "just" | "mere") { 1 } else { [1, 2].into_iter().find(|place| compares(stems, *place).is_some())? };
    Some((compares(stems, place)?, stems[place + 1].0 + 1))
}

/// Whether `more than` stands here, and not `less than`.
fn compares(stems: &Stems, place: usize) -> Option<bool> {
    let (_, comparative) = stems.get(place)?;
    let is_more = match *comparative {
        "more" | "greater" | "longer" => true,
        "less" | "fewer" => false,
        _ => return None,
    };
    stems.get(place + 1).is_some_and(|(_, than)| *than == "than").then_some(is_more)
}

/// Whether a text limits something from above, or from below, without denying anything.
fn has_limit(stems: &Stems, is_upper: bool) -> bool {
    let word = |place: usize| stems.get(place).map_or("", |(_, stem)| *stem);
    let is_denied = |place: usize| (place.saturating_sub(2)..place).any(|before| denied(&stems[before..]).is_some());
    (0..stems.len()).any(|place| match (word(place), word(place + 1)) {
        ("at", "most") | ("up", "to") | ("maximum" | "within", _) => is_upper,
        ("at", "least") | ("minimum", _) => !is_upper,
        _ => compares(stems, place).is_some_and(|is_more| is_more != is_upper && !is_denied(place)),
    })
}
