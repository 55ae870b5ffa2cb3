//! The guide, followed literally: every file is written, every command run, every promised line looked for.
//! A block with a path after its language is a file, `sh` is run line by line, `text` must have been printed by the last `sh`. Pages that
//! only name commands are followed with what their reader has already; what is not run says which model, network or installation it needs.

use std::path::Path;
use std::process::Command;

use motet_testkit::providers::{FakeProvider, Format, Line};

use crate::scratch::Scratch;

#[test]
fn the_first_workflow_can_be_built_as_the_guide_says() {
    check("first-workflow.md", 10);
}

#[test]
fn a_machine_without_a_model_behaves_as_the_guide_says() {
    check("offline.md", 4);
}

const QUESTION: &str = "What does a restart do with an unfinished call?";
/// Leaves a run that waits for a person, because nobody is at the terminal.
const WAITING: &str = "motet run deep-research \"What does a restart do with an unfinished call?\" --docs docs # exits 4";
const RESEARCHED: &str = "motet run deep-research \"What does a restart do with an unfinished call?\" --docs docs --unattended";

#[test]
fn research_goes_as_the_guide_says() {
    let have = |home: &Path| {
        documentation(home);
        for (name, folder) in [("papers", "docs/guide"), ("notes", "docs/adr")] {
            std::os::unix::fs::symlink(folder, home.join(name)).expect("a link");
        }
    };
    let exceptions = [("--docs papers", Exits(4)), ("--web ", Needs("a network")), ("motet export last", After(RESEARCHED))];
    follow("docs/guide/research.md", have, &exceptions, 6);
}

#[test]
fn evidence_is_checked_as_the_guide_says() {
    let model = FakeProvider::start([Line::says(r#"{"quote": "It is 503 metres long", "reason": "It says so.", "answer": "supported"}"#)]);
    let have = |home: &Path| {
        let (local, ollama) = (model.base_url(Format::OpenAi), model.base_url(Format::Ollama));
        let settings = format!(
            "[agents.'*']\noffline = true\n[providers.ollama]\nbase_url = '{ollama}'\n\
             [providers.local]\nkind = 'openai-compatible'\nbase_url = '{local}'\nfree = true\n"
        );
        write(&home.join("motet.toml"), &settings);
        let page = "The Harbour Bridge was opened in 1942. It is 503 metres long.\n";
        ["page.txt", "docs/bridge.txt", "papers/bridge.txt"].iter().for_each(|file| write(&home.join(file), page));
        let claim = |length: u32, label: u32| {
            serde_json::json!({ "claim": format!("The bridge is {length} metres long."), "source": page, "label": label }).to_string()
                + "\n"
        };
        write(&home.join("claims.jsonl"), &claim(503, 1));
        write(&home.join("labelled.jsonl"), &(claim(503, 1) + &claim(504, 0)));
        run(home, "motet run deep-research \"When was the Harbour Bridge opened?\" --docs docs --unattended");
        run(home, "cp -r .motet/runs/*/report.md .motet/runs/*/assets .");
    };
    follow("docs/guide/evidence.md", have, &[("second_opinion=true", Exits(4))], 10);
    assert!(!model.chats().is_empty(), "nothing was asked");
}

#[test]
fn runs_are_started_and_looked_at_as_the_guide_says() {
    follow("docs/guide/run.md", |_| {}, &[("--model mistral", Needs("a model"))], 14);
}

#[test]
fn cases_are_played_as_the_guide_says() {
    follow("docs/guide/test.md", |_| {}, &[], 5);
}

#[test]
fn a_new_workflow_is_begun_as_the_guide_says() {
    follow("docs/guide/write.md", |_| {}, &[], 3);
}

#[test]
fn workflows_are_checked_as_the_guide_says() {
    follow("docs/guide/check.md", |home| drop(run(home, "motet new mine")), &[], 2);
}

#[test]
fn people_decide_as_the_guide_says() {
    let have = |home: &Path| {
        documentation(home);
        let asking = "workflow: ask\nversion: 1.0.0\nsummary: Asks.\ninput: { goal: string }\nstart: asking\nstates:\n  asking:\n    gate:\n      ask: \"First:\"\n      \
            questions: '[{\"id\": \"lang\", \"question\": \"Which language?\"}, {\"id\": \"db\", \"question\": \"Which database?\"}]'\n      \
            otherwise: wait\n    next: { answered: done }\n  done: { final: completed }\n";
        write(&home.join("workflows/ask/workflow.yaml"), asking);
    };
    let exceptions = [
        ("# the first option", After(WAITING)),
        ("motet approve RUN changes", Waits(WAITING)),
        ("motet answer RUN", After("motet run ask it # exits 4")),
        ("motet edit RUN", After(WAITING)),
    ];
    follow("docs/guide/decide.md", have, &exceptions, 4);
}

#[test]
fn the_commands_of_the_first_page_do_what_it_says() {
    let exceptions = [
        ("cargo install", Needs("an installation")),
        ("motet resume last", Waits(WAITING)),
        ("ollama pull", Needs("a model")),
        ("--model mistral", Needs("a model")),
        ("motet approve RUN", After(WAITING)),
        ("cargo xtask ci", Needs("an installation of what builds this program")),
        ("cargo xtask bench", Needs("an installation of what builds this program")),
    ];
    follow("README.md", documentation, &exceptions, 12);
}

#[test]
fn the_first_command_of_the_first_page_writes_a_report_that_holds() {
    let page = page("README.md");
    let first = page.lines().find(|line| line.starts_with("motet run deep-research")).expect("the first command");
    let scratch = Scratch::new();
    documentation(scratch.path());
    run(scratch.path(), first);
    let report =
        std::fs::read_to_string(scratch.path().join(format!(".motet/runs/{}/report.md", researched(scratch.path())))).expect("a report");
    assert!(report.contains("## Answer") && !report.contains("Not answered"), "{report}");
    let verified = run(scratch.path(), &format!("motet verify .motet/runs/{}/report.md", researched(scratch.path())));
    assert!(verified.contains("the report holds"), "{verified}");
}

/// Times are those of the case that is played, so that they are the same everywhere; a run's name is not.
#[test]
fn the_picture_of_a_run_on_the_first_page_is_what_the_program_prints() {
    let page = page("README.md");
    let picture = blocks(&page).into_iter().map(|(_, body)| body).find(|body| body.starts_with("$ ")).expect("a picture of a run");
    let (command, picture) = picture.split_once('\n').expect("what it prints stands below the command");
    let printed = run(Scratch::new().path(), &format!("{} --pace 0", command.trim_start_matches("$ ")));
    let lines = || picture.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "…");
    // A pipe gets the way in pieces, and no marks.
    let (ways, told): (Vec<&str>, Vec<&str>) = lines().partition(|line| line.contains(" → "));
    let states = ways.iter().flat_map(|way| way.split(" → ")).map(|state| format!("→ {}", state.trim_start_matches("■ ")));
    in_order(&printed, states.collect());
    let without_name = |line: &str| line.find(" completed: ").map_or(line, |name_ends| &line[name_ends..]).to_string();
    in_order(&printed, told.iter().map(|line| without_name(line.trim_start_matches("✓ "))).collect());
    assert!(ways.len() == 1 && told.len() > 6, "{picture}");
}

#[track_caller]
fn in_order(printed: &str, parts: Vec<String>) {
    let mut rest = printed;
    for part in parts {
        let place = rest.find(&part).unwrap_or_else(|| panic!("{part:?} is not printed where it should be:\n{printed}"));
        rest = &rest[place + part.len()..];
    }
}

/// Follows a page that has more than this many commands.
fn check(page: &str, least: usize) {
    let page = self::page(&format!("docs/guide/{page}"));
    let scratch = Scratch::new();
    let mut printed = String::new();
    let mut commands = 0;
    for (language, content) in blocks(&page) {
        match language.split_once(' ') {
            Some((_, path)) => write(&scratch.path().join(path), content),
            None if language == "sh" => {
                printed.clear();
                for line in content.lines() {
                    printed += &run(scratch.path(), line);
                    commands += 1;
                }
            }
            None if language == "text" => {
                for line in content.lines() {
                    assert!(printed.contains(line.trim()), "{line:?} was promised, but this was printed:\n{printed}");
                }
            }
            None => panic!("a block of {language:?} says neither what to run nor where it goes"),
        }
    }
    assert!(commands > least, "only {commands} commands were found");
}

/// How a line is followed that cannot be run as it stands, known by a part of it.
enum Instead {
    /// It is not run, for it needs something that a test has not.
    Needs(&'static str),
    /// It ends like this, because nobody is at the terminal.
    Exits(i32),
    /// Something comes before it that the page tells in words.
    After(&'static str),
    /// The same, and then the run waits for a person again.
    Waits(&'static str),
}
use Instead::{After, Exits, Needs, Waits};

/// Runs the commands of a page, of which there are more than `least`, where its reader has what `have` makes. Names that stand for others
/// are filled in: of a run, of the question, of the run whose report it is about.
fn follow(name: &str, have: impl FnOnce(&Path), exceptions: &[(&str, Instead)], least: usize) {
    let (page, scratch) = (page(name), Scratch::new());
    let home = scratch.path();
    have(home);
    let (mut commands, mut met) = (0, vec![false; exceptions.len()]);
    let lines = blocks(&page).into_iter().filter(|(language, _)| *language == "sh").flat_map(|(_, content)| content.lines());
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let instead = exceptions.iter().position(|(part, _)| line.contains(part));
        instead.into_iter().for_each(|place| met[place] = true);
        let filled = line.replace("RUN", "last").replace("\"…\"", &format!("{QUESTION:?}"));
        let filled = if filled.contains("<id>") { filled.replace("<id>", &researched(home)) } else { filled };
        commands += 1;
        match instead.map(|place| &exceptions[place].1) {
            Some(Needs(what)) => assert!(!what.is_empty(), "it is not said why `{line}` is not run"),
            Some(Exits(code)) => drop(run(home, &format!("{filled} # exits {code}"))),
            Some(After(first)) => {
                run(home, first);
                run(home, &filled);
            }
            Some(Waits(first)) => {
                run(home, first);
                run(home, &format!("{filled} # exits 4"));
            }
            None => drop(run(home, &filled)),
        }
    }
    let stale: Vec<&str> = exceptions.iter().zip(met).filter(|(_, met)| !met).map(|((part, _), _)| *part).collect();
    assert!(stale.is_empty(), "{name} has no line with {stale:?} any more");
    assert!(commands > least, "only {commands} commands were found in {name}");
}

fn page(name: &str) -> String {
    std::fs::read_to_string(motet_testkit::repository().join(name)).expect("the page is there")
}

/// This project's own documentation, as `docs`.
fn documentation(home: &Path) {
    let docs = motet_testkit::repository().join("docs").canonicalize().expect("the documentation");
    std::os::unix::fs::symlink(docs, home.join("docs")).expect("a link");
}

/// The latest run that has a report.
fn researched(home: &Path) -> String {
    let runs = std::fs::read_dir(home.join(".motet/runs")).expect("runs").flatten().filter(|run| run.path().join("report.md").is_file());
    let latest = runs.max_by_key(|run| run.path().join("report.md").metadata().and_then(|about| about.modified()).ok());
    latest.expect("a run with a report").file_name().into_string().expect("a name")
}

/// The fenced blocks of a page: what stands after the fence, and what is inside.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find("\n```") {
        let (language, body) = rest[start + 4..].split_once('\n').expect("a fence ends its line");
        let end = body.find("\n```").expect("a fence is closed");
        blocks.push((language.trim(), &body[..=end]));
        rest = &body[end + 4..];
    }
    blocks
}

fn write(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().expect("a directory")).expect("it can be made");
    std::fs::write(path, content).expect("it can be written");
}

/// Runs a line as a person would type it; `# exits N` says how it ends.
fn run(directory: &Path, line: &str) -> String {
    let expected: i32 = line.rsplit_once("# exits ").map_or(0, |(_, code)| code.trim().parse().expect("a number"));
    let programs = Path::new(env!("CARGO_BIN_EXE_motet")).parent().expect("a directory");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command
        .args(["-c", line])
        .current_dir(directory)
        .env_clear()
        .env("PATH", path)
        .env("USER", "ada")
        .env("EDITOR", "true")
        .stdin(std::process::Stdio::null());
    let output = command.output().expect("a shell");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(expected), "`{line}` printed:\n{printed}");
    printed
}
