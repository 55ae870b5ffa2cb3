//! A report in Markdown as sentences with their citations, and whether every one of them holds.
//! The report may come from anywhere; nothing is assumed but links, numbered references or footnotes.

mod about;
mod addresses;
mod archive;
mod asides;
mod bearing;
mod blocks;
mod columns;
mod entry;
mod headings;
mod hosts;
mod html;
mod literal;
mod locators;
mod markers;
mod naming;
mod open;
mod parse;
mod raised;
mod references;
mod remarks;
mod unsure;
mod verify;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use about::About;
pub(crate) use addresses::addresses;
pub use archive::{Archive, Document};
pub(crate) use bearing::bearing;
pub(crate) use blocks::blocks;
pub(crate) use markers::{bracketed, marker_ids};
pub(crate) use open::{NOT_ANSWERED, NOT_REACHED, without_openings};
use parse::is_marked;
pub use parse::parse;
pub(crate) use parse::{is_superlative, parse_answer};
pub(crate) use raised::with_plain_numbers;
pub use references::is_heading as is_reference_heading;
pub(crate) use references::without_placeholders;
pub(crate) use remarks::remark;
pub use unsure::{Unsure, unsure};
pub use verify::{Checked, Gate, Integrity, Standing, Verification, verify};
pub(crate) use verify::{Target, says_something, standing, target};

/// What the section of a report is called that says how far it reaches.
pub(crate) const CAVEATS: &str = "Caveats";

/// What a sentence points at.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Citation {
    /// `[3]`, `[^note]`, `[S01]`, `[Source 3]`, `³`: an entry of the reference list.
    Marker(String),
    /// An address or a path.
    Link(String),
}

/// A sentence of the prose: of a paragraph, an item of a list, a row of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// Without markers and markup.
    pub text: String,
    /// The heading above it.
    pub section: String,
    pub citations: Vec<Citation>,
    /// The report itself says that it could not be verified.
    pub marked_unverified: bool,
    pub bears_number: bool,
    pub bears_superlative: bool,
    pub bears_quotation: bool,
    /// What a row of a table may mean by the heads of its columns, the fullest first. Empty: it means what it says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    pub level: u8,
    pub text: String,
}

/// An entry of the reference list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    pub text: String,
    pub address: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub title: Option<String>,
    pub headings: Vec<Heading>,
    pub sentences: Vec<Sentence>,
    /// What is only named as a source of what stands above it, in a paragraph of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<Citation>,
    /// By what stands in the brackets.
    pub references: BTreeMap<String, Reference>,
    /// Entries with a number that another entry has already.
    pub doubly_defined: Vec<String>,
    /// The entries of a table of contents, if there is one.
    pub contents: Vec<String>,
    /// What it was meant to answer, as its front matter says.
    #[serde(default)]
    pub questions: Vec<String>,
    /// The questions that it says stay open.
    #[serde(default)]
    pub left_open: Vec<String>,
    /// Everything that was asked, the topic included: what a heading may repeat without proof.
    #[serde(default)]
    pub asked: Vec<String>,
}
