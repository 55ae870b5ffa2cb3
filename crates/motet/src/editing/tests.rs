//! Edits of built-in workflows: what is written can be read back, and what is changed is what comes of it.

use std::collections::BTreeSet;
use std::path::Path;

use motet_core::edits::{Found, Kind, Sheet, import, key_of, sheets};
use motet_core::{Definition, State, step};
use serde_json::Value;

use crate::library::Library;
use crate::rehearsal::play;

/// Everything that the files of a run at a gate say of its data is what the data says.
fn check(definition: &Definition, state: &State, sheet: &Sheet, case: &str) {
    let rule = &definition.files[sheet.rule];
    for edit in rule.edits.iter().filter(|edit| edit.at.contains(&state.here.state)) {
        let form = edit.form.as_ref().expect("a built-in workflow says how its files are read");
        let name = edit.data(rule).expect("an edit changes data");
        let list = state.data[name].as_array().expect("a list");
        let found = form.read(&sheet.content, edit.is_item());
        assert_eq!(found.problems, [], "{case}: {}", sheet.path);
        let known = |id: &str| list.iter().find(|item| key_of(&item["id"]) == id);
        for item in &found.items {
            let id = item.id().expect("an id");
            let Some(known) = known(&id) else {
                assert!(id.ends_with("-instead"), "{case}: {id} of {} is not in the data", sheet.path);
                continue;
            };
            for (field, found) in item.fields.iter().filter(|(_, found)| found.kind != Kind::Shown) {
                // What the template makes up for an absent field is not taken over unless somebody changes it.
                if let Some(value) = known.get(field) {
                    assert_eq!(as_meant(&found.value), *value, "{case}: {field} of {id} in {}\n{}", sheet.path, sheet.content);
                }
            }
        }
        if !edit.is_item() {
            let shown: BTreeSet<String> = found.items.iter().filter_map(|item| item.id()).collect();
            let missing: Vec<String> = list.iter().map(|item| key_of(&item["id"])).filter(|id| !shown.contains(id)).collect();
            assert_eq!(missing, Vec::<String>::new(), "{case}: not in {}", sheet.path);
        }
        change_a_title(definition, state, sheet, name, &found, case);
    }
}

/// A file of Markdown has a backslash before what would be a mark; whoever changes the text is read without it.
fn as_meant(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            ["[", "]", "<", ">", "|", "*", "_"].iter().fold(text.clone(), |text, mark| text.replace(&format!("\\{mark}"), mark)).into()
        }
        other => other.clone(),
    }
}

/// One changed title is one changed title and what the workflow says follows from it, and nothing else.
fn change_a_title(definition: &Definition, state: &State, sheet: &Sheet, name: &str, found: &Found, case: &str) {
    let Some((item, title)) = found.items.iter().rev().find_map(|item| Some((item, item.fields.get("title")?))) else { return };
    let id = item.id().unwrap_or_default();
    let Some(before) = state.data[name].as_array().and_then(|list| list.iter().find(|known| key_of(&known["id"]) == id)) else { return };
    let written = key_of(&title.value);
    let lines = sheet.content.lines().enumerate().map(|(position, line)| match position + 1 == title.line {
        true => line.replace(&written, &format!("{written}, changed")),
        false => line.to_string(),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let imported = match import(definition, state, &mut |path| (path == sheet.path).then(|| text.clone())) {
        Ok(imported) => imported,
        Err(problems) => {
            let closed = problems.iter().all(|problem| problem.text.contains("cannot be changed"));
            assert!(closed, "{case}: {} {problems:?}", sheet.path);
            return;
        }
    };
    assert_eq!(imported.changes.keys().collect::<Vec<_>>(), [name], "{case}: {}", sheet.path);
    let (was, is) = (state.data[name].as_array().expect("a list"), imported.changes[name].as_array().expect("a list"));
    let forms = definition.files[sheet.rule].edits.iter().filter_map(|edit| edit.form.as_ref());
    let filled: Vec<&str> = forms.flat_map(|form| &form.fill).map(|(field, _)| field.as_str()).filter(|field| *field != "title").collect();
    for (was, is) in was.iter().zip(is) {
        let mut expected = was.clone();
        let is_changed = key_of(&was["id"]) == id;
        if is_changed {
            expected["title"] = Value::from(format!("{}, changed", key_of(&before["title"])));
        }
        let own = expected.as_object().expect("an item").iter().filter(|(field, _)| !(is_changed && filled.contains(&field.as_str())));
        for (field, value) in own {
            assert_eq!(is.get(field), Some(value), "{case}: {field} of {id}");
        }
    }
}

#[test]
fn every_editable_file_of_every_workflow_is_read_back_as_it_was_written_at_every_gate() {
    let library = Library::around(Path::new("/nowhere"), None);
    let (mut seen, mut declared) = (BTreeSet::new(), BTreeSet::new());
    for name in library.names() {
        let loaded = library.load(name).unwrap_or_else(|problem| panic!("{problem}"));
        let definition = &loaded.definition;
        for (rule, edit) in definition.files.iter().flat_map(|rule| rule.edits.iter().map(move |edit| (rule, edit))) {
            declared.extend(edit.at.iter().map(|gate| (definition.name.clone(), rule.path.source.clone(), gate.to_string())));
        }
        if definition.files.iter().all(|rule| rule.edits.is_empty()) {
            continue;
        }
        for (file, text) in loaded.folder.iter().filter(|(path, _)| path.starts_with("cases/")) {
            let case = motet_core::case::parse(file, text).expect("a case");
            let played = play(definition, &case, file, &library);
            let mut state = State::default();
            for event in &played.events {
                step(definition, &mut state, event).expect("it was journaled");
                for sheet in sheets(definition, &state) {
                    check(definition, &state, &sheet, &format!("{name} {file}"));
                    seen.insert((definition.name.clone(), definition.files[sheet.rule].path.source.clone(), state.here.state.to_string()));
                }
            }
        }
    }
    assert!(!declared.is_empty());
    assert_eq!(declared.difference(&seen).collect::<Vec<_>>(), Vec::<&(String, String, String)>::new(), "no case edits here");
}
