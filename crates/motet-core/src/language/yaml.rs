//! A YAML file as a tree in which every node knows its place, so that every problem can be shown where it is.
//! Anchors, aliases, tags and several documents are refused: a workflow is read by people, and nothing in it may grow.

use std::collections::BTreeMap;
use std::sync::Arc;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};
use serde_json::{Number, Value};

use super::codes;
use crate::diagnostic::{Diagnostic, Span};

/// In bytes.
const LARGEST_FILE: usize = 1 << 20;
const DEEPEST_NESTING: usize = 64;
const MOST_NODES: usize = 100_000;

#[derive(Clone, Debug)]
pub struct Node {
    pub span: Span,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Scalar {
        text: String,
        /// Quoted or a block: then it is a text whatever it looks like.
        quoted: bool,
    },
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

#[derive(Clone, Debug)]
pub struct Key {
    pub text: String,
    pub span: Span,
}

/// Reads one file. Syntax ends at its first error; repeated keys are all reported.
pub fn parse(file: &str, text: &str) -> Result<Node, Vec<Diagnostic>> {
    let file: Arc<str> = Arc::from(file);
    if text.len() > LARGEST_FILE {
        let size = text.len() / 1024;
        let problem = Diagnostic::error(codes::TOO_LARGE, format!("`{file}` has {size} KiB; a file of the language may have 1024"));
        return Err(vec![problem.help("long texts belong into prompts and templates, which are files of their own")]);
    }
    let mut tree = Tree { file, text: text.chars().collect(), open: Vec::new(), root: None, nodes: 0, repeated: Vec::new() };
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let result = match event {
            Ok((event, span)) => tree.take(event, &span),
            Err(error) => Err(syntax(&tree.file, text, &error)),
        };
        if let Err(problem) = result {
            tree.repeated.push(problem);
            return Err(tree.repeated);
        }
    }
    if !tree.repeated.is_empty() {
        return Err(tree.repeated);
    }
    let whole = Span { file: tree.file.clone(), line: 1, column: 1, length: 1 };
    tree.root.ok_or_else(|| vec![Diagnostic::error(codes::SYNTAX, "the file is empty").at(&whole)])
}

impl Node {
    /// A plain scalar that YAML reads as nothing.
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, quoted: false } if matches!(text.as_str(), "" | "~" | "null"))
    }

    pub fn scalar(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            Kind::List(_) | Kind::Map(_) => None,
        }
    }

    /// Number, boolean or null, if a plain scalar is one.
    pub fn literal(&self) -> Option<Value> {
        match &self.kind {
            Kind::Scalar { text, quoted: false } => literal(text),
            _ => None,
        }
    }

    /// The whole as JSON, without any meaning of its own.
    pub fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Scalar { text, .. } => self.literal().unwrap_or_else(|| Value::String(text.clone())),
            Kind::List(items) => items.iter().map(Node::to_json).collect(),
            Kind::Map(entries) => {
                entries.iter().map(|(key, value)| (key.text.clone(), value.to_json())).collect::<serde_json::Map<_, _>>().into()
            }
        }
    }

    /// Where the text itself begins: behind the quotation mark, if there is one.
    pub fn text_span(&self) -> Span {
        let mut span = self.span.clone();
        if matches!(self.kind, Kind::Scalar { quoted: true, .. }) && span.length > 2 {
            span.column += 1;
            span.length -= 2;
        }
        span
    }

    /// What it is, for a sentence that says what it should be.
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Scalar { .. } if self.is_null() => "nothing".into(),
            Kind::Scalar { text, .. } if text.chars().count() > 40 => "a long text".into(),
            Kind::Scalar { text, .. } => format!("`{}`", text.replace('\n', " ")),
            Kind::List(_) => "a list".into(),
            Kind::Map(_) => "a mapping".into(),
        }
    }
}

/// What a plain scalar means by the core schema of YAML 1.2; None for a text.
fn literal(text: &str) -> Option<Value> {
    match text {
        "" | "~" | "null" => return Some(Value::Null),
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        _ => {}
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') || !digits.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if !digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+')) {
        return None;
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    match text.parse::<i64>() {
        Ok(integer) => Some(Value::from(integer)),
        Err(_) => text.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number),
    }
}

struct Tree {
    file: Arc<str>,
    text: Vec<char>,
    open: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
    repeated: Vec<Diagnostic>,
}

enum Open {
    List { span: Span, items: Vec<Node> },
    Map { span: Span, entries: Vec<(Key, Node)>, places: BTreeMap<String, usize>, key: Option<Key> },
}

impl Tree {
    fn take(&mut self, event: Event<'_>, at: &saphyr_parser::Span) -> Result<(), Diagnostic> {
        let span = self.span(at);
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.root.is_some() => Err(Diagnostic::error(codes::SYNTAX, "a second document begins here")
                .at(&span)
                .help("one file holds one document; remove `---`")),
            Event::DocumentStart(_) => Ok(()),
            Event::Alias(_) => Err(left_out("an alias", &span)),
            Event::Scalar(_, _, anchor, _) | Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) if anchor != 0 => {
                Err(left_out("an anchor", &span))
            }
            Event::Scalar(_, _, _, Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                Err(left_out("a tag", &span))
            }
            Event::Scalar(text, style, _, None) => {
                let quoted = !matches!(style, ScalarStyle::Plain);
                self.place(Node { span, kind: Kind::Scalar { text: text.into_owned(), quoted } })
            }
            Event::SequenceStart(_, None) => self.open(Open::List { span, items: Vec::new() }),
            Event::MappingStart(_, None) => self.open(Open::Map { span, entries: Vec::new(), places: BTreeMap::new(), key: None }),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List { span, items }) => self.place(Node { span, kind: Kind::List(items) }),
                Some(Open::Map { span, entries, .. }) => self.place(Node { span, kind: Kind::Map(entries) }),
                None => Ok(()),
            },
        }
    }

    fn open(&mut self, open: Open) -> Result<(), Diagnostic> {
        let (Open::List { span, .. } | Open::Map { span, .. }) = &open;
        if self.open.len() >= DEEPEST_NESTING {
            return Err(too_deep(span));
        }
        if let Some(Open::Map { key: None, .. }) = self.open.last() {
            return Err(Diagnostic::error(codes::SYNTAX, "a key must be a single word or text")
                .at(span)
                .label("a list or a mapping stands where a key is expected")
                .help("a text that begins with `{{` or `[` must stand in quotation marks"));
        }
        self.open.push(open);
        Ok(())
    }

    /// Puts a finished node where it belongs: into the innermost open list or mapping.
    fn place(&mut self, node: Node) -> Result<(), Diagnostic> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(Diagnostic::error(codes::TOO_LARGE, format!("the file has more than {MOST_NODES} values")).at(&node.span));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { entries, places, key, .. }) => match key.take() {
                Some(key) => match places.get(&key.text) {
                    Some(first) => self.repeated.push(twice(&entries[*first].0, &key)),
                    None => {
                        places.insert(key.text.clone(), entries.len());
                        entries.push((key, node));
                    }
                },
                None => {
                    let text = node.scalar().unwrap_or_default().to_owned();
                    *key = Some(Key { text, span: node.span });
                }
            },
        }
        Ok(())
    }

    fn span(&self, at: &saphyr_parser::Span) -> Span {
        let mut length = if at.start.line() == at.end.line() { at.end.col().saturating_sub(at.start.col()) } else { 1 };
        // The parser counts blanks behind a closing quotation mark as part of the text.
        while length > 1 && self.text.get(at.start.index() + length - 1).is_some_and(|last| last.is_whitespace()) {
            length -= 1;
        }
        Span { file: self.file.clone(), line: at.start.line().max(1), column: at.start.col() + 1, length: length.max(1) }
    }
}

fn twice(first: &Key, second: &Key) -> Diagnostic {
    Diagnostic::error(codes::DUPLICATE, format!("the key `{}` stands twice in one mapping", second.text))
        .at(&second.span)
        .label("the second one")
        .help(format!("the first one is in line {}, column {}", first.span.line, first.span.column))
}

fn too_deep(span: &Span) -> Diagnostic {
    Diagnostic::error(codes::TOO_LARGE, format!("lists and mappings are nested more than {DEEPEST_NESTING} deep")).at(span)
}

fn left_out(what: &str, span: &Span) -> Diagnostic {
    Diagnostic::error(codes::SYNTAX, format!("{what} stands here, and the language leaves them out"))
        .at(span)
        .help("write the value out; a text that begins with `*`, `&` or `!` must stand in quotation marks")
}

fn syntax(file: &Arc<str>, text: &str, error: &ScanError) -> Diagnostic {
    let (line, column) = (error.marker().line().max(1), error.marker().col() + 1);
    let span = Span { file: file.clone(), line, column, length: 1 };
    // The parser looks ahead for keys, and so may meet its own limit before ours.
    if error.info().contains("recursion limit") {
        return too_deep(&span);
    }
    if error.info().contains("unknown anchor") {
        return left_out("an alias", &span);
    }
    let problem = Diagnostic::error(codes::SYNTAX, format!("this is not YAML: {}", error.info())).at(&span);
    let written = text.lines().nth(line - 1).unwrap_or_default();
    if error.info().contains("a tab") || written.trim_start_matches(' ').starts_with('\t') {
        problem.help("indent with spaces; YAML does not allow tabs")
    } else if written.contains("{{") {
        problem.help("a text with `{{ }}` stands in quotation marks where a comma, a colon or a brace could be read as YAML")
    } else {
        problem.help("a text with `: `, ` #` or a comma inside `{ }` must stand in quotation marks, or on a line of its own")
    }
}
