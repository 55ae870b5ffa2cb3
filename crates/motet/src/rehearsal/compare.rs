//! Compares how a case went with what it expects. What a case does not mention is not compared,
//! but for two things that no case can want: a refusal nobody expected, and a run that hangs.

use motet_core::case::Expect;
use motet_core::units::{Usd, show_duration};
use serde_json::Value;

use super::Rehearsal;
use super::differences::{Difference, Line, fields, has};

/// How much of a file is shown when a text is missing from it.
const EXCERPT: usize = 15;

/// Everything that is not as expected.
pub fn compare(expect: &Expect, played: &Rehearsal) -> Vec<Difference> {
    let mut found = Vec::new();
    found.extend(played.broken.iter().map(|why| Difference::note("motet itself", why)));
    course(expect, played, &mut found);
    values(expect, played, &mut found);
    lists(expect, played, &mut found);
    files(expect, played, &mut found);
    numbers(expect, played, &mut found);
    found
}

/// Where the run went, and how it ended.
fn course(expect: &Expect, played: &Rehearsal, found: &mut Vec<Difference>) {
    let status = played.status().unwrap_or("not started");
    if let Some(wanted) = expect.status.as_deref().filter(|wanted| *wanted != status) {
        let mut difference = Difference::between("status", wanted, status);
        difference.lines.extend(played.state.errors.last().map(|error| Line::Note(format!("last error: {}", error.failure.message))));
        found.push(difference);
    }
    let is_wanted = played.state.run.is_some() && expect.status.as_deref() == Some(status);
    if let Some(stuck) = played.stuck.as_ref().filter(|_| !is_wanted) {
        found.push(Difference::note("the run never ends", stuck));
    }
    let because = played.state.because.as_deref().unwrap_or("no reason");
    if let Some(wanted) = expect.because.as_deref().filter(|wanted| *wanted != because) {
        found.push(Difference::between("because", wanted, because));
    }
    let path: Vec<String> = played.path().iter().map(|passage| passage.to.to_string()).collect();
    if let Some(wanted) = expect.path.as_ref().filter(|wanted| **wanted != path) {
        found.push(Difference::aligned("path", wanted, &path));
    }
}

fn values(expect: &Expect, played: &Rehearsal, found: &mut Vec<Difference>) {
    let state = &played.state;
    for (name, wanted) in &expect.counters {
        let used = state.counters.get(name.as_str()).map_or(0, |counter| counter.used);
        if used != *wanted {
            found.push(Difference::between(format!("counter {name}"), wanted.to_string(), used.to_string()));
        }
    }
    if let Some(wanted) = &expect.output {
        fields("output", wanted, state.ended.as_ref().map(|ended| &ended.output), found);
    }
    if let Some(wanted) = &expect.data {
        fields("data", wanted, Some(&Value::Object(state.data.clone())), found);
    }
}

fn lists(expect: &Expect, played: &Rehearsal, found: &mut Vec<Difference>) {
    let state = &played.state;
    let texts = |notes: &[motet_core::state::Note]| notes.iter().map(|note| note.text.clone()).collect::<Vec<_>>();
    in_order("warnings", expect.warnings.as_deref(), &texts(&state.warnings), found);
    in_order("notes", expect.notes.as_deref(), &texts(&state.notes), found);
    let errors: Vec<String> = state.errors.iter().map(|error| error.failure.message.clone()).collect();
    in_order("errors", expect.errors.as_deref(), &errors, found);
    match expect.refused.is_empty() {
        true => found.extend(played.refused.iter().map(|why| Difference::note("refused, and the case does not expect it", why))),
        false => in_order("refused", Some(&expect.refused), &played.refused, found),
    }
    if let Some(wanted) = &expect.messages {
        messages(wanted, &state.messages, found);
    }
    for wanted in &expect.together {
        let met = played.together.iter().any(|at_once| wanted.iter().all(|id| at_once.contains(id)));
        if !met {
            let seen = played.together.iter().map(|at_once| at_once.iter().cloned().collect::<Vec<_>>().join(" + "));
            let seen: Vec<String> = seen.collect();
            let seen = if seen.is_empty() { "no two tasks ran at the same moment".into() } else { seen.join(", ") };
            found.push(Difference::between("together", wanted.join(" + "), seen));
        }
    }
}

/// Each expected text must be contained in some actual one, in this order.
fn in_order(about: &str, wanted: Option<&[String]>, actual: &[String], found: &mut Vec<Difference>) {
    let mut rest = actual.iter();
    for text in wanted.unwrap_or_default() {
        if !rest.any(|line| line.contains(text.as_str())) {
            let mut lines = vec![Line::Expected(format!("… {text} …"))];
            lines.extend(actual.iter().map(|line| Line::Actual(line.clone())));
            if actual.is_empty() {
                lines.push(Line::Actual("nothing".into()));
            }
            found.push(Difference { about: about.into(), lines });
            return;
        }
    }
}

fn messages(wanted: &[Value], actual: &[motet_core::state::Message], found: &mut Vec<Difference>) {
    let actual: Vec<Value> = actual.iter().filter_map(|message| serde_json::to_value(message).ok()).collect();
    let mut rest = actual.iter();
    for message in wanted {
        if !rest.any(|there| has(message, there)) {
            let mut lines = vec![Line::Expected(message.to_string())];
            lines.extend(actual.iter().map(|there| Line::Actual(there.to_string())));
            found.push(Difference { about: "messages".into(), lines });
            return;
        }
    }
}

fn files(expect: &Expect, played: &Rehearsal, found: &mut Vec<Difference>) {
    for (path, wanted) in &expect.files {
        let about = format!("file {path}");
        match (played.files.get(path), wanted) {
            (None, Value::Null) => {}
            (None, _) => {
                let there: Vec<&str> = played.files.keys().map(String::as_str).collect();
                let there = if there.is_empty() { "there are no files".to_owned() } else { format!("there are: {}", there.join(", ")) };
                found.push(Difference::note(about, format!("it does not exist; {there}")));
            }
            (Some(_), Value::Null) => found.push(Difference::note(about, "it exists, and the case expects that it does not")),
            (Some(Err(why)), _) => found.push(Difference::note(about, format!("its template cannot be used: {why}"))),
            (Some(Ok(text)), wanted) => file(&about, wanted, text, found),
        }
    }
}

fn file(about: &str, wanted: &Value, text: &str, found: &mut Vec<Difference>) {
    match wanted {
        Value::Array(texts) => texts.iter().for_each(|wanted| file(about, wanted, text, found)),
        Value::Object(how) if how.len() == 1 && how.contains_key("equals") => {
            let wanted = how["equals"].as_str().map_or_else(|| how["equals"].to_string(), str::to_owned);
            if wanted.trim_end() != text.trim_end() {
                let split = |text: &str| text.trim_end().lines().map(str::to_owned).collect::<Vec<_>>();
                found.push(Difference::aligned(about, &split(&wanted), &split(text)));
            }
        }
        Value::Object(how) if how.len() == 1 && how.contains_key("json") => match serde_json::from_str::<Value>(text) {
            Ok(value) => fields(about, &how["json"], Some(&value), found),
            Err(error) => found.push(Difference { about: about.into(), lines: excerpt(&format!("it is not JSON: {error}"), text) }),
        },
        Value::Object(_) => {
            found.push(Difference::note(about, "the case must say a text, a list of texts, `{ equals: … }` or `{ json: … }`"))
        }
        wanted => {
            let wanted = wanted.as_str().map_or_else(|| wanted.to_string(), str::to_owned);
            if !text.contains(wanted.trim_end()) {
                found.push(Difference { about: about.into(), lines: excerpt(&format!("it does not contain: {wanted}"), text) });
            }
        }
    }
}

fn excerpt(note: &str, text: &str) -> Vec<Line> {
    let mut lines = vec![Line::Note(note.to_owned())];
    lines.extend(text.lines().take(EXCERPT).map(|line| Line::Actual(line.to_owned())));
    let more = text.lines().count().saturating_sub(EXCERPT);
    if more > 0 {
        lines.push(Line::Note(format!("… and {more} more lines")));
    }
    lines
}

fn numbers(expect: &Expect, played: &Rehearsal, found: &mut Vec<Difference>) {
    let state = &played.state;
    let spent = state.money.spent + state.money.overrun;
    if let Some(wanted) = expect.spent.and_then(Usd::from_dollars).filter(|wanted| *wanted != spent) {
        found.push(Difference::between("spent", wanted.to_string(), spent.to_string()));
    }
    let tokens = state.usage.tokens_in + state.usage.tokens_out;
    if let Some(wanted) = expect.tokens.filter(|wanted| *wanted != tokens) {
        found.push(Difference::between("tokens", wanted.to_string(), tokens.to_string()));
    }
    if let Some(wanted) = expect.duration_ms.filter(|wanted| *wanted != played.duration_ms) {
        found.push(Difference::between("duration", show_duration(wanted), show_duration(played.duration_ms)));
    }
    for (voice, wanted) in &expect.calls {
        let calls = played.calls.get(voice).copied().unwrap_or(0);
        if calls != *wanted {
            found.push(Difference::between(format!("calls of {voice}"), wanted.to_string(), calls.to_string()));
        }
    }
}
