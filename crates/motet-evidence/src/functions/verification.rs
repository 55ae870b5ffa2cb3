//! `evidence.verify`: every sentence of a report against the words of the facts it names and what stands around them in the archive.
//! A number or a name that is not there makes a sentence unsound, and so does it if its facts say hardly anything of it; a paraphrase has enough in
//! common with what it puts in other words, and only weighs less in its verdict.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::given::{Fact, Registry, Source, list, members, text, texts};
use super::plain::{plain, without_addresses};
use super::rating::around;
use super::shelf::Shelf;
use super::transition::is_transition;
use crate::claim::{Claim, Label, Opinion, Page, Question, VERSION, Verdict, is_unsure};
use crate::report::{Standing, addresses, bearing, says_something, standing};
use crate::text::{is_english, without_numbers};

/// `{ report, facts, sources, topic, opinions, judge }` → `{ outcome: sound | unsound, unsound: [{ sentence, why }], idle: [{ sentence, facts }],
/// unsure: [{ sentence, facts, question }], report, verdicts, sentences, cited, … }`. The report that comes back is without the sentences that do not hold, and its sentences are without
/// the facts that bear no part of them. Every verdict says by which method of which version it was
/// reached, and where in which source its support stands. A name in `topic`, which is the user's, or in the title of a source may be used
/// without further proof; one that stands only in the title or a heading of the report may not, for the writer chose it.
/// Where a `judge` is named, `unsure` are the sentences that hold by their words alone, with what it would be asked about each. What it has answered
/// comes back in `opinions`: it can make a sentence unsound that the rules let pass, and lets none pass that they do not.
pub fn verify(input: &Value, run_directory: Option<&Path>) -> Result<Value, String> {
    let (facts, sources) = (Fact::all(input)?, Source::all(input)?);
    let Value::Object(report) = &input["report"] else { return Err("`report` must be an object".into()) };
    let shelf = Shelf::of(&facts, &sources, run_directory)?;
    let registry = Registry::of(&sources);
    let evidence: BTreeMap<&str, Vec<Piece>> = facts.iter().map(|fact| (fact.id, pieces(fact, &registry, &shelf))).collect();
    let mut checker = Checker {
        evidence: &evidence,
        topic: text(input, "topic"),
        opinions: list(input, "opinions")?,
        judge: text(input, "judge"),
        unsound: Vec::new(),
        idle: Vec::new(),
        unsure: Vec::new(),
        verdicts: Vec::new(),
        cited: 0,
    };
    let mut sound = Map::new();
    for (name, value) in report {
        let kept = match name.as_str() {
            "summary" => checker.sentences(value),
            "sections" => checker.sections(value),
            _ => value.clone(),
        };
        sound.insert(name.clone(), kept);
    }
    let Checker { unsound, idle, unsure, verdicts, cited, .. } = checker;
    Ok(json!({
        "outcome": if unsound.is_empty() { "sound" } else { "unsound" },
        "unsound": unsound,
        "idle": idle,
        "unsure": unsure,
        "report": sound,
        "sentences": verdicts.len(),
        "cited": cited,
        "verdicts": verdicts,
        "version": VERSION,
        "checked_against": shelf.word(),
    }))
}

/// A verdict as it is stored.
pub fn stored(verdict: &Verdict, offset: usize) -> Value {
    json!({
        "label": verdict.label,
        "score": (verdict.score * 1000.0).round() / 1000.0,
        "method": verdict.method,
        "version": verdict.version,
        "span": verdict.span.map(|span| span.moved(offset)),
        "missing": verdict.missing.iter().map(|missing| missing.text.as_str()).collect::<Vec<_>>(),
    })
}

/// Words that a sentence may rest on, and where they stand.
struct Piece {
    page: Page,
    /// The id of the source; none if only the fact itself has the words.
    source: Option<String>,
    offset: usize,
    addresses: Vec<String>,
    /// What its sources are about, which every sentence in them may leave unsaid.
    titles: String,
}

/// The quotation, then what stands around it. Without a quotation the whole source, and without a source what the fact says.
fn pieces(fact: &Fact, registry: &Registry, shelf: &Shelf) -> Vec<Piece> {
    let behind = registry.behind(&fact.sources);
    let addresses: Vec<String> = behind.iter().map(|source| source.url.to_string()).collect();
    let titles = behind.iter().map(|source| format!("{}\n\n", source.title)).collect::<String>();
    let piece = |words: &str, source: Option<&Source>, offset: usize| Piece {
        page: Page::of(words),
        source: source.map(|source| source.id.to_string()),
        offset,
        addresses: addresses.clone(),
        titles: titles.clone(),
    };
    let archived = behind.iter().filter(|_| shelf.is_archive()).filter_map(|source| Some((*source, shelf.text(source)?)));
    let found: Vec<Piece> = archived
        .flat_map(|(source, text)| match fact.quote {
            "" => vec![piece(text, Some(source), 0)],
            quote => around(quote, text).map_or_else(Vec::new, |(window, found)| {
                vec![piece(found.of(text), Some(source), found.start), piece(window.of(text), Some(source), window.start)]
            }),
        })
        .collect();
    if found.is_empty() { vec![piece(fact.words(), behind.first().copied(), 0)] } else { found }
}

struct Checker<'a> {
    evidence: &'a BTreeMap<&'a str, Vec<Piece>>,
    topic: &'a str,
    /// What a model has answered: `{ sentence, facts, quote, reason, answer }`.
    opinions: &'a [Value],
    /// Empty if nobody is asked.
    judge: &'a str,
    unsound: Vec<Value>,
    /// Sentences with the facts that they name and that bear no part of them.
    idle: Vec<Value>,
    unsure: Vec<Value>,
    verdicts: Vec<Value>,
    cited: usize,
}

impl Checker<'_> {
    /// Sections that have lost every sentence are left out.
    fn sections(&mut self, sections: &Value) -> Value {
        let kept = members(sections).iter().filter_map(|section| {
            let paragraphs: Vec<Value> = members(&section["paragraphs"])
                .iter()
                .map(|paragraph| self.sentences(paragraph))
                .filter(|kept| !members(kept).is_empty())
                .collect();
            let mut kept = section.as_object()?.clone();
            let is_empty = paragraphs.is_empty();
            kept.insert("paragraphs".into(), Value::Array(paragraphs));
            (!is_empty).then_some(Value::Object(kept))
        });
        kept.collect()
    }

    fn sentences(&mut self, sentences: &Value) -> Value {
        let mut kept = Vec::new();
        for sentence in members(sentences) {
            let words = text(sentence, "text");
            let named = texts(&sentence["facts"]);
            self.cited += usize::from(!named.is_empty());
            match self.check(words, &named) {
                Err(why) => self.unsound.push(json!({ "sentence": words, "why": why })),
                Ok(idle) if idle.is_empty() => kept.push(sentence.clone()),
                // The sentence holds without them, and is printed without them.
                Ok(idle) => {
                    let bearing: Vec<&str> = named.iter().filter(|id| !idle.contains(id)).copied().collect();
                    let mut sentence = sentence.clone();
                    sentence["facts"] = json!(bearing);
                    kept.push(sentence);
                    self.idle.push(json!({ "sentence": words, "facts": idle }));
                }
            }
        }
        Value::Array(kept)
    }

    /// The facts that bear no part of a sentence which the others bear, or why it does not hold. Its verdict is kept either way.
    fn check<'n>(&mut self, text: &str, named: &[&'n str]) -> Result<Vec<&'n str>, String> {
        if let Some(unknown) = named.iter().find(|id| !self.evidence.contains_key(*id)) {
            self.verdicts
                .push(json!({ "sentence": text, "facts": named, "source": null, "verdict": stored(&crate::claim::no_source(), 0) }));
            return Err(format!("there is no fact {unknown}"));
        }
        let owned: Vec<(usize, &Piece)> =
            named.iter().enumerate().flat_map(|(place, id)| self.evidence[id].iter().map(move |piece| (place, piece))).collect();
        let pieces: Vec<&Piece> = owned.iter().map(|(_, piece)| *piece).collect();
        let nothing = Page::of("");
        let pages: Vec<(usize, &Page)> =
            if owned.is_empty() { vec![(0, &nothing)] } else { owned.iter().map(|(place, piece)| (*place, &piece.page)).collect() };
        // An address is asked of the sources by itself; it is no word that they would say.
        let said = without_addresses(&plain(text), "");
        let titles: String = pieces.iter().map(|piece| piece.titles.as_str()).collect();
        // A topic or a title may name what a sentence speaks of; a number in it proves nothing, for a question may be wrong.
        let context = without_numbers(&format!("{}\n\n{titles}", self.topic));
        let claim = Claim { text: &said, context: &context };
        let found = bearing(&claim, &pages);
        let piece = found.page.and_then(|place| pieces.get(place));
        let source = piece.and_then(|piece| piece.source.as_deref());
        let offset = piece.map_or(0, |piece| piece.offset);
        // Words of another language than English are compared by their spelling alone: that they are not there says nothing.
        let is_comparable = || is_english(&said) && pages.iter().any(|(_, page)| is_english(&page.text));
        let unsaid = || {
            (is_unsaid(&said, named, &found.verdict) && is_comparable())
                .then(|| format!("hardly anything of it is in {}", named.join(", ")))
        };
        let why = problem(text, named, &found.verdict).or_else(|| strange_address(text, &pieces)).or_else(unsaid);
        let idle: Vec<&str> = found.idle.iter().filter_map(|place| named.get(*place)).copied().collect();
        // As it is printed: without the facts that bear no part of it.
        let printed: Vec<&str> = named.iter().filter(|id| !idle.contains(id)).copied().collect();
        let bearing: Vec<&Piece> = owned.iter().filter(|(place, _)| !found.idle.contains(place)).map(|(_, piece)| *piece).collect();
        let opinion = if why.is_none() { self.second(text, &printed, &claim, &found.verdict, &bearing) } else { None };
        let mut kept = json!({ "sentence": text, "facts": named, "source": source, "verdict": stored(&found.verdict, offset) });
        if let Some(opinion) = &opinion {
            kept["opinion"] = json!(opinion);
        }
        self.verdicts.push(kept);
        match why.or_else(|| opinion.filter(Opinion::objects).map(|opinion| opinion.to_string())) {
            Some(why) => Err(why),
            None => Ok(idle),
        }
    }

    /// What a model thinks of a sentence that the words alone decide. If none has been asked, it is noted what one would be asked.
    fn second(&mut self, text: &str, named: &[&str], claim: &Claim, verdict: &Verdict, pieces: &[&Piece]) -> Option<Opinion> {
        let pages: Vec<&Page> = pieces.iter().map(|piece| &piece.page).collect();
        if self.judge.is_empty() || named.is_empty() || !is_unsure(claim, verdict, &pages) {
            return None;
        }
        // What stands around a quotation has the quotation in it.
        let mut shown: Vec<(&str, &Page)> = pieces.iter().map(|piece| (piece.source.as_deref().unwrap_or_default(), &piece.page)).collect();
        shown.sort_by_key(|(_, page)| std::cmp::Reverse(page.text.len()));
        let question = Question::of(claim, &shown);
        let is_of = |opinion: &&Value| opinion["sentence"] == text && texts(&opinion["facts"]) == named;
        let answer = self.opinions.iter().find(is_of);
        if answer.is_none() {
            self.unsure.push(json!({ "sentence": text, "facts": named, "question": question.prompt }));
        }
        answer.map(|answer| question.read(answer, self.judge))
    }
}

fn problem(text: &str, named: &[&str], verdict: &Verdict) -> Option<String> {
    let missing: Vec<&str> = verdict.missing.iter().map(|missing| missing.text.as_str()).collect();
    let is = if missing.len() == 1 { "is" } else { "are" };
    match () {
        () if !missing.is_empty() && named.is_empty() => {
            let stands = if missing.len() == 1 { "stands" } else { "stand" };
            Some(format!("{} {stands} there without a fact", missing.join(", ")))
        }
        () if !missing.is_empty() => Some(format!("{} {is} not in {}", missing.join(", "), named.join(", "))),
        () if verdict.label == Label::Misquoted && named.is_empty() => Some("it quotes, and names no fact".to_string()),
        () if verdict.label == Label::Misquoted => Some(format!("its quotation is not in {}", named.join(", "))),
        () if text.trim().is_empty() => Some("it says nothing".to_string()),
        () if named.is_empty() && !is_transition(text) => Some("it claims something and names no fact".to_string()),
        () if verdict.is_opposed() => Some(format!("it says the opposite of {}", named.join(", "))),
        () => None,
    }
}

fn is_unsaid(text: &str, named: &[&str], verdict: &Verdict) -> bool {
    !named.is_empty() && says_something(text) && standing(verdict) == Standing::Unsupported
}

/// An address in the text would look like a source that was read; only those of the sentence's own sources may stand there.
fn strange_address(text: &str, pieces: &[&Piece]) -> Option<String> {
    let known = |address: &str| {
        pieces.iter().any(|piece| piece.page.text.contains(address) || piece.addresses.iter().any(|known| known.contains(address)))
    };
    addresses(text)
        .iter()
        .map(|span| span.of(text))
        .find(|address| !known(address))
        .map(|address| format!("{address} is no address of its sources"))
}
