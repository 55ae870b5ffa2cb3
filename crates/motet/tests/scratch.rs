//! A directory of a test's own, which is gone when the test is over.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("motet-scratch-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory for a test");
        Self(path.canonicalize().expect("the path of that directory"))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn write(&self, file: &str, content: impl AsRef<[u8]>) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap_or(&self.0)).expect("a directory for a file of a test");
        fs::write(path, content).expect("a file of a test");
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
