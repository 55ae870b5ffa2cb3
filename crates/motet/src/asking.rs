//! A gate as a dialogue on the terminal: one line at a time, each checked before the next is asked for.
//! It reads and prints nothing itself, so that a run can go on while a person thinks.

use std::collections::BTreeMap;

use motet_core::event::{Answer, Person};
use motet_core::names::RunId;
use motet_core::state::{GateKind, OpenGate};

pub struct Dialogue {
    pub run: RunId,
    pub gate: OpenGate,
    by: Person,
    stage: Stage,
    option: Option<String>,
    answers: BTreeMap<String, String>,
    lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Option,
    Text,
    Question(usize),
    /// What a person writes as an agent: several lines, ended by an empty one.
    Lines,
}

/// What comes of a line.
#[derive(Debug, PartialEq)]
pub enum Next {
    /// It cannot be taken; ask again.
    Again(String),
    /// There is more to ask.
    More,
    Answer(Box<Answer>),
}

impl Dialogue {
    pub fn new(run: RunId, gate: OpenGate, by: Person) -> Self {
        let stage = match &gate {
            gate if !gate.options.is_empty() => Stage::Option,
            gate if !gate.questions.is_empty() => Stage::Question(0),
            gate if matches!(gate.kind, GateKind::Question { .. }) => Stage::Lines,
            _ => Stage::Text,
        };
        Self { run, gate, by, stage, option: None, answers: BTreeMap::new(), lines: Vec::new() }
    }

    /// The line that stands before the cursor.
    pub fn prompt(&self) -> String {
        match self.stage {
            Stage::Option => {
                let options = self.gate.options.iter().enumerate().map(|(number, option)| format!("{} {option}", number + 1));
                format!("{} > ", options.collect::<Vec<_>>().join(", "))
            }
            Stage::Text => match &self.option {
                Some(option) => format!("{option}, because > "),
                None => "> ".into(),
            },
            Stage::Lines if self.lines.is_empty() => "(an empty line or Ctrl-D ends it) > ".into(),
            Stage::Lines => "> ".into(),
            Stage::Question(number) => {
                let question = &self.gate.questions[number];
                let options = if question.options.is_empty() { String::new() } else { format!(" ({})", question.options.join(", ")) };
                let default = question.default.as_ref().map(|default| format!(" [{default}]")).unwrap_or_default();
                format!("{}{options}{default} > ", question.question)
            }
        }
    }

    pub fn line(&mut self, line: &str) -> Next {
        let (written, line) = (line.trim_end(), line.trim());
        match self.stage {
            Stage::Option => match choose(&self.gate.options, line) {
                Err(why) => Next::Again(why),
                Ok(option) => {
                    let needs_text = self.gate.text_for.contains(&option);
                    self.option = Some(option);
                    if needs_text {
                        self.stage = Stage::Text;
                        return Next::More;
                    }
                    Next::Answer(Box::new(self.answer(None)))
                }
            },
            Stage::Text if line.is_empty() => Next::Again("please write a sentence".into()),
            Stage::Text => Next::Answer(Box::new(self.answer(Some(line.to_string())))),
            Stage::Question(number) => self.question(number, line),
            Stage::Lines if !line.is_empty() => {
                self.lines.push(written.to_string());
                Next::More
            }
            Stage::Lines => match self.end() {
                Some(answer) => Next::Answer(Box::new(answer)),
                None => Next::Again("please write something".into()),
            },
        }
    }

    /// The keyboard is closed: what was written so far as an agent is the answer.
    pub fn end(&mut self) -> Option<Answer> {
        let is_written = self.stage == Stage::Lines && !self.lines.is_empty();
        is_written.then(|| {
            let text = std::mem::take(&mut self.lines).join("\n");
            self.answer(Some(text))
        })
    }

    fn question(&mut self, number: usize, line: &str) -> Next {
        let question = &self.gate.questions[number];
        let text = match (line, &question.default) {
            ("", None) => return Next::Again("this one has no default; please answer it".into()),
            // What is left out is answered by the default, and noted as assumed.
            ("", Some(_)) => None,
            (line, _) if question.options.is_empty() => Some(line.to_string()),
            (line, _) => match choose(&question.options, line) {
                Ok(option) => Some(option),
                Err(why) => return Next::Again(why),
            },
        };
        if let GateKind::Question { .. } = self.gate.kind {
            let text = text.or_else(|| question.default.clone());
            return Next::Answer(Box::new(self.answer(text)));
        }
        if let Some(text) = text {
            self.answers.insert(question.id.clone(), text);
        }
        if number + 1 < self.gate.questions.len() {
            self.stage = Stage::Question(number + 1);
            return Next::More;
        }
        Next::Answer(Box::new(self.answer(None)))
    }

    fn answer(&self, text: Option<String>) -> Answer {
        Answer {
            by: self.by.clone(),
            option: self.option.clone(),
            text,
            answers: self.answers.clone(),
            seen: Some(self.gate.payload.clone()),
        }
    }
}

/// By number, by name, or by the beginning of a name that no other option has.
fn choose(options: &[String], written: &str) -> Result<String, String> {
    let numbered = written.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
    let named = options.iter().find(|option| option.as_str() == written);
    let mut begun = options.iter().filter(|option| !written.is_empty() && option.starts_with(written));
    let only = begun.next().filter(|_| begun.next().is_none());
    named.or(numbered).or(only).cloned().ok_or_else(|| format!("please choose one of {}", options.join(", ")))
}

/// What `--yes` answers: the first option that needs no sentence, or the defaults. None where only a person can tell.
pub fn yes(gate: &OpenGate, by: &Person) -> Option<Answer> {
    // Whoever says yes to everything has not seen what a program is about to do.
    if matches!(gate.kind, GateKind::Interrupted { .. } | GateKind::Permission { .. }) {
        return None;
    }
    let mut answer = Answer { by: by.clone(), option: None, text: None, answers: BTreeMap::new(), seen: Some(gate.payload.clone()) };
    if !gate.options.is_empty() {
        let free = gate.options.iter().find(|option| !gate.text_for.contains(option));
        answer.option = Some(free.or(gate.options.first())?.clone());
        answer.text = free.is_none().then(|| "yes".to_string());
        return Some(answer);
    }
    let taken = |question: &motet_core::state::GateQuestion| question.default.clone().or_else(|| question.options.first().cloned());
    if let GateKind::Question { .. } = gate.kind {
        answer.text = Some(gate.questions.first().and_then(taken)?);
        return Some(answer);
    }
    for question in gate.questions.iter().filter(|question| question.default.is_none()) {
        answer.answers.insert(question.id.clone(), taken(question)?);
    }
    Some(answer)
}

#[cfg(test)]
mod tests;
