//! Colour, where the terminal wants it. It never carries meaning alone: every painted text says the same without.

use crate::graph;

const BEGINS: &str = "\u{1b}[";
const PLAIN: &str = "0";

#[derive(Clone, Copy, Debug)]
pub struct Paint {
    on: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Good,
    Bad,
    Warning,
    Strong,
    Quiet,
    Accent,
}

impl Tone {
    const ALL: [Tone; 6] = [Self::Good, Self::Bad, Self::Warning, Self::Strong, Self::Quiet, Self::Accent];

    fn code(self) -> &'static str {
        match self {
            Tone::Good => "32",
            Tone::Bad => "1;31",
            Tone::Warning => "33",
            Tone::Strong => "1",
            Tone::Quiet => "2",
            Tone::Accent => "36",
        }
    }
}

/// How long the code is by which a text begins, if it is one of our own colours, or the end of one. None of them hides anything.
pub fn own_code(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(BEGINS)?;
    let mut own = Tone::ALL.iter().map(|tone| tone.code()).chain([PLAIN]);
    let code = own.find(|code| rest.strip_prefix(code).is_some_and(|after| after.starts_with('m')))?;
    Some(BEGINS.len() + code.len() + 1)
}

impl Paint {
    pub fn new(on: bool) -> Self {
        Self { on }
    }

    pub fn text(self, tone: Tone, text: &str) -> String {
        if self.on && !text.is_empty() { format!("{BEGINS}{}m{text}{BEGINS}{PLAIN}m", tone.code()) } else { text.to_owned() }
    }

    /// A rendered diagnostic: its first word by severity, its message strong, its carets as the first word.
    pub fn diagnostic(self, rendered: &str) -> String {
        let tone = if rendered.starts_with("error") { Tone::Bad } else { Tone::Warning };
        let lines = rendered.trim_end().lines().enumerate().map(|(number, line)| match (number, line.split_once(": ")) {
            (0, Some((word, message))) => format!("{}: {}", self.text(tone, word), self.text(Tone::Strong, message)),
            _ => self.carets(tone, line),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn carets(self, tone: Tone, line: &str) -> String {
        let carets = line.find(|c: char| !" |\t".contains(c)).filter(|start| line.contains('|') && line[*start..].starts_with('^'));
        carets.map_or_else(|| line.to_owned(), |start| format!("{}{}", &line[..start], self.text(tone, &line[start..])))
    }
}

impl graph::Paint for Paint {
    fn paint(&self, part: graph::Part, text: &str) -> String {
        let tone = match part {
            graph::Part::Title | graph::Part::Heading | graph::Part::State => Tone::Strong,
            graph::Part::Gate => Tone::Warning,
            graph::Part::Current => Tone::Accent,
            graph::Part::Visited => Tone::Good,
            graph::Part::Trouble => Tone::Bad,
            graph::Part::Quiet => Tone::Quiet,
        };
        self.text(tone, text)
    }
}
