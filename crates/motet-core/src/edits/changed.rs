//! Which lines differ between two texts. It shows none that stayed, and cuts nothing: how much is shown is the caller's business.

/// Longer texts are not compared line by line: all of the one went and all of the other came.
const MOST_COMPARED: usize = 2_000_000;

/// `- ` what went, `+ ` what came, in order.
pub fn changed_lines(before: &str, after: &str) -> Vec<String> {
    let lines = |text: &'_ str| -> Vec<String> { text.lines().map(|line| line.trim_end().to_string()).collect() };
    let (before, after) = (lines(before), lines(after));
    let start = before.iter().zip(&after).take_while(|(one, other)| one == other).count();
    let end = before[start..].iter().rev().zip(after[start..].iter().rev()).take_while(|(one, other)| one == other).count();
    let (went, came) = (&before[start..before.len() - end], &after[start..after.len() - end]);
    let mut changed = Vec::new();
    let common = common(went, came);
    let (mut one, mut other) = (0, 0);
    for (left, right) in common.into_iter().chain([(went.len(), came.len())]) {
        changed.extend(went[one..left].iter().map(|line| ("- ", line)));
        changed.extend(came[other..right].iter().map(|line| ("+ ", line)));
        (one, other) = (left + 1, right + 1);
    }
    changed.iter().filter(|(_, line)| !line.is_empty()).map(|(sign, line)| format!("{sign}{line}")).collect()
}

/// The longest list of lines that both have in the same order, as pairs of positions.
fn common(one: &[String], other: &[String]) -> Vec<(usize, usize)> {
    if one.len().saturating_mul(other.len()) > MOST_COMPARED {
        return Vec::new();
    }
    let width = other.len() + 1;
    let mut lengths = vec![0_u32; (one.len() + 1) * width];
    for left in (0..one.len()).rev() {
        for right in (0..other.len()).rev() {
            lengths[left * width + right] = match one[left] == other[right] {
                true => lengths[(left + 1) * width + right + 1] + 1,
                false => lengths[(left + 1) * width + right].max(lengths[left * width + right + 1]),
            };
        }
    }
    let (mut left, mut right) = (0, 0);
    let mut pairs = Vec::new();
    while left < one.len() && right < other.len() {
        if one[left] == other[right] {
            pairs.push((left, right));
            (left, right) = (left + 1, right + 1);
        } else if lengths[(left + 1) * width + right] >= lengths[left * width + right + 1] {
            left += 1;
        } else {
            right += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &[&str], after: &[&str], expected: &[&str]) {
        assert_eq!(changed_lines(&before.join("\n"), &after.join("\n")), expected);
    }

    #[test]
    fn only_what_changed_is_shown_in_order() {
        check(&["a", "b", "c"], &["a", "b", "c"], &[]);
        check(&["a", "b", "c"], &["a", "x", "c"], &["- b", "+ x"]);
        check(&["a", "b", "c"], &["a", "c", "d"], &["- b", "+ d"]);
        check(&[], &["a"], &["+ a"]);
        check(&["a ", "", "b"], &["a", "b"], &[]);
    }
}
