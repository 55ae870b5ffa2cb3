//! A run as lines, one per happening: for pipes, logs and terminals without tricks.

use motet_core::Event;
use motet_core::units::Time;

use super::{Followed, Narrator, Told, ending, words};
use crate::cli::{Exit, MOTET, Paint, Tone, output};
use crate::home::{Home, Mirror};

pub struct Plain {
    paint: Paint,
    narrator: Narrator,
}

impl Plain {
    pub fn new(paint: Paint, mirror: &Mirror) -> Self {
        Self { paint, narrator: Narrator::from(&mirror.state) }
    }

    pub fn advanced(&mut self, mirror: &Mirror, event: &Event) {
        let started = mirror.state.run.as_ref().map_or(event.at, |run| run.started_at);
        let told = self.narrator.tell(event, &mirror.state);
        for line in lines(&told, &elapsed(told.at, started), self.paint, Length::Short) {
            output::line(line);
        }
    }

    pub fn say(text: &str) {
        output::line(text);
    }

    pub fn end(&self, mirror: &Mirror, home: &Home, exit: Exit, untold: u64) {
        for line in ending(mirror, home, exit, untold, self.paint) {
            output::line(line);
        }
    }
}

/// How much is told of what a person changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Short,
    Whole,
}

/// So many lines of a change are enough to know it by.
const FEW: usize = 6;
const FEW_CHARACTERS: usize = 120;

/// What happened, then each thing that followed from it.
pub fn lines(told: &Told, stamp: &str, paint: Paint, length: Length) -> Vec<String> {
    let margin = " ".repeat(stamp.chars().count());
    let mut lines = vec![format!("{}  {}", paint.text(Tone::Quiet, stamp), told.what)];
    lines.extend(changed(&told.changed, length).iter().map(|line| format!("{margin}    {}", paint.text(Tone::Quiet, line))));
    lines.extend(told.followed.iter().map(|followed| format!("{margin}    {}", painted(followed, paint))));
    lines
}

fn changed(all: &[String], length: Length) -> Vec<String> {
    if length == Length::Whole {
        return all.to_vec();
    }
    let mut few: Vec<String> = all.iter().take(FEW).map(|line| words::one_line(line, FEW_CHARACTERS)).collect();
    if all.len() > FEW {
        few.push(format!("… and {} more; `{MOTET} log --verbose` shows all", words::count((all.len() - FEW) as u64, "line")));
    }
    few
}

pub fn painted(followed: &Followed, paint: Paint) -> String {
    let text = followed.text();
    match followed {
        Followed::Passage(_) => format!("→ {}", paint.text(Tone::Accent, text)),
        Followed::Gate(_) | Followed::Policy(_) => paint.text(Tone::Warning, text),
        Followed::Warning(_) => format!("{}: {text}", paint.text(Tone::Warning, "warning")),
        Followed::Note(_) => format!("note: {text}"),
        Followed::Error(_) => format!("{}: {text}", paint.text(Tone::Bad, "error")),
        Followed::Message(_) => format!("message {text}"),
        Followed::Ended(_) => paint.text(Tone::Strong, text),
    }
}

/// `00:04.2` since the start of the run.
fn elapsed(at: Time, since: Time) -> String {
    let milliseconds = at.since(since);
    let (minutes, rest) = (milliseconds / 60_000, milliseconds % 60_000);
    format!("{minutes:02}:{:02}.{}", rest / 1000, rest % 1000 / 100)
}
