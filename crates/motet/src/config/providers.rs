//! Who offers models: where, over which protocol, and where the key is found. Some are built in.
//! Keys are read here and nowhere else; nothing here is written down but the names of what holds them.

use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path as FilePath, PathBuf};

use motet_agents::Secret;
use motet_agents::model::ProviderKind;
use motet_core::diagnostic::nearest;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::addresses::{has_password, parameters, place, refused, without_password};
use super::settings::{Entry, Layer, Origin, Problem, Setting};

/// The one address that may carry a password: it is read anew from here whenever a run is driven.
pub const OLLAMA_URL: &str = "OLLAMA_BASE_URL";

/// A model of a provider.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelName {
    pub provider: String,
    pub model: String,
}

impl fmt::Display for ModelName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.provider, self.model)
    }
}

/// What a run keeps of a provider: where it is, and where its key is found. No key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provider {
    #[serde(rename = "provider", default = "ollama")]
    pub name: String,
    #[serde(default)]
    pub kind: ProviderKind,
    /// Without a name or password that the address may carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyPlace>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence_ms: Option<u64>,
    /// Whether its own JSON-schema mode is used; None: where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<bool>,
    #[serde(skip)]
    pub free: bool,
    #[serde(skip)]
    pub temperature: Option<f64>,
    #[serde(skip)]
    pub max_tokens: Option<u64>,
}

fn ollama() -> String {
    "ollama".into()
}

/// Where a key is found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyPlace {
    Env(String),
    File(PathBuf),
}

/// The providers that everybody knows.
pub fn built_in() -> Layer {
    let known: [(&str, Value); 5] = [
        ("ollama", json!({ "kind": "ollama", "base_url": "http://localhost:11434", "free": true })),
        ("openai", json!({ "kind": "openai", "key_env": "OPENAI_API_KEY" })),
        ("anthropic", json!({ "kind": "anthropic", "key_env": "ANTHROPIC_API_KEY" })),
        ("gemini", json!({ "kind": "gemini", "key_env": "GEMINI_API_KEY" })),
        ("openrouter", json!({ "kind": "openai-compatible", "base_url": "https://openrouter.ai/api/v1", "key_env": "OPENROUTER_API_KEY" })),
    ];
    let mut layer = Layer::new();
    for (name, settings) in known {
        for (key, value) in settings.as_object().into_iter().flatten() {
            let path = vec!["providers".into(), name.into(), key.clone()];
            layer.push((path, Setting { value: value.clone(), origin: Origin::Default }));
        }
    }
    layer
}

impl Provider {
    pub fn read(entry: &Entry, directory: &FilePath) -> Result<Self, Problem> {
        let Some(kind) = entry.value("kind") else {
            return Err(entry.problem("kind", format!("has no `kind`: give one of {}", ProviderKind::WORDS.join(", "))));
        };
        let kind: ProviderKind = serde_json::from_value(kind.clone()).unwrap_or_default();
        let url = entry.text("base_url");
        if kind == ProviderKind::OpenAiCompatible && url.is_none() {
            return Err(entry.problem("kind", "has no `base_url`: say where the server listens, as in http://localhost:8080/v1"));
        }
        if let Some((name, _)) = url.as_deref().and_then(|url| parameters(url).next()) {
            let shown = url.as_deref().map(place).unwrap_or_default();
            let help = "an address of models has no query: name the key by `key_env` or `key_file`, and take away the `?` and what follows";
            return Err(entry.problem("base_url", format!("has `{name}=…` after the `?` of `base_url` ({shown}); {help}")));
        }
        if let Some(url) = url.as_deref().filter(|url| has_password(url)) {
            let said_by = entry.settings.get("base_url").map(|setting| &setting.origin);
            if said_by != Some(&Origin::Variable(OLLAMA_URL.into())) {
                let shown = refused(url, place(url));
                return Err(entry.problem("base_url", format!("has a password in `base_url` ({shown}): use `key_env` or `key_file`")));
            }
        }
        let key = key_place(entry, directory)?;
        Ok(Self {
            name: entry.name.clone(),
            kind,
            url: url.as_deref().map(without_password),
            key,
            parallel: entry.count("parallel"),
            requests_per_minute: entry.count("requests_per_minute"),
            silence_ms: entry.milliseconds("timeout"),
            structured: entry.value("structured").and_then(Value::as_bool),
            free: entry.is_set("free"),
            temperature: entry.number("temperature"),
            max_tokens: entry.count("max_tokens"),
        })
    }
}

/// The model that a name means: `provider/model`, or a model of Ollama.
pub fn model_named(name: &str, providers: &BTreeMap<String, Provider>) -> Result<ModelName, String> {
    let (provider, model) = name.split_once('/').unwrap_or(("ollama", name));
    if !providers.contains_key(provider) {
        let names = providers.keys().map(String::as_str);
        let help = match nearest(provider, names.clone()) {
            Some(meant) => format!("did you mean `{meant}/{model}`?"),
            None => format!(
                "there are {}; a model of Ollama with a slash in its name is written `ollama/{name}`",
                names.collect::<Vec<_>>().join(", ")
            ),
        };
        return Err(format!("names the model `{name}`, but there is no provider `{provider}`; {help}"));
    }
    if model.is_empty() || model.contains(char::is_whitespace) {
        return Err(format!("names the model `{name}`, but that is no name of a model: write `provider/model`, without blanks"));
    }
    Ok(ModelName { provider: provider.into(), model: model.into() })
}

impl fmt::Display for KeyPlace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyPlace::Env(variable) => out.write_str(variable),
            KeyPlace::File(path) => path.display().fmt(out),
        }
    }
}

impl KeyPlace {
    /// The key, or what is wrong and what to do about it.
    pub fn read(&self, lookup: impl Fn(&str) -> Option<String>) -> Result<Secret, String> {
        match self {
            KeyPlace::Env(variable) => {
                let key = lookup(variable).map(|key| key.trim().to_string()).filter(|key| !key.is_empty());
                key.map(Secret::new).ok_or_else(|| format!("the variable {variable} is not set; put the key there"))
            }
            KeyPlace::File(path) => read_key_file(path).map(Secret::new),
        }
    }
}

fn read_key_file(path: &FilePath) -> Result<String, String> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| format!("the key file {shown} cannot be read: {error}");
    let about = std::fs::metadata(path).map_err(unreadable)?;
    if !about.is_file() {
        return Err(format!("the key file {shown} is no file: name one that holds the key"));
    }
    let mode = about.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(format!("the key file {shown} can be read by others (mode {:03o}); close it with `chmod 600 {shown}`", mode & 0o777));
    }
    let key = std::fs::read_to_string(path).map_err(unreadable)?;
    let key = key.trim();
    if key.is_empty() || key.contains(char::is_whitespace) {
        return Err(format!("the key file {shown} must hold one key and nothing else"));
    }
    Ok(key.to_string())
}

/// The place of a key that a table names by its variable or its file.
pub(super) fn key_place(entry: &Entry, directory: &FilePath) -> Result<Option<KeyPlace>, Problem> {
    Ok(match (entry.text("key_env"), entry.text("key_file")) {
        (Some(_), Some(_)) => return Err(entry.problem("key_file", "has both `key_env` and `key_file`: keep one")),
        (Some(variable), None) => Some(KeyPlace::Env(variable)),
        (None, Some(file)) => {
            let origin = entry.settings.get("key_file").map_or(&Origin::Default, |setting| &setting.origin);
            Some(KeyPlace::File(beside(origin, directory).join(expand(&file))))
        }
        (None, None) => None,
    })
}

/// Where a relative path of a setting begins: beside the file that says it.
pub(super) fn beside<'a>(origin: &'a Origin, directory: &'a FilePath) -> &'a FilePath {
    match origin {
        Origin::File { path, .. } => path.parent().unwrap_or(directory),
        _ => directory,
    }
}

pub(super) fn expand(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(path),
    }
}
