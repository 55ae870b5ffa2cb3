//! One process of a simulation: an engine on the shared storage.

use motet_core::units::Time;
use motet_host::engine::{Definitions, Settings};
use motet_host::{Engine, Memory, Places};

use super::faults::{Faults, Faulty};
use crate::workflows::Shelf;

pub struct Process {
    pub engine: Engine<Faulty>,
}

impl Process {
    /// Few places and little room, so that waiting and evictions happen.
    pub fn start(shelf: &Shelf, storage: &Memory, faults: &Faults, now: Time) -> Self {
        let store = Faulty { inner: storage.open_driver(now), faults: faults.clone() };
        let places = Places { total: 3, per_role: [("worker".to_string(), 2)].into(), ..Places::default() };
        let settings = Settings { places, most_resting: 1, files: false, ..Settings::default() };
        Self { engine: Engine::new(store, Definitions::new(shelf.clone()), settings) }
    }
}
