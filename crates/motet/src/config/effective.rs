//! What really holds of a setting, with where it was said: by itself, for everybody, or by nobody, so that what is built in holds.
//! It only looks; how it is shown, others decide.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::defaults::{self, Usual};
use super::keys::{ANY, KEYS, Place, place};
use super::settings::Origin;
use super::{Config, EVERYBODY, Who, fitting};

/// One setting as it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Holds {
    pub key: String,
    pub value: Usual,
    pub origin: Origin,
    /// Said of everybody, and not of this role.
    pub is_inherited: bool,
}

impl Config {
    /// Everything that somebody has said, and the built-in values that stand beside it.
    pub fn everything(&self) -> Vec<Holds> {
        let mut all: Vec<Holds> =
            self.settings.iter().map(|(path, setting)| Holds::said(path.join("."), &setting.value, &setting.origin)).collect();
        let unsaid = KEYS.iter().filter(|key| !key.path.contains(&ANY) && self.settings.setting(key.path).is_none());
        all.extend(unsaid.map(|key| self.built_in(key.path)).filter(|holds| matches!(holds.value, Usual::Value(_))));
        all.sort_by(|one, other| one.key.cmp(&other.key));
        all
    }

    /// What holds of one setting, or of all below a table. None: there is no such setting, or nobody of that name.
    /// `roles` are those of the workflows that are there.
    pub fn holding(&self, path: &[String], roles: &BTreeSet<String>) -> Option<Vec<Holds>> {
        if !self.is_there(path, roles) {
            return None;
        }
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        let found = match (place(path), &parts[..]) {
            (Place::Unknown(_), _) => return None,
            (Place::Leaf(_), _) => vec![self.leaf(&parts)],
            (Place::Table, ["agents", role]) => self.role(role),
            (Place::Table, _) => {
                let above = format!("{}.", parts.join("."));
                let mut found: Vec<Holds> = self.everything().into_iter().filter(|holds| holds.key.starts_with(&above)).collect();
                if found.is_empty() {
                    found = self.unsaid_below(&parts);
                }
                found
            }
        };
        Some(found)
    }

    /// A name that the user chooses is there if something is said of it; a role also if somebody could play it.
    fn is_there(&self, path: &[String], roles: &BTreeSet<String>) -> bool {
        match path {
            [table, name, ..] if table == "agents" => {
                name == EVERYBODY || roles.contains(name) || self.settings.names(table).contains(name)
            }
            [table, name, ..] if ["providers", "tools", "people"].contains(&table.as_str()) => self.settings.names(table).contains(name),
            _ => true,
        }
    }

    fn leaf(&self, path: &[&str]) -> Holds {
        if let ["agents", role, key] = path {
            return self.of_role(role, key);
        }
        match self.settings.setting(path) {
            Some(setting) => Holds::said(path.join("."), &setting.value, &setting.origin),
            None => self.built_in(path),
        }
    }

    fn of_role(&self, role: &str, key: &str) -> Holds {
        let path = ["agents", role, key];
        match fitting::of_role(&self.settings, role).settings.get(key) {
            Some(setting) => {
                let is_inherited = role != EVERYBODY && self.settings.setting(&path).is_none();
                Holds { is_inherited, ..Holds::said(path.join("."), &setting.value, &setting.origin) }
            }
            None if key == "offline" && self.plays_by_rules(role) => Holds::said(path.join("."), &json!(true), &Origin::Default),
            None => self.built_in(&path),
        }
    }

    /// Everything that is said of it or of everybody; and that rules play it, where nobody says who does.
    fn role(&self, role: &str) -> Vec<Holds> {
        let said = fitting::of_role(&self.settings, role).settings;
        let mut all: Vec<Holds> = said.keys().map(|key| self.of_role(role, key)).collect();
        if self.plays_by_rules(role) && !said.contains_key("offline") {
            all.insert(0, self.of_role(role, "offline"));
        }
        all
    }

    fn plays_by_rules(&self, role: &str) -> bool {
        let player = self.player(role);
        player.is_none_or(|player| matches!(player.who, None | Some(Who::Offline)))
    }

    fn unsaid_below(&self, table: &[&str]) -> Vec<Holds> {
        let below =
            KEYS.iter().filter(|key| key.path.len() == table.len() + 1 && key.path.iter().zip(table).all(|(part, name)| part == name));
        below.filter(|key| !key.path.contains(&ANY)).map(|key| self.built_in(key.path)).collect()
    }

    fn built_in(&self, path: &[&str]) -> Holds {
        Holds { key: path.join("."), value: defaults::of(path, self), origin: Origin::Default, is_inherited: false }
    }
}

impl Holds {
    fn said(key: String, value: &Value, origin: &Origin) -> Self {
        Self { key, value: Usual::Value(value.clone()), origin: origin.clone(), is_inherited: false }
    }
}
