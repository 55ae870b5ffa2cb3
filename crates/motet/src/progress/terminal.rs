//! The terminal: how wide it is, and a block of lines that is drawn over itself.

use crate::cli::output;

/// Whether a terminal that is there can do more than print lines: move, and show colours.
pub fn is_capable() -> bool {
    is_more_than_lines(std::env::var("TERM").ok().as_deref())
}

fn is_more_than_lines(term: Option<&str>) -> bool {
    term != Some("dumb")
}

/// How wide the terminal is, as far as it tells.
pub fn columns() -> usize {
    width().unwrap_or(80)
}

/// The same, but None where nothing says that anybody reads it on a screen: programs want lines as they are.
pub fn width() -> Option<usize> {
    let told = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col));
    let set = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    told.filter(|columns| *columns > 0).or_else(set).map(|columns: usize| columns.max(20))
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
        output::redraw(self.height, lines);
        self.height = lines.len();
    }

    /// Takes the block away; what is printed next stands in its place.
    pub fn clear(&mut self) {
        self.draw(&[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_calls_itself_dumb_is_only_given_lines() {
        assert!(!is_more_than_lines(Some("dumb")));
        assert!(is_more_than_lines(Some("xterm-256color")) && is_more_than_lines(None));
    }
}
