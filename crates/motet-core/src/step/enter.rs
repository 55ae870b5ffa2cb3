//! Entering a state, and what each kind of work begins with.
//! A state that only decides is left in the same breath, so `go` is a loop and not a recursion.

use serde_json::{Map, Value, json};

use crate::definition::{Agent, CommandLine, Does, Each, Ending, Plan, StateDefinition, Work};
use crate::effect::{CallWork, Effect};
use crate::event::{Failure, FailureKind};
use crate::expression::{Expression, Formula, Scope};
use crate::names::{AgentName, TaskId};
use crate::state::{Ended, Outcome, Status, Task, Visit};
use crate::step::machine::{Entry, Machine};
use crate::step::scope::RunScope;

/// More transitions than this without any work in between is a loop that the check should have refused.
const MOST_AT_ONCE: u32 = 10_000;

impl<'a> Machine<'a> {
    /// Enters states until one of them has to wait.
    pub fn go(&mut self, first: Option<Entry>) {
        let mut next = first;
        let mut entered = 0;
        while let Some(entry) = next {
            entered += 1;
            if entered > MOST_AT_ONCE {
                return self.end_broken(invalid(format!("the workflow went through {MOST_AT_ONCE} states without doing any work")));
            }
            next = self.enter(entry);
        }
    }

    fn enter(&mut self, entry: Entry) -> Option<Entry> {
        let number = {
            let visits = self.state.visits.entry(entry.to.clone()).or_default();
            *visits += 1;
            *visits
        };
        self.state.tasks.clear();
        self.state.here = Visit { state: entry.to, number, entered_at: self.now, ..Visit::default() };
        let state = self.here();
        match &state.work {
            Work::Decide => self.leave("done", Value::Null),
            Work::Agent { agent, each: None, .. } => self.begin_one(state, agent),
            Work::Agent { agent, each: Some(each), .. } => self.begin_each(state, agent, each, entry.returning),
            Work::Plan(plan) => self.begin_plan(state, plan, entry.returning),
            Work::Gate(gate) => self.open_state_gate(gate),
            Work::Command(_) => self.begin_command(state),
            Work::Call(builtin) => self.begin_call(state, builtin),
            Work::Final { ending, output } => {
                self.finish(*ending, output);
                None
            }
        }
    }

    fn begin_one(&mut self, state: &'a StateDefinition, agent: &AgentName) -> Option<Entry> {
        let input = match self.evaluate_with(state, &self.scope()) {
            Ok(input) => input,
            Err(failure) => return self.broken(failure),
        };
        self.create(None, agent.clone(), self.work_of(agent), input);
        self.pump()
    }

    /// A return runs only the items that have not come to anything yet.
    fn begin_each(&mut self, state: &'a StateDefinition, agent: &AgentName, each: &Each, returning: bool) -> Option<Entry> {
        let prepared = (|| {
            let scope = self.scope();
            let at_most = self.number(&each.at_most, &scope)? as usize;
            let Value::Array(mut items) = self.evaluate(&each.list, &scope)? else { return Ok((Vec::new(), 0)) };
            let left_out = items.len().saturating_sub(at_most);
            items.truncate(at_most);
            let inputs = items.into_iter().map(|item| {
                let input = self.evaluate_with(state, &self.scope().item(&item))?;
                Ok((item, input))
            });
            Ok((inputs.collect::<Result<Vec<_>, Failure>>()?, left_out))
        })();
        let (inputs, left_out) = match prepared {
            Ok(prepared) => prepared,
            Err(failure) => return self.broken(failure),
        };
        if left_out > 0 {
            self.warn(format!("{left_out} items of {} were left out: it takes {} at most", state.name, inputs.len()));
        }
        let mut finished = self.state.unfinished.remove(&state.name).filter(|_| returning).unwrap_or_default();
        for (position, (item, input)) in inputs.into_iter().enumerate() {
            let number = position as u32 + 1;
            if let Some(member) = finished.remove(&number).filter(|member| member["item"] == item) {
                self.state.here.items.insert(number, member);
                continue;
            }
            let id = self.create(Some(&number.to_string()), agent.clone(), self.work_of(agent), input);
            self.task(&id).item = Some((number, item));
        }
        self.pump()
    }

    fn begin_plan(&mut self, state: &'a StateDefinition, plan: &'a Plan, returning: bool) -> Option<Entry> {
        match self.open_plan(state, plan, returning) {
            Ok(()) => self.pump(),
            Err(failure) => self.broken(failure),
        }
    }

    fn begin_command(&mut self, state: &'a StateDefinition) -> Option<Entry> {
        match self.command_work(state) {
            Ok(work) => {
                self.create(None, AgentName::new(state.name.as_str()), work, Value::Null);
                self.pump()
            }
            Err(failure) => self.broken(failure),
        }
    }

    fn command_work(&self, state: &StateDefinition) -> Result<CallWork, Failure> {
        let Work::Command(command) = &state.work else { unreachable!("a command state without a command") };
        let scope = self.scope();
        let words = match &command.run {
            CommandLine::Words(words) => words.iter().map(|word| self.render(word, &scope)).collect(),
            CommandLine::Expression(expression) => {
                let value = self.evaluate(expression, &scope)?;
                let words =
                    value.as_array().and_then(|words| words.iter().map(|word| word.as_str().map(String::from)).collect::<Option<Vec<_>>>());
                words
                    .filter(|words| !words.is_empty())
                    .ok_or_else(|| invalid(format!("`run: {}` is not a list of words", expression.source)))?
            }
        };
        let within = match &command.within {
            Some(formula) => self.evaluate_formula(formula, &scope)?.as_str().map(String::from),
            None => None,
        };
        Ok(CallWork::Command { words, within })
    }

    fn begin_call(&mut self, state: &'a StateDefinition, builtin: &str) -> Option<Entry> {
        let input = match self.evaluate_with(state, &self.scope()) {
            Ok(input) => input,
            Err(failure) => return self.broken(failure),
        };
        self.create(None, AgentName::new(state.name.as_str()), CallWork::Builtin { name: builtin.to_string() }, input);
        self.pump()
    }

    fn finish(&mut self, ending: Ending, output: &Formula) {
        let output = self.evaluate_formula(output, &self.scope()).unwrap_or(Value::Null);
        let outcome = match ending {
            Ending::Completed if self.state.partial => Outcome::Partial,
            Ending::Completed => Outcome::Completed,
            Ending::Failed => Outcome::Failed,
            Ending::Aborted => Outcome::Aborted,
        };
        self.end(outcome, output);
    }

    /// The run is over, whatever was still going on.
    pub fn end(&mut self, outcome: Outcome, output: Value) {
        self.stop_clock();
        self.stop_everything();
        let ended = Ended { outcome, at: self.now, output };
        self.state.status = Status::Ended;
        self.state.ended = Some(ended.clone());
        self.effects.push(Effect::Finish { ended });
    }

    /// The workflow itself cannot be gone on with.
    pub fn end_broken(&mut self, failure: Failure) {
        let output = json!({ "error": { "kind": failure.kind, "message": failure.message } });
        let record = self.error_of_visit(failure);
        self.record_error(record);
        self.end(Outcome::Failed, output);
    }

    pub fn create(&mut self, part: Option<&str>, agent: AgentName, work: CallWork, input: Value) -> TaskId {
        let here = &mut self.state.here;
        here.created += 1;
        let id = match part {
            Some(part) => TaskId::new(format!("{}.{}/{part}", here.state, here.number)),
            None => TaskId::new(format!("{}.{}", here.state, here.number)),
        };
        let task = Task::new(id.clone(), here.created, agent, work, input, self.now);
        self.state.tasks.insert(id.clone(), task);
        id
    }

    pub fn work_of(&self, agent: &AgentName) -> CallWork {
        self.definition.agents.get(agent).map_or(CallWork::Prompt, work_of)
    }

    pub fn evaluate_with(&self, state: &StateDefinition, scope: &RunScope<'_>) -> Result<Value, Failure> {
        let fields = state.with.iter().map(|(name, formula)| Ok((name.clone(), self.evaluate_formula(formula, scope)?)));
        Ok(Value::Object(fields.collect::<Result<Map<_, _>, Failure>>()?))
    }

    pub fn evaluate(&self, expression: &Expression, scope: &RunScope<'_>) -> Result<Value, Failure> {
        let scope = Scope::new(scope);
        let value = expression.evaluate(&scope);
        if scope.is_exhausted() { Err(invalid(format!("`{}` takes too long to evaluate", expression.source))) } else { Ok(value) }
    }

    pub fn evaluate_formula(&self, formula: &Formula, scope: &RunScope<'_>) -> Result<Value, Failure> {
        let scope = Scope::new(scope);
        let value = formula.evaluate(&scope);
        let source = || formula.expressions().first().map_or("", |expression| expression.source.as_str());
        if scope.is_exhausted() { Err(invalid(format!("`{}` takes too long to evaluate", source()))) } else { Ok(value) }
    }

    /// A whole number, none counting as zero.
    pub fn number(&self, expression: &Expression, scope: &RunScope<'_>) -> Result<u64, Failure> {
        Ok(self.evaluate(expression, scope)?.as_f64().filter(|number| *number > 0.0).map_or(0, |number| number as u64))
    }

    /// The state could not do its work because of the workflow's own texts. A state that only decides or asks has no trouble
    /// to lead anywhere, so the run ends there: no path may exist that `check` has not seen.
    pub fn broken(&mut self, failure: Failure) -> Option<Entry> {
        if matches!(self.here().work, Work::Decide | Work::Gate(_) | Work::Final { .. }) {
            self.end_broken(failure);
            return None;
        }
        let record = self.error_of_visit(failure);
        self.record_error(record);
        self.trouble(crate::definition::TroubleKind::Error)
    }
}

pub(super) fn work_of(agent: &Agent) -> CallWork {
    match &agent.does {
        Does::Prompt(_) => CallWork::Prompt,
        Does::Builtin(name) => CallWork::Builtin { name: name.clone() },
        Does::Workflow(name) => CallWork::Workflow { name: name.clone() },
    }
}

pub(super) fn invalid(message: String) -> Failure {
    Failure { kind: FailureKind::InvalidWorkflow, message }
}
