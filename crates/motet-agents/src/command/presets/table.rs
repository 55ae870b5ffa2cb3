//! The presets, as data: flags of the non-interactive structured mode of each program, seen in their documentation in November 2026.
//! Nothing here is run; a flag that a program drops is changed here and nowhere else.

use super::format::Format;

/// `{id}` and `{model}` stand for the conversation and the model. The prompt always comes on standard input, so that
/// it has no limit of length and shows in no list of processes.
pub(super) struct Preset {
    pub name: &'static str,
    pub program: &'static str,
    /// What begins a conversation.
    pub begin: &'static [&'static str],
    /// What takes the conversation `{id}` up again; empty: the program cannot.
    pub resume: &'static [&'static str],
    pub model: &'static [&'static str],
    pub allow: &'static [&'static str],
    pub reject: &'static [&'static str],
    /// What comes last.
    pub end: &'static [&'static str],
    pub environment: &'static [(&'static str, &'static str)],
    pub allow_environment: &'static [(&'static str, &'static str)],
    pub reject_environment: &'static [(&'static str, &'static str)],
    pub format: Format,
    /// The program does not name its conversations: it is given a file of ours for each, and that is the id.
    pub keeps_in_file: bool,
    pub login: &'static str,
}

pub(super) const PRESETS: &[Preset] = &[
    Preset {
        name: "claude",
        program: "claude",
        begin: &["-p", "--output-format", "stream-json", "--verbose"],
        resume: &["-p", "--output-format", "stream-json", "--verbose", "--resume", "{id}"],
        model: &["--model", "{model}"],
        allow: &["--permission-mode", "bypassPermissions"],
        reject: &["--permission-mode", "default", "--disallowedTools", "Edit,Write,NotebookEdit,Bash"],
        end: &[],
        environment: &[],
        allow_environment: &[],
        reject_environment: &[],
        format: Format::StreamJson,
        keeps_in_file: false,
        login: "run `claude` once and log in, or set ANTHROPIC_API_KEY",
    },
    Preset {
        name: "codex",
        program: "codex",
        begin: &["exec", "--json", "--skip-git-repo-check"],
        resume: &["exec", "--json", "--skip-git-repo-check"],
        model: &["--model", "{model}"],
        allow: &["--sandbox", "workspace-write"],
        reject: &["--sandbox", "read-only"],
        end: &["resume", "{id}", "-"],
        environment: &[],
        allow_environment: &[],
        reject_environment: &[],
        format: Format::CodexEvents,
        keeps_in_file: false,
        login: "run `codex login`, or set CODEX_API_KEY",
    },
    Preset {
        name: "gemini",
        program: "gemini",
        begin: &["--output-format", "stream-json"],
        resume: &["--output-format", "stream-json", "--resume", "{id}"],
        model: &["--model", "{model}"],
        allow: &["--approval-mode", "yolo"],
        reject: &["--approval-mode", "default"],
        end: &[],
        // Without this it refuses every directory that nobody has trusted by hand, whatever its other flags say.
        environment: &[("GEMINI_CLI_TRUST_WORKSPACE", "true")],
        allow_environment: &[],
        reject_environment: &[],
        format: Format::GeminiEvents,
        keeps_in_file: false,
        login: "run `gemini` once and log in, or set GEMINI_API_KEY",
    },
    Preset {
        name: "opencode",
        program: "opencode",
        begin: &["run", "--format", "json"],
        resume: &["run", "--format", "json", "--session", "{id}"],
        model: &["--model", "{model}"],
        allow: &[],
        reject: &[],
        end: &[],
        environment: &[],
        allow_environment: &[("OPENCODE_PERMISSION", r#"{"*":"allow"}"#)],
        reject_environment: &[("OPENCODE_PERMISSION", r#"{"*":"allow","edit":"deny","bash":"deny","external_directory":"deny"}"#)],
        format: Format::OpencodeEvents,
        keeps_in_file: false,
        login: "run `opencode auth login`",
    },
    Preset {
        name: "aider",
        program: "aider",
        begin: &[
            "--message-file",
            "/dev/stdin",
            "--no-pretty",
            "--no-stream",
            "--no-check-update",
            "--no-show-release-notes",
            "--no-gui",
            "--chat-history-file",
            "{id}",
        ],
        resume: &[
            "--message-file",
            "/dev/stdin",
            "--no-pretty",
            "--no-stream",
            "--no-check-update",
            "--no-show-release-notes",
            "--no-gui",
            "--chat-history-file",
            "{id}",
            "--restore-chat-history",
        ],
        model: &["--model", "{model}"],
        allow: &["--yes-always"],
        reject: &["--chat-mode", "ask", "--yes-always", "--no-suggest-shell-commands"],
        end: &[],
        environment: &[],
        allow_environment: &[],
        reject_environment: &[],
        format: Format::Aider,
        keeps_in_file: true,
        login: "set the key of your model's provider in the environment, as `aider --help` lists them",
    },
];

impl Preset {
    /// All words after the program. What needs an id or a model that there is not, is left out.
    pub fn arguments(&self, id: Option<&str>, resumes: bool, model: Option<&str>, allows: bool, further: &[String]) -> Vec<String> {
        let mut words = filled(if resumes { self.resume } else { self.begin }, id, model);
        words.extend(filled(self.model, id, model));
        words.extend(filled(if allows { self.allow } else { self.reject }, id, model));
        words.extend(further.iter().cloned());
        words.extend(filled(self.end, id, model));
        words
    }

    pub fn variables(&self, allows: bool) -> impl Iterator<Item = (&'static str, &'static str)> {
        let permissions = if allows { self.allow_environment } else { self.reject_environment };
        self.environment.iter().chain(permissions).copied()
    }
}

/// The words with their blanks filled in. A blank that stays empty takes the word that announces it with it.
fn filled(words: &[&str], id: Option<&str>, model: Option<&str>) -> Vec<String> {
    let mut filled: Vec<String> = Vec::new();
    for word in words {
        let value = match *word {
            "{id}" => id,
            "{model}" => model,
            word => Some(word),
        };
        match value {
            Some(value) => filled.push(value.to_string()),
            None => drop(filled.pop()),
        }
    }
    filled
}
