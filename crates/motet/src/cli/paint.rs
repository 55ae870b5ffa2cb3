//! Colour, where the terminal wants it. It never carries meaning alone: every painted text says the same without.

use crate::graph;

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

impl Paint {
    pub fn new(on: bool) -> Self {
        Self { on }
    }

    pub fn text(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Good => "32",
            Tone::Bad => "1;31",
            Tone::Warning => "33",
            Tone::Strong => "1",
            Tone::Quiet => "2",
            Tone::Accent => "36",
        };
        if self.on && !text.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
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
