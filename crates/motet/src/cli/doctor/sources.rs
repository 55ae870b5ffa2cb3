//! Every source that the settings name, each asked one small question: whether it answers, how fast, and what to do if it does not.
//! Folders are looked at and not indexed.

use motet_evidence::library::{Probed, probe};
use motet_evidence::source::SearchOutcome;

use super::{Finding, Mark};
use crate::casting;
use crate::cli::Failure;
use crate::config::Config;
use crate::researching::{Evidence, Workplace, search_tool};

/// Something that every service knows something about.
const QUESTION: &str = "water";

pub fn findings(config: &Config) -> Result<Vec<Finding>, Failure> {
    let mut findings: Vec<Finding> = config
        .sources
        .documents
        .iter()
        .map(|(folder, origin)| match std::fs::read_dir(folder) {
            Ok(_) => Finding::new("documents", Mark::Good, folder.display().to_string()),
            Err(error) => Finding::new("documents", Mark::Warning, format!("{} ({origin}): {error}", folder.display())),
        })
        .collect();
    if !config.sources.reach_out() {
        return Ok(findings);
    }
    let evidence = Evidence { sources: config.sources.clone(), ..Evidence::default() };
    let (services, mut extra) = evidence.services();
    let workplace = Workplace { servers: casting::servers(&config.tools), directory: None, redactor: motet_agents::hidden() };
    extra.extend(evidence.tools().iter().map(|(tool, argument)| search_tool(tool, argument, &workplace)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::failed(format!("nothing can be reached from here: {error}")))?;
    let fetching = match evidence.fetching() {
        Ok(fetching) => fetching,
        Err(why) => {
            findings.push(Finding::new("sources", Mark::Warning, why));
            return Ok(findings);
        }
    };
    match runtime.block_on(probe(&services, extra, fetching, QUESTION)) {
        Ok(probed) => findings.extend(probed.into_iter().map(finding)),
        Err(why) => findings.push(Finding::new("sources", Mark::Warning, why)),
    }
    Ok(findings)
}

fn finding(probed: Probed) -> Finding {
    let (what, milliseconds) = (format!("source {}", probed.source), probed.duration_ms);
    match probed.outcome {
        SearchOutcome::Hits { .. } | SearchOutcome::NoHits { .. } => {
            Finding::new(what, Mark::Good, format!("answers in {milliseconds} ms, {}", probed.outcome))
        }
        trouble => Finding::new(what, Mark::Warning, format!("{trouble} (after {milliseconds} ms)")),
    }
}
