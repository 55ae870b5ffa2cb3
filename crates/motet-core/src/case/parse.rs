//! Reads a case file with the reader of the language: positions, every problem at once, unknown keys with suggestions.
//! Whether its states and agents exist is judged by whoever plays it, since a case knows no workflow.

use std::collections::BTreeMap;

use serde_json::Value;

use super::grammar::{CASE, DEEDS, EVENT, EXPECT, FAILURES, GATE_LINE, HAPPENINGS, LINE, PRICE, RESUME, STATUSES, UNATTENDED, UNTIL_CRASH};
use super::{Case, Does, Expect, GateLine, Happening, Happens, Line};
use crate::diagnostic::{Diagnostic, nearest};
use crate::event::{FailureKind, Price, Question};
use crate::language::codes;
use crate::language::reader::{Fields, Reader, quoted, suggest};
use crate::language::yaml::{self, Kind, Node};
use crate::units::Usd;

pub fn parse(file: &str, text: &str) -> Result<Case, Vec<Diagnostic>> {
    let tree = yaml::parse(file, text)?;
    let mut reader = Reader::default();
    let case = case(&mut reader, &tree);
    match case {
        Some(case) if reader.problems.is_empty() => Ok(case),
        _ => Err(reader.problems),
    }
}

fn case(reader: &mut Reader, tree: &Node) -> Option<Case> {
    let fields = reader.fields(tree, &CASE, &tree.span)?;
    let mut agents = BTreeMap::new();
    for (key, value) in reader.entries(fields.get("agents"), "agents") {
        let lines = match &value.kind {
            Kind::List(items) => items.iter().filter_map(|item| line(reader, item)).collect(),
            _ => line(reader, value).map(|line| Line { times: None, ..line }).into_iter().collect(),
        };
        agents.insert(key.text.clone(), lines);
    }
    let mut prices = BTreeMap::new();
    for (key, value) in reader.entries(fields.get("prices"), "prices") {
        prices.extend(price(reader, value).map(|price| (key.text.clone(), price)));
    }
    let mut gates = BTreeMap::new();
    for (key, value) in reader.entries(fields.get("gates"), "gates") {
        let lines = match &value.kind {
            Kind::List(items) => items.iter().filter_map(|item| gate_line(reader, item)).collect(),
            _ => gate_line(reader, value).into_iter().collect(),
        };
        gates.insert(key.text.clone(), lines);
    }
    let events = fields.get("events").and_then(|node| reader.list(node, "events")).unwrap_or_default();
    let events = events.iter().filter_map(|node| happening(reader, node)).collect();
    let input = match fields.get("input") {
        Some(node) => reader.map(node, "input").map(|_| node.to_json()),
        None => Some(Value::Object(serde_json::Map::new())),
    };
    let name = fields.get("case").and_then(|node| reader.text(node, "a sentence"));
    let expect = fields.get("expect").and_then(|node| expect(reader, node));
    Some(Case {
        name: name?.to_owned(),
        input: input?,
        unattended: fields.get("unattended").and_then(|node| reader.boolean(node)).unwrap_or(false),
        budget: dollars(reader, &fields, "budget"),
        max_time_ms: fields.get("max_time").and_then(|node| reader.duration(node)),
        prices,
        agents,
        gates,
        events,
        expect: expect?,
    })
}

fn dollars(reader: &mut Reader, fields: &Fields<'_>, key: &str) -> Option<f64> {
    fields.get(key).and_then(|node| reader.number(node, 0.0, 1e9))
}

fn price(reader: &mut Reader, node: &Node) -> Option<Price> {
    let fields = reader.fields(node, &PRICE, &node.span)?;
    let mut amount = |key: &str| dollars(reader, &fields, key).and_then(Usd::from_dollars).unwrap_or_default();
    let (call, input_per_million, output_per_million) = (amount("call"), amount("input_per_million"), amount("output_per_million"));
    let mut count = |key: &str| fields.get(key).and_then(|node| reader.integer(node, 0, u64::MAX));
    Some(Price {
        call,
        input_per_million,
        output_per_million,
        max_tokens: count("max_tokens"),
        tool_tokens: count("tool_tokens"),
        verdict_tokens: count("verdict_tokens"),
        turns: fields.get("turns").and_then(|node| reader.count(node, 1)),
    })
}

fn line(reader: &mut Reader, node: &Node) -> Option<Line> {
    if !is_line(reader, node)? {
        return Some(plain(Does::Returns(node.to_json())));
    }
    let fields = reader.fields(node, &LINE, &node.span)?;
    let deeds: Vec<&str> = DEEDS.into_iter().filter(|deed| node_has(node, deed)).collect();
    if let [first, second, ..] = deeds.as_slice() {
        let span = fields.key_span(second);
        reader.error(codes::CONFLICT, &span, format!("a line has `{first}` or `{second}`, not both"));
    }
    let does = does(reader, &fields, node, deeds[0]);
    let times = match fields.get("times") {
        Some(node) if node.scalar() == Some("all") => None,
        Some(node) => Some(reader.count(node, 1).unwrap_or(1)),
        None => Some(1),
    };
    let mut number = |key: &str| fields.get(key).and_then(|node| reader.integer(node, 0, u64::MAX)).unwrap_or(0);
    let (delay_ms, tokens_in, tokens_out, tool_calls) =
        (number("delay_ms"), number("tokens_in"), number("tokens").saturating_add(number("tokens_out")), number("tool_calls"));
    let cost = dollars(reader, &fields, "cost").unwrap_or(0.0);
    let task = fields.get("task").and_then(|node| reader.text(node, "a text")).map(str::to_owned);
    Some(Line { does: does?, delay_ms, tokens_in, tokens_out, cost, tool_calls, times, task })
}

fn plain(does: Does) -> Line {
    Line { does, delay_ms: 0, tokens_in: 0, tokens_out: 0, cost: 0.0, tool_calls: 0, times: Some(1), task: None }
}

fn node_has(node: &Node, name: &str) -> bool {
    matches!(&node.kind, Kind::Map(entries) if entries.iter().any(|(key, _)| key.text == name))
}

/// None for a mapping that is neither surely: it has a deed, and a key that looks like a slip of the pen.
fn is_line(reader: &mut Reader, node: &Node) -> Option<bool> {
    let Kind::Map(entries) = &node.kind else { return Some(false) };
    if !DEEDS.iter().any(|deed| node_has(node, deed)) {
        return Some(false);
    }
    let Some((strange, _)) = entries.iter().find(|(key, _)| LINE.key(&key.text).is_none()) else { return Some(true) };
    if nearest(&strange.text, LINE.names()).is_none() {
        return Some(false);
    }
    let problem = reader.error(codes::UNKNOWN_KEY, &strange.span, format!("unknown key `{}` in a line", strange.text));
    suggest(problem, &strange.text, LINE.names());
    problem.help.push("to return this mapping itself, write it under `returns`".into());
    None
}

fn does(reader: &mut Reader, fields: &Fields<'_>, node: &Node, deed: &str) -> Option<Does> {
    let mut text = |key: &str| fields.get(key).and_then(|node| reader.text(node, "a text")).map(str::to_owned);
    let (message, default, stdout, stderr) = (text("message"), text("default"), text("stdout"), text("stderr"));
    for (key, belongs_to) in [
        ("message", "fails"),
        ("options", "asks"),
        ("default", "asks"),
        ("permission", "asks"),
        ("person", "asks"),
        ("unattended", "asks"),
        ("stdout", "exit"),
        ("stderr", "exit"),
    ] {
        if fields.has(key) && deed != belongs_to {
            let span = fields.key_span(key);
            reader.error(codes::CONFLICT, &span, format!("`{key}` belongs to `{belongs_to}`"));
        }
    }
    match deed {
        // Null is a value here, so the key's presence counts.
        "returns" => Some(Does::Returns(crate::language::value_of(node, "returns")?.to_json())),
        "fails" => {
            let position = fields.get("fails").and_then(|node| reader.word(node, FAILURES))?;
            let kind: FailureKind = serde_json::from_value(Value::String(FAILURES[position].into())).ok()?;
            let message = message.unwrap_or_else(|| format!("{} (as the case says)", FAILURES[position].replace('_', " ")));
            Some(Does::Fails { kind, message })
        }
        "asks" => {
            let question = fields.get("asks").and_then(|node| reader.text(node, "a question"))?.to_owned();
            let options = reader.texts(fields.get("options"), "option").into_iter().map(|(option, _)| option.to_owned()).collect();
            let mut is = |key: &str| fields.get(key).and_then(|node| reader.boolean(node)).unwrap_or(false);
            let (is_permission, is_task) = (is("permission"), is("person"));
            if is_permission && is_task {
                let span = fields.key_span("person");
                reader.error(codes::CONFLICT, &span, "a question is either the program's (`permission`) or the task itself (`person`)");
            }
            let unattended = fields.get("unattended").and_then(|node| reader.word(node, UNATTENDED));
            let unattended = unattended.and_then(|position| serde_json::from_value(Value::String(UNATTENDED[position].into())).ok());
            Some(Does::Asks(Question { question, options, default, is_task, is_permission, unattended }))
        }
        "exit" => {
            let code = fields.get("exit").and_then(|node| reader.integer(node, 0, 255))?;
            Some(Does::Exits { code: i32::try_from(code).ok()?, stdout: stdout.unwrap_or_default(), stderr: stderr.unwrap_or_default() })
        }
        _ => match fields.get("hangs")? {
            node if node.scalar() == Some(UNTIL_CRASH) => Some(Does::HangsUntilCrash),
            node => reader.boolean(node).map(|_| Does::Hangs),
        },
    }
}

fn gate_line(reader: &mut Reader, node: &Node) -> Option<GateLine> {
    let silent_line = GateLine {
        option: None,
        text: None,
        answers: BTreeMap::new(),
        by: "person".into(),
        after_ms: 0,
        silent: true,
        edits: BTreeMap::new(),
    };
    match node.scalar() {
        Some("silent") => return Some(silent_line),
        Some(option) if !node.is_null() => return Some(GateLine { option: Some(option.to_owned()), silent: false, ..silent_line }),
        _ => {}
    }
    let fields = reader.fields(node, &GATE_LINE, &node.span)?;
    let mut text = |key: &str| fields.get(key).and_then(|node| reader.text(node, "a text")).map(str::to_owned);
    let (option, sentence, by) = (text("option"), text("text"), text("by"));
    let mut answers = BTreeMap::new();
    for (key, value) in reader.entries(fields.get("answers"), "answers") {
        answers.extend(reader.text(value, "an answer").map(|answer| (key.text.clone(), answer.to_owned())));
    }
    let edits = reader.entries(fields.get("edits"), "edits").iter().map(|(key, value)| (key.text.clone(), value.to_json())).collect();
    Some(GateLine {
        option,
        text: sentence,
        answers,
        by: by.unwrap_or(silent_line.by),
        after_ms: fields.get("after").and_then(|node| reader.duration(node)).unwrap_or(0),
        silent: fields.get("silent").and_then(|node| reader.boolean(node)).unwrap_or(false),
        edits,
    })
}

fn happening(reader: &mut Reader, node: &Node) -> Option<Happening> {
    let fields = reader.fields(node, &EVENT, &node.span)?;
    let after_ms = fields.get("after").and_then(|node| reader.duration(node)).unwrap_or(0);
    let in_state = fields.get("in").and_then(|node| reader.text(node, "the name of a state")).map(str::to_owned);
    let written: Vec<&str> = HAPPENINGS.into_iter().filter(|key| fields.has(key)).collect();
    let [only] = written.as_slice() else {
        reader.error(codes::MISSING_KEY, &node.span, format!("an event needs exactly one of {}", quoted(&HAPPENINGS, "and")));
        return None;
    };
    let what = match *only {
        "pause" => Happens::Pause,
        "cancel" => Happens::Cancel,
        "crash" => Happens::Crash,
        _ => resume(reader, fields.get("resume")?)?,
    };
    Some(Happening { after_ms, in_state, what })
}

fn resume(reader: &mut Reader, node: &Node) -> Option<Happens> {
    if node.scalar().is_some() {
        reader.boolean(node)?;
        return Some(Happens::Resume { budget: None, max_time_ms: None, edits: BTreeMap::new() });
    }
    let fields = reader.fields(node, &RESUME, &node.span)?;
    let budget = dollars(reader, &fields, "budget");
    let edits = reader.entries(fields.get("edits"), "edits").iter().map(|(key, value)| (key.text.clone(), value.to_json())).collect();
    Some(Happens::Resume { budget, max_time_ms: fields.get("max_time").and_then(|node| reader.duration(node)), edits })
}

fn expect(reader: &mut Reader, node: &Node) -> Option<Expect> {
    let fields = reader.fields(node, &EXPECT, &node.span)?;
    let texts = |reader: &mut Reader, key: &str| {
        let node = fields.get(key)?;
        Some(reader.texts(Some(node), "text").into_iter().map(|(text, _)| text.to_owned()).collect::<Vec<String>>())
    };
    let counts = |reader: &mut Reader, key: &str| {
        let entries = reader.entries(fields.get(key), key);
        entries.iter().filter_map(|(key, value)| reader.count(value, 0).map(|count| (key.text.clone(), count))).collect::<BTreeMap<_, _>>()
    };
    let status = fields.get("status").and_then(|node| reader.word(node, STATUSES)).map(|position| STATUSES[position].to_owned());
    let messages =
        fields.get("messages").and_then(|node| reader.list(node, "messages")).map(|items| items.iter().map(Node::to_json).collect());
    let files = reader.entries(fields.get("files"), "files").iter().map(|(key, value)| (key.text.clone(), value.to_json())).collect();
    let together = fields.get("together").and_then(|node| reader.list(node, "lists of ids")).unwrap_or_default();
    let together = together.iter().map(|ids| reader.texts(Some(ids), "id").into_iter().map(|(id, _)| id.to_owned()).collect()).collect();
    Some(Expect {
        status,
        because: fields.get("because").and_then(|node| reader.text(node, "a text")).map(str::to_owned),
        path: texts(reader, "path"),
        counters: counts(reader, "counters"),
        output: fields.get("output").map(Node::to_json),
        data: fields.get("data").map(Node::to_json),
        warnings: texts(reader, "warnings"),
        notes: texts(reader, "notes"),
        errors: texts(reader, "errors"),
        messages,
        files,
        spent: dollars(reader, &fields, "spent"),
        tokens: fields.get("tokens").and_then(|node| reader.integer(node, 0, u64::MAX)),
        duration_ms: fields.get("duration").and_then(|node| reader.duration(node)),
        calls: counts(reader, "calls"),
        together,
        refused: texts(reader, "refused").unwrap_or_default(),
    })
}
