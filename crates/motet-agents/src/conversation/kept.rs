//! The file that keeps a conversation's id from the moment it is known, so that the next attempt goes on instead of starting again.
//! It is a convenience, not the truth: without it, or with one that cannot be read, the task starts anew; and it gives nobody leave.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::agent::Request;
use crate::command::presets::Counted;
use crate::command::process::file_name;
use crate::context::{Context, Progress};

/// Where conversations are kept, below the run's directory.
pub(crate) const DIRECTORY: &str = "conversations";

#[derive(Clone)]
pub(crate) struct Conversation {
    path: Option<PathBuf>,
    context: Context,
    backend: String,
    prompt: String,
    kept: Option<Kept>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    backend: String,
    id: String,
    /// What the conversation began with. A task that is asked something else does not go on with it.
    prompt: String,
    /// How many of the task's answered questions the agent has been told of.
    #[serde(default)]
    told: usize,
    /// What the agent had counted in it when it was last heard of, if it counts for the whole conversation.
    #[serde(default)]
    counted: Counted,
}

impl Conversation {
    /// The conversation of this task with this backend, if one was begun and can be read.
    pub fn of(backend: &str, prompt: &str, request: &Request, context: &Context) -> Self {
        let name = format!("{}.{}", file_name(request.call.task.as_str()), file_name(request.call.agent.as_str()));
        let path = context.run_directory().map(|directory| directory.join(DIRECTORY).join(format!("{name}.json")));
        let kept = path.as_deref().and_then(read).filter(|kept| kept.backend == backend && kept.prompt == prompt);
        Self { path, context: context.clone(), backend: backend.into(), prompt: prompt.into(), kept }
    }

    pub fn id(&self) -> Option<&str> {
        self.kept.as_ref().map(|kept| kept.id.as_str())
    }

    /// How many answers the agent has been told of.
    pub fn told(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| kept.told)
    }

    pub fn counted(&self) -> Counted {
        self.kept.as_ref().map_or_else(Counted::default, |kept| kept.counted)
    }

    /// A place beside the file for what a program keeps of the conversation itself.
    pub fn beside(&self, extension: &str) -> Option<PathBuf> {
        self.path.as_ref().map(|path| path.with_extension(extension))
    }

    /// The id is known. The same id again changes nothing.
    pub fn begin(&mut self, id: &str) {
        if self.id() == Some(id) {
            return;
        }
        let told = self.kept.take().map_or(0, |kept| kept.told);
        let (backend, prompt) = (self.backend.clone(), self.prompt.clone());
        self.kept = Some(Kept { backend, id: id.into(), prompt, told, counted: Counted::default() });
        self.write();
    }

    /// The agent has been told of the first so many answers.
    pub fn tell(&mut self, answers: usize) {
        self.change(|kept| kept.told = answers);
    }

    pub fn has_counted(&mut self, counted: Counted) {
        self.change(|kept| kept.counted = counted);
    }

    /// What comes next starts anew.
    pub fn forget(&mut self) {
        self.kept = None;
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }

    fn change(&mut self, change: impl FnOnce(&mut Kept)) {
        let Some(kept) = &mut self.kept else { return };
        let before = kept.clone();
        change(kept);
        if *kept != before {
            self.write();
        }
    }

    fn write(&self) {
        let (Some(path), Some(kept)) = (&self.path, &self.kept) else { return };
        if let Err(error) = replace(path, kept) {
            let told = format!("the conversation cannot be kept, so a restart would begin it anew: {}: {error}", path.display());
            self.context.tell(Progress::Log(told));
        }
    }
}

fn read(path: &Path) -> Option<Kept> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Whole or not at all, even if the machine stops in between.
fn replace(path: &Path, kept: &Kept) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let fresh = path.with_extension("json.new");
    let mut file = File::create(&fresh)?;
    file.write_all(serde_json::to_string_pretty(kept)?.as_bytes())?;
    file.sync_all()?;
    fs::rename(fresh, path)
}

#[cfg(test)]
mod tests {
    use motet_core::units::Usd;

    use super::*;
    use crate::conversation::words::tests::request;

    /// What a later process finds, with a fresh directory for each test.
    fn check(name: &str, talk: impl FnOnce(&mut Conversation), find: impl FnOnce(&dyn Fn(&str, &str) -> Conversation)) {
        let directory = std::env::temp_dir().join(format!("motet-conversation-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        let context = Context::new().0.in_run_directory(&directory);
        talk(&mut Conversation::of("claude", "Build.", &request("Build."), &context));
        find(&|backend, prompt| Conversation::of(backend, prompt, &request(prompt), &context));
        let _ = fs::remove_dir_all(&directory);
    }

    #[test]
    fn an_id_is_found_again_with_what_was_told() {
        check(
            "found",
            |conversation| {
                conversation.begin("c-1");
                conversation.tell(2);
                conversation.has_counted(Counted { tokens_in: 5, cost: Usd(7), ..Counted::default() });
            },
            |find| {
                let found = find("claude", "Build.");
                assert_eq!((found.id(), found.told()), (Some("c-1"), 2));
                assert_eq!((found.counted().tokens_in, found.counted().cost), (5, Usd(7)));
            },
        );
    }

    #[test]
    fn another_backend_or_another_prompt_is_another_conversation() {
        check(
            "other",
            |conversation| conversation.begin("c-1"),
            |find| {
                assert_eq!(find("codex", "Build.").id(), None);
                assert_eq!(find("claude", "Test.").id(), None);
            },
        );
    }

    #[test]
    fn a_forgotten_conversation_is_gone() {
        check(
            "forgotten",
            |conversation| {
                conversation.begin("c-1");
                conversation.forget();
            },
            |find| assert_eq!(find("claude", "Build.").id(), None),
        );
    }

    #[test]
    fn a_file_that_cannot_be_read_is_no_conversation() {
        check(
            "broken",
            |conversation| {
                conversation.begin("c-1");
                fs::write(conversation.path.as_ref().unwrap(), "{\"id\": ").unwrap();
            },
            |find| assert_eq!(find("claude", "Build.").id(), None),
        );
    }
}
