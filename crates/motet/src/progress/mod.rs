//! How a run looks while it goes on: a block that is redrawn on a terminal, lines when piped, JSON when asked.
//! Nothing here changes a run.

mod ending;
pub mod holdups;
mod json;
mod live;
mod narration;
mod plain;
mod terminal;
pub mod words;

use motet_core::Event;
use motet_core::names::TaskId;

pub use ending::{asked, ending, how_to_answer};
pub use json::{Json, told};
pub use live::Live;
pub use narration::{Followed, Narrator, Told};
pub use plain::{Length, Plain, lines};
pub use terminal::{columns, is_capable, width};

use crate::cli::{Exit, Paint};
use crate::home::{Home, Mirror};
use crate::performing::ProgressText;

pub enum Display {
    Live(Live),
    Plain(Plain),
    Json(Json),
}

impl Display {
    pub fn new(json: bool, paint: Paint, mirror: &Mirror) -> Self {
        use std::io::IsTerminal as _;
        match () {
            () if json => Display::Json(Json::new(mirror)),
            () if std::io::stdout().is_terminal() && is_capable() => Display::Live(Live::new(paint, mirror)),
            () => Display::Plain(Plain::new(paint, mirror)),
        }
    }

    /// An event happened; the mirror is as it is after that.
    pub fn advanced(&mut self, mirror: &Mirror, event: &Event) {
        match self {
            Display::Live(live) => live.advanced(mirror, event),
            Display::Plain(plain) => plain.advanced(mirror, event),
            Display::Json(json) => json.advanced(mirror, event),
        }
    }

    pub fn progress(&mut self, task: &TaskId, text: ProgressText) {
        if let Display::Live(live) = self {
            live.progress(task, text);
        }
    }

    /// Time has passed, or much has happened: draw. False if that has to wait a little.
    pub fn draw(&mut self, mirror: &Mirror) -> bool {
        match self {
            Display::Live(live) => live.draw(mirror),
            Display::Plain(_) | Display::Json(_) => true,
        }
    }

    /// Something that is no event of the run: the disk is full, a file could not be written.
    pub fn say(&mut self, text: &str) {
        match self {
            Display::Live(live) => live.say(text),
            Display::Plain(_) => Plain::say(text),
            Display::Json(json) => json.say(text),
        }
    }

    /// Leaves the screen to a dialogue. Nothing is drawn until `go_on`.
    pub fn hold(&mut self, mirror: &Mirror) {
        if let Display::Live(live) = self {
            live.hold(mirror);
        }
    }

    pub fn go_on(&mut self) {
        if let Display::Live(live) = self {
            live.go_on();
        }
    }

    /// This process does not follow the run any further. Of `untold` of its calls nobody has said what they cost.
    pub fn end(&mut self, mirror: &Mirror, home: &Home, exit: Exit, untold: u64) {
        match self {
            Display::Live(live) => live.end(mirror, home, exit, untold),
            Display::Plain(plain) => plain.end(mirror, home, exit, untold),
            Display::Json(json) => json.end(mirror, home, exit, untold),
        }
    }
}
