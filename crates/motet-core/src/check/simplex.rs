//! The most of a linear sum under linear limits: the simplex method, as small as the checker needs it.
//! It knows nothing of workflows. Every limit is `sum ≤ bound` with a bound of at least zero, so zero is a first answer.

/// What is too small to be told from zero.
const TINY: f64 = 1e-9;
/// After this many entries were touched, over all questions, an answer is given up, upwards.
const MOST_WORK: usize = 20_000_000;
/// Most limits meet in one corner, where pivots gain nothing. Each is moved outwards by a little of its own, which sets the
/// corners apart. The way is chosen by the moved limits and the sum is taken by the real ones: in the corner where no
/// variable gains any more, the real sum is at least the most, wherever exactly the limits are.
const APART: f64 = 1e-6;
/// Pivots in a row that gain nothing before the rule changes to one that cannot cycle.
const PATIENCE: usize = 50;

/// Variables of at least zero under limits; each `maximise` begins where the last one ended.
#[derive(Debug)]
pub struct Simplex {
    /// The limits, solved for the variables of `basis`, over the variables of `columns`.
    rows: Vec<Vec<f64>>,
    bounds: Vec<f64>,
    /// How far each bound is moved.
    moved: Vec<f64>,
    basis: Vec<usize>,
    columns: Vec<usize>,
    work_left: usize,
}

/// `sum of factor × variable ≤ bound`.
#[derive(Clone, Debug, Default)]
pub struct Limit {
    pub terms: Vec<(usize, f64)>,
    pub bound: f64,
}

impl Simplex {
    pub fn new(variables: usize, limits: &[Limit]) -> Self {
        let mut rows = vec![vec![0.0; variables]; limits.len()];
        for (row, limit) in rows.iter_mut().zip(limits) {
            assert!(limit.bound >= 0.0, "zero must be a possible answer");
            for (variable, factor) in &limit.terms {
                row[*variable] += factor;
            }
        }
        Self {
            rows,
            bounds: limits.iter().map(|limit| limit.bound).collect(),
            moved: (1..=limits.len()).map(|number| APART * (1 + number * 7919 % 1009) as f64).collect(),
            basis: (variables..variables + limits.len()).collect(),
            columns: (0..variables).collect(),
            work_left: MOST_WORK,
        }
    }

    /// The most that `sum of weight × variable` can be; None if there is no most, or if it was not found.
    pub fn maximise(&mut self, weights: &[f64]) -> Option<f64> {
        let weight = |variable: usize| weights.get(variable).copied().unwrap_or(0.0);
        let mut gains: Vec<f64> = self.columns.iter().map(|variable| weight(*variable)).collect();
        let mut total = 0.0;
        for (row, (variable, bound)) in self.rows.iter().zip(self.basis.iter().zip(&self.bounds)) {
            let factor = weight(*variable);
            if factor != 0.0 {
                total += factor * bound;
                gains.iter_mut().zip(row).for_each(|(gain, entry)| *gain -= factor * entry);
            }
        }
        let mut idle = 0;
        while self.work_left > 0 {
            self.work_left = self.work_left.saturating_sub(self.rows.len() * (1 + self.columns.len() / 8));
            let Some(column) = self.entering(&gains, idle > PATIENCE) else { return Some(total) };
            let row = self.leaving(column)?;
            let entry = self.rows[row][column];
            idle = if self.moved_bound(row) / entry > TINY { 0 } else { idle + 1 };
            total += gains[column] * self.bounds[row] / entry;
            self.pivot(row, column, &mut gains);
        }
        None
    }

    /// The variable that gains most; or, by Bland's rule, the first that gains at all.
    fn entering(&self, gains: &[f64], by_number: bool) -> Option<usize> {
        let gaining = (0..gains.len()).filter(|column| gains[*column] > TINY);
        if by_number {
            gaining.min_by_key(|column| self.columns[*column])
        } else {
            gaining.max_by(|left, right| gains[*left].total_cmp(&gains[*right]))
        }
    }

    /// The limit that is met first as the variable grows; None: no limit is ever met.
    fn leaving(&self, column: usize) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for (row, entries) in self.rows.iter().enumerate() {
            if entries[column] > TINY {
                let step = self.moved_bound(row) / entries[column];
                let is_better = best.is_none_or(|(least, chosen)| step < least || (step == least && self.basis[row] < self.basis[chosen]));
                if is_better {
                    best = Some((step, row));
                }
            }
        }
        best.map(|(_, row)| row)
    }

    /// Never below zero but for what floating point has lost.
    fn moved_bound(&self, row: usize) -> f64 {
        (self.bounds[row] + self.moved[row]).max(0.0)
    }

    /// Solves one limit for the entering variable and puts that into all others. Most entries are zero and are skipped.
    fn pivot(&mut self, row: usize, column: usize, gains: &mut [f64]) {
        let inverse = 1.0 / self.rows[row][column];
        let mut solved = std::mem::take(&mut self.rows[row]);
        solved.iter_mut().for_each(|entry| *entry *= inverse);
        solved[column] = inverse;
        let (bound, moved) = (self.bounds[row] * inverse, self.moved[row] * inverse);
        let filled: Vec<(usize, f64)> = solved.iter().copied().enumerate().filter(|(_, entry)| *entry != 0.0).collect();
        for (other, entries) in self.rows.iter_mut().enumerate() {
            let factor = if other == row { 0.0 } else { entries[column] };
            if factor != 0.0 {
                substitute(entries, column, factor, &filled);
                self.bounds[other] -= factor * bound;
                self.moved[other] -= factor * moved;
            }
        }
        substitute(gains, column, gains[column], &filled);
        self.rows[row] = solved;
        (self.bounds[row], self.moved[row]) = (bound, moved);
        std::mem::swap(&mut self.basis[row], &mut self.columns[column]);
    }
}

fn substitute(entries: &mut [f64], column: usize, factor: f64, solved: &[(usize, f64)]) {
    entries[column] = 0.0;
    for (position, entry) in solved {
        let value = entries[*position] - factor * entry;
        entries[*position] = if value.abs() < 1e-12 { 0.0 } else { value };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(limits: &[(&[f64], f64)], weights: &[f64], expected: Option<f64>) {
        let limits: Vec<Limit> =
            limits.iter().map(|(factors, bound)| Limit { terms: factors.iter().copied().enumerate().collect(), bound: *bound }).collect();
        let found = Simplex::new(weights.len(), &limits).maximise(weights);
        assert_eq!(found.map(|value| (value * 1e6).round() / 1e6), expected);
    }

    #[test]
    fn the_most_is_found_in_a_corner() {
        check(&[(&[1.0, 0.0], 4.0), (&[0.0, 2.0], 12.0), (&[3.0, 2.0], 18.0)], &[3.0, 5.0], Some(36.0));
    }

    #[test]
    fn without_a_limit_there_is_no_most() {
        check(&[(&[1.0, -1.0], 1.0)], &[1.0, 0.0], None);
    }

    #[test]
    fn a_problem_on_which_the_plain_rule_cycles_is_solved() {
        let limits: [(&[f64], f64); 3] =
            [(&[0.25, -60.0, -0.04, 9.0], 0.0), (&[0.5, -90.0, -0.02, 3.0], 0.0), (&[0.0, 0.0, 1.0, 0.0], 1.0)];
        check(&limits, &[0.75, -150.0, 0.02, -6.0], Some(0.05));
    }

    #[test]
    fn another_question_begins_where_the_last_one_ended() {
        let limits = [Limit { terms: vec![(0, 1.0), (1, 1.0)], bound: 4.0 }, Limit { terms: vec![(0, 1.0)], bound: 3.0 }];
        let mut simplex = Simplex::new(2, &limits);
        assert_eq!(simplex.maximise(&[2.0, 1.0]), Some(7.0));
        assert_eq!(simplex.maximise(&[0.0, 1.0]), Some(4.0));
        assert_eq!(simplex.maximise(&[1.0, 0.0]), Some(3.0));
    }
}
