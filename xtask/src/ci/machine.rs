//! What the machine must offer: tools, installed if they are missing, and one place where checkouts share what they have built.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::programs;

/// A program, how to see that it is there, and how to get it.
const TOOLS: &[(&str, &[&str], &[&str])] = &[
    ("git", &["--version"], &["apt-get", "install", "--yes", "--no-install-recommends", "git"]),
    // For the tool servers that the tests use; they are installed below the build directory.
    ("npm", &["--version"], &["apt-get", "install", "--yes", "--no-install-recommends", "npm"]),
    ("cargo-fmt", &["--version"], &["rustup", "component", "add", "rustfmt"]),
    ("cargo-clippy", &["--version"], &["rustup", "component", "add", "clippy"]),
];

pub fn install_tools() -> Result<(), String> {
    for (tool, probe, install) in TOOLS {
        if has(tool, probe) {
            continue;
        }
        println!("{tool} is missing; installing it");
        if install[0] == "apt-get" {
            programs::run(Command::new("apt-get").arg("update"))?;
        }
        programs::run(Command::new(install[0]).args(&install[1..]))?;
    }
    Ok(())
}

pub fn has(tool: &str, probe: &[&str]) -> bool {
    let status = Command::new(tool).args(probe).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// On a CI server every run is a fresh checkout, so what was built is kept in the user's cache and used again.
/// The lock is held for the whole run: two checkouts at once would start each other's binaries.
pub fn share_target() -> Result<Option<File>, String> {
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    let Some(folder) = shared_target().filter(|_| is_ci && std::env::var_os("CARGO_TARGET_DIR").is_none()) else { return Ok(None) };
    let lock = locked(&folder)?;
    match &lock {
        Some(_) => {
            println!("building in {}", folder.display());
            programs::build_in(folder);
        }
        None => println!("another run builds in {}; building in the checkout instead", folder.display()),
    }
    Ok(lock)
}

fn shared_target() -> Option<PathBuf> {
    let filled = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = filled("XDG_CACHE_HOME").or_else(|| Some(filled("HOME")?.join(".cache")))?;
    Some(cache.join("motet-target"))
}

/// None if somebody else holds it.
fn locked(folder: &Path) -> Result<Option<File>, String> {
    let explain = |error: std::io::Error| format!("{} cannot be used: {error}", folder.display());
    std::fs::create_dir_all(folder).map_err(explain)?;
    let file = File::create(folder.join("motet-ci.lock")).map_err(explain)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(explain(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_folder_is_held_by_one_run_at_a_time() {
        let folder = std::env::temp_dir().join(format!("motet-ci-lock-{}", std::process::id()));
        let first = locked(&folder).expect("a writable folder");
        assert!(first.is_some());
        assert!(locked(&folder).expect("a writable folder").is_none());
        drop(first);
        assert!(locked(&folder).expect("a writable folder").is_some());
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
    }

    #[test]
    fn a_missing_tool_is_noticed() {
        assert!(has("cargo", &["--version"]));
        assert!(!has("cargo-no-such-tool", &["--version"]));
    }
}
