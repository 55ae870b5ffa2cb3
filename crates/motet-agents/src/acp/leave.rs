//! What the agent has us do (write a file, run a command): what people are asked of it, and whether leave they gave before covers it.
//! It does nothing of it and asks nobody; the desk does.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{
    CreateTerminalRequest, PermissionOption, PermissionOptionId, PermissionOptionKind as Kind, RequestPermissionRequest, ToolCallContent,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use motet_core::names::Digest;
use serde_json::Value;

use super::ground::Ground;
use super::permissions::SHOWN_CHARACTERS;
use crate::command::shown;
use crate::permission::DeedKind;

const ALLOW_ONCE: &str = "allow-once";
const ALLOW_ALWAYS: &str = "allow-always";
const REJECT: &str = "reject";
/// A longer text in a tool's input is neither a path nor a command that somebody has read.
const LONGEST_NAME: usize = 4096;

/// Something that the agent has us do. All of it lies in the task's directory, as far as that is ours to say.
pub(super) enum Deed<'a> {
    /// `place` is where `path` really leads.
    Write { path: &'a Path, place: PathBuf, content: &'a str },
    /// `within` is the directory as the agent has named it.
    Run { request: &'a CreateTerminalRequest, within: Option<&'a Path> },
}

impl Deed<'_> {
    pub fn kind(&self) -> DeedKind {
        match self {
            Deed::Write { .. } => DeedKind::Write,
            Deed::Run { .. } => DeedKind::Run,
        }
    }

    /// The request that the agent has not made: people are asked as if it had, with all that would happen.
    pub fn request(&self) -> RequestPermissionRequest {
        let kind = match self.kind() {
            DeedKind::Write => ToolKind::Edit,
            DeedKind::Run => ToolKind::Execute,
        };
        let fields = ToolCallUpdateFields::new().title(self.described()).kind(kind);
        let options = vec![
            PermissionOption::new(ALLOW_ONCE, "Allow", Kind::AllowOnce),
            PermissionOption::new(ALLOW_ALWAYS, "Always allow", Kind::AllowAlways),
            PermissionOption::new(REJECT, "Reject", Kind::RejectOnce),
        ];
        RequestPermissionRequest::new("motet", ToolCallUpdate::new("motet", fields), options)
    }

    fn described(&self) -> String {
        match self {
            Deed::Write { path, content, .. } => {
                let mut text = format!("Write {}\n{}", path.display(), content.chars().take(SHOWN_CHARACTERS).collect::<String>());
                let hidden = content.chars().count().saturating_sub(SHOWN_CHARACTERS);
                if hidden > 0 {
                    // Leave is for this very content, and not for another that begins like it.
                    let digest = Digest::of(content.as_bytes());
                    text.push_str(&format!("\n… and {hidden} more characters, which are not shown; all of it is {digest}"));
                }
                text
            }
            Deed::Run { request, within } => {
                let mut text = format!("Run {}", line(request));
                if let Some(within) = within {
                    text.push_str(&format!("\nin {}", within.display()));
                }
                for variable in &request.env {
                    text.push_str(&format!("\nwith {}={}", variable.name, variable.value));
                }
                text
            }
        }
    }
}

/// Whether this option of such a request lets it happen.
pub(super) fn allows(option: &PermissionOptionId) -> bool {
    [ALLOW_ONCE, ALLOW_ALWAYS].contains(&&*option.0)
}

/// Which deeds a tool call of the agent comes to. None: the agent does not say, and only what it names is meant.
pub(super) fn deeds_of(kind: Option<ToolKind>) -> Option<&'static [DeedKind]> {
    match kind {
        None | Some(ToolKind::Other) => None,
        Some(ToolKind::Edit | ToolKind::Delete | ToolKind::Move) => Some(&[DeedKind::Write]),
        Some(ToolKind::Execute) => Some(&[DeedKind::Run]),
        Some(_) => Some(&[]),
    }
}

/// What people have allowed of what the agent asked for itself, and what of it is still to be done.
#[derive(Default)]
pub(super) struct Leave(Vec<Given>);

struct Given {
    deeds: Option<&'static [DeedKind]>,
    /// Paths and commands that the request showed.
    names: Vec<String>,
    holds_once: bool,
}

impl Leave {
    /// People have allowed this request. Tells the kind that is allowed from now on altogether, if that was their word.
    pub fn give(&mut self, request: &RequestPermissionRequest, holds_once: bool) -> Option<DeedKind> {
        let fields = &request.tool_call.fields;
        let deeds = deeds_of(fields.kind);
        self.0.push(Given { deeds, names: names(fields), holds_once });
        match deeds {
            Some([kind]) if !holds_once => Some(*kind),
            _ => None,
        }
    }

    /// Whether leave was given for this; what held once is then used up.
    pub fn covers(&mut self, deed: &Deed, ground: &Ground) -> bool {
        let is_meant = |given: &Given| {
            let fits = given.deeds.is_none_or(|deeds| deeds.contains(&deed.kind()));
            fits && given.names.iter().any(|name| is_named(deed, name, ground))
        };
        let Some(position) = self.0.iter().position(is_meant) else { return false };
        if self.0[position].holds_once {
            self.0.remove(position);
        }
        true
    }
}

fn is_named(deed: &Deed, name: &str, ground: &Ground) -> bool {
    match deed {
        Deed::Write { place, .. } => ground.writable(Path::new(name)).is_ok_and(|named| named == *place),
        Deed::Run { request, .. } => {
            let plain = std::iter::once(&request.command).chain(&request.args).map(String::as_str).collect::<Vec<_>>().join(" ");
            let inner = request.args.last().filter(|_| is_shell(&request.command) && request.args.len() == 2);
            name == plain || name == line(request) || inner.is_some_and(|inner| name == inner.trim())
        }
    }
}

/// `sh -c …`: what is run is what follows.
fn is_shell(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    ["sh", "bash", "dash", "zsh"].contains(&name)
}

fn line(request: &CreateTerminalRequest) -> String {
    // Some agents give a whole line and no arguments.
    if request.args.is_empty() {
        return request.command.trim().to_string();
    }
    let words: Vec<String> = std::iter::once(&request.command).chain(&request.args).cloned().collect();
    shown(&words)
}

/// The paths and commands of a request, as far as people were shown them.
fn names(fields: &ToolCallUpdateFields) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    found.extend(fields.locations.iter().flatten().map(|location| location.path.to_string_lossy().into_owned()));
    found.extend(fields.content.iter().flatten().filter_map(|content| match content {
        ToolCallContent::Diff(diff) => Some(diff.path.to_string_lossy().into_owned()),
        _ => None,
    }));
    found.extend(fields.title.iter().map(|title| title.trim().trim_matches('`').to_string()));
    if let Some(input) = fields.raw_input.as_ref().filter(|input| format!("{input:#}").chars().count() <= SHOWN_CHARACTERS) {
        texts(input, &mut found);
    }
    found.retain(|name| !name.is_empty() && name.len() <= LONGEST_NAME);
    found
}

fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.trim().to_string()),
        Value::Array(values) => {
            let words: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
            found.extend(words.map(|words| words.join(" ")));
            values.iter().for_each(|value| texts(value, found));
        }
        Value::Object(fields) => fields.values().for_each(|value| texts(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::ToolCallLocation;
    use serde_json::json;

    use super::*;

    fn request(kind: ToolKind, input: Value) -> RequestPermissionRequest {
        let fields = ToolCallUpdateFields::new().title("Do it".to_string()).kind(kind).raw_input(input);
        RequestPermissionRequest::new("s", ToolCallUpdate::new("t", fields), Vec::new())
    }

    /// Whether leave for a request covers a deed, and then whether it covers it again.
    fn check(request: &RequestPermissionRequest, holds_once: bool, deed: &Deed, expected: (bool, bool)) {
        let root = std::env::temp_dir().canonicalize().unwrap();
        let ground = Ground::new(root, &crate::context::Context::new().0);
        let mut leave = Leave::default();
        leave.give(request, holds_once);
        assert_eq!((leave.covers(deed, &ground), leave.covers(deed, &ground)), expected, "{:?}", request.tool_call.fields);
    }

    fn write(path: &str) -> Deed<'_> {
        let place = std::env::temp_dir().canonicalize().unwrap().join(path);
        Deed::Write { path: Path::new(path), place, content: "x" }
    }

    fn terminal(command: &str, arguments: &[&str]) -> CreateTerminalRequest {
        CreateTerminalRequest::new("s", command).args(arguments.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn leave_covers_the_file_that_was_named_and_no_other() {
        let named = request(ToolKind::Edit, json!({"file_path": "motet-a.txt", "content": "motet-b.txt\n"}));
        check(&named, true, &write("motet-a.txt"), (true, false));
        check(&named, false, &write("motet-a.txt"), (true, true));
        check(&named, true, &write("motet-c.txt"), (false, false));
        let mut located = request(ToolKind::Other, Value::Null);
        located.tool_call.fields.locations = Some(vec![ToolCallLocation::new(std::env::temp_dir().join("motet-a.txt"))]);
        check(&located, true, &write("motet-a.txt"), (true, false));
    }

    #[test]
    fn leave_covers_the_command_that_was_named_in_whatever_form_it_is_run() {
        for input in [json!({"command": "npm test"}), json!({"command": ["npm", "test"]})] {
            let named = request(ToolKind::Execute, input);
            for (command, arguments) in [("npm test", &[][..]), ("npm", &["test"]), ("/bin/bash", &["-lc", "npm test"])] {
                check(&named, true, &Deed::Run { request: &terminal(command, arguments), within: None }, (true, false));
            }
            for (command, arguments) in [("npm test; rm -r .", &[][..]), ("npm", &["publish"]), ("env", &["-i", "npm test"])] {
                check(&named, true, &Deed::Run { request: &terminal(command, arguments), within: None }, (false, false));
            }
        }
    }

    #[test]
    fn leave_for_one_kind_of_deed_is_none_for_another() {
        check(&request(ToolKind::Read, json!({"path": "motet-a.txt"})), true, &write("motet-a.txt"), (false, false));
        check(&request(ToolKind::Execute, json!({"path": "motet-a.txt"})), true, &write("motet-a.txt"), (false, false));
        let run = terminal("motet-a.txt", &[]);
        check(&request(ToolKind::Edit, json!({"path": "motet-a.txt"})), true, &Deed::Run { request: &run, within: None }, (false, false));
    }

    #[test]
    fn what_nobody_was_shown_is_not_named() {
        let long = json!({"path": "motet-a.txt", "content": "x".repeat(SHOWN_CHARACTERS)});
        check(&request(ToolKind::Edit, long), true, &write("motet-a.txt"), (false, false));
    }

    #[test]
    fn only_a_word_for_always_gives_leave_for_a_whole_kind() {
        let given = |kind, holds_once| Leave::default().give(&request(kind, Value::Null), holds_once);
        assert_eq!(given(ToolKind::Edit, false), Some(DeedKind::Write));
        assert_eq!(given(ToolKind::Execute, false), Some(DeedKind::Run));
        assert_eq!(given(ToolKind::Execute, true), None);
        assert_eq!(given(ToolKind::Other, false), None, "the agent has not said what it is");
    }

    #[test]
    fn a_long_content_is_told_apart_from_another_that_begins_like_it() {
        let described = |content: &str| Deed::Write { path: Path::new("a"), place: "/a".into(), content }.described();
        let long = "x".repeat(SHOWN_CHARACTERS);
        assert_ne!(described(&format!("{long}y")), described(&format!("{long}z")));
        assert!(described(&format!("{long}y")).contains("1 more characters"));
    }
}
