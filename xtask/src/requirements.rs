//! The list of requirements: one line each, in our own words, with what carries it. Tidy checks it, docs shows it.
//! It only reads: whether a carrier exists is asked of the tree by `tidy`.

use crate::tree::Tree;

pub const FILE: &str = "docs/requirements.txt";
pub const TABLE: &str = "docs/reference/requirements.md";
pub const PLACES: &str = "docs/reference/places.md";
/// The parts of Motet that are still to come.
pub const PARTS: &[&str] = &["agents for real", "evidence and deep research", "server"];

/// What stands in the list, in its order.
pub enum Entry<'a> {
    Section(&'a str),
    Requirement(Requirement<'a>),
}

pub struct Requirement<'a> {
    pub line: usize,
    pub id: &'a str,
    pub words: &'a str,
    pub carriers: Vec<Carrier<'a>>,
}

/// One thing that carries a requirement, or why nothing does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier<'a> {
    State(Inside<'a>),
    Transition(Inside<'a>),
    Property(Inside<'a>),
    /// By file name without its ending.
    Case(Inside<'a>),
    /// Of a workflow's folder, with a word that must stand in it.
    File(Inside<'a>, Option<&'a str>),
    Code(&'a str, Option<&'a str>),
    Document(&'a str),
    Command(&'a str),
    Builtin(&'a str),
    Variable(&'a str),
    Later(&'a str),
    Missing(&'a str),
    Information,
}

/// A name inside a workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inside<'a> {
    pub workflow: &'a str,
    pub name: &'a str,
}

/// What can be read of the list, and for every other line what is wrong with it.
pub fn parse(text: &str) -> (Vec<Entry<'_>>, Vec<(usize, String)>) {
    let mut entries = Vec::new();
    let mut problems = Vec::new();
    for (line, content) in text.lines().enumerate().map(|(index, content)| (index + 1, content.trim())) {
        if let Some(title) = content.strip_prefix("## ") {
            entries.push(Entry::Section(title));
        } else if !content.is_empty() && !content.starts_with('#') {
            match requirement(line, content) {
                Ok(requirement) => entries.push(Entry::Requirement(requirement)),
                Err(why) => problems.push((line, why)),
            }
        }
    }
    (entries, problems)
}

pub fn requirements<'a, 'b>(entries: &'b [Entry<'a>]) -> impl Iterator<Item = &'b Requirement<'a>> {
    entries.iter().filter_map(|entry| match entry {
        Entry::Requirement(requirement) => Some(requirement),
        Entry::Section(_) => None,
    })
}

fn requirement(line: usize, content: &str) -> Result<Requirement<'_>, String> {
    let parts: Vec<&str> = content.split('|').map(str::trim).collect();
    let [id, words, carriers] = parts[..] else { return Err("a requirement is `id | words | what carries it; …`".to_string()) };
    if !is_id(id) {
        return Err(format!("`{id}` is no id of a requirement"));
    }
    let carriers = carriers.split(';').map(|carrier| carrier_of(carrier.trim())).collect::<Result<_, _>>()?;
    Ok(Requirement { line, id, words, carriers })
}

fn carrier_of(text: &str) -> Result<Carrier<'_>, String> {
    let (kind, name) = text.split_once(' ').unwrap_or((text, ""));
    let name = name.trim();
    let inside = || {
        let (workflow, name) = name.split_once('/').ok_or_else(|| format!("`{text}`: write `{kind} workflow/name`"))?;
        Ok::<_, String>(Inside { workflow, name })
    };
    let carrier = match kind {
        "state" => Carrier::State(inside()?),
        "transition" => Carrier::Transition(inside()?),
        "property" => Carrier::Property(inside()?),
        "case" => Carrier::Case(inside()?),
        "file" => {
            let Inside { workflow, name } = inside()?;
            let (name, word) = with_word(name);
            Carrier::File(Inside { workflow, name }, word)
        }
        "code" => {
            let (path, word) = with_word(name);
            Carrier::Code(path, word)
        }
        "doc" => Carrier::Document(name),
        "command" => Carrier::Command(name),
        "builtin" => Carrier::Builtin(name),
        "env" => Carrier::Variable(name),
        "later" => Carrier::Later(name),
        "missing" => Carrier::Missing(name),
        "info" => Carrier::Information,
        _ => return Err(format!("`{text}`: nothing is carried by a `{kind}`")),
    };
    match name.is_empty() == matches!(carrier, Carrier::Information) || matches!(carrier, Carrier::Missing(_)) {
        true => Ok(carrier),
        false => Err(format!("`{text}`: a name is missing, or one too many")),
    }
}

fn with_word(name: &str) -> (&str, Option<&str>) {
    name.split_once('#').map_or((name, None), |(path, word)| (path, Some(word)))
}

/// Where it comes from (`X`, or `S` or `C` and a digit), `-`, a number.
pub fn is_id(text: &str) -> bool {
    let Some((series, number)) = text.split_once('-') else { return false };
    let is_series = match series.as_bytes() {
        [b'S' | b'C', digit] => digit.is_ascii_digit(),
        series => series == b"X",
    };
    is_series && !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
}

/// Every word of a text that is the id of a requirement.
pub fn ids(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').filter(|word| is_id(word))
}

/// Every case of the repository: its path, its workflow, its name, and the line that says what it shows.
pub fn cases(tree: &Tree) -> impl Iterator<Item = (&str, Inside<'_>, &str)> {
    tree.under("workflows/", ".yaml").filter_map(|(path, text)| {
        let (workflow, name) = path.strip_prefix("workflows/")?.strip_suffix(".yaml")?.split_once("/cases/")?;
        Some((path, Inside { workflow, name }, text.lines().next()?))
    })
}
