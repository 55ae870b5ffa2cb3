//! `motet.toml`: who plays which role, and who holds which office. A workflow says neither.
//! It reads one file and checks its words; whether a program or a model exists shows when it is asked.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use motet_core::event::Price;
use motet_core::units::Usd;
use motet_host::Places;
use serde::Deserialize;

use crate::cli::Failure;

pub const FILE: &str = "motet.toml";
/// Stands for every role that is not named.
pub const EVERYBODY: &str = "*";

/// ```toml
/// parallel = 8
/// [agents.writer]
/// command = ["my-writer", "--fast"]
/// parallel = 2
/// [agents."*"]
/// model = "gemma2:2b"
/// [people]
/// approver = ["ada", "grace"]
/// ```
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// By role.
    #[serde(default)]
    pub agents: BTreeMap<String, Player>,
    /// Who holds which office, for gates that ask for one.
    #[serde(default)]
    pub people: BTreeMap<String, Vec<String>>,
    /// How many calls may run at once, over all runs of a process.
    pub parallel: Option<NonZeroUsize>,
    /// Where it was read.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

/// Who plays a role: a program, a person, or a model.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Player {
    pub command: Option<Vec<String>>,
    /// Tells what became of an interrupted attempt of the command.
    pub verify: Option<Vec<String>>,
    #[serde(default)]
    pub person: bool,
    /// A model of Ollama.
    pub model: Option<String>,
    pub price: Option<PriceTable>,
    /// How many calls of this role may run at once.
    pub parallel: Option<NonZeroUsize>,
}

/// Dollars.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceTable {
    #[serde(default)]
    call: f64,
    #[serde(default)]
    input_per_million: f64,
    #[serde(default)]
    output_per_million: f64,
}

impl Config {
    /// The nearest file upwards; without one, everything is as by default.
    pub fn near(directory: &Path) -> Result<Self, Failure> {
        let Some(path) = directory.ancestors().map(|directory| directory.join(FILE)).find(|path| path.is_file()) else {
            return Ok(Self::default());
        };
        let text =
            std::fs::read_to_string(&path).map_err(|error| Failure::invalid(format!("{} cannot be read: {error}", path.display())))?;
        let config = Self::read(&text).map_err(|why| Failure::invalid(format!("{}: {why}", path.display())))?;
        Ok(Self { file: Some(path), ..config })
    }

    fn read(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_string())?;
        for (role, player) in &config.agents {
            player.check().map_err(|why| format!("[agents.{role}] {why}"))?;
        }
        Ok(config)
    }

    /// Room for calls: overall, and by role.
    pub fn places(&self) -> Places {
        let per_role = self.agents.iter().filter_map(|(role, player)| Some((role.clone(), player.parallel?.get())));
        let total = self.parallel.map_or(Places::default().total, NonZeroUsize::get);
        Places { total, per_role: per_role.collect() }
    }

    /// Who plays a role, as far as this file says.
    pub fn player(&self, role: &str) -> Option<&Player> {
        self.agents.get(role).or_else(|| self.agents.get(EVERYBODY))
    }
}

impl Player {
    fn check(&self) -> Result<(), String> {
        let kinds = usize::from(self.command.is_some()) + usize::from(self.person) + usize::from(self.model.is_some());
        match kinds {
            0 if self.price.is_none() && self.parallel.is_none() => {
                return Err("says nobody: give `command`, `model` or `person = true`".into());
            }
            0 | 1 => {}
            _ => return Err("names several players: give one of `command`, `model` and `person`".into()),
        }
        if self.command.as_ref().is_some_and(Vec::is_empty) {
            return Err("has an empty `command`: give the program and its arguments, as in [\"prog\", \"arg\"]".into());
        }
        if self.verify.is_some() && self.command.is_none() {
            return Err("has `verify` without `command`".into());
        }
        match self.price.map(PriceTable::price) {
            Some(None) => Err("has a price below zero".into()),
            _ => Ok(()),
        }
    }
}

impl PriceTable {
    /// None if a number in it is no amount of money.
    pub fn price(self) -> Option<Price> {
        Some(Price {
            call: Usd::from_dollars(self.call)?,
            input_per_million: Usd::from_dollars(self.input_per_million)?,
            output_per_million: Usd::from_dollars(self.output_per_million)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(), &str>) {
        match (Config::read(text), expected) {
            (Ok(_), Ok(())) => {}
            (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
            (found, expected) => panic!("{text}: {found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn each_kind_of_player_is_read() {
        check("[agents.writer]\ncommand = ['w', '-x']\nverify = ['v']\n[agents.'*']\nmodel = 'm'\nprice = { call = 0.01 }", Ok(()));
        check("[agents.editor]\nperson = true\n[people]\napprover = ['ada']", Ok(()));
        let config = Config::read("[agents.writer]\nperson = true\n[agents.'*']\nmodel = 'm'").unwrap();
        assert!(config.player("writer").unwrap().person);
        assert_eq!(config.player("reviewer").unwrap().model.as_deref(), Some("m"));
    }

    #[test]
    fn room_for_calls_is_read() {
        let places = Config::read("parallel = 8\n[agents.writer]\nparallel = 2").unwrap().places();
        assert_eq!((places.total, places.per_role.get("writer")), (8, Some(&2)));
        assert_eq!(Config::default().places().total, Places::default().total);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        check("[agents.writer]\ncomand = ['w']", Err("unknown field `comand`"));
        check("[agents.writer]\ncomand = ['w']", Err("line 2"));
        check("[agent.writer]", Err("unknown field `agent`"));
        check("[agents.writer]", Err("[agents.writer] says nobody"));
        check("[agents.writer]\ncommand = []", Err("empty `command`"));
        check("[agents.writer]\nmodel = 'm'\nperson = true", Err("names several players"));
        check("[agents.writer]\nverify = ['v']\nperson = true", Err("`verify` without `command`"));
        check("[agents.writer]\nmodel = 'm'\nprice = { call = -1.0 }", Err("below zero"));
        check("[people]\napprover = 'ada'", Err("line 2"));
        check("parallel = 0", Err("line 1"));
    }
}
