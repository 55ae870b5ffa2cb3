//! What is said of a role, without what was said of everybody, or of an earlier player, and does not fit whoever plays it now.
//! What is said of the player itself stays, and is judged elsewhere.

use serde_json::Value;

use super::flags::stand_in;
use super::settings::{Entry, Origin, Settings};
use super::{EVERYBODY, FILE, is_own_tool, players};

/// Who plays a role and all that holds of it.
pub fn of_role(settings: &Settings, role: &str) -> Entry {
    let mut entry = settings.of_over("agents", role, EVERYBODY);
    let kinds = kinds(&entry);
    if kinds.is_empty() {
        return entry;
    }
    let plays = |wanted: [&str; 2]| wanted.iter().any(|kind| kinds.contains(kind));
    for (key, wanted) in [("tools", ["model", "acp"]), ("permissions", ["preset", "acp"])] {
        if !plays(wanted) && !is_said_of_player(settings, role, key) {
            entry.settings.remove(key);
        }
    }
    // A coding agent starts the servers itself, and Motet's own tools have none.
    if kinds.contains(&"acp")
        && !is_said_of_player(settings, role, "tools")
        && let Some(Value::Array(tools)) = entry.settings.get_mut("tools").map(|setting| &mut setting.value)
    {
        tools.retain(|tool| tool.as_str().is_none_or(|tool| !is_own_tool(tool)));
    }
    entry
}

/// Of whoever plays it and of those who stand in.
fn kinds(entry: &Entry) -> Vec<&'static str> {
    let player = players::KINDS.into_iter().find(|kind| entry.value(kind).is_some_and(|value| *value != false));
    let Some(player) = player else { return Vec::new() };
    let others = entry.texts("fallback").unwrap_or_default();
    std::iter::once(player).chain(others.iter().map(|name| stand_in(name).0)).collect()
}

/// Whether the role itself says it, and no earlier than who plays the role.
fn is_said_of_player(settings: &Settings, role: &str, key: &str) -> bool {
    let own = settings.of("agents", role);
    let player = players::KINDS.iter().find_map(|kind| own.settings.get(*kind));
    own.settings.get(key).is_some_and(|said| player.is_none_or(|player| rank(&said.origin) >= rank(&player.origin)))
}

/// What is later counts over what is earlier.
fn rank(origin: &Origin) -> u8 {
    match origin {
        Origin::Default => 0,
        Origin::File { path, .. } if !path.ends_with(FILE) => 1,
        Origin::File { .. } => 2,
        Origin::Variable(_) => 3,
        Origin::Flag(_) => 4,
    }
}
