//! The program. It only joins the parts.

mod graph;

use graph::{Options, Paint, Part, Picture, Plain};
use motet_core::Definition;

fn main() {
    let draw: fn(&Definition) -> [String; 5] = draw;
    let _ = draw;
}

fn draw(definition: &Definition) -> [String; 5] {
    let picture = Picture::of(definition, Options { trouble: false }).at(Some(definition.start.as_str()), []);
    [
        graph::svg(&picture),
        graph::mermaid(&picture),
        graph::dot(&picture),
        graph::terminal(&picture, 80, &Plain),
        graph::terminal(&picture, 80, &Colour),
    ]
}

struct Colour;

impl Paint for Colour {
    fn paint(&self, part: Part, text: &str) -> String {
        let code = match part {
            Part::Title | Part::Heading => "1",
            Part::State => return text.into(),
            Part::Gate => "33",
            Part::Current => "1;34",
            Part::Visited => "34",
            Part::Trouble => "31",
            Part::Quiet => "2",
        };
        if text.is_empty() { String::new() } else { format!("\u{1b}[{code}m{text}\u{1b}[0m") }
    }
}
