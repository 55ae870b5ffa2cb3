//! The roles that the settings name: whether what is said of each can hold together, and whether its tools can be given.
//! Whether anybody is installed or listens is looked at elsewhere.

use super::{Finding, Mark};
use crate::casting::{self, Workshop, parts};
use crate::config::{Config, EVERYBODY};

/// Only what is wrong: a role of which nothing is, is no news.
pub fn findings(config: &Config) -> Vec<Finding> {
    let workshop = Workshop::new(&config.tools);
    let mut findings = Vec::new();
    for (role, part) in parts(config) {
        for link in std::iter::once(&part.link).chain(&part.fallback) {
            let holds = casting::consistent(&link.backend).and_then(|()| workshop.equips(&link.backend, &part));
            if let Err(failure) = holds {
                let who = if role == EVERYBODY { "all other roles".to_string() } else { format!("role {role}") };
                let text = format!("{} cannot play it: {}", link.backend.title(), failure.message);
                findings.push(Finding::new(who, Mark::Bad, text));
            }
        }
    }
    findings
}
