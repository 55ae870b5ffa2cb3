//! How the program ends, as a number that scripts can rely on.

use std::process::ExitCode;

use motet_core::State;
use motet_core::state::Status;
use motet_core::view::{self, RunStatus};

/// In the order of how bad it is, so that of several the worst can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Ok,
    /// The run completed without something that it would have liked to have.
    Partial,
    /// A gate is open, or the run was paused: somebody has to say how it goes on.
    Waiting,
    /// The money or the time of the run is used up; it can be given more.
    OutOfBudget,
    /// Another process drives the run; nothing was done.
    Driven,
    /// The run is open and nobody drives it; it can be resumed.
    Interrupted,
    /// What was asked for was done, and the answer is bad: a run or a case failed, a check found errors.
    Failed,
    /// Wrong usage, or input that cannot be used.
    Invalid,
}

/// Every exit code with what it means: the table of `motet help` and of the guide.
pub const TABLE: [(Exit, u8, &str); 8] = [
    (Exit::Ok, 0, "completed"),
    (Exit::Failed, 1, "failed, aborted or cancelled"),
    (Exit::Invalid, 2, "wrong usage or invalid input"),
    (Exit::Partial, 3, "completed in part"),
    (Exit::Waiting, 4, "waits for a person"),
    (Exit::OutOfBudget, 5, "the budget or the time is used up"),
    (Exit::Driven, 6, "another process drives the run"),
    (Exit::Interrupted, 130, "interrupted; the run can be resumed"),
];

impl Exit {
    pub fn code(self) -> u8 {
        TABLE.iter().find(|(exit, ..)| *exit == self).map_or(1, |(_, code, _)| *code)
    }

    /// What a run that nobody drives any further comes to.
    pub fn of(state: &State) -> Self {
        match (view::status(state), &state.status) {
            (RunStatus::Completed, _) => Exit::Ok,
            (RunStatus::Partial, _) => Exit::Partial,
            (RunStatus::Failed | RunStatus::Aborted | RunStatus::Cancelled, _) => Exit::Failed,
            (RunStatus::OutOfBudget, _) | (RunStatus::Paused, Status::Paused { limit: Some(_), .. }) => Exit::OutOfBudget,
            (RunStatus::WaitingUser | RunStatus::Paused, _) => Exit::Waiting,
            (RunStatus::Running, _) => Exit::Interrupted,
        }
    }

    /// For the end of a help page.
    pub fn table() -> String {
        let rows = TABLE.iter().map(|(_, code, meaning)| format!("  {code:>3}  {meaning}\n"));
        format!("Exit codes:\n{}", rows.collect::<String>())
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exit_has_a_code_of_its_own() {
        let codes: std::collections::BTreeSet<u8> = TABLE.iter().map(|(_, code, _)| *code).collect();
        assert_eq!(codes.len(), TABLE.len());
        assert!(TABLE.iter().all(|(exit, code, _)| exit.code() == *code));
        assert!(Exit::table().contains("130  interrupted"));
    }
}
