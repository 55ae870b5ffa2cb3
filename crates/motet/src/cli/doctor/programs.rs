//! The programs that play roles: whether each is there, and whether it does what it is configured for. None is given any work.
//! Models and servers of tools are looked at elsewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use motet_agents::acp;
use motet_agents::command::{self, presets};

use super::{Finding, Mark};
use crate::config::{Config, Who};
use crate::detection::on_path;

/// How long a program may take to say its version, or to answer a greeting.
const PATIENCE: Duration = Duration::from_secs(15);
/// What scripts are called, and what reads them.
const SCRIPTS: [&str; 11] = ["py", "sh", "bash", "js", "mjs", "cjs", "ts", "rb", "pl", "lua", "php"];
const INTERPRETERS: [&str; 12] = ["python", "sh", "bash", "zsh", "node", "deno", "bun", "ruby", "perl", "lua", "php", "tsx"];

/// A program as the settings name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    /// `may_change`: nobody has said whether it may, and then it may.
    Preset {
        name: String,
        program: String,
        may_change: bool,
    },
    Acp(Vec<String>),
    Command(Vec<String>),
}

/// Each that plays a role or stands in for somebody, once.
pub fn named(config: &Config) -> BTreeSet<Program> {
    let mut programs = BTreeSet::new();
    for player in config.agents.values() {
        let stand_ins = player.fallback.iter().map(|who| (who, None));
        for (who, own) in player.who.iter().map(|who| (who, player.coding.program.clone())).chain(stand_ins) {
            match who {
                Who::Preset(name) => {
                    let program = own.unwrap_or_else(|| presets::program(name).unwrap_or(name).to_string());
                    programs.insert(Program::Preset { name: name.clone(), program, may_change: player.permissions.is_none() });
                }
                Who::Acp(words) => drop(programs.insert(Program::Acp(words.clone()))),
                Who::Command { command, verify } => {
                    programs.extend(std::iter::once(command).chain(verify).cloned().map(Program::Command));
                }
                Who::Model(_) | Who::Person | Who::Offline => {}
            }
        }
    }
    programs
}

/// Looks at one of them from the directory in which it would work.
pub async fn look(program: Program, directory: &Path) -> Finding {
    match program {
        Program::Preset { name, program, may_change } => preset(name, &program, may_change, directory).await,
        Program::Acp(words) => speaks(&words, directory).await,
        Program::Command(words) => looked_for(&words, directory),
    }
}

async fn preset(name: String, program: &str, may_change: bool, directory: &Path) -> Finding {
    let Some(path) = found(program, directory) else { return missing(name, program) };
    let begun = Instant::now();
    match command::version(&path, directory, PATIENCE).await {
        Ok(said) => {
            let version = if said.is_empty() { "it does not say its version" } else { &said };
            let allowed =
                if may_change { "; it changes files and runs commands without asking, since no `permissions` say otherwise" } else { "" };
            let text = format!("{version}, says so in {} ms, {}{allowed}", begun.elapsed().as_millis(), path.display());
            Finding::new(name, Mark::Good, text)
        }
        Err(why) => Finding::new(name, Mark::Warning, why),
    }
}

/// An agent over the protocol is started and greeted: only that tells whether it is one.
async fn speaks(words: &[String], directory: &Path) -> Finding {
    let (name, program) = (words.join(" "), words.first().map_or("", String::as_str));
    if found(program, directory).is_none() {
        return missing(name, program);
    }
    match acp::probe(words, directory, PATIENCE).await {
        Ok(greeting) => {
            let who = greeting.name.unwrap_or_else(|| "it".into());
            Finding::new(name, Mark::Good, format!("{who} answers in {} ms", greeting.latency_ms))
        }
        Err(failure) => Finding::new(name, Mark::Warning, failure.message),
    }
}

/// A program of the user's own would begin to work if it were started, so it is only looked for.
fn looked_for(words: &[String], directory: &Path) -> Finding {
    let (name, program) = (words.join(" "), words.first().map_or("", String::as_str));
    let Some(path) = found(program, directory) else { return missing(name, program) };
    match script(words).filter(|script| !directory.join(script).exists()) {
        Some(script) => {
            let text = format!("there is no file `{script}` in {}; {program} would end at once", directory.display());
            Finding::new(name, Mark::Warning, text)
        }
        None => Finding::new(name, Mark::Good, path.display().to_string()),
    }
}

/// The script that a program is given to run, if its first word that is no option looks like one.
fn script(words: &[String]) -> Option<&str> {
    let (program, arguments) = words.split_first()?;
    let first = arguments.iter().map(String::as_str).find(|word| !word.starts_with('-'))?;
    let path = Path::new(first);
    if first.contains(char::is_whitespace) || first.contains("://") {
        return None;
    }
    let is_script = path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| SCRIPTS.contains(&ending));
    let reader = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let reads = INTERPRETERS.contains(&reader.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.'));
    (is_script || (reads && first.contains('/'))).then_some(first)
}

/// A name with a slash in it is meant from the directory in which it would work.
fn found(program: &str, directory: &Path) -> Option<PathBuf> {
    match program.contains('/') {
        true => on_path(&directory.join(program).to_string_lossy()),
        false => on_path(program),
    }
}

fn missing(name: String, program: &str) -> Finding {
    let text = match program.contains('/') {
        true => format!("there is no program `{program}` that may be run; make it executable, or let another play its roles"),
        false => format!("`{program}` is not found on PATH; install it, or let another play its roles"),
    };
    Finding::new(name, Mark::Warning, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[&str], expected: Option<&str>) {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        assert_eq!(script(&words), expected, "{words:?}");
    }

    #[test]
    fn a_script_is_known_by_its_name_or_by_who_reads_it() {
        check(&["python3", "/nope/agent.py"], Some("/nope/agent.py"));
        check(&["python3.12", "-u", "tools/agent"], Some("tools/agent"));
        check(&["sh", "build.sh", "--fast"], Some("build.sh"));
        check(&["/usr/bin/node", "./agent"], Some("./agent"));
    }

    #[test]
    fn what_is_no_script_is_not_looked_for() {
        check(&["./builder.sh"], None);
        check(&["my-builder", "./out", "report.py"], None);
        check(&["sh", "-c", "cat >/dev/null; echo done"], None);
        check(&["python3", "-m", "agent"], None);
        check(&["curl", "https://example.org/a.py"], None);
    }
}
