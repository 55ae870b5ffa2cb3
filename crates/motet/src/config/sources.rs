//! Where evidence may be found, as the settings say it: folders, services, feeds, search tools, and what may be read of the network.
//! It asks nobody: the library of a run does. Keys are named by what holds them.

use std::collections::BTreeMap;
use std::path::{Path as FilePath, PathBuf};

use motet_agents::Secret;
use motet_core::diagnostic::nearest;
use motet_evidence::fetch::{Domains, Reach};
use motet_evidence::library::{Known, SERVICES};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ToolServer;
use super::addresses::{has_password, refused, secret_parameter, without_query};
use super::providers::{KeyPlace, beside, expand, key_place};
use super::settings::{Layer, Origin, Problem, Setting, Settings};

const TABLE: &str = "sources";

/// Opens every private address.
pub const EVERYWHERE: &str = "*";

/// What a run keeps of where it may look. No key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sources {
    /// With where each was said. A run keeps its folders together with those of its command line.
    #[serde(skip)]
    pub documents: Vec<(PathBuf, Origin)>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub services: BTreeMap<String, KeptService>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<String>,
    /// By `server.tool`, the name of the argument that takes the question.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mail: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub private: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_host: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// Whether copies of pages are kept for later runs. None: nobody has said otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<bool>,
}

/// One service: where it is, if not at its own address, and where its key is found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptService {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyPlace>,
}

impl KeptService {
    /// The key; none where the service also answers without and nobody has put one there; otherwise why it cannot be had.
    pub fn key(&self, name: &str) -> Result<Option<Secret>, String> {
        let Some(place) = &self.key else { return Ok(None) };
        match (place.read(|variable| std::env::var(variable).ok()), place) {
            (Ok(key), _) => Ok(Some(key)),
            (Err(_), KeyPlace::Env(_)) if !needs_key(name) => Ok(None),
            (Err(why), _) => Err(why),
        }
    }
}

/// A service at its own address, with its key where it usually is.
pub fn usual(service: &Known) -> KeptService {
    KeptService { url: None, key: service.key_variable.map(|variable| KeyPlace::Env(variable.into())) }
}

fn needs_key(name: &str) -> bool {
    SERVICES.iter().any(|service| service.name == name && service.needs_key)
}

/// Where keys usually are.
pub fn built_in() -> Layer {
    let keys = SERVICES.iter().filter_map(|service| Some((service.name, service.key_variable?)));
    let setting = |(name, variable): (&str, &str)| {
        let path = vec![TABLE.into(), name.to_string(), "key_env".into()];
        (path, Setting { value: json!(variable), origin: Origin::Default })
    };
    keys.map(setting).collect()
}

impl Sources {
    /// Everything that can be used, and what cannot.
    pub fn read(settings: &Settings, directory: &FilePath, servers: &BTreeMap<String, ToolServer>) -> (Self, Vec<Problem>) {
        let reading = Reading { settings, directory };
        let mut problems = Vec::new();
        let sources = Self {
            documents: reading.folders(),
            services: reading.services(&mut problems),
            feeds: reading.addresses("feeds", &mut problems),
            tools: reading.tools(servers, &mut problems),
            mail: reading.value("mail").and_then(|value| Some(value.as_str()?.trim().to_string())),
            allow: reading.domains("allow", &mut problems),
            deny: reading.domains("deny", &mut problems),
            private: reading.places("private", &mut problems),
            per_host: reading.value("per_host").and_then(Value::as_u64),
            interval_ms: reading.milliseconds("interval"),
            timeout_ms: reading.milliseconds("timeout"),
            proxy: reading.proxy(&mut problems),
            cache: reading.value("cache").and_then(Value::as_bool),
        };
        (sources, problems)
    }

    /// Whether something on the network may be searched.
    pub fn reach_out(&self) -> bool {
        !self.services.is_empty() || !self.feeds.is_empty() || !self.tools.is_empty()
    }
}

struct Reading<'a> {
    settings: &'a Settings,
    directory: &'a FilePath,
}

impl Reading<'_> {
    fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.setting(&[TABLE, key])
    }

    fn value(&self, key: &str) -> Option<&Value> {
        self.setting(key).map(|setting| &setting.value)
    }

    fn texts(&self, key: &str) -> Vec<String> {
        let texts = self.value(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        texts.map(|text| text.trim().to_string()).collect()
    }

    fn milliseconds(&self, key: &str) -> Option<u64> {
        motet_core::units::parse_duration(self.value(key)?.as_str()?)
    }

    fn problem(&self, key: &str, message: String) -> Problem {
        let origin = self.setting(key).map_or(Origin::Default, |setting| setting.origin.clone());
        Problem { origin, message: format!("[{TABLE}] {message}") }
    }

    /// Relative to the file that names them. Whether they are there is asked when they are used.
    fn folders(&self) -> Vec<(PathBuf, Origin)> {
        let Some(origin) = self.setting("documents").map(|setting| setting.origin.clone()) else { return Vec::new() };
        let base = beside(&origin, self.directory);
        self.texts("documents").iter().map(|folder| (base.join(expand(folder)), origin.clone())).collect()
    }

    /// Those that are listed, and those of which somebody has said something.
    fn services(&self, problems: &mut Vec<Problem>) -> BTreeMap<String, KeptService> {
        let listed = self.texts("services");
        let is_known = |name: &str| SERVICES.iter().any(|service| service.name == name);
        for unknown in listed.iter().filter(|name| !is_known(name)) {
            let names = || SERVICES.iter().map(|service| service.name);
            let help = nearest(unknown, names()).map_or_else(
                || format!("there are {}", names().collect::<Vec<_>>().join(", ")),
                |meant| format!("did you mean `{meant}`?"),
            );
            problems.push(self.problem("services", format!("`services` names `{unknown}`, which is not known; {help}")));
        }
        let mut services = BTreeMap::new();
        for Known { name, .. } in SERVICES {
            let entry = self.settings.of(TABLE, name);
            let is_said = entry.settings.values().any(|setting| setting.origin != Origin::Default);
            if !is_said && !listed.iter().any(|listed| listed == name) {
                continue;
            }
            let url = entry.text("base_url");
            if let Some(url) = url.as_deref().filter(|url| has_password(url)) {
                let shown = refused(url, without_query(url));
                problems
                    .push(entry.problem("base_url", format!("has a password in `base_url` ({shown}), which would be kept with every run")));
                continue;
            }
            if let Some((url, name)) = url.as_deref().and_then(|url| Some((url, secret_parameter(url)?))) {
                let shown = without_query(url);
                let why = format!(
                    "has a key in `base_url` ({shown}, `{name}=…`), which would be kept with every run: use `key_env` or `key_file`"
                );
                problems.push(entry.problem("base_url", why));
                continue;
            }
            if name == "searxng" && url.is_none() {
                let help = "`services` names `searxng`, but there is no instance but one's own: say `base_url` under [sources.searxng]";
                problems.push(self.problem("services", help.into()));
                continue;
            }
            match key_place(&entry, self.directory) {
                Ok(key) => drop(services.insert(name.to_string(), KeptService { url, key })),
                Err(problem) => problems.push(problem),
            }
        }
        services
    }

    fn addresses(&self, key: &str, problems: &mut Vec<Problem>) -> Vec<String> {
        let addresses = self.texts(key);
        for address in &addresses {
            if !super::kinds::is_url(address) {
                problems.push(self.problem(key, format!("`{key}` has something that is not an http or https address")));
            } else if has_password(address) {
                let shown = refused(address, without_query(address));
                problems.push(self.problem(key, format!("`{key}` has a password in {shown}, which would be kept with every run")));
            } else if let Some(name) = secret_parameter(address) {
                let shown = without_query(address);
                problems.push(self.problem(
                    key,
                    format!(
                        "`{key}` has a key in {shown} (`{name}=…`), which would be kept with every run: use the address of the feed \
                         without a key, or search it through a server of tools, whose keys are named by `secret_env` or `headers_env`"
                    ),
                ));
            }
        }
        addresses
    }

    fn domains(&self, key: &str, problems: &mut Vec<Problem>) -> Vec<String> {
        let domains = self.texts(key);
        if let Err(wrong) = Domains::read(&domains) {
            problems.push(self.problem(key, format!("`{key}`: {wrong}")));
        }
        domains
    }

    fn places(&self, key: &str, problems: &mut Vec<Problem>) -> Vec<String> {
        let places = self.texts(key);
        for wrong in places.iter().filter(|place| *place != EVERYWHERE).filter_map(|place| Reach::read_place(place).err()) {
            problems.push(self.problem(key, format!("`{key}`: {wrong}; `{EVERYWHERE}` opens every private address")));
        }
        places
    }

    fn tools(&self, servers: &BTreeMap<String, ToolServer>, problems: &mut Vec<Problem>) -> BTreeMap<String, String> {
        let table = self.value("tools").and_then(Value::as_object).into_iter().flatten();
        let tools: BTreeMap<String, String> =
            table.filter_map(|(tool, argument)| Some((tool.clone(), argument.as_str()?.trim().to_string()))).collect();
        for (tool, argument) in &tools {
            let server = tool.split_once('.').filter(|(_, tool)| !tool.is_empty() && *tool != "*").map(|(server, _)| server);
            let why = match server {
                None => format!("`tools` has `{tool}`: write `server.tool`, one search tool of a server"),
                Some(server) if !servers.contains_key(server) => {
                    let help = nearest(server, servers.keys().map(String::as_str))
                        .map_or_else(|| format!("declare it as [tools.{server}]"), |meant| format!("did you mean `{meant}`?"));
                    format!("`tools` has `{tool}`, but there is no server `{server}`; {help}")
                }
                Some(_) if argument.is_empty() => format!("`tools` does not say which argument of `{tool}` takes the question"),
                Some(_) => continue,
            };
            problems.push(self.problem("tools", why));
        }
        tools
    }

    fn proxy(&self, problems: &mut Vec<Problem>) -> Option<String> {
        let proxy = self.value("proxy")?.as_str()?.trim().to_string();
        if has_password(&proxy) {
            let shown = refused(&proxy, without_query(&proxy));
            problems.push(self.problem("proxy", format!("`proxy` has a password ({shown}), which would be kept with every run")));
        }
        Some(proxy)
    }
}
