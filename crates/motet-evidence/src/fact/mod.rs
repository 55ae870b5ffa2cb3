//! Facts: statements that were read in sources, with the exact words, and how far they may be trusted.
//! It judges facts against their sources and each other; who extracts them, and where they are kept, is not its business.

mod confidence;
mod conflict;
mod domain;
mod independent;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::claim::{Claim, Label, Page, check, quote};
use crate::text::Span;
pub use confidence::{Confidence, Standing, Witness, rate};
pub(crate) use conflict::without_code_numbers;
pub use conflict::{Conflict, Differs, Scope, conflicts};
pub use domain::{is_within, plain_address, registrable_domain};
pub use independent::clusters;

/// One statement with where it was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// `Fact-001`.
    pub id: String,
    pub statement: String,
    /// The ids of all sources that say so; the first one has the quotation.
    pub sources: Vec<String>,
    pub quote: String,
    /// Where the quotation stands in the extracted text of the first source.
    pub span: Span,
    pub confidence: Confidence,
    /// The day it was extracted, as `YYYY-MM-DD`.
    pub extracted: String,
    /// The archived file of the first source: `assets/<type>/<file>`.
    pub raw_file: String,
}

/// Why something cannot become a fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Refused {
    /// A fact without a source is an opinion.
    NoSource,
    /// The words are not in the source.
    QuoteNotFound,
    /// The quotation does not say what the statement says.
    NotSupported { score: f64, missing: Vec<String> },
}

impl Fact {
    /// Finds the quotation in the source and compares the statement with it. The confidence is that of one witness of this standing.
    pub fn read(statement: &str, quotation: &str, source: &str, page: &Page, standing: Standing) -> Result<Self, Refused> {
        if source.trim().is_empty() {
            return Err(Refused::NoSource);
        }
        let found = quote::find(quotation, page.body.of(&page.text)).ok_or(Refused::QuoteNotFound)?;
        let verdict = check(&Claim::new(statement), page);
        let missing: Vec<String> = verdict.missing.iter().map(|missing| missing.text.clone()).collect();
        if verdict.label == Label::Unsupported || !missing.is_empty() {
            return Err(Refused::NotSupported { score: verdict.score, missing });
        }
        let witness = Witness { source: source.to_string(), standing, support: verdict.score };
        Ok(Self {
            id: String::new(),
            statement: statement.to_string(),
            sources: vec![source.to_string()],
            quote: found.span.of(&page.text).to_string(),
            span: found.span,
            confidence: rate(&[witness], &[vec![source.to_string()]]).0,
            extracted: String::new(),
            raw_file: String::new(),
        })
    }
}
