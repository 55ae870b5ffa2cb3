//! How wide a text will be in a font nobody knows yet: a little more than most fonts need.
//! It has no metrics of a real font, because the picture is drawn with the reader's own.

pub const NAME_SIZE: f64 = 14.0;
pub const DETAIL_SIZE: f64 = 11.5;
pub const LABEL_SIZE: f64 = 12.0;
pub const GROUP_SIZE: f64 = 12.0;

pub fn name_width(text: &str) -> f64 {
    // Names are set in a heavier weight, which runs wider.
    ems(text) * NAME_SIZE * 1.12
}

pub fn detail_width(text: &str) -> f64 {
    ems(text) * DETAIL_SIZE
}

pub fn label_width(text: &str) -> f64 {
    ems(text) * LABEL_SIZE
}

pub fn group_width(text: &str) -> f64 {
    ems(text) * GROUP_SIZE * 1.12
}

fn ems(text: &str) -> f64 {
    text.chars().map(width_of).sum()
}

fn width_of(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '(' | ')' | '[' | ']' | ' ' => 0.36,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' | '↺' => 0.92,
        'A'..='Z' | '0'..='9' | '=' | '<' | '>' | '&' | '+' | '_' => 0.68,
        _ if character.is_ascii() => 0.58,
        // Wide scripts take a whole square.
        _ => 1.0,
    }
}
