//! What a library is opened with, and which sources a search is for.
//! It reads no file and no environment: the program does, and hands the result over.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::services::Services;
use crate::extract::Limits;
use crate::fetch::FetchSettings;
use crate::source::{Source, SourceKind};

/// Nothing but the two folders is needed.
pub struct Settings {
    /// The run's folder: its `assets/` hold the archive.
    pub home: PathBuf,
    /// Where the index of the documents is kept; several runs may share one.
    pub index_home: PathBuf,
    /// The user's own folders.
    pub documents: Vec<PathBuf>,
    pub services: Services,
    pub fetch: FetchSettings,
    pub limits: Limits,
    /// Searches of others, such as the tools of MCP servers.
    pub extra: Vec<Arc<dyn Source>>,
    /// No request leaves the machine.
    pub offline: bool,
}

impl Settings {
    pub fn new(home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Self {
            index_home: home.join("index"),
            home,
            documents: Vec::new(),
            services: Services::default(),
            fetch: FetchSettings::default(),
            limits: Limits::default(),
            extra: Vec::new(),
            offline: false,
        }
    }
}

/// Which sources a search is for. A question about one's own documents never goes to strangers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    #[default]
    Everything,
    Documents,
    Web,
    Academic,
    News,
}

impl Scope {
    pub fn holds(self, kind: SourceKind) -> bool {
        match self {
            Self::Everything => true,
            Self::Documents => kind == SourceKind::Local,
            Self::Web => matches!(kind, SourceKind::Web | SourceKind::Encyclopaedia | SourceKind::Tool),
            Self::Academic => kind == SourceKind::Academic,
            Self::News => kind == SourceKind::News,
        }
    }
}
