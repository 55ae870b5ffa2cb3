//! Cutting an input down to what still breaks, so that a person can see why.

/// Enough for inputs of a few thousand bytes, and over soon when every try is slow.
const MOST_TRIES: usize = 3000;

/// A part of the input for which `breaks` still holds.
pub fn minimised(mut input: Vec<u8>, breaks: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut tries = 0;
    let mut length = input.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < input.len() && tries < MOST_TRIES {
            tries += 1;
            let end = (at + length).min(input.len());
            let smaller = [&input[..at], &input[end..]].concat();
            if breaks(&smaller) {
                input = smaller;
            } else {
                at = end;
            }
        }
        length /= 2;
    }
    input
}
