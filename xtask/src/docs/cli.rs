//! The reference of the command line: what `--help` says, command by command.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::Documents;
use crate::programs::output;

const TOP: &str = "\
# The command line

<!-- Written by `cargo xtask docs` from what `motet --help` says. -->
";

const SETTINGS: &str = "\
# Settings

<!-- Written by `cargo xtask docs` from what `motet config keys` says. -->

What `motet.toml` and `~/.config/motet/config.toml` may say. `NAME` is a name of your own: of a role (`*` for all others), a provider, a
server of tools, an office. A variable says the same with `MOTET_` before the path and `__` between its parts, such as
`MOTET_AGENTS__WRITER__MODEL` or `MOTET_AGENTS__ALL__MODEL`; `MOTET_BUDGET` and `MOTET_PARALLEL` are short for
`budget.per_run` and `parallel`, and `MOTET_MODEL` says what `--model` does. How they are used is told in [the guide](../guide/agents.md).
";

const BUILTINS: &str = "\
# Built-in functions

<!-- Written by `cargo xtask docs` from what `motet builtins` says. -->

What a state may `call`, and what may play an agent as its `builtin`. They compute, ask nobody and cost nothing; each is shown with what it is
given and what it gives. The workflows that use them are the best examples of how.
";

pub fn reference(binary: &Path) -> Result<Documents, String> {
    let top = help(binary, &[])?;
    let mut text = format!("{TOP}\n{}", block("motet", &top));
    for command in commands(&top) {
        let of_command = help(binary, &[command])?;
        text.push_str(&block(&format!("motet {command}"), &of_command));
        for part in commands(&of_command) {
            text.push_str(&block(&format!("motet {command} {part}"), &help(binary, &[command, part])?));
        }
    }
    let settings = format!("{SETTINGS}\n{}", output(Command::new(binary).args(["config", "keys"]))?);
    let documents = [("cli.md", text), ("settings.md", settings), ("builtins.md", builtins(binary)?)];
    Ok(documents.map(|(name, text)| (format!("docs/reference/{name}"), text)).into())
}

fn builtins(binary: &Path) -> Result<String, String> {
    let mut text = BUILTINS.to_string();
    for line in output(Command::new(binary).args(["builtins", "--json"]))?.lines() {
        let builtin: Value = serde_json::from_str(line).map_err(|error| format!("`motet builtins --json` printed no JSON: {error}"))?;
        let part = |name: &str| builtin[name].as_str().unwrap_or_default().to_string();
        text.push_str(&format!("\n## `{}`\n\n`{}`\n\n{}\n", part("name"), part("shape"), part("about")));
    }
    Ok(text)
}

fn help(binary: &Path, command: &[&str]) -> Result<String, String> {
    // Lines must not depend on the terminal of whoever writes the documents.
    output(Command::new(binary).args(command).arg("--help").env("COLUMNS", "100").env("NO_COLOR", "1"))
}

fn block(title: &str, help: &str) -> String {
    let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    format!("\n## `{title}`\n\n```text\n{}\n```\n", lines.join("\n"))
}

/// The names in the list of commands: indented lines after the heading, up to the next empty one.
fn commands(help: &str) -> Vec<&str> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.trim().is_empty());
    let indented = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    indented.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_the_help() {
        let help = "Runs teams.\n\nUsage: motet [COMMAND]\n\nCommands:\n  run     Start a run\n          of a workflow\n  help    This\n\nOptions:\n  -h\n";
        assert_eq!(commands(help), ["run"]);
        assert_eq!(commands("Usage: motet\n"), Vec::<&str>::new());
    }

    #[test]
    fn a_block_has_no_trailing_blanks() {
        assert_eq!(block("motet", "a  \n\nb\n\n"), "\n## `motet`\n\n```text\na\n\nb\n```\n");
    }
}
