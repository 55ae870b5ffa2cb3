//! Agents that change files, each in a worktree of its own: what comes back, what contradicts, and what a kill leaves.

use super::project::Project;

/// Two coders at once, then a test of what both have done.
const PAIR: &str = r#"
workflow: pair
version: 1.0.0
summary: Two coders change one project at the same time.
data: { tasks: [] }
agents:
  coder: { prompt: prompts/coder.md, returns: { did: string }, works_in: worktree, timeout: 60s, retry: { attempts: 2 } }
trouble: { error: failed }
start: coding
states:
  coding:
    plan:
      tasks: [{ id: left, title: The left side }, { id: right, title: The right side }]
      agents: [coder]
      at_most: 2
      if_task_fails: { critical: block, optional: block }
    with: { task: task }
    save: { tasks: result.tasks }
    next: { done: testing, incomplete: failed }
  testing: { command: { run: [cat, left.txt, right.txt, song.txt] }, next: { passed: finished, failed: failed } }
  finished: { final: completed, output: { seen: last.testing.stdout } }
  failed: { final: failed, output: { problems: 'data.tasks.filter(t, t.error != null).map(t, t.error.message)' } }
"#;

/// Waits until both have begun, so that neither has seen what the other does; then does what `how.sh` of the project says.
const CODER: &str = r#"#!/bin/sh
cat > said.$$ && mv said.$$ "$PROJECT/said.$(basename "$MOTET_TASK").$MOTET_ATTEMPT"
side=$(basename "$MOTET_TASK")
echo "$side" >> "$PROJECT/begun.txt"
while [ "$(sort -u "$PROJECT/begun.txt" | wc -l)" -lt 2 ]; do sleep 0.02; done
. "$PROJECT/how.sh"
echo "{\"did\": \"$side\"}"
"#;

/// A repository with a song of five lines and the workflow of the pair.
fn project(how: &str) -> Project {
    let project = Project::new();
    project.write("workflows/pair/workflow.yaml", PAIR);
    project.write("workflows/pair/prompts/coder.md", "Do {{ task.title }}.{% if correction %} Mind: {{ correction }}{% endif %}");
    project.program("coder.sh", &CODER.replace("$PROJECT", &project.root.to_string_lossy()));
    project.write("how.sh", &how.replace("$PROJECT", &project.root.to_string_lossy()));
    project.write("motet.toml", "[agents.\"*\"]\ncommand = ['./coder.sh']\n");
    project.write(".gitignore", "begun.txt\nsaid.*\ncrash.txt\nwait.txt\n");
    project.write("song.txt", "one\ntwo\nthree\nfour\nfive\n");
    project.commit();
    project
}

const BOTH: &str = r#"echo "$side" > "$side.txt"
case "$side" in left) sed -i 's/one/ONE/' song.txt;; right) sed -i 's/five/FIVE/' song.txt;; esac
"#;

#[test]
fn what_two_tasks_change_side_by_side_arrives_in_the_project() {
    let project = project(BOTH);
    project.motet(&["run", "pair"]).exits(0).says(&["ONE"]);
    assert_eq!(project.read("song.txt"), "ONE\ntwo\nthree\nfour\nFIVE\n");
    assert_eq!((project.read("left.txt").as_str(), project.read("right.txt").as_str()), ("left\n", "right\n"));
    assert_eq!(project.git(&["status", "--porcelain"]), "", "everything is committed");
    let history = project.git(&["log", "--format=%s"]);
    assert!(history.contains("The left side") && history.contains("The right side"), "{history}");
    assert_eq!(project.git(&["branch", "--list", "motet/*"]), "", "what has arrived needs no branch");
    assert_eq!(project.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_contradiction_is_settled_by_whoever_came_second() {
    let settles = r#"echo "$side" > "$side.txt"
if grep -q '<<<<<<<' song.txt; then printf 'left and right\ntwo\nthree\nfour\nfive\n' > song.txt; else sed -i "s/one/$side/" song.txt; fi
"#;
    let project = project(settles);
    project.motet(&["run", "pair"]).exits(0).says(&["contradicts what has come into the project meanwhile, in song.txt"]);
    assert_eq!(project.read("song.txt").lines().next(), Some("left and right"));
    let second = format!("{}{}", project.read("said.left.2"), project.read("said.right.2"));
    assert!(second.contains("Mind: what was changed contradicts"), "it was told why it is asked again: {second}");
}

#[test]
fn a_contradiction_that_nobody_settles_is_told_and_nothing_is_lost() {
    let project = project("echo \"$side\" > \"$side.txt\"; grep -q '<<<<<<<' song.txt || sed -i \"s/one/$side/\" song.txt\n");
    let done = project.motet(&["run", "pair"]).exits(1);
    let done = done.says(&["in song.txt", "work that is not in the project is kept in", "branch motet/pair-"]);
    let first = project.read("song.txt").lines().next().map(String::from).expect("a line");
    let second = if first == "left" { "right" } else { "left" };
    let kept = project.read(format!(".motet/runs/{}/worktrees/{second}/song.txt", project.last()));
    assert!(kept.contains("<<<<<<<") && kept.contains("left") && kept.contains("right"), "both versions are there: {kept}");
    assert_eq!(project.git(&["status", "--porcelain"]), "", "the project has no half of a merge");
    let files: Vec<&str> = done.out.lines().filter(|line| line.trim_start().starts_with("file ")).collect();
    assert!(!files.iter().any(|line| line.contains("worktrees/")), "{files:?}");
    // Removing the run removes the tree, and not the work.
    project.motet(&["gc", "--older-than", "0s"]).exits(0);
    let branch = project.git(&["branch", "--list", "motet/*", "--format=%(refname:short)"]);
    assert_eq!(project.git(&["show", &format!("{branch}:{second}.txt")]), second);
}

#[test]
fn a_killed_run_goes_on_in_the_same_worktrees() {
    let waits = r#"echo "$MOTET_ATTEMPT" >> "$side.txt"
while [ -e "$PROJECT/wait.txt" ]; do sleep 0.02; done
sed -i "s/five/five $side/" song.txt.$side 2>/dev/null || true
"#;
    let project = project(waits);
    project.write("wait.txt", "");
    let running = project.start(&["run", "pair"]);
    let tree = |run: &str, side: &str| format!(".motet/runs/{run}/worktrees/{side}/{side}.txt");
    project.until("both at work", || {
        let run = project.list().first().and_then(|run| run["run"].as_str().map(String::from));
        run.is_some_and(|run| ["left", "right"].iter().all(|side| project.read(tree(&run, side)) == "1\n"))
    });
    running.kill();
    let run = project.last();
    let resumed = project.start(&["resume", &run]);
    project.until("both at work again", || ["left", "right"].iter().all(|side| project.read(tree(&run, side)) == "1\n2\n"));
    project.remove("wait.txt");
    resumed.wait().exits(0);
    assert_eq!(project.read("left.txt"), "1\n2\n", "the second attempt went on with what the first had left");
    project.motet(&["verify", &run]).exits(0);
}

#[test]
fn a_project_that_is_no_repository_is_refused_before_anything_is_done() {
    let project = project(BOTH);
    std::fs::remove_dir_all(project.root.join(".git")).expect("it is there");
    project.motet(&["run", "pair"]).exits(2).says(&["is not in a git repository", "git init", "coder of pair change files"]);
    assert_eq!(project.read("begun.txt"), "");
}

#[test]
fn what_a_failed_run_has_brought_into_the_project_is_told_and_what_git_cannot_open_outlives_its_run() {
    let project = project("echo \"$side\" > \"$side.txt\"; if [ $side = right ]; then rm .git; exit 1; fi\n");
    let done = project.motet(&["run", "pair"]).exits(1);
    let run = project.last();
    done.says(&["the project has 1 commit of this run", "git log --grep", "worktrees/right", "on no branch"]);
    assert_eq!(project.read("left.txt"), "left\n");
    let right = format!(".motet/runs/{run}/worktrees/right/right.txt");
    project.motet(&["gc", "--older-than", "0s"]).exits(0).says(&["worktrees/right", "is kept, with its run's files"]);
    assert_eq!(project.read(right), "right\n");
}

/// Plays everybody in `feature`: clear requirements, a plan of two tasks that run side by side, and reviewers who are content.
const EVERYBODY: &str = r#"#!/bin/sh
agent=$(grep -o '"agent":"[a-z_]*"' | head -1 | cut -d'"' -f4)
task() { echo "{\"id\": \"$1\", \"phase\": 1, \"title\": \"Write $2\", \"objective\": \"$2\", \"files\": [\"$2.txt\"], \"depends_on\": [], \"requires_ux_dx_review\": false, \"criteria\": [\"there is $2\"]}"; }
case "$agent" in
  analyst) echo '{"verdict": "REQUIREMENTS_CLEAR", "questions": []}' ;;
  planner) echo "{\"plan\": {\"title\": \"Two files\", \"goal\": \"Both are there\"}, \"phases\": [{\"id\": 1, \"title\": \"All\", \"goal\": \"All\", \"test_args\": []}], \"tasks\": [$(task 01 left), $(task 02 right)]}" ;;
  implementer)
    echo "$MOTET_TASK" >> "PROJECT/begun.txt"
    while [ "$(sort -u "PROJECT/begun.txt" | wc -l)" -lt 2 ]; do sleep 0.02; done
    case "$MOTET_TASK" in *01) file=left ;; *) file=right ;; esac
    pwd > $file.txt
    echo "{\"summary\": \"Wrote $file.\", \"files\": [\"$file.txt\"]}" ;;
  learner) echo '{"summary": "Done.", "learnings": []}' ;;
  *) echo PASS ;;
esac
"#;

#[test]
fn the_tests_of_a_feature_see_what_its_implementers_have_done_side_by_side() {
    let project = project("");
    project.program("everybody.sh", &EVERYBODY.replace("PROJECT", &project.root.to_string_lossy()));
    project.write("motet.toml", "[agents.\"*\"]\ncommand = ['./everybody.sh']\n");
    let input = ["feature=two", "test_command=[\"cat\", \"left.txt\", \"right.txt\"]", "build_command=[\"true\"]"];
    let mut words = vec!["run", "feature", "Two files", "--yes"];
    input.iter().for_each(|pair| words.extend(["-i", pair]));
    project.motet(&words).exits(0).says(&["completed"]);
    let trees = (project.read("left.txt"), project.read("right.txt"));
    assert!(trees.0.contains("worktrees/01") && trees.1.contains("worktrees/02"), "each worked in its own tree: {trees:?}");
}
