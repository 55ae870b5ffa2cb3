//! Compares what a person left in the files of a gate with what the run wrote there, and says what it means for the data.
//! A field that was not touched keeps its value, whatever the file shows of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Map, Value};

use super::form::{Form, Found, FoundItem, key_of};
use super::judge::judge;
use super::line::Line;
use super::{list, whole};
use crate::definition::{Definition, Edit, FileRule, Work};
use crate::expression::Scope;
use crate::files;
use crate::names::StateName;
use crate::state::{GateKind, State};
use crate::step::RunScope;

/// A file that can be edited.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    pub path: String,
    /// As the run would write it now.
    pub content: String,
    /// The number of its rule in the workflow.
    pub rule: usize,
    /// The item that the file is about, where it is about one.
    pub item: Value,
}

/// What the edits come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// New values of top-level data; empty if nothing that counts was changed.
    pub changes: BTreeMap<String, Value>,
    /// The files that were edited.
    pub files: Vec<String>,
    /// What was written and does not count, because the run knows better.
    pub notes: Vec<Remark>,
}

/// Something about a place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    pub file: String,
    pub line: Option<usize>,
    pub text: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(out, "{}, line {line}: {}", self.file, self.text),
            None => write!(out, "{}: {}", self.file, self.text),
        }
    }
}

/// The files that can be edited now, in the order of the workflow. None without an open gate of the current state, or a plan.
pub fn sheets(definition: &Definition, state: &State) -> Vec<Sheet> {
    if !takes_edits(definition, state) {
        return Vec::new();
    }
    written(definition, state, |rule| edits_here(rule, state).next().is_some())
}

/// The files that can be edited, but not now, each with the states in which it can.
pub fn sheets_elsewhere(definition: &Definition, state: &State) -> Vec<(Sheet, Vec<StateName>)> {
    let is_here = |rule: &FileRule| takes_edits(definition, state) && edits_here(rule, state).next().is_some();
    let elsewhere = written(definition, state, |rule| !rule.edits.is_empty() && !is_here(rule)).into_iter();
    elsewhere
        .map(|sheet| (definition.files[sheet.rule].edits.iter().flat_map(|edit| edit.at.clone()).collect(), sheet))
        .map(|(at, sheet)| (sheet, at))
        .collect()
}

fn takes_edits(definition: &Definition, state: &State) -> bool {
    let is_plan = definition.state(state.here.state.as_str()).is_some_and(|here| matches!(here.work, Work::Plan(_)));
    is_plan || state.gates.values().any(|gate| gate.kind == GateKind::State)
}

fn written(definition: &Definition, state: &State, is_meant: impl Fn(&FileRule) -> bool) -> Vec<Sheet> {
    let mut sheets = Vec::new();
    for (position, rule) in definition.files.iter().enumerate() {
        if rule.append || !is_meant(rule) || !files::is_due(rule, state) {
            continue;
        }
        for (item, file) in files::rendered(definition, state, rule, None) {
            if let Ok(content) = file.content {
                sheets.push(Sheet { path: file.path, content, rule: position, item });
            }
        }
    }
    sheets
}

/// What was edited, given what now stands in each file; a file without a text was not edited.
pub fn import(definition: &Definition, state: &State, read: &mut dyn FnMut(&str) -> Option<String>) -> Result<Imported, Vec<Remark>> {
    let mut import = Import {
        definition,
        state,
        data: state.data.clone(),
        touched: BTreeMap::new(),
        added: BTreeSet::new(),
        fields: BTreeMap::new(),
        files: Vec::new(),
        notes: Vec::new(),
        problems: Vec::new(),
    };
    for sheet in sheets(definition, state) {
        if let Some(text) = read(&sheet.path).filter(|text| !is_same(text, &sheet.content)) {
            import.files.push(sheet.path.clone());
            import.sheet(&sheet, &text);
        }
    }
    import.new_sheets(read);
    import.finish()
}

/// The edits of a file that count in the current state.
pub(super) fn edits_here<'r>(rule: &'r FileRule, state: &'r State) -> impl Iterator<Item = &'r Edit> {
    rule.edits.iter().filter(|edit| edit.at.contains(&state.here.state))
}

/// Blanks at the ends of lines, and the kind of line ends, mean nothing.
fn is_same(one: &str, other: &str) -> bool {
    one.trim_end().lines().map(str::trim_end).eq(other.trim_end().lines().map(str::trim_end))
}

pub(super) struct Import<'a> {
    definition: &'a Definition,
    state: &'a State,
    /// As it would be.
    pub data: Map<String, Value>,
    /// Items that are new or were changed, by data and id: where, and by which form.
    touched: BTreeMap<(String, String), (String, usize, &'a Form)>,
    added: BTreeSet<(String, String)>,
    /// Each changed field, with where it was changed.
    fields: BTreeMap<(String, String, String), (Remark, Value)>,
    files: Vec<String>,
    notes: Vec<Remark>,
    problems: Vec<Remark>,
}

/// An item, and where something was written about it.
#[derive(Clone, Copy)]
struct Subject<'p, 'a> {
    path: &'p str,
    form: &'a Form,
    name: &'p str,
    id: &'p str,
}

impl<'a> Import<'a> {
    fn sheet(&mut self, sheet: &Sheet, text: &str) {
        let rule = &self.definition.files[sheet.rule];
        let mut claimed = (BTreeSet::new(), BTreeSet::new());
        let mut has_form = false;
        for edit in edits_here(rule, self.state) {
            let Some(name) = edit.data(rule) else { continue };
            let Some(form) = &edit.form else {
                self.whole(sheet, text, edit, name);
                continue;
            };
            has_form = true;
            let one = edit.is_item();
            let (before, after) = (form.read(&sheet.content, one), form.read(text, one));
            for (line, why) in &after.problems {
                self.problem(&sheet.path, Some(*line), why.clone());
            }
            claimed.0.extend(before.claimed.iter().copied());
            claimed.1.extend(after.claimed.iter().copied());
            if one {
                self.one_item(sheet, form, name, &before, &after);
            } else {
                self.list(&sheet.path, form, name, &before, &after);
            }
        }
        if has_form {
            self.rest(sheet, text, &claimed, edits_here(rule, self.state).filter_map(|edit| edit.form.as_ref()));
        }
    }

    /// Lines of no item only show something: they may go, but not change.
    fn rest<'f>(&mut self, sheet: &Sheet, text: &str, claimed: &(BTreeSet<usize>, BTreeSet<usize>), forms: impl Iterator<Item = &'f Form>) {
        let unclaimed = |text: &str, claimed: &BTreeSet<usize>| -> Vec<(usize, String)> {
            let lines = text.lines().enumerate().map(|(position, line)| (position + 1, line.trim().to_owned()));
            lines.filter(|(number, line)| !line.is_empty() && !claimed.contains(number)).collect()
        };
        let before = unclaimed(&sheet.content, &claimed.0);
        let after = unclaimed(text, &claimed.1);
        let mut known = before.iter();
        let mut gone = before.iter().map(|(_, line)| line).filter(|line| !after.iter().any(|(_, left)| left == *line));
        let example = example(&sheet.content, &claimed.0, &forms.flat_map(|form| &form.lines).collect::<Vec<_>>());
        for (number, line) in &after {
            // The first that fits is skipped to; if none does, nothing is skipped.
            let mut ahead = known.clone();
            if ahead.any(|(_, shown)| shown == line) {
                known = ahead;
                continue;
            }
            // A line that stands where another was is that line, changed.
            let why = match gone.next() {
                Some(shown) => format!(
                    "`{}` cannot be edited here: `{}` only shows what the run knows; a line that can be edited is {example}",
                    shortened(line),
                    shortened(shown)
                ),
                None => format!("`{}` cannot be read; lines that can be edited look like {example}", shortened(line)),
            };
            self.problem(&sheet.path, Some(*number), why);
        }
    }

    fn list(&mut self, path: &str, form: &'a Form, name: &str, before: &Found, after: &Found) {
        let old = self.data.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let ids = list::Ids::of(before, after, &old);
        for (line, text) in &ids.problems {
            self.problem(path, Some(*line), text.clone());
        }
        for (line, text) in &ids.notes {
            self.note(path, Some(*line), text.clone());
        }
        let mut items = BTreeMap::new();
        for item in &after.items {
            let Some(id) = item.id().filter(|id| !ids.shown.contains(id)) else { continue };
            match old.iter().find(|old| key_of(&old["id"]) == id) {
                Some(known) => {
                    let mut known = known.clone();
                    let nothing = FoundItem::default();
                    let base = before.items.iter().find(|found| found.id().as_deref() == Some(&id)).unwrap_or(&nothing);
                    self.merge(Subject { path, form, name, id: &id }, &mut known, base, item);
                    items.insert(id, known);
                }
                None => {
                    let mut new = Value::Object(Map::new());
                    self.added.insert((name.to_owned(), id.clone()));
                    self.merge(Subject { path, form, name, id: &id }, &mut new, &FoundItem::default(), item);
                    items.insert(id, new);
                }
            }
        }
        self.data.insert(name.to_owned(), Value::Array(ids.arranged(&old, items)));
    }

    fn one_item(&mut self, sheet: &Sheet, form: &'a Form, name: &str, before: &Found, after: &Found) {
        let id = key_of(&sheet.item["id"]);
        let known =
            self.data.get(name).and_then(Value::as_array).and_then(|list| list.iter().find(|item| key_of(&item["id"]) == id).cloned());
        let Some(mut known) = known else {
            return self.problem(&sheet.path, None, format!("{id} was changed here, and taken out of the list in another file"));
        };
        let nothing = FoundItem::default();
        let (base, item) = (before.items.first().unwrap_or(&nothing), after.items.first().unwrap_or(&nothing));
        self.merge(Subject { path: &sheet.path, form, name, id: &id }, &mut known, base, item);
        self.replace(name, &id, known);
    }

    /// Takes over what differs between the file as it was and as it is.
    fn merge(&mut self, subject: Subject<'_, 'a>, into: &mut Value, base: &FoundItem, item: &FoundItem) {
        let Subject { path, form, name, id } = subject;
        let Some(fields) = into.as_object_mut() else { return };
        let new = fields.is_empty();
        for (field, kind) in form.fields().map(|field| (&field.name, field.kind)) {
            let (was, is) = (base.fields.get(field), item.fields.get(field));
            let value = match (was, is) {
                (Some(was), Some(is)) if was.value == is.value => continue,
                (None, None) => continue,
                (_, is) => is.map(|is| is.value.clone()).or_else(|| kind.nothing()),
            };
            let line = is.map_or(item.line, |is| is.line);
            if kind == super::Kind::Shown {
                if !new && was.is_some() && is.is_some() {
                    let shown = was.map(|was| key_of(&was.value)).unwrap_or_default();
                    self.note(
                        path,
                        Some(line),
                        format!("{field} of {id} stays `{}`: the run knows it, and it cannot be edited", shown.trim()),
                    );
                }
                continue;
            }
            let place = Remark { file: path.to_owned(), line: Some(line), text: String::new() };
            let key = (name.to_owned(), id.to_owned(), field.clone());
            let written = value.clone().unwrap_or_default();
            match self.fields.get(&key) {
                Some((elsewhere, other)) if *other != written => {
                    let (other, written) = (shortened(&key_of(other)), shortened(&key_of(&written)));
                    let why = format!("{field} of {id} is `{written}` here and `{other}` in {}", elsewhere.file);
                    self.problem(path, Some(line), why);
                    continue;
                }
                _ => drop(self.fields.insert(key, (place, written))),
            }
            match value {
                Some(value) => drop(fields.insert(field.clone(), value)),
                None => drop(fields.remove(field)),
            }
            self.touched.entry((name.to_owned(), id.to_owned())).or_insert((path.to_owned(), item.line, form));
        }
    }

    /// A new item may have a file of its own, where the run would write one.
    fn new_sheets(&mut self, read: &mut dyn FnMut(&str) -> Option<String>) {
        for rule in &self.definition.files {
            for edit in edits_here(rule, self.state).filter(|edit| edit.is_item()) {
                let (Some(form), Some(name)) = (&edit.form, edit.data(rule)) else { continue };
                for (_, id) in self.added.clone().into_iter().filter(|(of, _)| of == name) {
                    let Some(mut item) = self.item(name, &id) else { continue };
                    let scope = RunScope::new(self.definition, self.state).item(&item);
                    let path = self.definition.templates.render_text(&rule.path, &scope);
                    let Some(text) = read(&path) else { continue };
                    let after = form.read(&text, true);
                    after.problems.iter().for_each(|(line, why)| self.problem(&path, Some(*line), why.clone()));
                    if let Some(found) = after.items.first() {
                        self.merge(Subject { path: &path, form, name, id: &id }, &mut item, &FoundItem::default(), found);
                    }
                    self.replace(name, &id, item);
                    self.files.push(path);
                }
            }
        }
    }

    fn whole(&mut self, sheet: &Sheet, text: &str, edit: &Edit, name: &str) {
        let value = if edit.is_item() { sheet.item.clone() } else { self.data.get(name).cloned().unwrap_or_default() };
        match whole::read(&value, &sheet.content, text) {
            Err((line, why)) => self.problem(&sheet.path, line, why),
            Ok(new) if edit.is_item() => {
                if let Some(Value::Array(list)) = self.data.get_mut(name)
                    && let Some(place) = list.iter_mut().find(|item| **item == value)
                {
                    *place = new;
                }
            }
            Ok(new) => drop(self.data.insert(name.to_owned(), new)),
        }
    }

    fn item(&self, name: &str, id: &str) -> Option<Value> {
        self.data.get(name)?.as_array()?.iter().find(|item| key_of(&item["id"]) == id).cloned()
    }

    fn replace(&mut self, name: &str, id: &str, new: Value) {
        if let Some(Value::Array(list)) = self.data.get_mut(name)
            && let Some(item) = list.iter_mut().find(|item| key_of(&item["id"]) == id)
        {
            *item = new;
        }
    }

    fn finish(mut self) -> Result<Imported, Vec<Remark>> {
        if self.problems.is_empty() {
            self.fill();
        }
        let mut changes = BTreeMap::new();
        for (name, value) in &self.data {
            if self.state.data.get(name) != Some(value) {
                changes.insert(name.clone(), value.clone());
            }
        }
        if self.problems.is_empty() && !changes.is_empty() {
            for flaw in judge(self.definition, self.state, &changes) {
                let place = flaw.item.as_ref().and_then(|id| self.touched.get(&(flaw.data.clone(), id.clone())));
                let (file, line) = match place {
                    Some((file, line, _)) => (file.clone(), Some(*line)),
                    None => (self.files.first().cloned().unwrap_or_default(), None),
                };
                self.problems.push(Remark { file, line, text: flaw.text });
            }
        }
        self.problems.sort();
        self.problems.dedup();
        if self.problems.is_empty() { Ok(Imported { changes, files: self.files, notes: self.notes }) } else { Err(self.problems) }
    }

    /// What an item has beside what the file shows of it.
    fn fill(&mut self) {
        for ((name, id), (_, _, form)) in self.touched.clone() {
            let Some(mut item) = self.item(&name, &id) else { continue };
            let before = item.clone();
            let scope = RunScope::new(self.definition, self.state).item(&before);
            for (field, formula) in &form.fill {
                item[field.as_str()] = formula.evaluate(&Scope::new(&scope));
            }
            self.replace(&name, &id, item);
        }
    }

    fn problem(&mut self, file: &str, line: Option<usize>, text: String) {
        self.problems.push(Remark { file: file.to_owned(), line, text });
    }

    fn note(&mut self, file: &str, line: Option<usize>, text: String) {
        self.notes.push(Remark { file: file.to_owned(), line, text });
    }
}

/// A line of the file that can be edited, as it stands there; where there is none, how such a line is written.
fn example(content: &str, claimed: &BTreeSet<usize>, lines: &[&Line]) -> String {
    let is_editable = |text: &str| lines.iter().any(|line| !line.is_fixed() && !line.is_block() && line.fit(text).is_some());
    let mut shown = content.lines().enumerate().filter(|(position, _)| claimed.contains(&(position + 1))).map(|(_, text)| text.trim_end());
    match shown.find(|text| is_editable(text)) {
        Some(text) => format!("`{}`", shortened(text.trim())),
        None => {
            let patterns: Vec<&str> = lines.iter().filter(|line| !line.is_fixed()).map(|line| line.source.as_str()).collect();
            format!("`{}`", patterns.join("`, or `"))
        }
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
