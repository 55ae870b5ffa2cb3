//! Gates: asking people, taking their answers, and what holds when nobody answers.
//! Nothing passes a gate but an answer that its own rules allow.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::definition::{Gate, Otherwise, Work};
use crate::effect::Effect;
use crate::event::{Answer, Failure, FailureKind, Person};
use crate::expression::canonical;
use crate::names::{Digest, GateId, TaskId, TimerId};
use crate::rejected::Rejected;
use crate::state::{GateKind, GateQuestion, OpenGate, TaskStatus};
use crate::step::admit::said;
use crate::step::machine::{Entry, Machine};

/// What a gate without an answer falls back on.
const DEFAULTS: &str = "defaults";
const WAIT: &str = "wait";
const FAIL: &str = "fail";

impl Machine<'_> {
    pub fn open_state_gate(&mut self, gate: &Gate) -> Option<Entry> {
        let otherwise = match self.fallback(gate) {
            Ok(otherwise) => otherwise,
            Err(failure) => return self.broken(failure),
        };
        let open = match self.state_gate(gate, otherwise) {
            Ok(open) => open,
            Err(failure) => return self.broken(failure),
        };
        let unattended = self.state.run.as_ref().is_some_and(|run| run.unattended);
        let nothing_to_ask = gate.questions.is_some() && open.questions.is_empty();
        if unattended && fails(&open) {
            return self.broken(nobody_there(&open));
        }
        if unattended && let Some(otherwise) = &open.otherwise {
            let answer = policy_answer(&open, otherwise);
            return self.leave_gate(&open, &answer);
        }
        if nothing_to_ask {
            let answer = policy_answer(&open, DEFAULTS);
            return self.leave_gate(&open, &answer);
        }
        self.open_gate(open);
        None
    }

    /// An option, `defaults`, `fail`, or None to wait.
    fn fallback(&self, gate: &Gate) -> Result<Option<String>, Failure> {
        let word = match &gate.otherwise {
            None | Some(Otherwise::Wait) => None,
            Some(Otherwise::Option(option)) => Some(option.clone()),
            Some(Otherwise::Defaults) => Some(DEFAULTS.to_string()),
            Some(Otherwise::Fail) => Some(FAIL.to_string()),
            Some(Otherwise::Input(expression)) => self.evaluate(expression, &self.scope())?.as_str().map(String::from),
        };
        Ok(word.filter(|word| word != WAIT))
    }

    fn state_gate(&self, gate: &Gate, otherwise: Option<String>) -> Result<OpenGate, Failure> {
        let scope = self.scope();
        let questions = match &gate.questions {
            Some(expression) => questions(&self.evaluate(expression, &scope)?),
            None => Vec::new(),
        };
        let here = &self.state.here;
        let mut open = OpenGate {
            id: GateId::new(format!("{}.{}", here.state, here.number)),
            kind: GateKind::State,
            ask: self.render(&gate.ask, &scope),
            show: gate.show.as_ref().map(|show| self.render(show, &scope)),
            options: gate.options.clone(),
            text_for: gate.text_for.clone(),
            questions,
            who: gate.who.clone(),
            except: gate.except.clone(),
            quorum: gate.quorum.max(1),
            opened_at: self.now,
            deadline: gate.deadline_ms.map(|deadline| self.now.plus(deadline)),
            otherwise,
            payload: Digest::new(""),
            answers: Vec::new(),
        };
        open.payload = self.payload(&open);
        Ok(open)
    }

    /// The digest of all that a person decides on here: what is asked, and the data behind what is shown.
    fn payload(&self, gate: &OpenGate) -> Digest {
        let seen =
            json!({ "ask": gate.ask, "show": gate.show, "options": gate.options, "questions": gate.questions, "data": self.state.data });
        Digest::of(canonical(&seen).as_bytes())
    }

    fn open_gate(&mut self, gate: OpenGate) {
        if let Some(deadline) = gate.deadline {
            self.set_timer(deadline_timer(&gate.id), deadline);
        }
        self.effects.push(Effect::OpenGate { gate: gate.id.clone() });
        self.state.gates.insert(gate.id.clone(), gate);
    }

    pub fn close_gate(&mut self, gate: &GateId) {
        self.clear_timer(&deadline_timer(gate));
        if self.state.gates.remove(gate).is_some() {
            self.effects.push(Effect::CloseGate { gate: gate.clone() });
        }
    }

    /// People have as long from now on as they had after the last event.
    pub fn put_off_deadlines(&mut self) {
        let idle_ms = self.now.since(self.state.now);
        let waiting = self.state.gates.values_mut().filter_map(|gate| Some((deadline_timer(&gate.id), gate.deadline.as_mut()?)));
        let moved: Vec<_> = waiting.map(|(timer, deadline)| (timer, std::mem::replace(deadline, deadline.plus(idle_ms)))).collect();
        for (timer, before) in moved {
            // A deadline that has passed without a policy is not set again.
            if self.state.timers.contains_key(&timer) {
                self.set_timer(timer, before.plus(idle_ms));
            }
        }
    }

    /// The data behind an open gate changed: earlier looks at it do not count.
    pub fn renew_state_gate(&mut self) {
        let definition = self.here();
        let Work::Gate(gate) = &definition.work else { return };
        let Some(open) = self.state.gates.values().find(|open| open.kind == GateKind::State).cloned() else { return };
        if let Ok(renewed) = self.state_gate(gate, open.otherwise.clone()) {
            let renewed = OpenGate { opened_at: open.opened_at, deadline: open.deadline, ..renewed };
            self.state.gates.insert(open.id, renewed);
        }
    }

    /// An interrupted task must not run twice: a person says what became of it.
    pub fn doubt(&mut self, task: &TaskId, why: &str) {
        self.task(task).move_to(TaskStatus::Uncertain);
        if self.state.run.as_ref().is_some_and(|run| run.unattended) {
            let failure = Failure { kind: FailureKind::Interrupted, message: format!("{why}; nobody is there to say what became of it") };
            self.book_as_uncertain(task);
            self.task(task).move_to(TaskStatus::Failed);
            return self.gave_up(task, failure);
        }
        let doubted = &self.state.tasks[task];
        let started = doubted.started_at.map_or(String::new(), |at| format!(", started at {at}"));
        let ask =
            format!("Task {task} ({}) must not run twice, and {why}. What became of attempt {}{started}?", doubted.agent, doubted.attempt);
        let gate = self.task_gate(task, GateKind::Interrupted { task: task.clone() }, ask);
        let options = ["done", "run_again", "failed"].map(String::from).to_vec();
        self.open_gate(OpenGate { options, text_for: vec!["done".to_string()], ..gate });
    }

    pub fn task_gate(&self, task: &TaskId, kind: GateKind, ask: String) -> OpenGate {
        let number = self.state.tasks[task].attempt;
        let payload = Digest::of(ask.as_bytes());
        OpenGate {
            id: GateId::new(format!("{task}?{number}")),
            kind,
            ask,
            show: None,
            options: Vec::new(),
            text_for: Vec::new(),
            questions: Vec::new(),
            who: Vec::new(),
            except: Vec::new(),
            quorum: 1,
            opened_at: self.now,
            deadline: None,
            otherwise: None,
            payload,
            answers: Vec::new(),
        }
    }

    pub fn ask_person(&mut self, gate: OpenGate) {
        self.open_gate(gate);
    }

    pub fn on_gate_answered(&mut self, id: &GateId, answer: &Answer) -> Result<(), Rejected> {
        let gate = self.state.gates.get(id).ok_or_else(|| Rejected::Unknown(format!("gate {id}")))?;
        self.admit(gate, answer).map_err(|why| Rejected::Refused { gate: id.to_string(), why })?;
        let gate = gate.clone();
        let agreeing = gate.answers.iter().filter(|given| given.option == answer.option).count() as u32 + 1;
        if agreeing < gate.quorum {
            if let Some(open) = self.state.gates.get_mut(id) {
                open.answers.retain(|given| given.by.name != answer.by.name);
                open.answers.push(answer.clone());
            }
            return Ok(());
        }
        self.resolve(&gate, answer);
        Ok(())
    }

    pub fn on_deadline(&mut self, id: &GateId) -> Result<(), Rejected> {
        let gate = self.state.gates.get(id).cloned().ok_or_else(|| Rejected::Unknown(format!("gate {id}")))?;
        if fails(&gate) {
            self.close_gate(id);
            let next = self.broken(nobody_there(&gate));
            self.go(next);
        } else if let Some(otherwise) = &gate.otherwise {
            let answer = policy_answer(&gate, otherwise);
            self.resolve(&gate, &answer);
        } else if let GateKind::Question { task } = &gate.kind {
            self.close_gate(id);
            let task = task.clone();
            self.ask_next(&task);
            self.go_on();
        }
        Ok(())
    }

    fn resolve(&mut self, gate: &OpenGate, answer: &Answer) {
        match gate.kind.clone() {
            GateKind::State => {
                self.close_gate(&gate.id);
                let next = self.leave_gate(gate, answer);
                self.go(next);
            }
            GateKind::Question { task } => {
                self.close_gate(&gate.id);
                let text = said(answer).unwrap_or_default().trim().to_string();
                self.answer_question(&task, text, answer.by.name.clone());
                self.go_on();
            }
            GateKind::Permission { task } => {
                self.close_gate(&gate.id);
                let option = answer.option.clone().unwrap_or_default();
                let reason = answer.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
                let said = reason.map_or_else(|| option.clone(), |reason| format!("{option}: {reason}"));
                self.answer_question(&task, said, answer.by.name.clone());
                self.go_on();
            }
            GateKind::Interrupted { task } => {
                self.close_gate(&gate.id);
                self.resolve_doubt(&task, answer);
                self.go_on();
            }
        }
    }

    fn resolve_doubt(&mut self, task: &TaskId, answer: &Answer) {
        self.book_as_uncertain(task);
        let text = answer.text.clone().unwrap_or_default();
        match answer.option.as_deref() {
            Some("done") => {
                let result = serde_json::from_str(&text).unwrap_or(Value::String(text));
                self.answered(task, &result);
            }
            Some("run_again") => self.again(task),
            _ => {
                let message = format!("given up by {}", answer.by.name);
                self.task(task).move_to(TaskStatus::Failed);
                self.gave_up(task, Failure { kind: FailureKind::Interrupted, message });
            }
        }
    }

    fn leave_gate(&mut self, gate: &OpenGate, answer: &Answer) -> Option<Entry> {
        let by = answer.by.name.clone();
        if gate.options.is_empty() {
            let answers: Vec<Value> = gate.questions.iter().map(|question| answered(question, answer)).collect();
            return self.leave("answered", json!({ "answers": answers, "text": answer.text, "by": by, "at": self.now.to_string() }));
        }
        let option = answer.option.clone().unwrap_or_default();
        let agreed: Vec<&str> = gate
            .answers
            .iter()
            .filter(|given| given.option == answer.option)
            .map(|given| given.by.name.as_str())
            .chain([by.as_str()])
            .collect();
        let result = json!({ "option": option, "text": answer.text, "by": by, "agreed": agreed, "at": self.now.to_string() });
        self.leave(&option, result)
    }
}

fn answered(question: &GateQuestion, answer: &Answer) -> Value {
    let given = answer.answers.get(&question.id).map(|text| text.trim());
    json!({
        "id": question.id,
        "question": question.question,
        "answer": given.or(question.default.as_deref()),
        "assumed": given.is_none(),
    })
}

/// What holds when nobody answers, as an answer by the policy.
fn policy_answer(gate: &OpenGate, otherwise: &str) -> Answer {
    let option = (!gate.options.is_empty()).then(|| otherwise.to_string());
    let text = match &gate.kind {
        GateKind::Question { .. } => gate.questions.first().and_then(|question| question.default.clone()),
        _ => None,
    };
    Answer { by: Person::policy(), option, text, answers: BTreeMap::new(), seen: None }
}

/// Whether the run fails where nobody answers. An option of that name is an option.
fn fails(gate: &OpenGate) -> bool {
    gate.otherwise.as_deref() == Some(FAIL) && !gate.options.iter().any(|option| option == FAIL)
}

fn nobody_there(gate: &OpenGate) -> Failure {
    let asked = gate.ask.lines().next().unwrap_or_default();
    Failure { kind: FailureKind::Refused, message: format!("nobody was there to answer at gate {}: {asked}", gate.id) }
}

fn deadline_timer(gate: &GateId) -> TimerId {
    TimerId::new(format!("deadline:{gate}"))
}

/// Questions as an agent gives them: texts, or objects with `question` and more.
fn questions(list: &Value) -> Vec<GateQuestion> {
    let text = |value: &Value, field: &str| value[field].as_str().map(String::from);
    let members = list.as_array().map_or(&[][..], Vec::as_slice).iter().enumerate();
    let questions = members.filter_map(|(position, member)| {
        let id = text(member, "id").unwrap_or_else(|| format!("q{}", position + 1));
        let question = member.as_str().map(String::from).or_else(|| text(member, "question"))?;
        let options = member["options"]
            .as_array()
            .map_or_else(Vec::new, |options| options.iter().filter_map(|option| option.as_str().map(String::from)).collect());
        Some(GateQuestion { id, question, options, default: text(member, "default") })
    });
    questions.collect()
}
