//! What is wrong with a document, in words that name it: how many sources of how many, which points, which checks.
//! Each issue also says what kind of worker would help, in the catalogue's words.

use serde_json::{Value, json};

use super::{Measures, Subject, text};
use crate::builtins::words::words_of;

const PASSES: f64 = 0.8;

impl Subject<'_> {
    /// One for every measure below the quality that the brief asks for.
    pub(super) fn issues(&self, measures: &Measures) -> Vec<Value> {
        let least = self.brief.min_quality.unwrap_or(PASSES);
        let mut issues = Vec::new();
        let mut low = |score: Option<f64>, code: &str, wants: &[String], message: &dyn Fn(f64) -> String| {
            if let Some(score) = score.filter(|score| *score < least) {
                issues.push(json!({ "code": code, "message": message(score), "wants": wants }));
            }
        };
        let want = |want: &str| vec![want.to_string()];
        let words = words_of(&self.draft.content).count();
        low(measures.source_count, "few_sources", &want("sources:more"), &|_| {
            format!("Only {} sources (need {})", self.sources.len(), self.brief.sources_wanted())
        });
        let missing_kinds = self.missing_kinds();
        let wanted_kinds: Vec<String> = missing_kinds.iter().map(|kind| format!("source:{kind}")).collect();
        low(measures.diversity, "few_kinds", &wanted_kinds, &|_| match self.brief.preferred_sources.is_empty() {
            true => format!("Sources of {} kinds (need {})", self.kinds().len(), self.kinds_wanted()),
            false => format!("No {} sources", missing_kinds.join(" or ")),
        });
        low(measures.completeness, "incomplete", &want("coverage"), &|_| match text::completeness(self.brief, self.draft).1.as_slice() {
            [] => "The topic is only touched".to_string(),
            missing => format!("Missing key topic aspects: {}", missing.join(", ")),
        });
        low(measures.length, "length", &want("length"), &|_| {
            let target = self.brief.length.unwrap_or(0);
            let only = if (words as u64) < target { "Only " } else { "" };
            format!("{only}{words} words (target {target})")
        });
        low(measures.structure, "structure", &want("structure"), &|_| format!("Too few headings for {words} words"));
        low(measures.citations, "citations", &want("check:citations"), &|score| match text::links(&self.draft.content).len() {
            0 => "No source is cited".to_string(),
            _ => format!("Citations are wrong or incomplete ({score:.2})"),
        });
        low(measures.accuracy, "accuracy", &want("check:facts"), &|score| format!("Facts are not accurate enough ({score:.2})"));
        low(measures.verified, "unverified", &want("check:facts"), &|score| {
            format!("Only {:.0} % of the claims are supported", score * 100.0)
        });
        low(measures.consistency, "contradictions", &want("check:facts"), &|_| {
            format!("{} contradictions", self.listed("contradictions").map_or(0, Vec::len))
        });
        low(measures.grammar, "grammar", &want("check:language"), &|score| format!("Grammar needs work ({score:.2})"));
        low(measures.readability, "readability", &want("check:language"), &|score| format!("Too hard to read ({score:.2})"));
        low(measures.tone, "tone", &want("check:language"), &|score| {
            format!("The tone is not {} ({score:.2})", self.brief.tone.as_deref().unwrap_or("as asked"))
        });
        low(measures.originality, "copied", &want("check:copies"), &|score| {
            format!("{:.0} % is copied from sources", (1.0 - score) * 100.0)
        });
        issues
    }

    /// Kinds that the brief prefers, or that it might have had, and that no source is of.
    fn missing_kinds(&self) -> Vec<&str> {
        const ALL: [&str; 3] = ["web", "academic", "news"];
        let kinds = self.kinds();
        let wanted: Vec<&str> = match self.brief.preferred_sources.as_slice() {
            [] => ALL.to_vec(),
            preferred => preferred.iter().map(String::as_str).collect(),
        };
        wanted.into_iter().filter(|kind| !kinds.contains(kind)).collect()
    }
}
