//! A Rust file taken apart just far enough for the rules: code, comments and texts, line by line, and which lines are tests.
//! It is no parser: what it cannot tell from single characters and braces, no rule may ask.

#[derive(Default)]
pub struct Line {
    /// Without comments; texts are there as `""`.
    pub code: String,
    pub comment: String,
    /// The texts that begin on this line.
    pub texts: Vec<String>,
    pub is_test: bool,
}

/// The lines of a file. `path` tells whether all of it is a test.
pub fn lines(path: &str, text: &str) -> Vec<Line> {
    let mut lines = split(text);
    if is_test_file(path) {
        lines.iter_mut().for_each(|line| line.is_test = true);
    } else {
        mark_tests(&mut lines);
    }
    lines
}

pub fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/") || path.contains("/examples/")
}

fn split(text: &str) -> Vec<Line> {
    let characters: Vec<char> = text.chars().collect();
    let mut lines = vec![Line::default()];
    let mut at = 0;
    while at < characters.len() {
        at = match read(&characters, at) {
            Part::Code(next) => {
                code(&mut lines, &characters[at..next]);
                next
            }
            Part::Comment(next) => {
                comment(&mut lines, &characters[at..next]);
                next
            }
            Part::Text { opening, end, next } => {
                quoted(&mut lines, &characters[at + opening..end]);
                next
            }
        };
    }
    lines
}

enum Part {
    Code(usize),
    Comment(usize),
    /// A text between its quotation marks, `opening` characters after where it begins.
    Text {
        opening: usize,
        end: usize,
        next: usize,
    },
}

fn read(characters: &[char], at: usize) -> Part {
    let peek = |offset: usize| characters.get(at + offset).copied().unwrap_or('\0');
    let in_word = at > 0 && (characters[at - 1].is_alphanumeric() || characters[at - 1] == '_');
    match peek(0) {
        '/' if peek(1) == '/' => Part::Comment(find(characters, at, |rest| rest[0] == '\n')),
        '/' if peek(1) == '*' => Part::Comment(end_of_block(characters, at)),
        '"' => text_until(characters, at, 1, 0),
        'r' if !in_word || characters[at - 1] == 'b' => {
            let marks = characters[at + 1..].iter().take_while(|character| **character == '#').count();
            if peek(1 + marks) == '"' { text_until(characters, at, marks + 2, marks) } else { Part::Code(at + 1) }
        }
        // A lifetime has no closing quotation mark one or two characters on.
        '\'' if peek(1) == '\\' => Part::Code((find(characters, at + 3, |rest| rest[0] == '\'') + 1).min(characters.len())),
        '\'' if peek(2) == '\'' => Part::Code(at + 3),
        _ => Part::Code(at + 1),
    }
}

fn text_until(characters: &[char], at: usize, opening: usize, marks: usize) -> Part {
    let is_raw = opening > 1;
    let mut end = at + opening;
    while end < characters.len() {
        match characters[end] {
            '\\' if !is_raw => end += 2,
            '"' if characters[end + 1..].iter().take(marks).filter(|character| **character == '#').count() == marks => break,
            _ => end += 1,
        }
    }
    let end = end.min(characters.len());
    Part::Text { opening, end, next: (end + 1 + marks).min(characters.len()) }
}

fn end_of_block(characters: &[char], at: usize) -> usize {
    let mut depth = 0;
    let mut end = at;
    while end < characters.len() {
        match (characters[end], characters.get(end + 1)) {
            ('/', Some('*')) => (depth, end) = (depth + 1, end + 2),
            ('*', Some('/')) => (depth, end) = (depth - 1, end + 2),
            _ => end += 1,
        }
        if depth == 0 {
            return end;
        }
    }
    characters.len()
}

fn find(characters: &[char], from: usize, holds: impl Fn(&[char]) -> bool) -> usize {
    (from..characters.len()).find(|at| holds(&characters[*at..])).unwrap_or(characters.len())
}

fn code(lines: &mut Vec<Line>, characters: &[char]) {
    for character in characters {
        match (character, lines.last_mut()) {
            ('\n', _) | (_, None) => lines.push(Line::default()),
            (_, Some(line)) => line.code.push(*character),
        }
    }
}

fn comment(lines: &mut Vec<Line>, characters: &[char]) {
    for character in characters {
        match (character, lines.last_mut()) {
            ('\n', _) | (_, None) => lines.push(Line::default()),
            (_, Some(line)) => line.comment.push(*character),
        }
    }
}

fn quoted(lines: &mut Vec<Line>, characters: &[char]) {
    if let Some(line) = lines.last_mut() {
        line.code.push_str("\"\"");
        line.texts.push(characters.iter().collect());
    }
    let more = characters.iter().filter(|character| **character == '\n').count();
    lines.extend((0..more).map(|_| Line::default()));
}

/// From `#[cfg(test)]` to the end of the item that it stands before.
fn mark_tests(lines: &mut [Line]) {
    let mut at = 0;
    while at < lines.len() {
        match lines[at].code.find("#[cfg(test)]") {
            Some(column) => {
                let end = end_of_item(lines, at, column + "#[cfg(test)]".len());
                lines[at..=end].iter_mut().for_each(|line| line.is_test = true);
                at = end + 1;
            }
            None => at += 1,
        }
    }
}

fn end_of_item(lines: &[Line], first: usize, column: usize) -> usize {
    let mut depth = 0;
    for (number, line) in lines.iter().enumerate().skip(first) {
        let from = if number == first { column } else { 0 };
        for character in line.code[from..].chars() {
            match character {
                '{' => depth += 1,
                '}' if depth == 1 => return number,
                '}' => depth -= 1,
                ';' if depth == 0 => return number,
                _ => {}
            }
        }
    }
    lines.len() - 1
}
