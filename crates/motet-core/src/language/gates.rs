//! Reads states in which people decide, and those in which a program does.
//! Whether an unattended run could hang at a gate is left to `check`.

use super::reader::{Fields, suggest};
use super::reading::{Reading, Sees};
use super::yaml::{Kind, Node};
use super::{codes, grammar};
use crate::definition::{Command, CommandLine, Gate, Otherwise};
use crate::schema::Schema;

const DEFAULT_COMMAND_TIMEOUT_MS: u64 = 600_000;

pub fn gate(reading: &mut Reading<'_>, node: &Node, input: Option<&Schema>) -> Option<Gate> {
    let fields = reading.reader.fields(node, &grammar::GATE, &node.span)?;
    let owned = |texts: Vec<(&str, &_)>| texts.into_iter().map(|(text, _)| text.to_owned()).collect::<Vec<String>>();
    let options = owned(reading.reader.texts(fields.get("options"), "option"));
    match (fields.get("options"), fields.get("questions")) {
        (None, None) => {
            let problem = reading.reader.error(codes::GATE, &fields.span, "a gate needs `options` to choose from, or `questions`");
            problem.help.push("add `options: [approve, abort]`".into());
        }
        (Some(_), Some(node)) => {
            reading.reader.error(codes::GATE, &node.span, "a gate has `options` or `questions`, not both");
        }
        (Some(node), None) if options.is_empty() => {
            reading.reader.error(codes::GATE, &node.span, "a gate needs at least one option");
        }
        _ => {}
    }
    let mut text_for = Vec::new();
    for (option, span) in reading.reader.texts(fields.get("text_for"), "option") {
        if !options.iter().any(|other| other == option) {
            let problem = reading.reader.error(codes::GATE, span, format!("`{option}` is not among the options"));
            suggest(problem, option, options.iter().map(String::as_str));
        }
        text_for.push(option.to_owned());
    }
    let otherwise = otherwise(reading, &fields, &options, input);
    if let (Some(deadline), false) = (fields.get("deadline"), fields.has("otherwise")) {
        let problem =
            reading.reader.error(codes::GATE, &deadline.span, "a deadline needs `otherwise`: what holds when nobody has answered");
        problem.help.push("add `otherwise: …` with an option, `defaults`, `wait`, `fail`, or an input".into());
    }
    let ask = reading.text_of(fields.get("ask"));
    let show = reading.text_of(fields.get("show"));
    let questions = reading.expression_of(fields.get("questions"), Sees::Run);
    Some(Gate {
        ask: ask?,
        show,
        options,
        text_for,
        questions,
        who: owned(reading.reader.texts(fields.get("who"), "role")),
        except: owned(reading.reader.texts(fields.get("except"), "name")),
        quorum: fields.get("quorum").and_then(|node| reading.reader.count(node, 1)).unwrap_or(1),
        deadline_ms: fields.get("deadline").and_then(|node| reading.reader.duration(node)),
        otherwise,
    })
}

fn otherwise(reading: &mut Reading<'_>, fields: &Fields<'_>, options: &[String], input: Option<&Schema>) -> Option<Otherwise> {
    let node = fields.get("otherwise")?;
    let text = reading.reader.text(node, "an option, `defaults`, `wait`, `fail`, or an input")?;
    let asks_questions = fields.has("questions");
    let fits = |value: &str| {
        options.iter().any(|option| option == value) || matches!(value, "wait" | "fail") || (value == "defaults" && asks_questions)
    };
    if let Some(name) = text.strip_prefix("input.") {
        let expression = reading.expression(node, Sees::Run)?;
        // An input that does not exist is reported with all other references.
        let schema = input.filter(|schema| schema.property(name).is_some());
        if let Some(schema) = schema {
            match schema.enumeration(&[name]) {
                None => {
                    let problem = reading.reader.error(codes::NOT_AN_ENUMERATION, &node.span, format!("`{text}` is not an enumeration"));
                    problem.help.push("give the input an `enum` whose values are options, `defaults`, `wait` or `fail`".into());
                }
                Some(values) => {
                    for value in values.iter().filter(|value| !fits(value)) {
                        let message = format!("`{text}` may be `{value}`, which this gate does not take");
                        let problem = reading.reader.error(codes::GATE, &node.span, message);
                        suggest(problem, value, options.iter().map(String::as_str));
                    }
                }
            }
        }
        return Some(Otherwise::Input(expression));
    }
    if !fits(text) {
        let problem = reading.reader.error(codes::GATE, &node.span, format!("`otherwise` is `{text}`, which this gate does not take"));
        let words = ["wait", "fail"].into_iter().chain(asks_questions.then_some("defaults"));
        suggest(problem, text, options.iter().map(String::as_str).chain(words));
    }
    Some(match text {
        option if options.iter().any(|other| other == option) => Otherwise::Option(option.to_owned()),
        "defaults" => Otherwise::Defaults,
        "fail" => Otherwise::Fail,
        _ => Otherwise::Wait,
    })
}

pub fn command(reading: &mut Reading<'_>, node: &Node) -> Option<Command> {
    let fields = reading.reader.fields(node, &grammar::COMMAND, &node.span)?;
    let run = fields.get("run").and_then(|node| match &node.kind {
        Kind::List(words) if words.is_empty() => reading.reader.wrong(node, "at least the name of a program"),
        Kind::List(words) => Some(CommandLine::Words(words.iter().filter_map(|word| reading.text(word)).collect())),
        _ => reading.expression(node, Sees::Run).map(CommandLine::Expression),
    });
    let within = fields.get("in").and_then(|node| reading.formula(node, Sees::Run));
    let timeout_ms = fields.get("timeout").and_then(|node| reading.reader.duration(node)).unwrap_or(DEFAULT_COMMAND_TIMEOUT_MS);
    Some(Command { run: run?, within, timeout_ms })
}
