//! Everything a state reads, and when: before its work is done, while it saves, or on leaving.
//! Prompts are not among it: they see only what `with` gives them, and that is always there.

use crate::definition::{
    CommandLine, Definition, Gate, IfTaskFails, Metadata, OnFailure, Otherwise, Plan, PlanTasks, Sends, StateDefinition, Transition,
    TroubleKind, Work,
};
use crate::diagnostic::Span;
use crate::expression::{Expression, Formula};
use crate::template::Text;

/// One variable that is read, as a path: `last.testing.summary`.
#[derive(Debug)]
pub struct Read {
    pub path: Vec<String>,
    pub moment: Moment,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// There is no result yet.
    Work,
    /// There is a result; data is as it was.
    Save,
    /// Data is saved.
    Leave,
}

pub fn of(definition: &Definition, state: &StateDefinition) -> Vec<Read> {
    let mut reads = Reads { definition, moment: Moment::Work, found: Vec::new() };
    reads.fields(&state.with);
    reads.work(&state.work);
    reads.moment = Moment::Save;
    reads.fields(&state.save);
    reads.moment = Moment::Leave;
    reads.fields(&state.add);
    if let Some(sends) = &state.sends {
        reads.sends(sends);
    }
    state.by.iter().for_each(|by| reads.expression(by));
    state.next.all().for_each(|(_, transition)| reads.transition(transition));
    reads.moment = Moment::Work;
    TroubleKind::ALL.iter().filter_map(|kind| state.trouble.of(*kind)).for_each(|transition| reads.transition(transition));
    reads.found
}

struct Reads<'a> {
    definition: &'a Definition,
    moment: Moment,
    found: Vec<Read>,
}

impl Reads<'_> {
    fn work(&mut self, work: &Work) {
        match work {
            Work::Decide | Work::Call(_) => {}
            Work::Agent { each, if_task_fails, .. } => {
                if let Some(each) = each {
                    self.expression(&each.list);
                    self.expression(&each.at_most);
                }
                if_task_fails.iter().for_each(|rules| self.failed_tasks(rules));
            }
            Work::Plan(plan) => self.plan(plan),
            Work::Gate(gate) => self.gate(gate),
            Work::Command(command) => {
                match &command.run {
                    CommandLine::Expression(expression) => self.expression(expression),
                    CommandLine::Words(words) => words.iter().for_each(|word| self.text(word)),
                }
                command.within.iter().for_each(|within| self.formula(within));
            }
            Work::Final { output, .. } => self.formula(output),
        }
    }

    fn plan(&mut self, plan: &Plan) {
        if let PlanTasks::Held(tasks) = &plan.tasks {
            self.expression(tasks);
        }
        [&plan.only, &plan.max_parallel, &plan.exclusive].into_iter().flatten().for_each(|expression| self.expression(expression));
        self.expression(&plan.at_most);
        self.fields(&plan.after_each_save);
        self.fields(&plan.after_each_add);
        plan.after_each_warn.iter().for_each(|text| self.text(text));
        self.failed_tasks(&plan.if_task_fails);
    }

    fn failed_tasks(&mut self, rules: &IfTaskFails) {
        [&rules.alternative, &rules.compensate].into_iter().flatten().for_each(|fields| self.fields(fields));
        rules.warn.iter().for_each(|text| self.text(text));
        for rule in [&rules.critical, &rules.optional] {
            if let OnFailure::Go(transition) = rule {
                self.transition(transition);
            }
        }
    }

    fn gate(&mut self, gate: &Gate) {
        self.text(&gate.ask);
        gate.show.iter().for_each(|text| self.text(text));
        gate.questions.iter().for_each(|questions| self.expression(questions));
        if let Some(Otherwise::Input(expression)) = &gate.otherwise {
            self.expression(expression);
        }
    }

    fn transition(&mut self, transition: &Transition) {
        transition.when.iter().for_each(|when| self.expression(when));
        [&transition.because, &transition.warn, &transition.note].into_iter().flatten().for_each(|text| self.text(text));
        transition.exceeded.iter().for_each(|exceeded| self.transition(exceeded));
    }

    fn sends(&mut self, sends: &Sends) {
        [&sends.subject, &sends.body].into_iter().flatten().for_each(|text| self.text(text));
        sends.metadata.iter().for_each(|(_, value)| self.metadata(value));
    }

    fn metadata(&mut self, value: &Metadata) {
        match value {
            Metadata::Text(text) => self.text(text),
            Metadata::List(items) => items.iter().for_each(|item| self.metadata(item)),
            Metadata::Map(fields) => fields.iter().for_each(|(_, field)| self.metadata(field)),
            Metadata::Plain(_) => {}
        }
    }

    fn fields(&mut self, fields: &[(String, Formula)]) {
        fields.iter().for_each(|(_, formula)| self.formula(formula));
    }

    fn formula(&mut self, formula: &Formula) {
        formula.expressions().into_iter().for_each(|expression| self.expression(expression));
    }

    fn expression(&mut self, expression: &Expression) {
        self.push(expression.references(), &expression.span);
    }

    fn text(&mut self, text: &Text) {
        if let Some(template) = &text.template {
            self.push(self.definition.templates.references(template), &text.span);
        }
    }

    fn push(&mut self, paths: Vec<Vec<String>>, span: &Span) {
        let moment = self.moment;
        self.found.extend(paths.into_iter().map(|path| Read { path, moment, span: span.clone() }));
    }
}
