//! The configuration: who plays which role, who offers models and tools, where evidence is found, what may be spent, who holds
//! which office.
//! It is said in layers (built in, the user's file, the project's file, variables, flags) and starts nothing.

mod addresses;
mod defaults;
mod effective;
mod environment;
mod files;
mod fitting;
mod flags;
pub mod keys;
mod kinds;
mod players;
mod prices;
mod providers;
mod secrets;
mod servers;
mod settings;
mod sources;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use motet_core::definition::{EVERY_TOOL, TOOLS};
use motet_core::diagnostic::nearest;
use motet_core::units::Usd;
use motet_host::Places;

pub use addresses::{has_password, is_key, without_password};
pub use defaults::Usual;
pub use effective::Holds;
pub use flags::{Overrides, PRESETS, backend_setting};
pub use players::{Coding, Player, Who};
pub use prices::Prices;
pub use providers::{KeyPlace, ModelName, OLLAMA_URL, Provider};
pub use secrets::{hide_around, holder, of_players};
pub use servers::ToolServer;
pub use settings::{Origin, Settings};
pub use sources::{EVERYWHERE, KeptService, Sources, usual};

use crate::cli::Failure;
use settings::{Layer, Problem};

pub const FILE: &str = "motet.toml";
const USER_FILE: &str = "config.toml";
const USER_PRICES: &str = "prices.yaml";
/// Stands for every role that is not named.
pub const EVERYBODY: &str = "*";
/// What Motet's own tools are called by, as if they were a server's.
pub const OWN_TOOLS: &str = "evidence";

#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Everything that was said, with where.
    pub settings: Settings,
    pub agents: BTreeMap<String, Player>,
    pub providers: BTreeMap<String, Provider>,
    pub tools: BTreeMap<String, ToolServer>,
    pub sources: Sources,
    pub budget: Budget,
    /// Who holds which office, for gates that ask for one.
    pub people: BTreeMap<String, Vec<String>>,
    pub prices: Prices,
    /// The files that were read, the user's first.
    pub files: Vec<PathBuf>,
    parallel: Option<usize>,
}

/// What may be spent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub per_run: Option<Usd>,
    pub per_day: Option<Usd>,
    pub per_workflow: BTreeMap<String, Usd>,
    /// What is reserved for a call whose price is not known.
    pub per_call: Option<Usd>,
}

/// Where a configuration is looked for.
pub struct Surroundings {
    pub directory: PathBuf,
    pub variables: BTreeMap<String, String>,
}

impl Surroundings {
    pub fn of_process(directory: &Path) -> Self {
        let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self { directory: directory.into(), variables: variables.collect() }
    }

    /// The user's own directory of settings.
    pub fn user_directory(&self) -> Option<PathBuf> {
        let said = |name: &str| self.variables.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let base = said("XDG_CONFIG_HOME").filter(|path| path.is_absolute()).or_else(|| Some(said("HOME")?.join(".config")))?;
        Some(base.join("motet"))
    }

    pub fn user_file(&self) -> Option<PathBuf> {
        Some(self.user_directory()?.join(USER_FILE))
    }

    /// The nearest one upwards.
    pub fn project_file(&self) -> Option<PathBuf> {
        self.directory.ancestors().map(|directory| directory.join(FILE)).find(|path| path.is_file())
    }

    /// Those that are there, the user's first; or would be, if `also` were there.
    fn files(&self, also: Option<&Path>) -> impl Iterator<Item = PathBuf> {
        let is_also = |path: &PathBuf| also == Some(path.as_path());
        let user = self.user_file().filter(|path| path.is_file() || is_also(path));
        // A file of the project that is written here is nearer than any that is found above.
        let project = also.map(Path::to_path_buf).filter(|path| Some(path) != user.as_ref()).or_else(|| self.project_file());
        [user, project].into_iter().flatten()
    }
}

impl Config {
    /// What holds in a directory, without any flags.
    pub fn near(directory: &Path) -> Result<Self, Failure> {
        Self::load(&Surroundings::of_process(directory), &Overrides::default())
    }

    pub fn load(around: &Surroundings, overrides: &Overrides) -> Result<Self, Failure> {
        Self::read(around, overrides, None)
    }

    /// What would hold if this stood in one of the files.
    pub fn supposing(around: &Surroundings, file: &Path, text: &str) -> Result<Self, Failure> {
        Self::read(around, &Overrides::default(), Some((file, text)))
    }

    fn read(around: &Surroundings, overrides: &Overrides, supposed: Option<(&Path, &str)>) -> Result<Self, Failure> {
        let mut settings = Settings::default();
        let mut problems = Vec::new();
        settings.lay(providers::built_in());
        settings.lay(sources::built_in());
        settings.lay(environment::habits(&around.variables));
        let mut read = Vec::new();
        for path in around.files(supposed.map(|(path, _)| path)) {
            let text = match supposed.filter(|(supposed, _)| *supposed == path) {
                Some((_, text)) => text.to_string(),
                None => std::fs::read_to_string(&path)
                    .map_err(|error| Failure::invalid(format!("{} cannot be read: {error}", path.display())))?,
            };
            take(&mut settings, &mut problems, files::read(&path, &text));
            read.push(path);
        }
        let said = environment::for_all(&around.variables, &settings);
        take(&mut settings, &mut problems, said);
        let said = environment::read(&around.variables, &settings);
        take(&mut settings, &mut problems, said);
        let said = overrides.for_all(&settings);
        take(&mut settings, &mut problems, said);
        take(&mut settings, &mut problems, overrides.one_by_one());
        refuse(&problems)?;
        let mut config = Self::typed(settings, &around.directory)?;
        config.prices = Prices::load(around.user_directory().map(|directory| directory.join(USER_PRICES)).as_deref())?;
        config.files = read;
        Ok(config)
    }

    fn typed(settings: Settings, directory: &Path) -> Result<Self, Failure> {
        let mut config = Self::default();
        let mut problems = Vec::new();
        for name in settings.names("providers") {
            match Provider::read(&settings.of("providers", &name), directory) {
                Ok(provider) => drop(config.providers.insert(name, provider)),
                Err(problem) => problems.push(problem),
            }
        }
        for name in settings.names("tools") {
            match ToolServer::read(&settings.of("tools", &name)) {
                Ok(server) => drop(config.tools.insert(name, server)),
                Err(problem) => problems.push(problem),
            }
        }
        refuse(&problems)?;
        for role in settings.names("agents") {
            let entry = fitting::of_role(&settings, &role);
            match Player::read(&entry, |name| providers::model_named(name, &config.providers)) {
                Ok(player) => {
                    problems.extend(config.unknown_tool(&player).map(|why| entry.problem("tools", why)));
                    problems.extend(unknown_preset(&player).map(|why| entry.problem("preset", why)));
                    config.agents.insert(role, player);
                }
                // A mistake of everybody's is told once.
                Err(found) => problems.extend(found.into_iter().filter(|problem| !problems.contains(problem)).collect::<Vec<_>>()),
            }
        }
        let (sources, found) = Sources::read(&settings, directory, &config.tools);
        problems.extend(found);
        config.sources = sources;
        config.people = settings.names("people").into_iter().map(|office| (office.clone(), people(&settings, &office))).collect();
        config.budget = budget(&settings);
        config.parallel = settings.setting(&["parallel"]).and_then(|setting| usize::try_from(setting.value.as_u64()?).ok());
        config.settings = settings;
        refuse(&problems).map(|()| config)
    }

    fn unknown_tool(&self, player: &Player) -> Option<String> {
        let server_of = |tool: &str| tool.split_once('.').map_or(tool, |(server, _)| server).to_string();
        let mut others = player.tools.iter().filter(|tool| !is_own_tool(tool));
        let unknown = others.find(|tool| !tool.contains('.') || !self.tools.contains_key(&server_of(tool)))?;
        if server_of(unknown) == OWN_TOOLS {
            return Some(format!("has the tool `{unknown}`, which Motet does not have; there are {}", TOOLS.join(", ")));
        }
        if !unknown.contains('.') {
            return Some(format!("has the tool `{unknown}`: write `server.tool`, or `{unknown}.*` for all tools of a server"));
        }
        let help = match nearest(&server_of(unknown), self.tools.keys().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("declare it as [tools.{}]", server_of(unknown)),
        };
        Some(format!("has the tool `{unknown}`, but there is no server `{}`; {help}", server_of(unknown)))
    }

    /// Whether a model of this name could be bound, or why not.
    pub fn knows_model(&self, name: &str) -> Result<(), String> {
        providers::model_named(name, &self.providers).map(drop)
    }

    /// Room for calls: overall, and by role.
    pub fn places(&self) -> Places {
        let parallel = |role: &str| {
            let most = fitting::of_role(&self.settings, role).value("parallel")?.as_u64()?;
            usize::try_from(most).ok()
        };
        let named = self.agents.keys().filter(|role| *role != EVERYBODY);
        Places {
            total: self.parallel.unwrap_or(Places::default().total),
            per_role: named.filter_map(|role| Some((role.clone(), parallel(role)?))).collect(),
            per_other_role: parallel(EVERYBODY),
        }
    }

    /// Who plays a role, as far as anything says.
    pub fn player(&self, role: &str) -> Option<&Player> {
        self.agents.get(role).or_else(|| self.agents.get(EVERYBODY))
    }
}

fn take(settings: &mut Settings, problems: &mut Vec<Problem>, (layer, found): (Layer, Vec<Problem>)) {
    settings.lay(layer);
    problems.extend(found);
}

/// All that was found wrong so far ends it here: what rests on it would only be called wrong for the same reason.
fn refuse(problems: &[Problem]) -> Result<(), Failure> {
    if problems.is_empty() {
        return Ok(());
    }
    let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Err(Failure::invalid(all.join("\n       ")).help("`motet config keys` lists every setting and variable"))
}

fn is_own_tool(tool: &str) -> bool {
    TOOLS.contains(&tool) || tool == EVERY_TOOL
}

fn unknown_preset(player: &Player) -> Option<String> {
    let name = player.who.iter().chain(&player.fallback).find_map(|who| match who {
        Who::Preset(name) if !PRESETS.contains(&name.as_str()) => Some(name),
        _ => None,
    })?;
    let help =
        nearest(name, PRESETS).map_or_else(|| format!("there are {}", PRESETS.join(", ")), |meant| format!("did you mean `{meant}`?"));
    Some(format!("names the coding agent `{name}`, which is not known; {help}; any other program can be a `command` or `acp`"))
}

fn people(settings: &Settings, office: &str) -> Vec<String> {
    let names = settings.setting(&["people", office]).and_then(|setting| setting.value.as_array()).into_iter().flatten();
    names.filter_map(|name| name.as_str().map(String::from)).collect()
}

fn budget(settings: &Settings) -> Budget {
    let amount = |key: &str| settings.setting(&["budget", key]).and_then(|setting| kinds::money(&setting.value));
    let by_workflow = settings.setting(&["budget", "per_workflow"]).and_then(|setting| setting.value.as_object()).into_iter().flatten();
    Budget {
        per_run: amount("per_run"),
        per_day: amount("per_day"),
        per_workflow: by_workflow.filter_map(|(name, value)| Some((name.clone(), kinds::money(value)?))).collect(),
        per_call: amount("per_call"),
    }
}

#[cfg(test)]
mod tests;
