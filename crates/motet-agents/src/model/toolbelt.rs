//! The tools of one attempt, under names that every provider takes, and the calls of one turn, made together.
//! A tool that fails tells the model so; only a toolbox that cannot be opened fails the task.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;
use motet_core::event::{Failure, FailureKind};
use motet_core::tokens;
use serde_json::Value;

use super::conversation::{Message, ToolCall};
use crate::context::{Context, Progress};
use crate::exchange::Exchange;
use crate::tools::{Tool, ToolAnswer, Toolbox};

/// What most providers allow.
const LONGEST_NAME: usize = 64;
/// With less room than this for what they answer, tools are of no use.
const LEAST_FOR_ANSWERS: u64 = 8192;
/// How much of unreadable arguments is shown to whoever wrote them.
const SHOWN_CHARACTERS: usize = 200;
/// What the note on a cut answer takes.
const NOTE_TOKENS: u64 = 64;

#[derive(Default)]
pub(super) struct Toolbelt {
    /// As the provider is told of them.
    pub tools: Vec<Tool>,
    /// By the name that the provider knows.
    given: BTreeMap<String, Given>,
    /// How many tokens of answers may still be given to the model in this attempt.
    left: u64,
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
                // No provider is told a secret that stands in what a server says of its tools.
                let shown = context.redactor();
                let name = belt.unused(&shown.text(&tool.name));
                belt.given.insert(name.clone(), Given { name: tool.name, toolbox: toolbox.clone() });
                belt.tools.push(Tool { name, description: shown.string(tool.description), parameters: shown.value(tool.parameters) });
            }
        }
        let described: u64 = belt.tools.iter().map(described).sum();
        belt.left = tokens::OF_TOOLS.saturating_sub(described);
        if belt.left < LEAST_FOR_ANSWERS {
            let message = format!(
                "its {} tools take up to {described} tokens to describe, of the {} that tools may take in all — give it fewer",
                belt.tools.len(),
                tokens::OF_TOOLS
            );
            return Err(Failure { kind: FailureKind::Configuration, message });
        }
        Ok(belt)
    }

    /// Answers the calls of one turn without making them, because there is no money for what would follow.
    pub fn decline(&self, calls: &[ToolCall], why: &str, context: &Context) -> Vec<Message> {
        calls.iter().map(|call| self.told(call, ToolAnswer { text: why.into(), is_error: true }, context)).collect()
    }

    /// Makes all calls of one turn at once; their answers come back in the order in which they were asked for.
    pub async fn answer(&mut self, calls: &[ToolCall], context: &Context) -> Vec<Message> {
        let mut answers = join_all(calls.iter().map(|call| self.call(call, context))).await;
        self.bound(&mut answers);
        calls.iter().zip(answers).map(|(call, answer)| self.told(call, answer, context)).collect()
    }

    /// Cuts what is more than was reserved for. The short ones come first, so that a long one takes nothing from them.
    fn bound(&mut self, answers: &mut [ToolAnswer]) {
        let mut by_length: Vec<&mut ToolAnswer> = answers.iter_mut().collect();
        by_length.sort_by_key(|answer| answer.text.len());
        let mut waiting = by_length.len() as u64;
        for answer in by_length {
            answer.text = cut(std::mem::take(&mut answer.text), self.left / waiting);
            self.left = self.left.saturating_sub(tokens::at_most(&answer.text));
            waiting -= 1;
        }
    }

    async fn call(&self, call: &ToolCall, context: &Context) -> ToolAnswer {
        let Some(Given { name, toolbox }) = self.given.get(&call.name) else {
            let there: Vec<&str> = self.given.keys().map(String::as_str).collect();
            let there = if there.is_empty() { "there are no tools".into() } else { format!("there are {}", there.join(", ")) };
            return ToolAnswer { text: format!("there is no tool `{}`: {there}", call.name), is_error: true };
        };
        // What was cut off in the middle may say the opposite of what was meant: half a file, a path without its end.
        if let Some(written) = &call.unreadable {
            let text = format!(
                "your arguments are not JSON: {}; call {} again with one whole JSON object",
                shown(&context.redactor().text(written)),
                call.name
            );
            return ToolAnswer { text, is_error: true };
        }
        context.tell(Progress::Log(format!("uses {name}")));
        let answer = toolbox.call(name, call.arguments.clone(), context).await;
        // No provider is told a secret that a tool gave away, nor half of one because the rest was cut.
        ToolAnswer { text: context.redactor().string(answer.text), ..answer }
    }

    fn told(&self, call: &ToolCall, answer: ToolAnswer, context: &Context) -> Message {
        let name = self.given.get(&call.name).map_or(&call.name, |given| &given.name).clone();
        let content = if answer.is_error { format!("error: {}", answer.text) } else { answer.text.clone() };
        let arguments = call.unreadable.clone().map_or_else(|| call.arguments.clone(), Value::String);
        context.record(Exchange::Tool { name, arguments, answer: answer.text, is_error: answer.is_error, is_relayed: false });
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

/// The end of what a model wrote, where it shows what is missing.
fn shown(written: &str) -> String {
    let skipped = written.chars().count().saturating_sub(SHOWN_CHARACTERS);
    let end: String = written.chars().skip(skipped).collect();
    if skipped > 0 { format!("…{end}") } else { end }
}

/// How many tokens a tool takes before it has said anything.
fn described(tool: &Tool) -> u64 {
    tokens::at_most(&tool.name) + tokens::at_most(&tool.description) + tokens::at_most(&tool.parameters.to_string())
}

/// As much of a text as fits into so many tokens, with a note if that is not all.
fn cut(text: String, most: u64) -> String {
    if tokens::at_most(&text) <= most {
        return text;
    }
    let all = text.chars().count();
    let mut left = most.saturating_sub(NOTE_TOKENS).saturating_mul(2);
    let mut end = 0;
    for letter in text.chars() {
        let halves = if letter.is_ascii_alphabetic() || letter.is_ascii_whitespace() { 1 } else { 2 * letter.len_utf8() as u64 };
        if halves > left {
            break;
        }
        left -= halves;
        end += letter.len_utf8();
    }
    match text[..end].chars().count() {
        0 => "[left out: the tools have said all that this task has room for; answer with what is there]".into(),
        shown => format!("{}\n[cut here: the first {shown} of {all} characters; ask for less at a time]", &text[..end]),
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

    fn check_cut(text: &str, most: u64, expected: &str) {
        assert_eq!(cut(text.into(), most), expected);
    }

    #[test]
    fn an_answer_is_cut_between_letters_with_a_note_that_says_so() {
        check_cut("short", 3, "short");
        let long = "tea ".repeat(100);
        let note = "\n[cut here: the first 72 of 400 characters; ask for less at a time]";
        check_cut(&long, 100, &format!("{}{note}", &long[..72]));
        check_cut(&"茶".repeat(100), 70, "茶茶\n[cut here: the first 2 of 100 characters; ask for less at a time]");
        check_cut(&long, 10, "[left out: the tools have said all that this task has room for; answer with what is there]");
    }

    #[test]
    fn a_long_answer_takes_nothing_from_the_short_ones_and_all_of_them_stay_within_bounds() {
        let answer = |text: String| ToolAnswer { text, is_error: false };
        let mut belt = Toolbelt { left: 1000, ..Toolbelt::default() };
        let mut answers = vec![answer("x".repeat(100_000)), answer("y".repeat(600)), answer("z".repeat(100_000))];
        belt.bound(&mut answers);
        assert_eq!(answers[1].text, "y".repeat(600));
        assert!(answers[0].text.contains("of 100000 characters") && answers[2].text.contains("of 100000 characters"));
        let taken: u64 = answers.iter().map(|answer| tokens::at_most(&answer.text)).sum();
        assert!((800..=1000).contains(&taken), "{taken}");
    }
}
