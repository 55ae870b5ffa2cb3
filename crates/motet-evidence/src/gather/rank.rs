//! Which passages bear on the questions, and which of their sentences say most: by the words they share, rare words counting more.
//! Everything is counted among the documents at hand, so the same documents always give the same order.

use std::collections::{BTreeMap, BTreeSet};

use super::beside::{Beside, points_back};
use super::plain::denies;
use super::statements::{Statement, prose, statements};
use super::verbs::has_verb;
use crate::archive::Document;
use crate::asking::{Asked, Reach, Said, stemmed};
use crate::index::passages::passages;
use crate::text::Span;
use crate::text::words::synonyms;

/// How soon a word that is repeated stops counting, and how much a long passage is marked down.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// How much of a sentence's score is its own; the rest is what its passage says, since a sentence rarely names everything it is about.
const OWN_SHARE: f64 = 0.75;
/// How much is left of the score of a sentence that begins by pointing back to one that is not quoted with it.
const LEANING: f64 = 0.6;
/// A longer quotation says too much beside the answer.
const LONGEST_JOINED: usize = 600;
/// An answer that leans on the sentence before it stands behind those of other documents that answer by themselves, and before all else.
const BESIDE_OTHERS: f64 = 0.9;
/// So many answers at most are put first for what stands beside them.
const MOST_LEANING: usize = 3;
/// What is left of the score of a sentence that has no such thing as is asked for, where others have one.
const LACKING: f64 = 0.7;
/// What a word counts that may only stand for the one that was asked for.
const SYNONYM: f64 = 0.5;

pub struct Picked {
    pub document: usize,
    pub span: Span,
}

pub struct PickedQuote {
    /// Its place among the picked passages.
    pub passage: usize,
    /// As a sentence.
    pub text: String,
    /// As it stands in the passage.
    pub exact: String,
    pub score: f64,
    /// The words of the questions that it speaks of, as they stand there.
    pub words: Vec<String>,
    /// Whether it speaks, with what stands beside it and above it, of what tells the subject of the questions apart most.
    pub on_subject: bool,
    /// Whether it speaks of more than half of the questions and all their names, and has such a thing as they ask for.
    pub bears_on: bool,
}

/// The best passages. Without a question, those that come first; no document takes more than half the room while another has some to say.
pub fn pick(documents: &[Document], questions: &[String], at_most: usize) -> Vec<Picked> {
    let mut all: Vec<(Picked, Vec<String>)> = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        all.extend(passages(&document.text).into_iter().map(|span| {
            let span = Span::new(span.start, span.end);
            (Picked { document: number, span }, stems(span.of(&document.text)))
        }));
    }
    let wanted = wanted(questions);
    if wanted.is_empty() {
        return all.into_iter().map(|(picked, _)| picked).take(at_most).collect();
    }
    let rarity = rarity(all.iter().map(|(_, stems)| stems), &wanted);
    let mean = all.iter().map(|(_, stems)| stems.len() as f64).sum::<f64>() / all.len().max(1) as f64;
    let mut scored: Vec<(f64, Picked)> =
        all.into_iter().map(|(picked, stems)| (weigh(&stems, &rarity, mean), picked)).filter(|(score, _)| *score > 0.0).collect();
    scored.sort_by(|(one, a), (other, b)| other.total_cmp(one).then((a.document, a.span.start).cmp(&(b.document, b.span.start))));
    let share = if documents.len() > 1 { at_most.div_ceil(2) } else { at_most };
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for (_, picked) in scored {
        let of_document = taken.entry(picked.document).or_default();
        *of_document += 1;
        if *of_document <= share { first.push(picked) } else { rest.push(picked) }
    }
    first.into_iter().chain(rest).take(at_most).collect()
}

/// The sentences of the passages that speak most of the questions, best first, and how far they reach towards an answer.
pub fn quotes(documents: &[Document], picked: &[Picked], questions: &[String], at_most: usize) -> (Vec<PickedQuote>, Reach) {
    let mut all: Vec<(PickedQuote, Vec<String>)> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut found: Vec<(usize, Statement)> = Vec::new();
    for (number, passage) in picked.iter().enumerate() {
        let document = &documents[passage.document];
        for statement in statements(&document.text, passage.span, document.record.kind) {
            let is_title = is_title(&statement.text, document.record.title.as_deref().unwrap_or_default());
            if !is_title && seen.insert(statement.text.clone()) {
                let Statement { text, exact, .. } = statement.clone();
                let stems = stems(&text);
                let (score, words) = (0.0, Vec::new());
                all.push((PickedQuote { passage: number, text, exact, score, words, on_subject: false, bears_on: false }, stems));
                found.push((number, statement));
            }
        }
    }
    let wanted = wanted(questions);
    let rarity = rarity(all.iter().map(|(_, stems)| stems), &wanted);
    let possible: f64 = rarity.values().sum();
    let share = |stems: &[String]| {
        let spoken: f64 = rarity.iter().map(|(stem, weight)| weight * spoken(stem, stems)).sum();
        if possible > 0.0 { spoken / possible } else { 1.0 }
    };
    let passages: Vec<Vec<String>> = picked
        .iter()
        .map(|passage| {
            let document = &documents[passage.document];
            stems(&prose(&document.text, passage.span, document.record.kind))
        })
        .collect();
    let around: Vec<f64> = passages.iter().map(|stems| share(stems)).collect();
    for (quote, stems) in &mut all {
        let own = share(stems);
        let whole = if own > 0.0 { OWN_SHARE * own + (1.0 - OWN_SHARE) * around[quote.passage] } else { 0.0 };
        let alone = if leans(&quote.text) { LEANING * whole } else { whole };
        quote.score = (alone * 1000.0).round() / 1000.0;
        quote.words = spoken_words(&wanted, stems);
    }
    let everywhere = passages.into_iter().flatten().collect();
    let weighed = reach(documents, picked, questions, &found, everywhere);
    let mut quotes: Vec<PickedQuote> = all.into_iter().map(|(quote, _)| quote).collect();
    weighed.mark(&mut quotes, &rarity);
    // What many items say together nobody said, unless they are what is asked for.
    let is_heap = |place: usize| found[place].1.is_whole_list() && !weighed.led.contains(&place);
    (0..found.len()).filter(|place| is_heap(*place)).for_each(|place| quotes[place].score = 0.0);
    let best = quotes.iter().map(|quote| quote.score).fold(0.0, f64::max);
    for place in weighed.answers.iter().copied() {
        let (passage, answer) = &found[place];
        let whole = with_antecedent(place, &found, &documents[picked[*passage].document].text);
        quotes[place].score = match (weighed.is_answered_alone, &whole) {
            (false, _) => best,
            (true, Some(_)) => BESIDE_OTHERS * best,
            (true, None) => continue,
        };
        let Some((first, whole)) = whole else { continue };
        quotes[place].words = spoken_words(&wanted, &stems(&whole.0));
        (quotes[place].text, quotes[place].exact) = whole;
        // What stands between is quoted with the answer.
        let is_within = |(of, other): &(usize, Statement)| of == passage && (found[first].1.at..answer.at).contains(&other.at);
        (0..found.len()).filter(|other| is_within(&found[*other])).for_each(|other| quotes[other].score = 0.0);
    }
    for (place, next) in weighed.explained.iter().copied() {
        let (start, end) = (found[place].1.at, &found[next].1);
        let exact = documents[picked[found[place].0].document].text.get(start..end.at + end.exact.len());
        // What already leans on the sentence before it would say too much.
        if let Some(exact) = exact.filter(|exact| exact.len() <= LONGEST_JOINED && quotes[place].exact == found[place].1.exact) {
            quotes[place].exact = exact.to_string();
            quotes[place].text = format!("{} {}", found[place].1.text, end.text);
            quotes[next].score = 0.0;
        }
    }
    for place in lists_or_items(&found, &quotes, &weighed, |passage| picked[passage].document) {
        quotes[place].score = 0.0;
    }
    quotes.retain(|quote| quote.score > 0.0);
    quotes.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.passage.cmp(&other.passage)));
    quotes.truncate(at_most);
    (quotes, weighed.reach)
}

/// Those that are left out, because a list would be quoted beside its own items. If what leads to it speaks of what is asked, the whole list
/// is the answer. Else an item is: by itself, if it answers so or the lead has nothing to add, and never where the lead denies it.
fn lists_or_items(
    found: &[(usize, Statement)],
    quotes: &[PickedQuote],
    weighed: &Weighed,
    document: impl Fn(usize) -> usize,
) -> BTreeSet<usize> {
    let mut left_out = BTreeSet::new();
    for (place, (passage, statement)) in found.iter().enumerate() {
        let Some(list) = &statement.list else { continue };
        let is_within = |start: usize, end: usize, (of, other): &(usize, Statement)| {
            document(*of) == document(*passage) && (start..end).contains(&other.at)
        };
        let within =
            |start: usize, end: usize| (0..found.len()).filter(|other| is_within(start, end, &found[*other])).collect::<Vec<usize>>();
        let items = within(statement.at, list.end);
        let is_whole = |other: &usize| found[*other].1.is_whole_list();
        let Some(item) = list.item else {
            match weighed.led.contains(&place) {
                true => left_out.extend(items.into_iter().filter(|other| !is_whole(other))),
                false => left_out.extend([place]),
            }
            continue;
        };
        let by_itself: Vec<usize> = within(item.start, item.end).into_iter().filter(|other| found[*other].1.list.is_none()).collect();
        let is_enough = |other: &usize| weighed.alone.contains(other) || quotes[*other].score >= quotes[place].score;
        match denies(&list.lead) || !by_itself.iter().any(is_enough) {
            true => left_out.extend(by_itself),
            false => left_out.extend([place]),
        }
    }
    left_out
}

/// A sentence that points back, with all from the one that it points back to, if they stand one behind the other, and the place of that one.
fn with_antecedent(place: usize, found: &[(usize, Statement)], text: &str) -> Option<(usize, (String, String))> {
    let (passage, answer) = &found[place];
    let stands = |statement: &Statement| text.get(statement.at..).is_some_and(|rest| rest.starts_with(&statement.exact));
    let (mut first, mut said) = (place, answer.text.clone());
    while leans(&found[first].1.text) {
        let at = found[first].1.at;
        let earlier = (0..found.len()).filter(|other| found[*other].0 == *passage && found[*other].1.at < at);
        let before = earlier.max_by_key(|other| found[*other].1.at)?;
        let between = text.get(found[before].1.at + found[before].1.exact.len()..at)?;
        if !between.trim().is_empty() || between.contains("\n\n") || !stands(&found[before].1) {
            return None;
        }
        said = format!("{} {said}", found[before].1.text);
        first = before;
    }
    let exact = text.get(found[first].1.at..answer.at + answer.exact.len()).filter(|_| first != place && stands(answer))?;
    (exact.len() <= LONGEST_JOINED).then(|| (first, (said, exact.to_string())))
}

/// The statement of the same passage that follows directly, both as they stand in the text.
fn following(place: usize, found: &[(usize, Statement)], text: &str) -> Option<usize> {
    let (passage, statement) = &found[place];
    let stands = |statement: &Statement| text.get(statement.at..).is_some_and(|rest| rest.starts_with(&statement.exact));
    let end = statement.at + statement.exact.len();
    let later = (0..found.len()).filter(|other| found[*other].0 == *passage && found[*other].1.at >= end);
    let next = later.min_by_key(|other| found[*other].1.at)?;
    let between = text.get(end..found[next].1.at)?;
    (stands(statement) && stands(&found[next].1) && between.trim().is_empty() && !between.contains("\n\n")).then_some(next)
}

/// What the statements are worth to the questions.
struct Weighed {
    reach: Reach,
    /// What each says, with what stands beside it.
    said: Vec<Said>,
    /// Those that speak of half of the questions, though they may answer nothing.
    bearing: BTreeSet<usize>,
    /// Those that pass for an answer, by themselves or with what stands beside them.
    answering: BTreeSet<usize>,
    /// Those of them that need nothing beside them.
    alone: BTreeSet<usize>,
    /// The lists whose leads speak of all that is asked.
    led: BTreeSet<usize>,
    /// Those that answer only together with what stands beside them: by their own words they would stand far behind what names the
    /// subject and says nothing of what is asked.
    answers: Vec<usize>,
    /// Whether others answer by themselves.
    is_answered_alone: bool,
    /// Those that answer with the next one, which has the cause.
    explained: Vec<(usize, usize)>,
    /// The words that tell what the questions are about, and those that each statement stands under.
    subject: Vec<String>,
    above: Vec<BTreeSet<String>>,
}

impl Weighed {
    /// Marks what bears on the questions, and lets what has no such thing as they ask for stand behind what has one.
    fn mark(&self, quotes: &mut [PickedQuote], rarity: &BTreeMap<String, f64>) {
        let weight = |stem: &String| rarity.get(stem).copied().unwrap_or_default();
        let most = self.subject.iter().map(weight).fold(0.0, f64::max);
        let rarest: Vec<&String> = self.subject.iter().filter(|stem| weight(stem) >= most).collect();
        let best = self.answering.iter().map(|place| quotes[*place].score).fold(0.0, f64::max);
        for (place, (quote, said)) in quotes.iter_mut().zip(&self.said).enumerate() {
            quote.on_subject = rarest.is_empty() || rarest.iter().any(|stem| said.is_about(stem) || self.above[place].contains(*stem));
            quote.bears_on = self.bearing.contains(&place);
            if self.reach.answered && !said.gives {
                quote.score = LACKING * quote.score.min(best);
            }
        }
    }
}

/// How far the statements reach, each with what stands beside it. `everywhere` are the words of all passages.
fn reach(
    documents: &[Document],
    picked: &[Picked],
    questions: &[String],
    found: &[(usize, Statement)],
    mut everywhere: BTreeSet<String>,
) -> Weighed {
    let asked = Asked::of(questions.iter().map(String::as_str));
    let mut around: BTreeMap<usize, Beside> = BTreeMap::new();
    for passage in picked {
        around.entry(passage.document).or_insert_with(|| Beside::new(&documents[passage.document]));
    }
    everywhere.extend(picked.iter().flat_map(|passage| stems(documents[passage.document].record.title.as_deref().unwrap_or_default())));
    let document = |place: usize| picked[found[place].0].document;
    let given: Vec<bool> = found.iter().map(|(_, statement)| asked.is_given_in(&statement.text)).collect();
    // The sentence that tells what happened is often followed by the one that tells why.
    let explaining = |place: usize| following(place, found, &documents[document(place)].text).filter(|next| given[*next]);
    let unexplained = (0..found.len()).filter(|place| asked.asks_why() && !given[*place]);
    let explained: BTreeMap<usize, usize> = unexplained.filter_map(|place| Some((place, explaining(place)?))).collect();
    let said = found.iter().enumerate().map(|(place, (passage, statement))| {
        let passage = &picked[*passage];
        let own = stems(&statement.text).into_iter().collect();
        let beside = around[&passage.document].of(statement, passage.span, &asked);
        Said { own, beside, gives: given[place] || explained.contains_key(&place) }
    });
    let mut said: Vec<Said> = said.collect();
    let gauge = asked.gauge(&everywhere);
    let mut led = BTreeSet::new();
    for place in (0..found.len()).filter(|place| found[*place].1.is_whole_list()) {
        let lead = found[place].1.list.as_ref().map(|list| stems(&list.lead).into_iter().collect()).unwrap_or_default();
        let lead = Said { own: lead, beside: said[place].beside.clone(), gives: true };
        match gauge.is_answered(&lead) {
            true => drop(led.insert(place)),
            false => said[place] = Said { gives: false, ..lead },
        }
    }
    let mut reach = asked.reach(&said, &everywhere);
    let those = |is: &dyn Fn(&Said) -> bool| (0..said.len()).filter(|place| is(&said[*place])).collect::<BTreeSet<usize>>();
    let (bearing, answering) = (those(&|said| gauge.bears_on(said)), those(&|said| gauge.is_answered(said)));
    let by_itself = |said: &Said| gauge.is_answered(&Said { own: said.own.clone(), beside: BTreeSet::new(), gives: said.gives });
    let alone = those(&by_itself);
    let answered_alone: BTreeSet<usize> = alone.iter().copied().map(document).collect();
    let mut answers = Vec::new();
    if reach.answered && asked.asks_something() {
        // What one source says in a sentence is no reason to leave out what another says in two: they may disagree.
        let leaning = answering
            .iter()
            .copied()
            .filter(|place| answered_alone.is_empty() || !answered_alone.contains(&document(*place)) && leans(&found[*place].1.text));
        answers.extend(leaning.take(MOST_LEANING));
    }
    if !reach.answered {
        // A passage that was not picked was read all the same: what stands in it is not what nothing was found on.
        let read = documents.iter().flat_map(|document| [document.record.title.as_deref().unwrap_or_default(), document.text.as_str()]);
        everywhere.extend(read.flat_map(stems));
        reach.absent = asked.absent_from(&everywhere);
    }
    let explained = explained.into_iter().filter(|(place, _)| answering.contains(place)).collect();
    let subject = asked.subject().into_iter().map(str::to_string).collect();
    let above = (0..found.len()).map(|place| around[&document(place)].above(found[place].1.at)).collect();
    Weighed { reach, said, bearing, answering, is_answered_alone: !alone.is_empty(), alone, led, answers, explained, subject, above }
}

/// How much a text speaks of one word: by itself, or by another that may stand for it.
fn spoken(stem: &String, stems: &[String]) -> f64 {
    match stems.contains(stem) {
        true => 1.0,
        false if synonyms(stem).any(|other| stems.iter().any(|said| said == other)) => SYNONYM,
        false => 0.0,
    }
}

/// The wanted words that a text speaks of.
fn spoken_words(wanted: &BTreeMap<String, BTreeSet<String>>, stems: &[String]) -> Vec<String> {
    wanted.iter().filter(|(stem, _)| spoken(stem, stems) > 0.0).flat_map(|(_, words)| words.iter().cloned()).collect()
}

/// Whether it is only what its document is called.
fn is_title(statement: &str, title: &str) -> bool {
    let words = |text: &str| stemmed(text).map(|(_, stem)| stem).collect::<Vec<_>>();
    !title.is_empty() && !has_verb(statement) && words(statement) == words(title)
}

/// Whether it begins with a word for something that was named before.
fn leans(sentence: &str) -> bool {
    let mut words = sentence.split_whitespace().map(|word| word.trim_end_matches(',').to_lowercase());
    let first = words.next().unwrap_or_default();
    points_back(&first) || (words.next().as_deref() == Some("of") && words.next().is_some_and(|word| points_back(&word)))
}

/// The words of the questions, in small letters, by their stems.
fn wanted(questions: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let mut wanted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let asked = Asked::of(questions.iter().map(String::as_str));
    let stems: BTreeSet<&str> = asked.stems().collect();
    for (word, stem) in questions.iter().flat_map(|question| stemmed(question)).filter(|(_, stem)| stems.contains(stem.as_str())) {
        wanted.entry(stem).or_default().insert(word.to_lowercase());
    }
    wanted
}

fn stems(text: &str) -> Vec<String> {
    stemmed(text).map(|(_, stem)| stem).collect()
}

/// How much each wanted word tells, by how few of the texts have it: one that none has, most.
fn rarity<'a>(texts: impl Iterator<Item = &'a Vec<String>>, wanted: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, f64> {
    let mut having: BTreeMap<&String, f64> = wanted.keys().map(|stem| (stem, 0.0)).collect();
    let mut count = 0.0;
    for stems in texts {
        count += 1.0;
        for stem in wanted.keys().filter(|stem| stems.contains(stem)) {
            *having.entry(stem).or_default() += 1.0;
        }
    }
    having.into_iter().map(|(stem, having)| (stem.clone(), (1.0 + (count - having + 0.5) / (having + 0.5)).ln())).collect()
}

fn weigh(stems: &[String], rarity: &BTreeMap<String, f64>, mean: f64) -> f64 {
    let long = 1.0 - LENGTH + LENGTH * stems.len() as f64 / mean.max(1.0);
    let weigh = |(stem, weight): (&String, &f64)| {
        let times = stems.iter().filter(|word| *word == stem).count() as f64;
        weight * times * (SATURATION + 1.0) / (times + SATURATION * long)
    };
    rarity.iter().map(weigh).sum()
}
