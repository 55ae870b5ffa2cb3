//! Evidence: sources, archive, facts, claims, verification and scores.
//! It knows no machine and no stores of runs.

pub mod archive;
mod asking;
pub mod bench;
pub mod claim;
pub mod clock;
pub mod extract;
pub mod fact;
pub mod fetch;
pub mod functions;
pub mod gather;
pub mod index;
pub mod library;
pub mod quoting;
pub mod report;
pub mod score;
pub mod secrecy;
pub mod source;
pub mod text;
