//! Halves of letters in JSON: other languages cut a text between the two escapes of one letter and write what is left, which is no text here.
//! Nothing else about a line is made right.

use std::borrow::Cow;

/// What stands in the place of half a letter: as long as it was.
const INSTEAD: &str = "\\ufffd";
/// How long an escape such as `\ud83d` is.
const ESCAPE: usize = INSTEAD.len();

/// The same with a sign for what is unknown in the place of every half letter. A backslash that is itself escaped begins no escape.
pub(super) fn mended(line: &str) -> Cow<'_, str> {
    let bytes = line.as_bytes();
    let (mut halves, mut at) = (Vec::new(), 0);
    while let Some(found) = bytes[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        at += match (half(&bytes[at..]), bytes.get(at + ESCAPE..).and_then(half)) {
            (Some(Half::First), Some(Half::Second)) => 2 * ESCAPE,
            (Some(_), _) => {
                halves.push(at);
                ESCAPE
            }
            (None, _) => 2,
        };
        if at >= bytes.len() {
            break;
        }
    }
    if halves.is_empty() {
        return Cow::Borrowed(line);
    }
    let mut mended = line.to_string();
    for at in halves {
        mended.replace_range(at..at + ESCAPE, INSTEAD);
    }
    Cow::Owned(mended)
}

enum Half {
    First,
    Second,
}

/// Which half of a letter is escaped at the beginning of this, if one is.
fn half(bytes: &[u8]) -> Option<Half> {
    let digits = std::str::from_utf8(bytes.strip_prefix(b"\\u")?.get(..4)?).ok()?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::First),
        0xdc00..=0xdfff => Some(Half::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(inside: &str, expected: &str) {
        let (line, expected) = (format!("{{\"a\":\"{inside}\"}}"), format!("{{\"a\":\"{expected}\"}}"));
        assert_eq!(mended(&line), expected);
        assert!(serde_json::from_str::<serde_json::Value>(&expected).is_ok(), "{expected}");
    }

    #[test]
    fn half_a_letter_is_replaced_and_whole_ones_stay() {
        check("abc\\ud83d", "abc\\ufffd");
        check("\\uD83D!", "\\ufffd!");
        check("\\ude00 late", "\\ufffd late");
        check("\\ud83d\\ude00", "\\ud83d\\ude00");
        check("\\ud83d\\ud83d\\ude00", "\\ufffd\\ud83d\\ude00");
        check("\\ude00\\ud83d", "\\ufffd\\ufffd");
        check("\\ud83d\\n\\u00e9é", "\\ufffd\\n\\u00e9é");
    }

    #[test]
    fn an_escaped_backslash_begins_nothing() {
        check("\\\\ud83d", "\\\\ud83d");
        check("\\\\\\ud83d", "\\\\\\ufffd");
        check("\\\"\\\\", "\\\"\\\\");
    }

    #[test]
    fn what_is_cut_off_in_an_escape_does_no_harm() {
        for line in ["\\", "a\\u", "\\ud8", "\\ud83d\\", "\\ud83d\\ude0", "\\u+d83", "\\ué", "\\\\"] {
            let _ = mended(line);
        }
        assert_eq!(mended("\\ud83d\\ude0"), "\\ufffd\\ude0");
    }
}
