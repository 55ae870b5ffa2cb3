//! Flags that could have no effect, and inputs that are given twice: refused before anything starts, with what to do.

use super::project::Project;

#[track_caller]
fn check(project: &Project, arguments: &[&str], told: &[&str]) {
    project.motet(arguments).exits(2).says(told);
    assert!(project.list().is_empty(), "nothing has started");
}

#[test]
fn a_flag_that_could_have_no_effect_is_refused() {
    let project = Project::new();
    project.write("docs/tea.md", "Tea is green.");
    let nobody = "no agent of ship searches anything";
    check(&project, &["run", "ship", "tea", "--docs", "docs"], &["--docs has no effect", nobody, "leave --docs away"]);
    check(&project, &["run", "ship", "tea", "--web"], &["--web has no effect", nobody, "evidence.*"]);
    check(&project, &["run", "ship", "tea", "--pace", "0"], &["--pace has no effect", "--demo", "--case CASE"]);
    check(&project, &["run", "ship", "tea", "--beat", "1s"], &["--beat has no effect"]);
    for flag in
        [["--docs", "docs"], ["--model", "mistral"], ["--agent", "writer=offline"], ["--price", "writer=1"], ["--max-call-cost", "1"]]
    {
        let told = format!("{} has no effect: a case plays the agents", flag[0]);
        check(&project, &[&["run", "slogan", "--demo"], &flag[..]].concat(), &[&told, "or `--demo`"]);
    }
    check(&project, &["run", "deep-research", "--demo", "--web"], &["--web has no effect"]);
}

#[test]
fn a_flag_that_settings_give_an_effect_is_taken() {
    let project = Project::new();
    project.write("docs/tea.md", "Tea is green.");
    project.write("motet.toml", "[agents.builder]\ncommand = ['./builder.sh']\ntools = ['evidence.*']\n");
    let done = project.motet(&["run", "ship", "tea", "--docs", "docs", "--yes"]);
    assert!(!done.shown().contains("has no effect"), "{}", done.shown());
    // What only forbids something holds in any case.
    let project = Project::new();
    project.motet(&["run", "ship", "tea", "--no-web", "--yes"]).exits(0);
}

#[test]
fn an_input_that_is_given_twice_is_refused() {
    let project = Project::new();
    check(&project, &["run", "ship", "tea", "-i", "goal=coffee"], &["`goal` is given twice: as the goal “tea”, and with -i"]);
    check(&project, &["run", "ship", "tea", "-i", "parts=1", "-i", "parts=2"], &["`parts` is given twice with -i"]);
}
