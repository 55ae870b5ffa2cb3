//! How items stand in a file, line after line, and how they are found again in what a person left there.
//! It only reads: what a difference means is decided in `import`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::line::{Kind, Line};
use crate::expression::{Expression, Formula};
use crate::schema::Schema;

/// How a value that can be edited stands in its file.
#[derive(Debug, Default)]
pub struct Form {
    /// A line whose fields hold for every item below it.
    pub under: Option<Line>,
    /// The lines of one item, in order. A line without fields marks a place that later lines come after.
    pub lines: Vec<Line>,
    /// Set in every item that is new or was changed.
    pub fill: Vec<(String, Formula)>,
    pub like: Option<Likeness>,
    /// Over the data as it would be: reasons why not.
    pub refuse: Option<Expression>,
}

/// The shape that a planner's own result must have.
#[derive(Debug)]
pub struct Likeness {
    /// Of the list, without what its items are.
    pub list: Schema,
    pub item: Schema,
}

/// What was found in a file.
#[derive(Debug, Default)]
pub struct Found {
    pub items: Vec<FoundItem>,
    /// The numbers of the lines that belong to items.
    pub claimed: BTreeSet<usize>,
    pub problems: Vec<(usize, String)>,
}

#[derive(Clone, Debug, Default)]
pub struct FoundItem {
    /// Where it begins, from one.
    pub line: usize,
    pub fields: BTreeMap<String, FoundField>,
}

#[derive(Clone, Debug)]
pub struct FoundField {
    pub line: usize,
    pub kind: Kind,
    pub value: Value,
}

impl FoundItem {
    pub fn id(&self) -> Option<String> {
        self.fields.get("id").map(|field| key_of(&field.value))
    }
}

/// What an item is called, whether its id is a text or a number.
pub fn key_of(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

impl Form {
    /// Every field that a line of it has.
    pub fn fields(&self) -> impl Iterator<Item = &super::line::Field> {
        self.lines.iter().chain(&self.under).flat_map(|line| &line.fields)
    }

    /// The items of a list, or the one item that the whole file is about.
    pub fn read(&self, text: &str, one: bool) -> Found {
        let mut reader =
            Reader { form: self, one, found: Found::default(), above: Vec::new(), at: None, block: Vec::new(), interrupted: false };
        if one {
            reader.found.items.push(FoundItem { line: 1, ..FoundItem::default() });
        }
        for (position, line) in text.lines().enumerate() {
            reader.take(position + 1, line.trim_end());
        }
        reader.end_block();
        reader.found
    }
}

struct Reader<'f> {
    form: &'f Form,
    one: bool,
    found: Found,
    /// What the last line of `under` said.
    above: Vec<(String, FoundField)>,
    /// The line of the form that was met last; None before the first.
    at: Option<usize>,
    /// The lines of a block so far.
    block: Vec<(usize, String)>,
    /// Something else has come since, so no line of a list goes on here.
    interrupted: bool,
}

impl Reader<'_> {
    fn take(&mut self, number: usize, line: &str) {
        if let Some(under) = &self.form.under
            && let Some(fields) = under.fit(line)
        {
            self.end_block();
            self.at = None;
            self.above = fields.into_iter().filter_map(|(field, written)| self.field(number, field, written)).collect();
            return;
        }
        let in_block = self.at.is_some_and(|at| self.form.lines[at].is_block());
        if let Some(next) = self.next(line) {
            self.end_block();
            self.enter(number, next, line);
        } else if in_block {
            self.block.push((number, line.to_owned()));
            self.found.claimed.insert(number);
        } else if !line.trim().is_empty() {
            self.interrupted = true;
        }
    }

    /// The line of the form that this one is: one of those up to the next mark, a later mark, or the first of another item.
    fn next(&self, line: &str) -> Option<usize> {
        if line.trim().is_empty() {
            return None;
        }
        let lines = &self.form.lines;
        let is_open = |line: &Line| !line.is_block() && !(line.repeats() && self.interrupted);
        let fits = |position: &usize| is_open(&lines[*position]) && lines[*position].fit(line).is_some();
        let first = match self.at {
            Some(at) if lines[at].repeats() => at,
            Some(at) => at + 1,
            None => 0,
        };
        // Before its first line there is nothing of an item to go on with.
        let reachable = if self.at.is_none() && !self.one { 0..0 } else { first..lines.len() };
        let mut marked = false;
        let mut candidates = reachable.filter(|position| {
            let fixed = lines[*position].is_fixed();
            let reached = !marked || fixed;
            marked |= fixed;
            reached
        });
        candidates.find(fits).or_else(|| Some(0).filter(|first| !self.one && fits(first)))
    }

    fn enter(&mut self, number: usize, position: usize, line: &str) {
        if position == 0 && !self.one {
            let fields = self.above.iter().cloned().collect();
            self.found.items.push(FoundItem { line: number, fields });
        }
        self.found.claimed.insert(number);
        self.at = Some(position);
        self.interrupted = false;
        let pattern = &self.form.lines[position];
        for (field, written) in pattern.fit(line).unwrap_or_default() {
            // What is only shown beside each value of a list belongs to no item.
            if pattern.repeats() && field.kind == Kind::Shown {
                continue;
            }
            if let Some((name, found)) = self.field(number, field, written) {
                self.put(name, found);
            }
        }
        // What follows a mark at once needs no line of its own to begin.
        if self.form.lines[position].is_fixed() && self.form.lines.get(position + 1).is_some_and(Line::is_block) {
            self.at = Some(position + 1);
        }
    }

    fn field(&mut self, line: usize, field: &super::line::Field, written: Option<&str>) -> Option<(String, FoundField)> {
        match field.value(written) {
            Ok(value) => value.map(|value| (field.name.clone(), FoundField { line, kind: field.kind, value })),
            Err(why) => {
                self.found.problems.push((line, why));
                None
            }
        }
    }

    fn put(&mut self, name: String, found: FoundField) {
        let Some(item) = self.found.items.last_mut() else { return };
        if found.kind != Kind::Each {
            item.fields.insert(name, found);
            return;
        }
        let all = item.fields.entry(name).or_insert_with(|| FoundField { value: Value::Array(Vec::new()), ..found.clone() });
        if let Value::Array(list) = &mut all.value {
            list.push(found.value);
        }
    }

    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        let Some(field) = self.at.and_then(|at| self.form.lines[at].fields.first()).filter(|field| field.kind == Kind::Block) else {
            return;
        };
        let text: Vec<&str> = block.iter().map(|(_, line)| line.as_str()).collect();
        let text = text.join("\n");
        let text = text.trim_matches('\n');
        if let Some((line, _)) = block.iter().find(|(_, line)| !line.is_empty()) {
            let found = FoundField { line: *line, kind: Kind::Block, value: Value::String(text.to_owned()) };
            self.put(field.name.clone(), found);
        }
    }
}
