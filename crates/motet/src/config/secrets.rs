//! Everything secret that the settings name, whoever uses it and whether or not the settings can be used at all.
//! It judges nothing: what must not be shown is found first, and mistakes are told later, by whoever needs the settings.

use std::borrow::Cow;
use std::io::Read as _;
use std::path::Path as FilePath;
use std::sync::OnceLock;

use motet_agents::{Redactor, Secret, secrets_in_address};

use super::keys::{self, Place};
use super::kinds::Kind;
use super::providers::{OLLAMA_URL, Provider, beside, expand};
use super::settings::{Layer, Setting, Settings};
use super::{Surroundings, ToolServer, addresses, environment, files, providers, sources};

static HOLDERS: OnceLock<Vec<Held>> = OnceLock::new();

/// A secret, and the variable, file or setting that holds it.
type Held = (String, Secret);

/// A file that is longer holds no key.
const LONGEST_FILE: u64 = 64 * 1024;

/// From here on, nothing that the settings around a directory call secret is printed, logged or kept. Everything that this process
/// could give to a program counts, so that a key which no role uses is hidden too.
pub fn hide_around(directories: [&FilePath; 2]) {
    let [here, there] = directories;
    let mut all = around(&Surroundings::of_process(here));
    if here != there {
        all.extend(around(&Surroundings::of_process(there)));
    }
    motet_agents::hide(all.iter().map(|(_, secret)| secret.clone()));
    // What is hidden stays hidden; only the first to hide anything also knows where it came from.
    let _ = HOLDERS.set(all);
}

/// Where a secret that stands in a text came from, as far as that is known.
pub fn holder(text: &str) -> &'static str {
    let held = |secret: &Secret| matches!(Redactor::new([secret.clone()]).text(text), Cow::Owned(_));
    let mut holders = HOLDERS.get().into_iter().flatten();
    holders.find(|(_, secret)| held(secret)).map_or("the settings", |(holder, _)| holder)
}

/// What is secret in every layer by itself: a key that a nearer layer replaces is still one.
fn around(around: &Surroundings) -> Vec<Held> {
    let mut layers: Vec<Layer> = vec![providers::built_in(), sources::built_in()];
    for path in around.files(None) {
        if let Ok(text) = std::fs::read_to_string(&path) {
            layers.push(files::read(&path, &text).0);
        }
    }
    let mut said = Settings::default();
    layers.iter().for_each(|layer| said.lay(layer.clone()));
    layers.push(environment::read(&around.variables, &said).0);
    let all = layers.iter().flatten().filter_map(|(path, setting)| match keys::place(path) {
        Place::Leaf(key) => Some((key, setting)),
        _ => None,
    });
    let mut secrets: Vec<Held> = all.flat_map(|(key, setting)| of_setting(key, setting, around)).collect();
    let url = around.variables.get(OLLAMA_URL).into_iter();
    secrets.extend(url.flat_map(|url| secrets_in_address(url)).map(|secret| (OLLAMA_URL.to_string(), secret)));
    secrets
}

fn of_setting(key: &keys::Key, setting: &Setting, around: &Surroundings) -> Vec<Held> {
    let text = setting.value.as_str().map(str::trim);
    let value_of = |name: &str| Some((name.to_string(), Secret::new(around.variables.get(name)?)));
    match (key.kind, text) {
        (Kind::Variable, Some(name)) => value_of(name).into_iter().collect(),
        (Kind::VariableTable, _) => {
            let names = setting.value.as_object().into_iter().flatten().filter_map(|(_, name)| name.as_str());
            names.filter_map(value_of).collect()
        }
        (Kind::Url, Some(url)) => {
            let names = addresses::variables(url).unwrap_or_default();
            let within = secrets_in_address(url).into_iter().map(|secret| ("an address in the settings".to_string(), secret));
            names.into_iter().filter_map(value_of).chain(within).collect()
        }
        (Kind::Text, Some(path)) if key.path.last() == Some(&"key_file") => {
            let path = beside(&setting.origin, &around.directory).join(expand(path));
            content(&path).map(|secret| (path.display().to_string(), secret)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Even of a file that may not be used because others can read it.
fn content(path: &FilePath) -> Option<Secret> {
    let is_small = std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() <= LONGEST_FILE);
    let mut text = String::new();
    std::fs::File::open(path).ok().filter(|_| is_small)?.take(LONGEST_FILE).read_to_string(&mut text).ok()?;
    Some(Secret::new(text.trim()))
}

/// The keys of providers and the secret variables of servers, as far as they can be read now.
pub fn of_players<'a>(providers: impl Iterator<Item = &'a Provider>, servers: impl Iterator<Item = &'a ToolServer>) -> Vec<Secret> {
    let lookup = |name: &str| std::env::var(name).ok();
    let keys = providers.filter_map(|provider| provider.key.as_ref()?.read(lookup).ok());
    let variables = servers.flat_map(ToolServer::variables).filter_map(|name| lookup(&name).map(Secret::new));
    let in_address = lookup(OLLAMA_URL).into_iter().flat_map(|url| secrets_in_address(&url));
    keys.chain(variables).chain(in_address).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::scratch::Scratch;

    /// Which of the values are known to be secret, given a project's file.
    #[track_caller]
    fn check(project: &str, hidden: &[&str]) {
        let scratch = Scratch::new();
        scratch.write("motet.toml", project);
        scratch.write("key", "from-the-file\n");
        let variables =
            ["OPENAI_API_KEY", "OTHER_KEY", "TAVILY_API_KEY", "HEADER", "IN_ADDRESS"].map(|name| (name.into(), format!("value of {name}")));
        let mut variables: BTreeMap<String, String> = variables.into();
        variables.insert(OLLAMA_URL.into(), "http://me:the-password@host".into());
        let found = around(&Surroundings { directory: scratch.path().into(), variables });
        let mut found: Vec<&str> = found.iter().map(|(_, secret)| secret.reveal()).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, hidden);
    }

    const USUAL: [&str; 4] = ["me:the-password", "the-password", "value of OPENAI_API_KEY", "value of TAVILY_API_KEY"];

    #[test]
    fn keys_that_everybody_knows_are_secret_whoever_plays() {
        check("", &USUAL);
        check("[agents.writer]\ncommand = ['x']", &USUAL);
    }

    #[test]
    fn what_the_settings_name_is_secret_even_if_they_cannot_be_used() {
        let broken = "nonsense = 1\n[providers.openai]\nkey_env = 'OTHER_KEY'\n[providers.local]\nkey_file = 'key'\n[tools.t]\nurl = 'http://t/?k={IN_ADDRESS}'\nheaders_env = { A = 'HEADER' }";
        let mut all = vec!["from-the-file", "value of HEADER", "value of IN_ADDRESS", "value of OTHER_KEY"];
        all.extend(USUAL);
        all.sort_unstable();
        check(broken, &all);
    }
}
