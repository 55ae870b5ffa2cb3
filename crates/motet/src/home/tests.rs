//! Where home is, and names of runs.

use motet_host::Memory;

use super::*;

#[test]
fn the_home_is_found_upwards_and_else_here() {
    let root = std::env::temp_dir().join(format!("motet-home-{}", std::process::id()));
    let deep = root.join("a/b");
    std::fs::create_dir_all(&deep).unwrap();
    assert_eq!(Home::find(None, &deep).directory, deep.join(DIRECTORY));
    std::fs::create_dir_all(root.join(DIRECTORY)).unwrap();
    assert_eq!(Home::find(None, &deep).directory, root.join(DIRECTORY));
    assert_eq!(Home::find(None, &deep).project, root);
    assert_eq!(Home::find(Some(Path::new("x")), &deep).directory, deep.join("x"));
    assert_eq!(Home::find(Some(Path::new("x")), &deep).project, deep);
    assert_eq!(Home::find(Some(&root.join(DIRECTORY)), &deep).project, root);
    std::fs::remove_dir_all(&root).unwrap();
}

#[test]
fn without_runs_nothing_is_the_last() {
    let store = Memory::default();
    assert!(resolve(&store, LAST).unwrap_err().message.contains("nothing has been run here yet"));
    assert!(resolve(&store, "x").unwrap_err().message.contains("no run x"));
}
