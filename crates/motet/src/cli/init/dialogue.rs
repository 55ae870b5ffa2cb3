//! Questions that are asked until their answers will do, one line each.
//! What is asked, and what will do, others say.

use std::io::{BufRead, Write};

use crate::cli::Failure;
use crate::cli::output::clean;

/// Between whoever answers and whatever shows the questions.
pub struct Dialogue<R, W> {
    pub answers: R,
    pub screen: W,
}

impl<R: BufRead, W: Write> Dialogue<R, W> {
    /// The first answer that can be read; an empty one means the default. Without any, nothing was decided.
    pub fn ask<T>(&mut self, question: &str, default: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<T, Failure> {
        let shown = if default.is_empty() { String::new() } else { format!(" [{default}]") };
        loop {
            let asked = write!(self.screen, "{} > ", clean(&format!("{question}{shown}"))).and_then(|()| self.screen.flush());
            let mut line = String::new();
            let count = asked.and_then(|()| self.answers.read_line(&mut line));
            if !matches!(count, Ok(count) if count > 0) {
                return Err(Failure::invalid("nobody can be asked here: there is no answer, so nothing was written"));
            }
            let answer = Some(line.trim()).filter(|answer| !answer.is_empty()).unwrap_or(default);
            match read(answer) {
                Ok(answer) => return Ok(answer),
                Err(why) => {
                    // If that cannot be shown, the next question cannot either, and that ends it.
                    let _ = writeln!(self.screen, "  {}", clean(&why));
                }
            }
        }
    }

    /// Yes or no.
    pub fn agreed(&mut self, question: &str, default: &str) -> Result<bool, Failure> {
        self.ask(question, default, |answer| match answer.to_lowercase().as_str() {
            "y" | "yes" => Ok(true),
            "n" | "no" => Ok(false),
            _ => Err("please answer yes or no".into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(answer: &str) -> Result<u32, String> {
        answer.parse().map_err(|_| format!("`{answer}` is no number"))
    }

    /// What comes of these lines, and what was shown.
    fn check(lines: &str, expected: Option<u32>, shown: &str) {
        let mut dialogue = Dialogue { answers: lines.as_bytes(), screen: Vec::new() };
        assert_eq!(dialogue.ask("how many?", "3", number).ok(), expected);
        assert_eq!(String::from_utf8(dialogue.screen).expect("text"), shown);
    }

    #[test]
    fn a_question_is_asked_until_its_answer_will_do() {
        check("7\n", Some(7), "how many? [3] > ");
        check("\n", Some(3), "how many? [3] > ");
        check("many\n 8 \n", Some(8), "how many? [3] >   `many` is no number\nhow many? [3] > ");
        check("", None, "how many? [3] > ");
        check("many\n", None, "how many? [3] >   `many` is no number\nhow many? [3] > ");
    }

    #[test]
    fn agreement_is_yes_or_no_and_nothing_else() {
        let agreed = |lines: &str| Dialogue { answers: lines.as_bytes(), screen: Vec::new() }.agreed("replace it?", "no").ok();
        assert_eq!((agreed("yes\n"), agreed("Y\n"), agreed("no\n"), agreed("\n")), (Some(true), Some(true), Some(false), Some(false)));
        assert_eq!((agreed("perhaps\nyes\n"), agreed("")), (Some(true), None));
    }
}
