//! What holds where nobody has said anything: a value, or words where it depends on something that is not a setting.
//! It decides nothing: each of these is what the part that uses the setting does by itself.

use std::time::Duration;

use motet_agents::mcp::McpServer;
use motet_agents::model::{DEFAULT_REQUEST_TIMEOUT, ProviderKind};
use motet_evidence::fetch::FetchSettings;
use motet_host::Places;
use serde_json::{Value, json};

use super::Config;

#[derive(Clone, Debug, PartialEq)]
pub enum Usual {
    Value(Value),
    Words(&'static str),
}

/// What is built in for a setting, by the parts of its path.
pub fn of(path: &[&str], config: &Config) -> Usual {
    match path {
        ["parallel"] => Usual::Value(json!(Places::default().total)),
        ["agents", _, key] => Usual::Words(of_agent(key)),
        ["providers", name, key] => of_provider(name, key, config),
        ["tools", _, "timeout"] => seconds(McpServer::stdio("", Vec::new()).timeout),
        ["tools", _, "allow"] => Usual::Words("every tool"),
        ["sources", key] => of_sources(key),
        ["sources", _, "base_url"] => Usual::Words("its own address"),
        ["budget", "per_run"] => Usual::Words("as the workflow says"),
        ["budget", "per_call"] => Usual::Words("nothing, so that a call of unknown price is refused under a budget"),
        ["budget", _] => Usual::Words("no limit"),
        ["people", _] => Usual::Words("nobody"),
        _ => Usual::Words("not set"),
    }
}

fn of_agent(key: &str) -> &'static str {
    match key {
        "temperature" | "max_tokens" | "timeout" => "as the workflow says",
        "parallel" => "no limit of its own",
        "tools" => "those that the workflow gives",
        "permissions" => "\"ask\" for `acp`, \"allow\" for a `preset`",
        "unattended" => "\"reject\" for `acp`, \"fail\" for a `person`",
        "price" => "as the list of prices says",
        _ => "not set",
    }
}

fn of_provider(name: &str, key: &str, config: &Config) -> Usual {
    match key {
        "base_url" => {
            let kind = config.providers.get(name).map_or(ProviderKind::OpenAiCompatible, |provider| provider.kind);
            kind.usual_address().map_or(Usual::Words("not set"), |address| Usual::Value(json!(address)))
        }
        "free" => Usual::Value(json!(false)),
        "timeout" => seconds(DEFAULT_REQUEST_TIMEOUT),
        "structured" => Usual::Value(json!(true)),
        "parallel" | "requests_per_minute" => Usual::Words("learned from the provider"),
        "temperature" | "max_tokens" => Usual::Words("as the role or the workflow says"),
        _ => Usual::Words("not set"),
    }
}

fn of_sources(key: &str) -> Usual {
    let usual = FetchSettings::default();
    match key {
        "per_host" => Usual::Value(json!(usual.pace.at_once)),
        "interval" => Usual::Value(json!(format!("{}ms", usual.pace.interval_ms))),
        "timeout" => seconds(Duration::from_millis(usual.timeout_ms)),
        "cache" => Usual::Value(json!(true)),
        "allow" => Usual::Words("every domain"),
        "deny" | "private" | "documents" | "services" | "feeds" | "tools" => Usual::Words("none"),
        _ => Usual::Words("not set"),
    }
}

fn seconds(duration: Duration) -> Usual {
    Usual::Value(json!(format!("{}s", duration.as_secs())))
}
