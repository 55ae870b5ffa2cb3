//! Every setting there is, as one table: what reads files, variables and flags, and what the reference is made from.
//! It holds no values and knows no layers.

use motet_agents::model::ProviderKind;
use motet_core::diagnostic::nearest;
use serde::Serialize;

use super::environment;
use super::kinds::Kind;

/// Stands for a name that the user chooses: of a role, a provider, a server, an office.
pub const ANY: &str = "*";

pub struct Key {
    /// `*` stands for a name that the user chooses.
    pub path: &'static [&'static str],
    pub kind: Kind,
    pub about: &'static str,
}

const fn key(path: &'static [&'static str], kind: Kind, about: &'static str) -> Key {
    Key { path, kind, about }
}

/// The last two for people, all of them for coding agents.
pub const UNATTENDED: &[&str] = &["reject", "allow", "wait", "fail"];
pub const PERMISSIONS: &[&str] = &["ask", "allow", "reject"];

/// In the order of the reference.
pub const KEYS: &[Key] = &[
    key(&["parallel"], Kind::Count, "calls at once, over all runs of a process"),
    key(&["agents", ANY, "model"], Kind::Text, "a model, as `provider/model`; without a provider, a model of Ollama"),
    key(&["agents", ANY, "command"], Kind::Words, "a program that reads the task as JSON and prints the answer"),
    key(&["agents", ANY, "verify"], Kind::Words, "the program that tells what became of an interrupted attempt of `command`"),
    key(&["agents", ANY, "preset"], Kind::Text, "a coding agent by name: claude, codex, gemini, opencode or aider"),
    key(&["agents", ANY, "acp"], Kind::Words, "a coding agent that speaks the Agent Client Protocol"),
    key(&["agents", ANY, "person"], Kind::Flag, "a person"),
    key(&["agents", ANY, "offline"], Kind::Flag, "rules of the workflow, without any model"),
    key(
        &["agents", ANY, "with_model"],
        Kind::Text,
        "the model that a coding agent (`preset` or `acp`) works with, by its own name for it, such as `opus`",
    ),
    key(&["agents", ANY, "program"], Kind::Text, "where the program of a `preset` is, if not on PATH under its own name"),
    key(&["agents", ANY, "arguments"], Kind::Texts, "further arguments for the program of a `preset`"),
    key(&["agents", ANY, "session_mode"], Kind::Text, "the mode that an `acp` agent works in, by its own name for it, such as `plan`"),
    key(
        &["agents", ANY, "session_options"],
        Kind::TextTable,
        "further options of the sessions of an `acp` agent, by its own names for them",
    ),
    key(
        &["agents", ANY, "fallback"],
        Kind::Texts,
        "who answers, in this order, when the one before cannot: models, or others as in `--agent`, such as `codex` or `command:PROGRAM`",
    ),
    key(&["agents", ANY, "temperature"], Kind::Number { most: 2.0 }, "instead of what the workflow says"),
    key(&["agents", ANY, "max_tokens"], Kind::Count, "the longest answer, instead of what the workflow says"),
    key(&["agents", ANY, "seed"], Kind::Whole, "the same seed gives the same answer, where the provider can"),
    key(&["agents", ANY, "timeout"], Kind::Duration, "how long one call may take, if that is shorter than the workflow says"),
    key(&["agents", ANY, "parallel"], Kind::Count, "calls of this role at once"),
    key(
        &["agents", ANY, "tools"],
        Kind::Texts,
        "what it may use: `server.tool`, or `server.*` for all of a server; `evidence.*` are Motet's own, over the run's sources",
    ),
    key(
        &["agents", ANY, "permissions"],
        Kind::OneOf(PERMISSIONS),
        "whether a coding agent may write and run: `ask` people, the usual for `acp`; `allow`, the usual for a `preset`, which cannot ask; \
         `reject`",
    ),
    key(
        &["agents", ANY, "unattended"],
        Kind::OneOf(UNATTENDED),
        "where nobody is there to be asked: what a coding agent is told (`reject` unless said), or whether the task of a person waits or fails",
    ),
    key(&["agents", ANY, "price"], Kind::Price, "dollars: `call`, `input_per_million`, `output_per_million`"),
    key(&["providers", ANY, "kind"], Kind::OneOf(ProviderKind::WORDS), "which protocol it speaks"),
    key(&["providers", ANY, "base_url"], Kind::Url, "where it listens"),
    key(&["providers", ANY, "key_env"], Kind::Variable, "the variable that holds its key"),
    key(&["providers", ANY, "key_file"], Kind::Text, "the file that holds its key; only its owner may be able to read it"),
    key(&["providers", ANY, "parallel"], Kind::Count, "calls at once; without it, learned from the provider"),
    key(&["providers", ANY, "requests_per_minute"], Kind::Count, "requests at most; without it, learned from the provider"),
    key(&["providers", ANY, "free"], Kind::Flag, "its models cost nothing"),
    key(&["providers", ANY, "temperature"], Kind::Number { most: 2.0 }, "of all its models, where the role does not say"),
    key(&["providers", ANY, "max_tokens"], Kind::Count, "of all its models, where the role does not say"),
    key(&["providers", ANY, "timeout"], Kind::Duration, "the longest silence before a call has failed"),
    key(
        &["providers", ANY, "structured"],
        Kind::Flag,
        "whether its models are held to the shape of an answer by a JSON schema; `false` for a server without that mode: they are told the shape in words",
    ),
    key(&["tools", ANY, "command"], Kind::Words, "a server of tools (MCP) that is started as a program"),
    key(&["tools", ANY, "url"], Kind::Url, "a server of tools (MCP) that listens there; a key in it is written as its variable, `{NAME}`"),
    key(&["tools", ANY, "env"], Kind::TextTable, "variables of the program; nothing secret"),
    key(&["tools", ANY, "secret_env"], Kind::VariableTable, "secret variables of the program, each by the variable that holds it here"),
    key(&["tools", ANY, "headers_env"], Kind::VariableTable, "secret headers, each by the variable that holds it here"),
    key(&["tools", ANY, "timeout"], Kind::Duration, "how long one call may take"),
    key(&["tools", ANY, "allow"], Kind::Texts, "the only tools of the server that anyone may use"),
    key(&["sources", "documents"], Kind::Texts, "folders of your own that every run may search, beside those of `--docs`"),
    key(
        &["sources", "services"],
        Kind::Texts,
        "services that every run may search: arxiv, brave, crossref, gdelt, openalex, searxng, semantic_scholar, tavily, wikipedia; one with settings of its own is searched too",
    ),
    key(&["sources", "feeds"], Kind::Texts, "RSS and Atom feeds, by their addresses"),
    key(
        &["sources", "tools"],
        Kind::TextTable,
        "search tools of servers: `server.tool`, each with the name of the argument that takes the question",
    ),
    key(&["sources", "mail"], Kind::Text, "your mail address, told to OpenAlex and Crossref, which ask for it"),
    key(&["sources", "allow"], Kind::Texts, "the only domains whose pages are read, such as example.org or .edu"),
    key(&["sources", "deny"], Kind::Texts, "domains whose pages are never read"),
    key(&["sources", "private"], Kind::Texts, "`host` or `host:port` in a private network whose pages may be read; `*` for all of them"),
    key(&["sources", "per_host"], Kind::Count, "requests to one host at once; 2 unless said"),
    key(&["sources", "interval"], Kind::Duration, "between two requests to one host, if it does not ask for more; 250ms unless said"),
    key(&["sources", "timeout"], Kind::Duration, "how long one request may take; 30s unless said"),
    key(
        &["sources", "cache"],
        Kind::Flag,
        "whether copies of pages are kept for later runs, which then only ask whether they have changed; `true` unless said",
    ),
    key(&["sources", "proxy"], Kind::Url, "the proxy that all requests go through"),
    key(&["sources", "searxng", "base_url"], Kind::Url, "your own SearXNG; its settings.yml must list `json` under search.formats"),
    key(&["sources", "brave", "key_env"], Kind::Variable, "the variable that holds the key of Brave Search"),
    key(&["sources", "brave", "key_file"], Kind::Text, "the file that holds it; only its owner may be able to read it"),
    key(&["sources", "brave", "base_url"], Kind::Url, "another address than its own"),
    key(&["sources", "tavily", "key_env"], Kind::Variable, "the variable that holds the key of Tavily"),
    key(&["sources", "tavily", "key_file"], Kind::Text, "the file that holds it; only its owner may be able to read it"),
    key(&["sources", "tavily", "base_url"], Kind::Url, "another address than its own"),
    key(
        &["sources", "semantic_scholar", "key_env"],
        Kind::Variable,
        "the variable that holds a key of Semantic Scholar, which also answers without",
    ),
    key(&["sources", "semantic_scholar", "key_file"], Kind::Text, "the file that holds it; only its owner may be able to read it"),
    key(&["sources", "semantic_scholar", "base_url"], Kind::Url, "another address than its own"),
    key(&["sources", "arxiv", "base_url"], Kind::Url, "another address than its own"),
    key(&["sources", "crossref", "base_url"], Kind::Url, "another address than its own"),
    key(&["sources", "gdelt", "base_url"], Kind::Url, "another address than its own"),
    key(
        &["sources", "openalex", "key_env"],
        Kind::Variable,
        "the variable that holds the key of OpenAlex, which answers a few questions a day without one",
    ),
    key(&["sources", "openalex", "key_file"], Kind::Text, "the file that holds it; only its owner may be able to read it"),
    key(&["sources", "openalex", "base_url"], Kind::Url, "another address than its own"),
    key(&["sources", "wikipedia", "base_url"], Kind::Url, "another address than its own, such as https://de.wikipedia.org"),
    key(&["budget", "per_run"], Kind::Money, "what one run may cost, in dollars"),
    key(&["budget", "per_day"], Kind::Money, "what all runs of a day (UTC) in one directory of runs (`.motet`) may cost"),
    key(&["budget", "per_workflow"], Kind::MoneyTable, "what all runs of a workflow in one directory of runs may cost, by its name"),
    key(&["budget", "per_call"], Kind::Money, "what is reserved, and booked, for a call whose price is not known"),
    key(&["people", ANY], Kind::Texts, "who holds an office that gates ask for"),
];

/// What a path may be.
pub enum Place {
    Leaf(&'static Key),
    /// Keys stand below it.
    Table,
    /// With what was probably meant.
    Unknown(Option<String>),
}

pub fn place(path: &[String]) -> Place {
    let begins = |key: &&Key| key.path.len() >= path.len() && key.path.iter().zip(path).all(|(part, name)| *part == ANY || part == name);
    let mut fitting = KEYS.iter().filter(begins).peekable();
    match fitting.peek() {
        Some(key) if key.path.len() == path.len() => Place::Leaf(key),
        Some(_) => Place::Table,
        None => Place::Unknown(nearest_name(path)),
    }
}

/// What may stand where the last part of the path stands.
pub fn siblings(parents: &[String]) -> Vec<&'static str> {
    let fits = |key: &&Key| key.path.len() > parents.len() && key.path.iter().zip(parents).all(|(part, name)| *part == ANY || part == name);
    let mut names: Vec<&str> = KEYS.iter().filter(fits).map(|key| key.path[parents.len()]).filter(|name| *name != ANY).collect();
    names.dedup();
    names
}

fn nearest_name(path: &[String]) -> Option<String> {
    let (last, parents) = path.split_last()?;
    nearest(last, siblings(parents)).map(String::from)
}

/// One line of the reference.
#[derive(Serialize)]
pub struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variable: Option<&'static str>,
    value: String,
    meaning: &'static str,
}

/// Every setting, then every variable that has a name of its own.
pub fn rows() -> Vec<Row> {
    let path = |key: &Key| key.path.iter().map(|part| if *part == ANY { "NAME" } else { part }).collect::<Vec<_>>().join(".");
    let keys = KEYS.iter().map(|key| Row { key: Some(path(key)), variable: None, value: key.kind.wanted(), meaning: key.about });
    let variables = environment::named().into_iter();
    keys.chain(variables.map(|(name, value, meaning)| Row { key: None, variable: Some(name), value, meaning })).collect()
}

/// Both tables as a page, for the reference.
pub fn reference() -> String {
    let (keys, variables): (Vec<Row>, Vec<Row>) = rows().into_iter().partition(|row| row.key.is_some());
    format!("{}\n{}", table("key", &keys), table("variable", &variables))
}

fn table(heading: &str, rows: &[Row]) -> String {
    let mut text = format!("| {heading} | value | meaning |\n|---|---|---|\n");
    for row in rows {
        let name = row.key.as_deref().or(row.variable).unwrap_or_default();
        text.push_str(&format!("| `{name}` | {} | {} |\n", row.value.replace('|', "\\|"), row.meaning));
    }
    text
}
