//! The newtypes for everything that has a name or an id.
//! They are cheap to clone and order by their text; none of them is ever parsed for meaning.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            pub fn new(text: impl AsRef<str>) -> Self {
                Self(Arc::from(text.as_ref()))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, out)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                String::deserialize(from).map(Self::new)
            }
        }
    };
}

name!(
    /// One execution of a workflow: `slogan-k3f9a`.
    RunId
);
name!(
    /// A state of a workflow.
    StateName
);
name!(
    /// An agent of a workflow.
    AgentName
);
name!(
    /// A counter of a workflow.
    CounterName
);
name!(
    /// One task of one run: `reviewing.2` is the task of the second visit of `reviewing`,
    /// `reviewing.2/3` the third of its items, `building.1/api` the plan task `api`.
    TaskId
);
name!(
    /// One gate of one run.
    GateId
);
name!(
    /// One timer of one run.
    TimerId
);
name!(
    /// The SHA-256 of some content, as lower-case hex.
    Digest
);

impl TimerId {
    const TIMEOUT: &str = "timeout";
    const TIME_LIMIT: &str = "time";

    /// The timer that ends the attempt of this task which is under way.
    pub fn timeout(task: &TaskId) -> Self {
        Self::new(format!("{}:{task}", Self::TIMEOUT))
    }

    /// The task whose attempt it ends, if it is such a timer.
    pub fn times_out(&self) -> Option<TaskId> {
        let (what, task) = self.as_str().split_once(':')?;
        (what == Self::TIMEOUT).then(|| TaskId::new(task))
    }

    /// Whether it marks the end of the run's own time.
    pub fn is_time_limit(&self) -> bool {
        self.as_str() == Self::TIME_LIMIT
    }
}

impl Digest {
    pub fn of(content: &[u8]) -> Self {
        use sha2::Digest as _;
        Self::from_bytes(&sha2::Sha256::digest(content))
    }

    pub fn from_bytes(bytes: &[u8]) -> Self {
        use std::fmt::Write as _;
        let mut hex = String::with_capacity(bytes.len() * 2);
        for byte in bytes {
            let _ = write!(hex, "{byte:02x}");
        }
        Self::new(hex)
    }

    /// The first twelve characters: what people see.
    pub fn short(&self) -> &str {
        self.as_str().get(..12).unwrap_or(self.as_str())
    }
}
