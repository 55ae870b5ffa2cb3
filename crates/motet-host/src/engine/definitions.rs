//! Where definitions come from, each compiled once however many runs use it.
//! Reading files and knowing what is installed is the program's business: it gives both through `Workflows`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use motet_core::names::Digest;
use motet_core::{Definition, Folder};

use crate::journal::{self, pack_folder, unpack_folder};
use crate::store::{Payload, RunRecord, Store};

/// What the program knows of workflows.
pub trait Workflows: Send {
    /// The workflow of this name as it is installed now, for a new child run.
    fn named(&self, name: &str) -> Result<Arc<Definition>, String>;

    /// The workflow of these texts, for a run that was pinned to them.
    fn of(&self, folder: Folder) -> Result<Arc<Definition>, String>;
}

pub struct Definitions {
    workflows: Box<dyn Workflows>,
    known: RefCell<BTreeMap<Digest, Known>>,
}

/// A definition, and the content that pins it.
struct Known {
    definition: Arc<Definition>,
    content: Arc<[u8]>,
}

impl Definitions {
    pub fn new(workflows: impl Workflows + 'static) -> Self {
        Self { workflows: Box::new(workflows), known: RefCell::default() }
    }

    pub fn named(&self, name: &str) -> Result<Arc<Definition>, String> {
        let definition = self.workflows.named(name)?;
        self.remember(&definition);
        Ok(definition)
    }

    /// The definition that a run is pinned to.
    pub fn pinned(&self, store: &dyn Store, record: &RunRecord) -> Result<Arc<Definition>, journal::Error> {
        if let Some(known) = self.known.borrow().get(&record.digest) {
            return Ok(known.definition.clone());
        }
        let unusable = |why: String| journal::Error::Definition { run: record.id.clone(), why };
        let content = store.payload(&record.digest)?.ok_or_else(|| unusable("its texts are missing from the database".into()))?;
        let definition = unpack_folder(&content).and_then(|folder| self.workflows.of(folder)).map_err(unusable)?;
        if definition.digest != record.digest {
            let (found, pinned) = (definition.digest.short(), record.digest.short());
            return Err(unusable(format!("its texts have digest {found} now, and the run is pinned to {pinned}")));
        }
        self.remember(&definition);
        Ok(definition)
    }

    /// The content that pins a definition.
    pub fn payload(&self, definition: &Arc<Definition>) -> Payload {
        Payload { digest: definition.digest.clone(), content: self.remember(definition) }
    }

    fn remember(&self, definition: &Arc<Definition>) -> Arc<[u8]> {
        let mut known = self.known.borrow_mut();
        let pin = || Known { definition: definition.clone(), content: pack_folder(&definition.folder).into() };
        known.entry(definition.digest.clone()).or_insert_with(pin).content.clone()
    }
}
