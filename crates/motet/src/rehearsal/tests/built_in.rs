//! All built-in workflows at once: what a changed transition breaks, and what a crash in any state does not.

use motet_core::case::{Case, GateLine, Happening, Happens};
use motet_core::check::{check, transition_ids};
use motet_core::definition::{Next, OnFailure, Target, Transition, Work};
use motet_core::language;
use motet_core::names::StateName;
use motet_evidence::report::{Archive, Document, parse, verify};
use motet_evidence::score::{Intent, Scorecard, score};
use serde_json::Value;

use super::super::*;
use crate::library::Loaded;

struct Subject {
    loaded: Loaded,
    cases: Vec<(String, Case)>,
}

fn subjects(library: &Library) -> Vec<Subject> {
    let all = library.names().map(|name| {
        let loaded = library.load(name).unwrap_or_else(|problem| panic!("{problem}"));
        let files = loaded.folder.iter().filter(|(path, _)| path.starts_with("cases/"));
        let cases = files.map(|(path, text)| (path.clone(), motet_core::case::parse(path, text).expect("a case"))).collect();
        Subject { loaded, cases }
    });
    all.collect()
}

fn built_in() -> Library {
    Library::around(std::path::Path::new("/nowhere"), None)
}

#[test]
fn a_redirected_or_deleted_transition_is_noticed_by_the_checker_or_by_a_case() {
    let library = built_in();
    let (mut mutants, mut survivors) = (0, Vec::new());
    for subject in subjects(&library) {
        let definition = &subject.loaded.definition;
        // The cases that take a transition are the likeliest to notice its change, so they are played first.
        let takes: Vec<(usize, BTreeSet<String>)> = subject
            .cases
            .iter()
            .enumerate()
            .map(|(place, (file, case))| {
                let played = play(definition, case, file, &library);
                (place, played.path().iter().map(|passage| passage.via.clone()).collect())
            })
            .collect();
        for id in transition_ids(definition) {
            for (word, change) in [("redirected", redirect as Change), ("deleted", delete)] {
                let (mut changed, _) = language::load(definition.folder.clone(), &library).expect("it loaded before");
                if !change(&mut changed, &id) {
                    continue;
                }
                mutants += 1;
                if check(&changed, None).has_errors() {
                    continue;
                }
                let changed = Arc::new(changed);
                let mut order: Vec<&(usize, BTreeSet<String>)> = takes.iter().collect();
                order.sort_by_key(|(_, taken)| !taken.contains(&id));
                let is_noticed = order.iter().any(|(place, _)| {
                    let (file, case) = &subject.cases[*place];
                    !compare(&case.expect, &play(&changed, case, file, &library)).is_empty()
                });
                if !is_noticed {
                    survivors.push(format!("{} {id} {word}", definition.name));
                }
            }
        }
    }
    assert!(mutants > 300, "only {mutants} mutants were made");
    assert!(survivors.is_empty(), "{} of {mutants} mutants survive: {survivors:#?}", survivors.len());
}

type Change = fn(&mut Definition, &str) -> bool;

/// Sends a transition to another state, always the same one.
fn redirect(definition: &mut Definition, id: &str) -> bool {
    let states: Vec<StateName> = definition.states.iter().map(|state| state.name.clone()).collect();
    let number = id.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let Some(transition) = find(definition, id) else { return false };
    let others: Vec<StateName> = states.into_iter().filter(|state| transition.to != Target::State(state.clone())).collect();
    transition.to = Target::State(others[number % others.len()].clone());
    true
}

/// Takes a guarded transition out of its list; one without a guard could not be left out by the language.
fn delete(definition: &mut Definition, id: &str) -> bool {
    for state in &mut definition.states {
        let lists: Vec<&mut Vec<Transition>> = match &mut state.next {
            Next::Always(list) => vec![list],
            Next::Outcomes(outcomes) => outcomes.iter_mut().map(|(_, list)| list).collect(),
        };
        for list in lists {
            if let Some(place) = list.iter().position(|transition| transition.id == id && transition.when.is_some()) {
                list.remove(place);
                return true;
            }
        }
    }
    false
}

fn find<'d>(definition: &'d mut Definition, id: &str) -> Option<&'d mut Transition> {
    let trouble = [&mut definition.trouble.error, &mut definition.trouble.budget, &mut definition.trouble.time];
    let of_workflow = trouble.into_iter().flatten().map(|transition| &mut **transition);
    let of_states = definition.states.iter_mut().flat_map(|state| {
        let lists: Vec<&mut Transition> = match &mut state.next {
            Next::Always(list) => list.iter_mut().collect(),
            Next::Outcomes(outcomes) => outcomes.iter_mut().flat_map(|(_, list)| list).collect(),
        };
        let rules = match &mut state.work {
            Work::Plan(plan) => Some(&mut plan.if_task_fails),
            Work::Agent { if_task_fails, .. } => if_task_fails.as_mut(),
            _ => None,
        };
        let failures = rules.into_iter().flat_map(|rules| [&mut rules.critical, &mut rules.optional]).filter_map(|rule| match rule {
            OnFailure::Go(transition) => Some(&mut **transition),
            _ => None,
        });
        let trouble = [&mut state.trouble.error, &mut state.trouble.budget, &mut state.trouble.time];
        let trouble = trouble.into_iter().flatten().map(|transition| &mut **transition);
        lists.into_iter().chain(failures).chain(trouble).collect::<Vec<_>>()
    });
    of_workflow.chain(of_states).find_map(|transition| within(transition, id))
}

/// The transition itself, or one that its `exceeded` leads to.
fn within<'t>(transition: &'t mut Transition, id: &str) -> Option<&'t mut Transition> {
    if transition.id == id {
        return Some(transition);
    }
    transition.exceeded.as_deref_mut().and_then(|exceeded| within(exceeded, id))
}

/// What the facts of a run quote stands for its archive.
fn quoted(data: &Value) -> Archive {
    let list = |field: &str| data[field].as_array().cloned().unwrap_or_default();
    let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_string();
    Archive::of(list("sources").iter().map(|source| {
        let says = list("facts").into_iter().filter(|fact| fact["sources"].as_array().is_some_and(|all| all.contains(&source["url"])));
        let words = says.map(|fact| fact["quote"].as_str().map_or_else(|| text(&fact, "statement"), str::to_string) + "\n\n");
        Document { names: vec![text(source, "url"), text(source, "id")], text: words.collect() }
    }))
}

#[test]
fn every_report_that_a_case_delivers_passes_the_publish_gate_as_it_is_printed() {
    let library = built_in();
    let mut reports = 0;
    for subject in subjects(&library) {
        for (file, case) in &subject.cases {
            let played = play(&subject.loaded.definition, case, file, &library);
            let data = serde_json::to_value(&played.state.data).expect("data is JSON");
            // Whoever publishes through the evidence library has a publication among its data.
            let is_delivered = matches!(played.status(), Some("completed" | "partial"));
            if !is_delivered || data["publication"].is_null() {
                continue;
            }
            let printed = |name: &str| played.files[name].clone().unwrap_or_else(|why| panic!("{file}: {name} {why}"));
            let report = parse(&printed("report.md"));
            let archive = quoted(&data);
            let verification = verify(&report, &archive);
            assert!(verification.gate.open, "{file}: {:?}\n{}", verification.gate.reasons, printed("report.md"));
            assert!(verification.integrity.unused.is_empty() && verification.integrity.duplicate.is_empty(), "{file}");
            // The scorecard beside it is that of the printed text, which anybody can compute again.
            let card: Scorecard = serde_json::from_str(&printed("scorecard.json")).expect("a scorecard");
            let again = score(&report, &verification, &archive, Intent::default());
            assert_eq!((card.grounding, card.writing), (again.grounding, again.writing), "{file}");
            reports += 1;
        }
    }
    assert!(reports > 30, "only {reports} reports were looked at");
}

#[test]
fn a_crash_in_any_state_changes_neither_the_path_nor_the_end() {
    let library = built_in();
    let (mut crashes, mut crashed_in) = (0, BTreeSet::new());
    for subject in subjects(&library) {
        let definition = &subject.loaded.definition;
        for (file, case) in &subject.cases {
            // Limits count what a crash repeats, and a case that crashes by itself has had its turn.
            let is_limited = case.budget.is_some() || case.max_time_ms.is_some() || !case.events.is_empty() || case.expect.spent.is_some();
            let undisturbed = play(definition, case, file, &library);
            if is_limited || undisturbed.state.stopped.is_some() {
                continue;
            }
            for state in undisturbed.path().iter().map(|passage| passage.to.to_string()).collect::<BTreeSet<_>>() {
                // One crash in each state is enough to see it survive; other cases crash in the states this one lacks.
                if !crashed_in.insert((definition.name.clone(), state.clone())) {
                    continue;
                }
                let disturbed = play(definition, &crashing(case, &state), file, &library);
                let states = |played: &Rehearsal| played.path().iter().map(|passage| passage.to.to_string()).collect::<Vec<_>>();
                assert_eq!(states(&disturbed), states(&undisturbed), "{} {file}, crashed in {state}", definition.name);
                assert_eq!(disturbed.status(), undisturbed.status(), "{} {file}, crashed in {state}", definition.name);
                assert_eq!(disturbed.broken, Vec::<String>::new(), "{} {file}, crashed in {state}", definition.name);
                crashes += 1;
            }
        }
    }
    assert!(crashes > 100, "only {crashes} crashes happened");
}

/// The case with a crash as soon as the state is entered; whatever was interrupted there runs again.
fn crashing(case: &Case, state: &str) -> Case {
    let mut case = case.clone();
    case.events.push(Happening { after_ms: 0, in_state: Some(state.to_string()), what: Happens::Crash });
    let again = GateLine {
        option: Some("run_again".into()),
        text: None,
        answers: BTreeMap::new(),
        by: "ada".into(),
        after_ms: 0,
        silent: false,
        edits: BTreeMap::new(),
    };
    case.gates.entry("interrupted".into()).or_default().extend(std::iter::repeat_n(again, 40));
    case
}
