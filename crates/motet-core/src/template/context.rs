//! The variables of one rendering: only what the template reads, so that a large run is not copied for a short line.
//! It does not interpret anything; a variable that does not exist is left out.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::value::{Serde, Value};

use crate::expression::Variables;

pub(super) fn build(references: &[Vec<String>], variables: &dyn Variables) -> Value {
    // For each variable the fields that are read; none of them if it is read as a whole.
    let mut wanted: BTreeMap<&str, Option<BTreeSet<&str>>> = BTreeMap::new();
    for path in references {
        let [root, rest @ ..] = path.as_slice() else { continue };
        if super::FUNCTIONS.contains(&root.as_str()) {
            continue;
        }
        let fields = wanted.entry(root).or_insert_with(|| Some(BTreeSet::new()));
        match rest.first() {
            Some(field) => fields.iter_mut().for_each(|fields| {
                fields.insert(field);
            }),
            None => *fields = None,
        }
    }
    let root = |(root, fields): (&str, Option<BTreeSet<&str>>)| {
        let value = match fields {
            None => Value::from(Serde(&*variables.variable(root)?)),
            Some(fields) => {
                let member = |field: &&str| Some(((*field).to_owned(), Value::from(Serde(&*variables.member(root, field)?))));
                let members: BTreeMap<String, Value> = fields.iter().filter_map(member).collect();
                Value::from(members)
            }
        };
        Some((root.to_owned(), value))
    };
    Value::from(wanted.into_iter().filter_map(root).collect::<BTreeMap<String, Value>>())
}
