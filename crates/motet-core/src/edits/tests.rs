//! Parse-back: lines, forms, lists and whole values, and what is refused.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::definition::{Definition, Folder};
use crate::event::{Event, Fact, RunStarted};
use crate::language::{self, Library};
use crate::state::State;
use crate::units::Time;

struct Nothing;

impl Library for Nothing {
    fn workflow(&self, _name: &str) -> Option<Folder> {
        None
    }
    fn has_builtin(&self, _name: &str) -> bool {
        true
    }
    fn builtins(&self) -> Vec<String> {
        Vec::new()
    }
}

const WORKFLOW: &str = r###"
workflow: test
version: 1.0.0
summary: A test.
input: { tasks: { type: array }, goals: { type: array, default: [] }, text: { type: string, default: "One\n\nTwo" } }
data: { tasks: input.tasks, goals: input.goals, text: input.text }
agents:
  planner:
    prompt: prompts/planner.md
    returns: schemas/plan.json
  worker: { prompt: prompts/planner.md }
start: asking
states:
  asking: { gate: { ask: Go?, options: [go, stop] }, next: { go: running, stop: done } }
  running: { plan: { tasks: data.tasks, agents: [worker], at_most: 9 }, with: {}, next: planning }
  planning: { agent: planner, next: done }
  done: { final: completed, output: null }
trouble: { error: done }
files:
  plan.md:
    from: files/plan.md
    edits:
      data.goals:
        at: [asking]
        lines: ["## Goal {id, number}: {title}", "Why: {why}", "Signs:", "* {signs, each}"]
      data.tasks:
        at: [asking]
        under: "## Goal {goal, number}: {heading, shown}"
        lines: '- [{mark, shown}] {id}: {title}{depends_on, list " (after *)"}{urgent, flag " [!]"} <{state, shown}>'
        like: planner.tasks
        fill: { agent: '"worker"', note: 'either(item.note, "none yet")' }
        refuse: >-
          data.tasks.filter(t, !data.goals.exists(g, g.id == t.goal)).map(t, t.id + " serves no goal")
          + before.tasks.filter(t, t.kept == true && !data.tasks.exists(n, n.id == t.id)).map(t, t.id + " must stay")
  "{{ item.id }}.md":
    each: data.tasks
    from: files/task.md
    edits:
      item:
        at: [asking]
        lines: ["# {title}", "Costs: {cost, number}", "Set: {set, json}", "## Story", "{story, block}", "## Steps", "{number, shown}. {steps, each}"]
  text.md: { from: files/text.md, edits: { data.text: [asking] } }
"###;

const PLAN: &str = "# Plan of {{ data.tasks | length }}

{% for goal in data.goals %}
## Goal {{ goal.id }}: {{ goal.title }}

Why: {{ goal.why }}

{% for task in data.tasks if task.goal == goal.id %}
- [ ] {{ task.id }}: {{ task.title }}{{ \" (after \" ~ task.depends_on | join(\", \") ~ \")\" if task.depends_on }}{{ \" [!]\" if task.urgent }} <open>
{% endfor %}

Signs:

{% for sign in goal.signs %}
* {{ sign }}
{% endfor %}
{% endfor %}

The end.
* not a sign
";

const TASK: &str = "# {{ item.title }}

Costs: {{ item.cost | default(0) }}
Set: {{ item.set | default([]) | json }}

## Story

{{ item.story | default(\"\") }}

## Steps

{% for step in item.steps | default([]) %}
{{ loop.index }}. {{ step }}
{% endfor %}
";

fn start(input: Value) -> (Definition, State) {
    let schema = r#"{"type": "object", "properties": {"tasks": {"type": "array", "maxItems": 4, "items": {"type": "object",
        "required": ["id", "title", "depends_on"],
        "properties": {"id": {"type": "string"}, "title": {"type": "string", "minLength": 3}, "depends_on": {"type": "array"},
        "urgent": {"type": "boolean"}, "goal": {"type": "integer"}}}}}}"#;
    let files = [
        ("workflow.yaml", WORKFLOW),
        ("files/plan.md", PLAN),
        ("files/task.md", TASK),
        ("files/text.md", "# Text\n\n{{ data.text }}\n\n(end)\n"),
        ("prompts/planner.md", "Plan."),
        ("schemas/plan.json", schema),
    ];
    let folder: Folder = files.map(|(path, text)| (path.to_string(), text.to_string())).into();
    let (definition, _) = language::load(folder, &Nothing)
        .unwrap_or_else(|problems| panic!("{}", problems.iter().map(|problem| problem.render(|_| Some(WORKFLOW))).collect::<String>()));
    let mut input = input;
    definition.input.fill_defaults(&mut input);
    let started: RunStarted = serde_json::from_value(json!({
        "version": crate::event::EVENT_VERSION, "run": "r", "workflow": "test", "workflow_version": "1.0.0",
        "digest": definition.digest, "input": input, "by": { "name": "ada" },
    }))
    .expect("an event");
    let mut state = State::default();
    let event = Event { seq: 1, at: Time(0), fact: Fact::RunStarted(Box::new(started)) };
    crate::step(&definition, &mut state, &event).expect("it starts");
    (definition, state)
}

fn two_goals() -> Value {
    json!({
        "goals": [{ "id": 1, "title": "Speed", "why": "It is slow.", "signs": ["fast", "no lag"], "hidden": 7 }, { "id": 2, "title": "Joy", "why": "Why not?", "signs": [] }],
        "tasks": [
            { "id": "a", "goal": 1, "title": "Measure it: well (now)", "depends_on": [], "urgent": true, "note": "mine", "agent": "worker", "kept": true },
            { "id": "c", "goal": 2, "title": "Dance", "depends_on": ["a", "b"], "urgent": false, "agent": "worker", "story": "Once\n\n## upon\na time", "steps": ["left", "right"] },
            { "id": "b", "goal": 1, "title": "Mend it", "depends_on": ["a"], "urgent": false, "agent": "worker" },
        ],
    })
}

/// Edits one file by replacing texts in it, and says what comes of it.
fn edit(path: &str, replace: &[(&str, &str)]) -> Result<Imported, Vec<String>> {
    edit_all(&[(path, replace)], &[])
}

fn edit_all(edited: &[(&str, &[(&str, &str)])], new: &[(&str, &str)]) -> Result<Imported, Vec<String>> {
    let (definition, state) = start(two_goals());
    let mut texts: BTreeMap<String, String> = new.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
    for sheet in sheets(&definition, &state) {
        for (_, replace) in edited.iter().filter(|(path, _)| *path == sheet.path) {
            let mut text = sheet.content.clone();
            for (from, to) in *replace {
                assert!(text.contains(from), "`{from}` is not in\n{text}");
                text = text.replace(from, to);
            }
            texts.insert(sheet.path.clone(), text);
        }
    }
    let imported = import(&definition, &state, &mut |path| texts.get(path).cloned());
    imported.map_err(|problems| problems.iter().map(Remark::to_string).collect())
}

/// The tasks that an edit leads to, by id.
fn tasks(imported: &Imported) -> BTreeMap<String, Value> {
    let list = imported.changes["tasks"].as_array().expect("a list");
    list.iter().map(|task| (key_of(&task["id"]), task.clone())).collect()
}

fn order(imported: &Imported) -> String {
    imported.changes["tasks"].as_array().expect("a list").iter().map(|task| key_of(&task["id"])).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn refused(result: Result<Imported, Vec<String>>, expected: &[&str]) {
    let problems = result.expect_err("it is refused");
    for part in expected {
        assert!(problems.iter().any(|problem| problem.contains(part)), "`{part}` is not in {problems:#?}");
    }
}

#[test]
fn what_is_written_is_read_back_as_it_was() {
    let (definition, state) = start(two_goals());
    let sheet = &sheets(&definition, &state)[0];
    for edit in &definition.files[sheet.rule].edits {
        let found = edit.form.as_ref().expect("a form").read(&sheet.content, false);
        let name = edit.data(&definition.files[sheet.rule]).expect("a list");
        let data = state.data[name].as_array().expect("a list");
        assert_eq!(found.items.len(), data.len(), "{name}");
        for item in &found.items {
            let known = data.iter().find(|known| key_of(&known["id"]) == item.id().expect("an id")).expect("an item");
            for (field, found) in item.fields.iter().filter(|(_, found)| found.kind != Kind::Shown) {
                assert_eq!(found.value, known[field.as_str()], "{name} {field}");
            }
        }
    }
    assert_eq!(edit("plan.md", &[("The end.\n", "The end.   \r\n")]).expect("nothing"), Imported::default(), "blanks are no edit");
}

#[test]
fn a_changed_field_changes_only_itself() {
    let imported = edit("plan.md", &[("b: Mend it", "b: Mend all of it")]).expect("an edit");
    assert_eq!(imported.changes.len(), 1);
    assert_eq!(order(&imported), "a c b", "the list keeps its order");
    let tasks = tasks(&imported);
    assert_eq!(
        tasks["b"],
        json!({ "id": "b", "goal": 1, "title": "Mend all of it", "depends_on": ["a"], "urgent": false, "agent": "worker", "note": "none yet" })
    );
    assert_eq!(tasks["a"]["note"], "mine");
}

#[test]
fn optional_words_come_and_go() {
    let imported = edit("plan.md", &[("(now) [!] <", "(now) (after b) <"), ("Mend it (after a)", "Mend it [!]")]).expect("an edit");
    let tasks = tasks(&imported);
    assert_eq!((&tasks["a"]["depends_on"], &tasks["a"]["urgent"]), (&json!(["b"]), &json!(false)));
    assert_eq!((&tasks["b"]["depends_on"], &tasks["b"]["urgent"]), (&json!([]), &json!(true)));
    assert_eq!(tasks["a"]["title"], "Measure it: well (now)");
}

#[test]
fn lines_are_added_removed_and_moved() {
    let imported = edit("plan.md", &[("- [ ] b: Mend it", "- [ ] d: Look at it <>\n- [ ] b: Mend it")]).expect("an edit");
    assert_eq!(order(&imported), "a d c b");
    assert_eq!(
        tasks(&imported)["d"],
        json!({ "id": "d", "goal": 1, "title": "Look at it", "depends_on": [], "urgent": false, "agent": "worker", "note": "none yet" })
    );
    let imported = edit("plan.md", &[("- [ ] c: Dance (after a, b) <open>\n", "")]).expect("an edit");
    assert_eq!(order(&imported), "a b");
    let line = "- [ ] b: Mend it (after a) <open>\n";
    let imported = edit("plan.md", &[(line, ""), ("- [ ] c:", &format!("{line}- [ ] c:"))]).expect("an edit");
    assert_eq!(tasks(&imported)["b"]["goal"], 2, "what it stands under counts");
}

#[test]
fn lists_with_a_line_each_end_where_something_else_begins() {
    let imported = edit("plan.md", &[("* no lag\n", "* no lag\n* cheap\n"), ("Why: It is slow.", "Why: Time is money.")]).expect("an edit");
    assert_eq!(imported.changes["goals"][0]["signs"], json!(["fast", "no lag", "cheap"]));
    assert_eq!((&imported.changes["goals"][0]["why"], &imported.changes["goals"][0]["hidden"]), (&json!("Time is money."), &json!(7)));
    let imported = edit("plan.md", &[("* fast\n* no lag\n", "")]).expect("an edit");
    assert_eq!(imported.changes["goals"][0]["signs"], json!([]));
    refused(
        edit("plan.md", &[("* not a sign", "* a sign")]),
        &[
            "plan.md, line",
            "`* a sign` cannot be edited here: `* not a sign` only shows what the run knows; a line that can be edited is `",
        ],
    );
}

#[test]
fn what_is_only_shown_stays_and_is_told() {
    let imported = edit("plan.md", &[("- [ ] a:", "- [x] a:"), ("# Plan of 3\n", "")]).expect("an edit");
    assert!(imported.changes.is_empty());
    assert!(imported.notes[0].to_string().contains("mark of a stays"), "{:?}", imported.notes);
}

#[test]
fn what_cannot_be_run_is_refused_with_its_line() {
    refused(edit("plan.md", &[("- [ ] b: Mend it", "- [ ] a: Mend it")]), &["line 8: a stands in line 7 already"]);
    refused(edit("plan.md", &[("Mend it (after a)", "Mend it (after x)")]), &["line 8: task b depends on x, which is not in the plan"]);
    refused(edit("plan.md", &[("(now) [!]", "(now) (after c)")]), &["tasks wait for each other: a → c → a"]);
    refused(edit("plan.md", &[("b: Mend it", "b: Me")]), &["line 8: b: ", "title"]);
    refused(
        edit("plan.md", &[("- [ ] b: Mend it", "- b Mend it")]),
        &["line 8: `- b Mend it (after a) <open>` cannot be read", "look like"],
    );
    refused(
        edit("plan.md", &[("- [ ] a: Measure it: well (now) [!] <open>\n", ""), (" (after a, b)", ""), (" (after a)", "")]),
        &["a must stay"],
    );
    refused(edit("plan.md", &[("## Goal 2", "## Goal two")]), &["`id` is a number, and `two` is none"]);
    let many = "- [ ] d: One more <>\n- [ ] e: One more <>\n- [ ] b:";
    refused(edit("plan.md", &[("- [ ] b:", many)]), &["tasks: "]);
}

#[test]
fn a_file_about_one_item_has_blocks_and_lists() {
    let imported = edit(
        "c.md",
        &[("Once\n", "Twice\n"), ("Costs: 0", "Costs: 2.5"), ("2. right", "2. back\n3. right"), ("Set: []", "Set: {\"x\": 1}")],
    );
    let task = tasks(&imported.expect("an edit"))["c"].clone();
    assert_eq!((&task["story"], &task["cost"]), (&json!("Twice\n\n## upon\na time"), &json!(2.5)));
    assert_eq!((&task["steps"], &task["set"]), (&json!(["left", "back", "right"]), &json!({ "x": 1 })));
    let imported = edit("c.md", &[("Once\n\n## upon\na time", "")]).expect("an edit");
    assert_eq!(tasks(&imported)["c"].get("story"), None);
    refused(edit("c.md", &[("Set: []", "Set: [")]), &["c.md, line 4: `set` is not JSON"]);
}

#[test]
fn files_that_contradict_each_other_are_refused_and_those_that_do_not_are_joined() {
    let joined = edit_all(&[("plan.md", &[("b: Mend it", "b: Mend all")]), ("b.md", &[("Costs: 0", "Costs: 1")])], &[]).expect("an edit");
    assert_eq!((&tasks(&joined)["b"]["title"], &tasks(&joined)["b"]["cost"]), (&json!("Mend all"), &json!(1)));
    assert_eq!(joined.files, ["plan.md", "b.md"]);
    let both = edit_all(&[("plan.md", &[("b: Mend it", "b: Mend all")]), ("b.md", &[("# Mend it", "# Mend none")])], &[]);
    refused(both, &["b.md, line 1: title of b is `Mend none` here and `Mend all` in plan.md"]);
    let gone = edit_all(&[("plan.md", &[("- [ ] c: Dance (after a, b) <open>\n", "")]), ("c.md", &[("# Dance", "# Sing")])], &[]);
    refused(gone, &["c was changed here, and taken out of the list"]);
}

#[test]
fn something_new_may_have_a_file_of_its_own() {
    let line = ("- [ ] b:", "- [ ] d: Look at it <>\n- [ ] b:");
    let imported = edit_all(&[("plan.md", &[line])], &[("d.md", "# Look at it\n\nCosts: 3\n\n## Story\n\nOnce.\n")]).expect("an edit");
    assert_eq!((&tasks(&imported)["d"]["cost"], &tasks(&imported)["d"]["story"]), (&json!(3), &json!("Once.")));
}

#[test]
fn a_whole_value_is_read_from_between_what_stays() {
    let imported = edit("text.md", &[("Two", "Two\n\nThree")]).expect("an edit");
    assert_eq!(imported.changes["text"], "One\n\nTwo\n\nThree");
    refused(edit("text.md", &[("# Text", "# Other")]), &["text.md, line 1: what stands above the value cannot be edited"]);
    refused(edit("text.md", &[("(end)", "(END)")]), &["what stands below the value cannot be edited"]);
}

#[test]
fn a_value_of_json_is_read_back_with_the_line_of_its_mistake() {
    let old = json!({ "a": [1, 2] });
    let written = format!("Values:\n{old:#}\n");
    assert_eq!(whole::read(&old, &written, &written.replace('2', "3")), Ok(json!({ "a": [1, 3] })));
    let (line, why) = whole::read(&old, &written, &written.replace('2', "oops")).expect_err("it is not JSON");
    assert_eq!(line, Some(5), "{why}");
    assert!(whole::read(&old, "nothing here", "nothing there").is_err());
}

#[test]
fn a_pattern_that_cannot_be_read_is_refused() {
    let check = |source: &str, expected: &str| {
        let problem = Line::parse(source).expect_err("it is refused");
        assert!(problem.contains(expected), "{source}: {problem}");
    };
    check("- {id", "never closed");
    check("{a}{b}", "something between them");
    check("{a, colour}", "`colour` is no kind of field");
    check("{a} {a}", "stands twice");
    check("{a, flag}", "needs the words");
    check("{a, list \"x\"}", "must hold one `*`");
    check("x {a, block}", "nothing can stand beside it");
    check("{, list}", "does not begin with the name");
    check("", "says nothing");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(32))]

    #[test]
    fn no_text_and_no_pattern_can_do_harm(pattern in ".{0,40}", lines in proptest::collection::vec("(- |\\* |# |## |\\[ \\] |a: |<>|\\(after |[a-z {}\",]){0,12}", 0..12)) {
        let _ = Line::parse(&pattern);
        let text = lines.join("\n");
        let (definition, state) = start(two_goals());
        for sheet in sheets(&definition, &state) {
            let _ = import(&definition, &state, &mut |path| (path == sheet.path).then(|| text.clone()));
            let longer = format!("{}{text}", sheet.content);
            let _ = import(&definition, &state, &mut |path| (path == sheet.path).then(|| longer.clone()));
        }
    }
}
