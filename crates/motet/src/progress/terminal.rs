//! The terminal: how wide it is, and a block of lines that is drawn over itself.

use std::io::Write as _;

use crate::cli::output;

/// How wide the terminal is, as far as it tells.
pub fn columns() -> usize {
    let told = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col));
    let set = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    told.filter(|columns| *columns > 0).or_else(set).unwrap_or(80).max(20)
}

/// How high the terminal is.
pub fn rows() -> usize {
    let told = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_row));
    told.filter(|rows| *rows > 0).unwrap_or(24)
}

/// Lines at the bottom of the screen that can be replaced.
#[derive(Default)]
pub struct Block {
    height: usize,
}

impl Block {
    /// Each line must fit the width of the terminal, painted or not.
    pub fn draw(&mut self, lines: &[String]) {
        let mut text = self.back();
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
        self.height = lines.len();
        write(&text);
    }

    /// Takes the block away; what is printed next stands in its place.
    pub fn clear(&mut self) {
        let text = self.back();
        self.height = 0;
        write(&text);
    }

    fn back(&self) -> String {
        match self.height {
            0 => String::new(),
            height => format!("\u{1b}[{height}F\u{1b}[0J"),
        }
    }
}

/// A terminal that went away is told by the next signal; there is nobody to complain to.
fn write(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(output::clean(text).as_bytes()).and_then(|()| out.flush());
}
