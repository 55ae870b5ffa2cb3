//! Whether a source bears out a claim: the ladder from the reference, over the quotation, numbers and names, to the words.
//! No model is asked. A verdict says how it was reached, by which version, and where the support stands. What a model would be asked where the
//! words alone decide, and what its answer counts, is `opinion`.

mod actors;
mod agreement;
mod attachments;
mod beginnings;
mod binding;
mod body;
mod bounds;
mod comparisons;
mod contrasts;
mod deeds;
mod denial;
mod derived;
mod excerpt;
mod gate;
mod ladder;
mod limits;
mod matching;
mod movement;
mod numbered;
mod opinion;
mod opposition;
mod page;
mod pieces;
pub mod quote;
mod readings;
mod rivals;
mod roles;
mod routes;
mod shades;
mod shares;
mod standing;
mod statement;
mod subjects;
mod support;
mod told;
mod variants;
mod weigh;
mod withdrawn;
mod wording;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::text::Span;
pub(crate) use agreement::{agrees, unsaid};
pub(crate) use denial::denied_stems;
pub use gate::{Missing, MissingKind};
pub use ladder::{check, cite, no_source};
pub use opinion::{Answer, OPINION_VERSION, Opinion, Question, is_unsure};
pub use page::Page;
pub use statement::Claim;
pub use support::Measures;
pub use weigh::{BASE, WEIGHTS, Weight};

/// Verdicts are stored; they are comparable only within one version.
pub const VERSION: u32 = 11;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    Supported,
    /// The source speaks of it and does not bear out all of it.
    Partly,
    Unsupported,
    /// The words in quotation marks are not in the source.
    Misquoted,
    /// There is nothing to check against: the reference is undefined, or its source is not in the archive.
    NoSource,
}

/// The rung of the ladder on which the verdict was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    Reference,
    Quote,
    NumbersAndNames,
    Lexical,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub label: Label,
    /// How likely the source supports the claim, from 0 to 1.
    pub score: f64,
    pub method: Method,
    pub version: u32,
    /// The best sentence of the source.
    pub span: Option<Span>,
    /// All sentences that the score rests on, best first.
    pub sentences: Vec<Span>,
    /// Numbers and names that neither the source nor the context has.
    pub missing: Vec<Missing>,
    pub measures: Measures,
}

impl Verdict {
    /// Whether the sentences that say most of the claim deny it, or it denies them.
    pub fn is_denied(&self) -> bool {
        self.measures.negation > 0.0
    }

    /// Whether they say the opposite in any way: by a denial, by an opposite word, or with the sides of a deed or a comparison exchanged.
    pub fn is_opposed(&self) -> bool {
        self.is_denied() || self.measures.opposite > 0.0 || self.measures.exchanged > 0.0
    }
}
