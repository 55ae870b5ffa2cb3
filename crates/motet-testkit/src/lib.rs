//! For tests only: one conformance suite that every store passes, and a simulator that finds what no test thought of.
//! Nothing here is part of the program.

pub mod conformance;
pub mod fuzz;
pub mod providers;
pub mod random;
pub mod reference;
pub mod simulator;
pub mod web;
pub mod workflows;

use std::path::PathBuf;

/// Where the repository is checked out. Cargo says so on every start, of whichever package it starts; what stood there when this was compiled may
/// be another checkout that shares the target folder.
pub fn repository() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = package.ancestors().find(|folder| folder.join("workflows").is_dir());
    root.unwrap_or_else(|| panic!("there is no repository with workflows above {}", package.display())).to_path_buf()
}
