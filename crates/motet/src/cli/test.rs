//! `motet test`: plays every case of a workflow and says which went as expected, and what of the machine no case has seen.
//! Playing and comparing is the rehearsal's business.

mod coverage;
mod show;

use std::time::Instant;

use motet_core::{Folder, case};
use serde_json::json;

use super::selection::{Selection, rendered, show_problem};
use super::{Context, Exit, output};
use crate::library::{Library, Loaded, Problem};
use crate::rehearsal::{Difference, Rehearsal, compare, play, unknown_names};
use coverage::Coverage;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Only cases whose file or name contains this; or a file to play as a case of the workflow
    #[arg(long, value_name = "TEXT|FILE")]
    case: Option<String>,
    /// Show which transitions no case takes
    #[arg(long)]
    coverage: bool,
    /// Fail if the cases take less than this share of the transitions
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    min_coverage: Option<u8>,
    /// Show the path of every case
    #[arg(long, short)]
    verbose: bool,
}

/// One case, played or not.
struct Result {
    file: String,
    name: String,
    differences: Vec<Difference>,
    /// Why it could not be played, as whole rendered problems.
    problems: Vec<String>,
    played: Option<Rehearsal>,
}

impl Result {
    fn passed(&self) -> bool {
        self.differences.is_empty() && self.problems.is_empty()
    }
}

pub fn run(args: &Args, context: &Context) -> Exit {
    let began = Instant::now();
    let library = context.library();
    let (mut passed, mut failed, mut exit) = (0, 0, Exit::Ok);
    for (name, loaded) in args.selection.load(&library) {
        let loaded = match loaded {
            Ok(loaded) => loaded,
            Err(problem) => {
                exit = exit.max(unusable(&name, &problem, context));
                continue;
            }
        };
        let place = loaded.origin.place(&loaded.definition.name, &context.directory);
        let results = match foreign_case(args, context) {
            Some((file, text)) => play_one(None, &loaded, &library, ".", &file, &text).into_iter().collect(),
            None => play_all(args, &loaded, &library, &place),
        };
        passed += results.iter().filter(|result| result.passed()).count();
        failed += results.iter().filter(|result| !result.passed()).count();
        let coverage = Coverage::of(&loaded.definition, results.iter().filter_map(|result| result.played.as_ref()));
        let too_little = args.min_coverage.is_some_and(|least| coverage.percent() < f64::from(least));
        if too_little {
            exit = exit.max(Exit::Failed);
        }
        if context.json {
            results.iter().for_each(|result| output::json(&show::as_json(&loaded, result)));
            output::json(&coverage.as_json(&loaded.definition.name));
        } else {
            show::workflow(args, context, &loaded, &results);
            if args.coverage || too_little {
                coverage.show(args.min_coverage, context.paint);
            }
        }
    }
    if context.json {
        output::json(&json!({ "passed": passed, "failed": failed, "milliseconds": began.elapsed().as_millis() as u64 }));
    } else {
        show::summary(passed, failed, began.elapsed(), context.paint);
    }
    if passed + failed == 0 && exit == Exit::Ok {
        return output::fail(&match &args.case {
            Some(wanted) => format!("no case has `{wanted}` in its name or in the name of its file"),
            None => "no case was played; cases are files `cases/*.yaml` in the folder of a workflow".into(),
        });
    }
    exit.max(if failed > 0 { Exit::Failed } else { Exit::Ok })
}

fn unusable(name: &str, problem: &Problem, context: &Context) -> Exit {
    match problem {
        Problem::Invalid { diagnostics, .. } if context.json => {
            output::json(&json!({ "workflow": name, "ok": false, "diagnostics": diagnostics }));
        }
        _ => show_problem(problem, context),
    }
    if matches!(problem, Problem::Invalid { .. }) { Exit::Failed } else { Exit::Invalid }
}

/// A case from anywhere, with the name of its file: a recording, say, that is not part of the workflow.
fn foreign_case(args: &Args, context: &Context) -> Option<(String, String)> {
    let file = args.case.as_ref().filter(|file| file.ends_with(".yaml") || file.ends_with(".yml"))?;
    let text = std::fs::read_to_string(context.directory.join(file)).ok()?;
    Some((file.clone(), text))
}

fn play_all(args: &Args, loaded: &Loaded, library: &Library, place: &str) -> Vec<Result> {
    let is_case = |path: &str| path.starts_with("cases/") && (path.ends_with(".yaml") || path.ends_with(".yml"));
    let cases = loaded.folder.iter().filter(|(path, _)| is_case(path));
    cases.filter_map(|(path, text)| play_one(args.case.as_deref(), loaded, library, place, path, text)).collect()
}

/// None if the filter does not want it.
fn play_one(filter: Option<&str>, loaded: &Loaded, library: &Library, place: &str, path: &str, text: &str) -> Option<Result> {
    let wanted = |name: &str| filter.is_none_or(|filter| path.contains(filter) || name.contains(filter));
    let result =
        |name: &str| Result { file: path.to_owned(), name: name.to_owned(), differences: Vec::new(), problems: Vec::new(), played: None };
    let case = match case::parse(path, text) {
        Ok(case) => case,
        Err(diagnostics) => {
            let folder = Folder::from([(path.to_owned(), text.to_owned())]);
            let problems = diagnostics.iter().map(|diagnostic| rendered(diagnostic, place, &folder)).collect();
            return wanted("").then(|| Result { problems, ..result(path) });
        }
    };
    if !wanted(&case.name) {
        return None;
    }
    let problems = unknown_names(&loaded.definition, &case, library);
    if !problems.is_empty() {
        let problems = problems.into_iter().map(|problem| format!("error: {problem}\n --> {place}/{path}\n")).collect();
        return Some(Result { problems, ..result(&case.name) });
    }
    let played = play(&loaded.definition, &case, path, library);
    Some(Result { differences: compare(&case.expect, &played), played: Some(played), ..result(&case.name) })
}
