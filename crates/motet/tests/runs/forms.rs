//! Gates that are answered with an editor: what is opened, what is taken, what is refused, and that it is journaled.

use super::project::{Done, Project};

/// `motet edit` with an editor that is a program of the project.
fn edit(project: &Project, editor: &str, arguments: &[&str]) -> Done {
    let arguments = [&["edit", "last"], arguments].concat();
    let editor = format!("sh {}", project.root.join(editor).display());
    Done::new(&arguments, project.command(&arguments).env("VISUAL", editor).output().expect("the binary runs"))
}

/// An editor that puts what it was opened with into `opened.txt` and this above the line.
fn writes(project: &Project, answer: &str) {
    project.write("answer.txt", answer);
    project.program("editor.sh", "cp \"$1\" opened.txt\n{ cat answer.txt; echo; sed -n '/────/,$p' opened.txt; } > \"$1\"\n");
}

fn form(project: &Project, name: &str) -> String {
    project.read(format!(".motet/runs/{}/{name}", project.last()))
}

#[test]
fn a_task_that_a_person_plays_is_a_form_of_its_shape() {
    let project = Project::new();
    let text =
        project.read("workflows/ship/workflow.yaml").replace("returns: { built: string }", "returns: { built: string, size: integer }");
    project.write("workflows/ship/workflow.yaml", &text);
    project.write("motet.toml", "[agents.builder]\nperson = true\n");
    let run = project.motet(&["run", "ship", "a boat", "-i", "parts=1", "--yes"]).exits(4);
    run.says(&["motet edit ship-"]);
    project.motet(&["inbox"]).exits(0).says(&["motet edit ship-"]);
    writes(&project, "{ \"built\": \"hull\", \"size\": \"wide\" }");
    edit(&project, "editor.sh", &[]).exits(2).says(&["size", "what you wrote is in"]);
    let opened = project.read("opened.txt");
    assert!(opened.starts_with("{\n  \"built\": \"\",\n  \"size\": 0\n}\n"), "{opened}");
    assert!(opened.contains("Build part 0 of a boat."), "{opened}");
    // What was refused is still there, and mended where it stands.
    project.program("mends.sh", "sed -i 's/\"wide\"/3/' \"$1\"\n");
    edit(&project, "mends.sh", &[]).exits(0).says(&["answered; `motet resume ship-"]);
    assert_eq!(form(&project, "answer.json"), "", "the form is gone once it was taken");
    project.motet(&["log", "last"]).exits(0).says(&["ada answers gate building.1/1?1:"]);
    project.motet(&["resume", "last"]).exits(4).says(&["Ship a boat?"]);
    project.motet(&["approve", "last"]).exits(0);
    assert_eq!(project.status("last")["output"]["parts"][0]["size"], 3);
}

#[test]
fn one_text_is_written_as_it_is_with_headings_and_all() {
    let project = Project::new();
    project.write("motet.toml", "[agents.builder]\nperson = true\n");
    project.motet(&["run", "ship", "a boat", "-i", "parts=1", "--yes"]).exits(4);
    writes(&project, "# A hull\n\nof oak");
    edit(&project, "editor.sh", &["--json"]).exits(0).says(&["\"type\":\"answered\"", "of oak"]);
    project.motet(&["resume", "last", "--yes"]).exits(0);
    assert_eq!(project.status("last")["output"]["parts"][0]["built"], "# A hull\n\nof oak");
}

#[test]
fn questions_open_with_their_defaults_and_a_plain_gate_with_its_options() {
    let project = Project::new();
    project.motet(&["run", "ship", "a boat", "-i", "parts=1"]).exits(4).says(&["motet edit ship-"]);
    project.program("nothing.sh", "true\n");
    edit(&project, "nothing.sh", &[]).exits(0).says(&["nothing was written, so gate asking.1 was not answered"]);
    writes(&project, "{ \"tone\": \"angry\" }");
    edit(&project, "editor.sh", &[]).exits(2).says(&["`angry` is not one of formal, playful"]);
    assert!(project.read("opened.txt").starts_with("{\n  \"tone\": \"formal\"\n}\n"), "{}", project.read("opened.txt"));
    writes(&project, "{ \"tone\": \"playful\" }");
    edit(&project, "editor.sh", &[]).exits(0).says(&["answered; "]);
    project.motet(&["resume", "last"]).exits(4);
    writes(&project, "{ \"choice\": \"change\", \"text\": \"\" }");
    edit(&project, "editor.sh", &[]).exits(2).says(&["needs a sentence"]);
    let opened = project.read("opened.txt");
    assert!(opened.contains("choice: approve\nchoice: change, with a `text`") && opened.contains("Ship a boat?"), "{opened}");
    // A script needs no editor.
    project.write("yes.json", "{ \"choice\": \"approve\" }");
    project.motet(&["edit", "last", "--from", "yes.json", "--as", "grace"]).exits(0).says(&["has ended"]);
    project.motet(&["log", "last"]).exits(0).says(&["grace answers gate approving.1: approve"]);
    project.motet(&["edit", "last"]).exits(2).says(&["has ended"]);
}

#[test]
fn an_agents_question_is_answered_with_an_editor_too() {
    let project = Project::new();
    let asks = r#"cat | grep -q '"answers":\[\]' && echo '{"question": "Which wood?", "options": ["oak", "elm"], "default": "oak"}' || echo '{"built": "it"}'"#;
    let text =
        project.read("workflows/ship/workflow.yaml").replace("trouble:", "questions: { answered_by: [person], at_most: 1 }\ntrouble:");
    project.write("workflows/ship/workflow.yaml", &text);
    project.write("motet.toml", &format!("[agents.builder]\ncommand = ['sh', '-c', '''{asks}''']\n"));
    project.motet(&["run", "ship", "a boat", "-i", "parts=2"]).exits(4);
    project.motet(&["answer", "last", "tone=formal"]).exits(4);
    project.motet(&["edit", "last"]).exits(2).says(&["asks several things; name one with --gate", "building.1/1?1"]);
    let run = project.last();
    let answer = |gate: u32| format!("motet answer {run} \"…\" --gate 'building.1/{gate}?1'");
    let edit_of = |gate: u32| format!("motet edit {run} --gate 'building.1/{gate}?1'");
    for arguments in [&["resume", "last"][..], &["status", "last"], &["inbox"], &["answer", "last", "oak"]] {
        let told = project.motet(arguments);
        for gate in [1, 2] {
            assert!(told.shown().contains(&answer(gate)), "{arguments:?}: {}", told.shown());
        }
    }
    project.motet(&["status", "last"]).exits(0).says(&[&edit_of(1), &edit_of(2)]);
    project.motet(&[]).exits(0).says(&[&answer(1), &answer(2)]);
    writes(&project, "elm");
    edit(&project, "editor.sh", &["--gate", "building.1/2?1"]).exits(0);
    let opened = project.read("opened.txt");
    assert!(opened.starts_with("oak\n") && opened.contains("Which wood? (one of oak, elm)"), "{opened}");
    project.motet(&["log", "last"]).exits(0).says(&["ada answers gate building.1/2?1: “elm”"]);
    project.motet(&["edit", "last", "--gate", "nowhere.1"]).exits(2).says(&["no open gate nowhere.1"]);
}
