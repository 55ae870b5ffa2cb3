//! How other programs are started: where they are built, and what is said when they fail.
//! Which of them run in what order is the business of `ci`.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::tree::root;

/// Where cargo builds, if this process chose another place than cargo would.
static TARGET: OnceLock<PathBuf> = OnceLock::new();

/// Everything that is started from now on is built there. The first choice holds.
pub fn build_in(folder: PathBuf) {
    TARGET.get_or_init(|| folder);
}

/// A cargo command in the repository.
pub fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root());
    if let Some(folder) = TARGET.get() {
        command.env("CARGO_TARGET_DIR", folder);
    }
    command
}

/// A program of motet-testkit, with the checks of a debug build.
pub fn testkit(program: &str, arguments: &[&str]) -> Command {
    let mut command = cargo(&["run", "--quiet", "--package", "motet-testkit", "--bin", program, "--"]);
    command.args(arguments);
    command
}

/// The simulator keeps the checks of a debug build: an overflow that wraps in silence is what it looks for.
pub fn sim(arguments: &[&str]) -> Result<(), String> {
    run(&mut testkit("sim", arguments))
}

pub fn fuzz(arguments: &[&str]) -> Result<(), String> {
    run(&mut testkit("fuzz", arguments))
}

/// Only the release build is worth measuring, and the first program starts the real binary too. All are built in one go: package by package,
/// cargo would choose other features each time and build the large dependencies again.
pub fn bench(arguments: &[&str]) -> Result<(), String> {
    run(&mut cargo(&["build", "--release", "--workspace", "--bins", "--examples"]))?;
    let built = target().join("release");
    for program in ["bench", "examples/measure_index", "examples/measure_models"] {
        run(Command::new(built.join(program)).args(arguments).current_dir(root()).env("MOTET_BINARY", built.join("motet")))?;
    }
    Ok(())
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    let chosen = TARGET.get().cloned().or_else(|| std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from));
    root().join(chosen.unwrap_or_else(|| "target".into()))
}

/// The debug build of the real binary.
pub fn motet() -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--quiet", "--package", "motet"]))?;
    Ok(target().join("debug").join("motet"))
}

pub fn run(command: &mut Command) -> Result<(), String> {
    let shown = shown(command);
    let status = command.status().map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed: {status}")) }
}

/// What the command prints; what it says on the side goes to the terminal.
pub fn output(command: &mut Command) -> Result<String, String> {
    let shown = shown(command);
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{shown}` failed: {}\n{}", output.status, String::from_utf8_lossy(&output.stdout)));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{shown}` printed something that is not text"))
}

/// The command as a person would type it.
pub fn shown(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    [name].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
}
