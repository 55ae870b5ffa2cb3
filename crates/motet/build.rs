//! Puts the texts of the repository's `workflows/` folder into the binary, so that the built-ins need no installation.
//! It knows no workflow by name: whatever folder has a `workflow.yaml` is built in.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // From this package on, never from the root of the disk: what is built here may be found again by another checkout that shares the target
    // folder, and that one must embed its own workflows.
    let root = Path::new("../../workflows");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut table = String::from("pub static EMBEDDED: &[(&str, &str, &str)] = &[\n");
    for workflow in sorted(root)?.iter().filter(|path| path.join("workflow.yaml").is_file()) {
        let mut texts = Vec::new();
        collect(workflow, &mut texts)?;
        for text in texts {
            let path = text.strip_prefix(workflow).unwrap_or(&text).to_string_lossy().replace('\\', "/");
            let name = workflow.file_name().unwrap_or_default().to_string_lossy();
            let place = format!("/{}", text.to_string_lossy());
            let _ = writeln!(table, "    ({name:?}, {path:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {place:?}))),");
        }
    }
    table.push_str("];\n");
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("embedded.rs"), table)
}

/// Every text below a folder but the pages for people.
fn collect(folder: &Path, texts: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for path in sorted(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "README.md" {
            continue;
        }
        if path.is_dir() { collect(&path, texts)? } else { texts.push(path) }
    }
    Ok(())
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
