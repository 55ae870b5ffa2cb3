//! An agent may answer with a question instead of a result; its task waits, clock stopped, and goes on with the answer.

use serde_json::json;

use crate::definition::Responder;
use crate::effect::{Answered, CallWork};
use crate::event::{Failure, FailureKind, Question, Unattended, Usage};
use crate::names::TaskId;
use crate::rejected::Rejected;
use crate::state::{Asking, GateKind, GateQuestion, OpenGate, TaskStatus};
use crate::step::machine::Machine;

impl Machine<'_> {
    pub fn on_task_asked(&mut self, task: &TaskId, attempt: u32, question: &Question, usage: &Usage) -> Result<(), Rejected> {
        let found = self.attempt_of(task, attempt)?;
        if found.status != TaskStatus::Running {
            return Err(Rejected::Illegal { what: format!("task {task}"), is: found.status.word().to_string() });
        }
        let asked = found.answers.iter().filter(|answered| !answered.question.is_for_people()).count() as u32;
        self.end_attempt(task);
        self.settle(task, usage);
        let at_most = self.definition.questions.at_most;
        // A person who plays an agent is given the task, and a program asks for leave: neither is a question, so none is too many.
        let too_many = asked >= at_most || self.state.tasks[task].answering.is_some();
        if too_many && !question.is_for_people() {
            let message = format!("it asked a question ({}) where {at_most} are allowed", question.question);
            self.attempt_failed(task, Failure { kind: FailureKind::Reported, message });
        } else {
            let asking = self.task(task);
            asking.move_to(TaskStatus::Asking);
            asking.asking = Some(Asking { question: question.clone(), responder: 0 });
            self.ask_next(task);
        }
        self.go_on();
        Ok(())
    }

    /// Puts the question to the next who may answer it; in the end the question's own default holds.
    pub fn ask_next(&mut self, id: &TaskId) {
        let definition = self.definition;
        let unattended = self.state.run.as_ref().is_some_and(|run| run.unattended);
        // A task that was given up, or whose state is being left, has no use for an answer.
        if self.state.tasks[id].status != TaskStatus::Asking || self.state.here.leaving.is_some() {
            return;
        }
        loop {
            let Some(question) = self.state.tasks[id].asking.as_ref().map(|asking| asking.question.clone()) else { return };
            let only_people = [Responder::Person];
            let responders = if question.is_for_people() { &only_people[..] } else { &definition.questions.answered_by };
            let waits = self.policy(&question) == Unattended::Wait;
            let task = self.task(id);
            let agent = task.agent.clone();
            let Some(asking) = &mut task.asking else { return };
            let responder = responders.get(asking.responder as usize);
            asking.responder += 1;
            match responder {
                Some(Responder::Agent(responder)) if *responder != agent => return self.ask_agent(id, responder.clone(), &question),
                Some(Responder::Agent(_)) => {}
                Some(Responder::Person) if unattended && !waits => {}
                Some(Responder::Person) if question.is_permission => return self.ask_for_leave(id, &question),
                Some(Responder::Person) => return self.ask_people(id, &question),
                None => return self.nobody_answered(id, &question),
            }
        }
    }

    fn ask_agent(&mut self, id: &TaskId, responder: crate::names::AgentName, question: &Question) {
        let asking = &self.state.tasks[id];
        let part = format!("{}?{}{}", id.as_str().split_once('/').map_or("", |(_, part)| part), asking.attempt, responder);
        let input = json!({ "question": question.question, "options": question.options, "default": question.default, "asked_by": asking.agent, "given": asking.input });
        let answering = self.create(Some(&part), responder, CallWork::AnswerQuestion, input);
        self.task(&answering).answering = Some(id.clone());
    }

    fn ask_people(&mut self, id: &TaskId, question: &Question) {
        let agent = &self.state.tasks[id].agent;
        let ask = match question.is_task {
            true => format!("You play {agent} in {id}.\n\n{}", question.question.trim_end()),
            false => format!("{agent} asks: {}", question.question),
        };
        let policy = self.policy(question);
        let falls_back = policy == Unattended::Default && question.default.is_some();
        let (now, deadline_ms) = (self.now, self.definition.questions.deadline_ms.filter(|_| policy != Unattended::Wait));
        let gate = self.task_gate(id, GateKind::Question { task: id.clone() }, ask);
        let shown = GateQuestion {
            id: "answer".into(),
            question: question.question.clone(),
            options: question.options.clone(),
            default: question.default.clone(),
        };
        self.ask_person(OpenGate {
            questions: if question.is_task { Vec::new() } else { vec![shown] },
            deadline: deadline_ms.map(|deadline| now.plus(deadline)),
            otherwise: falls_back.then(|| "defaults".to_string()),
            ..gate
        });
    }

    /// What a program wants to do is shown as it is, and takes as long as people take: nothing but their word lets it.
    fn ask_for_leave(&mut self, id: &TaskId, question: &Question) {
        let ask = format!("{} asks for permission: {}", self.state.tasks[id].agent, question.question);
        let gate = self.task_gate(id, GateKind::Permission { task: id.clone() }, ask);
        self.ask_person(OpenGate { options: question.options.clone(), ..gate });
    }

    /// What holds when nobody answers. Leave is not given by the workflow, and a task has no default.
    fn policy(&self, question: &Question) -> Unattended {
        let usual = match self.definition.questions.otherwise {
            _ if question.is_permission => Unattended::Default,
            Unattended::Default if question.is_task => Unattended::Fail,
            usual => usual,
        };
        question.unattended.unwrap_or(usual)
    }

    fn nobody_answered(&mut self, id: &TaskId, question: &Question) {
        match &question.default {
            Some(default) if self.policy(question) == Unattended::Default => {
                let default = default.clone();
                self.warn(format!(
                    "{} asked “{}”; nobody answered, so “{default}” was taken",
                    self.state.tasks[id].agent, question.question
                ));
                self.answer_question(id, default, "policy".to_string());
            }
            _ => {
                let message = match question.is_task {
                    true => format!("a person plays {}, and nobody was there", self.state.tasks[id].agent),
                    false if question.is_permission => format!("nobody was there to permit it: {}", question.question),
                    false => format!("nobody answered its question: {}", question.question),
                };
                self.task(id).asking = None;
                self.attempt_failed(id, Failure { kind: FailureKind::Refused, message });
            }
        }
    }

    /// The task goes on where it was, and knows the answer.
    pub fn answer_question(&mut self, id: &TaskId, answer: String, by: String) {
        let task = self.task(id);
        if task.status != TaskStatus::Asking {
            return;
        }
        if let Some(asking) = task.asking.take() {
            let asked_in = task.attempt;
            task.answers.push(Answered { question: asking.question, answer, by, asked_in });
        }
        self.again(id);
    }
}
