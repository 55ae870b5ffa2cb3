//! How a good input becomes a bad one: bits, ranges, words of the format, extreme numbers, depth.

use crate::random::Random;

/// Inputs stay below this; larger ones only test how long reading takes.
const LONGEST: usize = 64 * 1024;

/// One of the samples after a few changes.
pub fn mutated(random: &mut Random, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut input = random.pick(seeds).clone();
    for _ in 0..=random.below(5) {
        change(random, &mut input, seeds, words);
    }
    input.truncate(LONGEST);
    input
}

fn change(random: &mut Random, input: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str]) {
    let (from, to) = range(random, input.len());
    match random.below(9) {
        0 => flip(random, input),
        1 => drop(input.drain(from..to)),
        2 => {
            let copy = input[from..to].to_vec();
            insert(input, to, &copy);
        }
        3 | 4 => insert(input, from, random.pick(words).as_bytes()),
        5 => drop(input.splice(from..to, random.pick(words).bytes())),
        6 => {
            let other = random.pick(seeds);
            let (other_from, other_to) = range(random, other.len());
            drop(input.splice(from..to, other[other_from..other_to].iter().copied()));
        }
        7 => extreme_number(random, input),
        _ => deepen(random, input, from),
    }
}

/// Mostly short: a change that keeps the rest readable reaches further.
fn range(random: &mut Random, length: usize) -> (usize, usize) {
    let from = random.below(length as u64 + 1) as usize;
    let most = if random.once_in(4) { length } else { 24 };
    (from, (from + random.below(most as u64 + 1) as usize).min(length))
}

fn flip(random: &mut Random, input: &mut [u8]) {
    if !input.is_empty() {
        let at = random.below(input.len() as u64) as usize;
        input[at] ^= 1 << random.below(8);
    }
}

fn insert(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    input.splice(at..at, bytes.iter().copied());
}

fn extreme_number(random: &mut Random, input: &mut Vec<u8>) {
    const NUMBERS: &[&str] =
        &["0", "-1", "1e308", "1e-320", "18446744073709551615", "-9223372036854775808", "99999999999999999999", "NaN", "4294967296"];
    let digits: Vec<usize> = (0..input.len()).filter(|at| input[*at].is_ascii_digit()).collect();
    if !digits.is_empty() {
        let from = *random.pick(&digits);
        let to = (from..input.len()).find(|at| !input[*at].is_ascii_digit()).unwrap_or(input.len());
        drop(input.splice(from..to, random.pick(NUMBERS).bytes()));
    }
}

fn deepen(random: &mut Random, input: &mut Vec<u8>, at: usize) {
    const OPENINGS: &[&str] = &["[", "{", "(", "{a: ", "- ", "!", "-", "{\"a\":", "{% if a %}", "{{ (", "a ? b : ", "[x].map(x, "];
    let times = 1 << random.below(13);
    insert(input, at, random.pick(OPENINGS).repeat(times).as_bytes());
}
