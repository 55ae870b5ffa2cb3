//! Whether an answer may pass a gate: who gives it, of what it was shown, and with which words.
//! What follows from one that may, the gate's own file says.

use serde_json::Value;

use crate::event::{Answer, Person};
use crate::names::TaskId;
use crate::state::{GateKind, GateQuestion, OpenGate};
use crate::step::accept::accept;
use crate::step::machine::Machine;

impl Machine<'_> {
    /// Everything that can be wrong with an answer.
    pub fn admit(&self, gate: &OpenGate, answer: &Answer) -> Result<(), String> {
        self.admit_person(gate, &answer.by)?;
        // People who disagree could never agree if nobody might change their mind.
        if gate.answers.iter().any(|given| given.by.name == answer.by.name && given.option == answer.option) {
            return Err(format!("{} has answered already", answer.by.name));
        }
        if answer.seen.as_ref().is_some_and(|seen| *seen != gate.payload) {
            return Err("what it asks has changed since it was shown; look again".to_string());
        }
        if !gate.options.is_empty() {
            let options = gate.options.join(", ");
            let Some(option) = &answer.option else { return Err(format!("choose one of {options}")) };
            if !gate.options.contains(option) {
                return Err(format!("`{option}` is not one of {options}"));
            }
            if gate.text_for.contains(option) && answer.text.as_ref().is_none_or(|text| text.trim().is_empty()) {
                return Err(format!("`{option}` needs a sentence that says what or why"));
            }
        }
        match &gate.kind {
            GateKind::State => admit_answers(gate, answer),
            GateKind::Question { task } => self.admit_to_question(gate, task, answer),
            GateKind::Permission { .. } | GateKind::Interrupted { .. } => Ok(()),
        }
    }

    fn admit_to_question(&self, gate: &OpenGate, task: &TaskId, answer: &Answer) -> Result<(), String> {
        let Some(text) = said(answer).map(str::trim).filter(|text| !text.is_empty()) else {
            return Err("an answer is needed".to_string());
        };
        if let Some(question) = gate.questions.first() {
            admit_option(question, text)?;
        }
        let Some(task) = self.state.tasks.get(task) else { return Ok(()) };
        match &task.asking {
            // Whoever plays an agent hears at once what is wrong, and need not be asked again.
            Some(asking) if asking.question.is_task => accept(self.definition, task, &Value::from(text)).map(drop),
            _ => Ok(()),
        }
    }

    fn admit_person(&self, gate: &OpenGate, person: &Person) -> Result<(), String> {
        let Some(run) = &self.state.run else { return Ok(()) };
        let holds = |role: &String| run.people.is_empty() || run.people.get(role).is_some_and(|people| people.contains(&person.name));
        if !gate.who.is_empty() && !gate.who.iter().any(holds) {
            return Err(format!("{} is not one of its people: {}", person.name, gate.who.join(", ")));
        }
        let is_requester = person.name == run.by.name;
        if gate.except.iter().any(|name| *name == person.name || (name == "requester" && is_requester)) {
            return Err(format!("{} may not answer it{}", person.name, if is_requester { ", having started the run" } else { "" }));
        }
        Ok(())
    }
}

fn admit_answers(gate: &OpenGate, answer: &Answer) -> Result<(), String> {
    if let Some(unknown) = answer.answers.keys().find(|id| gate.questions.iter().all(|question| question.id != **id)) {
        return Err(format!("it has no question `{unknown}`"));
    }
    for question in &gate.questions {
        match answer.answers.get(&question.id).map(|text| text.trim()) {
            Some("") => return Err(format!("the answer to `{}` is empty; leave it out to take its default, if it has one", question.id)),
            Some(text) => admit_option(question, text).map_err(|why| format!("`{}`: {why}", question.id))?,
            None => {}
        }
    }
    let open = gate.questions.iter().find(|question| question.default.is_none() && !answer.answers.contains_key(&question.id));
    match open {
        Some(question) => Err(format!("question `{}` has no default and needs an answer", question.id)),
        None => Ok(()),
    }
}

/// A question with options takes no other answer, unless it is the question's own default.
fn admit_option(question: &GateQuestion, text: &str) -> Result<(), String> {
    let mut known = question.options.iter().chain(&question.default);
    match question.options.is_empty() || known.any(|option| option.trim() == text) {
        true => Ok(()),
        false => Err(format!("`{text}` is not one of {}", question.options.join(", "))),
    }
}

/// What a person said to an agent.
pub(super) fn said(answer: &Answer) -> Option<&str> {
    answer.text.as_deref().or(answer.option.as_deref())
}
