//! The workflows that are part of the binary, as folders.

use motet_core::Folder;

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The folder of a built-in workflow, if there is one of this name.
pub fn folder(name: &str) -> Option<Folder> {
    let texts = EMBEDDED.iter().filter(|(workflow, ..)| *workflow == name);
    let folder: Folder = texts.map(|(_, path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    (!folder.is_empty()).then_some(folder)
}

pub fn names() -> impl Iterator<Item = &'static str> {
    EMBEDDED.iter().filter(|(_, path, _)| *path == super::folder::WORKFLOW_FILE).map(|(name, ..)| *name)
}
