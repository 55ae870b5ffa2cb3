//! The guide, followed literally: every file is written, every command run, every promised line looked for.
//! A block with a path after its language is a file, `sh` is run line by line, `text` must have been printed by the last `sh`.

use std::path::Path;
use std::process::Command;

use crate::scratch::Scratch;

#[test]
fn the_first_workflow_can_be_built_as_the_guide_says() {
    check("first-workflow.md", 10);
}

#[test]
fn a_machine_without_a_model_behaves_as_the_guide_says() {
    check("offline.md", 4);
}

/// Times are those of the case that is played, so that they are the same everywhere; a run's name is not.
#[test]
fn the_picture_of_a_run_on_the_first_page_is_what_the_program_prints() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).expect("the page is there");
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
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").join(page);
    let page = std::fs::read_to_string(page).expect("the page is there");
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
    let expected: i32 = line.split_once("# exits ").map_or(0, |(_, code)| code.trim().parse().expect("a number"));
    let programs = Path::new(env!("CARGO_BIN_EXE_motet")).parent().expect("a directory");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(directory).env_clear().env("PATH", path).env("USER", "ada").stdin(std::process::Stdio::null());
    let output = command.output().expect("a shell");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(expected), "`{line}` printed:\n{printed}");
    printed
}
