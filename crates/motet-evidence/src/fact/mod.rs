//! Facts: statements that were read in sources, with the exact words, and how far they may be trusted.
//! It judges facts against their sources and each other; who extracts them, and where they are kept, is not its business.

mod attribute;
mod attributed;
mod authority;
mod clauses;
mod confidence;
mod conflict;
mod domain;
mod independent;
mod places;
mod said;
mod stated;
mod value;
mod vocabulary;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::text::Span;
pub use authority::{is_official, is_paper};
pub(crate) use confidence::credibility;
pub use confidence::{Confidence, Standing, Witness, rate};
pub use conflict::{Conflict, Differs, Scope, conflicts};
pub use domain::{is_address, is_within, plain_address, registrable_domain};
pub use independent::clusters;
pub(crate) use said::without_code_numbers;

/// One statement with where it was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// `Fact-001`.
    pub id: String,
    pub statement: String,
    /// The ids of all sources that say so; the first one has the quotation.
    pub sources: Vec<String>,
    pub quote: String,
    /// Where the quotation stands in the extracted text of the first source, in bytes.
    pub span: Span,
    pub confidence: Confidence,
    /// The day it was extracted, as `YYYY-MM-DD`.
    pub extracted: String,
    /// The archived file of the first source: `assets/<type>/<file>`.
    pub raw_file: String,
}
