//! Which drivers live: each holds an operating system's lock on a file of its own for as long as its process exists.
//! Who may write is not decided here but in the transaction of every commit; a lock only tells the living from the dead.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use motet_core::units::Time;

use crate::store::{DriverId, Error};

/// Several drivers of one process, as tests have them, must not share a name.
static TAKEN: AtomicU32 = AtomicU32::new(0);

pub struct Locks {
    directory: PathBuf,
}

impl Locks {
    pub fn under(home: &Path) -> Self {
        Self { directory: home.join("drivers") }
    }

    pub fn socket(&self, driver: &DriverId) -> PathBuf {
        self.directory.join(format!("{driver}.sock"))
    }

    /// A new driver's name, and the lock that shows that it lives.
    pub fn take(&self, now: Time) -> Result<(DriverId, File), Error> {
        self.create_private_directory().map_err(|error| self.failed(&self.directory, &error))?;
        loop {
            let count = TAKEN.fetch_add(1, Ordering::Relaxed);
            let id = DriverId(format!("{:x}-{}-{count}", now.0, std::process::id()));
            let path = self.path(&id);
            let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => file,
                // Another machine's process with our number on a shared directory.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(self.failed(&path, &error)),
            };
            file.lock().map_err(|error| self.failed(&path, &error))?;
            return Ok((id, file));
        }
    }

    /// Whether a driver's process lives. Shared locks, so that two who ask at once do not take each other for it.
    pub fn is_held(&self, driver: &DriverId) -> bool {
        let Ok(file) = File::open(self.path(driver)) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// Clears away what a dead driver left.
    pub fn clear(&self, driver: &DriverId) {
        // What stays behind is only untidy: nobody takes a free lock for a living driver.
        let _ = std::fs::remove_file(self.path(driver));
        let _ = std::fs::remove_file(self.socket(driver));
    }

    /// Whoever can open a driver's socket can command it.
    fn create_private_directory(&self) -> std::io::Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::create_dir_all(&self.directory)?;
        std::fs::set_permissions(&self.directory, std::fs::Permissions::from_mode(0o700))
    }

    fn path(&self, driver: &DriverId) -> PathBuf {
        self.directory.join(format!("{driver}.lock"))
    }

    fn failed(&self, path: &Path, error: &std::io::Error) -> Error {
        Error::Io(format!("{}: {error}", path.display()))
    }
}
