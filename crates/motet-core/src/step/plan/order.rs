//! The order of a plan's tasks by what they wait for, so that it does not depend on how somebody listed them.
//! It decides nothing about which of them are ready.

use std::collections::BTreeMap;

use serde_json::Value;

use super::tasks::{dependencies, id_of};

/// By the longest chain of tasks before each, then by the number in its id, then by the id.
pub(super) fn by_depth(mut tasks: Vec<Value>) -> Vec<Value> {
    let depths: BTreeMap<String, usize> = depths(&tasks).into_iter().map(|(id, depth)| (id.to_string(), depth)).collect();
    let key = |task: &Value| (depths.get(id_of(task)).copied(), number(id_of(task)), id_of(task).to_string());
    tasks.sort_by_cached_key(key);
    tasks
}

/// What waits for nothing here has depth 0. The tasks form no circle, or the plan would have been refused.
fn depths(tasks: &[Value]) -> BTreeMap<&str, usize> {
    let mut depths: BTreeMap<&str, usize> = tasks.iter().map(|task| (id_of(task), 0)).collect();
    // A chain is at most as long as the plan, and each round gets one link further.
    for _ in tasks {
        let mut changed = false;
        for task in tasks {
            let before = dependencies(task).filter_map(|dependency| depths.get(dependency)).map(|depth| depth + 1).max().unwrap_or(0);
            if depths.insert(id_of(task), before) != Some(before) {
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    depths
}

/// The first number in an id, so that `E3` comes before `E10`; what has none comes last.
fn number(id: &str) -> u64 {
    let digits = id.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().unwrap_or(u64::MAX)
}
