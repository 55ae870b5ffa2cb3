//! Where workflows come from, and folders that cannot be read.

use std::os::unix::fs::symlink;

use super::*;
use crate::scratch::Scratch;

const SMALL: &str = "workflow: NAME\nversion: 1.0.0\nsummary: Small.\nstart: end\nstates: { end: { final: completed } }\n";

fn small(name: &str) -> String {
    SMALL.replace("NAME", name)
}

fn any_builtin() -> &'static str {
    builtin::names().next().unwrap()
}

/// What loading from this directory gives: where it was found, or the problem in words.
#[track_caller]
fn check(scratch: &Scratch, wanted: &str, expected: &str) {
    let found = match Library::around(scratch.path(), None).load(wanted) {
        Ok(loaded) => format!("{} from {}", loaded.definition.name, loaded.origin),
        Err(problem) => problem.to_string(),
    };
    let found = found.replace(&scratch.path().display().to_string(), "~");
    assert!(found.contains(expected), "{wanted}: {found}");
}

#[test]
fn every_built_in_loads_and_has_the_name_of_its_folder() {
    let scratch = Scratch::new();
    assert!(builtin::names().count() > 0);
    for name in builtin::names() {
        check(&scratch, name, &format!("{name} from built in"));
    }
}

#[test]
fn a_project_has_its_own_workflows_and_may_replace_a_built_in_one() {
    let scratch = Scratch::new();
    scratch.write("workflows/mine/workflow.yaml", small("mine"));
    scratch.write(".motet/workflows/tried/workflow.yaml", small("tried"));
    scratch.write(&format!("workflows/{}/workflow.yaml", any_builtin()), small(any_builtin()));
    check(&scratch, "mine", "mine from ~/workflows/mine");
    check(&scratch, "tried", "tried from ~/.motet/workflows/tried");
    check(&scratch, any_builtin(), &format!("{0} from ~/workflows/{0}", any_builtin()));
    scratch.write(".motet/workflows/mine/workflow.yaml", small("mine"));
    check(&scratch, "mine", "mine from ~/.motet/workflows/mine");
}

#[test]
fn the_project_is_found_from_below() {
    let scratch = Scratch::new();
    scratch.write("workflows/mine/workflow.yaml", small("mine"));
    scratch.write("deep/down/here", "");
    let library = Library::around(&scratch.path().join("deep/down"), None);
    assert_eq!(library.origin("mine"), Some(&Origin::Project(scratch.path().join("workflows/mine"))));
}

#[test]
fn a_workflow_that_replaces_a_built_in_one_may_extend_it() {
    let scratch = Scratch::new();
    let text = format!("workflow: {0}\nversion: 9.9.9\nextends: {0}\n", any_builtin());
    scratch.write(&format!("workflows/{}/workflow.yaml", any_builtin()), text);
    let loaded = Library::around(scratch.path(), None).load(any_builtin()).unwrap();
    assert_eq!(loaded.definition.version, "9.9.9");
    assert!(loaded.definition.states.len() > 1);
    assert_eq!(loaded.folder.len(), 1, "its own texts stand apart from those of its base");
}

#[test]
fn a_path_stands_wherever_a_name_does() {
    let scratch = Scratch::new();
    scratch.write("elsewhere/mine/workflow.yaml", small("called-otherwise"));
    check(&scratch, "elsewhere/mine", "called-otherwise from ~/elsewhere/mine");
    check(&scratch, "./elsewhere/mine/", "called-otherwise from ~/elsewhere/mine");
    check(&scratch, "elsewhere/mine/workflow.yaml", "called-otherwise from ~/elsewhere/mine");
    check(&scratch, "elsewhere/nothing", "~/elsewhere/nothing has no `workflow.yaml`");
}

#[test]
fn aliases_are_names_too_and_unknown_names_get_a_suggestion() {
    let scratch = Scratch::new();
    scratch.write("workflows/announce/workflow.yaml", small("announce") + "aliases: [tell]\n");
    scratch.write("workflows/broken/workflow.yaml", "workflow: [");
    check(&scratch, "tell", "announce from ~/workflows/announce");
    check(&scratch, "anounce", "there is no workflow `anounce`; did you mean `announce`?\nthere are: announce, ");
    check(&scratch, "zzz", "there is no workflow `zzz`\n");
    scratch.write("workflows/report/workflow.yaml", small("report") + "aliases: [tell]\n");
    check(&scratch, "tell", "`tell` is an alias of announce and of report; give the name itself");
}

#[test]
fn a_folder_and_its_workflow_have_the_same_name() {
    let scratch = Scratch::new();
    scratch.write("workflows/mine/workflow.yaml", small("yours"));
    check(&scratch, "mine", "the folder `mine` holds the workflow `yours`; give both the same name");
}

#[test]
fn a_folder_is_read_within_limits() {
    let check_with = |spoil: &dyn Fn(&Scratch), expected: &str| {
        let scratch = Scratch::new();
        scratch.write("workflows/mine/workflow.yaml", small("mine"));
        spoil(&scratch);
        check(&scratch, "mine", expected);
    };
    let inside = |scratch: &Scratch, path: &str| scratch.path().join("workflows/mine").join(path);
    check_with(&|s| s.write("workflows/mine/a.md", b"one\ntwo \xff"), "~/workflows/mine/a.md is not UTF-8 (line 2)");
    check_with(&|s| s.write("workflows/mine/a.md", vec![b'x'; 10_000_000]), "a.md has 9.5 MiB; a file of a workflow has at most 1 MiB");
    check_with(&|s| (0..500).for_each(|n| s.write(&format!("workflows/mine/prompts/{n}.md"), "")), "has more than 500 files");
    check_with(&|s| s.write(&format!("workflows/mine/{}a.md", "d/".repeat(18)), ""), "nested more than 16 folders deep");
    check_with(&|s| symlink("/etc/passwd", inside(s, "a.md")).unwrap(), "a.md is a link that leads out of the workflow's folder");
    check_with(&|s| symlink("/", inside(s, "all")).unwrap(), "all is a link that leads out of the workflow's folder");
    check_with(&|s| symlink(".", inside(s, "again")).unwrap(), "nested more than 16 folders deep");
    check_with(&|s| symlink("workflow.yaml", inside(s, "copy.yaml")).unwrap(), "mine from ~/workflows/mine");
    check_with(&|s| s.write("workflows/mine/.hidden", b"\xff"), "mine from ~/workflows/mine");
}
