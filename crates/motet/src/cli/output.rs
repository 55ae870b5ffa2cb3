//! Writes to the terminal or the pipe, and remembers whether that could still be done.
//! It ends nothing: a command does what it does beside talking, whoever has stopped listening.

use std::io::{self, Write as _};
use std::sync::OnceLock;

use super::paint::own_code;
use super::{Context, Exit};

/// Why nothing more is written. What came after a gap would mislead.
enum Lost {
    /// Whoever read has seen enough (`| head`), which is no reason to complain.
    Reader,
    /// The disk is full, say.
    Stream,
}

static LOST: OnceLock<Lost> = OnceLock::new();

/// A text as it may be printed. What agents, programs and pages say stands among our own words, so everything is cleaned here: of what would
/// move the cursor, hide or turn around what stands on the screen, and of all that the process knows to be secret. Only our own colours pass.
pub fn clean(text: &str) -> String {
    motet_agents::hidden().string(printable(text))
}

fn printable(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let code = own_code(rest);
        let (shown, after) = rest.split_at(code.unwrap_or(letter.len_utf8()));
        if code.is_some() || is_harmless(letter) {
            clean.push_str(shown);
        }
        rest = after;
    }
    clean
}

/// Neither a control character nor one that turns the direction of what follows.
fn is_harmless(letter: char) -> bool {
    let turns = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    matches!(letter, '\n' | '\t') || !(letter.is_control() || turns)
}

/// A line for whoever asked.
pub fn line(text: impl AsRef<str>) {
    write(clean(text.as_ref()) + "\n");
}

/// A text that no line ends, such as a question.
pub fn part(text: &str) {
    write(clean(text));
}

/// Lines in the place of the last so many. Each is one line of the screen, whatever stands in it.
pub fn redraw(over: usize, lines: &[String]) {
    let back = if over == 0 { String::new() } else { format!("\u{1b}[{over}F\u{1b}[0J") };
    write(lines.iter().fold(back, |text, line| text + &clean(line).replace('\n', " ") + "\n"));
}

/// What a program reads: every letter of it, but for secrets.
pub fn data(text: &str) {
    write(motet_agents::hidden().string(text.to_string()) + "\n");
}

/// One object on one line.
pub fn json(value: &impl serde::Serialize) {
    match serde_json::to_string(value) {
        Ok(text) => data(&text),
        Err(error) => lose(&error.into()),
    }
}

/// What is neither an answer nor an error, and should be known all the same.
pub fn notice(text: &str, context: &Context) {
    match context.json {
        true => json(&serde_json::json!({ "type": "notice", "text": text })),
        false => line(text),
    }
}

/// Something for people that is no answer to what was asked: JSON has a line for each of many, and none for none.
pub fn remark(text: &str, context: &Context) {
    if !context.json {
        line(text);
    }
}

/// Whether anybody can still read what is written. Without a reader, following something for ever is pointless.
pub fn is_read() -> bool {
    LOST.get().is_none()
}

/// How the program ends: a command whose answer could not be written has not answered.
pub fn settle(exit: Exit) -> Exit {
    match LOST.get() {
        Some(Lost::Stream) => exit.max(Exit::Failed),
        Some(Lost::Reader) | None => exit,
    }
}

/// Standard output does not take what was written to it. Said once, and only if somebody may want to know.
pub fn lose(error: &io::Error) {
    let lost = if error.kind() == io::ErrorKind::BrokenPipe { Lost::Reader } else { Lost::Stream };
    let is_worth_telling = matches!(lost, Lost::Stream);
    if LOST.set(lost).is_ok() && is_worth_telling {
        fail(&format!("standard output cannot be written: {error}"));
    }
}

/// Something for people that is not what was asked for.
pub fn error(text: &str) {
    // Nobody may be listening there, and then nothing is lost.
    let _ = io::stderr().lock().write_all(clean(text).as_bytes());
}

/// Says on the error stream why the command cannot be carried out.
pub fn fail(why: &str) -> Exit {
    // If even this cannot be written, the exit code still tells.
    let _ = writeln!(io::stderr().lock(), "error: {}", clean(why));
    Exit::Invalid
}

fn write(text: String) {
    if !is_read() {
        return;
    }
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        lose(&error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Paint, Tone};

    fn check(text: &str, expected: &str) {
        assert_eq!(clean(text), expected, "{text:?}");
    }

    #[test]
    fn nothing_that_is_said_moves_the_cursor_or_hides_what_stands_there() {
        check("run `rm -rf /`\u{1b}[1G\u{1b}[2KRun ls -l", "run `rm -rf /`[1G[2KRun ls -l");
        check("run `rm -rf /`\rRun ls -l", "run `rm -rf /`Run ls -l");
        check("\u{1b}]0;title\u{7}a\u{9b}2Jb\u{8}c", "]0;titlea2Jbc");
        check("\u{1b}[8mhidden\u{1b}[30m", "[8mhidden[30m");
        check("sl \u{202e}fr- mr\u{202c}", "sl fr- mr");
        check("a\n\tb é 茶 \u{200d}", "a\n\tb é 茶 \u{200d}");
        check("\u{1b}", "");
    }

    #[test]
    fn our_own_colours_pass() {
        for tone in [Tone::Good, Tone::Bad, Tone::Warning, Tone::Strong, Tone::Quiet, Tone::Accent] {
            let painted = Paint::new(true).text(tone, "word");
            assert!(painted.starts_with('\u{1b}'));
            check(&painted, &painted);
        }
    }
}
