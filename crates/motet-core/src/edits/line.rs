//! One line of a file as a pattern: fixed words with fields between them, as in `- [{mark, shown}] {id}: {title}`.
//! It knows nothing of files, items or data; a line either fits, and then has these values, or it does not.

use regex::Regex;
use serde_json::Value;

/// A pattern, compiled once.
#[derive(Debug)]
pub struct Line {
    pub source: String,
    pub fields: Vec<Field>,
    regex: Regex,
}

/// A place in a line where a value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text on one line.
    Text,
    Number,
    /// `true` or `false`.
    Boolean,
    /// Values with commas between them; `none` is no value.
    List,
    Json,
    /// True where its words stand, false where they do not.
    Flag,
    /// One value of a list that has a line for each.
    Each,
    /// All lines up to the next that the form knows.
    Block,
    /// What the run knows and a person cannot change.
    Shown,
}

impl Kind {
    /// What a field is once its lines are gone; None: the item has it no more.
    pub fn nothing(self) -> Option<Value> {
        matches!(self, Kind::List | Kind::Each).then(|| Value::Array(Vec::new()))
    }
}

const KINDS: [(&str, Kind); 8] = [
    ("number", Kind::Number),
    ("boolean", Kind::Boolean),
    ("list", Kind::List),
    ("json", Kind::Json),
    ("flag", Kind::Flag),
    ("each", Kind::Each),
    ("block", Kind::Block),
    ("shown", Kind::Shown),
];

/// A list without values, where it has no words around it that can be left out.
const NONE: &str = "none";

impl Line {
    /// The error is one sentence.
    pub fn parse(source: &str) -> Result<Self, String> {
        let pieces = pieces(source)?;
        let fields: Vec<Field> = pieces.iter().filter_map(|piece| piece.field()).collect();
        if let Some(block) = fields.iter().find(|field| field.kind == Kind::Block)
            && pieces.len() > 1
        {
            return Err(format!("`{{{}, block}}` takes whole lines, so nothing can stand beside it", block.name));
        }
        for (position, field) in fields.iter().enumerate() {
            if fields[..position].iter().any(|earlier| earlier.name == field.name) {
                return Err(format!("`{}` stands twice in one line", field.name));
            }
        }
        let touching = |pair: &[Piece]| matches!(pair, [Piece::Field(_, None), Piece::Field(_, None)]);
        if pieces.windows(2).any(touching) {
            return Err("two fields need something between them".into());
        }
        let regex = Regex::new(&expression(&pieces)).map_err(|error| format!("the line cannot be used: {error}"))?;
        Ok(Self { source: source.to_owned(), fields, regex })
    }

    /// Whether it has no field, and so only marks a place.
    pub fn is_fixed(&self) -> bool {
        self.fields.is_empty()
    }

    pub fn is_block(&self) -> bool {
        self.fields.iter().any(|field| field.kind == Kind::Block)
    }

    pub fn repeats(&self) -> bool {
        self.fields.iter().any(|field| field.kind == Kind::Each)
    }

    /// What stands in the fields, if the line has this form.
    pub fn fit<'t>(&self, line: &'t str) -> Option<Vec<(&Field, Option<&'t str>)>> {
        let found = self.regex.captures(line)?;
        let value = |(position, field)| (field, found.get(position + 1).map(|value| value.as_str()));
        Some(self.fields.iter().enumerate().map(value).collect())
    }
}

impl Field {
    /// What a written text means, or why it means nothing. None is a field whose words were left out.
    pub fn value(&self, written: Option<&str>) -> Result<Option<Value>, String> {
        let name = &self.name;
        let written = match (written, self.kind) {
            (found, Kind::Flag) => return Ok(Some(Value::Bool(found.is_some()))),
            (None, Kind::List) => return Ok(Some(Value::Array(Vec::new()))),
            (None, _) => return Ok(None),
            (Some(written), _) => written.trim(),
        };
        let value = match self.kind {
            Kind::Text | Kind::Each | Kind::Block | Kind::Shown | Kind::Flag => Value::String(written.to_owned()),
            Kind::Number => {
                let number = written.parse::<serde_json::Number>();
                Value::Number(number.map_err(|_| format!("`{name}` is a number, and `{written}` is none"))?)
            }
            Kind::Boolean => match written {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                _ => return Err(format!("`{name}` is true or false, and not `{written}`")),
            },
            Kind::List if written == NONE => Value::Array(Vec::new()),
            Kind::List => written.split(',').map(str::trim).filter(|part| !part.is_empty()).map(Value::from).collect(),
            Kind::Json => serde_json::from_str(written).map_err(|error| format!("`{name}` is not JSON: {error}"))?,
        };
        Ok(Some(value))
    }
}

enum Piece {
    Words(String),
    /// With the words around it that are left out together with it.
    Field(Field, Option<Frame>),
}

/// `*` in the middle is where the value stands; a flag has none.
struct Frame {
    before: String,
    after: String,
}

impl Piece {
    fn field(&self) -> Option<Field> {
        match self {
            Piece::Field(field, _) => Some(field.clone()),
            Piece::Words(_) => None,
        }
    }
}

fn pieces(source: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = source;
    while let Some(open) = rest.find('{') {
        if open > 0 {
            pieces.push(Piece::Words(rest[..open].to_owned()));
        }
        let inside = &rest[open + 1..];
        let close = closing(inside).ok_or_else(|| format!("`{{` in `{source}` is never closed"))?;
        pieces.push(field(&inside[..close])?);
        rest = &inside[close + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Words(rest.to_owned()));
    }
    if pieces.is_empty() {
        return Err("an empty line says nothing".into());
    }
    Ok(pieces)
}

/// A brace inside quotation marks closes nothing.
fn closing(inside: &str) -> Option<usize> {
    let mut quoted = false;
    inside.char_indices().find_map(|(place, letter)| {
        quoted ^= letter == '"';
        (letter == '}' && !quoted).then_some(place)
    })
}

fn field(written: &str) -> Result<Piece, String> {
    let (name, rest) = written.split_once(',').map_or((written, ""), |(name, rest)| (name, rest.trim()));
    let name = name.trim();
    if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        return Err(format!("`{{{written}}}` does not begin with the name of a field"));
    }
    let (word, frame) = match rest.split_once('"') {
        Some((word, frame)) => {
            let frame = frame.strip_suffix('"').ok_or_else(|| format!("the words of `{{{written}}}` have no closing quotation mark"))?;
            (word.trim(), Some(frame))
        }
        None => (rest, None),
    };
    let kind = match word {
        "" => Kind::Text,
        word => KINDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind).ok_or_else(|| {
            let known: Vec<&str> = KINDS.iter().map(|(known, _)| *known).collect();
            format!("`{word}` is no kind of field; there are {}", known.join(", "))
        })?,
    };
    let frame = match (frame, kind) {
        (None, Kind::Flag) => return Err(format!("the flag `{name}` needs the words that stand for it: {{{name}, flag \" [x]\"}}")),
        (None, _) => None,
        (Some(words), Kind::Flag) if !words.is_empty() => Some(Frame { before: words.to_owned(), after: String::new() }),
        (Some(words), Kind::Text | Kind::List | Kind::Shown | Kind::Number) if words.matches('*').count() == 1 => {
            words.split_once('*').map(|(before, after)| Frame { before: before.to_owned(), after: after.to_owned() })
        }
        (Some(words), _) => return Err(format!("the words \"{words}\" of `{name}` must hold one `*`, where the value stands")),
    };
    Ok(Piece::Field(Field { name: name.to_owned(), kind }, frame))
}

fn expression(pieces: &[Piece]) -> String {
    let mut written = String::from("^");
    for (position, piece) in pieces.iter().enumerate() {
        let next = match pieces.get(position + 1) {
            Some(Piece::Words(words)) => words.trim_start().chars().next(),
            _ => None,
        };
        match piece {
            Piece::Words(words) => written.push_str(&literally(words)),
            Piece::Field(field, None) => written.push_str(&hole(field.kind, next)),
            Piece::Field(field, Some(frame)) if field.kind == Kind::Flag => {
                written.push_str(&format!("({})?", literally(&frame.before)));
            }
            Piece::Field(field, Some(Frame { before, after })) => {
                let hole = hole(field.kind, after.trim_start().chars().next());
                written.push_str(&format!("(?:{}{hole}{})?", literally(before), literally(after)));
            }
        }
    }
    written.push_str("[ \\t]*$");
    written
}

/// Any blank is as good as any other.
fn literally(words: &str) -> String {
    let mut written = String::new();
    let mut blank = false;
    for letter in words.chars() {
        match letter {
            ' ' | '\t' if blank => {}
            ' ' | '\t' => written.push_str("[ \\t]+"),
            letter => written.push_str(&regex::escape(letter.encode_utf8(&mut [0; 4]))),
        }
        blank = matches!(letter, ' ' | '\t');
    }
    written
}

/// A list or a shown value ends at the sign that follows it, so that a title with such words in it is not cut.
fn hole(kind: Kind, next: Option<char>) -> String {
    match (kind, next) {
        (Kind::Text | Kind::Number | Kind::Boolean | Kind::Each | Kind::Json, _) => "(.+?)".into(),
        (Kind::List | Kind::Shown, Some(next)) if next != ',' || kind == Kind::Shown => {
            format!("([^{}]*?)", regex::escape(next.encode_utf8(&mut [0; 4])))
        }
        (Kind::List | Kind::Shown | Kind::Block | Kind::Flag, _) => "(.*?)".into(),
    }
}
