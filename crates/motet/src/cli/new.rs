//! `motet new`: a small workflow that already passes its check and its cases, to be changed into one's own.
//! It never overwrites anything.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use motet_core::language::is_workflow_name;

use super::{Context, Exit, output};
use crate::library::{Origin, project_root};

#[derive(clap::Args)]
pub struct Args {
    /// The name of the new workflow
    name: String,
    /// Where its folder is made, instead of the project's workflows/
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// By path in the folder. `NAME` stands for the workflow's name.
const SCAFFOLD: [(&str, &str); 10] = [
    ("workflow.yaml", include_str!("../../scaffold/workflow.yaml")),
    ("offline.yaml", include_str!("../../scaffold/offline.yaml")),
    ("prompts/writer.md", include_str!("../../scaffold/prompts/writer.md")),
    ("files/announcement.md", include_str!("../../scaffold/files/announcement.md")),
    ("cases/approved-after-a-change.yaml", include_str!("../../scaffold/cases/approved-after-a-change.yaml")),
    ("cases/drafts-run-out.yaml", include_str!("../../scaffold/cases/drafts-run-out.yaml")),
    ("cases/nobody-answers.yaml", include_str!("../../scaffold/cases/nobody-answers.yaml")),
    ("cases/out-of-time.yaml", include_str!("../../scaffold/cases/out-of-time.yaml")),
    ("cases/writer-fails.yaml", include_str!("../../scaffold/cases/writer-fails.yaml")),
    ("README.md", include_str!("../../scaffold/README.md")),
];

pub fn run(args: &Args, context: &Context) -> Exit {
    let name = args.name.as_str();
    if !is_workflow_name(name) {
        return output::fail(&format!(
            "`{name}` cannot be the name of a workflow; a name has letters, digits, `-` and `_`, and at most 64 characters"
        ));
    }
    if context.library().origin(name) == Some(&Origin::BuiltIn) {
        return output::fail(&format!("`{name}` is built in; choose another name, or write a workflow that says `extends: {name}`"));
    }
    let parent = match &args.dir {
        Some(dir) => context.directory.join(dir),
        None => project_root(&context.directory).unwrap_or(&context.directory).join("workflows"),
    };
    let folder = parent.join(name);
    if folder.symlink_metadata().is_ok() {
        return output::fail(&format!("{} exists already; nothing was changed", folder.display()));
    }
    if let Err(error) = write(&folder, name) {
        return output::fail(&format!("{} cannot be written: {error}", folder.display()));
    }
    let shown = folder.strip_prefix(&context.directory).unwrap_or(&folder).display().to_string();
    // A folder elsewhere has no name that the other commands would find.
    let called = if args.dir.is_some() { shown.as_str() } else { name };
    if context.json {
        output::json(&serde_json::json!({ "workflow": name, "folder": folder }));
    } else {
        output::line(format!(
            "{shown} is ready. Try:\n\n  motet check {called}\n  motet test {called} --coverage\n  motet graph {called}\n  motet run {called} --demo"
        ));
    }
    Exit::Ok
}

fn write(folder: &Path, name: &str) -> io::Result<()> {
    for (path, text) in SCAFFOLD {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&path)?;
        io::Write::write_all(&mut file, text.replace("NAME", name).as_bytes())?;
    }
    Ok(())
}
