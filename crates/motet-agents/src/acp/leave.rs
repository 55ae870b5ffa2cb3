//! What the agent has us do (write a file, run a command): what people are asked of it, and whether leave they gave before covers it.
//! It does nothing of it and asks nobody; the desk does.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{
    CreateTerminalRequest, PermissionOption, PermissionOptionId, PermissionOptionKind as Kind, RequestPermissionRequest, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use motet_core::names::Digest;

use super::ground::Ground;
use super::named::Named;
use super::permissions::SHOWN_CHARACTERS;
use crate::command::shown;
use crate::permission::DeedKind;

const ALLOW_ONCE: &str = "allow-once";
const ALLOW_ALWAYS: &str = "allow-always";
const REJECT: &str = "reject";

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
    named: Named,
    holds_once: bool,
}

impl Leave {
    /// People have allowed this request. Tells the kind that is allowed from now on altogether, if that was their word.
    pub fn give(&mut self, request: &RequestPermissionRequest, holds_once: bool) -> Option<DeedKind> {
        let fields = &request.tool_call.fields;
        let deeds = deeds_of(fields.kind);
        self.0.push(Given { deeds, named: Named::of(fields), holds_once });
        match deeds {
            Some([kind]) if !holds_once => Some(*kind),
            _ => None,
        }
    }

    /// Whether leave was given for this; what held once is then used up.
    pub fn covers(&mut self, deed: &Deed, ground: &Ground) -> bool {
        let is_meant = |given: &Given| {
            let fits = given.deeds.is_none_or(|deeds| deeds.contains(&deed.kind()));
            fits && match deed {
                Deed::Write { place, .. } => given.named.is_file(place, ground),
                Deed::Run { request, .. } => given.named.is_run(request, ground),
            }
        };
        let Some(position) = self.0.iter().position(is_meant) else { return false };
        if self.0[position].holds_once {
            self.0.remove(position);
        }
        true
    }
}

/// The command as a person would type it.
pub(super) fn line(request: &CreateTerminalRequest) -> String {
    // Some agents give a whole line and no arguments.
    if request.args.is_empty() {
        return request.command.trim().to_string();
    }
    let words: Vec<String> = std::iter::once(&request.command).chain(&request.args).cloned().collect();
    shown(&words)
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{Diff, EnvVariable, ToolCallContent, ToolCallLocation};
    use serde_json::{Value, json};

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
        check(&named, true, &write("motet-b.txt"), (false, false));
        for input in
            [json!({"file_path": "motet-a.txt", "content": "motet-b.txt"}), json!({"path": "motet-a.txt", "edit": {"path": "motet-b.txt"}})]
        {
            check(&request(ToolKind::Edit, input), true, &write("motet-b.txt"), (false, false));
        }
        let mut titled = request(ToolKind::Edit, json!({"file_path": "motet-a.txt"}));
        titled.tool_call.fields.title = Some("motet-b.txt".into());
        check(&titled, true, &write("motet-b.txt"), (false, false));
        let list = request(ToolKind::Edit, json!({"filePaths": ["motet-a.txt", "motet-b.txt"]}));
        check(&list, true, &write("motet-b.txt"), (true, false));
        let mut located = request(ToolKind::Other, Value::Null);
        located.tool_call.fields.locations = Some(vec![ToolCallLocation::new(std::env::temp_dir().join("motet-a.txt"))]);
        check(&located, true, &write("motet-a.txt"), (true, false));
        let mut drawn = request(ToolKind::Edit, Value::Null);
        drawn.tool_call.fields.raw_input = None;
        drawn.tool_call.fields.content = Some(vec![ToolCallContent::Diff(Diff::new("motet-a.txt", "x"))]);
        check(&drawn, true, &write("motet-a.txt"), (true, false));
        drawn.tool_call.fields.raw_input = Some(json!({"file_path": "motet-b.txt"}));
        check(&drawn, true, &write("motet-a.txt"), (false, false));
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
    fn only_a_field_for_commands_names_one() {
        let run = |command, arguments: &[&str], input, expected| {
            let (named, terminal) = (request(ToolKind::Execute, input), terminal(command, arguments));
            check(&named, true, &Deed::Run { request: &terminal, within: None }, (expected, false));
        };
        run("make", &[], json!({"command": "ls", "description": "make"}), false);
        run("npm", &["test"], json!({"command": "npm", "args": ["test"]}), true);
        run("npm", &[], json!({"command": "npm", "args": ["test"]}), false);
        run("touch", &["a", "b"], json!({"command": ["touch", "a b"]}), false);
        run("/tmp/evil/sh", &["-c", "npm test"], json!({"command": "npm test"}), false);
        run("sh", &["-s", "npm test"], json!({"command": "npm test"}), false);
        run("npm test", &[], json!({"command": ["bash", "-lc", "npm test"]}), true);
    }

    #[test]
    fn a_command_in_another_place_or_with_other_variables_is_another_command() {
        let inner = std::env::temp_dir().join(format!("motet-leave-{}", std::process::id()));
        std::fs::create_dir_all(&inner).unwrap();
        let run = |within: Option<&Path>, variables: &[(&str, &str)], input: Value, expected: bool| {
            let env = variables.iter().map(|(name, value)| EnvVariable::new(*name, *value)).collect::<Vec<_>>();
            let run = terminal("npm", &["test"]).env(env).cwd(within.map(Path::to_path_buf));
            check(&request(ToolKind::Execute, input), true, &Deed::Run { request: &run, within }, (expected, false));
        };
        let root = std::env::temp_dir();
        run(None, &[("PATH", "evil")], json!({"command": "npm test"}), false);
        run(None, &[("CLAUDECODE", "1"), ("GIT_PAGER", "cat")], json!({"command": "npm test"}), true);
        run(None, &[("CI", "1")], json!({"command": "npm test"}), false);
        run(None, &[("CLAUDECODE", "1"), ("GIT_PAGER", "evil")], json!({"command": "npm test"}), false);
        run(None, &[("PATH", "evil")], json!({"command": "npm test", "env": {"PATH": "good"}}), false);
        run(None, &[("CI", "1")], json!({"command": "npm test", "env": {"CI": "1"}}), true);
        run(None, &[("CI", "1")], json!({"command": "npm test", "env": [{"name": "CI", "value": "1"}]}), true);
        run(None, &[], json!({"command": "npm test", "env": {"DRY_RUN": "1"}}), false);
        run(Some(&inner), &[], json!({"command": "npm test"}), false);
        run(Some(&inner), &[], json!({"command": "npm test", "cwd": inner}), true);
        run(None, &[], json!({"command": "npm test", "cwd": inner}), false);
        run(Some(&root), &[], json!({"command": "npm test"}), true);
        std::fs::remove_dir_all(&inner).unwrap();
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
