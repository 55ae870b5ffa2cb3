//! Settings with where each comes from, laid over each other: what is said later counts, value by value.
//! What a setting means, others know.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

/// Where a value was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    File {
        path: PathBuf,
        line: usize,
    },
    Variable(String),
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => out.write_str("built in"),
            Origin::File { path, line } => write!(out, "{}:{line}", path.display()),
            Origin::Variable(name) => write!(out, "${name}"),
            Origin::Flag(name) => out.write_str(name),
        }
    }
}

pub type Path = Vec<String>;

#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    pub value: Value,
    pub origin: Origin,
}

/// What one place says.
pub type Layer = Vec<(Path, Setting)>;

/// Values of which a later layer's one replaces an earlier layer's other: two of them cannot hold at once.
struct Choice {
    table: &'static str,
    /// One of these is chosen.
    between: &'static [&'static str],
    /// What was said of the earlier choice, and not of the later one. What an agent may do is said of its role, whoever plays it.
    with: &'static [&'static str],
}

const CHOICES: [Choice; 4] = [
    Choice {
        table: "agents",
        between: &["model", "command", "preset", "acp", "person", "offline"],
        with: &["verify", "with_model", "program", "arguments", "session_mode", "session_options", "fallback", "price", "unattended"],
    },
    Choice { table: "providers", between: &["key_env", "key_file"], with: &[] },
    Choice { table: "sources", between: &["key_env", "key_file"], with: &[] },
    Choice { table: "tools", between: &["command", "url"], with: &["env", "secret_env", "headers_env"] },
];

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings(BTreeMap<Path, Setting>);

impl Settings {
    /// Lays what one place says over all that was said before.
    pub fn lay(&mut self, layer: Layer) {
        for (path, setting) in &layer {
            self.forget_other_choices(path, setting);
        }
        self.0.extend(layer);
    }

    fn forget_other_choices(&mut self, path: &[String], setting: &Setting) {
        let [table, name, key] = path else { return };
        let chosen = |choice: &&Choice| choice.table == table && choice.between.contains(&key.as_str());
        let Some(choice) = CHOICES.iter().find(chosen).filter(|_| setting.value != Value::Bool(false)) else { return };
        for other in choice.between.iter().chain(choice.with) {
            self.0.remove(&vec![table.clone(), name.clone(), other.to_string()]);
        }
    }

    pub fn setting(&self, path: &[&str]) -> Option<&Setting> {
        self.0.get(&path.iter().map(ToString::to_string).collect::<Path>())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Path, &Setting)> {
        self.0.iter()
    }

    /// The names below a table, in order.
    pub fn names(&self, table: &str) -> Vec<String> {
        let mut names: Vec<String> = self.0.keys().filter(|path| path[0] == table).filter_map(|path| path.get(1).cloned()).collect();
        names.dedup();
        names
    }

    /// What is said of one name of a table.
    pub fn of(&self, table: &str, name: &str) -> Entry {
        let settings = self.0.iter().filter(|(path, _)| path.len() == 3 && path[0] == table && path[1] == name);
        Entry {
            table: table.into(),
            name: name.into(),
            settings: settings.map(|(path, setting)| (path[2].clone(), setting.clone())).collect(),
        }
    }

    /// What is said of one name, over what is said of another that stands for all.
    pub fn of_over(&self, table: &str, name: &str, everybody: &str) -> Entry {
        let rename = |(key, setting): (String, Setting)| (vec![table.to_string(), name.to_string(), key], setting);
        let mut merged = Settings::default();
        for general in [everybody, name] {
            merged.lay(self.of(table, general).settings.into_iter().map(rename).collect());
        }
        merged.of(table, name)
    }
}

/// What is said of one role, provider or server.
pub struct Entry {
    pub table: String,
    pub name: String,
    pub settings: BTreeMap<String, Setting>,
}

impl Entry {
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.settings.get(key).map(|setting| &setting.value)
    }

    pub fn text(&self, key: &str) -> Option<String> {
        self.value(key)?.as_str().map(|text| text.trim().to_string())
    }

    pub fn count(&self, key: &str) -> Option<u64> {
        self.value(key)?.as_u64()
    }

    pub fn number(&self, key: &str) -> Option<f64> {
        self.value(key)?.as_f64()
    }

    pub fn is_set(&self, key: &str) -> bool {
        self.value(key) == Some(&Value::Bool(true))
    }

    pub fn texts(&self, key: &str) -> Option<Vec<String>> {
        let texts = self.value(key)?.as_array()?.iter().filter_map(Value::as_str);
        Some(texts.map(String::from).collect())
    }

    pub fn table(&self, key: &str) -> BTreeMap<String, String> {
        let table = self.value(key).and_then(Value::as_object).into_iter().flatten();
        table.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_string()))).collect()
    }

    pub fn milliseconds(&self, key: &str) -> Option<u64> {
        motet_core::units::parse_duration(&self.text(key)?)
    }

    /// A problem of one of its values, with where that was said.
    pub fn problem(&self, key: &str, message: impl fmt::Display) -> Problem {
        let origin =
            self.settings.get(key).or_else(|| self.settings.values().next()).map_or(Origin::Default, |setting| setting.origin.clone());
        Problem { origin, message: format!("[{}.{}] {message}", self.table, self.name) }
    }
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub origin: Origin,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.origin, self.message)
    }
}
