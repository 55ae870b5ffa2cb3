//! What changed between two texts, for somebody who knows both: of a very large difference only the beginning.
//! Which lines those are, the machine's crate works out.

use motet_core::edits::changed_lines;

const MOST_LINES: usize = 40;

/// `- ` what went, `+ ` what came, in order.
pub fn diff(before: &str, after: &str) -> Vec<String> {
    let mut shown = changed_lines(before, after);
    if shown.len() > MOST_LINES {
        let left = shown.len() - MOST_LINES;
        shown.truncate(MOST_LINES);
        shown.push(format!("… and {left} more lines"));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_difference_is_cut() {
        let many: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let shown = diff("", &many.join("\n"));
        assert_eq!((shown.len(), shown[40].as_str()), (41, "… and 60 more lines"));
    }
}
