use std::collections::BTreeMap;
use std::path::Path;

use motet_core::language::{Library, load};
use motet_core::{Definition, Folder};

use super::layout::{Layout, Point, Rectangle};
use super::*;

const SKETCHES: &str = "/work/shared/sketch/workflows";

struct Sketches;

impl Library for Sketches {
    fn workflow(&self, name: &str) -> Option<Folder> {
        Some(folder(&Path::new(SKETCHES).join(name)))
    }

    fn has_builtin(&self, _name: &str) -> bool {
        true
    }

    fn builtins(&self) -> Vec<String> {
        Vec::new()
    }
}

fn folder(path: &Path) -> Folder {
    let mut folder: Folder = BTreeMap::new();
    folder.insert("workflow.yaml".into(), std::fs::read_to_string(path.join("workflow.yaml")).unwrap());
    folder
}

#[test]
fn try_load() {
    for name in ["slogan", "feature", "article", "research", "development", "architecture", "deep-research"] {
        match load(folder(&Path::new(SKETCHES).join(name)), &Sketches) {
            Ok(_) => println!("{name} ok"),
            Err(problems) => println!("{name} {} {:?}", problems.len(), problems.first()),
        }
    }
}
