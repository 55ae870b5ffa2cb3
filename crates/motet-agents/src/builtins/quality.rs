//! How good a document is: four components of measures, each from what is stored, so that a replay gives the same number.
//! What checkers report (accuracy, grammar) counts as they report it; everything else is counted here.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Value, json};

use super::brief::Brief;
use super::catalogue::{field, field_or_default};
use super::draft::{Draft, Finding, Source, draft, findings, plain_address, sources};
use super::rounded;
use super::words::words_of;

mod issues;
mod text;

/// How much each component counts; a component that nobody could measure does not.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
struct Weights {
    article: f64,
    sources: f64,
    facts: f64,
    writing: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self { article: 0.25, sources: 0.25, facts: 0.25, writing: 0.25 }
    }
}

/// All that was measured, from 0 to 1. None: there was nothing to measure it by.
#[derive(Clone, Debug, Default)]
struct Measures {
    completeness: Option<f64>,
    structure: Option<f64>,
    length: Option<f64>,
    source_count: Option<f64>,
    diversity: Option<f64>,
    citations: Option<f64>,
    accuracy: Option<f64>,
    verified: Option<f64>,
    consistency: Option<f64>,
    grammar: Option<f64>,
    readability: Option<f64>,
    tone: Option<f64>,
    originality: Option<f64>,
}

/// What measures were taken of, and what they are compared with.
struct Subject<'a> {
    brief: &'a Brief,
    draft: &'a Draft,
    sources: &'a [Source],
    checks: Vec<&'a Value>,
}

/// `{brief, results, sources, iteration, weights}` → `{overall, components, measures, completeness, issues, feedback, words, …}`.
/// `issues` say what is below the brief's `min_quality`, and what kind of worker would help.
pub(super) fn score(input: &Value) -> Result<Value, String> {
    let brief = Brief::of(input)?;
    let iteration: u64 = field(input, "iteration")?;
    let weights: Weights = field_or_default(input, "weights")?;
    let findings = findings(input)?;
    let sources = sources(input, iteration)?;
    let Some(draft) = draft(&findings, iteration, &brief) else { return Ok(nothing_written(iteration, sources.len())) };
    let subject = Subject { brief: &brief, draft: &draft, sources: &sources, checks: checks(&findings, iteration) };
    let measures = subject.measures();
    let components = [
        ("article_quality", weights.article, mean(&[measures.completeness, measures.structure, measures.length])),
        ("source_quality", weights.sources, mean(&[measures.source_count, measures.diversity, measures.citations])),
        ("factual_quality", weights.facts, mean(&[measures.accuracy, measures.verified, measures.consistency])),
        ("writing_quality", weights.writing, mean(&[measures.grammar, measures.readability, measures.tone, measures.originality])),
    ];
    let measured: Vec<(f64, f64)> = components.iter().filter_map(|(_, weight, score)| Some((*weight, (*score)?))).collect();
    let weight: f64 = measured.iter().map(|(weight, _)| weight).sum();
    let overall = if weight > 0.0 { measured.iter().map(|(weight, score)| weight * score).sum::<f64>() / weight } else { 0.0 };
    let issues = subject.issues(&measures);
    let messages: Vec<&str> = issues.iter().filter_map(|issue| issue["message"].as_str()).collect();
    let component = |(name, _, score): &(&str, f64, Option<f64>)| (name.to_string(), shown(*score));
    Ok(json!({
        "iteration": iteration,
        "written": true,
        "overall": rounded(overall, 4),
        "components": components.iter().map(component).collect::<serde_json::Map<_, _>>(),
        "not_measured": components.iter().filter(|(_, _, score)| score.is_none()).map(|(name, _, _)| *name).collect::<Vec<_>>(),
        "completeness": shown(measures.completeness),
        "accuracy": shown(measures.accuracy),
        "grammar": shown(measures.grammar),
        "measures": measures.shown(),
        "words": words_of(&draft.content).count(),
        "sources": sources.len(),
        "feedback": if messages.is_empty() { Value::Null } else { messages.join(". ").into() },
        "issues": issues,
    }))
}

fn nothing_written(iteration: u64, sources: usize) -> Value {
    let message = "Nothing was written";
    json!({
        "iteration": iteration, "written": false, "overall": 0.0, "components": {}, "not_measured": [], "completeness": 0.0,
        "accuracy": null, "grammar": null, "measures": {}, "words": 0, "sources": sources, "feedback": message,
        "issues": [{ "code": "nothing_written", "message": message, "wants": [] }],
    })
}

fn checks(findings: &[Finding], iteration: u64) -> Vec<&Value> {
    findings.iter().filter(|finding| finding.iteration == iteration && finding.phase == "quality").map(|finding| &finding.value).collect()
}

fn mean(scores: &[Option<f64>]) -> Option<f64> {
    let known: Vec<f64> = scores.iter().copied().flatten().collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

fn shown(score: Option<f64>) -> Value {
    score.map_or(Value::Null, |score| rounded(score, 4).into())
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole <= 0.0 { 1.0 } else { (part / whole).clamp(0.0, 1.0) }
}

impl Subject<'_> {
    fn measures(&self) -> Measures {
        let words = words_of(&self.draft.content).count() as f64;
        Measures {
            completeness: Some(text::completeness(self.brief, self.draft).0),
            structure: Some(text::structure(&self.draft.content, words)),
            length: self.brief.length.map(|target| text::length(words, target as f64)),
            source_count: Some(ratio(self.sources.len() as f64, self.brief.sources_wanted() as f64)),
            diversity: Some(self.diversity()),
            citations: self.citations(),
            accuracy: self.reported("accuracy"),
            verified: self.verified(),
            consistency: self.listed("contradictions").map(|found| (1.0 - 0.25 * found.len() as f64).max(0.0)),
            grammar: self.reported("grammar"),
            readability: text::readability(&self.draft.content, self.brief.tone.as_deref()),
            tone: self.reported("tone"),
            originality: self.reported("overlap").map(|overlap| 1.0 - overlap),
        }
    }

    /// A number that a checker gave; the lowest if several did.
    fn reported(&self, name: &str) -> Option<f64> {
        let numbers = self.checks.iter().filter_map(|check| check.get(name)?.as_f64());
        numbers.map(|number| number.clamp(0.0, 1.0)).reduce(f64::min)
    }

    fn listed(&self, name: &str) -> Option<&Vec<Value>> {
        self.checks.iter().find_map(|check| check.get(name)?.as_array())
    }

    fn verified(&self) -> Option<f64> {
        let claims = self.listed("claims").filter(|claims| !claims.is_empty())?;
        let supported = claims.iter().filter(|claim| claim["supported"] == true).count();
        Some(ratio(supported as f64, claims.len() as f64))
    }

    fn kinds(&self) -> BTreeSet<&str> {
        self.sources.iter().filter_map(|source| source.kind.as_deref()).collect()
    }

    /// The kinds of sources that the brief prefers, or as many kinds as its depth asks for.
    fn diversity(&self) -> f64 {
        let kinds = self.kinds();
        let preferred = &self.brief.preferred_sources;
        if preferred.is_empty() {
            return ratio(kinds.len() as f64, self.kinds_wanted() as f64);
        }
        ratio(preferred.iter().filter(|kind| kinds.contains(kind.as_str())).count() as f64, preferred.len() as f64)
    }

    fn kinds_wanted(&self) -> usize {
        match self.brief.depth() {
            "light" => 1,
            "deep" => 3,
            _ => 2,
        }
    }

    /// The lower of what a checker reports and the share of links that lead to a known source. No links at all count as nothing,
    /// except in light research, which may do without.
    fn citations(&self) -> Option<f64> {
        let known: BTreeSet<String> = self.sources.iter().map(|source| plain_address(&source.url)).collect();
        let links = text::links(&self.draft.content);
        let measured = match links.len() {
            0 if self.brief.depth() == "light" => None,
            0 => Some(0.0),
            count => Some(links.iter().filter(|link| known.contains(&plain_address(link))).count() as f64 / count as f64),
        };
        [measured, self.reported("quality")].into_iter().flatten().reduce(f64::min)
    }
}

impl Measures {
    fn shown(&self) -> Value {
        json!({
            "completeness": shown(self.completeness), "structure": shown(self.structure), "length": shown(self.length),
            "source_count": shown(self.source_count), "diversity": shown(self.diversity), "citations": shown(self.citations),
            "accuracy": shown(self.accuracy), "verified": shown(self.verified), "consistency": shown(self.consistency),
            "grammar": shown(self.grammar), "readability": shown(self.readability), "tone": shown(self.tone),
            "originality": shown(self.originality),
        })
    }
}
