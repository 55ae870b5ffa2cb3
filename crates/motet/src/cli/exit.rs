//! How the program ends, as a number that scripts can rely on.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Ok,
    /// What was asked for was done, and the answer is bad: a case failed, a check found errors.
    Failed,
    /// Wrong usage, or input that cannot be used.
    Invalid,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Ok => ExitCode::SUCCESS,
            Exit::Failed => ExitCode::from(1),
            Exit::Invalid => ExitCode::from(2),
        }
    }
}
