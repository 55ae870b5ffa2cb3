//! A whole life of a few runs under everything that can go wrong, from one seed: crashes, lost acknowledgements, full disks,
//! late and repeated completions, clocks that jump. What must hold is checked all the time, and the end must be that of a quiet life.

mod faults;
mod laws;
mod process;
mod world;

use std::collections::BTreeMap;

use motet_core::names::RunId;
use motet_core::units::Time;
use motet_host::{Memory, Store};
use serde_json::{Value, json};

use crate::random::Random;
use crate::workflows::Shelf;
use faults::Faults;
use laws::Laws;
use process::Process;
use world::World;

/// What happened in one simulation, so that a seed that tests nothing can be told from one that does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub runs: u64,
    pub events: u64,
    pub turns: u64,
    pub crashes: u64,
    pub failed_commits: u64,
    pub lost_acknowledgements: u64,
    pub repeated_completions: u64,
    pub takeovers: u64,
    pub clock_jumps: u64,
}

impl std::ops::AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.runs += other.runs;
        self.events += other.events;
        self.turns += other.turns;
        self.crashes += other.crashes;
        self.failed_commits += other.failed_commits;
        self.lost_acknowledgements += other.lost_acknowledgements;
        self.repeated_completions += other.repeated_completions;
        self.takeovers += other.takeovers;
        self.clock_jumps += other.clock_jumps;
    }
}

/// How every run ended.
type Endings = BTreeMap<RunId, Option<motet_core::state::Ended>>;

/// Lives through one seed twice, once in peace and once in trouble, and says what broke. The error names its own command.
pub fn simulate(shelf: &Shelf, seed: u64) -> Result<Stats, String> {
    let command = |why: String| format!("{why}\n  again with: cargo xtask sim --seed {seed}");
    let (peaceful, _) = live(shelf, seed, false).map_err(|why| command(format!("seed {seed}, even without faults: {why}")))?;
    let (troubled, stats) = live(shelf, seed, true).map_err(|why| command(format!("seed {seed}: {why}")))?;
    for (run, expected) in &peaceful {
        let found = troubled.get(run);
        let result = |ended: &motet_core::state::Ended| (ended.outcome, ended.output.clone());
        if found.map(|found| found.as_ref().map(result)) != Some(expected.as_ref().map(result)) {
            return Err(command(format!("seed {seed}: run {run} ended with {found:?}, and without faults with {expected:?}")));
        }
    }
    Ok(stats)
}

/// No life is longer than this; one that is, is stuck.
const MOST_TURNS: u64 = 20_000;

fn live(shelf: &Shelf, seed: u64, trouble: bool) -> Result<(Endings, Stats), String> {
    let mut choices = Random::new(seed);
    let wanted = workload(&mut choices);
    let storage = Memory::new();
    let faults = Faults::new(Random::new(seed ^ 0x5eed), trouble);
    let mut world = World::new(Random::new(seed ^ 0x3017d), trouble);
    let mut laws = Laws::new(shelf.clone());
    let mut stats = Stats { runs: wanted.len() as u64, ..Stats::default() };
    let mut now = Time(1_000_000_000);
    let mut process: Option<Process> = None;
    while stats.turns < MOST_TURNS {
        stats.turns += 1;
        let mut current = match process.take() {
            Some(process) => process,
            None => Process::start(shelf, &storage, &faults, now),
        };
        let inputs = world.inputs(&current, shelf, &storage, &wanted, now);
        let actions = current.engine.turn(now, inputs);
        if faults.crashed() {
            // Nothing of this turn was seen by anybody; whether it is in the store is another matter.
            stats.crashes += 1;
            world.crash(now);
        } else {
            world.take(&current, actions, &mut laws, &storage, now)?;
            if !world.has_crashed() {
                laws.check_live(&current, &world, &storage)?;
            }
            if world.has_crashed() {
                stats.crashes += 1;
                let was_taken_over = world.end(current, &storage, &faults, now)?;
                stats.takeovers += u64::from(was_taken_over);
            } else {
                process = Some(current);
            }
        }
        if all_ended(&storage, &wanted) {
            drop(process);
            let endings = laws.check_end(&storage)?;
            let records = storage.runs(&Default::default()).map_err(|error| error.to_string())?;
            stats.events = records.iter().map(|record| record.seq).sum();
            (stats.failed_commits, stats.lost_acknowledgements) = faults.counts();
            (stats.repeated_completions, stats.clock_jumps) = world.counts();
            return Ok((endings, stats));
        }
        now = world.next_moment(process.as_ref(), now);
    }
    let open: Vec<String> = wanted.iter().filter_map(|want| storage.run(&want.run).ok()?).map(|run| format!("{run:?}")).collect();
    Err(format!("stuck after {MOST_TURNS} turns: {}", open.join("\n")))
}

/// Runs whose names begin like this are cancelled by a person as soon as their child asks something.
const DOOMED: &str = "doomed";

pub struct Wanted {
    pub run: RunId,
    pub workflow: &'static str,
    pub input: Value,
}

fn workload(choices: &mut Random) -> Vec<Wanted> {
    let count = 1 + choices.below(4);
    let mut wanted = Vec::new();
    for number in 0..count {
        let (workflow, input) = match choices.below(6) {
            0 => ("chain", json!({ "n": 1 + choices.below(6), "size": if choices.once_in(3) { 6000 } else { 10 } })),
            1 => ("broad", json!({})),
            2 => ("careful", json!({})),
            3 => ("family", json!({ "levels": choices.below(3) })),
            _ => ("guarded", json!({})),
        };
        let fate = if workflow == "guarded" && choices.once_in(2) { DOOMED } else { workflow };
        wanted.push(Wanted { run: RunId::new(format!("{fate}-{number}")), workflow, input });
    }
    wanted
}

/// Whether every run that was wanted has ended, and every child with it.
fn all_ended(storage: &Memory, wanted: &[Wanted]) -> bool {
    let contents = storage.contents();
    let started = wanted.iter().all(|want| contents.runs.contains_key(&want.run));
    started && contents.runs.values().all(|stored| stored.record.ended_at.is_some())
}

#[cfg(test)]
mod tests;
