//! Whether a number in a source bears out a number in a claim: equal, rounded, converted, a share and its percentage, a year and its decade.
//! It sees the two numbers only; whether they are about the same thing is judged by the words around them.

use super::{Measure, Number, Qualifier, Sign, times};

impl Number {
    /// Whether this number of a source is what the claim's number may rest on.
    pub fn bears_out(&self, claim: &Number) -> bool {
        self.sign.agrees(claim.sign) && self.pays_like(claim) && self.says(claim)
    }

    /// How much of the base unit it is.
    pub fn base(&self) -> f64 {
        let value = if self.sign == Sign::Minus { -self.value } else { self.value };
        self.unit.map_or(value, |unit| (value + unit.offset) * unit.factor)
    }

    /// Money is paid in one currency, and is no length.
    fn pays_like(&self, claim: &Number) -> bool {
        match (self.currency, claim.currency) {
            (Some(own), Some(wanted)) => own.agrees(wanted),
            (Some(_), None) => claim.unit.is_none(),
            (None, Some(_)) => self.unit.is_none(),
            (None, None) => true,
        }
    }

    fn says(&self, claim: &Number) -> bool {
        use Measure::{Century, Count, Day, Decade, Money, Month, Ordinal, Percent, Points, Time, Year};
        match (claim.measure, self.measure) {
            (Time { is_open: wanted }, Time { is_open: found }) => times::agree((claim.value, wanted), (self.value, found)),
            (Time { .. }, _) | (_, Time { .. }) => false,
            (Day { month: wanted }, Day { month: found }) => wanted == found && claim.value == self.value,
            (Month, Day { month }) => claim.value == f64::from(month),
            (Month, Month) => claim.value == self.value,
            (Day { .. } | Month, _) | (_, Day { .. } | Month) => false,
            (Decade, Decade) | (Century, Century) => claim.value == self.value,
            (Decade, Year | Count) => self.value >= claim.value && self.value < claim.value + 10.0,
            (Century, Year | Decade) => (self.value / 100.0).floor() + 1.0 == claim.value,
            (Century, Count | Ordinal) | (Count | Ordinal, Century) => claim.value == self.value,
            (Decade | Century, _) | (_, Decade | Century) => false,
            (Year, Year | Count) | (Count, Year) => claim.value == self.value,
            (Year, _) | (_, Year) => false,
            (Percent, Percent) | (Points, Points | Count) | (Count, Points) => self.rounds_to(claim),
            (Points, _) | (_, Points) => false,
            (Percent, Count) => {
                self.rounds_to(claim) && self.unit.is_none() && !self.counts
                    || self.value <= 1.0 && share_agrees(self.value * 100.0, claim.value, claim)
            }
            (Count, Percent) if claim.value < 1.0 => share_agrees(self.value, claim.value * 100.0, claim),
            // `two percent` is not two of anything, but tables leave the sign out.
            (Count, Percent) => self.value == claim.value && !claim.spelled && !claim.counts && claim.unit.is_none(),
            (Percent, _) | (_, Percent) => false,
            (Count | Money | Ordinal, Count | Money | Ordinal) => self.rounds_to(claim) || self.converts_to(claim),
        }
    }

    /// Equal as far as the claim is exact. A claim may be coarser than its source and never finer.
    fn rounds_to(&self, claim: &Number) -> bool {
        if self.dimension() != claim.dimension() && self.unit.is_some() && claim.unit.is_some() {
            return false;
        }
        let same_unit =
            self.unit.map(|unit| unit.factor) == claim.unit.map(|unit| unit.factor) || self.unit.is_none() || claim.unit.is_none();
        if !same_unit {
            return false;
        }
        if self.is_label && claim.is_label {
            return self.has_digits_of(claim);
        }
        if close(self.value, claim.value, 1e-9) { self.allows(claim.qualifier) } else { self.agrees_within(claim) }
    }

    /// `3.1` is neither `3.14` nor `3.10`; `4` may be said of `4.2` and of `4.0`.
    fn has_digits_of(&self, claim: &Number) -> bool {
        let is_whole = claim.value.fract() == 0.0;
        let is_same = close(self.value, claim.value, 1e-9) && (self.step == claim.step || is_whole);
        is_same || claim.step == 1.0 && self.step < 1.0 && self.value.floor() == claim.value
    }

    /// `fewer than 96` is not borne out by 96, nor `more than 96` by `fewer than 96`.
    fn allows(&self, claimed: Qualifier) -> bool {
        match claimed {
            Qualifier::Exact | Qualifier::About => true,
            // `over ten years` may also mean while they lasted.
            Qualifier::AtLeast => !matches!(self.qualifier, Qualifier::AtMost | Qualifier::Below) || self.dimension() == Some("time"),
            Qualifier::AtMost => self.qualifier != Qualifier::AtLeast,
            Qualifier::Below => matches!(self.qualifier, Qualifier::Below | Qualifier::AtMost | Qualifier::About),
        }
    }

    fn may_be_rounded(&self) -> bool {
        !self.spelled && !self.is_label
    }

    fn agrees_within(&self, claim: &Number) -> bool {
        // `about 1,200` counts hundreds, `1.2 million` hundred thousands; `1,200` without a word counts ones.
        let written = claim.step;
        let place = significant_place(claim.value).max(written);
        let difference = self.value - claim.value;
        // `more than 1,000` is said of 1,400 and not of 9,000.
        let bound = place.min(0.5 * claim.value).max(0.25 * claim.value);
        // Two bounds on one side are two numbers: a page that says `below 50` does not say `below 75`.
        let qualifier = if self.qualifier.bounds_like(claim.qualifier) { Qualifier::Exact } else { claim.qualifier };
        match qualifier {
            // `about 461 million` was not rounded far; `about 1,200` may have been.
            Qualifier::About => difference.abs() <= (0.5 * place).max(if claim.value < 100.0 * place { 0.05 * claim.value } else { 0.0 }),
            Qualifier::AtLeast => difference >= 0.0 && difference < bound,
            Qualifier::AtMost | Qualifier::Below => difference <= 0.0 && -difference < bound,
            // Whole numbers below a thousand are counts; a written decimal or a scale word says how far the number was rounded.
            Qualifier::Exact if !(1.0..1000.0).contains(&written) => difference.abs() <= 0.5 * written,
            Qualifier::Exact if claim.measure == Measure::Percent => difference.abs() <= 0.5,
            Qualifier::Exact if claim.value >= 1000.0 && place >= 100.0 => {
                difference.abs() <= 0.5 * place && difference.abs() <= 0.02 * claim.value
            }
            // A number with decimals is no count, so it may have been rounded to a whole one.
            Qualifier::Exact if self.may_be_rounded() && claim.may_be_rounded() && self.step < 1.0 && claim.value >= SMALLEST_ROUNDED => {
                difference.abs() <= 0.5 * written
            }
            Qualifier::Exact => false,
        }
    }

    fn converts_to(&self, claim: &Number) -> bool {
        let (Some(own), Some(wanted)) = (self.unit, claim.unit) else { return false };
        if own.dimension != wanted.dimension || own.factor == wanted.factor {
            return false;
        }
        let (source, claimed) = (self.base(), claim.base());
        // A conversion is written with as many digits as the original, so either may be rounded.
        let slack = 0.5 * (self.step * own.factor).max(claim.step * wanted.factor);
        (source - claimed).abs() <= slack.max(0.01 * claimed.abs())
    }

    fn dimension(&self) -> Option<&'static str> {
        self.unit.map(|unit| unit.dimension)
    }
}

/// Smaller numbers are told with their decimals: 1.4 is not one.
const SMALLEST_ROUNDED: f64 = 2.0;

/// Whether a share in percent is what a claim in fractions says: `half`, `nearly half`, `more than half`.
fn share_agrees(found: f64, claimed: f64, claim: &Number) -> bool {
    let difference = found - claimed;
    match claim.qualifier {
        Qualifier::Exact => difference.abs() < 1.0,
        Qualifier::About => difference.abs() <= 4.0,
        Qualifier::AtLeast => (0.0..20.0).contains(&difference),
        Qualifier::AtMost | Qualifier::Below => (-20.0..=0.0).contains(&difference),
    }
}

/// What the last digit before the closing zeros counts: 100 in 1,200.
fn significant_place(value: f64) -> f64 {
    let mut place = 1.0;
    while value >= place * 10.0 && value % (place * 10.0) == 0.0 {
        place *= 10.0;
    }
    place
}

fn close(one: f64, other: f64, tolerance: f64) -> bool {
    (one - other).abs() <= tolerance * one.abs().max(other.abs()).max(1.0)
}
