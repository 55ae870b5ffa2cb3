//! Evidence: sources, archive, facts, claims, verification and scores.
//! It knows no machine and no stores of runs.

pub mod bench;
pub mod claim;
pub mod fact;
pub mod report;
pub mod score;
pub mod text;
