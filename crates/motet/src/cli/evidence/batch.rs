//! `motet evidence check --batch`: many claims, JSON lines in and JSON lines out.
//! What is in the lines besides the claim and its source comes back as it was.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use motet_evidence::bench;
use motet_evidence::claim::{Claim, Page, Question, cite};
use serde_json::{Map, Value, json};

use super::{open, question};
use crate::cli::{Context, Exit, Failure, output};
use crate::judging::Judge;

/// So many claims are judged together; what was judged is printed before more are read.
const TOGETHER: usize = 32;

/// One line out for every claim, in order. A line that cannot be used becomes one that says why, and the rest goes on.
pub fn run(file: &PathBuf, judge: Option<&Judge>, context: &Context) -> Result<Exit, Failure> {
    let reader: Box<dyn BufRead> =
        if file.as_os_str() == "-" { Box::new(BufReader::new(io::stdin())) } else { Box::new(open(file, context)?) };
    let mut exit = Exit::Ok;
    let mut last: Option<(String, Page)> = None;
    let mut waiting: Vec<Answered> = Vec::new();
    for (number, line) in bench::lines(reader) {
        if let Err(bench::Unreadable::Broken(error)) = &line {
            return Err(Failure::failed(format!("line {number} of {} cannot be read: {error}", file.display())));
        }
        match line.map_err(|why| why.to_string()).and_then(|line| checked(&line, &context.directory, judge.is_some(), &mut last)) {
            Ok(answers) => waiting.extend(answers),
            Err(why) => {
                let fields = Map::from_iter([("line".to_string(), json!(number)), ("error".to_string(), json!(why))]);
                waiting.push(Answered { fields, question: None });
                exit = Exit::Invalid;
            }
        }
        if judge.is_none() || waiting.len() >= TOGETHER {
            exit = exit.max(print(std::mem::take(&mut waiting), judge));
        }
    }
    Ok(exit.max(print(waiting, judge)))
}

/// A line of a batch as it is printed, and what is still to be asked about it.
struct Answered {
    fields: Map<String, Value>,
    question: Option<Question>,
}

fn print(answered: Vec<Answered>, judge: Option<&Judge>) -> Exit {
    let mut exit = Exit::Ok;
    let questions: Vec<Question> = answered.iter().filter_map(|answered| answered.question.clone()).collect();
    let mut opinions = judge.map(|judge| judge.ask(questions)).unwrap_or_default().into_iter();
    for mut answered in answered {
        if let Some(opinion) = answered.question.and_then(|_| opinions.next()) {
            let opinion = opinion.map_or_else(|why| json!({ "error": why }), |opinion| json!(opinion));
            if opinion.get("error").is_some() {
                exit = Exit::Failed;
            }
            answered.fields.insert("opinion".into(), opinion);
        }
        output::json(&answered.fields);
    }
    exit
}

fn checked(line: &str, directory: &Path, asks: bool, last: &mut Option<(String, Page)>) -> Result<Vec<Answered>, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("it is no JSON object: {error}"))?;
    bench::Asked::all_of(&value)?.into_iter().map(|asked| answered(asked, directory, asks, last)).collect()
}

/// What was asked, with the verdict. Claims about the same page follow each other, and a page is read once.
fn answered(asked: bench::Asked, directory: &Path, asks: bool, last: &mut Option<(String, Page)>) -> Result<Answered, String> {
    if !asked.source.contains(char::is_whitespace) && directory.join(&asked.source).is_file() {
        return Err(format!("its source is the name of a file, {}; give the text that is in it", asked.source));
    }
    let page = match last.take() {
        Some((text, page)) if text == asked.source => page,
        _ => Page::of(&asked.source),
    };
    let claim = Claim { text: &asked.claim, context: &asked.context };
    let verdict = cite(&claim, &page);
    let question = if asks { question(&claim, &verdict, &page) } else { None };
    let quote = verdict.span.map(|span| span.of(&asked.source).to_string());
    let mut fields = asked.fields;
    fields.insert("verdict".into(), serde_json::to_value(&verdict).map_err(|error| error.to_string())?);
    fields.insert("quote".into(), quote.map_or(Value::Null, Value::String));
    *last = Some((asked.source, page));
    Ok(Answered { fields, question })
}
