//! The reference of the command line: what `--help` says, command by command.

use std::path::Path;
use std::process::Command;

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

pub fn reference(binary: &Path) -> Result<Documents, String> {
    let top = help(binary, &[])?;
    let mut text = format!("{TOP}\n{}", block("motet", &top));
    for command in commands(&top) {
        text.push_str(&block(&format!("motet {command}"), &help(binary, &[command])?));
    }
    let settings = format!("{SETTINGS}\n{}", output(Command::new(binary).args(["config", "keys"]))?);
    Ok([("docs/reference/cli.md".to_string(), text), ("docs/reference/settings.md".to_string(), settings)].into())
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
