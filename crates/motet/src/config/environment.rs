//! Settings from variables: `MOTET_` and the path with `__` between its parts, as in `MOTET_AGENTS__WRITER__MODEL`.
//! The variables that Ollama is known by are read as well. The environment itself is the caller's.

use std::collections::BTreeMap;

use motet_agents::model::{OLLAMA_VARIABLES, OllamaSettings};
use motet_core::diagnostic::nearest;
use serde_json::Value;

use super::EVERYBODY;
use super::flags::every_model;
use super::keys::{self, Place};
use super::kinds::Kind;
use super::settings::{Layer, Origin, Path, Problem, Setting, Settings};
use crate::home;

const PREFIX: &str = "MOTET_";
/// What `*` is called in a variable.
const EVERYBODY_WORD: &str = "all";
/// The model that Ollama is asked for where nothing says which.
const USUAL_MODEL: &str = "mistral:latest";

/// The model for all, as `--model` says it.
const MODEL: &str = "MOTET_MODEL";
/// What is said often has a short name.
const SHORT: [(&str, &[&str]); 2] = [("MOTET_BUDGET", &["budget", "per_run"]), ("MOTET_PARALLEL", &["parallel"])];
/// What is no setting: the place of the runs, what programs are told of their task, and what tests are told.
const OTHERS: [&str; 11] =
    ["HOME", "RUN", "TASK", "KEY", "ATTEMPT", "DRIVER", "RUN_DIR", "BINARY", "LIVE_BASE_URL", "LIVE_MODEL", "LIVE_API_KEY"];

/// The variables that say how Ollama is reached and asked, whatever else is configured.
const OLLAMA: [(&str, &str); 4] = [
    ("OLLAMA_BASE_URL", "base_url"),
    ("OLLAMA_TEMPERATURE", "temperature"),
    ("OLLAMA_MAX_TOKENS", "max_tokens"),
    ("OLLAMA_REQUEST_TIMEOUT", "timeout"),
];
const OLLAMA_MODEL: &str = "OLLAMA_MODEL_NAME";

/// Every variable that has a name of its own: what it must be, and what it says.
pub fn named() -> Vec<(&'static str, String, &'static str)> {
    const ABOUT: [(&str, &str); 5] = [
        ("OLLAMA_BASE_URL", "where Ollama listens; `http://localhost:11434` unless said"),
        (OLLAMA_MODEL, "its model where nothing else names one; `mistral:latest` unless said"),
        ("OLLAMA_TEMPERATURE", "of all its models, where the role does not say; 0.7 unless said"),
        ("OLLAMA_MAX_TOKENS", "the longest answer, where the role does not say; 100 unless said"),
        ("OLLAMA_REQUEST_TIMEOUT", "the silence before a call has failed; 30 unless said"),
    ];
    let about = |name: &str| ABOUT.iter().find(|(known, _)| *known == name).map_or("", |(_, about)| *about);
    let own = [
        (MODEL, "a model, as `provider/model`".to_string(), "what `--model` says: who plays every role that a model or rules would play"),
        (SHORT[0].0, Kind::Money.wanted(), "`budget.per_run`"),
        (SHORT[1].0, Kind::Count.wanted(), "`parallel`"),
        (home::VARIABLE, "a directory".to_string(), "where runs are kept, as `--home` says it"),
    ];
    own.into_iter().chain(OLLAMA_VARIABLES.map(|(name, wanted)| (name, wanted.to_string(), about(name)))).collect()
}

/// Whoever sets one of Ollama's variables has Ollama; files and `MOTET_` variables still count over this.
pub fn habits(variables: &BTreeMap<String, String>) -> Layer {
    let model = said(variables, OLLAMA_MODEL);
    let first =
        model.map(|_| OLLAMA_MODEL).or_else(|| OLLAMA.map(|(name, _)| name).into_iter().find(|name| said(variables, name).is_some()));
    let Some(variable) = first else { return Vec::new() };
    let value = Value::String(format!("ollama/{}", model.unwrap_or(USUAL_MODEL)));
    vec![(path(&["agents", EVERYBODY, "model"]), Setting { value, origin: Origin::Variable(variable.into()) })]
}

/// The model for all, over what all files say of any role that a model plays. Variables of single roles count over it.
pub fn for_all(variables: &BTreeMap<String, String>, below: &Settings) -> (Layer, Vec<Problem>) {
    let Some(model) = said(variables, MODEL) else { return (Layer::new(), Vec::new()) };
    match every_model(&Origin::Variable(MODEL.into()), model, below) {
        Ok(layer) => (layer, Vec::new()),
        Err(problem) => (Layer::new(), vec![problem]),
    }
}

/// What the other variables say over all files.
pub fn read(variables: &BTreeMap<String, String>, below: &Settings) -> (Layer, Vec<Problem>) {
    let (mut layer, mut problems) = (Vec::new(), Vec::new());
    let mut take = |variable: &str, path: Path, written: &str| match setting(variable, &path, written) {
        Ok(setting) => layer.push((path, setting)),
        Err(problem) => problems.push(problem),
    };
    let unusable = OllamaSettings::from_environment(|name| variables.get(name).cloned()).err().unwrap_or_default();
    for (variable, key) in OLLAMA {
        let Some(written) = said(variables, variable).filter(|_| unusable.iter().all(|problem| problem.variable != variable)) else {
            continue;
        };
        // Seconds, without saying so.
        let written = if key == "timeout" { format!("{written}s") } else { written.to_string() };
        take(variable, path(&["providers", "ollama", key]), &written);
    }
    for (variable, written) in variables.iter().filter(|(_, written)| !written.trim().is_empty()) {
        let Some(name) = variable.strip_prefix(PREFIX) else { continue };
        match SHORT.iter().find(|(short, _)| short == variable) {
            Some((_, long)) => take(variable, path(long), written),
            None if name.contains("__") => take(variable, long_path(name, below), written),
            None => {}
        }
    }
    problems.extend(
        unusable.into_iter().map(|problem| Problem { origin: Origin::Variable(problem.variable.into()), message: problem.message }),
    );
    problems.extend(misspelt(variables));
    (layer, problems)
}

fn setting(variable: &str, path: &Path, written: &str) -> Result<Setting, Problem> {
    let origin = Origin::Variable(variable.into());
    let problem = |message: String| Problem { origin: origin.clone(), message };
    match keys::place(path) {
        Place::Leaf(key) => {
            let value = key.kind.parse(written).ok_or_else(|| problem(format!("must be {}", key.kind.wanted())))?;
            Ok(Setting { value, origin })
        }
        Place::Table => Err(problem(format!("`{}` has settings of its own; add one of them after another `__`", path.join(".")))),
        Place::Unknown(meant) => {
            let help = meant.map_or_else(|| "`motet config show` lists what there is".into(), |meant| format!("did you mean `{meant}`?"));
            Err(problem(format!("there is no setting `{}`; {help}", path.join("."))))
        }
    }
}

/// The path that a variable's name spells. Names of roles and the like are looked up, since a variable has no small letters.
fn long_path(name: &str, below: &Settings) -> Path {
    let mut parts: Path = name.split("__").map(str::to_lowercase).collect();
    if let [table, name, ..] = &mut parts[..] {
        let spelt = |known: &String| known.to_lowercase().replace(['-', '.', ' '], "_") == *name;
        if table == "agents" && name == EVERYBODY_WORD {
            *name = EVERYBODY.into();
        } else if let Some(known) = below.names(table).into_iter().find(spelt) {
            *name = known;
        }
    }
    parts
}

/// A name that is nearly right would be overlooked in silence. What means nothing here may mean something to whoever set it.
fn misspelt(variables: &BTreeMap<String, String>) -> Vec<Problem> {
    let short = || SHORT.iter().map(|(short, _)| *short).chain([MODEL, home::VARIABLE]).map(|short| &short[PREFIX.len()..]);
    let suspects = variables.keys().filter_map(|variable| Some((variable, variable.strip_prefix(PREFIX)?)));
    let suspects = suspects.filter(|(_, name)| !name.contains("__") && !short().chain(OTHERS).any(|known| known == *name));
    let told = suspects.filter_map(|(variable, name)| {
        let message = match nearest(name, short()).filter(|_| name.len() > 3) {
            Some(meant) => format!("there is no such variable; did you mean `{PREFIX}{meant}`?"),
            None => {
                let meant = spelt_by_one(name)?;
                format!("there is no such variable; two `_` stand between the parts of a setting, as in `{PREFIX}{meant}`")
            }
        };
        Some(Problem { origin: Origin::Variable(variable.clone()), message })
    });
    told.collect()
}

/// `AGENTS_WRITER_MODEL` spells a setting, but not in the way in which one is written: `AGENTS__WRITER__MODEL`.
fn spelt_by_one(name: &str) -> Option<String> {
    let words: Vec<&str> = name.split('_').collect();
    let (most_parts, gaps) = (keys::KEYS.iter().map(|key| key.path.len()).max()?, words.len() - 1);
    // A name with so many words is no setting, and has too many ways to be parted.
    if gaps == 0 || gaps > 8 || words.iter().any(|word| word.is_empty()) {
        return None;
    }
    let parted = |parting: u32| {
        let mut path = vec![words[0].to_string()];
        for (gap, word) in words[1..].iter().enumerate() {
            match path.last_mut().filter(|_| parting & (1 << gap) == 0) {
                Some(part) => *part = format!("{part}_{word}"),
                None => path.push((*word).to_string()),
            }
        }
        path
    };
    let is_setting = |path: &Path| {
        let small: Path = path.iter().map(|part| part.to_lowercase()).collect();
        path.len() <= most_parts && matches!(keys::place(&small), Place::Leaf(_))
    };
    (1..1 << gaps).map(parted).find(is_setting).map(|path| path.join("__"))
}

fn said<'a>(variables: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    variables.get(name).map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn path(parts: &[&str]) -> Path {
    parts.iter().map(ToString::to_string).collect()
}

/// A flag's value as a setting.
pub fn flag(name: &str, parts: &[&str], kind: Kind, written: &str) -> Result<(Path, Setting), Problem> {
    let origin = Origin::Flag(name.into());
    match kind.parse(written) {
        Some(value) => Ok((path(parts), Setting { value, origin })),
        None => Err(Problem { origin, message: format!("must be {}", kind.wanted()) }),
    }
}
