//! What a label says, in the words, numbers and truth values that such sets use.
//! Words are compared whole: `no` inside `not_enough_info` decides nothing, and what is not known stays unknown.

use serde_json::Value;

use super::fields::named;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Supported,
    Partly,
    Unsupported,
}

const LABELS: [&str; 12] = [
    "label",
    "supported",
    "gold_label",
    "verdict",
    "is_supported",
    "entailed",
    "annotation",
    "truth",
    "attribution_label",
    "gold",
    "target",
    "answer_label",
];

/// Fields in which true is the bad news.
const REVERSED: [&str; 6] = ["hallucinated", "hallucination", "is_hallucination", "unsupported", "is_unsupported", "has_hallucination"];

/// What a line says about its claim. Where only its words are labelled, they decide.
pub fn truth(value: &Value, words: Option<&[bool]>) -> Result<Truth, String> {
    if let Some((_, label)) = LABELS.iter().find_map(|name| named(value, name)) {
        return said(label).ok_or_else(|| {
            format!("the label {label} is not known; true, false, 1, 0, \"supported\", \"partially_supported\" and \"not_supported\" are")
        });
    }
    let reversed = REVERSED.iter().filter_map(|name| said(named(value, name)?.1)).next();
    let of_words = |words: &[bool]| match words.iter().filter(|is_unsupported| **is_unsupported).count() {
        0 => Truth::Supported,
        count if count == words.len() => Truth::Unsupported,
        _ => Truth::Partly,
    };
    let reversed = reversed.map(|truth| match truth {
        Truth::Supported => Truth::Unsupported,
        Truth::Partly => Truth::Partly,
        Truth::Unsupported => Truth::Supported,
    });
    reversed.or_else(|| words.map(of_words)).ok_or_else(|| {
        let looked = LABELS.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        format!("it has no `label`; {looked} are looked for")
    })
}

fn said(label: &Value) -> Option<Truth> {
    match label {
        Value::Bool(true) => Some(Truth::Supported),
        Value::Bool(false) => Some(Truth::Unsupported),
        Value::Number(number) => of_number(number.as_f64()?),
        Value::String(text) => text.trim().parse().map_or_else(|_| of_words(&words(text)), of_number),
        Value::Array(only) if only.len() == 1 => said(&only[0]),
        Value::Object(_) => ["label", "value", "name"].iter().find_map(|name| said(named(label, name)?.1)),
        _ => None,
    }
}

fn of_number(number: f64) -> Option<Truth> {
    match number {
        1.0 => Some(Truth::Supported),
        0.0 | -1.0 => Some(Truth::Unsupported),
        share if share > 0.0 && share < 1.0 => Some(Truth::Partly),
        _ => None,
    }
}

/// `NotSupported`, `not-supported` and `Not supported.` are the same words.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in text.chars().filter(|letter| *letter != '\'') {
        let is_new = !letter.is_alphanumeric() || (letter.is_uppercase() && was_small);
        if is_new && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_alphanumeric(), words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
        was_small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn of_words(words: &[String]) -> Option<Truth> {
    let whole = words.join("_");
    let is_in = |known: &str, word: &str| known.split_whitespace().any(|known| known == word);
    match () {
        () if words.iter().any(|word| is_in(PARTLY, word)) => return Some(Truth::Partly),
        () if is_in(SUPPORTED, &whole) => return Some(Truth::Supported),
        () if is_in(UNSUPPORTED, &whole) => return Some(Truth::Unsupported),
        () => {}
    }
    // "Does not support" denies what follows; "unsupported number" says more than its first word, and nothing else.
    let denial = words.iter().take_while(|word| is_in("does do is are can could be not non no cannot doesnt isnt", word)).count();
    let is_denied = words[..denial].iter().any(|word| is_in("not non no cannot doesnt isnt", word));
    if is_denied {
        let rest = words[denial..].join("_");
        return (is_in(SUPPORTED, &rest) || is_in(DENIABLE, &rest)).then_some(Truth::Unsupported);
    }
    match words.first()? {
        first if is_in("unsupported wrong insufficient fabricated hallucinated contradicted refuted incorrect", first) => {
            Some(Truth::Unsupported)
        }
        first if is_in("supported entailed", first) => Some(Truth::Supported),
        _ => None,
    }
}

const SUPPORTED: &str = "supported support supports true t yes y entail entailed entailment entails fully_supported completely_supported e \
    attributable consistent faithful factual correct grounded verified accurate pass passed valid";

const PARTLY: &str = "partial partially partly mixed half mostly somewhat";

const UNSUPPORTED: &str = "unsupported refuted refutes refute contradiction contradicted contradicts contradict contradictory neutral false f no \
    not_enough_info not_enough_information nei none n c unattributable extrapolatory inconsistent unfaithful hallucinated hallucination \
    nonfactual incorrect ungrounded unverifiable irrelevant no_evidence insufficient fabricated wrong fail failed invalid inaccurate";

/// What a label says of a claim only by denying it.
const DENIABLE: &str = "mentioned stated found present given established verifiable entailing enough_evidence sufficient_evidence";
