//! Cuts the source of an expression into tokens, as CEL does.
//! It knows no grammar: any sequence of well-formed tokens passes.

use super::fault::Fault;
use super::syntax::Place;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// An identifier or a keyword.
    Word(String),
    /// The digits only: a sign before them is an operator.
    Integer(u64),
    Float(f64),
    Text(String),
    Symbol(&'static str),
    End,
}

/// Longer ones first, so that `<=` is not read as `<`.
const SYMBOLS: [&str; 24] =
    ["||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ",", "(", ")", "[", "]", "{", "}"];

pub(super) fn tokens(source: &str) -> Result<Vec<(Token, Place)>, Fault> {
    let mut lexer = Lexer { source, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        let token = lexer.token()?;
        let is_end = token == Token::End;
        tokens.push((token, start..lexer.at));
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn skip_blanks(&mut self) {
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            if !self.rest().starts_with("//") {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn token(&mut self) -> Result<Token, Fault> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        let is_number = first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()));
        if is_number {
            return self.number();
        }
        let prefix: String = rest.chars().take_while(|c| c.is_ascii_alphabetic()).take(3).collect::<String>().to_ascii_lowercase();
        if rest[prefix.len()..].starts_with(['"', '\'']) {
            match prefix.as_str() {
                "" => return self.text(false),
                "r" => {
                    self.at += 1;
                    return self.text(true);
                }
                "b" | "br" | "rb" => {
                    return Err(
                        Fault::new(self.at..self.at + prefix.len(), "bytes are not known here").help("write plain text without the prefix")
                    );
                }
                _ => {}
            }
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let word: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            self.at += word.len();
            return Ok(Token::Word(word));
        }
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            self.at += symbol.len();
            return Ok(Token::Symbol(symbol));
        }
        Err(self.stranger(first))
    }

    fn stranger(&self, first: char) -> Fault {
        let fault = Fault::new(self.at..self.at + first.len_utf8(), format!("`{first}` has no meaning in an expression"));
        match first {
            '=' => fault.help("write `==` to compare; an expression cannot assign"),
            '&' => fault.help("write `&&`"),
            '|' => fault.help("write `||`; filters with `|` belong to texts in `{{ }}`"),
            '“' | '”' | '‘' | '’' | '`' => fault.help("texts stand in \" \" or ' '"),
            _ => fault,
        }
    }

    fn number(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        let rest = self.rest();
        let length = if rest.starts_with("0x") || rest.starts_with("0X") {
            2 + digits(&rest[2..], 16)
        } else {
            let mut length = digits(rest, 10);
            if rest[length..].starts_with('.') && digits(&rest[length + 1..], 10) > 0 {
                length += 1 + digits(&rest[length + 1..], 10);
            }
            if rest[length..].starts_with(['e', 'E']) {
                let sign = usize::from(rest[length + 1..].starts_with(['+', '-']));
                let exponent = digits(&rest[length + 1 + sign..], 10);
                length += if exponent > 0 { 1 + sign + exponent } else { 0 };
            }
            length
        };
        let written = rest[..length].to_owned();
        let unsigned = rest[length..].starts_with(['u', 'U']);
        self.at += length + usize::from(unsigned);
        let glued = self.rest().chars().next().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        let place = start..self.at;
        if glued {
            return Err(Fault::new(place, format!("`{written}` runs into the next word")));
        }
        let hexadecimal = written.strip_prefix("0x").or(written.strip_prefix("0X"));
        if hexadecimal.is_none() && written.contains(['.', 'e', 'E']) {
            return match written.parse::<f64>() {
                Ok(number) if number.is_finite() && !unsigned => Ok(Token::Float(number)),
                _ => Err(Fault::new(place, format!("`{written}` is not a number"))),
            };
        }
        let parsed = hexadecimal.map_or_else(|| written.parse(), |hexadecimal| u64::from_str_radix(hexadecimal, 16));
        // One more than the greatest, for the least when a minus stands before it.
        match parsed {
            Ok(number) if number <= 1 << 63 => Ok(Token::Integer(number)),
            _ => Err(Fault::new(place, format!("`{written}` is not a whole number of 64 bits"))),
        }
    }

    fn text(&mut self, raw: bool) -> Result<Token, Fault> {
        let start = self.at;
        let rest = self.rest();
        let quote = &rest[..1];
        let tripled = quote.repeat(3);
        let triple = rest.starts_with(&tripled);
        let end = if triple { tripled } else { quote.to_owned() };
        self.at += end.len();
        let mut text = String::new();
        loop {
            if self.rest().starts_with(&end) {
                self.at += end.len();
                return Ok(Token::Text(text));
            }
            match self.rest().chars().next() {
                Some('\\') if !raw => text.push(self.escape()?),
                Some('\n') | None if !triple || self.rest().is_empty() => {
                    return Err(Fault::new(start..start + end.len(), "this text is never closed").help(format!("end it with {end}")));
                }
                Some(character) => {
                    text.push(character);
                    self.at += character.len_utf8();
                }
                None => unreachable!("an empty rest ends the text above"),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let start = self.at;
        self.at += 1;
        let letter = self.rest().chars().next();
        self.at += letter.map_or(0, char::len_utf8);
        let fault = |end: usize| Fault::new(start..end, "unknown escape").help("write `\\\\` for a backslash, or put `r` before the text");
        let (radix, length) = match letter {
            Some('a') => return Ok('\u{7}'),
            Some('b') => return Ok('\u{8}'),
            Some('f') => return Ok('\u{c}'),
            Some('n') => return Ok('\n'),
            Some('r') => return Ok('\r'),
            Some('t') => return Ok('\t'),
            Some('v') => return Ok('\u{b}'),
            Some(same @ ('\\' | '?' | '"' | '\'' | '`')) => return Ok(same),
            Some('x' | 'X') => (16, 2),
            Some('u') => (16, 4),
            Some('U') => (16, 8),
            Some('0'..='3') => {
                self.at -= 1;
                (8, 3)
            }
            _ => return Err(fault(self.at)),
        };
        let code: String = self.rest().chars().take(length).collect();
        let meant = u32::from_str_radix(&code, radix).ok().filter(|_| code.len() == length).and_then(char::from_u32);
        self.at += code.len();
        meant.ok_or_else(|| fault(self.at))
    }
}

fn digits(text: &str, radix: u32) -> usize {
    text.chars().take_while(|c| c.is_digit(radix)).count()
}
