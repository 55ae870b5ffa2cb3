//! What a word leads to by a preposition: `jobs were created in construction`, `finds belong to the state`.
//! Times and numbers are left alone, because a sentence has as many of them as it likes; `binding` asks of what numbers are said.

use super::matching::Matching;
use super::statement::{Part, Statement};
use super::wording::Wording;
use crate::text::{Kind, fold, is_never_a_name};

/// What a claim leads to and the page has only behind another word or as the subject of something else: `the mill in Veldt`, where it has `a furnace
/// at Veldt`. It is the same for every sentence of the page, so it is asked once.
pub struct Otherwise<'a> {
    matching: &'a Matching<'a>,
    attachments: Vec<Attachment>,
}

impl<'a> Otherwise<'a> {
    pub fn of(matching: &'a Matching<'a>) -> Self {
        let attachments = attachments(matching.statement).filter(|attachment| is_told_otherwise(matching, attachment)).collect();
        Self { matching, attachments }
    }

    /// Whether a sentence leads by the same word and preposition to something else: `the mill in Dorna`.
    pub fn leads_elsewhere(&self, sentence: usize) -> bool {
        let tokens = self.matching.page.sentences[sentence].tokens;
        self.attachments.iter().any(|attachment| leads_to_another(self.matching, tokens, attachment))
    }
}

const PREPOSITIONS: [&str; 11] = ["in", "at", "to", "from", "of", "by", "with", "for", "into", "under", "on"];

/// A word of the claim, a preposition behind it, and the words that it leads to.
struct Attachment {
    leading: usize,
    preposition: &'static str,
    led: Vec<usize>,
}

fn attachments(statement: &Statement) -> impl Iterator<Item = Attachment> {
    let claim = Wording::from(statement);
    (1..statement.tokens.len()).filter_map(move |at| {
        let preposition = PREPOSITIONS.into_iter().find(|preposition| claim.raw(at) == *preposition)?;
        let leading = statement.slot_of(at - 1)?;
        let phrase: Vec<usize> = phrase(claim, at + 1).collect();
        let led: Vec<usize> = phrase.iter().filter_map(|token| statement.slot_of(*token)).collect();
        let is_plain = matches!(statement.slots[leading].part, Part::Word { in_name: false, .. });
        let is_read = is_plain && !led.is_empty() && !phrase.iter().any(|token| is_time(claim.raw(*token)));
        is_read.then_some(Attachment { leading, preposition, led })
    })
}

/// The tokens of what a preposition leads to, without its article, up to the next small word, verb or mark.
fn phrase(wording: Wording, from: usize) -> impl Iterator<Item = usize> {
    let is_article =
        move |at: &usize| matches!(wording.raw(*at), "the" | "a" | "an" | "its" | "their" | "his" | "her" | "Mr" | "Mrs" | "Ms");
    let begin = (from..wording.tokens.len()).find(|at| !is_article(at)).unwrap_or(wording.tokens.len());
    (begin..wording.tokens.len().min(begin + LONGEST)).take_while(move |at| wording.is_content(*at) && !wording.is_past(*at))
}

/// `to the merchant Lukas Orme`.
const LONGEST: usize = 4;

/// Words that say when or how, and not where or whose.
fn is_time(raw: &str) -> bool {
    const TIMES: [&str; 26] = [
        "year",
        "month",
        "week",
        "day",
        "hour",
        "minute",
        "century",
        "decade",
        "spring",
        "summer",
        "autumn",
        "winter",
        "quarter",
        "half",
        "time",
        "period",
        "season",
        "night",
        "morning",
        "evening",
        "end",
        "beginning",
        "total",
        "average",
        "order",
        "addition",
    ];
    let folded = fold(raw);
    TIMES.contains(&folded.strip_suffix('s').unwrap_or(&folded)) || raw.starts_with(char::is_uppercase) && is_never_a_name(&folded)
}

/// Whether the word of the claim leads to something that the claim does not have.
fn leads_to_another(matching: &Matching, (first, last): (usize, usize), attachment: &Attachment) -> bool {
    let told = matching.told();
    matching.same(attachment.leading, (first, last)).any(|at| {
        let mut found = phrase(told, at + 2).take_while(|at| *at < last).peekable();
        let is_another = |at: usize| !matching.meets((at, at + 1)) && !is_time(told.raw(at));
        at + 2 < last && told.raw(at + 1) == attachment.preposition && found.peek().is_some() && found.all(is_another)
    })
}

/// Whether the page has what the claim leads to, and at every place behind another word or as the subject of something else.
fn is_told_otherwise(matching: &Matching, attachment: &Attachment) -> bool {
    let told = matching.told();
    // The last word of a name stands for it.
    let Some(head) = attachment.led.last() else { return false };
    let mut places = matching.places(*head, (0, told.tokens.len())).iter().map(|(at, _)| *at).peekable();
    let is_leading = |at: usize| !matching.places(attachment.leading, (at, at + 1)).is_empty();
    let is_otherwise = |at: usize| is_behind_another(matching, at) || is_subject(matching, at);
    places.peek().is_some() && places.all(|at| is_otherwise(at) && !is_led(told, at, &is_leading))
}

/// Whether the word of the claim leads to a place over nouns alone: `a school in the town of Lund`, `in construction, tourism and manufacturing`.
fn is_led(told: Wording, at: usize, is_leading: &impl Fn(usize) -> bool) -> bool {
    let is_passed = |place: usize| match told.raw(place) {
        "the" | "a" | "an" | "its" | "their" | "his" | "her" | "," | "and" | "or" => true,
        raw => PREPOSITIONS.contains(&raw) || told.is_content(place) && !told.is_past(place),
    };
    let from = at.saturating_sub(FURTHEST);
    let end = (from..at).rev().find(|place| is_leading(*place) || !is_passed(*place));
    end.is_some_and(is_leading)
}

/// So far before a noun stands the word that leads to it.
const FURTHEST: usize = 14;

/// `Manufacturing lost 2,600`, where the claim says nothing of what follows: what it does say there may be the same in other words, `roads received
/// 2 billion` for `investment in roads was 2 billion`.
fn is_subject(matching: &Matching, at: usize) -> bool {
    const HELPING: [&str; 17] = [
        "is", "are", "was", "were", "has", "have", "had", "can", "could", "will", "would", "may", "might", "must", "should", "did", "does",
    ];
    let (page, told) = (matching.page, matching.told());
    let sentence = page.sentences.partition_point(|sentence| sentence.tokens.1 <= at);
    let last = page.sentences.get(sentence).map_or(at + 1, |sentence| sentence.tokens.1);
    let is_verb = at + 1 < last && (HELPING.contains(&told.raw(at + 1)) || told.is_past(at + 1));
    let end = || (at + 1..last).find(|place| matches!(told.raw(*place), ";" | "while" | "whereas" | "but")).unwrap_or(last);
    is_verb && !matching.meets((at + 1, end()))
}

/// `A furnace at Veldt`, where the claim speaks of a mill.
fn is_behind_another(matching: &Matching, at: usize) -> bool {
    let told = matching.told();
    let before = (at.saturating_sub(LONGEST)..at).rev().take_while(|place| told.is(*place, Kind::Word));
    let preposition = before.into_iter().find(|place| PREPOSITIONS.contains(&told.raw(*place)));
    let Some(leading) = preposition.and_then(|preposition| preposition.checked_sub(1)) else { return false };
    told.is_content(leading) && !matching.meets((leading, leading + 1))
}
