//! Takes secrets out of everything that is shown, logged or kept: wherever one occurs, `[redacted]` stands instead.
//! It knows the secrets that it was given, and guesses none.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use motet_core::event::{Failure, Question};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::agent::Outcome;
use crate::secret::Secret;

const INSTEAD: &str = "[redacted]";
/// What is shorter protects nothing, and would be found in innocent words: `none`, `EMPTY`, `dummy`.
const SHORTEST: usize = 8;

static HIDDEN: RwLock<(BTreeSet<String>, Option<Redactor>)> = RwLock::new((BTreeSet::new(), None));

/// From now on these are secrets to the whole process: what is printed and what is logged does not hold them.
pub fn hide(secrets: impl IntoIterator<Item = Secret>) -> Redactor {
    let mut hidden = HIDDEN.write().unwrap_or_else(PoisonError::into_inner);
    hidden.0.extend(secrets.into_iter().map(|secret| secret.reveal().to_string()));
    let redactor = Redactor::new(hidden.0.iter().map(Secret::new));
    hidden.1 = Some(redactor.clone());
    redactor
}

/// Whatever the process knows to be secret by now.
pub fn hidden() -> Redactor {
    HIDDEN.read().unwrap_or_else(PoisonError::into_inner).1.clone().unwrap_or_default()
}

/// Whether something may have been taken out of it, at any depth.
pub(crate) fn is_redacted(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(INSTEAD),
        Value::Array(values) => values.iter().any(is_redacted),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains(INSTEAD) || is_redacted(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Cheap to clone. Letters count whether they are small or not: what rules make of a text may write a key as a title.
#[derive(Clone, Default)]
pub struct Redactor {
    known: Arc<Known>,
}

/// All of it in small letters, and the longest first, so that a key that contains another goes as a whole.
#[derive(Default)]
struct Known {
    secrets: Vec<String>,
    /// Which of them begin with a byte; empty where there are none at all.
    beginning: Vec<Vec<usize>>,
}

impl Known {
    fn new(forms: impl IntoIterator<Item = String>) -> Self {
        let forms: BTreeSet<String> = forms.into_iter().map(|form| form.to_ascii_lowercase()).collect();
        let mut secrets: Vec<String> = forms.into_iter().collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        let mut beginning = vec![Vec::new(); if secrets.is_empty() { 0 } else { 256 }];
        for (number, secret) in secrets.iter().enumerate() {
            beginning[usize::from(secret.as_bytes()[0])].push(number);
        }
        Self { secrets, beginning }
    }

    /// How long the secret is that a text begins with.
    fn at_start(&self, text: &[u8]) -> Option<usize> {
        let first = usize::from(text.first()?.to_ascii_lowercase());
        let mut lengths = self.beginning.get(first)?.iter().map(|number| self.secrets[*number].as_bytes());
        lengths.find(|secret| begins(text, secret)).map(<[u8]>::len)
    }
}

fn begins(text: &[u8], with: &[u8]) -> bool {
    text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
}

impl Redactor {
    pub fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let mut forms = BTreeSet::new();
        for secret in secrets {
            let whole = secret.reveal().trim();
            // A value such as `Bearer abc` is made of words, each of which may be the secret.
            let parts = std::iter::once(whole).chain(whole.split_whitespace());
            for part in parts.filter(|part| part.len() >= SHORTEST) {
                forms.extend([in_json(part), in_address(part), part.to_string()]);
                forms.extend(in_base64(part).into_iter().filter(|form| form.len() >= SHORTEST));
            }
        }
        Self { known: Arc::new(Known::new(forms)) }
    }

    /// What either of the two hides.
    pub fn and(&self, other: &Redactor) -> Self {
        if other.is_idle() {
            return self.clone();
        }
        let both = self.known.secrets.iter().chain(&other.known.secrets);
        Self { known: Arc::new(Known::new(both.cloned())) }
    }

    pub fn is_idle(&self) -> bool {
        self.known.secrets.is_empty()
    }

    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        // A secret is whole letters, so what is left of a text is one.
        self.without(text.as_bytes()).map_or(Cow::Borrowed(text), |clean| Cow::Owned(into_text(clean)))
    }

    pub fn string(&self, text: String) -> String {
        match self.text(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(clean) => clean,
        }
    }

    fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.without(&bytes).unwrap_or(bytes)
    }

    /// In one pass, since a program may print a flood. None: there is nothing to take out.
    pub fn without(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if self.is_idle() {
            return None;
        }
        let (mut clean, mut copied, mut at) = (Vec::new(), 0, 0);
        while at < bytes.len() {
            match self.known.at_start(&bytes[at..]) {
                Some(length) => {
                    clean.extend_from_slice(&bytes[copied..at]);
                    clean.extend_from_slice(INSTEAD.as_bytes());
                    at += length;
                    copied = at;
                }
                None => at += 1,
            }
        }
        (copied > 0).then(|| {
            clean.extend_from_slice(&bytes[copied..]);
            clean
        })
    }

    /// Values and the names of fields, at any depth.
    pub fn value(&self, value: Value) -> Value {
        if self.is_idle() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.string(text)),
            Value::Array(values) => values.into_iter().map(|value| self.value(value)).collect(),
            Value::Object(fields) => {
                let clean = fields.into_iter().map(|(name, value)| (self.string(name), self.value(value)));
                Value::Object(clean.collect::<Map<_, _>>())
            }
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
        }
    }

    pub fn outcome(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Returned { result, usage } => Outcome::Returned { result: self.value(result), usage },
            Outcome::Failed { failure, usage } => Outcome::Failed { failure: self.failure(failure), usage },
            Outcome::Asked { question, usage } => {
                let Question { question, options, default, is_task, is_permission, unattended } = question;
                let options = options.into_iter().map(|option| self.string(option)).collect();
                let (question, default) = (self.string(question), default.map(|text| self.string(text)));
                let question = Question { question, options, default, is_task, is_permission, unattended };
                Outcome::Asked { question, usage }
            }
        }
    }

    pub fn failure(&self, failure: Failure) -> Failure {
        Failure { message: self.string(failure.message), ..failure }
    }

    /// Anything that can be written as JSON and read back.
    pub(crate) fn record<T: Serialize + DeserializeOwned>(&self, record: T) -> T {
        if self.is_idle() {
            return record;
        }
        let clean = serde_json::to_value(&record).ok().map(|value| self.value(value));
        clean.and_then(|value| serde_json::from_value(value).ok()).unwrap_or(record)
    }

    /// For text that comes in pieces, in which a secret may be cut in two.
    pub fn stream(&self) -> Stream {
        Stream { redactor: self.clone(), held: Vec::new() }
    }
}

/// Holds back the end of what came, as long as it may be the beginning of a secret.
pub struct Stream {
    redactor: Redactor,
    held: Vec<u8>,
}

impl Stream {
    /// What can be shown by now. A secret begins with a whole letter, so no letter is cut where it might begin.
    pub fn push(&mut self, piece: &str) -> String {
        into_text(self.push_bytes(piece.as_bytes()))
    }

    /// Nothing more comes.
    pub fn rest(&mut self) -> String {
        into_text(self.rest_bytes())
    }

    pub fn push_bytes(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        let mut clean = self.redactor.bytes(std::mem::take(&mut self.held));
        let end = self.begun(&clean).unwrap_or(clean.len());
        self.held = clean.split_off(end);
        clean
    }

    pub fn rest_bytes(&mut self) -> Vec<u8> {
        self.redactor.bytes(std::mem::take(&mut self.held))
    }

    /// Where a secret may have begun that is not over.
    fn begun(&self, text: &[u8]) -> Option<usize> {
        let secrets = &self.redactor.known.secrets;
        let from = text.len().saturating_sub(secrets.first()?.len().saturating_sub(1));
        (from..text.len()).find(|at| secrets.iter().any(|secret| begins(secret.as_bytes(), &text[*at..])))
    }
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn in_json(secret: &str) -> String {
    let quoted = Value::String(secret.into()).to_string();
    quoted[1..quoted.len() - 1].to_string()
}

fn in_address(secret: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    secret.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// As headers carry it, by itself and behind something else such as `Bearer `: letters of four times six bits, of which those at the ends
/// depend on what stands beside it and are left out. Behind one byte or two it reads otherwise than behind none or three.
fn in_base64(secret: &str) -> Vec<String> {
    let mut forms = vec![base64(secret.as_bytes(), b"+/", true)];
    for before in 0..3 {
        let text = [vec![0; before], secret.as_bytes().to_vec()].concat();
        for ends in [b"+/", b"-_"] {
            let whole = base64(&text, ends, false);
            forms.push(whole[(before * 8).div_ceil(6)..text.len() * 8 / 6].to_string());
        }
    }
    forms
}

fn base64(bytes: &[u8], last_two: &[u8; 2], padded: bool) -> String {
    const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let letter = |number: usize| char::from(LETTERS.get(number).copied().unwrap_or_else(|| last_two[number % 2]));
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().enumerate().fold(0, |bits, (place, byte)| bits | usize::from(*byte) << (16 - 8 * place));
        (0..=three.len()).for_each(|place| text.push(letter(bits >> (18 - 6 * place) & 63)));
        text.extend(std::iter::repeat_n('=', if padded { 3 - three.len() } else { 0 }));
    }
    text
}

#[cfg(test)]
mod tests {
    use motet_core::event::FailureKind;
    use serde_json::json;

    use super::*;

    fn redactor() -> Redactor {
        Redactor::new(["sk-12345678", "sk-12345678-long", "none", "pass/word \"x\""].map(Secret::new))
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(redactor().text(text), expected);
    }

    #[test]
    fn a_secret_is_taken_out_wherever_it_stands() {
        check("nothing here, none at all", "nothing here, none at all");
        check("Bearer sk-12345678.", "Bearer [redacted].");
        check("sk-12345678-long,sk-12345678", "[redacted],[redacted]");
        check(r#"{"key": "pass/word \"x\""}"#, r#"{"key": "[redacted]"}"#);
        check("http://me:pass%2Fword%20%22x%22@host", "http://me:[redacted]@host");
    }

    #[test]
    fn a_secret_in_other_letters_is_one_too() {
        check("Use Sk-12345678-Long, or SK-12345678.", "Use [redacted], or [redacted].");
        check("http://me:PASS%2fWord%20%22x%22@host é", "http://me:[redacted]@host é");
        let mut stream = redactor().stream();
        assert_eq!(stream.push("a SK-123") + &stream.push("45678 b") + &stream.rest(), "a [redacted] b");
    }

    #[test]
    fn a_secret_in_base64_is_taken_out_wherever_it_begins() {
        let redactor = Redactor::new([Secret::new("me:sesame?>~-open")]);
        for before in ["", "Bearer ", "ab", "abc", "user:"] {
            for ends in [b"+/", b"-_"] {
                let told = base64(format!("{before}me:sesame?>~-open, more").as_bytes(), ends, true);
                let clean = redactor.text(&told);
                assert!(clean.contains(INSTEAD) && clean.len() < told.len(), "{before} {told}: {clean}");
            }
        }
        assert_eq!(base64(b"me:secret", b"+/", true), "bWU6c2VjcmV0");
        assert_eq!(redactor.text("Basic bWU6c2VzYW1lPz5+LW9wZW4="), "Basic [redacted]");
    }

    #[test]
    fn values_failures_and_questions_are_clean() {
        let clean = redactor();
        assert_eq!(clean.value(json!({ "sk-12345678": ["a sk-12345678 b", 1] })), json!({ "[redacted]": ["a [redacted] b", 1] }));
        let failed = clean.outcome(Outcome::failed(FailureKind::Refused, "bad key sk-12345678"));
        assert_eq!(failed, Outcome::failed(FailureKind::Refused, "bad key [redacted]"));
    }

    #[test]
    fn two_redactors_together_hide_what_either_does() {
        let other = Redactor::new([Secret::new("another-secret")]);
        for both in [redactor().and(&other), other.and(&redactor())] {
            assert_eq!(both.text("sk-12345678-long another-secret"), "[redacted] [redacted]");
            let mut stream = both.stream();
            assert_eq!(stream.push("a sk-12345678-long, another-secret b") + &stream.rest(), "a [redacted], [redacted] b");
        }
        assert_eq!(other.and(&Redactor::default()).text("sk-12345678 another-secret"), "sk-12345678 [redacted]");
    }

    #[test]
    fn a_secret_that_comes_in_pieces_is_never_shown() {
        for cut in 1..20 {
            let text = "the key is sk-12345678, sk-1 is none";
            let mut stream = redactor().stream();
            let mut shown = String::new();
            for piece in text.as_bytes().chunks(cut) {
                shown += &stream.push(std::str::from_utf8(piece).unwrap());
                assert!(!shown.contains("sk-12345"), "{cut}: {shown}");
            }
            shown += &stream.rest();
            assert_eq!(shown, "the key is [redacted], sk-1 is none", "{cut}");
        }
    }
}
