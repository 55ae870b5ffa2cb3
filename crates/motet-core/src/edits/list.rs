//! Which items of a list stayed, came, went or moved, when only what a file shows of them is known.
//! Their fields are not its business.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::form::{Found, key_of};

pub(super) struct Ids {
    before: Vec<String>,
    after: Vec<String>,
    /// In the file, but not in the list: the run itself has added them.
    pub shown: BTreeSet<String>,
    pub problems: Vec<(usize, String)>,
    pub notes: Vec<(usize, String)>,
}

impl Ids {
    pub fn of(before: &Found, after: &Found, list: &[Value]) -> Self {
        let known: BTreeSet<String> = list.iter().map(|item| key_of(&item["id"])).collect();
        let was: Vec<String> = before.items.iter().filter_map(|item| item.id()).collect();
        let shown: BTreeSet<String> = was.iter().filter(|id| !known.contains(*id)).cloned().collect();
        let mut ids = Self { before: was, after: Vec::new(), shown, problems: Vec::new(), notes: Vec::new() };
        let mut first: BTreeMap<String, usize> = BTreeMap::new();
        for item in &after.items {
            let Some(id) = item.id().filter(|id| !id.is_empty()) else {
                ids.problems.push((item.line, "there is no id here".into()));
                continue;
            };
            if let Some(line) = first.get(&id) {
                ids.problems.push((item.line, format!("{id} stands in line {line} already, and an id can be used once")));
                continue;
            }
            first.insert(id.clone(), item.line);
            if ids.shown.contains(&id) {
                ids.compare_shown(&id, before, after);
            } else {
                ids.after.push(id);
            }
        }
        ids.before.retain(|id| known.contains(id));
        ids
    }

    fn compare_shown(&mut self, id: &str, before: &Found, after: &Found) {
        let item = |found: &'_ Found| found.items.iter().find(|item| item.id().as_deref() == Some(id)).cloned().unwrap_or_default();
        let (was, is) = (item(before), item(after));
        let differs = was.fields.iter().any(|(name, field)| is.fields.get(name).is_none_or(|now| now.value != field.value));
        if differs {
            self.notes.push((is.line, format!("{id} stays as it is: the run has added it itself")));
        }
    }

    /// The list as it is to be. Its own order holds unless somebody has changed the order of the lines.
    pub fn arranged(&self, old: &[Value], mut items: BTreeMap<String, Value>) -> Vec<Value> {
        let stayed = |ids: &[String], others: &[String]| -> Vec<String> { ids.iter().filter(|id| others.contains(id)).cloned().collect() };
        let reordered = stayed(&self.before, &self.after) != stayed(&self.after, &self.before);
        let mut order: Vec<String> = old.iter().map(|item| key_of(&item["id"])).collect();
        let hidden: Vec<(usize, String)> = order
            .iter()
            .enumerate()
            .filter(|(_, id)| !self.before.contains(id) && !self.after.contains(id))
            .map(|(at, id)| (at, id.clone()))
            .collect();
        if reordered {
            order = self.after.clone();
            for (at, id) in &hidden {
                order.insert((*at).min(order.len()), id.clone());
            }
        } else {
            order.retain(|id| self.after.contains(id) || hidden.iter().any(|(_, hidden)| hidden == id));
            let mut previous: Option<&String> = None;
            for id in &self.after {
                if !order.contains(id) {
                    let after = previous.and_then(|previous| order.iter().position(|other| other == previous)).map_or(0, |at| at + 1);
                    order.insert(after, id.clone());
                }
                previous = Some(id);
            }
        }
        let kept = |id: &String| old.iter().find(|item| key_of(&item["id"]) == *id).cloned();
        order.iter().filter_map(|id| items.remove(id).or_else(|| kept(id))).collect()
    }
}
