//! Where a labelled claim keeps its parts: sets call them by many names, and write one name in many ways.
//! Only names and shapes are known here; what a label means is read elsewhere.

use serde_json::Value;

/// Where the text of the source is looked for, in this order. Names are compared without case and without what stands between
/// words: `source text`, `sourceText` and `SOURCE_TEXT` are one.
const SOURCE: [&str; 25] = [
    "source_text",
    "source",
    "evidence_text",
    "evidence",
    "document_text",
    "document",
    "documents",
    "doc",
    "docs",
    "premise",
    "passage",
    "passages",
    "page_text",
    "page",
    "Article",
    "grounding",
    "knowledge",
    "references",
    "reference",
    "sources",
    "source_info",
    "text",
    "content",
    "body",
    "context",
];

const CLAIM: [&str; 12] = [
    "claim",
    "claim_text",
    "statement",
    "sentence",
    "hypothesis",
    "summary",
    "response",
    "answer",
    "output",
    "generated_text",
    "generation",
    "text",
];
const CONTEXT: [&str; 5] = ["context", "title", "claim_context", "claim_title", "claim_section"];
const KIND: [&str; 5] = ["kind", "family", "category", "type", "dataset"];

/// Fewer words than this, beside a field with more of them, are the name of a source and not its text.
const NAME_WORDS: usize = 5;

/// The text of the source, with the name of the field that has it.
pub fn source(value: &Value) -> Result<(String, String), String> {
    let found = SOURCE.iter().filter_map(|name| named(value, name)).filter_map(|(name, value)| Some((name, gathered(value)?)));
    let found: Vec<(&str, String)> = found.collect();
    let words = |text: &str| text.split_whitespace().count();
    let most = found.iter().map(|(_, text)| words(text)).max().unwrap_or_default();
    let is_name = |text: &str| words(text) < most && (words(text) < NAME_WORDS || text.trim_start().starts_with("http"));
    let found = found.into_iter().find(|(_, text)| !is_name(text));
    let looked = SOURCE.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    found.map(|(name, text)| (name.to_string(), text)).ok_or_else(|| format!("it has no source text; {looked} are looked for"))
}

/// What is claimed; the field that is the source claims nothing.
pub fn claim(value: &Value, source: &str) -> Result<String, String> {
    let found = CLAIM.iter().filter_map(|name| named(value, name)).find(|(name, _)| *name != source);
    let looked = CLAIM.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    found.and_then(|(_, value)| gathered(value)).ok_or_else(|| format!("it has no `claim`; {looked} are looked for"))
}

/// What stands around the claim, in the object itself or in its `meta`. What served as the source is no context.
pub fn context(value: &Value, source: &str) -> String {
    let places = [Some(value), named(value, "meta").map(|(_, meta)| meta)];
    let found = places.into_iter().flatten().flat_map(|place| CONTEXT.iter().filter_map(|name| named(place, name)));
    found.filter(|(name, _)| *name != source).filter_map(|(_, value)| gathered(value)).collect::<Vec<_>>().join("\n")
}

pub fn kind(value: &Value) -> Option<String> {
    KIND.iter().find_map(|name| gathered(named(value, name)?.1))
}

/// The field of this name, however it is written, with the name as it is written.
pub fn named<'a>(value: &'a Value, name: &str) -> Option<(&'a str, &'a Value)> {
    let fields = value.as_object()?;
    let wanted = folded(name);
    let exact = fields.get_key_value(name);
    exact.or_else(|| fields.iter().find(|(written, _)| folded(written) == wanted)).map(|(name, value)| (name.as_str(), value))
}

fn folded(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A text, or texts in lists and objects of any depth: sentences, passages with a `text`, pages with a `body`.
fn gathered(value: &Value) -> Option<String> {
    let joined = |parts: Vec<String>| (!parts.is_empty()).then(|| parts.join("\n"));
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => joined(parts.iter().filter_map(gathered).collect()),
        Value::Object(fields) => {
            joined(["title", "text", "body", "content", "sentence"].iter().filter_map(|name| gathered(fields.get(*name)?)).collect())
        }
        _ => None,
    }
}
