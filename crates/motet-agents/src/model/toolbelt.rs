//! The tools of one attempt, under names that every provider takes, and the calls of one turn, made together.
//! A tool that fails tells the model so; only a toolbox that cannot be opened fails the task.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;
use motet_core::event::Failure;

use super::conversation::{Message, ToolCall};
use crate::context::{Context, Progress};
use crate::exchange::Exchange;
use crate::tools::{Tool, ToolAnswer, Toolbox};

/// What most providers allow.
const LONGEST_NAME: usize = 64;

#[derive(Default)]
pub(super) struct Toolbelt {
    /// As the provider is told of them.
    pub tools: Vec<Tool>,
    /// By the name that the provider knows.
    given: BTreeMap<String, Given>,
}

struct Given {
    /// The tool's own name.
    name: String,
    toolbox: Arc<dyn Toolbox>,
}

impl Toolbelt {
    /// What several toolboxes hold together: those of the role, and those of the task.
    pub async fn open(toolboxes: Vec<Arc<dyn Toolbox>>, context: &Context) -> Result<Self, Failure> {
        let mut belt = Self::default();
        for toolbox in toolboxes {
            for tool in toolbox.tools(context).await? {
                let name = belt.unused(&tool.name);
                belt.given.insert(name.clone(), Given { name: tool.name.clone(), toolbox: toolbox.clone() });
                belt.tools.push(Tool { name, ..tool });
            }
        }
        Ok(belt)
    }

    /// Answers the calls of one turn without making them, because there is no money for what would follow.
    pub fn decline(&self, calls: &[ToolCall], why: &str, context: &Context) -> Vec<Message> {
        calls.iter().map(|call| self.told(call, ToolAnswer { text: why.into(), is_error: true }, context)).collect()
    }

    /// Makes all calls of one turn at once; their answers come back in the order in which they were asked for.
    pub async fn answer(&self, calls: &[ToolCall], context: &Context) -> Vec<Message> {
        let answers = join_all(calls.iter().map(|call| self.call(call, context))).await;
        calls.iter().zip(answers).map(|(call, answer)| self.told(call, answer, context)).collect()
    }

    async fn call(&self, call: &ToolCall, context: &Context) -> ToolAnswer {
        let Some(Given { name, toolbox }) = self.given.get(&call.name) else {
            let there: Vec<&str> = self.given.keys().map(String::as_str).collect();
            let there = if there.is_empty() { "there are no tools".into() } else { format!("there are {}", there.join(", ")) };
            return ToolAnswer { text: format!("there is no tool `{}`: {there}", call.name), is_error: true };
        };
        context.tell(Progress::Log(format!("uses {name}")));
        toolbox.call(name, call.arguments.clone(), context).await
    }

    fn told(&self, call: &ToolCall, answer: ToolAnswer, context: &Context) -> Message {
        let name = self.given.get(&call.name).map_or(&call.name, |given| &given.name).clone();
        let content = if answer.is_error { format!("error: {}", answer.text) } else { answer.text.clone() };
        context.record(Exchange::Tool { name, arguments: call.arguments.clone(), answer: answer.text, is_error: answer.is_error });
        Message::answering(call, content)
    }

    /// Letters, digits, `_` and `-`, not too long, and not taken.
    fn unused(&self, name: &str) -> String {
        let plain: String = name.chars().map(|letter| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' }).collect();
        let plain = if plain.is_empty() { "tool".to_string() } else { plain };
        let cut = |length: usize| plain.chars().take(length).collect::<String>();
        let mut candidates = std::iter::once(cut(LONGEST_NAME)).chain((2..).map(|number| format!("{}_{number}", cut(LONGEST_NAME - 6))));
        candidates.find(|candidate| !self.given.contains_key(candidate)).unwrap_or(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Toolbox for Nothing {
        fn tools<'a>(&'a self, _: &'a Context) -> crate::BoxFuture<'a, Result<Vec<Tool>, Failure>> {
            Box::pin(async { Ok(Vec::new()) })
        }

        fn call<'a>(&'a self, _: &'a str, _: serde_json::Value, _: &'a Context) -> crate::BoxFuture<'a, ToolAnswer> {
            Box::pin(async { ToolAnswer { text: String::new(), is_error: true } })
        }
    }

    #[test]
    fn names_become_such_that_every_provider_takes_them_and_stay_apart() {
        let mut belt = Toolbelt::default();
        let mut check = |name: &str, expected: &str| {
            let unused = belt.unused(name);
            assert_eq!(unused, expected);
            belt.given.insert(unused, Given { name: name.into(), toolbox: Arc::new(Nothing) });
        };
        check("files.read", "files_read");
        check("files_read", "files_read_2");
        check("files/read", "files_read_3");
        check("größe", "gr__e");
        check(&"x".repeat(80), &"x".repeat(64));
        check(&"x".repeat(81), &format!("{}_2", "x".repeat(58)));
    }
}
