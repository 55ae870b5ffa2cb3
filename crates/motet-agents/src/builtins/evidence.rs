//! Whether facts can be traced, and whether the sentences of a report rest on the facts they name.
//! It compares what it is given and nothing else: it opens no archive and judges no source.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// `{ facts, sources }` → `{ untraced, overrated, facts, sources }`. A fact is traced if it names a registered source, by id or
/// address, and the file it was read in; it is overrated if it claims more confidence than its sources give.
pub fn audit(input: &Value) -> Result<Value, String> {
    let (facts, sources) = (list(input, "facts")?, list(input, "sources")?);
    let registered = registry(sources);
    let finding = |fact: &Value, why: String| json!({ "id": fact["id"], "statement": fact["statement"], "why": why });
    let untraced: Vec<Value> = facts.iter().filter_map(|fact| untraced(fact, &registered).map(|why| finding(fact, why))).collect();
    let overrated: Vec<Value> = facts
        .iter()
        .filter(|fact| is_overrated(fact, &registered))
        .map(|fact| finding(fact, "High needs two sources, or an official one".into()))
        .collect();
    Ok(json!({ "untraced": untraced, "overrated": overrated, "facts": facts.len(), "sources": sources.len() }))
}

/// `{ report, facts, sources }` → `{ outcome: sound | unsound, unsound: [{ sentence, why }], report, sentences, cited }`. The report that
/// comes back is without the sentences that do not hold. A sentence holds if every fact it names exists and every number in it
/// stands in one of them; a sentence with a number must name a fact.
pub fn verify(input: &Value) -> Result<Value, String> {
    let facts: BTreeMap<&str, &Value> = list(input, "facts")?.iter().filter_map(|fact| Some((fact["id"].as_str()?, fact))).collect();
    let Value::Object(report) = &input["report"] else { return Err("`report` must be an object".into()) };
    let mut checked = Checked { facts: &facts, unsound: Vec::new(), sentences: 0, cited: 0 };
    let mut sound = Map::new();
    for (name, value) in report {
        let kept = match name.as_str() {
            "summary" => checked.sentences(value),
            "sections" => checked.sections(value),
            _ => value.clone(),
        };
        sound.insert(name.clone(), kept);
    }
    let outcome = if checked.unsound.is_empty() { "sound" } else { "unsound" };
    Ok(json!({ "outcome": outcome, "unsound": checked.unsound, "report": sound, "sentences": checked.sentences, "cited": checked.cited }))
}

struct Checked<'a> {
    facts: &'a BTreeMap<&'a str, &'a Value>,
    unsound: Vec<Value>,
    sentences: usize,
    cited: usize,
}

impl Checked<'_> {
    /// Sections that have lost every sentence are left out.
    fn sections(&mut self, sections: &Value) -> Value {
        let kept = members(sections).iter().filter_map(|section| {
            let paragraphs: Vec<Value> = members(&section["paragraphs"])
                .iter()
                .map(|paragraph| self.sentences(paragraph))
                .filter(|kept| !members(kept).is_empty())
                .collect();
            let mut section = section.clone();
            let is_empty = paragraphs.is_empty();
            section["paragraphs"] = Value::Array(paragraphs);
            (!is_empty).then_some(section)
        });
        kept.collect()
    }

    fn sentences(&mut self, sentences: &Value) -> Value {
        let mut kept = Vec::new();
        for sentence in members(sentences) {
            self.sentences += 1;
            let text = sentence["text"].as_str().unwrap_or_default();
            let named: Vec<&str> = members(&sentence["facts"]).iter().filter_map(Value::as_str).collect();
            self.cited += usize::from(!named.is_empty());
            match problem(text, &named, self.facts) {
                Some(why) => self.unsound.push(json!({ "sentence": text, "why": why })),
                None => kept.push(sentence.clone()),
            }
        }
        Value::Array(kept)
    }
}

fn problem(text: &str, named: &[&str], facts: &BTreeMap<&str, &Value>) -> Option<String> {
    if let Some(unknown) = named.iter().find(|id| !facts.contains_key(*id)) {
        return Some(format!("there is no fact {unknown}"));
    }
    let numbers = numbers(text);
    let first = numbers.first()?;
    if named.is_empty() {
        return Some(format!("{first} stands there without a fact"));
    }
    let supported: BTreeSet<String> = named
        .iter()
        .flat_map(|id| ["statement", "quote"].map(|field| facts[id][field].as_str().unwrap_or_default()))
        .flat_map(self::numbers)
        .collect();
    let missing = numbers.iter().find(|number| !supported.contains(*number))?;
    Some(format!("{missing} is not in {}", named.join(", ")))
}

/// Every number of a text, without separators of thousands and without closing zeros: `1,250.50` is `1250.5`.
fn numbers(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|character: char| character.is_ascii_digit()) {
        let end = rest[start..]
            .find(|character: char| !character.is_ascii_digit() && character != ',' && character != '.')
            .map_or(rest.len(), |end| start + end);
        let number = rest[start..end].trim_end_matches([',', '.']).replace(',', "");
        found.push(match number.split_once('.') {
            Some((whole, fraction)) if !fraction.contains('.') => {
                let fraction = fraction.trim_end_matches('0');
                if fraction.is_empty() { whole.to_string() } else { format!("{whole}.{fraction}") }
            }
            _ => number,
        });
        rest = &rest[end..];
    }
    found
}

/// Sources by every name they go by: id and address.
fn registry(sources: &[Value]) -> BTreeMap<&str, &Value> {
    sources.iter().flat_map(|source| ["id", "url"].into_iter().filter_map(move |name| Some((source[name].as_str()?, source)))).collect()
}

fn untraced(fact: &Value, registered: &BTreeMap<&str, &Value>) -> Option<String> {
    let named: Vec<&str> = members(&fact["sources"]).iter().filter_map(Value::as_str).collect();
    if named.is_empty() {
        return Some("it names no source".to_string());
    }
    if let Some(unknown) = named.iter().find(|name| !registered.contains_key(*name)) {
        return Some(format!("{unknown} is not registered"));
    }
    let has_file = fact["raw_file"].as_str().is_some_and(|path| !path.is_empty());
    (!has_file).then(|| "it names no archived file".to_string())
}

fn is_overrated(fact: &Value, registered: &BTreeMap<&str, &Value>) -> bool {
    let named: BTreeSet<&str> = members(&fact["sources"]).iter().filter_map(Value::as_str).collect();
    let is_official = named.iter().any(|name| registered.get(name).is_some_and(|source| source["official"] == true));
    fact["confidence"] == "High" && named.len() < 2 && !is_official
}

fn list<'a>(input: &'a Value, field: &str) -> Result<&'a [Value], String> {
    match input.get(field) {
        Some(Value::Array(list)) => Ok(list),
        None | Some(Value::Null) if input.is_object() => Ok(&[]),
        None | Some(Value::Null) => Err(format!("it must be an object with `{field}`, but is {}", super::kind(input))),
        Some(other) => Err(format!("`{field}` must be a list, but is {}", super::kind(other))),
    }
}

fn members(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Value {
        json!([
            { "id": "F1", "statement": "The bridge is 1,250 m long.", "quote": "1250 metres", "sources": ["S1"], "raw_file": "assets/web/a.html", "confidence": "Medium" },
            { "id": "F2", "statement": "It opened in 1932.", "sources": ["S2"], "raw_file": "assets/web/b.html", "confidence": "High" }
        ])
    }

    fn sources() -> Value {
        json!([{ "id": "S1", "url": "https://a.example" }, { "id": "S2", "url": "https://b.example" }])
    }

    #[test]
    fn a_fact_must_name_a_registered_source_and_a_file() {
        let check = |fact: Value, expected: &str| {
            let found = audit(&json!({ "facts": [fact], "sources": sources() })).expect("an audit");
            assert_eq!(found["untraced"][0]["why"].as_str().unwrap_or("traced"), expected);
        };
        check(facts()[0].clone(), "traced");
        check(json!({ "id": "F", "sources": [], "raw_file": "assets/web/x" }), "it names no source");
        check(json!({ "id": "F", "sources": ["S9"], "raw_file": "assets/web/x" }), "S9 is not registered");
        check(json!({ "id": "F", "sources": ["https://a.example"] }), "it names no archived file");
    }

    #[test]
    fn high_confidence_needs_two_sources_or_an_official_one() {
        let found = audit(&json!({ "facts": facts(), "sources": sources() })).expect("an audit");
        assert_eq!(found["overrated"][0]["id"], "F2");
        let official = json!([{ "id": "S1" }, { "id": "S2", "official": true }]);
        assert_eq!(audit(&json!({ "facts": facts(), "sources": official })).expect("an audit")["overrated"], json!([]));
    }

    fn why(text: &str, named: &[&str]) -> String {
        let report = json!({ "title": "T", "sections": [{ "heading": "H", "paragraphs": [[{ "text": text, "facts": named }]] }] });
        let found = verify(&json!({ "report": report, "facts": facts(), "sources": sources() })).expect("a verdict");
        found["unsound"][0]["why"].as_str().unwrap_or("sound").to_string()
    }

    #[test]
    fn a_number_must_stand_in_a_fact_that_the_sentence_names() {
        assert_eq!(why("It is 1250.0 m long.", &["F1"]), "sound");
        assert_eq!(why("It is 1260 m long.", &["F1"]), "1260 is not in F1");
        assert_eq!(why("It is 1,250 m long and opened in 1932.", &["F1", "F2"]), "sound");
        assert_eq!(why("It opened in 1932.", &["F1"]), "1932 is not in F1");
        assert_eq!(why("It opened in 1932.", &[]), "1932 stands there without a fact");
        assert_eq!(why("It is long.", &[]), "sound");
        assert_eq!(why("It is long.", &["F9"]), "there is no fact F9");
    }

    #[test]
    fn sentences_that_do_not_hold_are_taken_out_of_the_report() {
        let report = json!({
            "title": "T",
            "summary": [{ "text": "It is 9 m long.", "facts": ["F1"] }, { "text": "It is long.", "facts": ["F1"] }],
            "sections": [{ "heading": "Empty", "paragraphs": [[{ "text": "It is 9 m.", "facts": [] }]] }]
        });
        let found = verify(&json!({ "report": report, "facts": facts() })).expect("a verdict");
        assert_eq!(found["outcome"], "unsound");
        assert_eq!(found["report"], json!({ "title": "T", "summary": [{ "text": "It is long.", "facts": ["F1"] }], "sections": [] }));
        assert_eq!((&found["sentences"], &found["cited"]), (&json!(3), &json!(2)));
    }
}
