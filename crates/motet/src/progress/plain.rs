//! A run as lines, one per happening: for pipes, logs and terminals without tricks.

use motet_core::Event;
use motet_core::units::Time;

use super::{Followed, Narrator, Told, ending};
use crate::cli::{Exit, Paint, Tone, output};
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
        for line in lines(&told, &elapsed(told.at, started), self.paint) {
            output::line(line);
        }
    }

    pub fn say(text: &str) {
        output::line(text);
    }

    pub fn end(&self, mirror: &Mirror, home: &Home, exit: Exit) {
        for line in ending(mirror, home, exit, self.paint) {
            output::line(line);
        }
    }
}

/// What happened, then each thing that followed from it.
pub fn lines(told: &Told, stamp: &str, paint: Paint) -> Vec<String> {
    let margin = " ".repeat(stamp.chars().count());
    let mut lines = vec![format!("{}  {}", paint.text(Tone::Quiet, stamp), told.what)];
    lines.extend(told.followed.iter().map(|followed| format!("{margin}    {}", painted(followed, paint))));
    lines
}

pub fn painted(followed: &Followed, paint: Paint) -> String {
    let text = followed.text();
    match followed {
        Followed::Passage(_) => format!("→ {}", paint.text(Tone::Accent, text)),
        Followed::Gate(_) => paint.text(Tone::Warning, text),
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
